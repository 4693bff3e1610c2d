/* SPDX-License-Identifier: MIT */
/*
 * history.c: the history keeps the newest entries, in their order, and counts what it has no more
 * room for under a cause of its own. What policies wait for is kept, however much happens.
 */
#include "check.h"

#define FIRES 6000

static long level;

static long get_level (void)
{
	return level;
}

PP_SOURCE_POINT_INT (the_level, get_level, "")
#pragma pp metric m_level point scalar(the_level)

NOIPA static void look (void)
{
#pragma pp point look(m_level)
	__asm__ volatile("");
}

static const char policy[] = "version: 1\n"
			     "bind: [{metric: m_of_later, sites: \"*\"}]\n"
			     "assertions:\n"
			     "  low: {at: look/look, expect: m_level.last < 100000}\n"
			     "  high: {every: 1h, expect: m_level.last < 10}\n";

static char text[1 << 20];

/* Into TEXT */
static void report (void)
{
	FILE *out = fmemopen (text, sizeof text, "w");

	pp_report (out);
	fclose (out);
}

int main (void)
{
	uint64_t pool = pp_dropped (PP_DROP_POOL);
	char newest[64], last[64], unit[2];
	const char *at;

	setenv ("PP_THREADS", "0", 0);
	if (!ok (pp_policy_load_text ("history", policy) >= 0,
		 "a policy that waits for a metric is loaded"))
		return checked ();
	same ((double) pp_dropped (PP_DROP_HISTORY), 0, "nothing is gone yet");
	for (int i = 1; i <= FIRES; i++) {
		level = 100000 + i;
		look ();
		level = 0;
		look ();
		pp_poll ();
	}
	same ((double) pp_dropped (PP_DROP_HISTORY), 2 * FIRES - 4096,
	      "what is gone is counted: all but the newest 4,096");
	same ((double) pp_dropped (PP_DROP_POOL), (double) pool,
	      "and not as if the region were full");
	same (strcmp (pp_drop_name (PP_DROP_HISTORY), "history"), 0, "by its name");
	report ();
	snprintf (newest, sizeof newest, "left %d", 100000 + FIRES);
	snprintf (last, sizeof last, "left %d", 100000 + 1);
	ok (strstr (text, newest) != NULL, "the newest is there");
	ok (strstr (text, last) == NULL, "the oldest is not");
	ok (strstr (text, "7904 that came before are gone: the newest are kept") != NULL,
	    "the report says how many are missing");
	ok (strstr (text,
		    "7904 of the oldest entries of the history, whose place newer ones took") !=
		    NULL,
	    "and why");
	ok (strstr (text, "m_of_later") != NULL, "what the policy still waits for is said");
	at = strstr (text, "\nhistory\n");
	ok (at != NULL, "there is a history");
	for (double before = -1, now; at && (at = strchr (at + 1, '\n')) && at[1] == ' ';) {
		if (sscanf (at, " %lf %1[s] ", &now, unit) != 2)
			continue;
		if (now < before &&
		    !ok (0, "they are in their order: %g s behind %g s", now, before))
			break;
		before = now;
	}
	return checked ();
}
