/* SPDX-License-Identifier: MIT */
/*
 * check.c: ppctl check POLICY [--binary BINARY]...: reads and checks a policy with the library's own reader and checker, against what binaries say
 * of themselves. Nothing is run.
 */
#include "ppctl/names.h"
#include "ppctl/ppctl.h"

#include "assertions/diagnostics.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define BINARIES_MAX 32

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl check [--binary BINARY]... POLICY\n\n"
		      "Checks a policy as the library does when it loads it, and prints every error with its place. "
		      "Without --binary what\n"
		      "only the program knows (sites, knobs, functions) is taken to exist; with it, a site that no "
		      "binary has is an error\n"
		      "too. Programs that load objects later: name those as well.\n\n"
		      "  --binary BINARY   a program or shared object that the policy is for\n");
}

static void put_line (const char *line, void *arg)
{
	fprintf (arg, "%s\n", line);
}

static void put_success (const struct ppi_policy *policy, const char *path, size_t binaries)
{
	printf ("%s: no errors; %zu metric%s, %zu binding%s, %zu assertion%s%s\n", path, policy->n_metrics,
		policy->n_metrics == 1 ? "" : "s", policy->n_binds, policy->n_binds == 1 ? "" : "s",
		policy->n_assertions, policy->n_assertions == 1 ? "" : "s",
		binaries ? "" : " (sites, knobs and functions: not checked without --binary)");
}

static int check (const char *path, const struct ppctl_binary *binary, size_t n)
{
	struct ppi_policy *policy = NULL;
	struct ppi_diagnostics d;
	char *text = NULL, *copy = NULL;
	size_t bytes = 0;
	int error;

	ppi_diagnostics_init (&d, path, NULL, 1);
	error = ppi_policy_slurp (path, &text, &bytes, &d);
	if (!error) {
		d.text = copy = strdup (text); /* TEXT becomes the policy's */
		error = ppi_policy_read (path, text, bytes, &d, &policy);
	}
	if (policy && policy->tree) {
		struct ppctl_names names;

		ppctl_names_init (&names, binary, n, policy);
		ppi_policy_check (policy, &names.names, &d);
	}
	if (error || d.errors || !policy)
		error = PPCTL_PROBLEM;
	ppi_diagnostics_tell (&d, put_line, stderr);
	if (!error)
		put_success (policy, path, n);
	if (policy)
		ppi_policy_destroy (policy);
	ppi_diagnostics_clear (&d);
	free (copy);
	return error;
}

static int check_with (const char *path, char *const *paths, size_t n)
{
	struct ppctl_binary binary[BINARIES_MAX];
	char why[600] = "";
	int status = PPCTL_OK;
	size_t opened = 0;

	while (opened < n && ppctl_binary_open (paths[opened], &binary[opened], why, sizeof why) == 0)
		opened++;
	if (opened < n)
		status = ppctl_fail (PPCTL_PROBLEM, "check", "%s", why);
	else
		status = check (path, binary, n);
	while (opened > 0)
		ppctl_binary_close (&binary[--opened]);
	return status;
}

int ppctl_check (int argc, char **argv)
{
	static const struct option options[] = {
		{"binary", required_argument, NULL, 'b'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	char *paths[BINARIES_MAX];
	size_t n = 0;
	int option;

	while ((option = getopt_long (argc, argv, "b:", options, NULL)) != -1)
		switch (option) {
		case 'b':
			if (n == BINARIES_MAX)
				return ppctl_fail (PPCTL_USAGE, "check", "at most %d binaries", BINARIES_MAX);
			paths[n++] = optarg;
			break;
		case 'h':
			help (stdout);
			return PPCTL_OK;
		default:
			help (stderr);
			return PPCTL_USAGE;
		}
	if (argc - optind != 1) {
		help (stderr);
		return PPCTL_USAGE;
	}
	return check_with (argv[optind], paths, n);
}
