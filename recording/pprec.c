/* SPDX-License-Identifier: MIT */
/* pprec.c: libpprec; see pprec.h. */
#include "recording/pprec.h"

#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "recording/layout.h"
#include "recording/names.h"
#include "recording/read.h"
#include "recording/scan.h"
#include "recording/series.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pprec {
	struct ppi_recording *recording;
	int fd;
	struct ppi_scan values, blocks;
	bool values_begun, blocks_begun;
	uint64_t size;
	const char *content;           /* of the block of values that is gone through */
	const struct ppi_item *item;   /* in it */
	struct ppi_series *series;     /* NULL: not begun */
	struct ppi_series_run samples; /* N: of which so many are left */
	/* blocks of values that are damaged, in this pass, and the first one's time */
	uint64_t lost_values, lost_ns;
};

static int result_of (int error)
{
	return error == PP_EIO ? PPREC_EIO : error == PP_ENOMEM ? PPREC_ENOMEM : PPREC_EINVAL;
}

int pprec_open (const char *path, pprec **out, char *why, size_t room)
{
	pprec *r = calloc (1, sizeof *r);
	struct stat st;
	int e;

	if (!r) {
		snprintf (why, room, "no memory to read %s", path);
		return PPREC_ENOMEM;
	}
	e = ppi_recording_open (path, &r->recording, why, room);
	if (e < 0) {
		free (r);
		return result_of (e);
	}
	r->fd = ppi_recording_run (r->recording) ? open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
						 : -1;
	if (r->fd >= 0 && fstat (r->fd, &st) == 0)
		r->size = (uint64_t) st.st_size;
	*out = r;
	return 0;
}

void pprec_close (pprec *r)
{
	if (!r)
		return;
	ppi_scan_end (&r->values);
	ppi_scan_end (&r->blocks);
	ppi_series_close (r->series);
	if (r->fd >= 0)
		close (r->fd);
	ppi_recording_close (r->recording);
	free (r);
}

static double seconds (const pprec *r, uint64_t ns)
{
	return ((double) ns - (double) ppi_recording_header (r->recording)->start_ns) * 1e-9;
}

void pprec_info_get (const pprec *r, pprec_info *out)
{
	const struct ppi_region_header *header = ppi_recording_header (r->recording);
	const struct ppi_run *run = ppi_recording_run (r->recording);
	pprec_info info = {.size = out->size};

	for (size_t i = 0; run && i < sizeof run->id; i++)
		snprintf (info.run + 2 * i, 3, "%02x", run->id[i]);
	info.host = run ? run->host : "";
	info.program = header->program;
	info.pid = header->pid;
	info.state = header->state;
	info.started = (double) header->start_realtime_ns * 1e-9;
	info.measured = seconds (r, header->now_ns);
	info.damage = ppi_recording_damage (r->recording);
	info.start_ns = header->start_ns;
	info.lost_values = r->lost_values;
	info.lost_s = r->lost_values ? seconds (r, r->lost_ns) : 0;
	memcpy (out, &info, out->size < sizeof info ? out->size : sizeof info);
}

/* Chunk I of TYPE: usually the one behind that of the last call. */
static const void *nth (const pprec *r, enum ppi_chunk_type type, size_t i)
{
	return ppi_recording_nth (r->recording, type, i);
}

int pprec_metric_get (const pprec *r, size_t i, pprec_metric *out)
{
	const struct ppi_metric_chunk *m = nth (r, PPI_CHUNK_METRIC, i);

	if (!m)
		return 0;
	*out = (pprec_metric){m->chunk.id, m->name, ppi_chunk_text (m, m->source),
			      ppi_unit_symbol ((enum ppi_unit) m->unit),
			      ppi_accumulator_name (m->accumulator)};
	return 1;
}

int pprec_site_get (const pprec *r, size_t i, pprec_site *out)
{
	const struct ppi_site_chunk *s = nth (r, PPI_CHUNK_SITE, i);

	if (!s)
		return 0;
	*out = (pprec_site){s->chunk.id, s->line, s->name, ppi_kind_name (s->kind)};
	return 1;
}

int pprec_event_get (const pprec *r, size_t i, pprec_event *out)
{
	const struct ppi_history_chunk *h = nth (r, PPI_CHUNK_HISTORY, i);

	if (!h)
		return 0;
	*out = (pprec_event){.id = h->chunk.id,
			     .time_s = seconds (r, h->ns),
			     .kind = ppi_history_name (h->kind),
			     .name = h->text,
			     .text = h->text + strlen (h->text) + 1};
	memcpy (out->value, h->value, sizeof out->value);
	return 1;
}

/* ---- values over time ------------------------------------------------------------------------ */

static double double_of (uint64_t bits)
{
	double d;

	memcpy (&d, &bits, sizeof d);
	return d;
}

static double total_of (const struct ppi_shard *s, bool is_double)
{
	unsigned __int128 bits = (unsigned __int128) s->all.sum[1] << 64 | s->all.sum[0];

	return is_double ? double_of (s->all.sum[1]) : (double) (__int128) bits;
}

static double sample_of (uint64_t bits, bool is_double)
{
	return is_double ? double_of (bits) : (double) (int64_t) bits;
}

/* The shard of ITEM as a row; false: it is no shard of a binding that is known. */
static bool put_value (const pprec *r, const struct ppi_item *item, pprec_value *out)
{
	const struct ppi_chunk *chunk = (const void *) (item + 1);
	const struct ppi_shard *s = (const void *) chunk;
	const struct ppi_binding_chunk *b;
	const struct ppi_metric_chunk *m;
	double scale;
	unsigned keeps;
	bool is_double;

	if (item->bytes < sizeof *s || chunk->type != PPI_CHUNK_SHARD)
		return false;
	b = ppi_recording_find (r->recording, PPI_CHUNK_BINDING, chunk->id);
	m = b ? ppi_recording_find (r->recording, PPI_CHUNK_METRIC, b->metric) : NULL;
	if (!m || !ppi_accumulator_exists (m->accumulator))
		return false;
	scale = ppi_recording_scale (r->recording, m);
	is_double = m->sample_type == PP_ABI_SAMPLE_DOUBLE;
	keeps = ppi_keep_of (m->accumulator)->keeps;
	*out = (pprec_value){
		.time_s = seconds (r, r->values.head.last_ns),
		.shard = item->place,
		.metric = m->chunk.id,
		.site = b->site,
		.thread = s->thread,
		.epoch = s->epoch,
		.n = s->all.n,
		.total = keeps & PPI_KEEPS_SUM && s->all.n ? total_of (s, is_double) * scale : NAN,
		.last = keeps & PPI_KEEPS_LAST && s->all.n ? sample_of (s->last, is_double) * scale
							   : NAN,
		.min = keeps & PPI_KEEPS_RANGE && s->all.n ? sample_of (s->min, is_double) * scale
							   : NAN,
		.max = keeps & PPI_KEEPS_RANGE && s->all.n ? sample_of (s->max, is_double) * scale
							   : NAN};
	return true;
}

int pprec_value_next (pprec *r, pprec_value *out)
{
	const char *why;

	if (r->fd < 0)
		return 0;
	if (!r->values_begun) {
		ppi_scan_end (&r->values);
		ppi_scan_begin (&r->values, r->fd, r->size);
		r->content = NULL;
		r->item = NULL;
		r->lost_values = 0;
	}
	r->values_begun = true;
	for (;;) {
		while (r->content &&
		       (r->item = ppi_item_next (r->content, r->values.head.unpacked, r->item)))
			if (put_value (r, r->item, out))
				return 1;
		r->content = NULL;
		r->item = NULL;
		if (!ppi_scan_next (&r->values))
			break;
		if (r->values.head.type != PPI_BLOCK_VALUES)
			continue;
		r->content = ppi_scan_content (&r->values, &why);
		if (!r->content && !r->lost_values++)
			r->lost_ns = r->values.head.last_ns;
	}
	r->values_begun = false;
	return r->values.failed ? PPREC_EIO : 0;
}

int pprec_block_next (pprec *r, pprec_block *out)
{
	const struct ppi_block *head = &r->blocks.head;
	const char *why;

	if (r->fd < 0)
		return 0;
	if (!r->blocks_begun) {
		ppi_scan_end (&r->blocks);
		ppi_scan_begin (&r->blocks, r->fd, r->size);
	}
	r->blocks_begun = ppi_scan_next (&r->blocks);
	if (!r->blocks_begun)
		return r->blocks.failed ? PPREC_EIO : 0;
	*out = (pprec_block){.type = ppi_block_type_name (head->type),
			     .offset = r->blocks.offset,
			     .bytes = head->bytes,
			     .content_bytes = head->unpacked,
			     .thread = head->thread,
			     .first_s = seconds (r, head->first_ns),
			     .last_s = seconds (r, head->last_ns)};
	if (head->type == PPI_BLOCK_STREAM)
		out->content = ppi_scan_content (&r->blocks, &why);
	return 1;
}

/* The first of the samples that are left. */
static void put_sample (pprec *r, pprec_sample *out)
{
	struct ppi_series_run *run = &r->samples;
	const struct ppi_binding_chunk *binding =
		ppi_recording_find (r->recording, PPI_CHUNK_BINDING, run->binding);
	const struct ppi_metric_chunk *metric =
		binding ? ppi_recording_find (r->recording, PPI_CHUNK_METRIC, binding->metric)
			: NULL;
	double raw = NAN;

	if (metric && metric->sample_type == PP_ABI_SAMPLE_DOUBLE)
		memcpy (&raw, run->sample, sizeof raw);
	else
		raw = (double) (int64_t) *run->sample;
	*out = (pprec_sample){.metric = binding ? binding->metric : 0,
			      .site = binding ? binding->site : 0,
			      .thread = run->thread,
			      .index = run->first,
			      .value = metric ? raw * ppi_recording_scale (r->recording, metric)
					      : NAN};
	run->first++;
	run->sample++;
	run->n--;
}

int pprec_sample_next (pprec *r, pprec_sample *out)
{
	bool failed;
	char why[8];
	int e;

	if (!r->series) {
		r->samples.n = 0;
		e = ppi_series_open (r->recording, &r->series, why, sizeof why);
		if (e < 0)
			return result_of (e);
	}
	while (r->samples.n || ppi_series_next (r->series, &r->samples))
		if (r->samples.n) {
			put_sample (r, out);
			return 1;
		}
	failed = ppi_series_failed (r->series);
	pprec_sample_rewind (r);
	return failed ? PPREC_ENOMEM : 0;
}

void pprec_sample_rewind (pprec *r)
{
	ppi_series_close (r->series);
	r->series = NULL;
}

void pprec_value_rewind (pprec *r)
{
	r->values_begun = false;
}

void pprec_block_rewind (pprec *r)
{
	r->blocks_begun = false;
}

double pprec_statistic (const pprec *r, uint32_t metric, uint32_t site, const char *statistic)
{
	const struct ppi_metric_chunk *m =
		ppi_recording_find (r->recording, PPI_CHUNK_METRIC, metric);
	int which = ppi_statistic_parse (statistic);
	struct ppi_summary summary;
	double value;

	if (!m || which < 0)
		return NAN;
	ppi_recording_summary (r->recording, m, site, &summary);
	value = ppi_summary_get (&summary, (enum pp_statistic) which,
				 ppi_recording_scale (r->recording, m));
	ppi_summary_clear (&summary);
	return value;
}
