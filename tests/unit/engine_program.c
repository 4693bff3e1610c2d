/* SPDX-License-Identifier: MIT */
/* engine_program.c: see engine_program.h. */
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <string.h>
#include <unistd.h>

struct seen seen;

static void note (const struct pp_violation *violation)
{
	seen.last = *violation;
	snprintf (seen.assertion, sizeof seen.assertion, "%s", violation->assertion);
	snprintf (seen.site, sizeof seen.site, "%s", violation->site ? violation->site : "-");
	snprintf (seen.text, sizeof seen.text, "%s", violation->text ? violation->text : "");
	if (!violation->captures)
		return;
	snprintf (seen.capture, sizeof seen.capture, "%s", violation->capture[0].metric);
	seen.value = violation->capture[0].value;
	seen.average = violation->capture[0].avg;
	seen.ratio = violation->capture[0].ratio;
	seen.samples = violation->capture[0].samples;
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

void on_assertion (const struct pp_violation *violation, void *arg)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	*(violation->clears ? &seen.clears : &seen.fires) += 1;
	note (violation);
	strcat (seen.order, arg);
}

struct pp_abi_callable call_record = CALLABLE (on_call, 0),
		       inline_record = CALLABLE (on_inline, PP_ABI_CALLABLE_INLINE);

char letter_a[] = "a", letter_b[] = "b", letter_x[] = "x";
pp_site *work, *frame;
pp_metric *rays, *frame_time;

void setup (void)
{
	memset (&seen, 0, sizeof seen);
	fake_start ();
	work = fake_site ("app!a.c:f/work", PP_ABI_SITE_INTERVAL);
	frame = fake_site ("app!a.c:render/frame", PP_ABI_SITE_INTERVAL);
	rays = fake_metric ("rays", PP_ABI_SITE_POINT, PPI_SUMCOUNT, "value");
	frame_time =
		fake_metric ("frame_time", PP_ABI_SITE_INTERVAL, PPI_BOUNDED_SERIES, "elapsed");
	fake_add_record (&call_record.head);
	fake_add_record (&inline_record.head);
	fake_module_added ();
}

void load (const char *body)
{
	static char text[32768];
	const char *path;
	int error;

	snprintf (text, sizeof text, "version: 1\n%s", body);
	path = fake_policy ("engine.yaml", text);
	error = pp_policy_load (path);
	unlink (path);
	ck_assert_msg (error == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
}

struct pp_assertion_info state (const char *name)
{
	struct pp_assertion_info info;

	ck_assert_int_eq (pp_assertion_state (name, &info), PP_OK);
	return info;
}

void execute (double last)
{
	fake_sample (rays, last, 10);
	fake_execute (work);
}
