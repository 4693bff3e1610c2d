/* SPDX-License-Identifier: MIT */
/* host.c: what being watched does to a program, one word at a time. The exit status is 0 if right. */
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __thread volatile unsigned long sink;

__attribute__ ((noipa)) static void inner (void)
{
	PP_INTERVAL (inner)
	for (int i = 0; i < 100; i++)
		sink += (unsigned long) i;
}

__attribute__ ((noipa)) static void outer (int depth)
{
	PP_INTERVAL (outer)
	inner ();
	if (depth)
		outer (depth - 1);
}

/* The thread of that name; 0: there is none. */
static pid_t thread_of (const char *name)
{
	DIR *tasks = opendir ("/proc/self/task");
	struct dirent *entry;
	char path[300], comm[32];
	pid_t found = 0;
	FILE *in;

	while (tasks && (entry = readdir (tasks))) {
		snprintf (path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
		in = fopen (path, "r");
		if (in && fgets (comm, sizeof comm, in) && strncmp (comm, name, strlen (name)) == 0)
			found = atoi (entry->d_name);
		if (in)
			fclose (in);
	}
	if (tasks)
		closedir (tasks);
	return found;
}

static int has_thread (const char *name)
{
	return thread_of (name) != 0;
}

/* Until there is a watcher, or none; 1: that never happened. */
static int wait_for (int is_there)
{
	for (int i = 0; i < 2000; i++) {
		outer (2);
		if (has_thread ("pp-watcher") == is_there)
			return 0;
		usleep (5000);
	}
	return 1;
}

/* No signal has a handler, and no sleep is cut short. */
static int sleeps (void)
{
	const struct timespec time = {0, 2000000};
	struct sigaction now;
	int wrong = wait_for (1);

	for (int i = 1; i < NSIG; i++)
		if (sigaction (i, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
			wrong++;
	for (int i = 0; i < 100; i++) {
		PP_INTERVAL (asleep)
		wrong += nanosleep (&time, NULL) != 0;
	}
	return wrong;
}

/* Its slice of a processor in ns; 0: the kernel has none that a thread may choose. */
static uint64_t slice_of (pid_t thread)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} a = {.size = sizeof a};

	return syscall (SYS_sched_getattr, thread, &a, sizeof a, 0) == 0 && !a.policy ? a.runtime
										      : 0;
}

/* The watcher need not wait for what else the processor does. */
static int slices (void)
{
	int wrong = wait_for (1);
	uint64_t own = slice_of (0);

	/* it asks for it a moment after it began */
	for (int i = 0; i < 2000 && own && slice_of (thread_of ("pp-watcher")) >= own; i++)
		usleep (5000);
	return wrong || (own && slice_of (thread_of ("pp-watcher")) >= own);
}

/* Half a millisecond of work between sleeps */
static int bursts (void)
{
	const struct timespec time = {0, 2000000};
	int wrong = wait_for (1);

	for (int i = 0; i < 400; i++) {
		{
			PP_INTERVAL (busy)
			for (int k = 0; k < 400000; k++)
				sink += (unsigned long) k;
		}
		PP_INTERVAL (naps)
		wrong += nanosleep (&time, NULL) != 0;
	}
	return wrong;
}

/* Works under a filter that kills for whatever is called but the end of the thread. */
static void *works_alone (void *arg)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

	outer (3);
	*(int *) arg = prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		       prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
	for (int i = 0; i < 300000; i++)
		outer (3);
	syscall (SYS_exit, 0);
	return NULL;
}

static int alone (void)
{
	volatile int is_filtered = 0;
	pthread_t thread;
	int wrong = wait_for (1);

	pthread_create (&thread, NULL, works_alone, (void *) (uintptr_t) &is_filtered);
	pthread_join (thread, NULL);
	return wrong || !is_filtered;
}

static int forks (void)
{
	int wrong = wait_for (1), status = 1;
	pid_t child;

	for (int i = 0; i < 20000; i++)
		outer (3);
	child = fork ();
	if (!child) {
		outer (1);
		wrong = wait_for (1);
		for (int i = 0; i < 20000; i++)
			outer (3);
		exit (wrong);
	}
	waitpid (child, &status, 0);
	printf ("%d\n", (int) child);
	return wrong || status;
}

static void *brief (void *arg)
{
	(void) arg;
	for (int i = 0; i < 100; i++)
		outer (3);
	return NULL;
}

/* Threads come and go. */
static int crowd (void)
{
	pthread_t thread[8];
	int wrong = wait_for (1);

	for (int round = 0; round < 30; round++) {
		for (int i = 0; i < 8; i++)
			wrong += pthread_create (&thread[i], NULL, brief, NULL) != 0;
		for (int i = 0; i < 8; i++)
			pthread_join (thread[i], NULL);
	}
	return wrong;
}

static int by_calls (void)
{
	const char *volatile name = "called";
	int wrong = wait_for (1);

	pp_begin (name);
	for (int i = 0; i < 200000; i++)
		outer (3);
	pp_end (name);
	return wrong;
}

/* Until its input ends */
static int serves (void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};

	puts ("ready");
	fflush (stdout);
	while (poll (&in, 1, 0) == 0)
		outer (3);
	return 0;
}

int main (int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp (what, "sleeps") == 0)
		return sleeps ();
	if (strcmp (what, "bursts") == 0)
		return bursts ();
	if (strcmp (what, "slices") == 0)
		return slices ();
	if (strcmp (what, "alone") == 0)
		return alone ();
	if (strcmp (what, "forks") == 0)
		return forks ();
	if (strcmp (what, "crowd") == 0)
		return crowd ();
	if (strcmp (what, "calls") == 0)
		return by_calls ();
	if (strcmp (what, "serves") == 0)
		return serves ();
	/* it ends by itself */
	if (strcmp (what, "ends") == 0)
		return wait_for (1) || wait_for (0);
	/* with the policy */
	if (strcmp (what, "unload") == 0)
		return wait_for (1) || pp_policy_unload (argv[2]) || wait_for (0);
	/* with the version of it that asks for none, and again with the one that does */
	if (strcmp (what, "reload") == 0)
		return wait_for (1) || pp_policy_load_text ("text", "version: 1") ||
		       has_thread ("pp-watcher") != 1 || pp_policy_unload (argv[2]) ||
		       wait_for (0) ||
		       pp_policy_load_text ("text", "version: 1\nprofile: {clock: cpu}") !=
			       PP_EPOLICY ||
		       pp_policy_load_text ("text", "version: 1\nprofile: {rate: 100}") ||
		       wait_for (1);
	return 2;
}
