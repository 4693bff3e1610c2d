/* SPDX-License-Identifier: MIT */
/*
 * faults.c: one call that the library makes fails, and then every call from there on; for every
 * call, one run of the same program each. The program loads, binds, toggles, samples, records,
 * reloads, forks and unloads. Whatever fails, what it prints is the same, it ends with the same
 * status in bounded time, says little on stderr, and each count is exact, or less than that and
 * told of: by pp_dropped, by an error that a call returned, or by a message.
 *
 *     faults           tries the first calls of each kind and then some; FULL=1, SOAK=1: every
 *                      single one
 *     faults KIND:N[+] one run, with what it says
 */
#include "../system/check.h"
#include "inject.h"

#include <dirent.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
#pragma pp metric pairs  interval stats(elapsed)
#pragma pp metric values point    sumcount(value)
#pragma pp metric marks  point    histogram(value)
/* clang-format on */

PP_KNOB_INT (level, 5, 1, 9, 1)

static volatile int called;

static void react (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	called++;
}

PP_CALLABLE (react)

/*
 * ---- the host
 * ----------------------------------------------------------------------------------------------------
 */

enum { VALUE = 3, ROUNDS = 300, TOGGLES = 4 };

static unsigned long host_sum, executed;

/*
 * What other sources need is opened for each thread: where that fails, these samples are dropped.
 */
NOIPA static void work_otherwise (void)
{
#pragma pp interval other
	host_sum ^= host_sum >> 7;
}

NOIPA static void work (int i)
{
	{
#pragma pp interval work(pairs)
		host_sum = host_sum * 31 + (unsigned long) i;
	}
#pragma pp point given(values, marks) value(VALUE)
	host_sum ^= 7;
}

/* In groups: of numbers and of texts. */
NOIPA static void work_in_groups (int i)
{
	static const char *const names[] = {"get", "set", "delete"};

#pragma pp interval group dim(kind = i % 7, name = names[i % 3])
	host_sum += (unsigned long) i;
}

static void work_often (void)
{
	for (int i = 0; i < ROUNDS; i++)
		work (i);
	for (int i = 0; i < 21; i++)
		work_in_groups (i);
	work_otherwise ();
	work_otherwise ();
	executed += ROUNDS;
}

static void *in_a_thread (void *arg)
{
	work_often ();
	return arg;
}

/*
 * What is left after the last byte of standard output: how a run kept its word, for who started it.
 */
enum { EXACT = 0, DROPPED = 20, SAID = 21, WRONG = 22 };

/* Of the sites that are bound by the source: other sources have causes of their own. */
static double dropped_in_all (void)
{
	double n = 0;

	for (int i = 0; i < PP_DROPS; i++)
		if (i != PP_DROP_TORN && i != PP_DROP_UNAVAILABLE && i != PP_DROP_UNKNOWN)
			n += (double) pp_dropped ((enum pp_drop) i);
	return n;
}

/* A metric of VALUE at each of N executions, or of times. */
static int kept (const pp_metric *m, unsigned long n, int is_value)
{
	double count = m ? pp_stat (m, NULL, PP_STAT_N) : 0, sum = m ? pp_sum (m) : 0;

	if (isnan (count))
		count = 0;
	if (count > (double) n || (is_value && count > 0 && sum != VALUE * count)) {
		fprintf (stderr, "# %s: %g samples of %lu, sum %g\n",
			 m ? pp_metric_name (m) : "none", count, n, sum);
		return WRONG;
	}
	if (count == (double) n)
		return EXACT;
	return count + dropped_in_all () >= (double) n ? DROPPED : SAID;
}

static int worse (int a, int b)
{
	return a > b ? a : b;
}

static void write_policy (const char *path, const char *recording, int version)
{
	FILE *f = fopen (path, "w");

	if (!f)
		return;
	fprintf (f,
		 "version: 1\n"
		 "metrics:\n"
		 "  more: {point: value, keep: bounded_series, size: %d}\n"
		 "  slow: {interval: elapsed, keep: stats, window: 10s}\n"
		 "  share: {expr: values.sum / values.count}\n"
		 "  io: {interval: bytes_read, keep: sumcount}\n"
		 "  faults: {interval: page_faults, keep: sumcount}\n"
		 "  task: {interval: task_clock, keep: sumcount, optional: true}\n"
		 "  heap: {interval: heap_bytes, keep: sumcount, optional: true}\n"
		 "  cycles: {interval: 'papi:PAPI_TOT_CYC', keep: sumcount, optional: true}\n"
		 "  each: {interval: elapsed, keep: histogram}\n"
		 "bind:\n"
		 "  - {metric: more, sites: [given]}\n"
		 "  - {metric: slow, sites: ['work/*', 'fil?:x/*'], every: 2}\n"
		 "  - {metric: io, sites: [other]}\n"
		 "  - {metric: faults, sites: [other]}\n"
		 "  - {metric: task, sites: [other]}\n"
		 "  - {metric: heap, sites: [other]}\n"
		 "  - {metric: cycles, sites: [other]}\n"
		 "  - {metric: each, sites: [group]}\n"
		 "events: {aggregate: [{by: [kind, name], sites: [group], keep: histogram}]}\n"
		 "assertions:\n"
		 "  low: {at: given, expect: more.last < %d, on_fire: [{call: react}, {knob: "
		 "{name: level, step: 1}}]}\n"
		 "  often: {every: 1s, expect: 'low.violations.share[1s] <= 5%%', on_fire: [{log: "
		 "info}]}\n"
		 "  one: {every: 10ms, expect: 'each{name=\"get\"}.p99[1s] <= 1h', on_fire: []}\n"
		 "  any: {every: 10ms, expect: 'any(each by kind).max <= 1h', on_fire: []}\n"
		 "  near: {at: work, expect: slow.last <= 2 * slow.avg, after: 10, capture: "
		 "[more], on_fire: []}\n"
		 "record: {file: %s}\n",
		 100 * version, VALUE, recording);
	fclose (f);
}

/* Whoever started this run clears away what is left of the child. */
static void tell_child (const char *in, pid_t child)
{
	char path[300];
	FILE *f;

	snprintf (path, sizeof path, "%s/child", in);
	f = fopen (path, "w");
	if (!f)
		return;
	fprintf (f, "%d\n", (int) child);
	fclose (f);
}

static void fork_one (const char *in)
{
	unsigned long before = executed;
	int status;
	pid_t child;

	fflush (stdout);
	child = fork ();
	if (child == 0) {
		double n;

		alarm (60);
		work_often ();
		n = pp_stat (values, NULL, PP_STAT_N);
		/* all that is there is its own, or nothing is */
		_exit (n > ROUNDS ? WRONG : 0);
	}
	executed = before;
	tell_child (in, child);
	if (child < 0 || waitpid (child, &status, 0) != child)
		status = -1;
	printf ("the child ended with %d\n", status);
}

/* Returns how the run kept its word. */
static int run_script (const char *in)
{
	char policy[300], recording[300];
	unsigned long at_bind;
	pthread_t thread;
	int kept_so;

	snprintf (policy, sizeof policy, "%s/policy.yaml", in);
	snprintf (recording, sizeof recording, "%s/run.pprec", in);
	work_often ();
	write_policy (policy, recording, 1);
	pp_policy_load (policy);
	work_often ();
	kept_so = worse (kept (values, executed, 1), kept (pairs, executed, 0));
	for (int i = 0; i < TOGGLES; i++) {
		pp_unbind (marks, "**");
		work_often ();
		pp_bind (marks, "**given", 1);
		work_often ();
	}
	if (pthread_create (&thread, NULL, in_a_thread, NULL) == 0)
		pthread_join (thread, NULL);
	kept_so = worse (kept_so, worse (kept (values, executed, 1), kept (pairs, executed, 0)));
	write_policy (policy, recording, 2);
	pp_policy_reload ();
	pp_policy_load (policy);
	pp_on_assertion ("low", react, NULL);
	pp_expect ("called", "values.last <= 10");
	pp_poll ();
	usleep (12000); /* groups are looked at again, and kept */
	work_often ();
	pp_poll ();
	work_often ();
	fork_one (in);
	at_bind = executed;
	pp_record (recording);
	work_often ();
	pp_policy_unload (policy);
	work_often ();
	kept_so = worse (kept_so, worse (kept (values, executed, 1), kept (pairs, executed, 0)));
	printf ("%lu of %lu executions after the fork: %lx\n", executed - at_bind, executed,
		host_sum);
	fflush (stdout);
	return kept_so;
}

/*
 * ---- who tries
 * ----------------------------------------------------------------------------------------------------
 */

enum { SECONDS = 60, MOST_STDERR = 8000, FIRST = 12, FIRST_MEMORY = 40, STEPS = 12 };

struct outcome {
	char out[2000], err[20000];
	size_t out_bytes, err_bytes;
	int status;
	bool hung;
};

static char directory[200];
static struct outcome reference;
static unsigned long *calls; /* of the run that is going on, by kind */

static void read_some (int fd, char *to, size_t *n, size_t room)
{
	char more[4096];
	ssize_t got = read (fd, more, sizeof more);
	size_t kept_bytes = got > 0 && *n + 1 < room ? (size_t) got : 0;

	if (kept_bytes > room - 1 - *n)
		kept_bytes = room - 1 - *n;
	memcpy (to + *n, more, kept_bytes);
	*n += got > 0 ? (size_t) got : 0;
}

static long now_ms (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Regions of PROCESS that it could not remove, since just that failed: they would fill /dev/shm. */
static void remove_regions (pid_t process)
{
	char pattern[40];
	glob_t found;

	snprintf (pattern, sizeof pattern, "/dev/shm/pp.%d.*", (int) process);
	if (glob (pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		unlink (found.gl_pathv[i]);
	globfree (&found);
}

static void clear_away (pid_t process)
{
	char path[300];
	int child = 0;
	FILE *f;

	remove_regions (process);
	snprintf (path, sizeof path, "%s/child", directory);
	f = fopen (path, "r");
	if (f && fscanf (f, "%d", &child) == 1 && child > 0)
		remove_regions (child);
	if (f)
		fclose (f);
	unlink (path);
}

static void run_once (const char *spec, struct outcome *o)
{
	int out[2], err[2];
	long end = now_ms () + SECONDS * 1000;
	pid_t child;

	memset (o, 0, sizeof *o);
	memset (calls, 0, INJECT_BYTES);
	if (pipe2 (out, O_CLOEXEC) < 0 || pipe2 (err, O_CLOEXEC) < 0)
		return;
	child = fork ();
	if (child == 0) {
		dup2 (out[1], 1);
		dup2 (err[1], 2);
		setenv ("PP_INJECT", spec, 1);
		execl ("/proc/self/exe", "faults", "--run", directory, (char *) NULL);
		_exit (125);
	}
	close (out[1]);
	close (err[1]);
	for (int open = 3; open;) {
		struct pollfd p[2] = {{open & 1 ? out[0] : -1, POLLIN, 0},
				      {open & 2 ? err[0] : -1, POLLIN, 0}};
		long left = end - now_ms ();
		size_t before;

		if (left <= 0 || poll (p, 2, (int) left) <= 0) {
			o->hung = true;
			kill (child, SIGKILL);
			break;
		}
		if (p[0].revents) {
			before = o->out_bytes;
			read_some (out[0], o->out, &o->out_bytes, sizeof o->out);
			open &= o->out_bytes == before ? ~1 : ~0;
		}
		if (p[1].revents) {
			before = o->err_bytes;
			read_some (err[0], o->err, &o->err_bytes, sizeof o->err);
			open &= o->err_bytes == before ? ~2 : ~0;
		}
	}
	close (out[0]);
	close (err[0]);
	waitpid (child, &o->status, 0);
	clear_away (child);
}

/* Is there a line on stderr that isn't about assertions, which fire in every run? */
static bool says_more (const struct outcome *o)
{
	const char *line = o->err, *end;

	for (; *line; line = *end ? end + 1 : end) {
		size_t n = strcspn (line, "\n");

		end = line + n;
		if (n && !memmem (line, n, " fired", 6))
			return true;
	}
	return false;
}

/*
 * NULL: the run, in which one call failed or ALL_FAIL from one on, kept its word; else what is
 * wrong.
 */
static const char *fault_of (const struct outcome *o, bool all_fail)
{
	if (o->hung)
		return "it hangs";
	if (WIFSIGNALED (o->status))
		return "a signal ended it";
	/* AddressSanitizer ends a process whose new thread finds no memory */
	if (UNDER_ASAN && all_fail && strstr (o->err, "AddressSanitizer: CHECK failed"))
		return NULL;
	if (o->out_bytes != reference.out_bytes || strcmp (o->out, reference.out) != 0)
		return "its output is another";
	if (o->err_bytes > MOST_STDERR)
		return "it says too much";
	switch (WEXITSTATUS (o->status)) {
	case EXACT:
	case DROPPED:
		return NULL;
	case SAID:
		if (!all_fail && strstr (o->err, "it is tried again"))
			return "what memory was short for once is not tried again";
		return says_more (o) ? NULL : "samples are missing, and nothing says so";
	case WRONG:
		return "it has more samples than executions, or another sum";
	default:
		return "its exit status is another";
	}
}

/* What the run with KIND:N (and with PLUS) does wrong is told. */
static int try (const char *kind, unsigned long n, const char *plus, int *told)
{
	static struct outcome o;
	const char *fault;
	char spec[80];

	snprintf (spec, sizeof spec, "%s:%lu%s", kind, n, plus);
	run_once (spec, &o);
	fault = fault_of (&o, *plus != 0);
	if (fault && (*told)++ < 5)
		note ("%s: %s (status %#x)\n%.1500s", spec, fault, (unsigned) o.status, o.err);
	return fault == NULL;
}

/* Static bindings are made within the first forty allocations. */
static int is_tried (enum inject_kind kind, unsigned long n, unsigned long of, int all)
{
	/* a sanitizer's program takes four times as long */
	unsigned long share = UNDER_ASAN ? 3 : 1, step = (of + STEPS / share - 1) / (STEPS / share),
		      first = (kind == INJECT_memory ? FIRST_MEMORY : FIRST) / share;

	return all || n <= first || n == of || n % step == 0;
}

static void try_kind (enum inject_kind kind, unsigned long of, const char *plus, int all)
{
	unsigned long tried = 0, good = 0;
	int told = 0;

	for (unsigned long n = 1; n <= of; n++)
		if (is_tried (kind, n, of, all)) {
			tried++;
			good += (unsigned long) try (inject_name[kind], n, plus, &told);
		}
	if (of)
		ok (good == tried,
		    "%s: %s of %lu calls failing leaves the host as it is (%lu tried)",
		    inject_name[kind], *plus ? "all from the nth on" : "the nth", of, tried);
}

/* Where renaming and unlinking fail, temporary files stay. */
static void remove_files (void)
{
	DIR *d = opendir (directory);
	const struct dirent *e;

	while (d && (e = readdir (d)))
		unlinkat (dirfd (d), e->d_name, 0);
	if (d)
		closedir (d);
	rmdir (directory);
}

static void make_calls (void)
{
	char path[300];
	int fd;

	snprintf (path, sizeof path, "%s/calls", directory);
	fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate (fd, INJECT_BYTES) < 0)
		exit (1);
	calls = mmap (NULL, INJECT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (calls == MAP_FAILED)
		exit (1);
	close (fd);
	setenv ("PP_INJECT_CALLS", path, 1);
}

static int is_set (const char *variable)
{
	const char *value = getenv (variable);

	return value && strcmp (value, "1") == 0;
}

/* Every kind of call once, and from there on. */
static void try_all (void)
{
	/* a sanitizer makes it three times as long, which is more than a test may take */
	int all = is_set ("SOAK") || (is_set ("FULL") && !UNDER_ASAN);
	unsigned long of[INJECT_N];

	run_once ("none:0", &reference);
	memcpy (of, calls, sizeof of);
	if (!ok (!reference.hung && reference.status == EXACT && !says_more (&reference),
		 "where nothing fails, every execution is a sample and nothing is said"))
		note ("status %#x\n%.1500s%.1500s", (unsigned) reference.status, reference.out,
		      reference.err);
	for (unsigned k = 0; k < INJECT_N; k++) {
		try_kind ((enum inject_kind) k, of[k], "", all);
		try_kind ((enum inject_kind) k, of[k], "+", all);
	}
}

static int one (const char *spec)
{
	static struct outcome o;
	const char *fault;

	run_once ("none:0", &reference);
	run_once (spec, &o);
	fault = fault_of (&o, strchr (spec, '+') != NULL);
	printf ("%s: %s, status %#x\n%s%s", spec, fault ? fault : "good", (unsigned) o.status,
		o.out, o.err);
	return fault != NULL;
}

int main (int argc, char **argv)
{
	int status = 0;

	if (argc == 3 && strcmp (argv[1], "--run") == 0)
		return run_script (argv[2]);
	if (UNDER_TSAN) {
		skipped ("a call that fails leaves the host as it is",
			 "ThreadSanitizer's own calls can't be told apart");
		return checked ();
	}
	snprintf (directory, sizeof directory, "%s/pp-faults-XXXXXX",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp");
	if (!mkdtemp (directory))
		return 1;
	make_calls ();
	if (argc == 2)
		status = one (argv[1]);
	else
		try_all ();
	remove_files ();
	return argc == 2 ? status : checked ();
}
