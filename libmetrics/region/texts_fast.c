/* SPDX-License-Identifier: MIT */
/*
 * texts_fast.c: the numbers of texts, at markers; see texts.h. General registers only, no libc.
 */
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts_int.h"

#define PROBES 256u /* what lies further away is not looked for */

#define STATE(chunk, n, bytes) ((uint64_t) (chunk) << 48 | (uint64_t) (n) << 32 | (bytes))

struct ppi_texts *ppi_texts;

/* ---- where they lie -------------------------------------------------------------------------- */

static struct ppi_texts_chunk *chunk_new (struct ppi_texts *t)
{
	struct ppi_texts_chunk *c = __atomic_exchange_n (&t->spare, NULL, __ATOMIC_ACQUIRE);

	return c ? c : ppi_region_alloc_fast (PPI_TEXTS_CHUNK_BYTES);
}

/* Behind chunk AT, which STATE has been full in; false: there is no room. */
static bool next_chunk (struct ppi_texts *t, uint64_t state, uint32_t at)
{
	struct ppi_texts_chunk *none = NULL, *c;

	if (at >= PPI_TEXTS_CHUNKS)
		return false;
	if (!__atomic_load_n (&t->chunk[at], __ATOMIC_ACQUIRE)) {
		c = chunk_new (t);
		if (!c)
			return false;
		/* release: who finds it finds zeros */
		if (__atomic_compare_exchange_n (&t->chunk[at], &none, c, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
			ppi_region_publish (&c->chunk, PPI_CHUNK_TEXTS, at + 1);
		else
			__atomic_store_n (&t->spare, c, __ATOMIC_RELEASE);
	}
	__atomic_compare_exchange_n (&t->state, &state, STATE (at, 0, 0), false, __ATOMIC_ACQ_REL,
				     __ATOMIC_RELAXED);
	return true;
}

/* Whole words, since readers may be copying the chunk. */
static void copy (char *to, const char *from, size_t n)
{
	for (size_t i = 0; i <= n; i += 8) {
		uint64_t word = 0;

		for (size_t k = 0; k < 8 && i + k < n; k++)
			word |= (uint64_t) (unsigned char) from[i + k] << 8 * k;
		__atomic_store_n ((uint64_t *) (void *) (to + i), word, __ATOMIC_RELAXED);
	}
}

uint32_t ppi_texts_put (struct ppi_texts *t, const char *text, size_t n)
{
	uint32_t bytes = ((uint32_t) n + 8) & ~7u, used, in, at;
	uint64_t state = __atomic_load_n (&t->state, __ATOMIC_ACQUIRE);
	struct ppi_texts_chunk *c;

	for (;;) {
		at = (uint32_t) (state >> 48);
		in = (uint32_t) (state >> 32) & 0xffff;
		used = (uint32_t) state;
		if (in == PPI_TEXTS_OF_CHUNK || bytes > PPI_TEXTS_BYTES - used) {
			if (!next_chunk (t, state, at + 1))
				return 0;
			state = __atomic_load_n (&t->state, __ATOMIC_ACQUIRE);
		} else if (__atomic_compare_exchange_n (&t->state, &state,
							STATE (at, in + 1, used + bytes), true,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			break;
		}
	}
	c = __atomic_load_n (&t->chunk[at], __ATOMIC_ACQUIRE);
	copy (c->bytes + used, text, n);
	/* release: who finds where it is finds the text */
	__atomic_store_n (&c->place[in], (uint64_t) n << 32 | (sizeof *c + used), __ATOMIC_RELEASE);
	/* before anybody knows its number */
	__atomic_fetch_add (&t->published, 1, __ATOMIC_RELEASE);
	return at * PPI_TEXTS_OF_CHUNK + in + 1;
}

/* The text of NUMBER, if it has N bytes: others may have written to where it is said to be. */
static const char *text_at (const struct ppi_texts *t, uint32_t number, size_t n)
{
	uint32_t at = (number - 1) / PPI_TEXTS_OF_CHUNK;
	const struct ppi_texts_chunk *c =
		at < PPI_TEXTS_CHUNKS ? __atomic_load_n (&t->chunk[at], __ATOMIC_ACQUIRE) : NULL;
	uint64_t place =
		c ? __atomic_load_n (&c->place[(number - 1) % PPI_TEXTS_OF_CHUNK], __ATOMIC_ACQUIRE)
		  : 0;

	if (!place || place >> 32 != n || (uint32_t) place < sizeof *c ||
	    (uint32_t) place > PPI_TEXTS_CHUNK_BYTES - n - 1)
		return NULL;
	return (const char *) c + (uint32_t) place;
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t hash_of (const char *text, size_t n)
{
	uint64_t sum = n;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char) text[i]) * UINT64_C (0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

static bool is_same (const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* One more may be added, of those that COUNT counts. */
static bool may_add (uint32_t *count, uint32_t most)
{
	if (__atomic_add_fetch (count, 1, __ATOMIC_RELAXED) <= most)
		return true;
	__atomic_fetch_sub (count, 1, __ATOMIC_RELAXED);
	return false;
}

/* Its number, which it gets where it has none; 0: there is no room. */
static uint32_t number_of (struct ppi_texts *t, const char *text, size_t n, uint32_t *count,
			   uint32_t most)
{
	uint64_t hash = hash_of (text, n), own = 0;
	uint32_t i = (uint32_t) hash % PPI_TEXTS_TABLE;

	for (uint32_t probes = 0; probes < PROBES; probes++, i = (i + 1) % PPI_TEXTS_TABLE) {
		uint64_t is = __atomic_load_n (&t->slot[i], __ATOMIC_ACQUIRE);
		const char *there;

		if (!is) {
			if (!own) {
				if (!may_add (count, most))
					return 0;
				own = ppi_texts_put (t, text, n);
				if (!own) {
					__atomic_fetch_sub (count, 1, __ATOMIC_RELAXED);
					return 0;
				}
				own |= hash & ~(uint64_t) UINT32_MAX;
			}
			/* release: who finds the number finds its text */
			if (__atomic_compare_exchange_n (&t->slot[i], &is, own, false,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return (uint32_t) own;
		}
		if (is >> 32 != hash >> 32)
			continue;
		there = text_at (t, (uint32_t) is, n);
		if (!there || !is_same (there, text, n))
			continue;
		/* another thread was faster: the text is not counted twice */
		if (own)
			__atomic_fetch_sub (count, 1, __ATOMIC_RELAXED);
		return (uint32_t) is;
	}
	return (uint32_t) own;
}

uint32_t ppi_text_number (const char *text, size_t n)
{
	struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);
	uint32_t number = 0;

	if (t)
		number = number_of (t, text, n < PPI_TEXT_MOST ? n : PPI_TEXT_MOST, &t->strings,
				    ppi_load (&t->most));
	if (number)
		return number;
	ppi_drop_nowhere (PP_DROP_STRINGS, 1);
	return PPI_TEXT_OTHER;
}

uint32_t ppi_shape_number (const char *text, size_t n)
{
	struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);

	return t && n <= PPI_TEXT_MOST ? number_of (t, text, n, &t->shapes, PPI_TEXTS_SHAPES) : 0;
}

uint32_t ppi_text_number_of (const char *text)
{
	size_t n = 0;

	while (n < PPI_TEXT_MOST && text[n])
		n++;
	/* the end is no half of a character, where it is UTF-8 */
	if (n == PPI_TEXT_MOST && text[n])
		while (n && ((unsigned char) text[n] & 0xc0) == 0x80)
			n--;
	return ppi_text_number (text, n);
}

bool ppi_text_is (uint32_t number, const char *string, uint32_t n)
{
	const struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);
	const char *text = t ? text_at (t, number, n) : NULL;

	if (!text)
		return false;
	/* as far as STRING goes, and no further */
	for (uint32_t i = 0; i < n; i++)
		if (!string[i] || string[i] != text[i])
			return false;
	return !string[n];
}

size_t ppi_text_copy (uint32_t number, char *out)
{
	const struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);
	uint32_t at = (number - 1) / PPI_TEXTS_OF_CHUNK;
	const struct ppi_texts_chunk *c =
		t && at < PPI_TEXTS_CHUNKS ? __atomic_load_n (&t->chunk[at], __ATOMIC_ACQUIRE)
					   : NULL;
	/* how long it is anybody may have written; text_at looks whether that can be */
	size_t n = c ? ppi_load (&c->place[(number - 1) % PPI_TEXTS_OF_CHUNK]) >> 32 : 0;
	const char *text = n && n <= PPI_TEXT_MOST ? text_at (t, number, n) : NULL;

	if (!text)
		return 0;
	for (size_t i = 0; i < n; i++)
		out[i] = text[i];
	out[n] = '\0';
	return n;
}
