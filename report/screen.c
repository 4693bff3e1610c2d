/* SPDX-License-Identifier: MIT */
/*
 * screen.c: the first screen; see screen.h. Lines are dealt out first, then the tables get so many
 * rows.
 */
#include "report/screen.h"
#include "report/shell_word.h"

#include "base/quantity.h"
#include "recording/names.h"
#include "recording/layout_profile.h"
#include "recording/read.h"
#include "report/read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 23, HEADING = 2 };

/* What there is, and how many rows of it are shown */
struct plan {
	const struct ppi_row **assertion, **knob; /* sorted */
	size_t n_assertions, n_metrics, n_knobs;
	size_t assertions, metrics, knobs;
};

/* ---- assertions ------------------------------------------------------------------------------ */

static bool is_firing (const struct ppi_row *assertion)
{
	return strcmp (ppi_text_of (assertion, "state"), ppi_state_name (PP_STATE_FIRING)) == 0;
}

static bool is_info (const struct ppi_row *assertion)
{
	return strcmp (ppi_text_of (assertion, "severity"), ppi_severity_name (PP_SEVERITY_INFO)) ==
	       0;
}

/* What fires first, good news last, and by how many of the checks were violated */
static int compare_assertions (const void *a, const void *b)
{
	const struct ppi_row *x = *(const struct ppi_row *const *) a,
			     *y = *(const struct ppi_row *const *) b;
	double x_share = ppi_number_of (x, "share"), y_share = ppi_number_of (y, "share");

	if (is_firing (x) != is_firing (y))
		return is_firing (y) - is_firing (x);
	if (is_info (x) != is_info (y))
		return is_info (x) - is_info (y);
	x_share = isnan (x_share) ? -1 : x_share;
	y_share = isnan (y_share) ? -1 : y_share;
	return (x_share < y_share) - (x_share > y_share);
}

static int compare_ratios (const void *a, const void *b)
{
	double x = ppi_number_of (*(const struct ppi_row *const *) a, "ratio_to_avg");
	double y = ppi_number_of (*(const struct ppi_row *const *) b, "ratio_to_avg");

	return (x < y) - (x > y);
}

/*
 * "high then: allocations 2.8×, shadow_rays 1.97×"; NULL: nothing was captured, or nothing violated
 * it
 */
static const char *high_then (struct ppi_report *out, const struct ppi_row *assertion)
{
	const struct ppi_table *captures = ppi_screen_table_in (assertion, "captures");
	const char *higher = ppi_contrast_name (PPI_CONTRAST_HIGHER);
	struct ppi_screen_list list = {.used = 0};
	const struct ppi_row **row;
	size_t n = 0;

	if (!captures || !captures->n_rows || !(ppi_number_of (assertion, "violations") > 0))
		return NULL;
	row = ppi_report_take (out, captures->n_rows * sizeof *row);
	for (const struct ppi_row *r = row ? captures->rows : NULL; r; r = r->next)
		if (strcmp (ppi_text_of (r, "verdict"), higher) == 0)
			row[n++] = r;
	if (n)
		qsort (row, n, sizeof *row, compare_ratios);
	for (size_t i = 0; i < n; i++) {
		char one[120];

		snprintf (one, sizeof one, "%s %s×", ppi_text_of (row[i], "metric"),
			  ppi_find_cell (row[i], "ratio_to_avg")->shown);
		ppi_screen_list_add (&list, ", ", one);
	}
	return n ? ppi_report_copy (out, "high then: %s", list.text)
		 : "nothing captured was higher then";
}

/* The best of the rows of the table `where` that are by BY: "62 % ±9 parse/lex, 21 % ±7 memcpy" */
static void add_places (const struct ppi_table *where, const char *by, struct ppi_screen_list *list,
			const struct ppi_row **first)
{
	unsigned n = 0;

	for (const struct ppi_row *r = where->rows; r && n < 3; r = r->next) {
		double share = ppi_number_of (r, "share");
		double half =
			(ppi_number_of (r, "share_high") - ppi_number_of (r, "share_low")) / 2;
		char one[160];

		if (strcmp (ppi_text_of (r, "by"), by) != 0 || (n && share < 0.1))
			continue;
		snprintf (one, sizeof one, "%.0f %% ±%.0f %s", 100 * share, 100 * half,
			  ppi_text_of (r, "name"));
		ppi_screen_list_add (list, ", ", one);
		*first = n++ ? *first : r;
	}
}

/*
 * "interval then: 62 % ±9 parse/lex, 21 % ±7 parse/read (118 samples)": what samples saw in
 * executions that violated it, of the kind BY; NULL: nothing, or too little
 */
static const char *where_then (struct ppi_report *out, const struct ppi_row *assertion,
			       const char *by)
{
	const struct ppi_table *where = ppi_screen_table_in (assertion, "where");
	const struct ppi_row *first = NULL;
	struct ppi_screen_list list = {.used = 0};

	if (where)
		add_places (where, by, &list, &first);
	return first ? ppi_report_copy (out, "%s then: %s (%.0f samples)", by, list.text,
					ppi_number_of (first, "samples"))
		     : NULL;
}

/* What an investigation found, or NULL */
static const char *found_then (const struct ppi_row *assertion)
{
	const struct ppi_table *found = ppi_screen_table_in (assertion, "investigated");

	return found && found->rows ? ppi_text_of (found->rows, "text") : NULL;
}

static size_t lines_of (struct ppi_report *out, const struct ppi_row *assertion)
{
	return 1u + (high_then (out, assertion) != NULL) + (found_then (assertion) != NULL) +
	       (where_then (out, assertion, "interval") != NULL) +
	       (where_then (out, assertion, "function") != NULL);
}

/* Both sides of the newest check, with as many digits as tell them apart */
static void put_sides (struct ppi_row *row, const struct ppi_row *from)
{
	const struct ppi_cell *left = ppi_find_cell (from, "left"),
			      *right = ppi_find_cell (from, "right");
	char newest[PPI_QUANTITY_BYTES], limit[PPI_QUANTITY_BYTES];

	ppi_put_cell (row, "left", left);
	ppi_put_cell (row, "right", right);
	if (!left || !right || left->state != PPI_CELL_KNOWN || right->state != PPI_CELL_KNOWN)
		return;
	ppi_quantity_pair (left->number, right->number,
			   (struct ppi_dimension){left->seconds, left->bytes}, newest, limit,
			   sizeof newest);
	ppi_show (row, "left", "%s", newest);
	ppi_show (row, "right", "%s", limit);
}

static void put_assertion (struct ppi_report *out, struct ppi_table *rows,
			   const struct ppi_row *from)
{
	static const char *const keys[] = {"name",  "severity", "state",      "fired",
					   "share", "checks",   "expression", NULL};
	struct ppi_row *row = ppi_row (rows);
	const char *high = high_then (out, from), *found = found_then (from);
	const char *interval = where_then (out, from, "interval");
	const char *function = where_then (out, from, "function");
	const struct ppi_cell *site = ppi_find_cell (from, "site");

	ppi_put_cells (row, from, keys);
	put_sides (row, from);
	if (site && site->state == PPI_CELL_KNOWN)
		ppi_put_text (row, "site", ppi_report_short_name (out, site->text, 2));
	if (is_firing (from))
		ppi_tone (row, "state", is_info (from) ? PPI_TONE_GOOD : PPI_TONE_BAD);
	else if (strcmp (ppi_text_of (from, "state"), ppi_state_name (PP_STATE_OK)) != 0 ||
		 !(ppi_number_of (from, "checks") > 0))
		ppi_tone (row, "state", PPI_TONE_DOUBTFUL);
	ppi_say (row, "\n");
	ppi_put_text (row, "high", high);
	ppi_put_text (row, "found", found);
	ppi_put_text (row, "interval", interval);
	ppi_put_text (row, "function", function);
	if (high)
		ppi_say (row, "  {high:~}\n");
	if (interval)
		ppi_say (row, "  {interval:~}\n");
	if (function)
		ppi_say (row, "  {function:~}\n");
	if (found)
		ppi_say (row, "  {found:~}\n");
}

static void put_assertions (struct ppi_report *out, const struct plan *plan)
{
	struct ppi_table *table = plan->assertions ? ppi_table (out, NULL, "") : NULL;
	struct ppi_row *headings = ppi_row (table);
	struct ppi_table *rows = ppi_put_table (headings, "rows", NULL);

	ppi_form (
		rows,
		"{name:-*}  {severity:-*}  {state:-*}<3  {fired:*}><1  {share:*}><2 of {checks:*}>"
		"<1  {left:*}><1  {right:*}><4  {expression:-*}><5  {site:~}>");
	ppi_head (rows, "name",
		  ppi_screen_heading (out, "assertion", plan->assertions, plan->n_assertions));
	ppi_head (rows, "severity", "severity");
	ppi_head (rows, "state", "state");
	ppi_head (rows, "fired", "fired");
	ppi_head (rows, "share", "violated");
	ppi_head (rows, "checks", "checks");
	ppi_head (rows, "left", "newest");
	ppi_head (rows, "right", "limit");
	ppi_head (rows, "expression", "expected");
	ppi_head (rows, "site", "at");
	ppi_say (headings, "{#rows}\n{rows}");
	for (size_t i = 0; i < plan->assertions; i++)
		put_assertion (out, rows, plan->assertion[i]);
}

/* ---- knobs ----------------------------------------------------------------------------------- */

static int compare_knobs (const void *a, const void *b)
{
	double x = ppi_number_of (*(const struct ppi_row *const *) a, "turned");
	double y = ppi_number_of (*(const struct ppi_row *const *) b, "turned");

	return (x < y) - (x > y);
}

/* "settled on merge, minimise sorting.avg", or "3 at 0.977 s, 2 at 6.177 s"; NULL: nothing */
static const char *story_of (struct ppi_report *out, const struct ppi_report *all,
			     const struct ppi_row *knob)
{
	const struct ppi_table *turns = ppi_screen_table_in (knob, "turns");
	struct ppi_screen_list list = {.used = 0};

	for (const struct ppi_row *a = ppi_first_row (all, "adaptations"); a; a = a->next) {
		const struct ppi_cell *best = ppi_find_cell (a, "best");
		const char *aim = ppi_find_cell (a, "maximise") ? "maximise" : "minimise";

		if (strcmp (ppi_text_of (a, "knob"), ppi_text_of (knob, "name")) == 0)
			return ppi_report_copy (out, "%s%s%s, %s %s", ppi_text_of (a, "state"),
						best && best->shown ? " on " : "",
						best && best->shown ? best->shown : "", aim,
						ppi_text_of (a, aim));
	}
	for (const struct ppi_row *t = turns ? turns->rows : NULL; t; t = t->next) {
		const struct ppi_cell *to = ppi_find_cell (t, "to");
		char one[120];

		snprintf (one, sizeof one, "%s at %.1f s", to && to->shown ? to->shown : "...",
			  ppi_number_of (t, "at_s"));
		ppi_screen_list_add (&list, ", ", to ? one : "...");
	}
	return list.used ? ppi_report_copy (out, "%s", list.text) : NULL;
}

static void put_knobs (struct ppi_report *out, const struct ppi_report *all,
		       const struct plan *plan)
{
	static const char *const keys[] = {"name", "initial", "value", "turned", NULL};
	struct ppi_table *table = plan->knobs ? ppi_table (out, NULL, "") : NULL;
	struct ppi_row *headings = ppi_row (table);
	struct ppi_table *rows = ppi_put_table (headings, "rows", NULL);

	ppi_form (rows, "{name:-*}  {initial:*}  {value:*}  {turned:*}  {story:~}");
	ppi_head (rows, "name", ppi_screen_heading (out, "knob", plan->knobs, plan->n_knobs));
	ppi_head (rows, "initial", "first");
	ppi_head (rows, "value", "now");
	ppi_head (rows, "turned", "turns");
	ppi_head (rows, "story", "what became of it");
	ppi_say (headings, "{#rows}\n{rows}");
	for (size_t i = 0; i < plan->knobs; i++) {
		struct ppi_row *row = ppi_row (rows);

		ppi_put_cells (row, plan->knob[i], keys);
		ppi_put_text (row, "story", story_of (out, all, plan->knob[i]));
		ppi_say (row, "\n");
	}
}

/* ---- the head -------------------------------------------------------------------------------- */

static const char *base_name (const char *path)
{
	const char *slash = strrchr (path, '/');

	return slash ? slash + 1 : path;
}

static void put_head (struct ppi_report *out, const struct ppi_report *all)
{
	const struct ppi_process_entry *list;
	static const char *const keys[] = {"pid",       "started_unix_s", "measured_s",
					   "recording", "processes",      NULL};
	const struct ppi_table *verdict = ppi_find_table (all, "verdict"),
			       *program = ppi_find_table (all, "program");
	struct ppi_table *table = ppi_table (out, NULL, NULL);
	struct ppi_row *row = ppi_row (table);

	if (!table || !verdict || !program)
		return;
	table->indent = 2;
	ppi_put_cell (row, "sentence", ppi_find_cell (verdict->rows, "sentence"));
	ppi_tone (row, "sentence", ppi_find_cell (verdict->rows, "sentence")->tone);
	ppi_say (row, "{sentence}\n");
	row = ppi_row (table);
	ppi_put_cells (row, program->rows, keys);
	ppi_put_text (row, "name", base_name (ppi_text_of (program->rows, "path")));
	if (ppi_recording_processes (all->recording, &list) > 1)
		ppi_say (row, "{name}, {processes} processes, started {started_unix_s}, measured "
			      "{measured_s}\n");
	else
		ppi_say (
			row,
			"{name}, process {pid}, started {started_unix_s}, measured {measured_s}\n");
	if (!ppi_find_cell (program->rows, "complete")->flag) {
		row = ppi_row (table);
		ppi_put_cell (row, "recording", ppi_find_cell (program->rows, "recording"));
		ppi_tone (row, "recording", PPI_TONE_DOUBTFUL);
		ppi_say (row, "recording {recording}\n");
	}
	if (ppi_recording_damage (all->recording)) {
		row = ppi_row (table);
		ppi_put_cell (row, "damage", ppi_find_cell (program->rows, "damage"));
		ppi_tone (row, "damage", PPI_TONE_BAD);
		ppi_say (row, "damaged: {damage}\n");
	}
}

static bool has_profile (const struct ppi_recording *recording)
{
	return ppi_recording_next (recording, PPI_CHUNK_PROFILE, NULL) != NULL;
}

/* Samples of functions, or looks at what is open: marks, too, where there are any. */
static void say_profile (struct ppi_row *row, const struct ppi_recording *recording)
{
	const struct ppi_profile_chunk *p = NULL;
	const struct ppi_site_chunk *s = NULL;
	bool is_watched = false;

	while ((p = ppi_recording_next (recording, PPI_CHUNK_PROFILE, p)))
		is_watched |= p->chunk.id == PPI_SAMPLER_WATCHER || p->sees_open;
	while (is_watched && (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s)) &&
	       s->kind != PP_ABI_SITE_FEATURE)
		;
	ppi_say (row, "where the time went: ppctl profile {path}%s\n",
		 s ? ", ppctl features {path}" : "");
}

/* Commands that need a recording. */
static void say_commands (struct ppi_row *row, const struct ppi_recording *recording)
{
	if (has_profile (recording))
		say_profile (row, recording);
	else if (ppi_recording_next (recording, PPI_CHUNK_EXACT, NULL))
		ppi_say (row, "what features cost: ppctl features {path}\n");
	if (ppi_recorded_events (recording))
		ppi_say (row, "by which values: ppctl query {path}\n");
}

/* Where the rest is; of the options as many as the line has room for */
static void put_rest (struct ppi_report *out, const struct ppi_screen *screen)
{
	static const char *const options[] = {"; --sites", ", --metric M", ", --site P",
					      ", --history", ", --json"};
	struct ppi_row *row = screen->path ? ppi_row (ppi_table (out, NULL, "")) : NULL;
	char word[PATH_MAX];
	const char *path =
		screen->path && ppi_shell_word (word, sizeof word, screen->path) ? word : "REC";
	int room = screen->columns - (int) (strlen ("more: ppctl report --all ") + strlen (path));

	ppi_put_text (row, "path", ppi_report_copy (out, "%s", path));
	ppi_say (row, "more: ppctl report --all {path}");
	for (size_t i = 0;
	     i < sizeof options / sizeof *options && (room -= (int) strlen (options[i])) >= 0; i++)
		ppi_say (row, "%s", options[i]);
	ppi_say (row, "\n");
	if (screen->path && !screen->is_running)
		say_commands (row, out->recording);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static const struct ppi_row **sorted (struct ppi_report *out, const struct ppi_report *all,
				      const char *key,
				      int (*compare) (const void *a, const void *b), size_t *n)
{
	const struct ppi_table *table = ppi_find_table (all, key);
	const struct ppi_row **row =
		ppi_report_take (out, ((table ? table->n_rows : 0) + 1) * sizeof *row);

	*n = 0;
	for (const struct ppi_row *r = table ? table->rows : NULL; row && r; r = r->next)
		row[(*n)++] = r;
	if (row)
		qsort (row, *n, sizeof *row, compare);
	return row;
}

static size_t least (size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Knobs get two rows and metrics three, then assertions what they need; what is left goes to
 * metrics, then to knobs.
 */
static void deal (struct ppi_report *out, struct plan *plan, size_t lines)
{
	size_t one, heads = 0;

	heads += plan->n_assertions ? HEADING : 0;
	heads += plan->n_metrics ? HEADING : 0;
	heads += plan->n_knobs ? HEADING : 0;
	lines = lines > heads ? lines - heads : 0;
	plan->knobs = least (plan->n_knobs, 2);
	plan->metrics = least (plan->n_metrics, 3);
	lines -= least (lines, plan->knobs + plan->metrics);
	while (plan->assertions < plan->n_assertions &&
	       (one = lines_of (out, plan->assertion[plan->assertions])) <= lines) {
		plan->assertions++;
		lines -= one;
	}
	while (lines && plan->metrics < plan->n_metrics)
		plan->metrics++, lines--;
	while (lines && plan->knobs < plan->n_knobs)
		plan->knobs++, lines--;
}

struct ppi_report *ppi_screen_first (const struct ppi_report *all, const struct ppi_screen *screen)
{
	struct ppi_report *out = ppi_report_begin (all->recording);
	struct ppi_table *notes;
	struct plan plan = {.n_metrics = ppi_screen_count_metrics (all)};
	size_t used;

	if (!out)
		return NULL;
	put_head (out, all);
	used = out->tables ? out->tables->n_rows : 0;
	plan.assertion = sorted (out, all, "assertions", compare_assertions, &plan.n_assertions);
	plan.knob = sorted (out, all, "knobs", compare_knobs, &plan.n_knobs);
	notes = ppi_screen_notes (out, all);
	used += (notes && notes->n_rows ? notes->n_rows + 1 : 0) + (screen->path ? 2 : 0) +
		(screen->path && has_profile (all->recording));
	deal (out, &plan, LINES > used ? LINES - used : 0);
	if (screen->top)
		plan.assertions = least (plan.n_assertions, screen->top);
	if (screen->top)
		plan.metrics = least (plan.n_metrics, screen->top);
	if (screen->top)
		plan.knobs = least (plan.n_knobs, screen->top);
	if (plan.assertion && plan.knob) {
		put_assertions (out, &plan);
		ppi_screen_put_metrics (out, all, screen, plan.metrics);
		put_knobs (out, all, &plan);
	}
	/* what was told apart first stands behind */
	ppi_move_last (out, notes);
	put_rest (out, screen);
	if (!out->has_failed)
		return out;
	ppi_report_free (out);
	return NULL;
}
