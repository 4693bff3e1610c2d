/* SPDX-License-Identifier: MIT */
/*
 * test_stdmetrics.c: what the library's sources count is what was done between begin and end. Built
 * without malloc as a built-in.
 */
#include "stdmetrics/listing.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/ppcheck.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * One interval of a source: measure_begin, the work, measure_end. Between them check's assertions
 * would allocate, so there are none.
 */
struct measure {
	struct ppi_source_instance instance;
	uint64_t slot[8];
};

static struct measure measure_open (const struct ppi_source *source, const char *argument)
{
	struct measure m = {
		.instance = {.source = source, .argument = (char *) (uintptr_t) argument}};
	char why[300] = "";

	if (source->open)
		ck_assert_msg (source->open (&m.instance, why, sizeof why) == 0, "%s", why);
	if (source->use)
		source->use (&m.instance, true);
	return m;
}

static void measure_begin (struct measure *m)
{
	if (m->instance.source->begin (&m->instance, m->slot) != 0)
		ck_abort_msg ("begin has no value");
}

static int64_t measure_end (struct measure *m)
{
	union ppi_sample sample = {.i = -1};

	if (m->instance.source->end (&m->instance, m->slot, &sample) != 0)
		ck_abort_msg ("end has no value");
	return sample.i;
}

static int open_error (const struct ppi_source *source, const char *argument, char *why,
		       size_t room)
{
	struct ppi_source_instance instance = {.source = source,
					       .argument = (char *) (uintptr_t) argument};

	return source->open (&instance, why, room);
}

START_TEST (every_source_is_registered_under_its_name)
{
	const char *argument = "?";

	ck_assert_int_eq (ppi_stdmetrics_init (), 0);
#define X(name)                                                                                    \
	if (!ppi_source_##name.prefix)                                                             \
		ck_assert_ptr_eq (ppi_source_find (#name, &argument), &ppi_source_##name);
	PP_ABI_SOURCES (X)
#undef X
	ck_assert_ptr_eq (ppi_source_find ("papi:sde:::lib::event", &argument), &ppi_source_papi);
	ck_assert_str_eq (argument, "sde:::lib::event");
}
END_TEST

static void spin_for (clockid_t clock, uint64_t ns)
{
	struct timespec t;
	uint64_t start, now;

	clock_gettime (clock, &t);
	start = now = (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
	while (now - start < ns) {
		clock_gettime (clock, &t);
		now = (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
	}
}

static void *spin_in_thread (void *arg)
{
	spin_for (CLOCK_THREAD_CPUTIME_ID, *(uint64_t *) arg);
	return NULL;
}

START_TEST (cpu_time_contains_the_threads_own_work)
{
	struct measure m = measure_open (&ppi_source_cpu_time, NULL);

	measure_begin (&m);
	spin_for (CLOCK_THREAD_CPUTIME_ID, 3000000);
	ck_assert_int_ge (measure_end (&m), 3000000);
}
END_TEST

START_TEST (process_cpu_time_contains_other_threads_work_and_cpu_time_does_not)
{
	struct measure own = measure_open (&ppi_source_cpu_time, NULL);
	struct measure all = measure_open (&ppi_source_process_cpu_time, NULL);
	uint64_t ns = 20000000;
	pthread_t thread;

	measure_begin (&all);
	measure_begin (&own);
	ck_assert_int_eq (pthread_create (&thread, NULL, spin_in_thread, &ns), 0);
	pthread_join (thread, NULL);
	int64_t own_ns = measure_end (&own), all_ns = measure_end (&all);

	ck_assert_int_ge (all_ns, (int64_t) ns);
	ck_assert_int_ge (all_ns - own_ns, (int64_t) ns);
}
END_TEST

START_TEST (page_faults_count_each_fresh_page)
{
	struct measure m = measure_open (&ppi_source_page_faults, NULL);
	size_t page = (size_t) sysconf (_SC_PAGESIZE), pages = 100;
	char *memory = mmap (NULL, page * pages, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert (memory != MAP_FAILED);
	(void) madvise (memory, page * pages, MADV_NOHUGEPAGE);
	measure_begin (&m);
	for (size_t i = 0; i < pages; i++)
		((volatile char *) memory)[i * page] = 1;
	ck_assert_int_ge (measure_end (&m), (int64_t) pages);
	measure_begin (&m);
	for (size_t i = 0; i < pages; i++)
		((volatile char *) memory)[i * page] = 2;
	ck_assert_int_lt (measure_end (&m), (int64_t) pages);
}
END_TEST

START_TEST (context_switches_count_sleeps)
{
	struct measure m = measure_open (&ppi_source_context_switches, NULL);
	struct timespec nap = {0, 1000000};

	measure_begin (&m);
	for (int i = 0; i < 3; i++)
		nanosleep (&nap, NULL);
	ck_assert_int_ge (measure_end (&m), 3);
}
END_TEST

/* ---- heap ------------------------------------------------------------------------------------ */

static void *volatile sink;

START_TEST (heap_metrics_count_every_function_of_the_malloc_family)
{
	struct measure allocs = measure_open (&ppi_source_heap_allocs, NULL);
	struct measure bytes = measure_open (&ppi_source_heap_bytes, NULL);
	void *a[8];

	measure_begin (&allocs);
	measure_begin (&bytes);
	a[0] = malloc (10);
	a[1] = calloc (10, 2);
	a[2] = realloc (malloc (1), 1000);
	a[3] = reallocarray (NULL, 3, 100);
	a[4] = aligned_alloc (64, 128);
	a[5] = memalign (64, 64);
	int error = posix_memalign (&a[6], 64, 256);
	int64_t n = measure_end (&allocs), sum = measure_end (&bytes);

	ck_assert_int_eq (error, 0);
	ck_assert_int_eq (n, 8);
	ck_assert_int_eq (sum, 10 + 20 + 1 + 1000 + 300 + 128 + 64 + 256);
	for (int i = 0; i < 7; i++)
		free (a[i]);
}
END_TEST

/* Sanitizers bring allocators and libc functions of their own. */
static void skip_under_sanitizers (void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	ppcheck_skip ("not with a sanitizer's allocator");
#endif
}

START_TEST (heap_metrics_see_allocations_inside_libc)
{
	skip_under_sanitizers ();
	struct measure bytes = measure_open (&ppi_source_heap_bytes, NULL);

	measure_begin (&bytes);
	sink = strdup ("seven..");
	ck_assert_int_eq (measure_end (&bytes), 8);
	free (sink);
}
END_TEST

START_TEST (an_allocation_that_fails_is_not_counted)
{
	skip_under_sanitizers ();
	struct measure allocs = measure_open (&ppi_source_heap_allocs, NULL);
	volatile size_t too_much = SIZE_MAX / 2;

	measure_begin (&allocs);
	sink = malloc (too_much);
	int64_t n = measure_end (&allocs);

	if (sink)
		free (sink);
	ck_assert_ptr_null (sink);
	ck_assert_int_eq (n, 0);
}
END_TEST

static void *allocate_in_thread (void *arg)
{
	struct measure m = *(struct measure *) arg;

	measure_begin (&m);
	for (int i = 0; i < 1000; i++) {
		void *volatile p = malloc (16);

		free (p);
	}
	return (void *) (intptr_t) measure_end (&m);
}

START_TEST (each_thread_counts_its_own_allocations)
{
	struct measure m = measure_open (&ppi_source_heap_allocs, NULL);
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		ck_assert_int_eq (pthread_create (&thread[i], NULL, allocate_in_thread, &m), 0);
	for (int i = 0; i < 8; i++) {
		void *n;

		pthread_join (thread[i], &n);
		ck_assert_int_eq ((intptr_t) n, 1000);
	}
}
END_TEST

START_TEST (nothing_is_in_mallocs_way_before_the_first_heap_metric_is_bound_and_after_the_last)
{
	struct ppi_source_instance only_opened = {.source = &ppi_source_heap_allocs};
	uint64_t before = ppi_heap_allocs ();
	char why[300];

	ck_assert_int_eq (ppi_source_heap_allocs.open (&only_opened, why, sizeof why), 0);
	sink = malloc (1);
	free (sink);
	ck_assert_uint_eq (ppi_heap_allocs (), before);
	struct measure one = measure_open (&ppi_source_heap_allocs, NULL),
		       two = measure_open (&ppi_source_heap_bytes, NULL);

	one.instance.source->use (&one.instance, false);
	before = ppi_heap_allocs ();
	sink = malloc (1);
	free (sink);
	ck_assert_uint_eq (ppi_heap_allocs (), before + 1);
	two.instance.source->use (&two.instance, false);
	before = ppi_heap_allocs ();
	sink = malloc (1);
	free (sink);
	ck_assert_uint_eq (ppi_heap_allocs (), before);
}
END_TEST

static void object_loaded_later (int mode)
{
	struct measure allocs = measure_open (&ppi_source_heap_allocs, NULL);
	void *handle = dlopen (HEAP_MODULE, mode | RTLD_LOCAL);

	ck_assert_msg (handle != NULL, "%s", dlerror ());
	void *(*allocate) (size_t) =
		__extension__(void *(*) (size_t)) dlsym (handle, "heap_module_allocate");

	ppi_heap_rescan ();
	measure_begin (&allocs);
	free (allocate (3));
	ck_assert_int_eq (measure_end (&allocs), 1);
	dlclose (handle);
	allocs.instance.source->use (&allocs.instance, false);
}

START_TEST (an_object_loaded_later_is_counted_after_a_rescan)
{
	object_loaded_later (RTLD_NOW);
	object_loaded_later (RTLD_LAZY);
}
END_TEST

START_TEST (heap_metrics_go_on_counting_in_a_child)
{
	struct measure allocs = measure_open (&ppi_source_heap_allocs, NULL);
	pid_t child = fork ();
	int status;

	if (child == 0) {
		measure_begin (&allocs);
		sink = malloc (1);
		_exit (measure_end (&allocs) == 1 ? 0 : 1);
	}
	ck_assert_int_eq (waitpid (child, &status, 0), child);
	ck_assert_int_eq (status, 0);
}
END_TEST

/* ---- PAPI ------------------------------------------------------------------------------------ */

START_TEST (papi_without_an_event_is_an_error_that_says_how)
{
	char why[300] = "";

	if (open_error (&ppi_source_papi, NULL, why, sizeof why) == PP_EUNAVAILABLE)
		ppcheck_skip ("built without PAPI");
	ck_assert_int_eq (open_error (&ppi_source_papi, "", why, sizeof why), PP_EINVAL);
	ck_assert_ptr_nonnull (strstr (why, "papi:PAPI_TOT_INS"));
}
END_TEST

#ifdef PAPI_MODULE_DIR

/* libsde, as a program that defines events would link it. */
static long long sde_count[2];
static void *(*sde_init) (const char *);
static int (*sde_register) (void *, const char *, int, int, void *);

static void use_module (void)
{
	ck_assert_int_eq (setenv ("PP_MODULE_PATH", "/nonexistent:" PAPI_MODULE_DIR, 1), 0);
}

/* Defines sde:::pptest::one and ::two; skips where libsde is missing. */
static void define_events (void)
{
	void *sde = dlopen ("libsde.so.1", RTLD_NOW | RTLD_GLOBAL), *handle;

	if (!sde)
		ppcheck_skip ("libsde is not installed");
	sde_init = __extension__(void *(*) (const char *) ) dlsym (sde, "papi_sde_init");
	sde_register = __extension__(int (*) (void *, const char *, int, int, void *))
		dlsym (sde, "papi_sde_register_counter");
	handle = sde_init ("pptest");
	/* read-only, running total, long long */
	ck_assert_int_eq (sde_register (handle, "one", 0, 0, &sde_count[0]), 0);
	ck_assert_int_eq (sde_register (handle, "two", 0, 0, &sde_count[1]), 0);
	use_module ();
}

START_TEST (papi_counts_software_defined_events_exactly)
{
	define_events ();
	struct measure m = measure_open (&ppi_source_papi, "sde:::pptest::one");

	for (int i = 0; i < 3; i++) {
		measure_begin (&m);
		sde_count[0] += 41 + i;
		ck_assert_int_eq (measure_end (&m), 41 + i);
	}
}
END_TEST

START_TEST (an_event_opened_during_an_interval_leaves_its_count_alone)
{
	define_events ();
	struct measure one = measure_open (&ppi_source_papi, "sde:::pptest::one");

	measure_begin (&one);
	sde_count[0] += 5;
	struct measure two = measure_open (&ppi_source_papi, "sde:::pptest::two");

	measure_begin (&two);
	sde_count[0] += 7;
	sde_count[1] += 11;
	ck_assert_int_eq (measure_end (&two), 11);
	ck_assert_int_eq (measure_end (&one), 12);
}
END_TEST

static void *count_in_thread (void *arg)
{
	struct measure m = *(struct measure *) arg;

	measure_begin (&m);
	sde_count[0] += 3;
	return (void *) (intptr_t) measure_end (&m);
}

START_TEST (papi_counts_in_several_threads)
{
	define_events ();
	struct measure m = measure_open (&ppi_source_papi, "sde:::pptest::one");

	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		void *n;

		ck_assert_int_eq (pthread_create (&thread, NULL, count_in_thread, &m), 0);
		pthread_join (thread, &n);
		ck_assert_int_eq ((intptr_t) n, 3);
	}
}
END_TEST

START_TEST (a_forked_child_has_no_papi_values_and_no_wrong_ones)
{
	define_events ();
	struct measure m = measure_open (&ppi_source_papi, "sde:::pptest::one");
	int status;

	measure_begin (&m);
	pid_t child = fork ();

	if (child == 0)
		_exit (m.instance.source->begin (&m.instance, m.slot) < 0 ? 0 : 1);
	ck_assert_int_eq (waitpid (child, &status, 0), child);
	ck_assert_int_eq (status, 0);
	sde_count[0] += 2;
	ck_assert_int_eq (measure_end (&m), 2);
}
END_TEST

START_TEST (an_event_that_papi_does_not_know_is_named_in_the_reason)
{
	char why[300] = "";

	use_module ();
	ck_assert_int_eq (open_error (&ppi_source_papi, "PAPI_NO_SUCH_EVENT", why, sizeof why),
			  PP_EUNAVAILABLE);
	ck_assert_ptr_nonnull (strstr (why, "PAPI_NO_SUCH_EVENT"));
}
END_TEST

START_TEST (a_hardware_event_is_counted_or_the_missing_counters_are_the_reason)
{
	struct ppi_source_instance instance = {.source = &ppi_source_papi,
					       .argument = (char *) (uintptr_t) "PAPI_TOT_INS"};
	char why[400] = "";
	uint64_t slot;
	union ppi_sample sample;

	use_module ();
	if (ppi_source_papi.open (&instance, why, sizeof why) == 0) {
		ck_assert_int_eq (ppi_source_papi.begin (&instance, &slot), 0);
		ck_assert_int_eq (ppi_source_papi.end (&instance, &slot, &sample), 0);
		ck_assert_int_gt (sample.i, 0);
	} else {
		ck_assert_ptr_nonnull (strstr (why, "no hardware counters"));
		ck_assert_ptr_nonnull (strstr (why, "because"));
	}
}
END_TEST

START_TEST (a_module_that_can_not_be_loaded_is_named_in_the_reason)
{
	char directory[] = "/tmp/pp-test-XXXXXX", path[64], why[400] = "";
	FILE *file;

	ck_assert_ptr_nonnull (mkdtemp (directory));
	snprintf (path, sizeof path, "%s/libpp-papi.so", directory);
	file = fopen (path, "w");
	ck_assert_ptr_nonnull (file);
	fputs ("no ELF file\n", file);
	fclose (file);
	ck_assert_int_eq (setenv ("PP_MODULE_PATH", directory, 1), 0);
	int error = open_error (&ppi_source_papi, "PAPI_TOT_INS", why, sizeof why);

	unlink (path);
	rmdir (directory);
	ck_assert_int_eq (error, PP_EUNAVAILABLE);
	ck_assert_msg (strstr (why, path) != NULL, "%s", why);
}
END_TEST

#endif

static Suite *sources (void)
{
	Suite *suite = suite_create ("sources");
	TCase *tests = tcase_create ("sources");

	tcase_add_test (tests, every_source_is_registered_under_its_name);
	tcase_add_test (tests, cpu_time_contains_the_threads_own_work);
	tcase_add_test (tests, process_cpu_time_contains_other_threads_work_and_cpu_time_does_not);
	tcase_add_test (tests, page_faults_count_each_fresh_page);
	tcase_add_test (tests, context_switches_count_sleeps);
	suite_add_tcase (suite, tests);
	return suite;
}

static Suite *heap (void)
{
	Suite *suite = suite_create ("heap");
	TCase *tests = tcase_create ("heap");

	tcase_add_test (tests, heap_metrics_count_every_function_of_the_malloc_family);
	tcase_add_test (tests, heap_metrics_see_allocations_inside_libc);
	tcase_add_test (tests, an_allocation_that_fails_is_not_counted);
	tcase_add_test (tests, each_thread_counts_its_own_allocations);
	tcase_add_test (
		tests,
		nothing_is_in_mallocs_way_before_the_first_heap_metric_is_bound_and_after_the_last);
	tcase_add_test (tests, an_object_loaded_later_is_counted_after_a_rescan);
	tcase_add_test (tests, heap_metrics_go_on_counting_in_a_child);
	suite_add_tcase (suite, tests);
	return suite;
}

static Suite *papi (void)
{
	Suite *suite = suite_create ("papi");
	TCase *tests = tcase_create ("papi");

	tcase_add_test (tests, papi_without_an_event_is_an_error_that_says_how);
#ifdef PAPI_MODULE_DIR
	tcase_add_test (tests, papi_counts_software_defined_events_exactly);
	tcase_add_test (tests, an_event_opened_during_an_interval_leaves_its_count_alone);
	tcase_add_test (tests, papi_counts_in_several_threads);
	tcase_add_test (tests, a_forked_child_has_no_papi_values_and_no_wrong_ones);
	tcase_add_test (tests, an_event_that_papi_does_not_know_is_named_in_the_reason);
	tcase_add_test (tests, a_hardware_event_is_counted_or_the_missing_counters_are_the_reason);
	tcase_add_test (tests, a_module_that_can_not_be_loaded_is_named_in_the_reason);
#endif
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {sources, heap, papi};

	return ppcheck_main (suites, 3);
}
