/* SPDX-License-Identifier: MIT */
/*
 * recording.c: the event log, and copies of the region to a file.
 *
 * A copy is written beside its target and renamed over it, so that the file is whole at every moment. Shards are
 * copied under their sequence count, each consistent in itself. While a recording is asked for the region's tmpfs
 * file has a name, so that what a killed process measured can be fetched from there.
 */
#include "accumulate_int.h"
#include "base.h"
#include "region.h"
#include "report.h"
#include "site_state.h"
#include "thread.h"
#include "thread_life.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_MAX = 4096, COPY_TRIES = 1000 };

static unsigned n_events;
static char *pattern; /* as given, with %p; atomic: the library's thread asks whether there is one */
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER; /* of files being written */

/* ---- events ------------------------------------------------------------------------------------------------------ */

void ppi_event (enum ppi_event_kind kind, const char *name, const char *text, const double *values, unsigned n_values)
{
	size_t name_bytes = strlen (name ? name : "") + 1, text_bytes = strlen (text ? text : "") + 1;
	struct ppi_event_chunk *e = NULL;

	ppi_lock ();
	if (n_events < EVENTS_MAX)
		e = ppi_region_alloc (sizeof (*e) + name_bytes + text_bytes);
	else
		ppi_drop (NULL, PP_DROP_POOL, 1);
	if (e) {
		e->kind = kind;
		e->thread = (uint32_t) gettid ();
		e->ns = ppi_now_ns ();
		for (unsigned i = 0; i < 4; i++)
			e->value[i] = i < n_values ? values[i] : 0;
		memcpy (e->text, name ? name : "", name_bytes);
		memcpy (e->text + name_bytes, text ? text : "", text_bytes);
		ppi_region_publish (&e->chunk, PPI_CHUNK_EVENT, ++n_events);
	}
	ppi_unlock ();
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* PATTERN with %p for the process id and %% for a percent sign; false: too long. */
static bool expand (const char *from, char *out, size_t room)
{
	size_t n = 0;
	int k;

	for (; *from; from++) {
		if (from[0] == '%' && from[1] == 'p') {
			k = snprintf (out + n, room - n, "%d", getpid ());
			n += (size_t) k;
			from++;
		} else {
			from += from[0] == '%' && from[1] == '%';
			out[n++] = *from;
		}
		if (n + 1 >= room)
			return false;
	}
	out[n] = '\0';
	return true;
}

/* An absolute path: the program may change its directory. */
static bool absolute (const char *path, char *out, size_t room)
{
	char here[4096] = "";
	int n;

	if (*path != '/' && !getcwd (here, sizeof (here)))
		return false;
	n = snprintf (out, room, "%s%s%s", here, *here ? "/" : "", path);
	return n > 0 && (size_t) n < room;
}

/* Gives the unnamed file of the region a name in tmpfs; memory without one leaves live_path empty. */
static void name_live_file (struct ppi_region_header *r)
{
	char from[64];

	if (*r->live_path || ppi_region_fd () < 0)
		return;
	snprintf (from, sizeof (from), "/proc/self/fd/%d", ppi_region_fd ());
	snprintf (r->live_path, sizeof (r->live_path), "/dev/shm/pp.%d.%llu", getpid (),
		  (unsigned long long) r->start_realtime_ns);
	if (linkat (AT_FDCWD, from, AT_FDCWD, r->live_path, AT_SYMLINK_FOLLOW) < 0)
		r->live_path[0] = '\0';
}

static void unname_live_file (struct ppi_region_header *r)
{
	if (*r->live_path)
		unlink (r->live_path);
	r->live_path[0] = '\0';
}

/* Sets where the recording goes and writes it there once. */
static int record_to (struct ppi_region_header *r, const char *path)
{
	char expanded[sizeof (r->record_path)];

	if (!expand (path, expanded, sizeof (expanded)) ||
	    !absolute (expanded, r->record_path, sizeof (r->record_path))) {
		ppi_message ("the recording's path \"%s\" is too long", path);
		return PP_EINVAL;
	}
	name_live_file (r);
	return ppi_recording_copy (false);
}

int ppi_recording_start (const char *path)
{
	struct ppi_region_header *r;
	char former_path[sizeof (r->record_path)], *former = pattern;
	char *copy = path && *path ? strdup (path) : NULL;
	bool named;
	int e;

	if (path && *path && !copy)
		return PP_ENOMEM;
	if (!copy) {
		free (former);
		__atomic_store_n (&pattern, NULL, __ATOMIC_RELAXED);
		if ((r = ppi_region_header ())) {
			r->record_path[0] = '\0';
			unname_live_file (r);
		}
		return PP_OK;
	}
	if (ppi_region_init () < 0) {
		free (copy);
		return PP_ENOMEM;
	}
	r = ppi_region_header ();
	named = *r->live_path;
	memcpy (former_path, r->record_path, sizeof (former_path));
	__atomic_store_n (&pattern, copy, __ATOMIC_RELAXED);
	e = record_to (r, path);
	if (e >= 0) {
		free (former);
		return e;
	}
	/* as it was: an earlier recording goes on, and where there was none nothing stays behind in tmpfs */
	__atomic_store_n (&pattern, former, __ATOMIC_RELAXED);
	free (copy);
	memcpy (r->record_path, former_path, sizeof (former_path));
	if (!named)
		unname_live_file (r);
	return e;
}

bool ppi_recording_wanted (void)
{
	return __atomic_load_n (&pattern, __ATOMIC_RELAXED) != NULL;
}

/* A child records only to a file of its own. */
void ppi_recording_after_fork (void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	char *old = pattern;

	file_lock = fresh; /* it may have been held by a thread that the child does not have */
	n_events = 0;
	__atomic_store_n (&pattern, NULL, __ATOMIC_RELAXED);
	if (old && strstr (old, "%p"))
		ppi_recording_start (old);
	free (old);
}

/* ---- copying ----------------------------------------------------------------------------------------------------- */

/* A shard as it is between two samples; where its owner died amid one, as it is. */
static void copy_shard (struct ppi_shard *out, const struct ppi_shard *in, size_t bytes)
{
	uint32_t seq;

	for (int i = 0; i < COPY_TRIES; i++) {
		seq = __atomic_load_n (&in->seq, __ATOMIC_ACQUIRE);
		ppi_copy_words (out, in, bytes);
		if (!(seq & 1) && __atomic_load_n (&in->seq, __ATOMIC_RELAXED) == seq)
			break;
	}
}

/* A thread's open intervals and tables are its own, and mean nothing elsewhere: what it dropped is all that readers want. */
static void copy_thread (struct ppi_thread *out, const struct ppi_thread *in)
{
	ppi_copy_words (&out->chunk, &in->chunk, sizeof (in->chunk));
	ppi_copy_words (out->drops, in->drops, sizeof (in->drops));
}

static void copy_chunk (struct ppi_chunk *out, const struct ppi_chunk *in, uint32_t bytes, uint16_t type)
{
	switch (type) {
	case PPI_CHUNK_SHARD:
		copy_shard ((struct ppi_shard *) out, (const struct ppi_shard *) in, bytes);
		break;
	case PPI_CHUNK_THREAD:
		copy_thread ((struct ppi_thread *) out, (const struct ppi_thread *) in);
		break;
	case PPI_CHUNK_FRAMES:
	case PPI_CHUNK_TABLE:
		ppi_copy_words (out, in, sizeof (*in));
		break;
	case PPI_CHUNK_NONE: /* not finished */
		break;
	default:
		ppi_copy_words (out, in, bytes);
	}
	out->bytes = bytes;
}

static size_t copy_region (char *out, const struct ppi_region_header *r, uint64_t used)
{
	uint64_t at = r->header_bytes;

	memset (out, 0, used);
	ppi_copy_words (out, r, sizeof (*r));
	while (at + sizeof (struct ppi_chunk) <= used) {
		const struct ppi_chunk *c = (const struct ppi_chunk *) ((const char *) r + at);
		/* the type first: a gap that is given out gets its size before its type */
		uint16_t type = __atomic_load_n (&c->type, __ATOMIC_ACQUIRE);
		uint64_t bytes = __atomic_load_n (&c->bytes, __ATOMIC_ACQUIRE);

		if (!bytes || bytes > used - at)
			break; /* given out this very moment */
		copy_chunk ((struct ppi_chunk *) (out + at), c, (uint32_t) bytes, type);
		at += bytes;
	}
	return at;
}

static bool write_all (int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write (fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		bytes -= (size_t) n;
	}
	return true;
}

static int write_file (const char *path, const char *data, size_t bytes)
{
	char temporary[sizeof (((struct ppi_region_header *) 0)->record_path) + 32];
	int fd, saved;
	bool good;

	snprintf (temporary, sizeof (temporary), "%s.%d.tmp", path, getpid ());
	fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return PP_EIO;
	good = write_all (fd, data, bytes);
	good = close (fd) == 0 && good;
	good = good && rename (temporary, path) == 0;
	saved = errno;
	if (!good)
		unlink (temporary);
	errno = saved;
	return good ? PP_OK : PP_EIO;
}

/* The region as it is now, whole; NULL: no memory. With the lock. */
static char *snapshot (bool finished, size_t *bytes)
{
	struct ppi_region_header *r = ppi_region_header (), *h;
	uint64_t used;
	char *data;

	ppi_drops_publish ();
	ppi_sites_note ();
	ppi_region_stamp ();
	used = __atomic_load_n (&r->used, __ATOMIC_ACQUIRE);
	data = malloc (used);
	if (!data)
		return NULL;
	h = (struct ppi_region_header *) data;
	used = copy_region (data, r, used);
	h->used = h->limit = used;
	if (finished) {
		h->state = PPI_RECORDING_FINISHED;
		h->live_path[0] = '\0';
	}
	*bytes = used;
	return data;
}

/*
 * Writes DATA without the runtime's lock, which nobody should wait for because a disk is slow; one thread at a time, the
 * newest last. Takes DATA.
 */
static int write_snapshot (const char *path, char *data, size_t bytes)
{
	int e, cancellable;

	if (!data)
		return PP_ENOMEM;
	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancellable);
	pthread_mutex_lock (&file_lock);
	e = write_file (path, data, bytes);
	pthread_mutex_unlock (&file_lock);
	pthread_setcancelstate (cancellable, NULL);
	/* allocators that are not prepared for fork, as sanitizers' are not, must not be in use by our thread at that moment */
	ppi_lock ();
	free (data);
	ppi_unlock ();
	return e;
}

int ppi_recording_copy (bool finished)
{
	struct ppi_region_header *r;
	char path[sizeof (r->record_path)] = "", *data = NULL;
	size_t bytes = 0;
	int e;

	ppi_lock ();
	r = ppi_region_header (); /* with the lock: a child's is not its parent's */
	if (r && pattern && *r->record_path) {
		memcpy (path, r->record_path, sizeof (path));
		data = snapshot (finished, &bytes);
	}
	ppi_unlock ();
	if (!*path)
		return PP_OK;
	e = write_snapshot (path, data, bytes);
	if (e < 0) {
		ppi_message_once (r->record_path, "the recording cannot be written to %s: %s", path, strerror (errno));
	} else if (finished) {
		ppi_lock ();
		unname_live_file (r);
		ppi_unlock ();
	}
	return e;
}

int pp_record (const char *path)
{
	int saved = errno, e;
	char *data = NULL;
	size_t bytes = 0;

	if (!path || !*path)
		return PP_EINVAL;
	ppi_figures_call ();
	ppi_lock ();
	e = ppi_region_init ();
	if (e == PP_OK)
		data = snapshot (true, &bytes);
	ppi_unlock ();
	if (e == PP_OK)
		e = write_snapshot (path, data, bytes);
	errno = saved;
	return e;
}
