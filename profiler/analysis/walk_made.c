/* SPDX-License-Identifier: MIT */
/* walk_made.c: see walk_made.h. */
#include "profiler/analysis/walk_made.h"

#include <inttypes.h>
#include <math.h>
#include <pp_analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many records may an outermost one have in it. */
#define HELD_MOST (UINT32_C (4) << 20)

/* Records as one dimension sees them, by their places. */
struct seen {
	struct pp_analysis_record *record;
	struct pp_analysis_value *value; /* n_uses of each */
	uint32_t room;
};

struct ppi_making {
	const struct ppi_query_source *source;
	struct ppi_terms *terms;
	const struct ppi_walker *walker;
	const struct ppi_made *made;
	uint32_t n_made;
	struct seen *seen; /* of each that is made; of what is held the first serves all */
	char *why;
	size_t why_room;
	/* what is held: by numbers from 1, in the order in which they come */
	struct ppi_nest held;
	double *own;
	uint32_t n, held_room;
	uint32_t *at; /* numbers, by places of the walk */
	uint32_t at_room;
	/* what the walker is told of */
	struct ppi_nest shown;
	uint32_t shown_room;
};

/* ---- one record ------------------------------------------------------------------------------ */

/* There is room for places up to PLACE; those that were there keep what they have. */
static bool see (struct seen *seen, uint32_t n_uses, uint32_t place)
{
	uint32_t more = seen->room ? seen->room : 64;
	struct pp_analysis_record *record;
	struct pp_analysis_value *value;

	if (place < seen->room)
		return true;
	while (more <= place)
		more *= 2;
	record = reallocarray (seen->record, more, sizeof *record);
	if (!record)
		return false;
	for (uint32_t i = 0; i < seen->room; i++)
		/* what is not held nests: what is around a record has the place before it */
		if (record[i].parent)
			record[i].parent = &record[i - 1];
	seen->record = record;
	value = reallocarray (seen->value, (size_t) more * (n_uses + 1), sizeof *value);
	if (!value)
		return false;
	seen->value = value;
	for (uint32_t i = 0; i < seen->room; i++)
		record[i].value = value + (size_t) i * n_uses;
	memset (record + seen->room, 0, (more - seen->room) * sizeof *record);
	seen->room = more;
	return true;
}

/* What MADE sees of the record at PLACE of NEST, descendants aside. */
static void fill (const struct ppi_making *m, const struct ppi_made *made, struct seen *seen,
		  const struct ppi_nest *nest, uint32_t place, double own_ns)
{
	const struct ppi_record_frame *frame = &nest->frame[place];
	struct pp_analysis_value *value = seen->value + (size_t) place * made->n_uses;

	for (uint32_t i = 0; i < made->n_uses; i++)
		ppi_terms_give (m->terms, ppi_terms_value (m->terms, made->use[i], nest, place),
				&value[i]);
	seen->record[place] = (struct pp_analysis_record){
		.event = ppi_terms_text (m->terms, frame->event),
		.site = frame->site ? m->source->site_name (frame->site, m->source->arg) : "",
		.number = frame->sequence,
		.thread = frame->thread,
		.depth = frame->depth,
		.is_point = frame->is_point,
		.is_span = frame->is_span,
		.begin_ns = frame->begin_ns,
		.time_ns = frame->time_ns,
		.self_ns = own_ns,
		.value = value,
		.parent = frame->up ? &seen->record[frame->up] : NULL,
	};
}

/* Works out number K of what is made, into its slot. */
static bool make (struct ppi_making *m, uint32_t k, const struct seen *seen,
		  const struct ppi_nest *nest, uint32_t place)
{
	struct pp_analysis_value value = {.type = PP_ANALYSIS_MISSING};
	const char *wrong;

	m->made[k].dimension->of (&seen->record[place], &value);
	wrong = ppi_terms_take (m->terms, &value,
				&nest->slot[(size_t) (place + 1) * nest->n_slots - m->n_made + k]);
	if (wrong)
		snprintf (m->why, m->why_room, "%s of %s %s", m->made[k].dimension->name,
			  m->made[k].plugin, wrong);
	return !wrong;
}

/* ---- what sees what is around it ------------------------------------------------------------- */

static bool make_all (struct ppi_making *m, const struct ppi_nest *nest, uint32_t place,
		      double own_ns)
{
	for (uint32_t k = 0; k < m->n_made; k++) {
		if (!see (&m->seen[k], m->made[k].n_uses, place))
			return false;
		fill (m, &m->made[k], &m->seen[k], nest, place, own_ns);
		if (!make (m, k, &m->seen[k], nest, place))
			return false;
	}
	return true;
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct ppi_making *m = arg;

	return make_all (m, nest, place, (double) NAN) &&
	       m->walker->begin (nest, place, m->walker->arg);
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct ppi_making *m = arg;

	return m->walker->end (nest, place, own_ns, m->walker->arg);
}

/* ---- what is held ---------------------------------------------------------------------------- */

/* NEST has room for places up to PLACE. */
static bool reach (struct ppi_nest *nest, uint32_t *room, uint32_t place)
{
	uint32_t more = *room ? *room : 64;
	struct ppi_record_frame *frame;
	struct ppi_value *slot;

	if (place < *room)
		return true;
	while (more <= place)
		more *= 2;
	frame = reallocarray (nest->frame, more, sizeof *frame);
	if (!frame)
		return false;
	nest->frame = frame;
	slot = reallocarray (nest->slot, (size_t) more * nest->n_slots, sizeof *slot);
	if (!slot)
		return false;
	nest->slot = slot;
	*room = more;
	return true;
}

static void copy (struct ppi_nest *to, uint32_t to_place, const struct ppi_nest *from,
		  uint32_t place, uint32_t up)
{
	to->frame[to_place] = from->frame[place];
	to->frame[to_place].up = up;
	memcpy (to->slot + (size_t) to_place * to->n_slots,
		from->slot + (size_t) place * from->n_slots, from->n_slots * sizeof *to->slot);
}

static bool hold (struct ppi_making *m, const struct ppi_nest *nest, uint32_t place)
{
	uint32_t room = m->held_room, more = m->at_room ? 2 * m->at_room : 64, *at;
	double *own;

	if (m->n == HELD_MOST) {
		snprintf (m->why, m->why_room,
			  "a record has more than %" PRIu32 " others in it: too many for a plug-in "
			  "that sees descendants",
			  HELD_MOST);
		return false;
	}
	m->held.n_slots = nest->n_slots;
	if (place >= m->at_room) {
		at = reallocarray (m->at, more, sizeof *at);
		if (!at)
			return false;
		m->at = at;
		m->at_room = more;
	}
	if (!reach (&m->held, &m->held_room, m->n + 1))
		return false;
	if (m->held_room != room) {
		own = reallocarray (m->own, m->held_room, sizeof *own);
		if (!own)
			return false;
		m->own = own;
	}
	m->at[place] = ++m->n;
	copy (&m->held, m->n, nest, place,
	      nest->frame[place].up ? m->at[nest->frame[place].up] : 0);
	return true;
}

/* All that is held, by dimension K: what is inside comes behind, the latest first. */
static bool make_held (struct ppi_making *m, uint32_t k)
{
	struct seen *seen = &m->seen[k];

	if (!see (seen, m->made[k].n_uses, m->n))
		return false;
	for (uint32_t i = 1; i <= m->n; i++) {
		uint32_t up = m->held.frame[i].up;

		fill (m, &m->made[k], seen, &m->held, i, m->own[i]);
		if (up) {
			seen->record[i].next = seen->record[up].first;
			seen->record[up].first = &seen->record[i];
		}
	}
	for (uint32_t i = 1; i <= m->n; i++)
		if (!make (m, k, seen, &m->held, i))
			return false;
	return true;
}

/* Ends what is open in the walker's nest beyond DEPTH places; M->AT has their numbers. */
static bool leave_to (struct ppi_making *m, uint32_t *top, uint32_t depth)
{
	for (; *top > depth; --*top)
		if (!m->walker->end (&m->shown, *top, m->own[m->at[*top]], m->walker->arg))
			return false;
	return true;
}

static bool show_held (struct ppi_making *m)
{
	uint32_t top = 0;

	m->shown.n_slots = m->held.n_slots;
	for (uint32_t i = 1; i <= m->n; i++) {
		uint32_t place = m->held.frame[i].depth + 1;

		if (!leave_to (m, &top, place - 1) || !reach (&m->shown, &m->shown_room, place))
			return false;
		top = place;
		m->at[place] = i;
		copy (&m->shown, place, &m->held, i, place - 1);
		if (!m->walker->begin (&m->shown, place, m->walker->arg))
			return false;
	}
	return leave_to (m, &top, 0);
}

static bool held_begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	/* a span waits for its end, which comes at once */
	return !place || hold (arg, nest, place);
}

static bool held_ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct ppi_making *m = arg;
	bool ok = true;

	if (!place)
		return make_all (m, nest, 0, own_ns) &&
		       m->walker->begin (nest, 0, m->walker->arg) &&
		       m->walker->end (nest, 0, own_ns, m->walker->arg);
	m->own[m->at[place]] = own_ns;
	m->held.frame[m->at[place]].inner_ns = nest->frame[place].inner_ns;
	if (place > 1)
		return true;
	for (uint32_t k = 0; ok && k < m->n_made; k++)
		ok = make_held (m, k);
	ok = ok && show_held (m);
	m->n = 0;
	return ok;
}

/* ---- both ------------------------------------------------------------------------------------ */

struct ppi_making *ppi_making_begin (const struct ppi_query_source *source, struct ppi_terms *terms,
				     const struct ppi_walker *walker, struct ppi_walker *in,
				     char *why, size_t room)
{
	struct ppi_making *m = calloc (1, sizeof *m);
	bool is_held = false;

	if (!m)
		return NULL;
	m->source = source;
	m->terms = terms;
	m->walker = walker;
	m->made = ppi_terms_made (terms, &m->n_made);
	m->why = why;
	m->why_room = room;
	m->seen = calloc (m->n_made, sizeof *m->seen);
	for (uint32_t k = 0; k < m->n_made; k++)
		is_held |= m->made[k].dimension->flags & PP_ANALYSIS_DESCENDANTS;
	*in = is_held ? (struct ppi_walker){held_begins, held_ends, m}
		      : (struct ppi_walker){begins, ends, m};
	if (m->seen)
		return m;
	free (m);
	return NULL;
}

void ppi_making_end (struct ppi_making *m)
{
	if (!m)
		return;
	for (uint32_t k = 0; k < m->n_made; k++) {
		free (m->seen[k].record);
		free (m->seen[k].value);
	}
	free (m->seen);
	free (m->held.frame);
	free (m->held.slot);
	free (m->shown.frame);
	free (m->shown.slot);
	free (m->own);
	free (m->at);
	free (m);
}
