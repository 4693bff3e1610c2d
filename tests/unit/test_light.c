/* SPDX-License-Identifier: MIT */
/*
 * test_light.c: which plans are light (libmetrics/thread/light.h), and what becomes of them where
 * there are no blocks, or no room for frames. Which plan was chosen and where its markers lead is
 * asserted, no time.
 */
#include "base/lock.h"
#include "libmetrics/code/block.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/thread.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <pp.h>
#include <string.h>

static volatile long sink;

/* clang-format off */
#define IN(name) { PP_INTERVAL (name) sink++; }
#define TEN(p) IN (p##0) IN (p##1) IN (p##2) IN (p##3) IN (p##4) IN (p##5) IN (p##6) IN (p##7) IN (p##8) IN (p##9)
NOIPA void forty (void);
NOIPA void forty (void) { TEN (a) TEN (b) TEN (c) TEN (d) }
NOIPA void alone (void);
NOIPA void alone (void) { IN (alone) }
/* clang-format on */

static void start (void)
{
	ppi_runtime_start ();
#ifdef __SANITIZE_THREAD__
	ppcheck_skip ("ThreadSanitizer knows guards only, which have no blocks");
#endif
	if (!ppi_blocks_may_be ())
		ppcheck_skip ("there are no blocks here");
}

static pp_metric *metric_of (const char *name, const char *text)
{
	pp_metric *m = NULL;

	ck_assert_int_eq (pp_metric_new (&m, name, text), PP_OK);
	return m;
}

static const struct ppi_plan *plan_of (const char *site)
{
	for (const struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		if (b->site && strcmp (b->site->name, site) == 0)
			return b->site->plan;
	return NULL;
}

/* How many markers of the forty sites, and of "alone", lead to blocks. */
static unsigned in_blocks (void)
{
	unsigned n = 0;

	for (const pp_site *s = ppi_site_first (); s; s = s->next)
		for (const struct ppi_copy *c = s->copies; c; c = c->next)
			for (uint32_t i = 0; i < c->n_markers; i++)
				n += ppi_block_runs (&c->markers[i]);
	return n;
}

static unsigned light_plans (void)
{
	char site[8];
	unsigned n = 0;

	for (int i = 0; i < 40; i++) {
		snprintf (site, sizeof site, "%c%d", 'a' + i / 10, i % 10);
		n += plan_of (site)->light != PPI_LIGHT_NONE;
	}
	return n;
}

static void touch_all (void)
{
	ppi_lock ();
	ppi_batch_begin ();
	for (struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		if (b->site)
			ppi_site_touch (b->site);
	ck_assert_int_eq (ppi_batch_end (), PP_OK);
	ppi_unlock ();
}

/* ---- without blocks -------------------------------------------------------------------------- */

static void a_crowd_is_not_light (const char *text)
{
	pp_metric *m = metric_of ("m", text);

	ppi_blocks_at_once = 40;
	ck_assert_int_eq (pp_bind (m, "forty/*", 0), 40);
	ck_assert_uint_eq (light_plans (), 0);
	ck_assert_uint_eq (in_blocks (), 0);
	/* and the places are there for those who come by themselves */
	ck_assert_int_eq (pp_bind (m, "alone", 0), 1);
	ck_assert_uint_eq (plan_of ("alone")->light != PPI_LIGHT_NONE, 1);
	ck_assert_uint_ge (in_blocks (), 2);
	for (int i = 0; i < 100; i++) {
		forty ();
		alone ();
	}
}

START_TEST (of_more_markers_than_get_blocks_none_is_counted_lightly)
{
	a_crowd_is_not_light ("interval count(count)");
	ck_assert_double_eq (pp_stat (pp_metric_find ("m"), NULL, PP_STAT_COUNT), 4100);
}
END_TEST

START_TEST (nor_sampled_lightly)
{
	a_crowd_is_not_light ("interval sumcount(elapsed, every=10)");
	ck_assert_double_eq (pp_stat (pp_metric_find ("m"), NULL, PP_STAT_COUNT), 410);
}
END_TEST

START_TEST (what_has_blocks_keeps_them_in_a_crowd)
{
	pp_metric *m = metric_of ("m", "interval count(count)");
	const struct ppi_plan *plan;
	unsigned n;

	ck_assert_int_eq (pp_bind (m, "alone", 0), 1);
	n = in_blocks ();
	plan = plan_of ("alone");
	ck_assert_uint_ge (n, 2);
	ppi_blocks_at_once = 40;
	ck_assert_int_eq (pp_bind (m, "forty/*", 0), 40);
	touch_all ();
	ck_assert_ptr_eq (plan_of ("alone"), plan);
	ck_assert_uint_eq (plan->light, PPI_LIGHT_COUNT);
	ck_assert_uint_eq (in_blocks (), n);
	ck_assert_uint_eq (light_plans (), 0);
}
END_TEST

START_TEST (what_nothing_is_bound_to_is_no_crowd)
{
	pp_metric *m = metric_of ("m", "interval count(count)");

	ck_assert_int_eq (pp_bind (m, "forty/*", 0), 40);
	ppi_blocks_at_once = 40;
	/* forty sites are switched off where one is switched on */
	ppi_lock ();
	ppi_batch_begin ();
	ck_assert_int_eq (pp_unbind (m, "forty/*"), 40);
	ck_assert_int_eq (pp_bind (m, "alone", 0), 1);
	ck_assert_int_eq (ppi_batch_end (), PP_OK);
	ppi_unlock ();
	ck_assert_uint_ge (in_blocks (), 2);
}
END_TEST

/*
 * A light plan whose markers lost their blocks goes by the general way of light.h, which leaves
 * nothing behind.
 */
START_TEST (stubs_of_light_counts_count_as_blocks_do)
{
	pp_metric *m = metric_of ("m", "interval count(count)");
	const struct ppi_frame *top;

	ck_assert_int_eq (pp_bind (m, "alone", 0), 1);
	alone (); /* attaches the thread, makes its shard */
	alone ();
	ppi_blocks_set (false);
	touch_all ();
	ck_assert_uint_eq (plan_of ("alone")->light, PPI_LIGHT_COUNT);
	ck_assert_uint_eq (in_blocks (), 0);
	top = ppi_self->top;
	for (int i = 0; i < 100; i++)
		alone ();
	ck_assert_ptr_eq (ppi_self->top, top);
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_COUNT), 102);
	ck_assert_uint_eq (ppi_lights[plan_of ("alone")->light_slot].sp, 0);
}
END_TEST

/* ---- without room for frames ----------------------------------------------------------------- */

static bool page_is_full (void)
{
	return ((uintptr_t) (ppi_self->top + 1) & (PPI_FRAME_PAGE - 1)) == 0;
}

/* Executes ALONE where the page of frames is full. */
NOIPA static void down (int times)
{
	PP_INTERVAL (down)
	if (!page_is_full ())
		down (times);
	else
		for (int i = 0; i < times; i++)
			alone ();
	sink++;
}

START_TEST (a_sampled_execution_without_room_leaves_the_others_their_fast_path)
{
	pp_metric *m = metric_of ("m", "interval sumcount(elapsed, every=10)"),
		  *all = metric_of ("all", "interval sumcount(elapsed)");
	double n;

	ck_assert_int_eq (pp_bind (all, "down/down", 0), 1);
	ck_assert_int_eq (pp_bind (m, "alone", 0), 1);
	ck_assert_uint_eq (plan_of ("alone")->light, PPI_LIGHT_EVERY);
	alone ();
	ppi_blocks_set (false); /* in C, too */
	while (ppi_own_page_fast ())
		;
	down (100);
	ck_assert_uint_ge (pp_dropped (PP_DROP_POOL), 1);
	ck_assert_uint_eq (ppi_self->thread->segment->overflow, 0);
	ck_assert_uint_ne (ppi_self->span, 0);
	n = pp_stat (m, NULL, PP_STAT_COUNT);
	for (int i = 0; i < 100; i++)
		alone ();
	ck_assert_double_ge (pp_stat (m, NULL, PP_STAT_COUNT), n + 9);
}
END_TEST

static Suite *light (void)
{
	Suite *s = suite_create ("light");
	TCase *c = tcase_create ("light");

	tcase_add_checked_fixture (c, start, NULL);
	tcase_add_test (c, of_more_markers_than_get_blocks_none_is_counted_lightly);
	tcase_add_test (c, nor_sampled_lightly);
	tcase_add_test (c, what_has_blocks_keeps_them_in_a_crowd);
	tcase_add_test (c, what_nothing_is_bound_to_is_no_crowd);
	tcase_add_test (c, stubs_of_light_counts_count_as_blocks_do);
	tcase_add_test (c, a_sampled_execution_without_room_leaves_the_others_their_fast_path);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {light};

	return ppcheck_main (suites, 1);
}
