/* SPDX-License-Identifier: MIT */
/* loaded.h: policies that are loaded: made, exchanged, watched. */
#ifndef PPI_LOADED_H
#define PPI_LOADED_H

#include "assertions/engine/policies.h"
#include "assertions/language/policy.h"
#include "base/command.h"

/* ---- build.c --------------------------------------------------------------------------------- */

/*
 * Everything that has no effect on the program but declared metrics [lock]. 0, PP_EPOLICY (D has
 * the errors), PP_ENOMEM.
 */
int ppi_loaded_build (struct ppi_loaded *loaded, struct ppi_diagnostics *d);
/* Takes all of it back, when it was never attached. Frees LOADED. [lock] */
void ppi_loaded_unbuild (struct ppi_loaded *loaded);
/* Frees LOADED but not its assertions. */
void ppi_loaded_destroy (struct ppi_loaded *loaded);
/* Gives its metrics back, for good. [lock] */
void ppi_loaded_release_metrics (struct ppi_loaded *loaded);
/*
 * Gives them back so that its next version can declare them, also differently; has them as they
 * were, with their data, where there is no next version. [lock]
 */
void ppi_loaded_lend_metrics (struct ppi_loaded *loaded);
void ppi_loaded_take_back_metrics (struct ppi_loaded *loaded);

/* ---- exchange.c ------------------------------------------------------------------------------ */

/*
 * Makes LOADED's rules and checks and takes FORMER's (or NULL) away, in one batch; what both have
 * goes on. 0, or PP_EPOLICY (D has the errors) with everything as it was. [lock]
 */
int ppi_loaded_exchange (struct ppi_loaded *loaded, struct ppi_loaded *former,
			 struct ppi_diagnostics *d);
/*
 * Attaches what was built last, bindings that are not yet and assertions from FIRST on, beside what
 * there is [lock]. D has what can't be.
 */
void ppi_loaded_extend (struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d);
/*
 * Adaptations that both versions of a policy have go on; the fresh ones go with the former policy.
 * [lock]
 */
void ppi_adapts_hand_over (struct ppi_loaded *to, struct ppi_loaded *from);
/* Takes its rules and checks away, in a batch of the caller's [lock]. */
void ppi_loaded_detach (struct ppi_loaded *loaded);
/* Steps what was posted and performs what is noticed [lock]. */
void ppi_loaded_flush (struct ppi_loaded *loaded);
/*
 * Warns of metrics that assertions from FIRST on read at their sites but that are bound elsewhere
 * [lock].
 */
void ppi_loaded_warn (const struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d);

/* ---- keys.c --------------------------------------------------------------------------------- */

/* Can parts do what POLICY asks of them, in place of FORMER (or NULL)? Errors are in D. [lock] */
void ppi_keys_check (const struct ppi_policy *policy, const struct ppi_loaded *former,
		     struct ppi_diagnostics *d);
/* They do, and do no more what FORMER asked for; what both did goes on. [lock] */
void ppi_keys_apply (const struct ppi_loaded *loaded, const struct ppi_loaded *former);
/* They do it no more. [lock] */
void ppi_keys_take_back (const struct ppi_loaded *loaded);

/*
 * Which patterns of `events` match no site yet, and which of `features` no mark: LOADED waits for
 * them, which is noted. [lock]
 */
void ppi_keys_patterns_wait (struct ppi_loaded *loaded);
/* One that is matched now, and that LOADED no longer waits for; false: there is none. [lock] */
bool ppi_keys_pattern_came (struct ppi_loaded *loaded, struct ppi_awaited *out);

/* ---- load.c ---------------------------------------------------------------------------------- */

/* Its knobs are its own from now on, and FORMER's (or NULL) no longer [lock]. */
void ppi_loaded_own_knobs (struct ppi_loaded *loaded, const struct ppi_loaded *former);
/*
 * Assertions from FIRST on, and adaptations that are new, are in force, and D has what is to be
 * warned of [lock].
 */
void ppi_loaded_start (struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d);
struct ppi_loaded *ppi_loaded_find (const char *path); /* [lock] */
/* Loads FILE under its name PATH if that is loaded still, else PP_ENOENT. Without the lock. */
int ppi_policy_load_again (const char *path, const char *file);

/*
 * Loads TEXT as the policy NAME for another process, in whose FOLDER its relative paths are. As
 * pp_policy_load_text.
 */
int ppi_policy_load_for (const char *name, const char *folder, const char *text);

/* ---- command.c ------------------------------------------------------------------------------- */

/* load, unload, reload, sent, set */
extern const struct ppi_command ppi_policy_commands[];

/* ---- late.c ---------------------------------------------------------------------------------- */

/*
 * Names may have come: what policies say of them takes effect [lock]. Not inside a marker, where it
 * is left for the tick.
 */
void ppi_policies_look_for_names (void);
/* Notes in the recording what a policy waits for now, and sites that policies have got [lock]. */
void ppi_policy_note_waits (struct ppi_loaded *loaded);
/* ... that no KIND, a site or feature, matches PATTERN yet [lock]. */
void ppi_policy_note_pending (const struct ppi_loaded *loaded, const char *kind,
			      const char *pattern);
void ppi_policies_note_sites (void);

/* ---- watch.c --------------------------------------------------------------------------------- */

#define PPI_WATCH_NS UINT64_C (500000000) /* between looks at policies' files */

/* Does it say so, or the environment? */
bool ppi_policy_wants_watch (const struct ppi_policy *policy);

#endif
