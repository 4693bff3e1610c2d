/* SPDX-License-Identifier: MIT */
/* test_actions.c: what actions write, send, mark and sample. */
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

/* ---- instead of libc's ----------------------------------------------------------------------- */

static struct {
	int calls, priority;
	char line[1024];
} logged;

static void take_down (int priority, const char *format, va_list ap)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	logged.calls++;
	logged.priority = priority;
	vsnprintf (logged.line, sizeof logged.line, format, ap);
}

void syslog (int priority, const char *format, ...)
{
	va_list ap;

	va_start (ap, format);
	take_down (priority, format, ap);
	va_end (ap);
}

void __syslog_chk (int priority, int flag, const char *format, ...);
void __syslog_chk (int priority, int flag, const char *format, ...)
{
	va_list ap;

	(void) flag;
	va_start (ap, format);
	take_down (priority, format, ap);
	va_end (ap);
}

/* ---- helpers --------------------------------------------------------------------------------- */

static char dir[200];

static void begin (void)
{
	setup ();
	memset (&logged, 0, sizeof logged);
	snprintf (dir, sizeof dir, "%s/pp-actions-XXXXXX",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp");
	ck_assert_ptr_nonnull (mkdtemp (dir));
	ck_assert_int_eq (chdir (dir), 0);
}

static void end (void)
{
	char command[300];

	ck_assert_int_eq (chdir ("/"), 0);
	snprintf (command, sizeof command, "rm -rf '%s'", dir);
	ck_assert_int_eq (system (command), 0);
}

static const char *content (const char *name)
{
	static char text[8192];
	FILE *file = fopen (name, "r");
	size_t n = file ? fread (text, 1, sizeof text - 1, file) : 0;

	ck_assert_msg (file, "there is no %s", name);
	fclose (file);
	text[n] = '\0';
	return text;
}

static size_t lines_of (const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Fires, with the owner's tick behind it */
static void fire (void)
{
	execute (60);
	fake_tick (10);
}

static void clear (void)
{
	execute (10);
	fake_tick (10);
}

#define ACTION(text) SLOW ", on_fire: [" text "]}\n"

/* ---- log ------------------------------------------------------------------------------------- */

START_TEST (log_goes_to_syslog_with_its_priority)
{
	load (ACTION ("{log: {level: error, text: too slow, to: syslog}}"));
	fire ();
	ck_assert_int_eq (logged.calls, 1);
	ck_assert_int_eq (logged.priority, LOG_ERR);
	ck_assert_str_eq (logged.line, "error: too slow");
	ck_assert_uint_eq (fake.n_messages, 0);
}
END_TEST

START_TEST (a_log_without_a_level_is_as_severe_as_its_assertion)
{
	load (SLOW ", severity: critical, on_fire: [{log: {to: syslog}}]}\n");
	fire ();
	ck_assert_int_eq (logged.priority, LOG_CRIT);
	ck_assert_ptr_nonnull (strstr (logged.line, "error: assertion slow fired at "));
	load (SLOW ", severity: info, on_fire: [{log: a word}]}\n");
	fire ();
	ck_assert_uint_eq (fake_said ("info: a word"), 1);
}
END_TEST

START_TEST (log_goes_to_a_file_a_line_each_time)
{
	char name[64];

	load (ACTION ("{log: {text: too slow, to: log.%p.txt}}"));
	fire ();
	clear ();
	fire ();
	snprintf (name, sizeof name, "log.%d.txt", (int) getpid ());
	ck_assert_uint_eq (lines_of (content (name)), 2);
	ck_assert_ptr_nonnull (strstr (content (name), " warning: too slow\n"));
	ck_assert_int_eq (content (name)[4], '-');
	ck_assert_int_eq (content (name)[10], 'T');
}
END_TEST

START_TEST (what_can_not_be_written_is_told_once)
{
	load (ACTION ("{log: {text: a, to: none/a}}, {report: none/b}"));
	fire ();
	clear ();
	fire ();
	ck_assert_uint_eq (fake.n_messages, 1);
	ck_assert_uint_eq (fake_said ("/none/a': No such file or directory (said once)"), 1);
	ck_assert_uint_eq (state ("slow").fired, 2);
}
END_TEST

START_TEST (logs_everywhere_share_one_limit)
{
	load (SLOW ", on_fire: [{log: {text: a, to: log.txt}}]}\n");
	for (int i = 0; i < 20; i++) {
		execute (60);
		execute (10);
		fake_tick (1);
	}
	ck_assert_uint_eq (lines_of (content ("log.txt")), 5);
	fake_tick (1000);
	execute (60);
	fake_tick (1);
	ck_assert_ptr_nonnull (strstr (content ("log.txt"), "a (15 more were not printed)"));
	ck_assert_uint_eq (state ("slow").suppressed, 15);
	for (int i = 0; i < 4; i++) {
		execute (10);
		execute (60);
		fake_tick (1);
	}
	ck_assert_uint_eq (state ("slow").suppressed, 19);
	ck_assert_uint_eq (fake_said ("more lines were not printed"), 0);
	ck_assert_int_eq (pp_policy_unload (ppi_policies->policy->path), PP_OK);
	ck_assert_uint_eq (fake_said ("assertion slow: 4 more lines were not printed"), 1);
}
END_TEST

/* ---- report, record, signal ------------------------------------------------------------------ */

START_TEST (a_report_is_written_once_for_a_moment)
{
	load (ACTION ("{report: report.%p.txt}, {report: report.%p.txt}"));
	fire ();
	ck_assert_int_eq (fake.reports, 1);
	char name[64];

	snprintf (name, sizeof name, "report.%d.txt", (int) getpid ());
	ck_assert_str_eq (content (name), "the report\n");
	clear ();
	fire ();
	ck_assert_int_eq (fake.reports, 2);
	ck_assert_str_eq (content (name), "the report\n");
	load (ACTION ("{report: stderr}"));
	fire ();
	ck_assert_int_eq (fake.reports, 3);
}
END_TEST

START_TEST (record_marks_the_moment)
{
	load (ACTION ("{record: mark}, {record: {mark: it begins}}"));
	fire ();
	ck_assert_uint_eq (fake_history (PPI_HISTORY_MARK, "slow"), 2);
	ck_assert_str_eq (fake.history[fake.n_history - 1].text, "it begins");
	ck_assert_str_eq (fake.recording, "");
}
END_TEST

START_TEST (record_begins_a_recording_where_there_is_none)
{
	load (ACTION ("{record: {file: a.pprec}}"));
	ck_assert_str_eq (fake.recording, "");
	fire ();
	ck_assert_str_eq (fake.recording, "a.pprec");
	load (ACTION ("{record: {file: b.pprec, mark: again}}"));
	fire ();
	ck_assert_str_eq (fake.recording, "a.pprec");
	ck_assert_uint_eq (fake_history (PPI_HISTORY_MARK, "slow"), 2);
	load (ACTION ("{record: {file: nowhere/x}}"));
	fake.recording[0] = '\0';
	fire ();
	ck_assert_uint_eq (fake_said ("an action of assertion 'slow' failed: nowhere/x: can't be "
				      "recorded to: there is no such directory"),
			   1);
}
END_TEST

static volatile sig_atomic_t signalled, signalled_with_lock;
static int signalled_thread; /* atomic */

static void on_signal (int number)
{
	signalled = number;
	signalled_with_lock = fake.lock_depth;
}

static void on_signal_anywhere (int number)
{
	(void) number;
	__atomic_store_n (&signalled_thread, (int) gettid (), __ATOMIC_RELEASE);
}

static int worker, over; /* atomic */

static void *work_until_over (void *arg)
{
	__atomic_store_n (&worker, (int) gettid (), __ATOMIC_RELEASE);
	while (!__atomic_load_n (&over, __ATOMIC_ACQUIRE))
		usleep (1000);
	return arg;
}

START_TEST (signals_are_sent_without_the_lock)
{
	signal (SIGUSR1, on_signal);
	signal (SIGWINCH, on_signal);
	load (SLOW
	      ", on_fire: [{signal: SIGUSR1}], on_clear: [{signal: {name: WINCH, to: thread}}]}\n");
	fire ();
	ck_assert_int_eq (signalled, SIGUSR1);
	ck_assert_int_eq (signalled_with_lock, 0);
	fake.thread = (int) gettid ();
	clear ();
	ck_assert_int_eq (signalled, SIGWINCH);
	fire ();
	fake.thread = 2147483000; /* it has ended */
	clear ();
	ck_assert_uint_eq (fake_said ("(said once)"), 1); /* that it fired */
	ck_assert_uint_eq (fake.n_messages, 1);
}
END_TEST

START_TEST (a_signal_to_the_thread_goes_to_the_one_that_saw_it)
{
	pthread_t thread;

	signal (SIGWINCH, on_signal_anywhere);
	load (SLOW ", on_fire: [{signal: {name: WINCH, to: thread}}]}\n");
	ck_assert_int_eq (pthread_create (&thread, NULL, work_until_over, NULL), 0);
	while (!__atomic_load_n (&worker, __ATOMIC_ACQUIRE))
		usleep (1000);
	fake.thread = __atomic_load_n (&worker, __ATOMIC_RELAXED);
	fire ();
	/* it is pending there at once, and seen when the thread runs */
	while (!__atomic_load_n (&signalled_thread, __ATOMIC_ACQUIRE))
		usleep (1000);
	__atomic_store_n (&over, 1, __ATOMIC_RELEASE);
	pthread_join (thread, NULL);
	ck_assert_int_eq (__atomic_load_n (&signalled_thread, __ATOMIC_RELAXED), fake.thread);
}
END_TEST

START_TEST (more_than_can_be_written_is_dropped_and_told)
{
	char body[16384] = "assertions:\n";

	for (int i = 0; i < 40; i++)
		snprintf (body + strlen (body), sizeof body - strlen (body),
			  "  a%d: {at: f/work, expect: rays.last < 50, on_fire: [{log: {to: "
			  "syslog}}, {log: {to: syslog}}, "
			  "{log: {to: syslog}}, {log: {to: syslog}}]}\n",
			  i);
	for (int i = 0; i < 40; i++)
		snprintf (body + strlen (body), sizeof body - strlen (body),
			  "  b%d: {at: f/work, expect: rays.last < 50, on_fire: [{log: {to: "
			  "syslog}}, {log: {to: syslog}}, "
			  "{log: {to: syslog}}, {log: {to: syslog}}]}\n",
			  i);
	load (body);
	fire ();
	ck_assert_int_eq (logged.calls, 256);
	ck_assert_uint_eq (fake_said ("more is to be written than there is time for"), 1);
}
END_TEST

/* ---- sample ---------------------------------------------------------------------------------- */

#define AL2 "metrics: {al2: {point: value, keep: sumcount}}\n"

START_TEST (a_sample_is_taken_at_each_violation)
{
	load (AL2 ACTION ("{sample: {metric: al2, value: frame_time.last / frame_time.avg}}"));
	ck_assert_int_eq (fake.prepared, 1);
	fake_sample (frame_time, 0.6, 0.2);
	execute (60);
	fake_sample (frame_time, 0.9, 0.2);
	execute (70);
	execute (10);
	ck_assert_uint_eq (fake.n_samples, 2);
	ck_assert_ptr_eq (fake.samples[0].metric, pp_metric_find ("al2"));
	ck_assert_double_eq_tol (fake.samples[0].value, 3, 1e-12);
	ck_assert_double_eq_tol (fake.samples[1].value, 4.5, 1e-12);
}
END_TEST

START_TEST (an_unknown_value_is_no_sample)
{
	load (AL2 ACTION ("{sample: {metric: al2, value: frame_time.last / frame_time.avg}}"));
	execute (60);
	fake_sample (frame_time, 0.6, 0);
	execute (60);
	ck_assert_uint_eq (fake.n_samples, 0);
}
END_TEST

START_TEST (timed_assertions_sample_merged_values)
{
	load (AL2 "assertions: {a: {every: 1s, expect: rays.sum < 50, on_fire: [{sample: {metric: "
		  "al2, value: 2 * "
		  "all(rays).sum}}]}}\n");
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_uint_eq (fake.n_samples, 2);
	ck_assert_double_eq (fake.samples[1].value, 120);
}
END_TEST

static Suite *actions (void)
{
	Suite *suite = suite_create ("actions");
	TCase *tests = tcase_create ("actions");

	tcase_add_checked_fixture (tests, begin, end);
	tcase_add_test (tests, log_goes_to_syslog_with_its_priority);
	tcase_add_test (tests, a_log_without_a_level_is_as_severe_as_its_assertion);
	tcase_add_test (tests, log_goes_to_a_file_a_line_each_time);
	tcase_add_test (tests, what_can_not_be_written_is_told_once);
	tcase_add_test (tests, logs_everywhere_share_one_limit);
	tcase_add_test (tests, a_report_is_written_once_for_a_moment);
	tcase_add_test (tests, record_marks_the_moment);
	tcase_add_test (tests, record_begins_a_recording_where_there_is_none);
	tcase_add_test (tests, signals_are_sent_without_the_lock);
	tcase_add_test (tests, a_signal_to_the_thread_goes_to_the_one_that_saw_it);
	tcase_add_test (tests, more_than_can_be_written_is_dropped_and_told);
	tcase_add_test (tests, a_sample_is_taken_at_each_violation);
	tcase_add_test (tests, an_unknown_value_is_no_sample);
	tcase_add_test (tests, timed_assertions_sample_merged_values);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {actions};

	return ppcheck_main (suites, 1);
}
