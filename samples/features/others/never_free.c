/* SPDX-License-Identifier: MIT */
/*
 * never_free.c: what an allocator could gain at most. Memory is the next piece of a large one, and is
 * never given back. For programs with one thread that end soon: LD_PRELOAD.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 16, PIECE = 64 << 20 };

static char *at, *end;

static size_t *size_of (void *memory)
{
	return (size_t *) (void *) ((char *) memory - HEAD);
}

void *malloc (size_t size)
{
	size_t room = (size + HEAD + HEAD - 1) & ~(size_t) (HEAD - 1);
	size_t piece = room > PIECE ? room : PIECE;
	char *memory;

	if (size > PTRDIFF_MAX / 2) {
		errno = ENOMEM;
		return NULL;
	}
	if (at == NULL || (size_t) (end - at) < room) {
		at = mmap (NULL, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED) {
			at = NULL;
			return NULL;
		}
		end = at + piece;
	}
	memory = at + HEAD;
	at += room;
	*size_of (memory) = size;
	return memory;
}

void free (void *memory)
{
	(void) memory;
}

/* What is new is zero. */
void *calloc (size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow (n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return malloc (all);
}

void *realloc (void *memory, size_t size)
{
	void *larger = malloc (size);

	if (larger == NULL || memory == NULL)
		return larger;
	memcpy (larger, memory, *size_of (memory) < size ? *size_of (memory) : size);
	return larger;
}
