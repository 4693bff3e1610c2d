/* SPDX-License-Identifier: MIT */
/*
 * spans.c: intervals that begin here and end there: each ends once, whoever ends it, and what is
 * open is seen.
 */
#include "check.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

int64_t begin_token (void);
int64_t end_token (const int64_t *begin);

/* clang-format off */
#pragma pp metric took    interval stats(elapsed)
#pragma pp metric tokens  interval stats(begin_token, end_token)
#pragma pp metric some    interval count(count, every=4)
/* clang-format on */

enum { MANY = 1000000, THREADS = 4, EACH = 30000 };

static int64_t next_token;

int64_t begin_token (void)
{
	return __atomic_add_fetch (&next_token, 1, __ATOMIC_RELAXED);
}

int64_t end_token (const int64_t *begin)
{
	return *begin;
}

static void ordinary (void)
{
	pp_site *site = pp_span_site ("request");
	uint64_t ended_twice = pp_dropped (PP_DROP_SPAN);
	pp_span a, b;

	ok (site && pp_span_site ("request") == site, "a name is one site");
	ok (pp_span_begin (site) == PP_SPAN_NONE,
	    "a span of a site that nothing is bound to is none");
	same (pp_span_end (PP_SPAN_NONE), PP_OK, "and its end does nothing");
	same (pp_bind (took, "request", 1), 1, "metrics are bound to the site by its name");
	a = pp_span_begin (site);
	b = pp_span_begin (site);
	ok (a && b && a != b, "each span has a token of its own");
	same (pp_span_end (a), PP_OK, "the older one may end first");
	same (pp_count (took), 1, "and is a sample");
	same (pp_span_end (b), PP_OK, "the other ends too");
	same (pp_count (took), 2, "and is another");
	same (pp_span_end (a), PP_ESTATE, "a second end is an error");
	same (pp_span_end (0x123456789abcdefu), PP_ESTATE, "so is the end of what was never begun");
	same (pp_span_end (~UINT64_C (0)), PP_ESTATE, "whatever its bits");
	same (pp_span_end (a ^ 1), PP_ESTATE, "or nearly right");
	same ((double) (pp_dropped (PP_DROP_SPAN) - ended_twice), 4, "and each of them is counted");
	same (pp_count (took), 2, "but no sample");
	ok (pp_span_begin (NULL) == PP_SPAN_NONE, "no site, no span");
	a = pp_span_begin (site);
	ok (a != b, "an entry that is used again has another token");
	same (pp_span_end (b), PP_ESTATE, "so that the old one ends nothing");
	same (pp_span_end (a), PP_OK, "and the new one does");
}

static void with_functions (void)
{
	pp_site *site = pp_span_site ("tokens");
	pp_span spans[100];

	pp_bind (tokens, "tokens", 1);
	for (int i = 0; i < 100; i++)
		spans[i] = pp_span_begin (site);
	for (int i = 99; i >= 0; i -= 2)
		pp_span_end (spans[i]);
	same (pp_sum (tokens), 2550,
	      "each span keeps what its begin function returned, in whatever order they end");
	for (int i = 0; i < 100; i += 2)
		pp_span_end (spans[i]);
	same (pp_sum (tokens), 5050, "until the last");
}

static void sampled (void)
{
	pp_site *site = pp_span_site ("some");

	pp_bind (some, "some", 0);
	for (int i = 0; i < 400; i++)
		pp_span_end (pp_span_begin (site));
	same (pp_count (some), 100, "one span in four is sampled where the metric says so");
}

static void unbound_meanwhile (void)
{
	pp_site *site = pp_span_site ("request");
	uint64_t before = pp_dropped (PP_DROP_DISABLED);
	double n = pp_count (took);
	pp_span span = pp_span_begin (site), again;

	pp_unbind (took, "request");
	same (pp_span_end (span), PP_OK, "a span whose site was unbound meanwhile ends");
	pp_bind (took, "request", 1);
	span = pp_span_begin (site);
	pp_unbind (took, "request");
	pp_bind (took, "request", 1);
	again = pp_span_begin (site);
	same (pp_span_end (span), PP_OK, "also where it was bound again");
	same (pp_count (took), n, "without a sample");
	same ((double) (pp_dropped (PP_DROP_DISABLED) - before), 2, "which is counted");
	pp_span_end (again);
	same (pp_count (took), n + 1, "and those that begin then have theirs");
}

/* ---- what is open ---------------------------------------------------------------------------- */

static double now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* The left side of an expectation as it is now. */
static double left_of (const char *name, const char *expression)
{
	struct pp_assertion_info info;

	return pp_expect (name, expression) < 0 || pp_assertion_state (name, &info) != PP_OK
		       ? -1
		       : info.left;
}

struct bracket {
	double from, to; /* the span began between */
	pp_span span;
};

static struct bracket begin_span (pp_site *site)
{
	struct bracket b = {.from = now ()};

	b.span = pp_span_begin (site);
	b.to = now ();
	return b;
}

/* The oldest is the span of B, to the rate of the clocks. */
static int is_oldest (const struct bracket *b)
{
	double before = now (), age = left_of ("old", "request.open_age <= 1h"), after = now ();

	if (age >= (before - b->to) * 0.999 && age <= (after - b->from) * 1.001)
		return 1;
	note ("age %.9f s, between %.9f and %.9f", age, before - b->to, after - b->from);
	return 0;
}

static void *end_one (void *arg)
{
	pp_span_end (*(pp_span *) arg);
	return NULL;
}

static void open_ones (void)
{
	pp_site *site = pp_span_site ("request");
	struct bracket a, b;
	pthread_t other;

	same (left_of ("some", "request.in_flight < 2"), 0,
	      "before a span begins none is in flight");
	a = begin_span (site);
	nanosleep (&(struct timespec){.tv_nsec = 20000000}, NULL);
	b = begin_span (site);
	same (left_of ("some", "request.in_flight < 2"), 2, "open spans are in flight");
	same (pp_expect ("some", "request.in_flight < 2"), 0, "which an expectation sees");
	ok (is_oldest (&a), "the oldest is as old as it is");
	pthread_create (&other, NULL, end_one, &a.span);
	pthread_join (other, NULL);
	ok (is_oldest (&b), "when it ends, in whatever thread, the next one is the oldest");
	same (left_of ("some", "request.in_flight < 2"), 1, "and one is in flight");
	pp_span_end (b.span);
	same (left_of ("some", "request.in_flight < 2"), 0, "and then none");
	same (left_of ("old", "request.open_age <= 1h"), 0, "and nothing is old");
}

static void asserted (void)
{
	struct pp_assertion_info info;
	pp_span spans[3];

	ok (load_policy ("version: 1\nassertions: {done: {at: request, expect: took.n < 0, "
			 "on_fire: []}}\n") == PP_OK,
	    "an assertion may be at a span's site");
	for (int i = 0; i < 3; i++)
		spans[i] = pp_span_begin (pp_span_site ("request"));
	ok (pp_assertion_state ("done", &info) == PP_OK && info.checks == 0,
	    "nothing is checked while they are open");
	for (int i = 0; i < 3; i++)
		pp_span_end (spans[i]);
	ok (pp_assertion_state ("done", &info) == PP_OK && info.checks == 3 && info.violations == 3,
	    "it is checked at the end of each");
}

/* ---- threads --------------------------------------------------------------------------------- */

static pp_span handed[THREADS * EACH];
static int won[THREADS];

static void *begin_some (void *arg)
{
	long which = (long) arg;

	for (long i = 0; i < EACH; i++)
		handed[which * EACH + i] = pp_span_begin (pp_span_site ("tokens"));
	return NULL;
}

/* everybody ends everything */
static void *end_all (void *arg)
{
	long which = (long) arg;

	for (long i = 0; i < THREADS * EACH; i++)
		won[which] += pp_span_end (handed[(i + which * EACH) % (THREADS * EACH)]) == PP_OK;
	return NULL;
}

static void *begin_and_end (void *arg)
{
	pp_site *site = pp_span_site ("tokens");

	for (int i = 0; i < EACH; i++)
		if (pp_span_end (pp_span_begin (site)) != PP_OK)
			return arg;
	return NULL;
}

static int run_threads (void *(*fn) (void *) )
{
	pthread_t ids[THREADS];
	int failed = 0;

	for (long i = 0; i < THREADS; i++)
		pthread_create (&ids[i], NULL, fn, (void *) i);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join (ids[i], &result);
		failed += result != NULL;
	}
	return failed;
}

static void threads (void)
{
	double n = pp_count (tokens), sum = pp_sum (tokens), expected = 0;
	int64_t first = next_token;
	int all = 0, different = 1;

	run_threads (begin_some);
	for (int i = 0; i < THREADS * EACH; i++)
		different &= handed[i] != PP_SPAN_NONE;
	ok (different, "threads begin spans at the same time");
	run_threads (end_all);
	for (int i = 0; i < THREADS; i++)
		all += won[i];
	same (all, THREADS * EACH, "threads that all end the same spans end each of them once");
	same (pp_count (tokens), n + THREADS * EACH, "each is one sample");
	for (int64_t i = first + 1; i <= first + THREADS * EACH; i++)
		expected += (double) i;
	same (pp_sum (tokens) - sum, expected, "of what its own begin returned");
	same (run_threads (begin_and_end), 0, "entries go from thread to thread");
	same (pp_count (tokens), n + 2 * THREADS * EACH, "and no sample gets lost");
}

/* ---- many ------------------------------------------------------------------------------------ */

#if defined(__x86_64__) && !UNDER_TSAN && !UNDER_ASAN
#define COUNTS_INSTRUCTIONS 1
static volatile long steps;

static void step (int sig, siginfo_t *info, void *context)
{
	(void) sig;
	(void) info;
	steps += !is_in_vdso (((ucontext_t *) context)->uc_mcontext.gregs[REG_RIP]);
}

static pp_span stepped_begin, stepped_end;

/* The instructions of a span that begins, and of another one that ends. */
static long instructions (pp_site *site)
{
	steps = 0;
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea "
			 "128(%%rsp), %%rsp" ::
				 : "cc", "memory");
	stepped_begin = pp_span_begin (site);
	pp_span_end (stepped_end);
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $-0x101, (%%rsp); popfq; lea "
			 "128(%%rsp), %%rsp" ::
				 : "cc", "memory");
	return steps;
}

/* With FIRST and LAST open, and what is between: who is the oldest makes no difference. */
static long cost (pp_site *site, pp_span *spans, long n)
{
	long least = LONG_MAX, n_steps;

	for (int i = 0; i < 5; i++) {
		long which = i % 2 ? n - 1 - i : i;

		stepped_end = spans[which];
		n_steps = instructions (site);
		spans[which] = stepped_begin;
		least = n_steps < least ? n_steps : least;
	}
	return least;
}
#else
static long cost (pp_site *site, pp_span *spans, long n)
{
	(void) site;
	(void) spans;
	(void) n;
	return 0;
}
#endif

static void many (void)
{
	pp_site *site = pp_span_site ("request");
	pp_span *spans = calloc (MANY + 100000, sizeof (*spans));
	uint64_t dropped = pp_dropped (PP_DROP_POOL);
	double n = pp_count (took);
	long begun = 0, ended = 0;

	long few, lots;

#ifdef COUNTS_INSTRUCTIONS
	sigaction (SIGTRAP, &(struct sigaction){.sa_sigaction = step, .sa_flags = SA_SIGINFO},
		   NULL);
#endif
	for (long i = 0; i < 100; i++)
		begun += (spans[i] = pp_span_begin (site)) != PP_SPAN_NONE;
	few = cost (site, spans, 100);
	for (long i = 100; i < MANY; i++)
		begun += (spans[i] = pp_span_begin (site)) != PP_SPAN_NONE;
	lots = cost (site, spans, MANY);
	if (lots &&
	    !ok (lots <= few + 2,
		 "with a million open spans one begins and one ends by as many instructions"))
		note ("%ld, with a hundred %ld", lots, few);
	else if (!lots)
		skipped (
			"with a million open spans one begins and one ends by as many instructions",
			"they can't be counted here");
	same (begun, MANY, "a million spans are open at a time");
	for (long i = MANY; i < MANY + 100000; i++)
		begun += (spans[i] = pp_span_begin (site)) != PP_SPAN_NONE;
	same (begun, 1 << 20, "but no more than 2^20");
	same ((double) (pp_dropped (PP_DROP_POOL) - dropped), MANY + 100000 - (1 << 20),
	      "and those beyond are counted");
	for (long i = 0; i < MANY + 100000; i++)
		ended += spans[i] && pp_span_end (spans[i]) == PP_OK;
	same (ended, 1 << 20, "all of them end");
	same (pp_count (took), n + (1 << 20) + (lots ? 10 : 0), "and are samples");
	free (spans);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void child (pp_span parents)
{
	pp_site *site = pp_span_site ("request");
	pp_span own;
	int good = pp_span_end (parents) == PP_ESTATE;

	own = pp_span_begin (site);
	good &= own != PP_SPAN_NONE && own != parents && pp_span_end (parents) == PP_ESTATE &&
		pp_span_end (own) == PP_OK;
	good &= pp_count (took) == 1;
	_exit (!good);
}

static void forks (void)
{
	pp_site *site = pp_span_site ("request");
	double n = pp_count (took);
	pp_span span = pp_span_begin (site);
	pid_t pid;
	int status;

	if (UNDER_TSAN)
		skipped ("a child of fork can't end its parent's span, and has its own",
			 "ThreadSanitizer dies in children of a program with threads");
	else {
		pid = fork ();
		if (!pid)
			child (span);
		waitpid (pid, &status, 0);
		same (status, 0, "a child of fork can't end its parent's span, and has its own");
	}
	same (pp_span_end (span), PP_OK, "the parent's is its own to end");
	same (pp_count (took), n + 1, "and has its sample");
}

int main (void)
{
	ordinary ();
	with_functions ();
	sampled ();
	unbound_meanwhile ();
	open_ones ();
	asserted ();
	threads ();
	many ();
	forks ();
	return checked ();
}
