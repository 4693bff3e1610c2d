/* SPDX-License-Identifier: MIT */
/* init.c: asks the CPU which vector state there is to save. */
#include "pp_arch.h"

#include <cpuid.h>

/* x87, SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM; read by entry.S; 0: fxsave */
__attribute__ ((visibility ("hidden"))) uint32_t pp_arch_xsave_mask;

enum { SAVED_COMPONENTS = 0xe7, OSXSAVE = 1 << 27, INVARIANT_TSC = 1 << 8 };

void pp_arch_init (void)
{
	uint32_t a, b, c, d, low, high;

	if (!__get_cpuid (1, &a, &b, &c, &d) || !(c & OSXSAVE))
		return;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	pp_arch_xsave_mask = low & SAVED_COMPONENTS;
}

int pp_arch_ticks_invariant (void)
{
	uint32_t a, b, c, d;

	return __get_cpuid (0x80000007, &a, &b, &c, &d) && (d & INVARIANT_TSC);
}
