/* SPDX-License-Identifier: MIT */
/*
 * profile.h: between the files of the profile that the program takes of itself: control
 * (profile.c), results (profile_results.c), the thread that shows them meanwhile
 * (profile_renderer.c), and events of a function (profile_events.c).
 */
#ifndef PPI_LIBPP_PROFILE_H
#define PPI_LIBPP_PROFILE_H

#include <pp.h>
#include <stdbool.h>

struct ppi_profile_module;

/* What nodes of results are from now on. Atomic. */
void ppi_results_by (enum pp_profile_by by) __attribute__ ((visibility ("hidden")));
/* The module that makes and shows them; NULL: it can't be loaded, which is said once. */
const struct ppi_profile_module *ppi_results_module (void) __attribute__ ((visibility ("hidden")));
/* In a child: nobody makes one. */
void ppi_results_forget (void) __attribute__ ((visibility ("hidden")));

/*
 * Starts the thread that calls OPTIONS->periodic_render; 0, or an errno. Where nothing is periodic
 * there is none.
 */
int ppi_renderer_start (const struct pp_profile_options *options)
	__attribute__ ((visibility ("hidden")));
/* It calls nothing any more. Waits for a call, or with IS_PATIENT false for 2 s at most. */
void ppi_renderer_stop (bool is_patient) __attribute__ ((visibility ("hidden")));
/* Is this that thread? */
bool ppi_is_renderer (void) __attribute__ ((visibility ("hidden")));
void ppi_renderer_forget (void) __attribute__ ((visibility ("hidden")));

#endif
