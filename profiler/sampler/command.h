/* SPDX-License-Identifier: MIT */
/*
 * command.h: what another process may ask of samplers: ppctl sample WHO TIME, ppctl sample WHO
 * pause. Pauses nest, and are of the profile that is taken then: the next one begins without.
 */
#ifndef PPI_SAMPLER_COMMAND_H
#define PPI_SAMPLER_COMMAND_H

#include "base/atomic.h"
#include "base/command.h"
#include "base/profile.h"

extern const struct ppi_command ppi_sampler_commands[] PPI_HIDDEN;
/* Owner of what it asks for. */
extern const char ppi_by_command PPI_HIDDEN;

/* A profile by SAMPLER begins, or ends: nobody has it paused. Takes the sampler's lock. */
PPI_HIDDEN void ppi_held_clear (enum ppi_sampler sampler);
/* In a child. */
PPI_HIDDEN void ppi_held_forget (void);

#endif
