/* SPDX-License-Identifier: MIT */
/*
 * test_policy.c: what policies may say, where their errors are, and that they come and go as a
 * whole.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/policies.h"
#include "assertions/language/policy.h"
#include "base/part.h"
#include "base/types.h"
#include "recording/layout.h"
#include "recording/names.h"
#include "tests/unit/fake_runtime.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pp_abi_knob knob = {
	.head = {.size = sizeof knob, .abi = PP_ABI_VERSION, .type = PP_ABI_RECORD_KNOB},
	.where = "ray.c:3",
	.type = PP_ABI_KNOB_INT,
	.value = {4},
	.initial = {4},
	.min = {1},
	.max = {8},
	.step = {1},
	.name = "antialias"};

static int called;

static void report (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	called++;
}

static struct pp_abi_callable callable = {
	.head = {.size = sizeof callable, .abi = PP_ABI_VERSION, .type = PP_ABI_RECORD_CALLABLE},
	.where = "ray.c:5",
	.function = report,
	.name = "report_render_state"};

static pp_site *pixel, *frame;
static pp_metric *rays;

static void setup (void)
{
	fake_start ();
	called = 0;
	pixel = fake_site ("ray!ray.c:trace_pixel/i1", PP_ABI_SITE_INTERVAL);
	frame = fake_site ("ray!ray.c:render/frame", PP_ABI_SITE_INTERVAL);
	fake_site ("ray!ray.c:trace/shadow", PP_ABI_SITE_POINT);
	fake_site ("ray!a.c:f/twice", PP_ABI_SITE_INTERVAL);
	fake_site ("ray!a.c:g/twice", PP_ABI_SITE_INTERVAL);
	rays = fake_metric ("shadow_rays", PP_ABI_SITE_POINT, PPI_SUMCOUNT, "value");
	fake_add_record (&knob.head);
	fake_add_record (&callable.head);
	fake_module_added ();
}

static int load_as (const char *name, const char *text)
{
	const char *path = fake_policy (name, text);
	int error = pp_policy_load (path);

	unlink (path);
	ck_assert_int_eq (fake.lock_depth, 0);
	ck_assert_int_eq (fake.batch_depth, 0);
	return error;
}

static int load (const char *text)
{
	return load_as ("policy.yaml", text);
}

#define V "version: 1\n"

/* The whole language of this version */
static const char whole[] =
	V "metrics:\n"
	  "  pixel_time: {interval: elapsed, keep: bounded_series, size: 1000}\n"
	  "  allocated: {interval: heap_bytes, keep: stats, every: 4}\n"
	  "bind:\n"
	  "  - {metric: pixel_time, sites: [\"trace_pixel/*\"]}\n"
	  "  - {metric: shadow_rays, sites: trace/shadow, every: 16}\n"
	  "assertions:\n"
	  "  slow_pixel:\n"
	  "    at: trace_pixel/i1\n"
	  "    expect: pixel_time.last <= 1.25 * pixel_time.avg\n"
	  "    after: 100\n"
	  "    capture: [shadow_rays]\n"
	  "    scope: process\n"
	  "    on_fire:\n"
	  "      - log: warning\n"
	  "      - log: {level: info, text: a slow pixel}\n"
	  "      - call: report_render_state\n"
	  "      - bind: {metric: allocated, sites: [\"trace_pixel/*\"], every: 2, for: 10s}\n"
	  "      - knob: {name: antialias, step: -1, min_dwell: 250 ms}\n"
	  "    on_clear:\n"
	  "      - unbind: {metric: allocated, sites: [\"trace_pixel/*\"]}\n"
	  "      - knob: {name: antialias, set: 4}\n"
	  "  many_slow:\n"
	  "    every: 1s\n"
	  "    expect: \"slow_pixel.violations.share <= 5%\"\n"
	  "    for: 3\n"
	  "    clear: 5\n"
	  "    cooldown: 10s\n"
	  "    repeat: true\n"
	  "record: {file: ray.%p.pprec}\n";

START_TEST (the_whole_language_is_loaded)
{
	int error = load (whole);

	ck_assert_msg (error == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
	ck_assert_uint_eq (fake.n_messages, 0);
	ck_assert_uint_eq (fake_rules ("pixel_time", "trace_pixel/*"), 1);
	ck_assert_uint_eq (fake_rules ("shadow_rays", "trace/shadow"), 1);
	ck_assert_uint_eq (fake_rules ("allocated", NULL), 0);
	ck_assert_ptr_nonnull (pixel->checks);
	ck_assert_ptr_null (frame->checks);
	ck_assert_str_eq (fake.recording, "ray.%p.pprec");
	ck_assert_uint_eq (pp_metric_find ("pixel_time")->spec.size, 1000);
}
END_TEST

/* An error's place is told as "policy.yaml:LINE:COLUMN: error: …" */
struct bad {
	const char *text;
	const char *place; /* ":line:column:" */
	const char *part;
};

static const struct bad bads[] = {
	{"", "", "the policy is empty"},
	{"# nothing\n", "", "the policy is empty"},
	{"[]\n", ":1:1:", "a policy must be keys with values, not a list"},
	{"metrics: {}\n", ":1:1:", "a policy needs 'version: 1'"},
	{"version: 2\n", ":1:10:", "reads version 1 of policies, not 2"},
	{"version: one\n", ":1:10:", "must be a whole number"},
	{V "metrics: {a: [}\n", ":2:15:", "did not find expected node content"},
	{V "assertions: {a: {every: 1s, expect: t.avg[10s] <= 1s}}\n",
	 ":2:", "inside { } an expression with [ ] needs quotes"},
	{V "metrics:\n\tm: {interval: elapsed, keep: stats}\n",
	 ":3:1:", "this is a tab, and YAML is indented by blanks"},
	{V "metrics:\n", ":2:", "is empty: it must be keys with values"},
	{"\xef\xbb\xbf" V "binds: []\n", ":2:1:", "no key 'binds'"},
	{V "\tbind: []\n", ":2:1:", "found a tab character that violates indentation"},
	{V "---\nversion: 1\n", ":3:1:", "a second one begins here"},
	{V "bind: []\nbind: []\n", ":3:1:", "'bind' is given twice; first in line 2"},
	{V "binds: []\n", ":2:1:", "a policy has no key 'binds'; did you mean 'bind'?"},
	{V "colour: red\n", ":2:1:", "a policy has no key 'colour'"},
	{V "overhead: 1%\n", ":2:11:", "'overhead' must be keys with values, not"},
	{V "overhead: {}\n", ":2:11:", "'overhead' needs 'budget', a share like 1%"},
	{V "overhead: {budget: 1%, bugdet: 2}\n", ":2:24:", "did you mean 'budget'?"},
	{V "overhead: {budget: 1 ms}\n", ":2:20:", "'budget' must be a plain number"},
	{V "overhead: {budget: 0}\n", ":2:20:", "'budget' is from 0.01% to 100%, not 0"},
	{V "overhead: {budget: 101%}\n", ":2:20:", "'budget' is from 0.01% to 100%, not 101%"},
	{V "profile: 1000\n", ":2:10:", "'profile' must be keys with values"},
	{V "profile: {rate: 0}\n", ":2:17:", "'rate'"},
	{V "profile: {threads: []}\n", ":2:20:", "'threads' is empty"},
	{V "profile: {signal: SIGURG}\n", ":2:19:", "'signal' is for 'sampler: interrupter'"},
	{V "profile: {sampler: interrupter, signal: SIGUSR1}\n", ":2:41:", "SIGURG or SIGWINCH"},
	{V "profile: {sampler: interrupter, sites: [a]}\n", ":2:40:", "'sites' is for the watcher"},
	{V "features: lib.a\n", ":2:11:", "'features' must be keys with values"},
	{V "features: {offf: lib.a}\n", ":2:12:", "did you mean 'off'"},
	{V "features: {on: {}}\n", ":2:16:", ""},
	{V "events: lookup\n", ":2:9:", "'events' must be keys with values"},
	{V "events: {}\n",
	 ":2:9:", "'events' needs 'records', the sites whose executions are recorded, 'aggregate'"},
	{V "events: {records: a, when_full: block}\n", ":2:33:", "'block'"},
	{V "events: {records: a, strings: 65537}\n", ":2:31:", "'strings'"},
	{V "events: {records: a, aggregate: []}\n",
	 ":2:33:", "'aggregate' has from 1 to 8 entries"},
	{V "events: {aggregate: {by: a, sites: b}}\n", ":2:21:", "'aggregate' must be a list"},
	{V "events: {aggregate: [{by: a}]}\n", ":2:22:", "'aggregate' needs 'sites'"},
	{V "events: {aggregate: [{sites: a}]}\n", ":2:22:", "'aggregate' needs 'by'"},
	{V "events: {aggregate: [{by: [], sites: a}]}\n", ":2:27:", "'by' is empty"},
	{V "events: {aggregate: [{by: [a, a], sites: b}]}\n", ":2:31:", "'a' twice"},
	{V "events: {aggregate: [{by: [a, b, c, d, e], sites: x}]}\n",
	 ":2:40:", "at most 4 dimensions"},
	{V "events: {aggregate: [{by: a, sites: b, keep: all}]}\n", ":2:46:", "'all'"},
	{V "events: {aggregate: [{by: a, sites: b, max_groups: 0}]}\n", ":2:52:", "'max_groups'"},
	{V "events: {aggregate: [{by: a, sites: b, groups: 5}]}\n", ":2:40:", "no key 'groups'"},
	{V "events: {flight: 15}\n", ":2:18:", "'flight'"},
	{V "events: {flight: many}\n", ":2:18:", "'flight'"},
	{V "events: {flight: [a]}\n", ":2:18:", "'flight' must be a number"},
	{V "events: {flight: {sites: a, events: 15}}\n", ":2:37:", "'events'"},
	{V "events: {flight: {sites: a, events: 65537}}\n", ":2:37:", "'events'"},
	{V "events: {flight: 64, strings: 9}\n",
	 ":2:31:", "'records' and 'aggregate', which are not there"},
	{V "flight: 64\n", ":2:1:", "flight"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{dump: core}]}}\n",
	 ":2:61:", "'core'"},
	{V "sweep: {}\n", ":2:1:", "not available in this version"},
	{V "metrics: !mine {}\n", ":2:10:", "the tag !mine means nothing"},
	/* metrics */
	{V "metrics: []\n", ":2:10:", "'metrics' must be keys with values, not a list"},
	{V "metrics: [{name: m, interval: elapsed}]\n",
	 ":2:10:", "not a list: the name is the key, 'm: {...}' instead of '- {name: m, ...}'"},
	{V "metrics: [{interval: elapsed}]\n", ":2:10:", "must be keys with values, not a list"},
	{V "metrics: {m: elapsed}\n", ":2:14:", "a metric must be keys with values"},
	{V "metrics: {2m: {interval: elapsed, keep: stats}}\n", ":2:11:", "begins with no digit"},
	{V "metrics: {m: {interval: elapsed}}\n", ":2:14:", "a metric needs 'keep'"},
	{V "metrics: {m: {keep: stats}}\n", ":2:14:", "either 'interval' or 'point'"},
	{V "metrics: {m: {interval: elapsed, point: value, keep: stats}}\n",
	 ":2:14:", "either 'interval' or 'point'"},
	{V "metrics: {m: {interval: elapsed, keep: sumcuont}}\n",
	 ":2:40:", "there is no accumulator 'sumcuont'; did you mean 'sumcount'?"},
	{V "metrics: {m: {interval: elapsed, keep: histogramm}}\n",
	 ":2:40:", "there is no accumulator 'histogramm'; did you mean 'histogram'?"},
	{V "metrics: {m: {interval: elapsed, keep: histogram}}\n"
	   "assertions: {a: {at: trace_pixel/i1, expect: m.p99 <= 1s}}\n",
	 ":3:48:", "p99 of a histogram is too dear at a site; use all(m).p99, or one of"},
	{V "metrics: {m: {interval: elapsed, keep: stats}}\n"
	   "assertions: {a: {every: 1s, expect: m.p99 <= 1s}}\n",
	 ":3:39:", "a stats has no p99; 'm' has"},
	{V "metrics: {m: {interval: value, keep: stats}}\n",
	 ":2:25:", "source 'value' is for points, not for intervals"},
	{V "metrics: {m: {point: elapsed, keep: stats}}\n",
	 ":2:22:", "source 'elapsed' is for intervals, not for points"},
	{V "metrics: {m: {interval: elapsed, keep: stats, size: 5}}\n",
	 ":2:53:", "only a bounded_series has a size"},
	{V "metrics: {m: {interval: elapsed, keep: bounded_series, size: 0}}\n",
	 ":2:62:", "'size' must be from 1 to 1048576, not 0"},
	{V "metrics: {m: {interval: elapsed, keep: stats, every: 0}}\n",
	 ":2:54:", "'every' must be from 1"},
	{V "metrics: {m: {interval: elapsed, keep: stats, window: 10}}\n",
	 ":2:55:", "'window' must be a time with its unit, like 10s"},
	{V "metrics: {m: {interval: elapsed, keep: stats, window: 10us}}\n",
	 ":2:55:", "the shortest window is 1 ms"},
	{V "metrics: {m: {expr: shadow_rays.sum, keep: stats}}\n", ":2:38:", "keep"},
	{V "metrics: {m: {expr: shadow_rays.sum < 5}}\n",
	 ":2:21:", "is true or false; a number is needed here"},
	{V "metrics: {m: {expr: 2 * n}, n: {expr: m / 3}}\n",
	 ":2:25:", "'n' is computed from itself: n → m → n"},
	{V
	 "metrics: {m: {expr: 2 * shadow_rays.sum}}\nbind: [{metric: m, sites: trace_pixel/i1}]\n",
	 ":3:17:",
	 "'m' is computed from other metrics: it can stand in expressions and be captured"},
	/* bind */
	{V "bind: {metric: shadow_rays}\n", ":2:7:", "'bind' must be a list"},
	{V "bind: [{sites: x}]\n", ":2:8:", "a binding needs 'metric'"},
	{V "bind: [{metric: shadow_rays}]\n", ":2:8:", "a binding needs 'sites'"},
	{V "bind: [{metric: shadow_rays, sites: []}]\n", ":2:37:", "'sites' is empty"},
	{V "events: {records: []}\n", ":2:19:", "'records' is empty"},
	{V "bind: [{metric: shadow_rays, sites: trace_pixel/i1}]\n",
	 ":2:37:", "means an interval, but the metric is for points"},
	{V "bind: [{metric: shadow_rays, sites: [x, twice]}]\n",
	 ":2:41:", "'twice' means 2 sites, like ray!a.c:f/twice and ray!a.c:g/twice"},
	{V "bind: [{metric: shadow_rays, sites: x, every: 1s}]\n",
	 ":2:47:", "must be a whole number, not '1s'"},
	{V "bind: [{metric: shadow_rays, sites: 'x\\'}]\n", ":2:37:", "escapes nothing"},
	/* assertions */
	{V "assertions: {a: {expect: 1 < 2}}\n",
	 ":2:17:", "either 'at' (a site) or 'every' (a time)"},
	{V "assertions: {a: {at: x, every: 1s, expect: 1 < 2}}\n",
	 ":2:17:", "either 'at' (a site) or 'every' (a time)"},
	{V "assertions: {a: {every: 1s}}\n", ":2:17:", "an assertion needs 'expect'"},
	{V "assertions: {a: {every: 1, expect: 1 < 2}}\n",
	 ":2:25:", "must be a time with its unit, like 10s or 250 ms, not '1'"},
	{V "assertions: {a: {every: 1 sec, expect: 1 < 2}}\n", ":2:25:", "not '1 sec'"},
	{V "assertions: {a: {every: 1sec, expect: 1 < 2}}\n",
	 ":2:25:", "there is no unit 'sec'; did you mean 's'?"},
	{V "assertions: {a: {every: 1KiB, expect: 1 < 2}}\n", ":2:25:", "must be a time"},
	{V "assertions: {a: {every: 0s, expect: 1 < 2}}\n", ":2:25:", "from 1 ns to 1000 days"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, for: 0}}\n",
	 ":2:49:", "'for' must be from 1"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, clear: -1}}\n",
	 ":2:51:", "'clear' must be a whole number, not '-1'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, repeat: yes}}\n",
	 ":2:52:", "must be true or false, not 'yes'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, scope: thread}}\n",
	 ":2:51:", "only what is expected 'at' a site is checked by threads"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, scope: system}}\n",
	 ":2:51:", "there is no scope 'system'"},
	{V "assertions: {a: {every: 1s, expcet: 1 < 2}}\n",
	 ":2:29:", "an assertion has no key 'expcet'; did you mean 'expect'?"},
	{V "assertions: {a: {at: twice, expect: 1 < 2}}\n", ":2:22:", "'twice' means 2 sites"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, capture: [a, b, c, d, e, f, g, h, i]}}\n",
	 ":2:78:", "at most 8 metrics"},
	/* what else of groups: tests/system/grouped.sh */
	{V "assertions: {a: {every: 1s, expect: 1 < 2, capture: [shadow_rays.sum]}}\n",
	 ":2:54:", "'shadow_rays.sum' is no figure of a group"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, capture: [shadow rays]}}\n",
	 ":2:54:", "letters, digits and _"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, capture: [m{k=1}.avg]}}\n",
	 ":2:55:", "inside [ ] what has { in it needs quotes"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: {log: info}}}\n",
	 ":2:53:", "'on_fire' must be a list"},
	/* expressions: at the character */
	{V "assertions:\n  a:\n    every: 1s\n    expect: \"shadow_rays.sum <= 5 ms\"\n",
	 ":5:30:", "can't compare"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: 'shadow_rays.sum <'\n",
	 ":5:31:", "found the end"},
	{V "assertions: {ä: {every: 1s, expect: 1 < 2}}\n", ":2:14:", "letters, digits and _"},
	{V "# äöü\nassertions: {a: {every: 1s, expect: \"'äö'.in_flight < 1s\"}}\n",
	 ":3:53:", "can't compare"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: |\n      1 < 2 <\n      3\n",
	 ":5:13:", "don't chain"},
	/* what a user would type */
	{"", ":1:1:", "the policy is empty"},
	{"# nothing\n", ":1:1:", "the policy is empty"},
	{V "# caf\xe9\n", ":2:6:", "a policy is a text in UTF-8"},
	{"\xff\xfev", ":1:1:", "a policy is a text in UTF-8"},
	{V "overhead: {budget: 1}\n",
	 ":2:20:", "'budget' is a share, and 1 is 100%; did you mean '1%'?"},
	{V "overhead: {budget: 1 percent}\n",
	 ":2:20:", "'budget' must be a plain number, not '1 percent'; did you mean '1%'?"},
	{V "assertions: {a: {every: 1s, expect: avg (shadow_rays) < 2}}\n",
	 ":2:37:", "a statistic stands behind its metric, like time.avg"},
	{V "overhead: {budget: 5}\n", ":2:20:", "did you mean '5%'?"},
	{V "overhead: {limit: 1%}\n", ":2:12:", "did you mean 'budget'?"},
	{V "reload: yes\n",
	 ":2:9:", "'reload' must be true or false, not 'yes'; did you mean 'true'?"},
	{V "reload: False\n", ":2:9:", "did you mean 'false'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, quiet: 3}}\n",
	 ":2:51:", "'quiet' must be true or false"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, silent: true}}\n",
	 ":2:44:", "did you mean 'quiet'?"},
	{V "assertions: {a: {every: 1s, condition: 1 < 2}}\n", ":2:29:", "did you mean 'expect'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_failure: [log: info]}}\n",
	 ":2:44:", "did you mean 'on_fire'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, for: 3s}}\n",
	 ":2:49:", "'for' is a number of consecutive failures, not a time: did you mean '3'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, clear: 250 ms}}\n",
	 ":2:51:", "'clear' is a number of consecutive passes, not a time"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, after: 1min}}\n",
	 ":2:51:", "'after' is a number of samples, not a time: did you mean '1'?"},
	{V "assertions: {a: {every: 2 millis, expect: 1 < 2}}\n",
	 ":2:25:", "not '2 millis'; did you mean 'ms'?"},
	{V "assertions: {a: {every: 5 minutes, expect: 1 < 2}}\n", ":2:25:", "did you mean 'min'?"},
	{V "assertions: {a: {every: 1s, expect: shadow_rays.sum < 2 && 1 < 2}}\n",
	 ":2:57:", "there is no operator '&&'; did you mean 'and'?"},
	{V "bind: [{metric: shadow_rays, sites: */x}]\n",
	 ":2:38:", "what begins with * needs quotes"},
	{V "bind: [{metric: shadow_rays, sites: *x}]\n",
	 ":2:37:", "what begins with * needs quotes"},
	{V "bind:\n  - {metric: shadow_rays, sites: @x}\n",
	 ":3:34:", "what begins with %, @ or ` needs quotes"},
	{V "bind:\n  - {metric: shadow_rays, sites: %x}\n",
	 ":3:34:", "what begins with %, @ or ` needs quotes"},
	{V "record: {file: {name}.pprec}\n",
	 ":2:22:", "is a comma or a } missing? What is no map but begins with { needs quotes"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: >= 5\n",
	 ":5:14:", "what begins with > or | needs quotes"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: a: b\n",
	 ":5:14:", "a value with ': ' in it needs quotes"},
	{V "record: {file: 'x}\nreload: true\n", ":2:16:", "the closing quote is missing"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: !x.n < 5\n",
	 ":5:13:", "what begins with ! needs quotes"},
	/* actions */
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [log]}}\n",
	 ":2:54:", "an action must be keys with values"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{lgo: info}]}}\n",
	 ":2:55:", "an action has no key 'lgo'; did you mean 'log'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{signal: SEGV}]}}\n",
	 ":2:63:", "'SEGV' is no signal that can be sent; there are HUP"},
	{V
	 "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{signal: {name: USR1, to: me}}]}}\n",
	 ":2:80:", "process or thread, not 'me'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_clear: [{sample: {metric: shadow_rays, "
	   "value: 1}}]}}\n",
	 ":2:56:", "an action has no key 'sample'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{sample: {metric: "
	   "shadow_rays}}]}}\n",
	 ":2:63:", "sample needs 'metric' and 'value'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{sample: {metric: shadow_rays, "
	   "value: 5ms}}]}}\n",
	 ":2:92:", "'5ms' is a time, but the samples of 'shadow_rays' are"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{sample: {metric: shadow_rays, "
	   "value: 1 < 2}}]}}\n",
	 ":2:92:", "a number is needed here"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{record: now}]}}\n",
	 ":2:63:", "record is mark, or {mark: TEXT, file: PATH}, not 'now'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{log: info, call: f}]}}\n",
	 ":2:54:", "an action is one of"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{log: {level: loud}}]}}\n",
	 ":2:68:", "'level' is debug, info, warning or error"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: antialias}}]}}\n",
	 ":2:61:", "either 'step' or 'set'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: antialias, step: "
	   "1s}}]}}\n",
	 ":2:85:", "must be a plain number"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_clear: [{unbind: {metric: shadow_rays, "
	   "sites: y, for: "
	   "1s}}]}}\n",
	 ":2:96:", "unbind has no key 'for'"},
	/* record */
	{V "record: x\n", ":2:9:", "'record' must be keys with values"},
	{V "record: {}\n", ":2:9:", "'record' needs 'file'"},
	{V "record: {file: run.%q.pprec}\n",
	 ":2:16:", "'file': there is no %q: names have %p (process id)"},
	{V "record: {file: run%}\n", ":2:16:", "'file': a single % ends 'run%'"},
	{V "record: {file: a.pprec, overwrite: often}\n",
	 ":2:36:", "'overwrite' must be true or false, not 'often'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{log: {to: '%n.log'}}]}}\n",
	 ":2:65:", "'to': there is no %n"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{report: '%z'}]}}\n",
	 ":2:63:", "report: there is no %z"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{record: {file: a device}}]}}\n",
	 ":2:70:", "can't record to 'a device': it is a device"},
	/* names that are nearly there; and words of expressions */
	{V "metrics: {m: {interval: elapsde, keep: stats}}\n",
	 ":2:25:", "there is no source 'elapsde'; did you mean 'elapsed'?"},
	{V "bind: [{metric: shadow_ray, sites: x}]\n",
	 ":2:17:", "there is no metric 'shadow_ray'; did you mean 'shadow_rays'?"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: shadow_rays.sum <= shadow_rys.sum\n",
	 ":5:32:", "there is no metric 'shadow_rys'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{call: report_render_stat}]}}\n",
	 ":2:61:", "did you mean 'report_render_state'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: antialas, step: "
	   "1}}]}}\n",
	 ":2:68:", "did you mean 'antialias'?"},
	{V "assertions: {a: {every: 1s, expect: knob (antialis) < 5}}\n",
	 ":2:43:", "there is no knob 'antialis'; did you mean 'antialias'?"},
	{V "adapt: {choose: antialis, minimise: shadow_rays.avg}\n",
	 ":2:17:", "there is no knob 'antialis'"},
	{V "metrics: {m: {interval: elapsed, keep: stats, operator: mean}}\n",
	 ":2:57:", "there is no operator 'mean'"},
	{V "assertions: {a: {every: 1s, expect: shadow_rays.ginny < 5}}\n",
	 ":2:49:", "there is no statistic 'ginny'"},
	{V "assertions: {a: {every: 1s, expect: slw.violations < 5}}\n",
	 ":2:37:", "there is no assertion 'slw'"},
	{V "record: {file: nowhere/x}\n", ":2:16:", "can't record to 'nowhere/x'"},
};

/* Names that there may be later */
static const struct bad lates[] = {
	{V "metrics: {m: {interval: joules, keep: stats}}\n",
	 ":2:25:", "there is no source 'joules'"},
	{V "metrics: {m: {expr: \"a.sum / shadow_rays.sum\"}}\n",
	 ":2:22:", "there is no metric 'a'"},
	{V "bind: [{metric: tiles, sites: x}]\n", ":2:17:", "there is no metric 'tiles'"},
	/* these two are not one and the same, mistyped */
	{V "bind: [{metric: shadow_rays2, sites: x}]\n",
	 ":2:17:", "there is no metric 'shadow_rays2'; did you mean 'shadow_rays'?"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, capture: [shadow_rays, nothing]}}\n",
	 ":2:67:", "there is no metric 'nothing'"},
	{V "assertions:\n  a:\n    every: 1s\n    expect: shadow_rays.sum <= tiles.sum\n",
	 ":5:32:", "there is no metric 'tiles'"},
	{V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{call: page_me}]}}\n",
	 ":2:61:", "there is no callable function 'page_me'"},
	{V
	 "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: depth, step: 1}}]}}\n",
	 ":2:68:", "there is no knob 'depth'"},
	{V
	 "assertions: {a: {every: 1s, expect: 1 < 2, on_clear: [{bind: {metric: x, sites: y}}]}}\n",
	 ":2:71:", "there is no metric 'x'"},
	{V "assertions: {a: {every: 1s, expect: knob (depth) < 5}}\n",
	 ":2:43:", "there is no knob 'depth'"},
	{V "adapt: {choose: depth, minimise: shadow_rays.avg}\n",
	 ":2:17:", "there is no knob 'depth'"},
};

START_TEST (names_that_do_not_exist_yet_are_waited_for)
{
	const struct bad *late = &lates[_i];
	int error = load (late->text);

	ck_assert_msg (error == PP_OK, "%s: %d, %s", late->text, error,
		       fake.n_messages ? fake.messages[0] : "");
	ck_assert_uint_eq (fake.n_messages, 3); /* with the line and the caret */
	ck_assert_msg (strstr (fake.messages[0], late->part), "'%s' does not say '%s'",
		       fake.messages[0], late->part);
	ck_assert_msg (strstr (fake.messages[0], late->place), "'%s' is not at %s",
		       fake.messages[0], late->place);
	ck_assert_msg (strstr (fake.messages[0], ": warning: this waits: "), "%s",
		       fake.messages[0]);
	ck_assert_ptr_nonnull (ppi_policies);
	ck_assert_uint_eq (ppi_policies->policy->n_waits, 1);
	ck_assert_msg (strstr (fake.history[0].text, "pending: no "), "%s", fake.history[0].text);
	fake.n_messages = 0;
	ppi_parts_fini ();
	ck_assert_uint_eq (fake_said ("never found, so what it says of them had no effect: "), 1);
}
END_TEST

START_TEST (a_site_that_never_came_has_what_may_have_been_meant)
{
	ck_assert_int_eq (load (V "bind: [{metric: shadow_rays, sites: meant}]\n"), PP_OK);
	fake.n_messages = 0;
	ppi_parts_fini ();
	ck_assert_uint_eq (fake_said ("site 'meant' (did you mean 'fake of meant'?)"), 1);
}
END_TEST

START_TEST (errors_are_told_at_their_place)
{
	const struct bad *bad = &bads[_i];
	int error = load (bad->text);

	ck_assert_msg (error == PP_EPOLICY, "%s: %d", bad->text, error);
	ck_assert_uint_ge (fake.n_messages, 1);
	ck_assert_msg (strstr (fake.messages[0], bad->part), "%s: '%s' does not say '%s'",
		       bad->text, fake.messages[0], bad->part);
	ck_assert_msg (strstr (fake.messages[0], bad->place), "%s: '%s' is not at %s", bad->text,
		       fake.messages[0], bad->place);
	ck_assert_msg (strstr (fake.messages[0], ": error: "), "%s", fake.messages[0]);
	for (size_t i = 1; i < fake.n_messages; i++)
		ck_assert_msg (!strstr (fake.messages[i], ": error: "),
			       "one mistake, two errors: %s and %s", fake.messages[0],
			       fake.messages[i]);
	ck_assert_uint_eq (fake.n_history, 0);
	ck_assert_ptr_null (ppi_policies);
}
END_TEST

START_TEST (errors_quote_the_line_with_a_caret)
{
	ck_assert_int_eq (load (V "assertions:\n\ta: 1\n"), PP_EPOLICY);
	fake.n_messages = 0;
	ck_assert_int_eq (load (V "metrics:\n  m: {interval: elapsed, keep: bag}\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake.n_messages, 3);
	ck_assert_str_eq (fake.messages[1], "      m: {interval: elapsed, keep: bag}");
	ck_assert_str_eq (fake.messages[2], "                                   ^");
}
END_TEST

START_TEST (all_errors_come_at_once_in_the_order_of_the_text)
{
	static const char text[] =
		V "metrics:\n"
		  "  m: {interval: elapsde, keep: stats}\n"
		  "  n: {interval: elapsde, keep: bag}\n"
		  "bind:\n"
		  "  - {metric: o, sites: x}\n"
		  "assertions:\n"
		  "  a: {every: 1s, expect: m.avg < 5 B and n.sum < 3, on_fire: [{call: f}]}\n"
		  "  b: {every: 1s, expect: q.avg < 5 and knob(z) < 3}\n"
		  "bnid: []\n";
	static const char *const places[] = {
		":3:17:", ":4:17:", ":4:32:", ":6:14:", ":8:70:", ":9:26:", ":9:45:", ":10:1:"};
	size_t n = 0;

	ck_assert_int_eq (load (text), PP_EPOLICY);
	for (size_t i = 0; i < fake.n_messages; i++)
		if (strstr (fake.messages[i], ": error: ") ||
		    strstr (fake.messages[i], ": warning: ")) {
			ck_assert_msg (n < 8 && strstr (fake.messages[i], places[n]),
				       "%s is not at %s", fake.messages[i],
				       n < 8 ? places[n] : "?");
			n++;
		}
	ck_assert_uint_eq (n, 8);
}
END_TEST

/* What YAML can't read hides nothing else. */
START_TEST (errors_of_yaml_come_with_the_others)
{
	static const char text[] = V "metrics:\n"
				     "  m: {interval: elapsed, keep: stats, every: */x}\n"
				     "  n: {interval: elapsde, keep: stats}\n"
				     "bind:\n"
				     "  - metric: @what\n"
				     "    sites: x\n"
				     "assertions:\n"
				     "  a:\n"
				     "    every: 1s\n"
				     "    expect: >= 5\n"
				     "  b: {every: 1s, expect: 1 < 2 || 2 < 3}\n"
				     "bnid: []\n";
	static const char *const places[] = {
		":3:47:", ":4:17:", ":6:13:", ":11:14:", ":12:32:", ":13:1:"};
	size_t n = 0;

	ck_assert_int_eq (load (text), PP_EPOLICY);
	for (size_t i = 0; i < fake.n_messages; i++)
		if (strstr (fake.messages[i], ": error: ")) {
			ck_assert_msg (n < 6 && strstr (fake.messages[i], places[n]),
				       "%s is not at %s", fake.messages[i],
				       n < 6 ? places[n] : "?");
			n++;
		}
	ck_assert_uint_eq (n, 6);
}
END_TEST

/* Of the entry that a line is missing from nothing more is told, of the others everything. */
START_TEST (errors_of_yaml_hide_no_more_than_their_entry)
{
	ck_assert_int_eq (load (V "assertions:\n  a:\n    every: 1s\n\texpect: 1 < 2\n    for: 3s\n"
				  "  b: {every: 1s, expect: 1 < 2 ms}\n  c:\n    every: 1s\n   "
				  "expect: 1 < 2\n"),
			  PP_EPOLICY);
	ck_assert_uint_eq (fake_said (": error: "), 3);
	ck_assert_uint_eq (fake_said (":5:1: error: "), 1);
	ck_assert_uint_eq (fake_said (":7:28: error: "), 1);
	ck_assert_uint_eq (fake_said (":10:4: error: "), 1);
}
END_TEST

/* Where a line is not understood at all, what would follow from it is not told. */
START_TEST (errors_of_yaml_cause_no_others)
{
	ck_assert_int_eq (load (V "metrics:\n\tm: {interval: elapsed, keep: stats}\n"
				  "bind:\n  - {metric: m, sites: x}\n\treload: true\n"),
			  PP_EPOLICY);
	ck_assert_uint_eq (fake_said (": error: "), 2);
	fake.n_messages = 0;
	ck_assert_int_eq (load (V "metrics:\n  m: {interval: elapsed,\n    keep: stats\n"
				  "bind:\n  - {metric: m, sites: x}\n"),
			  PP_EPOLICY);
	ck_assert_uint_eq (fake_said (": error: "), 1);
}
END_TEST

START_TEST (a_missing_file_is_an_error)
{
	ck_assert_int_eq (pp_policy_load ("/nonexistent/p.yaml"), PP_EIO);
	ck_assert_uint_eq (
		fake_said ("/nonexistent/p.yaml: error: can't read the file: No such file"), 1);
	ck_assert_int_eq (pp_policy_load ("/"), PP_EIO);
	ck_assert_int_eq (pp_policy_load (NULL), PP_EINVAL);
	ck_assert_int_eq (pp_policy_unload ("/nonexistent/p.yaml"), PP_ENOENT);
}
END_TEST

START_TEST (a_text_that_is_nearly_a_level_is_told_and_logged)
{
	ck_assert_int_eq (
		load (V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{log: warn}, {log: "
			"eror}, {log: warning}, "
			"{log: {text: warn}}, {log: too slow}]}}\n"),
		PP_OK);
	ck_assert_uint_eq (
		fake_said (
			"warning: 'warn' is logged as a text; did you mean the level 'warning'?"),
		1);
	ck_assert_uint_eq (fake_said ("did you mean the level"), 2);
}
END_TEST

START_TEST (aliases_are_bounded)
{
	char text[4096] = V "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n";

	for (int i = 1; i < 9; i++)
		snprintf (
			text + strlen (text), sizeof text - strlen (text),
			"x%d: &x%d [*x%d, *x%d, *x%d, *x%d, *x%d, *x%d, *x%d, *x%d, *x%d, *x%d]\n",
			i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	ck_assert_int_eq (load (text), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("more than 20000 parts, aliases counted"), 1);
	fake.n_messages = 0;
	ck_assert_int_eq (load (V "metrics: &m {a: *m}\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("nested more than 16 deep"), 1);
	fake.n_messages = 0;
	ck_assert_int_eq (load (V "bind: [[[[[[[[[[[[[[[[deep]]]]]]]]]]]]]]]]\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_said (":2:23: error: this is nested more than 16 deep"), 1);
	fake.n_messages = 0;
	ck_assert_int_eq (load (V "bind: [[[[[[[[[[[[[[[deep]]]]]]]]]]]]]]]\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("nested more than"), 0);
}
END_TEST

START_TEST (aliases_that_are_reasonable_work)
{
	ck_assert_int_eq (load (V
				"assertions:\n"
				"  a: {every: 1s, expect: 1 < 2, on_fire: &actions [{log: info}]}\n"
				"  b: {every: 1s, expect: 1 < 2, on_fire: *actions}\n"),
			  PP_OK);
}
END_TEST

START_TEST (sites_that_do_not_exist_yet_are_pending)
{
	ck_assert_int_eq (load (V "bind: [{metric: shadow_rays, sites: [later/p]}]\n"
				  "assertions: {a: {at: later/i, expect: shadow_rays.sum < 5}}\n"),
			  PP_OK);
	ck_assert_uint_eq (fake.n_messages, 0);
	ck_assert_uint_eq (fake_rules ("shadow_rays", "later/p"), 1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_POLICY, NULL), 3);
	ck_assert_str_eq (fake.history[0].text, "pending: no site matches 'later/p' yet");
	ck_assert_str_eq (fake.history[1].text, "pending: no site matches 'later/i' yet");
}
END_TEST

static struct pp_abi_knob late_knob = {.head = {sizeof late_knob, PP_ABI_VERSION,
						PP_ABI_RECORD_KNOB, 0,
						offsetof (struct pp_abi_knob, name), 0, 1, 0, 0},
				       .where = "late.c:1",
				       .type = PP_ABI_KNOB_INT,
				       .value = {4},
				       .min = {1},
				       .max = {8},
				       .step = {1},
				       .name = "late_knob"};

/* A policy that names all that there may be; what is there at once goes on meanwhile */
START_TEST (what_was_waited_for_takes_effect_when_it_comes)
{
	struct ppi_assertion *fires;

	ck_assert_int_eq (load (V "metrics:\n"
				  "  doubled: {expr: 2 * late.avg}\n"
				  "bind: [{metric: late, sites: trace/shadow}, {metric: "
				  "shadow_rays, sites: trace/shadow}]\n"
				  "assertions:\n"
				  "  fires: {every: 1s, expect: shadow_rays.avg < 5, on_fire: "
				  "[{knob: {name: late_knob, set: "
				  "7}}]}\n"
				  "  b: {every: 1s, expect: late.avg < 5}\n"
				  "  c: {every: 1s, expect: doubled < 5 and fires.fired < 9, "
				  "capture: [late]}\n"),
			  PP_OK);
	ck_assert_uint_eq (fake.n_messages, 6);
	fires = ppi_assertion_find ("fires");
	ck_assert_ptr_nonnull (fires);
	ck_assert_ptr_null (ppi_assertion_find ("b"));
	ck_assert_ptr_null (ppi_assertion_find ("c"));
	ck_assert_uint_eq (fake_rules ("shadow_rays", "trace/shadow"), 1);
	fake_sample (pp_metric_find ("shadow_rays"), 7, 7);
	fake.messages[0][0] = 0;
	fake.n_messages = 0;
	fake_tick (1000);
	ck_assert_uint_eq (fires->chunk->fired, 1);
	ck_assert_uint_eq (
		fake_said ("failed: knob: it waits for a name that there is not yet (said once)"),
		1);

	fake.n_messages = 0;
	fake_sample (fake_metric ("late", PP_ABI_SITE_POINT, PPI_SUMCOUNT, "value"), 7, 7);
	ppi_parts_names_changed ();
	ck_assert_uint_eq (fake_rules ("late", "trace/shadow"), 1);
	ck_assert_ptr_nonnull (ppi_assertion_find ("b"));
	ck_assert_ptr_nonnull (ppi_assertion_find ("c"));
	ck_assert_uint_eq (ppi_policies->policy->n_waits, 1);
	ck_assert_ptr_eq (ppi_assertion_find ("fires"), fires);
	ck_assert_uint_eq (fires->chunk->fired, 1);
	fake_tick (1000);
	ck_assert_uint_eq (ppi_assertion_find ("b")->chunk->fired, 1);
	ck_assert_uint_eq (ppi_assertion_find ("c")->chunk->fired, 1);

	fake_add_record (&late_knob.head);
	fake_module_added ();
	ck_assert_uint_eq (ppi_policies->policy->n_waits, 0);
	ck_assert_str_eq (fake_newest (PPI_HISTORY_POLICY), "found: knob 'late_knob'");
	ck_assert_ptr_eq (ppi_knob_find ("late_knob")->owner, ppi_policies);
	fake_sample (pp_metric_find ("shadow_rays"), 1, 1);
	fake_tick (1000);
	fake_sample (pp_metric_find ("shadow_rays"), 7, 7);
	fake_tick (1000);
	ck_assert_int_eq (late_knob.value.i, 7);
	ppi_parts_fini ();
	ck_assert_uint_eq (fake_said ("never found"), 0);
	ck_assert_uint_eq (fake_said ("error"), 0);
	fake_remove_record (&late_knob.head);
	late_knob.value.i = 4;
}
END_TEST

START_TEST (what_comes_and_does_not_fit_is_told_and_left_out)
{
	ck_assert_int_eq (load (V "assertions:\n"
				  "  a: {every: 1s, expect: late.avg < 5 ms}\n"
				  "  b: {every: 1s, expect: late.sum < 5}\n"),
			  PP_OK);
	fake.n_messages = 0;
	fake_metric ("late", PP_ABI_SITE_POINT, PPI_SUMCOUNT, "value");
	ppi_parts_names_changed ();
	ck_assert_uint_eq (fake_said (":3:35: error: can't compare"), 1);
	ck_assert_ptr_null (ppi_assertion_find ("a"));
	ck_assert_ptr_nonnull (ppi_assertion_find ("b"));
	fake.n_messages = 0;
	ppi_parts_names_changed ();
	ck_assert_uint_eq (fake.n_messages, 0);
}
END_TEST

START_TEST (a_policy_waits_for_what_another_declares)
{
	ck_assert_int_eq (load (V "assertions: {a: {every: 1s, expect: other.sum < 5}}\n"), PP_OK);
	ck_assert_ptr_null (ppi_assertion_find ("a"));
	ck_assert_int_eq (load_as ("other.yaml",
				   V "metrics: {other: {point: value, keep: sumcount}}\n"
				     "assertions: {b: {every: 1s, expect: other.sum < 7}}\n"),
			  PP_OK);
	ck_assert_ptr_nonnull (ppi_assertion_find ("a"));
}
END_TEST

START_TEST (assertions_find_sites_of_modules_that_come_later)
{
	pp_site *later;

	ck_assert_int_eq (load (V "assertions: {a: {at: later/i, expect: shadow_rays.sum < 5}}\n"),
			  PP_OK);
	later = fake_site ("lib!l.c:later/i", PP_ABI_SITE_INTERVAL);
	fake_module_added ();
	ck_assert_ptr_nonnull (later->checks);
	fake_module_added ();
	ck_assert_ptr_null (later->checks->next);
}
END_TEST

/* ---- as a whole ------------------------------------------------------------------------------ */

static void nothing_is_loaded (void)
{
	ck_assert_ptr_null (ppi_policies);
	ck_assert_ptr_null (ppi_assertions);
	for (size_t i = 0; i < FAKE_MAX; i++)
		ck_assert (!fake.rules[i].used);
	ck_assert_ptr_null (pixel->checks);
	ck_assert_int_eq (rays->references, 1);
}

START_TEST (unloading_takes_everything_away)
{
	const char *path = fake_policy ("p.yaml", whole);

	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	nothing_is_loaded ();
	ck_assert_int_eq (pp_metric_find ("pixel_time")->references, 0);
	ck_assert_int_eq (pp_policy_unload (path), PP_ENOENT);
	unlink (path);
}
END_TEST

START_TEST (a_binding_that_fails_takes_the_others_back)
{
	fake.bad_rule = "trace/shadow";
	ck_assert_int_eq (load (whole), PP_EPOLICY);
	ck_assert_uint_eq (fake_said (":7:34: error: 'trace/shadow' can't be bound"), 1);
	nothing_is_loaded ();
	ck_assert_str_eq (fake.recording, "");
}
END_TEST

START_TEST (code_that_cannot_be_changed_takes_everything_back)
{
	fake.batch_error = PP_ECODE;
	ck_assert_int_eq (load (whole), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("error: can't be applied: no code"), 1);
	nothing_is_loaded ();
}
END_TEST

START_TEST (a_bad_new_version_leaves_the_old_one)
{
	ck_assert_int_eq (load (whole), PP_OK);
	ck_assert_int_eq (load (V "bind: [{metric: shadow_rays}]\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_rules ("pixel_time", "trace_pixel/*"), 1);
	ck_assert_ptr_nonnull (ppi_assertion_find ("slow_pixel"));
	fake.bad_rule = "x";
	ck_assert_int_eq (
		load (V
		      "bind: [{metric: shadow_rays, sites: y}, {metric: shadow_rays, sites: x}]\n"),
		PP_EPOLICY);
	ck_assert_uint_eq (fake_rules ("pixel_time", "trace_pixel/*"), 1);
	ck_assert_uint_eq (fake_rules ("shadow_rays", "y"), 0);
	ck_assert_ptr_nonnull (pixel->checks);
	ck_assert_int_eq (pp_metric_find ("pixel_time")->references, 1);
	fake.batch_error = PP_ECODE;
	ck_assert_int_eq (load (V "bind: [{metric: shadow_rays, sites: y}]\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_rules ("pixel_time", "trace_pixel/*"), 1);
	ck_assert_uint_eq (fake_rules ("shadow_rays", "y"), 0);
	ck_assert_ptr_nonnull (pixel->checks);
	ck_assert_ptr_null (pixel->checks->next);
}
END_TEST

START_TEST (loading_again_replaces)
{
	ck_assert_int_eq (load (whole), PP_OK);
	ck_assert_int_eq (load (V "bind: [{metric: shadow_rays, sites: trace/shadow}]\n"), PP_OK);
	ck_assert_uint_eq (fake_rules ("pixel_time", NULL), 0);
	ck_assert_uint_eq (fake_rules ("shadow_rays", NULL), 1);
	ck_assert_ptr_null (ppi_assertions);
	ck_assert_ptr_null (pixel->checks);
	ck_assert_ptr_null (ppi_policies->next);
	ck_assert_str_eq (fake.history[fake.n_history - 1].text, "reloaded");
}
END_TEST

START_TEST (unchanged_metrics_stay_the_same_metric)
{
	pp_metric *metric;

	ck_assert_int_eq (
		load (V "metrics: {m: {interval: elapsed, keep: bounded_series, size: 10}}\n"),
		PP_OK);
	metric = pp_metric_find ("m");
	ck_assert_int_eq (load (V "metrics: {m: {interval: elapsed, keep: bounded_series, size: "
				  "10}}\nbind: [{metric: "
				  "m, sites: trace_pixel/i1}]\n"),
			  PP_OK);
	ck_assert_ptr_eq (pp_metric_find ("m"), metric);
	ck_assert_int_eq (metric->references, 1);
}
END_TEST

START_TEST (a_metric_may_change_when_only_its_policy_has_it)
{
	ck_assert_int_eq (
		load (V "metrics: {m: {interval: elapsed, keep: bounded_series, size: 10}}\n"),
		PP_OK);
	ck_assert_int_eq (
		load (V "metrics: {m: {interval: elapsed, keep: bounded_series, size: 20}}\n"),
		PP_OK);
	ck_assert_uint_eq (pp_metric_find ("m")->spec.size, 20);
	ck_assert_int_eq (
		load_as ("other.yaml", V "metrics: {m: {interval: elapsed, keep: stats}}\n"),
		PP_EPOLICY);
	ck_assert_uint_eq (fake_said (":2:11: error: metric 'm' is declared differently"), 1);
	ck_assert_int_eq (pp_metric_find ("m")->references, 1);
}
END_TEST

START_TEST (unchanged_assertions_keep_their_state_and_changed_ones_start_in_ok)
{
	static const char first[] =
		V "assertions:\n"
		  "  same: {at: trace_pixel/i1, expect: shadow_rays.last < 5}\n"
		  "  other: {at: trace_pixel/i1, expect: shadow_rays.last < 5}\n";
	static const char second[] =
		V "assertions:\n"
		  "  same: {at: trace_pixel/i1, expect: shadow_rays.last < 5}\n"
		  "  other: {at: trace_pixel/i1, expect: shadow_rays.last < 6}\n";
	struct pp_assertion_info info;

	ck_assert_int_eq (load (first), PP_OK);
	fake_sample (rays, 10, 10);
	fake_execute (pixel);
	ck_assert_int_eq (load (second), PP_OK);
	ck_assert_int_eq (pp_assertion_state ("same", &info), PP_OK);
	ck_assert_int_eq (info.state, PP_STATE_FIRING);
	ck_assert_uint_eq (info.violations, 1);
	ck_assert_int_eq (pp_assertion_state ("other", &info), PP_OK);
	ck_assert_int_eq (info.state, PP_STATE_OK);
	ck_assert_uint_eq (info.violations, 0);
	fake_execute (pixel);
	pp_assertion_state ("same", &info);
	ck_assert_uint_eq (info.violations, 2);
	ck_assert_uint_eq (info.fired, 1);
}
END_TEST

START_TEST (names_of_assertions_are_shared_by_all_policies)
{
	ck_assert_int_eq (load (V "assertions: {a: {every: 1s, expect: 1 < 2}}\n"), PP_OK);
	ck_assert_int_eq (load_as ("b.yaml", V "assertions: {a: {every: 1s, expect: 1 < 2}}\n"),
			  PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("assertion 'a' exists already, in "), 1);
	ck_assert_int_eq (
		load_as ("b.yaml", V "assertions: {b: {every: 1s, expect: a.violations < 2}}\n"),
		PP_OK);
}
END_TEST

START_TEST (a_knob_belongs_to_one_policy)
{
	static const char turning[] = V "assertions: {a: {every: 1s, expect: 1 < 2, on_fire: "
					"[{knob: {name: antialias, step: 1}}]}}\n";
	static const char too[] = V "assertions: {b: {every: 1s, expect: 1 < 2, on_fire: [{knob: "
				    "{name: antialias, step: 1}}]}}\n";

	ck_assert_int_eq (load (turning), PP_OK);
	ck_assert_int_eq (load (turning), PP_OK);
	ck_assert_int_eq (load_as ("b.yaml", too), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("knob 'antialias' is turned by the policy "), 1);
	ck_assert_int_eq (load (V), PP_OK);
	ck_assert_int_eq (load_as ("b.yaml", too), PP_OK);
}
END_TEST

START_TEST (a_policy_may_be_in_the_program)
{
	static const char good[] = V "assertions: {a: {every: 1s, expect: shadow_rays.sum < 5}}\n",
			  other[] = V "assertions: {b: {every: 1s, expect: shadow_rays.sum < 5}}\n";
	struct pp_assertion_info info;

	ck_assert_int_eq (pp_policy_load_text ("limits", good), PP_OK);
	ck_assert_int_eq (pp_assertion_state ("a", &info), PP_OK);
	ck_assert_int_eq (pp_policy_load_text ("limits", V "asertions: {}\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("limits:2:1: error: "), 1);
	ck_assert_int_eq (pp_policy_load_text ("limits", V "reload: true\n"), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("limits:2:9: error: this policy is in the program"), 1);
	ck_assert_int_eq (pp_assertion_state ("a", &info), PP_OK);
	ck_assert_int_eq (pp_policy_reload (), 0);
	setenv ("PP_POLICY_WATCH", "1", 1);
	ck_assert_int_eq (pp_policy_load_text ("limits", other), PP_OK);
	fake_tick (1000);
	fake_tick (1000);
	unsetenv ("PP_POLICY_WATCH");
	ck_assert_int_eq (pp_assertion_state ("a", &info), PP_ENOENT);
	ck_assert_int_eq (pp_assertion_state ("b", &info), PP_OK);
	ck_assert_int_eq (pp_policy_load_text ("more", good), PP_OK);
	ck_assert_int_eq (pp_policy_unload ("limits"), PP_OK);
	ck_assert_int_eq (pp_assertion_state ("b", &info), PP_ENOENT);
	ck_assert_int_eq (pp_assertion_state ("a", &info), PP_OK);
	ck_assert_int_eq (pp_policy_unload ("limits"), PP_ENOENT);
	ck_assert_int_eq (pp_policy_load_text ("limits", ""), PP_EPOLICY);
	ck_assert_int_eq (pp_policy_load_text ("limits", NULL), PP_EINVAL);
	ck_assert_int_eq (pp_policy_load_text ("", good), PP_EINVAL);
	ck_assert_int_eq (pp_policy_load_text (NULL, good), PP_EINVAL);
	ck_assert_int_eq (fake.lock_depth, 0);
}
END_TEST

START_TEST (a_policy_needs_the_thread_only_while_it_asserts)
{
	ck_assert (!ppi_parts_need_thread ());
	ck_assert_int_eq (load (V "bind: [{metric: shadow_rays, sites: trace/shadow}]\n"), PP_OK);
	ck_assert (!ppi_parts_need_thread ());
	ck_assert_int_eq (load (V "assertions: {a: {every: 1s, expect: 1 < 2}}\n"), PP_OK);
	ck_assert (ppi_parts_need_thread ());
	fake_fini ();
	ck_assert (!ppi_parts_need_thread ());
	nothing_is_loaded ();
}
END_TEST

/* What is asked of the table of keys when one is added */
START_TEST (keys_have_members_that_their_values_fit_in)
{
	static const struct ppi_policy_key *(*const maps[]) (void) = {
#define MAP(id, ...) ppi_keys_##id,
#include "assertions/engine/assertion.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/policies.h"
#include "assertions/language/grammar_keys.h"
	};
	static const unsigned fitting[] = {
		[PPI_FORM_TRUTH] = 1u << PPI_MEMBER_BOOL,
		[PPI_FORM_COUNT] = 1u << PPI_MEMBER_U32 | 1u << PPI_MEMBER_U64,
		[PPI_FORM_DURATION] = 1u << PPI_MEMBER_U64,
		[PPI_FORM_NUMBER] = 1u << PPI_MEMBER_DOUBLE,
		[PPI_FORM_BYTES] = 1u << PPI_MEMBER_U64,
		[PPI_FORM_NAME] = 1u << PPI_MEMBER_NODE,
		[PPI_FORM_TEXT] = 1u << PPI_MEMBER_NODE,
		[PPI_FORM_PATH] = 1u << PPI_MEMBER_NODE,
		[PPI_FORM_WORD] = 1u << PPI_MEMBER_U8,
	};
	size_t n_members = 0;

	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		const struct ppi_policy_key *keys = maps[i](), *key;

		for (key = keys; key->name; key++) {
			ck_assert_ptr_eq (ppi_policy_key (keys, key->name), key); /* once */
			ck_assert_msg (!key->member || fitting[key->form] >> key->member & 1, "%s",
				       key->name);
			ck_assert_msg (key->member != PPI_MEMBER_U32 || key->max <= UINT32_MAX,
				       "%s", key->name);
			ck_assert_msg (!key->words[0] == (key->form != PPI_FORM_WORD), "%s",
				       key->name);
			ck_assert_msg (!key->needs == (key->when != PPI_KEY_MUST), "%s", key->name);
			n_members += key->member != PPI_MEMBER_NONE;
		}
		ck_assert_uint_le ((size_t) (key - keys), PPI_KEYS_MAX);
	}
	ck_assert_uint_gt (n_members, 30);
	for (unsigned i = PP_SEVERITY_INFO; i <= PP_SEVERITY_CRITICAL; i++)
		ck_assert_str_eq (ppi_policy_key (ppi_keys_assertion (), "severity")->words[i],
				  ppi_severity_name ((enum pp_severity) i));
}
END_TEST

static Suite *policies (void)
{
	Suite *suite = suite_create ("policy");
	TCase *tests = tcase_create ("policy");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, keys_have_members_that_their_values_fit_in);
	tcase_add_test (tests, the_whole_language_is_loaded);
	tcase_add_loop_test (tests, errors_are_told_at_their_place, 0,
			     (int) (sizeof bads / sizeof *bads));
	tcase_add_test (tests, errors_quote_the_line_with_a_caret);
	tcase_add_test (tests, all_errors_come_at_once_in_the_order_of_the_text);
	tcase_add_test (tests, errors_of_yaml_come_with_the_others);
	tcase_add_test (tests, errors_of_yaml_cause_no_others);
	tcase_add_test (tests, errors_of_yaml_hide_no_more_than_their_entry);
	tcase_add_test (tests, a_missing_file_is_an_error);
	tcase_add_test (tests, a_text_that_is_nearly_a_level_is_told_and_logged);
	tcase_add_test (tests, aliases_are_bounded);
	tcase_add_test (tests, aliases_that_are_reasonable_work);
	tcase_add_loop_test (tests, names_that_do_not_exist_yet_are_waited_for, 0,
			     sizeof lates / sizeof *lates);
	tcase_add_test (tests, a_site_that_never_came_has_what_may_have_been_meant);
	tcase_add_test (tests, sites_that_do_not_exist_yet_are_pending);
	tcase_add_test (tests, what_was_waited_for_takes_effect_when_it_comes);
	tcase_add_test (tests, what_comes_and_does_not_fit_is_told_and_left_out);
	tcase_add_test (tests, a_policy_waits_for_what_another_declares);
	tcase_add_test (tests, assertions_find_sites_of_modules_that_come_later);
	tcase_add_test (tests, unloading_takes_everything_away);
	tcase_add_test (tests, a_binding_that_fails_takes_the_others_back);
	tcase_add_test (tests, code_that_cannot_be_changed_takes_everything_back);
	tcase_add_test (tests, a_bad_new_version_leaves_the_old_one);
	tcase_add_test (tests, loading_again_replaces);
	tcase_add_test (tests, unchanged_metrics_stay_the_same_metric);
	tcase_add_test (tests, a_metric_may_change_when_only_its_policy_has_it);
	tcase_add_test (tests, unchanged_assertions_keep_their_state_and_changed_ones_start_in_ok);
	tcase_add_test (tests, names_of_assertions_are_shared_by_all_policies);
	tcase_add_test (tests, a_knob_belongs_to_one_policy);
	tcase_add_test (tests, a_policy_may_be_in_the_program);
	tcase_add_test (tests, a_policy_needs_the_thread_only_while_it_asserts);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {policies};

	return ppcheck_main (suites, 1);
}
