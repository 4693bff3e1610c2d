/* SPDX-License-Identifier: MIT */
/*
 * window.h: who asks for windows of metrics, and the bindings that keep them (tables/window.h).
 */
#ifndef PPI_REGISTRY_WINDOW_H
#define PPI_REGISTRY_WINDOW_H

#include "base/atomic.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_binding;

/*
 * METRIC over the last NS nanoseconds, 1 ms at least [lock]: from now on its samples are kept for
 * that too, until the window is released as often as it was acquired. 0, or PP_EINVAL, PP_ENOMEM
 * with a sentence in WHY. A window is never freed.
 */
struct ppi_window;

int ppi_window_acquire (pp_metric *metric, uint64_t ns, struct ppi_window **out, char *why,
			size_t room);

void ppi_window_release (struct ppi_window *window);

/*
 * METRIC's windows that there ever were, one after another (NULL: the first) [lock]; how long one
 * is; does anybody ask for it now?
 */
const struct ppi_window *ppi_window_next (const pp_metric *metric, const struct ppi_window *after);

uint64_t ppi_window_ns (const struct ppi_window *window);

bool ppi_window_is_used (const struct ppi_window *window);

/* The windows of a new binding; false: no memory. With the lock. */
PPI_HIDDEN bool ppi_windows_follow (struct ppi_binding *b);

/* Is any of them in use? */
PPI_HIDDEN bool ppi_windows_used (const struct ppi_binding *b);

#endif
