/* SPDX-License-Identifier: MIT */
/*
 * sites.c: ppctl sites BINARY [--verbose] [--json]: what can be measured in a program, and with
 * what, without running it.
 */
#include "base/dims.h"
#include "base/estimate.h"
#include "base/types.h"
#include "ppctl/elf_read.h"
#include "ppctl/ppctl.h"
#include "report/model.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl sites [--verbose] [--json] BINARY\n\n"
		 "Lists the sites, metrics, knobs, callable functions, sources and expectations\n"
		 "in a program or shared object that was built with the plugin. Nothing of it is\n"
		 "run.\n\n"
		 "  --verbose   of each interval also what the compiler counted in its body; and\n"
		 "              the library's own points behind setjmp and the like\n"
		 "  --json      one JSON object\n");
}

static const char *plural (unsigned n)
{
	return n == 1 ? "" : "s";
}

/* ---- a site ---------------------------------------------------------------------------------- */

/* "n (integer), name (string)" */
static void put_dims (struct ppi_row *row, const char *text)
{
	struct ppi_table *dims = ppi_put_table (row, "dimensions", NULL);
	struct ppi_dim dim;

	for (const char *before = ", dimensions "; ppi_dim_next (&text, &dim); before = ", ") {
		struct ppi_row *one = ppi_row (dims);

		ppi_put_text (one, "key",
			      one ? ppi_report_copy (one->table->report, "%.*s", (int) dim.length,
						     dim.key)
				  : NULL);
		ppi_put_text (one, "type", ppi_value_name (dim.type));
		ppi_say (one, "%s{key} ({type})", before);
	}
	ppi_say (row, "{dimensions}");
}

/* What the compiler knows; people read it where it was asked for. */
static void put_statics (struct ppi_row *row, const struct ppctl_site *site, bool is_told)
{
	const struct ppi_statics *statics = &site->statics;
	struct ppi_table *table = ppi_put_table (row, "static", NULL);
	struct ppi_row *figures = site->sum.copies ? ppi_row (table) : NULL;

	if (table)
		table->is_single = true;
	if (is_told)
		ppi_say (row, "    per execution%s: ", statics->approximate ? ", about" : "");
	for (int i = PPI_STATIC_OPS; i < PPI_STATICS; i++) {
		const char *name = ppi_static_names ()[i], *end = i + 1 < PPI_STATICS ? ", " : "\n";
		bool is_bytes = ppi_static_unit ((enum ppi_static) i) == PPI_UNIT_BYTES;
		double value = statics->value[i];

		ppi_put_double (figures, name, PPI_CELL_NUMBER, value);
		if (is_told && isnan (value))
			ppi_say (row, "%s unknown%s", name, end);
		else if (is_told)
			ppi_say (row, "%.15g %s%s%s", value, is_bytes ? "bytes of " : "", name,
				 end);
	}
	ppi_put_flag (figures, "approximate", statics->approximate);
	ppi_put_count (figures, "moved_out", statics->moved_out);
	ppi_put_count (figures, "moved_in", statics->moved_in);
	if (is_told && (statics->moved_out || statics->moved_in))
		ppi_say (row, "    %u of its instructions moved out, %u of others moved in\n",
			 statics->moved_out, statics->moved_in);
}

static void put_markers (struct ppi_row *row, const struct ppctl_site *site)
{
	const unsigned *n = site->markers;
	uint32_t flags = site->abi->flags;

	ppi_put_flag (row, "inline", flags & PP_ABI_SITE_INLINE);
	ppi_put_flag (row, "barrier", flags & PP_ABI_SITE_BARRIER);
	ppi_put_flag (row, "guard", flags & PP_ABI_SITE_GUARD);
	ppi_put_count (row, "begins", n[PP_ABI_BEGIN]);
	ppi_put_count (row, "ends", n[PP_ABI_END]);
	ppi_put_count (row, "points", n[PP_ABI_POINT]);
	ppi_put_count (row, "in_copied_loops", site->in_copied_loops);
	if (flags & PP_ABI_SITE_INLINE)
		ppi_say (row, ", inline: measured by the code itself");
	else if (flags & PP_ABI_SITE_GUARD)
		ppi_say (row, ", guard markers");
	else if (site->abi->kind == PP_ABI_SITE_POINT)
		ppi_say (row, ", {points} marker%s", plural (n[PP_ABI_POINT]));
	else
		ppi_say (row, ", {begins} begin%s and {ends} end%s", plural (n[PP_ABI_BEGIN]),
			 plural (n[PP_ABI_END]));
	/* "#pragma pp dim" */
	if (site->abi->kind != PP_ABI_SITE_POINT && n[PP_ABI_POINT])
		ppi_say (row, ", {points} marker%s of dimensions inside", plural (n[PP_ABI_POINT]));
	if (flags & PP_ABI_SITE_BARRIER)
		ppi_say (row, ", barrier");
	if (site->in_copied_loops)
		ppi_say (row, ", {in_copied_loops} in copied loops");
}

static void put_site (struct ppi_table *table, const struct ppctl_site *site, bool verbose)
{
	struct ppi_row *row = ppi_row (table);
	const struct pp_abi_site *abi = site->abi;
	double coverage = site->statics.value[PPI_STATIC_COVERAGE];

	ppi_put_text (row, "name", site->full);
	ppi_put_text (row, "kind", ppi_kind_name (abi->kind));
	ppi_put_text (row, "file", site->file);
	ppi_put_count (row, "line", abi->line);
	ppi_put_count (row, "column", abi->column);
	ppi_put_text (row, "function", site->function);
	ppi_say (row, "{name}\n    {kind} at {file}:{line}");
	put_markers (row, site);
	ppi_put_double (row, "coverage", PPI_CELL_NUMBER, coverage);
	if (!isnan (coverage))
		ppi_say (row, ", coverage %.0f %%", 100 * coverage);
	ppi_put_text (row, "value", abi->value ? ppi_value_name (abi->value) : NULL);
	if (abi->value)
		ppi_say (row, ", %s {value}",
			 abi->kind == PP_ABI_SITE_FEATURE ? "payload" : "value");
	put_dims (row, site->dims);
	ppi_put_list (row, "groups", site->groups);
	ppi_put_list (row, "metrics", site->metrics);
	if (*site->groups)
		ppi_say (row, ", groups {groups}");
	if (*site->metrics)
		ppi_say (row, ", metrics {metrics}");
	ppi_say (row, "\n");
	put_statics (row, site, verbose && abi->kind != PP_ABI_SITE_POINT);
}

/* ---- a record -------------------------------------------------------------------------------- */

static void put_number (struct ppi_row *row, const char *key, const struct pp_abi_knob *knob,
			union pp_abi_number value)
{
	if (knob->type == PP_ABI_KNOB_DOUBLE)
		ppi_put_double (row, key, PPI_CELL_NUMBER, value.d);
	else
		ppi_put_integer (row, key, value.i);
}

static void put_knob (struct ppi_row *row, const struct ppctl_record *record)
{
	const struct pp_abi_knob *knob = (const struct pp_abi_knob *) record->abi;
	char word[PP_ABI_NAME_BYTES];

	put_number (row, "initial", knob, knob->initial);
	put_number (row, "min", knob, knob->min);
	put_number (row, "max", knob, knob->max);
	put_number (row, "step", knob, knob->step);
	ppi_put_text (row, "words", *record->words ? record->words : NULL);
	ppi_put_flag (row, "setter", record->has_setter);
	if (ppi_word_at (record->words, knob->initial.i, word, sizeof word)) {
		ppi_show (row, "initial", "%s", word);
		ppi_say (row, " = {initial}, one of {words}");
	} else {
		ppi_say (row, " = {initial}, range {min} to {max}, step {step}");
	}
	if (record->has_setter)
		ppi_say (row, ", with a setter");
}

static void put_metric (struct ppi_row *row, const struct ppctl_record *record)
{
	const struct pp_abi_metric *metric = (const struct pp_abi_metric *) record->abi;
	bool has_arguments = record->abi->flags & PP_ABI_METRIC_ARGUMENTS;

	ppi_put_flag (row, "arguments", has_arguments);
	ppi_put_text (row, "declaration", ppctl_record_text (record, metric->declaration));
	ppi_say (row, ": {declaration}%s",
		 has_arguments ? ", with arguments: by sample_begin and sample_end only" : "");
}

static void put_expectation (struct ppi_row *row, const struct ppctl_record *record)
{
	const struct pp_abi_expect *expect = (const struct pp_abi_expect *) record->abi;

	ppi_put_text (row, "expression", ppctl_record_text (record, expect->expression));
	ppi_put_text (row, "clauses",
		      expect->clauses ? ppctl_record_text (record, expect->clauses) : NULL);
	ppi_say (row, expect->clauses ? ": {expression}, with {clauses}" : ": {expression}");
}

static void put_record (struct ppi_table *table, const struct ppctl_record *record)
{
	static const char *const names[] = {"record", "metric",      "knob",     "callable",
					    "source", "expectation", "operator", "statistic"};
	const struct pp_abi_record *abi = record->abi;
	struct ppi_row *row = ppi_row (table);
	bool is_known = abi->type < sizeof names / sizeof names[0];

	ppi_put_text (row, "type", names[is_known ? abi->type : 0]);
	ppi_put_text (row, "name", record->name);
	ppi_put_text (row, "where", *record->where ? record->where : NULL);
	ppi_say (row, "{type} {name}");
	if (abi->type == PP_ABI_RECORD_METRIC) {
		put_metric (row, record);
	} else if (abi->type == PP_ABI_RECORD_EXPECT) {
		put_expectation (row, record);
	} else if (abi->type == PP_ABI_RECORD_KNOB) {
		put_knob (row, record);
	} else if (abi->type == PP_ABI_RECORD_CALLABLE) {
		ppi_put_flag (row, "inline", abi->flags & PP_ABI_CALLABLE_INLINE);
		if (abi->flags & PP_ABI_CALLABLE_INLINE)
			ppi_say (row, ", inline");
	} else if (abi->type == PP_ABI_RECORD_SOURCE) {
		ppi_put_text (row, "kind", record->has_end ? "interval" : "point");
		ppi_say (row, " for {kind}s");
	} else if (abi->type == PP_ABI_RECORD_STATISTIC) {
		ppi_say (row, ", %s",
			 abi->flags == 0   ? "a plain number"
			 : abi->flags == 1 ? "of the metric's unit"
					   : "of its square");
	}
	ppi_say (row, *record->where ? "\n    at {where}\n" : "\n");
}

static struct ppi_report *tables_of (const struct ppctl_binary *binary, bool verbose)
{
	struct ppi_report *report = ppi_report_begin (NULL);
	struct ppi_table *table = report ? ppi_table (report, "sites", NULL) : NULL;

	for (size_t i = 0; i < binary->n_sites; i++)
		if (verbose || !(binary->site[i].abi->flags & PP_ABI_SITE_RETURN))
			put_site (table, &binary->site[i], verbose);
	table = report ? ppi_table (report, "records", "") : NULL;
	for (size_t i = 0; i < binary->n_records; i++)
		put_record (table, &binary->record[i]);
	return report;
}

static int sites (const char *path, bool json, bool verbose)
{
	struct ppctl_binary binary;
	char why[600] = "";
	int status;

	if (ppctl_binary_open (path, &binary, why, sizeof why) != 0)
		return ppctl_fail (PPCTL_PROBLEM, "sites", "%s", why);
	if (!json && binary.n_sites == 0 && binary.n_records == 0)
		status =
			ppctl_fail (PPCTL_PROBLEM, "sites",
				    "%s has no sites: was it built with gcc -fplugin=ppgcc?", path);
	else
		status = ppctl_print (tables_of (&binary, verbose), json, "sites");
	ppctl_binary_close (&binary);
	return status;
}

int ppctl_sites (int argc, char **argv)
{
	bool json = false, verbose = false;
	const struct ppctl_option options[] = {
		{"json", PPCTL_FLAG, &json, 0}, {"verbose", PPCTL_FLAG, &verbose, 'v'}, {0}};
	int status = ppctl_options (argc, argv, "sites", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 1)
		return ppctl_wrong ("sites", "it needs a program or shared object, and just one");
	return sites (argv[optind], json, verbose);
}
