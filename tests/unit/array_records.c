/* SPDX-License-Identifier: MIT */
/* array_records.c: see array_records.h. */
#include "tests/unit/array_records.h"

#include "ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 4096, TEXTS = 512, DEEP = 128, DIMS = 12 };

struct open {
	struct ppi_record record;
	struct ppi_record_dim dim[DIMS];
	double inside;
};

struct ppi_records {
	struct ppi_record record[RECORDS]; /* in the order in which they ended */
	struct ppi_record_dim dim[RECORDS][DIMS];
	size_t n;
	char *text[TEXTS];
	uint32_t texts;
	struct open open[DEEP];
	uint32_t depth, thread;
	double now;
	struct ppi_records_info info;
};

struct ppi_records *array_records (void)
{
	struct ppi_records *records = calloc (1, sizeof *records);

	ck_assert_ptr_nonnull (records);
	records->thread = 1;
	records->info.cost_inside_ns = records->info.cost_around_ns = 0;
	return records;
}

static uint32_t id_of (struct ppi_records *records, const char *text)
{
	uint32_t id = ppi_records_id (records, text);

	if (id != UINT32_MAX)
		return id;
	ck_assert_uint_lt (records->texts, TEXTS);
	records->text[records->texts] = strdup (text);
	return records->texts++;
}

void array_thread (struct ppi_records *records, uint32_t thread)
{
	ck_assert_uint_eq (records->depth, 0);
	records->thread = thread;
}

void array_begin (struct ppi_records *records, const char *event)
{
	struct open *open = &records->open[records->depth];

	ck_assert_uint_lt (records->depth, DEEP);
	*open = (struct open){.record = {.event = id_of (records, event),
					 .thread = records->thread,
					 .depth = records->depth,
					 .begin_ns = records->now}};
	records->depth++;
}

static struct ppi_record_dim *dim_of (struct ppi_records *records, const char *key, uint8_t type)
{
	struct open *open = &records->open[records->depth - 1];
	struct ppi_record_dim *dim = &open->dim[open->record.n_dims++];

	ck_assert_uint_le (open->record.n_dims, DIMS);
	*dim = (struct ppi_record_dim){.key = id_of (records, key), .type = type};
	return dim;
}

void array_text (struct ppi_records *records, const char *key, const char *value)
{
	dim_of (records, key, PP_ABI_VALUE_STRING)->is.text = id_of (records, value);
}

void array_int (struct ppi_records *records, const char *key, int64_t value)
{
	dim_of (records, key, PP_ABI_VALUE_INT)->is.integer = value;
}

void array_real (struct ppi_records *records, const char *key, double value)
{
	dim_of (records, key, PP_ABI_VALUE_DOUBLE)->is.real = value;
}

void array_bits (struct ppi_records *records, const char *key, uint8_t type, uint64_t bits)
{
	dim_of (records, key, type)->is.pointer = bits;
}

void array_site (struct ppi_records *records, uint32_t site)
{
	records->open[records->depth - 1].record.site = site;
}

static void keep (struct ppi_records *records, const struct open *open)
{
	ck_assert_uint_lt (records->n, RECORDS);
	records->record[records->n] = open->record;
	memcpy (records->dim[records->n], open->dim, sizeof open->dim);
	records->record[records->n].dim = records->dim[records->n];
	records->n++;
}

void array_end (struct ppi_records *records, double own_ns)
{
	struct open *open = &records->open[--records->depth];

	open->record.time_ns = own_ns + open->inside;
	records->now += own_ns;
	if (records->depth)
		open[-1].inside += open->record.time_ns;
	keep (records, open);
}

void array_span (struct ppi_records *records, const char *event, double time_ns)
{
	keep (records, &(struct open){.record = {.event = id_of (records, event),
						 .thread = records->thread,
						 .is_span = true,
						 .begin_ns = records->now,
						 .time_ns = time_ns}});
}

void array_point (struct ppi_records *records, const char *event)
{
	keep (records, &(struct open){.record = {.event = id_of (records, event),
						 .thread = records->thread,
						 .depth = records->depth,
						 .is_point = true,
						 .begin_ns = records->now}});
}

struct ppi_records_info *array_info (struct ppi_records *records)
{
	return &records->info;
}

struct ppi_record *array_last (struct ppi_records *records)
{
	return &records->record[records->n - 1];
}

/* ---- records.h ------------------------------------------------------------------------------- */

void ppi_records_close (struct ppi_records *records)
{
	for (uint32_t i = 0; i < records->texts; i++)
		free (records->text[i]);
	free (records);
}

const char *ppi_records_text (const struct ppi_records *records, uint32_t id)
{
	return id < records->texts ? records->text[id] : "";
}

uint32_t ppi_records_id (const struct ppi_records *records, const char *text)
{
	for (uint32_t i = 0; i < records->texts; i++)
		if (strcmp (records->text[i], text) == 0)
			return i;
	return UINT32_MAX;
}

size_t ppi_records_keys (const struct ppi_records *records, uint32_t *key, size_t room)
{
	size_t n = 0, k;

	for (size_t i = 0; i < records->n; i++)
		for (unsigned d = 0; d < records->record[i].n_dims; d++) {
			for (k = 0; k < n && key[k] != records->dim[i][d].key; k++)
				;
			if (k == n && n < room)
				key[n++] = records->dim[i][d].key;
		}
	return n;
}

bool ppi_records_each (struct ppi_records *records,
		       bool (*fn) (const struct ppi_record *record, void *arg), void *arg,
		       char *why, size_t room)
{
	uint64_t number = 0;

	if (room)
		*why = '\0';
	for (size_t i = records->n; i--;) {
		struct ppi_record record = records->record[i];

		if (i + 1 < records->n && records->record[i + 1].thread != record.thread)
			number = 0;
		record.number = ++number;
		if (!fn (&record, arg))
			break;
	}
	return true;
}

void ppi_records_info (const struct ppi_records *records, struct ppi_records_info *out)
{
	*out = records->info;
	out->records = records->n;
}
