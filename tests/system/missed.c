/* SPDX-License-Identifier: MIT */
/* missed.c: what is said at run time of metrics and sites that the source names, and are not. */
#include "check.h"

/* clang-format off */
#pragma pp metric handling interval stats(elapsed)
/* clang-format on */

static volatile long sink;

NOIPA static void misspelt (void)
{
#pragma pp interval serve(handlin)
	sink++;
#pragma pp bind handlng to serve
#pragma pp bind handling to servee
#pragma pp bind handling to misspelt / serve
}

/*
 * Two functions of one name in one file, as a macro makes them: the pragma that binds means the
 * site of its own.
 */
#define TWO(outer)                                                                                 \
	NOIPA static void outer (void)                                                             \
	{                                                                                          \
		__extension__ NOIPA auto void inner (void);                                        \
		void inner (void)                                                                  \
		{                                                                                  \
			PP_INTERVAL (twin) sink++;                                                 \
		}                                                                                  \
		inner ();                                                                          \
	}
TWO (first)
TWO (second)

static char *said_by_another_run (void)
{
	static char text[8192];
	FILE *in = popen ("exec 2>&1; exec $SELF run", "r");
	size_t n = in ? fread (text, 1, sizeof text - 1, in) : 0;

	text[n] = '\0';
	if (in)
		pclose (in);
	return text;
}

static int site_count;

static int count_site (pp_site *site, void *arg)
{
	(void) arg;
	site_count += strstr (pp_site_name (site), "/twin") != NULL &&
		      strchr (pp_site_name (site), '@') != NULL;
	return 0;
}

int main (int argc, char **argv)
{
	char self[4096], *text;
	ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);

	if (argc > 1 && strcmp (argv[1], "run") == 0) {
		pp_policy_load_text ("policy", "version: 1\n"
					       "bind: [{metric: handling, sites: misspelt}]\n");
		misspelt ();
		misspelt ();
		return 0;
	}
	first ();
	second ();
	self[n > 0 ? n : 0] = '\0';
	setenv ("SELF", self, 1);
	text = said_by_another_run ();
	ok (strstr (text, "missed.c:13: interval \"serve\": there is no metric \"handlin\"; did "
			  "you mean \"handling\"?") != NULL,
	    "a metric that a site names and that there is not is told of, with what was perhaps "
	    "meant");
	ok (strstr (text, "missed.c:15: bind handlng to serve: there is no metric \"handlng\"; did "
			  "you mean \"handling\"?") != NULL,
	    "so is one that is bound by a statement");
	ok (strstr (text, "missed.c:16: bind handling to servee: no site matches; did you mean "
			  "\"serve\"?") != NULL,
	    "so is a site that there is not");
	ok (strstr (text, "site 'misspelt' (did you mean 'misspelt/serve'?)") != NULL,
	    "a policy that names a function learns of a site in it");
	ok (!strstr (text, "missed.c:17"), "nothing is said of what there is");
	ok (strstr (text, "handlin\";") && !strstr (strstr (text, "handlin\";") + 1, "handlin\";"),
	    "each is told of once");
	if (!ok (strstr (text, "missed.c:13") != NULL, "each with its place"))
		note ("%s", text);
	pp_site_each (NULL, count_site, NULL);
	ok (site_count == 2, "two functions of one name in a file are told apart by lines (%d)",
	    site_count);
	return checked ();
}
