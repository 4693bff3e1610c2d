/* SPDX-License-Identifier: MIT */
/*
 * handler.c: what runs in the interrupted thread. It takes no lock, allocates nothing, calls no
 * unwinder and nothing of libc that does. Two system calls, and seldom a third: the thread's clock,
 * and the copy of the stack, which is one so that a stack that ends early, or is none, harms
 * nobody. Nothing here is instrumented by sanitizers: they would look at a stack that is not theirs
 * to judge.
 */
#include "profiler/sampler/raw.h"

#include "base/profile.h"
#include "profiler/sampler/event.h"
#include "base/peek.h"

#include <errno.h>
#include <time.h>
#include <ucontext.h>

/* One sample in so many is looked at for what it costs, the first too. */
#define COST_LOOKS 8u

#define PLAIN __attribute__ ((no_sanitize ("address", "thread", "undefined")))

struct ppi_raw_ring *ppi_rings[PPI_SLOTS];
uint32_t ppi_samples_paused;
uint32_t ppi_samples_open;

#if defined __x86_64__
PLAIN static void take_registers (const ucontext_t *context, struct ppi_registers *out)
{
	static const int of_dwarf[PPI_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					       REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	for (int i = 0; i < PPI_REGS; i++)
		out->value[i] = (uint64_t) context->uc_mcontext.gregs[of_dwarf[i]];
	out->known = (1u << PPI_REGS) - 1;
}
#else
PLAIN static void take_registers (const ucontext_t *context, struct ppi_registers *out)
{
	(void) context;
	out->known = 0;
}
#endif

PLAIN static uint64_t now (clockid_t clock)
{
	struct timespec t = {0, 0};

	clock_gettime (clock, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* What is behind AT in the ring is not used: the reader goes on at its front. */
PLAIN static void end_at (struct ppi_raw_ring *ring, uint64_t at)
{
	/* at a multiple of 8, and so is the end: there is room for a word */
	__atomic_store_n ((uint32_t *) (void *) (ring->data + at), 0u, __ATOMIC_RELEASE);
}

/*
 * Where all was read the ring begins at its front again, whose pages are there and in the caches: a
 * page fault takes longer than all the rest. The reader moves the tail only where it is not the
 * head, and knows that it may be moved here (ppi_ring_first).
 */
PLAIN static uint64_t begin_at_front (struct ppi_raw_ring *ring, uint64_t head)
{
	uint64_t at = head % PPI_RING_BYTES;

	if (!at)
		return head;
	end_at (ring, at);
	head += PPI_RING_BYTES - at;
	__atomic_store_n (&ring->head, head, __ATOMIC_RELEASE);
	__atomic_store_n (&ring->tail, head, __ATOMIC_RELEASE);
	return head;
}

/*
 * So many bytes of a stack from SP on are copied. Behind its end there may be anything, and copies
 * of that would fill the ring.
 */
PLAIN static uint32_t stack_bytes (const struct ppi_raw_ring *ring, uint64_t sp)
{
	/*
	 * another stack's end is below SP, or far above; or above the own one: more is copied then
	 */
	uint64_t there = __atomic_load_n (&ring->base, __ATOMIC_RELAXED) - sp;

	return there < PPI_RAW_STACK_BYTES ? (uint32_t) there : PPI_RAW_STACK_BYTES;
}

/*
 * Room for an entry with so many bytes behind its head, in one piece; NULL: there is none. HEAD is
 * where it begins.
 */
PLAIN static struct ppi_raw *room (struct ppi_raw_ring *ring, uint64_t *head, uint32_t behind)
{
	const uint32_t most = ppi_raw_whole ((uint32_t) sizeof (struct ppi_raw) + behind);
	/* acquire: the reader is done with what was there */
	uint64_t tail = __atomic_load_n (&ring->tail, __ATOMIC_ACQUIRE), at, skip = 0;

	if (tail == *head)
		tail = *head = begin_at_front (ring, *head);
	at = *head % PPI_RING_BYTES;
	if (PPI_RING_BYTES - at < most)
		skip = PPI_RING_BYTES - at;
	if (*head + skip + most - tail > PPI_RING_BYTES)
		return NULL;
	if (skip) {
		end_at (ring, at);
		*head += skip;
	}
	return (struct ppi_raw *) (void *) (ring->data + *head % PPI_RING_BYTES);
}

/* They are read as another thread's are, and then kept as short as the ring wants them. */
PLAIN void ppi_raw_take_open (struct ppi_raw *raw, const struct ppi_thread *t)
{
	struct ppi_raw_open *out = ppi_raw_opened (raw);
	struct ppi_open *open = (struct ppi_open *) (void *) out;
	struct ppi_changes changes = {0};

	raw->open = 0;
	raw->older = 0;
	if (t) {
		raw->open = ppi_marks_read (t, open, PPI_RAW_OPEN, &raw->older);
		changes = ppi_marks_changes (t);
	}
	raw->changes = changes.all;
	raw->by_c = changes.by_c;
	if (raw->open < 0)
		raw->open = PPI_RAW_TORN;
	for (int i = 0; i < raw->open; i++) {
		/* they lie one over the other, and each is shorter than what it is made of */
		const struct ppi_raw_open one = {open[i].what, open[i].payload};

		__builtin_memcpy ((char *) out + (size_t) i * sizeof one, &one, sizeof one);
	}
}

PLAIN static void note_cost (struct ppi_raw_ring *ring, uint64_t ns)
{
	uint64_t before = __atomic_load_n (&ring->cost_ns, __ATOMIC_RELAXED);

	__atomic_store_n (&ring->cost_ns, ppi_raw_cost (before, ns), __ATOMIC_RELAXED);
}

/* Of the thread that is interrupted, though a handler of the program's was at a marker. */
PLAIN static const struct ppi_thread *state_of_self (void)
{
	const struct ppi_thread *t = ppi_thread_self ();

	return t && ppi_load (&t->owner) ? ppi_load (&t->owner) : t;
}

PLAIN static uint32_t bytes_of (const struct ppi_raw *raw)
{
	uint32_t bytes = ppi_raw_whole ((uint32_t) sizeof *raw + raw->stack_bytes);

	return raw->open > 0
		       ? bytes + (uint32_t) raw->open * (uint32_t) sizeof (struct ppi_raw_open)
		       : bytes;
}

PLAIN static void take_sample (struct ppi_raw_ring *ring, const siginfo_t *info,
			       const ucontext_t *context)
{
	uint64_t head = __atomic_load_n (&ring->head, __ATOMIC_RELAXED), cpu_ns;
	bool wants_open = __atomic_load_n (&ppi_samples_open, __ATOMIC_RELAXED);
	uint32_t bytes, wanted;
	struct ppi_registers registers;
	struct ppi_raw *raw;

	take_registers (context, &registers);
	wanted = stack_bytes (ring, registers.value[PPI_REG_SP]);
	raw = room (ring, &head,
		    ppi_raw_whole (wanted) + (wants_open ? (uint32_t) PPI_RAW_OPEN_BYTES : 0));

	if (!raw) {
		__atomic_store_n (&ring->full, __atomic_load_n (&ring->full, __ATOMIC_RELAXED) + 1,
				  __ATOMIC_RELAXED);
		return;
	}
	raw->ns = now (CLOCK_MONOTONIC);
	__atomic_store_n (&ppi_looked_ns, raw->ns, __ATOMIC_RELAXED);
	cpu_ns = now (CLOCK_THREAD_CPUTIME_ID);
	raw->at_ns = cpu_ns - __atomic_load_n (&ring->left_out_ns, __ATOMIC_RELAXED);
	raw->overrun =
		info->si_code == SI_TIMER && info->si_overrun > 0 ? (uint32_t) info->si_overrun : 0;
	raw->open = PPI_RAW_UNASKED;
	raw->registers = registers;
	raw->stack_bytes =
		(uint32_t) ppi_peek_by ((pid_t) __atomic_load_n (&ring->tid, __ATOMIC_RELAXED),
					registers.value[PPI_REG_SP], raw->stack, wanted);
	if (wants_open)
		ppi_raw_take_open (raw, state_of_self ());
	bytes = bytes_of (raw);
	__atomic_store_n (&raw->bytes, bytes, __ATOMIC_RELEASE);
	/* the clock is a system call */
	if (__atomic_load_n (&ring->seen, __ATOMIC_RELAXED) % COST_LOOKS == 1)
		note_cost (ring, now (CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
	/* release: the entry is whole */
	__atomic_store_n (&ring->head, head + bytes, __ATOMIC_RELEASE);
}

/*
 * Only a timer of ours has a number of a slot in its value, and only an event the descriptor of
 * one, also the last that it was asked for (HUP). Whoever else sends the signal is not answered: it
 * had no handler, and its default was to do nothing, or the program would not be there.
 */
PLAIN static int slot_of (const siginfo_t *info)
{
	if (info->si_code == SI_TIMER)
		return info->si_value.sival_int;
	return info->si_code == POLL_IN || info->si_code == POLL_HUP ? ppi_event_slot (info->si_fd)
								     : -1;
}

PLAIN void ppi_sample_handler (int number, siginfo_t *info, void *context)
{
	int saved = errno, slot = slot_of (info);
	struct ppi_raw_ring *ring;

	(void) number;
	if (slot >= 0 && (unsigned) slot < PPI_SLOTS) {
		ring = __atomic_load_n (&ppi_rings[slot], __ATOMIC_ACQUIRE);
		if (ring) {
			__atomic_store_n (&ring->seen,
					  __atomic_load_n (&ring->seen, __ATOMIC_RELAXED) + 1,
					  __ATOMIC_RELAXED);
			/* acquire: what was left out in the pause is known */
			if (!__atomic_load_n (&ppi_samples_paused, __ATOMIC_ACQUIRE))
				take_sample (ring, info, context);
			__atomic_store_n (&ring->left,
					  __atomic_load_n (&ring->seen, __ATOMIC_RELAXED),
					  __ATOMIC_RELEASE);
		}
	}
	errno = saved;
}

/* ---- the reader ------------------------------------------------------------------------------ */

/*
 * The handler moves the tail where it is the head, and only then writes beyond what the old one
 * allows: what was read at a tail is what lies there if it is still the tail afterwards.
 */
const struct ppi_raw *ppi_ring_first (struct ppi_raw_ring *ring)
{
	for (;;) {
		/* acquire: entries before it are whole */
		uint64_t head = __atomic_load_n (&ring->head, __ATOMIC_ACQUIRE),
			 tail = __atomic_load_n (&ring->tail, __ATOMIC_ACQUIRE);
		const struct ppi_raw *raw = (const void *) (ring->data + tail % PPI_RING_BYTES);
		uint32_t bytes;

		/* the tail is the newer of both where the handler has moved both meanwhile */
		if (tail >= head)
			return NULL;
		bytes = __atomic_load_n (&raw->bytes, __ATOMIC_ACQUIRE);
		if (tail != __atomic_load_n (&ring->tail, __ATOMIC_ACQUIRE))
			continue;
		if (bytes)
			return raw;
		__atomic_compare_exchange_n (&ring->tail, &tail,
					     tail + PPI_RING_BYTES - tail % PPI_RING_BYTES, false,
					     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
}

void ppi_ring_pop (struct ppi_raw_ring *ring, const struct ppi_raw *raw)
{
	__atomic_store_n (&ring->tail, __atomic_load_n (&ring->tail, __ATOMIC_RELAXED) + raw->bytes,
			  __ATOMIC_RELEASE);
}

void ppi_ring_note_end (struct ppi_raw_ring *ring, const struct ppi_raw *raw, uint64_t end)
{
	uint64_t base = __atomic_load_n (&ring->base, __ATOMIC_RELAXED),
		 copied = raw->registers.value[PPI_REG_SP] + raw->stack_bytes;

	if (!end && copied == base)
		base = UINT64_MAX;
	else if (end > base)
		base = end;
	__atomic_store_n (&ring->base, base, __ATOMIC_RELAXED);
}
