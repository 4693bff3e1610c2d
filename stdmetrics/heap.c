/* SPDX-License-Identifier: MIT */
/*
 * heap.c: heap_allocs and heap_bytes, what the calling thread asked of the malloc family.
 *
 * Nothing is in the way of malloc until such a metric is bound somewhere. Then the entries for the
 * malloc family in the loaded objects' global offset tables are pointed at the wrappers below,
 * which call the real function and count:
 *
 *      GOT of prog, of libstdc++, of libc ...          before          after
 *        malloc                                        libc:malloc     counted_malloc ──► libc:malloc, thread's count + 1
 *
 * and back again when none is bound any more. Why so: malloc functions exported by libpp would take
 * malloc's place in every program for ever, and fight with ASan's, jemalloc's or tcmalloc's; glibc
 * has no hooks any more; its statistics are per arena, not per thread. Where an entry does not lead
 * to the process's malloc, it is left alone (got.c), so that memory always returns to the allocator
 * it came from; free is not touched at all.
 *
 * Counted are malloc, calloc, realloc, reallocarray, memalign, aligned_alloc, posix_memalign,
 * valloc, pvalloc and C++'s operators new that succeeded, whoever calls them through a GOT; one
 * that calls another counts once. Bytes are those asked for; a realloc counts as an allocation of
 * its whole new size. Not seen are calls through pointers that a program took before, and objects
 * loaded since the last ppi_heap_rescan. In a statically linked program there is no table to
 * change: unavailable.
 */
#include "stdmetrics/got.h"
#include "stdmetrics/stdmetrics.h"

#include <stdio.h>
#include <stdlib.h>

struct counts {
	uint64_t allocs, bytes;
};

static __thread struct counts counts __attribute__ ((tls_model ("initial-exec")));

/*
 * The wrappers run wherever malloc does, in threads too that a sanitizer has not prepared yet: they
 * are not instrumented. Between BEFORE and the count nothing may have counted the same memory
 * already (operator new → malloc).
 */
#define WRAPPER __attribute__ ((no_sanitize ("thread", "address", "undefined")))

WRAPPER static inline __attribute__ ((always_inline)) void count (uint64_t before,
								  const void *memory, size_t bytes)
{
	if (memory && counts.allocs == before) {
		counts.allocs++;
		counts.bytes += bytes;
	}
}

/*
 * function, its name in C, its parameters, their names, the bytes asked for. A product of a call
 * that succeeded did not overflow.
 */
#define ALLOCATORS(X)                                                                              \
	X (malloc, malloc, (size_t bytes), (bytes), bytes)                                         \
	X (calloc, calloc, (size_t n, size_t bytes), (n, bytes), n *bytes)                         \
	X (realloc, realloc, (void *memory, size_t bytes), (memory, bytes), bytes)                 \
	X (reallocarray, reallocarray, (void *memory, size_t n, size_t bytes), (memory, n, bytes), \
	   n *bytes)                                                                               \
	X (memalign, memalign, (size_t alignment, size_t bytes), (alignment, bytes), bytes)        \
	X (aligned_alloc, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes),     \
	   bytes)                                                                                  \
	X (operator_new, _Znwm, (size_t bytes), (bytes), bytes)                                    \
	X (operator_new_array, _Znam, (size_t bytes), (bytes), bytes)                              \
	X (nothrow_new, _ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), bytes) \
	X (nothrow_new_array, _ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag),  \
	   bytes)                                                                                  \
	X (aligned_new, _ZnwmSt11align_val_t, (size_t bytes, size_t alignment),                    \
	   (bytes, alignment), bytes)                                                              \
	X (aligned_new_array, _ZnamSt11align_val_t, (size_t bytes, size_t alignment),              \
	   (bytes, alignment), bytes)                                                              \
	X (aligned_nothrow_new, _ZnwmSt11align_val_tRKSt9nothrow_t,                                \
	   (size_t bytes, size_t alignment, const void *tag), (bytes, alignment, tag), bytes)      \
	X (aligned_nothrow_new_array, _ZnamSt11align_val_tRKSt9nothrow_t,                          \
	   (size_t bytes, size_t alignment, const void *tag), (bytes, alignment, tag), bytes)      \
	X (valloc, valloc, (size_t bytes), (bytes), bytes)                                         \
	X (pvalloc, pvalloc, (size_t bytes), (bytes), bytes)

enum {
#define X(id, ...) HOOK_##id,
	ALLOCATORS (X)
#undef X
		HOOK_posix_memalign,
	HOOKS
};
/* the real functions are known before any wrapper can run */
static struct ppi_got_hook hooks[HOOKS];

/* An exception of operator new passes through: there is nothing to clean up. */
#define X(id, name, parameters, arguments, size)                                                   \
	WRAPPER static void *counted_##id parameters                                               \
	{                                                                                          \
		void *(*real) parameters = __extension__(void *(*) parameters)                     \
			__atomic_load_n (&hooks[HOOK_##id].real, __ATOMIC_RELAXED);                \
		uint64_t before = counts.allocs;                                                   \
		void *result = real arguments;                                                     \
                                                                                                   \
		count (before, result, size);                                                      \
		return result;                                                                     \
	}
ALLOCATORS (X)
#undef X

WRAPPER static int counted_posix_memalign (void **out, size_t alignment, size_t bytes)
{
	int (*real) (void **, size_t, size_t) = __extension__(int (*) (void **, size_t, size_t))
		__atomic_load_n (&hooks[HOOK_posix_memalign].real, __ATOMIC_RELAXED);
	uint64_t before = counts.allocs;
	int error = real (out, alignment, bytes);

	if (error == 0)
		count (before, *out, bytes);
	return error;
}

static struct ppi_got_hook hooks[HOOKS] = {
#define X(id, name, ...) {#name, (void *) counted_##id, NULL},
	ALLOCATORS (X)
#undef X
		{"posix_memalign", (void *) counted_posix_memalign, NULL},
};

static unsigned users; /* metrics that are measured; atomic, written with the runtime's lock */

uint64_t ppi_heap_allocs (void)
{
	return counts.allocs;
}

void ppi_heap_rescan (void)
{
	if (__atomic_load_n (&users, __ATOMIC_RELAXED) > 0 && ppi_got_changed ())
		(void) ppi_got_hook (hooks, HOOKS);
}

static int open_heap (struct ppi_source_instance *instance, char *why, size_t room)
{
	(void) instance;
	if (ppi_got_count (hooks, HOOKS) > 0)
		return 0;
	snprintf (why, room,
		  "heap allocations can't be seen in this program: no loaded object calls malloc "
		  "through a table that can be changed (statically linked?)");
	return PP_EUNAVAILABLE;
}

static void use_heap (struct ppi_source_instance *instance, bool on)
{
	(void) instance;
	/*
	 * the count first, so that a rescan in another thread does not leave out what is loaded
	 * meanwhile
	 */
	__atomic_store_n (&users, on ? users + 1 : users - 1, __ATOMIC_RELAXED);
	if (on)
		(void) ppi_got_hook (hooks, HOOKS);
	else if (users == 0)
		ppi_got_unhook (hooks, HOOKS);
}

static int read_allocs (struct ppi_source_instance *instance, uint64_t *now)
{
	(void) instance;
	*now = counts.allocs;
	return 0;
}

static int read_bytes (struct ppi_source_instance *instance, uint64_t *now)
{
	(void) instance;
	*now = counts.bytes;
	return 0;
}

const struct ppi_source ppi_source_heap_allocs = {
	.name = "heap_allocs",
	.help = "allocations by the calling thread: malloc, calloc, realloc and their kin",
	PPI_COUNTER (PLAIN, 1, MEMORY),
	.open = open_heap,
	.use = use_heap,
	.read = read_allocs,
};

const struct ppi_source ppi_source_heap_bytes = {
	.name = "heap_bytes",
	.help = "bytes the calling thread asked malloc and its kin for",
	PPI_COUNTER (BYTES, 1, MEMORY),
	.open = open_heap,
	.use = use_heap,
	.read = read_bytes,
};
