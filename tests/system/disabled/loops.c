/* SPDX-License-Identifier: MIT */
/*
 * loops.c: four loops, each with an interval or point in its body that nothing is bound to; without
 * MARKED the same without them. disabled.sh counts the instructions of both under callgrind and
 * looks at their assembly.
 */
#include <stdio.h>
#include <stdlib.h>

#define KEEP __attribute__ ((noipa))
#ifdef MARKED
#define PRAGMA(x) _Pragma (#x)
#define INTERVAL(name) PRAGMA (pp interval name)
#define POINT(name) PRAGMA (pp point name)
#else
#define INTERVAL(name)
#define POINT(name)
#endif

int a, b;

/*
 * Figure 4.1 of the thesis, with an interval where its line 6 has a call: lines 8 and 9 do not
 * change within the loops. Once they have left, nothing is in the unmarked loop, and the compiler
 * would remove it altogether; the empty asm keeps it.
 */
KEEP int figure_4_1 (int n, int argc)
{
	int i, j;

	for (i = 0; i < n; ++i) {
		INTERVAL (i1)
		__asm__ volatile("");
		for (j = 0; j < 5; ++j) {
			a = argc;
			b = a;
		}
	}
	return a + b;
}

/* a list's nodes, one interval each */
struct node {
	struct node *next;
	long value;
};

KEEP long list_sum (const struct node *list)
{
	long sum = 0;

	for (; list; list = list->next) {
		INTERVAL (visit)
		if (list->value & 1)
			sum += list->value;
		else
			sum -= list->value;
	}
	return sum;
}

/* a matrix by a vector, one interval per row; scale * x[0] does not change within the loops */
KEEP void rows (int n, int m, const double *matrix, const double *x, double scale, double *y)
{
	for (int i = 0; i < n; i++) {
		INTERVAL (row)
		double s = 0;

		for (int j = 0; j < m; j++)
			s += matrix[j] * x[j];
		y[0] += s * (scale / 3.0);
	}
}

/* a hash over bytes, one point each */
KEEP unsigned hash (const unsigned char *text, int n)
{
	unsigned h = 2166136261u;

	for (int i = 0; i < n; i++) {
		POINT (byte)
		h = (h ^ text[i & 63]) * 16777619u;
	}
	return h;
}

int main (int argc, char **argv)
{
	static unsigned char text[64] = "what markers cost that nothing is bound to";
	static double matrix[32], x[32], y[1];
	int n = argc == 2 ? atoi (argv[1]) : 1000;
	struct node *nodes = calloc ((size_t) n, sizeof (*nodes));

	if (!nodes)
		return 1;
	for (int i = 0; i < n; i++) {
		nodes[i].value = i / 3;
		nodes[i].next = i + 1 < n ? &nodes[i + 1] : NULL;
	}
	for (int i = 0; i < 32; i++)
		matrix[i] = x[i] = i;
	rows (n, 32, matrix, x, 2.0, y);
	printf ("%d %ld %g %u\n", figure_4_1 (n, argc), list_sum (nodes), y[0], hash (text, n));
	return 0;
}
