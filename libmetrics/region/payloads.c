/* SPDX-License-Identifier: MIT */
/* payloads.c: see payloads.h. General registers only, no libc. */
#include "libmetrics/region/payloads.h"

#include "base/atomic.h"
#include "libmetrics/region/region.h"
#include "recording/layout.h"

#define SLOTS (PPI_FRAME_PAGE / sizeof (uint64_t)) /* of a page: four times what is to be there */
#define PAGES 1024u

/* the address of a chunk, and from LENGTH_AT on the length of its text, without the 0 */
#define LENGTH_AT 48
#define ADDRESS ((UINT64_C (1) << LENGTH_AT) - 1)

static uint64_t *pages[PAGES]; /* atomic */
static uint32_t newest;        /* number that was given out last; atomic */

void ppi_payloads_forget (void)
{
	for (unsigned i = 0; i < PAGES; i++)
		ppi_store (&pages[i], NULL);
	ppi_store (&newest, 0);
}

/* Of the text as it is kept; its end is no half of a character, where it is UTF-8. */
static uint32_t length_of (const char *text)
{
	uint32_t n = 0;

	while (n < PPI_PAYLOAD_BYTES - 1 && text[n])
		n++;
	if (text[n])
		while (n && ((unsigned char) text[n] & 0xc0) == 0x80)
			n--;
	return n;
}

static uint64_t hash_of (const char *text, uint32_t n)
{
	uint64_t sum = n;

	for (uint32_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char) text[i]) * UINT64_C (0x9e3779b97f4a7c15);
	return sum ^ sum >> 32;
}

/* NULL: no memory. */
static uint64_t *page_of (uint64_t hash)
{
	uint64_t **at = &pages[hash % PAGES], *page = __atomic_load_n (at, __ATOMIC_ACQUIRE), *made;

	if (page)
		return page;
	made = ppi_own_page_fast ();
	/* release: who sees it sees that it is empty; where another was faster this one is lost */
	if (!made || __atomic_compare_exchange_n (at, &page, made, false, __ATOMIC_RELEASE,
						  __ATOMIC_ACQUIRE))
		return made;
	return page;
}

static struct ppi_payload_chunk *chunk_of (uint64_t slot)
{
	return (struct ppi_payload_chunk *) (uintptr_t) (slot & ADDRESS);
}

/* Its chunk lies in the region: what is compared may have been changed, and is as long as it was. */
static bool is_there (uint64_t slot, const char *text, uint32_t n)
{
	const char *other = chunk_of (slot)->text;

	if (slot >> LENGTH_AT != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (ppi_load (&other[i]) != text[i])
			return false;
	return true;
}

/* A slot for a text that is new; 0: there is no room, or there are enough of them. */
static uint64_t make (const char *text, uint32_t n)
{
	struct ppi_payload_chunk *chunk;
	uint32_t number = ppi_load (&newest);

	do {
		if (number >= PPI_PAYLOADS_MOST)
			return 0;
	} while (!__atomic_compare_exchange_n (&newest, &number, number + 1, true, __ATOMIC_RELAXED,
					       __ATOMIC_RELAXED));
	chunk = ppi_region_alloc_fast (sizeof *chunk + n + 1);
	if (!chunk)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		ppi_store (&chunk->text[i], text[i]);
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_PAYLOAD, number + 1);
	return (uintptr_t) chunk | (uint64_t) n << LENGTH_AT;
}

uint32_t ppi_payload_number (const char *text)
{
	uint32_t n = text ? length_of (text) : 0;
	uint64_t hash, *page, made = 0;

	if (!text)
		return 0;
	hash = hash_of (text, n);
	page = page_of (hash);
	for (unsigned i = 0; page && i < SLOTS; i++) {
		uint64_t *at = &page[(hash / PAGES + i) % SLOTS], slot;

		slot = __atomic_load_n (at, __ATOMIC_ACQUIRE);
		if (!slot) {
			if (!made && !(made = make (text, n)))
				return PPI_PAYLOAD_OTHER;
			/* release: who finds the slot finds the text */
			if (__atomic_compare_exchange_n (at, &slot, made, false, __ATOMIC_RELEASE,
							 __ATOMIC_ACQUIRE))
				slot = made;
		}
		if (is_there (slot, text, n))
			return ppi_load (&chunk_of (slot)->chunk.id);
	}
	return PPI_PAYLOAD_OTHER;
}
