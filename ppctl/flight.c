/* SPDX-License-Identifier: MIT */
/*
 * flight.c: ppctl flight: what each thread did last, from the rings of the flight recorder: in a
 * running process's live region, in the one that a killed process left, or in a recording.
 */
#include "base/process.h"
#include "base/quantity.h"
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "profiler/analysis/flight.h"
#include "profiler/analysis/put.h"
#include "recording/finish.h"
#include "recording/names.h"
#include "recording/read.h"

#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl flight [OPTION]... WHO|FILE\n\n"
		"What each thread of a program did last, where a policy says 'events: {flight: "
		"N}':\n"
		"begins, ends and values, in their order and nesting. WHO is a process, by\n"
		"its number or its program's name, also one that was killed and whose live region\n"
		"is there still; FILE a recording, which has the end of the program, and what\n"
		"was dumped when assertions fired.\n\n"
		"  --over TIME      only what took longer, and what is in it: 5ms, 20us\n"
		"  --thread NUMBER  only that thread\n"
		"  --dump NUMBER    only that dump; 0: only how it is now, or was at the end\n");
}

struct flight {
	const struct ppi_recording *recording;
	const struct ppi_region_header *header;
	bool is_running;
	double over_s;     /* NaN: all */
	long thread, dump; /* -1: all */
	/* what times are told from: now, the dump, or the end, as far as it is known */
	uint64_t end_ticks;
	bool is_later;  /* the end was later than that, nobody knows how much */
	unsigned rings; /* that were printed */
};

/* ---- a ring ---------------------------------------------------------------------------------- */

static double seconds (const struct flight *f, uint64_t ticks)
{
	return (double) ticks * f->header->seconds_per_tick;
}

static const char *time_text (double s, char out[PPI_QUANTITY_BYTES])
{
	ppi_quantity_format (s, (struct ppi_dimension){.seconds = 1}, out, PPI_QUANTITY_BYTES);
	ppi_text_for_locale (out);
	return out;
}

/* Right-aligned in WIDTH columns, of which "µ" takes one. */
static void put_column (const char *text, int width)
{
	int columns = 0;

	for (const char *c = text; *c; c++)
		columns += ((unsigned char) *c & 0xc0) != 0x80;
	printf ("%*s%s", columns < width ? width - columns : 0, "", text);
}

static void put_value (const struct flight *f, const struct ppi_flown_value *v)
{
	char text[40];
	double d;

	putchar (' ');
	ppi_put_clean (stdout, ppi_recorded_text (f->recording, v->key));
	switch (v->type) {
	case PP_ABI_VALUE_INT:
		printf ("=%" PRId64, (int64_t) v->word);
		break;
	case PP_ABI_VALUE_DOUBLE:
		memcpy (&d, &v->word, sizeof d);
		printf ("=%s", ppi_real_text (d, text, sizeof text));
		break;
	case PP_ABI_VALUE_BOOL:
		fputs (v->word ? "=true" : "=false", stdout);
		break;
	case PP_ABI_VALUE_UNSIGNED:
		printf ("=%" PRIu64, v->word);
		break;
	case PP_ABI_VALUE_POINTER:
		printf ("=0x%" PRIx64, v->word);
		break;
	case PP_ABI_VALUE_STRING:
		fputs ("=\"", stdout);
		ppi_put_clean (stdout, ppi_recorded_text (f->recording, v->word));
		putchar ('"');
		break;
	default:
		fputs ("=?", stdout);
	}
}

/* How long it took, or has taken until now. */
static double took (const struct flight *f, const struct ppi_flown *item)
{
	switch (item->kind) {
	case PPI_FLOWN_DONE:
	case PPI_FLOWN_SPAN:
		return seconds (f, item->ticks);
	case PPI_FLOWN_OPEN:
		return item->at < f->end_ticks ? seconds (f, f->end_ticks - item->at) : 0;
	default:
		return NAN;
	}
}

static const char *remark (const struct flight *f, enum ppi_flown_kind kind)
{
	switch (kind) {
	case PPI_FLOWN_OPEN:
		return f->is_later ? "  (open, for at least that long)" : "  (open)";
	case PPI_FLOWN_LEFT:
		return "  (left without an end)";
	case PPI_FLOWN_VAGUE:
		return "  (it ended, or another one on another stack)";
	case PPI_FLOWN_SPAN:
		return "  (span)";
	case PPI_FLOWN_END:
		return "  (its end; its begin is older)";
	default:
		return "";
	}
}

/* The site's own name; of whole functions, whose sites are all called "body", the function's. */
static void name_of (const struct flight *f, uint32_t id, char *out, size_t room)
{
	const struct ppi_site_chunk *site = ppi_recording_find (f->recording, PPI_CHUNK_SITE, id);
	const char *file = site ? strchr (site->name, '!') : NULL,
		   *function = file ? strchr (file, ':') : NULL;
	size_t n;

	if (site)
		ppi_site_own_name (site, out, room);
	else
		snprintf (out, room, "?");
	if (!function || strcmp (out, "body") != 0)
		return;
	n = strlen (++function);
	if (strrchr (function, '/'))
		n = (size_t) (strrchr (function, '/') - function);
	snprintf (out, room, "%.*s", n < room ? (int) n : (int) room - 1, function);
}

static void put_line (const struct flight *f, const struct ppi_flown_list *list,
		      const struct ppi_flown *item)
{
	char text[PPI_QUANTITY_BYTES], name[256];
	double s = took (f, item);

	if (item->kind == PPI_FLOWN_DIM)
		printf ("%14s", "");
	else
		printf ("%14.9f",
			((double) item->at - (double) f->end_ticks) * f->header->seconds_per_tick);
	put_column (isnan (s) ? "" : time_text (s, text), 12);
	printf ("  %*s", 2 * (int) (item->depth < 60 ? item->depth : 60), "");
	if (item->kind != PPI_FLOWN_DIM) {
		name_of (f, item->site, name, sizeof name);
		ppi_put_clean (stdout, name);
	}
	for (uint32_t v = item->value; v != PPI_FLOWN_NONE; v = list->value[v].next)
		put_value (f, &list->value[v]);
	puts (remark (f, item->kind));
}

/* What is asked for, and what is in it. */
static bool *choose (const struct flight *f, const struct ppi_flown_list *list)
{
	bool *chosen = calloc (list->n + 1, sizeof *chosen);

	for (uint32_t i = 0; chosen && i < list->n; i++) {
		const struct ppi_flown *item = &list->item[i];

		/* what it is in came before it */
		chosen[i] = isnan (f->over_s) || took (f, item) >= f->over_s ||
			    (item->parent != PPI_FLOWN_NONE && chosen[item->parent]);
	}
	return chosen;
}

static void put_head (const struct flight *f, const struct ppi_flight_chunk *ring,
		      const struct ppi_flown_list *list)
{
	char text[PPI_QUANTITY_BYTES];

	if (ring->dump) {
		printf ("dump %" PRIu32 ", ", ring->dump);
		ppi_put_clean (stdout, ring->why);
		printf (", %s after the start\n",
			time_text (ring->ticks > f->header->start_ticks
					   ? seconds (f, ring->ticks - f->header->start_ticks)
					   : 0,
				   text));
	}
	printf ("thread %" PRIu32 "%s%s, the last %" PRIu32 " begins, ends and values",
		ring->chunk.id, ring->chunk.id == f->header->pid ? " (main)" : "",
		ring->flags & PPI_FLIGHT_HANDLER ? ", in signal handlers" : "", ring->entries);
	if (list->torn)
		printf ("; %u missing that %s being written", list->torn,
			list->torn == 1 ? "was" : "were");
	putchar ('\n');
}

static int put_ring (struct flight *f, const struct ppi_flight_chunk *ring)
{
	struct ppi_flown_list list;
	bool good = ppi_flown_read (ring, &list);
	bool *chosen = good ? choose (f, &list) : NULL;

	good &= chosen != NULL;
	if (good && list.n) {
		if (f->rings++)
			putchar ('\n');
		put_head (f, ring, &list);
		if (memchr (chosen, 1, list.n))
			printf ("%14s%12s  what\n",
				ring->dump      ? "s, to the dump"
				: f->is_running ? "s, to now"
						: "s, to the end",
				"took");
		else
			puts ("none of them took that long");
	}
	for (uint32_t i = 0; good && i < list.n; i++)
		if (chosen[i])
			put_line (f, &list, &list.item[i]);
	free (chosen);
	ppi_flown_free (&list);
	return good ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, "flight", "no memory");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_dump_and_thread (const void *a, const void *b)
{
	const struct ppi_flight_chunk *x = *(const struct ppi_flight_chunk *const *) a;
	const struct ppi_flight_chunk *y = *(const struct ppi_flight_chunk *const *) b;
	/* how it is now comes last */
	uint32_t dump_x = x->dump - 1, dump_y = y->dump - 1;

	if (dump_x != dump_y)
		return dump_x < dump_y ? -1 : 1;
	return x->chunk.id < y->chunk.id ? -1 : x->chunk.id > y->chunk.id;
}

static bool is_asked (const struct flight *f, const struct ppi_flight_chunk *ring)
{
	return (f->thread < 0 || (uint32_t) f->thread == ring->chunk.id) &&
	       (f->dump < 0 || (uint32_t) f->dump == ring->dump);
}

/*
 * When a process that is gone ended. One that ended by itself has said so; of another one it is the
 * newest that is known: what any thread has, or when the library's thread looked last.
 */
static uint64_t find_end (const struct flight *f)
{
	const struct ppi_flight_chunk *ring = NULL;
	uint64_t end = f->header->now_ticks;

	while ((ring = ppi_recording_next (f->recording, PPI_CHUNK_FLIGHT, ring))) {
		struct ppi_flown_list list;

		if (ring->dump)
			continue;
		if (ppi_flown_read (ring, &list))
			end = list.newest > end ? list.newest : end;
		ppi_flown_free (&list);
	}
	return end;
}

static uint64_t now_ticks (const struct ppi_region_header *h)
{
	struct timespec t;
	double ns;

	clock_gettime (CLOCK_MONOTONIC, &t);
	ns = (double) t.tv_sec * 1e9 + (double) t.tv_nsec - (double) h->start_ns;
	return h->start_ticks +
	       (uint64_t) (ns > 0 && h->seconds_per_tick > 0 ? ns * 1e-9 / h->seconds_per_tick : 0);
}

/* What is in no ring for one of these causes; what else is dropped is nothing of a ring's. */
static void put_losses (const struct flight *f)
{
	static const enum pp_drop causes[] = {PP_DROP_DEPTH, PP_DROP_POOL, PP_DROP_FORK,
					      PP_DROP_SIGNAL};

	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
		uint64_t n = ppi_recording_drops (f->recording, causes[i]);

		if (n)
			printf ("%" PRIu64 " dropped (%s): %s\n", n, ppi_drop_name (causes[i]),
				ppi_drop_sentence (causes[i]));
	}
}

/* A policy may have asked for one, of sites that never came. */
static int deny (const struct flight *f)
{
	char missing[400];

	ppi_pending_sites (f->recording, missing, sizeof missing);
	return ppctl_fail (
		PPCTL_PROBLEM, "flight",
		"there is no flight recorder in it: a policy's 'events: {flight: N}' asks "
		"for one%s",
		missing);
}

static int put_all (struct flight *f)
{
	size_t n = ppi_recording_count (f->recording, PPI_CHUNK_FLIGHT), used = 0;
	const struct ppi_flight_chunk **list = calloc (n + 1, sizeof *list), *ring = NULL;
	uint64_t end;
	int status = PPCTL_OK;

	if (!list)
		return ppctl_fail (PPCTL_PROBLEM, "flight", "no memory");
	f->header = ppi_recording_header (f->recording);
	end = f->is_running ? now_ticks (f->header) : find_end (f);
	while (used < n && (ring = ppi_recording_next (f->recording, PPI_CHUNK_FLIGHT, ring)))
		list[used++] = ring;
	qsort (list, used, sizeof *list, by_dump_and_thread);
	for (size_t i = 0; i < used && status == PPCTL_OK; i++) {
		f->end_ticks = list[i]->dump ? list[i]->ticks : end;
		f->is_later = !list[i]->dump && !f->is_running &&
			      f->header->state != PPI_RECORDING_FINISHED;
		if (is_asked (f, list[i]))
			status = put_ring (f, list[i]);
	}
	free (list);
	if (status == PPCTL_OK && !used)
		return deny (f);
	if (status == PPCTL_OK && !f->rings)
		puts ("nothing was kept");
	if (status == PPCTL_OK)
		put_losses (f);
	return status;
}

/* ---- where it is ----------------------------------------------------------------------------- */

static int put_running (struct flight *f, const char *who)
{
	struct ppctl_process process;
	struct ppi_recording *recording;
	char why[600] = "", path[64];
	int status = ppctl_find ("flight", who, &process);

	if (status != PPCTL_OK)
		return status;
	snprintf (path, sizeof path, "/proc/self/fd/%d", process.fd);
	if (ppi_recording_open (path, &recording, why, sizeof why) != 0) {
		status = ppctl_fail (PPCTL_PROBLEM, "flight", "process %d: %s", (int) process.pid,
				     why);
	} else {
		f->recording = recording;
		f->is_running = true;
		status = put_all (f);
		ppi_recording_close (recording);
	}
	ppctl_leave (&process);
	return status;
}

/*
 * The newest region that process WHO, a number, left when it was killed, to PATH; false: there is
 * none.
 */
static bool find_left (const char *who, char *path, size_t room)
{
	char pattern[PPI_REGION_PATH];
	time_t newest = 0;
	bool found = false;
	struct stat st;
	glob_t all;

	if (!*who || strspn (who, "0123456789") != strlen (who) || strlen (who) > 9 ||
	    ppctl_process_state ((pid_t) atol (who)))
		return false;
	snprintf (pattern, sizeof pattern, "%s/pp.%s.*", ppi_regions_directory, who);
	if (glob (pattern, 0, NULL, &all) != 0)
		return false;
	for (size_t i = 0; i < all.gl_pathc; i++)
		if (lstat (all.gl_pathv[i], &st) == 0 && S_ISREG (st.st_mode) &&
		    st.st_uid == geteuid () && (!found || st.st_mtime >= newest)) {
			snprintf (path, room, "%s", all.gl_pathv[i]);
			newest = st.st_mtime;
			found = true;
		}
	globfree (&all);
	return found;
}

static int put_file (struct flight *f, const char *path, bool is_left)
{
	struct ppi_recording *recording;
	char why[600] = "";
	int status = PPCTL_OK;

	if (!is_left)
		status = ppctl_open ("flight", path, &recording);
	else if (ppi_recording_open (path, &recording, why, sizeof why) != 0)
		status = ppctl_fail (PPCTL_PROBLEM, "flight", "%s", why);
	if (status != PPCTL_OK)
		return status;
	f->recording = recording;
	status = put_all (f);
	if (status == PPCTL_OK && is_left && *ppi_recording_header (recording)->record_path)
		printf ("\nit goes on in %s\n", ppi_recording_header (recording)->record_path);
	ppi_recording_close (recording);
	return status;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool read_time (const char *text, double *out)
{
	static const struct {
		const char *name;
		double s;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
	char *end;

	*out = strtod (text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (end != text && *out >= 0 && strcmp (end, units[i].name) == 0) {
			*out *= units[i].s;
			return true;
		}
	return false;
}

static bool read_number (const char *text, long *out)
{
	size_t digits = strspn (text, "0123456789");

	*out = atol (text);
	return digits && !text[digits] && digits <= 10 && *out <= (long) UINT32_MAX;
}

int ppctl_flight (int argc, char **argv)
{
	struct flight f = {.over_s = NAN, .thread = -1, .dump = -1};
	const char *over = NULL, *thread = NULL, *dump = NULL, *who;
	const struct ppctl_option options[] = {{"over", PPCTL_TEXT, &over, 0},
					       {"thread", PPCTL_TEXT, &thread, 0},
					       {"dump", PPCTL_TEXT, &dump, 0},
					       {0}};
	int status = ppctl_options (argc, argv, "flight", options, help);
	char path[PPI_REGION_PATH];

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 1)
		return ppctl_wrong ("flight", "it needs a process or a recording, and just one");
	if (over && !read_time (over, &f.over_s))
		return ppctl_wrong ("flight", "--over is a time, as 5ms or 20us, not '%s'", over);
	if (thread && !read_number (thread, &f.thread))
		return ppctl_wrong ("flight", "--thread is a number, not '%s'", thread);
	if (dump && !read_number (dump, &f.dump))
		return ppctl_wrong ("flight", "--dump is a number, not '%s'", dump);
	who = argv[optind];
	/* a program that runs where it lies is a file of that name, too */
	if (strchr (who, '/') || ppctl_is_recording (who))
		return put_file (&f, who, strncmp (who, "/dev/shm/pp.", 12) == 0);
	if (find_left (who, path, sizeof path))
		return put_file (&f, path, true);
	if (!ppctl_means_process (who) && access (who, F_OK) == 0)
		return put_file (&f, who, false);
	return put_running (&f, who);
}
