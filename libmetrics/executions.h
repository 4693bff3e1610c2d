/* SPDX-License-Identifier: MIT */
/*
 * executions.h: how many executions samples stand for. Where one execution in `every` is sampled, n samples are n × every of them; where `every` changes, by the budget or
 * by who asks for the binding, those of before keep what they stood for: the difference is noted in each shard and in each part of a window, so that what is read of a
 * thread or of recent time is right too.
 */
#ifndef PPI_EXECUTIONS_H
#define PPI_EXECUTIONS_H

#include "binding.h"

/*
 * Around whatever changes ppi_binding_every (BINDING): begin returns what it is, end notes the change. With the lock; pairs don't nest. In between readers see that something
 * changes and look again. Samples that are just being taken are counted by either.
 */
PPI_HIDDEN uint32_t ppi_executions_begin (struct ppi_binding *binding);
PPI_HIDDEN void ppi_executions_end (struct ppi_binding *binding, uint32_t was);

/* A reader says seq = ppi_executions_begin_read (), reads, and does so again while ppi_executions_changed (seq). */
PPI_HIDDEN uint32_t ppi_executions_begin_read (void);
PPI_HIDDEN bool ppi_executions_changed (uint32_t seq);

/* A child has no thread that changes anything: the parent's may have been at it. */
PPI_HIDDEN void ppi_executions_after_fork (void);

/* What INTO gets of FROM when it is folded into it: both of the same epoch. With the lock. */
PPI_HIDDEN void ppi_executions_fold (struct ppi_shard *into, const struct ppi_shard *from);

#endif
