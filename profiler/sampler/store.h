/* SPDX-License-Identifier: MIT */
/*
 * store.h: what becomes of samples in the recording: frames, objects and samples in chunks of the
 * live region (recording/layout.h). What leads from one to the other is kept in private memory; the
 * region is only written, by words, for the library's thread copies it meanwhile. Whoever calls has
 * the sampler's lock (sampler.h).
 */
#ifndef PPI_SAMPLER_STORE_H
#define PPI_SAMPLER_STORE_H

#include "base/atomic.h"
#include "libmetrics/thread/mark.h"
#include "profiler/sampler/raw.h"
#include "profiler/sampler/unwind.h"
#include "recording/layout_profile.h"

#include <stdbool.h>
#include <stdint.h>

/* What a sample saw. */
struct ppi_view {
	uint32_t frame, open, flags;
};

/* Where a thread's samples go. Zeroed before the first. */
struct ppi_store_thread {
	struct ppi_profile_samples_chunk *chunk;
	uint32_t samples, room;
	struct ppi_view last[2]; /* what its newest samples of the chunk saw, the newest first */
	uint32_t periods;        /* of the newest */
	uint64_t told_apart;     /* ppi_told_apart as of the newest */
};

struct ppi_store_notes {
	/* as of struct ppi_profile_chunk */
	uint64_t now_ns, cpu_ns, left_out_ns, own_ns, marks, by_c;
	int signal;
	bool is_paused;
	const uint64_t *lost; /* PPI_SAMPLE_LOSSES */
};

/*
 * Begins the profile of SAMPLER at NOW_NS, or goes on with the one that was begun. False: there is
 * no room in the region. Takes the lock.
 */
PPI_HIDDEN bool ppi_store_begin (enum ppi_sampler sampler, bool is_cpu, int signal,
				 uint64_t period_ns, uint64_t now_ns);
/* Samples of it are that far apart from now on: the profile says the longest that there was. */
PPI_HIDDEN void ppi_store_period (enum ppi_sampler sampler, uint64_t period_ns);
/*
 * Adds a sample of the thread TID, called NAME, which saw RAW, whose stack is UNWOUND; SAMPLE has
 * all but its frames. False: there is no room. *OTHERS grows by the marks whose payload is not told
 * apart any more. A third in a row that saw the same is one with the second where the profile is by
 * wall clock: what lies between is as long.
 */
PPI_HIDDEN bool ppi_store_add (struct ppi_store_thread *to, uint32_t tid, const char *name,
			       const struct ppi_raw *raw, const struct ppi_unwound *unwound,
			       uint64_t *others, struct ppi_profile_sample sample);
/* The same, which sees what the thread's newest sample did. False: there is none, or no room. */
PPI_HIDDEN bool ppi_store_add_again (struct ppi_store_thread *to, uint32_t tid, const char *name,
				     struct ppi_profile_sample sample);
/*
 * The same of the watcher: N intervals are OPEN, the newest first. *OTHERS grows by those whose
 * payload is not told apart any more.
 */
PPI_HIDDEN bool ppi_store_add_open (struct ppi_store_thread *to, uint32_t tid, const char *name,
				    const struct ppi_open *open, unsigned n, uint64_t *others,
				    struct ppi_profile_sample sample);
/* What is known of the whole profile of SAMPLER now. */
PPI_HIDDEN void ppi_store_note (enum ppi_sampler sampler, const struct ppi_store_notes *notes);
/* What takes a mark while SAMPLER sees it, with and without code made for it, in s. */
PPI_HIDDEN void ppi_store_cost (enum ppi_sampler sampler, double pair_s, double by_c_s);
/* Samples of it say what is open, where they could see it. */
PPI_HIDDEN void ppi_store_sees_open (enum ppi_sampler sampler);
/* What is missing by what was noted last. */
PPI_HIDDEN void ppi_store_losses (enum ppi_sampler sampler, uint64_t lost[PPI_SAMPLE_LOSSES]);
/* In a child: the region with all of it is the parent's. */
PPI_HIDDEN void ppi_store_forget (void);

#endif
