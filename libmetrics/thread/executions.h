/* SPDX-License-Identifier: MIT */
/*
 * executions.h: how many executions samples stand for. Where one execution in `every` is sampled, n
 * samples are n × every of them; where `every` changes, by the budget or by who asks for the
 * binding, those of before keep what they stood for: the difference is noted in each shard and in
 * each part of a window, so that what is read of a thread or of recent time is right too.
 */
#ifndef PPI_THREAD_EXECUTIONS_H
#define PPI_THREAD_EXECUTIONS_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_binding;

/*
 * Around whatever changes ppi_binding_every (BINDING): begin returns what it is, end notes the
 * change. With the lock; pairs don't nest. In between readers see that something changes and look
 * again. Samples that are just being taken are counted by either.
 */
PPI_HIDDEN uint32_t ppi_executions_begin (struct ppi_binding *binding);
PPI_HIDDEN void ppi_executions_end (struct ppi_binding *binding, uint32_t was);

/*
 * A reader says seq = ppi_executions_begin_read (), reads, and does so again while
 * ppi_executions_changed (seq).
 */
PPI_HIDDEN uint32_t ppi_executions_begin_read (void);
PPI_HIDDEN bool ppi_executions_changed (uint32_t seq);

/* A child has no thread that changes anything: the parent's may have been at it. */
PPI_HIDDEN void ppi_executions_after_fork (void);

#endif
