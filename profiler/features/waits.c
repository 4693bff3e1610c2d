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

static struct known *known;
static size_t used, room;

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

/* That of TID, made with WAITS; NULL: no memory. */
static struct known *known_of (uint32_t tid, const struct ppi_waits *waits)
{
	struct known *grown;

	for (size_t i = 0; i < used; i++)
		if (known[i].tid == tid)
			return &known[i];
	if (used == room) {
		grown = reallocarray (known, 2 * room + 16, sizeof *known);
		if (!grown)
			return NULL;
		known = grown;
		room = 2 * room + 16;
	}
	known[used] = (struct known){tid, *waits};
	return &known[used++];
}

static void add (uint32_t tid, const struct ppi_waits *since, struct ppi_waits *sum)
{
	struct ppi_waits now;
	struct known *its;

	if (!read_waits (tid, &now))
		return;
	its = known_of (tid, since ? since : &now);
	if (!its)
		return;
	/* its number may be that of one that has ended */
	if (now.ns >= its->waits.ns && now.n >= its->waits.n) {
		sum->ns += now.ns - its->waits.ns;
		sum->n += now.n - its->waits.n;
	}
	its->waits = now;
}

void ppi_waits_begin (void)
{
	struct ppi_waits nothing = {0, 0};

	used = 0;
	/* the first may have no marker yet */
	add ((uint32_t) getpid (), NULL, &nothing);
	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		if (ppi_load (&t->id) && !ppi_load (&t->owner))
			add (ppi_load (&t->id), NULL, &nothing);
}

void ppi_waits_look (struct ppi_waits *sum)
{
	static const struct ppi_waits none;

	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		if (ppi_load (&t->id) && !ppi_load (&t->owner) && t != ppi_thread_self () &&
		    ppi_load (&t->features))
			add (ppi_load (&t->id), &none, sum);
}

void ppi_waits_forget (void)
{
	/* of the parent: its thread may have been in the middle of a change */
	known = NULL;
	used = room = 0;
}
