/* SPDX-License-Identifier: MIT */
/*
 * message.c: the queue of lines; see message.h. Lines end with a newline and lie one behind the
 * other.
 */
#include "base/message.h"

#include "base/atomic.h"
#include "base/c_locale.h"
#include "base/channel.h"
#include "base/clock.h"
#include "base/command.h"
#include "base/lock.h"
#include "base/rank.h"
#include "base/quantity.h"

#include "pp_arch.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { QUEUE_BYTES = 64 << 10, LINE_BYTES = 1024, FORK_TRIES = 100 };
#define AGAIN_NS UINT64_C (10000000) /* between two tries where nothing can be written */

/* with the lock */
static char queue[QUEUE_BYTES];
static size_t first, end;
static uint64_t lost; /* lines, since it was said last */

/* who writes; held for a moment, for nothing here waits */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static uint64_t again_ns; /* with it */
static bool (*note_unheard) (const char *line);
static uintptr_t holder; /* the thread pointer of who holds it to fork, 0: nobody; atomic */

unsigned ppi_messages_queued;

/* ---- the queue ------------------------------------------------------------------------------- */

static void note_queued (void)
{
	ppi_store (&ppi_messages_queued, first < end || lost);
}

/* A line, with its newline [lock]. */
static void add (const char *line, size_t bytes)
{
	if (bytes > QUEUE_BYTES - (end - first)) {
		lost++;
		note_queued ();
		return;
	}
	if (bytes > QUEUE_BYTES - end) {
		memmove (queue, queue + first, end - first);
		end -= first;
		first = 0;
	}
	memcpy (queue + end, line, bytes);
	end += bytes;
	note_queued ();
}

/* Copies the first line, or what there is of it; 0: none. */
static size_t copy_first (char *out)
{
	const char *newline;
	size_t bytes = 0;
	int n;

	ppi_lock ();
	if (first == end && lost) {
		n = snprintf (queue, QUEUE_BYTES,
			      "pp: %llu more messages came while nobody read them, and are lost\n",
			      (unsigned long long) lost);
		first = 0;
		end = (size_t) n;
		lost = 0;
	}
	if (first < end) {
		newline = memchr (queue + first, '\n', end - first);
		bytes = newline ? (size_t) (newline + 1 - queue) - first : end - first;
		if (bytes > LINE_BYTES)
			bytes = LINE_BYTES;
		memcpy (out, queue + first, bytes);
	}
	ppi_unlock ();
	return bytes;
}

static void drop_first (size_t bytes)
{
	ppi_lock ();
	first += bytes;
	if (first == end)
		first = end = 0;
	note_queued ();
	ppi_unlock ();
}

/* ---- writing --------------------------------------------------------------------------------- */

void ppi_messages_unheard_set (bool (*note) (const char *line))
{
	note_unheard = note;
}

/* LINE into the history. False: there is none, yet. */
static bool note (char *line, size_t bytes)
{
	size_t from = bytes > 4 && memcmp (line, "pp: ", 4) == 0 ? 4 : 0;

	line[bytes - (line[bytes - 1] == '\n')] = '\0';
	return note_unheard && note_unheard (line + from);
}

/* Until nothing is left; false: that is not possible now. */
static bool write_some (struct ppi_channel *channel, bool is_last)
{
	char line[LINE_BYTES + 1];
	size_t bytes;

	while ((bytes = copy_first (line)) > 0) {
		ssize_t n = ppi_channel_put (channel, line, bytes);

		if (n < 0 || (n == 0 && is_last)) {
			if (!note (line, bytes))
				return false;
			n = (ssize_t) bytes;
		}
		if (n == 0) {
			again_ns = ppi_real_now_ns () + AGAIN_NS;
			return false;
		}
		drop_first ((size_t) n);
	}
	return true;
}

static void tell_trouble (void)
{
	char line[LINE_BYTES];
	const char *path;
	int error, n;

	path = ppi_channel_trouble (&error);
	if (!path)
		return;
	n = snprintf (line, sizeof line,
		      "pp: PP_LOG=%s can't be written to (%s): messages go to stderr\n", path,
		      strerror (error));
	ppi_lock ();
	add (line, n < (int) sizeof line ? (size_t) n : sizeof line - 1);
	ppi_unlock ();
}

/* With `writing`; true: nothing is left. */
static bool write_all (bool is_last)
{
	struct ppi_channel channel;
	bool is_empty;

	again_ns = 0;
	ppi_channel_open (&channel);
	tell_trouble ();
	is_empty = write_some (&channel, is_last);
	ppi_channel_close (&channel);
	return is_empty;
}

static void flush (bool is_last)
{
	int saved = errno;
	bool go_on = true;

	/* once more where a line came behind the last look, by a thread that saw this one write */
	while (go_on && ppi_load (&ppi_messages_queued) && pthread_mutex_trylock (&writing) == 0) {
		ppi_rank_got (PPI_RANK_WRITING);
		go_on = (is_last || !again_ns || ppi_real_now_ns () >= again_ns) &&
			write_all (is_last);
		ppi_rank_give (PPI_RANK_WRITING);
		pthread_mutex_unlock (&writing);
	}
	errno = saved;
}

void ppi_messages_flush (void)
{
	flush (false);
}

void ppi_messages_last (void)
{
	flush (true);
}

/* ---- fork ------------------------------------------------------------------------------------ */

/*
 * A handler that left the writer by longjmp has left the lock locked. So fork waits for a moment
 * only; without the lock its child may inherit a copy of the writer's descriptor.
 */
void ppi_messages_before_fork (void)
{
	static const struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; i < FORK_TRIES; i++) {
		if (pthread_mutex_trylock (&writing) == 0) {
			ppi_rank_got (PPI_RANK_WRITING);
			ppi_store (&holder, pp_arch_thread_pointer ());
			return;
		}
		nanosleep (&moment, NULL);
	}
}

void ppi_messages_after_fork_parent (void)
{
	if (ppi_load (&holder) != pp_arch_thread_pointer ())
		return;
	ppi_store (&holder, 0);
	ppi_rank_give (PPI_RANK_WRITING);
	pthread_mutex_unlock (&writing);
}

void ppi_messages_after_fork_child (void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	if (ppi_load (&holder) == pp_arch_thread_pointer ())
		pthread_mutex_unlock (&writing);
	else
		writing = fresh;
	ppi_rank_give (PPI_RANK_WRITING);
	ppi_store (&holder, 0);
	first = end = 0;
	lost = 0;
	again_ns = 0;
	note_queued ();
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void (*message_sink) (const char *line, void *arg);

static void *message_arg;

/* What this thread says is somebody's answer. */
static __thread struct ppi_answer *answered __attribute__ ((tls_model ("initial-exec")));

void ppi_message_answer (struct ppi_answer *answer)
{
	answered = answer;
}

void ppi_message_set (void (*sink) (const char *line, void *arg), void *arg)
{
	ppi_lock ();
	message_sink = sink;
	message_arg = arg;
	ppi_unlock ();
}

static void message_out (const char *format, va_list args)
{
	PPI_C_LOCALE;
	char line[1024] = "pp: ";
	size_t used = 4;
	int n = vsnprintf (line + used, sizeof (line) - used - 1, format, args);

	if (n < 0)
		return;
	if (answered) {
		ppi_answer_said (answered, line + used);
		return;
	}
	ppi_text_for_locale (line);
	used = strlen (line);
	ppi_lock ();
	if (message_sink) {
		message_sink (line + 4, message_arg);
	} else {
		line[used++] = '\n';
		add (line, used);
	}
	ppi_unlock ();
}

void ppi_message (const char *format, ...)
{
	va_list args;

	va_start (args, format);
	message_out (format, args);
	va_end (args);
}

void ppi_message_once (const void *what, const char *format, ...)
{
	enum { REMEMBERED = 256 };
	static const void *told[REMEMBERED];
	static unsigned n;
	va_list args;
	bool known = false;

	ppi_lock ();
	for (unsigned i = 0; i < n; i++)
		known |= told[i] == what;
	if (!known && n < REMEMBERED)
		told[n++] = what;
	else
		known = true;
	ppi_unlock ();
	if (known)
		return;
	va_start (args, format);
	message_out (format, args);
	va_end (args);
}
