/* SPDX-License-Identifier: MIT */
/*
 * flight.c: executions from the entries of a ring; see flight.h. Nothing that they say is believed.
 */
#include "profiler/analysis/flight.h"

#include <stdlib.h>
#include <string.h>

/* of an execution, at most: those of its begin, those that came later, and those of its end */
enum { VALUES = 64 };

struct reading {
	struct ppi_flown_list *list;
	uint32_t *open; /* places of what is open, the outermost first */
	uint32_t n_open;
	uint32_t last; /* whose the values that follow are; NONE: nothing's that is here */
	uint32_t
		late; /* the site whose newest that is open gets the next value; 0: the innermost */
	bool stacks;  /* begins and ends need not nest */
};

static uint32_t add (struct reading *r, enum ppi_flown_kind kind, uint32_t site, uint64_t at)
{
	struct ppi_flown_list *list = r->list;
	uint32_t parent = r->n_open ? r->open[r->n_open - 1] : PPI_FLOWN_NONE;

	if (kind == PPI_FLOWN_SPAN)
		parent = PPI_FLOWN_NONE;
	list->item[list->n] = (struct ppi_flown){.kind = kind,
						 .site = site,
						 .depth = parent == PPI_FLOWN_NONE ? 0 : r->n_open,
						 .parent = parent,
						 .at = at,
						 .value = PPI_FLOWN_NONE,
						 .values = PPI_FLOWN_NONE};
	r->last = list->n;
	return list->n++;
}

/*
 * The value that ITEM has of KEY; NULL: none. An execution has fewer than are looked at; a ring
 * that somebody made may say otherwise.
 */
static struct ppi_flown_value *find_value (const struct ppi_flown_list *list,
					   const struct ppi_flown *item, uint32_t key)
{
	uint32_t v = item->value;

	for (unsigned n = 0; v != PPI_FLOWN_NONE && n < VALUES; n++, v = list->value[v].next)
		if (list->value[v].key == key)
			return &list->value[v];
	return NULL;
}

static void add_value (struct reading *r, uint32_t of, const struct ppi_flight *e)
{
	struct ppi_flown_list *list = r->list;
	struct ppi_flown_value *former;
	struct ppi_flown *item;

	if (of == PPI_FLOWN_NONE)
		of = add (r, PPI_FLOWN_DIM, 0, 0);
	item = &list->item[of];
	former = find_value (list, item, e->number);
	if (former) {
		former->type = e->type;
		former->word = e->word;
		return;
	}
	list->value[list->n_values] =
		(struct ppi_flown_value){e->number, e->type, e->word, PPI_FLOWN_NONE};
	if (item->values == PPI_FLOWN_NONE)
		item->value = list->n_values;
	else
		list->value[item->values].next = list->n_values;
	item->values = list->n_values++;
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* How many of SITE are open, and the place among what is open of the newest. */
static uint32_t find_open (const struct reading *r, uint32_t site, uint32_t *place)
{
	uint32_t n = 0;

	for (uint32_t i = r->n_open; i-- > 0;)
		if (r->list->item[r->open[i]].site == site && !n++)
			*place = i;
	return n;
}

/* One of those of SITE has ended, and it can't be told which. */
static void make_vague (struct reading *r, uint32_t site)
{
	for (uint32_t i = 0; i < r->n_open; i++)
		if (r->list->item[r->open[i]].site == site)
			r->list->item[r->open[i]].kind = PPI_FLOWN_VAGUE;
}

static void close_item (struct reading *r, uint32_t place, uint64_t at)
{
	struct ppi_flown *item = &r->list->item[r->open[place]];

	if (item->kind == PPI_FLOWN_OPEN) {
		item->kind = PPI_FLOWN_DONE;
		item->ticks = at > item->at ? at - item->at : 0;
	}
	r->last = r->open[place];
	if (r->stacks) {
		/* what is above may be on another stack, and open still */
		memmove (&r->open[place], &r->open[place + 1],
			 (r->n_open - place - 1) * sizeof *r->open);
		r->n_open--;
		return;
	}
	while (r->n_open > place + 1)
		r->list->item[r->open[--r->n_open]].kind = PPI_FLOWN_LEFT;
	r->n_open = place;
}

static void end (struct reading *r, uint32_t site, uint64_t at, bool is_left)
{
	uint32_t place = 0, n = find_open (r, site, &place);

	if (r->stacks && n > 1)
		make_vague (r, site);
	if (n && is_left && r->list->item[r->open[place]].kind == PPI_FLOWN_OPEN)
		r->list->item[r->open[place]].kind = PPI_FLOWN_LEFT;
	if (n)
		close_item (r, place, at);
	else if (!is_left)
		add (r, PPI_FLOWN_END, site, at);
}

/* ---- entries --------------------------------------------------------------------------------- */

/*
 * What a value that came later is of; NONE: it can't be told, or its begin is older than the rest.
 */
static uint32_t of_late (const struct reading *r)
{
	uint32_t place = r->n_open - 1, n = r->late ? find_open (r, r->late, &place) : r->n_open;

	return n == 0 || (r->stacks && n > 1) ? PPI_FLOWN_NONE : r->open[place];
}

static void take (struct reading *r, const struct ppi_flight *e, const struct ppi_flight *next)
{
	uint32_t at;

	switch (e->kind) {
	case PPI_FLIGHT_BEGIN:
		at = add (r, PPI_FLOWN_OPEN, e->number, e->word);
		r->open[r->n_open++] = at;
		break;
	case PPI_FLIGHT_END:
		end (r, e->number, e->word, e->type == 1);
		break;
	case PPI_FLIGHT_POINT:
		add (r, PPI_FLOWN_POINT, e->number, e->word);
		break;
	case PPI_FLIGHT_VALUE:
		add_value (r, r->last, e);
		break;
	case PPI_FLIGHT_LATE:
		if (e->type)
			add_value (r, of_late (r), e);
		r->late = e->type ? 0 : e->number;
		break;
	case PPI_FLIGHT_SPAN:
		if (!next || next->kind != PPI_FLIGHT_SPAN_END || next->number != e->number)
			break;
		at = add (r, PPI_FLOWN_SPAN, e->number, e->word);
		r->list->item[at].ticks = next->word > e->word ? next->word - e->word : 0;
		break;
	case PPI_FLIGHT_SPAN_END:
	case PPI_FLIGHT_NONE:
		break;
	}
}

static bool has_time (enum ppi_flight_kind kind)
{
	return kind == PPI_FLIGHT_BEGIN || kind == PPI_FLIGHT_END || kind == PPI_FLIGHT_POINT ||
	       kind == PPI_FLIGHT_SPAN_END;
}

bool ppi_flown_read (const struct ppi_flight_chunk *chunk, struct ppi_flown_list *out)
{
	struct ppi_flight *entry;
	struct reading r = {
		.list = out, .last = PPI_FLOWN_NONE, .stacks = chunk->flags & PPI_FLIGHT_STACKS};
	long n = ppi_flight_read (chunk, &entry, &out->torn);
	unsigned torn = out->torn;
	bool good;

	*out = (struct ppi_flown_list){.torn = torn};
	if (n <= 0) {
		free (entry);
		return n == 0;
	}
	/* each entry makes one of them at most, and a value one with a line of its own */
	out->item = calloc ((size_t) n, sizeof *out->item);
	out->value = calloc ((size_t) n, sizeof *out->value);
	r.open = calloc ((size_t) n, sizeof *r.open);
	good = out->item && out->value && r.open;
	for (long i = 0; good && i < n; i++) {
		take (&r, &entry[i], i + 1 < n ? &entry[i + 1] : NULL);
		if (has_time (entry[i].kind) && entry[i].word > out->newest)
			out->newest = entry[i].word;
	}
	free (r.open);
	free (entry);
	return good;
}

void ppi_flown_free (struct ppi_flown_list *list)
{
	free (list->item);
	free (list->value);
	*list = (struct ppi_flown_list){.n = 0};
}
