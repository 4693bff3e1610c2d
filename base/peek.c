/* SPDX-License-Identifier: MIT */
/*
 * peek.c: see peek.h. process_vm_readv of the process itself: what is not mapped ends it, and no
 * other thread is in its way.
 */
#include "base/peek.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, PIECES = 8 };

/* A piece that is not all there is not copied at all, so there is one for each page. */
static size_t peek_pages (pid_t thread, uint64_t at, void *out, size_t bytes)
{
	struct iovec local = {out, bytes}, remote[PIECES];
	size_t n = 0, given = 0, piece;
	long got;

	while (given < bytes && n < PIECES) {
		piece = PAGE - (at + given) % PAGE;
		piece = n + 1 == PIECES || piece > bytes - given ? bytes - given : piece;
		remote[n++] = (struct iovec){(void *) (uintptr_t) (at + given), piece};
		given += piece;
	}
	/* any thread of this process, and a child of vfork, the kernel takes for it */
	got = syscall (SYS_process_vm_readv, (long) thread, &local, 1L, remote, (long) n, 0L);
	return got > 0 ? (size_t) got : 0;
}

size_t ppi_peek_by (pid_t thread, uint64_t at, void *out, size_t bytes)
{
	int saved = errno;
	size_t got = bytes ? peek_pages (thread, at, out, bytes) : 0;

	errno = saved;
	return got;
}

size_t ppi_peek (uint64_t at, void *out, size_t bytes)
{
	return ppi_peek_by (getpid (), at, out, bytes);
}

bool ppi_peek_is_permitted (void)
{
	volatile uint64_t from = 0x5a5a, to = 0;

	return ppi_peek ((uintptr_t) &from, (void *) (uintptr_t) &to, sizeof to) == sizeof to &&
	       to == from;
}
