/* SPDX-License-Identifier: MIT */
/*
 * noise.c: another process of the same user writes whatever it likes into the live region, all the
 * time, while everything is bound that can be. Figures are wrong then, and nothing else: the
 * program computes what it computes, turns its knobs within their ranges, starts and joins threads,
 * forks, reports, records, loads its policy again, and ends as it would.
 *
 *     noise              the test, some seconds
 *     noise SECONDS      for longer, by hand
 */
#include "tests/system/check.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { THREADS = 3, STEPS = 400, KNOB_LEAST = 1, KNOB_MOST = 9 };

/* ---- the program ----------------------------------------------------------------------------- */

PP_KNOB_INT (quality, 5, KNOB_LEAST, KNOB_MOST, 1)

static _Thread_local int64_t depth_now;

int64_t depth_begin (void);
int64_t depth_end (const int64_t *begin);

int64_t depth_begin (void)
{
	return depth_now;
}

int64_t depth_end (const int64_t *begin)
{
	return depth_now - *begin;
}

/* clang-format off */
#pragma pp metric users interval stats(depth_begin, depth_end)
/* clang-format on */

NOIPA static uint64_t mix (uint64_t x)
{
	uint64_t y = x;

#pragma pp feature noise.mix payload((int64_t) (x & 3))
#pragma pp interval inner
	{
		y ^= y >> 33;
		y *= UINT64_C (0xff51afd7ed558ccd);
		y ^= y >> 29;
	}
	return y;
}

NOIPA static uint64_t nest (uint64_t x, unsigned depth)
{
	static const char *const names[] = {"even", "odd", "none"};

	depth_now = depth;
#pragma pp interval outer dim(depth = depth, name = names[x % 3])
	{
#pragma pp antimark noise.mix
		x = mix (x + depth);
		if (depth)
			x = nest (x, depth - 1);
	}
	return x;
}

NOIPA static uint64_t step (uint64_t x, unsigned i)
{
#pragma pp point whole value((int64_t) (x >> (x & 63)))
#pragma pp point real value((double) x * 1e-9)
	x = nest (x, i % 60);
	if (i % 16 == 0) {
		pp_span span = pp_span_begin (pp_span_site ("request"));
		int64_t event = pp_event_begin ("event", PP_DIM ("i", i));

		pp_event_end (event, PP_DIM ("x", x));

		pp_begin ("called");
		x = mix (x);
		pp_end ("called");
		pp_span_end (span);
	}
	return x;
}

static uint64_t compute (uint64_t seed)
{
	for (unsigned i = 0; i < STEPS; i++)
		seed = step (seed, i);
	return seed;
}

/* ---- everything that can be bound ------------------------------------------------------------ */

static const char policy[] =
	"version: 1\n"
	"metrics:\n"
	"  scalar: {interval: elapsed, keep: scalar}\n"
	"  count: {interval: elapsed, keep: count}\n"
	"  sums: {interval: elapsed, keep: sumcount}\n"
	"  stats: {interval: elapsed, keep: stats}\n"
	"  series: {interval: elapsed, keep: bounded_series, size: 7}\n"
	"  buckets: {interval: elapsed, keep: histogram}\n"
	"  all: {interval: elapsed, keep: unbounded_series, maxSize: 5000}\n"
	"  self: {interval: elapsed, keep: stats, scope: self}\n"
	"  outermost: {interval: elapsed, keep: sumcount, scope: outermost}\n"
	"  recent: {interval: elapsed, keep: histogram, window: 50ms}\n"
	"  seldom: {interval: elapsed, keep: histogram, every: 3}\n"
	"  dims: {interval: \"dim:depth\", keep: histogram}\n"
	"  whole_stats: {point: value, keep: stats}\n"
	"  whole_buckets: {point: value, keep: histogram}\n"
	"  whole_series: {point: value, keep: bounded_series, size: 20}\n"
	"  whole_all: {point: value, keep: unbounded_series}\n"
	"  real_stats: {point: value, keep: stats}\n"
	"  real_buckets: {point: value, keep: histogram}\n"
	"  real_series: {point: value, keep: bounded_series, size: 20}\n"
	"  real_all: {point: value, keep: unbounded_series}\n"
	"  depths: {interval: elapsed, keep: histogram}\n"
	"  both: {expr: \"whole_stats.sum / real_stats.sum\"}\n"
	"bind:\n"
	"  - {metric: scalar, sites: outer}\n"
	"  - {metric: count, sites: [inner, outer, request, called]}\n"
	"  - {metric: sums, sites: [inner, outer, request, called]}\n"
	"  - {metric: stats, sites: [inner, outer, request, called]}\n"
	"  - {metric: series, sites: [inner, outer, request, called]}\n"
	"  - {metric: buckets, sites: [inner, outer, request, called]}\n"
	"  - {metric: all, sites: inner}\n"
	"  - {metric: self, sites: outer}\n"
	"  - {metric: outermost, sites: outer}\n"
	"  - {metric: recent, sites: inner}\n"
	"  - {metric: seldom, sites: inner}\n"
	"  - {metric: dims, sites: outer}\n"
	"  - {metric: users, sites: outer}\n"
	"  - {metric: whole_stats, sites: whole}\n"
	"  - {metric: whole_buckets, sites: whole}\n"
	"  - {metric: whole_series, sites: whole}\n"
	"  - {metric: whole_all, sites: whole}\n"
	"  - {metric: real_stats, sites: real}\n"
	"  - {metric: real_buckets, sites: real}\n"
	"  - {metric: real_series, sites: real}\n"
	"  - {metric: real_all, sites: real}\n"
	"  - {metric: depths, sites: outer}\n"
	"assertions:\n"
	"  quick: {at: inner, expect: stats.last <= 1 h, on_fire: []}\n"
	"  slow: {at: outer, expect: stats.last <= 1.25 * stats.avg, capture: [whole_stats, both], "
	"sweep: [0.5, 1, "
	"2],\n"
	"         on_fire: [knob: {name: quality, step: -1}], on_clear: [knob: {name: quality, "
	"step: 1}]}\n"
	"  each: {at: outer, scope: thread, expect: sums.avg <= 1 us, for: 3, on_fire: []}\n"
	"  tail: {every: 20ms, expect: \"buckets.p99 <= 1 ms and real_buckets.p50 < 5 and both < "
	"7\", on_fire: []}\n"
	"  open: {every: 10ms, expect: outer.open_age <= 1 s, on_fire: []}\n"
	"  over: {every: 10ms, expect: \"stats.avg[100ms] < 1 ms\", on_fire: []}\n"
	"  some: {every: 10ms, expect: \"any(depths by depth).p99[100ms] <= 1 s\", on_fire: []}\n"
	"events:\n"
	"  records: [outer, request, event, real]\n"
	"  strings: 50\n"
	"  aggregate:\n"
	"    - {by: depth, sites: outer, keep: histogram}\n"
	"    - {by: [name, event], sites: [outer, inner], max_groups: 3}\n"
	"overhead: {budget: 50%}\n";

/* What records: to a file, with what profiles there are in turn. */
static const char recording[] =
	"version: 1\n"
	"record: {file: \"%s\", interval: 100ms, overwrite: true}\n"
	"events: {flight: 64}\n"
	"profile: %s\n"
	"assertions:\n"
	"  dumps: {every: 30ms, expect: \"stats.n < 1\", on_fire: [dump], quiet: true}\n";

static int load_recording (const char *file, unsigned way)
{
	static const char *const profiles[] = {"{rate: 500}",
					       "{sampler: watcher, rate: 2000, features: sampled}",
					       "{features: exact}"};
	char text[800];

	snprintf (text, sizeof text, recording, file, profiles[way % 3]);
	return pp_policy_load_text ("recording", text);
}

static double looked_at; /* so that it is looked at */

/* A statistic of the program's own, which looks at every sample. */
static double whole_of (const pp_snapshot *snapshot, void *arg)
{
	const double *samples;
	size_t n = pp_snapshot_samples (snapshot, &samples);
	double sum = 0;

	(void) arg;
	for (size_t i = 0; i < n; i++)
		sum += samples[i];
	return sum;
}

static int look (const struct pp_series_piece *piece, void *arg)
{
	/* each sample is there to be read, whatever it says */
	for (size_t i = 0; i < piece->n; i++)
		*(uint64_t *) arg += ((const volatile uint64_t *) piece->samples)[i];
	return 0;
}

/* All that reads: statistics, snapshots, series, reports, recordings, states. */
static void read_all (FILE *nowhere, const char *file)
{
	static const char *const names[] = {
		"scalar",       "count",      "sums",         "stats",     "series",
		"buckets",      "all",        "self",         "recent",    "seldom",
		"dims",         "users",      "whole_stats",  "whole_all", "whole_buckets",
		"whole_series", "real_stats", "real_buckets", "real_all",  "real_series"};
	static const char *const assertions[] = {"quick", "slow", "each", "tail", "open", "over"};
	struct pp_assertion_info info;
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		pp_metric *m = pp_metric_find (names[i]);

		for (int s = 0; m && s < PP_STATISTICS; s++)
			looked_at += pp_stat (m, NULL, (enum pp_statistic) s) +
				     pp_thread_stat (m, NULL, (enum pp_statistic) s);
		if (!m)
			continue;
		looked_at += pp_stat_named (m, NULL, "noise_total") + pp_quantile (m, 0.3) +
			     pp_moving_avg (m, 5);
		pp_series_view (m, look, &sum);
	}
	for (size_t i = 0; i < sizeof assertions / sizeof assertions[0]; i++)
		if (pp_assertion_state (assertions[i], &info) == PP_OK &&
		    (unsigned) info.state > PP_STATE_UNKNOWN)
			abort ();
	pp_report (nowhere);
	pp_record (file);
}

/* ---- noise ----------------------------------------------------------------------------------- */

static uint64_t noise_state = 88172645463325252u;

static uint64_t any (void)
{
	noise_state ^= noise_state << 13;
	noise_state ^= noise_state >> 7;
	noise_state ^= noise_state << 17;
	return noise_state;
}

/* Words of one kind: what a pointer, a length or a place in the region might be. */
static uint64_t word_of (unsigned kind, uint64_t base)
{
	switch (kind) {
	case 0:
		return any ();
	case 1:
		return 0;
	case 2:
		return UINT64_MAX;
	case 3:
		return any () % 4096;
	case 4:
		return any () % 4096 * 64;
	case 5:
		return base + any () % (1 << 20);
	case 6:
		return base + any () % (1 << 20) * 64;
	case 7:
		return -(any () % (1 << 20) * 64);
	case 8:
		return UINT64_C (0x0010000000000000) * (any () % 16) + any () % 64;
	default:
		return 1 + any () % 3;
	}
}

/* Where PROCESS has what a name in /proc/PROCESS/maps has PART of; 0: nowhere. */
static uint64_t base_of (int process, const char *part)
{
	char path[64], line[512];
	unsigned long long from = 0;
	FILE *maps;

	snprintf (path, sizeof path, "/proc/%d/maps", process);
	maps = fopen (path, "r");
	while (maps && fgets (line, sizeof line, maps))
		if (strstr (line, part) && sscanf (line, "%llx", &from) == 1)
			break;
	if (maps)
		fclose (maps);
	return from;
}

/* PROCESS's region, opened as anybody of its user may; -1: there is none. */
static int open_region (int process)
{
	char folder[64], path[600], target[600];
	struct dirent *entry;
	int fd = -1;
	ssize_t n;
	DIR *dir;

	snprintf (folder, sizeof folder, "/proc/%d/fd", process);
	dir = opendir (folder);
	while (dir && fd < 0 && (entry = readdir (dir))) {
		snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
		n = readlink (path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strncmp (target, "/dev/shm/", 9) == 0 || strstr (target, "pp-region"))
			fd = open (path, O_RDWR | O_CLOEXEC);
	}
	if (dir)
		closedir (dir);
	return fd;
}

/*
 * Until it is killed: all of what is backed, again and again, in one kind of words or in all,
 * densely or here and there.
 */
static int make_noise (int process)
{
	int fd = open_region (process);
	uint64_t region = base_of (process, "/dev/shm/"), heap = base_of (process, "[heap]");
	struct stat st;
	uint64_t *at;

	if (fd < 0 || fstat (fd, &st) < 0)
		return 1;
	/* it may grow */
	at = mmap (NULL, UINT64_C (256) << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || write (1, "+", 1) != 1)
		return 1;
	for (unsigned round = 0; fstat (fd, &st) == 0; round++) {
		size_t words = (size_t) st.st_size / sizeof *at;
		unsigned kind = round % 12, sparse = any () % 3 ? 1 + (unsigned) (any () % 64) : 1;
		/* mostly where something is */
		size_t reach = any () % 2 ? words : words / 8;

		for (size_t i = any () % sparse; i < reach; i += sparse)
			__atomic_store_n (&at[i],
					  word_of (kind < 10 ? kind : (unsigned) (any () % 10),
						   any () % 2 ? region : heap),
					  __ATOMIC_RELAXED);
	}
	return 0;
}

static pid_t start_noise (void)
{
	char process[32], sign;
	int both[2];
	pid_t child;

	snprintf (process, sizeof process, "%d", getpid ());
	if (pipe (both) < 0)
		return -1;
	child = fork ();
	if (child == 0) {
		prctl (PR_SET_PDEATHSIG, SIGKILL);
		dup2 (both[1], 1);
		unsetenv ("PP_POLICY");
		execl ("/proc/self/exe", "noise", "--noise", process, (char *) NULL);
		_exit (127);
	}
	close (both[1]);
	if (read (both[0], &sign, 1) != 1) {
		close (both[0]);
		waitpid (child, NULL, 0);
		return -1;
	}
	close (both[0]);
	return child;
}

/* ---- the test -------------------------------------------------------------------------------- */

static uint64_t expected[THREADS + 1];
static unsigned wrong; /* atomic */

static void *work (void *arg)
{
	size_t i = (size_t) (uintptr_t) arg;

	if (compute (i) != expected[i])
		__atomic_fetch_add (&wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* A child measures into a region of its own. */
static void fork_once (void)
{
	int status = -1;
	pid_t child = fork ();

	if (child == 0)
		_exit (compute (0) == expected[0] ? 7 : 8);
	waitpid (child, &status, 0);
	if (!WIFEXITED (status) || WEXITSTATUS (status) != 7)
		__atomic_fetch_add (&wrong, 1, __ATOMIC_RELAXED);
}

static double now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static unsigned run_for (double seconds, const char *file, const char *streamed)
{
	FILE *nowhere = fopen ("/dev/null", "w");
	double end = now () + seconds;
	unsigned rounds = 0;

	for (; now () < end || !rounds; rounds++) {
		pthread_t thread[THREADS];

		for (size_t i = 0; i < THREADS; i++)
			pthread_create (&thread[i], NULL, work, (void *) (uintptr_t) i);
		work ((void *) (uintptr_t) THREADS);
		read_all (nowhere, file);
		for (size_t i = 0; i < THREADS; i++)
			pthread_join (thread[i], NULL);
		if (rounds % 4 == 0)
			fork_once ();
		if (rounds % 4 == 1)
			pp_policy_load_text ("noise", policy);
		if (rounds % 4 == 2)
			load_recording (streamed, rounds / 4);
		if (rounds % 4 == 2 && pp_metric_find ("stats"))
			pp_reset (pp_metric_find ("buckets"));
		if (rounds % 4 == 3) {
			pp_unbind (pp_metric_find ("all"), "inner");
			pp_bind (pp_metric_find ("all"), "inner", 2);
		}
		if (pp_knob_int (quality) < KNOB_LEAST || pp_knob_int (quality) > KNOB_MOST)
			__atomic_fetch_add (&wrong, 1, __ATOMIC_RELAXED);
	}
	if (nowhere)
		fclose (nowhere);
	return rounds;
}

int main (int argc, char **argv)
{
	double seconds = argc == 2 ? atof (argv[1]) : 3;
	char folder[] = "/tmp/pp_noise_XXXXXX", file[64], streamed[64];
	unsigned rounds;
	pid_t noise;

	if (argc == 3 && strcmp (argv[1], "--noise") == 0)
		return make_noise (atoi (argv[2]));
	if (UNDER_TSAN) {
		skipped ("noise in the region", "that is what ThreadSanitizer would call races");
		return checked ();
	}
	for (size_t i = 0; i <= THREADS; i++)
		expected[i] = compute (i);
	if (!mkdtemp (folder))
		return 99;
	snprintf (file, sizeof file, "%s/noise.pprec", folder);
	snprintf (streamed, sizeof streamed, "%s/streamed.pprec", folder);
	pp_statistic_new ("noise_total", whole_of, NULL, 1);
	same (pp_policy_load_text ("noise", policy), 0, "everything that there is, is bound");
	for (unsigned i = 0; i < 3; i++)
		ok (load_recording (streamed, i) == 0, "and recorded, way %u", i);
	run_for (0.2, file, streamed);
	same (wrong, 0, "the program computes what it does without measuring");
	ok (pp_count (pp_metric_find ("stats")) > 0, "it is measured");
	noise = start_noise ();
	if (noise < 0) {
		skipped ("another process writes noise into the region",
			 "no file of the region's is to be opened");
	} else {
		rounds = run_for (seconds, file, streamed);
		same (wrong, 0,
		      "it computes the same while another process writes noise into the region");
		ok (rounds > 0, "round after round (%u)", rounds);
		kill (noise, SIGKILL);
		waitpid (noise, NULL, 0);
	}
	same (pp_policy_unload ("noise"), 0, "what was loaded is unloaded");
	same (pp_policy_unload ("recording"), 0, "and recorded no more");
	same (compute (1) == expected[1], 1, "and the program goes on");
	unlink (file);
	unlink (streamed);
	rmdir (folder);
	return checked ();
}
