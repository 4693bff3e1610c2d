/* SPDX-License-Identifier: MIT */
/*
 * test_unwind.c: stacks are unwound from copies as libgcc unwinds them where they stand, and
 * damaged tables harm nobody.
 */
#include "base/peek.h"
#include "profiler/sampler/unwind.h"

#include "ppcheck.h"
#include "recording/layout_profile.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __x86_64__

enum { DEEP = 40 };

static struct {
	struct ppi_raw head;
	uint8_t stack[PPI_RAW_STACK_BYTES];
} copy;

static struct ppi_unwound unwound;
static void *walked[DEEP + 64];
static int n_walked;
static size_t room; /* of the stack */

/* Takes what the handler takes, and walks the same stack by libgcc. */
static void sample (int number, siginfo_t *info, void *context)
{
	static const int of_dwarf[PPI_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					       REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	const ucontext_t *c = context;

	(void) number;
	(void) info;
	for (int i = 0; i < PPI_REGS; i++)
		copy.head.registers.value[i] = (uint64_t) c->uc_mcontext.gregs[of_dwarf[i]];
	copy.head.registers.known = (1u << PPI_REGS) - 1;
	copy.head.stack_bytes =
		(uint32_t) ppi_peek (copy.head.registers.value[PPI_REG_SP], copy.stack, room);
	n_walked = backtrace (walked, DEEP + 64);
}

static volatile unsigned sink;

__attribute__ ((noinline)) static int deep (int n)
{
	volatile char some[48];

	some[n % 48] = (char) n;
	if (n == 0)
		raise (SIGUSR1);
	else
		sink += (unsigned) deep (n - 1);
	return (int) (sink % 1000) + some[n % 48];
}

static void take (size_t bytes, int depth)
{
	struct sigaction action = {.sa_sigaction = sample, .sa_flags = SA_SIGINFO};

	/* backtrace loads libgcc at its first call */
	n_walked = backtrace (walked, 1);
	room = bytes;
	sigaction (SIGUSR1, &action, NULL);
	deep (depth);
	ppi_objects_refresh ();
	ppi_unwind (&copy.head, &unwound);
}

/* The place in what libgcc walked of the address that was interrupted. */
static int interrupted (void)
{
	for (int i = 0; i < n_walked; i++)
		if ((uint64_t) (uintptr_t) walked[i] == unwound.place[0].address)
			return i;
	return -1;
}

START_TEST (a_copied_stack_is_unwound_to_its_outermost_function)
{
	int at;

	take (PPI_RAW_STACK_BYTES, DEEP);
	at = interrupted ();
	ck_assert_int_ge (at, 0);
	ck_assert_uint_eq (unwound.loss, PPI_SAMPLE_LOSSES);
	ck_assert_int_eq ((int) unwound.n, n_walked - at);
	/* of callers it is an address in the call */
	for (uint32_t i = 1; i < unwound.n; i++)
		ck_assert_uint_eq (unwound.place[i].address,
				   (uint64_t) (uintptr_t) walked[(uint32_t) at + i] - 1);
}
END_TEST

/* Nothing else has that one loaded, so it goes when it is closed. */
START_TEST (where_a_library_was_closed_is_other_code_one_look_later)
{
	void *library = dlopen ("libBrokenLocale.so.1", RTLD_NOW);
	struct link_map *map;
	uint64_t address;

	ck_assert_ptr_nonnull (library);
	ck_assert_int_eq (dlinfo (library, RTLD_DI_LINKMAP, &map), 0);
	address = (uint64_t) (uintptr_t) map->l_ld;
	ppi_objects_refresh ();
	ck_assert_ptr_nonnull (ppi_object_of (address));
	dlclose (library);
	ppi_objects_refresh ();
	ck_assert_msg (ppi_object_of (address), "samples that wait are of what was there");
	ppi_objects_refresh ();
	ck_assert_ptr_null (ppi_object_of (address));
}
END_TEST

START_TEST (a_stack_that_was_cut_off_ends_there_and_says_so)
{
	int at;

	take (1024, DEEP);
	at = interrupted ();
	ck_assert_int_ge (at, 0);
	ck_assert_uint_eq (unwound.loss, PPI_SAMPLE_CUT);
	ck_assert_uint_gt (unwound.n, 3);
	ck_assert_uint_lt (unwound.n, DEEP);
	for (uint32_t i = 1; i < unwound.n; i++)
		ck_assert_uint_eq (unwound.place[i].address,
				   (uint64_t) (uintptr_t) walked[(uint32_t) at + i] - 1);
}
END_TEST

START_TEST (an_address_in_no_object_ends_the_stack)
{
	take (PPI_RAW_STACK_BYTES, 3);
	copy.head.registers.value[PPI_REG_PC] = 4096;
	copy.head.registers.value[PPI_REG_RBP] = 0;
	ppi_unwind (&copy.head, &unwound);
	ck_assert_uint_eq (unwound.n, 1);
	ck_assert_ptr_null (unwound.place[0].object);
	ck_assert_uint_eq (unwound.loss, PPI_SAMPLE_UNKNOWN);
}
END_TEST

START_TEST (tables_that_were_damaged_end_in_an_answer)
{
	struct ppi_object *object;
	const struct ppi_unwind_table *table;
	uint8_t *data;

	take (PPI_RAW_STACK_BYTES, DEEP);
	object = ppi_object_of ((uintptr_t) &deep);
	ck_assert_ptr_nonnull (object);
	table = ppi_object_table (object);
	ck_assert_ptr_nonnull (table);
	data = (uint8_t *) (uintptr_t) table->data;
	srand (1);
	for (int i = 0; i < 3000; i++) {
		size_t at = (size_t) rand () % table->bytes, n = (size_t) rand () % 64;

		for (size_t k = at; k < at + n && k < table->bytes; k++)
			data[k] = (uint8_t) rand ();
		ppi_unwind (&copy.head, &unwound);
		ck_assert_uint_ge (unwound.n, 1);
	}
}
END_TEST

START_TEST (memory_that_is_not_there_is_not_read)
{
	long page = sysconf (_SC_PAGESIZE);
	char *two = mmap (NULL, (size_t) page * 2, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     out[4096];

	memset (two, 7, (size_t) page);
	munmap (two + page, (size_t) page);
	ck_assert_uint_eq (ppi_peek ((uintptr_t) two + (size_t) page - 100, out, 300), 100);
	ck_assert_int_eq (out[99], 7);
	ck_assert_uint_eq (ppi_peek (16, out, 8), 0);
	ck_assert (ppi_peek_is_permitted ());
}
END_TEST

#else

START_TEST (stacks_are_unwound)
{
	ppcheck_skip ("not on this CPU");
}
END_TEST

#endif

static Suite *unwinding (void)
{
	Suite *suite = suite_create ("unwind");
	TCase *tests = tcase_create ("unwind");

#if defined __x86_64__
	tcase_add_test (tests, a_copied_stack_is_unwound_to_its_outermost_function);
	tcase_add_test (tests, a_stack_that_was_cut_off_ends_there_and_says_so);
	tcase_add_test (tests, where_a_library_was_closed_is_other_code_one_look_later);
	tcase_add_test (tests, an_address_in_no_object_ends_the_stack);
	tcase_add_test (tests, tables_that_were_damaged_end_in_an_answer);
	tcase_add_test (tests, memory_that_is_not_there_is_not_read);
#else
	tcase_add_test (tests, stacks_are_unwound);
#endif
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {unwinding};

	return ppcheck_main (suites, 1);
}
