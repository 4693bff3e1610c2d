/* SPDX-License-Identifier: MIT */
/*
 * situations.c: what hosts do to themselves, and ppgcc inside has to bear. Each row of the table is
 * a situation: a child process brings it about, before anything is measured or in the midst of it,
 * and computes something that is known, round by round. The host's result must be right; each round
 * must be measured, or counted as dropped, or the library has said that it measures nothing.
 * situations.sh has the rows that take another program, or another root.
 */
#include "../system/check.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* clang-format off */
static long touched;
static long touch (void) { return ++touched; }
#pragma pp metric rounds   interval stats(elapsed)
#pragma pp metric spread   interval histogram(elapsed)
#pragma pp metric recent   interval bounded_series(elapsed, size=64)
#pragma pp metric values   point    stats(value)
#pragma pp metric touches  point    sumcount(touch)
#pragma pp metric deep     interval sumcount(elapsed)
/* clang-format on */

#define ROUNDS 1000
#define SUM (3L * (ROUNDS - 1) * ROUNDS / 2 + ROUNDS)

/* What a child has to say, in memory that stays shared whatever it closes. */
static struct told {
	double counted, dropped;
	long result;
	int reached;     /* the end of the situation; stored last */
	char wrong[200]; /* what else was wrong, or "" */
} * told;

NOIPA static long work (long i)
{
#pragma pp interval work(rounds, spread, recent)
#pragma pp point value(values, touches) value(i)
	return i * 3 + 1;
}

static long compute (void)
{
	long sum = 0;

	for (long i = 0; i < ROUNDS; i++)
		sum += work (i);
	return sum;
}

static double all_dropped (void)
{
	double n = 0;

	for (int i = 0; i < PP_DROPS; i++)
		n += i == PP_DROP_TORN ? 0 : (double) pp_dropped ((enum pp_drop) i);
	return n;
}

/* Measures more in the midst of it, with something that takes the library's thread. */
static int load_timed (void)
{
	return load_policy ("version: 1\n"
			    "metrics: {faults: {interval: page_faults, keep: stats}}\n"
			    "bind: [{metric: faults, sites: [work/work]}]\n"
			    "assertions: {never: {every: 10ms, expect: rounds.count >= 0}}\n");
}

static void wrong (const char *what)
{
	snprintf (told->wrong, sizeof (told->wrong), "%s: %s", what, strerror (errno));
}

/* The last words of a situation, which measured BEFORE rounds before the one that RESULT is of. */
static void tell (long result, double before)
{
	told->result = result;
	told->counted = pp_count (rounds) - before;
	told->dropped = all_dropped ();
	__atomic_store_n (&told->reached, 1, __ATOMIC_RELEASE);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Closes what it has, opens a file of its own on the lowest numbers, and becomes a daemon. */
static void daemonises (void)
{
	char path[] = "/tmp/pp-situation-XXXXXX";
	struct stat st;
	int fd, first = -1;

	compute ();
	closefrom (0);
	for (int i = 0; i < 40; i++) { /* whatever the library had open is one of these now */
		fd = i ? dup (first) : mkstemp (path);
		if (i == 0)
			first = fd;
	}
	unlink (path);
	if (daemon (1, 1) < 0)
		wrong ("daemon");
	long sum = compute ();

	for (int i = 0; i < 20; i++) /* enough for more memory to be wanted */
		pp_quantile (spread, 0.5), load_timed ();
	if (fstat (first, &st) < 0 || st.st_size != 0)
		wrong ("the host's file has grown");
	tell (sum, 0);
}

/* ---- roots ----------------------------------------------------------------------------------- */

static void changes_root (void)
{
	char dir[] = "/tmp/pp-situation-XXXXXX";

	compute ();
	if (!mkdtemp (dir) || chroot (dir) < 0 || chdir ("/") < 0)
		wrong ("chroot");
	load_timed ();
	tell (compute (), ROUNDS);
}

static void drops_privileges (void)
{
	compute ();
	if (setgid (65534) < 0 || setuid (65534) < 0)
		wrong ("setuid");
	load_timed ();
	tell (compute (), ROUNDS);
}

/* The first process of a namespace of its own */
static void unshares (void)
{
	int status = -1;
	pid_t child;

	compute ();
	if (unshare (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_FILES | CLONE_FS) < 0)
		wrong ("unshare");
	child = fork ();
	if (child == 0) {
		load_timed ();
		tell (compute (), 0);
		exit (0);
	}
	if (waitpid (child, &status, 0) != child || status != 0)
		wrong ("the child of unshare");
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Less address space is left than the library would like to reserve. */
static void has_little_address_space (void)
{
	struct rlimit limit = {96u << 20, 96u << 20};
	unsigned long pages = 0;
	FILE *f = fopen ("/proc/self/statm", "r");

	if (!f || fscanf (f, "%lu", &pages) != 1)
		wrong ("statm");
	limit.rlim_cur += pages * 4096;
	limit.rlim_max += pages * 4096;
	if (setrlimit (RLIMIT_AS, &limit) < 0)
		wrong ("setrlimit");
	long sum = compute ();
	void *mine = malloc (48u << 20); /* the host's share must be left */

	if (!mine)
		wrong ("the host's malloc of 48 of 96 MiB");
	free (mine);
	tell (sum, 0);
}

static void *compute_on_a_thread (void *arg)
{
	*(long *) arg = compute ();
	return NULL;
}

static void has_small_stacks (void)
{
	pthread_attr_t attr;
	pthread_t thread;
	long sum = 0;

	pthread_attr_init (&attr);
	if (pthread_attr_setstacksize (&attr, 16384) != 0)
		wrong ("stacks of 16 KiB");
	load_timed ();
	if (pthread_create (&thread, &attr, compute_on_a_thread, &sum) != 0)
		wrong ("pthread_create");
	pthread_join (thread, NULL);
	tell (sum, 0);
}

/*
 * What the library's thread calls, and what it takes of a stack that is as large as the host's are
 */
static _Atomic int called;

static void takes_stack (const struct pp_violation *violation, void *arg)
{
	volatile char room[200000];

	(void) violation;
	(void) arg;
	for (size_t i = 0; i < sizeof (room); i += 1000)
		room[i] = 1;
	called = room[1000];
}
PP_CALLABLE (takes_stack)

static void makes_all_stacks_small (void)
{
	pthread_attr_t attr;

	pthread_attr_init (&attr);
	pthread_attr_setstacksize (&attr, 32768);
	if (pthread_setattr_default_np (&attr) != 0)
		wrong ("pthread_setattr_default_np");
	long sum = compute ();

	load_policy ("version: 1\n"
		     "assertions: {few: {every: 10ms, expect: rounds.count < 0, on_fire: [call: "
		     "takes_stack]}}\n");
	for (int i = 0; i < 2000 && !called; i++)
		usleep (10000);
	if (!called)
		wrong ("the callback was not called");
	tell (sum, 0);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void at_quick_exit_of_the_host (void)
{
	tell (compute (), 0);
}

static void ends_quickly (void)
{
	at_quick_exit (at_quick_exit_of_the_host);
	quick_exit (0);
}

static void ends_at_once (void)
{
	load_timed ();
	tell (compute (), 0);
	_exit (0);
}

static void aborts (void)
{
	const struct rlimit none = {0, 0};

	setrlimit (RLIMIT_CORE, &none);
	load_timed ();
	tell (compute (), 0);
	abort ();
}

/* ---- the stack overflows --------------------------------------------------------------------- */

static sigjmp_buf rescued;
static volatile long depth_reached;

static void on_overflow (int signal)
{
	(void) signal;
	siglongjmp (rescued, 1);
}

NOIPA static long falls (long n)
{
	volatile char room[512];
	long r;

	room[n % 512] = 1;
	depth_reached = n;
	{
#pragma pp interval falls(deep)
		r = falls (n + 1) + room[n % 512];
	}
	return r;
}

static void overflows_its_stack (void)
{
	static char handlers_stack[1 << 16];
	const stack_t stack = {.ss_sp = handlers_stack, .ss_size = sizeof (handlers_stack)};
	const struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
	const struct rlimit small = {1 << 20, RLIM_INFINITY};

	setrlimit (RLIMIT_STACK, &small);
	sigaltstack (&stack, NULL);
	sigaction (SIGSEGV, &action, NULL);
	for (int i = 0; i < 3; i++)
		if (sigsetjmp (rescued, 1) == 0)
			falls (0);
	if (depth_reached < 500)
		wrong ("the stack was not filled");
	double before = all_dropped ();
	long sum = compute ();

	tell (sum, 0);
	told->dropped -= before; /* of intervals that were left */
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct situation {
	const char *sentence;
	void (*brings_about) (void);
	int status;
	bool takes_root;
	bool not_sanitized; /* sanitizers need what is gone then, or are threads themselves */
} situations[] = {
	{"a host that closes all descriptors and becomes a daemon", daemonises, 0, false, false},
	{"a host that changes its root", changes_root, 0, true, true},
	{"a host that gives its privileges up", drops_privileges, 0, true, false},
	{"a host that is the first process of its own namespaces", unshares, 0, true, true},
	{"a host with little address space", has_little_address_space, 0, false, false},
	{"a host with stacks of 16 KiB", has_small_stacks, 0, false, false},
	{"a host that makes all its threads' stacks small", makes_all_stacks_small, 0, false, true},
	{"a host that ends by quick_exit", ends_quickly, 0, false, false},
	{"a host that ends by _exit", ends_at_once, 0, false, false},
	{"a host that aborts", aborts, SIGABRT, false, false},
	/* ThreadSanitizer may be holding a lock of its own where the stack ends, and waits for it */
	{"a host whose stack overflows, and that goes on", overflows_its_stack, 0, false,
	 UNDER_TSAN},
};

/* Waits for a child, and for a daemon that it may have left: half a minute at most. */
static int wait_for (pid_t child)
{
	int status = -1;

	for (int i = 0; i < 3000 && waitpid (child, &status, WNOHANG) == 0; i++)
		usleep (10000);
	for (int i = 0; i < 3000 && !__atomic_load_n (&told->reached, __ATOMIC_ACQUIRE); i++)
		usleep (10000);
	return status;
}

static void try (const struct situation *s)
{
	pid_t child;
	int status;

	if (s->not_sanitized && (UNDER_ASAN || UNDER_TSAN)) {
		skipped (s->sentence, "not with a sanitizer");
		return;
	}
	if (s->takes_root && geteuid () != 0) {
		skipped (s->sentence, "takes root");
		return;
	}
	memset (told, 0, sizeof (*told));
	child = fork ();
	if (child == 0) {
		s->brings_about ();
		exit (0);
	}
	status = wait_for (child);
	ok (told->reached && status == s->status && !told->wrong[0], "%s: it ends as it would",
	    s->sentence);
	if (told->wrong[0])
		note ("%s", told->wrong);
	if (status != s->status)
		note ("status %#x, reached %d", (unsigned) status, told->reached);
	same ((double) told->result, (double) SUM, "... its result is right");
	if (!ok (told->counted == ROUNDS || told->counted + told->dropped >= ROUNDS,
		 "... and each round is measured, or counted as dropped"))
		note ("%g measured, %g dropped", told->counted, told->dropped);
}

int main (int n, char **arguments)
{
	told = mmap (NULL, sizeof (*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	for (size_t i = 0; i < sizeof (situations) / sizeof (*situations); i++)
		if (n < 2 || strstr (situations[i].sentence, arguments[1]))
			try (&situations[i]);
	return checked ();
}
