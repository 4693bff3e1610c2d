/* SPDX-License-Identifier: MIT */
/*
 * perf_page.c: see perf_page.h; the protocol is that of linux/perf_event.h, struct
 * perf_event_mmap_page.
 */
#include "stdmetrics/perf_page.h"

/* A page that changes this often within one reading is left to the kernel. */
#define TRIES 64

#define barrier() __atomic_signal_fence (__ATOMIC_SEQ_CST)

/* How long ago the kernel noted enabled and running, in ns, by the tick counter. */
static uint64_t since_noted (const volatile struct perf_event_mmap_page *page, uint64_t ticks)
{
	uint16_t shift = page->time_shift;
	uint64_t multiplier = page->time_mult, whole, rest;

	if (page->cap_user_time_short)
		ticks = page->time_cycles + ((ticks - page->time_cycles) & page->time_mask);
	whole = ticks >> shift;
	rest = ticks & ((UINT64_C (1) << shift) - 1);
	return page->time_offset + whole * multiplier + ((rest * multiplier) >> shift);
}

/* The counter has WIDTH bits, of which the highest is a sign: the kernel adds it to an offset. */
static uint64_t sign_extended (uint64_t raw, uint16_t width)
{
	unsigned unused = width >= 1 && width < 64 ? 64u - width : 0;

	return (uint64_t) ((int64_t) (raw << unused) >> unused);
}

bool ppi_perf_page_read (const volatile struct perf_event_mmap_page *page,
			 const struct ppi_perf_cpu *cpu, struct ppi_perf_count *out)
{
	for (int i = 0; i < TRIES; i++) {
		uint32_t lock = page->lock, index;
		uint64_t passed;

		barrier ();
		/* without the time nobody could say whether counters take turns */
		if (!page->cap_user_rdpmc || !page->cap_user_time || page->time_shift > 63)
			return false;
		index = page->index;
		out->value = (uint64_t) page->offset;
		if (index)
			out->value += sign_extended (cpu->counter (index - 1), page->pmc_width);
		passed = since_noted (page, cpu->ticks ());
		out->enabled_ns = page->time_enabled + passed;
		out->running_ns = page->time_running + (index ? passed : 0);
		barrier ();
		if (page->lock == lock)
			return true;
	}
	return false;
}

bool ppi_perf_between (const struct ppi_perf_count *begin, const struct ppi_perf_count *end,
		       int64_t *count, uint64_t *share_ns, uint64_t *whole_ns)
{
	uint64_t counted = end->value - begin->value, whole = end->enabled_ns - begin->enabled_ns,
		 share = end->running_ns - begin->running_ns;

	*share_ns = share;
	*whole_ns = whole;
	if (share >= whole) {
		*count = (int64_t) counted;
		return true;
	}
	if (!share)
		return false;
	*count = (int64_t) ((__extension__(unsigned __int128) counted * whole + share / 2) / share);
	return true;
}
