/* SPDX-License-Identifier: MIT */
/* names.c: names of what is in a recording; see names.h. */
#include "recording/names.h"

#include "base/chunk.h"
#include "recording/event.h"
#include "recording/layout.h"
#include "recording/read.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* How policies note in the history what they wait for (assertions/load/late.c). */
#define PENDING "pending: no "
#define SITE "site matches "
#define FOUND "found: "

const char *ppi_history_name (enum ppi_history_kind kind)
{
	static const char *const names[PPI_HISTORY_KINDS] = {
#define X(id, number, name) [PPI_HISTORY_##id] = name,
		PPI_HISTORY (X)
#undef X
	};

	return (unsigned) kind < PPI_HISTORY_KINDS && names[kind] ? names[kind] : "?";
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

const char *ppi_report_metric_name (const struct ppi_recording *recording, uint32_t id)
{
	const struct ppi_metric_chunk *metric =
		ppi_recording_find (recording, PPI_CHUNK_METRIC, id);

	return metric ? metric->name : "?";
}

const struct ppi_capture_entry *ppi_captures_of (const struct ppi_assertion_chunk *assertion)
{
	return (const void *) ((const char *) assertion + assertion->capture);
}

const char *ppi_captured_text (const struct ppi_assertion_chunk *assertion, uint32_t i)
{
	const struct ppi_capture_entry *entry = ppi_captures_of (assertion);

	return entry[i].text ? (const char *) entry + entry[i].text : NULL;
}

const char *ppi_captured_name (const struct ppi_recording *recording,
			       const struct ppi_assertion_chunk *assertion, uint32_t i)
{
	const char *text = ppi_captured_text (assertion, i);

	return text ? text
		    : ppi_report_metric_name (recording, ppi_captures_of (assertion)[i].metric);
}

const char *ppi_report_site_name (const struct ppi_recording *recording, uint32_t id)
{
	const struct ppi_site_chunk *site = ppi_recording_find (recording, PPI_CHUNK_SITE, id);

	return site ? site->name : "?";
}

uint32_t ppi_report_every (const struct ppi_recording *recording, uint32_t metric, uint32_t site)
{
	uint32_t every = 0;

	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (b->metric == metric && b->site == site) {
			uint32_t one = b->every ? b->every : 1;

			every = one > every ? one : every;
		}
	return every;
}

const char *ppi_recorded_text (const struct ppi_recording *recording, uint64_t number)
{
	uint64_t at = number - 1;
	const struct ppi_texts_chunk *chunk =
		number && at < (uint64_t) PPI_TEXTS_CHUNKS * PPI_TEXTS_OF_CHUNK
			? ppi_recording_find (recording, PPI_CHUNK_TEXTS,
					      (uint32_t) (at / PPI_TEXTS_OF_CHUNK) + 1)
			: NULL;
	uint32_t offset = chunk ? (uint32_t) chunk->place[at % PPI_TEXTS_OF_CHUNK] : 0;

	return offset ? ppi_chunk_text (chunk, offset) : "(unknown)";
}

bool ppi_recorded_events (const struct ppi_recording *recording)
{
	const struct ppi_texts_chunk *chunk = NULL;
	struct ppi_event_text event, key[PPI_EVENT_DIMS];
	struct ppi_event_shape shape;
	bool is = ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, NULL) != NULL;

	/* what records are of is a text of that form */
	while (!is && (chunk = ppi_recording_next (recording, PPI_CHUNK_TEXTS, chunk)))
		for (uint32_t i = 0; i < PPI_TEXTS_OF_CHUNK && !is; i++) {
			uint32_t offset = (uint32_t) chunk->place[i];

			is = offset && ppi_event_shape_parse (ppi_chunk_text (chunk, offset),
							      &shape, &event, key);
		}
	return is;
}

/* Is the '/' at AT of a function, "operator/", and no border? */
static bool is_operator (const char *full, const char *at)
{
	static const char word[] = "operator";
	const size_t n = sizeof word - 1;

	return at - full >= (ptrdiff_t) n && memcmp (at - n, word, n) == 0;
}

void ppi_site_own_name (const struct ppi_site_chunk *site, char *out, size_t room)
{
	const char *full = site->name, *call = site->line ? NULL : strchr (full, '!'),
		   *at = strrchr (full, '/'), *end;
	size_t n;

	if (call) {
		snprintf (out, room, "%s", call + 1);
		return;
	}
	while (at && is_operator (full, at))
		at = memrchr (full, '/', (size_t) (at - full));
	if (!at)
		at = strchr (full, '!');
	at = at ? at + 1 : full;
	end = strrchr (at, '@');
	n = end && end > at && end[1 + strspn (end + 1, "0123456789.")] == '\0'
		    ? (size_t) (end - at)
		    : strlen (at);
	snprintf (out, room, "%.*s", n < room ? (int) n : (int) room - 1, at);
}

/* ---- what never came ------------------------------------------------------------------------- */

/* Of an entry of a policy, what is behind its name if that begins with WORD; else NULL */
static const char *behind (const struct ppi_history_chunk *e, const char *word)
{
	const char *sentence = e->text + strlen (e->text) + 1;
	size_t n = strlen (word);

	return e->kind == PPI_HISTORY_POLICY && strncmp (sentence, word, n) == 0 ? sentence + n
										 : NULL;
}

/* "metric 'x'" and "metric 'x' yet": of one kind, and one name? */
static bool is_same_name (const char *a, const char *b)
{
	const char *from = strchr (a, '\''), *to = strrchr (a, '\''), *other = strchr (b, '\'');
	size_t word = strcspn (a, " ");

	return from && other && strncmp (a, b, word + 1) == 0 &&
	       strncmp (from, other, (size_t) (to - from) + 1) == 0;
}

/*
 * Has it been found later, or the policy gone or changed? What a version of it waits for is noted
 * before it is said to be loaded.
 */
static bool is_over (const struct ppi_recording *recording, const struct ppi_history_chunk *e,
		     const char *what)
{
	const char *policy = e->text, *found;
	bool is_loaded = false;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e))) {
		if (e->kind != PPI_HISTORY_POLICY || strcmp (e->text, policy) != 0)
			continue;
		found = behind (e, FOUND);
		if ((found && is_same_name (what, found)) || behind (e, "unloaded") ||
		    (is_loaded && behind (e, "reloaded")))
			return true;
		is_loaded |= behind (e, "loaded") || behind (e, "reloaded");
	}
	return false;
}

const struct ppi_history_chunk *ppi_pending_next (const struct ppi_recording *recording,
						  const struct ppi_history_chunk *e,
						  const char **what)
{
	while ((e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e))) {
		*what = behind (e, PENDING);
		if (*what && !is_over (recording, e, *what))
			return e;
	}
	return NULL;
}

void ppi_pending_sites (const struct ppi_recording *recording, char *out, size_t room)
{
	const struct ppi_history_chunk *e = NULL;
	const char *what;
	size_t used = 0;

	*out = '\0';
	while (used < room && (e = ppi_pending_next (recording, e, &what))) {
		const char *name = strchr (what, '\''), *end = strrchr (what, '\'');

		if (name && strncmp (what, SITE, sizeof SITE - 1) == 0)
			used += (size_t) snprintf (out + used, room - used, "%s%.*s",
						   used ? ", " : "; no site matched ",
						   (int) (end - name) + 1, name);
	}
}
