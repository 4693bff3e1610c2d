/* SPDX-License-Identifier: MIT */
/*
 * patch.c: the bytes of a marker on x86-64; pp_abi.h draws them.
 *
 * A marker whose first five bytes lie in one aligned 8-byte word is turned over by one store. In others the border comes
 * behind k = 1 .. 4 bytes. Before it there are only prefixes, which become a NOP of k bytes; then what follows is
 * prefixes and a five-byte NOP still, and is replaced by the jump, at the border:
 *
 *      66 66 66 | 66 0f 1f 44 00 00          off
 *      0f 1f 00 | 66 0f 1f 44 00 00          between, both ways: valid, also for a thread that stands at the border
 *      0f 1f 00 | e9 .. .. .. .. 00          on
 *
 * Whoever owns the bytes at the moment (a breakpoint's int3, a uprobe's) is recognised, since they are compared with what
 * they must be.
 */
#include "pp_arch.h"

#include <stdbool.h>
#include <string.h>

enum { NOP_BYTES = PP_ABI_X86_NOP_BYTES, JMP_BYTES = 5, WORD = 8 };

static const uint8_t nop[NOP_BYTES] = PP_ABI_X86_NOP;

/* NOPs of 1 to 4 bytes, for what lies before a border */
static const uint8_t short_nops[][4] = {{0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0x00}};

/* One word's part of a marker: N bytes from OFFSET, that are OFF, or what belongs to the old target or to the new one. */
struct part {
	uintptr_t word;
	size_t offset, n;
	uint8_t off[WORD], old[WORD], wanted[WORD];
};

static int jump (uintptr_t from, uintptr_t to, uint8_t out[JMP_BYTES])
{
	int64_t distance = (int64_t) (to - (from + JMP_BYTES));
	int32_t rel = (int32_t) distance;

	out[0] = 0xe9;
	memcpy (out + 1, &rel, sizeof (rel));
	return rel == distance ? 0 : -1;
}

/* What the part before the border, of N bytes, is for a jump to TARGET (0: for none), or the jump from CODE. */
static int picture (uint8_t *out, const struct part *p, int is_jump, uintptr_t code, uintptr_t target)
{
	if (!target)
		memcpy (out, p->off, p->n);
	else if (is_jump)
		return jump (code, target, out);
	else
		memcpy (out, short_nops[p->n - 1], p->n);
	return 0;
}

/* The part of the marker that is changed in PART (0: before the border, 1: the jump); n = 0: none. */
static int part_of (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int part, struct part *p)
{
	uintptr_t code = (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop;
	size_t offset = code % WORD, before = offset + JMP_BYTES <= WORD ? 0 : WORD - offset;

	p->n = part ? JMP_BYTES : before;
	p->offset = part && before ? 0 : offset;
	p->word = code - offset + (part && before ? WORD : 0);
	if (!p->n)
		return 0;
	memcpy (p->off, nop + (part ? before : 0), p->n);
	/* what lies before the border may be on while there is no jump yet, or no more */
	return picture (p->old, p, part, code + before, part ? is : code) |
	       picture (p->wanted, p, part, code + before, to);
}

static bool has (const uint8_t *bytes, const struct part *p, const uint8_t *picture)
{
	return memcmp (bytes + p->offset, picture, p->n) == 0;
}

int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out)
{
	struct part p;
	uint8_t bytes[WORD];

	/* what comes first when a marker is enabled comes last when it is disabled */
	if (part_of (marker, is, to, to ? step : !step, &p) < 0)
		return -1;
	if (!p.n)
		return 0;
	out->word = (uint64_t *) p.word;
	out->expected = __atomic_load_n (out->word, __ATOMIC_RELAXED);
	memcpy (bytes, &out->expected, sizeof (bytes));
	if (!has (bytes, &p, p.off) && !has (bytes, &p, p.old) && !has (bytes, &p, p.wanted))
		return -1;
	memcpy (bytes + p.offset, p.wanted, p.n);
	memcpy (&out->wanted, bytes, sizeof (bytes));
	return out->wanted != out->expected;
}
