/* SPDX-License-Identifier: MIT */
/*
 * ps.c: ppctl ps: which processes measure, what is bound in them, and what fires. Read in their
 * live regions: nobody is woken, and nobody has to answer.
 */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "base/types.h"
#include "recording/finish.h"
#include "recording/layout_profile.h"
#include "recording/mailbox.h"
#include "recording/read.h"
#include "report/model.h"
#include "report/read.h"
#include "report/render.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl ps [--json] [WHO]\n\n"
		 "Lists your processes that measure: for how long, at how many sites, how many\n"
		 "metrics, whether they can be asked for something (door), and which of their\n"
		 "assertions fire, the longest first. WHO is one of them: its number, or its\n"
		 "program's name. ppctl report WHO tells more.\n\n"
		 "  --json  one JSON object with a list, processes: times in seconds\n");
}

struct listing {
	struct ppi_report *report;
	struct ppi_table *rows, *notes;
	uint64_t now_ns;
	unsigned n, closed; /* processes that measure; that may not be looked at */
	/* what killed ones left that can't be written where it belongs; the first, in words */
	unsigned stuck;
	const char *stuck_as;
};

/* ---- one process ----------------------------------------------------------------------------- */

/* How long, for people: two units at most. Returns OUT. */
static const char *age (double seconds, char *out, size_t room)
{
	static const struct {
		double s;
		const char *name;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	size_t i = 0;

	while (i < 3 && seconds < units[i].s)
		i++;
	if (i == 3)
		snprintf (out, room, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
	else
		snprintf (out, room, "%d %s %d %s", (int) (seconds / units[i].s), units[i].name,
			  (int) (seconds / units[i + 1].s) % (int) (units[i].s / units[i + 1].s),
			  units[i + 1].name);
	return out;
}

static const char *door_of (const struct ppctl_process *process)
{
	uint64_t at = process->header.mailbox, bytes = (uint64_t) process->bytes;
	char state = ppctl_process_state (process->pid);
	struct ppi_mailbox page;

	if (state == 'T' || state == 't')
		return "stopped";
	if (!at || bytes < sizeof page || at > bytes - sizeof page ||
	    pread (process->fd, &page, sizeof page, (off_t) at) != (ssize_t) sizeof page ||
	    memcmp (page.magic, PPI_MAILBOX_MAGIC, sizeof page.magic) != 0)
		return "none";
	switch (page.door) {
	case PPI_DOOR_OPEN:
		return "open";
	case PPI_DOOR_POLLED:
	case PPI_DOOR_NO_THREAD:
		return "polled";
	default:
		return "closed";
	}
}

static int compare_ids (const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* How many different ones are among the N; they are sorted. */
static size_t different (uint32_t *id, size_t n)
{
	size_t different = 0;

	if (n)
		qsort (id, n, sizeof *id, compare_ids);
	for (size_t i = 0; i < n; i++)
		different += !i || id[i] != id[i - 1];
	return different;
}

/*
 * Sites that metrics are bound to, and those that are recorded, counted or watched: of these the
 * region says it since the newest copy or report.
 */
static void put_bound (const struct listing *listing, struct ppi_row *row,
		       const struct ppi_recording *recording)
{
	size_t most = ppi_recording_count (recording, PPI_CHUNK_BINDING), n = 0, sites = 0,
	       known = ppi_recording_count (recording, PPI_CHUNK_SITE), ways = 0;
	uint32_t *site = ppi_report_take (listing->report, (most + known + 1) * sizeof *site),
		 *metric = ppi_report_take (listing->report, (most + 1) * sizeof *metric);
	const struct ppi_binding_chunk *b = NULL;
	const struct ppi_site_chunk *s = NULL;

	while (site && metric && (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b))) {
		if (!b->bound || n == most)
			continue;
		metric[n++] = b->metric;
		if (b->site)
			site[sites++] = b->site;
	}
	while (site && ways < known && (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s)))
		if (s->way != PPI_WAY_NONE) {
			site[sites++] = s->chunk.id;
			ways++;
		}
	if (!site || !metric)
		return;
	ppi_put_count (row, "sites", different (site, sites));
	ppi_put_count (row, "metrics", different (metric, n));
}

static int compare_ages (const void *a, const void *b)
{
	const struct ppi_assertion_chunk *x = *(const struct ppi_assertion_chunk *const *) a,
					 *y = *(const struct ppi_assertion_chunk *const *) b;

	return (x->since_ns > y->since_ns) - (x->since_ns < y->since_ns);
}

static double seconds_since (const struct listing *listing, uint64_t ns)
{
	return listing->now_ns > ns ? (double) (listing->now_ns - ns) * 1e-9 : 0;
}

/* What fires, and since when. */
static void put_firing (const struct listing *listing, struct ppi_row *row,
			const struct ppi_recording *recording)
{
	size_t most = ppi_recording_count (recording, PPI_CHUNK_ASSERTION), n = 0, used = 0;
	const struct ppi_assertion_chunk *a = NULL, **firing;
	struct ppi_table *table;
	char text[400] = "", since[40];

	ppi_put_count (row, "assertions", most);
	table = ppi_put_table (row, "firing", NULL);
	firing = ppi_report_take (listing->report, (most + 1) * sizeof (void *));
	while (firing && (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a)))
		if (a->state == PP_STATE_FIRING && n < most)
			firing[n++] = a;
	if (n)
		qsort (firing, n, sizeof (void *), compare_ages);
	for (size_t i = 0; i < n; i++) {
		struct ppi_row *one = ppi_row (table);
		double s = seconds_since (listing, firing[i]->since_ns);
		const char *name = ppi_report_copy (listing->report, "%s", firing[i]->name);

		ppi_put_text (one, "name", name);
		ppi_put_text (one, "severity",
			      ppi_severity_name ((enum pp_severity) firing[i]->severity));
		ppi_put_double (one, "since_s", PPI_CELL_NUMBER, s);
		if (used < sizeof text)
			used += (size_t) snprintf (text + used, sizeof text - used, "%s%s for %s",
						   i ? ", " : "", name ? name : "",
						   age (s, since, sizeof since));
	}
	if (!n)
		snprintf (text, sizeof text, most ? "none of %zu" : "-", most);
	ppi_put_text (row, "fires", ppi_report_copy (listing->report, "%s", text));
	ppi_hide (row, "fires");
	if (n)
		ppi_tone (row, "fires", PPI_TONE_BAD);
}

static void note (struct listing *listing, const char *text)
{
	struct ppi_row *row = ppi_row (listing->notes);

	ppi_put_text (row, "text", text);
	ppi_say (row, "{text}\n");
}

/*
 * Is that profile taken now? As long as it is, also in a pause, the process says ten times a
 * second, or with each look, how far it is; and nothing while it is stopped.
 */
static bool is_taken (const struct listing *listing, const struct ppctl_process *process,
		      const struct ppi_profile_chunk *profile)
{
	const double late_s = 3;
	char state = ppctl_process_state (process->pid);

	return state == 'T' || state == 't' ||
	       seconds_since (listing, profile->stop_ns) <=
		       late_s + 3e-9 * (double) profile->period_ns;
}

/* No binding says that a process is profiled. */
static void note_profiled (struct listing *listing, const struct ppctl_process *process,
			   const struct ppi_recording *recording)
{
	const struct ppi_profile_chunk *p = NULL;
	bool is_watched = false, is_sampled = false, is_paused = false;

	while ((p = ppi_recording_next (recording, PPI_CHUNK_PROFILE, p))) {
		if (!is_taken (listing, process, p))
			continue;
		is_watched |= p->chunk.id == PPI_SAMPLER_WATCHER || p->sees_open;
		is_sampled |= p->chunk.id == PPI_SAMPLER_INTERRUPTER;
		is_paused |= p->is_paused;
	}
	if (is_watched || is_sampled)
		note (listing, ppi_report_copy (listing->report,
						"process %d (%s) is profiled: its %s are sampled%s",
						(int) process->pid, process->name,
						!is_sampled   ? "intervals and features"
						: !is_watched ? "functions"
							      : "functions, intervals and features",
						is_paused ? ", which is paused" : ""));
	if (ppi_recording_next (recording, PPI_CHUNK_EXACT, NULL))
		note (listing,
		      ppi_report_copy (listing->report,
				       "process %d (%s): what its features cost is measured",
				       (int) process->pid, process->name));
}

static void put_process (struct listing *listing, const struct ppctl_process *process)
{
	const struct ppi_region_header *h = &process->header;
	struct ppi_recording *recording;
	char path[64], why[600] = "", measured[40];
	double s = seconds_since (listing, h->start_ns);
	struct ppi_row *row;

	/* what others write is copied before it is looked at, as of every region */
	snprintf (path, sizeof path, "/proc/self/fd/%d", process->fd);
	if (ppi_recording_open (path, &recording, why, sizeof why) != 0) {
		note (listing, ppi_report_copy (listing->report, "process %d (%s): %s",
						(int) process->pid, process->name, why));
		return;
	}
	listing->n++;
	row = ppi_row (listing->rows);
	ppi_put_count (row, "pid", (uint64_t) process->pid);
	ppi_put_text (row, "program", ppi_report_copy (listing->report, "%s", process->name));
	ppi_put_double (row, "measured_s", PPI_CELL_NUMBER, s);
	ppi_show (row, "measured_s", "%s", age (s, measured, sizeof measured));
	put_bound (listing, row, recording);
	ppi_put_text (row, "door", door_of (process));
	put_firing (listing, row, recording);
	ppi_say (row, "\n");
	note_profiled (listing, process, recording);
	ppi_recording_close (recording);
}

static void add (struct ppctl_process *process, enum ppctl_found found, void *arg)
{
	struct listing *listing = arg;

	if (found == PPCTL_FOUND)
		put_process (listing, process);
	listing->closed += found == PPCTL_NOT_OURS;
	if (found == PPCTL_OTHER_VERSION)
		note (listing, ppi_report_copy (listing->report,
						"process %d (%s) uses a libpp of another version: "
						"use the ppctl that belongs to it",
						(int) process->pid, process->name));
}

/* ---- those that have ended ------------------------------------------------------------------- */

/* Why nothing can be written beside PATH: "" if it can. */
static const char *folder_problem (const char *path)
{
	char folder[PPI_RECORD_PATH];
	char *slash;

	snprintf (folder, sizeof folder, "%s", path);
	slash = strrchr (folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	return access (slash ? folder : ".", W_OK | X_OK) == 0 ? "" : strerror (errno);
}

/* What becomes of what process PID left as NAME in tmpfs. What can't be written is told later. */
static void note_left (struct listing *listing, unsigned pid, const char *path, const char *name)
{
	const char *problem = *path ? folder_problem (path) : "";

	if (!*path)
		note (listing,
		      ppi_report_copy (listing->report,
				       "process %u was killed, and recorded nowhere", pid));
	else if (!*problem)
		note (listing,
		      ppi_report_copy (listing->report,
				       "process %u was killed: its recording %s is completed now",
				       pid, path));
	else if (!listing->stuck++)
		listing->stuck_as = ppi_report_copy (
			listing->report, "%s (its folder: %s), of process %u in %s/%s", path,
			problem, pid, ppi_regions_directory, name);
}

/* One line for all of them: there may be many, and they stay. */
static void note_stuck (struct listing *listing)
{
	if (listing->stuck && listing->stuck_as)
		note (listing,
		      ppi_report_copy (listing->report,
				       "%u recording%s of processes that were killed can't be "
				       "completed: %s%s. What they measured stays in memory until "
				       "it can be written there, or you remove it",
				       listing->stuck, listing->stuck == 1 ? "" : "s",
				       listing->stuck_as,
				       listing->stuck == 1 ? "" : ", and others"));
}

/* Of a process of this user that was killed, in tmpfs; it is completed when ppctl ends. */
static void put_left (struct listing *listing, int directory, const char *name)
{
	struct ppi_region_header h;
	struct stat st;
	int fd = openat (directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_uid == geteuid () &&
	    pread (fd, &h, sizeof h, 0) == (ssize_t) sizeof h &&
	    memcmp (h.magic, PPI_RECORDING_MAGIC, sizeof h.magic) == 0 &&
	    h.version == PPI_RECORDING_VERSION &&
	    ppi_process_presence (h.pid, &h.who) == PPI_PROCESS_GONE) {
		h.record_path[sizeof h.record_path - 1] = '\0';
		note_left (listing, h.pid, h.record_path, name);
	}
	close (fd);
}

static void put_all_left (struct listing *listing)
{
	DIR *directory = opendir (ppi_regions_directory);
	struct dirent *entry;

	while (directory && (entry = readdir (directory)))
		if (strncmp (entry->d_name, "pp.", 3) == 0)
			put_left (listing, dirfd (directory), entry->d_name);
	if (directory)
		closedir (directory);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void put_headings (struct listing *listing)
{
	struct ppi_row *headings = ppi_row (ppi_table (listing->report, NULL, NULL));
	struct ppi_table *rows = ppi_put_table (headings, "rows", NULL);

	ppi_form (rows, "{pid:*}  {program:-*}<1  {measured_s:*}><2  {sites:*}>"
			"<3  {metrics:*}>  {door:-*}  {fires:~}");
	ppi_head (rows, "pid", "pid");
	ppi_head (rows, "program", "program");
	ppi_head (rows, "measured_s", "measures for");
	ppi_head (rows, "sites", "sites");
	ppi_head (rows, "metrics", "metrics");
	ppi_head (rows, "door", "door");
	ppi_head (rows, "fires", "firing");
	ppi_say (headings, "{#rows}\n{rows}");
	listing->rows = rows;
}

static void put_notes (struct listing *listing, const char *who)
{
	if (listing->closed && !who)
		note (listing,
		      ppi_report_copy (listing->report,
				       "%u process%s can't be looked at: %s more rights than you",
				       listing->closed, listing->closed == 1 ? "" : "es",
				       listing->closed == 1 ? "it has" : "they have"));
	if (!listing->n)
		note (listing,
		      "no process of yours measures: one does that has something bound, or "
		      "was started with PP_CONTROL=1, a policy, or ppctl run");
}

static bool print (struct ppi_report *report, bool json)
{
	struct ppi_look look = ppctl_look (stdout);

	if (report->has_failed)
		return false;
#ifdef HAVE_JANSSON
	if (json)
		return ppi_report_json (stdout, report);
#else
	(void) json;
#endif
	ppi_report_text (stdout, report, &look);
	return true;
}

static int list (const struct ppctl_process *process, const char *who, bool json)
{
	struct listing listing = {.report = ppi_report_begin (NULL)};
	struct timespec now;
	bool done;

	if (!listing.report)
		return ppctl_fail (PPCTL_PROBLEM, "ps", "no memory");
	clock_gettime (CLOCK_MONOTONIC, &now);
	listing.now_ns = (uint64_t) now.tv_sec * UINT64_C (1000000000) + (uint64_t) now.tv_nsec;
	if (json)
		listing.rows = ppi_table (listing.report, "processes", NULL);
	else
		put_headings (&listing);
	listing.notes = ppi_table (listing.report, json ? "notes" : NULL, NULL);
	if (listing.notes)
		listing.notes->indent = 2;
	if (process) {
		put_process (&listing, process);
	} else {
		ppctl_each_process (add, &listing);
		put_all_left (&listing);
		note_stuck (&listing);
	}
	put_notes (&listing, who);
	done = print (listing.report, json);
	ppi_report_free (listing.report);
	return done ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, "ps", "no memory");
}

int ppctl_ps (int argc, char **argv)
{
	bool json = false;
	const struct ppctl_option options[] = {{"json", PPCTL_FLAG, &json, 0}, {0}};
	struct ppctl_process process;
	int status = ppctl_options (argc, argv, "ps", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind > 1)
		return ppctl_wrong ("ps", "it needs one process, or none");
	if (argc == optind)
		return list (NULL, NULL, json);
	status = ppctl_find ("ps", argv[optind], &process);
	if (status != PPCTL_OK)
		return status;
	status = list (&process, argv[optind], json);
	ppctl_leave (&process);
	return status;
}
