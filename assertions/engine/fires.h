/* SPDX-License-Identifier: MIT */
/* fires.h: which assertions fired, told once. */
#ifndef PPI_ENGINE_FIRES_H
#define PPI_ENGINE_FIRES_H

struct ppi_assertion;
struct ppi_notice;

/* A has fired: it is counted, and said once [lock]. */
void ppi_fire_tell (struct ppi_assertion *a, const struct ppi_notice *notice);

#endif
