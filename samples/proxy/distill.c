/* SPDX-License-Identifier: MIT */
/*
 * distill.c: what the proxy is for, and where it is measured. The intervals are those of appendix B
 * of J. Stanley's thesis: i1 around the generic operation, with the waiting for one's turn, i2 and
 * i3 around what is done to a picture and to a page. There an if statement compared i1's average
 * with a limit and bound a metric to i2 and i3; here policy.yaml says so, and turns "detail".
 */
#include "distill.h"
#include "picture.h"
#include "plain.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <pp.h>

#ifndef __PPGCC__
/* Without the plugin the pragmas are ignored, without a word. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

/* clang-format off */
#pragma pp metric elapsedTimeSeries interval bounded_series(elapsed, size=20)
/* clang-format on */

/* eighths of a picture's width and height that are left */
PP_KNOB_INT (detail, DETAIL_MOST, DETAIL_LEAST, DETAIL_MOST, 1)

/*
 * Turns are given out in the order of arrival: nobody waits longer than those who were there
 * before. Each waits for a condition of its own, so that a turn wakes one thread and not all of
 * them.
 */
struct waiter {
	pthread_cond_t called;
	bool has_turn;
	struct waiter *next;
};

static struct {
	pthread_mutex_t lock;
	int free; /* distillers */
	struct waiter *first, **last;
} queue = {PTHREAD_MUTEX_INITIALIZER, 1, NULL, &queue.first};

static int waiting; /* requests that are in distill (); atomic */

enum content content_of (const char *media_type)
{
	static const struct {
		const char *name;
		enum content content;
	} types[] = {{"image/jpeg", CONTENT_JPEG}, {"text/html", CONTENT_HTML}};
	size_t n = media_type ? strcspn (media_type, "; \t") : 0;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (n == strlen (types[i].name) && strncasecmp (media_type, types[i].name, n) == 0)
			return types[i].content;
	return CONTENT_OTHER;
}

void distill_init (int distillers)
{
	queue.free = distillers;
}

static void begin_turn (void)
{
	struct waiter me = {PTHREAD_COND_INITIALIZER, false, NULL};

	pthread_mutex_lock (&queue.lock);
	if (queue.free > 0) {
		queue.free--;
	} else {
		*queue.last = &me;
		queue.last = &me.next;
		while (!me.has_turn)
			pthread_cond_wait (&me.called, &queue.lock);
	}
	pthread_mutex_unlock (&queue.lock);
	pthread_cond_destroy (&me.called);
}

static void end_turn (void)
{
	struct waiter *next;

	pthread_mutex_lock (&queue.lock);
	next = queue.first;
	if (next) {
		queue.first = next->next;
		if (!queue.first)
			queue.last = &queue.first;
		next->has_turn = true;
		pthread_cond_signal (&next->called);
	} else {
		queue.free++;
	}
	pthread_mutex_unlock (&queue.lock);
}

int distill (enum content content, const struct bytes *from, struct bytes *to)
{
	int failed = -1;
	/* a figure, which orders nothing */
	int now = __atomic_add_fetch (&waiting, 1, __ATOMIC_RELAXED);

#pragma pp point active value(now)
	(void) now; /* all there is without the plugin */
	{
#pragma pp interval i1(elapsedTimeSeries)
		begin_turn ();
		switch (content) {
		case CONTENT_JPEG: {
#pragma pp interval i2
			failed = picture_distill (from, (int) pp_knob_int (detail), to);
			break;
		}
		case CONTENT_HTML: {
#pragma pp interval i3
			failed = plain_text (from, to);
			break;
		}
		case CONTENT_OTHER:
			break;
		}
		end_turn ();
	}
	__atomic_sub_fetch (&waiting, 1, __ATOMIC_RELAXED);
	return failed;
}
