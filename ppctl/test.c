/* SPDX-License-Identifier: MIT */
/*
 * test.c: ppctl test: what of a policy would have fired in a run that is over, from the values over
 * time of its recording. The answer first, then each assertion that was tried, then those that
 * could not be: nobody is to take silence for a limit that held.
 */
#include "assertions/engine/trial.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "recording/names.h"
#include "recording/read.h"
#include "report/model.h"
#include "stdmetrics/listing.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl test [--json] POLICY RECORDING\n\n"
		"Which assertions of POLICY would have fired in the run that RECORDING is of,\n"
		"and when. Each that is checked by time ('every') is checked again at the times\n"
		"at which the recording has values (interval: of record: in the policy that\n"
		"made it); for, clear, after, cooldown and windows as in a program that runs.\n"
		"Actions are not carried out. What a recording can't tell is named with why: what\n"
		"is checked at sites, more often than there are values, or reads what is not in\n"
		"them, as knobs, open intervals and counts of other assertions.\n\n"
		"  --json   one JSON object: seconds, bytes, plain counts; null is unknown\n\n"
		"Exit status: 3 where something would have fired, 0 where nothing would have; 1\n"
		"where the policy or the recording is damaged, or nothing could be tried.\n");
}

/* ---- how many -------------------------------------------------------------------------------- */

struct counts {
	size_t tried, not_served, fired;
};

static struct counts count (const struct ppi_trial *trial)
{
	struct counts n = {.tried = 0};

	for (size_t i = 0; i < trial->n; i++) {
		n.tried += !trial->assertion[i].not_served;
		n.not_served += trial->assertion[i].not_served != NULL;
		n.fired += trial->assertion[i].n_fires > 0;
	}
	return n;
}

static void put_verdict (struct ppi_report *report, const struct ppi_trial *trial,
			 const char *policy, const char *path)
{
	struct ppi_table *table = ppi_table (report, "verdict", NULL);
	struct ppi_row *row = ppi_row (table);
	struct counts n = count (trial);

	if (!row)
		return;
	table->is_single = true;
	ppi_put_text (row, "policy", policy);
	ppi_put_text (row, "recording", path);
	ppi_put_count (row, "tried", n.tried);
	ppi_put_count (row, "fired", n.fired);
	ppi_put_count (row, "not_served", n.not_served);
	ppi_put_double (row, "measured_s", PPI_CELL_INSTANT, trial->measured_s);
	ppi_put_double (row, "first_s", PPI_CELL_INSTANT, trial->first_s);
	ppi_put_quantity (row, "interval_s", trial->interval_s, 1, 0, 0);
	ppi_put_count (row, "steps", trial->steps);
	ppi_put_count (row, "lost", trial->lost);
	if (!n.tried)
		ppi_say (row, "{policy}: nothing could be tried on {recording}\n");
	else if (!n.fired)
		ppi_say (row,
			 "{policy}: nothing would have fired in {recording}, of {tried} tried\n");
	else
		ppi_say (row, "{policy}: {fired} of {tried} assertions tried would have fired in "
			      "{recording}\n");
	if (trial->steps)
		ppi_say (row, "  {measured_s} of run, values {steps} times from {first_s} on");
	if (trial->steps && !isnan (trial->interval_s))
		ppi_say (row, ", every {interval_s}");
	ppi_say (row, trial->steps ? "\n" : "");
}

/* ---- those that were tried ------------------------------------------------------------------- */

static double longest_of (const struct ppi_trial_assertion *a)
{
	double longest = NAN;

	for (size_t i = 0; i < a->n_fires; i++)
		longest = fmax (longest, a->fire[i].to_s - a->fire[i].from_s);
	return longest;
}

static void put_fires (struct ppi_row *row, const struct ppi_trial_assertion *a)
{
	struct ppi_table *fires = ppi_put_table (row, "fires", NULL);

	for (size_t i = 0; i < a->n_fires; i++) {
		struct ppi_row *fire = ppi_row (fires);

		ppi_put_double (fire, "from_s", PPI_CELL_INSTANT, a->fire[i].from_s);
		ppi_put_double (fire, "to_s", PPI_CELL_INSTANT, a->fire[i].to_s);
	}
}

static void put_values (struct ppi_row *row, const struct ppi_trial_assertion *a)
{
	ppi_put_text (row, "name", a->name);
	ppi_put_text (row, "expression", a->expression);
	ppi_put_text (row, "severity", ppi_severity_name (a->severity));
	ppi_put_quantity (row, "every_s", (double) a->every_ns * 1e-9, 1, 0, 0);
	ppi_put_count (row, "checks", a->checks);
	ppi_put_count (row, "passes", a->passes);
	ppi_put_count (row, "violations", a->violations);
	ppi_put_count (row, "unknowns", a->unknowns);
	ppi_put_count (row, "fired", a->n_fires);
	ppi_put_flag (row, "firing_at_end", a->is_firing);
	ppi_put_double (row, "first_s", PPI_CELL_INSTANT, a->n_fires ? a->fire[0].from_s : NAN);
	ppi_put_quantity (row, "longest_s", longest_of (a), 1, 0, 0);
	ppi_put_double (row, "worst_s", PPI_CELL_INSTANT, a->worst_s);
	ppi_put_quantity (row, "left", a->left, a->dimension.seconds, a->dimension.bytes, 0);
	ppi_put_quantity (row, "right", a->right, a->dimension.seconds, a->dimension.bytes, 0);
	ppi_put_double (row, "seconds", PPI_CELL_WHOLE, a->dimension.seconds);
	ppi_put_double (row, "bytes", PPI_CELL_WHOLE, a->dimension.bytes);
	put_fires (row, a);
}

static void put_tried (struct ppi_table *table, const struct ppi_trial_assertion *a)
{
	struct ppi_row *row = ppi_row (table);

	put_values (row, a);
	ppi_say (row, "  {name}: {expression}\n    ");
	if (!a->n_fires)
		ppi_say (row, "did not fire");
	else
		ppi_say (row,
			 "fired {fired} time%s, first at {first_s}, longest for {longest_s}, %s",
			 a->n_fires == 1 ? "" : "s",
			 a->is_firing ? "fires at the end" : "does not fire at the end");
	ppi_tone (row, "fired", a->n_fires ? PPI_TONE_BAD : PPI_TONE_NONE);
	ppi_say (row, "\n    {checks} checks every {every_s}: {passes} held, {violations} did not, "
		      "{unknowns} unknown\n");
	if (a->violations)
		ppi_say (row, "    worst at {worst_s}: {left} against {right}\n");
}

/* What fired comes first: of a long policy the rest may have left the screen. */
static void put_all_tried (struct ppi_report *report, const struct ppi_trial *trial)
{
	struct ppi_table *table = ppi_table (report, "assertions", "tried");

	for (int fired = 1; fired >= 0; fired--)
		for (size_t i = 0; i < trial->n; i++) {
			const struct ppi_trial_assertion *a = &trial->assertion[i];

			if (!a->not_served && (a->n_fires > 0) == fired)
				put_tried (table, a);
		}
}

static void put_not_served (struct ppi_report *report, const struct ppi_trial *trial)
{
	struct ppi_table *table = ppi_table (report, "not_served", "could not be tried");

	for (size_t i = 0; i < trial->n; i++) {
		const struct ppi_trial_assertion *a = &trial->assertion[i];
		struct ppi_row *row = a->not_served ? ppi_row (table) : NULL;

		if (!row)
			continue;
		ppi_put_text (row, "name", a->name);
		ppi_put_text (row, "expression", a->expression);
		ppi_put_text (row, "why", a->not_served);
		ppi_say (row, "  {name}: {why}\n");
	}
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int status_of (const struct ppi_trial *trial)
{
	struct counts n = count (trial);

	if (trial->damage)
		fprintf (stderr, "ppctl test: %s\n", trial->damage);
	if (trial->lost)
		ppctl_fail (PPCTL_PROBLEM, "test",
			    "%llu block%s of values %s damaged, the first at %.1f s: checks from "
			    "then on may have seen older values",
			    (unsigned long long) trial->lost, trial->lost == 1 ? "" : "s",
			    trial->lost == 1 ? "is" : "are", trial->lost_s);
	if (n.fired)
		return PPCTL_FIRED;
	return trial->lost || trial->damage || !n.tried ? PPCTL_PROBLEM : PPCTL_OK;
}

static int print (const struct ppi_trial *trial, const char *policy, const char *path, bool json)
{
	struct ppi_report *report = ppi_report_begin (NULL);
	int status;

	if (report) {
		put_verdict (report, trial, policy, path);
		put_all_tried (report, trial);
		put_not_served (report, trial);
	}
	status = ppctl_print (report, json, "test");
	return status == PPCTL_OK ? status_of (trial) : status;
}

static int try_policy (const char *policy, const char *path, bool json)
{
	struct ppi_recording *finished;
	struct ppi_trial trial;
	char why[600] = "";
	int error, status = ppctl_open ("test", path, &finished);

	/* what a killed process left is completed first */
	if (status != PPCTL_OK)
		return status;
	ppi_recording_close (finished);
	(void) ppi_stdmetrics_init ();
	error = ppi_trial_run (policy, path, ppctl_put_line, stderr, &trial, why, sizeof why);
	if (!error)
		status = print (&trial, policy, path, json);
	else
		status = *why ? ppctl_fail (PPCTL_PROBLEM, "test", "%s", why) : PPCTL_PROBLEM;
	ppi_trial_clear (&trial);
	return status;
}

int ppctl_test (int argc, char **argv)
{
	bool json = false;
	const struct ppctl_option options[] = {{"json", PPCTL_FLAG, &json, 0}, {0}};
	int status = ppctl_options (argc, argv, "test", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 2)
		return ppctl_wrong ("test", "it needs a policy and a recording");
	return try_policy (argv[optind], argv[optind + 1], json);
}
