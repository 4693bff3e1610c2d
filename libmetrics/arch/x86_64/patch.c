/* SPDX-License-Identifier: MIT */
/*
 * patch.c: the bytes of a marker on x86-64.
 *
 *   off  66 0f 1f 40 00     nopw 0(%rax)
 *   on   e9 rel32           jmp stub
 *
 * Both are 5 bytes inside one aligned 8-byte word, so one 8-byte store turns one into the other and a thread that
 * runs there fetches either. Whoever owns the bytes at the moment (a breakpoint's int3, a uprobe's) is recognised,
 * since the word is compared with what it must be.
 */
#include "pp_arch.h"

#include <string.h>

enum { MARKER_BYTES = 5 };

static const uint8_t nop[MARKER_BYTES] = PP_ABI_X86_NOP;

int pp_arch_patch_prepare (const struct pp_abi_marker *marker, int on, struct pp_arch_patch *out)
{
	uintptr_t code = (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop;
	uintptr_t stub = (uintptr_t) &marker->stub + (uintptr_t) (intptr_t) marker->stub;
	size_t offset = code & 7;
	int64_t distance = (int64_t) (stub - (code + MARKER_BYTES));
	int32_t rel = (int32_t) distance;
	uint8_t jmp[MARKER_BYTES] = {0xe9};
	uint8_t bytes[8];

	if (offset > 8 - MARKER_BYTES || rel != distance)
		return -1;
	memcpy (jmp + 1, &rel, sizeof (rel));
	out->word = (uint64_t *) (code - offset);
	out->expected = __atomic_load_n (out->word, __ATOMIC_RELAXED);
	memcpy (bytes, &out->expected, sizeof (bytes));
	if (memcmp (bytes + offset, nop, MARKER_BYTES) != 0 && memcmp (bytes + offset, jmp, MARKER_BYTES) != 0)
		return -1;
	memcpy (bytes + offset, on ? jmp : nop, MARKER_BYTES);
	memcpy (&out->wanted, bytes, sizeof (bytes));
	return 0;
}
