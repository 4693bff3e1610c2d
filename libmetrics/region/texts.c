/* SPDX-License-Identifier: MIT */
/* texts.c: a table of texts is made, and given up in a child; see texts.h. */
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts_int.h"

#include <pp.h>

static uint32_t parents; /* how many strings a child of this process is to hold */

/* The first has the number of all that have none. */
static bool begin (struct ppi_texts *t)
{
	struct ppi_texts_chunk *c = ppi_region_alloc (PPI_TEXTS_CHUNK_BYTES);
	static const char other[] = "other";

	if (!c)
		return false;
	t->chunk[0] = c;
	ppi_region_publish (&c->chunk, PPI_CHUNK_TEXTS, 1);
	return ppi_texts_put (t, other, sizeof other - 1) == PPI_TEXT_OTHER;
}

int ppi_texts_prepare (uint32_t most)
{
	struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);

	if (!most)
		most = t ? t->most : PPI_TEXTS_USUAL;
	if (most > PPI_TEXTS_USUAL)
		most = PPI_TEXTS_USUAL;
	if (!t) {
		t = ppi_own_alloc_fast (sizeof *t);
		if (!t || !begin (t))
			return PP_ENOMEM;
		__atomic_store_n (&ppi_texts, t, __ATOMIC_RELEASE);
	}
	ppi_store (&t->most, most);
	parents = most;
	return PP_OK;
}

uint64_t ppi_texts_published (void)
{
	const struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);

	return t ? __atomic_load_n (&t->published, __ATOMIC_ACQUIRE) : 0;
}

void ppi_texts_forget (void)
{
	const struct ppi_texts *t = __atomic_load_n (&ppi_texts, __ATOMIC_ACQUIRE);

	/* its memory is the parent's: what is read of it is what the child was forked with */
	parents = t ? parents : 0;
	__atomic_store_n (&ppi_texts, NULL, __ATOMIC_RELEASE);
}

void ppi_texts_renew (void)
{
	if (parents)
		(void) ppi_texts_prepare (parents);
}
