/* SPDX-License-Identifier: MIT */
/* flight.c: reads rings of the flight recorder; see flight.h. Nothing that they say is believed. */
#include "recording/flight.h"

#include "recording/read.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof (struct ppi_flight_chunk) == 128, "entries lie in whole lines");

bool ppi_flight_is_whole (const struct ppi_flight_chunk *chunk, uint32_t bytes)
{
	uint32_t n = chunk->entries;

	return n && !(n & (n - 1)) && n <= PPI_FLIGHT_MOST &&
	       n <= (bytes - sizeof *chunk) / sizeof chunk->entry[0] &&
	       memchr (chunk->why, '\0', sizeof chunk->why);
}

void ppi_flight_copy_entries (struct ppi_flight_entry *out, const struct ppi_flight_entry *in,
			      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ppi_flight_entry *e = &in[i];
		uint64_t what = __atomic_load_n (&e->what, __ATOMIC_ACQUIRE);
		/* acquire: where this is a later word, WHAT is another one below */
		uint64_t word = __atomic_load_n (&e->word, __ATOMIC_ACQUIRE);
		bool is_torn = __atomic_load_n (&e->what, __ATOMIC_RELAXED) != what;

		out[i].what = is_torn ? 0 : what;
		out[i].word = word;
	}
}

void ppi_flight_copy (struct ppi_flight_chunk *out, const struct ppi_flight_chunk *in, size_t bytes)
{
	ppi_copy_words (out, in, bytes < sizeof *in ? bytes : sizeof *in);
	if (bytes > sizeof *in)
		ppi_flight_copy_entries (out->entry, in->entry,
					 (bytes - sizeof *in) / sizeof in->entry[0]);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { STEP = sizeof (struct ppi_flight_entry) }; /* from one number to the next */

static uint32_t number_of (const struct ppi_flight_entry *e)
{
	return (uint32_t) (e->what >> 32);
}

static const struct ppi_flight_entry *place_of (const struct ppi_flight_chunk *chunk,
						uint32_t number)
{
	/* a power of two */
	return &chunk->entry[number / STEP & (chunk->entries - 1)];
}

/* Is E an entry, and where its number belongs? */
static bool is_there (const struct ppi_flight_chunk *chunk, const struct ppi_flight_entry *e)
{
	uint32_t number = number_of (e);

	return (uint32_t) e->what >> 29 != PPI_FLIGHT_NONE && number % STEP == 0 &&
	       place_of (chunk, number) == e;
}

/* The number of the newest entry; false: there is none. */
static bool find_newest (const struct ppi_flight_chunk *chunk, uint32_t *newest)
{
	bool any = false;

	for (uint32_t i = 0; i < chunk->entries; i++) {
		uint32_t number = number_of (&chunk->entry[i]);

		if (!is_there (chunk, &chunk->entry[i]))
			continue;
		/* numbers come round: those of a ring are near each other */
		if (!any || (int32_t) (number - *newest) > 0)
			*newest = number;
		any = true;
	}
	return any;
}

/* How many of the places were written when NEWEST was: all, but in the first round. */
static uint32_t count_written (const struct ppi_flight_chunk *chunk, uint32_t newest)
{
	if (newest / STEP >= chunk->entries)
		return chunk->entries;
	/* the first round, unless an entry is of before the numbers came round */
	for (uint32_t i = 0; i < chunk->entries; i++)
		if (is_there (chunk, &chunk->entry[i]) && number_of (&chunk->entry[i]) > newest)
			return chunk->entries;
	return newest / STEP + 1;
}

long ppi_flight_read (const struct ppi_flight_chunk *chunk, struct ppi_flight **out, unsigned *torn)
{
	uint32_t newest = 0, written;
	long n = 0;

	*out = NULL;
	*torn = 0;
	if (!find_newest (chunk, &newest))
		return 0;
	written = count_written (chunk, newest);
	*out = calloc (written, sizeof **out);
	if (!*out)
		return -1;
	for (uint32_t back = written; back-- > 0;) {
		uint32_t number = newest - back * STEP;
		const struct ppi_flight_entry *e = place_of (chunk, number);
		uint32_t what = (uint32_t) e->what;

		if ((int32_t) (number - chunk->first) < 0)
			continue;
		if (!is_there (chunk, e) || number_of (e) != number)
			++*torn;
		else
			(*out)[n++] = (struct ppi_flight){(enum ppi_flight_kind) (what >> 29),
							  what >> 26 & 7, what % PPI_FLIGHT_NUMBERS,
							  e->word};
	}
	return n;
}
