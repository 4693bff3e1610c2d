/* SPDX-License-Identifier: MIT */
/* tree.c: dimensions that see a record, what is around it, and what ran inside. */
#include <pp_analysis.h>
#include <stdio.h>
#include <string.h>

static char text[4096];

static void label (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	if (record->value[0].type != PP_ANALYSIS_TEXT)
		return;
	snprintf (text, sizeof text, "%s, %s", record->value[0].is.text,
		  record->parent ? record->parent->value[0].is.text : "outermost");
	*out = pp_analysis_text (text);
}

static int64_t height_of (const struct pp_analysis_record *record)
{
	int64_t most = -1;

	for (const struct pp_analysis_record *r = record->first; r; r = r->next) {
		int64_t height = height_of (r);

		most = height > most ? height : most;
	}
	return most + 1;
}

static void height (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	*out = pp_analysis_integer (height_of (record));
}

/* of those directly inside, by their begins */
static void children (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	text[0] = '\0';
	for (const struct pp_analysis_record *r = record->first; r; r = r->next)
		snprintf (text + strlen (text), sizeof text - strlen (text), "%s%s",
			  r == record->first ? "" : " ", r->value[0].is.text);
	*out = pp_analysis_text (text);
}

/* Σ own of it and all inside it is its time, but for what recording cost */
static double own_of (const struct pp_analysis_record *record)
{
	double sum = record->self_ns;

	for (const struct pp_analysis_record *r = record->first; r; r = r->next)
		sum += own_of (r);
	return sum;
}

static void fits (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	*out = pp_analysis_text (
		own_of (record) <= record->time_ns * (1 + 1e-9) + 1e-3 ? "fits" : "too much");
}

/* each record around it says that it is one less deep */
static void around (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	int64_t depth = record->depth;

	for (; record; record = record->parent)
		if (record->value[0].is.integer != depth--)
			return;
	*out = pp_analysis_integer (depth);
}

/* own times are not known yet */
static void early (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	*out = pp_analysis_real (record->self_ns);
}

/* another one of this plug-in's, and an expression */
static void twice (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	*out = pp_analysis_real (2 * pp_analysis_number (&record->value[0]) +
				 pp_analysis_number (&record->value[1]) / 2);
}

static const char *const name[] = {"name", NULL}, *const subject[] = {"subject", NULL},
			 *const deep[] = {"depth", NULL},
			 *const others[] = {"height", "depth * 0", NULL};
static const struct pp_analysis_dimension dimensions[] = {
	{.name = "label", .uses = name, .of = label},
	{.name = "twice", .uses = others, .of = twice},
	{.name = "height", .flags = PP_ANALYSIS_DESCENDANTS, .of = height},
	{.name = "children", .uses = subject, .flags = PP_ANALYSIS_DESCENDANTS, .of = children},
	{.name = "fits", .flags = PP_ANALYSIS_DESCENDANTS, .of = fits},
	{.name = "early", .of = early},
	{.name = "around", .uses = deep, .of = around},
};

static void levels (const struct pp_analysis_value *value, char *out, size_t room)
{
	snprintf (out, room, "%lld level%s", (long long) value->is.integer,
		  value->is.integer == 1 ? "" : "s");
}

static void loud (const struct pp_analysis_value *value, char *out, size_t room)
{
	snprintf (out, room, "%s!", value->is.text);
}

static const struct pp_analysis_formatter formatters[] = {{"height", levels}, {"name", loud}};

PP_ANALYSIS_PLUGIN = {
	PP_ANALYSIS_HEAD,         .name = "tree",
	.dimensions = dimensions, .n_dimensions = sizeof dimensions / sizeof *dimensions,
	.formatters = formatters, .n_formatters = sizeof formatters / sizeof *formatters};
