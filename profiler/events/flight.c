/* SPDX-License-Identifier: MIT */
/*
 * flight.c: the flight recorder in the life of a process: the key `flight` of policies. Markers
 * write the rings (libmetrics/marker/flight.c), where everybody who reads the live region finds
 * them; nothing is to be done as time goes by.
 */
#include "profiler/events/events.h"

#include "base/flight.h"
#include "base/message.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/flight.h"

#include <pp.h>
#include <stdlib.h>

/* What a policy asks for; with the runtime's lock. */
struct ask {
	struct ask *next;
	const void *owner;
	uint32_t events;
	struct ppi_tapped tapped;
};

static struct ask *asks;

int ppi_flight_check (const void *value, const void *former, char *why, size_t room)
{
	const struct ppi_flight_wish *wish = value;

	(void) former;
	*why = '\0';
	for (size_t i = 0; i < wish->sites; i++)
		if (!ppi_pattern_valid (wish->site[i], why, room))
			return PP_EINVAL;
	return PP_OK;
}

/* As many as the policy that wants most; rings that are there stay as they are. */
static int prepare (void)
{
	uint32_t events = PPI_FLIGHT_LEAST, n = PPI_FLIGHT_LEAST;
	int error;

	for (const struct ask *a = asks; a; a = a->next)
		events = a->events > events ? a->events : events;
	while (n < events)
		n *= 2;
	error = ppi_region_init ();
	if (error == PP_OK)
		error = ppi_texts_prepare (0);
	if (error == PP_OK && asks)
		ppi_store (&ppi_flight_entries, n);
	return error;
}

/* Entries have room for so many sites. */
static bool has_number (pp_site *site)
{
	return site->id < PPI_FLIGHT_NUMBERS;
}

void ppi_flight_apply (const void *value, const void *owner, const void *former)
{
	const struct ppi_flight_wish *wish = value;
	struct ask *ask = calloc (1, sizeof *ask);

	(void) former;
	if (ask) {
		ask->owner = owner;
		ask->events = wish->events;
		ask->tapped.prepare = has_number;
		ask->next = asks;
		asks = ask;
	}
	if (!ask || prepare () < 0) {
		ppi_message ("flight: no memory: nothing is kept (PP_REGION_MAX)");
		return;
	}
	ppi_events_record_soon ();
	ppi_tapped_set (&ask->tapped, PPI_SINK_FLIGHT, "flight", 0, wish->site, wish->sites);
}

void ppi_flight_take_back (const void *owner)
{
	struct ask **at = &asks;

	while (*at) {
		struct ask *ask = *at;

		if (ask->owner != owner) {
			at = &ask->next;
			continue;
		}
		*at = ask->next;
		ppi_tapped_clear (&ask->tapped);
		free (ask->tapped.site);
		free (ask);
	}
}

void ppi_flight_look (void)
{
	for (struct ask *a = asks; a; a = a->next)
		ppi_tapped_look (&a->tapped);
}

bool ppi_flight_is_wanted (void)
{
	return asks != NULL;
}
