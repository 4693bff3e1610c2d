/* SPDX-License-Identifier: MIT */
/* action.h: what is done when an assertion fires or clears, as the engine knows it. */
#ifndef PPI_ENGINE_ACTION_H
#define PPI_ENGINE_ACTION_H

#include "assertions/language/policy.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_assertion;
struct ppi_callable;
struct ppi_investigation;
struct ppi_knob;
struct ppi_notice;
struct ppi_rule;

/* A metric at a pattern: an entry of bind:, or one that a bind action makes. */
struct ppi_slot {
	pp_metric *metric;
	const char *pattern; /* of the policy's tree */
	struct ppi_place place;
	uint32_t every;
	bool permanent; /* of bind: */
	struct ppi_rule *rule;
	uint64_t for_ns;   /* how long it is to be bound, 0: no end */
	uint64_t until_ns; /* when that is over */
	bool over;         /* one of bind: whose time is over */
	bool is_pending;   /* it had no site when that was last told */
	bool until_clear;  /* of a bind action */
};

struct ppi_action {
	const struct ppi_policy_action *written;
	struct ppi_callable *callable;
	struct ppi_knob *knob;
	struct ppi_slot *slots; /* of bind and unbind: metric × patterns */
	size_t n_slots;
	pp_metric *metric;                       /* of sample */
	struct ppi_program *program;             /* of sample */
	struct ppi_investigation *investigation; /* of investigate */
	bool waits;                              /* for a name; then it is none of these */
	bool told;                               /* that it failed */
	uint64_t failed;                         /* how often */
};

/* What actions do, of which the engine knows no more; the room react's. */
struct ppi_reactions {
	/* [lock] */
	void (*perform) (struct ppi_assertion *a, const struct ppi_notice *notice, uint64_t now_ns);
	/* what it has of its own, with its assertion */
	void (*destroy) (struct ppi_action *action);
};

#endif
