/* SPDX-License-Identifier: MIT */
/*
 * pp_event.h: events with dimensions as calls, where blocks don't reach. Part of <pp.h>, whose
 * conventions hold: include that.
 *
 *     int64_t id = pp_event_begin ("lookup", PP_DIM ("name", attribute), PP_DIM ("depth", 3));
 *     ...                                                in any function of the same thread
 *     pp_event_end (id, PP_DIM ("found", is_found));
 *
 * An event is an execution of the interval whose NAME is its type: policies record it, metrics can
 * be bound to it. While nothing is, a begin is a call, a look-up and a test, and what it is called
 * with is computed all the same.
 */
#ifndef PP_EVENT_H
#define PP_EVENT_H

#include <pp_abi.h>
#include <pp_site.h>
#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A dimension: PP_DIM ("key", value) makes it. Key and text are the caller's, for the call only. A
 * key has 63 bytes at most: a longer one is an error (PP_EINVAL).
 */
struct pp_event_dim {
	const char *key;
	uint64_t value; /* as a site captures one */
	uint32_t type;  /* enum pp_abi_value */
	uint32_t reserved;
};

/*
 * Begins an event of that TYPE in the calling thread. Dimensions without a key are left out.
 * Returns its id, above 0; 0 while nothing is bound to it, or when there is no room, which is
 * counted (PP_DROP_POOL): its end does nothing. PP_EINVAL: more than 8 dimensions, a key that is
 * too long, or TYPE is NULL or empty. What the macro pp_event_begin calls; any thread, not in
 * signal handlers.
 */
int64_t pp_event_begin_dims (const char *type, unsigned n, const struct pp_event_dim *dims);

/*
 * Ends it, with up to 8 dimensions more, beside the 8 that it may have; those beyond are left out.
 * Events of this thread that were begun later and are open are dropped, and counted
 * (PP_DROP_NESTING). PP_ESTATE where it has ended, or was dropped so, or is another thread's:
 * nothing changes. PP_EINVAL: a key is too long; it has ended without that dimension.
 */
int pp_event_end_dims (int64_t id, unsigned n, const struct pp_event_dim *dims);

/*
 * One more dimension of the innermost interval or event that is open in this thread and recorded,
 * or counted in groups by it, in place of one with the same key. PP_ENOENT: none is; PP_EINVAL: it
 * has 8 that came with its begin or after it, or the key is too long.
 */
int pp_dim_add (struct pp_event_dim dim);

/*
 * One more dimension of a span (pp_span_begin) that has not ended, in place of one with the same
 * key: of its record, its group, or the flight recorder. Of 64 that are said of one span 8 keys
 * count, the newest. PP_ESTATE: it has ended, or TOKEN is none of this process; PP_EINVAL: it has
 * 64 already, or DIM is none; PP_ENOMEM. PP_SPAN_NONE: nothing. No lock; any thread, also in signal
 * handlers.
 */
int pp_span_dim_add (pp_span token, struct pp_event_dim dim);

/*
 * pp_feature_begin (pp_site.h) with a payload of N values, 8 at most, those beyond are left out:
 * what dim (KEY=EXPR, ...) of the pragma is. Each has an Nth of 1,023 bytes, with its key; what is
 * longer is cut. pp_feature_begin_with (NAME, PP_DIM ("key", value), ...) calls it.
 */
void pp_feature_begin_dims (const char *name, unsigned n, const struct pp_event_dim *dims);

#pragma GCC visibility pop

static inline struct pp_event_dim pp_event_dim_int (const char *key, int64_t value)
{
	struct pp_event_dim dim = {key, (uint64_t) value, PP_ABI_VALUE_INT, 0};

	return dim;
}

static inline struct pp_event_dim pp_event_dim_unsigned (const char *key, uint64_t value)
{
	struct pp_event_dim dim = {key, value, PP_ABI_VALUE_UNSIGNED, 0};

	return dim;
}

static inline struct pp_event_dim pp_event_dim_bool (const char *key, int value)
{
	struct pp_event_dim dim = {key, value != 0, PP_ABI_VALUE_BOOL, 0};

	return dim;
}

static inline struct pp_event_dim pp_event_dim_double (const char *key, double value)
{
	struct pp_event_dim dim = {key, 0, PP_ABI_VALUE_DOUBLE, 0};

	__builtin_memcpy (&dim.value, &value, sizeof value);
	return dim;
}

static inline struct pp_event_dim pp_event_dim_string (const char *key, const volatile char *value)
{
	struct pp_event_dim dim = {key, (uintptr_t) value, PP_ABI_VALUE_STRING, 0};

	return dim;
}

static inline struct pp_event_dim pp_event_dim_pointer (const char *key, const volatile void *value)
{
	struct pp_event_dim dim = {key, (uintptr_t) value, PP_ABI_VALUE_POINTER, 0};

	return dim;
}

#ifdef __cplusplus
}

extern "C++" {

#define PP_EVENT_DIM_OF_(T, of, as)                                                                \
	static inline pp_event_dim PP_DIM (const char *key, T value)                               \
	{                                                                                          \
		return pp_event_dim_##of (key, as (value));                                        \
	}
PP_EVENT_DIM_OF_ (bool, bool, int)
PP_EVENT_DIM_OF_ (char, int, int64_t)
PP_EVENT_DIM_OF_ (signed char, int, int64_t)
PP_EVENT_DIM_OF_ (unsigned char, int, int64_t)
PP_EVENT_DIM_OF_ (short, int, int64_t)
PP_EVENT_DIM_OF_ (unsigned short, int, int64_t)
PP_EVENT_DIM_OF_ (int, int, int64_t)
PP_EVENT_DIM_OF_ (unsigned, int, int64_t)
PP_EVENT_DIM_OF_ (long, int, int64_t)
PP_EVENT_DIM_OF_ (unsigned long, unsigned, uint64_t)
PP_EVENT_DIM_OF_ (long long, int, int64_t)
PP_EVENT_DIM_OF_ (unsigned long long, unsigned, uint64_t)
PP_EVENT_DIM_OF_ (float, double, double)
PP_EVENT_DIM_OF_ (double, double, double)
PP_EVENT_DIM_OF_ (long double, double, double)
PP_EVENT_DIM_OF_ (const char *, string, )
PP_EVENT_DIM_OF_ (const volatile char *, string, )
PP_EVENT_DIM_OF_ (const volatile void *, pointer, )
PP_EVENT_DIM_OF_ (decltype (nullptr), pointer, )

/* A text of any class that has one, as std::string. */
template <typename T>
static inline auto PP_DIM (const char *key, const T &value)
	-> decltype (pp_event_dim_string (key, value.c_str ()))
{
	return pp_event_dim_string (key, value.c_str ());
}

/* The address of a function, which nothing makes const; without these it would be a bool. */
template <typename T> struct pp_event_function_ {
	typedef pp_event_dim dim;
};
template <typename T> struct pp_event_function_<const T> {
};
template <typename T>
static inline auto pp_event_dim_function_ (const char *key, T *value) ->
	typename pp_event_function_<const T>::dim
{
	return pp_event_dim_pointer (key, reinterpret_cast<const void *> (value));
}

/* ... or of that which a lambda without captures becomes. */
template <typename T>
static inline auto PP_DIM (const char *key, const T &value)
	-> decltype (pp_event_dim_function_ (key, +value))
{
	return pp_event_dim_function_ (key, +value);
}

template <typename T, typename C> static inline pp_event_dim PP_DIM (const char *key, T C::*)
{
	static_assert (sizeof (T C::*) == 0, "a pointer to a member is no value of a dimension");
	return pp_event_dim_bool (key, 0);
}

/* Enumerations that don't become integers by themselves. */
struct pp_event_plain_ {
	static char is (long long);
	static char (&is (...))[2];
};
template <typename T, bool = __is_enum(T)> struct pp_event_enum_ {
};
template <typename T> struct pp_event_enum_<T, true> {
	typedef __underlying_type (T) of;
};
template <typename T, bool = sizeof (pp_event_plain_::is (T ())) != 1> struct pp_event_scoped_ {
};
template <typename T> struct pp_event_scoped_<T, true> : pp_event_enum_<T> {
};
template <typename T>
static inline auto PP_DIM (const char *key, T value)
	-> decltype (PP_DIM (key, +static_cast<typename pp_event_scoped_<T>::of> (value)))
{
	return PP_DIM (key, +static_cast<typename pp_event_scoped_<T>::of> (value));
}
#undef PP_EVENT_DIM_OF_

/* Without a key it is none. */
static const pp_event_dim pp_event_no_dim = {0, 0, 0, 0};

/*
 * With up to 8 dimensions. Both are part of their caller, and are called there, not jumped to:
 * whose nesting is broken is told by where they return to.
 */
__attribute__ ((always_inline)) static inline int64_t pp_event_begin (
	const char *type, pp_event_dim a = pp_event_no_dim, pp_event_dim b = pp_event_no_dim,
	pp_event_dim c = pp_event_no_dim, pp_event_dim d = pp_event_no_dim,
	pp_event_dim e = pp_event_no_dim, pp_event_dim f = pp_event_no_dim,
	pp_event_dim g = pp_event_no_dim, pp_event_dim h = pp_event_no_dim)
{
	const pp_event_dim dims[] = {a, b, c, d, e, f, g, h};
	int64_t id = pp_event_begin_dims (type, 8, dims);

	__asm__("" : "+r"(id));
	return id;
}

__attribute__ ((always_inline)) static inline int pp_event_end (
	int64_t id, pp_event_dim a = pp_event_no_dim, pp_event_dim b = pp_event_no_dim,
	pp_event_dim c = pp_event_no_dim, pp_event_dim d = pp_event_no_dim,
	pp_event_dim e = pp_event_no_dim, pp_event_dim f = pp_event_no_dim,
	pp_event_dim g = pp_event_no_dim, pp_event_dim h = pp_event_no_dim)
{
	const pp_event_dim dims[] = {a, b, c, d, e, f, g, h};
	int error = pp_event_end_dims (id, 8, dims);

	__asm__("" : "+r"(error));
	return error;
}

/* A mark of a feature (pp_site.h). Begun in the caller, as its end is: no function of its own. */
__attribute__ ((always_inline)) static inline void pp_feature_begin_with (
	const char *name, pp_event_dim a, pp_event_dim b = pp_event_no_dim,
	pp_event_dim c = pp_event_no_dim, pp_event_dim d = pp_event_no_dim,
	pp_event_dim e = pp_event_no_dim, pp_event_dim f = pp_event_no_dim,
	pp_event_dim g = pp_event_no_dim, pp_event_dim h = pp_event_no_dim)
{
	const pp_event_dim dims[] = {a, b, c, d, e, f, g, h};

	pp_feature_begin_dims (name, 8, dims);
}

template <typename T> static inline int pp_dim (const char *key, const T &value)
{
	return pp_dim_add (PP_DIM (key, value));
}

template <typename T> static inline int pp_span_dim (pp_span token, const char *key, const T &value)
{
	return pp_span_dim_add (token, PP_DIM (key, value));
}
}

#else

/*
 * Of any number, text (char *) or other pointer. What has none of the types is a bit-field, of a
 * type of its own, or a pointer. Integers of 128 bits are none: the compiler complains.
 */
#define PP_DIM(key, x)                                                                             \
	_Generic ((x),                                                                             \
		float: pp_event_dim_double,                                                        \
		double: pp_event_dim_double,                                                       \
		long double: pp_event_dim_double,                                                  \
		char *: pp_event_dim_string,                                                       \
		const char *: pp_event_dim_string,                                                 \
		volatile char *: pp_event_dim_string,                                              \
		const volatile char *: pp_event_dim_string,                                        \
		_Bool: pp_event_dim_bool,                                                          \
		char: pp_event_dim_int,                                                            \
		signed char: pp_event_dim_int,                                                     \
		unsigned char: pp_event_dim_int,                                                   \
		short: pp_event_dim_int,                                                           \
		unsigned short: pp_event_dim_int,                                                  \
		int: pp_event_dim_int,                                                             \
		unsigned: pp_event_dim_int,                                                        \
		long: pp_event_dim_int,                                                            \
		unsigned long: pp_event_dim_unsigned,                                              \
		long long: pp_event_dim_int,                                                       \
		unsigned long long: pp_event_dim_unsigned, PP_EVENT_NEVER_                         \
		default: PP_EVENT_OTHER_ (x)) ((key), (x))
#ifdef __GNUC__
#define PP_EVENT_INTEGER_ 1 /* integer_type_class */
#define PP_EVENT_OTHER_(x)                                                                         \
	__builtin_choose_expr(__builtin_classify_type (x) == PP_EVENT_INTEGER_, pp_event_dim_int,  \
			      pp_event_dim_pointer)
#else /* what reads a program and isn't GCC, as cppcheck, may not know of these */
#define PP_EVENT_OTHER_(x) pp_event_dim_pointer
#endif
#ifdef __SIZEOF_INT128__
#define PP_EVENT_NEVER_                                                                            \
	__int128_t:                                                                                \
	pp_event_dim_pointer, __uint128_t : pp_event_dim_pointer,
#else
#define PP_EVENT_NEVER_
#endif

/*
 * pp_event_begin (TYPE, PP_DIM (...), ...) and pp_event_end (ID, PP_DIM (...), ...), up to 8. They
 * are called, not jumped to: whose nesting is broken is told by where they return to.
 */
#define pp_event_begin(...)                                                                        \
	(__extension__({                                                                           \
		int64_t pp_id_ = PP_EVENT_CALL_ (pp_event_begin_dims, __VA_ARGS__);                \
		__asm__("" : "+r"(pp_id_));                                                        \
		pp_id_;                                                                            \
	}))
#define pp_event_end(...)                                                                          \
	(__extension__({                                                                           \
		int pp_error_ = PP_EVENT_CALL_ (pp_event_end_dims, __VA_ARGS__);                   \
		__asm__("" : "+r"(pp_error_));                                                     \
		pp_error_;                                                                         \
	}))
#define PP_EVENT_CALL_(fn, ...)                                                                    \
	PP_EVENT_PICK_ (__VA_ARGS__, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_,       \
			MANY_, MANY_, MANY_, MANY_, MANY_, MANY_, MANY_, MANY_, NO_, 0)            \
	(fn, __VA_ARGS__)
/* pp_feature_begin_with (NAME, PP_DIM (...), ...): a mark of a feature with up to 8 values. */
#define pp_feature_begin_with(name, ...) PP_EVENT_MANY_ (pp_feature_begin_dims, name, __VA_ARGS__)
#define PP_EVENT_PICK_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, how, ...) PP_EVENT_##how
/* 9 to 16: no compiler goes on with it */
#define PP_EVENT_MORE_(fn, first, ...)                                                             \
	fn ((first), (unsigned) sizeof (struct {                                                   \
		    _Static_assert(0, "an event has at most 8 dimensions");                        \
		    int more;                                                                      \
	    }),                                                                                    \
	    (const struct pp_event_dim *) 0)
#define PP_EVENT_NO_(fn, first) fn ((first), 0, (const struct pp_event_dim *) 0)
#define PP_EVENT_MANY_(fn, first, ...)                                                             \
	fn ((first),                                                                               \
	    (unsigned) (sizeof ((const struct pp_event_dim[]){__VA_ARGS__}) /                      \
			sizeof (struct pp_event_dim)),                                             \
	    (const struct pp_event_dim[]){__VA_ARGS__})
#define pp_dim(key, x) pp_dim_add (PP_DIM (key, x))
#define pp_span_dim(token, key, x) pp_span_dim_add ((token), PP_DIM (key, x))

#endif

#endif
