/* SPDX-License-Identifier: MIT */
/*
 * pp_records.h: static records, at file scope: knobs, callables, sources, operators, statistics.
 * Policies know them before main, and ppctl without running the program. Part of <pp.h>: include
 * that.
 */
#ifndef PP_RECORDS_H
#define PP_RECORDS_H

#include <pp_knob.h>
#include <pp_metric.h>
#include <pp_policy.h>

#define PP_CONCAT_(a, b) a##b
#define PP_CONCAT(a, b) PP_CONCAT_ (a, b)
#define PP_STRING_(x) #x
#define PP_STRING(x) PP_STRING_ (x)
#define PP_WHERE __FILE__ ":" PP_STRING (__LINE__)
/*
 * The place in the source that it stands at, "file.c:12", as a text that costs nothing: dim
 * (at=PP_HERE), PP_DIM ("at", PP_HERE), or an argument that says who called. The file is named as
 * the compiler was given it; -ffile-prefix-map shortens that.
 */
#define PP_HERE PP_WHERE

#ifdef __cplusplus
#define PP_EXTERN_C extern "C"
#else
#define PP_EXTERN_C extern
#endif

#define PP_RECORD_SECTION __attribute__ ((section (PP_ABI_SECTION_RECORDS), used))

/*
 * Where this file uses such a macro, its module is registered before main even without the plugin.
 */
PP_EXTERN_C const char pp_records_begin[] __asm__("__start___pp_records")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_records_end[] __asm__("__stop___pp_records")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_sites_begin[] __asm__("__start___pp_sites")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_sites_end[] __asm__("__stop___pp_sites")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_guards_begin[] __asm__("__start___pp_guards")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_guards_end[] __asm__("__stop___pp_guards")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_estimates_begin[] __asm__("__start___pp_estimates")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_estimates_end[] __asm__("__stop___pp_estimates")
	__attribute__ ((weak, visibility ("hidden")));

#define PP_REGISTER_(id)                                                                           \
	static const struct pp_abi_module PP_CONCAT (pp_module_, id) = {                           \
		sizeof (struct pp_abi_module),                                                     \
		PP_ABI_VERSION,                                                                    \
		sizeof (struct pp_abi_marker),                                                     \
		pp_sites_begin,                                                                    \
		pp_sites_end,                                                                      \
		pp_guards_begin,                                                                   \
		pp_guards_end,                                                                     \
		pp_records_begin,                                                                  \
		pp_records_end,                                                                    \
		pp_estimates_begin,                                                                \
		pp_estimates_end,                                                                  \
	};                                                                                         \
	__attribute__ ((constructor, no_instrument_function)) static void PP_CONCAT (pp_register_, \
										     id) (void)    \
	{                                                                                          \
		pp_rt_register (&PP_CONCAT (pp_module_, id));                                      \
	}                                                                                          \
	__attribute__ ((destructor, no_instrument_function)) static void PP_CONCAT (               \
		pp_unregister_, id) (void)                                                         \
	{                                                                                          \
		pp_rt_unregister (&PP_CONCAT (pp_module_, id));                                    \
	}

#define PP_HEAD_(type, kind) PP_HEAD_FLAGS_ (type, kind, 0)
#define PP_HEAD_FLAGS_(type, kind, flags)                                                          \
	{                                                                                          \
		sizeof (struct type), PP_ABI_VERSION, kind, flags, offsetof (struct type, name),   \
			0, __LINE__, 0, 0                                                          \
	}

/*
 * Names are the program's: of two modules with a knob, callable function, source, operator or
 * statistic of one name the first has it, which is said, and the other gets it when the first is
 * closed.
 *
 * A tunable that policies may turn: PP_KNOB_INT (antialias, 4, 1, 8, 1) has value 4, range 1..8,
 * step 1. Read it with pp_knob_int (antialias), one relaxed atomic load; other files say
 * PP_KNOB_EXTERN (antialias) first.
 *
 * The last argument is optional: PP_KNOB_INT (NAME, INITIAL, MIN, MAX, STEP, SETTER), a function
 * that is told each new value: void SETTER (int64_t), of doubles void SETTER (double). It is called
 * after the value has changed, never twice at a time and never inside a marker: on the library's
 * thread, by pp_poll, or where the program turns the knob itself, by pp_knob_set and pp_knob_step.
 * It is told the newest value; one that was replaced before anybody came to tell it is left out. It
 * may use all of this library. It must not throw.
 */
#define PP_KNOB_INT(NAME, INITIAL, MIN, MAX, ... /* STEP[, SETTER] */)                             \
	PP_KNOB_CHECK_ (int64_t, NAME, INITIAL, MIN, MAX, PP_STEP_ (__VA_ARGS__), #INITIAL,        \
			#MIN " to " #MAX)                                                          \
	PP_KNOB_SETTER_ (NAME, i, __VA_ARGS__)                                                     \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_INT, {(INITIAL)}, {(MIN)}, {(MAX)},                     \
			 {PP_STEP_ (__VA_ARGS__)}, PP_KNOB_TELL_ (NAME, __VA_ARGS__), 0)

/* The same with doubles; read with pp_knob_double (NAME). */
#define PP_KNOB_DOUBLE(NAME, INITIAL, MIN, MAX, ... /* STEP[, SETTER] */)                          \
	PP_KNOB_CHECK_DOUBLE_ (double, NAME, INITIAL, MIN, MAX, PP_STEP_ (__VA_ARGS__), #INITIAL,  \
			       #MIN " to " #MAX)                                                   \
	PP_KNOB_SETTER_ (NAME, d, __VA_ARGS__)                                                     \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_DOUBLE, PP_DOUBLE_ (INITIAL), PP_DOUBLE_ (MIN),         \
			 PP_DOUBLE_ (MAX), PP_DOUBLE_ (PP_STEP_ (__VA_ARGS__)),                    \
			 PP_KNOB_TELL_ (NAME, __VA_ARGS__), 0)

/*
 * A choice of 1 to 32 words: PP_KNOB_ENUM (filter, 1, (box, linear, cubic)) is linear at first.
 * pp_knob_int (filter) is the word's place: box 0, linear 1, cubic 2; a step goes to the next word.
 * Words are letters, digits and _; macros among them are not expanded. They stand in parentheses so
 * that a setter can come last here, too: PP_KNOB_ENUM (filter, 1, (box, linear, cubic),
 * set_filter).
 */
#define PP_KNOB_ENUM(NAME, INITIAL, ... /* (WORD, ...)[, SETTER] */)                               \
	PP_KNOB_CHECK_ (int64_t, NAME, INITIAL, 0, PP_WORDS_ (__VA_ARGS__) - 1, 1, #INITIAL,       \
			"that of a word, from 0: " PP_APPLY_ (PP_STRING_OF_WORDS_IN_PARENTHESES_,  \
							      PP_FIRST_ (__VA_ARGS__)))            \
	PP_KNOB_SETTER_ (NAME, i, __VA_ARGS__)                                                     \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_ENUM, {(INITIAL)}, {0}, {PP_WORDS_ (__VA_ARGS__) - 1},  \
			 {1}, PP_KNOB_TELL_ (NAME, __VA_ARGS__), #__VA_ARGS__)

/* Where the compiler knows the numbers, which in C it always does. */
#define PP_KNOB_CHECK_(TYPE, NAME, INITIAL, MIN, MAX, STEP, VALUE, RANGE)                          \
	PP_STATIC_ASSERT_ (PP_NOT_KNOWN_ (MIN) || PP_NOT_KNOWN_ (MAX) ||                           \
				   (TYPE) (MIN) <= (TYPE) (MAX),                                   \
			   "knob " #NAME ": its range " RANGE " is empty");                        \
	PP_STATIC_ASSERT_ (                                                                        \
		PP_NOT_KNOWN_ (INITIAL) || PP_NOT_KNOWN_ (MIN) || PP_NOT_KNOWN_ (MAX) ||           \
			((TYPE) (MIN) <= (TYPE) (INITIAL) && (TYPE) (INITIAL) <= (TYPE) (MAX)),    \
		"knob " #NAME ": its initial value " VALUE " is not in its range, " RANGE);        \
	PP_STATIC_ASSERT_ (PP_NOT_KNOWN_ (STEP) || (TYPE) (STEP) > 0,                              \
			   "knob " #NAME ": its step is missing, or not more than 0");
#if defined(__clang__) && !defined(__cplusplus)
#define PP_KNOB_CHECK_DOUBLE_(...) /* its C compares no doubles before it runs */
#else
#define PP_KNOB_CHECK_DOUBLE_(...) PP_KNOB_CHECK_ (__VA_ARGS__)
#endif
#ifdef __cplusplus
#define PP_NOT_KNOWN_(x) !__builtin_constant_p (x)
#define PP_STATIC_ASSERT_(e, text) static_assert (e, text)
#else
#define PP_NOT_KNOWN_(x) 0
#define PP_STATIC_ASSERT_(e, text) __extension__ _Static_assert(e, text)
#endif

/*
 * What stands last in a knob's macro, X[, SETTER]: a function that calls SETTER, if there is one,
 * and its name for the record, or 0. PP_THIRD_ tells the two apart: (X, yes, no, 0) has NO in third
 * place, (X, SETTER, yes, no, 0) has YES.
 */
#define PP_KNOB_SETTER_(NAME, FIELD, ...)                                                          \
	PP_THIRD_ (__VA_ARGS__, PP_KNOB_TOLD_, PP_KNOB_UNTOLD_, 0) (NAME, FIELD, __VA_ARGS__)
#define PP_KNOB_TELL_(NAME, ...) PP_THIRD_ (__VA_ARGS__, pp_knob_set_##NAME, 0, 0)
#define PP_KNOB_UNTOLD_(NAME, FIELD, X)
#define PP_KNOB_TOLD_(NAME, FIELD, X, SETTER)                                                      \
	static void pp_knob_set_##NAME (const union pp_abi_number *value)                          \
	{                                                                                          \
		SETTER (value->FIELD);                                                             \
	}
#define PP_FIRST_(...) PP_FIRST_OF_ (__VA_ARGS__, 0)
#define PP_STEP_(...) (PP_FIRST_ (__VA_ARGS__) + 0) /* a step that is missing is 0 */
#define PP_FIRST_OF_(a, ...) a
#define PP_THIRD_(a, b, c, ...) c
#define PP_APPLY_(MACRO, PARENTHESES) MACRO PARENTHESES

#define PP_KNOB_RECORD_(NAME, TYPE, INITIAL, MIN, MAX, STEP, SETTER, WORDS)                        \
	PP_KNOB_EXTERN (NAME);                                                                     \
	PP_RECORD_SECTION struct pp_abi_knob pp_knob_##NAME = {                                    \
		PP_HEAD_ (pp_abi_knob, PP_ABI_RECORD_KNOB),                                        \
		PP_WHERE,                                                                          \
		TYPE,                                                                              \
		{0},                                                                               \
		INITIAL,                                                                           \
		INITIAL,                                                                           \
		MIN,                                                                               \
		MAX,                                                                               \
		STEP,                                                                              \
		#NAME,                                                                             \
		SETTER,                                                                            \
		WORDS};                                                                            \
	PP_REGISTER_ (knob_##NAME)

#define PP_DOUBLE_(x)                                                                              \
	{                                                                                          \
		.d = (x)                                                                           \
	}

/*
 * How many words there are in (WORD, ...)[, SETTER], 1 to 32. Where the parentheses are missing,
 * the compiler says the macro's name.
 */
#define PP_WORDS_(...) PP_APPLY_ (PP_NUMBER_OF_WORDS_IN_PARENTHESES_, PP_FIRST_ (__VA_ARGS__))
#define PP_STRING_OF_WORDS_IN_PARENTHESES_(...) #__VA_ARGS__
#define PP_NUMBER_OF_WORDS_IN_PARENTHESES_(...)                                                    \
	PP_WORDS_COUNT_ (__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,  \
			 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PP_WORDS_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,     \
			a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
			a32, N, ...)                                                               \
	N

#define PP_KNOB_EXTERN(NAME) PP_EXTERN_C struct pp_abi_knob pp_knob_##NAME
#define pp_knob_int(NAME) __atomic_load_n (&pp_knob_##NAME.value.i, __ATOMIC_RELAXED)
#define pp_knob_double(NAME)                                                                       \
	(__extension__({                                                                           \
		double pp_value_;                                                                  \
		__atomic_load (&pp_knob_##NAME.value.d, &pp_value_, __ATOMIC_RELAXED);             \
		pp_value_;                                                                         \
	}))

/*
 * A function void FN (const struct pp_violation *, void *) that policies may call by name, on the
 * library's thread.
 */
#define PP_CALLABLE(FN) PP_CALLABLE_ (FN, 0)
/*
 * The same, called at once by the thread that saw the violation, after its frame is closed; where
 * that is in a signal's handler, on the library's thread. FN must not throw; it runs in the default
 * floating-point environment, which stays where FN leaves by longjmp.
 */
#define PP_CALLABLE_INLINE(FN) PP_CALLABLE_ (FN, PP_ABI_CALLABLE_INLINE)
#define PP_CALLABLE_(FN, FLAGS)                                                                    \
	PP_RECORD_SECTION static struct pp_abi_callable pp_callable_##FN = {                       \
		{sizeof (struct pp_abi_callable), PP_ABI_VERSION, PP_ABI_RECORD_CALLABLE, FLAGS,   \
		 offsetof (struct pp_abi_callable, name), 0, __LINE__, 0, 0},                      \
		PP_WHERE,                                                                          \
		FN,                                                                                \
		#FN};                                                                              \
	PP_REGISTER_ (callable_##FN)

/*
 * PP_OPERATOR (FN): a pp_operator_fn that metrics may name as operator=FN, from before main on. See
 * pp_operator_new.
 */
#define PP_OPERATOR(FN) PP_FUNCTION_ (operator_, FN, pp_operator_fn, PP_ABI_RECORD_OPERATOR, 0)
/* PP_STATISTIC (FN, POWER): a pp_statistic_fn, from before main on. See pp_statistic_new. */
#define PP_STATISTIC(FN, POWER)                                                                    \
	PP_FUNCTION_ (statistic_, FN, pp_statistic_fn, PP_ABI_RECORD_STATISTIC, POWER)
#define PP_FUNCTION_(KIND, FN, TYPE, RECORD, FLAGS)                                                \
	static __attribute__ ((unused)) TYPE const pp_##KIND##type_##FN = FN;                      \
	PP_RECORD_SECTION static struct pp_abi_function pp_##KIND##FN = {                          \
		PP_HEAD_FLAGS_ (pp_abi_function, RECORD, FLAGS), PP_WHERE, (void (*) (void)) FN,   \
		#FN};                                                                              \
	PP_REGISTER_ (KIND##FN)

/*
 * A source that policies may name: PP_SOURCE_POINT_INT (queue_length, get_queue_length, "") takes
 * int64_t get_queue_length (void); PP_SOURCE_INTERVAL_INT (NAME, BEGIN, END, UNIT) takes int64_t
 * BEGIN (void) and int64_t END (const int64_t *begin); _DOUBLE the same with double. The unit is
 * "s", "B" or "".
 */
#define PP_SOURCE_POINT_INT(NAME, FN, UNIT)                                                        \
	PP_SOURCE_POINT_ (NAME, FN, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_PLAIN_, 0)
#define PP_SOURCE_POINT_DOUBLE(NAME, FN, UNIT)                                                     \
	PP_SOURCE_POINT_ (NAME, FN, UNIT, double, PP_ABI_SAMPLE_DOUBLE, PP_PLAIN_, 0)
#define PP_SOURCE_INTERVAL_INT(NAME, BEGIN, END, UNIT)                                             \
	PP_SOURCE_INTERVAL_ (NAME, BEGIN, END, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_PLAIN_, 0)
#define PP_SOURCE_INTERVAL_DOUBLE(NAME, BEGIN, END, UNIT)                                          \
	PP_SOURCE_INTERVAL_ (NAME, BEGIN, END, UNIT, double, PP_ABI_SAMPLE_DOUBLE, PP_PLAIN_, 0)
/*
 * The same for functions that are marked PP_FAST, with integer samples: they are called without
 * keeping the program's vector registers, which is most of what a call costs.
 */
#define PP_FAST_SOURCE(NAME, FN, UNIT)                                                             \
	PP_SOURCE_POINT_ (NAME, FN, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_FAST, PP_FAST_FLAG_)
#define PP_FAST_SOURCE_INTERVAL(NAME, BEGIN, END, UNIT)                                            \
	PP_SOURCE_INTERVAL_ (NAME, BEGIN, END, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_FAST,          \
			     PP_FAST_FLAG_)
/*
 * PP_FAST int64_t queue_length (void) { return length; }
 *
 * promises that the function uses general registers only: no floating point, no vectors, and no
 * calls but of functions that are PP_FAST too. GCC compiles it so, and the plugin reports calls and
 * registers that break the promise; a function that is defined in a file which is compiled without
 * the plugin is believed. A metric declared with such functions (#pragma pp metric m interval
 * sumcount(begin, end)) is as fast as PP_FAST_SOURCE. Without the plugin and on other CPUs such
 * sources are ordinary ones.
 */
#if defined(__PPGCC__) && defined(__x86_64__)
/* sanitizers would put calls into them */
#define PP_FAST                                                                                    \
	__attribute__ ((target ("general-regs-only"), pp_fast,                                     \
			no_sanitize ("address", "thread", "undefined")))
#define PP_FAST_FLAG_ PP_ABI_SOURCE_FAST
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define PP_FAST __attribute__ ((target ("general-regs-only")))
#define PP_FAST_FLAG_ 0
#else
#define PP_FAST
#define PP_FAST_FLAG_ 0
#endif
#define PP_PLAIN_
#define PP_SOURCE_POINT_(NAME, FN, UNIT, TYPE, SAMPLE, ATTRIBUTE, FLAGS)                           \
	ATTRIBUTE static void pp_source_begin_##NAME (void *out, const void *begin)                \
	{                                                                                          \
		(void) begin;                                                                      \
		*(TYPE *) out = FN ();                                                             \
	}                                                                                          \
	PP_SOURCE_RECORD_ (NAME, 0, UNIT, TYPE, SAMPLE, FLAGS)
#define PP_SOURCE_INTERVAL_(NAME, BEGIN, END, UNIT, TYPE, SAMPLE, ATTRIBUTE, FLAGS)                \
	ATTRIBUTE static void pp_source_begin_##NAME (void *out, const void *begin)                \
	{                                                                                          \
		(void) begin;                                                                      \
		*(TYPE *) out = BEGIN ();                                                          \
	}                                                                                          \
	ATTRIBUTE static void pp_source_end_##NAME (void *out, const void *begin)                  \
	{                                                                                          \
		*(TYPE *) out = END ((const TYPE *) begin);                                        \
	}                                                                                          \
	PP_SOURCE_RECORD_ (NAME, pp_source_end_##NAME, UNIT, TYPE, SAMPLE, FLAGS)
#define PP_SOURCE_RECORD_(NAME, END, UNIT, TYPE, SAMPLE, FLAGS)                                    \
	PP_RECORD_SECTION static struct pp_abi_source pp_source_##NAME = {                         \
		PP_HEAD_FLAGS_ (pp_abi_source, PP_ABI_RECORD_SOURCE, FLAGS),                       \
		PP_WHERE,                                                                          \
		pp_source_begin_##NAME,                                                            \
		END,                                                                               \
		SAMPLE,                                                                            \
		sizeof (TYPE),                                                                     \
		{0},                                                                               \
		#NAME,                                                                             \
		UNIT};                                                                             \
	PP_REGISTER_ (source_##NAME)

#endif
