/* SPDX-License-Identifier: MIT */
/* merge.c: see merge.h. */
#include "recording/merge.h"

#include "base/chunk.h"
#include "libmetrics/keep/shard.h"
#include "recording/blocks.h"
#include "recording/merge_int.h"
#include "recording/read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Integer samples in ticks are added up: two clocks may differ by this. */
#define CLOCKS_DIFFER 1e-3

bool ppi_merge_say (struct merging *m, int error, const char *path, const char *what)
{
	m->error = error;
	snprintf (m->why, m->room, "%s%s%s", path, *path ? ": " : "", what);
	return false;
}

bool ppi_merge_no_memory (struct merging *m)
{
	return ppi_merge_say (m, PP_ENOMEM, "", "no memory to merge recordings");
}

static bool map_number (struct merging *m, struct numbers *numbers, uint32_t from, uint32_t to)
{
	if (numbers->n == numbers->room) {
		size_t room = numbers->room ? 2 * numbers->room : 64;
		struct number *more = realloc (numbers->at, room * sizeof *more);

		if (!more)
			return ppi_merge_no_memory (m);
		numbers->at = more;
		numbers->room = room;
	}
	numbers->at[numbers->n++] = (struct number){from, to};
	return true;
}

static int compare (const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void sort (struct numbers *numbers)
{
	if (numbers->n)
		qsort (numbers->at, numbers->n, sizeof *numbers->at, compare);
}

/* 0: it has none */
uint32_t ppi_merge_number_of (const struct numbers *numbers, uint32_t from)
{
	const struct number key = {from, 0}, *found;

	found = numbers->n ? bsearch (&key, numbers->at, numbers->n, sizeof key, compare) : NULL;
	return found ? found->to : 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

bool ppi_merge_flush (struct merging *m, unsigned type)
{
	/* assertions are in their table, which is freed whole */
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	int e = m->items_used ? ppi_writer_put (&m->writer, type, 0, m->ns, m->ns, NULL, 0,
						m->items, m->items_used)
			      : 0;

	m->items_used = 0;
	return e == 0 || ppi_merge_say (m, PP_EIO, "", strerror (-e));
}

/*
 * An item of BYTES at DATA; what is in it may be changed then. NULL: no memory, or it could not be
 * written.
 */
void *ppi_merge_put (struct merging *m, unsigned type, uint64_t place, const void *data,
		     uint32_t bytes)
{
	struct ppi_item item = {.place = place, .bytes = bytes};
	size_t needs = sizeof item + ((bytes + 7u) & ~7u);
	char *at;

	if (m->items_used + needs > PPI_BLOCK_FULL && !ppi_merge_flush (m, type))
		return NULL;
	if (m->items_used + needs > m->items_room) {
		size_t room = 2 * m->items_room + needs + 65536;
		char *more = realloc (m->items, room);

		if (!more)
			return ppi_merge_no_memory (m), NULL;
		m->items = more;
		m->items_room = room;
	}
	at = m->items + m->items_used;
	memset (at + needs - 8, 0, 8);
	memcpy (at, &item, sizeof item);
	memcpy (at + sizeof item, data, bytes);
	m->items_used += needs;
	return at + sizeof item;
}

void *ppi_merge_put_chunk (struct merging *m, unsigned type, const struct input *in,
			   const struct ppi_chunk *chunk)
{
	return ppi_merge_put (m, type, in->offset + ppi_recording_place (in->recording, chunk),
			      chunk, chunk->bytes);
}

/* ---- sites, metrics, bindings ---------------------------------------------------------------- */

static bool put_sites (struct merging *m, struct input *in)
{
	const struct ppi_site_chunk *s = NULL;
	struct ppi_site_chunk *copy;
	struct ppi_intern_entry *name;
	bool is_new;

	while ((s = ppi_merge_next (in, PPI_CHUNK_SITE, s))) {
		name = ppi_intern (&m->sites, s->name, strlen (s->name), &is_new);
		if (!name || !map_number (m, &in->sites, s->chunk.id, name->number))
			return ppi_merge_no_memory (m);
		if (!is_new)
			continue;
		copy = ppi_merge_put_chunk (m, PPI_BLOCK_SITES, in, &s->chunk);
		if (!copy)
			return false;
		copy->chunk.id = name->number;
	}
	sort (&in->sites);
	return true;
}

/*
 * Metrics of one name and different declarations are different ones. All get their numbers before
 * one is put: whether a metric was reset in any process is to be known then.
 */
static bool number_metrics (struct merging *m, struct input *in)
{
	const struct ppi_metric_chunk *c = NULL;
	struct ppi_intern_entry *name;

	while ((c = ppi_merge_next (in, PPI_CHUNK_METRIC, c))) {
		char key[1024];
		int bytes =
			snprintf (key, sizeof key, "%s\n%s\n%u %u %u %u %a %llu", c->name,
				  ppi_chunk_text (c, c->source), c->kind, c->accumulator,
				  c->sample_type, c->unit, c->scale, (unsigned long long) c->size);

		name = ppi_intern (&m->metrics, key,
				   (size_t) bytes < sizeof key ? (size_t) bytes : sizeof key - 1,
				   &(bool){false});
		if (!name || !map_number (m, &in->metrics, c->chunk.id, name->number))
			return ppi_merge_no_memory (m);
		m->metric[name->number].was_reset |= c->epoch != 0;
	}
	sort (&in->metrics);
	return true;
}

static bool number_all_metrics (struct merging *m)
{
	size_t most = 1;

	for (size_t i = 0; i < m->n; i++)
		most += ppi_recording_count (m->input[i].recording, PPI_CHUNK_METRIC);
	m->metric = calloc (most, sizeof *m->metric);
	if (!m->metric)
		return ppi_merge_no_memory (m);
	for (size_t i = 0; i < m->n; i++) {
		m->input[i].metric = m->metric;
		if (!number_metrics (m, &m->input[i]))
			return false;
	}
	return true;
}

static bool put_metrics (struct merging *m, struct input *in)
{
	const struct ppi_metric_chunk *c = NULL;

	while ((c = ppi_merge_next (in, PPI_CHUNK_METRIC, c))) {
		uint32_t number = ppi_merge_number_of (&in->metrics, c->chunk.id);
		struct ppi_metric_chunk *copy;

		if (m->metric[number].is_put)
			continue;
		copy = ppi_merge_put_chunk (m, PPI_BLOCK_SITES, in, &c->chunk);
		if (!copy)
			return false;
		m->metric[number].is_put = true;
		copy->chunk.id = number;
		copy->epoch = m->metric[number].was_reset;
	}
	return true;
}

static bool put_bindings (struct merging *m, struct input *in)
{
	const struct ppi_binding_chunk *b = NULL;
	struct ppi_binding_chunk *copy;
	struct ppi_intern_entry *name;
	bool is_new;

	while ((b = ppi_merge_next (in, PPI_CHUNK_BINDING, b))) {
		uint32_t key[] = {ppi_merge_number_of (&in->metrics, b->metric),
				  ppi_merge_number_of (&in->sites, b->site), b->every};

		name = ppi_intern (&m->bindings, key, sizeof key, &is_new);
		if (!name || !map_number (m, &in->bindings, b->chunk.id, name->number))
			return ppi_merge_no_memory (m);
		if (!is_new)
			continue;
		copy = ppi_merge_put_chunk (m, PPI_BLOCK_SITES, in, &b->chunk);
		if (!copy)
			return false;
		copy->chunk.id = name->number;
		copy->metric = key[0];
		copy->site = key[1];
	}
	return true;
}

/* ---- what was measured ----------------------------------------------------------------------- */

/*
 * Samples from before a reset stay out. The metric's epoch here is 1 where a process has reset it,
 * so that nobody takes a rate since the start, else 0.
 */
static uint32_t epoch_of (const struct input *in, uint32_t binding, uint32_t epoch)
{
	const struct ppi_binding_chunk *b =
		ppi_recording_find (in->recording, PPI_CHUNK_BINDING, binding);
	const struct ppi_metric_chunk *metric =
		b ? ppi_recording_find (in->recording, PPI_CHUNK_METRIC, b->metric) : NULL;

	if (!metric)
		return 0;
	return epoch == metric->epoch
		       ? in->metric[ppi_merge_number_of (&in->metrics, metric->chunk.id)].was_reset
		       : PPI_EPOCH_NONE - 1;
}

/* The binding's number here, and its epoch there, of a copy of a shard or of counters. */
void ppi_merge_renumber (const struct input *in, struct ppi_chunk *copy, uint32_t bytes)
{
	uint32_t binding = copy->id;

	if (copy->type == PPI_CHUNK_SHARD && bytes >= sizeof (struct ppi_shard)) {
		struct ppi_shard *s = (void *) copy;

		s->more_epoch = s->more_epoch == s->epoch ? epoch_of (in, binding, s->epoch)
							  : PPI_EPOCH_NONE - 1;
		s->epoch = epoch_of (in, binding, s->epoch);
	} else if (copy->type == PPI_CHUNK_BUCKETS && bytes >= sizeof (struct ppi_buckets_chunk)) {
		struct ppi_buckets_chunk *b = (void *) copy;

		b->epoch = epoch_of (in, binding, b->epoch);
	}
	copy->id = ppi_merge_number_of (&in->bindings, binding);
}

static bool put_shards (struct merging *m, struct input *in)
{
	static const enum ppi_chunk_type types[] = {PPI_CHUNK_SHARD, PPI_CHUNK_BUCKETS,
						    PPI_CHUNK_SAMPLES};
	const struct ppi_chunk *c;
	struct ppi_chunk *copy;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (c = NULL; (c = ppi_merge_next (in, types[i], c));) {
			if (!ppi_merge_number_of (&in->bindings, c->id))
				/* of windows, and of quick checks: those are the assertions' */
				continue;
			copy = ppi_merge_put_chunk (m, PPI_BLOCK_STATE, in, c);
			if (!copy)
				return false;
			ppi_merge_renumber (in, copy, c->bytes);
		}
	return true;
}

static bool put_knobs (struct merging *m, struct input *in)
{
	const struct ppi_knob_chunk *k = NULL;
	struct ppi_chunk *copy;
	struct ppi_intern_entry *name;
	bool is_new;

	while ((k = ppi_merge_next (in, PPI_CHUNK_KNOB, k))) {
		name = ppi_intern (&m->knobs, k->name, strlen (k->name), &is_new);
		if (!name)
			return ppi_merge_no_memory (m);
		if (!is_new)
			continue;
		copy = ppi_merge_put_chunk (m, PPI_BLOCK_STATE, in, &k->chunk);
		if (!copy)
			return false;
		copy->id = name->number;
	}
	return true;
}

/* ---- which recordings ------------------------------------------------------------------------ */

static struct ppi_process_entry process_of (const struct input *in)
{
	const struct ppi_run *run = ppi_recording_run (in->recording);
	struct ppi_process_entry process = {.pid = in->header->pid,
					    .start_ticks = run->header.start_ticks,
					    .start_realtime_ns = run->header.start_realtime_ns};

	memcpy (process.run, run->id, sizeof process.run);
	return process;
}

/* The processes in IN become known. *N: that are new; of those that are not there are *OLD. */
static bool take_processes (struct merging *m, const struct input *in, unsigned *n, unsigned *old)
{
	const struct ppi_process_entry own = process_of (in), *list = &own;
	size_t count = ppi_recording_processes (in->recording, &list);
	bool is_new;

	*n = *old = 0;
	for (size_t i = 0; i < count; i++) {
		if (!ppi_intern (&m->processes, &list[i], sizeof *list, &is_new))
			return ppi_merge_no_memory (m);
		if (is_new &&
		    !ppi_intern (&m->runs, list[i].run, sizeof list[i].run, &(bool){false}))
			return ppi_merge_no_memory (m);
		*n += is_new;
		*old += !is_new;
	}
	return true;
}

static bool open_input (struct merging *m, struct input *in, const char *path)
{
	struct stat st;

	in->path = path;
	in->fd = -1;
	m->error = ppi_recording_open (path, &in->recording, m->why, m->room);
	if (m->error)
		return false;
	if (!ppi_recording_run (in->recording))
		return ppi_merge_say (
			m, PP_EINVAL, path,
			"it is the memory of a process that runs; merge its recording");
	in->header = ppi_recording_header (in->recording);
	in->fd = open (path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat (in->fd, &st) != 0)
		return ppi_merge_say (m, PP_EIO, path, strerror (errno));
	ppi_scan_begin (&in->scan, in->fd, (uint64_t) st.st_size);
	return true;
}

static void close_input (struct input *in)
{
	ppi_scan_end (&in->scan);
	if (in->fd >= 0)
		close (in->fd);
	ppi_recording_close (in->recording);
	free (in->sites.at);
	free (in->metrics.at);
	free (in->bindings.at);
}

/* Two of one boot have one clock; of others the wall clock says how they lie. */
static bool fit_clock (struct merging *m, struct input *in)
{
	const struct ppi_region_header *first = &m->header, *own = in->header;

	if (fabs (own->seconds_per_tick / first->seconds_per_tick - 1) > CLOCKS_DIFFER)
		return ppi_merge_say (m, PP_EINVAL, in->path,
				      "its clock has another rate: it is of another machine, or of "
				      "another PP_CLOCK, and can't be merged");
	if (memcmp (own->who.boot, first->who.boot, sizeof own->who.boot) != 0)
		in->later_ns = (int64_t) (own->start_realtime_ns - first->start_realtime_ns) -
			       (int64_t) (own->start_ns - first->start_ns);
	return true;
}

static void widen_header (struct merging *m, const struct input *in)
{
	struct ppi_region_header *header = &m->header;

	if (ppi_merge_moved (in, in->header->start_ns) < header->start_ns) {
		header->start_ns = ppi_merge_moved (in, in->header->start_ns);
		header->start_ticks = in->header->start_ticks;
		header->start_realtime_ns = in->header->start_realtime_ns;
	}
	if (ppi_merge_moved (in, in->header->now_ns) > header->now_ns)
		header->now_ns = ppi_merge_moved (in, in->header->now_ns);
	for (int i = 0; i < PPI_DROPS; i++)
		header->drops[i] += in->header->drops[i];
	header->damaged += in->header->damaged;
}

/* Opens them all, but for those that were given before. */
static bool open_all (struct merging *m, const char *const *paths, size_t n,
		      struct ppi_merge_result *out)
{
	unsigned is_new, old;

	for (size_t i = 0; i < n; i++) {
		struct input *in = &m->input[m->n++];

		if (!open_input (m, in, paths[i]) || !take_processes (m, in, &is_new, &old))
			return false;
		if (is_new && old)
			return ppi_merge_say (m, PP_EINVAL, paths[i],
					      "some of its processes are in another recording that "
					      "was given, and some are not");
		if (old) {
			out->again++;
			close_input (in);
			memset (in, 0, sizeof *in);
			m->n--;
			continue;
		}
		out->live += in->header->state == PPI_RECORDING_LIVE;
		in->offset = m->used;
		m->used += (in->header->used + 127) & ~UINT64_C (127);
		if (m->n == 1)
			m->header = *in->header;
		else if (!fit_clock (m, in))
			return false;
		if (m->n > 1)
			widen_header (m, in);
	}
	m->ns = m->header.now_ns;
	out->processes = (unsigned) m->processes.n;
	out->runs = (unsigned) m->runs.n;
	return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool put_processes (struct merging *m)
{
	size_t bytes = m->processes.n * sizeof (struct ppi_process_entry);
	struct ppi_process_entry *list = malloc (bytes);
	size_t n = 0;
	int e;

	if (!list)
		return ppi_merge_no_memory (m);
	for (size_t i = 0; i < m->processes.room; i++)
		if (m->processes.slot[i].key)
			memcpy (&list[n++], m->processes.slot[i].key, sizeof *list);
	e = ppi_writer_put (&m->writer, PPI_BLOCK_PROCESSES, 0, m->header.now_ns, m->header.now_ns,
			    NULL, 0, list, bytes);
	free (list);
	return e == 0 || ppi_merge_say (m, PP_EIO, "", strerror (-e));
}

static bool put_head (struct merging *m)
{
	struct ppi_run run = *ppi_recording_run (m->input[0].recording);
	int e;

	run.header = m->header;
	run.header.state = PPI_RECORDING_LIVE;
	if (m->runs.n > 1)
		memset (run.id, 0, sizeof run.id);
	e = ppi_writer_run (&m->writer, &run);
	return (e == 0 || ppi_merge_say (m, PP_EIO, "", strerror (-e))) && put_processes (m);
}

static bool put_state (struct merging *m)
{
	bool (*const definitions[]) (struct merging *, struct input *) = {put_sites, put_metrics,
									  put_bindings};
	bool (*const state[]) (struct merging *, struct input *) = {put_shards, put_knobs,
								    ppi_merge_take_assertions};

	if (!number_all_metrics (m))
		return false;
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < sizeof definitions / sizeof *definitions; k++)
			if (!definitions[k](m, &m->input[i]))
				return false;
	if (!ppi_merge_flush (m, PPI_BLOCK_SITES))
		return false;
	for (size_t i = 0; i < m->n; i++) {
		sort (&m->input[i].bindings);
		for (size_t k = 0; k < sizeof state / sizeof *state; k++)
			if (!state[k](m, &m->input[i]))
				return false;
	}
	if (!ppi_merge_put_assertions (m))
		return false;
	m->header.used = m->header.limit = m->used;
	m->header.state = PPI_RECORDING_LIVE;
	return ppi_merge_put (m, PPI_BLOCK_STATE, 0, &m->header, sizeof m->header) &&
	       ppi_merge_flush (m, PPI_BLOCK_STATE);
}

static bool merge (struct merging *m)
{
	if (!put_head (m) || !put_state (m))
		return false;
	if (!ppi_merge_history (m) || !ppi_merge_values (m))
		return false;
	m->error = ppi_writer_finish (&m->writer, PPI_RECORDING_FINISHED, m->header.now_ns);
	return m->error == 0 || ppi_merge_say (m, PP_EIO, "", strerror (-m->error));
}

int ppi_recordings_merge (int fd, const char *const *paths, size_t n, struct ppi_merge_result *out,
			  char *why, size_t room)
{
	struct merging m = {.why = why, .room = room, .used = 0};
	bool good;

	*out = (struct ppi_merge_result){0};
	m.input = calloc (n, sizeof *m.input);
	good = m.input && ppi_writer_open (&m.writer, fd, 0) == 0;
	if (!good)
		ppi_merge_no_memory (&m);
	good = good && open_all (&m, paths, n, out) && merge (&m);
	for (size_t i = 0; i < m.n; i++) {
		out->left_streams |= m.input[i].has_streams;
		out->left_groups |= m.input[i].recording &&
				    ppi_recording_count (m.input[i].recording, PPI_CHUNK_GROUP);
		out->lost += m.input[i].scan.lost;
		close_input (&m.input[i]);
	}
	free (m.input);
	free (m.metric);
	free (m.items);
	ppi_writer_close (&m.writer);
	ppi_intern_free (&m.sites);
	ppi_intern_free (&m.metrics);
	ppi_intern_free (&m.bindings);
	ppi_intern_free (&m.assertions);
	ppi_intern_free (&m.knobs);
	ppi_intern_free (&m.processes);
	ppi_intern_free (&m.runs);
	return good ? 0 : m.error ? m.error : PP_EIO;
}
