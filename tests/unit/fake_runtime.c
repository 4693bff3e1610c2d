/* SPDX-License-Identifier: MIT */
/* fake_runtime.c: see fake_runtime.h. */
#include "tests/unit/fake_runtime.h"

#include "assertions/engine/assertions.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/estimate.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/types.h"
#include "libmetrics/calls/by_hand.h"
#include "libmetrics/calls/open.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/life/flight.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/tally.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/module.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/rule.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/users_statistic.h"
#include "libmetrics/stats/operand.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/handler.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/layout.h"
#include "tests/unit/assertion_parts.h"
#include "tests/unit/ppcheck.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake fake;

static const struct ppi_record_handler *handlers[16];
static struct ppi_region_header header;
static char former_recording[sizeof fake.recording];

/* ---- what the room under test calls ---------------------------------------------------------- */

void ppi_lock (void)
{
	fake.lock_depth++;
}

void ppi_unlock (void)
{
	fake.lock_depth--;
}

uint64_t ppi_now_ns (void)
{
	return fake.now_ns;
}

void ppi_message (const char *format, ...)
{
	va_list ap;

	ck_assert_uint_lt (fake.n_messages, 512);
	va_start (ap, format);
	vsnprintf (fake.messages[fake.n_messages++], sizeof fake.messages[0], format, ap);
	va_end (ap);
}

int ppi_fail (int error, char *why, size_t room, const char *format, ...)
{
	va_list ap;

	va_start (ap, format);
	vsnprintf (why, room, format, ap);
	va_end (ap);
	return error;
}

const char *pp_strerror (int error)
{
	return error == PP_ECODE ? "no code" : "an error";
}

static const struct ppi_source sources[] = {
	{.name = "elapsed", .kinds = 2, .unit = PPI_UNIT_SECONDS},
	{.name = "value", .kinds = 1, .unit = PPI_UNIT_PLAIN},
	{.name = "heap_bytes", .kinds = 3, .unit = PPI_UNIT_BYTES},
};

const struct ppi_source *ppi_source_find (const char *text, const char **argument)
{
	*argument = NULL;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (strcmp (sources[i].name, text) == 0)
			return &sources[i];
	return NULL;
}

/* nothing here takes the loader's lock */
void ppi_source_prepare (const char *text)
{
	(void) text;
}

void ppi_source_each (void (*fn) (const struct ppi_source *source, void *arg), void *arg)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		fn (&sources[i], arg);
}

int ppi_metric_declare (const struct ppi_metric_spec *spec, pp_metric **out, char *why, size_t room)
{
	pp_metric *m = pp_metric_find (spec->name);

	if (m && m->references &&
	    (m->spec.kind != spec->kind || m->spec.accumulator != spec->accumulator ||
	     m->spec.size != spec->size || strcmp (m->source, spec->source) != 0)) {
		snprintf (why, room, "metric '%s' is declared differently at %s", spec->name,
			  "elsewhere");
		return PP_EEXIST;
	}
	if (!m) {
		ck_assert_uint_lt (fake.n_metrics, FAKE_MAX);
		m = &fake.metrics[fake.n_metrics++];
		for (int i = 0; i < PP_STATISTICS; i++)
			m->merged[i] = m->own[i] = NAN;
	}
	snprintf (m->name, sizeof m->name, "%s", spec->name);
	snprintf (m->source, sizeof m->source, "%s", spec->source);
	m->spec = *spec;
	m->spec.name = m->name;
	m->spec.source = m->source;
	m->references++;
	*out = m;
	return PP_OK;
}

uint32_t ppi_metric_users (const pp_metric *metric)
{
	return (uint32_t) metric->references;
}

int ppi_metric_describe (pp_metric *metric)
{
	(void) metric;
	return PP_OK;
}

void ppi_computed_maker_set (int (*make) (const char *name, const char *text, pp_metric **out,
					  char *why, size_t room))
{
	(void) make;
}

/* one statistic of the program's own, "gini", a plain number: the metric's avg divided by 10 */
int ppi_users_statistic (const char *name, int *power)
{
	if (strcmp (name, "gini") != 0)
		return -1;
	if (power)
		*power = 0;
	return 0;
}

const char *ppi_users_statistic_name (unsigned number)
{
	return number ? NULL : "gini";
}

int ppi_users_statistic_power (unsigned number)
{
	(void) number;
	return 0;
}

double ppi_users_stat (const pp_metric *metric, const pp_site *site, unsigned number)
{
	(void) site;
	(void) number;
	ck_assert_int_eq (fake.lock_depth, 0);
	return metric->merged[PP_STAT_AVG] / 10;
}

double pp_get (const pp_metric *metric)
{
	return metric->spec.computed ? metric->spec.computed->value (metric->spec.computed, NULL)
				     : metric->merged[PP_STAT_LAST];
}

const struct ppi_window *ppi_window_next (const pp_metric *metric, const struct ppi_window *after)
{
	(void) metric;
	(void) after;
	return NULL;
}

uint64_t ppi_window_ns (const struct ppi_window *window)
{
	(void) window;
	return 0;
}

bool ppi_window_is_used (const struct ppi_window *window)
{
	return window != NULL;
}

void ppi_metric_release (pp_metric *metric)
{
	ck_assert_int_gt (metric->references, 0);
	metric->references--;
}

void ppi_metric_restore (pp_metric *metric)
{
	ck_assert_ptr_eq (pp_metric_find (metric->name), metric); /* here a name is one metric */
}

pp_metric *pp_metric_find (const char *name)
{
	for (size_t i = 0; i < fake.n_metrics; i++)
		if (strcmp (fake.metrics[i].name, name) == 0)
			return &fake.metrics[i];
	return NULL;
}

const char *pp_metric_name (const pp_metric *metric)
{
	return metric->name;
}

const char *pp_unavailable (const pp_metric *metric)
{
	return metric->unavailable;
}

const struct ppi_metric_spec *ppi_metric_spec_of (const pp_metric *metric)
{
	return &metric->spec;
}

uint32_t ppi_metric_id (const pp_metric *metric)
{
	return (uint32_t) (metric - fake.metrics) + 1;
}

enum ppi_unit ppi_metric_unit (const pp_metric *metric)
{
	const char *argument;

	return metric->spec.accumulator == PPI_COUNT
		       ? PPI_UNIT_PLAIN
		       : (enum ppi_unit) ppi_source_find (metric->source, &argument)->unit;
}

void ppi_metric_each (void (*fn) (pp_metric *metric, void *arg), void *arg)
{
	for (size_t i = 0; i < fake.n_metrics; i++)
		fn (&fake.metrics[i], arg);
}

uint32_t ppi_site_id (const pp_site *site)
{
	return site->id;
}

enum pp_abi_site_kind ppi_site_kind_of (const pp_site *site)
{
	return site->kind;
}

const char *pp_site_name (const pp_site *site)
{
	return site->name;
}

/* the suffix behind any border, as far as these tests go */
static bool matches (const char *name, const char *pattern)
{
	for (const char *p = name; p; p = strpbrk (p, "!:/"), p = p ? p + 1 : NULL)
		if (fnmatch (pattern, p, FNM_PATHNAME) == 0)
			return true;
	return false;
}

int pp_site_each (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg)
{
	for (size_t i = 0; i < fake.n_sites; i++)
		if (!pattern || matches (fake.sites[i].name, pattern)) {
			int result = fn (&fake.sites[i], arg);

			if (result)
				return result;
		}
	return 0;
}

void ppi_site_watch (pp_site *site)
{
	(void) site;
}

double ppi_site_open_age (const pp_site *site)
{
	return site->open_age;
}

struct ppi_statics ppi_site_statics (const pp_site *site)
{
	return site->statics;
}

uint64_t ppi_site_in_flight (const pp_site *site)
{
	return site->in_flight;
}

int ppi_rule_create (pp_metric *metric, const char *pattern, uint32_t every, struct ppi_rule **out,
		     char *why, size_t room)
{
	int n = 0;

	if (fake.bad_rule && strcmp (fake.bad_rule, pattern) == 0) {
		snprintf (why, room, "'%s' can't be bound", pattern);
		return PP_ECODE;
	}
	for (size_t i = 0; i < FAKE_MAX; i++) {
		struct ppi_rule *rule = &fake.rules[i];

		if (rule->used)
			continue;
		*rule = (struct ppi_rule){.metric = metric, .every = every, .used = true};
		snprintf (rule->pattern, sizeof rule->pattern, "%s", pattern);
		*out = rule;
		for (size_t k = 0; k < fake.n_sites; k++)
			n += matches (fake.sites[k].name, pattern);
		return n;
	}
	return PP_ENOMEM;
}

static int count_one (pp_site *site, void *arg)
{
	(void) site;
	++*(unsigned *) arg;
	return 0;
}

unsigned ppi_rule_sites (const struct ppi_rule *rule)
{
	unsigned n = 0;

	pp_site_each (rule->pattern, count_one, &n);
	return n;
}

int ppi_site_each_matching (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg)
{
	(void) pattern;
	(void) fn;
	(void) arg;
	return 0;
}

const char *ppi_lookup_meant (const char *pattern, char *out, size_t room)
{
	snprintf (out, room, "fake of %s", pattern);
	return strcmp (pattern, "meant") == 0 ? out : NULL;
}

void ppi_rule_destroy (struct ppi_rule *rule)
{
	ck_assert (rule->used);
	rule->used = false;
}

int pp_unbind (pp_metric *metric, const char *pattern)
{
	snprintf (fake.unbound, sizeof fake.unbound, "%s %s", pp_metric_name (metric), pattern);
	return PP_ENOENT;
}

void ppi_batch_begin (void)
{
	fake.batch_depth++;
}

int ppi_batch_end (void)
{
	int error = 0;

	if (fake.batch_depth == 1 && fake.before_switching)
		fake.before_switching ();
	if (--fake.batch_depth == 0) {
		error = fake.batch_error;
		fake.batch_error = 0;
	}
	return error;
}

double ppi_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic)
{
	(void) site;
	return metric->merged[statistic];
}

double ppi_thread_stat (struct ppi_thread *thread, const pp_metric *metric, const pp_site *site,
			enum pp_statistic statistic)
{
	(void) thread;
	(void) site;
	return metric->own[statistic];
}

int ppi_thread_sampled (const struct ppi_thread *thread, const pp_metric *metric,
			const pp_site *site)
{
	(void) thread;
	(void) site;
	return !metric->is_stale;
}

bool ppi_thread_execution (const struct ppi_thread *thread, const pp_site *site,
			   struct ppi_execution *out)
{
	(void) thread;
	(void) site;
	(void) out;
	return false;
}

bool ppi_thread_is_inside (const struct ppi_thread *thread, const pp_site *parent,
			   const pp_site *outer)
{
	(void) thread;
	if (!fake.inside[0] || (parent && fake.inside[0] != parent))
		return false;
	for (int i = 0; i < 8 && fake.inside[i]; i++)
		if (fake.inside[i] == outer)
			return true;
	return false;
}

bool ppi_in_handler (void)
{
	return false;
}

static struct ppi_hot fake_hot;
__thread struct ppi_scratch ppi_scratch = {.self = &fake_hot};

int ppi_thread_id (const struct ppi_thread *thread)
{
	(void) thread;
	return fake.thread;
}

bool ppi_thread_is_gone (uint32_t tid)
{
	return (int) tid == fake.gone;
}

int ppi_sample_prepare (pp_metric *metric)
{
	ck_assert_int_gt (fake.lock_depth, 0);
	ck_assert_ptr_nonnull (metric);
	fake.prepared++;
	return PP_OK;
}

int pp_sample (pp_metric *metric, double sample)
{
	ck_assert_uint_lt (fake.n_samples, sizeof fake.samples / sizeof *fake.samples);
	fake.samples[fake.n_samples].metric = metric;
	fake.samples[fake.n_samples++].value = sample;
	return PP_OK;
}

int pp_report (FILE *out)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	fake.reports++;
	return fputs ("the report\n", out) < 0 ? PP_EIO : PP_OK;
}

int ppi_check_attach (pp_site *site, struct ppi_check *check)
{
	struct ppi_check **where = &site->checks;

	while (*where)
		where = &(*where)->next;
	check->next = NULL;
	*where = check;
	return 0;
}

void ppi_check_detach (pp_site *site, struct ppi_check *check)
{
	for (struct ppi_check **where = &site->checks; *where; where = &(*where)->next)
		if (*where == check) {
			*where = check->next;
			return;
		}
	ck_abort_msg ("a check is detached where it is not");
}

bool ppi_quiesce (unsigned timeout_ms)
{
	(void) timeout_ms;
	return true;
}

void ppi_record_handler_set (enum pp_abi_record_type type, const struct ppi_record_handler *handler)
{
	handlers[type] = handler;
}

void *ppi_region_alloc (size_t bytes)
{
	static _Alignas(64) char region[1 << 20];
	static size_t used;

	bytes = (bytes + 63) & ~(size_t) 63;
	if (fake.no_region || used + bytes > sizeof region)
		return NULL;
	used += bytes;
	return region + used - bytes;
}

void *ppi_region_alloc_fast (size_t bytes)
{
	return ppi_region_alloc (bytes);
}

void *ppi_region_alloc_marker (size_t bytes)
{
	return ppi_region_alloc (bytes);
}

void ppi_region_retire (void *chunk, size_t bytes)
{
	(void) chunk;
	(void) bytes;
}

void ppi_region_publish (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id)
{
	chunk->id = id;
	chunk->type = (uint16_t) type;
}

struct ppi_region_header *ppi_region_header (void)
{
	return &header;
}

int ppi_flight_dump (const char *why)
{
	snprintf (fake.dumped, sizeof fake.dumped, "%s", why);
	return fake.rings ? (int) fake.rings : PP_ENOENT;
}

int ppi_recording_start (const struct ppi_record_wish *wish, bool replace, char *why, size_t room)
{
	const char *pattern = wish->pattern;

	(void) replace;
	snprintf (why, room, "%s", strstr (pattern, "nowhere") ? "there is no such directory" : "");
	if (*why)
		return PP_EIO;
	snprintf (former_recording, sizeof former_recording, "%s", fake.recording);
	snprintf (fake.recording, sizeof fake.recording, "%s", pattern);
	return PP_OK;
}

int ppi_recording_copy (bool finished)
{
	(void) finished;
	return PP_OK;
}

void ppi_recording_revert (void)
{
	snprintf (fake.recording, sizeof fake.recording, "%s", former_recording);
}

int ppi_recording_check (const char *pattern, bool overwrite, char *why, size_t room)
{
	bool is_device = strstr (pattern, "device");

	(void) overwrite;
	snprintf (why, room, "%s", is_device ? "it is a device" : "");
	return is_device ? PP_EIO : PP_OK;
}

bool ppi_recording_wanted (void)
{
	return fake.recording[0] != '\0';
}

void ppi_history (enum ppi_history_kind kind, const char *name, const char *text,
		  const double *values, unsigned n_values)
{
	struct fake_entry *entry = &fake.history[fake.n_history++ % 512];

	memset (entry, 0, sizeof *entry);
	entry->kind = kind;
	snprintf (entry->name, sizeof entry->name, "%s", name);
	snprintf (entry->text, sizeof entry->text, "%s", text ? text : "");
	for (unsigned i = 0; i < n_values; i++)
		entry->value[i] = values[i];
}

/* ---- what tests call ------------------------------------------------------------------------- */

void fake_start (void)
{
	memset (&fake, 0, sizeof fake);
	memset (&header, 0, sizeof header);
	fake.now_ns = UINT64_C (1000000000);
	fake.thread = 4711;
	start_assertions ();
}

pp_metric *fake_metric (const char *name, enum pp_abi_site_kind kind,
			enum ppi_accumulator accumulator, const char *source)
{
	struct ppi_metric_spec spec = {.name = name,
				       .kind = (uint8_t) kind,
				       .accumulator = (uint8_t) accumulator,
				       .source = source};
	pp_metric *metric;
	char why[64];

	ck_assert_int_eq (ppi_metric_declare (&spec, &metric, why, sizeof why), PP_OK);
	return metric;
}

pp_site *fake_site (const char *name, enum pp_abi_site_kind kind)
{
	pp_site *site = &fake.sites[fake.n_sites++];

	snprintf (site->name, sizeof site->name, "%s", name);
	site->id = (uint32_t) fake.n_sites;
	site->kind = kind;
	site->open_age = NAN;
	return site;
}

void fake_sample (pp_metric *metric, double last, double avg)
{
	metric->own[PP_STAT_LAST] = metric->merged[PP_STAT_LAST] = last;
	metric->own[PP_STAT_AVG] = metric->merged[PP_STAT_AVG] = avg;
}

void fake_execute (pp_site *site)
{
	for (struct ppi_check *check = site->checks; check; check = check->next)
		check->run (check, NULL, site);
}

void fake_tick (uint64_t ms)
{
	fake.now_ns += ms * 1000000;
	ppi_assertions_tick (fake.now_ns);
	ck_assert_int_eq (fake.lock_depth, 0);
	ck_assert_int_eq (fake.batch_depth, 0);
}

void fake_fini (void)
{
	while (ppi_policies) {
		char path[256];

		snprintf (path, sizeof path, "%s", ppi_policies->policy->path);
		ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	}
	pp_poll ();
}

size_t fake_rules (const char *metric, const char *pattern)
{
	size_t n = 0;

	for (size_t i = 0; i < FAKE_MAX; i++)
		n += fake.rules[i].used && strcmp (fake.rules[i].metric->name, metric) == 0 &&
		     (!pattern || strcmp (fake.rules[i].pattern, pattern) == 0);
	return n;
}

/* The others were overwritten. */
static size_t oldest_entry (void)
{
	return fake.n_history > 512 ? fake.n_history - 512 : 0;
}

size_t fake_history (enum ppi_history_kind kind, const char *name)
{
	size_t n = 0;

	for (size_t i = oldest_entry (); i < fake.n_history; i++)
		n += fake.history[i % 512].kind == kind &&
		     (!name || strcmp (fake.history[i % 512].name, name) == 0);
	return n;
}

const char *fake_newest (enum ppi_history_kind kind)
{
	for (size_t i = fake.n_history; i-- > oldest_entry ();)
		if (fake.history[i % 512].kind == kind)
			return fake.history[i % 512].text;
	return "";
}

size_t fake_said (const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < fake.n_messages; i++)
		n += strstr (fake.messages[i], text) != NULL;
	return n;
}

const char *fake_policy (const char *name, const char *text)
{
	static char path[2][128];
	static int which;
	char *here = path[which++ % 2];
	const char *dir = getenv ("TMPDIR");
	FILE *file;

	snprintf (here, sizeof path[0], "%s/pp-test-%d-%s", dir ? dir : "/tmp", (int) getpid (),
		  name);
	file = fopen (here, "w");
	ck_assert_ptr_nonnull (file);
	ck_assert_int_ge (fputs (text, file), 0);
	ck_assert_int_eq (fclose (file), 0);
	return here;
}

void fake_add_record (struct pp_abi_record *record)
{
	ck_assert_ptr_nonnull (handlers[record->type]);
	handlers[record->type]->add (record);
}

void fake_remove_record (struct pp_abi_record *record)
{
	handlers[record->type]->remove (record);
}

void fake_module_added (void)
{
	ppi_parts_module_added ();
}

/* ---- windows: a metric has one set of figures for all of them -------------------------------- */

struct ppi_window {
	pp_metric *metric;
	uint64_t ns;
	unsigned users;
};

static struct ppi_window windows[FAKE_MAX];
static size_t n_windows;

int ppi_window_acquire (pp_metric *metric, uint64_t ns, struct ppi_window **out, char *why,
			size_t room)
{
	(void) why;
	(void) room;
	for (size_t i = 0; i < n_windows; i++)
		if (windows[i].metric == metric && windows[i].ns == ns) {
			windows[i].users++;
			*out = &windows[i];
			return PP_OK;
		}
	ck_assert_uint_lt (n_windows, FAKE_MAX);
	windows[n_windows] = (struct ppi_window){metric, ns, 1};
	*out = &windows[n_windows++];
	return PP_OK;
}

void ppi_window_release (struct ppi_window *window)
{
	ck_assert_uint_gt (window->users, 0);
	window->users--;
}

unsigned fake_window_users (void)
{
	unsigned users = 0;

	for (size_t i = 0; i < n_windows; i++)
		users += windows[i].users;
	return users;
}

/* what the test set, and the window's seconds, to tell them apart */
size_t ppi_metric_sites (const pp_metric *metric, const pp_site **out, size_t room)
{
	(void) metric;
	(void) out;
	(void) room;
	return 0;
}

double ppi_window_stat (const struct ppi_window *window, const pp_site *site,
			enum pp_statistic statistic)
{
	return ppi_stat (window->metric, site, statistic) + (double) window->ns * 1e-9;
}

double ppi_window_thread_stat (struct ppi_thread *thread, const struct ppi_window *window,
			       const pp_site *site, enum pp_statistic statistic)
{
	return ppi_thread_stat (thread, window->metric, site, statistic) +
	       (double) window->ns * 1e-9;
}

/* ---- nothing is quick here: every check goes the whole way ----------------------------------- */

void ppi_check_touch (pp_site *site)
{
	(void) site;
}

bool ppi_quick_operand (const struct ppi_op *ops, unsigned n_ops, const pp_metric *metric,
			enum pp_statistic statistic, struct ppi_quick_operand *out)
{
	(void) ops;
	(void) n_ops;
	(void) metric;
	(void) statistic;
	(void) out;
	return false;
}

/* A tally and the one thread's part of it. */
struct fake_tally {
	struct ppi_tally tally; /* first */
	struct ppi_shard shard;
};

struct ppi_tally *ppi_tally_new (bool has_looks)
{
	struct fake_tally *t = calloc (1, sizeof *t);

	ck_assert_ptr_nonnull (t);
	t->tally.has_looks = has_looks;
	return &t->tally;
}

uint32_t ppi_tally_id (const struct ppi_tally *tally)
{
	(void) tally;
	return 0;
}

uint64_t ppi_tally_read (uint32_t id)
{
	(void) id;
	return 0;
}

bool ppi_tally_subtract (struct ppi_tally *tally, uint64_t n)
{
	(void) tally;
	(void) n;
	return true;
}

void ppi_tally_prepare (struct ppi_tally *tally, struct ppi_thread *thread)
{
	(void) tally;
	(void) thread;
}

struct ppi_shard *ppi_tally_shard (const struct ppi_tally *tally, const struct ppi_thread *thread)
{
	(void) thread;
	return &((struct fake_tally *) (uintptr_t) tally)->shard;
}

bool ppi_tally_newest (const struct ppi_tally *tally, uint64_t before, struct ppi_thread **thread,
		       pp_site **site)
{
	(void) tally;
	(void) before;
	(void) thread;
	(void) site;
	return false;
}

uint64_t ppi_thread_stamp (const struct ppi_thread *thread, const pp_site *site)
{
	(void) thread;
	(void) site;
	return 0;
}
