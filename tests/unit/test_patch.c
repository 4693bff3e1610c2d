/* SPDX-License-Identifier: MIT */
/*
 * test_patch.c: markers, wherever they lie in a word, are turned on and off and led elsewhere, also
 * while a thread runs through them.
 */
#include "libmetrics/code/patch.h"
#include "libmetrics/tables/site.h"
#include "tests/unit/ppcheck.h"

#include "pp_arch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __x86_64__

enum { MARKERS = 8, BYTES = 8192, FUNCTION = 64, STUBS = 2048, TARGETS = 3072, RECORDS = 4096 };

/*
 * Each function is "xor %eax,%eax; marker; ret", begins at another place of a word, and returns 0
 * while its marker is off; stubs return 1, targets 2 and 3.
 */
static unsigned char *code;
static struct ppi_marker markers[MARKERS];

static void put_return (unsigned char *at, unsigned char value)
{
	memcpy (at, (const unsigned char[]){0xb8, value, 0, 0, 0, 0xc3}, 6);
}

static unsigned char *nop_of (int k)
{
	return code + FUNCTION * k + k + 2;
}

static unsigned char *stub_of (int k)
{
	return code + STUBS + 64 * k + 8;
}

static uintptr_t target (int which)
{
	return (uintptr_t) (code + TARGETS + 64 * which);
}

static void put_marker (int k)
{
	static const unsigned char nop[] = PP_ABI_X86_NOP, redirect[] = PP_ABI_X86_REDIRECT;
	struct pp_abi_marker *record = (struct pp_abi_marker *) (void *) (code + RECORDS + 64 * k);
	int32_t distance = (int32_t) (stub_of (k) - (nop_of (k) + PP_ABI_X86_NOP_BYTES));

	memcpy (nop_of (k) - 2, (const unsigned char[]){0x31, 0xc0}, 2);
	memcpy (nop_of (k), nop, sizeof (nop));
	memcpy (nop_of (k) + PP_ABI_X86_REL32, &distance, 4);
	nop_of (k)[PP_ABI_X86_NOP_BYTES] = 0xc3;
	memcpy (stub_of (k), redirect, sizeof (redirect));
	put_return (stub_of (k) + sizeof (redirect), 1);
	record->nop = (int32_t) (nop_of (k) - (unsigned char *) &record->nop);
	record->stub = (int32_t) (stub_of (k) - (unsigned char *) &record->stub);
	markers[k] = (struct ppi_marker){record, 0};
}

static void set_up (void)
{
	code = mmap (NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert (code != MAP_FAILED);
	for (int k = 0; k < MARKERS; k++)
		put_marker (k);
	put_return ((unsigned char *) target (0), 2);
	put_return ((unsigned char *) target (1), 3);
	ck_assert_int_eq (mprotect (code, BYTES, PROT_READ | PROT_EXEC), 0);
}

static int call (int k)
{
	return ((int (*) (void)) (uintptr_t) (nop_of (k) - 2)) ();
}

/* TO: an address, or 1 for each marker's stub. Returns how many could not be changed. */
static size_t lead_all (uintptr_t to)
{
	struct ppi_patch patches[MARKERS];

	for (int k = 0; k < MARKERS; k++)
		patches[k] =
			(struct ppi_patch){.marker = &markers[k],
					   .to = to == 1 ? pp_arch_stub (markers[k].record) : to};
	return ppi_patch_markers (patches, MARKERS);
}

static void all_return (int value)
{
	for (int k = 0; k < MARKERS; k++)
		ck_assert_msg (call (k) == value, "marker %d returns %d, not %d", k, call (k),
			       value);
}

START_TEST (marker_anywhere_in_a_word_is_turned_on_and_off)
{
	all_return (0);
	ck_assert_uint_eq (lead_all (1), 0);
	all_return (1);
	ck_assert_uint_eq (lead_all (0), 0);
	all_return (0);
}
END_TEST

START_TEST (marker_is_led_from_one_target_to_another_and_back_to_its_stub)
{
	ck_assert_uint_eq (lead_all (target (0)), 0);
	all_return (2);
	ck_assert_uint_eq (lead_all (target (1)), 0);
	all_return (3);
	ck_assert_uint_eq (lead_all (1), 0);
	all_return (1);
}
END_TEST

START_TEST (marker_that_is_turned_on_again_leads_where_it_led_and_one_byte_changes)
{
	unsigned char before[MARKERS][PP_ABI_X86_NOP_BYTES];

	ck_assert_uint_eq (lead_all (target (0)), 0);
	for (int k = 0; k < MARKERS; k++)
		memcpy (before[k], nop_of (k), sizeof (before[k]));
	ck_assert_uint_eq (lead_all (0), 0);
	all_return (0);
	for (int k = 0; k < MARKERS; k++)
		for (int i = 0; i < PP_ABI_X86_NOP_BYTES; i++)
			ck_assert_int_eq (before[k][i] != nop_of (k)[i], i == PP_ABI_X86_SWITCH);
	ck_assert_uint_eq (lead_all (target (0)), 0);
	all_return (2);
}
END_TEST

START_TEST (target_out_of_reach_fails_and_changes_nothing)
{
	uintptr_t far_away = (uintptr_t) code + ((uintptr_t) 1 << 40);

	ck_assert (!pp_arch_leads_to (markers[0].record, far_away));
	ck_assert (pp_arch_leads_to (markers[0].record, target (0)));
	ck_assert_uint_eq (lead_all (1), 0);
	ck_assert_uint_eq (lead_all (far_away), MARKERS);
	all_return (1);
}
END_TEST

static void poke (unsigned char *at, unsigned char byte)
{
	mprotect (code, BYTES, PROT_READ | PROT_WRITE);
	*at = byte;
	mprotect (code, BYTES, PROT_READ | PROT_EXEC);
}

START_TEST (every_byte_that_somebody_else_changed_makes_a_marker_theirs)
{
	for (int i = 0; i < PP_ABI_X86_NOP_BYTES; i++) {
		unsigned char was = nop_of (3)[i];

		/* where the jump leads is looked at when it is to lead elsewhere */
		poke (nop_of (3) + i, 0xcc);
		ck_assert_uint_eq (lead_all (target (i % 2)), 1);
		ck_assert_int_eq (nop_of (3)[i], 0xcc);
		poke (nop_of (3) + i, was);
		ck_assert_uint_eq (lead_all (0), 0);
	}
}
END_TEST

START_TEST (marker_with_a_breakpoint_can_be_turned_off_and_then_leads_nowhere)
{
	for (int k = 0; k < MARKERS; k++) {
		ck_assert_uint_eq (lead_all (target (0)), 0);
		poke (nop_of (k), 0xcc);
		ck_assert_uint_eq (lead_all (0), 0);
		ck_assert_int_eq (nop_of (k)[0], 0xcc);
		/*
		 * as the copy of the instruction that was on, which a uprobe executes elsewhere,
		 * goes on: behind the marker, or to its stub
		 */
		ck_assert_int_ne (((int (*) (void)) (uintptr_t) (nop_of (k) + 4)) (), 2);
		poke (nop_of (k), 0x66);
		all_return (0);
		ck_assert_uint_eq (lead_all (target (1)), 0);
		all_return (3);
	}
}
END_TEST

START_TEST (marker_that_is_on_at_its_stub_is_led_on_by_its_head)
{
	ck_assert_uint_eq (lead_all (1), 0);
	for (int k = 0; k < MARKERS; k++)
		ck_assert (pp_arch_leads_unseen (markers[k].record, target (0)));
	ck_assert_uint_eq (lead_all (target (0)), 0);
	all_return (2);
	for (int k = 0; k < MARKERS; k++)
		ck_assert_int_eq (*stub_of (k), 0xe9);
	ck_assert_uint_eq (lead_all (1), 0);
	all_return (1);
	ck_assert_uint_eq (lead_all (target (1)), 0);
	all_return (3);
	ck_assert_uint_eq (lead_all (0), 0);
	all_return (0);
}
END_TEST

/* As after a step that failed: an instruction that does nothing instead of the jump. */
START_TEST (marker_that_was_left_closed_is_led_and_turned_on)
{
	poke (nop_of (3) + 4, 0xa9);
	all_return (0);
	ck_assert_uint_eq (lead_all (target (0)), 0);
	all_return (2);
}
END_TEST

static int stop;

static void *run_through (void *arg)
{
	long *seen = arg;

	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		for (int k = 0; k < MARKERS; k++) {
			int value = call (k);

			if (value < 0 || value > 3)
				abort ();
			__atomic_fetch_add (&seen[value], 1, __ATOMIC_RELAXED);
		}
	return NULL;
}

START_TEST (thread_that_runs_through_markers_meanwhile_goes_the_old_way_or_the_new_one)
{
	long seen[4] = {0};
	pthread_t thread;

	pthread_create (&thread, NULL, run_through, seen);
	for (int i = 0; i < 3000; i++) {
		ck_assert_uint_eq (lead_all (i % 3 == 2 ? 1 : target (i % 3)), 0);
		if (i % 7 == 0)
			ck_assert_uint_eq (lead_all (0), 0);
	}
	/* on all the time: nobody falls through */
	ck_assert_uint_eq (lead_all (target (0)), 0);
	__atomic_store_n (&seen[0], 0, __ATOMIC_RELAXED);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq (lead_all (target (i % 2)), 0);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	ck_assert_int_le (seen[0], 1); /* one was under way */
}
END_TEST

#endif

static Suite *patching (void)
{
	Suite *suite = suite_create ("patching");
	TCase *tests = tcase_create ("patching");

#ifdef __x86_64__
	tcase_add_checked_fixture (tests, set_up, NULL);
	tcase_add_test (tests, marker_anywhere_in_a_word_is_turned_on_and_off);
	tcase_add_test (tests, marker_is_led_from_one_target_to_another_and_back_to_its_stub);
	tcase_add_test (tests,
			marker_that_is_turned_on_again_leads_where_it_led_and_one_byte_changes);
	tcase_add_test (tests, target_out_of_reach_fails_and_changes_nothing);
	tcase_add_test (tests, every_byte_that_somebody_else_changed_makes_a_marker_theirs);
	tcase_add_test (tests, marker_with_a_breakpoint_can_be_turned_off_and_then_leads_nowhere);
	tcase_add_test (tests, marker_that_is_on_at_its_stub_is_led_on_by_its_head);
	tcase_add_test (tests, marker_that_was_left_closed_is_led_and_turned_on);
	tcase_add_test (tests,
			thread_that_runs_through_markers_meanwhile_goes_the_old_way_or_the_new_one);
#endif
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {patching};

	return ppcheck_main (suites, 1);
}
