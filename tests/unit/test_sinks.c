/* SPDX-License-Identifier: MIT */
/*
 * test_sinks.c: what else than metrics is bound to a site (libmetrics/marker/sink.h): marks, which
 * other threads see while they are open, and records, which become entries of a stream. Their users
 * are here.
 */
#include "base/lock.h"
#include "libmetrics/code/block.h"
#include "libmetrics/cost/self.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/event.h"
#include "recording/layout.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <fcntl.h>
#include <pp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile long sink;

/* Called where everything is open that shall be. */
static void (*look) (void);

static void look_now (void)
{
	if (look)
		look ();
}

/* clang-format off */
NOIPA void inner (void);
NOIPA void inner (void) { PP_INTERVAL (in) { sink++; look_now (); } }
NOIPA void plain (void);
NOIPA void plain (void) { PP_INTERVAL (between) inner (); }
NOIPA void outer (void);
NOIPA void outer (void) { PP_INTERVAL (out) plain (); }
NOIPA void nested (int n);
NOIPA void nested (int n) { PP_INTERVAL (deep) { if (n > 1) nested (n - 1); else look_now (); } }
NOIPA void instance (long which);
NOIPA void instance (long which) { PP_FEATURE_PAYLOAD (part, which) sink++; look_now (); }
NOIPA void spoken (const char *word);
NOIPA void spoken (const char *word) { PP_FEATURE_PAYLOAD (lib.spoken, word) sink++; look_now (); }
NOIPA void request (long size, double price);
NOIPA void request (long size, double price) { PP_INTERVAL_DIM (request, size=size, price=price) sink++; }
NOIPA void happens (long value);
NOIPA void happens (long value) { PP_POINT_VALUE (happens, value) sink++; }
NOIPA void leaps (jmp_buf to);
NOIPA void leaps (jmp_buf to)
{
	/* so that the next marker is further up */
	char room[4096];

	__asm__ volatile("" ::"r"(room) : "memory");
	PP_INTERVAL (left)
	longjmp (to, 1);
}
/* clang-format on */

static long begins (void)
{
	inner ();
	return 0;
}

static long ends (const long *begun)
{
	return *begun;
}

#pragma pp metric interrupts interval sumcount(begins, ends)

NOIPA void interrupted (void);
NOIPA void interrupted (void)
{
#pragma pp interval interrupted(interrupts)
	sink++;
}

NOIPA void around (void);
NOIPA void around (void)
{
	PP_INTERVAL (about)
	interrupted ();
}

static pp_site *site_of (const char *name)
{
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (strcmp (s->name, name) == 0)
			return s;
	ck_abort_msg ("there is no %s", name);
	return NULL;
}

static int tap (const char *name, enum ppi_sink_id id, bool on)
{
	char why[200] = "";
	int r = PP_OK;

	ppi_lock ();
	ppi_batch_begin ();
	if (on)
		r = ppi_tap_acquire (site_of (name), id, why, sizeof (why));
	else
		ck_assert (ppi_tap_release (site_of (name), id));
	ck_assert_int_eq (ppi_batch_end (), PP_OK);
	ppi_unlock ();
	ck_assert (!r == !why[0]);
	return r;
}

static void marks (const char *name)
{
	ppi_lock ();
	ck_assert_int_eq (ppi_texts_prepare (0), PP_OK);
	ppi_unlock ();
	ck_assert_int_eq (tap (name, PPI_SINK_MARK, true), PP_OK);
}

/* What is open in the calling thread, the newest first: "in out" */
#define ROOM 16
static struct ppi_open open_now[ROOM];
static unsigned n_open, n_more;
static char names[200];

static const struct ppi_thread *state (void)
{
	for (const struct ppi_thread *t = ppi_threads; t; t = t->next)
		if (!t->owner && t->id == (uint32_t) gettid ())
			return t;
	return NULL;
}

static const char *name_of (const struct ppi_open *open)
{
	for (const pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->id == PPI_MARK_SITE (open->what))
			return s->name;
	return "?";
}

static void see (void)
{
	int n = state () ? ppi_marks_read (state (), open_now, ROOM, &n_more) : 0;

	/* nobody changes anything while this thread looks at itself */
	ck_assert_int_ge (n, 0);
	n_open = (unsigned) n;
	names[0] = '\0';
	for (unsigned i = 0; i < n_open; i++) {
		strcat (strcat (names, i ? " " : ""), name_of (&open_now[i]));
		ck_assert (!i || open_now[i].order < open_now[i - 1].order);
	}
}

static void start (void)
{
	ppi_runtime_start ();
	look = see;
}

static void start_without_blocks (void)
{
	start ();
	ppi_blocks_set (false);
}

static struct ppi_top newest (const void *region, size_t bytes, unsigned thread)
{
	struct ppi_top best = {0};

	for (size_t at = PPI_HEADER_BYTES; at + sizeof (struct ppi_chunk) <= bytes;) {
		const struct ppi_top_chunk *c = (const void *) ((const char *) region + at);

		for (int i = 0; c->chunk.type == PPI_CHUNK_TOP && c->chunk.id == thread && i < 2;
		     i++)
			if (c->top[i].what && c->top[i].order > best.order)
				best = c->top[i];
		at += c->chunk.bytes ? c->chunk.bytes : PPI_CHUNK_ALIGN;
	}
	return best;
}

static const char *top_name (void)
{
	struct ppi_top top = newest (ppi_region, ppi_region_used (), (unsigned) gettid ());
	struct ppi_open open = {.what = top.what};

	return top.what ? name_of (&open) : "";
}

/* ---- sinks ----------------------------------------------------------------------------------- */

START_TEST (every_sink_has_a_descriptor_and_one_is_of_bindings)
{
	unsigned bound = 0;

	for (unsigned i = 0; i < PPI_SINKS_COUNT; i++) {
		ck_assert (ppi_sinks[i] && ppi_sinks[i]->name[0]);
		ck_assert (ppi_sinks[i]->take || ppi_sinks[i]->marks || ppi_sinks[i]->leaves);
		bound += ppi_sinks[i]->is_bound;
	}
	ck_assert_uint_eq (bound, 1);
	ck_assert (ppi_sinks[PPI_SINK_ACCUMULATE]->is_bound);
}
END_TEST

START_TEST (plans_of_metrics_alone_have_neither_marks_nor_room_for_them)
{
	pp_metric *m = NULL;

	ck_assert_int_eq (pp_metric_new (&m, "m", "interval sumcount(elapsed)"), PP_OK);
	ck_assert_int_eq (pp_bind (m, "in", 0), 1);
	inner ();
	ck_assert_str_eq (names, "");
	ck_assert (!site_of ("in")->plan->marked);
	ck_assert_uint_eq (site_of ("in")->plan->value_slots, 0);
	ck_assert_uint_eq (site_of ("in")->plan->n_all, 1);
}
END_TEST

START_TEST (what_a_site_cannot_have_is_refused_with_the_reason)
{
	ck_assert_int_eq (tap ("happens", PPI_SINK_MARK, true), PP_EKIND);
}
END_TEST

/* Of each kind that is called so. */
static void marks_all (const char *name)
{
	char why[200] = "";

	ppi_lock ();
	ck_assert_int_eq (ppi_texts_prepare (0), PP_OK);
	ppi_batch_begin ();
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (strcmp (s->name, name) == 0)
			ck_assert_int_eq (ppi_tap_acquire (s, PPI_SINK_MARK, why, sizeof why),
					  PP_OK);
	ck_assert_int_eq (ppi_batch_end (), PP_OK);
	ppi_unlock ();
}

/* ---- marks ----------------------------------------------------------------------------------- */

START_TEST (marked_intervals_are_seen_while_they_are_open_the_newest_first)
{
	marks ("in");
	marks ("out");
	outer ();
	ck_assert_str_eq (names, "in out");
	ck_assert_uint_eq (PPI_MARK_KIND (open_now[0].what), PP_ABI_SITE_INTERVAL);
	ck_assert_uint_eq (PPI_MARK_PAYLOAD (open_now[0].what), PP_ABI_VALUE_NONE);
	see ();
	ck_assert_str_eq (names, "");
	inner ();
	ck_assert_str_eq (names, "in");
}
END_TEST

START_TEST (recursion_is_seen_as_deep_as_it_is_and_what_has_no_room_is_counted)
{
	marks ("deep");
	nested (ROOM + 5);
	ck_assert_uint_eq (n_open, ROOM);
	ck_assert_uint_eq (n_more, 5);
	/* over the ends of pages, too */
	nested (100);
	ck_assert_uint_eq (n_more, 100 - ROOM);
	see ();
	ck_assert_uint_eq (n_open + n_more, 0);
}
END_TEST

START_TEST (an_instance_of_a_feature_has_its_payload)
{
	marks ("part");
	instance (4711);
	ck_assert_str_eq (names, "part");
	ck_assert_uint_eq (PPI_MARK_KIND (open_now[0].what), PP_ABI_SITE_FEATURE);
	ck_assert_uint_eq (PPI_MARK_PAYLOAD (open_now[0].what), PP_ABI_VALUE_INT);
	ck_assert_uint_eq (open_now[0].payload, 4711);
}
END_TEST

/* The text of that number, as it lies in the region; NULL: there is none. */
static const char *text_of (uint64_t number)
{
	for (size_t at = PPI_HEADER_BYTES; at < ppi_region_used ();) {
		const struct ppi_texts_chunk *c = (const void *) ((const char *) ppi_region + at);

		if (c->chunk.type == PPI_CHUNK_TEXTS &&
		    c->chunk.id == (number - 1) / PPI_TEXTS_OF_CHUNK + 1)
			return (const char *) c +
			       (uint32_t) c->place[(number - 1) % PPI_TEXTS_OF_CHUNK];
		at += c->chunk.bytes;
	}
	return NULL;
}

static uint64_t said (const char *word)
{
	char copy[1100];

	strcpy (copy, word);
	spoken (copy);
	memset (copy, 'x', strlen (copy));
	ck_assert_str_eq (names, "lib.spoken");
	return open_now[0].payload;
}

START_TEST (a_text_that_is_a_payload_is_copied_at_the_mark_once_each)
{
	char longer[1100];
	uint64_t one, two, cut;

	marks ("lib.spoken");
	one = said ("one");
	two = said ("two");
	ck_assert_uint_eq (PPI_MARK_PAYLOAD (open_now[0].what), PP_ABI_VALUE_STRING);
	ck_assert_str_eq (text_of (one), "one");
	ck_assert_str_eq (text_of (two), "two");
	ck_assert_uint_eq (said ("one"), one);
	ck_assert_str_eq (text_of (said ("")), "");
	/* what is cut is cut between characters */
	memset (longer, 'a', sizeof longer - 1);
	memcpy (longer + PPI_TEXT_MOST - 1, "\u00fc", 2);
	longer[sizeof longer - 1] = '\0';
	cut = said (longer);
	ck_assert_uint_eq (strlen (text_of (cut)), PPI_TEXT_MOST - 1);
	ck_assert (strncmp (text_of (cut), longer, PPI_TEXT_MOST - 1) == 0);
	spoken (NULL);
	ck_assert_uint_eq (PPI_MARK_PAYLOAD (open_now[0].what), PP_ABI_VALUE_NONE);
}
END_TEST

static const char *volatile called_feature = "lib.called";

START_TEST (features_and_antimarks_that_are_calls_have_payloads_too)
{
	pp_feature_begin (called_feature, "x");
	pp_feature_end (called_feature);
	pp_antimark_begin (called_feature);
	pp_antimark_end (called_feature);
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (strcmp (s->name, called_feature) == 0)
			ck_assert (s->kind == PP_ABI_SITE_FEATURE ||
				   s->kind == PP_ABI_SITE_ANTIMARK);
	marks_all (called_feature);
	pp_feature_begin (called_feature, "in \"quotes\"");
	see ();
	ck_assert_uint_eq (n_open, 1);
	ck_assert_uint_eq (PPI_MARK_KIND (open_now[0].what), PP_ABI_SITE_FEATURE);
	ck_assert_str_eq (text_of (open_now[0].payload), "in \"quotes\"");
	pp_antimark_begin (called_feature);
	see ();
	ck_assert_uint_eq (n_open, 2);
	ck_assert_uint_eq (PPI_MARK_KIND (open_now[0].what), PP_ABI_SITE_ANTIMARK);
	pp_antimark_end (called_feature);
	pp_feature_end (called_feature);
	/* no payload is the place; one of another type is none */
	pp_feature_begin (called_feature, NULL);
	see ();
	ck_assert_uint_eq (PPI_MARK_PAYLOAD (open_now[0].what), PP_ABI_VALUE_STRING);
	ck_assert_ptr_nonnull (strstr (text_of (open_now[0].payload), "test_sinks.c:"));
	pp_feature_end (called_feature);
	pp_feature_begin_int (called_feature, 7);
	see ();
	ck_assert_uint_eq (n_open, 1);
	ck_assert_uint_eq (PPI_MARK_PAYLOAD (open_now[0].what), PP_ABI_VALUE_NONE);
	pp_feature_end (called_feature);
	see ();
	ck_assert_uint_eq (n_open, 0);
}
END_TEST

/* Not literal: the plugin would make markers of them. */
static const char *volatile first = "first", *volatile second = "second";

START_TEST (calls_and_markers_are_one_stack_in_the_order_of_their_begins)
{
	pp_begin (first);
	pp_end (first);
	marks ("first");
	pp_begin (second);
	pp_end (second);
	marks ("second");
	marks ("in");
	marks ("out");
	pp_begin (first);
	look = NULL;
	outer ();
	pp_begin (second);
	look = see;
	outer ();
	ck_assert_str_eq (names, "in out second first");
	ck_assert_str_eq (top_name (), "second");
	/* they need not nest */
	pp_end (first);
	outer ();
	ck_assert_str_eq (names, "in out second");
	pp_end (second);
	see ();
	ck_assert_str_eq (names, "");
	ck_assert_str_eq (top_name (), "");
}
END_TEST

START_TEST (a_metric_beside_a_mark_counts_as_ever_and_no_plan_is_light)
{
	pp_metric *m = NULL;
	const struct ppi_plan *before;

	ck_assert_int_eq (pp_metric_new (&m, "counts", "interval count(count)"), PP_OK);
	ck_assert_int_eq (pp_bind (m, "in", 0), 1);
	inner ();
	before = site_of ("in")->plan;
	marks ("in");
	ck_assert_int_ne (site_of ("in")->plan->light, PPI_LIGHT_COUNT);
	for (int i = 0; i < 10; i++)
		inner ();
	ck_assert_str_eq (names, "in");
	tap ("in", PPI_SINK_MARK, false);
	inner ();
	ck_assert_str_eq (names, "");
	ck_assert_double_eq (pp_count (m), 12);
	ck_assert (!site_of ("in")->plan->marked && before->n_ops == site_of ("in")->plan->n_ops);
	ck_assert_uint_eq (pp_dropped (PP_DROP_UNMATCHED) + pp_dropped (PP_DROP_LONGJMP), 0);
}
END_TEST

START_TEST (whoever_asks_twice_has_to_let_go_twice)
{
	marks ("in");
	marks ("in");
	tap ("in", PPI_SINK_MARK, false);
	inner ();
	ck_assert_str_eq (names, "in");
	tap ("in", PPI_SINK_MARK, false);
	inner ();
	ck_assert_str_eq (names, "");
}
END_TEST

START_TEST (what_a_longjmp_left_behind_is_gone_at_the_next_marker)
{
	jmp_buf to;

	marks ("left");
	marks ("out");
	marks ("in");
	if (!setjmp (to))
		leaps (to);
	see ();
	ck_assert_str_eq (names, "left");
	outer ();
	ck_assert_str_eq (names, "in out");
	ck_assert_uint_eq (pp_dropped (PP_DROP_LONGJMP), 1);
}
END_TEST

static void disables (void)
{
	tap ("in", PPI_SINK_MARK, false);
	marks ("in");
	see ();
}

START_TEST (what_was_disabled_inside_is_not_open_any_more)
{
	marks ("in");
	marks ("out");
	look = disables;
	outer ();
	/* it still was when it looked: the flush is honoured at the next marker */
	look = see;
	inner ();
	ck_assert_str_eq (names, "in");
	ck_assert_str_eq (top_name (), "");
}
END_TEST

/* ---- stacks, handlers ------------------------------------------------------------------------ */

static ucontext_t main_context, fibre_context;
static char fibre_names[sizeof (names)];

static void fibre (void)
{
	inner ();
	strcpy (fibre_names, names);
	swapcontext (&fibre_context, &main_context);
}

static void goes_to_the_fibre (void)
{
	static char stack[256 << 10] __attribute__ ((aligned (64)));

	look = see;
	getcontext (&fibre_context);
	fibre_context.uc_stack.ss_sp = stack;
	fibre_context.uc_stack.ss_size = sizeof (stack);
	makecontext (&fibre_context, fibre, 0);
	swapcontext (&main_context, &fibre_context);
}

START_TEST (only_what_is_open_on_the_stack_that_runs_is_seen)
{
	marks ("in");
	marks ("deep");
	look = goes_to_the_fibre;
	nested (1);
	ck_assert_str_eq (fibre_names, "in");
	nested (1);
	ck_assert_str_eq (names, "deep");
}
END_TEST

/*
 * Where the function of a metric's runs inside of a marker, what it runs through is as in a handler
 * that interrupts one.
 */
START_TEST (what_interrupted_a_marker_is_above_what_the_thread_had_open)
{
	marks ("in");
	marks ("about");
	marks ("interrupted");
	look = see;
	around ();
	ck_assert_str_eq (names, "in about");
	look = NULL;
	around ();
	look = see;
	inner ();
	ck_assert_str_eq (names, "in");
}
END_TEST

/* ---- other threads --------------------------------------------------------------------------- */

/* A sanitizer makes each dear. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { LOOKS = 20000 };
#else
enum { LOOKS = 200000 };
#endif

static int stop;        /* atomic */
static uint32_t runner; /* atomic */

static void *runs (void *arg)
{
	(void) arg;
	outer ();
	__atomic_store_n (&runner, (uint32_t) gettid (), __ATOMIC_RELEASE);
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		outer ();
		inner ();
		nested (30);
	}
	return NULL;
}

/* in, out, any number of deep: what "runs" may have open */
static bool is_possible (const struct ppi_open *open, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const char *name = name_of (&open[i]);

		if (i && open[i].order >= open[i - 1].order)
			return false;
		if (strcmp (name, "deep") == 0 ? strcmp (name_of (&open[0]), "deep") != 0
					       : strcmp (name, i == n - 1 && n == 2 ? "out"
							       : i || n > 2         ? ""
										    : name) != 0)
			return false;
	}
	return true;
}

START_TEST (another_thread_sees_nothing_that_never_was)
{
	pthread_t thread;
	const struct ppi_thread *t = NULL;
	unsigned seen = 0, torn = 0;

	marks ("in");
	marks ("out");
	marks ("deep");
	look = NULL;
	stop = 0;
	runner = 0;
	ck_assert_int_eq (pthread_create (&thread, NULL, runs, NULL), 0);
	while (!__atomic_load_n (&runner, __ATOMIC_ACQUIRE))
		usleep (100);
	t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE);
	while (t && ppi_load (&t->id) != runner)
		t = t->next;
	ck_assert_ptr_nonnull (t);
	for (int i = 0; i < LOOKS; i++) {
		struct ppi_open now[64];
		int n = ppi_marks_read (t, now, 64, NULL);

		torn += n < 0;
		seen += n > 0;
		ck_assert (n <= 30);
		ck_assert (n < 0 || is_possible (now, (unsigned) n));
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	ck_assert_uint_gt (seen, 0);
	ck_assert_int_eq (ppi_marks_read (t, open_now, ROOM, NULL), 0);
	(void) torn;
}
END_TEST

/* ---- the live region ------------------------------------------------------------------------- */

static void tells_the_top (void)
{
	strcpy (names, top_name ());
}

START_TEST (the_live_region_says_what_is_on_top)
{
	marks ("in");
	marks ("out");
	look = tells_the_top;
	outer ();
	ck_assert_str_eq (names, "in");
	nested (1);
	ck_assert_str_eq (names, "");
	tap ("in", PPI_SINK_MARK, false);
	outer ();
	ck_assert_str_eq (names, "out");
}
END_TEST

static int tell_fd;

static void waits_to_be_killed (void)
{
	int fd = ppi_region_fd ();

	if (write (tell_fd, &fd, sizeof (fd)) == sizeof (fd))
		for (;;)
			pause ();
}

START_TEST (after_a_kill_the_region_says_what_was_open)
{
	int ends_of[2], fd;
	pid_t child;
	char path[64];
	void *map;
	off_t bytes;
	struct ppi_open last = {0};

	/* the child has them as its parent, in a region of its own */
	marks ("part");
	marks ("out");
	ck_assert_int_eq (pipe (ends_of), 0);
	child = fork ();
	if (!child) {
		tell_fd = ends_of[1];
		look = waits_to_be_killed;
		/* nobody has told the library of the fork: it sees it here */
		ppi_lock ();
		ppi_unlock ();
		instance (12);
		_exit (1);
	}
	ck_assert_int_eq (read (ends_of[0], &fd, sizeof (fd)), sizeof (fd));
	if (fd < 0) {
		kill (child, SIGKILL);
		ppcheck_skip ("the live region is no file here");
	}
	snprintf (path, sizeof (path), "/proc/%d/fd/%d", (int) child, fd);
	fd = open (path, O_RDONLY);
	ck_assert_int_ge (fd, 0);
	kill (child, SIGKILL);
	waitpid (child, NULL, 0);
	bytes = lseek (fd, 0, SEEK_END);
	map = mmap (NULL, (size_t) bytes, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert (map != MAP_FAILED);
	last.what = newest (map, (size_t) bytes, (unsigned) child).what;
	last.payload = newest (map, (size_t) bytes, (unsigned) child).payload;
	ck_assert_str_eq (name_of (&last), "part");
	ck_assert_uint_eq (last.payload, 12);
}
END_TEST

/* ---- records --------------------------------------------------------------------------------- */

static uint8_t entries[PPI_STREAM_BYTES];
static size_t whole;

static bool take (const struct ppi_stream_part *part, void *arg)
{
	(void) arg;
	ck_assert_uint_eq (part->kind, PPI_STREAM_EVENTS);
	ck_assert_uint_eq (part->thread, (uint32_t) gettid ());
	ck_assert_uint_eq (part->offset, whole);
	memcpy (&entries[whole], part->data, part->bytes);
	whole += part->bytes;
	return true;
}

static const struct ppi_event_shape *shape_of (uint32_t number, void *arg)
{
	static struct ppi_event_shape shape[ROOM];
	static unsigned n;
	struct ppi_event_text event, key[PPI_EVENT_DIMS];
	struct ppi_event_shape *to = &shape[n++ % ROOM];
	const char *text = text_of (number);

	(void) arg;
	if (!text || !ppi_event_shape_parse (text, to, &event, key))
		return NULL;
	to->number = number;
	return to;
}

/* The N-th that there is by now, from 0; NULL: there is none. Until the next call. */
static const struct ppi_event *entry (unsigned n)
{
	static struct ppi_event_reader reader;
	static struct ppi_event event;
	const uint8_t *at = entries + 1;

	ppi_streams_take (true, take, NULL);
	memset (&reader, 0, sizeof (reader));
	for (n++; n; n--) {
		if (at >= entries + whole)
			return NULL;
		ck_assert (ppi_event_read (&reader, &at, entries + whole, shape_of, NULL, &event));
	}
	return &event;
}

static void records (const char *name)
{
	ck_assert_int_eq (ppi_streams_prepare (4), PP_OK);
	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	ck_assert_int_eq (ppi_texts_prepare (100), PP_OK);
	ppi_unlock ();
	ck_assert_int_eq (tap (name, PPI_SINK_RECORD, true), PP_OK);
}

START_TEST (each_execution_is_an_entry_with_what_the_site_captures)
{
	double price;
	struct ppi_event one, two;

	records ("request");
	request (5, 0.25);
	request (7, 1.5);
	ck_assert_ptr_nonnull (entry (1));
	one = *entry (0);
	two = *entry (1);
	ck_assert_uint_eq (two.shape->site, site_of ("request")->id);
	ck_assert_uint_eq (two.shape->n, 2);
	ck_assert_uint_eq (two.value[0], 7);
	memcpy (&price, &two.value[1], sizeof (price));
	ck_assert_double_eq (price, 1.5);
	ck_assert (one.end_ticks <= two.begin_ticks && two.begin_ticks < two.end_ticks);
	ck_assert_uint_eq (two.begin, one.begin + 1);
	ck_assert_ptr_null (entry (2));
	tap ("request", PPI_SINK_RECORD, false);
	request (9, 1);
	ck_assert_ptr_null (entry (2));
}
END_TEST

START_TEST (a_point_is_an_entry_of_one_moment)
{
	records ("happens");
	happens (42);
	ck_assert_uint_eq (entry (0)->shape->n, 1);
	ck_assert_uint_eq (entry (0)->value[0], 42);
	ck_assert_int_eq (entry (0)->form, PPI_EVENT_POINT);
	ck_assert_uint_eq (entry (0)->begin_ticks, entry (0)->end_ticks);
}
END_TEST

static const char *volatile called = "called";

START_TEST (calls_and_spans_are_recorded_too_without_what_they_cannot_capture)
{
	pp_span span;

	pp_begin (called);
	pp_end (called);
	records ("called");
	pp_begin (called);
	pp_end (called);
	records ("request");
	span = pp_span_begin (site_of ("request"));
	ck_assert_int_eq (pp_span_end (span), PP_OK);
	ck_assert_uint_eq (entry (0)->shape->site, site_of ("called")->id);
	ck_assert_uint_eq (entry (0)->shape->n, 0);
	ck_assert_uint_eq (entry (1)->shape->site, site_of ("request")->id);
	ck_assert_int_eq (entry (1)->form, PPI_EVENT_SPAN);
	ck_assert_uint_eq (entry (1)->shape->n, 0);
}
END_TEST

START_TEST (a_record_a_mark_and_metrics_of_one_site_get_along)
{
	pp_metric *m = NULL, *size = NULL;

	ck_assert_int_eq (pp_metric_new (&m, "m", "interval stats(elapsed)"), PP_OK);
	ck_assert_int_eq (pp_metric_new (&size, "size", "interval sumcount(dim:size)"), PP_OK);
	ck_assert_int_eq (pp_bind (m, "request", 0), 1);
	ck_assert_int_eq (pp_bind (size, "request", 0), 1);
	records ("request");
	marks ("request");
	for (int i = 1; i <= 10; i++)
		request (i, i * 0.5);
	ck_assert_double_eq (pp_count (m), 10);
	ck_assert_double_eq (pp_sum (size), 55);
	ck_assert_uint_eq (entry (9)->value[0], 10);
	ck_assert_ptr_null (entry (10));
}
END_TEST

static void blocks_or_skip (void)
{
	if (!ppi_blocks_may_be ())
		ppcheck_skip ("there are no blocks here");
#ifdef __SANITIZE_THREAD__
	ppcheck_skip ("ThreadSanitizer knows no stores into code: markers have none of their own");
#endif
}

/* Of these markers of the site, how many run code of their own? -1: not all of them. */
static int own_code (const char *name, unsigned op)
{
	const struct ppi_copy *c = site_of (name)->copies;
	int n = 0;

	for (uint32_t i = 0; i < c->n_markers; i++) {
		if (c->markers[i].record->op != op)
			continue;
		if (!ppi_block_runs (&c->markers[i]))
			return -1;
		n++;
	}
	return n;
}

START_TEST (a_mark_without_a_payload_has_code_of_its_own)
{
	pp_metric *m = NULL;

	blocks_or_skip ();
	ck_assert_int_eq (pp_metric_new (&m, "m", "interval stats(elapsed)"), PP_OK);
	ck_assert_int_eq (pp_bind (m, "out", 0), 1);
	marks ("in");
	marks ("out");
	for (int i = 0; i < 3; i++) {
		outer ();
		ck_assert_str_eq (names, "in out");
		ck_assert_str_eq (top_name (), "");
	}
	ck_assert_double_eq (pp_count (m), 3);
	/* time of what has a metric of it */
	ck_assert (open_now[1].begin_ticks && !open_now[0].begin_ticks);
	for (const char *const *name = (const char *const[]){"in", "out", NULL}; *name; name++) {
		ck_assert_int_gt (own_code (*name, PP_ABI_BEGIN), 0);
		ck_assert_int_gt (own_code (*name, PP_ABI_END), 0);
	}
}
END_TEST

/* Its begin asks C for the number of its text. */
START_TEST (a_mark_with_a_payload_ends_in_code_of_its_own)
{
	blocks_or_skip ();
	marks ("out");
	marks ("lib.spoken");
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq (text_of (said ("one that is longer than a cache line: 0123456789"
						 "0123456789")),
				  "one that is longer than a cache line: 01234567890123456789");
		ck_assert_uint_eq (open_now[0].begin_ticks, 0);
		outer ();
		ck_assert_str_eq (names, "out");
		ck_assert_str_eq (top_name (), "");
	}
	ck_assert_int_gt (own_code ("lib.spoken", PP_ABI_END), 0);
}
END_TEST

START_TEST (what_a_mark_captures_is_in_the_way_of_no_metric)
{
	pp_metric *m = NULL;

	ck_assert_int_eq (pp_metric_new (&m, "m", "interval stats(elapsed)"), PP_OK);
	ck_assert_int_eq (pp_bind (m, "request", 0), 1);
	ck_assert_int_eq (pp_bind (m, "lib.spoken", 0), 1);
	marks ("request");
	marks ("lib.spoken");
	for (int i = 0; i < 10; i++) {
		request (i, 0.5);
		spoken (i % 2 ? "odd" : NULL);
		ck_assert_str_eq (names, "lib.spoken");
		ck_assert_uint_ne (open_now[0].begin_ticks, 0);
	}
	ck_assert_double_eq (pp_count (m), 20);
	ck_assert_str_eq (top_name (), "");
	see ();
	ck_assert_uint_eq (n_open, 0);
}
END_TEST

static void *requests (void *arg)
{
	uint32_t *tid = arg;

	*tid = (uint32_t) gettid ();
	request (1, 1);
	return NULL;
}

static uint32_t threads[ROOM];
static unsigned n_threads;

static bool note_thread (const struct ppi_stream_part *part, void *arg)
{
	(void) arg;
	threads[n_threads++ % ROOM] = part->thread;
	return true;
}

START_TEST (a_thread_that_ended_leaves_its_entries_under_its_own_name)
{
	pthread_t thread;
	uint32_t tid;

	records ("request");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq (pthread_create (&thread, NULL, requests, &tid), 0);
		pthread_join (thread, NULL);
		/* the kernel knows it for a moment longer than who has joined it */
		while (!ppi_thread_is_gone (tid))
			sched_yield ();
		ppi_lock ();
		ppi_thread_reap ();
		ppi_unlock ();
	}
	/* full ones: what ended gave its chunk away */
	ppi_streams_take (false, note_thread, NULL);
	ck_assert_uint_eq (n_threads, 2);
	ck_assert_uint_ne (threads[0], threads[1]);
}
END_TEST

/* In a thread that has run no marker before, and in one that is in the middle of its records. */
START_TEST (what_recording_takes_is_measured_with_records_that_nobody_gets)
{
	double inside = -1, pair = -1;
	const struct ppi_plan *plan;

	records ("request");
	plan = site_of ("request")->plan;
	ppi_lock ();
	ck_assert (ppi_self_measure_records (plan, &inside, &pair));
	ppi_unlock ();
	ck_assert (inside >= 0 && pair >= 0);
	ck_assert_ptr_null (entry (0));
	request (5, 0.25);
	ppi_lock ();
	ck_assert (ppi_self_measure_records (plan, &inside, &pair));
	ppi_unlock ();
	ck_assert (inside >= 0 && pair >= 0);
	request (7, 1.5);
	ck_assert_ptr_nonnull (entry (1));
	ck_assert_uint_eq (entry (1)->begin, entry (0)->begin + 1);
	ck_assert_ptr_null (entry (2));
}
END_TEST

static TCase *all (const char *name, void (*fixture) (void))
{
	TCase *tests = tcase_create (name);

	tcase_add_checked_fixture (tests, fixture, NULL);
	tcase_add_test (tests, every_sink_has_a_descriptor_and_one_is_of_bindings);
	tcase_add_test (tests, plans_of_metrics_alone_have_neither_marks_nor_room_for_them);
	tcase_add_test (tests, what_a_site_cannot_have_is_refused_with_the_reason);
	tcase_add_test (tests, marked_intervals_are_seen_while_they_are_open_the_newest_first);
	tcase_add_test (tests, recursion_is_seen_as_deep_as_it_is_and_what_has_no_room_is_counted);
	tcase_add_test (tests, an_instance_of_a_feature_has_its_payload);
	tcase_add_test (tests, a_text_that_is_a_payload_is_copied_at_the_mark_once_each);
	tcase_add_test (tests, features_and_antimarks_that_are_calls_have_payloads_too);
	tcase_add_test (tests, calls_and_markers_are_one_stack_in_the_order_of_their_begins);
	tcase_add_test (tests, a_metric_beside_a_mark_counts_as_ever_and_no_plan_is_light);
	tcase_add_test (tests, whoever_asks_twice_has_to_let_go_twice);
	tcase_add_test (tests, what_a_longjmp_left_behind_is_gone_at_the_next_marker);
	tcase_add_test (tests, what_was_disabled_inside_is_not_open_any_more);
	tcase_add_test (tests, only_what_is_open_on_the_stack_that_runs_is_seen);
	tcase_add_test (tests, what_interrupted_a_marker_is_above_what_the_thread_had_open);
	tcase_add_test (tests, another_thread_sees_nothing_that_never_was);
	tcase_add_test (tests, the_live_region_says_what_is_on_top);
	tcase_add_test (tests, after_a_kill_the_region_says_what_was_open);
	tcase_add_test (tests, each_execution_is_an_entry_with_what_the_site_captures);
	tcase_add_test (tests, a_point_is_an_entry_of_one_moment);
	tcase_add_test (tests, calls_and_spans_are_recorded_too_without_what_they_cannot_capture);
	tcase_add_test (tests, a_record_a_mark_and_metrics_of_one_site_get_along);
	tcase_add_test (tests, what_recording_takes_is_measured_with_records_that_nobody_gets);
	tcase_add_test (tests, a_thread_that_ended_leaves_its_entries_under_its_own_name);
	tcase_add_test (tests, a_mark_without_a_payload_has_code_of_its_own);
	tcase_add_test (tests, what_a_mark_captures_is_in_the_way_of_no_metric);
	tcase_add_test (tests, a_mark_with_a_payload_ends_in_code_of_its_own);
	return tests;
}

static Suite *sinks (void)
{
	Suite *suite = suite_create ("sinks");

	suite_add_tcase (suite, all ("blocks", start));
	return suite;
}

static Suite *routines (void)
{
	Suite *suite = suite_create ("sinks in C");

	suite_add_tcase (suite, all ("routines", start_without_blocks));
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {sinks, routines};

	return ppcheck_main (suites, 2);
}
