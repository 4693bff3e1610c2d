/* SPDX-License-Identifier: MIT */
/*
 * site.h: a site. Several descriptors (a header's inline function in many files, comdat copies) of
 * one place in the source in one module are one site. A site outlives its module: its data stays
 * when the module is closed, and goes on when it is opened again.
 */
#ifndef PPI_TABLES_SITE_H
#define PPI_TABLES_SITE_H

#include "base/names.h"

#include <pp.h>
#include <pp_abi.h>
#include <stdint.h>

struct ppi_aggregate_set;
struct ppi_binding;
struct ppi_check;
struct ppi_membership;
struct ppi_plan;
struct ppi_site_chunk;
struct ppi_tap;

struct ppi_module;

/* A marker, and where its jump leads, whether it is on or off; 0: to its stub, as ever. */
struct ppi_marker {
	const struct pp_abi_marker *record;
	uintptr_t target;
};

/* A site's markers of one descriptor. */
struct ppi_copy {
	struct pp_abi_site *descriptor;
	const struct ppi_module *module;
	struct ppi_marker *markers; /* FIRST, as long as it has room */
	uint32_t n_markers, room;
	struct ppi_copy *next;
	struct ppi_marker first[2];
};

struct pp_site {
	uint32_t id; /* from 1 */
	uint8_t kind, value;
	uint8_t flags; /* enum pp_abi_site_flag: those of PP_ABI_SITE_TELLING */
	uint8_t n_dims;
	uint8_t dirty; /* on the batch's list */
	/* somebody asks for open_age or in_flight: every execution has a frame */
	uint8_t watched;
	/* its ends may still or already be on: an end without a begin is no drop; atomic */
	uint8_t begins_off;
	/* it had a plan whose executions don't all have frames: ends without one mean nothing */
	uint8_t is_sampled;
	uint32_t generation; /* as in the descriptors; atomic */
	uint32_t enabled;    /* atomic */
	uint64_t spans;      /* that are open; atomic */
	uint64_t enabled_at; /* the flush of its last enabling: older frames can't end; atomic */
	uint32_t line, column;
	uint32_t function_line; /* 0: not known */
	uint32_t nth;           /* of its line, function and name; 0: nobody has counted */
	/* module!file:function/name, with what tells it from namesakes (names.h) */
	char *full;
	const char *base;       /* the same without; it is FULL where nothing tells */
	const char *parameters; /* of the function, "(int) const"; "" where not known */
	const char *module, *file, *function, *name; /* copies, NUL-terminated */
	const char *groups;                          /* "g1,g2", "" without */
	const char *dims;                            /* dims.h; "" without */
	struct ppi_copy *copies;
	/* most have one; its descriptor is NULL while it is not in use */
	struct ppi_copy first_copy;
	struct ppi_plan *plans;        /* all that were ever made */
	const struct ppi_plan *counts; /* of PPI_LIGHT_COUNT: the newest that was current; atomic */
	/* current, or &ppi_plan_nothing, or NULL before the first; atomic */
	const struct ppi_plan *plan;
	struct ppi_binding *bindings;
	struct ppi_tap *taps; /* what else than metrics; with the lock */
	/* which its executions go into (aggregate.h): NULL, or ...; atomic. All there ever were */
	const struct ppi_aggregate_set *aggregates;
	struct ppi_aggregate_set *aggregate_sets;
	/* of features and antimarks: which feature, from 1; 0: nobody has asked (feature.h) */
	uint32_t feature;
	struct ppi_membership *memberships; /* of rules (rule.c) */
	struct ppi_check *checks;           /* atomic list */
	struct ppi_site_chunk *chunk;
	struct pp_site *next;     /* in order of appearance */
	struct pp_site *namesake; /* the next of those with the same BASE */
	struct pp_site *dirty_next;
};

/* What it is called by; with the lock. */
static inline struct ppi_name_parts ppi_site_parts (const pp_site *s)
{
	return (struct ppi_name_parts){.module = s->module,
				       .file = s->file,
				       .function = s->function,
				       .name = s->name,
				       .parameters = s->parameters,
				       .function_line = s->function_line,
				       .line = s->line,
				       .nth = s->nth ? s->nth : 1};
}

#endif
