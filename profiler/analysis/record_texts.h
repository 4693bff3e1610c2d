/* SPDX-License-Identifier: MIT */
/*
 * record_texts.h: the texts of a recording's event records, and what records are of. A recording
 * may have one text under several numbers; here equal texts have equal ids.
 */
#ifndef PPI_ANALYSIS_RECORD_TEXTS_H
#define PPI_ANALYSIS_RECORD_TEXTS_H

#include "recording/event.h"
#include "recording/intern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_recording;

/* Ids of texts are those of records.h. */
struct ppi_record_shape {
	struct ppi_event_shape is;
	uint32_t event, key[PPI_EVENT_DIMS];
};

struct ppi_record_texts {
	struct ppi_intern names;
	const char **text; /* by id; the names' keys */
	size_t n, room;
	uint32_t *id;                    /* by number in the recording; 0: there is none */
	struct ppi_record_shape **shape; /* likewise; made when asked for first */
	uint32_t numbers;
	uint32_t unknown; /* the id of what is in no chunk */
};

/* False: no memory. What OUT has is freed by ppi_record_texts_clear in each case. */
bool ppi_record_texts_load (const struct ppi_recording *recording, struct ppi_record_texts *out);
void ppi_record_texts_clear (struct ppi_record_texts *texts);

/* The id of the text with that number in the recording. */
static inline uint32_t ppi_record_texts_id (const struct ppi_record_texts *texts, uint32_t number)
{
	uint32_t id = number < texts->numbers ? texts->id[number] : 0;

	return id ? id : texts->unknown;
}
/* The shape of that number; NULL: there is none, or no memory. */
const struct ppi_record_shape *ppi_record_texts_shape (struct ppi_record_texts *texts,
						       uint32_t number);
/* Is KEY a boolean in each shape that has it? */
bool ppi_record_texts_are_truths (const struct ppi_record_texts *texts, uint32_t key);
/*
 * What recording adds to a record's own time, and to that of the record around it: where that was
 * measured, at the sites that records are of. NaN: nowhere.
 */
void ppi_record_texts_cost (const struct ppi_record_texts *texts,
			    const struct ppi_recording *recording, double *inside_ns,
			    double *around_ns);

#endif
