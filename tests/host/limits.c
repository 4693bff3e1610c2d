/* SPDX-License-Identifier: MIT */
/*
 * limits.c: RLIMIT_FSIZE is the host's, and the kernel's answer to whoever goes beyond it a signal.
 * The library never does: it goes without a file, or says that it could not write one.
 */
#include "again.h"

#include <sys/stat.h>

#pragma pp metric kept interval unbounded_series(elapsed)
#pragma pp metric times interval stats(elapsed)

enum { MANY = 200000, SOME = 1000 };

static NOIPA void work (void)
{
#pragma pp interval work(kept)
	__asm__ volatile("" : : : "memory");
}

static NOIPA void other (void)
{
#pragma pp interval other
	__asm__ volatile("" : : : "memory");
}

static void allow (rlim_t bytes)
{
	struct rlimit limit = {bytes, bytes};

	setrlimit (RLIMIT_FSIZE, &limit);
}

static void allow_nothing (void)
{
	allow (0);
	hear_stderr ();
}

static void allow_100k (void)
{
	allow (100 << 10);
	hear_stderr ();
}

static void allow_nothing_by_alias (void)
{
	allow_nothing ();
	setenv ("PP_ROUTE", "alias", 1);
}

/* ---- what the hosts do: the exit status says what is wrong ----------------------------------- */

/* Nothing may be left in the thread's set of pending signals either. */
static int is_pending (void)
{
	sigset_t pending;

	sigpending (&pending);
	return sigismember (&pending, SIGXFSZ) == 1;
}

static int measures (void)
{
	for (int i = 0; i < SOME; i++)
		work ();
	if (pp_bind (times, "other", 1) < 0)
		return 2;
	for (int i = 0; i < SOME; i++)
		other ();
	if (pp_count (kept) + (double) pp_dropped (PP_DROP_POOL) != SOME ||
	    pp_count (times) != SOME)
		return 3;
	return is_pending () ? 4 : 0;
}

/*
 * The limit comes when the region has its file: the samples need more of it, and a marker takes
 * that.
 */
static int lowers (void)
{
	work ();
	allow (64 << 10);
	for (int i = 1; i < MANY; i++)
		work ();
	return pp_count (kept) != MANY ? 2 : is_pending () ? 4 : 0;
}

static int records (void)
{
	struct stat st;
	char left[64];
	int r = pp_policy_load_text ("r", "version: 1\nrecord: {file: limits.pprec}\n"
					  "metrics: {m: {interval: elapsed, keep: stats}}\n"
					  "bind: [{metric: m, sites: other}]\n");

	snprintf (left, sizeof left, "limits.pprec.%d.tmp", (int) getpid ());
	other ();
	if (r != PP_OK && pp_bind (times, "other", 1) < 0)
		return 2;
	if (pp_record ("limits.pprec") == PP_OK)
		return 3;
	return is_pending () ? 4 : stat (left, &st) == 0 ? 5 : 0;
}

/* Actions that write are performed on the host's thread here. */
static int logs (void)
{
	const char *text = "version: 1\nmetrics: {m: {interval: elapsed, keep: stats}}\n"
			   "bind: [{metric: m, sites: other}]\n"
			   "assertions:\n  never: {every: 1ms, expect: m.n < 0, on_fire: [log: "
			   "{text: fired, to: limits.log}, "
			   "report: limits.txt]}\n";

	setenv ("PP_THREADS", "0", 1);
	if (pp_policy_load_text ("l", text) != PP_OK)
		return 2;
	other ();
	for (int i = 0; i < 20; i++) {
		usleep (2000);
		pp_poll ();
	}
	return is_pending () ? 4 : 0;
}

/* The host insists on a route that can't be had. */
static int insists (void)
{
	if (pp_bind (times, "other", 1) == PP_OK)
		return 2;
	other ();
	return is_pending () ? 4 : 0;
}

static int act (const char *what)
{
	return strcmp (what, "insists") == 0    ? insists ()
	       : strcmp (what, "measures") == 0 ? measures ()
	       : strcmp (what, "lowers") == 0   ? lowers ()
	       : strcmp (what, "records") == 0  ? records ()
						: logs ();
}

/* ---- the test -------------------------------------------------------------------------------- */

static void judge (const char *program, const char *what, void (*prepare) (void), const char *word,
		   const char *name)
{
	struct outcome o = again (program, what, prepare);
	int good = ended_well (&o) && (!word || strstr (o.said, word));

	ok (good, "%s", name);
	if (!good)
		note ("%s", o.said);
}

int main (int argc, char **argv)
{
	if (argc > 1)
		return act (argv[1]);
	if (UNDER_TSAN) {
		skipped ("limits of files",
			 "ThreadSanitizer has files of its own that are beyond them");
		return checked ();
	}
	judge (argv[0], "measures", allow_100k, "RLIMIT_FSIZE",
	       "under a limit of 100 KiB everything is measured in private memory, and that is "
	       "said");
	judge (argv[0], "measures", allow_nothing, "RLIMIT_FSIZE",
	       "where no file may be written neither");
	if (UNDER_TSAN)
		skipped ("the route alias is not to be had then, and says so",
			 "ThreadSanitizer has guards");
	else
		judge (argv[0], "insists", allow_nothing_by_alias, "route alias",
		       "the route alias is not to be had then, and says so");
	judge (argv[0], "lowers", NULL, NULL,
	       "a limit that comes later takes no sample and raises no signal at a marker");
	judge (argv[0], "records", allow_nothing, "limits.pprec",
	       "a recording that is not allowed is an error, and nothing of it stays");
	judge (argv[0], "logs", allow_nothing, "action",
	       "an action that can't write says so, and raises no signal");
	unlink ("limits.pprec");
	unlink ("limits.log");
	unlink ("limits.txt");
	return checked ();
}
