/* SPDX-License-Identifier: MIT */
/* gone.c: frees what markers may still be looking at when it is taken away. */
#include "assertions/engine/gone.h"
#include "base/lock.h"
#include "libmetrics/thread/thread_life.h"

static void **next_of (void *one, const struct ppi_gone *what)
{
	return (void **) (void *) ((char *) one + what->next_at);
}

/* Takes those out of LIST that nobody holds [lock]. */
static void *take_out (void **list, const struct ppi_gone *what)
{
	void *taken = NULL;

	for (void **where = list, *one; (one = *where);) {
		void **next = next_of (one, what);

		if (what->is_held && what->is_held (one)) {
			where = next;
			continue;
		}
		*where = *next;
		*next = taken;
		taken = one;
	}
	return taken;
}

void ppi_gone_free (void **list, const struct ppi_gone *what)
{
	bool is_left;
	void *taken;

	ppi_lock ();
	taken = take_out (list, what);
	ppi_unlock ();
	if (!taken)
		return;
	is_left = ppi_quiesce (what->patience_ms);
	/* else a marker was not left in time: they are kept until the next time */
	for (void *one = taken, *next; one; one = next) {
		next = *next_of (one, what);
		if (is_left) {
			what->destroy (one);
			continue;
		}
		ppi_lock ();
		*next_of (one, what) = *list;
		*list = one;
		ppi_unlock ();
	}
}
