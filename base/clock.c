/* SPDX-License-Identifier: MIT */
/* clock.c: CLOCK_MONOTONIC, and ticks in its terms. */
#include "base/clock.h"

#include "base/ticks.h"

#include <time.h>

static uint64_t (*replaced_clock) (void);

uint64_t ppi_real_now_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec;
}

uint64_t ppi_now_ns (void)
{
	uint64_t (*clock) (void) = __atomic_load_n (&replaced_clock, __ATOMIC_RELAXED);

	return clock ? clock () : ppi_real_now_ns ();
}

void ppi_clock_set (uint64_t (*clock) (void))
{
	__atomic_store_n (&replaced_clock, clock, __ATOMIC_RELAXED);
}

/*
 * Ticks are converted with the ratio of both clocks' advance since the start: after a tenth of a
 * second it is right to a millionth and is kept, so that a figure once told does not change by
 * conversion. Only differences are converted, all by one ratio: so conversion is monotonic, and
 * what it is wrong by (and what NTP corrects CLOCK_MONOTONIC by, up to 500 millionths) does not add
 * up.
 */
enum { CALIBRATION_NS = 100000000, CALIBRATION_LEAST_NS = 2000000 };

static uint64_t start_ticks, start_ns, start_slept_ns;

static uint64_t final_ratio; /* bits of a double, 0: not yet */

/*
 * How long the machine has been suspended since it was booted: CLOCK_MONOTONIC stood still, ticks
 * perhaps did not.
 */
static uint64_t slept_ns (void)
{
	struct timespec t;

	if (clock_gettime (CLOCK_BOOTTIME, &t) < 0)
		return 0;
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec -
	       ppi_real_now_ns ();
}

/* A pair of readings with little between them: the best of a few. */
static void read_both (uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = ppi_ticks (), t = ppi_real_now_ns (), after = ppi_ticks ();

		if (after - before < best) {
			best = after - before;
			*ticks = before + (after - before) / 2;
			*ns = t;
		}
	}
}

void ppi_clock_start (void)
{
	if (start_ns)
		return;
	ppi_ticks_choose ();
	start_slept_ns = slept_ns ();
	read_both (&start_ticks, &start_ns);
}

double ppi_seconds_per_tick (void)
{
	union {
		uint64_t bits;
		double ratio;
	} u = {.bits = __atomic_load_n (&final_ratio, __ATOMIC_RELAXED)};
	uint64_t ticks = 0, ns = 0, from_ticks, from_ns;

	if (u.bits)
		return u.ratio;
	ppi_clock_start ();
	if (!ppi_ticks_are_trusted)
		return 1e-9; /* they are CLOCK_MONOTONIC's */
	from_ticks = start_ticks;
	from_ns = start_ns;
	/*
	 * over a time in which the machine slept the ratio would be wrong by that: from now on,
	 * then
	 */
	if ((int64_t) (slept_ns () - start_slept_ns) > CALIBRATION_LEAST_NS)
		read_both (&from_ticks, &from_ns);
	do
		read_both (&ticks, &ns);
	while (ns - from_ns < CALIBRATION_LEAST_NS);
	u.ratio = (double) (ns - from_ns) * 1e-9 / (double) (ticks - from_ticks);
	if (ns - from_ns >= CALIBRATION_NS)
		__atomic_store_n (&final_ratio, u.bits, __ATOMIC_RELAXED);
	return u.ratio;
}
