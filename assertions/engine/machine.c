/* SPDX-License-Identifier: MIT */
/* machine.c: see machine.h. */
#include "assertions/engine/machine.h"

static bool cooled (const struct ppi_machine *m, const struct ppi_machine_spec *spec,
		    uint64_t now_ns)
{
	return !m->acted || now_ns - m->last_ns >= spec->cooldown_ns;
}

static enum ppi_edge act (struct ppi_machine *m, uint64_t now_ns, enum ppi_edge edge)
{
	m->acted = true;
	m->last_ns = now_ns;
	return edge;
}

static enum ppi_edge fail (struct ppi_machine *m, const struct ppi_machine_spec *spec,
			   uint64_t now_ns)
{
	if (m->firing) {
		m->run = 0;
		return spec->repeat && cooled (m, spec, now_ns) ? act (m, now_ns, PPI_EDGE_REPEAT)
								: PPI_EDGE_NONE;
	}
	if (!m->run)
		m->bad_ns = now_ns;
	if (m->run < spec->fire_after)
		m->run++;
	if (m->run < spec->fire_after || !cooled (m, spec, now_ns))
		return PPI_EDGE_NONE;
	m->firing = true;
	m->run = 0;
	return act (m, now_ns, PPI_EDGE_FIRE);
}

static enum ppi_edge pass (struct ppi_machine *m, const struct ppi_machine_spec *spec)
{
	if (!m->firing) {
		m->run = 0;
		return PPI_EDGE_NONE;
	}
	if (++m->run < spec->clear_after)
		return PPI_EDGE_NONE;
	m->firing = false;
	m->run = 0;
	return PPI_EDGE_CLEAR;
}

enum ppi_edge ppi_machine_step (struct ppi_machine *m, const struct ppi_machine_spec *spec,
				enum ppi_outcome outcome, uint64_t now_ns)
{
	m->last_unknown = outcome == PPI_UNKNOWN;
	if (outcome == PPI_UNKNOWN)
		return PPI_EDGE_NONE;
	return outcome == PPI_FAIL ? fail (m, spec, now_ns) : pass (m, spec);
}

enum pp_state ppi_machine_state (const struct ppi_machine *m)
{
	if (m->firing)
		return PP_STATE_FIRING;
	if (m->last_unknown)
		return PP_STATE_UNKNOWN;
	return m->run ? PP_STATE_PENDING : PP_STATE_OK;
}

bool ppi_machine_idle (const struct ppi_machine *m, enum ppi_outcome outcome)
{
	return outcome == PPI_PASS && !m->firing && !m->last_unknown && !m->run;
}

bool ppi_machine_is_fresh (const struct ppi_machine *m, const struct ppi_machine_spec *spec,
			   uint64_t now_ns)
{
	return ppi_machine_idle (m, PPI_PASS) && cooled (m, spec, now_ns);
}
