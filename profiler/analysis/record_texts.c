/* SPDX-License-Identifier: MIT */
/* record_texts.c: see record_texts.h. */
#include "profiler/analysis/record_texts.h"

#include "base/memory.h"
#include "recording/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The id of a text, from 1; 0: no memory. */
static uint32_t intern (struct ppi_record_texts *texts, const char *text)
{
	bool is_new;
	const struct ppi_intern_entry *entry =
		ppi_intern (&texts->names, text, strlen (text) + 1, &is_new);
	const char **more;

	if (!entry)
		return 0;
	if (!is_new)
		return entry->number;
	/* ids are the numbers in which names come, from 1 */
	more = ppi_list_reach (texts->text, texts->n, &texts->room, sizeof *more);
	if (!more)
		return 0;
	texts->text = more;
	texts->text[texts->n++] = entry->key;
	return entry->number;
}

static bool load_chunk (struct ppi_record_texts *texts, const struct ppi_texts_chunk *chunk)
{
	uint32_t first = (chunk->chunk.id - 1) * PPI_TEXTS_OF_CHUNK + 1;

	for (uint32_t i = 0; i < PPI_TEXTS_OF_CHUNK; i++) {
		if (!(uint32_t) chunk->place[i])
			continue;
		texts->id[first + i] =
			intern (texts, ppi_chunk_text (chunk, (uint32_t) chunk->place[i]));
		if (!texts->id[first + i])
			return false;
	}
	return true;
}

bool ppi_record_texts_load (const struct ppi_recording *recording, struct ppi_record_texts *out)
{
	const struct ppi_texts_chunk *chunk = NULL;
	uint32_t most = 0;

	*out = (struct ppi_record_texts){.n = 0};
	while ((chunk = ppi_recording_next (recording, PPI_CHUNK_TEXTS, chunk)))
		most = chunk->chunk.id > most ? chunk->chunk.id : most;
	out->numbers = most * PPI_TEXTS_OF_CHUNK + 1;
	out->id = calloc (out->numbers, sizeof *out->id);
	out->shape = calloc (out->numbers, sizeof (struct ppi_record_shape *));
	out->unknown = out->id && out->shape ? intern (out, "?") : 0;
	if (!out->unknown)
		return false;
	while ((chunk = ppi_recording_next (recording, PPI_CHUNK_TEXTS, chunk)))
		if (!load_chunk (out, chunk))
			return false;
	return true;
}

void ppi_record_texts_clear (struct ppi_record_texts *texts)
{
	for (uint32_t i = 0; texts->shape && i < texts->numbers; i++)
		free (texts->shape[i]);
	free (texts->shape);
	free (texts->id);
	free (texts->text);
	ppi_intern_free (&texts->names);
	*texts = (struct ppi_record_texts){.n = 0};
}

static uint32_t intern_part (struct ppi_record_texts *texts, const struct ppi_event_text *part)
{
	char text[PPI_TEXT_MOST + 1];

	memcpy (text, part->at, part->n);
	text[part->n] = '\0';
	return intern (texts, text);
}

static bool fill (struct ppi_record_texts *texts, const char *text, struct ppi_record_shape *out)
{
	struct ppi_event_text event, key[PPI_EVENT_DIMS];

	if (!ppi_event_shape_parse (text, &out->is, &event, key))
		return false;
	out->event = intern_part (texts, &event);
	for (unsigned i = 0; i < out->is.n; i++)
		if (!(out->key[i] = intern_part (texts, &key[i])))
			return false;
	return out->event != 0;
}

const struct ppi_record_shape *ppi_record_texts_shape (struct ppi_record_texts *texts,
						       uint32_t number)
{
	struct ppi_record_shape *shape;

	if (number >= texts->numbers || !texts->id[number])
		return NULL;
	if (texts->shape[number])
		return texts->shape[number];
	shape = calloc (1, sizeof *shape);
	if (!shape || !fill (texts, texts->text[texts->id[number] - 1], shape)) {
		free (shape);
		return NULL;
	}
	shape->is.number = number;
	texts->shape[number] = shape;
	return shape;
}

bool ppi_record_texts_are_truths (const struct ppi_record_texts *texts, uint32_t key)
{
	for (uint32_t i = 0; i < texts->numbers; i++) {
		const struct ppi_record_shape *shape = texts->shape[i];

		for (unsigned k = 0; shape && k < shape->is.n; k++)
			if (shape->key[k] == key && shape->is.type[k] != PP_ABI_VALUE_BOOL)
				return false;
	}
	return true;
}

void ppi_record_texts_cost (const struct ppi_record_texts *texts,
			    const struct ppi_recording *recording, double *inside_ns,
			    double *around_ns)
{
	double inside = 0, pair = 0;
	unsigned n = 0;

	for (uint32_t i = 0; i < texts->numbers; i++) {
		const struct ppi_record_shape *shape = texts->shape[i];
		const struct ppi_site_chunk *site =
			shape ? ppi_recording_find (recording, PPI_CHUNK_SITE, shape->is.site)
			      : NULL;

		if (site && site->sampled_s > 0 && site->inside_s >= 0) {
			inside += site->inside_s * 1e9;
			pair += site->sampled_s * 1e9;
			n++;
		}
	}
	*inside_ns = n ? inside / n : (double) NAN;
	*around_ns = !n ? (double) NAN : pair > inside ? (pair - inside) / n : 0;
}
