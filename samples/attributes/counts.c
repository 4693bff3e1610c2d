/* SPDX-License-Identifier: MIT */
/* counts.c: see counts.h. */
#include "counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 1024 };

static struct kind {
	const char *event, *name, *type;
	bool cached;
	unsigned long n;
} kinds[KINDS];
static unsigned n;

void count_event (const char *event, const char *name, const char *type, bool cached)
{
	unsigned i;

	/* names and types are the same texts at the same addresses, or a few more lines */
	for (i = 0; i < n; i++)
		if (kinds[i].name == name && kinds[i].type == type && kinds[i].cached == cached)
			break;
	if (i == KINDS)
		return;
	if (i == n)
		kinds[n++] = (struct kind){event, name, type, cached, 0};
	kinds[i].n++;
}

static int order (const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int is = strcmp (x->event, y->event);

	is = is ? is : strcmp (x->name, y->name);
	is = is ? is : strcmp (x->type, y->type);
	return is ? is : (int) x->cached - (int) y->cached;
}

void print_counts (void)
{
	qsort (kinds, n, sizeof *kinds, order);
	for (unsigned i = 0; i < n; i++)
		printf ("%s %s %s %s %lu\n", kinds[i].event, kinds[i].name, kinds[i].type,
			kinds[i].cached ? "true" : "false", kinds[i].n);
	n = 0;
}
