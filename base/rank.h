/* SPDX-License-Identifier: MIT */
/*
 * rank.h: the order of the library's locks, from the outermost in: who has one waits only for those
 * behind it. Sanitized builds, and those for debugging (without -O), stop the program where that is
 * not kept; in others this is nothing.
 */
#ifndef PPI_BASE_RANK_H
#define PPI_BASE_RANK_H

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined __OPTIMIZE__ ||        \
	defined PPI_CHECK_RANKS
#define PPI_RANKS_ARE_CHECKED 1
#else
#define PPI_RANKS_ARE_CHECKED 0
#endif

/*
 * lock, what it guards. Nobody ever waits for the first one. PAPI's module, which is loaded by
 * itself, has one of its own behind all of them.
 */
#define PPI_LOCKS(X)                                                                               \
	X (WRITING, "the channel that messages are written to")                                    \
	X (RENDERING, "the module that makes results of the program's own profile")                \
	X (SAMPLER, "the sampling profiler's threads and samples")                                 \
	X (RUNTIME, "registries: modules, sites, metrics, bindings, rules, checks, policies")      \
	X (THREAD, "whether the library's thread runs")                                            \
	X (FILE, "the recording's file")                                                           \
	X (UNWINDING, "objects that stacks are unwound through")

enum ppi_rank {
#define X(id, what) PPI_RANK_##id,
	PPI_LOCKS (X)
#undef X
		PPI_RANKS
};

#if PPI_RANKS_ARE_CHECKED
extern __thread unsigned ppi_ranks_held; /* bit R: rank R */

/* The calling thread waits for a lock of RANK, and then has it. */
static inline void ppi_rank_take (enum ppi_rank rank)
{
	if (ppi_ranks_held >> rank)
		__builtin_trap ();
	ppi_ranks_held |= 1u << rank;
}

/* It has it without having waited. */
static inline void ppi_rank_got (enum ppi_rank rank)
{
	ppi_ranks_held |= 1u << rank;
}

static inline void ppi_rank_give (enum ppi_rank rank)
{
	ppi_ranks_held &= ~(1u << rank);
}

/* In a child of fork, which is alone: it waits for nobody, whatever its parent's thread had. */
static inline void ppi_ranks_forget (void)
{
	ppi_ranks_held = 0;
}
#else
static inline void ppi_rank_take (enum ppi_rank rank)
{
	(void) rank;
}

static inline void ppi_rank_got (enum ppi_rank rank)
{
	(void) rank;
}

static inline void ppi_rank_give (enum ppi_rank rank)
{
	(void) rank;
}

static inline void ppi_ranks_forget (void)
{
}
#endif

#endif
