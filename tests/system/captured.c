/* SPDX-License-Identifier: MIT */
/*
 * captured.c: what sites capture (values, payloads, dimensions), features, samples that the
 * program's code takes itself, inline sites. The tables are written by hand, as the plugin lays
 * them down, and markers are executed as guards call them and, where there are stubs, as stubs do.
 */
#include "check.h"

#include <stddef.h>
#include <stdio.h>

#if defined(__x86_64__) && !UNDER_TSAN
#define STUBS 1
#else
#define STUBS 0
#endif

/* ---- sites by hand --------------------------------------------------------------------------- */

enum {
	PLAIN,
	PAYLOAD,
	ANTIMARK,
	DIMS,
	ONE_DIM,
	POINT_DIMS,
	POINT_TEXT,
	INLINE,
	AS_INT,
	AS_DOUBLE,
	SITES
};

static struct block {
	_Alignas(PP_ABI_ALIGN) char bytes[256];
} blocks[SITES], records[3];

static const void *at (unsigned site)
{
	return &blocks[site];
}

static uint32_t put_text (char *base, uint32_t *used, const char *text)
{
	uint32_t offset = *used;

	if (!text)
		return 0;
	strcpy (base + offset, text);
	*used += (uint32_t) strlen (text) + 1;
	return offset;
}

static struct pp_abi_site *site (unsigned n, uint8_t kind, const char *name, uint8_t value,
				 const char *dims)
{
	struct pp_abi_site *s = (struct pp_abi_site *) blocks[n].bytes;
	uint32_t used = offsetof (struct pp_abi_site, text);

	s->size = sizeof (blocks[n]);
	s->abi = PP_ABI_VERSION;
	s->kind = kind;
	s->flags = PP_ABI_SITE_GUARD;
	s->value = value;
	s->line = 100;
	s->column = 9;
	s->name = put_text (blocks[n].bytes, &used, name);
	s->function = put_text (blocks[n].bytes, &used, "f");
	s->file = put_text (blocks[n].bytes, &used, "hand.c");
	s->dims = put_text (blocks[n].bytes, &used, dims);
	s->metrics = put_text (blocks[n].bytes, &used, n == INLINE ? "inlined" : NULL);
	for (const char *p = dims; p && *p; p++)
		s->n_dims = (uint8_t) (s->n_dims + (*p == ':'));
	if ((value != PP_ABI_VALUE_NONE) + s->n_dims > 1)
		s->flags |= PP_ABI_SITE_ARRAY;
	return s;
}

static pp_metric *asked, *inlined, *timed;

static void metric (unsigned n, pp_metric **variable, const char *name, uint8_t kind,
		    const char *accumulator, const char *source, uint8_t flags)
{
	struct pp_abi_metric *m = (struct pp_abi_metric *) records[n].bytes;
	uint32_t used = sizeof (*m);

	m->head.size = sizeof (records[n]);
	m->head.abi = PP_ABI_VERSION;
	m->head.type = PP_ABI_RECORD_METRIC;
	m->head.flags = flags;
	m->head.line = 7;
	m->head.name = put_text (records[n].bytes, &used, name);
	m->head.file = put_text (records[n].bytes, &used, "hand.c");
	m->variable = variable;
	m->kind = kind;
	m->sample_type = PP_ABI_SAMPLE_INT;
	m->result_bytes = 8;
	m->accumulator = put_text (records[n].bytes, &used, accumulator);
	m->source = put_text (records[n].bytes, &used, source);
	m->declaration = m->source;
}

static void lay_down (void)
{
	static struct pp_abi_module module = {
		.size = sizeof (module),
		.abi = PP_ABI_VERSION,
		.marker_bytes = sizeof (struct pp_abi_marker),
		.guards_begin = blocks,
		.guards_end = &blocks[SITES],
		.records_begin = records,
		.records_end = &records[3],
	};

	site (PLAIN, PP_ABI_SITE_INTERVAL, "plain", PP_ABI_VALUE_NONE, NULL);
	site (PAYLOAD, PP_ABI_SITE_FEATURE, "parse", PP_ABI_VALUE_INT, NULL);
	site (ANTIMARK, PP_ABI_SITE_ANTIMARK, "user", PP_ABI_VALUE_NONE, NULL);
	site (DIMS, PP_ABI_SITE_INTERVAL, "solve", PP_ABI_VALUE_NONE, "n:i,ratio:d,node:p,name:s");
	site (ONE_DIM, PP_ABI_SITE_INTERVAL, "one", PP_ABI_VALUE_NONE, "n:i");
	site (POINT_DIMS, PP_ABI_SITE_POINT, "dots", PP_ABI_VALUE_INT, "n:i,ratio:d");
	site (POINT_TEXT, PP_ABI_SITE_POINT, "words", PP_ABI_VALUE_STRING, NULL);
	site (INLINE, PP_ABI_SITE_INTERVAL, "inside", PP_ABI_VALUE_NONE, NULL)->flags |=
		PP_ABI_SITE_INLINE;
	site (AS_INT, PP_ABI_SITE_POINT, "generic", PP_ABI_VALUE_INT, NULL);
	site (AS_DOUBLE, PP_ABI_SITE_POINT, "generic", PP_ABI_VALUE_DOUBLE, NULL);
	metric (0, &asked, "asked", PP_ABI_SITE_INTERVAL, "stats", "my_begin",
		PP_ABI_METRIC_ARGUMENTS);
	metric (1, &inlined, "inlined", PP_ABI_SITE_INTERVAL, "stats", "my_begin",
		PP_ABI_METRIC_ARGUMENTS);
	((struct pp_abi_metric *) records[1].bytes)->head.flags = 0;
	((struct pp_abi_metric *) records[1].bytes)->begin =
		(pp_abi_sample_fn) (void (*) (void)) abort;
	metric (2, &timed, "timed", PP_ABI_SITE_INTERVAL, "stats", "elapsed", 0);
	pp_rt_register (&module);
}

/* ---- markers by hand ------------------------------------------------------------------------- */

static int64_t bits (double x)
{
	int64_t b;

	memcpy (&b, &x, sizeof (b));
	return b;
}

static int by_stub;

#if STUBS
/* what the plugin emits behind a marker that is on */
#define STUB(site, ENTRY, before, after, value)                                                    \
	do {                                                                                       \
		const struct pp_abi_site *stub_site = (site);                                      \
		__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t" before                              \
				 "pushq %%rdi\n\tpushq %%rsi\n\t"                                  \
				 "callq *%c[entry](%%rsi)\n\t"                                     \
				 "popq %%rsi\n\tpopq %%rdi\n\t" after "leaq 128(%%rsp), %%rsp"     \
				 :                                                                 \
				 : "D"(stub_site), "S"(stub_site->plan), [entry] "i"(ENTRY),       \
				   [pushed] "r"((int64_t) (value))                                 \
				 : "memory", "cc");                                                \
	} while (0)
#define PUSH "pushq %[pushed]\n\t"
#define DROP "leaq 8(%%rsp), %%rsp\n\t"
#define BEGIN(n, has_value, value)                                                                 \
	do {                                                                                       \
		if (!by_stub && (has_value))                                                       \
			pp_rt_guard_begin_value (at (n), value);                                   \
		else if (!by_stub)                                                                 \
			pp_rt_guard_begin (at (n));                                                \
		else if (has_value)                                                                \
			STUB (at (n), PP_ABI_PLAN_BEGIN, PUSH, DROP, value);                       \
		else                                                                               \
			STUB (at (n), PP_ABI_PLAN_BEGIN, "", "", 0);                               \
	} while (0)
#define END(n)                                                                                     \
	do {                                                                                       \
		if (by_stub)                                                                       \
			STUB (at (n), PP_ABI_PLAN_END, "", "", 0);                                 \
		else                                                                               \
			pp_rt_guard_end (at (n));                                                  \
	} while (0)
#define POINT(n, value)                                                                            \
	do {                                                                                       \
		if (by_stub)                                                                       \
			STUB (at (n), PP_ABI_PLAN_POINT, PUSH, DROP, value);                       \
		else                                                                               \
			pp_rt_guard_point (at (n), value);                                         \
	} while (0)
#else
#define BEGIN(n, has_value, value)                                                                 \
	((has_value) ? pp_rt_guard_begin_value (at (n), value) : pp_rt_guard_begin (at (n)))
#define END(n) pp_rt_guard_end (at (n))
#define POINT(n, value) pp_rt_guard_point (at (n), value)
#endif

/* ---- what pp_bind says ----------------------------------------------------------------------- */

static char said[4096];

/* Runs FN with ARG; what the library said is in `said`. */
static int saying (int (*fn) (const void *arg), const void *arg)
{
	int r;

	library_said ();
	r = fn (arg);
	snprintf (said, sizeof (said), "%s", library_said ());
	return r;
}

struct binding {
	pp_metric *metric;
	const char *pattern;
	int unbind;
};

static int do_bind (const void *arg)
{
	const struct binding *b = arg;
	int r = b->unbind ? pp_unbind (b->metric, b->pattern) : pp_bind (b->metric, b->pattern, 0);

	fputs (".", stderr); /* there is something to read */
	return r;
}

static void refused (pp_metric *metric, const char *pattern, const char *because, const char *name)
{
	struct binding b = {metric, pattern, 0};
	int r = saying (do_bind, &b);

	if (!ok (r == PP_EKIND && strstr (said, because), "%s", name))
		note ("returned %d and said %s", r, said);
}

static pp_metric *new (const char *name, const char *declaration)
{
	pp_metric *m = NULL;

	if (pp_metric_new (&m, name, declaration) < 0)
		note ("%s is not possible", declaration);
	return m;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void features (const char *how)
{
	pp_metric *payload = new ("payload", "interval stats(value)"),
		  *time = new ("time", "interval stats(elapsed)");
	pp_metric *series = new ("series", "interval bounded_series(value)"),
		  *n = new ("runs", "interval count(count)");
	double back[3] = {0, 0, 0};

	pp_reset (NULL);
	forget_drops ();
	/* one elapsed metric, several, and with what was captured: each has an entry of its own */
	ok (pp_bind (time, "parse", 0) == 1, "a feature takes metrics of intervals, %s", how);
	for (int i = 0; i < 10; i++) {
		BEGIN (PAYLOAD, 1, i);
		END (PAYLOAD);
	}
	pp_bind (n, "parse", 0);
	for (int i = 0; i < 10; i++) {
		BEGIN (PAYLOAD, 1, i);
		END (PAYLOAD);
	}
	pp_bind (payload, "parse", 0);
	pp_bind (series, "feature:par*", 0);
	for (int i = 1; i <= 3; i++) {
		BEGIN (PAYLOAD, 1, 100 * i);
		BEGIN (PLAIN, 0, 0);
		END (PLAIN);
		END (PAYLOAD);
	}
	same (pp_count (time), 23, "begins that push a value pair with their ends");
	same (pp_count (n), 13, "with any number of metrics");
	same (newly_dropped_in_all (), 0, "and nothing is dropped");
	same (pp_sum (payload), 600, "the sample of a payload is what its begin captured");
	pp_series_copy (series, back, 3);
	ok (back[0] == 100 && back[1] == 200 && back[2] == 300, "in order");
	BEGIN (PAYLOAD, 1, 7);
	pp_unbind (payload, "parse");
	END (PAYLOAD);
	same (pp_last (payload), 7,
	      "an interval ends as it began, though the payload is unbound inside");
	pp_unbind (time, "parse");
	pp_unbind (n, "parse");
	pp_unbind (series, "feature:par*");
	ok (pp_bind (time, "user", 0) == 1, "an antimark takes metrics of intervals");
	BEGIN (ANTIMARK, 0, 0);
	END (ANTIMARK);
	same (pp_count (time), 25, "and is measured as one");
	ok (pp_bind (n, "feature:user", 0) == PP_ENOENT, "feature:NAME does not mean antimarks");
	pp_unbind (time, "user");
	pp_reset (NULL);
}

static const char *const declarations[] = {"interval stats(dim:n)", "interval stats(dim:ratio)",
					   "interval scalar(dim:node)", "interval count(dim:name)"};

/* in a frame of its own each time: nobody tells inlined copies apart here */
NOIPA static void solve (int64_t n, int depth)
{
	int64_t values[4] = {n, bits ((double) n / 2), (int64_t) (intptr_t) &said,
			     (int64_t) (intptr_t) "text"};

	BEGIN (DIMS, 1, (int64_t) (intptr_t) values);
	values[0] = -1; /* the array lives only during the entry */
	if (depth > 0)
		solve (n + 1, depth - 1);
	END (DIMS);
}

static void dimensions (const char *how)
{
	pp_metric *m[4], *time = new ("time", "interval stats(elapsed)"),
			 *one = new ("one_n", "interval sumcount(dim:n)");
	char name[8];

	pp_reset (NULL);
	forget_drops ();
	pp_bind (time, "solve", 0);
	solve (0, 3);
	for (int i = 0; i < 4; i++) {
		snprintf (name, sizeof (name), "dim%d", i);
		m[i] = new (name, declarations[i]);
		ok (m[i] && pp_bind (m[i], "solve", 0) == 1,
		    "%s can be bound where that is captured, %s", declarations[i], how);
	}
	solve (10, 9);
	same (pp_count (time), 14, "intervals with dimensions pair");
	same (newly_dropped_in_all (), 0, "and nothing is dropped");
	same (pp_sum (m[0]), 145, "integers are captured at each begin and sampled at its end");
	same (pp_last (m[0]), 10, "the outermost ends last");
	same (pp_max (m[1]), 9.5, "doubles are captured as such");
	same (pp_last (m[2]), (double) (intptr_t) &said, "an address is kept as it is");
	same (pp_count (m[3]), 10, "texts are counted");
	ok (pp_bind (one, "one", 0) == 1, "one dimension alone is no array");
	BEGIN (ONE_DIM, 1, 42);
	END (ONE_DIM);
	same (pp_sum (one), 42, "it is the value that is pushed");
	for (int i = 0; i < 4; i++)
		pp_unbind (m[i], "solve");
	pp_unbind (one, "one");
	pp_unbind (time, "solve");
	pp_reset (NULL);
}

static void points (const char *how)
{
	pp_metric *value = new ("value", "point stats(value)"),
		  *n = new ("point_n", "point sumcount(dim:n)");
	pp_metric *ratio = new ("point_ratio", "point stats(dim:ratio)"),
		  *words = new ("words", "point count(value)");

	pp_reset (NULL);
	pp_bind (value, "dots", 0);
	for (int64_t i = 1; i <= 4; i++) {
		int64_t values[3] = {i, 10 * i, bits (0.5)};

		POINT (POINT_DIMS, (int64_t) (intptr_t) values);
		if (i == 1) {
			pp_bind (n, "dots", 0);
			pp_bind (ratio, "dots", 0);
		}
	}
	ok (pp_sum (value) == 10 && pp_sum (n) == 90 && pp_sum (ratio) == 1.5,
	    "a point's value comes before its dimensions, %s", how);
	ok (pp_bind (words, "words", 0) == 1, "a string can be counted");
	POINT (POINT_TEXT, (int64_t) (intptr_t) "word");
	POINT (POINT_TEXT, 0);
	same (pp_count (words), 2, "also where it is NULL");
	pp_unbind (value, "dots");
	pp_unbind (n, "dots");
	pp_unbind (ratio, "dots");
	pp_unbind (words, "words");
}

static void mistakes (void)
{
	pp_metric *m = NULL, *far = NULL;

	refused (new ("nodes", "interval stats(dim:nodes)"), "solve", "did you mean \"dim:node\"?",
		 "a dimension that a site lacks is refused with what it could have been");
	refused (new ("far", "interval stats(dim:temperature)"), "solve", "it has n:i,ratio:d",
		 "or with those that there are");
	refused (new ("none", "interval stats(dim:n)"), "plain", "it has none",
		 "or that there are none");
	refused (new ("texts", "point stats(value)"), "words",
		 "a string, which only count can keep", "a string has no statistics");
	refused (new ("addresses", "interval sumcount(dim:node)"), "solve",
		 "which only scalar and count can keep", "an address has no sum");
	refused (new ("unloaded", "interval stats(value)"), "plain", "has no value",
		 "an interval without a payload has none");
	refused (new ("dotted", "point count(count)"), "parse", "is a feature",
		 "a point's metric is not for features");
	ok (pp_metric_new (&m, "wrong", "interval stats(dim:a b)") == PP_EINVAL ||
		    pp_metric_new (&m, "wrong", "interval stats(dim:a+b)") == PP_EINVAL,
	    "a dimension is an identifier");
	far = new ("every_n", "interval stats(dim:n)");
	ok (pp_bind (far, "hand.c:f/*", 0) == 2,
	    "a pattern passes over sites that lack the dimension");
	pp_unbind (far, "hand.c:f/*");
	refused (new ("no_n", "interval stats(dim:x)"), "hand.c:f/*",
		 "but none that the metric can be bound to", "unless all of them do");
}

static void instances (void)
{
	pp_site *s;

	ok (pp_site_find ("hand.c:f/generic", &s) == PP_EAMBIGUOUS,
	    "instances of one place whose values differ in type are different sites");
	{
		struct binding some = {new ("mixed", "point sumcount(value)"), "*/gener*", 0};
		int n = saying (do_bind, &some);

		ok (n == 1 && strstr (said, "are left out") && strstr (said, "generic"),
		    "a pattern says that it leaves out sites whose value has another type");
	}
}

static void policies (void)
{
	struct pp_assertion_info info;
	int64_t values[4] = {0, 0, 0, 0};

	ok (load_policy ("version: 1\n"
			 "metrics:\n"
			 "  n: {interval: \"dim:n\", keep: stats}\n"
			 "bind:\n"
			 "  - {metric: n, sites: [solve]}\n"
			 "assertions:\n"
			 "  small:\n"
			 "    at: solve\n"
			 "    expect: n.last <= 5 and n.avg <= 1000\n") == PP_OK,
	    "a policy keeps a dimension and asserts it");
	for (int i = 1; i <= 10; i++) {
		values[0] = i;
		BEGIN (DIMS, 1, (int64_t) (intptr_t) values);
		END (DIMS);
	}
	ok (pp_assertion_state ("small", &info) == PP_OK && info.checks == 10 &&
		    info.violations == 5,
	    "n.last at the site is that of the execution");
	ok (load_policy (
		    "version: 1\nmetrics:\n  m2: {interval: \"dim:n\", keep: stats}\nassertions:\n"
		    "  odd: {every: 1s, expect: m2.last <= 5ms}\n") == PP_EPOLICY,
	    "a dimension is a plain number: time is another unit");
	ok (load_policy ("version: 1\nmetrics:\n  m3: {interval: \"dim:nn\", keep: stats}\nbind:\n"
			 "  - {metric: m3, sites: [solve]}\n") == PP_EPOLICY,
	    "a policy that binds what a site lacks is refused");
	ok (load_policy ("version: 1\nbind:\n  - {metric: asked, sites: [\"nowhere/*\"]}\n") ==
		    PP_EPOLICY,
	    "and so is one that binds functions with arguments, whatever the sites are");
}

/* ---- samples by the code --------------------------------------------------------------------- */

/*
 * as the plugin writes #pragma pp sample_begin asked(x), sample_end asked(y), with int64_t my_begin
 * (int)
 */
static void asked_begin (int64_t x)
{
	int64_t *room = pp_rt_sample_begin (asked);

	*room = x;
}

static void asked_end (int64_t y)
{
	const int64_t *room = pp_rt_sample_end (asked);

	if (room)
		pp_rt_sample_int (asked, y - *room);
}

static void samples (void)
{
	forget_drops ();
	refused (asked, "plain", "take arguments",
		 "a metric whose functions take arguments cannot be bound");
	ok (((uintptr_t) pp_rt_sample_begin (asked) & 15) == 0,
	    "the room for a begin's result is aligned");
	asked_end (0);
	same (newly_dropped (PP_DROP_UNMATCHED), 0, "a begin and its end are one sample");
	pp_reset (NULL);
	asked_begin (10);
	pp_rt_sample_begin (timed);
	asked_end (17);
	ok (pp_rt_sample_end (timed) == NULL, "a source of the library's is read by the library");
	same (pp_last (asked), 7, "the end's function gets what the begin's gave");
	same (pp_count (timed), 1, "and so is sampled once");
	asked_end (0);
	same (newly_dropped (PP_DROP_UNMATCHED), 1,
	      "an end without a begin is counted, and its function not called");
	for (int i = 0; i < 3000; i++)
		asked_begin (i);
	asked_end (3000);
	same (pp_last (asked), 1, "of begins without an end the newest counts");
	same (newly_dropped (PP_DROP_LONGJMP), 2999, "and the others are counted");
	pp_rt_sample_double (asked, 2.6);
	same (pp_last (asked), 3, "a double is rounded where integers are kept");
	pp_rt_sample_double (asked, NAN);
	same (newly_dropped (PP_DROP_UNKNOWN), 1, "not a number is no sample");
	same (pp_stat (asked, NULL, PP_STAT_COUNT), 3, "they count at no site");
	ok (pp_rt_sample_begin (NULL) != NULL && !pp_rt_sample_end (NULL),
	    "a metric that could not be declared has room and no sample");
	pp_rt_sample_int (NULL, 1);
}

static void inline_sites (void)
{
	struct pp_assertion_info info;
	pp_site *s = NULL;
	struct binding b;

	pp_site_find ("inside", &s);
	refused (timed, "inside", "is inline", "nothing can be bound to an inline site");
	b = (struct binding){inlined, "inside", 1};
	ok (saying (do_bind, &b) == PP_EKIND && strstr (said, "is inline"), "nor unbound from it");
	ok (pp_bind (timed, "hand.c:f/*", 0) == 5, "patterns pass over it");
	pp_unbind (timed, "hand.c:f/*");
	load_policy (
		"version: 1\nassertions:\n  within: {at: inside, expect: inlined.last <= 5}\n");
	for (int i = 1; i <= 10; i++)
		pp_rt_inline_int (at (INLINE), inlined, i);
	same (pp_stat (inlined, s, PP_STAT_SUM), 55,
	      "its samples are those of its metric at the site");
	ok (pp_assertion_state ("within", &info) == PP_OK && info.violations == 5,
	    "and assertions there see each");
	pp_rt_inline_double (at (INLINE), inlined, 10.4);
	same (pp_stat (inlined, s, PP_STAT_SUM), 65, "a double is rounded where integers are kept");
	pp_rt_inline_int (at (INLINE), timed, 1);
	same (isnan (pp_stat (timed, s, PP_STAT_COUNT)) ? 0 : pp_stat (timed, s, PP_STAT_COUNT), 0,
	      "a metric that the site does not name is not sampled");
}

/* ---- versions -------------------------------------------------------------------------------- */

static struct block old;

static int register_old (const void *arg)
{
	struct pp_abi_module module = {
		.size = sizeof (module),
		.abi = PP_ABI_VERSION - 1,
		.marker_bytes = sizeof (struct pp_abi_marker),
		.guards_begin = &old,
		.guards_end = &old + 1,
	};

	(void) arg;
	pp_rt_register (&module);
	return 0;
}

static void versions (void)
{
	pp_site *s;

	memcpy (&old, &blocks[PLAIN], sizeof (old));
	strcpy (old.bytes + ((struct pp_abi_site *) old.bytes)->name, "older");
	saying (register_old, NULL);
	ok (strstr (said, "ABI version") && strstr (said, "nothing of it is measured"),
	    "a module of another ABI version is told of");
	ok (pp_site_find ("older", &s) == PP_ENOENT, "and not measured");
}

int main (int argc, char **argv)
{
	(void) argc;
	listen_to_library (argv);
	lay_down ();
	for (by_stub = 0; by_stub <= STUBS; by_stub++) {
		features (by_stub ? "from stubs" : "from guards");
		dimensions (by_stub ? "from stubs" : "from guards");
		points (by_stub ? "from stubs" : "from guards");
	}
	by_stub = 0;
	mistakes ();
	instances ();
	policies ();
	samples ();
	inline_sites ();
	versions ();
	return checked ();
}
