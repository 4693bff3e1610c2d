/* SPDX-License-Identifier: MIT */
/*
 * recording.c: where the recording goes, and copies of the region in memory.
 *
 * While a recording is asked for the region's tmpfs file has a name, so that what a killed process
 * measured can be fetched from there. Both paths are in private memory. recorder.c writes the file.
 */
#include "libmetrics/life/recording.h"

#include "base/chunk.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/cost/site_state.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/life/recorder.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/thread/series.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/check.h"
#include "recording/file.h"
#include "recording/finish.h"
#include "recording/flight.h"
#include "recording/layout.h"
#include "recording/load.h"
#include "recording/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { COPY_TRIES = 1000, NUMBERS_MAX = 9999, WHY = 512 };

/*
 * What others of this user left, and is completed when this process names a region: so many, so
 * large, and so long.
 */
#define FINISH_MOST 8
#define FINISH_BYTES (UINT64_C (16) << 20)
#define FINISH_NS UINT64_C (50000000)

/* How often, and how large, where nothing is said of it. */
#define USUAL_NS UINT64_C (1000000000)
#define USUAL_SIZE (UINT64_C (1) << 30)

/* Where the recording goes [lock]: in private memory, so that nobody else can lead it elsewhere. */
static struct target {
	char pattern[PPI_RECORD_PATH]; /* as given; "": nowhere */
	bool overwrite;
	struct ppi_record_target to; /* its path "": nowhere */
	/* the file that the first copy made where there was none; 0: there was one */
	ino_t made;
	size_t first; /* bytes of the path in front of the number behind it; 0: it has none */
} target, former;     /* FORMER: before the last start */

/*
 * What others left is completed by the next copy: their disks may be slow, so it waits until nobody
 * has the lock. Atomic.
 */
static bool others_wait;

static bool wanted;                     /* is there a target? atomic: the library's thread asks */
static uint64_t interval_ns = USUAL_NS; /* likewise */

/* The region's name in tmpfs, "" without, and what it stands for. */
static struct {
	char path[PPI_REGION_PATH];
	dev_t device;
	ino_t inode;
} live;

/* ---- copying --------------------------------------------------------------------------------- */

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

/* Its writer goes on behind what is used. */
static void copy_stream (struct ppi_stream_chunk *out, const struct ppi_stream_chunk *in,
			 size_t bytes)
{
	uint64_t used;

	if (bytes < sizeof *in) /* somebody wrote here */
		return;
	ppi_copy_words (out, in, sizeof *in);
	used = out->used / 8 * 8;
	ppi_copy_words (out->data, in->data, used < bytes - sizeof *in ? used : bytes - sizeof *in);
	if (out->used % 8 && used < bytes - sizeof *in)
		memcpy ((char *) out->data + used, (const char *) in->data + used, out->used % 8);
}

static void copy_chunk (struct ppi_chunk *out, const struct ppi_chunk *in, uint32_t bytes,
			uint16_t type)
{
	switch (type) {
	case PPI_CHUNK_SHARD:
		if (bytes < sizeof (struct ppi_shard)) /* somebody wrote here */
			break;
		copy_shard ((struct ppi_shard *) out, (const struct ppi_shard *) in, bytes);
		break;
	case PPI_CHUNK_NONE: /* not finished */
		break;
	case PPI_CHUNK_STREAM:
		copy_stream ((struct ppi_stream_chunk *) out, (const struct ppi_stream_chunk *) in,
			     bytes);
		break;
	case PPI_CHUNK_FLIGHT:
		ppi_flight_copy ((struct ppi_flight_chunk *) out,
				 (const struct ppi_flight_chunk *) in, bytes);
		break;
	default:
		ppi_copy_words (out, in, bytes);
	}
	out->bytes = bytes;
}

/*
 * Chunks are found by their sizes, which anybody may have written: none leads out of what is USED.
 */
static size_t copy_region (char *out, const struct ppi_region_header *r, uint64_t used)
{
	uint64_t at = PPI_HEADER_BYTES;

	memset (out, 0, used);
	ppi_copy_words (out, r, sizeof (*r));
	while (at + sizeof (struct ppi_chunk) <= used) {
		const struct ppi_chunk *c = (const struct ppi_chunk *) ((const char *) r + at);
		/* the type first: a gap that is given out gets its size before its type */
		uint16_t type = __atomic_load_n (&c->type, __ATOMIC_ACQUIRE);
		uint64_t bytes = __atomic_load_n (&c->bytes, __ATOMIC_ACQUIRE);

		if (!bytes || bytes > used - at || bytes % PPI_CHUNK_ALIGN)
			break; /* given out this very moment */
		copy_chunk ((struct ppi_chunk *) (out + at), c, (uint32_t) bytes, type);
		at += bytes;
	}
	return at;
}

char *ppi_region_image (bool finished, size_t *bytes)
{
	struct ppi_region_header *r = ppi_region_header (), *h;
	uint64_t used;
	char *data;

	ppi_drops_publish ();
	ppi_sites_note ();
	ppi_metrics_note_shares ();
	ppi_region_stamp ();
	used = ppi_region_used ();
	data = aligned_alloc (PPI_CHUNK_ALIGN, used);
	if (!data)
		return NULL;
	h = (struct ppi_region_header *) data;
	used = copy_region (data, r, used);
	memcpy (h->magic, PPI_RECORDING_MAGIC, sizeof (h->magic));
	h->version = PPI_RECORDING_VERSION;
	h->header_bytes = PPI_HEADER_BYTES;
	h->used = h->limit = used;
	/* texts end, whatever there is in the region */
	h->program[sizeof (h->program) - 1] = '\0';
	h->record_path[sizeof (h->record_path) - 1] = '\0';
	/* what it would say of memory is no business of a file's */
	if (finished)
		h->state = PPI_RECORDING_FINISHED;
	ppi_recording_seal (h, used);
	*bytes = used;
	return data;
}

/* Where there is a target, what has changed goes there. */
static int write_target (bool finished, char *why, size_t room)
{
	struct ppi_record_target to;

	ppi_lock ();
	/* with the lock: a child's region is not its parent's, nor is its target */
	to = target.to;
	ppi_unlock ();
	return *to.path ? ppi_recorder_write (&to, finished, why, room) : PP_OK;
}

/* ---- where it goes --------------------------------------------------------------------------- */

/*
 * Gives the unnamed file of the region a name in tmpfs, so that what this process leaves when it is
 * killed can be found.
 */
static void name_live_file (struct ppi_region_header *r)
{
	char from[64], path[PPI_REGION_PATH];
	struct stat st;

	/*
	 * who runs with more rights than its user has leaves nothing that its user could write to
	 */
	if (*live.path || ppi_region_fd () < 0 || getauxval (AT_SECURE))
		return;
	snprintf (from, sizeof (from), "/proc/self/fd/%d", ppi_region_fd ());
	ppi_region_path (r, path, sizeof (path));
	if (fstat (ppi_region_fd (), &st) < 0 ||
	    linkat (AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
		return;
	memcpy (live.path, path, sizeof (path));
	live.device = st.st_dev;
	live.inode = st.st_ino;
	__atomic_store_n (&others_wait, true, __ATOMIC_RELAXED);
}

static void unname_live_file (void)
{
	struct stat st;

	if (*live.path && lstat (live.path, &st) == 0 && st.st_dev == live.device &&
	    st.st_ino == live.inode)
		unlink (live.path);
	live.path[0] = '\0';
}

/*
 * Tells who may have to complete the recording, in memory that others can write to: nothing in this
 * process reads it.
 */
static void leave_hint (void)
{
	struct ppi_region_header *r = ppi_region_header ();

	if (!r || getauxval (AT_SECURE))
		return;
	memcpy (r->record_path, target.to.path, sizeof (r->record_path));
	r->record_device = target.to.directory.device;
	r->record_inode = target.to.directory.inode;
}

static ino_t what_is_there (void)
{
	struct stat st;

	return lstat (target.to.path, &st) == 0 ? st.st_ino : 0;
}

/* Is there no room for a file beside PATH, whoever asks? */
static bool is_full (const char *path)
{
	char directory[sizeof (target.to.path)];
	struct statvfs now;
	char *end;

	snprintf (directory, sizeof (directory), "%s", path);
	end = strrchr (directory, '/');
	if (end)
		*(end == directory ? end + 1 : end) = '\0';
	return statvfs (end ? directory : ".", &now) == 0 && now.f_blocks &&
	       !(now.f_flag & ST_RDONLY) &&
	       (now.f_bavail == 0 || (now.f_files && now.f_favail == 0));
}

/* The first copy. What is there already is replaced if REPLACE, else by the next copy. */
static int write_first (bool replace, char *why, size_t room)
{
	ino_t before = what_is_there ();
	int e;

	if (before && !replace)
		return PP_OK;
	e = write_target (false, why, room);
	target.made = e < 0 || before ? 0 : what_is_there ();
	/* nothing is wrong with its place: the next copy says it, and comes when there is room */
	return e == PP_EIO && is_full (target.to.path) ? PP_OK : e;
}

/* Is it from this process, before it called exec? */
static bool is_of_this_process (const struct ppi_region_header *was,
				const struct ppi_region_header *is)
{
	return was->pid == is->pid && is->who.start &&
	       memcmp (&was->who, &is->who, sizeof is->who) == 0;
}

/*
 * Is what is at PATH a recording of another program of this run, or of this process? That one is
 * never replaced: a process that calls exec keeps its number.
 */
static bool has_to_stay (const char *path)
{
	int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const struct ppi_region_header *r = ppi_region_header ();
	uint8_t own[PPI_RUN_BYTES];
	struct ppi_run run;
	struct stat st;
	uint32_t state;
	bool is;

	if (fd < 0)
		return false;
	ppi_run_id (own);
	is = fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
	     ppi_run_read (fd, (uint64_t) st.st_size, &run, &state) &&
	     (memcmp (run.id, own, sizeof own) == 0 || is_of_this_process (&run.header, r)) &&
	     (run.header.pid != r->pid || run.header.start_ticks != r->start_ticks);
	close (fd);
	return is;
}

/* NAME.2 and so on, where NAME is such a recording. */
static void step_aside (char *path, size_t room)
{
	size_t bytes = strlen (path);

	target.first = 0;
	for (unsigned n = 2; n <= NUMBERS_MAX && has_to_stay (path); n++) {
		snprintf (path + bytes, room - bytes, ".%u", n);
		target.first = bytes;
	}
}

/* The path of TARGET, and the first copy there; with %n the first name that is new. */
static int record_to_target (bool replace, char *why, size_t room)
{
	bool numbered = ppi_path_has (target.pattern, 'n');
	int e = PP_EEXIST;

	for (unsigned n = 1; e == PP_EEXIST && n <= (numbered ? NUMBERS_MAX : 1); n++) {
		if (!ppi_path_expand (target.pattern, n, target.to.path, sizeof (target.to.path))) {
			snprintf (why, room, "the path is too long");
			return PP_EINVAL;
		}
		if (!numbered)
			step_aside (target.to.path, sizeof (target.to.path));
		target.to.directory = (struct ppi_directory){0, 0};
		target.to.replace = numbered           ? PPI_REPLACE_NOTHING
				    : target.overwrite ? PPI_REPLACE_ANY
						       : PPI_REPLACE_RECORDING;
		e = ppi_file_check (target.to.path, target.to.replace, &target.to.directory, why,
				    room);
		if (e == PP_OK)
			e = write_first (replace, why, room);
	}
	target.to.replace = target.overwrite ? PPI_REPLACE_ANY : PPI_REPLACE_RECORDING;
	return e;
}

static void look_for_series (pp_metric *metric, void *any)
{
	*(bool *) any |= ppi_keeps (metric->spec.accumulator, PPI_KEEPS_CHUNKS) && metric->bindings;
}

void ppi_recording_take_series (void)
{
	bool any = false;

	if (ppi_recording_wanted ())
		ppi_metric_each (look_for_series, &any);
	ppi_series_leave_set (any);
}

int ppi_recording_start (const struct ppi_record_wish *wish, bool replace, char *why, size_t room)
{
	const char *pattern = wish->pattern;
	struct ppi_region_header *r;
	bool named = *live.path;
	int e;

	*why = '\0';
	former = target;
	if (strlen (pattern) >= sizeof (target.pattern) ||
	    *ppi_path_problem (pattern, true, why, room)) {
		if (!*why)
			snprintf (why, room, "the path is too long");
		return PP_EINVAL;
	}
	if (ppi_region_init () < 0)
		return PP_ENOMEM;
	r = ppi_region_header ();
	memcpy (target.pattern, pattern, strlen (pattern) + 1);
	target.overwrite = wish->overwrite;
	target.to.interval_ns = wish->interval_ns ? wish->interval_ns : USUAL_NS;
	target.to.max_size = wish->max_size ? wish->max_size : USUAL_SIZE;
	name_live_file (r);
	e = record_to_target (replace, why, room);
	if (e < 0) {
		/*
		 * as it was: an earlier recording goes on, and where there was none nothing stays
		 * behind in tmpfs
		 */
		target = former;
		if (!named)
			unname_live_file ();
		return e;
	}
	leave_hint ();
	__atomic_store_n (&interval_ns, target.to.interval_ns, __ATOMIC_RELAXED);
	__atomic_store_n (&wanted, true, __ATOMIC_RELAXED);
	ppi_recording_take_series ();
	return PP_OK;
}

void ppi_recording_revert (void)
{
	if (target.made && target.made == what_is_there ())
		unlink (target.to.path);
	target = former;
	__atomic_store_n (&interval_ns, target.to.interval_ns, __ATOMIC_RELAXED);
	__atomic_store_n (&wanted, *target.pattern != '\0', __ATOMIC_RELAXED);
	ppi_recording_take_series ();
	leave_hint ();
	if (!*target.pattern)
		unname_live_file ();
}

int ppi_recording_check (const char *pattern, bool overwrite, char *why, size_t room)
{
	char path[sizeof (target.to.path)];
	int e;

	if (*ppi_path_problem (pattern, true, why, room))
		return PP_EINVAL;
	if (!ppi_path_expand (pattern, 1, path, sizeof (path)))
		return snprintf (why, room, "the path is too long"), PP_EINVAL;
	e = ppi_file_check (path,
			    overwrite || ppi_path_has (pattern, 'n') ? PPI_REPLACE_ANY
								     : PPI_REPLACE_RECORDING,
			    NULL, why, room);
	/* it may come until then */
	return e == PP_ENOENT ? PP_OK : e;
}

uint64_t ppi_recording_interval_ns (void)
{
	return __atomic_load_n (&interval_ns, __ATOMIC_RELAXED);
}

bool ppi_recording_wanted (void)
{
	return __atomic_load_n (&wanted, __ATOMIC_RELAXED);
}

void ppi_recording_path (char *out, size_t room)
{
	ppi_lock ();
	snprintf (out, room, "%s", target.to.path);
	ppi_unlock ();
}

void ppi_recording_first (char *out, size_t room)
{
	ppi_lock ();
	snprintf (out, room, "%.*s", (int) target.first, target.to.path);
	ppi_unlock ();
}

/* A child records only to a file of its own. */
void ppi_recording_forget (void)
{
	ppi_recorder_forget ();
	ppi_history_after_fork ();
	live.path[0] = '\0'; /* the parent's */
	former = target;
	target.pattern[0] = target.to.path[0] = '\0';
	__atomic_store_n (&wanted, false, __ATOMIC_RELAXED);
}

void ppi_recording_after_fork (void)
{
	struct target parents = former;
	char why[WHY];

	if ((ppi_path_has (parents.pattern, 'p') || ppi_path_has (parents.pattern, 'n')) &&
	    ppi_recording_start (&(struct ppi_record_wish){parents.pattern, parents.overwrite,
							   parents.to.interval_ns,
							   parents.to.max_size},
				 true, why, sizeof (why)) < 0)
		ppi_message ("the recording of this child can't be begun: %s", why);
}

/* ---- copies ---------------------------------------------------------------------------------- */

int ppi_recording_copy (bool finished)
{
	char why[WHY] = "", path[sizeof (target.to.path)] = "";
	int e = write_target (finished, why, sizeof (why));

	ppi_lock ();
	if (e < 0)
		memcpy (path, target.to.path, sizeof (path));
	else if (finished)
		unname_live_file ();
	ppi_unlock ();
	if (__atomic_exchange_n (&others_wait, false, __ATOMIC_RELAXED))
		ppi_regions_finish (
			&(struct ppi_finish_limits){FINISH_MOST, FINISH_BYTES, FINISH_NS});
	if (e < 0)
		ppi_message_once (&target,
				  "the recording cannot be written to %s: %s; measuring goes on in "
				  "memory, and it is tried again",
				  path, why);
	return e;
}

int ppi_recording_drain (void)
{
	struct ppi_record_target to;
	char why[WHY];

	ppi_lock ();
	to = target.to;
	ppi_unlock ();
	/* an error comes again with the next copy, which tells it */
	return *to.path ? ppi_recorder_write_streams (&to, why, sizeof why) : PP_OK;
}

int pp_record (const char *path)
{
	struct ppi_record_target to = {.replace = PPI_REPLACE_RECORDING};
	int saved = errno, e;
	char why[WHY] = "";

	if (!path || !*path || strlen (path) >= sizeof (to.path))
		return PP_EINVAL;
	memcpy (to.path, path, strlen (path) + 1);
	ppi_parts_figures ();
	ppi_lock ();
	e = ppi_region_init ();
	ppi_unlock (); /* here what nobody heard until now gets into the history */
	if (e == PP_OK)
		e = ppi_recorder_write_once (&to, why, sizeof (why));
	if (e == PP_EEXIST) /* that is about declarations */
		e = PP_EIO;
	errno = saved;
	return e;
}
