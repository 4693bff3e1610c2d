/* SPDX-License-Identifier: MIT */
/*
 * main.c: the composition root: what happens at the start, at fork and at the end of the program, and the library's
 * thread.
 *
 * Environment: PP_POLICY (a path, or several with ':' between), PP_THREADS (0: no thread of the library's),
 * PP_ROUTE, PP_BLOCKS, PP_REGION_MAX, PP_CLOCK, PP_LOG.
 */
#include "assertions/engine/assertions.h"
#include "libmetrics/lifecycle.h"
#include "libmetrics/message.h"
#include "libmetrics/runtime.h"
#include "libpp/thread.h"
#include "stdmetrics/stdmetrics.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- start ------------------------------------------------------------------------------------------------------- */

static void load_policies (void)
{
	static bool loaded;
	const char *list = secure_getenv ("PP_POLICY");
	char *copy, *rest, *path;

	if (loaded || !list || !*list)
		return;
	loaded = true;
	copy = rest = strdup (list);
	while (rest && (path = strsep (&rest, ":")))
		if (*path)
			pp_policy_load (path); /* its errors are printed; the program goes on unmeasured */
	free (copy);
}

/*
 * A program's module registers after those of the libraries that it was linked with, before main: then everything is
 * known that a policy of the environment may name. Where only libraries are instrumented, it is loaded with the
 * first of them.
 */
static void module_registered (bool is_program)
{
	ppi_heap_rescan ();
	if (is_program || !ppi_program_has_table ())
		load_policies ();
	ppi_thread_wake ();
}

static void fork_prepare (void)
{
	ppi_messages_before_fork ();
	ppi_lock ();
}

static void fork_parent (void)
{
	ppi_messages_after_fork_parent ();
	ppi_unlock ();
}

static void fork_child (void)
{
	int saved = errno;

	ppi_thread_forget ();
	ppi_after_fork ();
	ppi_assertions_after_fork_child ();
	ppi_thread_wake ();
	errno = saved;
}

static void start (void)
{
	ppi_lifecycle_start ();
	ppi_stdmetrics_init ();
	ppi_assertions_init ();
	ppi_assertions_wake_set (ppi_thread_wake);
	ppi_child_hook_set (ppi_assertions_revive);
	ppi_start_hook_set (module_registered);
	pthread_atfork (fork_prepare, fork_parent, fork_child);
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
	errno = saved;
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* Where the recording is that was finished now; NULL: there is none. */
static const char *finish_recording (void)
{
	static char path[PATH_MAX];

	ppi_recording_path (path, sizeof (path));
	return ppi_recording_copy (true) == PP_OK && *path ? path : NULL;
}

__attribute__ ((destructor)) static void destructor (void)
{
	int saved = errno;

	ppi_thread_stop ();
	ppi_sources_tell ();
	ppi_assertions_tick (ppi_now_ns ());
	ppi_policies_tell_missing ();
	if (ppi_recording_wanted ())
		ppi_figures_refresh ();
	/* behind a full pipe, or nowhere: the recording has what was said */
	ppi_messages_last ();
	ppi_assertions_tell_end (finish_recording ());
	ppi_messages_last ();
	errno = saved;
}
