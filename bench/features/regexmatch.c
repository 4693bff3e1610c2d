/* SPDX-License-Identifier: MIT */
/*
 * regexmatch.c: which lines have a phone number, by a regular expression; what it says is asserted.
 */
#include "feature.h"

#include <assert.h>
#include <regex.h>
#include <stdio.h>

double feature_run (long n)
{
	regmatch_t part[4];
	char line[64];
	regex_t number;
	long found = 0;

	if (regcomp (&number, "(^|[^0-9])([0-9]{3})[ -]([0-9]{4})($|[^0-9])", REG_EXTENDED) != 0)
		return -1;
	for (long i = 0; i < n; i++) {
		snprintf (line, sizeof line, "call me, %ld%s%04ld, at %ld", i % 1000,
			  i % 3 == 0 ? "-" : "/", i % 10000, i % 24);
		if (regexec (&number, line, 4, part, 0) != 0)
			continue;
		assert (part[2].rm_so >= 0 && part[2].rm_eo - part[2].rm_so == 3);
		found++;
	}
	regfree (&number);
	return (double) found;
}
