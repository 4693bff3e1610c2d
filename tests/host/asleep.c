/* SPDX-License-Identifier: MIT */
/*
 * asleep.c: the library's thread while nothing is sampled. It sleeps, however many assertions there
 * are at sites, but for what has times of its own; the first violation wakes it, by the only system
 * call that a marker makes.
 */
#include "tests/system/check.h"

#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { ASSERTIONS = 100, LOW = 1, HIGH = 50, VIOLATIONS = 1000, SAMPLES = 100 };

PP_KNOB_INT (quality, 5, 1, 9, 1)
PP_KNOB_INT (noticed, 5, 1, 9, 1)

/* clang-format off */
#pragma pp metric level point stats(value)
/* clang-format on */

NOIPA static void work (int value)
{
#pragma pp point work(level) value(value)
	(void) value;
}

/* ---- how often the thread goes to sleep ------------------------------------------------------ */

static int read_text (const char *directory, const char *task, const char *name, char *out,
		      size_t room)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf (path, sizeof path, "%s/%s/%s", directory, task, name);
	fd = open (path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read (fd, out, room - 1);
	if (fd >= 0)
		close (fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Voluntary context switches of pp-library; -1: there is no such thread. */
static long sleeps (void)
{
	static const char directory[] = "/proc/self/task", key[] = "\nvoluntary_ctxt_switches:";
	char text[8192];
	const char *found;
	struct dirent *e;
	DIR *d = opendir (directory);
	long n = -1;

	while (d && n < 0 && (e = readdir (d))) {
		if (!read_text (directory, e->d_name, "comm", text, sizeof text) ||
		    strcmp (text, "pp-library\n") != 0 ||
		    !read_text (directory, e->d_name, "status", text, sizeof text))
			continue;
		found = strstr (text, key);
		n = found ? atol (found + strlen (key)) : -1;
	}
	if (d)
		closedir (d);
	return n;
}

static long sleeps_in (useconds_t us)
{
	long before = sleeps ();

	usleep (us);
	return before < 0 ? -1 : sleeps () - before;
}

/* It has had nothing to look at for a second, and a machine may be busy. */
static int falls_asleep (void)
{
	for (int i = 0; i < 100; i++)
		if (sleeps_in (200000) <= 1)
			return 1;
	return 0;
}

/* ---- what markers call ----------------------------------------------------------------------- */

#if defined(__x86_64__) && !UNDER_ASAN && !UNDER_TSAN
#define TRAPS_CALLS 1

enum { LET_THROUGH = 0x50505050 };

static volatile long futexes, others;
static long woken_by, made_else;

/* A call of futex is counted, and made. */
static void trapped (int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *) context)->uc_mcontext.gregs;

	(void) number;
	if (info->si_syscall != SYS_futex) {
		others++;
		return;
	}
	futexes++;
	r[REG_RAX] = syscall (SYS_futex, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8],
			      LET_THROUGH);
}

/* Every system call of this thread from here on; but for those of the handler, and the end. */
static int trap_calls (void)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 5, 0),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 4, 0),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 2),
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args[5])),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, LET_THROUGH, 1, 0),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};

	return sigaction (SIGSYS, &action, NULL) == 0 &&
	       prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
#define TRAPS_CALLS 0
static int trap_calls (void)
{
	return 0;
}
#endif

static int is_ready, goes; /* atomic */
static volatile int is_trapped;

/* Its first markers make calls of their own, so they come before all else. */
static void *violate (void *arg)
{
	(void) arg;
	work (LOW);
	work (LOW);
	__atomic_store_n (&is_ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n (&goes, __ATOMIC_ACQUIRE))
		usleep (1000);
	is_trapped = trap_calls ();
#if TRAPS_CALLS
	futexes = others = 0;
#endif
	for (int i = 0; i < VIOLATIONS; i++)
		work (HIGH);
#if TRAPS_CALLS
	/* before what a thread calls when it ends */
	woken_by = futexes;
	made_else = others;
#endif
	return NULL;
}

/* ---- the test -------------------------------------------------------------------------------- */

static int load (void)
{
	static char text[ASSERTIONS * 80 + 400], path[128];
	size_t at = 0;
	int e;

	at += (size_t) snprintf (text, sizeof text, "version: 1\nassertions:\n");
	for (int i = 1; i < ASSERTIONS; i++)
		at += (size_t) snprintf (text + at, sizeof text - at,
					 "  a%d: {at: work/work, expect: level.last <= 1000}\n", i);
	snprintf (text + at, sizeof text - at,
		  "  low: {at: work/work, expect: level.last <= 10, quiet: true, on_fire: [{knob: "
		  "{name: quality, set: 9}}]}\n"
		  "  often: {every: 1s, expect: level.n < %d, quiet: true, on_fire: [{knob: "
		  "{name: noticed, set: 9}}]}\n",
		  SAMPLES);
	write_file (path, ".yaml", text);
	e = pp_policy_load (path);
	unlink (path);
	return e;
}

static int turns (const struct pp_abi_knob *knob)
{
	for (int i = 0; i < 3000 && __atomic_load_n (&knob->value.i, __ATOMIC_RELAXED) != 9; i++)
		usleep (10000);
	return __atomic_load_n (&knob->value.i, __ATOMIC_RELAXED) == 9;
}

static void violate_asleep (void)
{
	pthread_t thread;

	if (pthread_create (&thread, NULL, violate, NULL) != 0)
		exit (99);
	while (!__atomic_load_n (&is_ready, __ATOMIC_ACQUIRE))
		usleep (1000);
	ok (falls_asleep (), "a second after the last sample it sleeps again");
	__atomic_store_n (&goes, 1, __ATOMIC_RELEASE);
	pthread_join (thread, NULL);
	ok (turns (&pp_knob_quality), "a violation that comes while it sleeps is acted upon");
#if TRAPS_CALLS
	if (is_trapped) {
		same (woken_by, 1, "a thousand violations wake it by one call");
		same (made_else, 0, "which is the only one that markers make");
		return;
	}
#endif
	skipped ("a thousand violations wake it by one call",
		 "x86-64 with seccomp, without sanitizers only");
}

int main (void)
{
	long n;

	work (LOW);
	same (load (), 0, "a policy with a hundred assertions is loaded");
	for (int i = 0; i < 10; i++)
		work (LOW);
	ok (falls_asleep (), "a second after the last sample the library's thread sleeps");
	n = sleeps_in (2000000);
	ok (n >= 0 && n <= 4, "it wakes twice a second at most (%ld times in two)", n);
	for (int i = 0; i < SAMPLES; i++)
		work (LOW);
	ok (turns (&pp_knob_noticed), "what is timed sees samples that came in its sleep");
	violate_asleep ();
	return checked ();
}
