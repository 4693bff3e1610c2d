/* SPDX-License-Identifier: MIT */
/* rich.c: see rich.h. General registers only, no libc. */
#include "libmetrics/thread/rich.h"

#include "base/dims.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"

#define LEAST 40u /* bytes that a value takes that is no string, with a short key */

static void put (struct ppi_rich *r, size_t end, char c)
{
	if (r->n < end)
		r->at[r->n++] = c;
}

static void put_key (struct ppi_rich *r, size_t end, const char *key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put (r, end, key[i]);
	put (r, end, '=');
}

static void put_number (struct ppi_rich *r, size_t end, uint64_t number, unsigned base)
{
	char digits[24];
	unsigned n = 0;

	do
		digits[n++] = "0123456789abcdef"[number % base];
	while ((number /= base));
	while (n)
		put (r, end, digits[--n]);
}

/* What separates values stands in none. Half a character, where it is UTF-8, is left out. */
static void put_string (struct ppi_rich *r, size_t end, const char *text)
{
	size_t begin = r->n;

	while (r->n < end && *text) {
		r->at[r->n++] = *text == PPI_RICH_SEPARATOR ? '?' : *text;
		text++;
	}
	if (!*text || ((unsigned char) *text & 0xc0) != 0x80)
		return;
	while (r->n > begin && ((unsigned char) r->at[r->n - 1] & 0xc0) == 0x80)
		r->n--;
	r->n -= r->n > begin;
}

void ppi_rich_begin (struct ppi_rich *rich, unsigned n)
{
	rich->n = 0;
	rich->most = PPI_TEXT_MOST / (n ? n : 1);
	rich->at[0] = '\0';
}

void ppi_rich_add (struct ppi_rich *rich, const char *key, size_t length, unsigned type,
		   uint64_t value)
{
	size_t end = rich->n + rich->most, keys = rich->most - LEAST;

	if (!ppi_is_value (type) || (type == PP_ABI_VALUE_STRING && !value))
		return;
	if (end > PPI_TEXT_MOST)
		end = PPI_TEXT_MOST;
	put (rich, end, PPI_RICH_SEPARATOR);
	put (rich, end, PPI_VALUE_LETTERS[type]);
	put_key (rich, end, key, length < keys ? length : keys);
	if (type == PP_ABI_VALUE_STRING)
		put_string (rich, end, (const char *) (uintptr_t) value);
	else if (type == PP_ABI_VALUE_INT && (int64_t) value < 0) {
		put (rich, end, '-');
		put_number (rich, end, 0 - value, 10);
	} else
		put_number (rich, end, value, ppi_is_integer (type) ? 10 : 16);
	rich->at[rich->n] = '\0';
}

/* The first of "KEY:T,..." into *KEY and *TYPE; what follows it. */
static const char *next_key (const char *dims, const char **key, size_t *length, unsigned *type)
{
	*key = dims;
	while (*dims && *dims != ':' && *dims != ',')
		dims++;
	*length = (size_t) (dims - *key);
	*type = *dims == ':' ? ppi_value_of_letter (dims[1]) : PP_ABI_VALUE_NONE;
	while (*dims && *dims != ',')
		dims++;
	return dims + (*dims == ',');
}

uint64_t ppi_rich_number (struct ppi_thread *t, const struct ppi_plan *plan, const uint64_t *value)
{
	const pp_site *site = plan->site;
	const char *dims = site->dims, *key = "payload";
	unsigned type = site->value, n = site->n_dims + (type != PP_ABI_VALUE_NONE ? 1u : 0u);
	size_t length = 7;

	if (!t->rich)
		t->rich = ppi_own_alloc_fast (sizeof *t->rich);
	if (!t->rich)
		return (uint64_t) PP_ABI_NOT_CAPTURED;
	ppi_rich_begin (t->rich, n);
	for (unsigned i = 0; i < n; i++) {
		if (i || site->value == PP_ABI_VALUE_NONE)
			dims = next_key (dims, &key, &length, &type);
		if (ppi_is_captured (plan, value[i]))
			ppi_rich_add (t->rich, key, length, type, value[i]);
	}
	return t->rich->n ? ppi_text_number (t->rich->at, t->rich->n)
			  : (uint64_t) PP_ABI_NOT_CAPTURED;
}
