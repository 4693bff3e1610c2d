/* SPDX-License-Identifier: MIT */
/*
 * block_flight.c: entries of the flight recorder in blocks (block.c): what ppi_flight_put does
 * (thread/flight.h), in the same order of stores, which x86 keeps. A block never runs on a
 * handler's state.
 */
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/flight.h"

#include "block_gen.h"

#define THREAD(field) ((int32_t) offsetof (struct ppi_thread, field))
#define ENTRY(field) ((int32_t) offsetof (struct ppi_flight_entry, field))
#define NUMBER (THREAD (flight_next) + 4) /* of the next entry */

/* Where the thread has no ring yet, C makes it. */
void ppi_gen_flight_look (struct gen *g, enum reg temp)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, temp, RCX, HOT_THREAD);
	emit_mem_i8 (e, BITS_64, CMP_I, temp, THREAD (flight), 0);
	emit_if (e, IF_EQUAL, g->slow);
}

/* ENTRY = where the next entry of THREAD goes, which is no entry now. */
static void begin_entry (struct gen *g, enum reg entry, enum reg thread)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_32, LOAD, entry, thread, THREAD (flight_mask));
	emit_mem (e, BITS_32, AND, entry, thread, NUMBER);
	emit_mem (e, BITS_64, ADD, entry, thread, THREAD (flight));
	emit_store_i32 (e, BITS_64, entry, ENTRY (what), 0);
}

/* NUMBER is the entry's, as the thread has it, and lost. */
static void end_entry (struct gen *g, enum ppi_flight_kind kind, enum reg entry, enum reg number)
{
	struct emit *e = &g->e;

	emit_reg_i32 (e, BITS_64, OR_I, number,
		      (int64_t) PPI_FLIGHT_WHAT (kind, 0, g->plan->site->id));
	emit_mem (e, BITS_64, STORE, number, entry, ENTRY (what));
}

void ppi_gen_flight_begin (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RCX, RCX, HOT_THREAD);
	begin_entry (g, RAX, RCX);
	emit_mem (e, BITS_64, LOAD, RDX, RDX, FRAME_TICKS);
	emit_mem (e, BITS_64, STORE, RDX, RAX, ENTRY (word));
	emit_mem (e, BITS_64, LOAD, RDX, RCX, THREAD (flight_next));
	emit_mem_i8 (e, BITS_32, ADD_I, RCX, NUMBER, PPI_FLIGHT_NEXT >> 32);
	end_entry (g, PPI_FLIGHT_BEGIN, RAX, RDX);
}

/*
 * The place is taken later, where nothing can say no any more: until then C would write the same
 * there. The begin has made the ring.
 */
void ppi_gen_flight_end (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RSI, RCX, HOT_THREAD);
	begin_entry (g, RDX, RSI);
	emit_mem (e, BITS_64, STORE, RAX, RDX, ENTRY (word));
	emit_mem (e, BITS_64, LOAD, RSI, RSI, THREAD (flight_next));
	end_entry (g, PPI_FLIGHT_END, RDX, RSI);
}

void ppi_gen_flight_take (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RAX, RCX, HOT_THREAD);
	emit_mem_i8 (e, BITS_32, ADD_I, RAX, NUMBER, PPI_FLIGHT_NEXT >> 32);
}
