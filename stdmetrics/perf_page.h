/* SPDX-License-Identifier: MIT */
/*
 * perf_page.h: reads a hardware counter in user mode by the page that the kernel maps for it
 * (perf_event_open(2), "rdpmc").
 *
 * The kernel changes the page when it puts the counter on the processor, takes it off, or moves the
 * thread, and raises LOCK each time: what was read under two different values of it is thrown away.
 * Index 0: it is not on the processor just now, and OFFSET is all there is.
 */
#ifndef PPI_PERF_PAGE_H
#define PPI_PERF_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_perf_count {
	uint64_t value;
	/* since it was opened; the second is less where counters take turns */
	uint64_t enabled_ns, running_ns;
};

/* What differs between the processor and a test. */
struct ppi_perf_cpu {
	uint64_t (*counter) (uint32_t index); /* rdpmc */
	uint64_t (*ticks) (void);             /* rdtsc */
};

/*
 * false: it has to be read by the kernel (the page does not allow it, or changes all the time). Of
 * the counter's own thread only.
 */
bool ppi_perf_page_read (const volatile struct perf_event_mmap_page *page,
			 const struct ppi_perf_cpu *cpu, struct ppi_perf_count *out);

/*
 * What was counted between two readings, as if the counter had been there all the time. false: it
 * was not there at all. *SHARE_NS: how long it was, *WHOLE_NS: of how much.
 */
bool ppi_perf_between (const struct ppi_perf_count *begin, const struct ppi_perf_count *end,
		       int64_t *count, uint64_t *share_ns, uint64_t *whole_ns);

#endif
