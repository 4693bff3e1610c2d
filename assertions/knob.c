/* SPDX-License-Identifier: MIT */
/*
 * knob.c: the program's tunables. The program reads its own 64-bit word with one relaxed load; only the owner of the
 * tick writes it, and a knob belongs to at most one policy, which gets it back as it found it.
 */
#include "engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_knob *knobs;
static uint32_t n_knobs;

static double as_double (const struct pp_abi_knob *record, const union pp_abi_number *number)
{
	union pp_abi_number n;

	n.i = ppi_relaxed (&number->i); /* the same 64 bits in either case */
	return record->type == PP_ABI_KNOB_DOUBLE ? n.d : (double) n.i;
}

double ppi_knob_value (const struct ppi_knob *knob)
{
	return knob->record ? as_double (knob->record, &knob->record->value) : NAN;
}

static void renew (struct ppi_knob *knob)
{
	double value = ppi_knob_value (knob);

	__atomic_store (&knob->shadow, &value, __ATOMIC_RELAXED);
	if (knob->chunk && knob->record)
		__atomic_store (&knob->chunk->value, &value, __ATOMIC_RELAXED);
}

static void describe (struct ppi_knob *knob, uint32_t id)
{
	const struct pp_abi_knob *record = knob->record;
	struct ppi_knob_chunk *chunk = ppi_region_alloc (sizeof *chunk + strlen (knob->name) + 1);

	knob->chunk = chunk;
	if (!chunk)
		return;
	chunk->is_double = record->type == PP_ABI_KNOB_DOUBLE;
	chunk->value = as_double (record, &record->value);
	chunk->initial = as_double (record, &record->initial);
	chunk->min = as_double (record, &record->min);
	chunk->max = as_double (record, &record->max);
	strcpy (chunk->name, knob->name);
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_KNOB, id);
}

static void add (struct pp_abi_record *head)
{
	struct pp_abi_knob *record = (struct pp_abi_knob *) head;
	struct ppi_knob *knob;
	char name[PP_ABI_NAME_BYTES];

	if (head->size < sizeof *record || (record->type != PP_ABI_KNOB_INT && record->type != PP_ABI_KNOB_DOUBLE))
		return;
	snprintf (name, sizeof name, "%s", record->name);
	knob = ppi_knob_find (name);
	if (knob && knob->record && knob->record != record) {
		ppi_message ("knob '%s' of %s exists already, in %s; policies turn the first", name, record->where,
			     knob->record->where);
		return;
	}
	if (!knob) {
		knob = calloc (1, sizeof *knob);
		if (!knob)
			return;
		strcpy (knob->name, name);
		knob->next = knobs;
		knobs = knob;
		n_knobs++;
	}
	knob->record = record;
	head->runtime = knob;
	if (!knob->chunk)
		describe (knob, n_knobs);
	renew (knob);
}

static void take_away (struct pp_abi_record *head)
{
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next)
		if (knob->record == (struct pp_abi_knob *) head) {
			knob->record = NULL;
			renew (knob);
		}
	head->runtime = NULL;
}

const struct ppi_record_handler ppi_knob_handler = {add, take_away};

struct ppi_knob *ppi_knob_find (const char *name)
{
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next)
		if (strcmp (knob->name, name) == 0)
			return knob;
	return NULL;
}

struct ppi_knob *ppi_knob_first (void)
{
	return knobs;
}

/* A double as an integer that exists */
static int64_t saturate (double x)
{
	if (isnan (x))
		return 0;
	if (x >= 9.2e18)
		return INT64_MAX;
	return x <= -9.2e18 ? INT64_MIN : (int64_t) llround (x);
}

static union pp_abi_number wanted_int (const struct pp_abi_knob *record, bool set, double value)
{
	double by = value * (double) record->step.i;
	int64_t to;

	if (set)
		to = saturate (value);
	else if (fabs (by) >= 9.2e18 || __builtin_add_overflow (ppi_relaxed (&record->value.i), saturate (by), &to))
		to = by > 0 ? INT64_MAX : INT64_MIN;
	to = to < record->min.i ? record->min.i : to > record->max.i ? record->max.i : to;
	return (union pp_abi_number){.i = to};
}

static union pp_abi_number wanted_double (const struct pp_abi_knob *record, bool set, double value)
{
	double to = set ? value : as_double (record, &record->value) + value * record->step.d;

	to = to < record->min.d ? record->min.d : to > record->max.d ? record->max.d : to;
	return (union pp_abi_number){.d = to};
}

/* Writes the word; false: it was so already */
static bool store (struct ppi_knob *knob, union pp_abi_number to, const char *by)
{
	struct pp_abi_knob *record = knob->record;
	double values[2] = {ppi_knob_value (knob), 0};
	char text[160];

	if (ppi_relaxed (&record->value.i) == to.i)
		return false;
	/* relaxed: the program's reads of it order nothing */
	ppi_set_relaxed (&record->value.i, to.i);
	renew (knob);
	if (knob->chunk)
		ppi_set_relaxed (&knob->chunk->turned, knob->chunk->turned + 1);
	values[1] = ppi_knob_value (knob);
	snprintf (text, sizeof text, "%.10g -> %.10g, by %s", values[0], values[1], by);
	ppi_event (PPI_EVENT_KNOB, knob->name, text, values, 2);
	return true;
}

bool ppi_knob_turn (struct ppi_knob *knob, bool set, double value, uint64_t min_dwell_ns, uint64_t now_ns,
		    const char *by)
{
	const struct pp_abi_knob *record = knob->record;

	if (!record || (min_dwell_ns && knob->turned_ns && now_ns - knob->turned_ns < min_dwell_ns))
		return false;
	if (!store (knob,
		    record->type == PP_ABI_KNOB_DOUBLE ? wanted_double (record, set, value)
						       : wanted_int (record, set, value),
		    by))
		return false;
	knob->turned_ns = now_ns;
	return true;
}

/* ---- the API ----------------------------------------------------------------------------------------------------- */

int pp_knob_get (const char *name, double *value)
{
	const struct ppi_knob *knob;
	int result = PP_ENOENT;

	if (!name || !value)
		return PP_EINVAL;
	ppi_lock ();
	knob = ppi_knob_find (name);
	if (knob && knob->record) {
		*value = ppi_knob_value (knob);
		result = PP_OK;
	}
	ppi_unlock ();
	return result;
}

static int turn (const char *name, bool set, double value)
{
	struct ppi_knob *knob;
	int result = PP_ENOENT;

	if (!name || isnan (value))
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	knob = ppi_knob_find (name);
	if (knob && knob->record)
		result = ppi_knob_turn (knob, set, value, 0, ppi_now_ns (), "the program");
	ppi_unlock ();
	return result;
}

int pp_knob_set (const char *name, double value)
{
	return turn (name, true, value);
}

int pp_knob_step (const char *name, double steps)
{
	return turn (name, false, steps);
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

void ppi_knob_own (struct ppi_knob *knob, const struct ppi_loaded *owner, const struct ppi_loaded *former)
{
	if (knob->owner == owner)
		return;
	if (!former || knob->owner != former) {
		knob->has_before = knob->record != NULL;
		if (knob->record)
			knob->before.i = ppi_relaxed (&knob->record->value.i);
		knob->turned_ns = 0;
	}
	knob->owner = owner;
}

void ppi_knobs_disown (const struct ppi_loaded *owner)
{
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next) {
		if (knob->owner != owner)
			continue;
		knob->owner = NULL;
		if (knob->record && knob->has_before)
			store (knob, knob->before, "the end of its policy");
	}
}

void ppi_knobs_refresh (void)
{
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next)
		renew (knob);
}

void ppi_knobs_after_fork (void)
{
	uint32_t id = n_knobs;

	for (struct ppi_knob *knob = knobs; knob; knob = knob->next, id--) {
		knob->chunk = NULL;
		if (knob->record)
			describe (knob, id);
	}
}
