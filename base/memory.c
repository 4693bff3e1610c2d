/* SPDX-License-Identifier: MIT */
/* memory.c: see memory.h. */
#include "base/memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BLOCK_MOST = 512 << 10, PAGE = 4096, ALIGN = _Alignof(max_align_t) };

static char *block, *block_end;
static size_t block_bytes = PPI_FOR_GOOD_MOST; /* of the next */

void *ppi_calloc_at_once (size_t bytes)
{
	char *made = calloc (1, bytes);
#ifdef MADV_POPULATE_WRITE
	uintptr_t from = ((uintptr_t) made + PAGE - 1) & ~(uintptr_t) (PAGE - 1),
		  end = (uintptr_t) made + bytes;
	int saved = errno;

	/* kernels before 5.14 don't know it, and nothing is lost */
	if (made && bytes >= BLOCK_MOST)
		madvise ((void *) from, (end & ~(uintptr_t) (PAGE - 1)) - from,
			 MADV_POPULATE_WRITE);
	errno = saved;
#endif
	return made;
}

void ppi_fill_at_once (const void *from, const void *end)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t first = (uintptr_t) from & ~(uintptr_t) (PAGE - 1);
	int saved = errno;

	if (end > from && (uintptr_t) end - first >= BLOCK_MOST)
		madvise ((void *) first, (uintptr_t) end - first, MADV_POPULATE_WRITE);
	errno = saved;
#else
	(void) from;
	(void) end;
#endif
}

/* Each block is twice as large as the last one, so no more than half is ever spare. */
void *ppi_calloc_for_good (size_t bytes)
{
	size_t size = (bytes + ALIGN - 1) & ~(size_t) (ALIGN - 1);
	void *at;

	if (size > PPI_FOR_GOOD_MOST)
		return calloc (1, bytes);
	if (size > (size_t) (block_end - block)) {
		at = ppi_calloc_at_once (block_bytes);
		if (!at)
			return NULL;
		block = at;
		block_end = block + block_bytes;
		block_bytes = block_bytes < BLOCK_MOST ? block_bytes * 2 : block_bytes;
	}
	at = block;
	block += size;
	return at;
}

void *ppi_list_reach (void *list, size_t n, size_t *room, size_t bytes)
{
	size_t more = *room ? 2 * *room : 64;

	if (n < *room)
		return list;
	list = reallocarray (list, more, bytes);
	if (list)
		*room = more;
	return list;
}

bool ppi_pages_reach (struct ppi_pages *pages, size_t bytes)
{
	size_t room = pages->room ? pages->room : 65536;
	void *at;

	if (bytes <= pages->room)
		return true;
	if (bytes > PTRDIFF_MAX)
		return false;
	while (room < bytes)
		room *= 2;
	at = pages->at ? mremap (pages->at, pages->room, room, MREMAP_MAYMOVE)
		       : mmap (NULL, room, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	*pages = (struct ppi_pages){at, room};
	return true;
}

void ppi_pages_free (struct ppi_pages *pages)
{
	if (pages->at)
		munmap (pages->at, pages->room);
	*pages = (struct ppi_pages){NULL, 0};
}
