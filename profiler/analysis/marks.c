/* SPDX-License-Identifier: MIT */
/* marks.c: see marks.h. */
#include "profiler/analysis/marks.h"

#include "recording/names.h"
#include "recording/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name is "module!file:function/site". */
const char *ppi_mark_file (const struct ppi_site_chunk *site, char *file, size_t room)
{
	const char *module = strchr (site->name, '!'), *begin = module ? module + 1 : site->name,
		   *end = strchr (begin, ':');

	snprintf (file, room, "%.*s", end ? (int) (end - begin) : 0, begin);
	return end ? end + 1 : begin;
}

void ppi_mark_feature (const struct ppi_site_chunk *site, char *out, size_t room)
{
	size_t module = strcspn (site->name, "!");
	char name[512];

	ppi_site_own_name (site, name, sizeof name);
	if (strchr (name, '.') || !site->name[module])
		snprintf (out, room, "%s", name);
	else
		snprintf (out, room, "%.*s.%s", (int) module, site->name, name);
}

const char *ppi_mark_payload (const struct ppi_recording *recording, unsigned type,
			      uint64_t payload, char *out, size_t room)
{
	double real;

	switch (type) {
	case PP_ABI_VALUE_INT:
		snprintf (out, room, "%lld", (long long) payload);
		return out;
	case PP_ABI_VALUE_DOUBLE:
		memcpy (&real, &payload, sizeof real);
		/* the sign of no number says nothing */
		if (isnan (real))
			return "nan";
		snprintf (out, room, "%.15g", real);
		if (strtod (out, NULL) != real)
			snprintf (out, room, "%.17g", real);
		return out;
	case PP_ABI_VALUE_POINTER:
		snprintf (out, room, "0x%llx", (unsigned long long) payload);
		return out;
	case PP_ABI_VALUE_STRING:
		return ppi_recorded_text (recording, payload);
	default:
		return "(others)";
	}
}
