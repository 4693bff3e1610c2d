/* SPDX-License-Identifier: MIT */
/*
 * watch.c: policies whose files change are loaded again. Looked at by the owner twice a second,
 * with stat: an inotify descriptor would be the host's to leak, close and inherit, and says nothing
 * on network file systems.
 *
 * A file is loaded when it is the same at two looks, so that one that is being written is not read
 * half. What is there is tried once: a bad version is told once and changes nothing.
 */
#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/load/loaded.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_look_ns; /* atomic: the thread and pp_poll may both come */

bool ppi_policy_wants_watch (const struct ppi_policy *policy)
{
	const char *text = ppi_environment (PPI_ENVIRONMENT_POLICY_WATCH);

	return policy->reload || (text && strcmp (text, "0") != 0);
}

/* A policy to look at, without the lock: it may be gone by then. */
struct watched {
	char *path, *file;
	struct ppi_file_mark mark, fresh, now;
	bool there;
};

static bool take_down (struct watched *w, const struct ppi_loaded *loaded)
{
	*w = (struct watched){strdup (loaded->policy->path), strdup (loaded->file), loaded->mark,
			      loaded->fresh, .there = false};
	if (w->path && w->file)
		return true;
	free (w->path);
	free (w->file);
	return false;
}

static bool is_wanted (const struct ppi_loaded *loaded, bool all)
{
	return (all && !loaded->is_text) || loaded->watched;
}

/* What is loaded from files and, unless ALL, is to be watched; malloced */
static struct watched *list_watched (bool all, size_t *n)
{
	struct watched *list;
	size_t room = 0;

	*n = 0;
	ppi_lock ();
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		room += is_wanted (loaded, all);
	list = room ? calloc (room, sizeof *list) : NULL;
	for (const struct ppi_loaded *loaded = ppi_policies; list && loaded; loaded = loaded->next)
		if (is_wanted (loaded, all))
			*n += take_down (&list[*n], loaded);
	ppi_unlock ();
	return list;
}

static void free_list (struct watched *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free (list[i].path);
		free (list[i].file);
	}
	free (list);
}

/* The policy remembers what its file was */
static void note (const struct watched *w, bool tried)
{
	struct ppi_loaded *loaded;

	ppi_lock ();
	loaded = ppi_loaded_find (w->file);
	if (loaded && tried)
		loaded->mark = w->now; /* a version that was refused is not tried again */
	if (loaded)
		loaded->fresh = w->now;
	ppi_unlock ();
}

/* Loads it again if it changed, AT_ONCE or when it is the same at two looks; 1: it did */
static int load_changed (struct watched *w, bool at_once)
{
	int error;

	w->there = ppi_file_mark_of (w->file, &w->now);
	if (!w->there || ppi_file_mark_equal (&w->now, &w->mark))
		return 0;
	if (!at_once && !ppi_file_mark_equal (&w->now, &w->fresh)) {
		note (w, false);
		return 0;
	}
	error = ppi_policy_load_again (w->path, w->file);
	if (error)
		note (w, true);
	return error ? error : 1;
}

/* Loads changed files of policies that want it again. */
static uint64_t watch (uint64_t now_ns, bool polled)
{
	uint64_t next_ns = ppi_load (&next_look_ns);
	struct watched *list;
	size_t n;

	(void) polled;
	if (now_ns < next_ns && next_ns - now_ns <= PPI_WATCH_NS)
		return next_ns;
	list = list_watched (false, &n);
	for (size_t i = 0; i < n; i++)
		load_changed (&list[i], false);
	free_list (list, n);
	ppi_store (&next_look_ns, n ? now_ns + PPI_WATCH_NS : 0);
	return n ? now_ns + PPI_WATCH_NS : UINT64_MAX;
}

static bool is_any_watched (void)
{
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		if (loaded->watched)
			return true;
	return false;
}

const struct ppi_part ppi_watch_part = {.needs_thread = is_any_watched, .after_tick = watch};

int pp_policy_reload (void)
{
	int saved = errno, loaded = 0, worst = 0;
	struct watched *list;
	size_t n;

	if (ppi_in_inline ())
		return PP_ESTATE;
	ppi_assertions_revive ();
	list = list_watched (true, &n);
	for (size_t i = 0; i < n; i++) {
		int done = load_changed (&list[i], true);

		loaded += done > 0;
		worst = done < 0 ? done : worst;
	}
	free_list (list, n);
	errno = saved;
	return worst ? worst : loaded;
}
