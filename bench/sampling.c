/* SPDX-License-Identifier: MIT */
/*
 * sampling.c: what it costs a program to be sampled: "sampling" prints a line "ROW VALUE" for each
 * row. A program of its own, which is alone on its processor; the library's threads are on the
 * others, where there are any.
 *
 * Work is done in turns without and with the sampler, and compared by the CPU time of the thread
 * that does it, so that what else the machine does is in nobody's figure. A row is the median over
 * the turns.
 */
#include "turns.h"

#include <pp.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 5, MORE_TURNS = 21, DEPTH = 30 };

/* How long a sampler has to begin or end, and how long a turn lasts; CPU time. */
#define SETTLE_S 0.2
#define TURN_S 0.3

#define NOIPA __attribute__ ((noipa))

/* clang-format off */
#pragma pp metric taken interval sumcount(elapsed)
/* clang-format on */

static volatile unsigned long sink;

static void spin (int n)
{
	unsigned long x = sink | 1;

	for (int i = 0; i < n; i++)
		x = x * 3 * (x | 5);
	sink = x;
}

/* Of 10 µs. */
NOIPA static void part (void)
{
	PP_INTERVAL (part)
	spin (6000);
}

NOIPA static void pair (void)
{
	PP_INTERVAL (pair)
	sink++;
}

NOIPA static void mark (void)
{
	PP_FEATURE (bench.mark)
	sink++;
}

static void watch_marks (void)
{
	for (int i = 0; i < 1000; i++)
		mark ();
}

static void watch_parts (void)
{
	for (int i = 0; i < 100; i++)
		part ();
}

static void watch_pairs (void)
{
	for (int i = 0; i < 1000; i++)
		pair ();
}

NOIPA static void deep (int depth)
{
	if (depth > 1)
		deep (depth - 1);
	else
		spin (60000);
	sink++;
}

static void work_deep (void)
{
	deep (DEPTH);
}

/* ---- what samples ---------------------------------------------------------------------------- */

/* Begins, or ends where TEXT is NULL; false: that failed. */
static bool sample (const char *text)
{
	return text ? pp_policy_load_text ("sampling", text) == 0
		    : pp_policy_unload ("sampling") == 0;
}

static int empty_fd = -1;

static void do_nothing (int number)
{
	(void) number;
}

/* A handler that does nothing, by the kernel's task clock, 1000 times a second of CPU time. */
static bool interrupt (const char *text)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof attr,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = 1000000,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .wakeup_events = 1};
	const struct f_owner_ex owner = {F_OWNER_TID, gettid ()};

	if (!text) {
		close (empty_fd);
		return true;
	}
	signal (SIGUSR2, do_nothing);
	empty_fd = (int) syscall (SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return empty_fd >= 0 && fcntl (empty_fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 &&
	       fcntl (empty_fd, F_SETSIG, SIGUSR2) == 0 &&
	       fcntl (empty_fd, F_SETOWN_EX, &owner) == 0 &&
	       ioctl (empty_fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

/* ---- peers ----------------------------------------------------------------------------------- */

static pid_t peer;
static cpu_set_t others; /* processors for what is not the work's */

static void become_perf (pid_t of)
{
	char pid[16];
	int null = open ("/dev/null", O_WRONLY);

	snprintf (pid, sizeof pid, "%d", of);
	sched_setaffinity (0, sizeof others, &others);
	dup2 (null, 1);
	dup2 (null, 2);
	execlp ("perf", "perf", "record", "-q", "-g", "-e", "task-clock:u", "-c", "1000000", "-p",
		pid, "-o", "perf.data", NULL);
	_exit (127);
}

/* perf record -g, a thousand times a second of CPU time; false: there is no perf, or it may not. */
static bool by_perf (const char *text)
{
	pid_t self = getpid ();
	int status;

	if (!text) {
		kill (peer, SIGINT);
		return waitpid (peer, &status, 0) == peer;
	}
	peer = fork ();
	if (peer == 0)
		become_perf (self);
	/* until it has begun; where it can't it has ended by then */
	usleep (500000);
	return peer > 0 && waitpid (peer, &status, WNOHANG) == 0;
}

/* As in gperftools' profiler.h */
struct gperftools_state {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};

static struct {
	int (*start) (const char *path);
	void (*stop) (void);
	void (*state) (struct gperftools_state *state);
} gperftools;

static bool find_gperftools (void)
{
	void *library = dlopen ("libprofiler.so.0", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **) &gperftools.start = dlsym (library, "ProfilerStart");
	*(void **) &gperftools.stop = dlsym (library, "ProfilerStop");
	*(void **) &gperftools.state = dlsym (library, "ProfilerGetCurrentState");
	return gperftools.start && gperftools.stop && gperftools.state;
}

/* Without the line that its library prints at each end */
static void stop_gperftools (void)
{
	int errors = dup (2), null = open ("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2 (null, 2);
	gperftools.stop ();
	dup2 (errors, 2);
	close (errors);
	close (null);
}

/*
 * gperftools' profiler of CPU time, where it is installed: CPUPROFILE_FREQUENCY is 1000. How often
 * it really came is said once, for its timer keeps to the kernel's tick.
 */
static bool by_gperftools (const char *text)
{
	static double begin_s;
	static bool is_said;
	struct gperftools_state state = {0};

	if (!gperftools.start && !find_gperftools ())
		return false;
	if (text) {
		begin_s = cpu_s ();
		return gperftools.start ("gperftools") != 0;
	}
	gperftools.state (&state);
	if (!is_said)
		fprintf (stderr, "bench: gperftools took %.0f samples a second of 1000\n",
			 state.samples_gathered / (cpu_s () - begin_s));
	is_said = true;
	stop_gperftools ();
	return state.samples_gathered > 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct comparison {
	const char *row;
	void (*work) (void);
	bool (*turn) (const char *text);
	const char *text;
	double pairs; /* of an execution of WORK: the row is ns for each; 0: it is percent */
	/* what it costs is less than by how much turns differ */
	bool is_little;
	bool is_optional; /* what can't be had is NaN, not an error */
	bool is_crowded;  /* the other processors are busy, too */
	bool says_own;    /* ROW.own: percent of a processor that the library's threads took */
};

static double now_s (clockid_t clock)
{
	struct timespec t;

	clock_gettime (clock, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* CPU time of all threads but this one. */
static double others_s (void)
{
	return now_s (CLOCK_PROCESS_CPUTIME_ID) - cpu_s ();
}

static pid_t crowd[CPU_SETSIZE];

/* Somebody on each of the other processors works all the time, until it ENDS. */
static void keep_busy (bool ends)
{
	cpu_set_t one;

	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET (i, &others))
			continue;
		if (ends && crowd[i] > 0) {
			kill (crowd[i], SIGKILL);
			waitpid (crowd[i], NULL, 0);
		}
		if (ends)
			continue;
		crowd[i] = fork ();
		if (crowd[i] != 0)
			continue;
		CPU_ZERO (&one);
		CPU_SET (i, &one);
		sched_setaffinity (0, sizeof one, &one);
		prctl (PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			spin (60000);
	}
}

/* In percent of a processor: what the library's threads take while the work is done. */
static double own_percent (const struct comparison *c, double *with)
{
	double own = others_s (), wall = now_s (CLOCK_MONOTONIC);

	*with = take (c->work, TURN_S);
	return 100 * (others_s () - own) / (now_s (CLOCK_MONOTONIC) - wall);
}

static bool compare_turns (const struct comparison *c)
{
	int turns = c->is_little ? MORE_TURNS : TURNS;
	double more[MORE_TURNS] = {0}, own[MORE_TURNS];

	for (int i = 0; i < turns; i++) {
		double without, with;

		take (c->work, SETTLE_S);
		without = take (c->work, TURN_S);
		if (!c->turn (c->text)) {
			printf ("%s nan\n", c->row);
			return c->is_optional;
		}
		take (c->work, SETTLE_S);
		own[i] = own_percent (c, &with);
		if (!c->turn (NULL))
			return false;
		more[i] = c->pairs ? (with - without) / c->pairs * 1e9 : 100 * (with / without - 1);
	}
	printf ("%s %.3f\n", c->row, median (more, (size_t) turns));
	if (c->says_own)
		printf ("%s.own %.3f\n", c->row, median (own, (size_t) turns));
	fflush (stdout);
	return true;
}

static bool run_comparison (const struct comparison *c)
{
	bool good;

	if (c->is_crowded)
		keep_busy (false);
	good = compare_turns (c);
	if (c->is_crowded)
		keep_busy (true);
	return good;
}

#define WATCHED(rate) "version: 1\nprofile: {rate: " #rate "}\n"
#define INTERRUPTED(rate) "version: 1\nprofile: {sampler: interrupter, rate: " #rate "}\n"

static const struct comparison comparisons[] = {
	{.row = "watcher.1khz",
	 .work = watch_parts,
	 .turn = sample,
	 .text = WATCHED (1000),
	 .says_own = true},
	{.row = "watcher.10khz",
	 .work = watch_parts,
	 .turn = sample,
	 .text = WATCHED (10000),
	 .is_little = true,
	 .says_own = true},
	{.row = "watcher.1khz.crowded",
	 .work = watch_parts,
	 .turn = sample,
	 .text = WATCHED (1000),
	 .is_little = true,
	 .is_crowded = true},
	{.row = "watcher.10khz.crowded",
	 .work = watch_parts,
	 .turn = sample,
	 .text = WATCHED (10000),
	 .is_little = true,
	 .is_crowded = true},
	{.row = "watched.frame",
	 .work = watch_pairs,
	 .turn = sample,
	 .text = WATCHED (1000),
	 .pairs = 1000},
	{.row = "flight.ns",
	 .work = watch_pairs,
	 .turn = sample,
	 .pairs = 1000,
	 .text = "version: 1\nevents: {flight: {sites: \"pair/pair\"}}\n"},
	{.row = "features.exact.ns",
	 .work = watch_marks,
	 .turn = sample,
	 .pairs = 1000,
	 .text = "version: 1\nprofile: {features: exact}\n"},
	{.row = "interrupter.100hz",
	 .work = work_deep,
	 .turn = sample,
	 .text = INTERRUPTED (100),
	 .is_little = true},
	{.row = "interrupter.1khz", .work = work_deep, .turn = sample, .text = INTERRUPTED (1000)},
	{.row = "interrupter.empty", .work = work_deep, .turn = interrupt, .text = ""},
	{.row = "peer.perf", .work = work_deep, .turn = by_perf, .text = "", .is_optional = true},
	{.row = "peer.gperftools",
	 .work = work_deep,
	 .turn = by_gperftools,
	 .text = "",
	 .is_optional = true},
};

/* The last processor that it may use is its own; those of the library's threads are all others. */
static void be_alone (void)
{
	cpu_set_t all, own;
	size_t last = 0;

	CPU_ZERO (&all);
	if (sched_getaffinity (0, sizeof all, &all) != 0)
		return;
	others = all;
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET (i, &all))
			last = i;
	if (CPU_COUNT (&all) < 2)
		return;
	CPU_CLR (last, &all);
	CPU_ZERO (&own);
	CPU_SET (last, &own);
	others = all;
	/* what the library starts now, and that starts later, has these */
	sched_setaffinity (0, sizeof all, &all);
	pp_bind (pp_metric_find ("taken"), "pair/pair", 0);
	sched_setaffinity (0, sizeof own, &own);
}

static int run (void)
{
	bool good = true;

	be_alone ();
	for (size_t i = 0; good && i < sizeof comparisons / sizeof *comparisons; i++)
		good = run_comparison (&comparisons[i]);
	return !good;
}

/* In a directory of its own, for the profiles are recorded; what is said of them is not read. */
int main (int argc, char **argv)
{
	char directory[] = "/tmp/ppgcc-sampling-XXXXXX", command[64];
	int status = -1;
	pid_t pid;

	if (argc > 1)
		return run ();
	if (mkdtemp (directory) == NULL || chdir (directory) != 0)
		return 1;
	pid = fork ();
	if (pid == 0) {
		setenv ("PP_LOG", "log", 1);
		setenv ("CPUPROFILE_FREQUENCY", "1000", 1);
		execl ("/proc/self/exe", argv[0], "run", NULL);
		_exit (127);
	}
	if (pid < 0 || waitpid (pid, &status, 0) != pid)
		status = -1;
	snprintf (command, sizeof command, "rm -r %s", directory);
	return system (command) != 0 || status != 0;
}
