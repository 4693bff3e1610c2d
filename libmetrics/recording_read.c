/* SPDX-License-Identifier: MIT */
/*
 * recording_read.c: opens and indexes recordings; see recording_read.h.
 *
 * A file is read into memory: whatever happens to it afterwards, no signal comes of it. A live region, whose writers
 * go on, is mapped, so that the sequence counts of its shards mean something; each chunk's size, type and id are looked
 * at once and kept in the index. Chunks that change and have no sequence count are copied there, word by word: so what was checked
 * is what is read, all of a report is of one moment, and nobody else needs to know who writes them and how.
 */
#include "recording_read.h"

#include "recording_check.h"
#include "recording_finish.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
	const struct ppi_chunk *chunk;
	uint32_t id, bytes;
};

struct list {
	size_t n, room;
	struct entry *entry; /* in the file's order, which is that of addresses */
	struct entry *by_id; /* sorted, stable */
	char *copies;        /* of chunks that change */
};

struct ppi_recording {
	struct ppi_region_header header; /* a copy */
	const char *base;
	size_t size;   /* bytes of it that hold chunks */
	size_t mapped; /* by ppi_recording_open */
	char *read;    /* by ppi_recording_open */
	struct list list[PPI_CHUNK_TYPES];
};

static int fail (int error, char *why, size_t room, const char *format, ...) __attribute__ ((format (printf, 4, 5)));
static int fail (int error, char *why, size_t room, const char *format, ...)
{
	va_list arguments;

	va_start (arguments, format);
	vsnprintf (why, room, format, arguments);
	va_end (arguments);
	return error;
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

static int compare_ids (const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static bool keep (struct list *list, const struct ppi_chunk *chunk, uint32_t bytes)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		struct entry *more = realloc (list->entry, room * sizeof *more);

		if (!more)
			return false;
		list->entry = more;
		list->room = room;
	}
	/* a thread's changes when its state gets another thread */
	list->entry[list->n++] = (struct entry){chunk, __atomic_load_n (&chunk->id, __ATOMIC_RELAXED), bytes};
	return true;
}

/* Chunks of one type, in their order. What became something else meanwhile is left out. */
static bool copy_all (struct list *list, unsigned type)
{
	size_t bytes = 0, kept = 0;

	for (size_t i = 0; i < list->n; i++)
		bytes += list->entry[i].bytes;
	list->copies = aligned_alloc (PPI_CHUNK_ALIGN, bytes);
	if (!list->copies)
		return false;
	bytes = 0;
	for (size_t i = 0; i < list->n; i++) {
		struct entry *e = &list->entry[i];
		struct ppi_chunk *copy = (struct ppi_chunk *) (void *) (list->copies + bytes);

		ppi_copy_words (copy, e->chunk, e->bytes);
		/* each load of the copy is an acquire: if one had new content, the type or id is new now */
		if (__atomic_load_n (&e->chunk->type, __ATOMIC_RELAXED) != type ||
		    __atomic_load_n (&e->chunk->id, __ATOMIC_RELAXED) != e->id)
			continue;
		copy->bytes = e->bytes;
		bytes += e->bytes;
		list->entry[kept++] = (struct entry){copy, e->id, e->bytes};
	}
	list->n = kept;
	return true;
}

static int gather (struct ppi_recording *recording, const char *path, char *why, size_t room)
{
	size_t at = recording->header.header_bytes;

	while (at < recording->size) {
		const struct ppi_chunk *chunk = (const void *) (recording->base + at);
		unsigned type = __atomic_load_n (&chunk->type, __ATOMIC_ACQUIRE);
		uint32_t bytes = __atomic_load_n (&chunk->bytes, __ATOMIC_RELAXED);

		/* its writer died before it wrote the size: the next one begins where something is not zero */
		if (bytes == 0 && type == PPI_CHUNK_NONE) {
			at += PPI_CHUNK_ALIGN;
			continue;
		}
		if (bytes < PPI_CHUNK_ALIGN || bytes % PPI_CHUNK_ALIGN != 0 || bytes > recording->size - at)
			return fail (PP_EINVAL, why, room, "%s is damaged at byte %zu: a chunk of %u bytes", path, at,
				     bytes);
		if (type < PPI_CHUNK_TYPES && type != PPI_CHUNK_NONE && type != PPI_CHUNK_FREE) {
			if (!keep (&recording->list[type], chunk, bytes))
				return fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		}
		at += bytes;
	}
	return 0;
}

static int check_all (const struct list *list, unsigned type, const char *path, char *why, size_t room)
{
	for (size_t i = 0; i < list->n; i++)
		if (!ppi_chunk_is_whole (list->entry[i].chunk, type, list->entry[i].bytes))
			return fail (PP_EINVAL, why, room,
				     "%s is damaged: chunk %zu of type %s, of %u bytes, is not whole", path, i + 1,
				     ppi_chunk_type_name (type), list->entry[i].bytes);
	return 0;
}

static bool references_are_whole (const struct ppi_recording *recording)
{
	for (const struct ppi_binding_chunk *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (!ppi_recording_find (recording, PPI_CHUNK_METRIC, b->metric) ||
		    (b->site && !ppi_recording_find (recording, PPI_CHUNK_SITE, b->site)))
			return false;
	for (const struct ppi_assertion_chunk *a = NULL; (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));)
		if (a->site && !ppi_recording_find (recording, PPI_CHUNK_SITE, a->site))
			return false;
	return true;
}

static int make_index (struct ppi_recording *recording, const char *path, char *why, size_t room)
{
	int error = gather (recording, path, why, room);

	for (unsigned i = 0; i < PPI_CHUNK_TYPES && error == 0; i++) {
		struct list *list = &recording->list[i];

		if (list->n == 0)
			continue;
		/* entries of the history lie where there was room: their numbers are their order, and copies lie in that */
		if (i == PPI_CHUNK_HISTORY)
			qsort (list->entry, list->n, sizeof *list->entry, compare_ids);
		/* nobody writes to what was read from a file */
		if (ppi_chunk_changes (i) && (!recording->read || i == PPI_CHUNK_HISTORY) && !copy_all (list, i))
			return fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		list->by_id = malloc ((list->n + 1) * sizeof *list->by_id);
		if (!list->by_id)
			return fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		memcpy (list->by_id, list->entry, list->n * sizeof *list->by_id);
		qsort (list->by_id, list->n, sizeof *list->by_id, compare_ids);
		error = check_all (list, i, path, why, room);
	}
	/* of a region that goes on, the newest chunks may have been missed */
	if (!error && recording->read && !references_are_whole (recording))
		return fail (PP_EINVAL, why, room, "%s is damaged: it names a metric or a site that is not in it",
			     path);
	return error;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int check_header (const struct ppi_region_header *header, size_t bytes, const char *path, char *why, size_t room)
{
	if (bytes < sizeof header->magic || memcmp (header->magic, PPI_RECORDING_MAGIC, sizeof header->magic) != 0)
		return fail (PP_EINVAL, why, room, "%s is not a recording", path);
	if (header->version != PPI_RECORDING_VERSION)
		return fail (
			PP_EINVAL, why, room,
			"%s has version %u of the format, this program reads version %d: read it with the ppctl of the "
			"library that wrote it",
			path, header->version, PPI_RECORDING_VERSION);
	if (!ppi_header_is_whole (header))
		return fail (PP_EINVAL, why, room, "%s is damaged in its header", path);
	if (header->used > bytes)
		return fail (PP_EINVAL, why, room, "%s is cut off: %zu of %llu bytes are there", path, bytes,
			     (unsigned long long) header->used);
	return 0;
}

/* Reads at most BYTES; what is missing at the end is the caller's to notice. */
static ssize_t read_whole (int fd, char *out, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread (fd, out + done, bytes - done, (off_t) done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t) n;
	}
	return (ssize_t) done;
}

static bool is_same_file (int fd, const char *path)
{
	struct stat a, b;

	return fstat (fd, &a) == 0 && stat (path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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
	char *base = aligned_alloc (PPI_CHUNK_ALIGN, (*bytes + PPI_CHUNK_ALIGN) & ~(size_t) (PPI_CHUNK_ALIGN - 1));
	ssize_t n = base ? read_whole (fd, base, *bytes) : -1;

	if (n < 0) {
		free (base);
		return -1;
	}
	recording->base = recording->read = base;
	*bytes = (size_t) n;
	return 0;
}

static int take_in (struct ppi_recording *recording, size_t bytes, const char *path, char *why, size_t room)
{
	int error;

	ppi_copy_words (&recording->header, recording->base,
			bytes < sizeof recording->header ? bytes : sizeof recording->header);
	error = check_header (&recording->header, bytes, path, why, room);
	if (error)
		return error;
	if (recording->read && !ppi_recording_is_sealed (recording->read, recording->header.used))
		return fail (PP_EINVAL, why, room, "%s is damaged: its bytes are not those of its checksum", path);
	recording->size = recording->header.used;
	return make_index (recording, path, why, room);
}

/* What can be said without reading it all; 0 and *HEADER where nothing is wrong so far. */
static int look (int fd, const char *path, struct stat *st, struct ppi_region_header *header, char *why, size_t room)
{
	const char *unexplained;
	ssize_t n;
	int error;

	if (fstat (fd, st) != 0)
		return fail (PP_EIO, why, room, "%s can't be read: %s", path, strerror (errno));
	if (!S_ISREG (st->st_mode))
		return fail (PP_EINVAL, why, room, "%s is not a recording", path);
	memset (header, 0, sizeof *header);
	n = read_whole (fd, (char *) header, sizeof *header);
	if (n < 0)
		return fail (PP_EIO, why, room, "%s can't be read: %s", path, strerror (errno));
	if (n >= (ssize_t) sizeof header->magic && (size_t) n < sizeof *header &&
	    memcmp (header->magic, PPI_RECORDING_MAGIC, sizeof header->magic) == 0)
		return fail (PP_EINVAL, why, room, "%s is cut off: its header is missing", path);
	error = check_header (header, (size_t) st->st_size, path, why, room);
	unexplained = error ? NULL : ppi_recording_explains (fd, header, st);
	return unexplained ? fail (PP_EINVAL, why, room, "%s is damaged: %s", path, unexplained) : error;
}

static int load (struct ppi_recording *recording, int fd, const char *path, char *why, size_t room)
{
	struct ppi_region_header header = {.used = 0};
	struct stat stat = {0};
	int error = look (fd, path, &stat, &header, why, room);
	size_t bytes = header.used;

	if (error)
		return error;
	/*
	 * Of a region whatever has been given out until it is mapped. Another user's is copied: he could cut it off meanwhile, and a
	 * shard that is just written may be half of one sample and half of the next.
	 */
	if (stat.st_uid != geteuid () || !is_live_region (fd, &header) ||
	    map_live (recording, fd, bytes = (size_t) stat.st_size) != 0)
		if (read_copy (recording, fd, &bytes) != 0)
			return fail (PP_EIO, why, room, "%s can't be read: %s", path, strerror (errno));
	return take_in (recording, bytes, path, why, room);
}

int ppi_recording_open (const char *path, struct ppi_recording **out, char *why, size_t room)
{
	struct ppi_recording *recording = calloc (1, sizeof *recording);
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;

	if (!recording)
		error = fail (PP_ENOMEM, why, room, "no memory to read %s", path);
	else if (fd < 0)
		error = fail (PP_EIO, why, room, "%s can't be opened: %s", path, strerror (errno));
	else
		error = load (recording, fd, path, why, room);
	if (fd >= 0)
		close (fd);
	if (error) {
		ppi_recording_close (recording);
		return error;
	}
	*out = recording;
	return 0;
}

int ppi_recording_attach (const void *base, size_t bytes, const char *name, struct ppi_recording **out, char *why,
			  size_t room)
{
	struct ppi_recording *recording = calloc (1, sizeof *recording);
	int error;

	if (!recording)
		return fail (PP_ENOMEM, why, room, "no memory to read %s", name);
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
	for (int i = 0; i < PPI_CHUNK_TYPES; i++) {
		free (recording->list[i].entry);
		free (recording->list[i].by_id);
		free (recording->list[i].copies);
	}
	free (recording);
}

/* ---- looking into it --------------------------------------------------------------------------------------------- */

const struct ppi_region_header *ppi_recording_header (const struct ppi_recording *recording)
{
	return &recording->header;
}

const void *ppi_recording_next (const struct ppi_recording *recording, enum ppi_chunk_type type, const void *previous)
{
	const struct list *list = &recording->list[type];
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

/* The first in by_id whose id is not below ID. */
static size_t lower_bound (const struct list *list, uint32_t id)
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

const void *ppi_recording_find (const struct ppi_recording *recording, enum ppi_chunk_type type, uint32_t id)
{
	const struct list *list = &recording->list[type];
	size_t at = lower_bound (list, id);

	return at < list->n && list->by_id[at].id == id ? list->by_id[at].chunk : NULL;
}

const char *ppi_chunk_text (const void *chunk, uint32_t offset)
{
	return offset ? (const char *) chunk + offset : "";
}

/* A shard that is too small for its accumulator, or for its ring, is not read. */
static bool shard_fits (const struct ppi_shard *shard, enum ppi_accumulator accumulator)
{
	const struct ppi_series_shard *series = (const void *) shard;
	size_t room = shard->chunk.bytes;

	switch (accumulator) {
	case PPI_BOUNDED_SERIES:
		return room >= sizeof *series && series->size <= (room - sizeof *series) / sizeof series->ring[0];
	case PPI_HISTOGRAM:
		return room >= sizeof (struct ppi_histogram_shard);
	case PPI_UNBOUNDED_SERIES:
		return room >= sizeof (struct ppi_unbounded_shard);
	default:
		return true;
	}
}

static void add_binding (const struct ppi_recording *recording, const struct ppi_binding_chunk *binding,
			 const struct ppi_metric_chunk *metric, struct ppi_summary *out)
{
	const struct list *shards = &recording->list[PPI_CHUNK_SHARD];
	uint32_t epoch = metric->epoch;

	for (size_t i = lower_bound (shards, binding->chunk.id);
	     i < shards->n && shards->by_id[i].id == binding->chunk.id; i++) {
		const struct ppi_shard *shard = (const void *) shards->by_id[i].chunk;

		if (!shard_fits (shard, metric->accumulator))
			continue;
		(void) ppi_summary_add_shard (out, shard, epoch, binding->every);
		if (metric->accumulator == PPI_BOUNDED_SERIES)
			ppi_summary_add_window (out, (const void *) shard, epoch);
	}
}

void ppi_recording_summary_of (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric,
			       bool (*wanted) (uint32_t site, void *arg), void *arg, struct ppi_summary *out)
{
	const struct list *bindings = &recording->list[PPI_CHUNK_BINDING];

	ppi_summary_init (out, metric->sample_type, metric->accumulator);
	/* a rate since the start; when the metric was reset is not in the recording */
	if (!metric->epoch)
		out->seconds = ((double) ppi_recording_header (recording)->now_ns -
				(double) ppi_recording_header (recording)->start_ns) *
			       1e-9;
	out->bounds.lo = (uintptr_t) recording->base;
	out->bounds.hi = (uintptr_t) recording->base + recording->size;
	for (size_t i = 0; i < bindings->n; i++) {
		const struct ppi_binding_chunk *binding = (const void *) bindings->entry[i].chunk;

		if (binding->metric == metric->chunk.id && wanted (binding->site, arg))
			add_binding (recording, binding, metric, out);
	}
}

static bool is_site (uint32_t site, void *arg)
{
	const uint32_t *wanted = arg;

	return *wanted == PPI_ALL_SITES || site == *wanted;
}

void ppi_recording_summary (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric, uint32_t site,
			    struct ppi_summary *out)
{
	ppi_recording_summary_of (recording, metric, is_site, &site, out);
}

double ppi_recording_scale (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric)
{
	return metric->scale != 0 ? metric->scale : ppi_recording_header (recording)->seconds_per_tick;
}

uint64_t ppi_recording_quick_passes (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	uint32_t id = assertion->chunk.reserved;
	const struct list *shards;
	uint64_t n = 0;

	if (!id)
		return 0;
	shards = &recording->list[PPI_CHUNK_SHARD];
	for (size_t i = lower_bound (shards, id); i < shards->n && shards->by_id[i].id == id; i++)
		n += __atomic_load_n (&((const struct ppi_shard *) shards->by_id[i].chunk)->all.n, __ATOMIC_RELAXED);
	return n;
}

uint64_t ppi_recording_drops (const struct ppi_recording *recording, enum pp_drop cause)
{
	return recording->header.drops[cause];
}
