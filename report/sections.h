/* SPDX-License-Identifier: MIT */
/*
 * sections.h: the sections of a report in their order, one file each. A new one: its file and its
 * line here.
 */
#ifndef PPI_REPORT_SECTIONS_H
#define PPI_REPORT_SECTIONS_H

#include "report/model.h"

#define PPI_SECTIONS(X)                                                                            \
	X (head)                                                                                   \
	X (verdict)                                                                                \
	X (metrics)                                                                                \
	X (figures)                                                                                \
	X (groups)                                                                                 \
	X (assertions)                                                                             \
	X (knobs)                                                                                  \
	X (adaptations)                                                                            \
	X (pending)                                                                                \
	X (history)                                                                                \
	X (overhead)                                                                               \
	X (sites)                                                                                  \
	X (drops)

#define X(name)                                                                                    \
	void ppi_section_##name (struct ppi_report *report, const struct ppi_recording *recording);
PPI_SECTIONS (X)
#undef X

#endif
