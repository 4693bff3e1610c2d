/* SPDX-License-Identifier: MIT */
/*
 * environment.c: a program with an environment that anybody wrote: "environment FILE", a variable a
 * line, NAME=VALUE. It measures itself under them: whatever they say, it ends as it would without,
 * and no sample is made up. Status 99 where that isn't so.
 */
#include <pp.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#pragma pp metric values point sumcount(value)
#pragma pp metric pairs  interval histogram(elapsed)
/* clang-format on */

enum { ROUNDS = 200, VARIABLES = 64, MOST = 1 << 16, WRONG = 99 };

static volatile long sink;

static void work (int i)
{
#pragma pp interval work(pairs)
	sink = i;
#pragma pp point given(values) value(3)
}

static int measure (void)
{
	double n, sum;

	for (int i = 0; i < ROUNDS; i++)
		work (i);
	n = pp_count (values);
	sum = pp_sum (values);
	return n > ROUNDS || (n > 0 && sum != 3 * n) || pp_count (pairs) > ROUNDS ? WRONG : 0;
}

/* Every line that has a '=' behind a name. */
static void set_variables (char *text)
{
	char *rest = text, *line, *value;
	int n = 0;

	while (n < VARIABLES && (line = strsep (&rest, "\n")))
		if ((value = strchr (line, '=')) && value != line &&
		    strncmp (line, "PP_", 3) == 0) {
			*value = '\0';
			n += setenv (line, value + 1, 1) == 0;
		}
}

int main (int argc, char **argv)
{
	static char text[MOST];
	FILE *f;

	if (argc == 2 && strcmp (argv[1], "--run") == 0)
		return measure ();
	f = argc == 2 ? fopen (argv[1], "r") : NULL;
	if (!f)
		return 1;
	text[fread (text, 1, sizeof text - 1, f)] = '\0';
	fclose (f);
	set_variables (text);
	execl ("/proc/self/exe", "environment", "--run", (char *) NULL);
	return 1;
}
