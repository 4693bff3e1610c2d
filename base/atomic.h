/* SPDX-License-Identifier: MIT */
/*
 * atomic.h: how memory that several threads look at is read and written, and what the compiler is
 * told.
 */
#ifndef PPI_BASE_ATOMIC_H
#define PPI_BASE_ATOMIC_H

#define PPI_HIDDEN __attribute__ ((visibility ("hidden")))

#define ppi_likely(x) __builtin_expect (!!(x), 1)

#define ppi_unlikely(x) __builtin_expect (!!(x), 0)

/*
 * Readers look at these from other threads; the owner's stores are relaxed atomics and cost what
 * plain ones cost.
 */
#define ppi_load(p) __atomic_load_n (p, __ATOMIC_RELAXED)

#define ppi_store(p, v) __atomic_store_n (p, v, __ATOMIC_RELAXED)

/*
 * The compiler must not move the owner's stores across; only the owner's own signal handlers depend
 * on the order.
 */
#define ppi_compiler_barrier() __atomic_signal_fence (__ATOMIC_SEQ_CST)

#endif
