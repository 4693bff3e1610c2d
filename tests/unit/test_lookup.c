/* SPDX-License-Identifier: MIT */
/*
 * test_lookup.c: sites found by an index are those that looking at every site finds, in the same
 * order.
 */
#include "base/lock.h"
#include "base/start.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/site.h"
#include "pp_abi.h"
#include "ppcheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than an index is made for. */
enum { SITES = 3000, LOOKUPS = 20 };

/* libpp's: what starts when a module registers. None does here. */
void ppi_runtime_start (void)
{
}

/* With the lock, as everything here. */
static void add_site (const char *file, const char *function, const char *name)
{
	const char *texts[] = {name, function, file};
	size_t used = sizeof (struct pp_abi_site);
	struct pp_abi_site *d = calloc (1, used + 512);
	uint32_t offsets[3];

	ck_assert (d != NULL);
	for (unsigned i = 0; i < 3; i++) {
		offsets[i] = texts[i] ? (uint32_t) used : 0;
		if (texts[i])
			used = (size_t) (stpcpy ((char *) d + used, texts[i]) + 1 - (char *) d);
	}
	d->name = offsets[0];
	d->function = offsets[1];
	d->file = offsets[2];
	d->abi = PP_ABI_VERSION;
	d->size = sizeof (*d) + 512;
	d->kind = PP_ABI_SITE_POINT;
	ck_assert (ppi_site_add_named (d) != NULL);
}

static void add_sites (unsigned from, unsigned to)
{
	char file[64], function[64], name[64];

	for (unsigned i = from; i < to; i++) {
		snprintf (file, sizeof (file), i % 7 ? "src/f%02u/part.c" : "f%02u.c", i % 50);
		snprintf (function, sizeof (function),
			  i % 3   ? "f%04u"
			  : i % 2 ? "ns%u::C::handle_%u"
				  : "C%u::operator*",
			  i % 1000, i);
		snprintf (name, sizeof (name), i % 5 ? "i%u" : "L%u.1", i % 11);
		if (i % 13)
			add_site (file, function, name);
		else
			add_site (NULL, NULL, function); /* a call */
	}
}

static const char *const patterns[] = {
	/* by what begins in the function or the name */
	"f0123*/i1",
	"f0123/i*",
	"f012?/**",
	"i7",
	"L*",
	"handle_12*",
	"C::handle_*/i?",
	"ns9::C::handle_9/i9",
	"C12::operator\\*/*",
	"operator\\**",
	"f0777/i7",
	"nothing*",
	"f0500/L0.1",
	"operator\\*/i8",
	/* by what begins in the file or the module */
	"part.c:f0*",
	"part.c:f0131/*",
	"f07/part.c:f01*",
	"src/f1*",
	"src/f12/part.c:*",
	"f07.c:ns*",
	"f0*",
	"f07.c:**",
	"test_lookup!src/f*",
	"test_lookup!src/f08/part.c:f0008/i8",
	"test_lookup!f0013",
	"test_l*",
	"f1",
	/* by anything */
	"*",
	"**",
	"?1",
	"**1",
	"*/i1",
	"**/part.c:f01*",
	/* by a property */
	"fn:f01*",
	"fn:handle_12*",
	"fn:ns9::*",
	"fn:C*",
	"fn:*",
	"file:src/f1?/**",
	"file:part.c",
	"file:f07.c",
	"module:test_lookup",
	"module:x*",
	"group:io",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/*
 * How many sites the look-up of PATTERN gave, each of which must be the one that looking at all
 * gives.
 */
static unsigned check_same (const char *pattern)
{
	struct ppi_lookup lookup;
	const pp_site *all = ppi_site_first ();
	unsigned n = 0;

	ppi_lookup_begin (&lookup, pattern);
	for (;;) {
		const pp_site *found = ppi_lookup_next (&lookup);

		while (all && !ppi_site_matches (all, pattern))
			all = all->next;
		ck_assert_msg (found == all, "\"%s\": %s instead of %s", pattern,
			       found ? found->full : "the end", all ? all->full : "the end");
		if (!found)
			break;
		all = all->next;
		n++;
	}
	ppi_lookup_end (&lookup);
	return n;
}

/* So often that an index is worth it. */
static void look_often (void)
{
	for (unsigned i = 0; i < LOOKUPS; i++)
		check_same ("f0123*/i1");
}

/* Does the look-up of PATTERN look at few sites only, TOGETHER at most? */
static void check_narrow (const char *pattern, uint32_t together)
{
	struct ppi_lookup lookup;
	uint32_t looks;

	ppi_lookup_begin (&lookup, pattern);
	looks = lookup.n_found + ppi_site_count () - (lookup.behind ? lookup.behind->id : 0);
	ppi_lookup_end (&lookup);
	ck_assert_msg (looks <= together, "\"%s\": %u sites are looked at", pattern, looks);
}

START_TEST (an_index_finds_what_looking_at_every_site_finds_in_the_same_order)
{
	unsigned n = 0;

	ppi_lock ();
	add_sites (0, SITES);
	for (unsigned i = 0; i < PATTERNS; i++)
		n += check_same (patterns[i]);
	look_often ();
	for (unsigned i = 0; i < PATTERNS; i++)
		n -= check_same (patterns[i]);
	ck_assert_uint_eq (n, 0);
	ppi_unlock ();
}
END_TEST

START_TEST (after_some_look_ups_few_sites_are_looked_at)
{
	ppi_lock ();
	add_sites (0, SITES);
	look_often ();
	check_narrow ("f0123*/i1", 10);
	check_narrow ("ns9::C::handle_9/i9", 5);
	check_narrow ("part.c:f0131/*", 10);
	check_narrow ("test_lookup!src/f08/part.c:f0008/i8", 10);
	check_narrow ("fn:handle_12*", 200);
	check_narrow ("nothing", 0);
	ppi_unlock ();
}
END_TEST

START_TEST (sites_that_appear_after_the_index_was_made_are_found)
{
	ppi_lock ();
	add_sites (0, SITES);
	look_often ();
	add_sites (SITES, SITES + 100);
	for (unsigned i = 0; i < PATTERNS; i++)
		check_same (patterns[i]);
	check_narrow ("f0123*/i1", 110);
	add_sites (SITES + 100, 3 * SITES);
	look_often ();
	for (unsigned i = 0; i < PATTERNS; i++)
		check_same (patterns[i]);
	check_narrow ("nothing", 0);
	ppi_unlock ();
}
END_TEST

START_TEST (a_site_that_appears_during_a_look_up_comes_too)
{
	struct ppi_lookup lookup;
	const pp_site *s, *last = NULL;

	ppi_lock ();
	add_sites (0, SITES);
	look_often ();
	ppi_lookup_begin (&lookup, "f0123*/i1");
	ck_assert (ppi_lookup_next (&lookup) != NULL);
	add_site ("new.c", "f0123_new", "i1");
	while ((s = ppi_lookup_next (&lookup)))
		last = s;
	ppi_lookup_end (&lookup);
	ck_assert_str_eq (last ? last->full : "", "test_lookup!new.c:f0123_new/i1");
	ppi_unlock ();
}
END_TEST

static Suite *lookup (void)
{
	Suite *suite = suite_create ("lookup");
	TCase *tests = tcase_create ("lookup");

	tcase_add_test (tests, an_index_finds_what_looking_at_every_site_finds_in_the_same_order);
	tcase_add_test (tests, after_some_look_ups_few_sites_are_looked_at);
	tcase_add_test (tests, sites_that_appear_after_the_index_was_made_are_found);
	tcase_add_test (tests, a_site_that_appears_during_a_look_up_comes_too);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {lookup};

	/* the module of sites without one */
	program_invocation_short_name = (char *) "test_lookup";
	return ppcheck_main (suites, 1);
}
