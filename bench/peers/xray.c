/* SPDX-License-Identifier: MIT */
/*
 * xray.c: functions compiled by clang with -fxray-instrument, with the smallest handler that
 * measures something, or with FDR, the flight data recorder of LLVM's (PEER_XRAY_FDR).
 */
#include "peer.h"

/* LLVM's headers for this are C++. */
enum { XRAY_ENTRY = 0, XRAY_PATCHED = 1, XRAY_LOG_SELECTED = 0, XRAY_LOG_READY = 2 };
int __xray_set_handler (void (*handler) (int32_t function, int type));
int __xray_patch (void);
int __xray_log_select_mode (const char *mode);
int __xray_log_init_mode (const char *mode, const char *options);

#define NEVER __attribute__ ((xray_never_instrument))

static int patch (void)
{
	if (__xray_patch () == XRAY_PATCHED)
		return 0;
	fprintf (stderr, "peer xray: __xray_patch fails\n");
	return PEER_SKIP;
}

#ifdef PEER_XRAY_FDR
static int start (void)
{
	/* all functions, also those shorter than 5 us; a ring in memory */
	static const char options[] =
		"func_duration_threshold_us=0:no_file_flush=true:buffer_size=16384:buffer_max=64";

	if (__xray_log_select_mode ("xray-fdr") == XRAY_LOG_SELECTED &&
	    __xray_log_init_mode ("xray-fdr", options) == XRAY_LOG_READY)
		return patch ();
	fprintf (stderr, "peer xray: the mode xray-fdr cannot be had\n");
	return PEER_SKIP;
}

const struct peer peer = {start, NULL};
#else
static __thread struct {
	uint64_t begin, n, sum;
} region;

NEVER static void handler (int32_t function, int type)
{
	uint64_t now = __builtin_ia32_rdtsc ();

	(void) function;
	if (type == XRAY_ENTRY) {
		region.begin = now;
	} else {
		region.n++;
		region.sum += now - region.begin;
	}
}

static int start (void)
{
	__xray_set_handler (handler);
	return patch ();
}

static double recorded (void)
{
	return (double) region.n;
}

const struct peer peer = {start, recorded};
#endif
PEER_FUNCTIONS (NEVER, __attribute__ ((xray_always_instrument)))
