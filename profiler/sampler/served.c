/* SPDX-License-Identifier: MIT */
/* served.c: see served.h. */
#include "profiler/sampler/served.h"

#include "base/clock.h"
#include "profiler/sampler/sampler.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C (5000000000)

/*
 * The number of the wish, twice, and 1 more where it runs. Atomic; who waits for it sleeps there.
 */
static uint32_t served[PPI_SAMPLERS];
static bool is_over; /* atomic */

void ppi_served_set (enum ppi_sampler which, uint64_t number, bool runs)
{
	uint32_t now = (uint32_t) number << 1 | runs;

	if (__atomic_exchange_n (&served[which], now, __ATOMIC_SEQ_CST) != now)
		syscall (SYS_futex, &served[which], FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX);
}

bool ppi_served_runs (enum ppi_sampler which)
{
	return __atomic_load_n (&served[which], __ATOMIC_ACQUIRE) & 1;
}

void ppi_served_no_more (void)
{
	__atomic_store_n (&is_over, true, __ATOMIC_RELEASE);
}

bool ppi_profiles_are_over (void)
{
	return __atomic_load_n (&is_over, __ATOMIC_ACQUIRE);
}

/* Sleeps until *AT is another than VALUE, or until NS; false: it is that time. */
static bool wait_for_change (uint32_t *at, uint32_t value, uint64_t ns)
{
	const struct timespec until = {(time_t) (ns / 1000000000u), (long) (ns % 1000000000u)};

	if (ppi_real_now_ns () >= ns)
		return false;
	syscall (SYS_futex, at, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value, &until, NULL,
		 FUTEX_BITSET_MATCH_ANY);
	return true;
}

bool ppi_served_wait (enum ppi_sampler which, uint64_t number, bool *runs)
{
	uint64_t until = ppi_real_now_ns () + PATIENCE_NS;
	uint32_t now;

	do {
		now = __atomic_load_n (&served[which], __ATOMIC_ACQUIRE);
		*runs = now & 1;
		if (now >> 1 == ((uint32_t) number & (UINT32_MAX >> 1)))
			return true;
	} while (!ppi_profiles_are_over () && wait_for_change (&served[which], now, until));
	return false;
}
