/* SPDX-License-Identifier: MIT */
/* feed.c: see feed.h. */
#include "profiler/analysis/feed.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of keys below that the slot is looked up, others are looked for. */
enum { KEYS_MAPPED = 4096, BATCH = 1024, BATCH_DIMS = 4 * BATCH, BATCHES = 16 };

struct batch {
	struct ppi_record record[BATCH];
	struct ppi_record_dim dim[BATCH_DIMS]; /* of all of them */
	uint32_t n, n_dims;
};

struct feed {
	struct ppi_records *records;
	const uint32_t *key;
	uint32_t n_slots;
	struct ppi_value *slot;       /* of the record that is taken */
	uint64_t seen;                /* a bit for each slot; there are at most 64 */
	uint8_t slot_of[KEYS_MAPPED]; /* + 1 */
	struct batch batch[BATCHES];
	bool (*fn) (const struct ppi_record *record, const struct ppi_value *slot, void *arg);
	void *arg;
	/* batches that were made and that were taken: of both sides, with the lock */
	pthread_mutex_t lock;
	uint64_t made, taken;
	bool is_end, is_stopped;
	/* each side is woken once there is work for a while, so that they do not wait in turns */
	struct waiting {
		pthread_cond_t woken;
		bool is;
	} reader, taker;
	/* of the reading thread until it has ended */
	char *why;
	size_t room;
	bool ok;
};

/* ---- values ---------------------------------------------------------------------------------- */

/* Ids beyond what records can have are no texts. */
static struct ppi_value value_of (const struct ppi_record_dim *dim)
{
	struct ppi_value value = ppi_value_recorded (dim->type, dim->is.pointer);
	double real;

	switch (dim->type) {
	case PP_ABI_VALUE_INT:
	case PP_ABI_VALUE_BOOL:
	case PP_ABI_VALUE_UNSIGNED:
	case PP_ABI_VALUE_POINTER:
		return value;
	case PP_ABI_VALUE_DOUBLE:
		/* -0 is 0, for equal numbers are one value; and so is what is no number */
		real = isnan (dim->is.real) ? (double) NAN : dim->is.real + 0.0;
		memcpy (&value.bits, &real, sizeof value.bits);
		return value;
	case PP_ABI_VALUE_STRING:
		value.bits = dim->is.text;
		if (dim->is.text < 1u << 31)
			return value;
		break;
	default:
		break;
	}
	return (struct ppi_value){.type = PP_ABI_VALUE_NONE};
}

static uint32_t slot_of (const struct feed *feed, uint32_t key)
{
	uint32_t i = 0;

	if (key < KEYS_MAPPED)
		return feed->slot_of[key] - 1u;
	while (i < feed->n_slots && feed->key[i] != key)
		i++;
	return i == feed->n_slots ? UINT32_MAX : i;
}

static void take_dims (struct feed *feed, const struct ppi_record *record)
{
	for (uint32_t i = 0; i < feed->n_slots; i++)
		feed->slot[i] = (struct ppi_value){.type = PP_ABI_VALUE_NONE};
	for (unsigned i = 0; i < record->n_dims; i++) {
		uint32_t slot = slot_of (feed, record->dim[i].key);

		if (slot == UINT32_MAX)
			continue;
		feed->slot[slot] = value_of (&record->dim[i]);
		feed->seen |= UINT64_C (1) << slot;
	}
}

/* ---- the reading thread ---------------------------------------------------------------------- */

/* Both with the lock. */
static void sleep_as (struct feed *feed, struct waiting *who)
{
	who->is = true;
	pthread_cond_wait (&who->woken, &feed->lock);
	who->is = false;
}

static void wake (struct waiting *who, bool is_time)
{
	if (who->is && is_time)
		pthread_cond_signal (&who->woken);
}

/* The batch is whole; the next one may be filled when it was taken. False: nobody wants more. */
static bool publish (struct feed *feed)
{
	bool goes_on;

	pthread_mutex_lock (&feed->lock);
	feed->made++;
	wake (&feed->taker, feed->made - feed->taken >= BATCHES / 2);
	while (feed->made - feed->taken == BATCHES && !feed->is_stopped)
		sleep_as (feed, &feed->reader);
	goes_on = !feed->is_stopped;
	pthread_mutex_unlock (&feed->lock);
	feed->batch[feed->made % BATCHES].n = feed->batch[feed->made % BATCHES].n_dims = 0;
	return goes_on;
}

static bool put (const struct ppi_record *record, void *arg)
{
	struct feed *feed = arg;
	struct batch *batch = &feed->batch[feed->made % BATCHES];
	struct ppi_record_dim *dim = &batch->dim[batch->n_dims];

	batch->record[batch->n] = *record;
	batch->record[batch->n++].dim = dim;
	for (unsigned i = 0; i < record->n_dims; i++)
		dim[i] = record->dim[i];
	batch->n_dims += record->n_dims;
	return (batch->n < BATCH && batch->n_dims <= BATCH_DIMS - PPI_RECORD_DIMS) ||
	       publish (feed);
}

static void *read_all (void *arg)
{
	struct feed *feed = arg;

	feed->ok = ppi_records_each (feed->records, put, feed, feed->why, feed->room);
	pthread_mutex_lock (&feed->lock);
	feed->made += feed->batch[feed->made % BATCHES].n && !feed->is_stopped;
	feed->is_end = true;
	wake (&feed->taker, true);
	pthread_mutex_unlock (&feed->lock);
	return NULL;
}

/* ---- the calling thread ---------------------------------------------------------------------- */

static bool take (struct feed *feed, const struct batch *batch)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		if (feed->n_slots)
			take_dims (feed, &batch->record[i]);
		if (!feed->fn (&batch->record[i], feed->slot, feed->arg))
			return false;
	}
	return true;
}

static bool is_there (struct feed *feed)
{
	bool is;

	pthread_mutex_lock (&feed->lock);
	while (feed->made == feed->taken && !feed->is_end)
		sleep_as (feed, &feed->taker);
	is = feed->made != feed->taken;
	pthread_mutex_unlock (&feed->lock);
	return is;
}

static void take_all (struct feed *feed)
{
	bool goes_on = true;

	while (goes_on && is_there (feed)) {
		goes_on = take (feed, &feed->batch[feed->taken % BATCHES]);
		pthread_mutex_lock (&feed->lock);
		feed->taken++;
		feed->is_stopped = !goes_on;
		wake (&feed->reader, !goes_on || feed->made - feed->taken <= BATCHES / 2);
		pthread_mutex_unlock (&feed->lock);
	}
}

/* Without a second thread. */
static bool put_and_take (const struct ppi_record *record, void *arg)
{
	struct feed *feed = arg;

	feed->batch[0].n = feed->batch[0].n_dims = 0;
	put (record, feed);
	return take (feed, &feed->batch[0]);
}

static void run (struct feed *feed)
{
	pthread_t reader;

	pthread_mutex_init (&feed->lock, NULL);
	pthread_cond_init (&feed->reader.woken, NULL);
	pthread_cond_init (&feed->taker.woken, NULL);
	if (pthread_create (&reader, NULL, read_all, feed) == 0) {
		take_all (feed);
		pthread_join (reader, NULL);
	} else {
		feed->ok =
			ppi_records_each (feed->records, put_and_take, feed, feed->why, feed->room);
	}
	pthread_cond_destroy (&feed->reader.woken);
	pthread_cond_destroy (&feed->taker.woken);
	pthread_mutex_destroy (&feed->lock);
}

static bool make_slots (struct feed *feed)
{
	for (uint32_t i = 0; i < feed->n_slots; i++)
		if (feed->key[i] < KEYS_MAPPED)
			feed->slot_of[feed->key[i]] = (uint8_t) (i + 1);
	feed->slot = calloc (feed->n_slots + 1, sizeof *feed->slot);
	return feed->slot != NULL;
}

bool ppi_feed_each (struct ppi_records *records, struct ppi_terms *terms,
		    bool (*fn) (const struct ppi_record *record, const struct ppi_value *slot,
				void *arg),
		    void *arg, char *why, size_t room)
{
	struct feed *feed = calloc (1, sizeof *feed);
	bool ok = false;

	snprintf (why, room, "no memory");
	if (!feed)
		return false;
	feed->records = records;
	feed->fn = fn;
	feed->arg = arg;
	feed->why = why;
	feed->room = room;
	feed->key = ppi_terms_slots (terms, &feed->n_slots);
	if (make_slots (feed)) {
		*why = '\0';
		run (feed);
		ok = feed->ok;
	}
	for (uint32_t i = 0; i < feed->n_slots; i++)
		if (feed->seen >> i & 1)
			ppi_terms_seen (terms, i);
	free (feed->slot);
	free (feed);
	return ok;
}
