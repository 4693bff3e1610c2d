/* SPDX-License-Identifier: MIT */
/*
 * objects.h: the program and its libraries as they are mapped, and copies of their unwinding
 * tables, so that unwinding holds no lock of the loader's and may be of objects that are gone by
 * then. The library's thread, one at a time.
 */
#ifndef PPI_SAMPLER_OBJECTS_H
#define PPI_SAMPLER_OBJECTS_H

#include "base/atomic.h"
#include "base/spot.h"
#include "profiler/sampler/cfi.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_object {
	/* what it takes of the address space; address = LOAD + address in the file */
	uint64_t begin, end, load;
	uint64_t hdr; /* its .eh_frame_hdr; 0: none */
	uint64_t table,
		/*
		 * what has to be copied of it: from the lower of .eh_frame_hdr and .eh_frame to the
		 * end of the segment
		 */
		table_end;
	struct ppi_unwind_table copy; /* DATA is NULL until it is needed */
	bool failed;                  /* it could not be copied */
	uint32_t number;              /* in the recording; 0: not there yet */
	uint32_t id_bytes;
	uint8_t build_id[PPI_BUILD_ID_BYTES];
	char *path;
};

/* Looks at what is mapped, if that has changed. Takes a lock of the loader's, for microseconds. */
PPI_HIDDEN void ppi_objects_refresh (void);
/* The object that has ADDRESS; NULL: none. Valid until the next refresh. */
PPI_HIDDEN struct ppi_object *ppi_object_of (uint64_t address);
/* Its tables, copied when they are first needed; NULL: it has none. */
PPI_HIDDEN const struct ppi_unwind_table *ppi_object_table (struct ppi_object *object);
/* In a child: they are in no recording, and are looked for anew. */
PPI_HIDDEN void ppi_objects_forget (void);

#endif
