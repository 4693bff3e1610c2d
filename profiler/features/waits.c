/* SPDX-License-Identifier: MIT */
/* waits.c: see waits.h. The kernel tells it in /proc/self/task/TID/schedstat. */
#include "profiler/features/waits.h"

#include "libmetrics/thread/thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is known of a thread's waits. */
struct known {
	uint32_t tid;
	struct ppi_waits waits;
};

struct list {
	struct known *at;
	size_t used, room;
};

/* In the order of ppi_threads as it was then; of those that have ended nothing stays. */
static struct list known;
static bool is_lost; /* there was no memory for all of it */

/* False: it is gone, or the kernel says nothing. */
static bool read_waits (uint32_t tid, struct ppi_waits *out)
{
	char path[64], text[96];
	unsigned long long ns, n;
	ssize_t bytes;
	int fd;

	snprintf (path, sizeof path, "/proc/self/task/%u/schedstat", tid);
	fd = open (path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bytes = read (fd, text, sizeof text - 1);
	close (fd);
	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	/* time on a processor, time of waiting for one, and how often it was given one */
	if (sscanf (text, "%*u %llu %llu", &ns, &n) != 2)
		return false;
	*out = (struct ppi_waits){ns, n};
	return true;
}

/* That of TID, from *FROM on and round: the next one asked for most often stands behind it. */
static const struct known *find (uint32_t tid, size_t *from)
{
	for (size_t i = 0; i < known.used; i++) {
		const struct known *one = &known.at[(*from + i) % known.used];

		if (one->tid == tid) {
			*from = (size_t) (one - known.at) + 1;
			return one;
		}
	}
	return NULL;
}

static void keep (struct list *list, uint32_t tid, const struct ppi_waits *waits)
{
	size_t more = 2 * list->room + 16;
	struct known *grown;

	if (list->used == list->room) {
		grown = reallocarray (list->at, more, sizeof *grown);
		if (!grown) {
			is_lost = true;
			return;
		}
		list->at = grown;
		list->room = more;
	}
	list->at[list->used++] = (struct known){tid, *waits};
}

static void replace (struct list *by)
{
	free (known.at);
	known = *by;
}

static bool is_one_of_the_program (const struct ppi_thread *t)
{
	return ppi_load (&t->id) && !ppi_load (&t->owner);
}

void ppi_waits_begin (void)
{
	uint32_t first = (uint32_t) getpid ();
	struct list list = {0};
	struct ppi_waits now;

	is_lost = false;
	/* it may have no marker yet */
	if (read_waits (first, &now))
		keep (&list, first, &now);
	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		if (is_one_of_the_program (t) && ppi_load (&t->id) != first &&
		    read_waits (ppi_load (&t->id), &now))
			keep (&list, ppi_load (&t->id), &now);
	replace (&list);
}

/* What TID has waited since BEFORE; its number may be that of one that has ended. */
static void add (const struct ppi_waits *before, const struct ppi_waits *now, struct ppi_waits *sum)
{
	if (now->ns >= before->ns && now->n >= before->n) {
		sum->ns += now->ns - before->ns;
		sum->n += now->n - before->n;
	}
}

void ppi_waits_look (struct ppi_waits *sum)
{
	static const struct ppi_waits none;
	uint32_t first = (uint32_t) getpid ();
	const struct known *its;
	struct list list = {0};
	struct ppi_waits now;
	bool has_first = false;
	size_t from = 0;

	if (is_lost) {
		ppi_waits_begin ();
		return;
	}
	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		uint32_t tid = ppi_load (&t->id);

		if (!is_one_of_the_program (t) || t == ppi_thread_self ())
			continue;
		has_first |= tid == first;
		its = find (tid, &from);
		if (!ppi_load (&t->features)) {
			if (its)
				keep (&list, tid, &its->waits);
		} else if (read_waits (tid, &now)) {
			add (its ? &its->waits : &none, &now, sum);
			keep (&list, tid, &now);
		}
	}
	its = has_first ? NULL : find (first, &from);
	if (its)
		keep (&list, first, &its->waits);
	replace (&list);
}

void ppi_waits_forget (void)
{
	/* of the parent: its thread may have been in the middle of a change */
	known = (struct list){0};
	is_lost = false;
}
