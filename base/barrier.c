/* SPDX-License-Identifier: MIT */
/* barrier.c: see barrier.h. */
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int membarrier (int command)
{
	return (int) syscall (SYS_membarrier, command, 0, 0);
}

void ppi_barrier (void)
{
	size_t bytes = (size_t) sysconf (_SC_PAGESIZE);
	static int registered; /* 1 yes, -1 the kernel has none */

	if (!registered)
		registered = membarrier (MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) == 0
				     ? 1
				     : -1;
	if (registered > 0 && membarrier (MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0)
		return;
	/*
	 * taking a page's permission away interrupts every core that runs this process: the
	 * interrupt's return serialises
	 */
	void *page = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED) {
		*(volatile char *) page = 1;
		mprotect (page, bytes, PROT_NONE);
		munmap (page, bytes);
	}
}
