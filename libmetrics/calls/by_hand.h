/* SPDX-License-Identifier: MIT */
/*
 * by_hand.h: samples that the program adds itself, pp_sample.
 */
#ifndef PPI_CALLS_BY_HAND_H
#define PPI_CALLS_BY_HAND_H

#include <pp.h>

struct ppi_binding;

/*
 * The binding of METRIC at no site, ready for samples. Takes the lock the first time, also in a
 * child; NULL: no memory. errno stays.
 */
struct ppi_binding *ppi_sample_binding (pp_metric *metric) __attribute__ ((visibility ("hidden")));

/*
 * [lock] Makes what pp_sample needs for METRIC, so that it may be called inside a check. 0 or
 * PP_ENOMEM.
 */
int ppi_sample_prepare (pp_metric *metric);

#endif
