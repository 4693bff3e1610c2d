/* SPDX-License-Identifier: MIT */
/*
 * flight.h: a thread's ring of the flight recorder (recording/flight.h), as its owner writes it. A
 * handler that interrupted a marker has another thread state, and so another ring: nobody else
 * writes to one. Where it lies, how large it is and which number comes next is in private memory.
 *
 * At markers, with the thread entered: general registers only, no lock, no system call but those of
 * a thread's first memory.
 */
#ifndef PPI_THREAD_FLIGHT_H
#define PPI_THREAD_FLIGHT_H

#include "base/atomic.h"
#include "libmetrics/thread/thread.h"
#include "recording/flight.h"

/* How many entries a ring has that is made from now on: a power of two. Atomic. */
extern uint32_t ppi_flight_entries PPI_HIDDEN;

/* The ring of a thread that has none. Where there is no room, counted, what it writes is lost. */
PPI_HIDDEN void ppi_flight_make (struct ppi_thread *t);
/* The chunk of T's ring, any thread's; NULL: it has none. */
PPI_HIDDEN struct ppi_flight_chunk *ppi_flight_chunk_of (const struct ppi_thread *t);
/* The state has become another thread's: what is in the ring is none of its own. */
PPI_HIDDEN void ppi_flight_attach (struct ppi_thread *t);
/* The thread runs on a stack that is not its own: what begins and ends need not nest. */
PPI_HIDDEN void ppi_flight_note_stacks (struct ppi_thread *t);

/* From the number of an entry to the next one's, as struct ppi_thread has it. */
#define PPI_FLIGHT_NEXT ((uint64_t) sizeof (struct ppi_flight_entry) << 32)

/* WHAT: PPI_FLIGHT_WHAT. */
static inline void ppi_flight_put (struct ppi_thread *t, uint32_t what, uint64_t word)
{
	struct ppi_flight_entry *e;
	uint64_t number;

	if (ppi_unlikely (!t->flight))
		ppi_flight_make (t);
	number = t->flight_next;
	e = (void *) ((char *) t->flight + ((number >> 32) & t->flight_mask));
	ppi_store (&e->what, 0);
	/*
	 * release, both: who finds the word finds that it is another's, and who finds WHAT the word
	 */
	__atomic_store_n (&e->word, word, __ATOMIC_RELEASE);
	__atomic_store_n (&e->what, number | what, __ATOMIC_RELEASE);
	t->flight_next = number + PPI_FLIGHT_NEXT;
}

/* The frame F is dropped: what it is of will have no end. */
PPI_HIDDEN void ppi_flight_drop (struct ppi_thread *t, const struct ppi_frame *f);

#endif
