/* SPDX-License-Identifier: MIT */
/*
 * recording.c: a recording, or a live region, that anybody wrote: opened as a file, and attached to
 * as memory; reported as text and as JSON, and read by ppctl suggest. The mutator knows chunks:
 * most changes are to fields of one, so that a reader gets further than the first check.
 */
#include "libmetrics/recording_read.h"
#include "ppctl/ppctl.h"
#include "report/render.h"
#include "tests/fuzz/fuzz.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static FILE *nowhere;

static void print (const struct ppi_recording *r, bool json)
{
	struct ppi_report *report = ppi_report_build (r, !json);

	if (report && json)
		ppi_report_json (nowhere, report);
	else if (report)
		ppi_report_text (nowhere, report);
	ppi_report_free (report);
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	fuzz_be_quiet ();
	nowhere = fopen ("/dev/null", "w");
	return nowhere ? 0 : 1;
}

static void read_as_file (const uint8_t *data, size_t bytes)
{
	struct ppi_recording *r = NULL;
	char why[600], suggest[] = "suggest", least[] = "--least", one[] = "1", *arguments[5] = {suggest, least, one};

	arguments[3] = (char *) (uintptr_t) fuzz_file (data, bytes, ".pprec");
	if (ppi_recording_open (arguments[3], &r, why, sizeof why) != 0)
		return;
	print (r, false);
	print (r, true);
	ppi_recording_close (r);
	optind = 0;
	ppctl_suggest (4, arguments);
}

static void read_as_memory (const uint8_t *data, size_t bytes)
{
	struct ppi_recording *r = NULL;
	char why[600];
	void *region = aligned_alloc (PPI_CHUNK_ALIGN, (bytes + PPI_CHUNK_ALIGN) & ~(size_t) (PPI_CHUNK_ALIGN - 1));

	if (!region)
		abort ();
	memcpy (region, data, bytes);
	if (ppi_recording_attach (region, bytes, "memory", &r, why, sizeof why) == 0) {
		print (r, false);
		ppi_recording_close (r);
	}
	free (region);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	if (bytes && data[bytes - 1] % 4 == 0)
		read_as_memory (data, bytes);
	else
		read_as_file (data, bytes);
	fuzz_forget ();
	return 0;
}

/*
 * ---- the mutator
 * -------------------------------------------------------------------------------------------------
 */

enum { CHUNKS = 4096 };

static const uint64_t numbers[] = {0,
				   1,
				   2,
				   7,
				   63,
				   64,
				   127,
				   128,
				   4095,
				   4096,
				   INT32_MAX,
				   UINT64_C (1) << 31,
				   UINT32_MAX,
				   UINT64_C (1) << 32,
				   INT64_MAX,
				   UINT64_C (1) << 63,
				   UINT64_MAX,
				   UINT64_C (0x7ff0000000000000),  /* infinity */
				   UINT64_C (0xfff0000000000000),  /* -infinity */
				   UINT64_C (0x7ff8000000000000),  /* NaN */
				   UINT64_C (0x7fefffffffffffff),  /* the largest */
				   UINT64_C (0x43e0000000000000)}; /* 2^63 */

static size_t below (size_t n)
{
	return n ? (size_t) random () % n : 0;
}

/* Where the chunks begin that a reader would walk over. */
static size_t find_chunks (const uint8_t *data, size_t bytes, size_t *at)
{
	const struct ppi_region_header *h = (const void *) data;
	size_t from = bytes >= sizeof *h ? h->header_bytes : bytes, n = 0;
	struct ppi_chunk c;

	/* what the mutator has changed before */
	if (((uintptr_t) data + from) % _Alignof(struct ppi_chunk) != 0)
		return 0;
	while (from < bytes && bytes - from >= sizeof c && n < CHUNKS) {
		memcpy (&c, data + from, sizeof c);
		if (!c.bytes) {
			from += PPI_CHUNK_ALIGN;
			continue;
		}
		if (c.bytes < PPI_CHUNK_ALIGN || c.bytes % PPI_CHUNK_ALIGN || c.bytes > bytes - from)
			break;
		at[n++] = from;
		from += c.bytes;
	}
	return n;
}

/* Changes one field of the chunk of BYTES at C. Most fields are near its beginning. */
static void change_chunk (uint8_t *c, size_t bytes)
{
	struct ppi_chunk *chunk = (void *) c;
	size_t from = sizeof *chunk, room = bytes - from, near = room < 240 ? room : 240, at;
	uint32_t offset;

	switch (below (8)) {
	case 0:
		chunk->type = (__typeof__ (chunk->type)) below (24);
		break;
	case 1:
		chunk->id = (__typeof__ (chunk->id)) below (16);
		break;
	case 2:
		c[from + below (room)] = (uint8_t) random ();
		break;
	case 3:
		at = (from + below (room)) & ~(size_t) 7;
		memcpy (c + at, &numbers[below (sizeof numbers / sizeof *numbers)], 8);
		break;
	case 4:
		at = (from + below (near)) & ~(size_t) 3;
		memcpy (c + at, &numbers[below (sizeof numbers / sizeof *numbers)], 4);
		break;
	case 5: /* perhaps the offset of a text */
		at = (from + below (near)) & ~(size_t) 3;
		offset = (uint32_t) below (bytes + 64);
		memcpy (c + at, &offset, 4);
		break;
	case 6: /* a text without an end */
		at = from + below (room);
		memset (c + at, random () % 2 ? 'A' : 0xff, below (bytes - at < 40 ? bytes - at : 40));
		break;
	default:
		c[from + below (near)] ^= (uint8_t) (1u << below (8));
	}
}

size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
	static size_t at[CHUNKS];
	size_t n = find_chunks (data, bytes, at), field;

	srandom (seed);
	if (!n || random () % 16 == 0)
		return LLVMFuzzerMutate (data, bytes, most);
	for (unsigned times = 1 + (unsigned) below (6); times; times--) {
		struct ppi_chunk *c = (void *) (data + at[below (n)]);

		if (random () % 24 == 0) { /* a field of the header, behind magic and version */
			field = 16 + (below (sizeof (struct ppi_region_header) - 24) & ~(size_t) 7);
			memcpy (data + field, &numbers[below (sizeof numbers / sizeof *numbers)], 8);
		} else if (c->bytes >= PPI_CHUNK_ALIGN) {
			change_chunk ((uint8_t *) c, c->bytes);
		}
	}
	/* by which way it is read */
	if (random () % 4 == 0)
		data[bytes - 1] = (uint8_t) random ();
	return bytes;
}
