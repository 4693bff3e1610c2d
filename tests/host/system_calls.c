/* SPDX-License-Identifier: MIT */
/*
 * system_calls.c: a program under a seccomp filter. One that allows what docs/host.md lists, and
 * what libc needs to start and end, kills nothing; one that refuses any of those calls leaves the
 * program right, whatever is measured then; and a marker makes none.
 */
#include "tests/system/check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#if defined(__x86_64__) && !UNDER_ASAN && !UNDER_TSAN

/* clang-format off */
#pragma pp metric fixed interval stats(elapsed)
#pragma pp metric bound interval stats(elapsed)
/* clang-format on */

static volatile long result;

NOIPA static void work (void)
{
#pragma pp interval work(fixed)
	result++;
}

NOIPA static void other (void)
{
	PP_FEATURE (host.other)
#pragma pp interval other dim(kind = (int) (result & 3))
	result++;
}

/* What the page may name. */
#define CALLS(X)                                                                                   \
	X (clock_gettime)                                                                          \
	X (clone)                                                                                  \
	X (clone3)                                                                                 \
	X (close)                                                                                  \
	X (ioctl)                                                                                  \
	X (dup3)                                                                                   \
	X (epoll_create1)                                                                          \
	X (epoll_ctl)                                                                              \
	X (fallocate)                                                                              \
	X (fchmod)                                                                                 \
	X (fcntl)                                                                                  \
	X (flock)                                                                                  \
	X (fstat)                                                                                  \
	X (ftruncate)                                                                              \
	X (futex)                                                                                  \
	X (getcwd)                                                                                 \
	X (getdents64)                                                                             \
	X (geteuid)                                                                                \
	X (getpid)                                                                                 \
	X (getrandom)                                                                              \
	X (gettid)                                                                                 \
	X (getuid)                                                                                 \
	X (kill)                                                                                   \
	X (linkat)                                                                                 \
	X (lseek)                                                                                  \
	X (madvise)                                                                                \
	X (membarrier)                                                                             \
	X (memfd_create)                                                                           \
	X (mmap)                                                                                   \
	X (mprotect)                                                                               \
	X (mremap)                                                                                 \
	X (munmap)                                                                                 \
	X (nanosleep)                                                                              \
	X (newfstatat)                                                                             \
	X (openat)                                                                                 \
	X (perf_event_open)                                                                        \
	X (poll)                                                                                   \
	X (prctl)                                                                                  \
	X (pread64)                                                                                \
	X (prlimit64)                                                                              \
	X (process_vm_readv)                                                                       \
	X (pwrite64)                                                                               \
	X (read)                                                                                   \
	X (readlink)                                                                               \
	X (rename)                                                                                 \
	X (renameat2)                                                                              \
	X (rseq)                                                                                   \
	X (rt_sigaction)                                                                           \
	X (rt_sigpending)                                                                          \
	X (rt_sigprocmask)                                                                         \
	X (rt_sigtimedwait)                                                                        \
	X (sched_getaffinity)                                                                      \
	X (sched_getattr)                                                                          \
	X (sched_getscheduler)                                                                     \
	X (sched_setattr)                                                                          \
	X (set_robust_list)                                                                        \
	X (sigaltstack)                                                                            \
	X (statfs)                                                                                 \
	X (statx)                                                                                  \
	X (sysinfo)                                                                                \
	X (tgkill)                                                                                 \
	X (timer_create)                                                                           \
	X (timer_delete)                                                                           \
	X (timer_settime)                                                                          \
	X (timerfd_create)                                                                         \
	X (timerfd_gettime)                                                                        \
	X (timerfd_settime)                                                                        \
	X (uname)                                                                                  \
	X (unlink)                                                                                 \
	X (unlinkat)                                                                               \
	X (write)

static const struct {
	const char *name;
	int number;
} calls[] = {
#define X(name) {#name, SYS_##name},
	CALLS (X)
#undef X
};

enum { N_CALLS = sizeof calls / sizeof calls[0], LIST_MAX = 128 };

/* What libc, its loader and this test need beside that. */
static const int of_libc[] = {SYS_execve,
			      SYS_brk,
			      SYS_access,
			      SYS_arch_prctl,
			      SYS_set_tid_address,
			      SYS_rseq,
			      SYS_set_robust_list,
			      SYS_getrandom,
			      SYS_exit_group,
			      SYS_exit,
			      SYS_openat,
			      SYS_read,
			      SYS_pread64,
			      SYS_close,
			      SYS_fstat,
			      SYS_newfstatat,
			      SYS_mmap,
			      SYS_munmap,
			      SYS_mprotect,
			      SYS_prlimit64,
			      SYS_futex,
			      SYS_rt_sigaction,
			      SYS_rt_sigprocmask,
			      SYS_alarm,
			      SYS_wait4,
			      SYS_clock_nanosleep,
			      SYS_rt_sigreturn,
			      SYS_restart_syscall,
			      SYS_clone};

enum { N_OF_LIBC = sizeof of_libc / sizeof of_libc[0] };

static int is_of_libc (int number)
{
	for (int i = 0; i < N_OF_LIBC; i++)
		if (of_libc[i] == number)
			return 1;
	return 0;
}

/* The calls that docs/host.md names below "System calls"; how many, or -1. */
static int listed (int *out)
{
	static char text[1 << 18];
	const char *source = getenv ("srcdir");
	char path[4096], *from, *to;
	ssize_t n;
	int fd, found = 0;

	snprintf (path, sizeof path, "%s/docs/host.md", source ? source : "..");
	fd = open (path, O_RDONLY);
	n = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
	close (fd);
	text[n > 0 ? n : 0] = '\0';
	from = strstr (text, "\n## System calls\n");
	to = from ? strstr (from + 1, "\n## ") : NULL;
	if (!to)
		return -1;
	*to = '\0';
	for (int i = 0; i < N_CALLS; i++) {
		char quoted[64];

		snprintf (quoted, sizeof quoted, "`%s`", calls[i].name);
		if (strstr (from, quoted))
			out[found++] = calls[i].number;
	}
	return found;
}

/* ---- filters --------------------------------------------------------------------------------- */

static int install (struct sock_filter *filter, int n)
{
	struct sock_fprog program = {(unsigned short) n, filter};

	return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Those of LIST get IF_LISTED, all others IF_NOT. */
static int filter_by (const int *list, int n, uint32_t if_listed, uint32_t if_not)
{
	struct sock_filter filter[LIST_MAX + N_OF_LIBC + 3];
	int at = 0;

	filter[at++] = (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
						      offsetof (struct seccomp_data, nr));
	for (int i = 0; i < n; i++)
		filter[at++] = (struct sock_filter) BPF_JUMP (
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) list[i], (unsigned char) (n - i), 0);
	filter[at++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, if_not);
	filter[at++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, if_listed);
	return install (filter, at);
}

/* ---- the program ----------------------------------------------------------------------------- */

enum { LOOPS = 200 };

/*
 * Loads a policy that needs the library's thread and keeps a recording, binds and unbinds, forks,
 * and ends. MEASURES: all of it has to be measured, too. The exit status says whether the program
 * itself is right.
 */
/* A profile of its own, and its result; what can't be done is an error of the call. */
static int profiled (int measures)
{
	struct pp_profile_options options = PP_PROFILE_OPTIONS;
	struct pp_profile_result *made = NULL;
	int error;

	options.delay = 0.001;
	error = pp_profile_start (&options);
	for (int i = 0; i < 1000; i++)
		for (volatile int k = 0; k < 10000; k++)
			continue;
	pp_profile_pause ();
	pp_profile_resume ();
	pp_profile_stop ();
	if (!error)
		error = pp_profile_snapshot (&made);
	if (measures && (error || !made->samples))
		return 4;
	pp_profile_free (made);
	return 0;
}

static int scripted (const char *policy, int measures)
{
	long expected = 0;
	pid_t pid;
	int status = 0;

	alarm (60);
	work ();
	expected++;
	for (int i = 0; i < LOOPS; i++) {
		int bind = pp_bind (bound, "other/other", 0);

		if (measures && bind != 1)
			return 1;
		work ();
		other ();
		expected += 2;
		pp_unbind (bound, "other/other");
	}
	status = profiled (measures);
	if (status)
		return status;
	pp_policy_load (policy);
	pp_poll_fd ();
	for (int i = 0; i < 5; i++) {
		other ();
		expected++;
		usleep (30000);
	}
	pp_poll ();
	pid = fork ();
	if (pid == 0) {
		work ();
		_exit (result == expected + 1 ? 0 : 1);
	}
	if (pid > 0)
		waitpid (pid, &status, 0);
	if (result != expected || status)
		return 2;
	if (measures && (pp_count (fixed) != LOOPS + 1 || pp_count (bound) != LOOPS))
		return 3;
	return 0;
}

static int without_a_call (void)
{
	work ();
	pp_bind (bound, "other/other", 0);
	other ();
	if (!filter_by ((const int[]){SYS_exit_group}, 1, SECCOMP_RET_ALLOW,
			SECCOMP_RET_KILL_PROCESS))
		return 100;
	for (int i = 0; i < 100000; i++) {
		work ();
		other ();
	}
	syscall (SYS_exit_group, 0);
	return 1;
}

/* ---- running it ------------------------------------------------------------------------------ */

static char policy_path[128];

static int run (const char *how, const char *what, int (*before) (int), int number)
{
	int status = -1;
	pid_t pid;

	fflush (stdout);
	pid = fork ();
	if (pid == 0) {
		int sink = open ("/dev/null", O_WRONLY);

		dup2 (sink, 2);
		if (before && !before (number))
			_exit (100);
		execl ("/proc/self/exe", "system_calls", how, what, policy_path, (char *) NULL);
		_exit (127);
	}
	waitpid (pid, &status, 0);
	return WIFEXITED (status) ? WEXITSTATUS (status) : 1000 + status;
}

static int list[LIST_MAX], n_list;

static int allow_listed (int number)
{
	int all[LIST_MAX + N_OF_LIBC];

	(void) number;
	memcpy (all, list, (size_t) n_list * sizeof all[0]);
	memcpy (all + n_list, of_libc, sizeof of_libc);
	return filter_by (all, n_list + N_OF_LIBC, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
}

static int refuse (int number)
{
	return filter_by (&number, 1, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW);
}

static void test_refused (void)
{
	for (int i = 0; i < n_list; i++) {
		const char *name = "";
		char number[16];
		int r;

		/* libc ends the program itself */
		if (list[i] == SYS_futex || list[i] == SYS_rseq)
			continue;
		for (int k = 0; k < N_CALLS; k++)
			name = calls[k].number == list[i] ? calls[k].name : name;
		snprintf (number, sizeof number, "%d", list[i]);
		/* what libc can't start without is refused from main on */
		r = is_of_libc (list[i]) ? run ("refused", number, NULL, 0)
					 : run ("scripted", "0", refuse, list[i]);
		if (!ok (r == 0, "a program whose %s is refused does what it does without", name))
			note ("%d", r);
	}
}

static char recording_path[64];

static void write_policy (const char *profile)
{
	char text[1024];

	snprintf (recording_path, sizeof recording_path, "/dev/shm/pp-test-system-calls-%d.ppr",
		  (int) getpid ());
	snprintf (text, sizeof text,
		  "version: 1\nrecord: {file: %s}\n%s"
		  "events: {records: \"**\", aggregate: [{by: kind, sites: \"**\"}], flight: 64}\n"
		  "metrics: {e: {interval: elapsed, keep: stats}}\n"
		  "bind:\n  - {metric: e, sites: other/other}\n"
		  "assertions:\n"
		  "  timed: {every: 10ms, expect: e.n < 0, on_fire: [{log: info}, dump]}\n"
		  "  each: {every: 10ms, expect: any(e by kind).n < 0}\n",
		  recording_path, profile);
	write_file (policy_path, ".yaml", text);
}

int main (int argc, char **argv)
{
	int r;

	if (argc > 3 && strcmp (argv[1], "scripted") == 0)
		return scripted (argv[3], atoi (argv[2]));
	if (argc > 3 && strcmp (argv[1], "refused") == 0)
		return refuse (atoi (argv[2])) ? scripted (argv[3], 0) : 100;
	if (argc > 1)
		return without_a_call ();
	n_list = listed (list);
	ok (n_list > 10, "docs/host.md lists system calls");
	write_policy ("profile: {rate: 100}\n");
	r = run ("scripted", "1", NULL, 0);
	if (!ok (r == 0, "a program measures itself"))
		note ("%d", r);
	r = run ("scripted", "1", allow_listed, 0);
	if (r == 0) {
		unlink (policy_path);
		write_policy ("profile: {features: exact}\n");
		r = run ("scripted", "1", allow_listed, 0);
		unlink (policy_path);
		write_policy ("profile: {rate: 100}\n");
	}
	if (r == 100) {
		skipped ("and the same where a filter allows what the page lists, and kills for "
			 "anything else",
			 "no seccomp here");
	} else {
		if (!ok (r == 0, "and the same where a filter allows what the page lists, and "
				 "kills for anything else"))
			note ("%d", r);
		same (run ("markers", "", NULL, 0), 0, "markers make no system call");
		test_refused ();
	}
	unlink (policy_path);
	unlink (recording_path);
	return checked ();
}

#else

int main (void)
{
	skipped ("a program under a seccomp filter",
		 "x86-64 without sanitizers only, which make calls of their own");
	return checked ();
}

#endif
