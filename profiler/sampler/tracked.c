/* SPDX-License-Identifier: MIT */
/* tracked.c: see tracked.h. */
#include "profiler/sampler/tracked.h"

#include "profiler/sampler/sampler.h"
#include "profiler/sampler/wall.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static struct tracked {
	enum ppi_track track;
	uint32_t
		*thread; /* ascending: those that are sampled; of CREATED: that were there before */
	size_t n;
	uint32_t creator; /* of CREATED */
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
	free (tracked[sampler].thread);
	tracked[sampler] = made;
	return true;
}

static bool is_own (uint32_t tid)
{
	return tid == ppi_library_tid () || tid == ppi_watcher_tid () || tid == ppi_wall_tid () ||
	       tid == __atomic_load_n (&renderer, __ATOMIC_RELAXED);
}

bool ppi_is_tracked (enum ppi_sampler sampler, uint32_t tid)
{
	const struct tracked *t = &tracked[sampler];
	bool listed = t->n && bsearch (&tid, t->thread, t->n, sizeof tid, by_number);

	if (is_own (tid))
		return false;
	return t->track == PPI_TRACK_ALL      ? true
	       : t->track == PPI_TRACK_CHOSEN ? listed
					      : tid == t->creator || !listed;
}

void ppi_tracked_forget (void)
{
	static struct tracked parents[PPI_SAMPLERS] __attribute__ ((used));

	/* the parent's thread may have been in the middle of a change */
	memcpy (parents, tracked, sizeof tracked);
	memset (tracked, 0, sizeof tracked);
	ppi_renderer_tid_set (0);
}
