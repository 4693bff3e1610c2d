/* SPDX-License-Identifier: MIT */
/*
 * fizzbuzz.c: a program whose time goes to output, a line at a time, and which of its lines: most
 * numbers are divisible by neither 3 nor 5. The numbers come from a list with a next function, as
 * generic sequences do: a feature of the program's own, whose cost is small.
 *
 *     fizzbuzz N >/dev/null; ppctl features fizzbuzz.*.pprec
 */
#include <pp.h>
#include <stdio.h>
#include <stdlib.h>

struct sequence {
	long at, end;
	int (*next) (struct sequence *from, long *number);
};

static int next_of_range (struct sequence *from, long *number)
{
	*number = from->at;
	return from->at++ < from->end;
}

static int next (struct sequence *from, long *number)
{
	PP_FEATURE (sequence.dispatch)
	return from->next (from, number);
}

static void fizzbuzz (long n)
{
	struct sequence range = {1, n + 1, next_of_range};
	long i;

	while (next (&range, &i))
		if (i % 15 == 0)
			fprintf (stdout, "FizzBuzz %d\n", 15);
		else if (i % 5 == 0)
			fprintf (stdout, "Buzz %d\n", 5);
		else if (i % 3 == 0)
			fprintf (stdout, "Fizz %d\n", 3);
		else
			fprintf (stdout, "%ld\n", i);
}

int main (int argc, char **argv)
{
	fizzbuzz (argc > 1 ? atol (argv[1]) : 1000000);
	return 0;
}
