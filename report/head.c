/* SPDX-License-Identifier: MIT */
/* head.c: who was measured, when, for how long, and what the recording's state means. */
#include "base/process.h"
#include "recording/layout.h"
#include "recording/read.h"
#include "recording/streams.h"
#include "report/read.h"
#include "report/sections.h"

#include <pp.h>
#include <time.h>

static const char *state_of (const struct ppi_region_header *header)
{
	if (header->state == PPI_RECORDING_FINISHED)
		return "complete";
	if (header->state == PPI_RECORDING_LEFT)
		return header->damaged
			       ? "left by a process that died; parts of it were overwritten"
			       : "left by a process that died; every finished sample is in it";
	switch (ppi_process_presence (header->pid, &header->who)) {
	case PPI_PROCESS_RUNS:
		return "being written: its process runs";
	case PPI_PROCESS_GONE:
		return "as of the last copy before its process died";
	default:
		return "as of the last copy; whether its process runs is not known here";
	}
}

/* Is the oldest of what threads wrote one by one no longer in the file, on purpose? */
static bool was_given_up (const struct ppi_recording *recording)
{
	struct ppi_pieces *pieces;
	char why[256];
	bool is = false;

	if (ppi_pieces_open (recording, &pieces, why, sizeof why) == PP_OK) {
		is = ppi_pieces_were_given_up (pieces);
		ppi_pieces_close (pieces);
	}
	return is;
}

void ppi_section_head (struct ppi_report *report, const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	struct ppi_table *table = ppi_table (report, "program", NULL);
	struct ppi_row *row = ppi_row (table);
	time_t seconds = (time_t) (header->start_realtime_ns / 1000000000u);
	const struct ppi_process_entry *list;
	bool given_up = was_given_up (recording);
	char when[64] = "?";
	struct tm tm;

	if (!table)
		return;
	table->is_single = true;
	if (localtime_r (&seconds, &tm))
		strftime (when, sizeof when, "%Y-%m-%d %H:%M:%S %z", &tm);
	ppi_put_text (row, "path", header->program);
	if (!*header->program)
		ppi_show (row, "path", "?");
	ppi_put_count (row, "pid", header->pid);
	ppi_put_double (row, "started_unix_s", PPI_CELL_NUMBER,
			(double) header->start_realtime_ns * 1e-9);
	ppi_show (row, "started_unix_s", "%s", when);
	ppi_put_double (row, "measured_s", PPI_CELL_INSTANT,
			ppi_report_seconds (recording, header->now_ns));
	ppi_put_flag (row, "complete", header->state == PPI_RECORDING_FINISHED);
	ppi_put_text (row, "recording", state_of (header));
	ppi_put_count (row, "processes", ppi_recording_processes (recording, &list));
	ppi_put_text (row, "damage", ppi_recording_damage (recording));
	ppi_say (row, "program    {path}\nprocess    {pid}\nstarted    {started_unix_s}\nmeasured  "
		      " {measured_s}\n"
		      "recording  {recording}\n");
	if (ppi_recording_processes (recording, &list) > 1)
		ppi_say (row, "merged     {processes} processes; the first is above\n");
	ppi_put_flag (row, "given_up", given_up);
	if (given_up)
		ppi_say (row, "given up   the oldest records and samples, to keep to max_size\n");
	if (ppi_recording_damage (recording))
		ppi_say (row, "damaged    {damage}\n");
}
