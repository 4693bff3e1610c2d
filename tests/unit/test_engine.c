/* SPDX-License-Identifier: MIT */
/*
 * test_engine.c: assertions at work: the state machine as tables, checks at sites and by time, actions, callbacks,
 * expectations.
 */
#include "tests/unit/fake_runtime.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the state machine ------------------------------------------------------------------------------------------- */

/*
 * Outcomes, 10 ms apart: f fail, p pass, u unknown. Then the edge that each gives: F fires, C clears, R repeats, .
 * nothing; and the state after it: o ok, p pending, f firing, u unknown.
 */
static const struct {
	struct ppi_machine_spec spec;
	const char *outcomes, *edges, *states;
} machines[] = {
	/* for 1, clear 1 */
	{{1, 1, 0, false}, "pfpfp", ".FCFC", "ofofo"},
	{{1, 1, 0, false}, "ffffp", "F...C", "ffffo"},
	/* for 3 fires at the third consecutive failure */
	{{3, 1, 0, false}, "fff", "..F", "ppf"},
	{{3, 1, 0, false}, "ffpffpfff", "........F", "ppoppoppf"},
	/* clear 3 at the third consecutive pass */
	{{1, 3, 0, false}, "fppp", "F..C", "fffo"},
	{{1, 3, 0, false}, "fppfpppf", "F.....CF", "ffffffof"},
	{{2, 2, 0, false}, "fpffpfpp", "...F...C", "popffffo"},
	/* unknown neither fires nor clears, and interrupts no run */
	{{1, 1, 0, false}, "uuu", "...", "uuu"},
	{{3, 1, 0, false}, "fufuf", "....F", "pupuf"},
	{{1, 3, 0, false}, "fpuppf", "F...CF", "ffffof"},
	{{1, 1, 0, false}, "fuup", "F..C", "fffo"},
	{{1, 1, 0, false}, "pup", "...", "ouo"},
	{{2, 1, 0, false}, "fup", "...", "puo"},
	/* cooldown delays the next fire, not the state: 30 ms */
	{{1, 1, 30000000, false}, "fpfffp", "FC.F.C", "fopffo"},
	{{1, 1, 30000000, false}, "fpfpff", "FC..F.", "fopoff"},
	{{2, 1, 30000000, false}, "ffpffff", ".FC.F..", "pfopfff"},
	{{1, 1, 30000000, false}, "fppppf", "FC...F", "foooof"},
	{{1, 1, 30000000, false}, "fpfuf", "FC..F", "fopuf"},
	/* repeat: the actions again while it fires, at most once per cooldown */
	{{1, 1, 0, true}, "fffpf", "FRRCF", "fffof"},
	{{1, 1, 30000000, true}, "ffffff", "F..R..", "ffffff"},
	{{1, 2, 0, true}, "fpfpp", "F.R.C", "ffffo"},
};

START_TEST (state_machine_follows_its_table)
{
	static const char edges[] = ".FCR", states[] = "opfu";
	struct ppi_machine machine = {0};
	size_t n = strlen (machines[_i].outcomes);

	ck_assert_uint_eq (strlen (machines[_i].edges), n);
	ck_assert_uint_eq (strlen (machines[_i].states), n);
	for (size_t i = 0; i < n; i++) {
		char c = machines[_i].outcomes[i];
		enum ppi_outcome outcome = c == 'f' ? PPI_FAIL : c == 'p' ? PPI_PASS : PPI_UNKNOWN;
		struct ppi_machine before = machine;
		bool idle = ppi_machine_idle (&machine, outcome);
		enum ppi_edge edge =
			ppi_machine_step (&machine, &machines[_i].spec, outcome, 1000000000 + i * 10000000);

		ck_assert_msg (edges[edge] == machines[_i].edges[i], "%s: step %zu gives %c", machines[_i].outcomes, i,
			       edges[edge]);
		ck_assert_msg (states[ppi_machine_state (&machine)] == machines[_i].states[i], "%s: step %zu leaves %c",
			       machines[_i].outcomes, i, states[ppi_machine_state (&machine)]);
		if (idle)
			ck_assert_mem_eq (&before, &machine, sizeof machine);
	}
}
END_TEST

/* ---- rings ------------------------------------------------------------------------------------------------------- */

START_TEST (posts_come_out_in_their_order_and_full_says_so)
{
	static struct ppi_posts posts;
	struct ppi_seen seen = {.outcome = PPI_FAIL};

	ppi_posts_init (&posts);
	for (int round = 0; round < 3; round++) {
		ck_assert (!ppi_posts_take (&posts, &seen));
		for (unsigned i = 0; i < PPI_POSTS; i++) {
			seen.left = i;
			ck_assert (ppi_posts_put (&posts, &seen));
		}
		ck_assert (!ppi_posts_put (&posts, &seen));
		for (unsigned i = 0; i < PPI_POSTS; i++) {
			ck_assert (ppi_posts_take (&posts, &seen));
			ck_assert_double_eq (seen.left, i);
		}
	}
}
END_TEST

static struct ppi_assertion *shared;

static void *see_failures (void *arg)
{
	struct ppi_seen seen = {.outcome = PPI_FAIL, .thread = 1};

	(void) arg;
	for (int i = 0; i < 20000; i++) {
		seen.outcome = (uint8_t) (i % 2 ? PPI_PASS : PPI_FAIL);
		ppi_assertion_saw (shared, &seen, false);
	}
	return NULL;
}

static const struct ppi_names no_names;

START_TEST (counts_are_exact_with_four_threads)
{
	struct ppi_expr_errors errors = {NULL, NULL};
	struct ppi_program *program;
	pthread_t threads[4];

	fake_start ();
	ck_assert_int_eq (ppi_program_create ("1 < 2", PPI_EXPR_MERGED, &no_names, &errors, &program), 0);
	shared = ppi_assertion_create ("a", NULL, program);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq (pthread_create (&threads[i], NULL, see_failures, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join (threads[i], NULL);
	ppi_assertion_saw (shared, NULL, false);
	ck_assert_uint_eq (shared->chunk->violations, 40000);
	ck_assert_uint_eq (shared->chunk->passes, 40000);
	ck_assert_uint_eq (shared->chunk->checks, 80000);
	/* each fire is followed by a clear or still on */
	ck_assert_uint_le (shared->chunk->cleared, shared->chunk->fired);
	ck_assert_uint_le (shared->chunk->fired - shared->chunk->cleared, 1);
	ck_assert_uint_eq (shared->chunk->state == PP_STATE_FIRING, shared->chunk->fired - shared->chunk->cleared);
	ppi_assertion_destroy (shared);
}
END_TEST

/* ---- a program --------------------------------------------------------------------------------------------------- */

static struct {
	int calls, inlines, fires, clears;
	struct pp_violation last;
	char assertion[64], site[128], capture[64];
	double value, ratio;
	char order[16];
} seen;

static void note (const struct pp_violation *violation)
{
	seen.last = *violation;
	snprintf (seen.assertion, sizeof seen.assertion, "%s", violation->assertion);
	snprintf (seen.site, sizeof seen.site, "%s", violation->site ? violation->site : "-");
	if (!violation->captures)
		return;
	snprintf (seen.capture, sizeof seen.capture, "%s", violation->capture[0].metric);
	seen.value = violation->capture[0].value;
	seen.ratio = violation->capture[0].ratio;
}

static void on_call (const struct pp_violation *violation, void *arg)
{
	ck_assert_ptr_null (arg);
	ck_assert_int_eq (fake.lock_depth, 0);
	seen.calls++;
	note (violation);
}

static void on_inline (const struct pp_violation *violation, void *arg)
{
	ck_assert_ptr_null (arg);
	ck_assert_int_eq (fake.lock_depth, 0);
	seen.inlines++;
	note (violation);
}

static void on_assertion (const struct pp_violation *violation, void *arg)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	*(violation->clears ? &seen.clears : &seen.fires) += 1;
	note (violation);
	strcat (seen.order, arg);
}

#define CALLABLE(fn, how)                                                                                              \
	{                                                                                                              \
		.head = {.size = sizeof (struct pp_abi_callable),                                                      \
			 .abi = PP_ABI_VERSION,                                                                        \
			 .type = PP_ABI_RECORD_CALLABLE,                                                               \
			 .flags = how},                                                                                \
		.where = "p.c:1", .function = fn, .name = #fn                                                          \
	}

static struct pp_abi_callable call_record = CALLABLE (on_call, 0),
			      inline_record = CALLABLE (on_inline, PP_ABI_CALLABLE_INLINE);

static char letter_a[] = "a", letter_b[] = "b", letter_x[] = "x";
static pp_site *work, *frame;
static pp_metric *rays, *frame_time;

static void setup (void)
{
	memset (&seen, 0, sizeof seen);
	fake_start ();
	work = fake_site ("app!a.c:f/work", PP_ABI_SITE_INTERVAL);
	frame = fake_site ("app!a.c:render/frame", PP_ABI_SITE_INTERVAL);
	rays = fake_metric ("rays", PP_ABI_SITE_POINT, PPI_SUMCOUNT, "value");
	frame_time = fake_metric ("frame_time", PP_ABI_SITE_INTERVAL, PPI_BOUNDED_SERIES, "elapsed");
	fake_add_record (&call_record.head);
	fake_add_record (&inline_record.head);
	fake_module_added ();
}

static void load (const char *body)
{
	char text[4096];
	const char *path;
	int error;

	snprintf (text, sizeof text, "version: 1\n%s", body);
	path = fake_policy ("engine.yaml", text);
	error = pp_policy_load (path);
	unlink (path);
	ck_assert_msg (error == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
}

static struct pp_assertion_info state (const char *name)
{
	struct pp_assertion_info info;

	ck_assert_int_eq (pp_assertion_state (name, &info), PP_OK);
	return info;
}

static void execute (double last)
{
	fake_sample (rays, last, 10);
	fake_execute (work);
}

#define SLOW "assertions:\n  slow: {at: f/work, expect: rays.last < 50"

/* ---- at sites ---------------------------------------------------------------------------------------------------- */

START_TEST (a_violation_at_a_site_fires_at_once)
{
	load (SLOW "}\n");
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	execute (60);
	ck_assert_int_eq (state ("slow").state, PP_STATE_FIRING);
	ck_assert_double_eq (state ("slow").left, 60);
	ck_assert_double_eq (state ("slow").right, 50);
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	ck_assert_uint_eq (state ("slow").checks, 3);
	ck_assert_uint_eq (state ("slow").passes, 2);
	ck_assert_uint_eq (state ("slow").violations, 1);
	ck_assert_uint_eq (state ("slow").fired, 1);
	ck_assert_uint_eq (state ("slow").cleared, 1);
	ck_assert_int_eq (pp_assertion_state ("none", &(struct pp_assertion_info){0}), PP_ENOENT);
}
END_TEST

START_TEST (after_100_begins_checking_with_sample_101)
{
	load (SLOW ", after: 100}\n");
	for (int i = 0; i < 100; i++)
		execute (60);
	ck_assert_uint_eq (state ("slow").checks, 0);
	execute (60);
	ck_assert_uint_eq (state ("slow").checks, 1);
	ck_assert_uint_eq (state ("slow").fired, 1);
}
END_TEST

START_TEST (no_sample_yet_is_unknown_and_counted)
{
	load (SLOW "}\n");
	fake_execute (work);
	ck_assert_int_eq (state ("slow").state, PP_STATE_UNKNOWN);
	ck_assert_uint_eq (state ("slow").unknowns, 1);
	ck_assert_uint_eq (state ("slow").checks, 0);
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
}
END_TEST

START_TEST (bare_names_at_a_site_are_this_threads_and_all_is_merged)
{
	load ("assertions:\n  own: {at: f/work, expect: rays.avg < 50}\n  all: {at: f/work, expect: all(rays.avg) < "
	      "50}\n");
	rays->own[PP_STAT_AVG] = 10;
	rays->merged[PP_STAT_AVG] = 100;
	fake_tick (100);
	fake_execute (work);
	ck_assert_uint_eq (state ("own").violations, 0);
	ck_assert_uint_eq (state ("all").violations, 1);
	rays->merged[PP_STAT_AVG] = 20;
	fake_tick (100);
	fake_execute (work);
	ck_assert_uint_eq (state ("all").passes, 1);
}
END_TEST

START_TEST (captures_say_what_else_was_high)
{
	struct ppi_assertion *a;

	load (SLOW ", capture: [frame_time, rays], on_fire: [call: on_inline]}\n");
	fake_sample (frame_time, 0.6, 0.2);
	execute (60);
	execute (70);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_uint_eq (seen.last.captures, 2);
	ck_assert_str_eq (seen.capture, "frame_time");
	ck_assert_double_eq (seen.value, 0.6);
	ck_assert_double_eq_tol (seen.ratio, 3, 1e-12);
	a = ppi_assertion_find ("slow");
	ck_assert_uint_eq (a->chunk->captures, 2);
	ck_assert_str_eq ((char *) a->chunk + a->chunk->expression, "rays.last < 50");
	ck_assert_ptr_eq ((char *) a->chunk + a->chunk->capture, a->entries);
	ck_assert_uint_eq (a->chunk->site, ppi_site_id (work));
	ck_assert_uint_eq (a->entries[1].metric, ppi_metric_id (rays));
	ck_assert_uint_eq (a->entries[1].n, 2);
	ck_assert_double_eq (a->entries[1].sum, 130);
	ck_assert_double_eq (a->entries[1].ratio_sum, 13);
	ck_assert_double_eq (a->entries[1].average, 10);
}
END_TEST

START_TEST (counts_go_on_without_room_in_the_region)
{
	fake.no_region = true;
	load (SLOW ", capture: [rays]}\n");
	execute (60);
	execute (10);
	ck_assert_uint_eq (state ("slow").fired, 1);
	ck_assert_uint_eq (state ("slow").cleared, 1);
}
END_TEST

START_TEST (inline_callables_run_in_the_marker_and_others_with_the_tick)
{
	load (SLOW ", on_fire: [{call: on_call}, {call: on_inline}], on_clear: [call: on_inline]}\n");
	execute (60);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_int_eq (seen.calls, 0);
	ck_assert_str_eq (seen.site, "app!a.c:f/work");
	ck_assert_int_eq (seen.last.thread, 4711);
	ck_assert_int_eq (seen.last.clears, 0);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	execute (10);
	ck_assert_int_eq (seen.inlines, 2);
	ck_assert_int_eq (seen.last.clears, 1);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
}
END_TEST

START_TEST (inline_callables_of_timed_assertions_run_without_the_lock)
{
	load ("assertions: {a: {every: 1s, expect: rays.sum < 50, on_fire: [call: on_inline]}}\n");
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (1000);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_str_eq (seen.assertion, "a");
}
END_TEST

START_TEST (outcomes_left_by_a_busy_thread_are_stepped_by_the_tick)
{
	struct ppi_assertion *a;

	load (SLOW ", on_fire: [call: on_inline]}\n");
	a = ppi_assertion_find ("slow");
	a->busy = 1; /* as a thread that is in the machine just now */
	execute (60);
	execute (10);
	ck_assert_uint_eq (a->chunk->violations, 1);
	ck_assert_uint_eq (a->chunk->fired, 0);
	fake_tick (10);
	ck_assert_uint_eq (a->chunk->fired, 0);
	a->busy = 0;
	fake_tick (10);
	ck_assert_uint_eq (a->chunk->fired, 1);
	ck_assert_int_eq (seen.inlines, 1);
}
END_TEST

START_TEST (outcomes_that_find_no_room_are_counted)
{
	struct ppi_assertion *a;

	load (SLOW "}\n");
	a = ppi_assertion_find ("slow");
	a->busy = 1;
	for (unsigned i = 0; i < PPI_POSTS + 7; i++)
		execute (60);
	ck_assert_uint_eq (a->lost, 7);
	ck_assert_uint_eq (a->chunk->violations, PPI_POSTS + 7);
	a->busy = 0;
	execute (10);
	ck_assert_uint_eq (a->chunk->fired, 1);
	ck_assert_uint_eq (a->chunk->cleared, 1);
	fake_tick (10);
	ck_assert_uint_eq (fake_said ("faster than its actions"), 1);
}
END_TEST

START_TEST (the_callback_of_a_closed_module_is_not_called)
{
	load (SLOW ", on_fire: [{call: on_inline}, {call: on_call}]}\n");
	fake_remove_record (&inline_record.head);
	fake_remove_record (&call_record.head);
	execute (60);
	fake_tick (10);
	ck_assert_int_eq (seen.inlines + seen.calls, 0);
	ck_assert_uint_eq (fake_said ("an action of assertion 'slow' failed: on_call: its module was closed"), 1);
	fake_add_record (&inline_record.head);
	execute (10);
	execute (60);
	ck_assert_int_eq (seen.inlines, 1);
}
END_TEST

/* ---- by time ----------------------------------------------------------------------------------------------------- */

START_TEST (timed_assertions_are_checked_by_their_period)
{
	uint64_t next;

	load ("assertions: {a: {every: 1s, expect: rays.sum < 50}}\n");
	rays->merged[PP_STAT_SUM] = 10;
	fake_tick (999);
	ck_assert_uint_eq (state ("a").checks, 0);
	fake_tick (1);
	ck_assert_uint_eq (state ("a").checks, 1);
	fake_tick (500);
	ck_assert_uint_eq (state ("a").checks, 1);
	next = ppi_assertions_tick (fake.now_ns);
	ck_assert_uint_eq (next - fake.now_ns, 500000000);
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (500);
	ck_assert_int_eq (state ("a").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (a_stalled_tick_makes_up_for_nothing)
{
	load ("assertions: {a: {every: 1s, expect: rays.sum < 50}}\n");
	rays->merged[PP_STAT_SUM] = 10;
	fake_tick (10500);
	ck_assert_uint_eq (state ("a").checks, 1);
	fake_tick (500);
	ck_assert_uint_eq (state ("a").checks, 1);
	fake_tick (500);
	ck_assert_uint_eq (state ("a").checks, 2);
}
END_TEST

START_TEST (what_has_not_ended_yet_fires)
{
	load ("assertions: {stuck: {every: 1s, expect: work.open_age <= 5s}}\n");
	fake_tick (1000);
	ck_assert_int_eq (state ("stuck").state, PP_STATE_UNKNOWN);
	work->open_age = 4;
	fake_tick (1000);
	ck_assert_int_eq (state ("stuck").state, PP_STATE_OK);
	work->open_age = 6;
	fake_tick (1000);
	ck_assert_int_eq (state ("stuck").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (assertions_about_assertions_read_their_counts)
{
	load (SLOW "}\n  many: {every: 1s, expect: slow.violations.share <= 40%, for: 2}\n");
	execute (60);
	execute (10);
	fake_tick (1000);
	ck_assert_int_eq (state ("many").state, PP_STATE_PENDING);
	ck_assert_double_eq (state ("many").left, 0.5);
	fake_tick (1000);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
	execute (10);
	fake_tick (1000);
	ck_assert_int_eq (state ("many").state, PP_STATE_OK);
}
END_TEST

START_TEST (the_tick_comes_soon_while_sites_are_checked)
{
	ck_assert_uint_eq (ppi_assertions_tick (fake.now_ns), UINT64_MAX);
	load (SLOW "}\n");
	ck_assert_uint_le (ppi_assertions_tick (fake.now_ns) - fake.now_ns, 10000000);
}
END_TEST

/* ---- actions ----------------------------------------------------------------------------------------------------- */

START_TEST (the_log_tells_the_whole_story)
{
	load ("assertions:\n  frame_slow: {at: render/frame, expect: frame_time.last <= 400 ms, capture: [rays], "
	      "on_fire: [log: error]}\n");
	fake_sample (rays, 312, 104);
	fake_sample (frame_time, 0.612, 0.3);
	fake_execute (frame);
	fake_tick (10);
	ck_assert_uint_eq (fake.n_messages, 1);
	ck_assert_str_eq (
		fake.messages[0],
		"error: assertion frame_slow fired at app!a.c:render/frame (thread 4711): frame_time.last <= 400 ms: "
		"left 612 ms, right 400 ms; captured rays 312 (3 x its average)");
	ck_assert_uint_eq (fake_events (PPI_EVENT_FIRE, "frame_slow"), 1);
	ck_assert_uint_eq (fake_events (PPI_EVENT_LOG, "frame_slow"), 1);
	ck_assert_double_eq (fake.events[fake.n_events - 2].value[0], 0.612);
}
END_TEST

START_TEST (the_log_has_the_policys_text_and_debug_stays_in_the_recording)
{
	load (SLOW ", on_fire: [{log: {level: info, text: too many rays}}, {log: debug}, {log: plain text}]}\n");
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake.n_messages, 2);
	ck_assert_str_eq (fake.messages[0], "info: too many rays");
	ck_assert_str_eq (fake.messages[1], "warning: plain text");
	ck_assert_uint_eq (fake_events (PPI_EVENT_LOG, "slow"), 3);
}
END_TEST

START_TEST (the_log_is_limited_and_says_what_it_left_out)
{
	load (SLOW ", on_fire: [log: info]}\n");
	for (int i = 0; i < 20; i++) {
		execute (60);
		execute (10);
		fake_tick (1);
	}
	ck_assert_uint_eq (fake_said ("info: "), 5);
	execute (60);
	fake_tick (3000);
	ck_assert_uint_eq (fake_said ("(15 more were not printed)"), 1);
	ck_assert_uint_eq (fake_events (PPI_EVENT_LOG, "slow"), 21);
}
END_TEST

START_TEST (actions_run_once_per_fire)
{
	load (SLOW ", on_fire: [call: on_call]}\n");
	for (int i = 0; i < 5; i++)
		execute (60);
	fake_tick (10);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_uint_eq (fake_events (PPI_EVENT_FIRE, "slow"), 1);
}
END_TEST

START_TEST (repeat_runs_them_again_once_per_cooldown)
{
	load (SLOW ", repeat: true, cooldown: 1s, on_fire: [call: on_call]}\n");
	pp_on_assertion ("slow", on_assertion, letter_x);
	for (int i = 0; i < 25; i++) {
		execute (60);
		fake_tick (100);
	}
	ck_assert_int_eq (seen.calls, 3);
	ck_assert_int_eq (seen.fires, 1);
	ck_assert_uint_eq (state ("slow").fired, 1);
}
END_TEST

START_TEST (bind_for_a_time_ends_by_itself_and_is_prolonged)
{
	load (SLOW ", on_fire: [{bind: {metric: frame_time, sites: [\"f/*\", \"g/*\"], every: 3, for: 10s}}]}\n");
	execute (60);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 0);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 2);
	ck_assert_uint_eq (fake.rules[0].every, 3);
	ck_assert_uint_eq (fake_events (PPI_EVENT_BIND, "frame_time"), 2);
	fake_tick (6000);
	execute (10);
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 2);
	fake_tick (9000);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 2);
	fake_tick (1000);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 0);
	ck_assert_uint_eq (fake_events (PPI_EVENT_UNBIND, "frame_time"), 2);
}
END_TEST

START_TEST (the_tick_comes_when_a_binding_ends)
{
	uint64_t next;

	load ("assertions: {a: {every: 1h, expect: rays.sum < 50, on_fire: [{bind: {metric: frame_time, sites: "
	      "\"f/*\", for: 10s}}]}}\n");
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (3600000);
	next = ppi_assertions_tick (fake.now_ns);
	ck_assert_uint_eq (next - fake.now_ns, UINT64_C (10000000000));
}
END_TEST

START_TEST (what_actions_bound_goes_on_through_a_reload)
{
	static const char first[] = SLOW ", on_fire: [{bind: {metric: frame_time, sites: \"f/*\", for: 10s}}]}\n";
	static const char second[] = SLOW ", on_fire: [{bind: {metric: frame_time, sites: \"f/*\", for: 10s}}]}\n  "
					  "more: {every: 1s, expect: 1 < 2}\n";
	static const char third[] =
		SLOW ", after: 1, on_fire: [{bind: {metric: frame_time, sites: \"f/*\", for: 10s}}]}\n";
	const char *path;

	load (first);
	execute (60);
	fake_tick (10);
	load (second);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
	fake.bad_rule = "bad";
	path = fake_policy ("engine.yaml", "version: 1\nbind: [{metric: frame_time, sites: bad}]\n");
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	unlink (path);
	fake.batch_error = PP_ECODE;
	path = fake_policy ("engine.yaml", "version: 1\n");
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	unlink (path);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 0);
	execute (10);
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
	fake_tick (5000);
	load (third);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 0);
}
END_TEST

START_TEST (unbind_and_bind_take_turns_with_a_binding_of_the_policy)
{
	load ("bind: [{metric: frame_time, sites: \"f/*\"}]\n" SLOW
	      ", on_fire: [{unbind: {metric: frame_time, sites: \"f/*\"}}], on_clear: [{bind: {metric: frame_time, "
	      "sites: \"f/*\"}}]}\n");
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
		execute (60);
		fake_tick (10);
		ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 0);
		execute (10);
		fake_tick (10);
	}
}
END_TEST

START_TEST (an_action_that_fails_is_told_once)
{
	load (SLOW ", on_fire: [{bind: {metric: frame_time, sites: \"f/*\"}}]}\n");
	fake.bad_rule = "f/*";
	for (int i = 0; i < 3; i++) {
		execute (60);
		execute (10);
		fake_tick (10);
	}
	ck_assert_uint_eq (fake_said ("an action of assertion 'slow' failed: bind: 'f/*' can't be bound (said once)"),
			   1);
	ck_assert_uint_eq (ppi_assertion_find ("slow")->on_fire[0].failed, 3);
}
END_TEST

START_TEST (changes_faster_than_the_owner_are_counted_and_told_once)
{
	load (SLOW ", on_fire: [call: on_call]}\n");
	for (int i = 0; i < 100; i++) {
		execute (60);
		execute (10);
	}
	fake_tick (10);
	fake_tick (10);
	ck_assert_uint_eq (state ("slow").fired, 100);
	ck_assert_int_eq (seen.calls, 32);
	ck_assert_uint_eq (ppi_assertion_find ("slow")->unperformed, 200 - PPI_NOTICES);
	ck_assert_uint_eq (fake_said ("faster than its actions"), 1);
}
END_TEST

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

START_TEST (callbacks_hear_of_fires_and_clears_in_their_order)
{
	ck_assert_int_eq (pp_on_assertion ("slow", on_assertion, letter_a), PP_OK);
	load (SLOW "}\n");
	ck_assert_int_eq (pp_on_assertion ("slow", on_assertion, letter_b), PP_OK);
	execute (60);
	ck_assert_int_eq (seen.fires, 0);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 2);
	ck_assert_str_eq (seen.order, "ab");
	ck_assert_str_eq (seen.assertion, "slow");
	ck_assert_uint_eq (seen.last.size, sizeof (struct pp_violation));
	execute (10);
	fake_tick (10);
	ck_assert_int_eq (seen.clears, 2);
	ck_assert_int_eq (pp_on_assertion ("slow", NULL, letter_x), PP_OK);
	ck_assert_int_eq (pp_on_assertion (NULL, on_assertion, NULL), PP_EINVAL);
}
END_TEST

START_TEST (callbacks_that_were_taken_away_are_silent)
{
	load (SLOW "}\n");
	pp_on_assertion ("slow", on_assertion, letter_a);
	pp_on_assertion ("slow", on_assertion, letter_b);
	pp_on_assertion ("slow", NULL, letter_a);
	execute (60);
	fake_tick (10);
	ck_assert_str_eq (seen.order, "b");
}
END_TEST

START_TEST (poll_delivers_and_counts)
{
	pp_on_assertion ("slow", on_assertion, letter_a);
	load (SLOW ", on_fire: [call: on_call]}\n");
	execute (60);
	ck_assert_int_eq (pp_poll (), 2);
	ck_assert_int_eq (seen.fires, 1);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_int_eq (pp_poll (), 0);
}
END_TEST

START_TEST (with_a_poll_fd_only_poll_delivers)
{
	struct pollfd fd = {.events = POLLIN};

	pp_on_assertion ("slow", on_assertion, letter_a);
	load (SLOW ", on_fire: [log: info, call: on_call]}\n");
	fd.fd = pp_poll_fd ();
	ck_assert_int_ge (fd.fd, 0);
	ck_assert_int_eq (pp_poll_fd (), fd.fd);
	execute (60);
	ck_assert_int_eq (poll (&fd, 1, 0), 0);
	fake_tick (10);
	ck_assert_int_eq (seen.fires + seen.calls, 0);
	ck_assert_uint_eq (fake_said ("info: "), 1);
	ck_assert_int_eq (poll (&fd, 1, 0), 1);
	ck_assert_int_eq (pp_poll (), 2);
	ck_assert_int_eq (seen.fires + seen.calls, 2);
	ck_assert_int_eq (poll (&fd, 1, 0), 0);
}
END_TEST

static void reload (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	seen.calls++;
	ck_assert_int_eq (pp_poll (), 0);
	load ("bind: []\n");
	ck_assert_str_eq (violation->assertion, "slow");
	ck_assert_str_eq (violation->expression, "rays.last < 50");
}

START_TEST (a_callback_may_replace_the_policy_that_called_it)
{
	pp_on_assertion ("slow", reload, NULL);
	load (SLOW "}\n");
	execute (60);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_int_eq (pp_assertion_state ("slow", &(struct pp_assertion_info){0}), PP_ENOENT);
}
END_TEST

static void unload_inside (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	seen.inlines++;
	ck_assert_int_eq (pp_policy_load ("x"), PP_ESTATE);
	ck_assert_int_eq (pp_policy_unload ("x"), PP_ESTATE);
	ck_assert_int_eq (pp_expect ("inner", "2 < 1"), PP_ESTATE);
	ck_assert_int_eq (pp_poll (), 0);
	fake_execute (work);
}

START_TEST (an_inline_callable_is_never_called_inside_itself)
{
	static struct pp_abi_callable record = CALLABLE (unload_inside, PP_ABI_CALLABLE_INLINE);

	fake_add_record (&record.head);
	load (SLOW ", repeat: true, on_fire: [call: unload_inside]}\n");
	execute (60);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_uint_eq (state ("slow").violations, 2);
}
END_TEST

/* ---- expectations ------------------------------------------------------------------------------------------------ */

START_TEST (expect_answers_here_and_now)
{
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 2);
	rays->merged[PP_STAT_SUM] = 10;
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 1);
	rays->merged[PP_STAT_SUM] = 60;
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 0);
	ck_assert_uint_eq (state ("few").fired, 1);
	ck_assert_uint_eq (fake_events (PPI_EVENT_FIRE, "few"), 1);
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 60"), PP_EEXIST);
	ck_assert_int_eq (pp_expect ("2few", "rays.sum < 60"), PP_EINVAL);
	ck_assert_int_eq (pp_expect (NULL, "1 < 2"), PP_EINVAL);
	ck_assert_int_eq (fake.lock_depth, 0);
}
END_TEST

START_TEST (a_wrong_expectation_is_told_once)
{
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq (pp_expect ("few", "ryas.sum < 50"), PP_EINVAL);
	ck_assert_uint_eq (fake_said ("few:1:1: error: there is no metric 'ryas'; did you mean 'rays'?"), 1);
	ck_assert_uint_eq (fake.n_messages, 3);
}
END_TEST

static struct {
	struct pp_abi_expect expect;
	char text[200];
} expectation;

static void make_expectation (const char *name, const char *expression)
{
	char *text = (char *) &expectation;

	memset (&expectation, 0, sizeof expectation);
	expectation.expect.head = (struct pp_abi_record){
		.size = 256, .abi = PP_ABI_VERSION, .type = PP_ABI_RECORD_EXPECT, .line = 42, .column = 9};
	expectation.expect.head.name = 56;
	expectation.expect.head.file = 80;
	expectation.expect.expression = 120;
	expectation.expect.call = on_inline;
	strcpy (text + 56, name);
	strcpy (text + 80, "app.c");
	strcpy (text + 120, expression);
	fake_add_record (&expectation.expect.head);
}

START_TEST (an_expectation_in_the_code_calls_its_function_at_once)
{
	make_expectation ("few", "rays.sum < 50");
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (pp_assertion_state ("few", &(struct pp_assertion_info){0}), PP_ENOENT);
	fake_module_added ();
	rays->merged[PP_STAT_SUM] = 60;
	pp_rt_expect (&expectation.expect);
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_str_eq (seen.assertion, "few");
	ck_assert_str_eq (seen.site, "-");
	ck_assert_uint_eq (state ("few").violations, 2);
	fake_remove_record (&expectation.expect.head);
	pp_rt_expect (&expectation.expect);
	ck_assert_uint_eq (state ("few").violations, 2);
}
END_TEST

START_TEST (a_wrong_expectation_in_the_code_is_told_with_its_line)
{
	make_expectation ("few", "rays.sum < 5 ms");
	fake_module_added ();
	ck_assert_uint_eq (
		fake_said ("app.c:42:10: error: can't compare 'rays.sum' (a plain number) and '5 ms' (a time)"), 1);
	ck_assert_str_eq (fake.messages[1], "    rays.sum < 5 ms");
	ck_assert_str_eq (fake.messages[2], "             ^");
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (pp_assertion_state ("few", &(struct pp_assertion_info){0}), PP_ENOENT);
}
END_TEST

/* ---- fork -------------------------------------------------------------------------------------------------------- */

START_TEST (a_child_starts_with_counts_of_its_own)
{
	struct ppi_assertion_chunk *parents;

	pp_on_assertion ("slow", on_assertion, letter_a);
	load (SLOW "}\n");
	execute (60);
	parents = ppi_assertion_find ("slow")->chunk;
	ppi_assertion_find ("slow")->busy = 1; /* of a thread that the child doesn't have */
	ppi_assertions_after_fork_child ();
	ck_assert_ptr_ne (ppi_assertion_find ("slow")->chunk, parents);
	ck_assert_uint_eq (state ("slow").violations, 0);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 0);
	execute (60);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 1);
	ck_assert_uint_eq (parents->violations, 1);
}
END_TEST

START_TEST (a_raw_child_writes_nothing_of_its_parents)
{
	struct ppi_assertion_chunk *parents;
	pid_t child;
	int status;

	load (SLOW "}\n");
	make_expectation ("few", "rays.sum < 50");
	fake_module_added ();
	execute (60);
	parents = ppi_assertion_find ("slow")->chunk;
	child = _Fork ();
	ck_assert_int_ge (child, 0);
	if (!child) {
		uint64_t before = parents->violations;

		/* its markers and expectations are still, until it asks for something */
		execute (60);
		pp_rt_expect (&expectation.expect);
		if (parents->violations != before || ppi_assertion_find ("few")->chunk->unknowns)
			_exit (1);
		if (pp_expect ("more", "1 < 2") != 1 || ppi_assertion_find ("slow")->chunk == parents ||
		    state ("slow").violations)
			_exit (2);
		execute (60);
		_exit (state ("slow").violations == 1 && parents->violations == before ? 0 : 3);
	}
	ck_assert_int_eq (waitpid (child, &status, 0), child);
	ck_assert_msg (WIFEXITED (status) && WEXITSTATUS (status) == 0, "the child ended with %d", status);
}
END_TEST

static Suite *machine (void)
{
	Suite *suite = suite_create ("state machine");
	TCase *tests = tcase_create ("state machine");

	tcase_add_loop_test (tests, state_machine_follows_its_table, 0, (int) (sizeof machines / sizeof *machines));
	tcase_add_test (tests, posts_come_out_in_their_order_and_full_says_so);
	tcase_add_test (tests, counts_are_exact_with_four_threads);
	suite_add_tcase (suite, tests);
	return suite;
}

static Suite *engine (void)
{
	Suite *suite = suite_create ("assertions");
	TCase *tests = tcase_create ("assertions");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, a_violation_at_a_site_fires_at_once);
	tcase_add_test (tests, after_100_begins_checking_with_sample_101);
	tcase_add_test (tests, no_sample_yet_is_unknown_and_counted);
	tcase_add_test (tests, bare_names_at_a_site_are_this_threads_and_all_is_merged);
	tcase_add_test (tests, captures_say_what_else_was_high);
	tcase_add_test (tests, counts_go_on_without_room_in_the_region);
	tcase_add_test (tests, inline_callables_run_in_the_marker_and_others_with_the_tick);
	tcase_add_test (tests, inline_callables_of_timed_assertions_run_without_the_lock);
	tcase_add_test (tests, outcomes_left_by_a_busy_thread_are_stepped_by_the_tick);
	tcase_add_test (tests, outcomes_that_find_no_room_are_counted);
	tcase_add_test (tests, the_tick_comes_when_a_binding_ends);
	tcase_add_test (tests, what_actions_bound_goes_on_through_a_reload);
	tcase_add_test (tests, the_callback_of_a_closed_module_is_not_called);
	tcase_add_test (tests, timed_assertions_are_checked_by_their_period);
	tcase_add_test (tests, a_stalled_tick_makes_up_for_nothing);
	tcase_add_test (tests, what_has_not_ended_yet_fires);
	tcase_add_test (tests, assertions_about_assertions_read_their_counts);
	tcase_add_test (tests, the_tick_comes_soon_while_sites_are_checked);
	tcase_add_test (tests, the_log_tells_the_whole_story);
	tcase_add_test (tests, the_log_has_the_policys_text_and_debug_stays_in_the_recording);
	tcase_add_test (tests, the_log_is_limited_and_says_what_it_left_out);
	tcase_add_test (tests, actions_run_once_per_fire);
	tcase_add_test (tests, repeat_runs_them_again_once_per_cooldown);
	tcase_add_test (tests, bind_for_a_time_ends_by_itself_and_is_prolonged);
	tcase_add_test (tests, unbind_and_bind_take_turns_with_a_binding_of_the_policy);
	tcase_add_test (tests, an_action_that_fails_is_told_once);
	tcase_add_test (tests, changes_faster_than_the_owner_are_counted_and_told_once);
	tcase_add_test (tests, callbacks_hear_of_fires_and_clears_in_their_order);
	tcase_add_test (tests, callbacks_that_were_taken_away_are_silent);
	tcase_add_test (tests, poll_delivers_and_counts);
	tcase_add_test (tests, with_a_poll_fd_only_poll_delivers);
	tcase_add_test (tests, a_callback_may_replace_the_policy_that_called_it);
	tcase_add_test (tests, an_inline_callable_is_never_called_inside_itself);
	tcase_add_test (tests, expect_answers_here_and_now);
	tcase_add_test (tests, a_wrong_expectation_is_told_once);
	tcase_add_test (tests, an_expectation_in_the_code_calls_its_function_at_once);
	tcase_add_test (tests, a_wrong_expectation_in_the_code_is_told_with_its_line);
	tcase_add_test (tests, a_child_starts_with_counts_of_its_own);
	tcase_add_test (tests, a_raw_child_writes_nothing_of_its_parents);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {machine, engine};

	return ppcheck_main (suites, 2);
}
