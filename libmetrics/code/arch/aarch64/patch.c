/* SPDX-License-Identifier: MIT */
/*
 * patch.c: the instruction of a marker on aarch64: "nop" or "b stub". Whoever owns it at the moment
 * (a breakpoint's brk, a uprobe's) is recognised, since it is compared with what it must be.
 */
#include "pp_arch.h"

#include <sys/auxv.h>

#ifndef HWCAP_SVE
#define HWCAP_SVE (1 << 22)
#endif

/* read by entry.S */
__attribute__ ((visibility ("hidden"))) uint32_t pp_arch_has_sve;

void pp_arch_init (void)
{
	pp_arch_has_sve = (getauxval (AT_HWCAP) & HWCAP_SVE) != 0;
}

enum { NOP = 0xd503201f, B = 0x14000000, B_DISTANCE = 0x03ffffff, B_REACH = 1 << 27 };

static bool branch (uintptr_t from, uintptr_t to, uint32_t *out)
{
	intptr_t distance = (intptr_t) (to - from);

	*out = (uint32_t) B | ((uint32_t) ((to - from) >> 2) & (uint32_t) B_DISTANCE);
	return distance >= -(intptr_t) B_REACH && distance < (intptr_t) B_REACH;
}

static uintptr_t code_of (const struct pp_abi_marker *marker)
{
	return (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop;
}

bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to)
{
	uint32_t ignored;

	return branch (code_of (marker), to, &ignored);
}

int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out)
{
	uintptr_t code = code_of (marker);
	unsigned shift = code % 8 * 8;
	uint32_t old, wanted = NOP, found;

	if (step)
		return PP_ARCH_STEPS;
	if (code % 4 || !branch (code, is, &old) || (to && !branch (code, to, &wanted)))
		return -1;
	out->word = (uint64_t *) (code & ~(uintptr_t) 7);
	found = (uint32_t) (__atomic_load_n (out->word, __ATOMIC_RELAXED) >> shift);
	if (found != (uint32_t) NOP && found != old && found != wanted)
		return -1;
	out->mask = (uint64_t) UINT32_MAX << shift;
	out->expected = (uint64_t) found << shift;
	out->wanted = (uint64_t) wanted << shift;
	out->settles = false;
	return found != wanted ? 0 : PP_ARCH_STEPS;
}
