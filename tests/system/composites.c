/* SPDX-License-Identifier: MIT */
/*
 * composites.c: metrics that are computed from others, statistics of the program's own, and
 * statistics over recent time: declared and read in C, in policies, in expectations, captured, and
 * in reports.
 */
#include "check.h"

#include <pthread.h>

/* clang-format off */
#pragma pp metric misses   point    stats(value)
#pragma pp metric work     interval stats(elapsed)
#pragma pp metric ring     point    bounded_series(value, size=8)
#pragma pp metric all_of   point    unbounded_series(value)
#pragma pp metric spread_of point   histogram(value)
#pragma pp metric newest   point    scalar(value)
#pragma pp metric how_many point    count(value)
/* clang-format on */

/* the mean of the squares: every sample is looked at */
static double mean_square (const pp_snapshot *s, void *arg)
{
	const double *x;
	size_t n = pp_snapshot_samples (s, &x);
	double sum = 0;

	(void) arg;
	for (size_t i = 0; i < n; i++)
		sum += x[i] * x[i];
	return n ? sum / (double) n : NAN;
}
PP_STATISTIC (mean_square, 2)

/* what the library knows, put together anew */
static double skew (const pp_snapshot *s, void *arg)
{
	(void) arg;
	return (pp_snapshot_stat (s, PP_STAT_MAX) - pp_snapshot_stat (s, PP_STAT_AVG)) /
	       (pp_snapshot_stat (s, PP_STAT_AVG) - pp_snapshot_stat (s, PP_STAT_MIN));
}
PP_STATISTIC (skew, 0)

static double upper_decile (const pp_snapshot *s, void *arg)
{
	__atomic_fetch_add ((int *) arg, 1, __ATOMIC_RELAXED); /* by any thread */
	return pp_snapshot_quantile (s, 0.9);
}

static __thread volatile long now_value;

NOIPA static void sampled (long value)
{
	now_value = value;
#pragma pp point here(misses, ring, all_of, spread_of, newest, how_many) value(now_value)
	{
#pragma pp interval i(work)
		now_value = value + 1;
	}
}

NOIPA static void elsewhere (long value)
{
	now_value = value;
#pragma pp point there(misses) value(now_value)
}

static pp_site *site_of (const char *name)
{
	pp_site *site = NULL;

	return pp_site_find (name, &site) == PP_OK ? site : NULL;
}

static void declared_in_c (void)
{
	pp_metric *m = NULL, *rate = NULL, *wrong = NULL;

	same (pp_metric_new (&m, "per_sample", "expr(misses.sum / misses.count)"), PP_OK,
	      "a composite metric is declared in C");
	same (pp_metric_new (&rate, "doubled", "expr (2 * per_sample + newest)"), PP_OK,
	      "... also of another one");
	same (pp_metric_new (NULL, "per_sample", "expr(misses.sum / misses.count)"), PP_OK,
	      "... again");
	same (pp_metric_new (NULL, "per_sample", "expr(misses.sum)"), PP_EEXIST,
	      "... but not as another");
	same (pp_metric_new (NULL, "misses", "expr(misses.sum)"), PP_EEXIST,
	      "... nor in the place of a measured one");
	same (pp_metric_new (&wrong, "wrong", "expr(misses.sun)"), PP_EINVAL,
	      "what is wrong in it is told");
	same (pp_metric_new (&wrong, "wrong", "expr(misses.sum + work.sum)"), PP_EINVAL,
	      "... dimensions too");
	same (pp_metric_new (&wrong, "wrong", "expr(misses.sum < 5)"), PP_EINVAL,
	      "... and that it is no number");
	same (pp_metric_new (&wrong, "wrong", "expr misses.sum"), PP_EINVAL,
	      "... or no expression");
	ok (isnan (pp_get (m)), "without samples it is unknown");
	sampled (4);
	sampled (8);
	elsewhere (18);
	same (pp_get (m), 10, "its value is computed when it is asked for");
	same (pp_last (m), 10, "pp_last says it");
	same (pp_stat (m, NULL, PP_STAT_LAST), 10, "... and pp_stat");
	same (pp_stat (m, site_of ("sampled/here"), PP_STAT_LAST), 6,
	      "at a site it is of what was measured there");
	same (pp_stat (m, site_of ("elsewhere/there"), PP_STAT_LAST), 18, "... each");
	ok (isnan (pp_avg (m)), "it has no other statistics");
	same (pp_get (rate), 28, "one of another one follows it");
	same (pp_get (newest), 8, "pp_get of a scalar is its last sample");
	same (pp_get (how_many), 2, "... of a count how many");
	ok (isnan (pp_get (misses)), "... and nothing of what must say which statistic");
	ok (pp_metric_find ("per_sample") == m, "it is found by its name");
	same (pp_bind (m, "sampled/here", 1), PP_EKIND, "it can't be bound");
	same (pp_sample (m, 1), PP_EINVAL, "... nor sampled");
	same (pp_expect ("computed", "per_sample <= 10 and doubled == 28"), 1,
	      "expectations have it");
}

static int captured_calls; /* atomic: the library's thread counts */
static double captured_value, captured_avg;

static void on_violation (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (v->clears || !v->captures)
		return;
	captured_value = v->capture[0].value;
	captured_avg = v->capture[0].avg;
	__atomic_fetch_add (&captured_calls, 1, __ATOMIC_RELEASE);
}

static void in_policies (void)
{
	static const char policy[] =
		"version: 1\n"
		"metrics:\n"
		"  share: {expr: misses.last / misses.sum}\n"
		"  of_share: {expr: 100 * share}\n"
		"  late: {point: value, keep: scalar}\n"
		"assertions:\n"
		"  high: {at: sampled/here, expect: misses.last <= 50, capture: [share], "
		"on_fire: [{sample: {metric: late, value: of_share}}]}\n";
	static const char dear[] =
		"version: 1\n"
		"metrics: {tail: {expr: spread_of.p99}}\n"
		"assertions: {x: {at: sampled/here, expect: misses.last <= 50, capture: [tail]}}\n";

	pp_reset (NULL);
	pp_on_assertion ("high", on_violation, NULL);
	same (load_policy (policy), PP_OK, "a policy captures a composite metric");
	sampled (20);
	sampled (20);
	sampled (60);
	pp_poll ();
	for (int i = 0; i < 6000 && !__atomic_load_n (&captured_calls, __ATOMIC_ACQUIRE); i++) {
		usleep (10000); /* a minute of them */
		pp_poll ();
	}
	same (captured_calls, 1, "its value comes with the violation");
	same (captured_value, 0.6, "... that of the execution");
	near (captured_avg, 100.0 / 3 / 100, 1e-9,
	      "... and the usual one: with averages in the place of newest samples");
	same (pp_last (pp_metric_find ("late")), 60, "an action samples one");
	same (pp_get (pp_metric_find ("of_share")), 60,
	      "a policy's composites are metrics for C, too");
	same (load_policy (dear), PP_EPOLICY,
	      "what is too dear for a marker can't be captured there");
}

static void own_statistics (void)
{
	static int calls;

	pp_reset (NULL);
	same (pp_statistic_new ("upper_decile", upper_decile, &calls, 1), PP_OK,
	      "a statistic is registered by a call");
	same (pp_statistic_new ("avg", skew, NULL, 0), PP_EEXIST,
	      "... not under a name of the library's");
	same (pp_statistic_new ("skew", mean_square, NULL, 0), PP_EEXIST, "... or of another");
	same (pp_statistic_new ("a b", skew, NULL, 0), PP_EINVAL,
	      "... and its name is an identifier");
	ok (isnan (pp_stat_named (ring, NULL, "mean_square")), "without samples it is not asked");
	for (long i = 1; i <= 100; i++)
		sampled (i);
	same (pp_stat_named (ring, NULL, "mean_square"),
	      (93. * 93 + 94. * 94 + 95. * 95 + 96. * 96 + 97. * 97 + 98. * 98 + 99. * 99 +
	       100. * 100) /
		      8,
	      "it sees the samples of a bounded series");
	same (pp_stat_named (all_of, NULL, "mean_square"), 3383.5, "... of an unbounded one");
	ok (isnan (pp_stat_named (misses, NULL, "mean_square")),
	    "... and none where none are kept");
	same (pp_stat_named (misses, NULL, "skew"), 1, "it sees the library's statistics");
	near (pp_stat_named (spread_of, NULL, "upper_decile"), 90, 0.01,
	      "... and any quantile of a histogram");
	same (__atomic_load_n (&calls, __ATOMIC_RELAXED), 1, "... with its argument");
	same (pp_stat_named (misses, NULL, "avg"), 50.5, "the library's have names, too");
	ok (isnan (pp_stat_named (misses, NULL, "nothing")), "what there is not is unknown");
	same (pp_stat_named (misses, site_of ("sampled/here"), "skew"), 1, "it may be of one site");
	same (pp_expect ("own", "misses.skew <= 1.5 and all_of.mean_square == 3383.5"), 1,
	      "expectations have it");
	same (pp_expect ("own_wrong", "misses.skewd <= 1"), PP_EINVAL,
	      "... if there is one of that name");
	same (load_policy ("version: 1\nassertions: {tail: {every: 1ms, expect: "
			   "spread_of.upper_decile <= 10}, tail_here: {at: sampled/here, expect: "
			   "all(spread_of.upper_decile) <= "
			   "10}}\n"),
	      PP_OK, "policies have it, by time and with all() at sites");
	for (int i = 0; i < 6000; i++) {
		struct pp_assertion_info tail, here;

		sampled (100);
		pp_poll ();
		if (pp_assertion_state ("tail", &tail) == PP_OK && tail.state == PP_STATE_FIRING &&
		    pp_assertion_state ("tail_here", &here) == PP_OK &&
		    here.state == PP_STATE_FIRING)
			break;
		usleep (10000);
	}
	for (int i = 0; i < 2; i++) {
		struct pp_assertion_info info = {.state = PP_STATE_OK};

		pp_assertion_state (i ? "tail_here" : "tail", &info);
		ok (info.state == PP_STATE_FIRING, "... and it decides: %s",
		    i ? "at the site" : "by time");
	}
	same (load_policy ("version: 1\nassertions: {x: {at: sampled/here, expect: misses.skew <= "
			   "10}}\n"),
	      PP_EPOLICY, "bare at a site it is too dear");
	same (load_policy ("version: 1\nassertions: {x: {every: 1s, expect: 'misses.skew[10s] <= "
			   "10'}}\n"),
	      PP_EPOLICY, "it has no window");
	same (load_policy ("version: 1\nassertions: {x: {every: 1s, expect: work.skew <= 1s}}\n"),
	      PP_EPOLICY, "it has a dimension");
	same (load_policy ("version: 1\nassertions: {x: {every: 1s, expect: work.upper_decile <= "
			   "1s}}\n"),
	      PP_OK, "... that it was registered with");
}

static int stop;
static long torn;

static void *reader (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_ACQUIRE)) {
		double sum = pp_stat_named (all_of, NULL, "mean_square"),
		       skewness = pp_stat_named (misses, NULL, "skew");

		/* all samples are 7 then */
		torn += !(isnan (sum) || sum == 49) ||
			!(isnan (skewness) || skewness == 0 || isinf (skewness));
	}
	return NULL;
}

static void *writer (void *arg)
{
	(void) arg;
	for (int i = 0; i < 20000; i++)
		sampled (7);
	return NULL;
}

static void while_threads_write (void)
{
	pthread_t thread[3];

	pp_reset (NULL);
	forget_drops ();
	pthread_create (&thread[0], NULL, reader, NULL);
	pthread_create (&thread[1], NULL, writer, NULL);
	pthread_create (&thread[2], NULL, writer, NULL);
	pthread_join (thread[1], NULL);
	pthread_join (thread[2], NULL);
	__atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
	pthread_join (thread[0], NULL);
	/*
	 * a writer that has no processor for long in the middle of a sample is read as it is, and
	 * that is counted
	 */
	ok (torn <= newly_dropped (PP_DROP_TORN),
	    "snapshots that are taken while threads write are of what was written");
	same (pp_stat_named (all_of, NULL, "mean_square"), 49,
	      "... and whole when they have ended");
}

static void lately (void)
{
	pp_reset (NULL);
	same (pp_stat_over (misses, NULL, PP_STAT_COUNT, 3600), 0,
	      "a window begins when it is asked for first");
	for (long i = 1; i <= 10; i++)
		sampled (i);
	same (pp_stat_over (misses, NULL, PP_STAT_COUNT, 3600), 10, "... and has what came since");
	same (pp_stat_over (misses, NULL, PP_STAT_AVG, 3600), 5.5, "... with all statistics");
	same (pp_stat_over (misses, site_of ("sampled/here"), PP_STAT_MAX, 3600), 10,
	      "... at a site too");
	ok (isnan (pp_stat_over (misses, NULL, PP_STAT_TOTAL, 3600)),
	    "what is since the start has no window");
	ok (isnan (pp_stat_over (misses, NULL, PP_STAT_AVG, 0)), "... nor has no time");
	ok (isnan (pp_stat_over (NULL, NULL, PP_STAT_AVG, 1)), "... nor no metric");
#pragma pp expect lately_in_code : misses.count[1h] == 10 and misses.max[1h] <= 10
	{
		struct pp_assertion_info info = {.checks = 0};

		same (pp_assertion_state ("lately_in_code", &info), PP_OK,
		      "an expectation in the code may speak of recent time");
		/* its window began with the program, and saw earlier samples too */
		ok (info.checks + info.unknowns >= 1, "... and is checked");
	}
}

/* What is in the report of what has no value, and of what has a unit that has no name. */
static void report_of_violations (void)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);

	same (load_policy ("version: 1\n"
			   "metrics:\n"
			   "  idle: {interval: elapsed, keep: stats}\n"
			   "  nanny: {expr: idle.avg / 2}\n"
			   "  pace: {expr: misses.count / 2s}\n"
			   "assertions:\n"
			   "  told: {at: sampled/here, expect: misses.last <= 0, capture: [nanny, "
			   "pace]}\n"
			   "  slow: {at: sampled/i, expect: work.last <= 0s}\n"),
	      PP_OK,
	      "composites without a value, and with a unit that has no name, may be captured");
	for (long i = 1; i <= 10; i++)
		sampled (i);
	same (pp_report (out), PP_OK, "a report of them is written");
	fclose (out);
	ok (strstr (text, "nanny = unknown  (idle.avg / 2)") != NULL,
	    "a composite that has no value is told to be unknown");
	ok (strstr (text, "nanny  unknown at every violation") != NULL,
	    "... by its name also where it was captured");
	ok (strstr (text, " /s  (misses.count / 2s)") != NULL,
	    "a unit without a name is written out");
	ok (strstr (text, " /s at 10 violations") != NULL, "... also where it was captured");
	ok (strstr (text, "the sides of the newest check are ") != NULL &&
		    strstr (text, " and 0 s\n") != NULL,
	    "both sides of a check have their unit");
	free (text);
}

NOIPA static void also (long value)
{
	now_value = value;
#pragma pp point there value(now_value)
}

static void report_of_sites (void)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);

	same (pp_bind (misses, "also/there", 0), 1, "a metric may be bound to a second site");
	also (3);
	same (pp_report (out), PP_OK, "a report has recent time");
	fclose (out);
	ok (strstr (text, "] at also/there: count 1, ") != NULL, "... of each of its sites");
	ok (strstr (text, "] at sampled/here: count ") != NULL, "... also the first");
	free (text);
	pp_unbind (misses, "also/there");
}

static void report_of_markers (void)
{
	struct pp_self_cost cost;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);
	const char *markers;

	same (pp_self_cost ("sampled/i", &cost), PP_OK,
	      "what an execution of a site costs is known");
	same (pp_report (out), PP_OK, "a report tells");
	fclose (out);
	markers = strstr (text, "\nmarkers\n");
	ok (markers && strstr (markers, "sampled/here: ") && strstr (markers, "sampled/i: "),
	    "... of the markers of each bound site");
	ok (markers && strstr (markers, "; costs "), "... what that costs, where it was asked for");
	free (text);
}

static void reported (void)
{
	char *text = NULL, path[128];
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);

	same (pp_report (out), PP_OK, "a report is written");
	fclose (out);
	ok (strstr (text, "per_sample = 5.50  (misses.sum / misses.count)") != NULL,
	    "it has composite metrics");
	ok (strstr (text, "all_of.mean_square = 38.5") != NULL,
	    "... statistics of the program's own");
	ok (strstr (text, "misses[1.00 h]: count 10, rate") != NULL ||
		    strstr (text, "misses[3600 s]: count 10, rate") != NULL ||
		    strstr (text, "count 10, rate") != NULL,
	    "... and what was lately");
	if (getenv ("SHOW_REPORT"))
		fputs (text, stdout);
	free (text);
	snprintf (path, sizeof path, "%s/pp-composites-%d.pprec",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp", (int) getpid ());
	same (pp_record (path), PP_OK, "a recording has them too");
	if (getenv ("PPCTL")) {
		char command[512], line[512];
		int found = 0;

		snprintf (command, sizeof command, "%s report --all %s", getenv ("PPCTL"), path);
		out = popen (command, "r");
		while (out && fgets (line, sizeof line, out))
			found |= strstr (line, "per_sample = 5.50")           ? 1
				 : strstr (line, "all_of.mean_square = 38.5") ? 2
									      : 0;
		if (out)
			pclose (out);
		same (found, 3, "... and ppctl tells them");
	} else {
		skipped ("... and ppctl tells them", "PPCTL is not set");
	}
	unlink (path);
}

int main (void)
{
	declared_in_c ();
	in_policies ();
	own_statistics ();
	while_threads_write ();
	lately ();
	reported ();
	report_of_violations ();
	report_of_markers ();
	report_of_sites ();
	note_drops ();
	return checked ();
}
