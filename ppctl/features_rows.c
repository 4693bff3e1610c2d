/* SPDX-License-Identifier: MIT */
/* features_rows.c: what ppctl features prints, as tables. */
#include "ppctl/features_rows.h"

#include "base/glob.h"
#include "base/types.h"
#include "ppctl/unseen.h"
#include "profiler/analysis/put.h"
#include "profiler/analysis/render.h"
#include "report/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As a part of the running time: marks that take more are no small correction any more. */
#define MUCH 0.1
/* ... that are worth a line */
#define LITTLE 0.01

bool ppctl_features_is_shown (const struct ppctl_features_view *view,
			      const struct ppi_feature *feature)
{
	return (feature->times || view->all) &&
	       (!view->feature || ppi_glob_whole (view->feature, feature->name));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_ms (struct ppi_row *row, const char *key, double seconds)
{
	ppi_put_quantity (row, key, seconds, 1, 0, 0);
	if (!isnan (seconds))
		ppi_show (row, key, "%.0f", 1e3 * seconds);
}

static double share_of (double time, double all)
{
	return all > 0 ? time / all : (double) NAN;
}

/*
 * By how much its time may be off: of what was measured the whole is known better than its share.
 */
static double margin_s (const struct ppi_feature_part *part, const struct ppi_features *all)
{
	return all->is_exact ? part->doubt : all->total * ppi_features_off (all, part);
}

/* A time of SHARE, and how sure that is; of what was measured also what it was with the marks. */
static void put_figures (struct ppi_row *row, const struct ppi_feature_part *part,
			 const struct ppi_features *all)
{
	put_ms (row, "time_s", part->time);
	ppi_put_double (row, "share", PPI_CELL_SHARE, share_of (part->time, all->total));
	ppi_put_count (row, all->is_exact ? "marks" : "samples", part->times);
	if (all->is_exact) {
		put_ms (row, "raw_s", part->raw);
		ppi_put_double (row, "raw_share", PPI_CELL_SHARE, share_of (part->raw, all->raw));
	}
	ppi_put_double (row, "margin", PPI_CELL_SHARE, ppi_features_off (all, part));
	put_ms (row, "margin_s", margin_s (part, all));
}

static void put_value (struct ppi_row *row, const char *key, const struct ppi_payload_value *value)
{
	double real;
	/* from 2^63 on texts are exact */
	bool is_whole = value->type == PP_ABI_VALUE_INT ||
			(value->type == PP_ABI_VALUE_UNSIGNED && value->bits <= INT64_MAX);

	memcpy (&real, &value->bits, sizeof real);
	if (value->type == PP_ABI_VALUE_BOOL)
		ppi_put_flag (row, key, value->bits);
	else if (is_whole)
		ppi_put_integer (row, key, (int64_t) value->bits);
	else if (value->type == PP_ABI_VALUE_DOUBLE)
		ppi_put_double (row, key, PPI_CELL_NUMBER, real);
	else
		ppi_put_text (row, key,
			      ppi_report_copy (row->table->report, "%.*s", (int) value->bytes,
					       value->text));
}

/* The values of PAYLOAD, each by itself: one object for programs. */
static void put_dims (struct ppi_row *row, const char *payload)
{
	struct ppi_payload_value value;
	struct ppi_table *table = NULL;
	struct ppi_row *values = NULL;

	while (ppi_payload_next (&payload, &value)) {
		if (!table) {
			table = ppi_put_table (row, "dims", NULL);
			values = ppi_row (table);
			if (!values)
				return;
			table->is_single = true;
		}
		put_value (
			values,
			ppi_report_copy (table->report, "%.*s", (int) value.key_bytes, value.key),
			&value);
	}
}

/* ---- lines of parts -------------------------------------------------------------------------- */

/* Columns that a name has at least, and where lines may have any number. */
enum { NAME_LEAST = 24, NAME_USUAL = 120 };

/* NAME in COLUMNS at most; what tells places apart is their end, which stays AT_END. */
static const char *cut (struct ppi_report *report, const char *name, unsigned columns, bool at_end)
{
	unsigned taken;
	size_t n;

	(void) ppi_put_fit (name, UINT32_MAX / 2, &taken);
	if (taken <= columns)
		return name;
	if (!at_end) {
		n = ppi_put_fit (name, columns - 1, &taken);
		return ppi_report_copy (report, "%.*s…", (int) n, name);
	}
	while (taken > columns - 1) {
		do
			name++;
		while (((unsigned char) *name & 0xc0) == 0x80);
		(void) ppi_put_fit (name, UINT32_MAX / 2, &taken);
	}
	return ppi_report_copy (report, "…%s", name);
}

/* Of a line of FEATURE's PART the columns that are left for its name. */
static unsigned room_of (const struct ppctl_features_view *view, const struct ppi_feature *feature,
			 const struct ppi_feature_part *part, const struct ppi_features *all)
{
	/* the dearest is the first, and times stand below each other */
	int taken = snprintf (NULL, 0, "  %.0f ms : ", 1e3 * feature->part[0].time);
	double margin = 1e3 * margin_s (part, all);

	if (!view->columns)
		return NAME_USUAL;
	if (all->is_exact)
		taken +=
			snprintf (NULL, 0, "  (%llu marks, + %.0f ms; with what they take %.0f ms)",
				  (unsigned long long) part->times, margin, 1e3 * part->raw);
	else
		taken += snprintf (NULL, 0, "  (+ %.0f ms, %llu samples)", margin,
				   (unsigned long long) part->times);
	return view->columns > (unsigned) taken + NAME_LEAST ? view->columns - (unsigned) taken
							     : NAME_LEAST;
}

static void put_part (struct ppi_table *table, const struct ppctl_features_view *view,
		      const struct ppi_feature *feature, const struct ppi_feature_part *part,
		      const struct ppi_features *all)
{
	struct ppi_row *row = ppi_row (table);

	put_figures (row, part, all);
	ppi_put_text (row, "name", part->name);
	if (row && !view->json)
		ppi_show (row, "name", "%s",
			  cut (table->report, part->name, room_of (view, feature, part, all),
			       view->by_place && !part->payload));
	put_dims (row, part->payload);
	if (!part->times)
		ppi_say (row, "  (never seen)\n");
	else if (all->is_exact)
		ppi_say (row,
			 "  ({marks} mark%s, ± {margin_s} ms; with what they take {raw_s} ms)\n",
			 ppi_report_plural (part->times));
	else
		ppi_say (row, "  (± {margin_s} ms, {samples} sample%s)\n",
			 ppi_report_plural (part->times));
}

/* Has no payload of FEATURE any of the dimensions that it is broken down by? */
static bool has_none (const struct ppctl_features_view *view, const struct ppi_feature *feature)
{
	char *none =
		view->keys->n && feature->parts == 1 ? ppi_payload_by (NULL, view->keys) : NULL;
	bool has = none && strcmp (feature->part[0].name, none) == 0;

	free (none);
	return has;
}

static void put_parts (struct ppi_row *row, const struct ppctl_features_view *view,
		       const struct ppi_feature *feature, const struct ppi_features *all)
{
	struct ppi_table *table = ppi_put_table (row, "parts", NULL);
	size_t shown = 0, left = 0;

	if (!view->json && has_none (view, feature)) {
		ppi_put_text (row, "by", view->by);
		ppi_say (row, "no payload has {by}\n");
		return;
	}
	ppi_form (table, "  {time_s:*} ms : {name}");
	for (size_t i = 0; i < feature->parts; i++) {
		const struct ppi_feature_part *part = &feature->part[i];

		if (!part->times && !view->all)
			continue;
		if (view->top && shown == view->top && !view->json)
			left++;
		else if (++shown)
			put_part (table, view, feature, part, all);
	}
	if (left)
		ppi_say (ppi_row (table), "  [%zu more; --top 0 shows all]\n", left);
	if (!shown)
		return;
	ppi_put_text (row, "by", view->by);
	ppi_hide (row, "by");
	/* instances are in no need of a word */
	ppi_say (row, strcmp (view->by, "instance") == 0 ? "\nCost Breakdown\n{parts}"
							 : "\nCost Breakdown by {by}\n{parts}");
}

/* What a file says of the feature, or NULL. */
static const char *report_of (const struct ppctl_features_view *view, const char *name)
{
	for (size_t i = 0; i < view->files; i++)
		for (size_t k = 0; k < view->about[i].features; k++)
			if (strcmp (view->about[i].feature[k].name, name) == 0)
				return view->about[i].feature[k].report;
	return NULL;
}

static void put_feature (struct ppi_table *table, const struct ppctl_features_view *view,
			 const struct ppi_feature *feature, const struct ppi_features *all)
{
	struct ppi_row *row = ppi_row (table);
	const struct ppi_feature_part whole = ppi_feature_whole (feature);
	double margin = ppi_features_off (all, &whole);
	char points[40] = "";

	/* a share of next to nothing is none, and one that may be anything is not known */
	if (margin >= 1)
		snprintf (points, sizeof points, " (how sure that is, is not known)");
	else if (margin >= 0)
		snprintf (points, sizeof points, " (± %.2f points)", 100 * margin);
	ppi_put_text (row, "name", feature->name);
	put_figures (row, &whole, all);
	if (feature->times && all->total > 0)
		ppi_show (row, "share", "%.2f%%", 100 * share_of (feature->time, all->total));
	ppi_say (row, "\n{name}\n");
	if (report_of (view, feature->name)) {
		ppi_put_text (row, "report", report_of (view, feature->name));
		ppi_say (row, "{report}\n");
	}
	if (!feature->times)
		ppi_say (row, "was never seen\n");
	else if (all->is_exact)
		ppi_say (row,
			 "accounts for {share} of total running time%s\n"
			 "{time_s} / %.0f ms ({marks} mark%s; with what marks take {raw_s} / %.0f "
			 "ms, "
			 "%.2f%%)\n",
			 points, 1e3 * all->total, ppi_report_plural (feature->times),
			 1e3 * all->raw, 100 * share_of (feature->raw, all->raw));
	else
		ppi_say (row,
			 "accounts for {share} of total running time%s\n"
			 "{time_s} / %.0f ms ({samples} of %llu sample%s)\n",
			 points, 1e3 * all->total, (unsigned long long) all->times,
			 ppi_report_plural (all->times));
	put_parts (row, view, feature, all);
}

/* ---- the head -------------------------------------------------------------------------------- */

/* Of several recordings the first ones are named. */
static const char *more_of (struct ppi_row *row, const struct ppi_features *all)
{
	const char *more = all->recordings > PPI_FEATURES_NAMED && row
				   ? ppi_report_copy (row->table->report, " + %zu more",
						      all->recordings - PPI_FEATURES_NAMED)
				   : "";

	return more ? more : "";
}

static void say_exact (struct ppi_row *row, const struct ppi_features *all)
{
	ppi_put_count (row, "marks", all->times);
	ppi_put_count (row, "untold", all->untold);
	ppi_put_double (row, "mark_s", PPI_CELL_NUMBER, all->mark_s);
	put_ms (row, "raw_s", all->raw);
	ppi_put_count (row, "open", all->open);
	ppi_put_count (row, "lost", all->lost);
	ppi_put_double (row, "lost_s", PPI_CELL_NUMBER, all->lost_s);
	ppi_say (row,
		 "{program}%s: {raw_s} ms of wall clock in %zu thread%s with marks, measured\n",
		 more_of (row, all), all->threads, ppi_report_plural (all->threads));
	if (isnan (all->mark_s))
		ppi_say (
			row,
			"what {marks} marks and antimarks took is not known: it is in all times\n");
	else if (all->untold)
		ppi_say (row,
			 "what {untold} of {marks} marks and antimarks took is not known: it is in "
			 "their times; the others took %.0f ms, %.0f ns each\n",
			 1e3 * (all->raw - all->total), 1e9 * all->mark_s);
	else if (all->times)
		ppi_say (row, "{marks} %s took %.0f ms of it, %.0f ns each\n",
			 all->times == 1 ? "mark or antimark" : "marks and antimarks",
			 1e3 * (all->raw - all->total), 1e9 * all->mark_s);
	else
		ppi_say (row, "no mark has ended as it should\n");
	if (all->raw - all->total > MUCH * all->raw)
		ppi_say (row, "that is much, and what is left without it is not exact: see what it "
			      "may be "
			      "off by (±)\n");
	ppi_put_double (row, "waited_s", PPI_CELL_NUMBER, all->waited);
	ppi_put_count (row, "waits", all->waits);
	if (all->waited > LITTLE * all->raw)
		ppi_say (row,
			 "threads waited %.0f ms of it for a processor, {waits} times: in which "
			 "marks is chance (±)\n",
			 1e3 * all->waited);
	if (all->open)
		ppi_say (row, "{open} more had not ended: their time is in no feature\n");
	if (all->lost)
		ppi_say (row,
			 "{lost} were jumped over, or ended with the profile: what these held is "
			 "in no feature, and how long it was is not known\n");
}

/* Marks that are sampled cost something, too, and nobody knows in whose time it is. */
static void say_marks (struct ppi_row *row, const struct ppi_features *all)
{
	ppi_put_count (row, "marks", all->begun);
	ppi_put_count (row, "untold", all->untold);
	ppi_put_double (row, "marks_s", PPI_CELL_NUMBER, all->took);
	if (isnan (all->took))
		ppi_say (row, "what {marks} mark%s took is not known, and not in ±\n",
			 all->begun == 1 ? " or antimark" : "s and antimarks");
	else if (all->untold)
		ppi_say (row,
			 "what {untold} of {marks} marks and antimarks took is not known, and not "
			 "in ±; the others took %.0f ms\n",
			 1e3 * all->took);
	else if (all->took > LITTLE * all->total)
		ppi_say (row, "about {marks} mark%s took %.0f ms of it (in ±)\n",
			 all->begun == 1 ? " or antimark" : "s and antimarks", 1e3 * all->took);
	if (all->took > MUCH * all->total)
		ppi_say (row, "that is much: they are too short for samples to say more\n");
}

/* What took the samples, and what that took. */
static void say_watcher (struct ppi_row *row, const struct ppi_features *all)
{
	put_ms (row, "period_s", all->period_s);
	put_ms (row, "sampler_cpu_s", all->own_s);
	if (isnan (all->period_s))
		ppi_say (row, "recordings were looked at at several rates");
	else
		ppi_say (row, "one look each %.3g ms", 1e3 * all->period_s);
	ppi_say (row, ", which took {sampler_cpu_s} ms of CPU time\n");
}

static void put_head (struct ppi_report *report, const struct ppctl_features_view *view,
		      const struct ppi_features *all)
{
	struct ppi_table *table = ppi_table (report, "profile", NULL);
	struct ppi_row *row = ppi_row (table);

	if (table)
		table->is_single = true;
	ppi_put_text (row, "program", all->program);
	ppi_put_count (row, "recordings", all->recordings);
	ppi_put_text (row, "how", all->is_exact ? "exact" : "sampled");
	ppi_put_text (row, "clock", all->is_cpu ? "cpu" : "wall");
	ppi_put_text (row, "by", view->by);
	put_ms (row, "running_s", all->total);
	ppi_put_count (row, "threads", all->threads);
	if (all->is_exact) {
		say_exact (row, all);
		return;
	}
	ppi_put_count (row, "samples", all->times);
	ppi_say (row,
		 "{program}%s: {running_s} ms of %s in %zu thread%s with marks, {samples} "
		 "sample%s\n",
		 more_of (row, all), all->is_cpu ? "CPU time" : "wall clock", all->threads,
		 ppi_report_plural (all->threads), ppi_report_plural (all->times));
	say_watcher (row, all);
	say_marks (row, all);
}

/* What is unseen makes shares wrong, so the head says it. */
static void say_unseen (struct ppi_report *report, const uint64_t unseen[PP_DROPS])
{
	char causes[160];
	uint64_t n = ppctl_unseen_say (unseen, causes, sizeof causes);

	if (n)
		ppi_say (ppi_row (ppi_table (report, NULL, NULL)),
			 "%llu marks or intervals were not seen (%s): their time is in what was "
			 "around them, and not in ±\n",
			 (unsigned long long) n, causes);
}

/* The same for programs. */
static void put_unseen (struct ppi_table *table, const uint64_t unseen[PP_DROPS])
{
	for (int i = 0; i < PP_DROPS; i++) {
		struct ppi_row *row = unseen[i] ? ppi_row (table) : NULL;

		ppi_put_text (row, "name", ppi_drop_name ((enum pp_drop) i));
		ppi_put_count (row, "n", unseen[i]);
	}
}

static void put_losses (struct ppi_table *table, const struct ppi_features *all)
{
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++) {
		struct ppi_row *row = all->missed[i] ? ppi_row (table) : NULL;

		ppi_put_text (row, "name", ppi_sample_loss_name (i));
		ppi_put_count (row, "n", all->missed[i]);
		ppi_say (row, "{name}: {n} %s\n", ppi_sample_loss_sentence (i, all->missed[i]));
	}
}

/* What the sum is of, a line each. */
static void put_recordings (struct ppi_report *report, const struct ppctl_features_view *view,
			    const struct ppctl_features_read *read)
{
	struct ppi_table *table = ppi_table (report, "recordings", NULL);

	for (size_t i = 0; i < read->n; i++) {
		const struct ppctl_features_of *of = &read->of[i];
		struct ppi_row *row;

		if (view->top && i == view->top && !view->json) {
			ppi_say (ppi_row (table), "  [%zu more; --top 0 shows all]\n", read->n - i);
			return;
		}
		row = ppi_row (table);
		ppi_put_text (row, "file", of->path);
		ppi_put_text (row, "program", of->program);
		put_ms (row, "running_s", of->total);
		ppi_put_count (row, "threads", of->threads);
		ppi_put_count (row, read->all.is_exact ? "marks" : "samples", of->times);
		ppi_say (row, "  {file}: {program}, {running_s} ms in {threads} thread%s, ",
			 ppi_report_plural (of->threads));
		ppi_say (row, read->all.is_exact ? "{marks} mark%s\n" : "{samples} sample%s\n",
			 ppi_report_plural (of->times));
	}
}

struct ppi_report *ppctl_features_build (const struct ppctl_features_view *view,
					 const struct ppctl_features_read *read)
{
	const struct ppi_features *all = &read->all;
	struct ppi_report *report = ppi_report_begin (NULL);
	struct ppi_table *table;

	if (!report)
		return NULL;
	put_head (report, view, all);
	say_unseen (report, read->unseen);
	if (read->n > 1)
		put_recordings (report, view, read);
	table = ppi_table (report, "features", NULL);
	for (size_t i = 0; i < all->features; i++)
		if (ppctl_features_is_shown (view, &all->feature[i]))
			put_feature (table, view, &all->feature[i], all);
	table = ppi_table (report, "lost", "");
	put_losses (table, all);
	put_unseen (table, read->unseen);
	return report;
}
