/* SPDX-License-Identifier: MIT */
/* report.c: ppctl report FILE [--json]. */
#include "ppctl/ppctl.h"

#include "libmetrics/recording_finish.h"
#include "report/render.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <unistd.h>

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl report [--json] FILE\n\n"
		      "Reports what a program measured. FILE is a recording (record: in a policy),\n"
		      "complete or of a program that runs, or a live region in /dev/shm. The recording\n"
		      "of a program that was killed is completed first from what the program left in\n"
		      "memory; then FILE is replaced.\n\n"
		      "  --json   one JSON object: seconds, bytes and plain counts; null is unknown\n");
}

static bool print (const struct ppi_recording *recording, bool json)
{
	struct ppi_report *report = ppi_report_build (recording, !json);
	bool done = report != NULL;

	if (report && !json)
		ppi_report_text (stdout, report);
#ifdef HAVE_JANSSON
	if (report && json)
		done = ppi_report_json (stdout, report);
#endif
	ppi_report_free (report);
	return done;
}

static int report (const char *path, bool json)
{
	struct ppi_recording *recording;
	char why[600] = "";
	int finished = ppi_recording_finish (path, why, sizeof why);
	bool done;

	if (finished == PP_ENOENT || (finished < 0 && access (path, R_OK) == 0))
		fprintf (stderr, "ppctl report: %s\n", why); /* what can be read is reported all the same */
	if (ppi_recording_open (path, &recording, why, sizeof why) != 0)
		return ppctl_fail (PPCTL_PROBLEM, "report", "%s", why);
	done = print (recording, json);
	ppi_recording_close (recording);
	return done ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, "report", "no memory");
}

int ppctl_report (int argc, char **argv)
{
	return ppctl_one_file (argc, argv, "report", "a recording", help, report);
}
