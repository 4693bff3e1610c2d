/* SPDX-License-Identifier: MIT */
/* buckets.c: reads the buckets of histograms; see buckets.h and histogram.h. */
#include "libmetrics/keep/buckets.h"

#include "base/chunk.h"
#include "base/twin.h"
#include "libmetrics/keep/histogram.h"
#include "libmetrics/keep/shard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* acquire: what is looked at afterwards must not be older */
static uint64_t load (const uint64_t *field)
{
	return __atomic_load_n (field, __ATOMIC_ACQUIRE);
}

/* ---- the merged groups ----------------------------------------------------------------------- */

/* The group of KEY, made if there is none; NULL: no memory. */
static struct ppi_bucket_group *group_of (struct ppi_buckets *b, int32_t key)
{
	size_t low = 0, high = b->n_groups;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->group[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < b->n_groups && b->group[low].key == key)
		return &b->group[low];
	if (b->n_groups == b->room) {
		size_t room = b->room ? 2 * b->room : 8;
		struct ppi_bucket_group *more = reallocarray (b->group, room, sizeof (*more));

		if (!more)
			return NULL;
		b->group = more;
		b->room = room;
	}
	memmove (&b->group[low + 1], &b->group[low], (b->n_groups - low) * sizeof (*b->group));
	memset (&b->group[low], 0, sizeof (*b->group));
	b->group[low].key = key;
	b->n_groups++;
	return &b->group[low];
}

static void add_counts (struct ppi_buckets *into, int32_t key,
			const uint64_t counts[PPI_GROUP_WORDS])
{
	struct ppi_bucket_group *group = group_of (into, key);

	for (unsigned i = 0; i < PPI_GROUP_WORDS; i++) {
		if (group) {
			group->n[i] += counts[i];
			into->n += counts[i];
		} else {
			into->lost += counts[i];
		}
	}
}

void ppi_buckets_add (struct ppi_buckets *into, const struct ppi_buckets *from)
{
	for (size_t i = 0; i < from->n_groups; i++)
		add_counts (into, from->group[i].key, from->group[i].n);
	into->lost += from->lost;
}

void ppi_buckets_add_double (struct ppi_buckets *into, double sample)
{
	const uint32_t negative = 1u << (PPI_EXPONENT_BITS + PPI_BUCKET_BITS);
	struct ppi_bucket_group *group;
	uint32_t bucket;
	uint64_t bits;
	int32_t key;

	memcpy (&bits, &sample, sizeof bits);
	bucket = ppi_bucket_of_double (bits);
	key = (int32_t) (bucket % negative / PPI_GROUP_WORDS);
	group = group_of (into, bucket & negative ? ~key : key);
	if (group) {
		group->n[bucket % PPI_GROUP_WORDS]++;
		into->n++;
	} else {
		into->lost++;
	}
}

void ppi_buckets_empty (struct ppi_buckets *b)
{
	b->n_groups = 0;
	b->n = b->lost = 0;
}

void ppi_buckets_clear (struct ppi_buckets *b)
{
	free (b->group);
	memset (b, 0, sizeof (*b));
}

/* ---- shards ---------------------------------------------------------------------------------- */

struct reading {
	struct ppi_buckets *into;
	const struct ppi_histogram_shard *shard;
	struct ppi_bounds bounds;
	uint32_t epoch;
};

static bool is_own (const struct reading *r)
{
	return !r->bounds.hi;
}

/* What leads to a group: in a file that, in this process its twin. */
static int64_t place_at (const struct reading *r, const void *place)
{
	return __atomic_load_n ((const int64_t *) (is_own (r) ? ppi_twin (place) : place),
				__ATOMIC_ACQUIRE);
}

/* The group at PLACE, if there is one: what a file says is not believed. */
static const struct ppi_buckets_chunk *group_at (const struct reading *r, int64_t place,
						 bool is_directory)
{
	uintptr_t at = (uintptr_t) r->shard + (uintptr_t) place -
		       offsetof (struct ppi_buckets_chunk, word);
	const struct ppi_buckets_chunk *group = (const struct ppi_buckets_chunk *) at;

	if (!place || is_own (r))
		return place ? group : NULL;
	if (at % PPI_CHUNK_ALIGN != 0 || at < r->bounds.lo || at > r->bounds.hi ||
	    r->bounds.hi - at < sizeof (*group))
		return NULL;
	if (__atomic_load_n (&group->chunk.type, __ATOMIC_ACQUIRE) != PPI_CHUNK_BUCKETS ||
	    group->chunk.bytes < sizeof (*group) || group->chunk.id != r->shard->shard.chunk.id ||
	    group->is_directory != is_directory)
		return NULL;
	return group;
}

static void add_group (struct reading *r, int64_t place, int32_t key)
{
	const struct ppi_buckets_chunk *group = group_at (r, place, false);
	uint64_t counts[PPI_GROUP_WORDS];

	if (!group || __atomic_load_n (&group->epoch, __ATOMIC_ACQUIRE) != r->epoch)
		return;
	for (unsigned i = 0; i < PPI_GROUP_WORDS; i++)
		counts[i] = load (&group->word[i]);
	/* not set to zero meanwhile: counts are stored (release) after the epoch is taken away */
	if (__atomic_load_n (&group->epoch, __ATOMIC_RELAXED) == r->epoch)
		add_counts (r->into, key, counts);
}

static void add_directory (struct reading *r, int64_t place, unsigned number)
{
	const struct ppi_buckets_chunk *directory = group_at (r, place, true);
	const unsigned negative = (1u << PPI_EXPONENT_BITS);

	for (unsigned i = 0; directory && i < PPI_GROUP_WORDS; i++) {
		unsigned group = number * PPI_GROUP_WORDS + i;
		int32_t key = group < negative ? (int32_t) group : ~(int32_t) (group - negative);

		add_group (r, place_at (r, &directory->word[i]), key);
	}
}

/* What waits in the shard's LAST is in none of the counters that were read before. */
static void add_waiting (struct reading *r)
{
	const struct ppi_shard *shard = &r->shard->shard;
	bool waits = __atomic_load_n (&shard->waiting, __ATOMIC_ACQUIRE);
	int64_t x = (int64_t) load (&shard->last);
	uint64_t magnitude = x < 0 ? -(uint64_t) x : (uint64_t) x, counts[PPI_GROUP_WORDS] = {0};
	uint32_t bucket = ppi_bucket_of_magnitude (magnitude);
	int32_t key = (int32_t) (bucket / PPI_GROUP_WORDS);

	/* a reset changes the epoch first */
	if (!waits || __atomic_load_n (&shard->epoch, __ATOMIC_RELAXED) != r->epoch)
		return;
	counts[bucket % PPI_GROUP_WORDS] = 1;
	add_counts (r->into, x < 0 ? ~key : key, counts);
}

void ppi_buckets_add_shard (struct ppi_buckets *into, const struct ppi_histogram_shard *shard,
			    uint32_t epoch, bool is_double, struct ppi_bounds bounds)
{
	struct reading r = {into, shard, bounds, epoch};

	for (unsigned i = 0; i < PPI_GROUPS; i++) {
		int64_t place = place_at (&r, &shard->group[i]);

		if (!place)
			continue;
		if (is_double)
			add_directory (&r, place, i);
		else
			add_group (&r, place,
				   i < PPI_NEGATIVE_GROUPS ? (int32_t) i
							   : ~(int32_t) (i - PPI_NEGATIVE_GROUPS));
	}
	if (!is_double)
		add_waiting (&r);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The middle of the bucket I of the magnitudes of GROUP. */
static double middle_of_int (unsigned group, unsigned i)
{
	if (group < 2)
		return group * PPI_GROUP_WORDS + i;
	return ldexp (PPI_GROUP_WORDS + i + 0.5, (int) group - 1);
}

static double middle_of_double (unsigned group, unsigned i)
{
	const unsigned below = 64 - 1 - PPI_EXPONENT_BITS - PPI_BUCKET_BITS;
	uint64_t bits = (uint64_t) (group * PPI_GROUP_WORDS + i) << below;
	double value;

	if (group == (1u << PPI_EXPONENT_BITS) - 1)
		return HUGE_VAL;
	/* zeros are the most of the least bucket */
	bits |= group || i ? UINT64_C (1) << (below - 1) : 0;
	memcpy (&value, &bits, sizeof (value));
	return value;
}

static double middle_of (int32_t key, unsigned i, bool is_double)
{
	unsigned group = key < 0 ? (unsigned) ~key : (unsigned) key;
	double size = is_double ? middle_of_double (group, i) : middle_of_int (group, i);

	return key < 0 ? -size : size;
}

double ppi_buckets_ranked (const struct ppi_buckets *b, uint64_t rank, bool is_double)
{
	uint64_t before = 0;

	for (size_t g = 0; g < b->n_groups; g++)
		for (unsigned k = 0; k < PPI_GROUP_WORDS; k++) {
			/* the larger a negative bucket's magnitude, the less it is */
			unsigned i = b->group[g].key < 0 ? PPI_GROUP_WORDS - 1 - k : k;

			before += b->group[g].n[i];
			if (before >= rank && rank)
				return middle_of (b->group[g].key, i, is_double);
		}
	return NAN;
}

double ppi_buckets_squares_about (const struct ppi_buckets *b, double mean, bool is_double)
{
	double sum = 0;

	for (size_t g = 0; g < b->n_groups; g++)
		for (unsigned i = 0; i < PPI_GROUP_WORDS; i++) {
			double d = middle_of (b->group[g].key, i, is_double) - mean;

			if (b->group[g].n[i])
				sum += (double) b->group[g].n[i] * d * d;
		}
	return sum;
}
