/* SPDX-License-Identifier: MIT */
/* record_shape.c: what a thread's records are of, and its texts, by number; see record.h. */
#include "libmetrics/marker/record.h"

#include "base/dims.h"
#include "libmetrics/region/texts.h"

#include <pp_abi.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 255 }; /* bytes; with all keys it fits into a text */

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

static void put_dim (struct text *to, struct ppi_record_kind *kind, unsigned capture,
		     enum pp_abi_value type, const char *key, size_t n)
{
	put (to, PPI_EVENT_SEPARATOR);
	put (to, PPI_VALUE_LETTERS[type]);
	put_text (to, key, n < PPI_KEY_MOST ? n : PPI_KEY_MOST);
	kind->capture[kind->is.n] = (uint8_t) capture;
	kind->is.type[kind->is.n++] = (uint8_t) type;
}

/* What came later replaces what the site captures under the same key. */
static bool is_replaced (const struct ppi_record_kind *kind, const char *key, size_t n)
{
	char late[PPI_TEXT_MOST + 1];

	for (unsigned i = 0; i < kind->n_late; i++)
		if (ppi_text_copy (kind->late[i] / 8, late) == n && memcmp (late, key, n) == 0)
			return true;
	return false;
}

static void put_capture (struct text *to, struct ppi_record_kind *kind, unsigned capture,
			 const struct ppi_dim *dim)
{
	if (dim->type == PP_ABI_VALUE_NONE || !(kind->mask >> capture & 1))
		return;
	if (dim->type == PP_ABI_VALUE_STRING)
		kind->strings |= 1u << capture;
	/* a record of both has 8 later ones at most; nobody writes beyond an entry's end, though */
	if (kind->is.n + kind->n_late < PPI_EVENT_DIMS &&
	    !is_replaced (kind, dim->key, dim->length))
		put_dim (to, kind, capture, dim->type, dim->key, dim->length);
}

static void put_late (struct text *to, struct ppi_record_kind *kind)
{
	char key[PPI_TEXT_MOST + 1];

	for (unsigned i = 0; i < kind->n_late; i++) {
		size_t n = ppi_text_copy (kind->late[i] / 8, key);

		put_dim (to, kind, i, (enum pp_abi_value) (kind->late[i] % 8), key, n);
	}
}

/* Its text, and of which capture each value is. A value comes first, then the dimensions. */
static bool describe (struct ppi_record_kind *kind, unsigned n)
{
	const pp_site *site = kind->site;
	const char *dims = site->dims;
	struct text text = {.n = 0};
	unsigned capture = 0;
	struct ppi_dim dim = {"value", 5, (enum pp_abi_value) site->value};

	put_number (&text, site->id);
	put (&text, PPI_EVENT_SEPARATOR);
	put_text (&text, site->name, strnlen (site->name, NAME_MOST));
	if (n > site->n_dims)
		put_capture (&text, kind, capture++, &dim);
	while (capture < n && ppi_dim_next (&dims, &dim))
		put_capture (&text, kind, capture++, &dim);
	put_late (&text, kind);
	kind->is.number = text.is_full ? 0 : ppi_shape_number (text.at, text.n);
	return kind->is.number != 0;
}

static uint32_t key_of (const struct ppi_late *late)
{
	return late->key * 8 + late->type;
}

static bool has_late (const struct ppi_record_kind *kind, const struct ppi_late *late,
		      unsigned n_late)
{
	if (kind->n_late != n_late)
		return false;
	for (unsigned i = 0; i < n_late; i++)
		if (kind->late[i] != key_of (&late[i]))
			return false;
	return true;
}

const struct ppi_record_kind *ppi_lane_kind (struct ppi_lane *lane, const pp_site *site, unsigned n,
					     uint32_t mask, const struct ppi_late *late,
					     unsigned n_late)
{
	struct ppi_record_kind *kind;
	uint32_t at = site->id + mask * 31;

	for (unsigned i = 0; i < n_late; i++)
		at = at * 31 + key_of (&late[i]);
	kind = &lane->kind[at % PPI_LANE_KINDS];
	if (ppi_likely (kind->site == site && kind->mask == mask && has_late (kind, late, n_late)))
		return kind;
	*kind = (struct ppi_record_kind){.site = site, .mask = mask, .n_late = n_late};
	for (unsigned i = 0; i < n_late; i++)
		kind->late[i] = key_of (&late[i]);
	if (describe (kind, n))
		return kind;
	kind->site = NULL;
	return NULL;
}
