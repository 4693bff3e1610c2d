/* SPDX-License-Identifier: MIT */
/*
 * recorder.c: writes the recording's file; see recorder.h.
 *
 * The file is opened anew for each write, if it is still the one that was made: a program may close
 * all descriptors and get their numbers for files of its own.
 */
#include "libmetrics/life/recorder.h"

#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/process.h"
#include "base/rank.h"
#include "base/signals.h"
#include "libmetrics/cost/site_state.h"
#include "libmetrics/life/modules.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/load.h"
#include "recording/write.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER; /* of the file, and of RECORDER */

static struct {
	struct ppi_writer writer;
	bool is_open;        /* there is a file */
	bool is_anothers;    /* its name is that of another's by now, which stays */
	enum ppi_bound said; /* of its size */
	struct stat own;     /* which it is */
	char path[PPI_RECORD_PATH];
	uint64_t described_texts, described_used; /* as of the last time; UINT64_MAX: never */
} recorder;

/* What is being made, with the file's lock: a child of fork finds here what it is to close. */
static struct ppi_new_file begun = {.fd = -1, .directory = -1};

static struct ppi_recorder_cost cost; /* with the runtime's lock */

/* ---- whose it is ----------------------------------------------------------------------------- */

static int hex_digit (char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_run (const char *text, uint8_t out[PPI_RUN_BYTES])
{
	if (!text || strlen (text) != (size_t) 2 * PPI_RUN_BYTES)
		return false;
	for (int i = 0; i < PPI_RUN_BYTES; i++) {
		int high = hex_digit (text[2 * i]), low = hex_digit (text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t) (high << 4 | low);
	}
	return true;
}

void ppi_run_id (uint8_t out[PPI_RUN_BYTES])
{
	static uint8_t id[PPI_RUN_BYTES]; /* with the lock */
	static bool known;
	struct timespec now;

	ppi_lock ();
	if (!known && !parse_run (ppi_environment (PPI_ENVIRONMENT_RUN), id) &&
	    getrandom (id, sizeof id, GRND_NONBLOCK) != (ssize_t) sizeof id) {
		/* a machine that has just started */
		clock_gettime (CLOCK_REALTIME, &now);
		memcpy (id, &now, sizeof id < sizeof now ? sizeof id : sizeof now);
		id[15] ^= (uint8_t) getpid ();
	}
	known = true;
	memcpy (out, id, sizeof id);
	ppi_unlock ();
}

/* ---- a moment of the region ------------------------------------------------------------------ */

struct moment {
	const char *region; /* NULL: there is none */
	uint64_t used;
	struct ppi_region_header header; /* as readers are to see it */
	uint8_t run[PPI_RUN_BYTES];
	bool only_streams; /* what is in them, and nothing else */
};

static uint64_t now_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec;
}

static void refresh (void)
{
	ppi_drops_publish ();
	ppi_sites_note ();
	ppi_metrics_note_shares ();
	ppi_region_stamp ();
}

void ppi_recorder_refresh (void)
{
	ppi_lock ();
	if (ppi_region_header ())
		refresh ();
	ppi_unlock ();
}

static void take_header (struct moment *m)
{
	struct ppi_region_header *h = &m->header;

	m->used = ppi_region_used ();
	memcpy (h, m->region, sizeof *h);
	memcpy (h->magic, PPI_RECORDING_MAGIC, sizeof h->magic);
	h->version = PPI_RECORDING_VERSION;
	h->header_bytes = PPI_HEADER_BYTES;
	h->used = h->limit = m->used;
	h->state = PPI_RECORDING_LIVE;
	h->sum = h->zeros = h->interval_ns = 0;
	/* texts end, whatever there is in the region */
	h->program[sizeof h->program - 1] = '\0';
	h->record_path[sizeof h->record_path - 1] = '\0';
}

/*
 * Brings up to date what only the process knows. With the lock, and as short as that can be. Until
 * ppi_reap_release () no thread's samples go elsewhere, where there is a region.
 */
static void take_moment (struct moment *m)
{
	uint64_t began = now_ns ();

	m->region = (const char *) ppi_region_header ();
	if (!m->region)
		return;
	ppi_run_id (m->run);
	refresh ();
	take_header (m);
	ppi_reap_hold ();
	cost.locked_ns += now_ns () - began;
	cost.writes++;
}

struct ppi_recorder_cost ppi_recorder_cost (void)
{
	struct ppi_recorder_cost now;

	ppi_lock ();
	now = cost;
	ppi_unlock ();
	return now;
}

/* ---- the program's modules ------------------------------------------------------------------- */

static int write_modules (struct ppi_writer *writer, uint64_t ns)
{
	static char room[PPI_MODULES_ROOM]; /* with the file's lock */
	size_t bytes = ppi_modules_list (room);

	return ppi_writer_put (writer, PPI_BLOCK_MODULES, 0, ns, ns, NULL, 0, room, bytes);
}

/* ---- streams --------------------------------------------------------------------------------- */

struct taking {
	struct ppi_writer *writer;
	struct moment *moment;
	bool described; /* what the parts' entries name */
	int error;
};

static uint64_t ns_of (const struct ppi_region_header *header, uint64_t ticks)
{
	double ns =
		((double) ticks - (double) header->start_ticks) * header->seconds_per_tick * 1e9;

	return ns > 0 ? header->start_ns + (uint64_t) ns : header->start_ns;
}

/*
 * The texts and sites that entries name were in the region before those were written: they go
 * first, so that a file that is cut behind a part can be read up to there. How far the parts go is
 * settled, so once is enough for all of them. New sites are new chunks of the region's.
 */
static int describe (struct taking *taking)
{
	struct moment *m = taking->moment;
	uint64_t texts = ppi_texts_published (), used = ppi_region_used ();
	int e;

	taking->described = true;
	if (texts == recorder.described_texts && used == recorder.described_used)
		return 0;
	m->used = m->header.used = m->header.limit = used;
	e = ppi_writer_describe (taking->writer, m->region, m->used, &m->header);
	recorder.described_texts = e == 0 ? texts : UINT64_MAX;
	recorder.described_used = used;
	return e;
}

static bool write_part (const struct ppi_stream_part *part, void *arg)
{
	const struct ppi_stream_head head = {part->kind,    part->chunk,       part->offset,
					     part->is_last, part->first_ticks, part->last_ticks};
	struct taking *taking = arg;
	const struct ppi_region_header *header = &taking->moment->header;

	taking->writer->hurries = ppi_streams_hurry (taking->writer->hurries);
	taking->error = taking->described ? 0 : describe (taking);
	if (taking->error == 0)
		taking->error = ppi_writer_put (taking->writer, PPI_BLOCK_STREAM, part->thread,
						ns_of (header, part->first_ticks),
						ns_of (header, part->last_ticks), &head,
						sizeof head, part->data, part->bytes);
	return taking->error == 0;
}

static int write_streams (struct ppi_writer *writer, struct moment *m)
{
	struct taking taking = {writer, m, false, 0};

	(void) ppi_streams_take (true, write_part, &taking);
	writer->hurries = false;
	return taking.error;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A file that does not exist yet, and all that is known now. */
static int begin_file (struct ppi_writer *writer, const struct moment *m)
{
	struct ppi_run run = {.header = m->header};
	struct utsname name;
	int e;

	memcpy (run.id, m->run, sizeof run.id);
	if (uname (&name) == 0)
		memcpy (run.host, name.nodename, strnlen (name.nodename, sizeof run.host - 1));
	e = ppi_writer_run (writer, &run);
	if (e == 0)
		e = write_modules (writer, m->header.now_ns);
	return e == 0 ? ppi_writer_update (writer, m->region, m->used, &m->header,
					   writer->region != 0)
		      : e;
}

static int problem (int e, char *why, size_t room)
{
	if (e == 0)
		return PP_OK;
	snprintf (why, room, "%s", strerror (-e));
	return e == -ENOMEM ? PP_ENOMEM : PP_EIO;
}

/* Puts a new file with WRITER's blocks to its place. It is written by FD, which is closed. */
static int new_file (struct ppi_record_target *to, struct ppi_writer *writer,
		     const struct moment *m, bool finished, struct stat *own, char *why,
		     size_t room)
{
	int e = ppi_file_begin (to->path, to->replace, &to->directory, &begun, why, room);

	if (e != PP_OK)
		return e;
	writer->fd = begun.fd;
	e = begin_file (writer, m);
	if (e == 0 && finished)
		e = ppi_writer_finish (writer, PPI_RECORDING_FINISHED, m->header.now_ns);
	if (e < 0) {
		e = problem (e, why, room);
		ppi_file_abandon (&begun);
	} else {
		*own = begun.own;
		e = ppi_file_commit (&begun, why, room);
		if (e == PP_OK && close (begun.fd) != 0)
			e = problem (-errno, why, room);
		begun.fd = -1;
	}
	writer->fd = -1;
	return e;
}

/* How the file keeps to its max_size, where that is not as one expects it: said once. */
static void say_bound (const struct ppi_record_target *to, enum ppi_bound bound)
{
	if (bound == PPI_BOUND_FITS || bound == recorder.said)
		return;
	recorder.said = bound;
	if (bound == PPI_BOUND_STATE)
		ppi_message ("%s: its newest state alone is larger than max_size: that is kept, "
			     "and no values over time",
			     to->path);
	else
		ppi_message ("%s has reached its max_size, and this file system can't take bytes "
			     "back from a file: nothing more is recorded until the program ends",
			     to->path);
}

/* What is new, and what it has made too much goes. */
static int write_news (const struct ppi_record_target *to, struct moment *m)
{
	struct ppi_writer *writer = &recorder.writer;
	int e = write_streams (writer, m);

	if (m->only_streams)
		return e;
	/* with the texts that those entries name */
	m->used = m->header.used = m->header.limit = ppi_region_used ();
	if (e == 0)
		e = ppi_writer_update (writer, m->region, m->used, &m->header, true);
	if (e == 0 && ppi_writer_bound (writer, to->max_size) == PPI_BOUND_FITS &&
	    writer->whole_next)
		e = ppi_writer_update (writer, m->region, m->used, &m->header, true);
	return e;
}

/* Behind what the file FD has. */
static int go_on (const struct ppi_record_target *to, struct moment *m, bool finished, char *why,
		  size_t room)
{
	struct ppi_writer *writer = &recorder.writer;
	enum ppi_bound bound = ppi_writer_bound (writer, to->max_size);
	int e = 0;

	/* what comes before is read from the region, if there is nobody to write the end */
	writer->rings = finished;
	say_bound (to, bound);
	if (bound != PPI_BOUND_NO_HOLES)
		e = write_news (to, m);
	else if (finished) /* a file that ended well has all samples, however large it is */
		e = ppi_writer_update (writer, m->region, m->used, &m->header, false);
	if (e == 0 && finished)
		e = ppi_writer_finish (writer, PPI_RECORDING_FINISHED, m->header.now_ns);
	return problem (e, why, room);
}

static void hold (struct ppi_held *held)
{
	ppi_rank_take (PPI_RANK_FILE);
	pthread_mutex_lock (&file_lock);
	/* RLIMIT_FSIZE, or a pipe under that name, is an error and no signal */
	ppi_signals_hold (held);
}

static void release (struct ppi_held *held)
{
	ppi_signals_release (held);
	pthread_mutex_unlock (&file_lock);
	ppi_rank_give (PPI_RANK_FILE);
}

/* Is what is at PATH a recording that another process writes just now? WHY says whose. */
static bool is_anothers (const char *path, const struct moment *m, char *why, size_t room)
{
	int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct ppi_run run;
	struct stat st;
	uint32_t state;
	bool is;

	if (fd < 0)
		return false;
	is = fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
	     ppi_run_read (fd, (uint64_t) st.st_size, &run, &state) &&
	     state == PPI_RECORDING_LIVE && run.header.pid != m->header.pid &&
	     ppi_process_presence (run.header.pid, &run.header.who) == PPI_PROCESS_RUNS;
	close (fd);
	if (is)
		snprintf (why, room,
			  "process %u records to a file of that name now: this one records no more",
			  run.header.pid);
	return is;
}

/* False: there is no such file any more; a new one is to be begun. */
static bool write_on (const struct ppi_record_target *to, struct moment *m, bool finished, int *e,
		      char *why, size_t room)
{
	struct ppi_writer *writer = &recorder.writer;
	int fd;

	if (!recorder.is_open || strcmp (recorder.path, to->path) != 0)
		return false;
	if (recorder.is_anothers) {
		*e = problem (-EEXIST, why, room);
		return true;
	}
	fd = ppi_file_reopen (to->path, (struct ppi_directory *) (uintptr_t) &to->directory,
			      &recorder.own, why, room);
	if (fd == -ESTALE && is_anothers (to->path, m, why, room)) {
		recorder.is_anothers = true;
		*e = PP_EIO;
		return true;
	}
	if (fd == -ENOENT || fd == -ESTALE)
		return false;
	/* what may pass, as want of descriptors: the file and all its past stay where they are */
	if (fd < 0) {
		*e = fd == -ENOMEM ? PP_ENOMEM : PP_EIO;
		return true;
	}
	writer->fd = fd;
	*e = go_on (to, m, finished, why, room);
	writer->fd = -1;
	if (close (fd) != 0 && *e == PP_OK)
		*e = problem (-errno, why, room);
	/* what a child of this process or a late thread has to say begins a new one */
	if (finished && *e == PP_OK)
		recorder.is_open = false;
	return true;
}

/*
 * Memory is taken and given back with the runtime's lock: allocators that are not prepared for
 * fork, as sanitizers' are not, must not be in use by our thread at that moment.
 */
static void close_writer (struct ppi_writer *writer)
{
	ppi_lock ();
	ppi_writer_close (writer);
	ppi_unlock ();
}

/* Takes all of a writer's memory, under the lock. REGION: see ppi_writer_open. */
static int open_writer (struct ppi_writer *writer, uint64_t region)
{
	int e = ppi_writer_open (writer, -1, region);

	if (e == 0)
		ppi_writer_warm (writer);
	return e;
}

static int begin_anew (struct ppi_record_target *to, const struct moment *m, char *why, size_t room)
{
	struct ppi_writer writer, former = {.fd = -1};
	struct ppi_held held;
	struct stat own;
	int e;

	ppi_lock ();
	e = open_writer (&writer, ppi_region_most ());
	ppi_unlock ();
	if (e < 0)
		return problem (e, why, room);
	hold (&held);
	e = new_file (to, &writer, m, false, &own, why, room);
	if (e == PP_OK) {
		former = recorder.writer;
		recorder.writer = writer;
		recorder.own = own;
		recorder.is_open = true;
		recorder.described_texts = UINT64_MAX;
		recorder.said = PPI_BOUND_FITS;
		recorder.is_anothers = false;
		memcpy (recorder.path, to->path, sizeof recorder.path);
		writer = (struct ppi_writer){.fd = -1};
	}
	release (&held);
	close_writer (&former);
	close_writer (&writer);
	return e;
}

int ppi_recorder_write (struct ppi_record_target *to, bool finished, char *why, size_t room)
{
	struct moment m = {.region = NULL};
	struct ppi_held held;
	int e = PP_OK, cancellable;
	bool done;

	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancellable);
	ppi_lock ();
	take_moment (&m);
	ppi_unlock ();
	if (!m.region) {
		pthread_setcancelstate (cancellable, NULL);
		return PP_OK;
	}
	m.header.interval_ns = to->interval_ns;
	hold (&held);
	done = write_on (to, &m, finished, &e, why, room);
	release (&held);
	if (!done) {
		e = begin_anew (to, &m, why, room);
		/* what is in streams comes behind the first state */
		if (e == PP_OK && finished) {
			hold (&held);
			(void) write_on (to, &m, true, &e, why, room);
			release (&held);
		}
	}
	ppi_reap_release ();
	pthread_setcancelstate (cancellable, NULL);
	return e;
}

int ppi_recorder_write_streams (const struct ppi_record_target *to, char *why, size_t room)
{
	struct moment m = {.only_streams = true};
	struct ppi_held held;
	int e = PP_OK, cancellable;

	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancellable);
	ppi_lock ();
	m.region = (const char *) ppi_region_header ();
	if (m.region) {
		ppi_region_stamp ();
		take_header (&m);
		m.header.interval_ns = to->interval_ns;
	}
	ppi_unlock ();
	if (m.region) {
		hold (&held);
		(void) write_on (to, &m, false, &e, why, room);
		release (&held);
	}
	pthread_setcancelstate (cancellable, NULL);
	return e;
}

int ppi_recorder_write_once (struct ppi_record_target *to, char *why, size_t room)
{
	struct moment m = {.region = NULL};
	struct ppi_writer writer;
	struct ppi_held held;
	struct stat own;
	int e, cancellable;

	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancellable);
	ppi_lock ();
	take_moment (&m);
	e = m.region ? open_writer (&writer, 0) : -ENOMEM;
	ppi_unlock ();
	if (e < 0) {
		e = problem (e, why, room);
	} else {
		hold (&held);
		e = new_file (to, &writer, &m, true, &own, why, room);
		release (&held);
		close_writer (&writer);
	}
	if (m.region)
		ppi_reap_release ();
	pthread_setcancelstate (cancellable, NULL);
	return e;
}

/* Closes FD, if it is the file OWN: the program may have given that number to one of its own. */
static void close_own (int fd, const struct stat *own)
{
	struct stat st;

	if (fd >= 0 && own->st_ino && fstat (fd, &st) == 0 && st.st_dev == own->st_dev &&
	    st.st_ino == own->st_ino)
		close (fd);
}

void ppi_recorder_forget (void)
{
	static struct ppi_writer parents __attribute__ ((used));
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	file_lock = fresh; /* it may have been held by a thread that the child does not have */
	/*
	 * its memory may be in any state: it stays where it is, and who looks for leaks finds it
	 * here
	 */
	parents = recorder.writer;
	/* nor may it write to the parent's file, if it was forked while that was written */
	close_own (parents.fd, &recorder.own);
	close_own (begun.fd, &begun.own);
	begun.fd = begun.directory = -1;
	memset (&recorder, 0, sizeof recorder);
	recorder.writer.fd = -1;
	cost = (struct ppi_recorder_cost){0, 0};
}
