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

#define TYPES (PPI_CHUNK_OVERHEAD + 1)

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
	struct list list[TYPES];
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

/* ---- what a chunk must look like --------------------------------------------------------------------------------- */

/* the fixed part, whether a text follows it, and whether it changes while somebody may read it without a sequence count */
static const struct {
	size_t bytes;
	bool text, changes;
} shape[TYPES] = {
	[PPI_CHUNK_SITE] = {offsetof (struct ppi_site_chunk, name), true, true},
	[PPI_CHUNK_METRIC] = {offsetof (struct ppi_metric_chunk, name), true, true},
	[PPI_CHUNK_BINDING] = {sizeof (struct ppi_binding_chunk), false, true},
	[PPI_CHUNK_THREAD] = {sizeof (struct ppi_thread), false},
	[PPI_CHUNK_FRAMES] = {sizeof (struct ppi_chunk), false},
	[PPI_CHUNK_SHARD] = {sizeof (struct ppi_shard), false},
	[PPI_CHUNK_TABLE] = {sizeof (struct ppi_chunk), false},
	[PPI_CHUNK_ASSERTION] = {offsetof (struct ppi_assertion_chunk, name), true, true},
	[PPI_CHUNK_EVENT] = {offsetof (struct ppi_event_chunk, text), true},
	[PPI_CHUNK_KNOB] = {offsetof (struct ppi_knob_chunk, name), true, true},
	[PPI_CHUNK_BUCKETS] = {sizeof (struct ppi_buckets_chunk), false},
	[PPI_CHUNK_SAMPLES] = {sizeof (struct ppi_samples_chunk), false},
	[PPI_CHUNK_SWEEP] = {sizeof (struct ppi_sweep_chunk), false, true},
	[PPI_CHUNK_ADAPT] = {sizeof (struct ppi_adapt_chunk), false, true},
	[PPI_CHUNK_FIGURE] = {offsetof (struct ppi_figure_chunk, name), true, true},
	[PPI_CHUNK_OVERHEAD] = {sizeof (struct ppi_overhead_chunk), false, true},
};

static bool text_ends (const struct ppi_chunk *chunk, uint32_t bytes, size_t offset)
{
	return offset < bytes && memchr ((const char *) chunk + offset, '\0', bytes - offset) != NULL;
}

static bool metric_is_whole (const struct ppi_metric_chunk *metric, uint32_t bytes)
{
	return metric->accumulator < PPI_ACCUMULATOR_COUNT && metric->unit < PPI_UNIT_COUNT &&
	       (metric->sample_type == PP_ABI_SAMPLE_INT || metric->sample_type == PP_ABI_SAMPLE_DOUBLE) &&
	       text_ends (&metric->chunk, bytes, metric->source) &&
	       text_ends (&metric->chunk, bytes, metric->unavailable) &&
	       text_ends (&metric->chunk, bytes, metric->instead) && text_ends (&metric->chunk, bytes, metric->asked) &&
	       text_ends (&metric->chunk, bytes, metric->combine) &&
	       text_ends (&metric->chunk, bytes, metric->fallback);
}

static bool assertion_is_whole (const struct ppi_assertion_chunk *assertion, uint32_t bytes)
{
	uint64_t captures = (uint64_t) assertion->captures * sizeof (struct ppi_capture_entry);

	return text_ends (&assertion->chunk, bytes, assertion->expression) &&
	       (captures == 0 ||
		(assertion->capture % 8 == 0 && assertion->capture <= bytes && captures <= bytes - assertion->capture));
}

/* The event's name, then its sentence, if any, both ended. */
static bool event_is_whole (const struct ppi_event_chunk *event, uint32_t bytes)
{
	size_t offset = offsetof (struct ppi_event_chunk, text);

	return text_ends (&event->chunk, bytes, offset) &&
	       text_ends (&event->chunk, bytes, offset + strlen (event->text) + 1);
}

static bool sweep_is_whole (const struct ppi_sweep_chunk *sweep, uint32_t bytes)
{
	uint64_t sums = ((uint64_t) sweep->thresholds + 1) * sweep->captures;

	return sweep->thresholds <= PPI_SWEEP_MAX && sums <= (bytes - sizeof *sweep) / sizeof sweep->sum[0];
}

static bool adapt_is_whole (const struct ppi_adapt_chunk *adapt, uint32_t bytes)
{
	return adapt->variants && adapt->variants <= (bytes - sizeof *adapt) / sizeof adapt->variant[0] &&
	       adapt->best < adapt->variants && adapt->current < adapt->variants &&
	       text_ends (&adapt->chunk, bytes, adapt->knob) && text_ends (&adapt->chunk, bytes, adapt->objective);
}

static bool knob_is_whole (const struct ppi_knob_chunk *knob, uint32_t bytes)
{
	return text_ends (&knob->chunk, bytes, knob->words);
}

static bool is_whole (const struct ppi_chunk *chunk, unsigned type, uint32_t bytes)
{
	if (bytes < shape[type].bytes || (shape[type].text && !text_ends (chunk, bytes, shape[type].bytes)))
		return false;
	switch (type) {
	case PPI_CHUNK_METRIC:
		return metric_is_whole ((const struct ppi_metric_chunk *) chunk, bytes);
	case PPI_CHUNK_ASSERTION:
		return assertion_is_whole ((const struct ppi_assertion_chunk *) chunk, bytes);
	case PPI_CHUNK_SWEEP:
		return sweep_is_whole ((const struct ppi_sweep_chunk *) chunk, bytes);
	case PPI_CHUNK_ADAPT:
		return adapt_is_whole ((const struct ppi_adapt_chunk *) chunk, bytes);
	case PPI_CHUNK_KNOB:
		return knob_is_whole ((const struct ppi_knob_chunk *) chunk, bytes);
	case PPI_CHUNK_EVENT:
		return event_is_whole ((const struct ppi_event_chunk *) chunk, bytes);
	default:
		return true;
	}
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

/* Chunks of one type, in the order in which they lie in the region. */
static bool copy_all (struct list *list)
{
	size_t bytes = 0;

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
		copy->bytes = e->bytes;
		e->chunk = copy;
		bytes += e->bytes;
	}
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
		if (type < TYPES && type != PPI_CHUNK_NONE && type != PPI_CHUNK_FREE) {
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
		if (!is_whole (list->entry[i].chunk, type, list->entry[i].bytes))
			return fail (PP_EINVAL, why, room,
				     "%s is damaged: chunk %zu of type %u, of %u bytes, is not whole", path, i + 1,
				     type, list->entry[i].bytes);
	return 0;
}

static int make_index (struct ppi_recording *recording, const char *path, char *why, size_t room)
{
	int error = gather (recording, path, why, room);

	for (unsigned i = 0; i < TYPES && error == 0; i++) {
		struct list *list = &recording->list[i];

		if (list->n == 0)
			continue;
		/* nobody writes to what was read from a file */
		if (shape[i].changes && !recording->read && !copy_all (list))
			return fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		list->by_id = malloc (list->n * sizeof *list->by_id);
		if (!list->by_id)
			return fail (PP_ENOMEM, why, room, "no memory to read %s", path);
		memcpy (list->by_id, list->entry, list->n * sizeof *list->by_id);
		qsort (list->by_id, list->n, sizeof *list->by_id, compare_ids);
		error = check_all (list, i, path, why, room);
	}
	return error;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool ends (const char *text, size_t room)
{
	return memchr (text, '\0', room) != NULL;
}

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
	if (header->header_bytes < sizeof *header || header->header_bytes % PPI_CHUNK_ALIGN != 0 ||
	    header->used < header->header_bytes || !ends (header->program, sizeof header->program) ||
	    !ends (header->live_path, sizeof header->live_path) ||
	    !ends (header->record_path, sizeof header->record_path))
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
static bool is_live_region (int fd)
{
	struct ppi_region_header header;

	return read_whole (fd, (char *) &header, sizeof header) == (ssize_t) sizeof header &&
	       memcmp (header.magic, PPI_RECORDING_MAGIC, sizeof header.magic) == 0 &&
	       header.state == PPI_RECORDING_LIVE && ends (header.live_path, sizeof header.live_path) &&
	       is_same_file (fd, header.live_path) && ppi_recording_is_running (&header);
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
	recording->size = recording->header.used;
	return make_index (recording, path, why, room);
}

static int load (struct ppi_recording *recording, int fd, const char *path, char *why, size_t room)
{
	char magic[sizeof ((struct ppi_region_header *) NULL)->magic];
	struct stat stat;
	size_t bytes;

	if (fstat (fd, &stat) != 0)
		return fail (PP_EIO, why, room, "%s can't be read: %s", path, strerror (errno));
	bytes = (size_t) stat.st_size;
	if (!S_ISREG (stat.st_mode) || bytes < sizeof (struct ppi_region_header)) {
		if (S_ISREG (stat.st_mode) && pread (fd, magic, sizeof magic, 0) == sizeof magic &&
		    memcmp (magic, PPI_RECORDING_MAGIC, sizeof magic) == 0)
			return fail (PP_EINVAL, why, room, "%s is cut off: its header is missing", path);
		return fail (PP_EINVAL, why, room, "%s is not a recording", path);
	}
	if (!is_live_region (fd) || map_live (recording, fd, bytes) != 0)
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
	for (int i = 0; i < TYPES; i++) {
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
	uint64_t n = recording->header.drops[cause];

	for (const struct ppi_thread *t = NULL; (t = ppi_recording_next (recording, PPI_CHUNK_THREAD, t));)
		n += __atomic_load_n (&t->drops[cause], __ATOMIC_RELAXED);
	return n;
}
