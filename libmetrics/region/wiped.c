/* SPDX-License-Identifier: MIT */
/* wiped.c: see wiped.h. */
#include "libmetrics/region/wiped.h"

#include "base/atomic.h"

#include <pp.h>
#include <sys/mman.h>

static uint32_t never_alive;

uint32_t *ppi_alive = &never_alive;

void *ppi_lines;

/*
 * Memory of the process's own that the kernel wipes in children. Kernels before 4.14 can't: only
 * fork through pthread_atfork is noticed there.
 */
static void *wiped_in_children (size_t bytes)
{
	void *p = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise (p, bytes, MADV_WIPEONFORK);
	return p;
}

int ppi_wiped_init (void)
{
	static uint32_t *word;

	if (!word)
		word = wiped_in_children (4096);
	if (!ppi_lines)
		ppi_lines = wiped_in_children (PPI_LINES * PPI_LINE_BYTES);
	if (!word || !ppi_lines)
		return PP_ENOMEM;
	ppi_store (word, 1);
	__atomic_store_n (&ppi_alive, word, __ATOMIC_RELEASE);
	return PP_OK;
}
