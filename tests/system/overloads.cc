// SPDX-License-Identifier: MIT
// overloads.cc: sites of one name: overloads, templates, operators, two pragmas of one name in a
// function. Each can be told, bound, expected of and reported alone.
#include "check.h"

/* clang-format off */
#pragma pp metric all   interval stats(elapsed)
#pragma pp metric here  interval stats(elapsed)
/* clang-format on */

static thread_local volatile long sink;

struct T {
	NOIPA int f (int a)
	{
#pragma pp interval a
		return a + 1;
	}
	NOIPA int f (double b)
	{
#pragma pp interval a
#pragma pp bind here to a
		return b > 2;
	}
	NOIPA int f (const char *p, int n) const
	{
#pragma pp interval a
		return p[n];
	}
	NOIPA int f (char *p)
	{
#pragma pp interval a
		return *p;
	}
	NOIPA int operator* (int x)
	{
#pragma pp interval a
		return x;
	}
};

enum { TWICE_LINE = __LINE__ + 5 };
namespace
{
NOIPA int twice (int x)
{
#pragma pp interval a
	{
#pragma pp interval a
		sink = sink + x;
	}
	{
		/* clang-format off */
		PP_INTERVAL (b) { PP_INTERVAL (b) sink = sink + x; }
		/* clang-format on */
	}
	return x;
}

template <class X> NOIPA int generic (X x)
{
#pragma pp interval t
	return x > 1;
}
template <class X> NOIPA int generic (X *x)
{
#pragma pp interval t
	return *x > 1;
}
} // namespace

static void run_all ()
{
	T t;
	char text[] = "abc";
	int one = 1;

	sink = sink + t.f (1) + t.f (2.5) + t.f ("abc", 1) + t.f (text) + t * 2 + twice (1) +
	       generic (1) + generic (2.5) + generic (&one);
}

// How many samples a run gives metric `all` bound to PATTERN; negative: the error.
static int bound (const char *pattern)
{
	int n = pp_bind (all, pattern, 0);

	if (n < 0)
		return n;
	pp_reset (all);
	run_all ();
	pp_unbind (all, pattern);
	return (int) pp_count (all);
}

struct names {
	char text[32][256];
	int n;
};

static int add_name (pp_site *site, void *arg)
{
	names *all_names = static_cast<names *> (arg);

	snprintf (all_names->text[all_names->n++], 256, "%s", pp_site_name (site));
	return 0;
}

static void each_name_is_its_own ()
{
	static names found;
	int twins = 0, means_one = 0;

	pp_site_each (nullptr, add_name, &found);
	for (int i = 0; i < found.n; i++) {
		pp_site *site;

		for (int j = 0; j < i; j++)
			twins += !strcmp (found.text[i], found.text[j]);
		means_one += pp_site_find (found.text[i], &site) == PP_OK &&
			     pp_bind (all, found.text[i], 0) == 1 &&
			     !strcmp (pp_site_name (site), found.text[i]);
		pp_unbind (all, found.text[i]);
	}
	ok (found.n == 11 && !twins, "no two of %d sites have one name", found.n);
	ok (means_one >= found.n - 2,
	    "each name as it is told means its site alone, also with * in it"); // find takes no wildcards
}

static long violations (const char *assertion)
{
	struct pp_assertion_info info;

	return pp_assertion_state (assertion, &info) == PP_OK ? (long) info.violations : -1;
}

static void expressions_quote_names ()
{
	char path[128];

	write_file (path, ".yaml",
		    "version: 1\n"
		    "metrics:\n"
		    "  m: {interval: elapsed, keep: stats}\n"
		    "bind:\n"
		    "  - {metric: m, sites: [\"T::f(int)/a\", \"f(const char*, int) const/a\"]}\n"
		    "assertions:\n"
		    "  one: {at: \"T::f(int)/a\", expect: 'm@\"T::f(int)/a\".n < 0'}\n"
		    "  two: {at: \"f(const char*, int) const/a\", expect: 'm.n < 0'}\n");
	ok (pp_policy_load (path) >= 0,
	    "policies and expressions say such names in quotes, commas and all");
	run_all ();
	ok (violations ("one") == 1 && violations ("two") == 1, "... and mean one site each");
	pp_policy_unload (path);
}

static void reports_tell_them_apart ()
{
	char *text = nullptr, *rest, *line, last[512] = "";
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);
	int twins = 0, rows = 0;

	pp_bind (all, "**/a", 0);
	pp_bind (all, "**/b", 0);
	run_all ();
	pp_report (out);
	fclose (out);
	for (rest = text; (line = strsep (&rest, "\n"));) {
		char *end = strchr (line, '/');

		if (strncmp (line, "  overloads", 11) != 0 || !end)
			continue;
		end += strcspn (end, " ");
		*end = '\0';
		rows++;
		twins += !strcmp (line, last);
		snprintf (last, sizeof last, "%s", line);
	}
	ok (rows >= 9 && !twins, "a report has no two rows alike (%d rows)", rows);
	free (text);
}

int main ()
{
	char pattern[64];

	run_all ();
	ok (pp_count (here) == 0, "a bind in a function takes effect with its next execution");
	run_all ();
	ok (pp_count (here) == 1,
	    "a bind in an overload means the site in it, and not that of another");
	ok (bound ("T::f(int)/a") == 1, "parameters tell overloads apart");
	ok (bound ("f(const char*, int) const/a") == 1,
	    "... with blanks, commas and what qualifies the object");
	ok (bound ("T::f(char*)/a") == 1, "... a * among them is no wildcard where that is a name");
	ok (bound ("T::f(*)/a") == 3, "... and else is one");
	ok (bound ("T::f/a") == PP_EAMBIGUOUS, "a plain name that means several is ambiguous");
	ok (bound ("T::f*/a") == 4, "a pattern without parameters means all of them");
	ok (bound ("T::f(int") == PP_EINVAL,
	    "half of a name, as YAML makes of one with commas without quotes, is an error");
	ok (bound ("fn:T::f(double)") == 1, "fn: knows parameters");
	ok (bound ("T::operator*/a") == 1, "an operator's name is no pattern");
	ok (bound ("generic(X)/t") == 2 && bound ("generic(X*)/t") == 1,
	    "instances of one template are one site, overloaded templates are not");
	snprintf (pattern, sizeof pattern, "twice@%d/a", TWICE_LINE - 2);
	ok (bound (pattern) == PP_EAMBIGUOUS,
	    "the function's line tells functions apart, not what is in them");
	snprintf (pattern, sizeof pattern, "twice/a@%d", TWICE_LINE);
	ok (bound (pattern) == 1, "the pragma's line tells two of one name apart");
	snprintf (pattern, sizeof pattern, "twice(int)/a@%d", TWICE_LINE + 2);
	ok (bound (pattern) == 1, "... and may stand beside parameters");
	snprintf (pattern, sizeof pattern, "twice/b@%d", TWICE_LINE + 7);
	ok (bound (pattern) == 1, "of two on one line the line means the first");
	snprintf (pattern, sizeof pattern, "twice/b@%d.2", TWICE_LINE + 7);
	ok (bound (pattern) == 1, "... and .2 the second");
	snprintf (pattern, sizeof pattern, "twice/b@%d.3", TWICE_LINE + 7);
	ok (bound (pattern) == PP_ENOENT, "... and there is no third");
	each_name_is_its_own ();
	expressions_quote_names ();
	reports_tell_them_apart ();
	return checked ();
}
