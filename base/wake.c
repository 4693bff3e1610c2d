/* SPDX-License-Identifier: MIT */
/* wake.c: see wake.h. */
#include "base/wake.h"

#include "pp_arch.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define IDLE_WAKES 16u              /* for nothing, one after the other */
#define CALM_NS UINT64_C (10000000) /* without listening to others, behind these */

static long futex_wait (uint32_t *at, uint32_t value, const struct timespec *until)
{
	int saved = errno;
	/* not private: another process may sleep or wake there */
	long result = syscall (SYS_futex, at, FUTEX_WAIT_BITSET, value, until, NULL,
			       FUTEX_BITSET_MATCH_ANY);

	result = result < 0 ? -errno : result;
	errno = saved;
	return result;
}

void ppi_wake_word_set (uint32_t *fresh)
{
	uint32_t *own = ppi_wake_own_word ();
	uint32_t *former =
		__atomic_exchange_n (&ppi_wake_word, fresh ? fresh : own, __ATOMIC_SEQ_CST);

	/* that of a parent's mailbox is gone, and nobody sleeps there */
	if (former == own)
		ppi_wake_raise (former);
}

void ppi_asleep_set (bool is_asleep)
{
	__atomic_store_n (&ppi_asleep, is_asleep, __ATOMIC_SEQ_CST);
}

static bool sleep_on (uint32_t *at, uint32_t seen, uint64_t ns)
{
	const struct timespec until = {.tv_sec = (time_t) (ns / 1000000000u),
				       .tv_nsec = (long) (ns % 1000000000u)};

	return futex_wait (at, seen, ns == UINT64_MAX ? NULL : &until) != -ETIMEDOUT;
}

void ppi_wake_sleeper_set (bool is_there)
{
	ppi_store (&ppi_sleeper, is_there ? pp_arch_thread_pointer () : 0);
}

/*
 * Has somebody a reason? What comes from now on is a reason for the next sleep. *WOKEN: this
 * process had it, and not the thread itself.
 */
static bool is_wanted (bool (*has_mail) (void), bool *woken)
{
	uint32_t by = __atomic_exchange_n (&ppi_woken, 0, __ATOMIC_SEQ_CST);

	*woken |= by & PPI_WOKEN;
	return by || has_mail ();
}

bool ppi_wake_wait (uint64_t ns, bool (*has_mail) (void))
{
	static unsigned idle;
	uint32_t *at = __atomic_load_n (&ppi_wake_word, __ATOMIC_SEQ_CST);
	/* before the reasons: what comes behind them has raised it */
	uint32_t seen = __atomic_load_n (at, __ATOMIC_SEQ_CST);
	struct timespec now;
	uint64_t calm_ns;
	bool woken = false;

	if (is_wanted (has_mail, &woken)) {
		idle = 0;
		return woken;
	}
	if (idle < IDLE_WAKES) {
		idle = sleep_on (at, seen, ns) && !is_wanted (has_mail, &woken) ? idle + 1 : 0;
		return woken;
	}
	idle = 0;
	clock_gettime (CLOCK_MONOTONIC, &now);
	calm_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec + CALM_NS;
	(void) sleep_on (&ppi_woken, 0, ns < calm_ns ? ns : calm_ns);
	return false;
}
