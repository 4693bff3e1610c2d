/* SPDX-License-Identifier: MIT */
/*
 * jobs.c: what actions want written or sent. Files, syslog and reports may be slow, and a signal's handler may run at
 * once: so they are queued with the lock and done by the owner without it, in their order.
 */
#include "engine.h"

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

/* PATH with %p as the process id; malloced */
static char *expand (const char *path)
{
	char out[PATH_MAX];
	size_t used = 0;

	for (; *path && used + 16 < sizeof out; path++) {
		if (path[0] == '%' && path[1] == 'p') {
			used += (size_t) snprintf (out + used, sizeof out - used, "%d", (int) getpid ());
			path++;
		} else {
			out[used++] = *path;
		}
	}
	out[used] = '\0';
	return strdup (out);
}

/* A report of this moment is one, whoever wants it */
static bool is_queued (enum ppi_job_kind kind, const char *path)
{
	for (const struct job *job = queue; job; job = job->next)
		if (job->kind == kind && (!job->path ? !path : path && strcmp (job->path, path) == 0))
			return true;
	return false;
}

static struct job *create (enum ppi_job_kind kind, const char *path, const char *text, int number, int thread)
{
	struct job *job = calloc (1, sizeof *job);

	if (!job)
		return NULL;
	job->kind = kind;
	job->number = number;
	job->thread = thread;
	job->path = path ? expand (path) : NULL;
	job->text = text ? strdup (text) : NULL;
	if ((!path || job->path) && (!text || job->text))
		return job;
	destroy (job);
	return NULL;
}

bool ppi_job_add (enum ppi_job_kind kind, const char *path, const char *text, int number, int thread)
{
	struct job *job = queued < JOBS_MAX ? create (kind, path, text, number, thread) : NULL;

	if (!job) {
		if (!dropped++)
			ppi_message ("warning: more is to be written than there is time for; some is left out (said "
				     "once)");
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

static void failed (const char *what, const char *name, int error)
{
	if (!told)
		ppi_message ("error: an action can't %s '%s': %s (said once)", what, name, strerror (error));
	told = true;
}

/* A line with its time, in one write: those of several processes do not mix */
static void write_line (const struct job *job)
{
	int fd = open (job->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
	char line[PPI_SENTENCE_BYTES + 128], when[40];
	struct timespec now;
	struct tm tm;
	int n;

	clock_gettime (CLOCK_REALTIME, &now);
	gmtime_r (&now.tv_sec, &tm);
	strftime (when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm);
	n = snprintf (line, sizeof line, "%s.%03ldZ %d %s\n", when, now.tv_nsec / 1000000, (int) getpid (), job->text);
	if (n >= (int) sizeof line) {
		n = (int) sizeof line - 1;
		line[n - 1] = '\n';
	}
	if (fd < 0 || write (fd, line, (size_t) n) != n)
		failed ("write to", job->path, errno);
	if (fd >= 0)
		close (fd);
}

static void write_report (const struct job *job)
{
	FILE *out = job->path ? fopen (job->path, "we") : stderr;
	bool good = out && pp_report (out) == PP_OK && fflush (out) == 0;

	if (out && job->path)
		good = fclose (out) == 0 && good;
	if (!good)
		failed ("write the report to", job->path ? job->path : "stderr", errno ? errno : EIO);
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

void ppi_jobs_run (void)
{
	struct job *job;

	while ((job = take ())) {
		switch (job->kind) {
		case PPI_JOB_FILE:
			write_line (job);
			break;
		case PPI_JOB_SYSLOG:
			syslog (job->number, "%s", job->text);
			break;
		case PPI_JOB_REPORT:
			write_report (job);
			break;
		case PPI_JOB_SIGNAL:
			send_signal (job);
			break;
		}
		destroy (job);
	}
}

/* The parent's are the parent's */
void ppi_jobs_after_fork (void)
{
	while (queue) {
		struct job *job = queue;

		queue = job->next;
		destroy (job);
	}
	queue_end = &queue;
	queued = 0;
}
