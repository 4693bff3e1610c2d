/* SPDX-License-Identifier: MIT */
/*
 * pp_abi.h: what the plugin, the code it emits and the runtime agree on.
 *
 * An instrumented program or shared object carries, in four sections:
 *
 *   __pp_sites     struct pp_abi_marker[]: one record per emitted copy of a patchable marker. Every
 *                  address in it is an offset from the field itself, so 100,000 markers cost no
 *                  dynamic relocation.
 *   __pp_guards    struct pp_abi_site, one after the other, each 64-byte aligned: the sites whose
 *                  markers are guards.
 *   __pp_records   struct pp_abi_record, one after the other, each 64-byte aligned and self-sized:
 *                  metrics, knobs, callables, user sources, expectations. They hold ordinary
 *                  relocated pointers; there are few of them.
 *   __pp_estimates struct pp_abi_estimate[]: for each copy of an interval's begin what the compiler
 *                  knows of it. Read only when somebody asks.
 *
 * and hands them over, once per module and before main, with pp_rt_register (&module).
 *
 * A marker in the text is one NOP of nine bytes. Its last five, an index byte and a displacement to
 * the processor, are the jump to the stub already; one byte, which says how long the NOP is, turns
 * the marker on and off. So a thread that executes it meanwhile sees the one or the other however
 * the byte is written, and wherever the marker lies:
 *
 *   off      66 0f 1f 84 e9 rel32       nopw rel32(%rcx,%rbp,8)
 *   on       66 0f 1f 00                nopw (%rax)
 *            e9 rel32                   jmp stub
 *   back:                               the stub returns behind the nine bytes
 *
 * The runtime may have the jump lead elsewhere, to code that it made for the marker, which returns
 * there too. Where rel32 lies in one aligned 8-byte word that is one store; where it does not, the
 * stub's first instruction, which does, becomes a jump.
 *
 *   stub (in .subsection 1):  .p2align 6; .long back - .; .long 0
 *                             nopl 0(%rax,%rax,1)      the redirect: five bytes
 *                             lea -128(%rsp),%rsp      step over the red zone
 *                             push value               value points only; first, it may live in rdi
 *                                                      or rsi
 *                             push %rdi
 *                             push %rsi
 *                             lea  site+DEPTH(%rip),%rdi
 *                             mov  site+PP_ABI_SITE_PLAN(%rip),%rsi
 *                             call *ENTRY(%rsi)        PP_ABI_PLAN_BEGIN, _END or _POINT
 *                             pop  %rsi; pop %rdi; (drop value); lea 128(%rsp),%rsp
 *                             jmp  back
 *
 * On aarch64 the NOP is one of four bytes, which one store turns into "b stub" and back. There is
 * no red zone, and the stack pointer keeps its 16-byte alignment:
 *
 *   stub:                     sub sp, sp, #48
 *                             stp x0, x1, [sp]; stp x30, value, [sp, #16]; str x16, [sp, #32]
 *                             adrp/add x0, site; ldr x1, [x0, #PP_ABI_SITE_PLAN]; add x0, x0,
 *                             #DEPTH ldr x16, [x1, #ENTRY]; adr x30, .+8; blr x16 ldr x30, [sp,
 *                             #16]; ldr x16, [sp, #32]; ldp x0, x1, [sp], #48
 *                             b   back
 *
 * The tag is in x0 and the plan in x1 there, and an entry preserves the flags too: no instruction
 * of the program's would know that they were lost.
 *
 * DEPTH is how often the site's function was inlined into itself at this copy (0..63). Sites are
 * 64-byte aligned, so the low six bits of the tag in rdi carry it: one site inlined recursively
 * into one frame is told apart by one compare.
 *
 * An entry preserves every register but the flags. It finds the pushed value at PP_ABI_STUB_VALUE
 * bytes above its own call frame address, and the marker's stack pointer at the CFA +
 * PP_ABI_STUB_BYTES (+ PP_ABI_STUB_PUSHED with a value).
 *
 * Everything here is frozen by static assertions; a change of layout is a new PP_ABI_VERSION.
 */
#ifndef PP_ABI_H
#define PP_ABI_H

#include <pp_abi_words.h>

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>
#endif

#define PP_ABI_VERSION 5

#define PP_ABI_ALIGN 64       /* of sites and records; their sizes are multiples of it */
#define PP_ABI_DEPTH_MASK 63u /* low bits of a site tag: inline depth */

#define PP_ABI_SECTION_SITES "__pp_sites"
#define PP_ABI_SECTION_GUARDS "__pp_guards"
#define PP_ABI_SECTION_RECORDS "__pp_records"
#define PP_ABI_SECTION_ESTIMATES "__pp_estimates"

/* offsets that assembly text needs; asserted below */
#define PP_ABI_SITE_PLAN 0
#define PP_ABI_SITE_ENABLED 12
#define PP_ABI_SITE_WANTED 76
#define PP_ABI_PLAN_BEGIN 0
#define PP_ABI_PLAN_END 8
#define PP_ABI_PLAN_POINT 16
#define PP_ABI_AARCH64_STUB_BYTES 48
#ifdef __aarch64__
#define PP_ABI_STUB_BYTES PP_ABI_AARCH64_STUB_BYTES
#define PP_ABI_STUB_VALUE 24
#define PP_ABI_STUB_PUSHED 0
#else
#define PP_ABI_STUB_BYTES                                                                          \
	144 /* red zone + rdi + rsi, between the marker's rsp and the entry's CFA */
#define PP_ABI_STUB_VALUE 16 /* from the entry's CFA to the pushed value */
#define PP_ABI_STUB_PUSHED 8 /* what a pushed value adds to PP_ABI_STUB_BYTES */
#endif

/* the disabled marker on x86-64: what stands before rel32, and the byte that is changed */
#define PP_ABI_X86_NOP_BYTES 9
#define PP_ABI_X86_SWITCH 3
#define PP_ABI_X86_OFF 0x84
#define PP_ABI_X86_ON 0x00
#define PP_ABI_X86_REL32 5
#define PP_ABI_X86_REDIRECT                                                                        \
	{                                                                                          \
		0x0f, 0x1f, 0x44, 0x00, 0x00                                                       \
	}
#define PP_ABI_X86_NOP                                                                             \
	{                                                                                          \
		0x66, 0x0f, 0x1f, PP_ABI_X86_OFF, 0xe9                                             \
	}

#ifndef __ASSEMBLER__

enum pp_abi_op { PP_ABI_BEGIN = 0, PP_ABI_END = 1, PP_ABI_POINT = 2 };
/* All but points have a begin and an end, and pair as intervals do. */
enum pp_abi_site_kind {
	PP_ABI_SITE_POINT = 1,
	PP_ABI_SITE_INTERVAL = 2,
	PP_ABI_SITE_FEATURE = 3,  /* an instance of a feature runs; its value is the payload */
	PP_ABI_SITE_ANTIMARK = 4, /* user code runs inside a feature */
};

/* how value(EXPR), payload(EXPR) and dim(KEY=EXPR) reach the runtime: always 64 bits */
enum pp_abi_value {
	PP_ABI_VALUE_NONE = 0,
	PP_ABI_VALUE_INT = 1,     /* sign- or zero-extended to int64_t */
	PP_ABI_VALUE_DOUBLE = 2,  /* the bits of a double */
	PP_ABI_VALUE_POINTER = 3, /* an address */
	PP_ABI_VALUE_STRING =
		/*
		 * the address of NUL-terminated text, NULL allowed, that lives only during the
		 * entry
		 */
	4,
	/*
	 * 5 is none: recordings mark with it what has no value of its own. These are of dimensions
	 * only, and to markers they are integers:
	 */
	PP_ABI_VALUE_BOOL = 6,     /* 0 or 1 */
	PP_ABI_VALUE_UNSIGNED = 7, /* of an unsigned type of 64 bits */
};

enum pp_abi_site_flag {
	PP_ABI_SITE_GUARD = 1, /* guard markers: no pp_abi_marker, listed in pp_guards */
	PP_ABI_SITE_FENCE = 2, /* a compiler barrier at every marker */
	PP_ABI_SITE_ARRAY =
		/*
		 * the pushed value is the address of an array: the value, if there is one, then the
		 * dims
		 */
	4,
	/* measured by the code itself (pp_rt_inline_*): no markers, never bound or unbound */
	PP_ABI_SITE_INLINE = 8,
	/*
	 * Its markers are barriers for memory to the compiler: functions of the program's own that
	 * are measured there see what the program wrote, and are seen. Also set where FENCE is.
	 */
	PP_ABI_SITE_BARRIER = 16,
	PP_ABI_SITE_LATENT = 64,   /* a feature's mark that is off until it is switched on */
	PP_ABI_SITE_COMPUTED = 32, /* what it captures is computed where WANTED says so only */
	/*
	 * A point behind a call that may return twice (setjmp): where it does, executions further
	 * down the stack were jumped over.
	 */
	PP_ABI_SITE_RETURN = 128,
};

/*
 * Copies of one place that differ in one of these are different sites; the others each unit decides
 * for itself.
 */
#define PP_ABI_SITE_TELLING                                                                        \
	(PP_ABI_SITE_ARRAY | PP_ABI_SITE_INLINE | PP_ABI_SITE_LATENT | PP_ABI_SITE_RETURN)

#define PP_ABI_DIMS 8 /* dimensions of a site, at most */

/*
 * What the rules of an instrument file did in a unit, for `ppctl rules`: text in a section that is
 * not loaded, one unit's behind the other's. Each line is its fields with tabs between: "unit",
 * SOURCE, FILE, the hash of FILE (hexadecimal); then for each outcome "rule", the rule's line in
 * FILE, "+" or "-" (left alone), FILE:LINE:COLUMN, FUNCTION, WHAT, WHY; of a call, CALLEE.
 */
#define PP_ABI_SECTION_RULES "__pp_rules"
/* FNV-1a, 64 bits, of the file's bytes. */
#define PP_ABI_RULES_HASH_FIRST UINT64_C (0xcbf29ce484222325)
#define PP_ABI_RULES_HASH_FACTOR UINT64_C (0x100000001b3)

/*
 * What a site with PP_ABI_SITE_COMPUTED hands over for a capture that nobody wanted when the code
 * came to it. The runtime takes no sample of it: who is bound meanwhile is bound from the next
 * execution on. It is no address; as a double it is a denormal; as an integer it is one number of
 * 2^64.
 */
#define PP_ABI_NOT_CAPTURED ((int64_t) 0x800050706e6f6e65)

/*
 * Dimensions of an interval that are known only inside of it (#pragma pp dim) are markers of op
 * PP_ABI_POINT of the interval's own site, and what they push is the address of an array: how many
 * there are; then for each the address of its key behind the letter of its type ("bcached"; 'i',
 * 'd', 'p', 's', 'b' or 'u', by enum pp_abi_value), and the value. They are computed where this bit
 * of WANTED is set.
 */
#define PP_ABI_WANTED_LATE 15

/* in struct pp_abi_marker */
enum pp_abi_marker_flag {
	PP_ABI_MARKER_LOOP =
		/*
		 * in the instrumented copy of a loop whose clean copy runs while nothing in it is
		 * bound
		 */
	1,
	PP_ABI_MARKER_COLD = 2, /* STUB is a cold block of the function that computes the values */
	/*
	 * x86-64: nothing live in the x87 and MMX registers here; zmm, xmm16-31 and k; the upper
	 * halves of ymm
	 */
	PP_ABI_MARKER_NO_X87 = 4,
	PP_ABI_MARKER_NO_AVX512 = 8,
	PP_ABI_MARKER_NO_AVX = 16, /* with NO_AVX512 only */
	/*
	 * the site names no metrics: who looks for static bindings need not read it, so its page
	 * stays where it is
	 */
	PP_ABI_MARKER_NO_METRICS = 32,
};

/*
 * One emitted copy of a patchable marker. Offsets are relative to the address of the field that
 * holds them.
 */
struct pp_abi_marker {
	int32_t nop;  /* the NOP */
	int32_t stub; /* the out-of-line code */
	int32_t site; /* struct pp_abi_site */
	int32_t reserved;
	uint8_t op;     /* enum pp_abi_op */
	uint8_t depth;  /* inline depth, also in the stub's tag */
	uint16_t flags; /* enum pp_abi_marker_flag */
};

/*
 * A site as the plugin describes it. The first 32 bytes and WANTED belong to the runtime (zero in
 * the file), the rest is constant. Text offsets count from the start of the structure; 0 means
 * "none". Text is NUL-terminated UTF-8.
 */
struct pp_abi_site {
	/* struct with the entry addresses at PP_ABI_PLAN_*; set before a marker is enabled */
	const void *plan;
	uint32_t generation; /* raised whenever the site is enabled */
	/* not 0 while anything is bound: guard markers and loops with a clean copy test it */
	uint32_t enabled;
	void *runtime; /* the runtime's site */
	uint64_t reserved;

	uint32_t size; /* of the structure with its text, a multiple of PP_ABI_ALIGN */
	uint16_t abi;  /* PP_ABI_VERSION */
	uint8_t kind;  /* enum pp_abi_site_kind */
	uint8_t flags; /* enum pp_abi_site_flag */
	uint8_t value; /* enum pp_abi_value */
	uint8_t n_dims;
	uint8_t unused[2];
	uint32_t line;
	uint32_t column;
	uint32_t name;     /* as written; L<line>.<n> for a site without a name */
	uint32_t function; /* as in the source, C++ demangled without parameters: ns::C::f */
	uint32_t file;     /* as given to the compiler */
	uint32_t groups;   /* "g1,g2" or none */
	uint32_t metrics;  /* static bindings "m1,m2" or none */
	/* "n:i,ratio:d,node:p,name:s,ok:b,size:u", letters for enum pp_abi_value, or none */
	uint32_t dims;
	/* bit N: something bound reads capture N (the value or payload, then the dims) */
	uint32_t wanted;
	/* of the function, in C++: "(int, double) const"; none: not known */
	uint32_t parameters;
	uint32_t function_line; /* where the function is defined; 0: not known */
	__extension__ char text[];
};

enum pp_abi_record_type {
	PP_ABI_RECORD_METRIC = 1,
	PP_ABI_RECORD_KNOB = 2,
	PP_ABI_RECORD_CALLABLE = 3,
	PP_ABI_RECORD_SOURCE = 4,
	PP_ABI_RECORD_EXPECT = 5,
	PP_ABI_RECORD_OPERATOR = 6,
	PP_ABI_RECORD_STATISTIC = 7,
};

/*
 * The head of every static record. NAME, FILE and the like are offsets of text from the start of
 * the record.
 */
struct pp_abi_record {
	uint32_t size; /* with text and padding, a multiple of PP_ABI_ALIGN */
	uint16_t abi;  /* PP_ABI_VERSION */
	uint8_t type;  /* enum pp_abi_record_type */
	uint8_t flags; /* by type */
	uint32_t name;
	uint32_t file;
	uint32_t line;
	uint32_t column;
	void *runtime; /* the runtime's object; zero in the file */
};

/*
 * A user's measuring function behind one signature, so that any type of result works: a point's
 * function and an interval's begin write their result to OUT; an interval's end gets the begin's
 * result in BEGIN and writes the sample to OUT. OUT has room for PP_ABI_RESULT_BYTES; a sample is
 * an int64_t or a double as the record says.
 */
typedef void (*pp_abi_sample_fn) (void *out, const void *begin);
#define PP_ABI_RESULT_BYTES 64

enum pp_abi_sample_type { PP_ABI_SAMPLE_INT = 1, PP_ABI_SAMPLE_DOUBLE = 2 };

enum pp_abi_metric_flag {
	/* its functions take arguments: measured by sample_begin and sample_end only */
	PP_ABI_METRIC_ARGUMENTS = 1,
	PP_ABI_METRIC_FAST = 2, /* its functions use general registers only */
	/* its functions neither read nor write memory of the program's */
	PP_ABI_METRIC_CONST = 4,
};

/* #pragma pp metric */
struct pp_abi_metric {
	struct pp_abi_record head;
	/* struct pp_metric **: the program's variable, filled in at registration */
	void *variable;
	/* the user's functions, or NULL where SOURCE names one of the runtime's */
	pp_abi_sample_fn begin;
	pp_abi_sample_fn end; /* intervals only */
	uint8_t kind;         /* enum pp_abi_site_kind */
	uint8_t sample_type;  /* enum pp_abi_sample_type, of the user's function */
	uint8_t result_bytes; /* of the begin function's result */
	uint8_t unused;
	uint32_t accumulator; /* text: "sumcount" */
	uint32_t source;      /* text: "elapsed", "papi:PAPI_L1_DCM", "my_begin" */
	uint32_t options;     /* text: "size=100,every=4" or none */
	/* text: the whole declaration, normalised; equal text is an equal declaration */
	uint32_t declaration;
	uint32_t reserved;
};

enum pp_abi_knob_type { PP_ABI_KNOB_INT = 1, PP_ABI_KNOB_DOUBLE = 2, PP_ABI_KNOB_ENUM = 3 };

#define PP_ABI_NAME_BYTES 64 /* of a knob's, callable's or source's name, NUL included */
#define PP_ABI_UNIT_BYTES 24

/*
 * The records that macros of pp.h lay down: names inline (so that a reader of the file needs no
 * relocations), WHERE is "file:line".
 */
union pp_abi_number {
	int64_t i;
	double d;
};

/* Called with a knob's new value. */
typedef void (*pp_abi_turn_fn) (const union pp_abi_number *value);

/* PP_KNOB_INT, PP_KNOB_DOUBLE, PP_KNOB_ENUM. VALUE is read and written as one 64-bit atomic. */
struct pp_abi_knob {
	struct pp_abi_record head;
	const char *where;
	uint8_t type; /* enum pp_abi_knob_type */
	uint8_t unused[7];
	union pp_abi_number value, initial, min, max, step;
	char name[PP_ABI_NAME_BYTES];
	pp_abi_turn_fn setter; /* or NULL */
	/* of an enum: "(box, linear, cubic)", the values 0, 1, 2, then its setter; else NULL */
	const char *words;
} __attribute__ ((aligned (PP_ABI_ALIGN)));

struct pp_violation;
typedef void (*pp_abi_call_fn) (const struct pp_violation *, void *);

enum pp_abi_callable_flag { PP_ABI_CALLABLE_INLINE = 1 }; /* in head.flags */

/* PP_CALLABLE, PP_CALLABLE_INLINE */
struct pp_abi_callable {
	struct pp_abi_record head;
	const char *where;
	pp_abi_call_fn function;
	char name[PP_ABI_NAME_BYTES];
} __attribute__ ((aligned (PP_ABI_ALIGN)));

/*
 * PP_OPERATOR, PP_STATISTIC: a function that metrics or expressions name; the record's type says
 * which type it has
 */
struct pp_abi_function {
	struct pp_abi_record head;
	const char *where;
	void (*function) (void);
	char name[PP_ABI_NAME_BYTES];
} __attribute__ ((aligned (PP_ABI_ALIGN)));

/* in head.flags: its functions use general registers only */
enum pp_abi_source_flag { PP_ABI_SOURCE_FAST = 1 };

/* PP_SOURCE_*: a source of the user's own that policies may name */
struct pp_abi_source {
	struct pp_abi_record head;
	const char *where;
	pp_abi_sample_fn begin; /* or a point's only function */
	pp_abi_sample_fn end;   /* NULL: the source is for points */
	uint8_t sample_type;    /* enum pp_abi_sample_type */
	uint8_t result_bytes;   /* of the begin's result, at most PP_ABI_RESULT_BYTES */
	uint8_t unused[6];
	char name[PP_ABI_NAME_BYTES];
	char unit[PP_ABI_UNIT_BYTES]; /* "s", "B", "" … */
} __attribute__ ((aligned (PP_ABI_ALIGN)));

/* #pragma pp expect NAME: EXPRESSION [CLAUSE(VALUE)]... [call(FUNCTION)] */
struct pp_abi_expect {
	struct pp_abi_record head;
	pp_abi_call_fn call; /* or NULL */
	uint32_t expression; /* text */
	uint32_t function;   /* text: the enclosing function */
	uint32_t clauses;    /* text: "for: 3, cooldown: 2s", the policy's words; 0: none */
	uint32_t reserved;
	__extension__ char text[];
};

/* #pragma pp bind / unbind: the statement's argument, a constant of the function */
struct pp_abi_bind {
	uint32_t size;
	uint16_t abi;
	uint16_t line;
	const char *metric;
	const char *site;
	const char *function;
	const char *file;
	uint32_t function_line; /* where SIZE says that it is there; 0: not known */
	uint32_t reserved;
};

/*
 * What a module hands over. The runtime recognises a module that registers twice by its section
 * addresses.
 */
struct pp_abi_module {
	uint32_t size; /* of this structure */
	uint16_t abi;
	uint16_t marker_bytes; /* sizeof (struct pp_abi_marker) */
	const void *sites_begin, *sites_end;
	const void *guards_begin, *guards_end;
	const void *records_begin, *records_end;
	const void *estimates_begin, *estimates_end;
};

/*
 * What the compiler made of one copy of an interval: how much of its own work is still between its
 * markers after optimisation, and what its body does each time, where trip counts are known.
 * Several copies of a site (inlining, unrolling) are weighed by WEIGHT. Floating-point figures are
 * NaN where unknown.
 */
struct pp_abi_estimate {
	int32_t site; /* struct pp_abi_site, from the address of this field */
	/* cost of its own instructions that are inside, in 1/1000; or PP_ABI_COVERAGE_UNKNOWN */
	uint16_t coverage;
	uint16_t flags; /* enum pp_abi_estimate_flag */
	/* estimated executions of this copy per execution of the function it is in */
	float weight;
	uint16_t moved_out; /* its own instructions that are outside */
	uint16_t moved_in;  /* others' instructions that are inside */
	double operations;  /* arithmetic and logic, without what computes addresses */
	double flops;       /* floating-point operations; a fused multiply and add is two */
	double loads;       /* bytes */
	double stores;      /* bytes */
	double branches;    /* conditional ones */
	double calls;       /* that were not inlined */
};
#define PP_ABI_COVERAGE_UNKNOWN 0xffff

enum pp_abi_estimate_flag {
	/* ways through the body differ: weighed by the compiler's guess */
	PP_ABI_ESTIMATE_APPROXIMATE = 1,
};

#ifdef __cplusplus
#define PP_ABI_ASSERT(e) static_assert (e, #e)
extern "C" {
#else
#define PP_ABI_ASSERT(e) _Static_assert(e, #e)
#endif

PP_ABI_ASSERT (sizeof (struct pp_abi_marker) == 20);
PP_ABI_ASSERT (offsetof (struct pp_abi_site, plan) == PP_ABI_SITE_PLAN);
PP_ABI_ASSERT (offsetof (struct pp_abi_site, enabled) == PP_ABI_SITE_ENABLED);
PP_ABI_ASSERT (offsetof (struct pp_abi_site, wanted) == PP_ABI_SITE_WANTED);
PP_ABI_ASSERT (offsetof (struct pp_abi_site, size) == 32);
PP_ABI_ASSERT (offsetof (struct pp_abi_site, text) == 88);
PP_ABI_ASSERT (sizeof (struct pp_abi_record) == 32);
PP_ABI_ASSERT (sizeof (struct pp_abi_metric) == 80);
PP_ABI_ASSERT (sizeof (struct pp_abi_expect) == 56);
PP_ABI_ASSERT (sizeof (struct pp_abi_module) == 72);
PP_ABI_ASSERT (sizeof (struct pp_abi_bind) == 48);
PP_ABI_ASSERT (sizeof (struct pp_abi_estimate) == 64);
PP_ABI_ASSERT (offsetof (struct pp_abi_estimate, operations) == 16);
PP_ABI_ASSERT (offsetof (struct pp_abi_knob, value) == 48);
PP_ABI_ASSERT (sizeof (struct pp_abi_knob) == 192);
PP_ABI_ASSERT (sizeof (struct pp_abi_callable) == 128);
PP_ABI_ASSERT (sizeof (struct pp_abi_source) == 192);
PP_ABI_ASSERT (sizeof (struct pp_abi_function) == 128);

/* exported by libpp, also where the including code is built with -fvisibility=hidden */
#pragma GCC visibility push(default)
/*
 * Entry points that emitted code calls: an ABI, never renamed. All are safe before the runtime is
 * set up.
 */
void pp_rt_register (const struct pp_abi_module *module);
void pp_rt_unregister (const struct pp_abi_module *module);
/* guard markers: SITE is the site's address + inline depth */
void pp_rt_guard_begin (const void *site);
void pp_rt_guard_end (const void *site);
void pp_rt_guard_point (const void *site, int64_t value);
/* ... of a site with payload or dims */
void pp_rt_guard_begin_value (const void *site, int64_t value);
/*
 * #pragma pp sample_begin, sample_end; METRIC is the program's variable. The first makes room for
 * the begin function's result (64 bytes, 16-byte aligned; never NULL) on the thread's list of open
 * samples, or reads the metric's source where that is one of the library's. The second closes the
 * newest open sample of METRIC and returns that room, valid until the thread's next call of either;
 * NULL where there was none (counted) or where nothing is left to do. The others add what the end
 * function returned.
 */
void *pp_rt_sample_begin (void *metric);
void *pp_rt_sample_end (void *metric);
void pp_rt_sample_int (void *metric, int64_t sample);
void pp_rt_sample_double (void *metric, double sample);
/* A sample of a site with PP_ABI_SITE_INLINE. */
void pp_rt_inline_int (const void *site, void *metric, int64_t sample);
void pp_rt_inline_double (const void *site, void *metric, double sample);
void pp_rt_bind (const struct pp_abi_bind *what);
void pp_rt_unbind (const struct pp_abi_bind *what);
void pp_rt_expect (struct pp_abi_expect *what);
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif /* __ASSEMBLER__ */
#endif
