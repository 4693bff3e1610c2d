/* SPDX-License-Identifier: MIT */
/*
 * feed.h: records with the values of the dimensions that are wanted. A thread of its own reads them
 * from the recording, so that who looks at them has a processor for that alone; they are handed
 * over by the thousand.
 */
#ifndef PPI_ANALYSIS_FEED_H
#define PPI_ANALYSIS_FEED_H

#include "profiler/analysis/terms.h"

/*
 * Calls FN, in the calling thread, with each record of RECORDS, and with the values of the slots of
 * TERMS, which are told which ones occurred; false ends it. FN may read texts of RECORDS meanwhile.
 * False: it can't be read, or there is no memory, and in WHY a sentence.
 */
bool ppi_feed_each (struct ppi_records *records, struct ppi_terms *terms,
		    bool (*fn) (const struct ppi_record *record, const struct ppi_value *slot,
				void *arg),
		    void *arg, char *why, size_t room);

#endif
