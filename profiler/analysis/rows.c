/* SPDX-License-Identifier: MIT */
/* rows.c: see rows.h. */
#include "profiler/analysis/rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2048, BATCHES = 4 };

struct batch {
	struct ppi_record_row row[BATCH];
	struct ppi_value *slot; /* n_slots of each */
	uint32_t n;
};

struct ppi_rows {
	const struct ppi_query_source *source;
	struct ppi_terms *terms;
	uint32_t n_slots;
	struct batch batch[BATCHES];
	uint32_t next; /* of the batch that is taken */
	pthread_t walker;
	bool has_walker;
	/* of both threads, with the lock: batches that were made and that were given back */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t made, taken;
	bool is_end, is_stopped;
	char why[256]; /* of the walking thread until the end */
};

/* ---- the walking thread ---------------------------------------------------------------------- */

/* The batch is whole; the next may be filled when it was given back. False: nobody wants more. */
static bool publish (struct ppi_rows *rows)
{
	bool goes_on;

	pthread_mutex_lock (&rows->lock);
	rows->made++;
	pthread_cond_broadcast (&rows->changed);
	while (rows->made - rows->taken == BATCHES && !rows->is_stopped)
		pthread_cond_wait (&rows->changed, &rows->lock);
	goes_on = !rows->is_stopped;
	pthread_mutex_unlock (&rows->lock);
	rows->batch[rows->made % BATCHES].n = 0;
	return goes_on;
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	(void) nest, (void) place, (void) arg;
	return true;
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct ppi_rows *rows = arg;
	const struct ppi_record_frame *frame = &nest->frame[place];
	struct batch *batch = &rows->batch[rows->made % BATCHES];

	batch->row[batch->n] = (struct ppi_record_row){
		.parent = frame->up ? nest->frame[frame->up].sequence + 1 : 0,
		.frame = *frame,
		.own_ns = own_ns,
	};
	if (rows->n_slots)
		memcpy (batch->slot + (size_t) batch->n * rows->n_slots,
			nest->slot + (size_t) place * nest->n_slots,
			rows->n_slots * sizeof *batch->slot);
	return ++batch->n < BATCH || publish (rows);
}

static void *walk (void *arg)
{
	struct ppi_rows *rows = arg;
	struct ppi_walker walker = {begins, ends, rows};
	struct ppi_walk_sums sums;
	bool ok = ppi_walk (rows->source, rows->terms, &walker, &sums, rows->why, sizeof rows->why);

	pthread_mutex_lock (&rows->lock);
	if (ok)
		rows->why[0] = '\0';
	if (!rows->is_stopped)
		rows->made += rows->batch[rows->made % BATCHES].n != 0;
	rows->is_end = true;
	pthread_cond_broadcast (&rows->changed);
	pthread_mutex_unlock (&rows->lock);
	return NULL;
}

/* ---- the calling thread ---------------------------------------------------------------------- */

struct ppi_rows *ppi_rows_open (const struct ppi_query_source *source, struct ppi_terms *terms)
{
	struct ppi_rows *rows = calloc (1, sizeof *rows);
	bool ok = rows != NULL;

	if (!rows)
		return NULL;
	rows->source = source;
	rows->terms = terms;
	ppi_terms_slots (terms, &rows->n_slots);
	pthread_mutex_init (&rows->lock, NULL);
	pthread_cond_init (&rows->changed, NULL);
	for (unsigned i = 0; ok && i < BATCHES; i++) {
		rows->batch[i].slot =
			calloc ((size_t) BATCH * (rows->n_slots + 1), sizeof *rows->batch[i].slot);
		ok = rows->batch[i].slot != NULL;
	}
	rows->has_walker = ok && pthread_create (&rows->walker, NULL, walk, rows) == 0;
	if (rows->has_walker)
		return rows;
	ppi_rows_close (rows);
	return NULL;
}

void ppi_rows_close (struct ppi_rows *rows)
{
	if (!rows)
		return;
	pthread_mutex_lock (&rows->lock);
	rows->is_stopped = true;
	pthread_cond_broadcast (&rows->changed);
	pthread_mutex_unlock (&rows->lock);
	if (rows->has_walker)
		pthread_join (rows->walker, NULL);
	pthread_cond_destroy (&rows->changed);
	pthread_mutex_destroy (&rows->lock);
	for (unsigned i = 0; i < BATCHES; i++)
		free (rows->batch[i].slot);
	free (rows);
}

/* Gives the batch back that was taken, if WAS, and waits for the next; false: there is none. */
static bool fetch (struct ppi_rows *rows, bool was)
{
	bool is;

	pthread_mutex_lock (&rows->lock);
	if (was) {
		rows->taken++;
		pthread_cond_broadcast (&rows->changed);
	}
	while (rows->made == rows->taken && !rows->is_end)
		pthread_cond_wait (&rows->changed, &rows->lock);
	is = rows->made != rows->taken;
	pthread_mutex_unlock (&rows->lock);
	return is;
}

const struct ppi_record_row *ppi_rows_next (struct ppi_rows *rows, const struct ppi_value **slot,
					    const char **failed)
{
	const struct batch *batch = &rows->batch[rows->taken % BATCHES];
	uint32_t at = rows->next;

	*failed = NULL;
	if (at == 0 || at == batch->n) {
		if (!fetch (rows, at != 0)) {
			/* nothing is taken now: who asks again is told the same */
			rows->next = 0;
			*failed = rows->why[0] ? rows->why : NULL;
			return NULL;
		}
		batch = &rows->batch[rows->taken % BATCHES];
		at = 0;
	}
	rows->next = at + 1;
	*slot = batch->slot + (size_t) at * rows->n_slots;
	return &batch->row[at];
}
