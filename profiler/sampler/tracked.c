/* SPDX-License-Identifier: MIT */
/* tracked.c: see tracked.h. */
#include "profiler/sampler/tracked.h"

#include "base/glob.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/threads.h"
#include "profiler/sampler/wall.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KNOWN 1024u /* names, by the thread's number: two that meet are read time and again */

/* What thread TID was found to be at AT_MS. */
struct known {
	uint32_t tid, at_ms;
	bool is;
};

static struct tracked {
	enum ppi_track track;
	uint32_t
		*thread; /* ascending: those that are sampled; of CREATED: that were there before */
	size_t n;
	uint32_t creator;   /* of CREATED */
	char *globs;        /* of NAMED */
	bool found, looked; /* of NAMED: one that matches; any */
	struct known *known;
} tracked[PPI_SAMPLERS];

static uint32_t renderer; /* atomic */

void ppi_renderer_tid_set (uint32_t tid)
{
	__atomic_store_n (&renderer, tid, __ATOMIC_RELAXED);
}

static int by_number (const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;

	return (i > j) - (i < j);
}

static bool append (struct tracked *to, size_t *room, uint32_t tid)
{
	uint32_t *grown;

	if (to->n == *room) {
		grown = reallocarray (to->thread, 2 * *room + 16, sizeof *grown);
		if (!grown)
			return false;
		to->thread = grown;
		*room = 2 * *room + 16;
	}
	to->thread[to->n++] = tid;
	return true;
}

/* The threads that there are. Where they can't be looked for, none is known to have been there. */
static bool list_present (struct tracked *to)
{
	DIR *tasks = opendir ("/proc/self/task");
	struct dirent *entry;
	size_t room = 0;
	bool ok = true;

	while (tasks && ok && (entry = readdir (tasks))) {
		uint32_t tid = (uint32_t) strtoul (entry->d_name, NULL, 10);

		if (tid)
			ok = append (to, &room, tid);
	}
	if (tasks)
		closedir (tasks);
	return ok;
}

static bool list_chosen (struct tracked *to, const uint32_t *thread, size_t n)
{
	size_t room = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = append (to, &room, thread[i]);
	return ok;
}

static void replace (enum ppi_sampler sampler, const struct tracked *by)
{
	free (tracked[sampler].thread);
	free (tracked[sampler].globs);
	free (tracked[sampler].known);
	tracked[sampler] = *by;
}

bool ppi_tracked_set (enum ppi_sampler sampler, enum ppi_track track, const uint32_t *thread,
		      size_t n)
{
	struct tracked made = {.track = track};
	bool ok = true;

	if (track == PPI_TRACK_CHOSEN)
		ok = list_chosen (&made, thread, n);
	else if (track == PPI_TRACK_CREATED) {
		made.creator = n ? thread[0] : 0;
		ok = list_present (&made);
	}
	if (!ok) {
		free (made.thread);
		return false;
	}
	if (made.n)
		qsort (made.thread, made.n, sizeof *made.thread, by_number);
	replace (sampler, &made);
	return true;
}

bool ppi_tracked_name (enum ppi_sampler sampler, const char *globs)
{
	struct tracked made = {.track = globs ? PPI_TRACK_NAMED : PPI_TRACK_ALL};

	if (!globs && tracked[sampler].track != PPI_TRACK_NAMED)
		return true;
	if (globs) {
		made.globs = strdup (globs);
		made.known = calloc (KNOWN, sizeof *made.known);
		if (!made.globs || !made.known) {
			free (made.globs);
			free (made.known);
			return false;
		}
	}
	replace (sampler, &made);
	return true;
}

/* NAME, one of the GLOBS? */
static bool matches (const char *globs, const char *name)
{
	char glob[256];

	for (size_t n; *globs; globs += n + (globs[n] == '\n')) {
		n = strcspn (globs, "\n");
		snprintf (glob, sizeof glob, "%.*s", (int) n, globs);
		if (ppi_glob_whole (glob, name))
			return true;
	}
	return false;
}

static bool is_named (struct tracked *t, uint32_t tid)
{
	struct known *known = &t->known[tid % KNOWN];
	struct timespec now;
	uint32_t now_ms;
	char name[32];

	clock_gettime (CLOCK_MONOTONIC_COARSE, &now);
	now_ms = (uint32_t) (now.tv_sec * 1000 + now.tv_nsec / 1000000);
	if (known->tid != tid || now_ms - known->at_ms >= PPI_NAMES_MS) {
		ppi_thread_name (tid, name, sizeof name);
		*known = (struct known){tid, now_ms, matches (t->globs, name)};
		t->looked = true;
		t->found |= known->is;
	}
	return known->is;
}

static bool is_own (uint32_t tid)
{
	return tid == ppi_library_tid () || tid == ppi_watcher_tid () || tid == ppi_wall_tid () ||
	       tid == __atomic_load_n (&renderer, __ATOMIC_RELAXED);
}

bool ppi_is_tracked (enum ppi_sampler sampler, uint32_t tid)
{
	struct tracked *t = &tracked[sampler];
	bool listed = t->n && bsearch (&tid, t->thread, t->n, sizeof tid, by_number);

	if (is_own (tid))
		return false;
	switch (t->track) {
	case PPI_TRACK_ALL:
		return true;
	case PPI_TRACK_CHOSEN:
		return listed;
	case PPI_TRACK_CREATED:
		return tid == t->creator || !listed;
	case PPI_TRACK_NAMED:
		return is_named (t, tid);
	}
	return true;
}

bool ppi_tracked_is_nobody (enum ppi_sampler sampler)
{
	const struct tracked *t = &tracked[sampler];

	return t->track == PPI_TRACK_NAMED && t->looked && !t->found;
}

void ppi_tracked_forget (void)
{
	static struct tracked parents[PPI_SAMPLERS] __attribute__ ((used));

	/* the parent's thread may have been in the middle of a change */
	memcpy (parents, tracked, sizeof tracked);
	memset (tracked, 0, sizeof tracked);
	ppi_renderer_tid_set (0);
}
