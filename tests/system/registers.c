/* SPDX-License-Identifier: MIT */
/*
 * registers.c: whatever a measuring function does to the processor's registers, the program finds
 * them as they were; and on a fibre the function runs on a stack of the library's. Compiled several
 * times, since what the plugin says can be live at a marker depends on what the unit is compiled
 * for.
 */
#include "check.h"

#include <cpuid.h>
#include <fenv.h>
#include <immintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#if defined(__AVX512BW__)
#define WITH "AVX-512"
#elif defined(__AVX__)
#define WITH "AVX"
#else
#define WITH "SSE"
#endif

int64_t begin_wrecking (void);
int64_t end_wrecking (const int64_t *begin);
int64_t begin_deep (void);
int64_t end_deep (const int64_t *begin);
double point_double (void);
PP_FAST int64_t begin_counting (void);
PP_FAST int64_t end_counting (const int64_t *begin);

/* clang-format off */
#pragma pp metric wrecked  interval stats(begin_wrecking, end_wrecking)
#pragma pp metric deep     interval stats(begin_deep, end_deep)
#pragma pp metric reals    point    stats(point_double)
#pragma pp metric counted  interval stats(begin_counting, end_counting)
/* clang-format on */

static int has_avx, has_avx512;
static int64_t calls;
static uintptr_t deep_at;
static jmp_buf away;
static int leave, unwound, nest;

/* ---- what measuring functions do ------------------------------------------------------------- */

#define EACH_16(X)                                                                                 \
	X (0)                                                                                      \
	X (1)                                                                                      \
	X (2) X (3) X (4) X (5) X (6) X (7) X (8) X (9) X (10) X (11) X (12) X (13) X (14) X (15)
#define EACH_HIGH(X)                                                                               \
	X (16)                                                                                     \
	X (17)                                                                                     \
	X (18)                                                                                     \
	X (19) X (20) X (21) X (22) X (23) X (24) X (25) X (26) X (27) X (28) X (29) X (30) X (31)

/* Wrong values in all there are, and everything that a C function may raise. */
NOIPA static void wreck (void)
{
	volatile double zero = 0, result;
	volatile long double three = 3, third;

	result = 1 / zero;
	third = 1 / three;
	(void) result;
	(void) third;
	/* a full x87 stack's worth, and empty again, as a function may */
	__asm__ volatile("fldz; fldz; fldz; fldz; fstp %st; fstp %st; fstp %st; fstp %st");
#define WRECK(n) "pcmpeqd %%xmm" #n ", %%xmm" #n "\n\t"
	__asm__ volatile(EACH_16 (WRECK)::: "memory");
	if (has_avx) {
#define WRECK_Y(n) "vinsertf128 $1, %%xmm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
		__asm__ volatile(EACH_16 (WRECK_Y) "vzeroupper" ::: "memory");
	}
	if (has_avx512) {
#define WRECK_Z(n) "vpternlogd $255, %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
		__asm__ volatile(EACH_HIGH (WRECK_Z)::: "memory");
#define WRECK_K(n) "kxnorq %%k" #n ", %%k" #n ", %%k" #n "\n\t"
		__asm__ volatile(WRECK_K (0) WRECK_K (1) WRECK_K (2) WRECK_K (3) WRECK_K (4)
					 WRECK_K (5) WRECK_K (6) WRECK_K (7)::
						 : "memory");
	}
	calls++;
}

NOIPA int64_t begin_wrecking (void)
{
	wreck ();
	return calls;
}

NOIPA int64_t end_wrecking (const int64_t *begin)
{
	wreck ();
	return calls - *begin;
}

NOIPA double point_double (void)
{
	wreck ();
	return 0.5;
}

PP_FAST int64_t begin_counting (void)
{
	return ++calls;
}

PP_FAST int64_t end_counting (const int64_t *begin)
{
	return ++calls - *begin;
}

/* ---- registers across markers ---------------------------------------------------------------- */

/*
 * All sixteen, as wide as this unit knows them, with a value each; the marker's code between cannot
 * be seen by the compiler.
 */
#if defined(__AVX512BW__)
typedef __m512i wide;
#define MOVE "vmovdqu64 %0, %%zmm"
#define BACK "vmovdqu64 %%zmm"
#elif defined(__AVX__)
typedef __m256i wide;
#define MOVE "vmovdqu %0, %%ymm"
#define BACK "vmovdqu %%ymm"
#else
typedef __m128i wide;
#define MOVE "movdqu %0, %%xmm"
#define BACK "movdqu %%xmm"
#endif

static unsigned char before[32][sizeof (wide)], after[32][sizeof (wide)];
static unsigned long masks_before[8], masks_after[8];

#define LOAD(n) __asm__ volatile(MOVE #n ::"m"(before[n]) : "xmm" #n);
#define STORE(n) __asm__ volatile(BACK #n ", %0" : "=m"(after[n]));
#define LOAD_K(n) __asm__ volatile("kmovq %0, %%k" #n ::"m"(masks_before[n]));
#define STORE_K(n) __asm__ volatile("kmovq %%k" #n ", %0" : "=m"(masks_after[n]));
#define EACH_K(X) X (0) X (1) X (2) X (3) X (4) X (5) X (6) X (7)

static void fill (int upper)
{
	for (unsigned i = 0; i < 32; i++)
		for (unsigned j = 0; j < sizeof (wide); j++)
			before[i][j] = (unsigned char) (upper || j < 16 ? i * 7 + j + 1 : 0);
	for (unsigned i = 0; i < 8; i++)
		masks_before[i] = 0x0123456789abcdefu * (i + 1);
	memset (after, 0, sizeof (after));
	memset (masks_after, 0, sizeof (masks_after));
}

NOIPA static void across_interval (void){EACH_16 (LOAD)
#ifdef __AVX512BW__
						 EACH_HIGH (LOAD) EACH_K (LOAD_K)
#endif
							 {
#pragma pp interval wrecking(wrecked)
								 __asm__ volatile("");
}
EACH_16 (STORE)
#ifdef __AVX512BW__
EACH_HIGH (STORE)
EACH_K (STORE_K)
#endif
}

NOIPA static void across_point (void)
{
	EACH_16 (LOAD)
#pragma pp point real(reals)
	EACH_16 (STORE)
}

static int kept (void)
{
#ifdef __AVX512BW__
	return !memcmp (before, after, sizeof (before)) &&
	       !memcmp (masks_before, masks_after, sizeof (masks_before));
#else
	return !memcmp (before, after, 16 * sizeof (wide));
#endif
}

/*
 * In the functions the stack of x87 registers is as deep as the compiler likes it, across both
 * markers.
 */
NOIPA static long double across_x87 (long double a, long double b, long double c)
{
	long double sum = a * b + c, product = a + b * c, third = a - b;

#pragma pp interval x87(wrecked)
	__asm__ volatile("" : "+t"(sum));
	sum += product * third;
	__asm__ volatile("" : "+t"(sum));
	return sum + product - third;
}

NOIPA static unsigned flags_across (void)
{
	unsigned mxcsr;

	_mm_setcsr (_mm_getcsr () & ~0x3fu);
	{
#pragma pp interval flags(wrecked)
		__asm__ volatile("");
	}
	mxcsr = _mm_getcsr ();
	return mxcsr & 0x3f;
}

static void registers (void)
{
	int good = 1, zeros = 1, points = 1;
	long double expected = 0, got = 0;

	for (int i = 0; i < 100; i++) {
		fill (1);
		across_interval ();
		good &= kept ();
		fill (0);
		across_interval ();
		zeros &= kept ();
		fill (1);
		across_point ();
		points &= !memcmp (before, after, 16 * sizeof (wide));
	}
	ok (good, "an interval's functions may use every register: the program finds its own as "
		  "they were (" WITH ")");
	ok (zeros, "also where the upper halves are zero (" WITH ")");
	ok (points, "so does a point's function with a double result (" WITH ")");
	same (pp_count (wrecked), 200, "each interval is a sample");
	same (pp_min (wrecked), 1, "of the functions' difference");
	same (pp_avg (reals), 0.5, "and each point one of a double");

	pp_unbind (wrecked, "x87");
	expected = across_x87 (1.5L, 2.25L, 1e300L);
	pp_bind (wrecked, "x87", 1);
	got = across_x87 (1.5L, 2.25L, 1e300L);
	ok (expected == got, "long doubles live across markers whose functions use x87 too");
	same (flags_across (), 0, "exceptions that a function raises are not the program's");
}

/* ---- the stack ------------------------------------------------------------------------------- */

NOIPA static _Unwind_Reason_Code frame (struct _Unwind_Context *context, void *arg)
{
	(void) arg;
	unwound += _Unwind_GetRegionStart (context) == (uintptr_t) arg;
	return _URC_NO_REASON;
}

NOIPA static void measured (void);

/* As much stack as no small fibre has. */
NOIPA int64_t begin_deep (void)
{
	char much[100000];

	memset (much, 1, sizeof (much));
	__asm__ volatile("" : : "r"(much) : "memory");
	deep_at = (uintptr_t) much;
	if (leave)
		longjmp (away, 1);
	if (nest) {
		nest = 0;
		raise (SIGUSR1);
	}
	_Unwind_Backtrace (frame, (void *) (uintptr_t) measured);
	return much[calls++ & 1];
}

NOIPA int64_t end_deep (const int64_t *begin)
{
	return *begin;
}

NOIPA static void measured (void)
{
#pragma pp interval deep(deep)
	__asm__ volatile("");
}

static ucontext_t fibre, scheduler;
static char *small;
enum { SMALL = 16384 };

static void run_fibre (void)
{
	for (int i = 0; i < 10; i++)
		measured ();
}

static void on_small_stack (void)
{
	double n = pp_count (deep);

	small = mmap (NULL, SMALL + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	mprotect (small, 4096, PROT_NONE);
	getcontext (&fibre);
	fibre.uc_stack.ss_sp = small + 4096;
	fibre.uc_stack.ss_size = SMALL;
	fibre.uc_link = &scheduler;
	makecontext (&fibre, run_fibre, 0);
	swapcontext (&scheduler, &fibre);
	same (pp_count (deep), n + 10,
	      "functions that need 100 KB run at markers of a fibre that has 16");
	ok (deep_at - (uintptr_t) small >= SMALL + 4096,
	    "because it is not its stack that they run on");
}

static void unwinding (void)
{
	unwound = 0;
	measured ();
	same (unwound, 1,
	      "a backtrace from a measuring function finds the function that is measured");
}

static void jumping (void)
{
	volatile int jumped = 0;
	double n = pp_count (deep);

	for (volatile int i = 0; i < 5; i++) {
		leave = 1;
		if (setjmp (away) == 0)
			measured ();
		else
			jumped++;
		leave = 0;
	}
	same (jumped, 5, "a measuring function may leave by longjmp");
	measured ();
	same (pp_count (deep), n + 1, "and what comes then is measured as before");
}

static void handler (int signal)
{
	(void) signal;
	measured ();
}

static void signalled (void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = 1 << 20}, none = {.ss_flags = SS_DISABLE};
	double n = pp_count (deep);

	stack.ss_sp = malloc (stack.ss_size);
	sigaltstack (&stack, NULL);
	sigaction (SIGUSR1, &action, NULL);
	nest = 1;
	measured ();
	same (pp_count (deep), n + 2,
	      "a handler that interrupts a measuring function is measured itself, on the signal "
	      "stack");
	action.sa_flags = 0;
	sigaction (SIGUSR1, &action, NULL);
	nest = 1;
	measured ();
	same (pp_count (deep), n + 4, "also where it runs on the interrupted function's");
	sigaltstack (&none, NULL);
	free (stack.ss_sp);
}

static void *thread (void *arg)
{
	for (int i = 0; i < 1000; i++)
		measured ();
	return arg;
}

static void threads (void)
{
	pthread_t ids[4];
	double n = pp_count (deep);

	for (int i = 0; i < 4; i++)
		pthread_create (&ids[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join (ids[i], NULL);
	same (pp_count (deep), n + 4000, "threads measure so at the same time");
}

static void fast (void)
{
	for (int i = 0; i < 100; i++) {
#pragma pp interval counting(counted)
		__asm__ volatile("");
	}
	same (pp_count (counted), 100, "functions that are PP_FAST are measured");
	same (pp_max (counted), 1, "with their own results");
}

/* Not in main: what the processor lacks may be in a function's first instructions. */
NOIPA static void all (void)
{
	registers ();
	fast ();
	unwinding ();
	on_small_stack ();
	jumping ();
	signalled ();
	threads ();
}

int main (void)
{
	if (UNDER_TSAN) {
		/*
		 * guards call the library like any function: the compiler keeps what it needs
		 * itself
		 */
		skipped ("registers", "under ThreadSanitizer markers are calls, at which vector "
				      "registers are the callee's");
		return checked ();
	}
	__builtin_cpu_init ();
	has_avx = __builtin_cpu_supports ("avx");
	has_avx512 = __builtin_cpu_supports ("avx512bw");
#if defined(__AVX512BW__)
	if (!has_avx512) {
		printf ("1..0 # SKIP this processor has no AVX-512\n");
		return 0;
	}
#elif defined(__AVX__)
	if (!has_avx) {
		printf ("1..0 # SKIP this processor has no AVX\n");
		return 0;
	}
#endif
	all ();
	return checked ();
}
