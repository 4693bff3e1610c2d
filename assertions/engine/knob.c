/* SPDX-License-Identifier: MIT */
/*
 * knob.c: the program's tunables. The program reads its own 64-bit word with one relaxed load; only
 * the holder of the lock writes it, and a knob belongs to at most one policy, which gives it back
 * as it found it. Setters: knob_setters.c.
 */
#include "assertions/engine/knob.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/quantity.h"
#include "base/types.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/module.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SWINGS_MAX 6u /* the dwell of a clear grows to 64 times itself */

static struct ppi_knob *knobs;
static uint32_t n_knobs;

static double as_double (const struct pp_abi_knob *record, const union pp_abi_number *number)
{
	union pp_abi_number n;

	n.i = ppi_load (&number->i); /* the same 64 bits in either case */
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
	size_t words = knob->words ? strlen (knob->words) + 1 : 0, name = strlen (knob->name) + 1;
	struct ppi_knob_chunk *chunk = ppi_region_alloc (sizeof *chunk + name + words);

	knob->chunk = chunk;
	if (!chunk)
		return;
	chunk->is_double = record->type == PP_ABI_KNOB_DOUBLE;
	chunk->value = as_double (record, &record->value);
	chunk->initial = as_double (record, &record->initial);
	chunk->min = as_double (record, &record->min);
	chunk->max = as_double (record, &record->max);
	strcpy (chunk->name, knob->name);
	if (words) {
		chunk->words = (uint32_t) (sizeof *chunk + name);
		strcpy ((char *) chunk + chunk->words, knob->words);
	}
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_KNOB, id);
}

static void forget_words (struct ppi_knob *knob)
{
	for (int i = 0; i < PPI_KNOB_WORDS; i++) {
		free (knob->word[i]);
		knob->word[i] = NULL;
	}
	free (knob->words);
	knob->words = NULL;
}

/* Copies, as the record goes with its module. False: no memory, or it has none */
static bool take_words (struct ppi_knob *knob, const struct pp_abi_knob *record)
{
	char word[PP_ABI_NAME_BYTES];

	forget_words (knob);
	if (record->type != PP_ABI_KNOB_ENUM)
		return true;
	knob->words = record->words ? ppi_words_copy (record->words) : NULL;
	for (int i = 0; i < PPI_KNOB_WORDS && ppi_word_at (knob->words, i, word, sizeof word); i++)
		if (!(knob->word[i] = strdup (word)))
			return false;
	return knob->word[0] != NULL;
}

static bool is_knob (const struct pp_abi_knob *record)
{
	return record->head.size >= sizeof *record && record->type >= PP_ABI_KNOB_INT &&
	       record->type <= PP_ABI_KNOB_ENUM;
}

static void add (struct pp_abi_record *head)
{
	struct pp_abi_knob *record = (struct pp_abi_knob *) head;
	struct ppi_knob *knob;
	char name[PP_ABI_NAME_BYTES];

	if (!is_knob (record))
		return;
	snprintf (name, sizeof name, "%s", record->name);
	knob = ppi_knob_find (name);
	if (knob && knob->record && knob->record != record) {
		ppi_message ("knob '%s' of %s exists already, in %s; policies turn the first until "
			     "it is closed",
			     name, record->where, knob->record->where);
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
	if (!take_words (knob, record))
		return;
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
			knob->untold = knob->waits = false;
			ppi_knob_wait_for_setter (knob);
			renew (knob);
		}
	head->runtime = NULL;
}

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
	else if (fabs (by) >= 9.2e18 ||
		 __builtin_add_overflow (ppi_load (&record->value.i), saturate (by), &to))
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
	char text[256], before[64], now[64];

	if (ppi_load (&record->value.i) == to.i)
		return false;
	/* relaxed: the program's reads of it order nothing */
	ppi_store (&record->value.i, to.i);
	knob->untold = record->setter != NULL;
	renew (knob);
	if (knob->chunk)
		ppi_store (&knob->chunk->turned, knob->chunk->turned + 1);
	values[1] = ppi_knob_value (knob);
	snprintf (text, sizeof text, "%s → %s, by %s",
		  ppi_knob_format (knob->words, values[0], before, sizeof before),
		  ppi_knob_format (knob->words, values[1], now, sizeof now), by);
	ppi_history (PPI_HISTORY_KNOB, knob->name, text, values, 2);
	return true;
}

static uint64_t dwell_of (const struct ppi_knob *knob, const struct ppi_turn *turn)
{
	return turn->relaxes ? turn->min_dwell_ns << knob->swings : turn->min_dwell_ns;
}

/* A fire turns: was what a clear turned too early? Then the next clear waits longer. */
static void learn_swing (struct ppi_knob *knob, const struct ppi_turn *turn, uint64_t now_ns)
{
	if (turn->relaxes || !turn->min_dwell_ns || !knob->relaxed)
		return;
	if (now_ns - knob->turned_ns < 2 * (turn->min_dwell_ns << knob->swings))
		knob->swings += knob->swings < SWINGS_MAX;
	else if (knob->swings)
		knob->swings--;
}

static bool turn_now (struct ppi_knob *knob, const struct ppi_turn *turn, uint64_t now_ns)
{
	const struct pp_abi_knob *record = knob->record;

	if (!store (knob,
		    record->type == PP_ABI_KNOB_DOUBLE
			    ? wanted_double (record, turn->set, turn->value)
			    : wanted_int (record, turn->set, turn->value),
		    turn->by))
		return false;
	learn_swing (knob, turn, now_ns);
	knob->relaxed = turn->relaxes;
	knob->turned_ns = now_ns;
	return true;
}

bool ppi_knob_turn (struct ppi_knob *knob, const struct ppi_turn *turn, uint64_t now_ns)
{
	bool early;

	if (!knob->record)
		return false;
	if (knob->waits && knob->waiting.relaxes != turn->relaxes &&
	    strcmp (knob->waiting.by, turn->by) == 0) {
		knob->waits = false;
		return false;
	}
	early = turn->min_dwell_ns && knob->turned_ns &&
		now_ns - knob->turned_ns < dwell_of (knob, turn);
	knob->waits = early;
	if (early)
		knob->waiting = *turn;
	return !early && turn_now (knob, turn, now_ns);
}

/* Turns whose dwell is over. */
static uint64_t turn_due (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, due;

	ppi_lock ();
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next) {
		if (!knob->waits)
			continue;
		due = knob->turned_ns + dwell_of (knob, &knob->waiting);
		if (due <= now_ns) {
			knob->waits = false;
			turn_now (knob, &knob->waiting, now_ns);
		} else if (due < next) {
			next = due;
		}
	}
	ppi_unlock ();
	return next;
}

/* ---- the API --------------------------------------------------------------------------------- */

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
	struct ppi_turn by_program = {set, false, value, 0, "the program"};
	struct ppi_knob *knob;
	int result = PP_ENOENT;

	if (!name || isnan (value))
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	knob = ppi_knob_find (name);
	if (knob && knob->record)
		result = turn_now (knob, &by_program, ppi_now_ns ());
	/* not by the library's thread, which may look before this one comes to it */
	if (result == 1 && !ppi_in_inline ())
		knob->told_by = (int) gettid ();
	ppi_unlock ();
	/* no function of the program's inside a marker: there the next tick does it */
	if (result == 1 && ppi_in_inline ())
		ppi_wake ();
	else if (result == 1)
		ppi_knobs_tell ();
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

const char *pp_knob_word (const char *name)
{
	const struct ppi_knob *knob;
	const char *word = NULL;
	double value;

	if (!name)
		return NULL;
	ppi_lock ();
	knob = ppi_knob_find (name);
	value = knob && knob->words ? ppi_knob_value (knob) : NAN;
	if (value >= 0 && value < PPI_KNOB_WORDS)
		word = knob->word[(int) value];
	ppi_unlock ();
	return word;
}

int pp_knob_set_word (const char *name, const char *word)
{
	const struct ppi_knob *knob;
	int place = PP_ENOENT;

	if (!name || !word)
		return PP_EINVAL;
	ppi_lock ();
	knob = ppi_knob_find (name);
	if (knob && knob->record) {
		place = ppi_word_place (knob->words, word);
		place = place < 0 ? PP_EINVAL : place;
	}
	ppi_unlock ();
	return place < 0 ? place : turn (name, true, place);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* TEXT as a value of KNOB; false: WHAT says why it is none. */
static bool read_value (const struct ppi_knob *knob, const char *text, double *value, char *what,
			size_t room)
{
	int place = knob->words ? ppi_word_place (knob->words, text) : -1;
	const char *words[PPI_KNOB_WORDS + 1] = {NULL}, *nearest;
	char *end;

	for (int i = 0; i < PPI_KNOB_WORDS; i++)
		words[i] = knob->word[i];
	nearest = ppi_nearest (text, words);
	*value = place;
	if (knob->words) {
		if (place < 0)
			snprintf (what, room, "%s is one of %s, not '%s'%s%s%s", knob->name,
				  knob->words, text, nearest ? "; did you mean '" : "",
				  nearest ? nearest : "", nearest ? "'?" : "");
		return place >= 0;
	}
	*value = strtod (text, &end);
	if (end == text || *end || isnan (*value)) {
		snprintf (what, room, "%s takes a number, not '%s'", knob->name, text);
		return false;
	}
	if (knob->record->type != PP_ABI_KNOB_DOUBLE && *value != trunc (*value)) {
		snprintf (what, room, "%s takes whole numbers, not '%s'", knob->name, text);
		return false;
	}
	return true;
}

static void say_unknown (const char *name, char *what, size_t room)
{
	const char *names[256] = {NULL}, *nearest;
	size_t n = 0;

	for (const struct ppi_knob *knob = knobs; knob && n + 1 < sizeof names / sizeof *names;
	     knob = knob->next)
		names[n++] = knob->name;
	nearest = ppi_nearest (name, names);
	snprintf (what, room, "there is no knob '%s'%s%s%s", name,
		  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* [lock] */
static int set_by_hand (struct ppi_knob *knob, double value, const char *by, char *what,
			size_t room)
{
	const struct pp_abi_knob *record = knob->record;
	char now[64], asked[64];
	double is;

	store (knob,
	       record->type == PP_ABI_KNOB_DOUBLE ? wanted_double (record, true, value)
						  : wanted_int (record, true, value),
	       by);
	/* neither a turn that waits nor the end of its policy undoes it */
	knob->waits = false;
	knob->before.i = ppi_load (&record->value.i);
	is = ppi_knob_value (knob);
	ppi_knob_format (knob->words, is, now, sizeof now);
	if (is == value)
		return snprintf (what, room, "%s is %s", knob->name, now), PP_OK;
	ppi_knob_format (knob->words, value, asked, sizeof asked);
	snprintf (what, room, "%s is %s, the %s that it may be: %s was asked for", knob->name, now,
		  is < value ? "most" : "least", asked);
	return PP_OK;
}

int ppi_knob_set_by_hand (const char *name, const char *text, const char *by, char *what,
			  size_t room)
{
	struct ppi_knob *knob;
	double value;
	int result = PP_ENOENT;

	ppi_lock ();
	knob = ppi_knob_find (name);
	if (!knob || !knob->record)
		say_unknown (name, what, room);
	else if (!read_value (knob, text, &value, what, room))
		result = PP_EINVAL;
	else
		result = set_by_hand (knob, value, by, what, room);
	ppi_unlock ();
	if (result == PP_OK)
		ppi_knobs_tell ();
	return result;
}

/* ---- owners ---------------------------------------------------------------------------------- */

void ppi_knob_own (struct ppi_knob *knob, const struct ppi_loaded *owner,
		   const struct ppi_loaded *former)
{
	if (knob->owner == owner)
		return;
	if (!former || knob->owner != former) {
		knob->has_before = knob->record != NULL;
		if (knob->record)
			knob->before.i = ppi_load (&knob->record->value.i);
		knob->turned_ns = 0;
		knob->relaxed = knob->waits = false;
		knob->swings = 0;
	}
	knob->owner = owner;
}

void ppi_knobs_disown (const struct ppi_loaded *owner)
{
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next) {
		if (knob->owner != owner)
			continue;
		knob->owner = NULL;
		knob->waits = false;
		if (knob->record && knob->has_before)
			store (knob, knob->before, "the end of its policy");
	}
}

/* ---- what the process asks of knobs ---------------------------------------------------------- */

static void init (void)
{
	static const struct ppi_record_handler handler = {add, take_away};

	ppi_record_handler_set (PP_ABI_RECORD_KNOB, &handler);
}

/* The program may have turned them itself. */
static uint64_t refresh (uint64_t now_ns)
{
	(void) now_ns;
	ppi_lock ();
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next)
		renew (knob);
	ppi_unlock ();
	return UINT64_MAX;
}

static uint64_t call_setters (uint64_t now_ns, bool polled)
{
	(void) now_ns;
	(void) polled;
	ppi_knobs_tell ();
	return UINT64_MAX;
}

static void describe_again (void)
{
	uint32_t id = n_knobs;

	ppi_knobs_forget_teller ();
	for (struct ppi_knob *knob = knobs; knob; knob = knob->next, id--) {
		knob->chunk = NULL;
		knob->told_by = 0;
		if (knob->record)
			describe (knob, id);
	}
}

/* Before the engine, which reads what they are now. */
const struct ppi_part ppi_knobs_part = {
	.init = init, .fork_child = describe_again, .tick = refresh, .after_tick = call_setters};

/* Behind it: an action may take a turn back that waits. */
const struct ppi_part ppi_turns_part = {.tick = turn_due};
