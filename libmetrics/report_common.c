/* SPDX-License-Identifier: MIT */
/* report_common.c: what reports as text and as JSON share: names, units, shares. */
#include "report.h"

#include "process.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct prefix {
	double factor;
	const char *text;
};

/* 1.5e-3 → "1.50 ms"; the last prefix also takes what is smaller than all */
static const struct prefix times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {0, NULL}};
static const struct prefix sizes[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"},
				      {0x1p10, "KiB"}, {1, "B"},        {0, NULL}};

/* Three digits, more only where an integer has them. */
static void put_number (double value, char *out, size_t room)
{
	double size = fabs (value);

	if (size >= 1e15 || (size > 0 && size < 1e-3))
		snprintf (out, room, "%.3g", value);
	else if (value == floor (value) || size >= 100)
		snprintf (out, room, "%.0f", value);
	else
		snprintf (out, room, "%.*f", size >= 10 ? 1 : size >= 1 ? 2 : 3, value);
}

static void put_prefixed (double value, const struct prefix *prefix, char *out, size_t room)
{
	/* 0.9995 of a prefix is rounded up to 1 of it */
	while (prefix[1].text && fabs (value) < prefix->factor * 0.9995)
		prefix++;
	value /= prefix->factor;
	/* nothing of the kind was measured, but nobody wants three hundred digits of it */
	if (fabs (value) >= 1e9)
		snprintf (out, room, "%.3g %s", value, prefix->text);
	else if (fabs (value) >= 100)
		snprintf (out, room, "%.0f %s", value, prefix->text);
	else
		snprintf (out, room, "%.*f %s", fabs (value) >= 10 ? 1 : 2, value, prefix->text);
}

const char *ppi_report_quantity (double value, enum ppi_unit unit, int power, char *out, size_t room)
{
	if (isnan (value))
		snprintf (out, room, "-");
	else if (isinf (value))
		snprintf (out, room, "%s", value > 0 ? "inf" : "-inf");
	else if (value == 0 && power == 1 && unit != PPI_UNIT_PLAIN)
		snprintf (out, room, "0 %s", ppi_unit_symbol (unit));
	else if (power == 1 && unit == PPI_UNIT_SECONDS)
		put_prefixed (value, times, out, room);
	else if (power == 1 && unit == PPI_UNIT_BYTES)
		put_prefixed (value, sizes, out, room);
	else
		put_number (value, out, room);
	return out;
}

double ppi_report_resolution (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);

	/* a scale of its own: it does not come from the clock that markers read */
	return metric && metric->unit == PPI_UNIT_SECONDS && metric->scale == 0
		       ? (double) header->resolution_ticks * header->seconds_per_tick
		       : 0;
}

const char *ppi_report_measured (double value, const struct ppi_metric_chunk *metric, int power, double resolution,
				 char *out, size_t room)
{
	char limit[40];

	if (power != 1 || !(value >= 0 && value < resolution))
		return ppi_report_quantity (value, metric->unit, power, out, room);
	if (resolution < 1e-6)
		snprintf (out, room, "< %.0f ns", ceil (resolution * 1e9 - 1e-6));
	else
		snprintf (out, room, "< %s",
			  ppi_report_quantity (resolution, PPI_UNIT_SECONDS, 1, limit, sizeof limit));
	return out;
}

const char *ppi_report_dimensioned (double value, int seconds, int bytes, char *out, size_t room)
{
	size_t used;

	if (isnan (value) || isinf (value) || (!seconds && !bytes))
		return ppi_report_quantity (value, PPI_UNIT_PLAIN, 1, out, room);
	if (seconds == 1 && !bytes)
		return ppi_report_quantity (value, PPI_UNIT_SECONDS, 1, out, room);
	if (bytes == 1 && !seconds)
		return ppi_report_quantity (value, PPI_UNIT_BYTES, 1, out, room);
	used = (size_t) snprintf (out, room, "%.4g", value);
	if (bytes && used < room)
		used += (size_t) snprintf (out + used, room - used, bytes == 1 ? " B" : " B^%d", bytes);
	if (seconds && used < room)
		used += (size_t) snprintf (out + used, room - used, seconds == -1 ? "%s/s" : "%ss",
					   bytes && seconds == -1 ? "" : " ");
	if (seconds && seconds != 1 && seconds != -1 && used < room)
		snprintf (out + used, room - used, "^%d", seconds);
	return out;
}

/* The dimension of a composite metric is that of its figure. */
const char *ppi_report_of_metric (const struct ppi_recording *recording, uint32_t id, double value, char *out,
				  size_t room)
{
	const struct ppi_metric_chunk *metric = ppi_recording_find (recording, PPI_CHUNK_METRIC, id);
	const struct ppi_figure_chunk *f = NULL;

	while (metric && !metric->kind && (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f)))
		if (f->chunk.id == id && !*f->name)
			return ppi_report_dimensioned (value, f->seconds, f->bytes, out, room);
	if (!metric)
		return ppi_report_quantity (value, PPI_UNIT_PLAIN, 1, out, room);
	return ppi_report_measured (value, metric, 1, ppi_report_resolution (recording, metric), out, room);
}

double ppi_report_seconds (const struct ppi_region_header *header, uint64_t ns)
{
	return ((double) ns - (double) header->start_ns) * 1e-9;
}

const char *ppi_report_state (const struct ppi_region_header *header)
{
	if (header->state == PPI_RECORDING_FINISHED)
		return "complete";
	if (header->state == PPI_RECORDING_LEFT)
		return "left by a process that died; every finished sample is in it";
	switch (ppi_process_presence (header->pid, &header->who)) {
	case PPI_PROCESS_RUNS:
		return "being written: its process runs";
	case PPI_PROCESS_GONE:
		return "as of the last copy before its process died";
	default:
		return "as of the last copy; whether its process runs is not known here";
	}
}

const char *ppi_report_knob_value (const struct ppi_knob_chunk *knob, double value, char *out, size_t room)
{
	const char *words = knob->words ? (const char *) knob + knob->words : NULL;

	/* what a damaged file has for a value need fit no integer */
	if (!(value >= 0 && value < 1e6) || !ppi_word_at (words, (int64_t) value, out, room))
		snprintf (out, room, "%.6g", value);
	return out;
}

const char *ppi_event_name (enum ppi_event_kind kind)
{
	static const char *const names[] = {
		[PPI_EVENT_FIRE] = "fire",         [PPI_EVENT_CLEAR] = "clear",   [PPI_EVENT_KNOB] = "knob",
		[PPI_EVENT_BIND] = "bind",         [PPI_EVENT_UNBIND] = "unbind", [PPI_EVENT_LOG] = "log",
		[PPI_EVENT_POLICY] = "policy",     [PPI_EVENT_MARK] = "mark",     [PPI_EVENT_ADAPT] = "adapt",
		[PPI_EVENT_INVESTIGATE] = "found", [PPI_EVENT_BUDGET] = "budget", [PPI_EVENT_MESSAGE] = "said",
	};

	return (unsigned) kind < sizeof names / sizeof names[0] && names[kind] ? names[kind] : "?";
}

const char *ppi_way_name (uint32_t way)
{
	static const char *const names[] = {[PPI_WAY_NONE] = "unbound",
					    [PPI_WAY_PLAIN] = "plain",
					    [PPI_WAY_LIGHT] = "light",
					    [PPI_WAY_QUICK] = "quick",
					    [PPI_WAY_GENERAL] = "general"};

	return way < sizeof names / sizeof names[0] ? names[way] : "?";
}

const char *ppi_adapt_state_name (unsigned state)
{
	static const char *const names[] = {[PP_ADAPT_EXPLORING] = "exploring",
					    [PP_ADAPT_SETTLED] = "settled",
					    [PP_ADAPT_WAITING] = "waiting",
					    [PPI_ADAPT_ENDED] = "ended"};

	return state < sizeof names / sizeof names[0] ? names[state] : "?";
}

const char *ppi_adapt_value (const struct ppi_recording *recording, const struct ppi_adapt_chunk *adapt,
			     uint32_t variant, char *out, size_t room)
{
	const char *name = ppi_chunk_text (adapt, adapt->knob);

	for (const struct ppi_knob_chunk *k = NULL; (k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k));)
		if (strcmp (k->name, name) == 0)
			return ppi_report_knob_value (k, adapt->variant[variant].value, out, room);
	snprintf (out, room, "%.6g", adapt->variant[variant].value);
	return out;
}

const char *ppi_state_name (enum pp_state state)
{
	static const char *const names[] = {[PP_STATE_OK] = "ok",
					    [PP_STATE_PENDING] = "pending",
					    [PP_STATE_FIRING] = "firing",
					    [PP_STATE_UNKNOWN] = "unknown"};

	return (unsigned) state < sizeof names / sizeof names[0] ? names[state] : "?";
}

const char *ppi_severity_name (enum pp_severity severity)
{
	static const char *const names[] = {[PP_SEVERITY_INFO] = "info",
					    [PP_SEVERITY_WARNING] = "warning",
					    [PP_SEVERITY_ERROR] = "error",
					    [PP_SEVERITY_CRITICAL] = "critical"};

	return (unsigned) severity < sizeof names / sizeof names[0] ? names[severity] : "?";
}

const char *ppi_report_drop_name (enum pp_drop cause)
{
	static const char *const names[PP_DROPS] = {
		[PP_DROP_LONGJMP] = "longjmp", [PP_DROP_DISABLED] = "disabled", [PP_DROP_UNMATCHED] = "unmatched",
		[PP_DROP_DEPTH] = "depth",     [PP_DROP_POOL] = "pool",         [PP_DROP_FORK] = "fork",
		[PP_DROP_SIGNAL] = "signal",   [PP_DROP_UNKNOWN] = "unknown",   [PP_DROP_UNAVAILABLE] = "unavailable",
		[PP_DROP_SPAN] = "span",       [PP_DROP_TORN] = "torn",         [PP_DROP_HISTORY] = "history",
	};

	return (unsigned) cause < PP_DROPS ? names[cause] : "?";
}

const struct ppi_capture_entry *ppi_capture_entries (const struct ppi_assertion_chunk *assertion)
{
	return (const void *) ((const char *) assertion + assertion->capture);
}

void ppi_capture_tell (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion,
		       const struct ppi_capture_entry *entry, struct ppi_contrast_result *out)
{
	const struct ppi_contrast *c = &entry->contrast;
	bool is_known = c->unknown_violating + c->unknown_other <= 0;
	uint64_t held = assertion->passes + ppi_recording_quick_passes (recording, assertion);

	ppi_contrast_tell (c, is_known ? (double) held : NAN, out);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

static bool add_thread (struct ppi_sweep *out, const struct ppi_sweep_chunk *s)
{
	uint32_t contrasts = s->thresholds * s->captures;

	if (!out->contrast) {
		out->contrast = calloc (contrasts + 1, sizeof *out->contrast);
		if (!out->contrast)
			return false;
		out->thresholds = s->thresholds;
		out->captures = s->captures;
		memcpy (out->threshold, s->threshold, sizeof out->threshold);
	}
	if (s->thresholds != out->thresholds || s->captures != out->captures)
		return true;
	out->checks += s->checks;
	for (uint32_t i = 0; i < s->thresholds; i++)
		out->violations[i] += s->violations[i];
	for (uint32_t i = 0; i < contrasts; i++)
		ppi_contrast_merge (&out->contrast[i], &s->contrast[i]);
	return true;
}

bool ppi_report_sweep (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion,
		       struct ppi_sweep *out)
{
	memset (out, 0, sizeof *out);
	for (const struct ppi_sweep_chunk *s = NULL; (s = ppi_recording_next (recording, PPI_CHUNK_SWEEP, s));)
		if (s->chunk.id == assertion->chunk.id && s->captures <= assertion->captures && !add_thread (out, s))
			return false;
	return out->contrast != NULL;
}

void ppi_sweep_tell (const struct ppi_sweep *sweep, uint32_t threshold, uint32_t capture,
		     struct ppi_contrast_result *out)
{
	ppi_contrast_tell (&sweep->contrast[threshold * sweep->captures + capture], NAN, out);
}

double ppi_violation_share (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	uint64_t passes = assertion->passes + ppi_recording_quick_passes (recording, assertion);
	double known = (double) passes + (double) assertion->violations;

	return known > 0 ? (double) assertion->violations / known : NAN;
}

const char *ppi_report_metric_name (const struct ppi_recording *recording, uint32_t id)
{
	const struct ppi_metric_chunk *metric = ppi_recording_find (recording, PPI_CHUNK_METRIC, id);

	return metric ? metric->name : "?";
}

const char *ppi_report_site_name (const struct ppi_recording *recording, uint32_t id)
{
	const struct ppi_site_chunk *site = ppi_recording_find (recording, PPI_CHUNK_SITE, id);

	return site ? site->name : "?";
}

uint32_t ppi_report_every (const struct ppi_recording *recording, uint32_t metric, uint32_t site)
{
	uint32_t every = 0;

	for (const struct ppi_binding_chunk *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (b->metric == metric && b->site == site) {
			uint32_t one = b->every ? b->every : 1;

			every = one > every ? one : every;
		}
	return every;
}

int ppi_report_room (FILE *out)
{
	struct winsize size;
	int file = fileno (out);

	return file >= 0 && isatty (file) && ioctl (file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
												     : INT_MAX;
}

const char *ppi_report_short_site (const struct ppi_recording *recording, const char *site, bool with_file)
{
	const char *name = ppi_report_short_name (site, with_file);

	for (const struct ppi_site_chunk *s = NULL; (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s));)
		if (strcmp (s->name, site) != 0 && strcmp (ppi_report_short_name (s->name, with_file), name) == 0)
			return with_file ? site : ppi_report_short_site (recording, site, true);
	return name;
}

const char *ppi_report_short_name (const char *site, bool with_file)
{
	const char *module = strchr (site, '!'), *file = module ? module + 1 : site, *colon = strchr (file, ':');
	const char *name = file;

	if (colon && !with_file)
		return colon + 1;
	for (const char *p = file; colon && p < colon; p++)
		if (*p == '/')
			name = p + 1;
	return name;
}
