/* SPDX-License-Identifier: MIT */
/*
 * cfi_read.c: reads .eh_frame and .eh_frame_hdr, as the Linux Standard Base describes them; see
 * cfi.h.
 */
#include "profiler/sampler/cfi.h"

#include <string.h>

/* DW_EH_PE_... */
enum {
	ENC_ABSOLUTE = 0x00,
	ENC_ULEB = 0x01,
	ENC_U2 = 0x02,
	ENC_U4 = 0x03,
	ENC_U8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_S2 = 0x0a,
	ENC_S4 = 0x0b,
	ENC_S8 = 0x0c,
	ENC_FORM = 0x0f,
	ENC_PC_RELATIVE = 0x10,
	ENC_APPLIED = 0x70,
	ENC_INDIRECT = 0x80,
	ENC_OMIT = 0xff,
	ENC_OF_TABLE = 0x3b, /* relative to the table, four bytes, signed */
};

uint64_t ppi_cursor_take (struct ppi_cursor *c, unsigned bytes)
{
	uint64_t value = 0;

	if (c->failed || bytes > c->end - c->at) {
		c->failed = true;
		return 0;
	}
	memcpy (&value, c->table->data + c->at, bytes);
	c->at += bytes;
	return value;
}

/* LEB128; the highest bit of a number that IS_SIGNED stands for all above it. */
static uint64_t take_leb (struct ppi_cursor *c, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = ppi_cursor_take (c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !c->failed);
	if (is_signed && shift < 64 && (byte & 0x40))
		value |= ~UINT64_C (0) << shift;
	return value;
}

uint64_t ppi_cursor_uleb (struct ppi_cursor *c)
{
	return take_leb (c, false);
}

int64_t ppi_cursor_sleb (struct ppi_cursor *c)
{
	return (int64_t) take_leb (c, true);
}

static uint64_t take_signed (struct ppi_cursor *c, unsigned bytes)
{
	uint64_t value = ppi_cursor_take (c, bytes), sign = UINT64_C (1) << (8 * bytes - 1);

	return (value ^ sign) - sign;
}

uint64_t ppi_cursor_pointer (struct ppi_cursor *c, uint8_t enc)
{
	uint64_t here = c->table->at + c->at, value;

	switch (enc & ENC_FORM) {
	case ENC_ABSOLUTE:
	case ENC_U8:
	case ENC_S8:
		value = ppi_cursor_take (c, 8);
		break;
	case ENC_ULEB:
		value = ppi_cursor_uleb (c);
		break;
	case ENC_SLEB:
		value = (uint64_t) ppi_cursor_sleb (c);
		break;
	case ENC_U2:
		value = ppi_cursor_take (c, 2);
		break;
	case ENC_U4:
		value = ppi_cursor_take (c, 4);
		break;
	case ENC_S2:
		value = take_signed (c, 2);
		break;
	case ENC_S4:
		value = take_signed (c, 4);
		break;
	default:
		c->failed = true;
		return 0;
	}
	if ((enc & ENC_APPLIED) == ENC_PC_RELATIVE)
		value += here;
	return value;
}

/* ---- one FDE --------------------------------------------------------------------------------- */

/* A cursor over the entry at OFFSET, behind its length; failed where there is none. */
static struct ppi_cursor entry_at (const struct ppi_unwind_table *table, size_t offset)
{
	struct ppi_cursor c = {table, offset, table->bytes, offset > table->bytes};
	uint64_t bytes = ppi_cursor_take (&c, 4);

	/* the long form is of tables beyond 4 GiB */
	if (!bytes || bytes >= 0xfffffff0u || bytes > c.end - c.at)
		c.failed = true;
	else
		c.end = c.at + (size_t) bytes;
	return c;
}

/* Behind "z": what each letter says. */
static bool read_augmentation (struct ppi_cursor *c, const char *letters, struct ppi_fde *out)
{
	uint64_t bytes = ppi_cursor_uleb (c);
	size_t end = c->at + (size_t) bytes;

	if (c->failed || bytes > c->end - c->at)
		return false;
	for (letters++; *letters; letters++)
		switch (*letters) {
		case 'R':
			out->encoding = (uint8_t) ppi_cursor_take (c, 1);
			break;
		case 'P':
			ppi_cursor_pointer (c, (uint8_t) ppi_cursor_take (c, 1) &
						       (uint8_t) ~ENC_INDIRECT);
			break;
		case 'L':
			ppi_cursor_take (c, 1);
			break;
		case 'S':
			out->is_signal_frame = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	c->at = end;
	return !c->failed;
}

static bool read_cie (const struct ppi_unwind_table *table, size_t offset, struct ppi_fde *out)
{
	struct ppi_cursor c = entry_at (table, offset);
	uint64_t id = ppi_cursor_take (&c, 4), version = ppi_cursor_take (&c, 1), column;
	const char *letters;

	if (c.failed || id || (version != 1 && version != 3))
		return false;
	letters = (const char *) table->data + c.at;
	if (!memchr (letters, '\0', c.end - c.at))
		return false;
	c.at += strlen (letters) + 1;
	out->code_align = ppi_cursor_uleb (&c);
	out->data_align = ppi_cursor_sleb (&c);
	column = version == 1 ? ppi_cursor_take (&c, 1) : ppi_cursor_uleb (&c);
	out->encoding = ENC_ABSOLUTE;
	if (*letters == 'z') {
		if (!read_augmentation (&c, letters, out))
			return false;
	} else if (*letters)
		return false;
	out->common = c;
	return !c.failed && column == PPI_REG_PC && out->encoding != ENC_OMIT;
}

bool ppi_fde_read (const struct ppi_unwind_table *table, size_t offset, struct ppi_fde *out)
{
	struct ppi_cursor c = entry_at (table, offset);
	size_t here = c.at;
	uint64_t back = ppi_cursor_take (&c, 4), bytes;
	bool has_length;

	*out = (struct ppi_fde){.code_align = 1};
	if (c.failed || !back || back > here || !read_cie (table, here - (size_t) back, out))
		return false;
	out->begin = ppi_cursor_pointer (&c, out->encoding);
	out->bytes = ppi_cursor_pointer (&c, out->encoding & ENC_FORM);
	/* "z" of the common part */
	has_length = table->data[here - (size_t) back + 9] == 'z';
	if (has_length) {
		bytes = ppi_cursor_uleb (&c);
		if (c.failed || bytes > c.end - c.at)
			return false;
		c.at += (size_t) bytes;
	}
	out->own = c;
	return !c.failed;
}

/* ---- the sorted table ------------------------------------------------------------------------ */

static int64_t word_at (const struct ppi_unwind_table *table, size_t at)
{
	int32_t word;

	memcpy (&word, table->data + at, sizeof word);
	return word;
}

size_t ppi_cfi_find (const struct ppi_unwind_table *table, uint64_t hdr, uint64_t pc)
{
	size_t start = (size_t) (hdr - table->at), low = 0, high;
	struct ppi_cursor c = {table, start, table->bytes, hdr < table->at || start > table->bytes};
	uint64_t head = ppi_cursor_take (&c, 4), n;
	int64_t offset = (int64_t) (pc - hdr);

	/*
	 * version, encodings of the pointer to .eh_frame, of the count, of the table: what every
	 * linker makes
	 */
	if (c.failed || (head & 0xff) != 1 || head >> 24 != ENC_OF_TABLE)
		return 0;
	ppi_cursor_pointer (&c, (uint8_t) (head >> 8));
	n = ppi_cursor_pointer (&c, (uint8_t) (head >> 16));
	if (c.failed || !n || n > (c.end - c.at) / 8)
		return 0;
	high = (size_t) n;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (word_at (table, c.at + 8 * middle) <= offset)
			low = middle;
		else
			high = middle;
	}
	if (word_at (table, c.at + 8 * low) > offset)
		return 0;
	hdr += (uint64_t) word_at (table, c.at + 8 * low + 4);
	return hdr > table->at && hdr - table->at < table->bytes ? (size_t) (hdr - table->at) : 0;
}
