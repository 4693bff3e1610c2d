/* SPDX-License-Identifier: MIT */
/*
 * sample_region.c: see sample_region.h. Figures are chosen so that reports of them can be checked
 * by hand.
 */
#include "tests/unit/sample_region.h"

#include "base/chunk.h"
#include "base/contrast.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "recording/check.h"
#include "recording/layout.h"
#include "recording/write.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S UINT64_C (1000000000)
#define START_NS (100 * NS_PER_S)

static struct ppi_region_header *header;
static uint32_t n_entries; /* of the history */

static void *take (size_t bytes, enum ppi_chunk_type type, uint32_t id)
{
	struct ppi_chunk *chunk = (void *) ((char *) header + header->used);

	chunk->bytes = (uint32_t) ((bytes + PPI_CHUNK_ALIGN - 1) & ~(size_t) (PPI_CHUNK_ALIGN - 1));
	chunk->type = (uint16_t) type;
	chunk->version = PPI_RECORDING_VERSION;
	chunk->id = id;
	header->used += chunk->bytes;
	return chunk;
}

static uint32_t put_text (void *chunk, size_t *at, const char *text)
{
	uint32_t offset = (uint32_t) *at;

	memcpy ((char *) chunk + offset, text, strlen (text) + 1);
	*at += strlen (text) + 1;
	return offset;
}

static void add_site (uint32_t id, const char *name, uint32_t kind, uint32_t line, uint32_t markers)
{
	size_t at = offsetof (struct ppi_site_chunk, name);
	struct ppi_site_chunk *site = take (at + strlen (name) + 1, PPI_CHUNK_SITE, id);

	site->kind = kind;
	site->line = line;
	site->markers = markers;
	(void) put_text (site, &at, name);
}

static struct ppi_metric_chunk *add_metric (uint32_t id, const char *name,
					    enum ppi_accumulator accumulator, const char *source,
					    const char *unavailable)
{
	size_t at = offsetof (struct ppi_metric_chunk, name);
	struct ppi_metric_chunk *metric =
		take (at + strlen (name) + strlen (source) + strlen (unavailable) + 3,
		      PPI_CHUNK_METRIC, id);

	metric->kind = PP_ABI_SITE_INTERVAL;
	metric->accumulator = (uint8_t) accumulator;
	metric->sample_type = PP_ABI_SAMPLE_INT;
	metric->scale = 1;
	(void) put_text (metric, &at, name);
	metric->source = metric->asked = put_text (metric, &at, source);
	if (*unavailable)
		metric->unavailable = put_text (metric, &at, unavailable);
	return metric;
}

static void add_binding (uint32_t id, uint32_t metric, uint32_t site, uint32_t every)
{
	struct ppi_binding_chunk *binding = take (sizeof *binding, PPI_CHUNK_BINDING, id);

	binding->metric = metric;
	binding->site = site;
	binding->every = every;
	binding->bound = 1;
}

static struct ppi_shard *add_shard (uint32_t binding, uint32_t thread, uint64_t series)
{
	struct ppi_series_shard *shard =
		take (series ? sizeof *shard + series * 8 : sizeof (struct ppi_shard),
		      PPI_CHUNK_SHARD, binding);

	shard->shard.thread = thread;
	if (series)
		shard->size = series;
	return &shard->shard;
}

static void add_samples (void)
{
	struct ppi_shard *first = add_shard (1, 1001, 4), *second = add_shard (1, 0, 4),
			 *frame = add_shard (2, 1001, 4);
	struct ppi_shard *rays = add_shard (3, 1001, 0), *faults = add_shard (4, 1001, 0);

	/*
	 * pixel times: 1 … 6 ms in a window of 4, and 10 ms in a thread that ended; one tick is a
	 * microsecond
	 */
	for (int64_t i = 1; i <= 6; i++)
		ppi_accumulate_int (first, PPI_BOUNDED_SERIES, 1000 * i, (uint64_t) (100 * i));
	ppi_accumulate_int (second, PPI_BOUNDED_SERIES, 10000, 50);
	ppi_accumulate_int (frame, PPI_BOUNDED_SERIES, 2500000, 1000);
	for (int64_t i = 1; i <= 5; i++)
		ppi_accumulate_int (rays, PPI_SUMCOUNT, 20 * i, (uint64_t) i);
	ppi_accumulate_int (faults, PPI_STATS, 3, 1);
	ppi_accumulate_int (faults, PPI_STATS, 5, 2);
}

/* slow_pixel's, of two threads: at all checks 60 rays on average, over 2 times 120 */
static void add_sweep (uint32_t thread)
{
	struct ppi_sweep_chunk *sweep =
		take (sizeof *sweep + 2 * sizeof sweep->contrast[0], PPI_CHUNK_SWEEP, 1);

	sweep->thread = thread;
	sweep->thresholds = 2;
	sweep->captures = 1;
	sweep->checks = 100;
	sweep->threshold[0] = 1.25;
	sweep->threshold[1] = 2;
	sweep->violations[0] = 24;
	sweep->violations[1] = 5;
	/* 60 on average: 90 at the 24, 120 at five of those */
	for (int i = 0; i < 100; i++) {
		int violates = i % 4 == 3 && i != 99, far = i % 20 == 19 || i == 3;
		double rays = !violates        ? (6000 - 24 * 90) / 76.0
			      : far && i != 99 ? 120
					       : (24 * 90 - 5 * 120) / 19.0;

		ppi_contrast_add (&sweep->contrast[0], violates, rays, 1);
		ppi_contrast_add (&sweep->contrast[1], violates && far, rays, 1);
	}
}

static void add_assertion (void)
{
	static const char name[] = "slow_pixel";
	static const char expression[] = "pixel_time.last <= 1.25 * pixel_time.avg";
	size_t at = offsetof (struct ppi_assertion_chunk, name), captures;
	struct ppi_assertion_chunk *assertion = take (512, PPI_CHUNK_ASSERTION, 1);
	struct ppi_capture_entry *capture;

	assertion->state = PP_STATE_FIRING;
	assertion->checks = 200;
	assertion->passes = 150;
	assertion->violations = 48;
	assertion->unknowns = 2;
	assertion->fired = 3;
	assertion->cleared = 2;
	assertion->left = 0.006;
	assertion->severity = PP_SEVERITY_ERROR;
	assertion->right = 0.005;
	assertion->first_ns = START_NS + NS_PER_S / 2;
	assertion->last_ns = START_NS + 3 * NS_PER_S;
	assertion->since_ns = assertion->fired_ns = START_NS + 2 * NS_PER_S;
	(void) put_text (assertion, &at, name);
	assertion->site = SAMPLE_SITE_PIXEL;
	assertion->expression = put_text (assertion, &at, expression);
	captures = (at + 7) & ~(size_t) 7;
	assertion->capture = (uint32_t) captures;
	assertion->captures = 1;
	capture = (void *) ((char *) assertion + captures);
	/* 90 at violations, 60 at all checks */
	*capture = (struct ppi_capture_entry){.metric = SAMPLE_METRIC_RAYS};
	for (int i = 0; i < 198; i++)
		ppi_contrast_add (&capture->contrast, i % 4 == 3 && i < 192,
				  i % 4 == 3 && i < 192 ? 90 : 50.4, 1);
}

static void add_entry (uint32_t kind, uint64_t ns, const char *name, const char *text, double from,
		       double to)
{
	size_t at = offsetof (struct ppi_history_chunk, text);
	struct ppi_history_chunk *entry =
		take (at + strlen (name) + strlen (text) + 2, PPI_CHUNK_HISTORY, ++n_entries);

	entry->kind = kind;
	entry->thread = 1001;
	entry->ns = START_NS + ns;
	entry->value[0] = from;
	entry->value[1] = to;
	(void) put_text (entry, &at, name);
	(void) put_text (entry, &at, text);
}

static void add_knob (void)
{
	size_t at = offsetof (struct ppi_knob_chunk, name);
	struct ppi_knob_chunk *knob = take (at + 16, PPI_CHUNK_KNOB, 1);

	knob->turned = 2;
	knob->value = 2;
	knob->initial = 4;
	knob->min = 1;
	knob->max = 8;
	(void) put_text (knob, &at, "antialias");
}

/* Of a knob of words, after it */
static void add_adapt (void)
{
	static const double mean[] = {0.004, 0.0004};
	size_t at = offsetof (struct ppi_knob_chunk, name);
	struct ppi_knob_chunk *knob = take (at + 64, PPI_CHUNK_KNOB, 2);
	struct ppi_adapt_chunk *adapt;

	knob->value = 1;
	knob->turned = 5;
	(void) put_text (knob, &at, "algorithm");
	knob->words = put_text (knob, &at, "bubble, merge");
	at = sizeof *adapt + 2 * sizeof adapt->variant[0];
	adapt = take (at + 64, PPI_CHUNK_ADAPT, 1);
	adapt->state = PP_ADAPT_SETTLED;
	adapt->variants = 2;
	adapt->best = adapt->current = 1;
	adapt->seconds = 1;
	adapt->windows = 14;
	adapt->settled = 1;
	for (int i = 0; i < 2; i++) {
		adapt->variant[i].value = i;
		adapt->variant[i].mean = mean[i];
		adapt->variant[i].margin = mean[i] / 10;
		adapt->variant[i].windows = 7;
		adapt->variant[i].out = i == 0;
	}
	adapt->knob = put_text (adapt, &at, "algorithm");
	adapt->objective = put_text (adapt, &at, "sorting.avg");
}

static void add_metrics (void)
{
	struct ppi_metric_chunk *time =
		add_metric (SAMPLE_METRIC_TIME, "pixel_time", PPI_BOUNDED_SERIES, "elapsed", "");

	time->scale = 1e-6;
	time->unit = PPI_UNIT_SECONDS;
	time->size = 4;
	add_metric (SAMPLE_METRIC_RAYS, "shadow_rays", PPI_SUMCOUNT, "value", "")->kind =
		PP_ABI_SITE_POINT;
	(void) add_metric (SAMPLE_METRIC_FAULTS, "faults", PPI_STATS, "page_faults", "");
	(void) add_metric (SAMPLE_METRIC_L1, "l1_misses", PPI_STATS, "papi:PAPI_L1_DCM",
			   "this machine has no hardware counters");
}

size_t sample_region_make (void *region)
{
	header = region;
	n_entries = 0;
	memcpy (header->magic, PPI_RECORDING_MAGIC, sizeof header->magic);
	header->version = PPI_RECORDING_VERSION;
	header->header_bytes =
		(sizeof *header + PPI_CHUNK_ALIGN - 1) & ~(uint32_t) (PPI_CHUNK_ALIGN - 1);
	header->used = header->header_bytes;
	header->limit = SAMPLE_REGION_BYTES;
	header->pid = 4711;
	header->state = PPI_RECORDING_FINISHED;
	header->start_realtime_ns = UINT64_C (1700000000) * NS_PER_S;
	header->start_ns = START_NS;
	header->now_ns = START_NS + 4 * NS_PER_S;
	header->now_ticks = 4000000;
	header->seconds_per_tick = 1e-6;
	header->drops[PP_DROP_LONGJMP] = 7;
	strcpy (header->program, "/usr/bin/render");
	add_site (SAMPLE_SITE_PIXEL, "render!trace.c:trace_pixel/i1", PP_ABI_SITE_INTERVAL, 42, 3);
	add_site (SAMPLE_SITE_FRAME, "render!frame.c:render_frame/frame", PP_ABI_SITE_INTERVAL, 7,
		  1);
	add_metrics ();
	add_binding (1, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, 1);
	add_binding (2, SAMPLE_METRIC_TIME, SAMPLE_SITE_FRAME, 1);
	add_binding (3, SAMPLE_METRIC_RAYS, SAMPLE_SITE_PIXEL, 1);
	add_binding (4, SAMPLE_METRIC_FAULTS, SAMPLE_SITE_FRAME, 16);
	add_samples ();
	add_assertion ();
	add_sweep (1);
	add_sweep (2);
	add_knob ();
	add_adapt ();
	add_entry (PPI_HISTORY_POLICY, 0, "render.yaml", "loaded", 0, 0);
	add_entry (PPI_HISTORY_FIRE, NS_PER_S / 2, "slow_pixel",
		   "pixel_time.last <= 1.25 * pixel_time.avg", 0.006, 0.005);
	add_entry (PPI_HISTORY_KNOB, NS_PER_S, "antialias", "", 4, 2);
	return header->used;
}

int sample_region_write (const void *region, size_t bytes, const char *path)
{
	int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static _Alignas(64) char sealed[SAMPLE_REGION_BYTES];
	struct ppi_region_header *copy = (void *) sealed;
	ssize_t n;

	if (fd < 0)
		return -1;
	memcpy (sealed, region, bytes);
	/* of a region that is being written there is no checksum */
	if (bytes >= sizeof *copy && copy->state != PPI_RECORDING_LIVE && copy->used == bytes)
		ppi_recording_seal (copy, bytes);
	n = write (fd, sealed, bytes);
	return close (fd) == 0 && n == (ssize_t) bytes ? 0 : -1;
}

int sample_region_record (const void *region, const char *path)
{
	const struct ppi_region_header *from = region;
	struct ppi_run run = {.host = "host", .header = *from};
	int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), e;
	struct ppi_writer writer;

	if (fd < 0 || ppi_writer_open (&writer, fd, 0) < 0)
		return -1;
	run.header.state = PPI_RECORDING_LIVE;
	e = ppi_writer_run (&writer, &run);
	if (e == 0)
		e = ppi_writer_update (&writer, region, from->used, from, false);
	if (e == 0 && from->state != PPI_RECORDING_LIVE)
		e = ppi_writer_finish (&writer, from->state, from->now_ns);
	ppi_writer_close (&writer);
	return close (fd) == 0 && e == 0 ? 0 : -1;
}
