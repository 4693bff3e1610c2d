/* SPDX-License-Identifier: MIT */
/*
 * constant.c: constant:N, the same number at every execution: an integer where N is one of 64 bits,
 * else a double. For weights in sums and for composite metrics; an interval's sample is N, not a
 * difference.
 */
#include "base/c_locale.h"
#include "base/types.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/stdmetrics.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The plainest syntax: digits, a point, an exponent, a sign; no hexadecimal, infinities or blanks.
 */
static bool is_number (const char *text)
{
	bool digits = isdigit ((unsigned char) text[strspn (text, "+-.")]);

	return digits && strspn (text, "+-.0123456789eE") == strlen (text);
}

static double in_c_locale (const char *text, char **end)
{
	PPI_C_LOCALE;

	return strtod (text, end);
}

static int open_constant (struct ppi_source_instance *instance, char *why, size_t room)
{
	const char *text = instance->argument;
	char *end = NULL;
	union ppi_sample value;

	errno = 0;
	value.i = strtoll (text, &end, 10);
	if (is_number (text) && !*end && errno == 0) {
		instance->state = (void *) (intptr_t) value.i;
		return PP_OK;
	}
	errno = 0;
	value.d = in_c_locale (text, &end);
	if (!is_number (text) || *end || !isfinite (value.d)) {
		snprintf (why, room,
			  "\"constant:%s\": expected a number, like constant:3 or constant:-2.5e6",
			  text);
		return PP_EINVAL;
	}
	instance->sample_type = PP_ABI_SAMPLE_DOUBLE;
	instance->state = (void *) (intptr_t) value.i; /* the double's bits */
	return PP_OK;
}

static int begin_constant (struct ppi_source_instance *instance, void *slot)
{
	(void) instance;
	(void) slot;
	return 0;
}

static int point_constant (struct ppi_source_instance *instance, union ppi_sample *out)
{
	out->i = (int64_t) (intptr_t) instance->state;
	return 0;
}

static int end_constant (struct ppi_source_instance *instance, const void *slot,
			 union ppi_sample *out)
{
	(void) slot;
	return point_constant (instance, out);
}

const struct ppi_source ppi_source_constant = {
	.name = "constant",
	.help = "constant:N, the number N at every execution",
	.prefix = true,
	.example = "3",
	.form = "N",
	.opens_nothing = true,
	.class = PPI_SOURCE_FUNCTION,
	.kinds = PPI_FOR_POINTS | PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_PLAIN,
	.scale = 1,
	.reading = PPI_READING_NOTHING,
	.open = open_constant,
	.begin = begin_constant,
	.end = end_constant,
	.point = point_constant,
};
