/* SPDX-License-Identifier: MIT */
/*
 * jobs.c: what actions want written or sent. Files, syslog and reports may be slow, and a signal's
 * handler may run at once: so they are queued with the lock and done by the owner without it, in
 * their order.
 */
#include "assertions/react/jobs.h"

#include "assertions/engine/report_text.h"
#include "base/channel.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/quantity.h"
#include "base/signals.h"
#include "recording/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX 256u
/*
 * Of the library's thread, with a stderr that is slower than a report. The host's threads wait for
 * nobody.
 */
#define PATIENCE_MS 200u

struct job {
	struct job *next;
	enum ppi_job_kind kind;
	int number, thread;
	char *path, *text;
};

/* with the lock */
static struct job *queue, **queue_end = &queue;
static unsigned queued;
static uint64_t dropped;
/* only the owner */
static bool told;

static void destroy (struct job *job)
{
	free (job->path);
	free (job->text);
	free (job);
}

/* The path that PATTERN stands for now; malloced */
static char *expand (const char *pattern)
{
	char out[PATH_MAX];

	return ppi_path_expand (pattern, 1, out, sizeof out) ? strdup (out) : NULL;
}

/* A report of this moment is one, whoever wants it */
static bool is_queued (enum ppi_job_kind kind, const char *path)
{
	for (const struct job *job = queue; job; job = job->next)
		if (job->kind == kind &&
		    (!job->path ? !path : path && strcmp (job->path, path) == 0))
			return true;
	return false;
}

static struct job *create (enum ppi_job_kind kind, const char *path, const char *text, int number,
			   int thread)
{
	struct job *job = calloc (1, sizeof *job);

	if (!job)
		return NULL;
	job->kind = kind;
	job->number = number;
	job->thread = thread;
	job->path = path ? expand (path) : NULL;
	job->text = text ? strdup (text) : NULL;
	if (job->text)
		ppi_text_for_locale (job->text);
	if ((!path || job->path) && (!text || job->text))
		return job;
	destroy (job);
	return NULL;
}

bool ppi_job_add (enum ppi_job_kind kind, const char *path, const char *text, int number,
		  int thread)
{
	struct job *job = queued < JOBS_MAX ? create (kind, path, text, number, thread) : NULL;

	if (!job) {
		if (!dropped++)
			ppi_message ("warning: more is to be written than there is time for; some "
				     "is left out (said once)");
		return false;
	}
	if (kind == PPI_JOB_REPORT && is_queued (kind, job->path)) {
		destroy (job);
		return true;
	}
	*queue_end = job;
	queue_end = &job->next;
	queued++;
	return true;
}

static void failed_because (const char *what, const char *name, const char *why)
{
	if (!told)
		ppi_message ("error: an action can't %s '%s': %s (said once)", what, name, why);
	told = true;
}

static void failed (const char *what, const char *name, int error)
{
	failed_because (what, name, strerror (error));
}

/* All of it, and no signal; false: errno says why not. */
static bool put_whole (int fd, const char *text, size_t bytes)
{
	struct ppi_held held;
	ssize_t n = 0;

	ppi_signals_hold (&held);
	while (bytes && ((n = write (fd, text, bytes)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0) {
			text += n;
			bytes -= (size_t) n;
		}
	ppi_signals_release (&held);
	return !bytes;
}

/* A line with its time, in one write: those of several processes do not mix */
static void write_line (const struct job *job)
{
	int fd = open (job->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		       0644);
	char line[PPI_SENTENCE_BYTES + 128], when[40];
	struct timespec now;
	struct tm tm;
	int n;

	clock_gettime (CLOCK_REALTIME, &now);
	gmtime_r (&now.tv_sec, &tm);
	strftime (when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm);
	n = snprintf (line, sizeof line, "%s.%03ldZ %d %s\n", when, now.tv_nsec / 1000000,
		      (int) getpid (), job->text);
	if (n >= (int) sizeof line) {
		n = (int) sizeof line - 1;
		line[n - 1] = '\n';
	}
	if (fd < 0 || !put_whole (fd, line, (size_t) n))
		failed ("write to", job->path, errno);
	if (fd >= 0)
		close (fd);
}

/* Anew each time; never through a link, nor into what is not this user's own file */
static bool report_to_file (const char *path, const char *text, size_t bytes, char *why,
			    size_t room)
{
	struct ppi_held held;
	bool good;

	ppi_signals_hold (&held);
	good = ppi_file_put (path, PPI_REPLACE_FILE, NULL, text, bytes, why, room) == PP_OK;
	ppi_signals_release (&held);
	return good;
}

/* Where messages go. What isn't taken in time is left out. */
static int report_to_stderr (const char *text, size_t bytes, unsigned patience_ms)
{
	static const struct timespec moment = {.tv_nsec = 2000000};
	struct ppi_channel channel;
	unsigned waited_ms = 0;
	ssize_t n = 0;

	ppi_channel_open (&channel);
	while (bytes && (n = ppi_channel_put (&channel, text, bytes)) >= 0) {
		text += n;
		bytes -= (size_t) n;
		if (n)
			continue;
		if (waited_ms >= patience_ms)
			break;
		nanosleep (&moment, NULL);
		waited_ms += 2;
	}
	ppi_channel_close (&channel);
	return !bytes ? 0 : n < 0 ? EPIPE : EAGAIN;
}

static void write_report (const struct job *job, unsigned patience_ms)
{
	char *text = NULL, why[256] = "no memory";
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);
	bool good = out && pp_report (out) == PP_OK;
	int error;

	if (out)
		good = fclose (out) == 0 && good;
	if (good && job->path)
		good = report_to_file (job->path, text, bytes, why, sizeof why);
	else if (good && (error = report_to_stderr (text, bytes, patience_ms))) {
		snprintf (why, sizeof why, "%s", strerror (error));
		good = false;
	}
	free (text);
	if (!good)
		failed_because ("write the report to", job->path ? job->path : "stderr", why);
}

static void send_signal (const struct job *job)
{
	int result = job->thread ? (int) syscall (SYS_tgkill, getpid (), job->thread, job->number)
				 : kill (getpid (), job->number);

	/* a thread that has ended since needs none any more */
	if (result < 0 && errno != ESRCH)
		failed ("send signal", strsignal (job->number), errno);
}

static struct job *take (void)
{
	struct job *job;

	ppi_lock ();
	job = queue;
	if (job) {
		queue = job->next;
		if (!queue)
			queue_end = &queue;
		queued--;
	}
	ppi_unlock ();
	return job;
}

static uint64_t run (uint64_t now_ns, bool polled)
{
	unsigned patience_ms = polled ? 0 : PATIENCE_MS;
	struct job *job;

	(void) now_ns;
	while ((job = take ())) {
		switch (job->kind) {
		case PPI_JOB_FILE:
			write_line (job);
			break;
		case PPI_JOB_SYSLOG:
			syslog (job->number, "%s", job->text);
			break;
		case PPI_JOB_REPORT:
			write_report (job, patience_ms);
			break;
		case PPI_JOB_SIGNAL:
			send_signal (job);
			break;
		}
		destroy (job);
	}
	return UINT64_MAX;
}

/* The parent's are the parent's */
static void forget (void)
{
	while (queue) {
		struct job *job = queue;

		queue = job->next;
		destroy (job);
	}
	queue_end = &queue;
	queued = 0;
}

const struct ppi_part ppi_jobs_part = {.fork_child = forget, .after_tick = run};
