/* SPDX-License-Identifier: MIT */
/*
 * profiled.c: the profile that a program takes of itself: begun, paused, ended, looked at; which
 * threads and intervals are in it.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static __thread volatile unsigned long sink;

NOIPA static void steps (void)
{
	for (unsigned long i = 0; i < 20000; i++)
		sink = sink * 3 + i;
}

static double cpu_now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

#define SPIN(seconds)                                                                              \
	for (double until = cpu_now () + (seconds); cpu_now () < until;)                           \
		steps ();                                                                          \
	__asm__ volatile("") /* no tail call: the caller is on the stack */

NOIPA static void wanted (double seconds)
{
	PP_INTERVAL (wanted)
	SPIN (seconds);
}

NOIPA static void unwanted (double seconds)
{
	PP_INTERVAL (unwanted)
	SPIN (seconds);
}

NOIPA static void elsewhere (double seconds)
{
	PP_INTERVAL (elsewhere)
	SPIN (seconds);
}

NOIPA static void *thread_elsewhere (void *arg)
{
	elsewhere (*(double *) arg);
	return NULL;
}

/* In another thread, which has ended then. */
static void in_a_thread (double seconds)
{
	pthread_t thread;

	pthread_create (&thread, NULL, thread_elsewhere, &seconds);
	pthread_join (thread, NULL);
}

/* ---- looking at results ---------------------------------------------------------------------- */

/* Of functions `wanted`, of intervals `wanted/wanted`. */
static const struct pp_profile_node *node_of (const struct pp_profile_result *result,
					      const char *name)
{
	size_t n = strlen (name);

	for (size_t i = 0; result && i < result->nodes; i++)
		if (strncmp (result->node[i].name, name, n) == 0 &&
		    (!result->node[i].name[n] || result->node[i].name[n] == '/'))
			return &result->node[i];
	return NULL;
}

static double total_of (const struct pp_profile_result *result, const char *name)
{
	const struct pp_profile_node *node = node_of (result, name);

	return node ? node->total : 0;
}

static struct pp_profile_result *snapshot (void)
{
	struct pp_profile_result *result;
	int error = pp_profile_snapshot (&result);

	if (error)
		note ("no snapshot: %s", pp_strerror (error));
	return result;
}

/* FORMAT of RESULT; static. */
static const char *text_of (const struct pp_profile_result *result, enum pp_profile_format format)
{
	static char text[1 << 16];
	struct pp_profile_options options = PP_PROFILE_OPTIONS;
	FILE *out = fmemopen (text, sizeof text, "w");
	int error;

	memset (text, 0, sizeof text);
	options.format = format;
	error = pp_profile_print (result, &options, out);
	fclose (out);
	return error ? "" : text;
}

static enum pp_profile_by by;

static struct pp_profile_options usual (void)
{
	struct pp_profile_options options = PP_PROFILE_OPTIONS;

	options.by = by;
	options.delay = 0.001;
	/* what a busy machine leaves to a thread is in no figure */
	options.is_cpu = 1;
	return options;
}

/* ---- control --------------------------------------------------------------------------------- */

/* Is an object of that name mapped? */
static int is_loaded (const char *name)
{
	FILE *maps = fopen ("/proc/self/maps", "r");
	char line[512];
	int found = 0;

	while (maps && fgets (line, sizeof line, maps))
		found |= strstr (line, name) != NULL;
	if (maps)
		fclose (maps);
	return found;
}

static void nothing_is_there (void)
{
	struct pp_profile_result *result = (void *) &by;

	same (pp_profile_pause (), PP_ESTATE, "what is not taken is not paused");
	same (pp_profile_resume (), PP_ESTATE, "nor resumed");
	same (pp_profile_stop (), PP_ESTATE, "nor ended");
	same (pp_profile_delay (0.01), PP_ESTATE, "nor has it a delay");
	same (pp_profile_track (PP_TRACK_ALL, NULL, 0), PP_ESTATE, "nor threads");
	same (pp_profile_snapshot (&result), PP_ESTATE, "nor is there a snapshot");
	ok (!result, "whose result is NULL");
	same (pp_profile_snapshot (NULL), PP_EINVAL, "a result goes somewhere");
	pp_profile_free (NULL);
	ok (!is_loaded ("libpp-profile") && !is_loaded ("libdw"), "nor is its module loaded");
}

static void what_makes_no_sense_is_refused (void)
{
	static const char *const sites[] = {"wanted"};
	static const int threads[] = {1, -1};
	struct pp_profile_options o[9];

	for (int i = 0; i < 9; i++)
		o[i] = usual ();
	o[0].size--;
	o[1].delay = 0.00009;
	o[2].delay = NAN;
	o[3].track = PP_TRACK_CHOSEN;
	o[4].track = PP_TRACK_CHOSEN;
	o[4].thread = threads;
	o[4].threads = 2;
	o[5].by = PP_BY_FUNCTION;
	o[5].site = sites;
	o[5].sites = 1;
	o[6].hide_self = 2;
	o[7].periodic = 1;
	o[8].format = (enum pp_profile_format) 99;
	for (int i = 0; i < 9; i++)
		ok (pp_profile_start (&o[i]) == PP_EINVAL, "options that make no sense: %d", i);
	same (pp_profile_stop (), PP_ESTATE, "and nothing has begun");
	same (pp_profile_delay (0), PP_EINVAL, "no delay is no delay");
	same (pp_samples_each (NULL, NULL, NULL), PP_EINVAL, "samples go somewhere");
}

static void a_pause_is_in_no_figure (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;

	same (pp_profile_start (&options), PP_OK, "a profile begins");
	same (pp_profile_start (&options), PP_ESTATE, "there is one at a time");
	for (int i = 0; i < 20; i++) {
		wanted (0.01);
		same (pp_profile_pause (), PP_OK, "it is paused");
		unwanted (0.01);
		pp_profile_pause ();
		unwanted (0.01);
		pp_profile_resume ();
		unwanted (0.01);
		same (pp_profile_resume (), PP_OK, "pauses nest");
	}
	same (pp_profile_resume (), PP_ESTATE, "what is not paused is not resumed");
	same (pp_profile_stop (), PP_OK, "it ends");
	result = snapshot ();
	/* each pause takes what came since the last sample: on a busy machine nearly all of 10 ms */
	ok (total_of (result, "wanted") > 0.02, "what runs outside of pauses is seen: %g s of 0.2",
	    total_of (result, "wanted"));
	ok (total_of (result, "wanted") < 0.22, "and nothing of the pauses is put to it");
	ok (!node_of (result, "unwanted"), "what runs in a pause is not");
	ok (result && result->cpu_time > 0.19 && result->cpu_time < 0.5,
	    "nor is its CPU time: %g s", result ? result->cpu_time : 0);
	ok (result && result->samples >= 20, "samples are as close as the kernel can: %llu",
	    result ? (unsigned long long) result->samples : 0);
	pp_profile_free (result);
}

static void snapshots_may_be_taken_at_any_time (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *one, *two, *three, *four;

	pp_profile_start (&options);
	wanted (0.05);
	one = snapshot ();
	unwanted (0.05);
	two = snapshot ();
	pp_profile_stop ();
	unwanted (0.05);
	three = snapshot ();
	unwanted (0.05);
	four = snapshot ();
	ok (one && one->samples > 2 && !node_of (one, "unwanted"),
	    "a snapshot while it runs has what was until then");
	ok (two && two->samples > one->samples && node_of (two, "unwanted") &&
		    node_of (two, "wanted"),
	    "the next one has that and more");
	ok (three && four && three->samples >= two->samples && three->samples == four->samples &&
		    three->total_time == four->total_time && three->cpu_time == four->cpu_time,
	    "behind its end all are the same");
	ok (three && total_of (three, "unwanted") < 0.09, "and have nothing that came later");
	ok (three && three->cpu_time > 0.09, "all its CPU time is told: %g s",
	    three ? three->cpu_time : 0);
	ok (one && node_of (one, "wanted"), "one that was made stays as it was");
	pp_profile_free (one);
	pp_profile_free (two);
	pp_profile_free (three);
	pp_profile_free (four);
	pp_profile_start (&options);
	elsewhere (0.03);
	pp_profile_stop ();
	one = snapshot ();
	ok (node_of (one, "elsewhere") && !node_of (one, "wanted") && !node_of (one, "unwanted"),
	    "the next profile has nothing of the one before");
	pp_profile_free (one);
}

/* A thread that is in one interval from its begin to its end. */
struct stayer {
	pthread_t thread;
	double spent; /* CPU time; atomic */
	int stop;     /* atomic */
};

static double spent_by (struct stayer *s)
{
	double spent;

	__atomic_load (&s->spent, &spent, __ATOMIC_ACQUIRE);
	return spent;
}

static void *stay (void *arg)
{
	struct stayer *s = arg;
	PP_INTERVAL (stay)

	while (!__atomic_load_n (&s->stop, __ATOMIC_ACQUIRE)) {
		double now;

		steps ();
		now = cpu_now ();
		__atomic_store (&s->spent, &now, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* What is alike from look to look is one sample in memory, which a moment must not lose. */
static void what_stays_as_it_is_is_seen_all_the_time (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;
	struct stayer s = {.stop = 0};
	uint64_t samples = 0;
	unsigned fewer = 0;
	double begin;

	options.track = PP_TRACK_ALL;
	options.delay = 0.0005;
	pp_profile_start (&options);
	pthread_create (&s.thread, NULL, stay, &s);
	/* a busy machine lets the library see a new thread late */
	for (begin = 0; !begin; usleep (1000)) {
		result = snapshot ();
		if (total_of (result, "stay") > 0 || spent_by (&s) > 60)
			begin = spent_by (&s);
		pp_profile_free (result);
	}
	while (spent_by (&s) - begin < 0.15) {
		result = snapshot ();
		if (result && result->samples < samples)
			fewer++;
		samples = result ? result->samples : 0;
		pp_profile_free (result);
	}
	same (fewer, 0, "no snapshot has fewer samples than the one before");
	/* while it is being ended the thread runs on, and nobody looks */
	begin = spent_by (&s) - begin;
	pp_profile_stop ();
	result = snapshot ();
	ok (total_of (result, "stay") > begin / 2,
	    "what does not end before the profile is in it: %g s of %g", total_of (result, "stay"),
	    begin);
	pp_profile_free (result);
	__atomic_store_n (&s.stop, 1, __ATOMIC_RELEASE);
	pthread_join (s.thread, NULL);
}

/* The first profile's thread of the library's is new; later it may have slept. */
static void a_thread_that_ends_soon_is_found (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;
	unsigned found = 0, i;

	options.track = PP_TRACK_ALL;
	/* one of them is enough: a busy machine may let the library see a thread late */
	for (i = 0; i < 8 && !found; i++) {
		pp_profile_start (&options);
		in_a_thread (0.06);
		pp_profile_stop ();
		result = snapshot ();
		found += total_of (result, "elsewhere") > 0;
		pp_profile_free (result);
	}
	ok (found, "threads of 60 ms are found in one of 8 profiles: in number %u", i);
}

static void its_delay_may_change (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;
	uint64_t seldom;
	double gap;

	options.delay = 0.02;
	pp_profile_start (&options);
	wanted (0.2);
	result = snapshot ();
	seldom = result ? result->samples : 0;
	gap = result && seldom ? result->wall_time / (double) seldom : 0;
	/* periods vary by half; the watcher goes by the wall clock, whoever has the processor */
	ok (seldom >= 2 && (double) seldom <= result->wall_time / 0.01 + 2,
	    "each 20 ms: %llu samples in %g s", (unsigned long long) seldom,
	    result ? result->wall_time : 0);
	pp_profile_free (result);
	same (pp_profile_delay (0.001), PP_OK, "the delay changes while it runs");
	unwanted (0.2);
	pp_profile_stop ();
	result = snapshot ();
	ok (result && result->samples > seldom + 25, "there are more samples then: %llu",
	    result ? (unsigned long long) result->samples : 0);
	/* what lies between the last sample and the end is not known: a gap and what it may vary by */
	near (total_of (result, "wanted"), total_of (result, "unwanted"), 0.25 + 2 * gap / 0.2,
	      "but what they say of the time is the same");
	ok (result && result->period == 0.02, "the longest delay is what is told");
	pp_profile_free (result);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct helper {
	pthread_t thread;
	int tid;
	int stop;
};

static void *help (void *arg)
{
	struct helper *h = arg;

	__atomic_store_n (&h->tid, (int) gettid (), __ATOMIC_RELEASE);
	while (!__atomic_load_n (&h->stop, __ATOMIC_ACQUIRE))
		unwanted (0.002);
	return NULL;
}

static void those_threads_are_sampled_that_shall_be (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;
	struct helper h = {.tid = 0};

	pthread_create (&h.thread, NULL, help, &h);
	while (!__atomic_load_n (&h.tid, __ATOMIC_ACQUIRE))
		usleep (100);

	pp_profile_start (&options);
	wanted (0.04);
	in_a_thread (0.04);
	result = snapshot ();
	ok (node_of (result, "wanted") && !node_of (result, "unwanted") &&
		    !node_of (result, "elsewhere"),
	    "unless it is said, the thread that calls is sampled");
	ok (result && result->threads == 1, "and no other");
	pp_profile_free (result);

	same (pp_profile_track (PP_TRACK_CREATED, NULL, 0), PP_OK, "threads may change");
	in_a_thread (0.08);
	result = snapshot ();
	ok (node_of (result, "elsewhere") && !node_of (result, "unwanted"),
	    "to those that begin from then on");
	pp_profile_free (result);

	pp_profile_track (PP_TRACK_CHOSEN, &h.tid, 1);
	usleep (80000);
	result = snapshot ();
	ok (node_of (result, "unwanted") != NULL, "or to chosen ones");
	pp_profile_free (result);
	pp_profile_stop ();

	options.track = PP_TRACK_ALL;
	pp_profile_start (&options);
	wanted (0.08);
	in_a_thread (0.08);
	pp_profile_stop ();
	result = snapshot ();
	ok (node_of (result, "wanted") && node_of (result, "unwanted") &&
		    node_of (result, "elsewhere"),
	    "all are all");
	ok (result && result->threads == 3, "but the library's own: %zu",
	    result ? result->threads : 0);
	pp_profile_free (result);
	__atomic_store_n (&h.stop, 1, __ATOMIC_RELEASE);
	pthread_join (h.thread, NULL);
}

/* ---- keys ------------------------------------------------------------------------------------ */

struct tally {
	unsigned samples, with_frames, with_others;
	double cost, last_at;
	int stop_after, is_in_order;
};

static int count (const struct pp_profile_sample *sample, void *arg)
{
	struct tally *t = arg;

	t->samples++;
	t->with_frames += sample->frames > 0;
	for (size_t i = 0; i < sample->frames; i++)
		t->with_others += !strstr (sample->frame[i].name, "wanted");
	t->cost += sample->cost;
	t->is_in_order &= sample->at >= t->last_at;
	t->last_at = sample->at;
	return t->stop_after && (int) t->samples == t->stop_after ? 77 : 0;
}

static void samples_are_told_by_key (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;
	struct tally all = {.is_in_order = 1}, keyed = {.is_in_order = 1}, few = {.stop_after = 3};

	pp_profile_start (&options);
	wanted (0.05);
	elsewhere (0.05);
	same (pp_samples_each (NULL, count, &all), 0, "samples are told while it runs");
	pp_profile_stop ();
	all = (struct tally){.is_in_order = 1};
	same (pp_samples_each (NULL, count, &all), 0, "and behind its end");
	result = snapshot ();
	ok (result && all.cost > 0.999 * result->total_time &&
		    all.cost < 1.001 * result->total_time,
	    "their times are those of the profile");
	ok (all.is_in_order, "a thread's come in their order");
	pp_profile_free (result);
	same (pp_samples_each ("wanted", count, &keyed), 0, "a key says what of a stack is told");
	same (keyed.samples, all.samples, "all samples are told");
	ok (keyed.with_frames > 0 && keyed.with_frames < keyed.samples && !keyed.with_others,
	    "those with nothing of the key have no frames: %u of %u", keyed.with_frames,
	    keyed.samples);
	same (pp_samples_each (NULL, count, &few), 77, "what the function returns ends it");
	same (few.samples, 3, "at once");
	same (pp_samples_each ("group:x", count, &few), PP_EINVAL, "a key is a pattern of names");
}

/* ---- a function ------------------------------------------------------------------------------ */

static int calls, in_child;

NOIPA static void *thunk (void *arg)
{
	calls++;
	wanted (0.05);
	in_a_thread (0.05);
	return (char *) arg + calls;
}

static struct {
	int times;
	double total;
	uint64_t samples, last_samples;
	enum pp_profile_order order;
	int stopped, began;
} shown;

static void show (const struct pp_profile_result *result, enum pp_profile_order order, void *arg)
{
	struct pp_profile_result *again;

	ok (arg == &shown, "a renderer has its argument");
	shown.times++;
	shown.order = order;
	shown.total = total_of (result, "wanted");
	/* it may look at all of it */
	if (pp_profile_snapshot (&again) == PP_OK)
		ok (again->samples >= result->samples, "a renderer may make a snapshot");
	pp_profile_free (again);
}

static void show_meanwhile (const struct pp_profile_result *result, enum pp_profile_order order,
			    void *arg)
{
	double total = total_of (result, "wanted");

	(void) order;
	(void) arg;
	shown.total = total;
	shown.last_samples = shown.samples;
	shown.samples = result->samples;
	shown.stopped = pp_profile_stop ();
	shown.began = pp_profile_start (NULL);
	__atomic_fetch_add (&shown.times, 1, __ATOMIC_RELAXED);
}

static void a_function_is_profiled (void)
{
	struct pp_profile_options options = usual ();
	char text[8192] = "";
	static char base[100];

	memset (&shown, 0, sizeof shown);
	options.out = fmemopen (text, sizeof text, "w");
	options.repeat = 3;
	options.order = PP_ORDER_SELF;
	calls = 0;
	ok (pp_profile (thunk, base, &options) == base + 3, "the last value is returned");
	same (calls, 3, "it is repeated");
	fclose (options.out);
	ok (strstr (text, "profile of ") && strstr (text, "wanted"), "and the profile is printed");
	ok (!strstr (text, "elsewhere"), "that of the thread that calls");
	same (pp_profile_stop (), PP_ESTATE, "it is over then");
	if (check_failures)
		note ("%s", text);

	options.render = show;
	options.render_arg = &shown;
	options.repeat = 1;
	options.delay = 0.001;
	pp_profile (thunk, base, &options);
	ok (shown.times == 1 && shown.order == PP_ORDER_SELF && shown.total > 0,
	    "a renderer of the program's is called in place of that");
}

static void it_is_shown_while_it_is_taken (void)
{
	struct pp_profile_options options = usual ();
	int times;

	memset (&shown, 0, sizeof shown);
	options.track = PP_TRACK_ALL;
	options.periodic = 0.02;
	options.periodic_render = show_meanwhile;
	same (pp_profile_start (&options), PP_OK, "a renderer may be called meanwhile");
	while (__atomic_load_n (&shown.times, __ATOMIC_RELAXED) < 3)
		wanted (0.01);
	same (pp_profile_stop (), PP_OK, "until it ends");
	times = shown.times;
	usleep (60000);
	same (shown.times, times, "and not behind that");
	ok (shown.total > 0 && shown.samples >= shown.last_samples, "it sees more as time goes by");
	same (shown.stopped, PP_ESTATE, "it does not end the profile that it shows");
	same (shown.began, PP_ESTATE, "nor begin one");
}

static void *forks (void *arg)
{
	struct pp_profile_options options = usual ();
	pid_t child;
	int status = -1;

	(void) arg;
	wanted (0.02);
	child = fork ();
	if (!child) {
		in_child = 1;
		check_failures = 0;
		same (pp_profile_stop (), PP_ESTATE, "a child has no profile of its parent's");
		same (pp_profile_start (&options), PP_OK, "but may take one of its own");
		wanted (0.05);
		pp_profile_stop ();
		struct pp_profile_result *result = snapshot ();
		ok (node_of (result, "wanted") != NULL, "which has its samples");
		ok (result && strstr (result->program, "process"), "and its name");
		pp_profile_free (result);
		return NULL;
	}
	waitpid (child, &status, 0);
	/* TAP goes on behind what the child has said */
	check_count += 4;
	ok (WIFEXITED (status) && WEXITSTATUS (status) == 0, "a child that is profiled ends");
	return NULL;
}

static void a_child_has_none (void)
{
	struct pp_profile_options options = usual ();
	char text[8192] = "";

	if (UNDER_TSAN) {
		skipped ("a child has no profile of its parent's",
			 "ThreadSanitizer ends a child that starts a thread");
		return;
	}
	options.out = fmemopen (text, sizeof text, "w");
	pp_profile (forks, NULL, &options);
	fclose (options.out);
	if (in_child)
		_exit (check_failures || *text);
	ok (*text != 0, "its parent prints its own");
}

static struct {
	int began, ended, shown, is_done; /* the last is atomic */
} called;

static void take_one (const struct pp_violation *violation, void *arg)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;

	(void) violation;
	(void) arg;
	if (__atomic_load_n (&called.is_done, __ATOMIC_RELAXED))
		return;
	options.track = PP_TRACK_ALL;
	called.began = pp_profile_start (&options);
	called.ended = pp_profile_stop ();
	called.shown = pp_profile_snapshot (&result);
	pp_profile_free (result);
	__atomic_store_n (&called.is_done, 1, __ATOMIC_RELEASE);
}

/* There is nobody else to begin it. */
static void the_librarys_thread_may_take_one (void)
{
	memset (&called, 0, sizeof called);
	pp_on_assertion ("never", take_one,
			 NULL); /* it fires once, perhaps before the load returns */
	pp_policy_load_text ("never", "version: 1\nassertions:\n"
				      "  never: {every: 10ms, expect: 1 < 0, quiet: true}\n");
	while (!__atomic_load_n (&called.is_done, __ATOMIC_ACQUIRE))
		wanted (0.001);
	pp_on_assertion ("never", NULL, NULL);
	pp_policy_unload ("never");
	ok (!called.began && !called.ended && !called.shown,
	    "a callback on the library's thread may take one: %d %d %d", called.began, called.ended,
	    called.shown);
}

static void formats (void)
{
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;

	pp_profile_start (&options);
	wanted (0.05);
	pp_profile_stop ();
	result = snapshot ();
	if (!ok (result != NULL, "there is a result"))
		return;
	ok (strstr (text_of (result, PP_FORMAT_TEXT), "wanted") != NULL, "as text");
	ok (strstr (text_of (result, PP_FORMAT_CHICKEN), "procedure") != NULL, "as a table");
	ok (strstr (text_of (result, PP_FORMAT_JSON), "\"nodes\"") != NULL, "as JSON");
	ok (strstr (text_of (result, PP_FORMAT_DOT), "digraph") != NULL, "as a graph");
	ok (strstr (text_of (result, PP_FORMAT_COLLAPSED), "wanted") != NULL, "as stacks");
	ok (strstr (text_of (result, PP_FORMAT_SPEEDSCOPE), "\"profiles\"") != NULL,
	    "for speedscope");
	ok (*text_of (result, PP_FORMAT_PPROF) != 0, "for pprof");
	same (pp_profile_print (result, NULL, NULL), PP_EINVAL, "it goes somewhere");
	same (pp_profile_print (NULL, NULL, stdout), PP_EINVAL, "a result is printed");
	for (size_t i = 0; i < result->edges; i++)
		if ((result->edge[i].caller >= result->nodes &&
		     result->edge[i].caller != PP_PROFILE_ROOT) ||
		    (result->edge[i].callee >= result->nodes &&
		     result->edge[i].callee != PP_PROFILE_ROOT))
			ok (0, "an edge joins two nodes");
	pp_profile_free (result);
}

static volatile int signals;

static void note_signal (int number)
{
	(void) number;
	signals++;
}

static void it_leaves_nothing_behind (void)
{
	struct pp_profile_options options = usual ();

	pp_profile_start (&options);
	wanted (0.02);
	pp_profile_stop ();
	signal (SIGURG, note_signal);
	wanted (0.05);
	signal (SIGURG, SIG_DFL);
	same (signals, 0, "behind its end no signal comes any more");
	ok (is_loaded ("libpp-profile"), "results were made by the module");
}

static void sites_are_chosen (void)
{
	static const char *const sites[] = {"unwanted"};
	struct pp_profile_options options = usual ();
	struct pp_profile_result *result;

	options.site = sites;
	options.sites = 1;
	pp_profile_start (&options);
	wanted (0.02);
	unwanted (0.02);
	pp_profile_stop ();
	result = snapshot ();
	ok (node_of (result, "unwanted") && !node_of (result, "wanted"),
	    "intervals are chosen by pattern");
	pp_profile_free (result);
	options.is_cpu = 0;
	same (pp_profile_start (&options), PP_EEXIST,
	      "the watcher has one clock for the whole process");
}

static void all (enum pp_profile_by what)
{
	by = what;
	a_pause_is_in_no_figure ();
	snapshots_may_be_taken_at_any_time ();
	what_stays_as_it_is_is_seen_all_the_time ();
	a_thread_that_ends_soon_is_found ();
	its_delay_may_change ();
	those_threads_are_sampled_that_shall_be ();
	samples_are_told_by_key ();
	a_function_is_profiled ();
	it_is_shown_while_it_is_taken ();
	the_librarys_thread_may_take_one ();
	formats ();
	a_child_has_none ();
}

int main (void)
{
	nothing_is_there ();
	what_makes_no_sense_is_refused ();
	note ("by interval");
	all (PP_BY_INTERVAL);
	sites_are_chosen ();
#if defined __x86_64__
	if (!UNDER_TSAN) {
		note ("by function");
		all (PP_BY_FUNCTION);
		it_leaves_nothing_behind ();
		return checked ();
	}
#endif
	skipped ("functions are sampled", "not here");
	return checked ();
}
