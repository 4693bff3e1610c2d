/* SPDX-License-Identifier: MIT */
/*
 * quick.c: checks that markers see to pass by themselves (PP_QUICK), against the same checks
 * evaluated.
 *
 * Random policies with random samples are run in processes of their own, with and without quick
 * checks and blocks: all must print the same states, counts and sides after every execution. What
 * it saves is counted in instructions, with the trap flag. Elapsed intervals, whose samples no two
 * processes share, are compared with what the series of all samples says.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { SITES = 4, METRICS = 5, STEPS = 1500 };

/* clang-format off */
#define POINT(n) NOIPA static void point_##n (long v) { PP_POINT_VALUE (point, v); }
POINT (0) POINT (1) POINT (2) POINT (3)
	/* clang-format on */

	static void (*const points[SITES]) (long) = {point_0, point_1, point_2, point_3};

static __thread volatile long sink;

NOIPA static void timed (int n)
{
	PP_INTERVAL (timed)
	for (int i = 0; i < n; i++)
		sink++;
}

/* ---- policies out of nothing ----------------------------------------------------------------- */

static uint64_t seed;

static unsigned below (unsigned n)
{
	seed = seed * UINT64_C (6364136223846793005) + 1442695040888963407;
	return (unsigned) (seed >> 33) % n;
}

static const char *const keeps[METRICS] = {"stats", "sumcount", "bounded_series, size: 5",
					   "histogram", "scalar"};
static const char *const statistics[METRICS][7] = {
	{"last", "avg", "min", "max", "sum", "count", "n"},
	{"last", "avg", "sum", "total", "count", "n", "avg"},
	{"last", "avg", "sum", "total", "count", "n", "avg"},
	{"last", "avg", "min", "max", "sum", "count", "n"},
	{"last", "last", "n", "last", "last", "n", "last"},
};
static const char *const numbers[] = {"0",   "1",      "1.25", "3",    "-2",  "0.5", "100",
				      "1e3", "7.5e17", "4e18", "1e-3", "50%", "1e30"};
static const char *const factors[] = {"1.25", "2",   "0.9",  "1", "1.0001",
				      "3.5",  "100", "1e-3", "-1"};
static const char *const comparisons[] = {"<=", "<", ">=", ">", "==", "<=", "<="};

#define PICK(list) list[below (sizeof list / sizeof list[0])]

static void write_side (FILE *out, int site)
{
	/*
	 * every metric of these sites is bound there; the other ones are sampled elsewhere, so they
	 * are unknown here
	 */
	unsigned metric =
		below (16) ? (unsigned) (site + (int) below (2)) % METRICS : below (METRICS);
	const char *statistic = statistics[metric][below (7)];

	switch (below (8)) {
	case 0:
	case 1:
		fputs (PICK (numbers), out);
		break;
	case 2:
		fprintf (out, "%s * m%u.%s", PICK (factors), metric, statistic);
		break;
	case 3:
		fprintf (out, "m%u.%s * %s", metric, statistic, PICK (factors));
		break;
	case 4:
		fprintf (out, "m%u.%s / (2 + %s)", metric, statistic, PICK (numbers));
		break;
	case 5:
		fprintf (out, "m%u.%s + 1", metric, statistic);
		break;
	default:
		fprintf (out, "m%u.%s", metric, statistic);
		break;
	}
}

static void write_condition (FILE *out, int site)
{
	unsigned n = 1 + below (3);

	for (unsigned i = 0; i < n; i++) {
		if (i)
			fputs (below (3) ? " and " : " or ", out);
		if (!below (8))
			fputs ("not ", out);
		fputc ('(', out);
		write_side (out, site);
		fprintf (out, " %s ", PICK (comparisons));
		write_side (out, site);
		fputc (')', out);
	}
}

/* Metric k is bound at the sites k and k - 1. Half of the policies have `every`. */
static void write_policy (const char *path)
{
	FILE *out = fopen (path, "w");

	if (!out)
		exit (1);
	fputs ("version: 1\nmetrics:\n", out);
	for (int i = 0; i < METRICS; i++)
		fprintf (out, "  m%d: {point: value, keep: %s}\n", i, keeps[i]);
	fputs ("bind:\n", out);
	for (int i = 0; i < METRICS; i++)
		for (int k = 0; k < 2; k++)
			if (i - k >= 0 && i - k < SITES)
				fprintf (out,
					 "  - {metric: m%d, sites: point_%d/point, every: %u}\n", i,
					 i - k, below (6) ? 1 : 3);
	fputs ("assertions:\n", out);
	for (int i = 0; i < SITES; i++)
		for (unsigned k = 0, n = 1 + below (3) % 2; k < n; k++) {
			fprintf (out,
				 "  a%d_%u: {at: point_%d/point, for: %u, clear: %u, after: %u, "
				 "scope: %s, expect: \"",
				 i, k, i, 1 + below (3), 1 + below (3), below (3) ? 0 : below (20),
				 below (4) ? "process" : "thread");
			write_condition (out, i);
			fputs ("\"}\n", out);
		}
	fclose (out);
}

/* ---- one process ----------------------------------------------------------------------------- */

static int print_one (const char *name, const struct pp_assertion_info *info, void *arg)
{
	(void) arg;
	printf (" %s %s %llu %llu %llu %llu %llu %llu", name, pp_state_name (info->state),
		(unsigned long long) info->checks, (unsigned long long) info->passes,
		(unsigned long long) info->violations, (unsigned long long) info->unknowns,
		(unsigned long long) info->fired, (unsigned long long) info->cleared);
	printf (" %.17g %.17g", isnan (info->left) ? 0.5 : info->left,
		isnan (info->right) ? 0.5 : info->right);
	return 0;
}

static int look (const char *name, const struct pp_assertion_info *info, void *arg)
{
	(void) name;
	(void) info;
	(void) arg;
	return 0;
}

/* Mostly what a program measures; now and then what no program should. */
static long sample (void)
{
	switch (below (24)) {
	case 0:
		return -(long) below (50);
	case 1:
		return 0;
	case 2:
		return INT64_MAX - (long) below (3);
	case 3:
		return (long) ((uint64_t) below (1u << 31) << below (33));
	case 4:
		return INT64_MIN + (long) below (2);
	default:
		return 90 + (long) below (below (9) ? 12 : 300);
	}
}

static int run_random (unsigned number)
{
	char path[] = "/tmp/ppgcc-quick-XXXXXX";
	int fd = mkstemp (path), is_huge;

	close (fd);
	seed = number;
	is_huge = below (3) == 0;
	write_policy (path);
	if (pp_policy_load (path) < 0)
		return 1;
	for (int i = 0; i < STEPS; i++) {
		int site = (int) below (SITES), turns = 1 + (int) below (4);
		unsigned what = below (200);

		for (int k = 0; k < turns; k++) {
			long x = sample ();

			points[site](is_huge || (x >= 0 && x < 1000) ? x : 100);
		}
		if (what == 0) {
			/* what the newest check saw is gone with the samples */
			pp_assertion_each (look, NULL);
			pp_reset (below (2) ? pp_metric_find ("m1") : NULL);
			for (int k = 0; k < 3 * SITES; k++)
				points[k % SITES](100); /* until each metric has a sample again */
		}
		if (what == 1)
			printf ("again %d\n", pp_policy_load (path));
		if (what == 2) {
			printf ("gone %d\n", pp_policy_unload (path));
			points[site](100);
			printf ("back %d\n", pp_policy_load (path));
		}
		if (what < 100) {
			printf ("%d:", i);
			pp_assertion_each (print_one, NULL);
			printf ("\n");
		}
	}
	unlink (path);
	return 0;
}

/* ---- several --------------------------------------------------------------------------------- */

static void test_random (void)
{
	static const char *const ways[] = {"PP_THREADS=0 PP_QUICK=1",
					   "PP_THREADS=0 PP_QUICK=1 PP_BLOCKS=0",
					   "PP_THREADS=0 PP_QUICK=0"};
	static char out[3][1 << 21];
	int differ[2] = {0, 0};
	size_t bytes = 0;

	for (unsigned n = 1; n <= (UNDER_TSAN || UNDER_ASAN ? 8 : 40); n++) {
		char argument[32];

		snprintf (argument, sizeof argument, "random %u", n);
		for (int i = 0; i < 3; i++)
			bytes += run_self (ways[i], argument, out[i], sizeof out[i]);
		for (int i = 0; i < 2; i++)
			if (strcmp (out[i], out[2]) != 0 || !*out[2]) {
				differ[i]++;
				note ("seed %u differs with %s", n, ways[i]);
			}
	}
	ok (bytes > 3000000, "random policies print many states (%zu bytes)", bytes);
	same (differ[0], 0,
	      "checks in blocks give the same states, counts and sides as those that are "
	      "evaluated");
	same (differ[1], 0, "so do those in C");
}

/* ---- what it saves --------------------------------------------------------------------------- */

#if defined(__x86_64__) && !UNDER_TSAN && !UNDER_ASAN
enum { TRAP_FLAG = 0x100 };

static volatile sig_atomic_t steps;

static void on_trap (int signal)
{
	(void) signal;
	steps++;
}

/*
 * Instructions of one execution of a site whose check passes, in all; or, with EVERY, of one that
 * is left out.
 */
static int print_steps (int every)
{
	static const char each[] =
		"version: 1\nmetrics: {m: {point: value, keep: stats}}\nbind: [{metric: m, sites: "
		"point_0/point}]\nassertions: {a: {at: point_0/point, expect: m.last <= 1.25 * "
		"m.avg}}\n";
	static const char some[] =
		"version: 1\nmetrics: {t: {interval: elapsed, keep: stats}}\nbind: [{metric: t, "
		"sites: timed/timed, every: "
		"1000}]\nassertions: {a: {at: timed/timed, expect: t.last <= 1000000 * t.avg}}\n";
	const char *text = every ? some : each;
	struct sigaction action = {.sa_handler = on_trap};
	char path[] = "/tmp/ppgcc-quick-XXXXXX";
	int fd = mkstemp (path);

	if (write (fd, text, strlen (text)) < 0 || pp_policy_load (path) < 0)
		return 1;
	close (fd);
	unlink (path);
	for (int i = 0; i < 100; i++)
		every ? timed (0) : point_0 (100);
	sigaction (SIGTRAP, &action, NULL);
	__asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
	every ? timed (0) : point_0 (100);
	__asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
	printf ("%d\n", (int) steps);
	return 0;
}

static int steps_of (const char *environment, const char *what)
{
	char out[64];

	return run_self (environment, what, out, sizeof out) ? atoi (out) : -1;
}

static void test_steps (void)
{
	int block = steps_of ("PP_CLOCK=tsc PP_THREADS=0 PP_QUICK=1 PP_BLOCKS=1", "steps"),
	    general = steps_of ("PP_CLOCK=tsc PP_THREADS=0 PP_QUICK=1 PP_BLOCKS=0", "steps"),
	    whole = steps_of ("PP_CLOCK=tsc PP_THREADS=0 PP_QUICK=0", "steps"),
	    out = steps_of ("PP_CLOCK=tsc PP_THREADS=0 PP_QUICK=1 PP_BLOCKS=1", "left_out");

	note ("an execution with a check takes %d instructions in a block, %d in C, %d where it is "
	      "evaluated",
	      block, general, whole);
	ok (out > 0 && out < 40, "one that `every` leaves out takes next to none (%d)", out);
	ok (block > 0 && block < 130, "a check that passes in a block takes few instructions");
	ok (general > 0 && 2 * general < whole,
	    "and in C without evaluating it less than half of those with");
}
#else
static int print_steps (int every)
{
	return every;
}

static void test_steps (void)
{
	skipped ("a check that passes takes few instructions", "they can't be counted here");
}
#endif

/* ---- loaded again with other numbers --------------------------------------------------------- */

/* Lines of 64 bytes that code was made in, of all markers. */
static size_t lines_of_code (void)
{
	FILE *maps = fopen ("/proc/self/maps", "r");
	char line[512];
	size_t n = 0;

	while (maps && fgets (line, sizeof line, maps)) {
		unsigned long from, to;
		char may_execute;

		if (!strstr (line, "memfd:pp-blocks") ||
		    sscanf (line, "%lx-%lx %*c%*c%c", &from, &to, &may_execute) != 3 ||
		    may_execute != 'x')
			continue;
		for (unsigned long at = from; at < to; at += 64)
			n += *(volatile unsigned long *) at != 0;
	}
	if (maps)
		fclose (maps);
	return n;
}

static int load_with (const char *path, double number, double other)
{
	FILE *out = fopen (path, "w");

	fprintf (out,
		 "version: 1\nmetrics: {m: {point: value, keep: stats}}\nbind: [{metric: m, sites: "
		 "point_0/point}]\nassertions:"
		 "\n  a: {at: point_0/point, expect: m.last <= %.17g * m.avg and m.last < %.17g}\n",
		 number, other);
	fclose (out);
	return pp_policy_load (path);
}

/* A hundred samples of 100, then one of X: is that a violation? */
static int is_violated (long x)
{
	struct pp_assertion_info before = {0}, after = {0};

	pp_reset (NULL);
	for (int i = 0; i < 100; i++)
		point_0 (100);
	pp_assertion_state ("a", &before);
	point_0 (x);
	pp_assertion_state ("a", &after);
	return after.checks == before.checks + 1 && after.violations == before.violations + 1;
}

static int print_reloads (void)
{
	char path[] = "/tmp/ppgcc-quick-XXXXXX";
	int wrong = 0;
	size_t first = 0;

	close (mkstemp (path));
	for (int i = 0; i < 400; i++) {
		/* x <= r × (10000 + x) / 101, or the other side decides */
		double ratio = i % 2 ? 50 + i : 1.105 + 0.01 * (i % 100),
		       most = i % 2 ? 1000.5 + i : 1e6 + i;
		long close_to = i % 2 ? 1000 + i : (long) (ratio * 10000 / (101 - ratio));

		if (load_with (path, ratio, most) < 0)
			return 1;
		if (i == 200)
			first = lines_of_code ();
		wrong += is_violated (close_to - 1) + !is_violated (close_to + 2);
	}
	unlink (path);
	printf ("%d %zu %zu\n", wrong, first, lines_of_code ());
	return 0;
}

static void test_reloads (void)
{
	static const char *const ways[] = {"PP_THREADS=0 PP_QUICK=1",
					   "PP_THREADS=0 PP_QUICK=1 PP_BLOCKS=0"};

	for (int i = 0; i < 2; i++) {
		char out[128];
		int wrong = -1;
		size_t before = 0, after = 1;

		run_self (ways[i], "reloads", out, sizeof out);
		ok (sscanf (out, "%d %zu %zu", &wrong, &before, &after) == 3 && !wrong,
		    "a policy that is loaded again with other numbers is checked by those (%s)",
		    out);
		same ((double) after, (double) before,
		      "... and leaves no code of the former ones behind");
	}
}

/* ---- elapsed, and threads -------------------------------------------------------------------- */

static const char timed_policy[] =
	"version: 1\n"
	"metrics:\n"
	"  t: {interval: elapsed, keep: stats}\n"
	"bind: [{metric: t, sites: timed/timed}]\n"
	"assertions: {slow: {at: timed/timed, for: 2, clear: 2, expect: t.last <= 1.25 * t.avg}}\n";
static char timed_path[] = "/tmp/ppgcc-quick-XXXXXX";

static void load_timed (void)
{
	int fd = mkstemp (timed_path);

	if (write (fd, timed_policy, sizeof timed_policy - 1) < 0 ||
	    pp_policy_load (timed_path) < 0)
		ok (0, "the policy can be loaded");
	close (fd);
	unlink (timed_path);
}

static struct pp_assertion_info state (const char *name)
{
	struct pp_assertion_info info = {0};

	pp_assertion_state (name, &info);
	return info;
}

struct followed {
	unsigned violations, close, wrong;
};

/* Follows the thread's samples since a reset and compares what came out with what must have. */
static void follow (struct followed *all)
{
	pp_metric *t = pp_metric_find ("t");
	uint64_t violations, checks, passes;
	double sum = 0;

	pp_reset (NULL);
	violations = state ("slow").violations;
	checks = state ("slow").checks;
	passes = state ("slow").passes;
	for (unsigned i = 1; i <= 20000; i++) {
		struct pp_assertion_info info;
		double last;
		int is_above;

		timed (i % 50 ? 5 : 400);
		last = pp_last (t);
		sum += last;
		is_above = last > 1.25 * sum / i;
		all->violations += (unsigned) is_above;
		all->close += fabs (last / (1.25 * sum / i) - 1) < 1e-9;
		violations += (unsigned) is_above;
		passes += (unsigned) !is_above;
		info = state ("slow");
		all->wrong += info.violations != violations || info.passes != passes ||
			      info.checks != checks + i || info.left != last;
		violations = info.violations;
		passes = info.passes;
	}
}

/* A sample in which the machine did something else lifts the average beyond all that follow. */
static void test_elapsed (void)
{
	struct followed all = {0};

	for (int i = 0; i < 50 && all.violations <= 100; i++)
		follow (&all);
	ok (all.wrong <= all.close && all.violations > 100,
	    "of elapsed time each check is counted and comes out as its samples say (%u "
	    "violations)",
	    all.violations);
}

enum { THREADS = 4, TURNS = 20000 };

static void *run_timed (void *arg)
{
	(void) arg;
	for (int i = 0; i < TURNS; i++)
		timed (i % 100 ? 3 : 100);
	return NULL;
}

static void test_threads (void)
{
	pthread_t thread[THREADS];
	struct pp_assertion_info before = state ("slow"), after;

	for (int i = 0; i < THREADS; i++)
		pthread_create (&thread[i], NULL, run_timed, NULL);
	for (int i = 0; i < 200; i++) {
		struct pp_assertion_info now = state ("slow");

		/* each count may go on while the next is read */
		if (now.checks + THREADS * TURNS < before.checks ||
		    now.checks > before.checks + THREADS * TURNS)
			ok (0, "counts stay in their bounds while threads count");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join (thread[i], NULL);
	after = state ("slow");
	same ((double) (after.checks - before.checks), (double) THREADS * TURNS,
	      "every check of every thread is counted, also of threads that have ended");
	same ((double) (after.passes + after.violations), (double) after.checks,
	      "as one that passed or one that did not");
}

/* The report reads the region, as ppctl does what a killed process has left. */
static void test_report (void)
{
	struct pp_assertion_info info = state ("slow");
	char *text = NULL, expected[128];
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	snprintf (expected, sizeof expected, " %llu checks: %llu held, %llu violated",
		  (unsigned long long) info.checks, (unsigned long long) info.passes,
		  (unsigned long long) info.violations);
	pp_report (out);
	fclose (out);
	if (!ok (strstr (text, expected) != NULL, "reports have the same counts"))
		note ("%s in %s", expected, text);
	free (text);
}

/* A child starts from nothing, and its parent goes on. */
static void test_fork (void)
{
	struct pp_assertion_info before = state ("slow");
	int status;
	pid_t child;

	if (UNDER_TSAN) {
		skipped ("a child counts its own checks",
			 "the sanitizer forbids threads in children of threads");
		return;
	}
	child = fork ();

	if (child == 0) {
		for (int i = 0; i < 500; i++)
			timed (3);
		_exit (state ("slow").checks == 500 ? 0 : 1);
	}
	waitpid (child, &status, 0);
	ok (WIFEXITED (status) && WEXITSTATUS (status) == 0,
	    "a child counts its own checks from 0");
	same ((double) state ("slow").checks, (double) before.checks, "and its parent's stay");
}

int main (int argc, char **argv)
{
	if (argc == 3 && strcmp (argv[1], "random") == 0)
		return run_random ((unsigned) atoi (argv[2]));
	if (argc == 2 && strcmp (argv[1], "steps") == 0)
		return print_steps (0);
	if (argc == 2 && strcmp (argv[1], "left_out") == 0)
		return print_steps (1);
	if (argc == 2 && strcmp (argv[1], "reloads") == 0)
		return print_reloads ();
	test_random ();
	test_steps ();
	test_reloads ();
	load_timed ();
	test_elapsed ();
	test_threads ();
	test_report ();
	test_fork ();
	return checked ();
}
