/* SPDX-License-Identifier: MIT */
/*
 * patch.c: the bytes of a marker on x86-64; pp_abi.h draws them. Step 0 changes where the jump leads, step 1, one byte, whether it is
 * reached.
 *
 * A thread may stand between the marker's short NOP and its jump for as long as it likes, so the jump is whole at every
 * moment, also while the marker is off: its displacement is changed by one aligned 8-byte store. Where it does not lie in
 * one word, it leads to the stub for ever, and the stub's first instruction, a NOP in front of the rest, leads on.
 *
 * Whoever owns the bytes at the moment (a breakpoint's int3, a uprobe's) is recognised, since they are compared with what
 * they must be. A marker with a breakpoint on its first byte is not turned on: a uprobe executes a copy of the instruction
 * that it found, and would go on as if nothing had happened. It can be turned off, and is led to its stub as well, which does
 * nothing for a site without a plan, should that copy be the one that is on.
 */
#include "pp_arch.h"

#include <stdbool.h>
#include <string.h>

enum { JMP_BYTES = 5, REL_BYTES = 4, WORD = 8 };

static const uint8_t nop[] = PP_ABI_X86_NOP;
static const uint8_t redirect[JMP_BYTES] = PP_ABI_X86_REDIRECT;

static uintptr_t code_of (const struct pp_abi_marker *marker)
{
	return (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop;
}

/* Where the jump leads as it was compiled: the stub with its redirect. */
static uintptr_t entry_of (const struct pp_abi_marker *marker)
{
	return (uintptr_t) &marker->stub + (uintptr_t) (intptr_t) marker->stub;
}

uintptr_t pp_arch_stub (const struct pp_abi_marker *marker)
{
	/* a cold block of the function's has no redirect */
	return entry_of (marker) + (marker->flags & PP_ABI_MARKER_COLD ? 0 : JMP_BYTES);
}

/* The displacement of a jump whose next instruction is at NEXT; false: TO is too far away. */
static bool displacement (uintptr_t next, uintptr_t to, uint8_t out[REL_BYTES])
{
	int64_t distance = (int64_t) (to - next);
	int32_t rel = (int32_t) distance;

	memcpy (out, &rel, sizeof (rel));
	return rel == distance;
}

static bool leads_itself (uintptr_t code)
{
	return (code + PP_ABI_X86_REL32) % WORD + REL_BYTES <= WORD;
}

/* Is there a marker, on or off? Its first byte may be a breakpoint's. */
static bool is_marker (uintptr_t code)
{
	const uint8_t *at = (const uint8_t *) code;
	uint8_t is = at[PP_ABI_X86_SWITCH];

	return at[1] == nop[1] && at[2] == nop[2] && at[PP_ABI_X86_SWITCH + 1] == nop[PP_ABI_X86_SWITCH + 1] &&
	       (is == PP_ABI_X86_OFF || is == PP_ABI_X86_ON);
}

static bool has_breakpoint (uintptr_t code)
{
	return *(const uint8_t *) code != nop[0];
}

/* N bytes at AT, in one word, become WANTED; they must be EXPECTED, or that already. */
static int change (struct pp_arch_patch *out, uintptr_t at, size_t n, const uint8_t *expected, const uint8_t *wanted)
{
	unsigned shift = at % WORD * 8;
	uint64_t is = 0, becomes = 0;

	if (memcmp ((const void *) at, expected, n) != 0 && memcmp ((const void *) at, wanted, n) != 0)
		return -1;
	memcpy (&is, (const void *) at, n);
	memcpy (&becomes, wanted, n);
	out->word = (uint64_t *) (at - at % WORD);
	out->mask = (n == WORD ? UINT64_MAX : (UINT64_C (1) << n * 8) - 1) << shift;
	/* where one byte differs, one is written, which needs no page to be made writable */
	if (is != becomes && __builtin_ctzll (is ^ becomes) / 8 == 7 - __builtin_clzll (is ^ becomes) / 8) {
		unsigned at_bit = (unsigned) __builtin_ctzll (is ^ becomes) & ~7u;

		out->mask = UINT64_C (0xff) << (shift + at_bit);
		is &= UINT64_C (0xff) << at_bit;
		becomes &= UINT64_C (0xff) << at_bit;
	}
	out->expected = is << shift;
	out->wanted = becomes << shift;
	return is != becomes;
}

static int change_switch (struct pp_arch_patch *out, uintptr_t code, bool on)
{
	static const uint8_t off = PP_ABI_X86_OFF, reached = PP_ABI_X86_ON;

	return change (out, code + PP_ABI_X86_SWITCH, 1, on ? &off : &reached, on ? &reached : &off);
}

/* As compiled, or led back where a breakpoint was. */
static bool leads_to_entry (uintptr_t code, uintptr_t entry)
{
	uint8_t bytes[REL_BYTES];

	return displacement (code + PP_ABI_X86_NOP_BYTES, entry, bytes) &&
	       memcmp ((const void *) (code + PP_ABI_X86_REL32), bytes, REL_BYTES) == 0;
}

static int change_displacement (struct pp_arch_patch *out, uintptr_t code, uintptr_t is, uintptr_t to)
{
	uint8_t expected[REL_BYTES], wanted[REL_BYTES];
	uintptr_t next = code + PP_ABI_X86_NOP_BYTES;

	if (!displacement (next, is, expected) || !displacement (next, to, wanted))
		return -1;
	return change (out, code + PP_ABI_X86_REL32, REL_BYTES, expected, wanted);
}

static bool head (uint8_t out[JMP_BYTES], uintptr_t entry, uintptr_t target)
{
	memcpy (out, redirect, JMP_BYTES);
	if (target == entry)
		return true;
	out[0] = 0xe9;
	return displacement (entry + JMP_BYTES, target, out + 1);
}

static int change_head (struct pp_arch_patch *out, uintptr_t entry, uintptr_t is, uintptr_t to)
{
	uint8_t expected[JMP_BYTES], wanted[JMP_BYTES];

	if (is == entry && to == entry)
		return 0;
	/* led back where a breakpoint was */
	if (memcmp ((const void *) entry, redirect, JMP_BYTES) == 0)
		is = entry;
	if (entry % WORD + JMP_BYTES > WORD || !head (expected, entry, is) || !head (wanted, entry, to))
		return -1;
	return change (out, entry, JMP_BYTES, expected, wanted);
}

bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to)
{
	uintptr_t code = code_of (marker), entry = entry_of (marker);
	uint8_t bytes[JMP_BYTES];

	if (leads_itself (code) || to == pp_arch_stub (marker))
		return displacement (code + PP_ABI_X86_NOP_BYTES, to, bytes);
	return entry % WORD + JMP_BYTES <= WORD && !(marker->flags & PP_ABI_MARKER_COLD) && head (bytes, entry, to);
}

int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out)
{
	uintptr_t code = code_of (marker), entry = entry_of (marker), stub = pp_arch_stub (marker);

	if (!is_marker (code) || (step == 1 && to && has_breakpoint (code)))
		return -1;
	if (step == 1)
		return change_switch (out, code, to != 0);
	if (!to && !has_breakpoint (code))
		return 0;
	is = is == stub ? entry : is;
	to = to == stub || !to ? entry : to;
	if (leads_itself (code))
		return change_displacement (out, code, leads_to_entry (code, entry) ? entry : is, to);
	return change_head (out, entry, is, to);
}
