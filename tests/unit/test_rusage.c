/* SPDX-License-Identifier: MIT */
/*
 * test_rusage.c: what getrusage tells, each field as the source that is called so: the fields are
 * made up here, all different.
 */
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/ppcheck.h"

#include <string.h>
#include <sys/resource.h>

static struct rusage told;

/* In the place of the C library's. */
int getrusage (__rusage_who_t who, struct rusage *usage)
{
	if (who != RUSAGE_THREAD)
		return -1;
	*usage = told;
	return 0;
}

static const struct {
	const struct ppi_source *source;
	int64_t expected; /* raw */
	double scale;
} fields[] = {
	{&ppi_source_user_time, 3000005, 1e-6},  {&ppi_source_system_time, 7000011, 1e-6},
	{&ppi_source_page_faults, 13 + 17, 1},   {&ppi_source_minor_faults, 13, 1},
	{&ppi_source_major_faults, 17, 1},       {&ppi_source_context_switches, 19 + 23, 1},
	{&ppi_source_voluntary_switches, 19, 1}, {&ppi_source_involuntary_switches, 23, 1},
	{&ppi_source_block_reads, 29, 1},        {&ppi_source_block_writes, 31, 1},
	{&ppi_source_max_resident, 37, 1024},
};

static int read_of (const struct ppi_source *source, bool ends, void *slot, union ppi_sample *out)
{
	struct ppi_source_instance instance = {.source = source};

	ppi_reading_number++;
	return ends ? source->end (&instance, slot, out) : source->begin (&instance, slot);
}

START_TEST (each_source_is_the_field_that_it_is_called_after)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct ppi_source *source = fields[i].source;
		union ppi_sample sample = {.i = -1};
		uint64_t slot[8];

		memset (&told, 0, sizeof told);
		ck_assert_int_eq (read_of (source, false, slot, NULL), 0);
		told.ru_utime = (struct timeval){3, 5};
		told.ru_stime = (struct timeval){7, 11};
		told.ru_minflt = 13;
		told.ru_majflt = 17;
		told.ru_nvcsw = 19;
		told.ru_nivcsw = 23;
		told.ru_inblock = 29;
		told.ru_oublock = 31;
		told.ru_maxrss = 37;
		ck_assert_int_eq (read_of (source, true, slot, &sample), 0);
		ck_assert_msg (sample.i == fields[i].expected, "%s: %lld", source->name,
			       (long long) sample.i);
		ck_assert_double_eq (source->scale, fields[i].scale);
	}
}
END_TEST

static Suite *rusage (void)
{
	Suite *suite = suite_create ("rusage");
	TCase *tests = tcase_create ("rusage");

	tcase_add_test (tests, each_source_is_the_field_that_it_is_called_after);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {rusage};

	return ppcheck_main (suites, 1);
}
