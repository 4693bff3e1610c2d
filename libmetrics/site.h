/* SPDX-License-Identifier: MIT */
/*
 * site.h: the registry of sites. Several descriptors (a header's inline function in many files, comdat copies) of
 * one place in the source in one module are one site. A site outlives its module: its data stays when the module is
 * closed, and goes on when it is opened again.
 */
#ifndef PPI_SITE_H
#define PPI_SITE_H

#include "names.h"
#include "plan.h"
#include "recording.h"
#include "runtime.h"

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
	uint8_t flags; /* enum pp_abi_site_flag: ARRAY and INLINE, by which sites differ */
	uint8_t n_dims;
	uint8_t dirty;       /* on the batch's list */
	uint8_t watched;     /* somebody asks for open_age or in_flight: every execution has a frame */
	uint8_t begins_off;  /* its ends may still or already be on: an end without a begin is no drop; atomic */
	uint8_t is_sampled;  /* it had a plan whose executions don't all have frames: ends without one mean nothing */
	uint32_t generation; /* as in the descriptors; atomic */
	uint32_t enabled;    /* atomic */
	uint64_t spans;      /* that are open; atomic */
	uint64_t enabled_at; /* the flush of its last enabling: older frames can't end; atomic */
	uint32_t line, column;
	uint32_t function_line; /* 0: not known */
	uint32_t nth;           /* of its line, function and name; 0: nobody has counted */
	char *full;             /* module!file:function/name, with what tells it from namesakes (names.h) */
	const char *base;       /* the same without; it is FULL where nothing tells */
	const char *parameters; /* of the function, "(int) const"; "" where not known */
	const char *module, *file, *function, *name; /* copies, NUL-terminated */
	const char *groups;                          /* "g1,g2", "" without */
	const char *dims;                            /* dims.h; "" without */
	struct ppi_copy *copies;
	struct ppi_copy first_copy;    /* most have one; its descriptor is NULL while it is not in use */
	struct ppi_plan *plans;        /* all that were ever made */
	const struct ppi_plan *counts; /* of PPI_LIGHT_COUNT: the newest that was current; atomic */
	const struct ppi_plan *plan;   /* current, or &ppi_plan_nothing, or NULL before the first; atomic */
	struct ppi_binding *bindings;
	struct ppi_membership *memberships; /* of rules (rule.c) */
	struct ppi_check *checks;           /* atomic list */
	struct ppi_site_chunk *chunk;
	struct pp_site *next;     /* in order of appearance */
	struct pp_site *namesake; /* the next of those with the same BASE */
	struct pp_site *dirty_next;
};

/*
 * A site that has no code of the program's: DESCRIPTOR, which stays, has a name only, and its module is the program.
 * With the lock; NULL: no memory.
 */
pp_site *ppi_site_add_named (struct pp_abi_site *descriptor) __attribute__ ((visibility ("hidden")));
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
/* The first of all sites; with the lock. */
pp_site *ppi_site_first (void) __attribute__ ((visibility ("hidden")));
/* How many there are, with or without code; with the lock. */
uint32_t ppi_site_count (void) __attribute__ ((visibility ("hidden")));
/* The sites that PATTERN matches: calls FN for each with the lock held, until it returns non-zero. */
int ppi_site_each_matching (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg)
	__attribute__ ((visibility ("hidden")));
/* The chunk that tells readers of the site, made when it is first bound. 0 or PP_ENOMEM. */
int ppi_site_describe (pp_site *site) __attribute__ ((visibility ("hidden")));
/* In a child with a region of its own. */
void ppi_site_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
