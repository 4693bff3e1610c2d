/* SPDX-License-Identifier: MIT */
/* unwind.h: from a copy of registers and stack to the addresses on it. */
#ifndef PPI_SAMPLER_UNWIND_H
#define PPI_SAMPLER_UNWIND_H

#include "profiler/sampler/objects.h"
#include "profiler/sampler/raw.h"
#include "recording/layout.h"

enum { PPI_UNWIND_MOST = 1024 };

struct ppi_code_place {
	uint64_t address;          /* in the process; of a call, its last byte */
	struct ppi_object *object; /* NULL: in none */
};

struct ppi_unwound {
	struct ppi_code_place place[PPI_UNWIND_MOST]; /* from the innermost */
	uint32_t n;
	uint64_t end; /* how far the stack was followed; 0: to the end of the copy */
	unsigned
		/*
		 * why it ends before the outermost function: enum ppi_sample_loss;
		 * PPI_SAMPLE_LOSSES: it doesn't
		 */
		loss;
};

/* Looks which blocks of markers there are. Takes the runtime's lock. */
PPI_HIDDEN void ppi_unwind_look (void);

/* Ordinary context. OBJECTS are as of a refresh after the sample was taken. */
PPI_HIDDEN void ppi_unwind (const struct ppi_raw *raw, struct ppi_unwound *out);

#endif
