/* SPDX-License-Identifier: MIT */
/* module_events.c: the part of libpp-profile.so that shows what events a function had. */
#include "profiler/analysis/module.h"

#include "profiler/analysis/query.h"
#include "profiler/analysis/shell.h"
#include "recording/names.h"
#include "recording/read.h"

#include <math.h>
#include <unistd.h>

static const char *site_name (uint32_t site, void *arg)
{
	return ppi_report_site_name (arg, site);
}

static int print_tables (const struct ppi_query_source *source, const char *dimensions, FILE *out,
			 char *why, size_t room)
{
	struct ppi_query query = {.terms = ppi_terms_create (source)};
	int error = query.terms ? PP_OK : PP_ENOMEM;

	snprintf (why, room, "no memory");
	if (!error && (!ppi_terms_list (query.terms, dimensions, &query.list, why, room) ||
		       !ppi_query_run (&query, source, why, room)))
		error = PP_EINVAL;
	if (!error && !ppi_query_print_text (&query, PPI_UNIT_MS, out))
		error = PP_ENOMEM;
	ppi_query_clear (&query);
	return error;
}

static int show (const struct ppi_recording *recording, const char *dimensions, uint32_t behind,
		 uint64_t since_ns, FILE *in, FILE *out, char *why, size_t room)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	struct ppi_query_source source = {
		.records = ppi_records_open (recording, why, room),
		.since_ns =
			since_ns > header->start_ns ? (double) (since_ns - header->start_ns) : 0,
		.total_ns = header->now_ns > since_ns ? (double) (header->now_ns - since_ns)
						      : (double) NAN,
		.site_name = site_name,
		.arg = (void *) (uintptr_t) recording,
	};
	bool asks = !dimensions && isatty (fileno (in)) && isatty (fileno (out));
	int error;

	if (!source.records) {
		snprintf (why, room, "the function had no events: no dim(...), or none was run");
		return PP_ENOENT;
	}
	ppi_records_begin_behind (source.records, behind);
	if (!asks)
		error = print_tables (&source, dimensions && *dimensions ? dimensions : "event",
				      out, why, room);
	else
		error = ppi_shell (&source, recording, "pp_profile_events", in, out) ? PP_OK
										     : PP_ENOMEM;
	ppi_records_close (source.records);
	return error;
}

int ppi_module_events (const char *path, const char *dimensions, uint32_t behind, uint64_t since_ns,
		       FILE *in, FILE *out, char *why, size_t room)
{
	struct ppi_recording *recording;
	int error = ppi_recording_open (path, &recording, why, room);

	if (error)
		return error;
	error = show (recording, dimensions, behind, since_ns, in, out, why, room);
	ppi_recording_close (recording);
	return error;
}
