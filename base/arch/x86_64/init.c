/* SPDX-License-Identifier: MIT */
/* init.c: asks the CPU which vector state there is to keep. */
#include "pp_arch.h"

#include <cpuid.h>
#include <errno.h>
#include <stdbool.h>

/* x87, SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM; read by entry.S; 0: fxsave */
__attribute__ ((visibility ("hidden"))) uint32_t pp_arch_xsave_mask;

/*
 * How far errno lies from the thread pointer: libc's thread-local variables are at the same place
 * in every thread. Read by entry.S.
 */
__attribute__ ((visibility ("hidden"))) intptr_t pp_arch_errno;

enum {
	SAVED_COMPONENTS = 0xe7,
	AVX_COMPONENT = 1 << 2,
	AVX512_COMPONENTS = 0xe0,
	OSXSAVE = 1 << 27,
	INVARIANT_TSC = 1 << 8,
	AVX = 1 << 28,
	AVX512F = 1 << 16,
	AVX512BW = 1 << 30, /* whose mask registers have 64 bits */
};

static pp_arch_call_fn *calls[PP_ARCH_STATES] = {pp_arch_call_sse, pp_arch_call_all,
						 pp_arch_call_all, pp_arch_call_all};

pp_arch_call_fn *pp_arch_call_for (enum pp_arch_state state)
{
	/* cppcheck-suppress CastIntegerToAddressAtReturn ; they are pointers to functions */
	return calls[state];
}

void pp_arch_init (void)
{
	uint32_t a, b, c, d, low, high;
	bool has_avx, has_avx512;

	pp_arch_errno = (intptr_t) ((uintptr_t) &errno - pp_arch_thread_pointer ());
	if (!__get_cpuid (1, &a, &b, &c, &d))
		return;
	has_avx = c & OSXSAVE && c & AVX;
	if (c & OSXSAVE) {
		__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
		pp_arch_xsave_mask = low & SAVED_COMPONENTS;
	}
	has_avx = has_avx && pp_arch_xsave_mask & AVX_COMPONENT;
	has_avx512 = has_avx && (pp_arch_xsave_mask & AVX512_COMPONENTS) == AVX512_COMPONENTS;
	if (has_avx512 && __get_cpuid_count (7, 0, &a, &b, &c, &d))
		has_avx512 = b & AVX512F && b & AVX512BW;
	/*
	 * what the CPU or the kernel has not, nobody can have live; but AVX-512 of a kind unknown
	 * here is all
	 */
	calls[PP_ARCH_AVX] = has_avx ? pp_arch_call_avx : pp_arch_call_sse;
	if (has_avx512)
		calls[PP_ARCH_AVX512] = pp_arch_call_avx512;
	else if (!(pp_arch_xsave_mask & AVX512_COMPONENTS))
		calls[PP_ARCH_AVX512] = calls[PP_ARCH_AVX];
}

int pp_arch_ticks_invariant (void)
{
	uint32_t a, b, c, d;

	return __get_cpuid (0x80000007, &a, &b, &c, &d) && (d & INVARIANT_TSC);
}
