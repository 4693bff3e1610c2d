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

#include <string.h>

enum { NOP_BYTES = PP_ABI_X86_NOP_BYTES, JMP_BYTES = 5, WORD = 8 };

static const uint8_t nop[NOP_BYTES] = PP_ABI_X86_NOP;

/* NOPs of 1 to 4 bytes, for what lies before a border */
static const uint8_t short_nops[][4] = {{0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0x00}};

/* One word's part of a marker: N bytes from OFFSET, that are OFF or ON. */
struct part {
	uintptr_t word;
	size_t offset, n;
	uint8_t off[WORD], on[WORD];
};

static int jump (uintptr_t from, uintptr_t to, uint8_t out[JMP_BYTES])
{
	int64_t distance = (int64_t) (to - (from + JMP_BYTES));
	int32_t rel = (int32_t) distance;

	out[0] = 0xe9;
	memcpy (out + 1, &rel, sizeof (rel));
	return rel == distance ? 0 : -1;
}

/* The part of the marker that is changed in STEP (0: before the border, 1: the jump); n = 0: none. */
static int part_of (const struct pp_abi_marker *marker, int step, struct part *p)
{
	uintptr_t code = (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop;
	uintptr_t stub = (uintptr_t) &marker->stub + (uintptr_t) (intptr_t) marker->stub;
	size_t offset = code % WORD, before = offset + JMP_BYTES <= WORD ? 0 : WORD - offset;

	p->n = step ? JMP_BYTES : before;
	p->offset = step && before ? 0 : offset;
	p->word = code - offset + (step && before ? WORD : 0);
	if (!p->n)
		return 0;
	memcpy (p->off, nop + (step ? before : 0), p->n);
	if (step)
		return jump (code + before, stub, p->on);
	memcpy (p->on, short_nops[before - 1], p->n);
	return 0;
}

int pp_arch_patch_prepare (const struct pp_abi_marker *marker, int on, int step, struct pp_arch_patch *out)
{
	struct part p;
	uint8_t bytes[WORD];

	/* what comes first when a marker is enabled comes last when it is disabled */
	if (part_of (marker, on ? step : !step, &p) < 0)
		return -1;
	if (!p.n)
		return 0;
	out->word = (uint64_t *) p.word;
	out->expected = __atomic_load_n (out->word, __ATOMIC_RELAXED);
	memcpy (bytes, &out->expected, sizeof (bytes));
	if (memcmp (bytes + p.offset, p.off, p.n) != 0 && memcmp (bytes + p.offset, p.on, p.n) != 0)
		return -1;
	memcpy (bytes + p.offset, on ? p.on : p.off, p.n);
	memcpy (&out->wanted, bytes, sizeof (bytes));
	return out->wanted != out->expected;
}
