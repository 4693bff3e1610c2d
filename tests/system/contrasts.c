/* SPDX-License-Identifier: MIT */
/*
 * contrasts.c: "what else was high then" of programs whose answer is known, from the marker to the
 * report: what is said of a metric is the ratio of its averages at violations and at all checks,
 * and nothing where that may be chance or time. Checks that markers see to hold by themselves
 * count.
 */
#include "check.h"

static long slowness, cause, other, growing;

static long how_slow (void)
{
	return slowness;
}

PP_SOURCE_POINT_INT (slow_by, how_slow, "")

#pragma pp metric m_slow point stats(slow_by)
#pragma pp metric m_cause point sumcount(value)
#pragma pp metric m_other point sumcount(value)
#pragma pp metric m_growing point sumcount(value)
#pragma pp metric m_thrice point stats(value)

NOIPA static void work (void)
{
#pragma pp point cause(m_cause) value(cause)
#pragma pp point other(m_other) value(other)
#pragma pp point growing(m_growing) value(growing)
	for (int i = 1; i <= 3; i++) {
#pragma pp point thrice(m_thrice) value(i)
		__asm__ volatile("");
	}
#pragma pp point work(m_slow)
}

static const char policy[] = "version: 1\nassertions:\n"
			     "  slow: {at: work/work, expect: m_slow.last <= 10, capture: "
			     "[m_cause, m_other, m_growing, m_thrice]}\n";

static void load (void)
{
	if (pp_policy_load_text ("contrasts", policy) < 0)
		ok (0, "the policy is loaded");
}

/* The line of METRIC in the report. */
static char *line_of (const char *metric)
{
	static char line[512];
	char *text = NULL, *at = NULL;
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	pp_report (out);
	fclose (out);
	/* of the newest load */
	for (char *next = text; (next = strstr (next, "what else was high then")); next++)
		at = next;
	at = at ? strstr (at, metric) : NULL;
	snprintf (line, sizeof line, "%.*s", at ? (int) strcspn (at, "\n") : 0, at ? at : "");
	free (text);
	return line;
}

/*
 * A check is not looked at while the library reads what the one before saw (looks.c), which on a
 * busy machine happens: LINE without that, where it is one in a hundred at most.
 */
static const char *without_busy (char *line)
{
	char *at = strstr (line, " checks ("), *number, *end;
	unsigned long looked;

	if (!at || sscanf (at, " checks (%lu looked at)", &looked) != 1)
		return line;
	for (number = at; number > line && number[-1] != ' ';)
		number--;
	end = strchr (at, ')') + 1;
	if (looked * 100 >= strtoul (number, NULL, 10) * 99)
		memmove (at + strlen (" checks"), end, strlen (end) + 1);
	return line;
}

static void says (const char *metric, const char *words, const char *name)
{
	const char *line = without_busy (line_of (metric));

	if (!ok (strstr (line, words) != NULL, "%s", name))
		note ("got: %s", line);
}

/* N executions; from FROM on one in EVERY is slow, and has 30 of the cause where others have 10. */
static void run (long n, long from, long every)
{
	unsigned long random = 1;

	for (long i = 0; i < n; i++) {
		int is_slow = i >= from && i % every == every - 1;

		random = random * 6364136223846793005u + 1442695040888963407u;
		slowness = is_slow ? 20 : 1;
		cause = is_slow ? 30 : 10;
		other = (long) (random >> 60); /* 0 to 15 */
		growing = 1000 + i;
		work ();
	}
}

/* As long as too many of the checks were not looked at: the machine is busy. */
static void run_quietly (long n, long from, long every)
{
	char violations[40];
	const char *line;

	snprintf (violations, sizeof violations, " at %ld violations, ", (n - from) / every);
	for (int tries = 0; tries < 50; tries++) {
		if (tries)
			pp_policy_unload ("contrasts");
		load ();
		run (n, from, every);
		line = without_busy (line_of ("m_cause"));
		if (strstr (line, violations) && !strstr (line, " looked at)"))
			return;
	}
}

static void test_known (void)
{
	run_quietly (1000, 0, 10);
	says ("m_cause", "30 at 100 violations, 12 at 1000 checks: 2.5 times (95 % 2.5 to 2.5)",
	      "averages at violations and at all checks, with the number of both");
	says ("m_other", "at 100 violations, ", "what has nothing to do with it is told, too");
	says ("m_other", ": no difference seen (95 % ", "... without a claim");
	says ("m_growing", ": no difference seen (95 % ", "nor is what grows meanwhile high");
	says ("m_thrice", "3 at 100 violations, 3 at 1000 checks: no difference seen",
	      "what is sampled three times is compared with what it is at checks, not with all its "
	      "samples");
	pp_policy_unload ("contrasts");
}

static void test_late (void)
{
	run_quietly (3000, 1500, 10);
	says ("m_cause", "30 at 150 violations, 11 at 3000 checks: 2.7 times",
	      "where all that is slow comes late a cause is one");
	says ("m_growing", ": no difference from the checks just before (",
	      "and what only grew until then is none, whatever its average");
	pp_policy_unload ("contrasts");
}

/* A tenth of a million checks: markers see most of them to hold by themselves. */
static void test_many (void)
{
	unsigned long looked_at = 0, violations = 0;
	struct pp_assertion_info info;
	double then = 0, usual = 0;
	const char *line;

	load ();
	run (300000, 0, 1000);
	pp_assertion_state ("slow", &info);
	same ((double) info.checks, 300000, "every check is counted");
	same ((double) info.violations, 300, "every violation, too");
	line = line_of ("m_cause");
	ok (sscanf (line, "m_cause %lf at %lu violations, %lf at 300000 checks (%lu looked at)",
		    &then, &violations, &usual, &looked_at) == 4 &&
		    violations == 300 && then == 30 && usual > 9.9 && usual < 10.1,
	    "of very many checks the report says how many were looked at: %s", line);
	ok (looked_at < 100000 && looked_at > 16384, "which are far from all: %lu", looked_at);
	says ("m_cause", ": 3.0 times (95 % ", "and the averages are as right");
	says ("m_other", ": no difference seen (95 % ", "as the verdicts");
	pp_policy_unload ("contrasts");
}

static void test_few (void)
{
	load ();
	run (100, 0, 33);
	says ("m_cause", "30 at 3 violations, 10.6 at 100 checks: too few violations to compare",
	      "three violations say nothing");
	pp_policy_unload ("contrasts");
}

int main (void)
{
	test_known ();
	test_late ();
	test_many ();
	test_few ();
	return checked ();
}
