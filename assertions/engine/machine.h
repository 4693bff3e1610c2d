/* SPDX-License-Identifier: MIT */
/*
 * machine.h: an assertion's state machine, without threads, clocks or names: outcomes go in, edges
 * come out.
 *
 *            fail × for, not within cooldown of the last fire
 *     ok ── fail ──► pending ─────────────────► firing ── pass × clear ──► ok
 *      ▲               │ pass                     │ fail and repeat, not within cooldown: the actions again
 *      └───────────────┘                          └──►
 *
 * An unknown outcome moves nothing: it neither adds to a run nor ends one. While nothing fires it
 * is visible as PP_STATE_UNKNOWN.
 */
#ifndef PPI_MACHINE_H
#define PPI_MACHINE_H

#include <pp.h>
#include <stdbool.h>

enum ppi_outcome { PPI_FAIL = 0, PPI_PASS = 1, PPI_UNKNOWN = 2 };

/* What a step asks for. REPEAT: it goes on firing, the actions of on_fire run again. */
enum ppi_edge { PPI_EDGE_NONE, PPI_EDGE_FIRE, PPI_EDGE_CLEAR, PPI_EDGE_REPEAT };

struct ppi_machine_spec {
	uint32_t fire_after;  /* consecutive failures, at least 1 (for:) */
	uint32_t clear_after; /* consecutive passes, at least 1 (clear:) */
	uint64_t cooldown_ns; /* from one fire to the next */
	bool repeat;
};

/* All zero is the start: ok, nothing seen. */
struct ppi_machine {
	bool firing;
	bool last_unknown;
	bool acted; /* LAST_NS holds */
	/* of failures while not firing, of passes while firing; stops at the limit */
	uint32_t run;
	uint64_t last_ns; /* of the last fire or repeat */
	uint64_t bad_ns;  /* of the first of the failures that it is pending or firing for */
};

/* One outcome at NOW_NS. Pure but for *MACHINE. */
enum ppi_edge ppi_machine_step (struct ppi_machine *machine, const struct ppi_machine_spec *spec,
				enum ppi_outcome outcome, uint64_t now_ns);
enum pp_state ppi_machine_state (const struct ppi_machine *machine);
/* Would OUTCOME leave MACHINE as it is? Then nobody needs to step it. */
bool ppi_machine_idle (const struct ppi_machine *machine, enum ppi_outcome outcome);
/* Is it as good as new: nothing seen, no cooldown that runs? */
bool ppi_machine_is_fresh (const struct ppi_machine *machine, const struct ppi_machine_spec *spec,
			   uint64_t now_ns);

#endif
