/* SPDX-License-Identifier: MIT */
/* counts.c: what the metrics of fortran.yaml have, for a program in Fortran. */
#include <pp.h>

void print_counts (void);
void print_counts (void)
{
	static const char *const names[] = {"steps", "inners", "named", "computed", "marks"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		printf ("%s %g\n", names[i], pp_count (pp_metric_find (names[i])));
	printf ("index %g\nhalf %g\nnumber %g\n", pp_sum (pp_metric_find ("index")),
		pp_sum (pp_metric_find ("half")), pp_sum (pp_metric_find ("number")));
}
