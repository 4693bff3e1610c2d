/* SPDX-License-Identifier: MIT */
/* test_features.c: which features samples of marks are charged to. */
#include "profiler/analysis/features.h"

#include "ppcheck.h"

#include <math.h>
#include <pp_abi.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tests are made of ------------------------------------------------------------------ */

/*
 * A stack of words with blanks between, the outermost first: "a" is a mark of feature lib.a, "-a"
 * an antimark, "a=x" a mark with the payload x, "(f" an interval.
 */
static uint32_t node_of (struct ppi_samples *s, char *word)
{
	char *payload = strchr (word, '='), name[32] = "lib.", file[] = "lib.c";
	struct ppi_function node = {.name = name, .file = file, .kind = PP_ABI_SITE_FEATURE};

	if (payload)
		*payload++ = '\0';
	node.payload = payload;
	if (*word == '-')
		node.kind = PP_ABI_SITE_ANTIMARK;
	if (*word == '(')
		node.kind = PP_ABI_SITE_INTERVAL;
	node.line = (unsigned) word[strlen (word) - 1];
	if (*word == '(')
		node.name = word + 1;
	else
		strcat (name, word + (*word == '-'));
	return ppi_samples_node (s, &node);
}

static uint32_t stack_of (struct ppi_samples *s, const char *words)
{
	char copy[256], *rest = copy, *word;
	uint32_t node[32];
	size_t n = 0;

	strcpy (copy, words);
	while ((word = strsep (&rest, " ")))
		if (*word)
			node[n++] = node_of (s, word);
	return ppi_samples_stack (s, node, n);
}

static void add (struct ppi_samples *s, uint32_t thread, double at, const char *words)
{
	ppi_samples_add (
		s, ppi_samples_thread (s, thread, "worker"),
		(struct ppi_stack_sample){.at_s = at, .stack = stack_of (s, words), .periods = 1});
}

static void begin (struct ppi_samples *s)
{
	ppi_samples_init (s);
	s->program = strdup ("program, process 1");
	s->is_by_interval = true;
	s->by_watcher = true;
	s->period_s = 1;
}

/* Ten samples a second apart, with that stack, behind those that are there. */
static void ten (struct ppi_samples *s, uint32_t thread, const char *words)
{
	struct ppi_sampled_thread *t = ppi_samples_thread (s, thread, "worker");
	double at = t->n ? t->sample[t->n - 1].at_s : 0;

	for (int i = 1; i <= 10; i++)
		add (s, thread, at + i, words);
}

static const struct ppi_feature *feature_of (const struct ppi_features *all, const char *name)
{
	for (size_t i = 0; i < all->features; i++)
		if (strcmp (all->feature[i].name, name) == 0)
			return &all->feature[i];
	ck_abort_msg ("there is no feature %s", name);
	return NULL;
}

static const struct ppi_feature_part *part_of (const struct ppi_feature *feature, const char *name)
{
	for (size_t i = 0; i < feature->parts; i++)
		if (strcmp (feature->part[i].name, name) == 0)
			return &feature->part[i];
	ck_abort_msg ("%s has no part %s", feature->name, name);
	return NULL;
}

static void analyse (const struct ppi_samples *s, enum ppi_features_by by, struct ppi_features *out)
{
	ck_assert (ppi_features_analyse (s, by, NULL, out));
}

/* So many samples of each feature, in the order that is shown: "lib.a 10, lib.b 20". */
static void charged (struct ppi_samples *s, const char *expected)
{
	struct ppi_features all;
	char text[512] = "";

	analyse (s, PPI_FEATURES_BY_INSTANCE, &all);
	for (size_t i = 0; i < all.features; i++)
		sprintf (text + strlen (text), "%s%s %llu", i ? ", " : "", all.feature[i].name,
			 (unsigned long long) all.feature[i].times);
	ck_assert_str_eq (text, expected);
	ppi_features_clear (&all);
	ppi_samples_clear (s);
}

/* ---- who is charged -------------------------------------------------------------------------- */

START_TEST (time_goes_to_a_feature_only_while_its_newest_entry_is_a_mark)
{
	static const struct {
		const char *stack, *charged;
	} cases[] = {
		{"a", "lib.a 10"},   {"(f a", "lib.a 10"},   {"a (f", "lib.a 10"},
		{"a -a", "lib.a 0"}, {"a -a (f", "lib.a 0"}, {"a -a a", "lib.a 10"},
		{"a a", "lib.a 10"}, {"a a -a", "lib.a 0"},  {"a -a a -a a -a", "lib.a 0"},
		{"-a", "lib.a 0"},   {"-a a", "lib.a 10"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ppi_samples s;

		begin (&s);
		ten (&s, 1, cases[i].stack);
		charged (&s, cases[i].charged);
	}
}
END_TEST

START_TEST (features_know_nothing_of_each_other)
{
	static const struct {
		const char *stack, *charged;
	} cases[] = {
		{"a b", "lib.a 10, lib.b 10"},   {"b a", "lib.a 10, lib.b 10"},
		{"a b -a", "lib.b 10, lib.a 0"}, {"a -b b -a b", "lib.b 10, lib.a 0"},
		{"a -b", "lib.a 10, lib.b 0"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ppi_samples s;

		begin (&s);
		ten (&s, 1, cases[i].stack);
		charged (&s, cases[i].charged);
	}
}
END_TEST

START_TEST (features_come_by_falling_cost_and_those_never_seen_have_none)
{
	struct ppi_samples s;

	begin (&s);
	stack_of (&s, "never");
	ten (&s, 1, "a");
	ten (&s, 1, "b");
	ten (&s, 1, "b");
	ten (&s, 1, "c b");
	charged (&s, "lib.b 30, lib.a 10, lib.c 10, lib.never 0");
}
END_TEST

/* ---- how much time --------------------------------------------------------------------------- */

START_TEST (running_time_is_that_of_the_threads_that_had_marks)
{
	struct ppi_samples s;
	struct ppi_features all;

	begin (&s);
	ten (&s, 1, "a");
	ten (&s, 1, "(f");
	ten (&s, 2, "-a");
	ten (&s, 3, "(f");
	analyse (&s, PPI_FEATURES_BY_THREAD, &all);
	ck_assert_uint_eq (all.threads, 2);
	ck_assert_uint_eq (all.times, 30);
	/* from the first sample of each to its last */
	ck_assert_double_eq_tol (all.total, 19 + 9, 1e-9);
	ck_assert_double_eq_tol (feature_of (&all, "lib.a")->time, 9.5, 1e-9);
	ck_assert_uint_eq (feature_of (&all, "lib.a")->parts, 1);
	ck_assert_str_eq (feature_of (&all, "lib.a")->part[0].name, "worker, thread 1");
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (looks_that_saw_the_same_count_each)
{
	struct ppi_samples s;
	struct ppi_features all;

	begin (&s);
	add (&s, 1, 1, "a");
	add (&s, 1, 9, "a");
	s.thread[0].sample[1].periods = 8;
	add (&s, 1, 10, "(f");
	analyse (&s, PPI_FEATURES_BY_INSTANCE, &all);
	ck_assert_uint_eq (all.times, 10);
	ck_assert_uint_eq (all.feature[0].times, 9);
	ck_assert_double_eq_tol (all.feature[0].time, 8.5, 1e-9);
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (a_margin_is_wilsons)
{
	/* of 100 samples half: 1.96 / (1 + 1.96²/100) × √(0.0025 + 1.96²/40000) */
	ck_assert_double_eq_tol (ppi_share_margin (0.5, 100), 0.09617, 1e-5);
	ck_assert_double_eq_tol (ppi_share_margin (0, 100), 0.01850, 1e-5);
	ck_assert_double_eq_tol (ppi_share_margin (1, 100), ppi_share_margin (0, 100), 1e-12);
	ck_assert (isnan (ppi_share_margin (0, 0)));
}
END_TEST

START_TEST (a_margin_goes_by_what_samples_stand_for)
{
	struct ppi_samples s;
	struct ppi_features all;
	double at = 0;

	begin (&s);
	/* of 100 s half, in a hundred samples: each 1 s but the last, of the feature, half of it */
	add (&s, 1, at, "(f");
	for (int i = 0; i < 50; i++)
		add (&s, 1, at += 1, "(f");
	for (int i = 0; i < 50; i++)
		add (&s, 1, at += 1, "a");
	analyse (&s, PPI_FEATURES_BY_INSTANCE, &all);
	ck_assert_double_eq_tol (all.feature[0].chance, 100 * ppi_share_margin (0.495, 100), 0.2);
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
	/* the same, in one sample that stands for all of it: it may as well have been another */
	begin (&s);
	at = 0;
	add (&s, 1, at, "(f");
	for (int i = 0; i < 50; i++)
		add (&s, 1, at += 1, "(f");
	add (&s, 1, at + 50, "a");
	add (&s, 1, at + 100, "(f");
	analyse (&s, PPI_FEATURES_BY_INSTANCE, &all);
	ck_assert_double_gt (all.feature[0].chance, 0.3 * all.total);
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
}
END_TEST

/* ---- of what it is made ---------------------------------------------------------------------- */

START_TEST (instances_are_payloads_or_else_places)
{
	struct ppi_samples s;
	struct ppi_features all;
	const struct ppi_feature *a;

	begin (&s);
	ten (&s, 1, "a=x");
	ten (&s, 1, "a=y");
	ten (&s, 1, "a=x -a a=y");
	ten (&s, 1, "a");
	ten (&s, 1, "a= ");
	analyse (&s, PPI_FEATURES_BY_INSTANCE, &all);
	a = feature_of (&all, "lib.a");
	ck_assert_uint_eq (a->times, 50);
	ck_assert_uint_eq (a->parts, 4);
	ck_assert_str_eq (a->part[0].name, "y");
	ck_assert_uint_eq (a->part[0].times, 20);
	ck_assert_uint_eq (part_of (a, "x")->times, 10);
	ck_assert_uint_eq (part_of (a, "lib.c:97")->times, 10);
	/* a text that is empty is one */
	ck_assert_uint_eq (part_of (a, "\"\"")->times, 10);
	ppi_features_clear (&all);
	analyse (&s, PPI_FEATURES_BY_PLACE, &all);
	ck_assert_uint_eq (feature_of (&all, "lib.a")->parts, 1);
	ck_assert_uint_eq (part_of (feature_of (&all, "lib.a"), "lib.c:97")->times, 50);
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (a_caller_is_the_next_interval_or_other_feature_outside)
{
	struct ppi_samples s;
	struct ppi_features all;
	const struct ppi_feature *a;

	begin (&s);
	ten (&s, 1, "(f a");
	ten (&s, 1, "(f a -a a");
	ten (&s, 1, "(f (g a (h");
	ten (&s, 1, "b a");
	ten (&s, 1, "a");
	analyse (&s, PPI_FEATURES_BY_CALLER, &all);
	a = feature_of (&all, "lib.a");
	ck_assert_uint_eq (a->parts, 4);
	ck_assert_uint_eq (part_of (a, "f")->times, 20);
	ck_assert_uint_eq (part_of (a, "g")->times, 10);
	ck_assert_uint_eq (part_of (a, "lib.b")->times, 10);
	ck_assert_uint_eq (part_of (a, "(nothing open)")->times, 10);
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (a_mark_that_was_never_seen_is_told_of_unless_its_payloads_were)
{
	struct ppi_samples s;
	struct ppi_features all;

	begin (&s);
	/* what the recording lists, seen or not */
	stack_of (&s, "a");
	stack_of (&s, "b");
	ten (&s, 1, "a=x");
	analyse (&s, PPI_FEATURES_BY_INSTANCE, &all);
	ck_assert_uint_eq (feature_of (&all, "lib.a")->parts, 1);
	ck_assert_uint_eq (feature_of (&all, "lib.b")->parts, 1);
	ck_assert_uint_eq (part_of (feature_of (&all, "lib.b"), "lib.c:98")->times, 0);
	ppi_features_clear (&all);
	ppi_samples_clear (&s);
}
END_TEST

/* ---- their order ----------------------------------------------------------------------------- */

/* PART of FEATURE took RAW seconds with what marks take, and S without. */
static void measured (struct ppi_features *all, const char *feature, char *part, double raw,
		      double s)
{
	ck_assert (ppi_feature_add (
		ppi_features_of (all, feature),
		&(struct ppi_feature_part){.name = part, .raw = raw, .time = s, .times = 1}));
}

START_TEST (the_dearest_is_first_by_the_time_that_is_shown)
{
	struct ppi_features all = {.is_exact = true};
	char many[] = "many", few[] = "few";

	measured (&all, "lib.many", many, 5, 0);
	measured (&all, "lib.few", many, 4, 1);
	measured (&all, "lib.few", few, 2, 2);
	measured (&all, "lib.nothing", many, 0, 0);
	ppi_features_finish (&all);
	ck_assert_str_eq (all.feature[0].name, "lib.few");
	ck_assert_str_eq (all.feature[0].part[0].name, "few");
	ck_assert_str_eq (all.feature[1].name, "lib.many");
	ck_assert_str_eq (all.feature[2].name, "lib.nothing");
	ppi_features_clear (&all);
}
END_TEST

/* ---- several recordings ---------------------------------------------------------------------- */

/* Ten samples of WORDS of a program whose looks are PERIOD seconds apart. */
static void sampled (struct ppi_features *out, const char *words, double period, double took)
{
	struct ppi_samples s;
	struct ppi_sampled_thread *t;

	begin (&s);
	s.period_s = period;
	s.own_s = 0.25;
	s.marks = 100;
	s.marks_s = took;
	s.lost[0] = 2;
	ten (&s, 1, "(f");
	ten (&s, 1, words);
	t = ppi_samples_thread (&s, 1, "worker");
	for (size_t i = 0; i < t->n; i++)
		t->sample[i].at_s *= period;
	analyse (&s, PPI_FEATURES_BY_INSTANCE, out);
	ppi_samples_clear (&s);
}

static void add_up (struct ppi_features *sum, struct ppi_features *one, size_t n)
{
	*sum = (struct ppi_features){.program = NULL};
	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_null (ppi_features_differ (sum, &one[i]));
		ck_assert (ppi_features_add (sum, &one[i]));
		ppi_features_clear (&one[i]);
	}
}

START_TEST (features_of_several_recordings_are_added_up_by_name)
{
	struct ppi_features one[2], sum;
	const struct ppi_feature *a;

	sampled (&one[0], "a=x b", 1, 0);
	sampled (&one[1], "a=x a=y c", 1, 0);
	add_up (&sum, one, 2);
	ck_assert_str_eq (sum.program, "program, process 1 + program, process 1");
	ck_assert_uint_eq (sum.recordings, 2);
	ck_assert_uint_eq (sum.features, 3);
	ck_assert_uint_eq (sum.threads, 2);
	ck_assert_uint_eq (sum.times, 40);
	ck_assert_uint_eq (sum.begun, 200);
	ck_assert_uint_eq (sum.missed[0], 4);
	ck_assert_double_eq_tol (sum.own_s, 0.5, 1e-12);
	ck_assert_double_eq_tol (sum.total, 2 * 19, 1e-9);
	ck_assert_double_eq_tol (sum.period_s, 1, 1e-12);
	a = feature_of (&sum, "lib.a");
	ck_assert_ptr_eq (a, sum.feature);
	ck_assert_uint_eq (a->times, 20);
	ck_assert_double_eq_tol (a->time, 19, 1e-9);
	ck_assert_uint_eq (a->parts, 2);
	ck_assert_uint_eq (part_of (a, "x")->times, 10);
	ck_assert_uint_eq (part_of (a, "y")->times, 10);
	ck_assert_uint_eq (feature_of (&sum, "lib.c")->times, 10);
	ppi_features_clear (&sum);
}
END_TEST

START_TEST (a_sum_of_one_is_that_one)
{
	struct ppi_features one, sum;
	double off, part_off;

	sampled (&one, "a=x", 1, 0.5);
	off = one.feature->chance + one.feature->doubt;
	part_off = ppi_features_off (&one, one.feature->part);
	/* half of 19 s, of which all half a second of marks may be, or none */
	ck_assert_double_eq_tol (
		part_off, ppi_share_margin (0.5, 19 * 19 / 18.5) + 0.5 * 0.5 / (19 - 0.5), 1e-3);
	add_up (&sum, &one, 1);
	ck_assert_str_eq (sum.program, "program, process 1");
	ck_assert_double_eq_tol (sum.feature->chance + sum.feature->doubt, off, 1e-12);
	ck_assert_double_eq_tol (ppi_features_off (&sum, sum.feature->part), part_off, 1e-12);
	ck_assert_double_eq_tol (sum.took, 0.5, 1e-12);
	ppi_features_clear (&sum);
}
END_TEST

START_TEST (chance_of_recordings_adds_up_by_squares_and_what_marks_take_as_it_is)
{
	struct ppi_features one[4], sum;
	double chance, doubt;

	for (int i = 0; i < 4; i++)
		sampled (&one[i], "a", 1, 0.5);
	chance = one[0].feature->part->chance;
	doubt = one[0].feature->part->doubt;
	ck_assert (chance > 0 && doubt > 0);
	add_up (&sum, one, 4);
	ck_assert_double_eq_tol (sum.feature->chance, 2 * chance, 1e-9);
	ck_assert_double_eq_tol (sum.feature->part->chance, 2 * chance, 1e-9);
	ck_assert_double_eq_tol (sum.feature->doubt, 4 * doubt, 1e-9);
	ck_assert_double_eq_tol (sum.feature->part->doubt, 4 * doubt, 1e-9);
	ck_assert_double_eq_tol (ppi_features_off (&sum, sum.feature->part),
				 (2 * chance + 4 * doubt) / sum.total, 1e-9);
	/* the first ones are named */
	ck_assert_uint_eq (sum.recordings, 4);
	ck_assert_str_eq (sum.program,
			  "program, process 1 + program, process 1 + program, process 1");
	ppi_features_clear (&sum);
}
END_TEST

START_TEST (a_recording_that_is_looked_at_less_often_counts_by_its_time)
{
	struct ppi_features one[2], sum;

	sampled (&one[0], "a", 1, (double) NAN);
	sampled (&one[1], "b", 9, 0.5);
	add_up (&sum, one, 2);
	ck_assert (isnan (sum.period_s));
	ck_assert_double_eq_tol (sum.total, 190, 1e-9);
	ck_assert_double_eq_tol (feature_of (&sum, "lib.a")->time / sum.total, 0.05, 1e-9);
	ck_assert_double_eq_tol (feature_of (&sum, "lib.b")->time / sum.total, 0.45, 1e-9);
	/* what is not known of one is told, and what is known of the other stays */
	ck_assert_uint_eq (sum.untold, 100);
	ck_assert_double_eq_tol (sum.took, 0.5, 1e-12);
	ppi_features_clear (&sum);
}
END_TEST

/* What was measured, with all that there is of a whole. */
static struct ppi_features exact (uint64_t marks, double mark_s)
{
	struct ppi_features all = {.program = strdup ("program"),
				   .recordings = 1,
				   .is_exact = true,
				   .total = 8,
				   .raw = 10,
				   .doubt = 1,
				   .waited = 2,
				   .waits = 3,
				   .times = marks,
				   .threads = 2,
				   .mark_s = mark_s,
				   .untold = isnan (mark_s) ? marks : 0,
				   .open = 4,
				   .lost = 5,
				   .lost_s = 0.5};
	char many[] = "many";

	measured (&all, "lib.many", many, 5, 4);
	all.feature->part->doubt = 0.5;
	/* with waits it is more than the sum of its parts */
	all.feature->doubt = 0.75;
	return all;
}

START_TEST (what_was_measured_adds_up_with_what_it_may_be_off_by)
{
	struct ppi_features one[3] = {exact (100, 2e-8), exact (300, 4e-8),
				      exact (50, (double) NAN)},
			    sum;

	add_up (&sum, one, 3);
	ck_assert (sum.is_exact);
	ck_assert_double_eq_tol (sum.total, 24, 1e-12);
	ck_assert_double_eq_tol (sum.raw, 30, 1e-12);
	ck_assert_double_eq_tol (sum.waited, 6, 1e-12);
	ck_assert_uint_eq (sum.waits, 9);
	ck_assert_uint_eq (sum.times, 450);
	ck_assert_uint_eq (sum.open, 12);
	ck_assert_uint_eq (sum.lost, 15);
	ck_assert_double_eq_tol (sum.lost_s, 1.5, 1e-12);
	/* the mean of those marks of which it is known */
	ck_assert_double_eq_tol (sum.mark_s, 3.5e-8, 1e-15);
	ck_assert_uint_eq (sum.untold, 50);
	ck_assert_double_eq_tol (sum.feature->raw, 15, 1e-12);
	ck_assert_double_eq_tol (sum.feature->doubt, 3 * 0.75, 1e-12);
	ck_assert_uint_eq (sum.feature->parts, 1);
	ck_assert_double_eq_tol (sum.feature->part->doubt, 1.5, 1e-12);
	/* of 24 s, which may be off by 3 s, 12 s that may be off by 1.5 s */
	ck_assert_double_eq_tol (ppi_features_off (&sum, sum.feature->part),
				 1.5 / 24 + 12.0 / 24 * 3 / 24, 1e-12);
	ppi_features_clear (&sum);
}
END_TEST

START_TEST (what_was_measured_and_what_was_sampled_have_no_sum)
{
	struct ppi_features one, other = exact (100, 2e-8), sum = {.program = NULL};

	sampled (&one, "a", 1, 0);
	ck_assert (ppi_features_add (&sum, &one));
	ck_assert_str_eq (ppi_features_differ (&sum, &other),
			  "was measured, and the others were sampled");
	one.is_cpu = true;
	ck_assert_str_eq (ppi_features_differ (&sum, &one),
			  "is of CPU time, and the others are of the wall clock");
	ppi_features_clear (&one);
	ppi_features_clear (&other);
	ppi_features_clear (&sum);
}
END_TEST

static Suite *features (void)
{
	Suite *suite = suite_create ("features");
	TCase *tests = tcase_create ("features");

	tcase_add_test (tests, time_goes_to_a_feature_only_while_its_newest_entry_is_a_mark);
	tcase_add_test (tests, features_know_nothing_of_each_other);
	tcase_add_test (tests, features_come_by_falling_cost_and_those_never_seen_have_none);
	tcase_add_test (tests, running_time_is_that_of_the_threads_that_had_marks);
	tcase_add_test (tests, looks_that_saw_the_same_count_each);
	tcase_add_test (tests, a_margin_is_wilsons);
	tcase_add_test (tests, a_margin_goes_by_what_samples_stand_for);
	tcase_add_test (tests, instances_are_payloads_or_else_places);
	tcase_add_test (tests, a_caller_is_the_next_interval_or_other_feature_outside);
	tcase_add_test (tests, a_mark_that_was_never_seen_is_told_of_unless_its_payloads_were);
	tcase_add_test (tests, the_dearest_is_first_by_the_time_that_is_shown);
	tcase_add_test (tests, features_of_several_recordings_are_added_up_by_name);
	tcase_add_test (tests, a_sum_of_one_is_that_one);
	tcase_add_test (tests,
			chance_of_recordings_adds_up_by_squares_and_what_marks_take_as_it_is);
	tcase_add_test (tests, a_recording_that_is_looked_at_less_often_counts_by_its_time);
	tcase_add_test (tests, what_was_measured_adds_up_with_what_it_may_be_off_by);
	tcase_add_test (tests, what_was_measured_and_what_was_sampled_have_no_sum);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {features};

	return ppcheck_main (suites, 1);
}
