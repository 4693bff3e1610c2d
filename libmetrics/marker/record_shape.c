/* SPDX-License-Identifier: MIT */
/* record_shape.c: what a thread's records are of, and its texts, by number; see record.h. */
#include "libmetrics/marker/record.h"

#include "base/dims.h"
#include "libmetrics/region/texts.h"

#include <pp_abi.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 255, KEY_MOST = 63 }; /* bytes; all of them fit into a text */

struct text {
	char at[PPI_TEXT_MOST + 1];
	size_t n;
	bool is_full;
};

static void put (struct text *to, char c)
{
	if (to->n < PPI_TEXT_MOST)
		to->at[to->n++] = c;
	else
		to->is_full = true;
}

/* The separator stands nowhere else. */
static void put_text (struct text *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put (to, from[i]);
	for (size_t i = to->n - (n < to->n ? n : to->n); i < to->n; i++)
		if (to->at[i] == PPI_EVENT_SEPARATOR)
			to->at[i] = '?';
}

static void put_number (struct text *to, uint32_t number)
{
	char digits[16];
	unsigned n = 0;

	do
		digits[n++] = (char) ('0' + number % 10);
	while ((number /= 10));
	while (n)
		put (to, digits[--n]);
}

static void put_dim (struct text *to, struct ppi_record_kind *shape, unsigned capture,
		     enum pp_abi_value type, const char *key, size_t n)
{
	if (type == PP_ABI_VALUE_NONE || !(shape->mask >> capture & 1))
		return;
	if (type == PP_ABI_VALUE_STRING)
		shape->strings |= 1u << capture;
	put (to, PPI_EVENT_SEPARATOR);
	put (to, PPI_EVENT_TYPES[type]);
	put_text (to, key, n < KEY_MOST ? n : KEY_MOST);
	shape->capture[shape->is.n] = (uint8_t) capture;
	shape->is.type[shape->is.n++] = (uint8_t) type;
}

/* Its text, and of which capture each value is. A value comes first, then the dimensions. */
static bool describe (struct ppi_record_kind *shape, unsigned n)
{
	const pp_site *site = shape->site;
	const char *dims = site->dims;
	struct text text = {.n = 0};
	unsigned capture = 0;
	struct ppi_dim dim;

	put_number (&text, site->id);
	put (&text, PPI_EVENT_SEPARATOR);
	put_text (&text, site->name, strnlen (site->name, NAME_MOST));
	if (n > site->n_dims)
		put_dim (&text, shape, capture++, (enum pp_abi_value) site->value, "value", 5);
	while (capture < n && ppi_dim_next (&dims, &dim))
		put_dim (&text, shape, capture++, dim.type, dim.key, dim.length);
	shape->is.number = text.is_full ? 0 : ppi_shape_number (text.at, text.n);
	return shape->is.number != 0;
}

const struct ppi_record_kind *ppi_lane_shape (struct ppi_lane *lane, const pp_site *site,
					      unsigned n, uint32_t mask)
{
	uint32_t at = (site->id + mask * 31) % PPI_LANE_SHAPES;
	struct ppi_record_kind *shape = &lane->shape[at], fresh = {.site = site, .mask = mask};

	if (ppi_likely (shape->site == site && shape->mask == mask))
		return shape;
	if (!describe (&fresh, n))
		return NULL;
	*shape = fresh;
	return shape;
}

uint32_t ppi_lane_text (struct ppi_lane *lane, const char *text)
{
	uintptr_t place = (uintptr_t) text;
	uint32_t i = (uint32_t) (place ^ place >> 8) % PPI_LANE_TEXTS, number;
	size_t n;

	if (lane->text[i].at == text && ppi_text_is (lane->text[i].number, text, lane->text[i].n))
		return lane->text[i].number;
	n = strnlen (text, PPI_TEXT_MOST + 1);
	number = ppi_text_number (text, n);
	if (n <= PPI_TEXT_MOST && number != PPI_TEXT_OTHER) {
		lane->text[i].at = text;
		lane->text[i].n = (uint32_t) n;
		lane->text[i].number = number;
	}
	return number;
}
