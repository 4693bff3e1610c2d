/* SPDX-License-Identifier: MIT */
/* recording.c: keeps the copy of the recording up to date while the program runs, and finishes it at the end. */
#include "assertions/engine/assertions.h"
#include "libmetrics/lifecycle.h"
#include "libmetrics/message.h"
#include "libmetrics/runtime.h"
#include "libpp/parts.h"

#include <limits.h>

#define RECORDING_NS UINT64_C (1000000000)

static uint64_t copied_ns; /* 0: the thread has not looked yet; its own */

static void housekeeping (void)
{
	uint64_t now_ns = ppi_now_ns ();

	if (!copied_ns)
		copied_ns = now_ns;
	if (!ppi_recording_wanted () || now_ns - copied_ns < RECORDING_NS)
		return;
	ppi_parts_figures ();
	ppi_recording_copy (false);
	copied_ns = now_ns;
}

static void forget (void)
{
	copied_ns = 0;
}

/* Where the recording is that was finished now; NULL: there is none. */
static const char *finish (void)
{
	static char path[PATH_MAX];

	ppi_recording_path (path, sizeof (path));
	return ppi_recording_copy (true) == PP_OK && *path ? path : NULL;
}

static void fini (void)
{
	if (ppi_recording_wanted ())
		ppi_parts_figures ();
	/* behind a full pipe, or nowhere: the recording has what was said */
	ppi_messages_last ();
	ppi_assertions_tell_end (finish ());
	ppi_messages_last ();
}

const struct ppi_part ppi_recording_part = {
	.fork_child = forget, .needs_thread = ppi_recording_wanted, .housekeeping = housekeeping, .fini = fini};
