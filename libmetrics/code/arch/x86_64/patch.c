/* SPDX-License-Identifier: MIT */
/*
 * patch.c: the bytes of a marker on x86-64; pp_abi.h draws them.
 *
 * Whatever changes, threads run there, and the one way to change code that every kernel and no
 * hardening forbids, /proc/self/mem, promises no more than that one byte is written at once. So a
 * step either changes one byte, or bytes that nobody can reach at that moment. The byte that says
 * how long the NOP is turns a marker on and off. A thread may stand between the short NOP and the
 * jump for as long as it likes, also while the marker is off, so leading the jump elsewhere takes
 * three steps, with a barrier after the first and the second:
 *
 *      e9 rel32   jmp old
 *      a9 rel32   test $rel32, %eax    closed: goes on behind the marker; the flags are dead there
 *      a9 other   test $other, %eax
 *      e9 other   jmp new
 *
 * A marker that is on would lose executions meanwhile. The head of its stub, where the jump leads
 * as compiled, loses none: it is five bytes that are closed or opened in the same way, and closed
 * it goes on into the stub. The jump of a marker that is on at its stub, or whose displacement does
 * not lie in one word, leads to the stub for ever, and the head leads on.
 *
 * Whoever owns the bytes at the moment (a breakpoint's int3, a uprobe's) is recognised, since they
 * are compared with what they must be. A marker with a breakpoint on its first byte is not turned
 * on: a uprobe executes a copy of the instruction that it found, and would go on as if nothing had
 * happened. It can be turned off, and its jump is closed as well, should that copy be the one that
 * is on.
 */
#include "pp_arch.h"

#include <stdbool.h>
#include <string.h>

enum { JMP_BYTES = 5, REL_BYTES = 4, WORD = 8, OPEN = 0xe9, CLOSED = 0xa9, NOP_OPCODE = 4 };

static const uint8_t nop[] = PP_ABI_X86_NOP;
static const uint8_t redirect[JMP_BYTES] = PP_ABI_X86_REDIRECT;

/* The five bytes that are led elsewhere: a marker's jump, or its stub's head. */
struct jump {
	uint8_t *at;
	bool is_head;
};

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
static bool is_marker (const uint8_t *at)
{
	uint8_t is = at[PP_ABI_X86_SWITCH];

	return at[1] == nop[1] && at[2] == nop[2] &&
	       (is == PP_ABI_X86_OFF || is == PP_ABI_X86_ON) &&
	       (at[NOP_OPCODE] == OPEN || at[NOP_OPCODE] == CLOSED);
}

static bool is_on (const uint8_t *at)
{
	return at[PP_ABI_X86_SWITCH] == PP_ABI_X86_ON && at[NOP_OPCODE] == OPEN;
}

static bool has_breakpoint (const uint8_t *at)
{
	return at[0] != nop[0];
}

static bool jumps_to (const uint8_t *jump, uintptr_t to)
{
	uint8_t bytes[REL_BYTES];

	return displacement ((uintptr_t) jump + JMP_BYTES, to, bytes) &&
	       memcmp (jump + 1, bytes, REL_BYTES) == 0;
}

/* That of MARKER which is led elsewhere: once it is the head it stays so. */
static struct jump jump_of (const struct pp_abi_marker *marker)
{
	uint8_t *at = (uint8_t *) code_of (marker), *head = (uint8_t *) entry_of (marker);
	bool pristine =
		marker->flags & PP_ABI_MARKER_COLD || memcmp (head, redirect, JMP_BYTES) == 0;
	bool waits = is_on (at) && jumps_to (at + NOP_OPCODE, (uintptr_t) head);

	if (leads_itself ((uintptr_t) at) && pristine &&
	    (!waits || marker->flags & PP_ABI_MARKER_COLD))
		return (struct jump){at + NOP_OPCODE, false};
	return (struct jump){head, true};
}

/* N bytes at AT, in one word, become WANTED. */
static int change (struct pp_arch_patch *out, const uint8_t *at, const uint8_t *wanted, size_t n,
		   int step)
{
	uintptr_t shift = (uintptr_t) at % WORD * 8;
	uint64_t is = 0, becomes = 0;

	memcpy (&is, at, n);
	memcpy (&becomes, wanted, n);
	out->word = (uint64_t *) ((uintptr_t) at & ~(uintptr_t) (WORD - 1));
	out->mask = ((UINT64_C (1) << n * 8) - 1) << shift;
	out->expected = is << shift;
	out->wanted = becomes << shift;
	out->settles = step == PP_ARCH_CLOSE || n > 1;
	return step;
}

static int change_byte (struct pp_arch_patch *out, const uint8_t *at, uint8_t wanted, int step)
{
	return change (out, at, &wanted, 1, step);
}

/* How many of the four bytes differ, and the last one that does. */
static int differences (const uint8_t *a, const uint8_t *b, int *where)
{
	int n = 0;

	for (int i = 0; i < REL_BYTES; i++)
		if (a[i] != b[i]) {
			*where = i;
			n++;
		}
	return n;
}

/* The jump at AT, which was led to IS, is to lead to TO. */
static int lead (struct pp_arch_patch *out, const uint8_t *at, uintptr_t entry, uintptr_t is,
		 uintptr_t to, int step)
{
	uint8_t wanted[REL_BYTES];
	int where, n;

	if (!displacement ((uintptr_t) at + JMP_BYTES, to, wanted))
		return -1;
	n = differences (at + 1, wanted, &where);
	if (at[0] == OPEN) {
		if (!n)
			return PP_ARCH_STEPS;
		if (!jumps_to (at, is) && !jumps_to (at, entry))
			return -1;
		if (n == 1 && step <= PP_ARCH_LEAD)
			return change_byte (out, at + 1 + where, wanted[where], PP_ARCH_LEAD);
		return step == PP_ARCH_CLOSE ? change_byte (out, at, CLOSED, step) : -1;
	}
	if (at[0] != CLOSED)
		return step == PP_ARCH_CLOSE ? change_byte (out, at, CLOSED, step) : -1;
	if (n)
		return step <= PP_ARCH_LEAD ? change (out, at + 1, wanted, REL_BYTES, PP_ARCH_LEAD)
					    : -1;
	return step <= PP_ARCH_OPEN ? change_byte (out, at, OPEN, PP_ARCH_OPEN) : -1;
}

/*
 * A jump that leads nowhere: a head that goes on into its stub, or a marker's that nobody shall
 * follow.
 */
static int close_jump (struct pp_arch_patch *out, const uint8_t *at, int step)
{
	return at[0] == OPEN && step == PP_ARCH_CLOSE ? change_byte (out, at, CLOSED, step)
						      : PP_ARCH_STEPS;
}

static int prepare_jump (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			 struct pp_arch_patch *out)
{
	const uint8_t *code = (const uint8_t *) code_of (marker);
	uintptr_t entry = entry_of (marker), stub = pp_arch_stub (marker);
	bool as_compiled = code[NOP_OPCODE] == OPEN && jumps_to (code + NOP_OPCODE, entry);
	struct jump jump;

	/* the usual cases of many at once, which have no need to look at the stub */
	if (!to && !has_breakpoint (code))
		return PP_ARCH_STEPS;
	if (as_compiled && is == stub && to == stub)
		return PP_ARCH_STEPS;
	jump = jump_of (marker);
	if (!to)
		return close_jump (out, jump.at, step);
	if (!jump.is_head)
		return lead (out, jump.at, entry, is == stub ? entry : is, to == stub ? entry : to,
			     step);
	if (!as_compiled)
		return -1;
	if (to == stub)
		return close_jump (out, jump.at, step);
	if (marker->flags & PP_ABI_MARKER_COLD || entry % WORD + JMP_BYTES > WORD)
		return -1;
	if (jump.at[0] != OPEN && jump.at[0] != CLOSED &&
	    memcmp (jump.at, redirect, JMP_BYTES) != 0)
		return -1;
	return lead (out, jump.at, to, is, to, step);
}

bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to)
{
	uintptr_t code = code_of (marker), entry = entry_of (marker);
	uint8_t bytes[REL_BYTES];

	if (to == pp_arch_stub (marker))
		return true;
	/* by its own jump, and by its head should it have to be led there while it is on */
	return !(marker->flags & PP_ABI_MARKER_COLD) && entry % WORD + JMP_BYTES <= WORD &&
	       displacement (code + PP_ABI_X86_NOP_BYTES, to, bytes) &&
	       displacement (entry + JMP_BYTES, to, bytes);
}

bool pp_arch_leads_unseen (const struct pp_abi_marker *marker, uintptr_t to)
{
	struct jump jump = jump_of (marker);
	uint8_t wanted[REL_BYTES];
	int where;

	if (!is_on ((const uint8_t *) code_of (marker)))
		return true;
	/* a head that goes on into its stub, or is to do so */
	if (jump.is_head && (jump.at[0] != OPEN || to == pp_arch_stub (marker)))
		return true;
	to = to == pp_arch_stub (marker) ? entry_of (marker) : to;
	return displacement ((uintptr_t) jump.at + JMP_BYTES, to, wanted) &&
	       differences (jump.at + 1, wanted, &where) <= 1;
}

bool pp_arch_head (uintptr_t is, uint64_t head, uintptr_t to, uint64_t *out)
{
	/*
	 * one access relative to fs has all of them: perhaps REX, an opcode, ModRM, SIB, a
	 * displacement of four bytes
	 */
	uint8_t bytes[WORD];
	int opcode;

	memcpy (bytes, &head, WORD);
	opcode = (bytes[1] & 0xf0) == 0x40 ? 2 : 1;
	if (is % WORD || bytes[0] != 0x64 || (bytes[opcode + 1] & 0xc7) != 0x04 ||
	    bytes[opcode + 2] != 0x25)
		return false;
	bytes[0] = OPEN;
	if (!displacement (is + JMP_BYTES, to, bytes + 1))
		return false;
	memcpy (out, bytes, WORD);
	return true;
}

int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out)
{
	const uint8_t *code = (const uint8_t *) code_of (marker);
	uint8_t wanted = to ? PP_ABI_X86_ON : PP_ABI_X86_OFF;
	int first = PP_ARCH_STEPS;

	if (!is_marker (code) || (to && has_breakpoint (code)))
		return -1;
	if (step < PP_ARCH_SWITCH)
		first = prepare_jump (marker, is, to, step, out);
	if (first != PP_ARCH_STEPS || step > PP_ARCH_SWITCH || code[PP_ABI_X86_SWITCH] == wanted)
		return first;
	return change_byte (out, code + PP_ABI_X86_SWITCH, wanted, PP_ARCH_SWITCH);
}
