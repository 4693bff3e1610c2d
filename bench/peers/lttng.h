/* SPDX-License-Identifier: MIT */
/*
 * lttng.h: two tracepoints without fields, and one with two that begins what the second ends, as
 * LTTng wants them: a header that its own headers read several times.
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
LTTNG_UST_TRACEPOINT_EVENT (ppgcc_bench, begin_of,
			    LTTNG_UST_TP_ARGS (long, size, const char *, command),
			    LTTNG_UST_TP_FIELDS (lttng_ust_field_integer (long, size, size)
							 lttng_ust_field_string (command, command)))

#endif

#include <lttng/tracepoint-event.h>
