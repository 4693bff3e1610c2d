/* SPDX-License-Identifier: MIT */
/*
 * nesting.c: see nesting.h. On stderr a place is an object and an offset, which is what a process
 * knows of itself without reading debugging information; the recording has the object's path, and
 * ppctl makes functions and lines of that.
 */
#include "libmetrics/calls/nesting.h"

#include "base/c_locale.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/spot.h"
#include "libmetrics/region/history.h"
#include "libmetrics/tables/site.h"

#include <stdbool.h>
#include <stdio.h>

/* True for the first time that this pair of places is seen; the first 256 are told. */
static bool is_new (const struct ppi_broken *broken)
{
	enum { REMEMBERED = 256 };
	static struct {
		uintptr_t begun, ended;
	} told[REMEMBERED];
	static unsigned n;
	bool known = false;

	ppi_lock ();
	for (unsigned i = 0; i < n; i++)
		known |= told[i].begun == broken->begun && told[i].ended == broken->ended;
	known |= n == REMEMBERED;
	if (!known) {
		told[n].begun = broken->begun;
		told[n++].ended = broken->ended;
	}
	ppi_unlock ();
	return !known;
}

/* A history's sentence, of which ppctl finds the places by what stands before them. */
static void note (const struct ppi_broken *broken, const struct ppi_spot *begun,
		  const struct ppi_spot *ended)
{
	PPI_C_LOCALE;
	const double builds[] = {(double) begun->build, (double) ended->build};
	char text[1024];

	snprintf (text, sizeof text,
		  "was begun at %s+0x%llx and was open when \"%s\", which was begun before it, "
		  "ended at %s+0x%llx",
		  begun->object, (unsigned long long) begun->offset, broken->outer->name,
		  ended->object, (unsigned long long) ended->offset);
	ppi_history (PPI_HISTORY_NESTING, broken->inner->name, text, builds, 2);
}

void ppi_nesting_tell (const struct ppi_broken *broken)
{
	struct ppi_spot begun, ended;
	char from[PPI_SPOT_TEXT], to[PPI_SPOT_TEXT];

	if (ppi_lock_is_mine () || !is_new (broken))
		return;
	/* the calls themselves, not what comes behind them */
	ppi_spot_of (broken->begun - 1, &begun);
	ppi_spot_of (broken->ended - 1, &ended);
	ppi_message ("event \"%s\", begun at %s, was open when \"%s\", which was begun before it, "
		     "ended at %s: such events are dropped, and counted (nesting)",
		     broken->inner->name, ppi_spot_text (&begun, from, sizeof from),
		     broken->outer->name, ppi_spot_text (&ended, to, sizeof to));
	note (broken, &begun, &ended);
}
