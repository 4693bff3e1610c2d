/* SPDX-License-Identifier: MIT */
/* write.c: a region's changes into the blocks of a file; see write.h. */
#include "recording/write.h"

#include "base/chunk.h"
#include "libmetrics/keep/shard.h"
#include "recording/flight.h"
#include "recording/layout.h"
#include "recording/read.h"
#include "recording/write_int.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define STAMP_STEP                                                                                 \
	128u /* chunks of a region that is followed begin at multiples of this (PPI_APART) */
#define COPY_TRIES 64
/*
 * All is written again, and what was written before is given back, when that is larger than this
 * and twice the newest.
 */
#define KEY_AGAIN (UINT64_C (4) << 20)

int ppi_writer_open (struct ppi_writer *writer, int fd, uint64_t region)
{
	*writer = (struct ppi_writer){
		.fd = fd, .region = region, .can_punch = true, .whole_next = true};
	writer->packer = ppi_packer_new ();
	if (ppi_pages_reach (&writer->raw, PPI_BLOCK_FULL + PPI_BLOCK_ALIGN) &&
	    ppi_pages_reach (&writer->packed, ppi_packed_most (PPI_BLOCK_FULL) + PPI_BLOCK_ALIGN) &&
	    (!region || ppi_pages_reach (&writer->stamps, region / STAMP_STEP * sizeof (uint64_t))))
		return 0;
	ppi_writer_close (writer);
	return -ENOMEM;
}

void ppi_writer_warm (struct ppi_writer *writer)
{
	(void) ppi_pack (writer->packer, writer->packed.at, writer->packed.room, writer->raw.at,
			 PPI_BLOCK_FULL);
	madvise (writer->raw.at, writer->raw.room, MADV_DONTNEED);
}

int ppi_writer_resume (struct ppi_writer *writer, int fd, uint64_t end,
		       const struct ppi_index_entry *index, uint32_t n_index)
{
	int e = ppi_writer_open (writer, fd, 0);

	if (e < 0)
		return e;
	writer->end = end;
	if (n_index && !ppi_pages_reach (&writer->index, n_index * sizeof *index)) {
		ppi_writer_close (writer);
		return -ENOMEM;
	}
	if (n_index) {
		memcpy (writer->index.at, index, n_index * sizeof *index);
		writer->from_ns = index[n_index - 1].last_ns;
	}
	writer->n_index = n_index;
	return 0;
}

void ppi_writer_close (struct ppi_writer *writer)
{
	ppi_pages_free (&writer->raw);
	ppi_pages_free (&writer->packed);
	ppi_pages_free (&writer->stamps);
	ppi_pages_free (&writer->changed);
	ppi_pages_free (&writer->index);
	ppi_packer_free (writer->packer);
	*writer = (struct ppi_writer){.fd = -1};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

int ppi_write_at (int fd, const void *data, size_t bytes, uint64_t at)
{
	struct rlimit limit;

	/* what goes beyond it would raise a signal in the host */
	if (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    at + bytes > limit.rlim_cur)
		return -EFBIG;
	while (bytes) {
		ssize_t n = pwrite (fd, data, bytes, (off_t) at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		data = (const char *) data + n;
		at += (uint64_t) n;
		bytes -= (size_t) n;
	}
	return 0;
}

/*
 * CONTENT has room for the zeros behind it. The head last: until then there is no block. Where it
 * can't be written the file ends as before.
 */
static int write_block (struct ppi_writer *writer, struct ppi_block *head, char *content)
{
	uint64_t at = writer->end;
	size_t rest;
	int e;

	head->bytes = ppi_block_bytes (head->stored);
	rest = head->bytes - sizeof *head - head->stored;
	ppi_block_seal (head, content);
	if (!ppi_pages_reach (&writer->index,
			      (writer->n_index + 1) * sizeof (struct ppi_index_entry)))
		return -ENOMEM;
	memset (content + head->stored, 0, rest);
	e = ppi_write_at (writer->fd, content, head->stored + rest, at + sizeof *head);
	if (e == 0)
		e = ppi_write_at (writer->fd, head, sizeof *head, at);
	if (e < 0) {
		/* where that fails too, a reader finds a block that is not whole */
		if (ftruncate (writer->fd, (off_t) at) != 0)
			return e;
		return e;
	}
	ppi_writer_index (writer)[writer->n_index++] = (struct ppi_index_entry){
		at, head->bytes, head->type, head->thread, head->first_ns, head->last_ns};
	writer->end = at + head->bytes;
	writer->content_bytes += head->unpacked;
	writer->blocks++;
	return 0;
}

/* What is in RAW, as a block. */
static int close_block (struct ppi_writer *writer, unsigned type, uint32_t thread,
			uint64_t first_ns, uint64_t last_ns, bool pack)
{
	struct ppi_block head = {
		.type = type, .thread = thread, .first_ns = first_ns, .last_ns = last_ns};
	size_t bytes = writer->raw_used, packed = 0;

	writer->raw_used = 0;
	if (!ppi_pages_reach (&writer->raw, bytes + PPI_BLOCK_ALIGN))
		return -ENOMEM;
	/* what a reader would not unpack is not packed */
	if (pack && !writer->hurries && bytes <= PPI_BLOCK_PACKED_MOST &&
	    ppi_pages_reach (&writer->packed, ppi_packed_most (bytes) + PPI_BLOCK_ALIGN))
		packed = ppi_pack (writer->packer, writer->packed.at,
				   writer->packed.room - PPI_BLOCK_ALIGN, writer->raw.at, bytes);
	head.unpacked = (uint32_t) bytes;
	head.stored = (uint32_t) (packed ? packed : bytes);
	head.coding = packed ? PPI_BLOCK_ZSTD : PPI_BLOCK_PLAIN;
	return write_block (writer, &head, packed ? writer->packed.at : writer->raw.at);
}

int ppi_writer_put (struct ppi_writer *writer, unsigned type, uint32_t thread, uint64_t first_ns,
		    uint64_t last_ns, const void *head, size_t head_bytes, const void *data,
		    size_t bytes)
{
	if (head_bytes + bytes > PPI_BLOCK_MOST ||
	    !ppi_pages_reach (&writer->raw, head_bytes + bytes))
		return -ENOMEM;
	if (head_bytes)
		memcpy (writer->raw.at, head, head_bytes);
	if (bytes)
		memcpy (writer->raw.at + head_bytes, data, bytes);
	writer->raw_used = head_bytes + bytes;
	return close_block (writer, type, thread, first_ns, last_ns < first_ns ? first_ns : last_ns,
			    true);
}

int ppi_writer_run (struct ppi_writer *writer, const struct ppi_run *run)
{
	writer->from_ns = run->header.start_ns;
	/* not packed: a reader that lacks zstd can say whose it is */
	memcpy (writer->raw.at, run, sizeof *run);
	writer->raw_used = sizeof *run;
	return close_block (writer, PPI_BLOCK_RUN, 0, run->header.start_ns, run->header.start_ns,
			    false);
}

/* ---- what has changed ------------------------------------------------------------------------ */

static uint64_t mix (uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C (0x9e3779b97f4a7c15);
	return sum << 29 | sum >> 35;
}

/* A ring of the flight recorder, no dump of one: it changes all the time. */
static bool is_ring (const struct ppi_chunk *chunk, unsigned type, uint32_t bytes)
{
	return type == PPI_CHUNK_FLIGHT && bytes >= sizeof (struct ppi_flight_chunk) &&
	       !__atomic_load_n (&((const struct ppi_flight_chunk *) (const void *) chunk)->dump,
				 __ATOMIC_RELAXED);
}

/* Of a shard its sequence count says it; of others their content does. Never 0. */
static uint64_t stamp_of (const struct ppi_writer *writer, const struct ppi_chunk *chunk,
			  unsigned type, uint32_t bytes)
{
	const uint64_t *word = (const void *) chunk;
	uint64_t sum = bytes + ((uint64_t) type << 32);

	if (!writer->rings && is_ring (chunk, type, bytes))
		bytes = sizeof (struct ppi_flight_chunk);
	if (type == PPI_CHUNK_SHARD && bytes >= sizeof (struct ppi_shard)) {
		const struct ppi_shard *shard = (const void *) chunk;
		double d;
		uint64_t more;

		__atomic_load (&shard->more, &d, __ATOMIC_RELAXED);
		memcpy (&more, &d, sizeof more);
		sum = mix (sum, __atomic_load_n (&shard->seq, __ATOMIC_ACQUIRE));
		sum = mix (sum, __atomic_load_n (&shard->all.n, __ATOMIC_RELAXED));
		sum = mix (sum, __atomic_load_n (&shard->epoch, __ATOMIC_RELAXED));
		sum = mix (sum, __atomic_load_n (&shard->chunk.id, __ATOMIC_RELAXED));
		sum = mix (sum, __atomic_load_n (&shard->thread, __ATOMIC_RELAXED));
		sum = mix (sum, more);
	} else {
		for (uint32_t i = 0; i < bytes / 8; i++)
			sum = mix (sum, __atomic_load_n (&word[i], __ATOMIC_RELAXED));
	}
	return sum ? sum : 1;
}

static bool note (struct ppi_writer *writer, const struct ppi_changed *changed)
{
	if (!ppi_pages_reach (&writer->changed, (writer->n_changed + 1) * sizeof *changed))
		return false;
	((struct ppi_changed *) (void *) writer->changed.at)[writer->n_changed++] = *changed;
	return true;
}

/* Not of groups, whose figures over time nobody keeps. */
static bool has_values (unsigned type, uint32_t id)
{
	return type == PPI_CHUNK_SHARD || (type == PPI_CHUNK_BUCKETS && !(id & PPI_GROUP_ID));
}

enum finding { FIND_NEW, FIND_ALL, FIND_DESCRIPTIONS };

/* Does it say what entries of streams mean? */
static bool is_description (unsigned type)
{
	return type == PPI_CHUNK_SITE || type == PPI_CHUNK_TEXTS;
}

/*
 * Walks the chunks from FROM on by their sizes, which anybody may have written: none leads out of
 * what is USED.
 */
static bool find_changes (struct ppi_writer *writer, const char *region, uint64_t from,
			  uint64_t used, enum finding what)
{
	bool whole = what == FIND_ALL;
	uint64_t *stamps = (uint64_t *) (void *) writer->stamps.at;
	uint64_t at = from;

	writer->n_changed = 0;
	while (at + sizeof (struct ppi_chunk) <= used) {
		const struct ppi_chunk *c = (const void *) (region + at);
		unsigned type = __atomic_load_n (&c->type, __ATOMIC_ACQUIRE);
		uint64_t bytes = __atomic_load_n (&c->bytes, __ATOMIC_ACQUIRE);
		uint64_t *old = stamps && at < writer->region ? &stamps[at / STAMP_STEP] : NULL;
		struct ppi_changed changed = {.place = at, .type = (uint16_t) type};

		if (bytes == 0 && type == PPI_CHUNK_NONE) {
			/* given out this very moment, or its owner died then */
			at += PPI_CHUNK_ALIGN;
			continue;
		}
		if (!bytes || bytes > used - at || bytes % PPI_CHUNK_ALIGN)
			break;
		changed.bytes = (uint32_t) bytes;
		changed.id = __atomic_load_n (&c->id, __ATOMIC_RELAXED);
		if (what == FIND_DESCRIPTIONS && !is_description (type)) {
			at += bytes;
			continue;
		}
		if (type == PPI_CHUNK_NONE || type == PPI_CHUNK_FREE || type == PPI_CHUNK_STREAM ||
		    type >= PPI_CHUNK_TYPES) {
			changed.type = PPI_CHUNK_FREE;
			if (old && *old && !note (writer, &changed))
				return false;
		} else {
			changed.stamp = stamp_of (writer, c, type, changed.bytes);
			changed.is_new = !old || *old != changed.stamp;
			if ((whole || changed.is_new ||
			     (writer->values_whole && has_values (type, changed.id))) &&
			    !note (writer, &changed))
				return false;
		}
		at += bytes;
	}
	return true;
}

/* ---- copying it ------------------------------------------------------------------------------ */

/*
 * IN, which is or has the shard with SEQ, as it is between two samples; where its owner died amid
 * one, as it is.
 */
static void copy_shard (void *out, const void *in, const uint32_t *seq, size_t bytes)
{
	for (int i = 0; i < COPY_TRIES; i++) {
		uint32_t before = __atomic_load_n (seq, __ATOMIC_ACQUIRE);

		ppi_copy_words (out, in, bytes);
		if (!(before & 1) && __atomic_load_n (seq, __ATOMIC_RELAXED) == before)
			break;
	}
}

/* The shard that a group's chunk of BYTES ends with; NULL: it has none. */
static const struct ppi_shard *shard_in (const struct ppi_chunk *chunk, unsigned type,
					 uint32_t bytes)
{
	const struct ppi_group_chunk *group = (const void *) chunk;

	if (type == PPI_CHUNK_SHARD && bytes >= sizeof (struct ppi_shard))
		return (const void *) chunk;
	return type == PPI_CHUNK_GROUP && bytes >= sizeof *group + sizeof (struct ppi_shard)
		       ? (const void *) (group + 1)
		       : NULL;
}

/*
 * The first BYTES of what CHANGED says, behind what RAW has; nothing where it has become something
 * else meanwhile.
 */
static bool put_item (struct ppi_writer *writer, const char *region,
		      const struct ppi_changed *changed, uint32_t bytes)
{
	const struct ppi_chunk *chunk = (const void *) (region + changed->place);
	struct ppi_item item = {.place = changed->place, .bytes = bytes};
	const struct ppi_shard *shard = shard_in (chunk, changed->type, bytes);
	struct ppi_chunk *copy;

	if (!ppi_pages_reach (&writer->raw, writer->raw_used + sizeof item + bytes))
		return false;
	memcpy (writer->raw.at + writer->raw_used, &item, sizeof item);
	copy = (void *) (writer->raw.at + writer->raw_used + sizeof item);
	if (shard)
		copy_shard (copy, chunk, &shard->seq, bytes);
	else if (changed->type == PPI_CHUNK_FLIGHT)
		ppi_flight_copy ((void *) copy, (const void *) chunk, bytes);
	else
		ppi_copy_words (copy, chunk, bytes);
	if (bytes) {
		copy->bytes = changed->bytes;
		/*
		 * each load of the copy is an acquire: if one had new content, the type or the id
		 * is new now
		 */
		if (__atomic_load_n (&chunk->type, __ATOMIC_RELAXED) != changed->type ||
		    __atomic_load_n (&chunk->id, __ATOMIC_RELAXED) != changed->id ||
		    copy->type != changed->type || copy->id != changed->id)
			return true;
	}
	writer->raw_used += sizeof item + bytes;
	return true;
}

static unsigned block_of (const struct ppi_changed *changed)
{
	switch (changed->type) {
	case PPI_CHUNK_SITE:
	case PPI_CHUNK_METRIC:
	case PPI_CHUNK_BINDING:
		return PPI_BLOCK_SITES;
	case PPI_CHUNK_HISTORY:
		return PPI_BLOCK_HISTORY;
	default:
		return PPI_BLOCK_STATE;
	}
}

/*
 * How much of it goes into a block of TYPE, where ALL are to be in that or what is new; negative:
 * nothing. An entry of the history that is gone stays in the file.
 */
static int64_t bytes_in (const struct ppi_changed *changed, unsigned type, bool all)
{
	if (!all && !changed->is_new && changed->type != PPI_CHUNK_FREE)
		return -1;
	if (type == PPI_BLOCK_VALUES) {
		if (changed->type == PPI_CHUNK_SHARD)
			return changed->bytes < PPI_VALUES_BYTES ? changed->bytes
								 : PPI_VALUES_BYTES;
		return has_values (changed->type, changed->id) ? (int64_t) changed->bytes : -1;
	}
	if (block_of (changed) != type)
		return -1;
	return changed->type == PPI_CHUNK_FREE ? 0 : (int64_t) changed->bytes;
}

static int close_items (struct ppi_writer *writer, unsigned type, uint64_t now_ns)
{
	uint64_t end = writer->end;
	int e = close_block (writer, type, 0, writer->from_ns < now_ns ? writer->from_ns : now_ns,
			     now_ns, true);

	if (type == PPI_BLOCK_STATE || type == PPI_BLOCK_SITES)
		writer->since_bytes += writer->end - end;
	return e;
}

/* Blocks of TYPE with what has changed of that. */
static int write_items (struct ppi_writer *writer, const char *region,
			const struct ppi_region_header *header, unsigned type, bool all)
{
	const struct ppi_changed *changed = (const void *) writer->changed.at;
	struct ppi_item first = {.place = 0, .bytes = sizeof *header};
	int e = 0;

	writer->raw_used = 0;
	if (type == PPI_BLOCK_STATE) {
		memcpy (writer->raw.at, &first, sizeof first);
		memcpy (writer->raw.at + sizeof first, header, sizeof *header);
		writer->raw_used = (sizeof first + sizeof *header + 7) & ~(size_t) 7;
	}
	for (uint32_t i = 0; i < writer->n_changed && e == 0; i++) {
		int64_t bytes = bytes_in (&changed[i], type, all);

		if (bytes < 0)
			continue;
		if (writer->raw_used && writer->raw_used + (uint64_t) bytes > PPI_BLOCK_FULL)
			e = close_items (writer, type, header->now_ns);
		if (e == 0 && ((uint64_t) bytes > PPI_BLOCK_MOST / 2 ||
			       !put_item (writer, region, &changed[i], (uint32_t) bytes)))
			e = -ENOMEM;
	}
	return e == 0 && writer->raw_used ? close_items (writer, type, header->now_ns) : e;
}

/* ---- an update ------------------------------------------------------------------------------- */

static void set_stamps (struct ppi_writer *writer)
{
	const struct ppi_changed *changed = (const void *) writer->changed.at;
	uint64_t *stamps = (uint64_t *) (void *) writer->stamps.at;

	for (uint32_t i = 0; stamps && i < writer->n_changed; i++)
		if (changed[i].place < writer->region)
			stamps[changed[i].place / STAMP_STEP] = changed[i].stamp;
}

/* Is so much of what the file has replaced that all is to be written again? */
static bool is_key_due (const struct ppi_writer *writer)
{
	uint64_t least = KEY_AGAIN;

	if (writer->most && writer->most / PPI_ROOM_SHARE < least)
		least = writer->most / PPI_ROOM_SHARE;
	return writer->region && writer->since_bytes > least &&
	       writer->since_bytes > 2 * writer->key_bytes;
}

/* Do blocks of TYPE have all, or what is new? WHOLE: state is written as a whole. */
static bool is_whole (const struct ppi_writer *writer, unsigned type, bool whole)
{
	if (type == PPI_BLOCK_VALUES)
		return writer->values_whole;
	return whole && type != PPI_BLOCK_HISTORY;
}

int ppi_writer_update (struct ppi_writer *writer, const void *region, uint64_t used,
		       const struct ppi_region_header *header, bool values)
{
	bool whole = writer->whole_next || is_key_due (writer);
	static const unsigned order[] = {PPI_BLOCK_SITES, PPI_BLOCK_STATE, PPI_BLOCK_HISTORY,
					 PPI_BLOCK_VALUES};
	uint32_t before = writer->n_index;
	uint64_t since = writer->since_bytes;
	int e = 0;

	if (!find_changes (writer, region, header->header_bytes, used, whole ? FIND_ALL : FIND_NEW))
		return -ENOMEM;
	/* losses may be all that is new, as where streams alone are written */
	if (!writer->n_changed && !whole &&
	    memcmp (writer->drops, header->drops, sizeof writer->drops) == 0)
		return 0;
	if (whole)
		writer->since_bytes = 0;
	for (size_t i = 0; i < sizeof order / sizeof *order && e == 0; i++)
		if (order[i] != PPI_BLOCK_VALUES || values)
			e = write_items (writer, region, header, order[i],
					 is_whole (writer, order[i], whole));
	if (e < 0) {
		/* what was written of it stays; what was not is found again */
		writer->whole_next = true;
		writer->since_bytes += whole ? since : 0;
		return e;
	}
	set_stamps (writer);
	memcpy (writer->drops, header->drops, sizeof writer->drops);
	writer->from_ns = header->now_ns;
	if (whole) {
		writer->key_bytes = writer->since_bytes;
		writer->since_bytes = 0;
		writer->whole_next = false;
		ppi_writer_drop_replaced (writer, before);
	}
	if (values)
		writer->values_whole = false;
	return 0;
}

int ppi_writer_describe (struct ppi_writer *writer, const void *region, uint64_t used,
			 const struct ppi_region_header *header)
{
	int e;

	/*
	 * the next update writes all; without the region's changes all would be written each time
	 */
	if (!writer->region)
		return 0;
	if (!find_changes (writer, region, header->header_bytes, used, FIND_DESCRIPTIONS))
		return -ENOMEM;
	if (!writer->n_changed)
		return 0;
	e = write_items (writer, region, header, PPI_BLOCK_SITES, false);
	if (e == 0)
		e = write_items (writer, region, header, PPI_BLOCK_STATE, false);
	if (e == 0)
		set_stamps (writer);
	else
		writer->whole_next = true;
	return e;
}

int ppi_writer_finish (struct ppi_writer *writer, uint32_t state, uint64_t now_ns)
{
	size_t bytes = writer->n_index * sizeof (struct ppi_index_entry),
	       rest = -bytes % PPI_BLOCK_ALIGN;
	struct ppi_index_tail tail = {.offset = writer->end, .state = state, .end_ns = now_ns};

	if (!ppi_pages_reach (&writer->raw, bytes + rest + sizeof tail))
		return -ENOMEM;
	memcpy (writer->raw.at, writer->index.at, bytes);
	memset (writer->raw.at + bytes, 0, rest);
	memcpy (tail.magic, PPI_INDEX_MAGIC, sizeof tail.magic);
	memcpy (writer->raw.at + bytes + rest, &tail, sizeof tail);
	writer->raw_used = bytes + rest + sizeof tail;
	return close_block (writer, PPI_BLOCK_INDEX, 0, now_ns, now_ns, false);
}
