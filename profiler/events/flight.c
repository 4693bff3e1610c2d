/* SPDX-License-Identifier: MIT */
/*
 * flight.c: the flight recorder in the life of a process: the key `flight` of policies. Markers
 * write the rings (libmetrics/marker/flight.c), where everybody who reads the live region finds
 * them; nothing is to be done as time goes by.
 */
#include "profiler/events/ask.h"
#include "profiler/events/events.h"

#include "base/flight.h"
#include "base/message.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/flight.h"

#include <pp.h>

/* What a policy asks for. */
struct ask {
	struct ppi_ask is;
	uint32_t events;
};

static struct ppi_ask *asks;

int ppi_flight_check (const void *value, const void *former, char *why, size_t room)
{
	const struct ppi_flight_wish *wish = value;

	(void) former;
	*why = '\0';
	return ppi_ask_is_valid (wish->site, wish->sites, why, room) ? PP_OK : PP_EINVAL;
}

/* As many as the policy that wants most; rings that are there stay as they are. */
static int prepare (void)
{
	uint32_t events = PPI_FLIGHT_LEAST, n = PPI_FLIGHT_LEAST;
	int error;

	for (const struct ppi_ask *a = asks; a; a = a->next) {
		const struct ask *ask = (const struct ask *) a;

		events = ask->events > events ? ask->events : events;
	}
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
	struct ask *ask = ppi_ask_add (&asks, owner, sizeof *ask);

	(void) former;
	if (ask) {
		ask->events = wish->events;
		ask->is.tapped.prepare = has_number;
	}
	if (!ask || prepare () < 0) {
		ppi_message ("flight: no memory: nothing is kept (PP_REGION_MAX)");
		return;
	}
	ppi_events_record_soon ();
	ppi_tapped_set (&ask->is.tapped, PPI_SINK_FLIGHT, "flight", 0, wish->site, wish->sites);
}

void ppi_flight_take_back (const void *owner)
{
	ppi_asks_take_back (&asks, owner, NULL);
}

void ppi_flight_look (void)
{
	(void) ppi_asks_look (asks);
}

bool ppi_flight_is_wanted (void)
{
	return asks != NULL;
}
