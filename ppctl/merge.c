/* SPDX-License-Identifier: MIT */
/*
 * merge.c: ppctl merge: recordings of several processes become one; and which of those that a
 * command is given are one.
 */
#include "base/types.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "recording/blocks.h"
#include "recording/file.h"
#include "recording/merge.h"
#include "recording/read.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- recordings that are given twice --------------------------------------------------------- */

static struct ppi_process_entry owner_of (const struct ppi_recording *recording, const char *path)
{
	const struct ppi_region_header *header;
	struct stat file;

	if (!recording)
		return stat (path, &file) == 0
			       ? (struct ppi_process_entry){.start_ticks = file.st_dev,
							    .start_realtime_ns = file.st_ino}
			       : (struct ppi_process_entry){.pid = 0};
	header = ppi_recording_header (recording);
	return (struct ppi_process_entry){.pid = header->pid,
					  .start_ticks = header->start_ticks,
					  .start_realtime_ns = header->start_realtime_ns};
}

bool ppctl_is_new (const struct ppi_recording *recording, const char *path,
		   struct ppi_process_entry *list, size_t n)
{
	list[n] = owner_of (recording, path);
	for (size_t i = 0; i < n; i++)
		if (memcmp (&list[i], &list[n], sizeof *list) == 0)
			return false;
	return true;
}

static void put_again (FILE *out, size_t n)
{
	if (n)
		fprintf (out, "%zu recording%s given before, and count%s once\n", n,
			 n == 1 ? " was" : "s were", n == 1 ? "s" : "");
}

void ppctl_tell_again (const char *command, size_t n)
{
	if (n)
		fprintf (stderr, "ppctl %s: ", command);
	put_again (stderr, n);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl merge -o FILE RECORDING...\n\n"
		"Makes one recording of several, as if one process had measured it all: of the\n"
		"processes of a run, which PP_RUN tells, or of several runs. What has the same\n"
		"name is one site, one metric, one assertion. A recording that is given more than\n"
		"once counts once. Composite metrics, adaptation, profiles and streams are not\n"
		"merged; ppctl profile adds profiles up.\n\n"
		"  -o, --output FILE  where it goes; a recording that is there is replaced\n");
}

static int write_merged (const char *output, char **paths, size_t n)
{
	struct ppi_merge_result result;
	struct ppi_new_file file;
	char why[800] = "";
	int e = ppi_file_begin (output, PPI_REPLACE_RECORDING, NULL, &file, why, sizeof why), fd;

	if (e != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, "merge", "%s can't be written: %s", output, why);
	e = ppi_recordings_merge (file.fd, (const char *const *) paths, n, &result, why,
				  sizeof why);
	if (e != 0) {
		ppi_file_abandon (&file);
		return ppctl_fail (PPCTL_PROBLEM, "merge", "%s", why);
	}
	fd = file.fd;
	if (ppi_file_commit (&file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, "merge", "%s can't be written: %s", output, why);
	close (fd);
	printf ("%s: %u process%s of %u run%s\n", output, result.processes,
		result.processes == 1 ? "" : "es", result.runs, result.runs == 1 ? "" : "s");
	if (result.live)
		printf ("%u recording%s: what %s by now counts\n", result.live,
			result.live == 1 ? " goes on" : "s go on",
			result.live == 1 ? "it had" : "they had");
	put_again (stdout, result.again);
	if (result.lost)
		fprintf (stderr,
			 "ppctl merge: %llu bytes of the recordings are damaged, and what they "
			 "said is missing\n",
			 (unsigned long long) result.lost);
	if (result.left_streams)
		printf ("their streams are not in it\n");
	if (result.left_groups)
		printf ("their executions in groups are not in it: each recording tells its own\n");
	return PPCTL_OK;
}

int ppctl_merge (int argc, char **argv)
{
	const char *output = NULL;
	const struct ppctl_option options[] = {{"output", PPCTL_TEXT, &output, 'o'}, {0}};
	int status = ppctl_options (argc, argv, "merge", options, help);
	struct ppi_recording *recording;

	if (status == PPCTL_GO_ON && !output)
		status = ppctl_wrong ("merge", "-o says where the merged recording goes");
	if (status == PPCTL_GO_ON && argc == optind)
		status = ppctl_wrong ("merge", "it needs recordings");
	if (status != PPCTL_GO_ON)
		return status;
	/* what killed processes left is completed first */
	for (int i = optind; i < argc; i++) {
		status = ppctl_open ("merge", argv[i], &recording);
		if (status != PPCTL_OK)
			return status;
		if (ppi_recording_damage (recording))
			fprintf (stderr, "ppctl merge: %s: %s\n", argv[i],
				 ppi_recording_damage (recording));
		ppi_recording_close (recording);
	}
	return write_merged (output, argv + optind, (size_t) (argc - optind));
}
