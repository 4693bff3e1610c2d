/* SPDX-License-Identifier: MIT */
/*
 * fires.c: an assertion that fires is heard of: once when it does, and in one line when the process
 * ends, which says where the recording is too.
 */
#include "again.h"

#pragma pp metric m point stats(value)

static NOIPA void work (long n)
{
#pragma pp point work(m) value(n)
	(void) n;
}

static char text[1024];

static void note_text (const struct pp_violation *v, void *arg)
{
	(void) arg;
	snprintf (text, sizeof text, "%s", v->text ? v->text : "");
}

static void check_here (void)
{
#pragma pp expect few : m.n <= 3 call(note_text)
}

static void check_quietly (void)
{
#pragma pp expect unsaid : m.n <= 3 quiet(true)
}

/* Fires ten times under POLICY, with REST as what else its assertion says. */
static int fire (const char *rest)
{
	char policy[600];

	snprintf (policy, sizeof policy,
		  "version: 1\nassertions: {small: {at: work, expect: m.last <= 3%s}}\n", rest);
	if (pp_policy_load_text ("policy", policy) != PP_OK)
		return 2;
	for (int i = 0; i < 20; i++) {
		work (i % 2 ? 5 : 1);
		pp_poll ();
	}
	return 0;
}

static int acts (const char *what)
{
	int status;

	if (strcmp (what, "plain") == 0)
		return fire ("");
	if (strcmp (what, "quiet") == 0)
		return fire (", quiet: true");
	if (strcmp (what, "log") == 0)
		return fire (", on_fire: [log: {text: logged}]");
	if (strcmp (what, "records") == 0)
		return pp_policy_load_text ("r", "version: 1\nrecord: {file: fires.pprec}\n");
	if (strcmp (what, "both") == 0)
		return pp_policy_load_text ("r", "version: 1\nrecord: {file: fires.pprec}\n") ||
		       fire ("");
	if (strcmp (what, "expect") == 0 || strcmp (what, "unsaid") == 0) {
		for (int i = 0; i < 20; i++)
			work (i);
		for (int i = 0; i < 3; i++)
			*what == 'e' ? check_here () : check_quietly ();
		return *what == 'e' && !strstr (text, "few") ? 3 : 0;
	}
	/* a child: of a parent that records, or fires, or itself */
	if (fire (strcmp (what, "child") == 0 ? ", after: 1000" : ""))
		return 2;
	if (fork () == 0) {
		if (strcmp (what, "child") == 0)
			for (int i = 0; i < 2000; i++)
				work (5);
		pp_poll ();
		exit (0);
	}
	wait (&status);
	return status;
}

static int count (const char *in, const char *word)
{
	int n = 0;

	while ((in = strstr (in, word)))
		n++, in++;
	return n;
}

static struct outcome o;

static void starts (const char *program, const char *what)
{
	setenv ("PP_THREADS", "0", 1);
	o = again (program, what, hear_stderr);
}

static void judge (int good, const char *name)
{
	if (!ok (ended_well (&o) && good, "%s", name))
		note ("%s", o.said);
}

int main (int argc, char **argv)
{
	if (argc > 1)
		return acts (argv[1]);
	starts (argv[0], "plain");
	judge (count (o.said, "assertion small fired") == 1,
	       "the first fire of an assertion is said, and no other");
	judge (count (o.said, "1 assertion fired, 10 times in all; nothing was recorded") == 1,
	       "the last line says how many there were");
	starts (argv[0], "quiet");
	judge (!strstr (o.said, "small") && !strstr (o.said, "in all"),
	       "quiet: true says nothing of them");
	starts (argv[0], "log");
	judge (strstr (o.said, "logged") && !strstr (o.said, "said once") &&
		       strstr (o.said, "10 times in all"),
	       "an assertion that logs has said it");
	starts (argv[0], "records");
	judge (count (o.said, "pp: recorded; see: ppctl report '/") == 1 &&
		       strstr (o.said, "/fires.pprec'"),
	       "a process that recorded says where");
	starts (argv[0], "both");
	judge (count (o.said, "10 times in all; see: ppctl report '/") == 1 &&
		       !strstr (o.said, "recorded;"),
	       "one line says both");
	starts (argv[0], "expect");
	judge (strstr (o.said, "assertion few fired") != NULL,
	       "so it is with expectations, whose function has the sentence");
	starts (argv[0], "unsaid");
	judge (!strstr (o.said, "unsaid"), "which may be quiet (true)");
	starts (argv[0], "parent");
	judge (count (o.said, "in all") == 1,
	       "a child of fork in which nothing fired says nothing at its end");
	starts (argv[0], "child");
	judge (count (o.said, "1 assertion fired, 1 time in all") == 1,
	       "one in which something did says it");
	unlink ("fires.pprec");
	return checked ();
}
