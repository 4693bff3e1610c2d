/* SPDX-License-Identifier: MIT */
/*
 * parts.h: all parts of the library (base/part.h), in their order. A new part is a line here. What
 * the order has to keep:
 *
 *   start          the runtime, then the sources, then what reads both
 *   new module     expectations are compiled, policies attached to its sites, then records and
 *                  groups, all is linked; then names that policies wait for are looked for
 *   tick           names that came late, what knobs are now, the engine; then what its actions ask
 *                  for: turns that wait, investigations, the budget, bindings whose time is over.
 *                  Adaptation is last, as it looks at what all of them have done. After that
 *                  setters, so that they are told what was turned in this tick, by whomever; jobs;
 *                  files of policies
 *   child          an investigation ends when assertions have chunks of their own, for it changes
 *                  plans, which look at them; links begin anew when all others have forgotten the
 *                  parent
 *   housekeeping   samples are fetched; the recording is copied when everything else is up to date
 *   end            behind the last tick: what could not be opened, what never came, the recording
 */
#ifndef PPI_LIBPP_PARTS_H
#define PPI_LIBPP_PARTS_H

#include "base/part.h"

/* X (name): the part is ppi_NAME_part. */
#define PPI_PARTS_BELOW(X)                                                                         \
	X (metrics)                                                                                \
	X (stdmetrics)

#define PPI_PARTS_OF_ASSERTIONS(X)                                                                 \
	X (late)                                                                                   \
	X (knobs)                                                                                  \
	X (callbacks)                                                                              \
	X (figures)                                                                                \
	X (fires)                                                                                  \
	X (composites)                                                                             \
	X (engine)                                                                                 \
	X (expectations)                                                                           \
	X (turns)                                                                                  \
	X (investigation)                                                                          \
	X (budget)                                                                                 \
	X (actions)                                                                                \
	X (adapt)                                                                                  \
	X (jobs)                                                                                   \
	X (watch)                                                                                  \
	X (policies)

#define PPI_PARTS_THAT_RECORD(X) X (events)

#define PPI_PARTS_THAT_LINK(X)                                                                     \
	X (links)                                                                                  \
	X (names)

#define PPI_PARTS_ABOVE(X)                                                                         \
	X (environment)                                                                            \
	X (features)                                                                               \
	X (sampler)                                                                                \
	X (profile)                                                                                \
	X (door)                                                                                   \
	X (recording)

#define X(name) extern const struct ppi_part ppi_##name##_part;
PPI_PARTS_BELOW (X)
PPI_PARTS_OF_ASSERTIONS (X)
PPI_PARTS_THAT_RECORD (X)
PPI_PARTS_THAT_LINK (X)
PPI_PARTS_ABOVE (X)
#undef X

#endif
