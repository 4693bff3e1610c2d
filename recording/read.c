/* SPDX-License-Identifier: MIT */
/*
 * read.c: opens and indexes recordings; see read.h.
 *
 * A file is read into memory: whatever happens to it afterwards, no signal comes of it. A live
 * region, whose writers go on, is mapped, so that the sequence counts of its shards mean something;
 * each chunk's size, type and id are looked at once and kept in the index. Chunks that change and
 * have no sequence count are copied there, word by word: so what was checked is what is read, all
 * of a report is of one moment, and nobody else needs to know who writes them and how.
 */
#include "recording/read.h"

#include "base/chunk.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "recording/check.h"
#include "recording/finish.h"
#include "recording/flight.h"
#include "recording/layout.h"
#include "recording/read_int.h"
#include "recording/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_TRIES 3

/* ---- the index ------------------------------------------------------------------------------- */

static int compare_ids (const void *a, const void *b)
{
	const struct ppi_entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static bool keep (struct ppi_list *list, const struct ppi_chunk *chunk, uint32_t bytes)
{
	struct ppi_entry *more = ppi_list_reach (list->entry, list->n, &list->room, sizeof *more);

	if (!more)
		return false;
	list->entry = more;
	/* a thread's changes when its state gets another thread */
	list->entry[list->n++] =
		(struct ppi_entry){chunk, __atomic_load_n (&chunk->id, __ATOMIC_RELAXED), bytes};
	return true;
}

/* Chunks of one type, in their order. What became something else meanwhile is left out. */
static bool copy_all (struct ppi_list *list, unsigned type)
{
	size_t bytes = 0, kept = 0;

	for (size_t i = 0; i < list->n; i++)
		bytes += list->entry[i].bytes;
	list->copies = aligned_alloc (PPI_CHUNK_ALIGN, bytes);
	if (!list->copies)
		return false;
	bytes = 0;
	for (size_t i = 0; i < list->n; i++) {
		struct ppi_entry *e = &list->entry[i];
		struct ppi_chunk *copy = (struct ppi_chunk *) (void *) (list->copies + bytes);

		if (type == PPI_CHUNK_FLIGHT)
			ppi_flight_copy ((struct ppi_flight_chunk *) copy,
					 (const struct ppi_flight_chunk *) e->chunk, e->bytes);
		else
			ppi_copy_words (copy, e->chunk, e->bytes);
		/*
		 * each load of the copy is an acquire: if one had new content, the type or id is
		 * new now
		 */
		if (__atomic_load_n (&e->chunk->type, __ATOMIC_RELAXED) != type ||
		    __atomic_load_n (&e->chunk->id, __ATOMIC_RELAXED) != e->id)
			continue;
		copy->bytes = e->bytes;
		bytes += e->bytes;
		list->entry[kept++] = (struct ppi_entry){copy, e->id, e->bytes};
	}
	list->n = kept;
	return true;
}

/* Of a file of blocks the chunks and their sizes are known, and their types were looked at. */
static int gather_newest (struct ppi_recording *recording, const char *path, char *why, size_t room)
{
	const struct ppi_newest *newest = &recording->newest;

	for (size_t i = 0; i < newest->n_chunks + newest->n_entries; i++) {
		bool of_state = i < newest->n_chunks;
		const struct ppi_newest_chunk *at =
			of_state ? &newest->chunk[i] : &newest->entry[i - newest->n_chunks];
		const struct ppi_chunk *chunk =
			(const void *) ((of_state ? newest->region.at : newest->history) +
					at->place);

		if (chunk->type != PPI_CHUNK_NONE && chunk->type != PPI_CHUNK_FREE &&
		    !keep (&recording->list[chunk->type], chunk, at->bytes))
			return ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", path);
	}
	return 0;
}

static int gather (struct ppi_recording *recording, const char *path, char *why, size_t room)
{
	size_t at = recording->header.header_bytes;

	while (at < recording->size) {
		const struct ppi_chunk *chunk = (const void *) (recording->base + at);
		unsigned type = __atomic_load_n (&chunk->type, __ATOMIC_ACQUIRE);
		uint32_t bytes = __atomic_load_n (&chunk->bytes, __ATOMIC_RELAXED);

		/*
		 * its writer died before it wrote the size: the next one begins where something is
		 * not zero
		 */
		if (bytes == 0 && type == PPI_CHUNK_NONE) {
			at += PPI_CHUNK_ALIGN;
			continue;
		}
		if (bytes < PPI_CHUNK_ALIGN || bytes % PPI_CHUNK_ALIGN != 0 ||
		    bytes > recording->size - at)
			return ppi_fail (PP_EINVAL, why, room,
					 "%s is damaged at byte %zu: a chunk of %u bytes", path, at,
					 bytes);
		if (type < PPI_CHUNK_TYPES && type != PPI_CHUNK_NONE && type != PPI_CHUNK_FREE) {
			if (!keep (&recording->list[type], chunk, bytes))
				return ppi_fail (PP_ENOMEM, why, room, "no memory to read %s",
						 path);
		}
		at += bytes;
	}
	return 0;
}

static int check_all (const struct ppi_list *list, unsigned type, const char *path, char *why,
		      size_t room)
{
	for (size_t i = 0; i < list->n; i++)
		if (!ppi_chunk_is_whole (list->entry[i].chunk, type, list->entry[i].bytes))
			return ppi_fail (
				PP_EINVAL, why, room,
				"%s is damaged: chunk %zu of type %s, of %u bytes, is not whole",
				path, i + 1, ppi_chunk_type_name (type), list->entry[i].bytes);
	return 0;
}

static bool references_are_whole (const struct ppi_recording *recording)
{
	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (!ppi_recording_find (recording, PPI_CHUNK_METRIC, b->metric) ||
		    (b->site && !ppi_recording_find (recording, PPI_CHUNK_SITE, b->site)))
			return false;
	for (const struct ppi_assertion_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));)
		if (a->site && !ppi_recording_find (recording, PPI_CHUNK_SITE, a->site))
			return false;
	return true;
}

/*
 * A file has entries of the history that the region has no place for any more; and where a write
 * failed, some twice. So its header's count of those that are gone is replaced.
 */
static void keep_one_of_each (struct ppi_recording *recording, struct ppi_list *list)
{
	size_t kept = 0;
	uint32_t newest = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (i + 1 < list->n && list->entry[i + 1].id == list->entry[i].id)
			continue;
		newest = list->entry[i].id;
		list->entry[kept++] = list->entry[i];
	}
	list->n = kept;
	recording->header.drops[PP_DROP_HISTORY] = newest > kept ? newest - kept : 0;
}

static int make_index (struct ppi_recording *recording, const char *path, char *why, size_t room)
{
	int error = recording->of_blocks ? gather_newest (recording, path, why, room)
					 : gather (recording, path, why, room);
	bool is_own = recording->read || recording->of_blocks;

	for (unsigned i = 0; i < PPI_CHUNK_TYPES && error == 0; i++) {
		struct ppi_list *list = &recording->list[i];

		if (list->n == 0)
			continue;
		/*
		 * entries of the history lie where there was room: their numbers are their order,
		 * and copies lie in that
		 */
		if (i == PPI_CHUNK_HISTORY) {
			qsort (list->entry, list->n, sizeof *list->entry, compare_ids);
			if (recording->of_blocks)
				keep_one_of_each (recording, list);
		}
		/* nobody writes to what was read from a file */
		if (ppi_chunk_changes (i) && (!is_own || i == PPI_CHUNK_HISTORY) &&
		    !copy_all (list, i))
			return ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		list->by_id = malloc ((list->n + 1) * sizeof *list->by_id);
		if (!list->by_id)
			return ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		memcpy (list->by_id, list->entry, list->n * sizeof *list->by_id);
		qsort (list->by_id, list->n, sizeof *list->by_id, compare_ids);
		error = check_all (list, i, path, why, room);
	}
	/* of a region that goes on, the newest chunks may have been missed */
	if (!error && is_own && !recording->newest.is_damaged && !references_are_whole (recording))
		return ppi_fail (PP_EINVAL, why, room,
				 "%s is damaged: it names a metric or a site that is not in it",
				 path);
	return error;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int check_header (const struct ppi_region_header *header, size_t bytes, const char *path,
			 char *why, size_t room)
{
	if (bytes < sizeof header->magic ||
	    memcmp (header->magic, PPI_RECORDING_MAGIC, sizeof header->magic) != 0)
		return ppi_fail (PP_EINVAL, why, room, "%s is not a recording", path);
	if (header->version != PPI_RECORDING_VERSION)
		return ppi_fail (
			PP_EINVAL, why, room,
			"%s has version %u of the format, this program reads version %d: read "
			"it with the ppctl of the library that wrote it",
			path, header->version, PPI_RECORDING_VERSION);
	if (!ppi_header_is_whole (header))
		return ppi_fail (PP_EINVAL, why, room, "%s is damaged in its header", path);
	if (header->used > bytes)
		return ppi_fail (PP_EINVAL, why, room, "%s is cut off: %zu of %llu bytes are there",
				 path, bytes, (unsigned long long) header->used);
	return 0;
}

static bool is_same_file (int fd, const char *path)
{
	struct stat a, b;

	return fstat (fd, &a) == 0 && stat (path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* The region's own file, not a copy of it: its process may be writing just now. */
static bool is_live_region (int fd, const struct ppi_region_header *header)
{
	char path[PPI_REGION_PATH];

	ppi_region_path (header, path, sizeof path);
	return header->state == PPI_RECORDING_LIVE && is_same_file (fd, path) &&
	       ppi_process_presence (header->pid, &header->who) != PPI_PROCESS_GONE;
}

static int map_live (struct ppi_recording *recording, int fd, size_t bytes)
{
	void *base = mmap (NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	recording->base = base;
	recording->mapped = bytes;
	return 0;
}

static int read_copy (struct ppi_recording *recording, int fd, size_t *bytes)
{
	char *base = aligned_alloc (PPI_CHUNK_ALIGN,
				    (*bytes + PPI_CHUNK_ALIGN) & ~(size_t) (PPI_CHUNK_ALIGN - 1));
	ssize_t n = base ? ppi_read_at (fd, base, *bytes, 0) : -1;

	if (n < 0) {
		free (base);
		return -1;
	}
	recording->base = recording->read = base;
	*bytes = (size_t) n;
	return 0;
}

static int take_in (struct ppi_recording *recording, size_t bytes, const char *path, char *why,
		    size_t room)
{
	int error;

	ppi_copy_words (&recording->header, recording->base,
			bytes < sizeof recording->header ? bytes : sizeof recording->header);
	error = check_header (&recording->header, bytes, path, why, room);
	if (error)
		return error;
	if (recording->read && !ppi_recording_is_sealed (recording->read, recording->header.used))
		return ppi_fail (PP_EINVAL, why, room,
				 "%s is damaged: its bytes are not those of its checksum", path);
	recording->size = recording->header.used;
	return make_index (recording, path, why, room);
}

/* What can be said without reading it all; 0 and *HEADER where nothing is wrong so far. */
static int look (int fd, const char *path, struct stat *st, struct ppi_region_header *header,
		 char *why, size_t room)
{
	const char *unexplained;
	ssize_t n;
	int error;

	if (fstat (fd, st) != 0)
		return ppi_fail (PP_EIO, why, room, "%s can't be read: %s", path, strerror (errno));
	if (!S_ISREG (st->st_mode))
		return ppi_fail (PP_EINVAL, why, room, "%s is not a recording", path);
	memset (header, 0, sizeof *header);
	n = ppi_read_at (fd, header, sizeof *header, 0);
	if (n < 0)
		return ppi_fail (PP_EIO, why, room, "%s can't be read: %s", path, strerror (errno));
	if (n >= (ssize_t) sizeof header->magic && (size_t) n < sizeof *header &&
	    memcmp (header->magic, PPI_RECORDING_MAGIC, sizeof header->magic) == 0)
		return ppi_fail (PP_EINVAL, why, room, "%s is cut off: its header is missing",
				 path);
	error = check_header (header, (size_t) st->st_size, path, why, room);
	unexplained = error ? NULL : ppi_recording_explains (fd, header, st);
	return unexplained ? ppi_fail (PP_EINVAL, why, room, "%s is damaged: %s", path, unexplained)
			   : error;
}

/* What its process damaged itself; what of the file is, is said before that. */
static void tell_overwritten (struct ppi_recording *recording)
{
	char *damage = recording->newest.damage;
	uint32_t parts = recording->header.damaged;

	if (parts && !*damage)
		snprintf (damage, sizeof recording->newest.damage,
			  "%u part%s of it %s overwritten before its process died: as of the last "
			  "copy, or missing",
			  parts, parts == 1 ? "" : "s", parts == 1 ? "was" : "were");
}

/*
 * A process that writes it may give back what it has replaced while it is read: then it is read
 * again. What is damaged stays so.
 */
static int load_blocks (struct ppi_recording *recording, int fd, const char *path, char *why,
			size_t room)
{
	struct ppi_newest *newest = &recording->newest;
	int error = PP_EINVAL;
	struct stat st;

	recording->of_blocks = true;
	for (int i = 0; i < READ_TRIES; i++) {
		if (fstat (fd, &st) != 0)
			return ppi_fail (PP_EIO, why, room, "%s can't be read: %s", path,
					 strerror (errno));
		ppi_newest_free (newest);
		error = ppi_blocks_load (fd, (uint64_t) st.st_size, path, newest, why, room);
		if ((!error && !newest->is_damaged) ||
		    newest->run.header.state != PPI_RECORDING_LIVE ||
		    ppi_process_presence (newest->run.header.pid, &newest->run.header.who) ==
			    PPI_PROCESS_GONE)
			break;
	}
	if (error)
		return error;
	recording->header = newest->header;
	recording->base = newest->region.at;
	recording->size = newest->header.used;
	tell_overwritten (recording);
	return make_index (recording, path, why, room);
}

static int load (struct ppi_recording *recording, int fd, const char *path, char *why, size_t room)
{
	struct ppi_region_header header = {.used = 0};
	struct stat stat = {0};
	struct ppi_block first;
	int error;
	size_t bytes;

	if (fstat (fd, &stat) == 0 && S_ISREG (stat.st_mode) &&
	    ppi_read_at (fd, &first, sizeof first, 0) == (ssize_t) sizeof first &&
	    ppi_is_of_blocks (&first, sizeof first))
		return load_blocks (recording, fd, path, why, room);
	error = look (fd, path, &stat, &header, why, room);
	bytes = header.used;

	if (error)
		return error;
	/*
	 * Of a region whatever has been given out until it is mapped. Another user's is copied: he
	 * could cut it off meanwhile, and a shard that is just written may be half of one sample
	 * and half of the next.
	 */
	if (stat.st_uid != geteuid () || !is_live_region (fd, &header) ||
	    map_live (recording, fd, bytes = (size_t) stat.st_size) != 0)
		if (read_copy (recording, fd, &bytes) != 0)
			return ppi_fail (PP_EIO, why, room, "%s can't be read: %s", path,
					 strerror (errno));
	return take_in (recording, bytes, path, why, room);
}

int ppi_recording_open (const char *path, struct ppi_recording **out, char *why, size_t room)
{
	struct ppi_recording *recording = calloc (1, sizeof *recording);
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
	struct stat st = {0};

	if (!recording)
		error = ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", path);
	else if (fd < 0)
		error = ppi_fail (PP_EIO, why, room, "%s can't be opened: %s", path,
				  strerror (errno));
	else if (!(recording->path = strdup (path)) || fstat (fd, &st) != 0)
		error = ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", path);
	else
		error = load (recording, fd, path, why, room);
	if (recording) {
		recording->device = st.st_dev;
		recording->inode = st.st_ino;
	}
	if (fd >= 0)
		close (fd);
	if (error) {
		ppi_recording_close (recording);
		return error;
	}
	*out = recording;
	return 0;
}

int ppi_recording_attach (const void *base, size_t bytes, const char *name,
			  struct ppi_recording **out, char *why, size_t room)
{
	struct ppi_recording *recording = calloc (1, sizeof *recording);
	int error;

	if (!recording)
		return ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", name);
	recording->base = base;
	error = take_in (recording, bytes, name, why, room);
	if (error) {
		ppi_recording_close (recording);
		return error;
	}
	*out = recording;
	return 0;
}

void ppi_recording_close (struct ppi_recording *recording)
{
	if (!recording)
		return;
	if (recording->mapped)
		munmap ((void *) (uintptr_t) recording->base, recording->mapped);
	free (recording->read);
	free (recording->path);
	ppi_newest_free (&recording->newest);
	for (int i = 0; i < PPI_CHUNK_TYPES; i++) {
		free (recording->list[i].entry);
		free (recording->list[i].by_id);
		free (recording->list[i].copies);
	}
	free (recording);
}

/* ---- looking into it ------------------------------------------------------------------------- */

const struct ppi_region_header *ppi_recording_header (const struct ppi_recording *recording)
{
	return &recording->header;
}

const char *ppi_recording_damage (const struct ppi_recording *recording)
{
	return *recording->newest.damage ? recording->newest.damage : NULL;
}

const struct ppi_run *ppi_recording_run (const struct ppi_recording *recording)
{
	return recording->of_blocks ? &recording->newest.run : NULL;
}

const void *ppi_recording_next (const struct ppi_recording *recording, enum ppi_chunk_type type,
				const void *previous)
{
	const struct ppi_list *list = &recording->list[type];
	size_t low = 0, high = list->n;

	/* the file's order is that of addresses */
	while (previous && low < high) {
		size_t middle = low + (high - low) / 2;

		if ((const void *) list->entry[middle].chunk <= previous)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->n ? list->entry[low].chunk : NULL;
}

size_t ppi_recording_count (const struct ppi_recording *recording, enum ppi_chunk_type type)
{
	return recording->list[type].n;
}

uint64_t ppi_recording_place (const struct ppi_recording *recording, const void *chunk)
{
	return (uint64_t) ((const char *) chunk - recording->base);
}

size_t ppi_recording_processes (const struct ppi_recording *recording,
				const struct ppi_process_entry **list)
{
	if (!recording->newest.process)
		return 1;
	*list = recording->newest.process;
	return recording->newest.n_processes;
}

const void *ppi_recording_nth (const struct ppi_recording *recording, enum ppi_chunk_type type,
			       size_t i)
{
	const struct ppi_list *list = &recording->list[type];

	return i < list->n ? list->entry[i].chunk : NULL;
}

/* The first in by_id whose id is not below ID. */
size_t ppi_recording_lower_bound (const struct ppi_list *list, uint32_t id)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->by_id[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const void *ppi_recording_find (const struct ppi_recording *recording, enum ppi_chunk_type type,
				uint32_t id)
{
	const struct ppi_list *list = &recording->list[type];
	size_t at = ppi_recording_lower_bound (list, id);

	return at < list->n && list->by_id[at].id == id ? list->by_id[at].chunk : NULL;
}

const char *ppi_chunk_text (const void *chunk, uint32_t offset)
{
	return offset ? (const char *) chunk + offset : "";
}

uint64_t ppi_recording_drops (const struct ppi_recording *recording, enum pp_drop cause)
{
	return recording->header.drops[cause];
}
