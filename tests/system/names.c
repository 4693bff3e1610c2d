/* SPDX-License-Identifier: MIT */
/*
 * names.c: what sites are called and which names and patterns mean them.
 */
#include "check.h"

/* clang-format off */
#pragma pp metric m     interval stats(elapsed)
#pragma pp metric here  interval stats(elapsed)
#pragma pp metric dots  point    count(count)
/* clang-format on */

static __thread volatile long sink;

NOIPA static void serve (void)
{
#pragma pp interval i1 group(render, slow)
	sink++;
}

NOIPA static void answer (void)
{
#pragma pp interval i1 group(render)
	{
#pragma pp interval i2
		sink++;
	}
}

NOIPA static void trace_pixel (void)
{
#pragma pp interval i3
#pragma pp point rays group(slow)
	sink++;
}

NOIPA static void trace_line (void)
{
#pragma pp interval i3
	sink++;
}

NOIPA static void two_on_a_line (void)
{
#pragma pp interval i5
	{
		PP_POINT (p1) PP_POINT (p2) sink++;
	}
}

static const unsigned unnamed_line = __LINE__ + 4 /* of the pragma below */;

NOIPA static void unnamed (void)
{
#pragma pp interval
	sink++;
}

/* #pragma pp bind M to NAME looks in the function first */
NOIPA static void bind_here (int on)
{
#pragma pp interval i3
	sink++;
	if (on > 0) {
#pragma pp bind here to i3
	} else if (!on) {
#pragma pp unbind here from i3
	}
}

NOIPA static void bind_in_file (void)
{
#pragma pp bind here to i2
	sink++;
}

static void run_all (void)
{
	serve ();
	answer ();
	trace_pixel ();
	trace_line ();
	two_on_a_line ();
	unnamed ();
	bind_here (-1);
}

static double or_0 (double x)
{
	return isnan (x) ? 0 : x;
}

/* How many samples one run of everything gives M bound to PATTERN, or the error. */
static double bound (pp_metric *metric, const char *pattern)
{
	int n = pp_bind (metric, pattern, 0);
	double samples;

	if (n < 0)
		return n;
	pp_reset (metric);
	run_all ();
	samples = or_0 (pp_count (metric));
	pp_unbind (metric, pattern);
	return samples == n ? n : -100 - samples;
}

static void finds (const char *name, const char *ends_with)
{
	pp_site *s = NULL;
	int r = pp_site_find (name, &s);
	const char *full = r == PP_OK ? pp_site_name (s) : "";

	if (!ok (r == PP_OK && strlen (full) > strlen (ends_with) &&
			 strcmp (full + strlen (full) - strlen (ends_with), ends_with) == 0,
		 "\"%s\" means one site", name))
		note ("%d %s", r, full);
}

static int count_one (pp_site *site, void *arg)
{
	(void) site;
	++*(int *) arg;
	return 0;
}

static int stop_at_two (pp_site *site, void *arg)
{
	(void) site;
	return ++*(int *) arg == 2 ? 77 : 0;
}

/* What the library says of it: its thread may be writing that just now. */
static char *captured (int (*what) (void))
{
	char *said;

	library_said ();
	what ();
	for (int i = 0; !*(said = library_said ()) && i < 200; i++)
		usleep (10000);
	return said;
}

static int ambiguous_bind (void)
{
	return pp_bind (m, "i1", 0);
}

static int ambiguous_find (void)
{
	return pp_site_find ("i1", NULL);
}

static void test_find (const char *program)
{
	char name[256];

	finds ("i2", "names.c:answer/i2");
	finds ("serve/i1", "names.c:serve/i1");
	finds ("names.c:serve/i1", "names.c:serve/i1");
	snprintf (name, sizeof (name), "%s!**serve/i1", program);
	same (bound (m, name), 1, "a pattern may begin with the module");
	ok (pp_site_find ("i1", NULL) == PP_EAMBIGUOUS, "a plain name of two sites is ambiguous");
	ok (pp_site_find ("nothing", NULL) == PP_ENOENT, "a name of none is not found");
	ok (pp_site_find ("erve/i1", NULL) == PP_ENOENT, "a name matches whole components only");
	ok (pp_site_find ("", NULL) == PP_EINVAL && pp_site_find (NULL, NULL) == PP_EINVAL,
	    "no name is an error");
	ok (strstr (captured (ambiguous_find), "serve/i1") &&
		    strstr (captured (ambiguous_find), "answer/i1"),
	    "an ambiguous name lists the candidates");
	ok (strstr (captured (ambiguous_bind), "serve/i1") &&
		    strstr (captured (ambiguous_bind), "answer/i1"),
	    "for pp_bind too");
}

static void test_patterns (void)
{
	int n = 0;

	same (bound (m, "trace_*/i3"), 2, "* stands for part of a component");
	same (bound (m, "trace_pixel/*"), 1,
	      "* for a whole one; what is a point there is passed over");
	same (bound (dots, "trace_pixel/*"), 1, "and is what a point metric gets");
	same (bound (m, "*/i1"), 2, "a name under any function");
	same (bound (m, "group:render"), 2, "a group");
	same (bound (m, "group:slow"), 1,
	      "a group of intervals and points gives each metric its kind");
	same (bound (dots, "group:slow"), 1, "to the point metric the point");
	same (bound (m, "fn:trace_*"), 2, "all sites of functions");
	same (bound (m, "file:**names.c"), 8, "all sites of a file");
	same (bound (m, "file:**other.c"), PP_ENOENT, "none of a file that does not exist");
	same (bound (m, "group:nothing"), PP_ENOENT, "none of a group that does not exist");
	same (bound (m, "trace*i3"), PP_ENOENT, "* stops at /");
	same (bound (m, "names.c:**i3"), 3, "** does not");
	same (bound (m, "i1"), PP_EAMBIGUOUS, "a plain name of two sites is bound to none");
	same (bound (dots, "two_on_a_line/*"), 2,
	      "points that macros put on one line are sites of their own");
	same (bound (dots, "i2"), PP_EKIND, "a plain name of the other kind is an error");
	same (bound (dots, "fn:serve"), PP_EKIND, "a pattern of sites of the other kind only, too");
	same (pp_site_each ("trace_*/i3", count_one, &n), 0, "each site of a pattern is visited");
	same (n, 2, "once");
	n = 0;
	same (pp_site_each (NULL, stop_at_two, &n), 77, "a visit ends when the function says so");
}

static void test_unnamed (void)
{
	char name[64];

	snprintf (name, sizeof (name), "unnamed/L%u.1", unnamed_line);
	same (bound (m, name), 1,
	      "a site without a name is called by its line and its number there");
}

static void test_pragmas (void)
{
	pp_reset (NULL);
	bind_here (1);
	trace_pixel ();
	trace_line ();
	same (or_0 (pp_count (here)), 0,
	      "bind in a function means the function's own site of that name");
	bind_here (1);
	same (pp_count (here), 1, "which is measured then");
	bind_here (0);
	bind_here (0);
	same (pp_count (here), 1, "until unbind");
	bind_in_file ();
	answer ();
	same (pp_count (here), 2,
	      "a name that the function does not have is looked for in the file");
}

static int pending_policy (void)
{
	return load_policy (
		"version: 1\nmetrics:\n  late: {interval: elapsed, keep: stats}\nbind:\n"
		"  - {metric: late, sites: [\"nowhere/to_be_found\"]}\n");
}

static int elsewhere_policy (void)
{
	return load_policy ("version: 1\nassertions:\n"
			    "  elsewhere: {at: trace_pixel/i3, expect: here.last < 1s}\n"
			    "  everywhere: {at: trace_pixel/i3, expect: all(here.max) < 1s}\n"
			    "  nowhere: {at: trace_pixel/i3, expect: m.last < 1s}\n");
}

/* Not a literal, which would make markers */
static char integers[] = "integers";

static int double_at_integers (void)
{
	pp_point_int (integers, 1);
	for (int i = 0; i < 3; i++)
		pp_point_double (integers, 0.5);
	return 0;
}

/* What stays unknown is said when it can be seen. */
static void test_warnings (void)
{
	pp_metric *values;
	const char *text;

	pp_bind (here, "serve/i1", 0);
	text = captured (elsewhere_policy);
	ok (strstr (text, "3:43: warning: 'here' is not bound to ") &&
		    strstr (text, "trace_pixel/i3"),
	    "a condition at a site on a metric that is bound elsewhere is told");
	ok (!strstr (strstr (text, "warning:") ? strstr (text, "warning:") + 1 : "", "warning:"),
	    "one on all of it is not, nor on one that is bound nowhere yet");
	pp_unbind (here, "serve/i1");
	pp_metric_new (&values, "values", "point sumcount(value)");
	pp_point_int (integers, 1);
	pp_bind (values, integers, 0);
	text = captured (double_at_integers);
	ok (strstr (text, "point \"integers\": its first call had an integer") &&
		    !strstr (strstr (text, "its first call") + 1, "its first call"),
	    "doubles at a point of integers are told once");
	same (pp_count (values), 1, "and are no samples");
	pp_unbind (values, integers);
}

int main (int argc, char **argv)
{
	const char *slash = strrchr (argv[0], '/');

	(void) argc;
	listen_to_library (argv);
	test_find (slash ? slash + 1 : argv[0]);
	test_patterns ();
	test_unnamed ();
	test_pragmas ();
	pending_policy ();
	test_warnings ();
	ok (pp_metric_find ("late") && isnan (pp_avg (pp_metric_find ("late"))),
	    "a policy may name sites that are not there yet");
	return checked ();
}
