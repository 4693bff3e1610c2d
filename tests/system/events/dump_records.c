/* SPDX-License-Identifier: MIT */
/*
 * dump_records.c: the event records of a recording, as profiler/analysis/records.h gives them out: a
 * line each, and a last one with what is missing.
 *
 *     THREAD DEPTH KIND EVENT KEY=VALUE ...
 *
 * With -t times too; -c counts only.
 */
#include "profiler/analysis/records.h"
#include "recording/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dump {
	struct ppi_records *records;
	bool times, counts;
	uint64_t n, wrong;
	uint32_t thread;
	/* ends and begins of what is around */
	double begin[64], end[64];
};

static void print_dim (const struct dump *d, const struct ppi_record_dim *dim)
{
	printf (" %s=", ppi_records_text (d->records, dim->key));
	switch (dim->type) {
	case PP_ABI_VALUE_INT:
		printf ("%" PRId64, dim->is.integer);
		break;
	case PP_ABI_VALUE_DOUBLE:
		printf ("%.17g", dim->is.real);
		break;
	case PP_ABI_VALUE_BOOL:
		printf (dim->is.integer ? "true" : "false");
		break;
	case PP_ABI_VALUE_UNSIGNED:
		printf ("%" PRIu64, dim->is.pointer);
		break;
	case PP_ABI_VALUE_POINTER:
		printf ("0x%" PRIx64, dim->is.pointer);
		break;
	case PP_ABI_VALUE_STRING:
		printf ("%s", ppi_records_text (d->records, dim->is.text));
		break;
	default:
		printf ("?");
	}
}

/* What is inside lies inside, in time too. */
static void check (struct dump *d, const struct ppi_record *r)
{
	double end = r->begin_ns + r->time_ns;

	d->wrong += r->time_ns < 0 || (r->is_span && r->depth) || (r->is_point && r->time_ns > 0);
	if (r->is_span || r->depth >= 64)
		return;
	if (r->depth)
		d->wrong +=
			r->begin_ns < d->begin[r->depth - 1] - 1 || end > d->end[r->depth - 1] + 1;
	d->begin[r->depth] = r->begin_ns;
	d->end[r->depth] = end;
}

static bool print (const struct ppi_record *r, void *arg)
{
	struct dump *d = arg;

	d->n++;
	check (d, r);
	if (d->counts)
		return true;
	printf ("%u %u %s %s", r->thread, r->depth,
		r->is_span    ? "span"
		: r->is_point ? "point"
			      : "interval",
		ppi_records_text (d->records, r->event));
	for (unsigned i = 0; i < r->n_dims; i++)
		print_dim (d, &r->dim[i]);
	if (d->times)
		printf (" @%.0f+%.0f", r->begin_ns, r->time_ns);
	putchar ('\n');
	return true;
}

int main (int argc, char **argv)
{
	struct ppi_recording *recording;
	struct ppi_records_info info;
	struct dump d = {.times = argc > 2 && strcmp (argv[1], "-t") == 0,
			 .counts = argc > 2 && strcmp (argv[1], "-c") == 0};
	char why[256] = "";

	if (argc < 2)
		return 2;
	if (ppi_recording_open (argv[argc - 1], &recording, why, sizeof why) < 0) {
		fprintf (stderr, "%s\n", why);
		return 1;
	}
	d.records = ppi_records_open (recording, why, sizeof why);
	if (!d.records || !ppi_records_each (d.records, print, &d, why, sizeof why)) {
		fprintf (stderr, "%s\n", why);
		ppi_records_close (d.records);
		ppi_recording_close (recording);
		return 1;
	}
	ppi_records_info (d.records, &info);
	printf ("records %" PRIu64 " dropped %" PRIu64 " gaps %" PRIu64 " wrong %" PRIu64 "\n",
		info.records, info.lost[PP_DROP_STREAM], info.gaps,
		d.wrong + (info.records != d.n));
	ppi_records_close (d.records);
	ppi_recording_close (recording);
	return 0;
}
