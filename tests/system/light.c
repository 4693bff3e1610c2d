/* SPDX-License-Identifier: MIT */
/*
 * light.c: intervals whose usual execution opens no frame (libmetrics/thread/light.h), which are
 * only counted or sampled now and then: what they count must be what frames would count. Random
 * programs (recursion, alloca, longjmp, fibres, handlers, code that binds and unbinds inside) run
 * in two processes, with blocks, where plans are light, and without (PP_BLOCKS=0), and must print
 * the same. What is dropped may be counted for another cause there: who finds an activation that is
 * gone does not know whose it was.
 */
#include "check.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

NOIPA long begin_of (void);
NOIPA long end_of (const long *begin);

/* clang-format off */
#pragma pp metric m_count   interval count(count)
#pragma pp metric m_other   interval count(count)
#pragma pp metric m_elapsed interval sumcount(elapsed)
#pragma pp metric m_some    interval count(count, every=16)
#pragma pp metric m_called  interval stats(begin_of, end_of, every=5)
/* clang-format on */

static volatile long sink;

long begin_of (void)
{
	return 1;
}

long end_of (const long *begin)
{
	return *begin + 1;
}

/* ---- random programs ------------------------------------------------------------------------- */

enum { WAYS = 64, DEPTH = 12, FIBRE_BYTES = 256 << 10 };

static uint64_t random_state;
static int budget, n_ways, first_way, changes;
static sigjmp_buf ways[WAYS];
static ucontext_t back_from_fibre;

static unsigned rnd (unsigned n)
{
	random_state =
		random_state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return (unsigned) (random_state >> 33) % n;
}

static void run (int depth);

static void change (void)
{
	pp_metric *const metrics[] = {m_count, m_other, m_elapsed};
	pp_metric *m = metrics[rnd (3)];

	if (rnd (2))
		pp_bind (m, "act", 0);
	else
		pp_unbind (m, "act");
}

static void on_fibre (void)
{
	run (DEPTH / 2);
}

/* Runs on a stack of its own, which is gone afterwards; nothing jumps out of it. */
NOIPA static void fibre (void)
{
	int ways_here = n_ways, first_here = first_way;
	ucontext_t context, was = back_from_fibre;
	char *stack = malloc (FIBRE_BYTES);

	getcontext (&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = FIBRE_BYTES;
	context.uc_link = &back_from_fibre;
	makecontext (&context, on_fibre, 0);
	first_way = n_ways;
	swapcontext (&back_from_fibre, &context);
	back_from_fibre = was;
	n_ways = ways_here;
	first_way = first_here;
	free (stack);
}

static void in_handler (int sig)
{
	(void) sig;
	run (DEPTH / 2);
}

NOIPA static void act (int depth)
{
#pragma pp interval act
	char *more = rnd (3) ? NULL : alloca (16 + rnd (200));

	if (more)
		*(volatile char *) more = 1;
	switch (rnd (10)) {
	case 0:
	case 1:
	case 2:
		run (depth + 1);
		break;
	case 3:
		run (depth + 1);
		run (depth + 1);
		break;
	case 4:
		if (n_ways > first_way)
			siglongjmp (ways[first_way + (int) rnd ((unsigned) (n_ways - first_way))],
				    1);
		break;
	case 5:
		if (changes)
			change ();
		break;
	case 6:
		if (first_way == 0)
			raise (SIGUSR1);
		break;
	case 7:
		/* the address sanitizer does not know swapcontext's stacks */
		if (first_way == 0 && !rnd (4) && !UNDER_ASAN)
			fibre ();
		break;
	default:
		sink++;
	}
}

/* A place to jump to, or not. */
NOIPA static void run (int depth)
{
	int mine = n_ways;

	if (depth >= DEPTH || mine == WAYS || budget-- <= 0)
		return;
	if (rnd (2)) {
		act (depth);
		return;
	}
	n_ways = mine + 1;
	if (sigsetjmp (ways[mine], 0) == 0)
		act (depth);
	n_ways = mine;
}

static int print_random (unsigned seed, int with_changes)
{
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_NODEFER};
	pp_metric *const metrics[] = {m_count, m_other, m_elapsed, m_some, m_called};

	sigaction (SIGUSR1, &action, NULL);
	random_state = seed;
	changes = with_changes;
	if (!changes)
		pp_bind (seed % 2 ? m_some : m_called, "act", seed % 2 ? 7 : 5);
	else if (seed % 3)
		pp_bind (m_count, "act", 0);
	for (int i = 0; i < 400; i++) {
		budget = 60;
		n_ways = first_way = 0;
		run (0);
		if (changes && !rnd (8))
			change ();
		printf ("%d:", i);
		for (unsigned k = 0; k < sizeof metrics / sizeof *metrics; k++)
			printf (" %g", pp_stat (metrics[k], NULL, PP_STAT_N));
		printf ("\n");
	}
	printf ("end\n");
	return 0;
}

static void test_random (int with_changes, const char *name)
{
	static char with[1 << 16], without[1 << 16];
	int equal = 1;

	for (unsigned seed = 1; seed <= 40; seed++) {
		char arguments[32];

		snprintf (arguments, sizeof arguments, "%u %d", seed, with_changes);
		run_self ("PP_BLOCKS=1", arguments, with, sizeof with);
		run_self ("PP_BLOCKS=0", arguments, without, sizeof without);
		if (strcmp (with, without) != 0 || !strstr (with, "end")) {
			size_t same = 0;

			while (with[same] && with[same] == without[same])
				same++;
			while (same && with[same - 1] != '\n')
				same--;
			note ("seed %u: %.60s", seed, with + same);
			note ("without blocks: %.60s", without + same);
			equal = 0;
		}
	}
	ok (equal, "%s", name);
}

/* ---- one after the other --------------------------------------------------------------------- */

static jmp_buf out;
static void (*inside) (void);

NOIPA static void counted (void)
{
#pragma pp interval counted
	if (inside)
		inside ();
	sink++;
}

static void jump (void)
{
	longjmp (out, 1);
}

static void unbind (void)
{
	pp_unbind (m_count, "counted");
}

static void bind (void)
{
	pp_bind (m_count, "counted", 0);
}

static void unbind_and_bind (void)
{
	unbind ();
	bind ();
}

static void reset (void)
{
	pp_reset (m_count);
}

static double count (void)
{
	return pp_stat (m_count, NULL, PP_STAT_N);
}

static void run_with (void (*fn) (void))
{
	inside = fn;
	if (setjmp (out) == 0)
		counted ();
	inside = NULL;
}

static void test_counts (void)
{
	double before;
	int status;
	pid_t child;

	bind ();
	for (int i = 0; i < 1000; i++)
		counted ();
	same (count (), 1000, "an interval that is only counted counts its executions");
	forget_drops ();
	run_with (jump);
	same (count (), 1000, "not one that was left by longjmp");
	counted ();
	same (newly_dropped (PP_DROP_LONGJMP), 1,
	      "which is counted as dropped when the next begins");
	same (count (), 1001, "as is that");
	unbind ();
	run_with (bind);
	same (count (), 1001, "nor one that is open when it is bound");
	same (newly_dropped (PP_DROP_UNMATCHED), 1, "whose end has no begin");
	run_with (unbind);
	same (count (), 1001, "nor one that is open when the metric is unbound");
	bind ();
	run_with (unbind_and_bind);
	same (count (), 1001, "nor one inside which it is unbound and bound again");
	same (newly_dropped (PP_DROP_DISABLED), 2, "both are dropped");
	counted ();
	same (count (), 1002, "the next is");
	run_with (reset);
	counted ();
	same (count (), 2, "a reset begins anew: with the execution inside which it happened");
	before = count ();
	child = fork ();
	if (child == 0) {
		double n = count ();

		for (int i = 0; i < 10; i++)
			counted ();
		_exit (count () - n == 10 ? 0 : 1);
	}
	waitpid (child, &status, 0);
	same (WIFEXITED (status) ? WEXITSTATUS (status) : -1, 0, "a child counts its own");
	same (count (), before, "and not in its parent's place");
	unbind ();
}

NOIPA static void some (int depth)
{
#pragma pp interval some(m_some)
	if (depth)
		some (depth - 1);
	sink++;
}

static void test_some (void)
{
	for (int i = 0; i < 160; i++)
		some (0);
	same (pp_stat (m_some, NULL, PP_STAT_N), 10, "one in sixteen is sampled");
	for (int i = 0; i < 160; i++)
		some (3);
	same (pp_stat (m_some, NULL, PP_STAT_N), 50, "also where they are nested");
	same (newly_dropped (PP_DROP_UNMATCHED), 0, "the others' ends are no drops");
}

/* ---- where the general routines measure ------------------------------------------------------ */

/* 1000 executions, counted by a metric of a policy; and what was dropped. */
static int print_plain (const char *options)
{
	char policy[256];

	snprintf (policy, sizeof policy,
		  "version: 1\n"
		  "metrics:\n"
		  "  plain: {interval: elapsed, keep: count%s}\n"
		  "bind:\n"
		  "  - {metric: plain, sites: [\"counted/counted\"]}\n",
		  options);
	load_policy (policy);
	for (int i = 0; i < 1000; i++)
		counted ();
	printf ("%g %g", pp_stat (pp_metric_find ("plain"), NULL, PP_STAT_N),
		newly_dropped_in_all ());
	return 0;
}

static void test_plain (const char *environment, const char *arguments, const char *name)
{
	static char printed[256];

	run_self (environment, arguments, printed, sizeof printed);
	if (!ok (strcmp (printed, "1000 0") == 0, "%s", name))
		note ("%s", printed);
}

static void test_general (void)
{
	test_plain ("PP_CLOCK=monotonic", "''",
		    "with another clock than the counter all are counted, none dropped");
}

/* ---- who is open ----------------------------------------------------------------------------- */

static volatile double in_flight;

static void notice (const struct pp_violation *v, void *arg)
{
	(void) arg;
	in_flight = v->left;
}

static void wait_for_check (void)
{
	in_flight = 0;
	for (int i = 0; i < 12000 && in_flight == 0; i++) /* a minute */
		usleep (5000);
}

static void test_open (void)
{
	pp_on_assertion ("crowd", notice, NULL);
	same (load_policy ("version: 1\n"
			   "metrics:\n"
			   "  held: {interval: count, keep: count}\n"
			   "bind:\n"
			   "  - {metric: held, sites: [\"counted/counted\"]}\n"
			   "assertions:\n"
			   "  crowd: {every: 20ms, expect: counted/counted.in_flight < 1}\n"),
	      PP_OK, "a policy asks how many executions of a counted interval are open");
	run_with (wait_for_check);
	same (in_flight, 1, "then every execution is seen");
}

int main (int argc, char **argv)
{
	if (argc == 2)
		return print_plain (argv[1]);
	if (argc == 3)
		return print_random ((unsigned) atoi (argv[1]), atoi (argv[2]));
	if (UNDER_TSAN) {
		skipped ("light plans", "there are guards, which have frames");
		return checked ();
	}
	test_counts ();
	test_some ();
	test_general ();
	test_open ();
	test_random (1,
		     "random programs that bind and unbind count the same with blocks and without");
	test_random (0, "and sample the same of one execution in N");
	return checked ();
}
