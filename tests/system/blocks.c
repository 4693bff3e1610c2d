/* SPDX-License-Identifier: MIT */
/*
 * blocks.c: the code that is made for a marker and a plan, against the routines in C.
 *
 * Every instruction of a block is stopped at (the trap flag): there unwinding must reach main, the
 * stack pointer must be the marker's, markers that a handler runs through must be measured, and a
 * handler may leave for good. Registers and the red zone are filled with patterns before a marker
 * and compared behind it. Random plans with random values are run in two processes, one with blocks
 * and one without (PP_BLOCKS=0), which must print the same.
 */
#include "stepping.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

/* clang-format off */
#pragma pp metric m_elapsed    interval sumcount(elapsed)
#pragma pp metric m_handler    interval stats(elapsed)
#pragma pp metric m_points     point    count(count)
#pragma pp metric m_counted    interval count(count)
#pragma pp metric m_some       interval sumcount(elapsed, every=2)
/* clang-format on */

static __thread volatile long sink;

NOIPA static void pair (void)
{
#pragma pp interval pair
	sink++;
}

NOIPA static void in_handler (void)
{
#pragma pp interval in_handler(m_handler)
	sink++;
}

NOIPA static void around (void (*fn) (void))
{
#pragma pp interval around(m_elapsed)
	fn ();
}

/* ---- registers ------------------------------------------------------------------------------- */

#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN
/* Nothing in them but markers: GCC lets them touch no register, no stack. */
NOIPA static void bare_interval (void){
#pragma pp interval bare
}

NOIPA static void bare_point (void){
#pragma pp point bare_point
}

/* A point whose value is in a register of choice, which is full of the pattern. */
#define VALUE_IN(reg)                                                                              \
	NOIPA static void value_in_##reg (void)                                                    \
	{                                                                                          \
		register long v __asm__(#reg);                                                     \
		__asm__ volatile("" : "=r"(v));                                                    \
		PP_POINT_VALUE (value_in_##reg, v);                                                \
	}
VALUE_IN (rax) VALUE_IN (rcx) VALUE_IN (rdx) VALUE_IN (rsi) VALUE_IN (rdi) VALUE_IN (r8)
	VALUE_IN (r9) VALUE_IN (r10) VALUE_IN (r11)

		static const struct {
	const char *name;
	void (*fn) (void);
	int value; /* the number of the register with the point's value; -1: none */
} bare[] = {
	{"bare", bare_interval, -1},        {"bare_point", bare_point, -1},
	{"value_in_rax", value_in_rax, 0},  {"value_in_rcx", value_in_rcx, 1},
	{"value_in_rdx", value_in_rdx, 2},  {"value_in_rsi", value_in_rsi, 6},
	{"value_in_rdi", value_in_rdi, 7},  {"value_in_r8", value_in_r8, 8},
	{"value_in_r9", value_in_r9, 9},    {"value_in_r10", value_in_r10, 10},
	{"value_in_r11", value_in_r11, 11},
};
enum { N_BARE = sizeof bare / sizeof bare[0] };

/* ---- random plans ---------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t rnd (uint64_t n)
{
	random_state =
		random_state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return (random_state >> 33) % n;
}

static const char *const keeps[] = {"scalar",
				    "count",
				    "sumcount",
				    "stats",
				    "bounded_series, size=7",
				    "bounded_series, size=1",
				    "histogram"};
enum { N_KEEPS = sizeof keeps / sizeof keeps[0], METRICS = 5 };

NOIPA static void random_point (long value)
{
#pragma pp point random_point value(value)
	sink++;
}

NOIPA static void random_interval (void)
{
#pragma pp interval random_interval
	sink++;
}

static void declare (pp_metric **m, const char *name, const char *kind, const char *source,
		     unsigned keep)
{
	char text[128], accumulator[64];
	const char *comma = strchr (keeps[keep], ',');

	snprintf (accumulator, sizeof accumulator, "%.*s", comma ? (int) (comma - keeps[keep]) : 20,
		  keeps[keep]);
	snprintf (text, sizeof text, "%s %s(%s%s)", kind, accumulator,
		  strcmp (accumulator, "count") ? source : "count", comma ? comma : "");
	if (pp_metric_new (m, name, text) != PP_OK)
		printf ("BAD declaration %s\n", text);
}

/* -0.0 is 0, a NaN is "nan" */
static void print_all (const pp_metric *m, int is_elapsed)
{
	double copy[16];
	long n = pp_series_copy (m, copy, 16);

	for (int s = 0; s < PP_STATISTICS; s++) {
		double x = pp_stat (m, NULL, (enum pp_statistic) s);

		/* only what does not depend on the clock */
		if (s != PP_STAT_RATE &&
		    (!is_elapsed || s == PP_STAT_COUNT || s == PP_STAT_ESTIMATED_COUNT))
			printf (" %.17g", isnan (x) ? -1e300 : x + 0.0);
	}
	for (long i = 0; i < n && !is_elapsed; i++)
		printf (" [%.17g]", copy[i]);
	printf (" n=%ld\n", n);
}

/* Apart from what the library learns of the clock's rate in between. */
static int is_same_time (double a, double b)
{
	return fabs (a - b) <= 0.02 * fmax (a, b);
}

/* All metrics of one interval are fed by the same two readings. */
static int agree (pp_metric *const *m, const unsigned *keep, const unsigned *every, int n)
{
	double sum = NAN, last = NAN;

	for (int i = 0; i < n; i++) {
		if (keep[i] == 1 || every[i] > 1)
			continue;
		if (!(isnan (last) || is_same_time (pp_last (m[i]), last)))
			return 0;
		last = pp_last (m[i]);
		if (keep[i] == 0 || keep[i] == 4 || keep[i] == 5)
			continue;
		if (!(isnan (sum) || is_same_time (pp_sum (m[i]), sum)))
			return 0;
		sum = pp_sum (m[i]);
	}
	return 1;
}

static void unbind_random (pp_metric *point, pp_metric *interval)
{
	pp_unbind (point, "random_point");
	pp_unbind (interval, "random_interval");
}

/* What one process prints: the same with blocks and without. */
static int print_random (unsigned seed)
{
	static pp_metric *m[2][64][METRICS];

	random_state = seed;
	for (unsigned round = 0; round < 64; round++) {
		int n = 1 + (int) rnd (METRICS), calls = 1 + (int) rnd (40);
		unsigned keep[METRICS], every[METRICS], range = (unsigned) rnd (62);
		char name[32];

		for (int i = 0; i < n; i++) {
			keep[i] = (unsigned) rnd (N_KEEPS);
			every[i] = rnd (3) ? 1 : 1 + (unsigned) rnd (5);
			snprintf (name, sizeof name, "p%u_%d", round, i);
			declare (&m[0][round][i], name, "point", "value", keep[i]);
			snprintf (name, sizeof name, "i%u_%d", round, i);
			declare (&m[1][round][i], name, "interval", "elapsed", keep[i]);
			pp_bind (m[0][round][i], "random_point", every[i]);
			pp_bind (m[1][round][i], "random_interval", every[i]);
		}
		for (int i = 0; i < calls; i++) {
			long value =
				(long) (rnd (UINT64_C (1) << 31) << 31 | rnd (UINT64_C (1) << 31)) &
				((INT64_C (1) << range) - 1);

			random_point (rnd (3) ? value : -value);
			random_interval ();
		}
		for (int i = 0; i < n; i++) {
			printf ("%u %s every %u:", round, keeps[keep[i]], every[i]);
			print_all (m[0][round][i], 0);
			print_all (m[1][round][i], 1);
			/* some stay for one more round */
			if (rnd (2))
				unbind_random (m[0][round][i], m[1][round][i]);
		}
		for (int i = 0; round && i < METRICS && m[0][round - 1][i]; i++)
			unbind_random (m[0][round - 1][i], m[1][round - 1][i]);
		printf ("%s\n", agree (m[1][round], keep, every, n) ? "agree" : "DISAGREE");
	}
	return 0;
}

static void test_random (void)
{
	static char with[1 << 20], without[1 << 20];
	int equal = 1, good = 1, lines = 0;

	for (unsigned seed = 1; seed <= 12; seed++) {
		char argument[32];

		snprintf (argument, sizeof argument, "random %u", seed);
		run_self ("PP_BLOCKS=1", argument, with, sizeof with);
		run_self ("PP_BLOCKS=0", argument, without, sizeof without);
		if (strcmp (with, without) != 0 || !*with) {
			equal = 0;
			note ("seed %u differs", seed);
		}
		good &= !strstr (with, "DISAGREE") && !strstr (with, "BAD");
		for (const char *at = with; (at = strchr (at, '\n')); at++)
			lines++;
	}
	ok (equal, "random plans print the same with blocks and without (%d lines)", lines);
	ok (good && lines > 1000, "metrics of one interval agree on what they were fed");
}

/* ---- step by step ---------------------------------------------------------------------------- */

enum { LEAVE_NEVER = -1 };

static volatile sig_atomic_t steps, steps_in_block, unwound, moved, leave_at = LEAVE_NEVER,
								    runs_markers;
static uintptr_t marker_sp;
static sigjmp_buf way_out;

static void trapped (int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	uintptr_t ip = (uintptr_t) u->uc_mcontext.gregs[REG_RIP];

	(void) sig;
	(void) info;
	steps++;
	if (!is_in_block (ip))
		return;
	if (!marker_sp)
		marker_sp = (uintptr_t) u->uc_mcontext.gregs[REG_RSP];
	moved += (uintptr_t) u->uc_mcontext.gregs[REG_RSP] != marker_sp;
	if (leave_at == LEAVE_NEVER)
		unwound += reaches_main ();
	if (runs_markers) {
		in_handler ();
		pair ();
		bare_point ();
	}
	if (leave_at == steps_in_block++)
		siglongjmp (way_out, 1);
}

/* Runs FN instruction by instruction. */
NOIPA static void step_through (void (*fn) (void))
{
	steps = steps_in_block = unwound = moved = 0;
	marker_sp = 0;
	set_trap_flag (1);
	fn ();
	set_trap_flag (0);
}

static void stepped_registers (void)
{
	set_trap_flag (1);
	bare_interval ();
	set_trap_flag (0);
}

static void test_every_step (const char *what, void (*fn) (void), int least)
{
	step_through (fn);
	ok (steps_in_block >= least && steps_in_block < steps,
	    "%s is stopped in its blocks (%d steps of %d)", what, (int) steps_in_block,
	    (int) steps);
	same (unwound, steps_in_block, "unwinding reaches main from each of them");
	same (moved, 0, "and the stack pointer is the marker's all the time");
}

/* What is bound to `pair`. */
static pp_metric *pairs_metric;

static double count_pairs (void)
{
	return pp_stat (pairs_metric, NULL, PP_STAT_N);
}

/* A handler at each instruction runs through markers, of the same site too. */
static void test_markers_in_handlers (void)
{
	double pairs = count_pairs (), handled = pp_count (m_handler), points = pp_count (m_points);

	forget_drops ();
	runs_markers = 1;
	step_through (pair);
	runs_markers = 0;
	same (count_pairs () - pairs, steps_in_block + 1.0,
	      "intervals in handlers within the same interval's blocks are measured, and so is it");
	same (pp_count (m_handler) - handled, steps_in_block, "others are");
	same (pp_count (m_points) - points, steps_in_block, "points are");
	same (newly_dropped_in_all (), 0, "and nothing is dropped");
}

/* A handler leaves at each instruction in turn; then everything works as before. */
static void test_leaving (void)
{
	int n = 0, good = 1;
	double lost = 0;

	forget_drops ();

	step_through (pair);
	n = steps_in_block;
	for (int i = 0; i < n; i++) {
		double count;

		leave_at = i;
		if (sigsetjmp (way_out, 1) == 0)
			step_through (pair);
		leave_at = LEAVE_NEVER;
		set_trap_flag (0);
		count = count_pairs ();
		for (int k = 0; k < 3; k++) {
			pair ();
			around (bare_point);
		}
		good &= count_pairs () - count == (pairs_metric == m_elapsed ? 6 : 3);
		lost += newly_dropped_in_all ();
		step_through (pair);
		/* blocks are used again, not only stubs for ever after */
		good &= steps_in_block == n;
	}
	ok (good,
	    "a handler may leave any of %d instructions by siglongjmp: what follows is measured, "
	    "by blocks again",
	    n);
	ok (lost > 0 && lost < n, "intervals that it left open are counted (%g)", lost);
}

/* One in two: the other takes seven instructions. */
static void test_some (void)
{
	double count;
	int n, good = 1;

	pp_unbind (m_counted, "pair");
	pp_bind (m_some, "pair", 2);
	pairs_metric = m_some;
	pair ();
	step_through (pair);
	same (steps_in_block, 7, "an execution that is not sampled takes seven instructions");
	step_through (pair);
	n = steps_in_block;
	ok (n > 20 && unwound == n && moved == 0,
	    "one that is, is stopped in its blocks too, and unwinds (%d)", n);
	for (int i = 0; i < n; i++) {
		pair ();
		leave_at = i;
		if (sigsetjmp (way_out, 1) == 0)
			step_through (pair);
		leave_at = LEAVE_NEVER;
		set_trap_flag (0);
		count = count_pairs ();
		for (int k = 0; k < 20; k++)
			pair ();
		count = count_pairs () - count;
		good &= count >= 9 && count <= 11;
		/* the one or the other is not sampled */
		for (int k = 0; k < 2 && (k == 0 || steps_in_block != 7); k++)
			step_through (pair);
		good &= steps_in_block == 7;
	}
	ok (good, "a handler may leave any instruction: what follows is sampled, one in two");
	pp_unbind (m_some, "pair");
}

static void test_steps (void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
	void *frames[4];

	backtrace (frames, 4); /* loads what it needs */
	pp_bind (m_elapsed, "pair", 0);
	pp_bind (m_points, "bare_point", 0);
	pair ();
	in_handler ();
	around (bare_point);
	bare_interval ();
	find_ranges ();
	sigaction (SIGTRAP, &action, NULL);
	pairs_metric = m_elapsed;
	test_every_step ("an interval", pair, 20);
	test_every_step ("a point", bare_point, 20);
	test_markers_in_handlers ();
	test_leaving ();
	pp_unbind (m_elapsed, "pair");
	pairs_metric = m_counted;
	pp_bind (m_counted, "pair", 0);
	pair ();
	find_ranges ();
	test_every_step ("an interval that is only counted", pair, 12);
	ok (steps_in_block < 30, "which takes less than thirty instructions");
	test_markers_in_handlers ();
	test_leaving ();
	test_some ();
	(void) stepped_registers;
}

/* ---- registers, with and without the usual case ---------------------------------------------- */

static void test_registers (void)
{
	pp_metric *m[N_BARE][N_KEEPS];
	int good = 1, sums = 1, rounds = 0;

	for (int k = 0; k < N_KEEPS; k++)
		for (int i = 0; i < N_BARE; i++) {
			char name[64];

			snprintf (name, sizeof name, "registers_%d_%d", i, k);
			if (i == 1 && k != 1) /* a point without a value is counted only */
				continue;
			declare (&m[i][k], name, i ? "point" : "interval", i ? "value" : "elapsed",
				 (unsigned) k);
			pp_bind (m[i][k], bare[i].name, 0);
			for (int n = 0; n < 20; n++, rounds++)
				good &= registers_survive (bare[i].fn);
			sums &= bare[i].value < 0 || k == 1 ||
				pp_last (m[i][k]) == (double) (int64_t) before[bare[i].value];
			if (k % 2) /* plans of one metric, and of several */
				pp_unbind (m[i][k], bare[i].name);
		}
	ok (good,
	    "registers and the red zone survive markers, the first of a thread and the next (%d "
	    "times)",
	    rounds);
	ok (sums, "a value is taken from any register");
}

/* ---- the newest sample ----------------------------------------------------------------------- */

static pp_metric *m_newest;
static volatile long turn;
enum { TURNS = 10000 };

NOIPA static void newest (long value)
{
#pragma pp point newest value(value)
	sink++;
}

NOIPA static void newest_too (long value)
{
#pragma pp point newest_too value(value)
	sink++;
}

/* The other of two threads that sample in turns. */
static void *odd_turns (void *arg)
{
	(void) arg;
	for (long i = 1; i < TURNS; i += 2) {
		while (__atomic_load_n (&turn, __ATOMIC_ACQUIRE) != i)
			;
		newest (i);
		__atomic_store_n (&turn, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void test_newest (void)
{
	pthread_t thread;
	int wrong = 0;

	pp_metric_new (&m_newest, "newest_value", "point stats(value)");
	pp_bind (m_newest, "newest", 0);
	pp_bind (m_newest, "newest_too", 0);
	for (long i = 0; i < 3000; i++) {
		if (i % 3)
			newest (i);
		else
			newest_too (i);
		wrong += pp_last (m_newest) != (double) i;
	}
	same (wrong, 0, "the last sample of two sites of a thread is the newest, each time");
	pthread_create (&thread, NULL, odd_turns, NULL);
	for (long i = 0; i < TURNS; i += 2) {
		long repeat = i % 7 ? 1 : 600; /* long enough to be the only one */

		while (__atomic_load_n (&turn, __ATOMIC_ACQUIRE) != i)
			;
		wrong += i && pp_last (m_newest) != (double) (i - 1);
		for (long k = 0; k < repeat; k++)
			newest (i);
		wrong += pp_last (m_newest) != (double) i;
		__atomic_store_n (&turn, i + 1, __ATOMIC_RELEASE);
	}
	pthread_join (thread, NULL);
	same (wrong, 0, "and that of two threads that take turns, 10,000 times");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void test_memory (void)
{
	int both = 0, executable = 0, n = find_ranges ();
	unsigned long inode = n ? ranges[0].inode : 0;
	int status;
	pid_t child;

	for (int i = 0; i < n; i++) {
		both += has_permission (&ranges[i], 'x') && has_permission (&ranges[i], 'w');
		executable += has_permission (&ranges[i], 'x');
	}
	ok (executable > 0 && both == 0,
	    "no memory is writable and executable (%d of %d mappings are executable)", executable,
	    n);
	child = fork ();
	if (child == 0) {
		pp_metric *m;
		int bad = 0;

		find_ranges ();
		for (int i = 0; i < n_ranges; i++)
			bad |= ranges[i].inode == inode;
		pair ();
		pp_metric_new (&m, "child", "interval stats(elapsed)");
		bad |= pp_bind (m, "pair", 0) != 1 ? 2 : 0;
		for (int i = 0; i < 5; i++)
			pair ();
		bad |= pp_count (m) != 5 ? 4 : 0;
		_exit (bad);
	}
	waitpid (child, &status, 0);
	same (WIFEXITED (status) ? WEXITSTATUS (status) : -1, 0,
	      "a child has none of its parent's code, and makes its own");
	child = (pid_t) syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		int writable = 0;

		find_ranges ();
		for (int i = 0; i < n_ranges; i++)
			writable += has_permission (&ranges[i], 'w');
		pair ();
		_exit (writable);
	}
	waitpid (child, &status, 0);
	same (WIFEXITED (status) ? WEXITSTATUS (status) : -1, 0,
	      "a child that nobody was told of can't write to it");
}

/* ---- where there can be none ----------------------------------------------------------------- */

static int print_refused (void)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

	if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		printf ("no seccomp\n");
		return 0;
	}
	execl ("/proc/self/exe", "blocks", "off", NULL);
	return 1;
}

static int print_off (void)
{
	pp_bind (m_elapsed, "pair", 0);
	for (int i = 0; i < 10; i++)
		pair ();
	printf ("count %g, ranges %d\n", pp_count (m_elapsed), find_ranges ());
	return 0;
}

static void test_without (void)
{
	static char out[4096];

	run_self ("PP_BLOCKS=0", "off", out, sizeof out);
	ok (strcmp (out, "count 10, ranges 0\n") == 0, "PP_BLOCKS=0 makes none");
	run_self ("PP_BLOCKS=1", "off", out, sizeof out);
	ok (strncmp (out, "count 10, ranges ", 17) == 0 && out[17] != '0', "PP_BLOCKS=1 does");
	run_self ("PP_BLOCKS=1", "refused", out, sizeof out);
	if (strcmp (out, "no seccomp\n") == 0)
		skipped ("where memory is refused the stubs do the same, and nothing is said",
			 "no seccomp here");
	else if (!ok (strcmp (out, "count 10, ranges 0\n") == 0,
		      "where memory is refused the stubs do the same, and nothing is said"))
		note ("%s", out);
}

int main (int argc, char **argv)
{
	if (argc == 3 && strcmp (argv[1], "random") == 0)
		return print_random ((unsigned) atoi (argv[2]));
	if (argc == 2 && strcmp (argv[1], "refused") == 0)
		return print_refused ();
	if (argc == 2)
		return print_off ();
	main_is_at ((uintptr_t) main);
	if (IS_BARE)
		test_registers ();
	else
		skipped ("registers and the red zone survive markers",
			 "without optimisation, or with the address sanitizer, functions of "
			 "markers only use registers themselves");
	test_random ();
	test_newest ();
	test_without ();
	if (getenv ("PP_BLOCKS") && strcmp (getenv ("PP_BLOCKS"), "0") == 0) {
		skipped ("blocks are stopped at each instruction, and their memory is looked at",
			 "PP_BLOCKS=0");
		return checked ();
	}
	test_memory ();
	if (UNDER_ASAN)
		skipped ("blocks are stopped at each instruction",
			 "the address sanitizer's own code would be, too");
	else
		test_steps ();
	return checked ();
}

#else

int main (void)
{
	(void) pair;
	(void) in_handler;
	(void) around;
	(void) find_ranges;
	(void) is_in_block;
	skipped ("blocks do what the routines in C do",
		 "there are none for this CPU and these markers");
	return checked ();
}

#endif
