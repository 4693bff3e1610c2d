/* SPDX-License-Identifier: MIT */
/*
 * knob_setters.c: setters of knobs are functions of the program's: they are called without the
 * lock, after the turn, by one thread at a time.
 */
#include "assertions/engine/knob.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/lock.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* Whose setter is called just now; set with the lock, cleared without; atomic. */
static struct ppi_knob *telling;
static int teller; /* kernel id of who calls it */

/* The first whose setter THREAD may call. */
static struct ppi_knob *find_untold (int thread)
{
	struct ppi_knob *knob = ppi_knob_first ();

	while (knob &&
	       !(knob->untold && knob->record && (!knob->told_by || knob->told_by == thread)))
		knob = knob->next;
	return knob;
}

/* What THREAD was about to tell others may. */
static void leave_to_others (int thread)
{
	for (struct ppi_knob *knob = ppi_knob_first (); knob; knob = knob->next)
		if (knob->told_by == thread)
			knob->told_by = 0;
}

void ppi_knobs_tell (void)
{
	int saved = errno, thread = (int) gettid ();

	/* a setter may turn its own knob: then it is told again, but not for ever */
	for (int calls = 0; calls < 64; calls++) {
		struct ppi_knob *knob = NULL;
		union pp_abi_number value;
		pp_abi_turn_fn fn = NULL;

		ppi_lock ();
		if (!__atomic_load_n (&telling, __ATOMIC_ACQUIRE))
			knob = find_untold (thread);
		if (!knob || calls == 63)
			leave_to_others (thread);
		if (knob) {
			knob->untold = false;
			knob->told_by = 0;
			fn = knob->record->setter;
			value.i = ppi_load (&knob->record->value.i);
			teller = thread;
			__atomic_store_n (&telling, knob, __ATOMIC_RELAXED);
		}
		ppi_unlock ();
		/* whoever is calling one comes back and finds what was left */
		if (!knob)
			break;
		fn (&value);
		ppi_store (&knob->told_ns, ppi_now_ns ());
		__atomic_store_n (&telling, NULL, __ATOMIC_RELEASE);
	}
	errno = saved;
}

uint64_t ppi_knob_told_ns (const struct ppi_knob *knob, uint64_t now_ns)
{
	/* acquire pairs with the release above: who sees that the setter has returned sees when */
	if (__atomic_load_n (&telling, __ATOMIC_ACQUIRE) == knob || (knob->untold && knob->record))
		return now_ns;
	return ppi_load (&knob->told_ns);
}

void ppi_knob_wait_for_setter (const struct ppi_knob *knob)
{
	for (int i = 0; i < 1000 && __atomic_load_n (&telling, __ATOMIC_ACQUIRE) == knob; i++) {
		if (teller == (int) gettid ())
			return;
		usleep (1000);
	}
}

void ppi_knobs_forget_teller (void)
{
	telling = NULL;
}
