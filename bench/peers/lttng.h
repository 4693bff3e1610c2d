/* SPDX-License-Identifier: MIT */
/*
 * lttng.h: two tracepoints without fields, as LTTng wants them: a header that its own headers read
 * several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ppgcc_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng.h"

#if !defined(BENCH_PEER_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_PEER_LTTNG_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT (ppgcc_bench, begin, LTTNG_UST_TP_ARGS (), LTTNG_UST_TP_FIELDS ())
LTTNG_UST_TRACEPOINT_EVENT (ppgcc_bench, end, LTTNG_UST_TP_ARGS (), LTTNG_UST_TP_FIELDS ())

#endif

#include <lttng/tracepoint-event.h>
