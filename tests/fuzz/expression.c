/* SPDX-License-Identifier: MIT */
/*
 * expression.c: the expression of an assertion that anybody wrote: at a site and merged, as a
 * condition and as a number. What compiles is evaluated, with values that are unknown, infinite,
 * and zero.
 */
#include "assertions/language/expr.h"
#include "base/types.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	struct ppi_name_metric metric;
} metrics[] = {
	{"t", {PPI_STATS, PPI_UNIT_SECONDS, PP_ABI_SITE_INTERVAL, false, NULL, 0, false}},
	{"s", {PPI_BOUNDED_SERIES, PPI_UNIT_SECONDS, PP_ABI_SITE_INTERVAL, false, NULL, 0, false}},
	{"h",
	 {PPI_HISTOGRAM, PPI_UNIT_BYTES, PP_ABI_SITE_INTERVAL, false, NULL, 1000000000, false}},
	{"n", {PPI_SUMCOUNT, PPI_UNIT_PLAIN, PP_ABI_SITE_POINT, false, NULL, 0, false}},
};

static bool each (const struct ppi_names *self, enum ppi_name_kind kind,
		  bool (*fn) (const char *name, void *arg), void *arg)
{
	(void) self;
	for (size_t i = 0; kind == PPI_NAME_METRIC && i < sizeof metrics / sizeof *metrics; i++)
		if (fn (metrics[i].name, arg))
			return true;
	return kind == PPI_NAME_ASSERTION ? fn ("slow", arg)
					  : kind == PPI_NAME_KNOB && fn ("level", arg);
}

static bool metric (const struct ppi_names *self, const char *name, struct ppi_name_metric *out)
{
	(void) self;
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		if (strcmp (metrics[i].name, name) == 0) {
			*out = metrics[i].metric;
			return true;
		}
	return false;
}

static int site (const struct ppi_names *self, const char *pattern, unsigned kind, char *why,
		 size_t room)
{
	(void) self;
	(void) kind;
	snprintf (why, room, "'%s' means 2 sites", pattern);
	return strlen (pattern) % 3 ? 1 : PP_EAMBIGUOUS;
}

/* Composites that mean each other, and one that is wrong. */
static const char *composite (const struct ppi_names *self, const char *name)
{
	(void) self;
	return strcmp (name, "c") == 0   ? "t.sum / n.sum + d"
	       : strcmp (name, "d") == 0 ? "2 * c"
	       : strcmp (name, "e") == 0 ? "t.avg / n.avg"
	       : strcmp (name, "f") == 0 ? "t.avg +"
					 : NULL;
}

static int statistic (const struct ppi_names *self, const char *name, int *power)
{
	(void) self;
	*power = 1;
	return strcmp (name, "worst") == 0 ? 0 : -1;
}

static const struct ppi_names names = {.each = each,
				       .metric = metric,
				       .site = site,
				       .composite = composite,
				       .statistic = statistic,
				       .grows = true};

static double load (const struct ppi_ref *ref, void *arg)
{
	static const double values[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, 5e-324};
	unsigned *n = arg;

	if (ref->name && strlen (ref->name) > PPI_EXPR_BYTES)
		abort ();
	return values[(*n)++ % 8];
}

static void error (void *arg, size_t offset, const char *message)
{
	/* the place of an error is in the text, or just behind it */
	if (offset > *(size_t *) arg || !*message)
		abort ();
}

static void run (const struct ppi_program *program)
{
	for (unsigned n = 0; n < 8; n++) {
		unsigned at = n;

		ppi_program_run (program, load, &at);
	}
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	return 0;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	char *text = malloc (bytes + 1);
	size_t length;
	struct ppi_expr_errors errors = {error, &length, NULL};

	if (!text)
		abort ();
	memcpy (text, data, bytes);
	text[bytes] = '\0';
	length = strlen (text);
	for (int place = PPI_EXPR_AT_SITE; place <= PPI_EXPR_MERGED; place++) {
		struct ppi_program *program = NULL;
		struct ppi_dimension dimension;

		if (ppi_program_create (text, (enum ppi_expr_place) place, &names, &errors,
					&program) == 0)
			run (program);
		ppi_program_destroy (program);
		program = NULL;
		if (ppi_program_create_number (text, (enum ppi_expr_place) place, &names, &errors,
					       &dimension, &program) == 0)
			run (program);
		ppi_program_destroy (program);
	}
	free (text);
	return 0;
}
