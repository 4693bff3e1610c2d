/* SPDX-License-Identifier: MIT */
/*
 * wake_fast.c: waking the library's thread; see wake.h. At markers and in signal handlers: general
 * registers only, no libc.
 */
#include "base/wake.h"

#include "pp_arch.h"

static uint32_t own;
uint32_t *ppi_wake_word = &own;
uint32_t ppi_woken, ppi_asleep;
uintptr_t ppi_sleeper;

void ppi_wake_raise (uint32_t *word)
{
	__atomic_fetch_add (word, 1, __ATOMIC_SEQ_CST);
	(void) pp_arch_futex_wake (word);
}

uint32_t *ppi_wake_own_word (void)
{
	return &own;
}

bool ppi_is_sleeper (void)
{
	return pp_arch_thread_pointer () == ppi_load (&ppi_sleeper);
}

void ppi_wake_thread (void)
{
	/* before the word: who sees that raised sees this */
	__atomic_fetch_or (&ppi_woken, ppi_is_sleeper () ? PPI_WOKEN_ITSELF : PPI_WOKEN,
			   __ATOMIC_SEQ_CST);
	if (ppi_is_sleeper ())
		return;
	ppi_wake_raise (__atomic_load_n (&ppi_wake_word, __ATOMIC_ACQUIRE));
}

void ppi_wake_from_sleep (void)
{
	/* of all that come at the same time one makes the call; what it does itself is no news */
	if (ppi_is_sleeper () || __atomic_exchange_n (&ppi_asleep, 0, __ATOMIC_SEQ_CST))
		ppi_wake_thread ();
}
