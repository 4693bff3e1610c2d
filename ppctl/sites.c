/* SPDX-License-Identifier: MIT */
/* sites.c: ppctl sites BINARY [--verbose] [--json]: what can be measured in a program, and with what, without running it. */
#include "libmetrics/dims.h"
#include "libmetrics/types.h"
#include "ppctl/elf_read.h"
#include "ppctl/ppctl.h"
#include "ppctl/sites.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <getopt.h>
#include <math.h>
#include <string.h>

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl sites [--verbose] [--json] BINARY\n\n"
		      "Lists the sites, metrics, knobs, callable functions, sources and expectations\n"
		      "in a program or shared object that was built with the plugin. Nothing of it is\n"
		      "run.\n\n"
		      "  --verbose   of each interval also what the compiler counted in its body\n"
		      "  --json      one JSON object\n");
}

/* ", dimensions n (integer), name (string)" */
static void put_dims (const char *text)
{
	struct ppi_dim dim;

	for (const char *before = ", dimensions "; ppi_dim_next (&text, &dim); before = ", ")
		printf ("%s%.*s (%s)", before, (int) dim.length, dim.key, ppi_value_name (dim.type));
}

static void put_figure (const struct ppi_statics *statics, enum ppi_static which)
{
	double value = statics->value[which];

	if (isnan (value))
		printf ("%s unknown", ppi_static_names ()[which]);
	else
		printf ("%.15g %s%s", value, ppi_static_unit (which) == PPI_UNIT_BYTES ? "bytes of " : "",
			ppi_static_names ()[which]);
}

/* What the compiler knows */
static void put_statics (const struct ppi_statics *statics)
{
	printf ("    per execution%s: ", statics->approximate ? ", about" : "");
	for (int i = PPI_STATIC_OPS; i < PPI_STATICS; i++) {
		put_figure (statics, (enum ppi_static) i);
		fputs (i + 1 < PPI_STATICS ? ", " : "\n", stdout);
	}
	if (statics->moved_out || statics->moved_in)
		printf ("    %u of its instructions moved out, %u of others moved in\n", statics->moved_out,
			statics->moved_in);
}

static void put_site (const struct ppctl_site *site, bool verbose)
{
	const struct pp_abi_site *abi = site->abi;
	bool point = abi->kind == PP_ABI_SITE_POINT;

	printf ("%s\n    %s at %s:%u", site->full, ppctl_site_kind (abi), site->file, abi->line);
	if (abi->flags & PP_ABI_SITE_INLINE)
		printf (", inline: measured by the code itself");
	else if (abi->flags & PP_ABI_SITE_GUARD)
		printf (", guard markers");
	else if (point)
		printf (", %u marker%s", site->markers[PP_ABI_POINT], site->markers[PP_ABI_POINT] == 1 ? "" : "s");
	else
		printf (", %u begin%s and %u end%s", site->markers[PP_ABI_BEGIN],
			site->markers[PP_ABI_BEGIN] == 1 ? "" : "s", site->markers[PP_ABI_END],
			site->markers[PP_ABI_END] == 1 ? "" : "s");
	if (abi->flags & PP_ABI_SITE_BARRIER)
		printf (", barrier");
	if (site->in_copied_loops)
		printf (", %u in copied loops", site->in_copied_loops);
	if (!isnan (site->statics.value[PPI_STATIC_COVERAGE]))
		printf (", coverage %.0f %%", 100 * site->statics.value[PPI_STATIC_COVERAGE]);
	if (abi->value)
		printf (", %s %s", abi->kind == PP_ABI_SITE_FEATURE ? "payload" : "value", ppctl_site_value (abi));
	put_dims (site->dims);
	if (*site->groups)
		printf (", groups %s", site->groups);
	if (*site->metrics)
		printf (", metrics %s", site->metrics);
	putchar ('\n');
	if (verbose && !point)
		put_statics (&site->statics);
}

static void put_knob (const struct ppctl_record *record)
{
	const struct pp_abi_knob *knob = (const struct pp_abi_knob *) record->abi;
	char word[PP_ABI_NAME_BYTES];

	if (ppi_word_at (record->words, knob->initial.i, word, sizeof word))
		printf (" = %s, one of %s", word, record->words);
	else if (knob->type != PP_ABI_KNOB_DOUBLE)
		printf (" = %lld, range %lld to %lld, step %lld", (long long) knob->initial.i, (long long) knob->min.i,
			(long long) knob->max.i, (long long) knob->step.i);
	else
		printf (" = %.6g, range %.6g to %.6g, step %.6g", knob->initial.d, knob->min.d, knob->max.d,
			knob->step.d);
	if (record->has_setter)
		fputs (", with a setter", stdout);
}

static void put_expectation (const struct ppctl_record *record)
{
	const struct pp_abi_expect *expect = (const struct pp_abi_expect *) record->abi;

	printf (": %s", ppctl_record_text (record, expect->expression));
	if (expect->clauses)
		printf (", with %s", ppctl_record_text (record, expect->clauses));
}

static void put_record (const struct ppctl_record *record)
{
	const struct pp_abi_record *abi = record->abi;

	printf ("%s %s", ppctl_record_type (abi), record->name);
	if (abi->type == PP_ABI_RECORD_METRIC)
		printf (": %s%s", ppctl_record_text (record, ((const struct pp_abi_metric *) abi)->declaration),
			abi->flags & PP_ABI_METRIC_ARGUMENTS ? ", with arguments: by sample_begin and sample_end only"
							     : "");
	else if (abi->type == PP_ABI_RECORD_EXPECT)
		put_expectation (record);
	else if (abi->type == PP_ABI_RECORD_KNOB)
		put_knob (record);
	else if (abi->type == PP_ABI_RECORD_CALLABLE && (abi->flags & PP_ABI_CALLABLE_INLINE))
		printf (", inline");
	else if (abi->type == PP_ABI_RECORD_SOURCE)
		printf (" for %s", record->has_end ? "intervals" : "points");
	else if (abi->type == PP_ABI_RECORD_STATISTIC)
		printf (", %s", abi->flags == 0   ? "a plain number"
				: abi->flags == 1 ? "of the metric's unit"
						  : "of its square");
	if (*record->where)
		printf ("\n    at %s", record->where);
	putchar ('\n');
}

static void put_binary (const struct ppctl_binary *binary, bool verbose)
{
	for (size_t i = 0; i < binary->n_sites; i++)
		put_site (&binary->site[i], verbose);
	if (binary->n_sites && binary->n_records)
		putchar ('\n');
	for (size_t i = 0; i < binary->n_records; i++)
		put_record (&binary->record[i]);
}

const char *ppctl_site_kind (const struct pp_abi_site *site)
{
	return ppi_kind_name (site->kind);
}

const char *ppctl_site_value (const struct pp_abi_site *site)
{
	return ppi_value_name (site->value);
}

const char *ppctl_record_type (const struct pp_abi_record *record)
{
	static const char *const names[] = {"record", "metric",      "knob",     "callable",
					    "source", "expectation", "operator", "statistic"};

	return record->type < sizeof names / sizeof names[0] ? names[record->type] : "record";
}

static int sites (const char *path, bool json, bool verbose)
{
	struct ppctl_binary binary;
	char why[600] = "";
	bool done = true;

	if (ppctl_binary_open (path, &binary, why, sizeof why) != 0)
		return ppctl_fail (PPCTL_PROBLEM, "sites", "%s", why);
	if (!json && binary.n_sites == 0 && binary.n_records == 0) {
		ppctl_binary_close (&binary);
		return ppctl_fail (PPCTL_PROBLEM, "sites", "%s has no sites: was it built with gcc -fplugin=ppgcc?",
				   path);
	}
#ifdef HAVE_JANSSON
	if (json)
		done = ppctl_sites_json (stdout, &binary);
#endif
	if (!json)
		put_binary (&binary, verbose);
	ppctl_binary_close (&binary);
	return done ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, "sites", "no memory");
}

int ppctl_sites (int argc, char **argv)
{
	static const struct option options[] = {{"json", no_argument, NULL, 'j'},
						{"verbose", no_argument, NULL, 'v'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	bool json = false, verbose = false;
	int option;

	while ((option = getopt_long (argc, argv, "v", options, NULL)) != -1)
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			help (stdout);
			return PPCTL_OK;
		default:
			return ppctl_see_help ("sites");
		}
	if (argc - optind != 1)
		return ppctl_wrong ("sites", "it needs a program or shared object, and just one");
#ifndef HAVE_JANSSON
	if (json)
		return ppctl_fail (PPCTL_PROBLEM, "sites",
				   "this ppctl was built without JSON: install libjansson-dev and build again");
#endif
	return sites (argv[optind], json, verbose);
}
