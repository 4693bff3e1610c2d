/* SPDX-License-Identifier: MIT */
/*
 * recording.c: keeps the copy of the recording up to date while the program runs, and finishes it
 * at the end.
 */
#include "assertions/engine/assertions.h"
#include "base/clock.h"
#include "base/command.h"
#include "base/environment.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/life/modules.h"
#include "libmetrics/life/recorder.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/stream.h"
#include "libpp/parts.h"

#include <limits.h>
#include <pp.h>

/* So many full chunks of streams are written before the next copy is due. */
#define DRAIN_CHUNKS 8u

static uint64_t copied_ns; /* 0: the thread has not looked yet; its own */

static void housekeeping (void)
{
	uint64_t now_ns = ppi_now_ns ();

	if (!copied_ns)
		copied_ns = now_ns;
	if (!ppi_recording_wanted ())
		return;
	if (now_ns - copied_ns < ppi_recording_interval_ns ()) {
		if (ppi_streams_full () >= DRAIN_CHUNKS)
			(void) ppi_recording_drain ();
		return;
	}
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
	const char *recorded;

	if (ppi_recording_wanted ())
		ppi_parts_figures ();
	/* behind a full pipe, or nowhere: the recording has what was said */
	ppi_messages_last ();
	recorded = finish ();
	if (!ppi_environment (PPI_ENVIRONMENT_RUN))
		ppi_assertions_tell_end (recorded);
	ppi_messages_last ();
}

/* ---- what ppctl dump needs to make one ------------------------------------------------------ */

static void put_hex (char *out, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++, out += 2)
		snprintf (out, 3, "%02x", bytes[i]);
}

static void tell_modules (struct ppi_answer *answer)
{
	_Alignas(struct ppi_module_entry) static char
		room[PPI_MODULES_ROOM]; /* one asks at a time */
	size_t bytes = ppi_modules_list (room);

	for (size_t at = 0; at < bytes;) {
		const struct ppi_module_entry *m = (const void *) (room + at);
		char id[2 * sizeof m->build_id + 1] = "-";

		put_hex (id, m->build_id, m->build_id_bytes);
		ppi_answer (answer, "module %llx %s %s", (unsigned long long) m->base, id, m->path);
		at += m->bytes;
	}
}

/* Brings the region up to date, and says which run this is, and what is loaded. */
static int dump (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	char id[2 * PPI_RUN_BYTES + 1] = "";
	uint8_t run[PPI_RUN_BYTES];

	(void) word;
	(void) controller;
	ppi_parts_figures ();
	ppi_recorder_refresh ();
	ppi_run_id (run);
	put_hex (id, run, sizeof run);
	ppi_answer (answer, "run %s", id);
	tell_modules (answer);
	return PP_OK;
}

static const struct ppi_command commands[] = {{"dump", 0, dump}, {.name = NULL}};

const struct ppi_part ppi_recording_part = {.fork_child = forget,
					    .needs_thread = ppi_recording_wanted,
					    .housekeeping = housekeeping,
					    .commands = commands,
					    .fini = fini};
