/* SPDX-License-Identifier: MIT */
/*
 * check.c: ppctl check POLICY [--binary BINARY]...: reads and checks a policy with the library's
 * own reader and checker, against what binaries say of themselves. Nothing is run.
 */
#include "ppctl/elf_read.h"
#include "ppctl/ppctl.h"

#include "assertions/language/ppctl.h"
#include "base/quantity.h"
#include "stdmetrics/listing.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define BINARIES_MAX PPCTL_TEXTS_MOST

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl check [--strict] [--binary BINARY]... FILE\n\n"
		 "Checks a policy as the library does when it loads it, and prints every error\n"
		 "with its place. Without --binary what only the program knows (its metrics,\n"
		 "sites, knobs, functions) is taken to exist, but for names that are nearly one\n"
		 "of the policy's own; with it, a site that no binary has is told too,\n"
		 "but for names of spans and of calls like pp_begin, where it has them as texts.\n"
		 "What the policy says of a metric, source, knob or function that there is not\n"
		 "waits until there is, which is a warning, unless the name is nearly one that\n"
		 "there is: the program may declare it by a call, or load an object that has it.\n"
		 "Name such objects as well. An instrument file, with rules for the compiler, is\n"
		 "told by its keys and checked as the compiler does (see ppctl rules).\n\n"
		 "  --binary BINARY   a program or shared object that the policy is for\n"
		 "  --strict          a name that there is not is an error\n");
}

/* What a policy asks for of events; nothing where it says nothing of them. */
static void put_events (const struct ppi_offline_result *r)
{
	if (r->records)
		printf (", records by %zu pattern%s", r->records, r->records == 1 ? "" : "s");
	if (r->aggregates)
		printf (", %zu aggregate%s", r->aggregates, r->aggregates == 1 ? "" : "s");
	if (r->flight)
		printf (", a flight recorder of %zu", r->flight);
}

static void put_success (const struct ppi_offline_result *r, const char *path, bool known)
{
	char waits[80] = "";

	if (r->waits)
		snprintf (waits, sizeof waits, "; it waits for %zu name%s", r->waits,
			  r->waits == 1 ? "" : "s");
	printf ("%s: no errors; %zu metric%s, %zu binding%s, %zu assertion%s", path, r->metrics,
		r->metrics == 1 ? "" : "s", r->binds, r->binds == 1 ? "" : "s", r->assertions,
		r->assertions == 1 ? "" : "s");
	put_events (r);
	printf ("%s%s\n", waits,
		known ? ""
		      : " (metrics of the program's own, sites, knobs and functions: not checked "
			"without "
			"--binary)");
}

static struct ppi_offline_site offline_site (const struct ppctl_site *site)
{
	return (struct ppi_offline_site){
		.full = site->full,
		.base = site->base,
		.parameters = site->parts.parameters,
		.function_line = site->parts.function_line,
		.line = site->parts.line,
		.nth = site->parts.nth,
		.module = site->module,
		.file = site->file,
		.function = site->function,
		.name = site->name,
		.groups = site->groups,
		.dims = site->dims,
		.kind = site->abi->kind,
		.value = site->abi->value,
		.flags = site->abi->flags,
	};
}

static struct ppi_offline_record offline_record (const struct ppctl_record *record)
{
	struct ppi_offline_record out = {.type = record->abi->type,
					 .name = record->name,
					 .accumulator = "",
					 .source = "",
					 .options = "",
					 .unit = "",
					 .words = record->words};

	if (out.type == PP_ABI_RECORD_METRIC) {
		const struct pp_abi_metric *metric = (const struct pp_abi_metric *) record->abi;

		out.kind = metric->kind;
		out.accumulator = ppctl_record_text (record, metric->accumulator);
		out.source = ppctl_record_text (record, metric->source);
		out.options = metric->options ? ppctl_record_text (record, metric->options) : "";
		out.has_arguments = metric->head.flags & PP_ABI_METRIC_ARGUMENTS;
		out.has_functions = metric->sample_type != 0;
		out.is_const = metric->head.flags & PP_ABI_METRIC_CONST;
	} else if (out.type == PP_ABI_RECORD_KNOB) {
		out.knob = (const struct pp_abi_knob *) record->abi;
	} else if (out.type == PP_ABI_RECORD_STATISTIC) {
		out.power = record->abi->flags;
	} else if (out.type == PP_ABI_RECORD_SOURCE) {
		out.kind = record->has_end ? PP_ABI_SITE_INTERVAL : PP_ABI_SITE_POINT;
		out.unit = ppctl_record_text (record, offsetof (struct pp_abi_source, unit));
	}
	return out;
}

struct binaries {
	const struct ppctl_binary *binary;
	size_t n;
};

static bool spells (const char *text, const void *arg)
{
	const struct binaries *all = arg;

	for (size_t b = 0; b < all->n; b++)
		if (ppctl_binary_spells (&all->binary[b], text))
			return true;
	return false;
}

/* What N binaries have, all together. */
static int check (const char *path, bool strict, const struct ppctl_binary *binary, size_t n)
{
	size_t sites = 0, records = 0;
	struct ppi_offline_site *site;
	struct ppi_offline_record *record;
	struct ppi_offline_result result;
	int error = PP_ENOMEM;

	for (size_t b = 0; b < n; b++) {
		sites += binary[b].n_sites;
		records += binary[b].n_records;
	}
	(void) ppi_stdmetrics_init ();
	site = calloc (sites + 1, sizeof *site);
	record = calloc (records + 1, sizeof *record);
	sites = records = 0;
	for (size_t b = 0; site && record && b < n; b++) {
		for (size_t i = 0; i < binary[b].n_sites; i++)
			site[sites++] = offline_site (&binary[b].site[i]);
		for (size_t i = 0; i < binary[b].n_records; i++)
			record[records++] = offline_record (&binary[b].record[i]);
	}
	if (site && record)
		error = ppi_policy_check_offline (
			path,
			&(struct ppi_offline){site, record, sites, records, n > 0, strict, spells,
					      &(struct binaries){binary, n}},
			ppctl_put_line, stderr, &result);
	free (site);
	free (record);
	if (error == PP_ENOMEM)
		return ppctl_fail (PPCTL_PROBLEM, "check", "no memory");
	if (error)
		return PPCTL_PROBLEM;
	put_success (&result, path, n > 0);
	return PPCTL_OK;
}

static int check_rules (const char *path)
{
	struct ppi_offline_rules rules;
	int error = ppi_offline_rules_read (path, ppctl_put_line, stderr, &rules);

	if (error == PP_ENOMEM)
		return ppctl_fail (PPCTL_PROBLEM, "check", "no memory");
	if (error)
		return PPCTL_PROBLEM;
	printf ("%s: no errors; %zu rule%s", path, rules.n, rules.n == 1 ? "" : "s");
	if (rules.features)
		printf (" of %zu feature%s", rules.features, rules.features == 1 ? "" : "s");
	putchar ('\n');
	ppi_offline_rules_clear (&rules);
	return PPCTL_OK;
}

static int check_with (const char *path, bool strict, char *const *paths, size_t n)
{
	struct ppctl_binary binary[BINARIES_MAX];
	char why[600] = "";
	int status = PPCTL_OK;
	size_t opened = 0;

	while (opened < n &&
	       ppctl_binary_open (paths[opened], &binary[opened], why, sizeof why) == 0)
		opened++;
	if (opened < n)
		status = ppctl_fail (PPCTL_PROBLEM, "check", "%s", why);
	else
		status = check (path, strict, binary, n);
	while (opened > 0)
		ppctl_binary_close (&binary[--opened]);
	return status;
}

int ppctl_check (int argc, char **argv)
{
	struct ppctl_list binaries = {.n = 0};
	bool strict = false;
	const struct ppctl_option options[] = {
		{"binary", PPCTL_TEXTS, &binaries, 'b'}, {"strict", PPCTL_FLAG, &strict, 0}, {0}};
	int status = ppctl_options (argc, argv, "check", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 1)
		return ppctl_wrong ("check",
				    "it needs a policy or an instrument file, and just one");
	return ppi_offline_is_rules (argv[optind])
		       ? check_rules (argv[optind])
		       : check_with (argv[optind], strict, binaries.text, binaries.n);
}
