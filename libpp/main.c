/* SPDX-License-Identifier: MIT */
/*
 * main.c: the composition root: what happens at the start, at fork and at the end of the program,
 * and the library's thread.
 *
 * Environment: base/environment.h.
 */
#include "assertions/engine/assertions.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/own_thread.h"
#include "base/part.h"
#include "base/start.h"
#include "libmetrics/life/lifecycle.h"
#include "libmetrics/life/recorder.h"
#include "libmetrics/registry/module.h"
#include "base/quantity.h"
#include "libpp/door.h"
#include "libpp/needed.h"
#include "libpp/parts.h"
#include "libpp/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- start ----------------------------------------------------------------------------------- */

/* Policies of the environment: they were loaded; they wait for a module or a name. */
static bool loaded, awaited;

/* Those that are not loaded yet; NULL: there are none. */
static const char *policies_to_come (void)
{
	return loaded ? NULL : ppi_environment (PPI_ENVIRONMENT_POLICY);
}

static void load_policies (void)
{
	const char *list = policies_to_come ();
	char *copy, *rest, *path;

	if (!list)
		return;
	loaded = true;
	copy = rest = strdup (list);
	while (rest && (path = strsep (&rest, ":")))
		if (*path)
			/* its errors are printed; the program goes on unmeasured */
			pp_policy_load (path);
	free (copy);
}

/*
 * A program's module registers after those of the libraries that it was linked with, before main:
 * then everything is known that a policy of the environment may name. Where only libraries are
 * instrumented, it is loaded with the first of them; where nothing is, it was loaded before.
 */
static void module_ready (bool is_program)
{
	if (is_program || !ppi_program_has_table ())
		load_policies ();
	ppi_thread_wake ();
}

const struct ppi_part ppi_environment_part = {.module_ready = module_ready};

static const struct ppi_part *const parts[] = {
#define X(name) &ppi_##name##_part,
	PPI_PARTS_BELOW (X) PPI_PARTS_OF_ASSERTIONS (X) PPI_PARTS_THAT_RECORD (X)
		PPI_PARTS_THAT_LINK (X) PPI_PARTS_ABOVE (X)
#undef X
			NULL};

static void fork_prepare (void)
{
	int saved = errno;
	uint8_t run[PPI_RUN_BYTES];

	/* a child that records first would take a number of its own, and be of another run */
	ppi_run_id (run);
	ppi_own_threads_settle ();
	ppi_parts_fork_prepare ();
	errno = saved;
}

static void fork_child (void)
{
	int saved = errno;

	ppi_thread_forget ();
	ppi_after_fork ();
	ppi_parts_fork_child ();
	ppi_thread_wake ();
	errno = saved;
}

static void start (void)
{
	ppi_locale_look ();
	ppi_parts_set (parts);
	ppi_parts_init ();
	ppi_assertions_wake_set (ppi_thread_wake);
	ppi_child_hook_set (ppi_assertions_revive);
	pthread_atfork (fork_prepare, ppi_parts_fork_parent, fork_child);
}

void ppi_runtime_start (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once (&once, start);
}

__attribute__ ((constructor)) static void constructor (void)
{
	int saved = errno;

	ppi_runtime_start ();
	ppi_door_ask ();
	awaited = policies_to_come () && ppi_names_come ();
	if (!awaited)
		load_policies ();
	/* a profile is taken of programs without a module, too, from before their main */
	ppi_thread_wake ();
	errno = saved;
}

/* ---- end ------------------------------------------------------------------------------------- */

__attribute__ ((destructor)) static void destructor (void)
{
	int saved = errno;

	if (awaited && !loaded)
		ppi_message ("PP_POLICY was not loaded, as the program came to no marker");
	ppi_thread_stop ();
	ppi_assertions_tick (ppi_now_ns ());
	ppi_parts_fini ();
	errno = saved;
}
