/* SPDX-License-Identifier: MIT */
/*
 * histogram.c: makes a histogram's groups at markers, in their slow path. General registers only,
 * no libc.
 *
 * A group is published in the shard by one store (release), after its epoch: a reader that finds it
 * finds zeros or counts of this shard. The process itself goes by the twins (twin.h) of what leads
 * to groups. Where the region is full the samples are counted as lost; it is asked again at every
 * 1,024th of them only, as asking may be a system call.
 */
#include "libmetrics/keep/histogram.h"

#include "base/chunk.h"
#include "base/twin.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/pool.h"
#include "libmetrics/keep/shard.h"

#define ASK_AGAIN 1024

static struct ppi_buckets_chunk *group_of (const struct ppi_histogram_shard *h, int64_t place)
{
	return (struct ppi_buckets_chunk *) ((char *) (uintptr_t) h + place -
					     offsetof (struct ppi_buckets_chunk, word));
}

static struct ppi_buckets_chunk *group_new (struct ppi_histogram_shard *h, int64_t *place,
					    bool directory)
{
	struct ppi_buckets_chunk *group =
		ppi_chunk_pool ? ppi_chunk_pool->alloc (sizeof (*group)) : NULL;

	if (!group)
		return NULL;
	group->is_directory = *ppi_twin (&group->is_directory) = directory;
	group->epoch = h->shard.epoch;
	ppi_chunk_pool->publish (&group->chunk, PPI_CHUNK_BUCKETS, h->shard.chunk.id);
	__atomic_store_n (place, (char *) group->word - (char *) h, __ATOMIC_RELEASE);
	__atomic_store_n (ppi_twin (place), (char *) group->word - (char *) h, __ATOMIC_RELEASE);
	return group;
}

/* The group at *PLACE, made if there is none; or NULL. */
static struct ppi_buckets_chunk *group_at (struct ppi_histogram_shard *h, int64_t *place,
					   bool directory)
{
	int64_t at = __atomic_load_n (ppi_twin (place), __ATOMIC_RELAXED);

	if (at)
		return group_of (h, at);
	return ppi_field_get (&h->lost) % ASK_AGAIN == 0 ? group_new (h, place, directory) : NULL;
}

uint64_t *ppi_histogram_place_int (struct ppi_histogram_shard *h, int64_t x)
{
	uint32_t bucket = ppi_bucket_of_magnitude (x < 0 ? -(uint64_t) x : (uint64_t) x);
	unsigned number = (bucket >> PPI_BUCKET_BITS) + (x < 0 ? PPI_NEGATIVE_GROUPS : 0);
	struct ppi_buckets_chunk *group = group_at (h, &h->group[number], false);

	return group ? &group->word[bucket % PPI_GROUP_WORDS] : NULL;
}

uint64_t *ppi_histogram_make_double (struct ppi_shard *shard, uint64_t bits)
{
	struct ppi_histogram_shard *h = (struct ppi_histogram_shard *) shard;
	uint32_t bucket = ppi_bucket_of_double (bits), number = bucket / PPI_GROUP_WORDS;
	struct ppi_buckets_chunk *directory =
					 group_at (h, &h->group[number / PPI_GROUP_WORDS], true),
				 *group;

	if (!directory)
		return NULL;
	group = group_at (h, (int64_t *) &directory->word[number % PPI_GROUP_WORDS], false);
	return group ? &group->word[bucket % PPI_GROUP_WORDS] : NULL;
}

static bool is_directory (const struct ppi_buckets_chunk *group)
{
	return *ppi_twin (&group->is_directory) != 0;
}

static void clear_group (struct ppi_histogram_shard *h, int64_t place, uint32_t epoch)
{
	struct ppi_buckets_chunk *group = group_of (h, place);

	for (unsigned i = 0; is_directory (group) && i < PPI_GROUP_WORDS; i++)
		if (*ppi_twin (&group->word[i]))
			clear_group (h, (int64_t) *ppi_twin (&group->word[i]), epoch);
	if (is_directory (group))
		return;
	/* readers that see one of the zeros see that the epoch is none any more */
	__atomic_store_n (&group->epoch, PPI_EPOCH_NONE, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < PPI_GROUP_WORDS; i++)
		ppi_field_set (&group->word[i], 0);
	__atomic_store_n (&group->epoch, epoch, __ATOMIC_RELEASE);
}

void ppi_histogram_clear (struct ppi_shard *shard, uint32_t epoch)
{
	struct ppi_histogram_shard *h = (struct ppi_histogram_shard *) shard;

	for (unsigned i = 0; i < PPI_GROUPS; i++)
		if (*ppi_twin (&h->group[i]))
			clear_group (h, *ppi_twin (&h->group[i]), epoch);
	ppi_field_set (&h->lost, 0);
}

/* The group at *PLACE, made if there is none; NULL, or PLACE is: no room. */
static struct ppi_buckets_chunk *group_there (struct ppi_histogram_shard *h, int64_t *place,
					      bool directory)
{
	if (!place)
		return NULL;
	return *ppi_twin (place) ? group_of (h, *ppi_twin (place))
				 : group_new (h, place, directory);
}

/* What the counters at FROM_PLACE are is added to those at *PLACE. */
static void fold_counters (struct ppi_histogram_shard *into, int64_t *place,
			   const struct ppi_histogram_shard *from, int64_t from_place)
{
	const struct ppi_buckets_chunk *counts = group_of (from, from_place);
	struct ppi_buckets_chunk *to = group_there (into, place, false);

	for (unsigned i = 0; i < PPI_GROUP_WORDS; i++) {
		uint64_t *word = to ? &to->word[i] : &into->lost;

		if (counts->word[i])
			ppi_field_set (word, *word + counts->word[i]);
	}
}

static void fold_group (struct ppi_histogram_shard *into, int64_t *place,
			const struct ppi_histogram_shard *from, int64_t from_place)
{
	const struct ppi_buckets_chunk *directory = group_of (from, from_place);
	struct ppi_buckets_chunk *to;

	if (!is_directory (directory)) {
		fold_counters (into, place, from, from_place);
		return;
	}
	to = group_there (into, place, true);
	for (unsigned i = 0; i < PPI_GROUP_WORDS; i++) {
		const uint64_t *word = ppi_twin (&directory->word[i]);
		int64_t group = (int64_t) *word;

		if (group)
			fold_counters (into, to ? (int64_t *) &to->word[i] : NULL, from, group);
	}
}

static void count_int (struct ppi_histogram_shard *h, int64_t x)
{
	ppi_histogram_count (h, ppi_histogram_place_int (h, x));
}

/* Counts what waits; nothing does then. */
static void settle (struct ppi_histogram_shard *h)
{
	if (!ppi_histogram_waits (h))
		return;
	__atomic_store_n (&h->shard.waiting, 0, __ATOMIC_RELEASE);
	count_int (h, (int64_t) ppi_field_get (&h->shard.last));
}

void ppi_histogram_fold (struct ppi_shard *shard, const struct ppi_shard *ended, bool is_double,
			 bool older)
{
	struct ppi_histogram_shard *into = (struct ppi_histogram_shard *) shard;
	const struct ppi_histogram_shard *from = (const struct ppi_histogram_shard *) ended;

	(void) is_double;
	(void) older;
	settle (into);
	for (unsigned i = 0; i < PPI_GROUPS; i++)
		if (*ppi_twin (&from->group[i]))
			fold_group (into, &into->group[i], from, *ppi_twin (&from->group[i]));
	ppi_field_set (&into->lost, into->lost + from->lost);
	if (ppi_histogram_waits (from))
		count_int (into, (int64_t) from->shard.last);
}
