/* SPDX-License-Identifier: MIT */
/* record_losses.c: what of the event records is not there, in words; see records.h. */
#include "profiler/analysis/records.h"

#include "base/types.h"
#include "profiler/analysis/broken.h"
#include "recording/read.h"

#include <inttypes.h>
#include <string.h>

const char *ppi_records_why_none (const struct ppi_recording *recording)
{
	const struct ppi_process_entry *list = NULL;

	ppi_recording_processes (recording, &list);
	if (list)
		return "it was merged, and merged recordings have no records of events: those are "
		       "in the recordings that it was merged of";
	if (ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, NULL))
		return "it has no records of events, only executions that were counted in groups, "
		       "which ppctl query shows: a policy's 'events: {records: ...}' asks for "
		       "records";
	return "it has no records of events: a policy's 'events' asks for them";
}

/*
 * Can it be a record that is dropped for CAUSE? Others are of metrics' values, or of the history.
 */
static bool takes_records (enum pp_drop cause)
{
	switch (cause) {
	case PP_DROP_LONGJMP:
	case PP_DROP_DISABLED:
	case PP_DROP_UNMATCHED:
	case PP_DROP_DEPTH:
	case PP_DROP_POOL:
	case PP_DROP_FORK:
	case PP_DROP_SIGNAL:
	case PP_DROP_STREAM:
	case PP_DROP_NESTING:
	case PP_DROP_OPEN:
		return true;
	default:
		return false;
	}
}

void ppi_records_count_losses (const struct ppi_recording *recording, struct ppi_records_info *out)
{
	out->recording = recording;
	out->dropped = 0;
	for (int i = 0; i < PP_DROPS; i++) {
		out->lost[i] = takes_records ((enum pp_drop) i)
				       ? ppi_recording_drops (recording, (enum pp_drop) i)
				       : 0;
		out->dropped += out->lost[i];
	}
	out->others = ppi_recording_drops (recording, PP_DROP_STRINGS);
}

/* "4 dropped (depth): intervals and ..."; a cause that its sentence names is said once. */
static void put_dropped (enum pp_drop cause, uint64_t n, FILE *out)
{
	const char *sentence = ppi_drop_sentence (cause);
	char name[32];

	snprintf (name, sizeof name, " (%s)", ppi_drop_name (cause));
	fprintf (out, "%" PRIu64 " dropped%s: %s\n", n, strstr (sentence, name) ? "" : name,
		 sentence);
}

void ppi_records_put_dropped (const struct ppi_records_info *info, FILE *out)
{
	for (int i = 0; i < PP_DROPS; i++)
		if (info->lost[i])
			put_dropped ((enum pp_drop) i, info->lost[i], out);
	if (info->lost[PP_DROP_NESTING] && info->recording)
		ppi_broken_put (info->recording, out);
}

void ppi_records_put_losses (const struct ppi_records_info *info, FILE *out)
{
	ppi_records_put_dropped (info, out);
	if (info->others)
		fprintf (out, "%" PRIu64 " not exact (%s): %s\n", info->others,
			 ppi_drop_name (PP_DROP_STRINGS), ppi_drop_sentence (PP_DROP_STRINGS));
	if (info->given_up)
		fprintf (out,
			 "%" PRIu64 " of %" PRIu64 " parts of streams, the oldest ones, were given "
			 "up: the recording keeps to its max_size\n",
			 info->given_up, info->chunks);
	if (info->gaps)
		fprintf (out, "%" PRIu64 " parts of streams are missing or damaged\n", info->gaps);
}
