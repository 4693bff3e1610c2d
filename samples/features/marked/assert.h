/* SPDX-License-Identifier: MIT */
/*
 * assert.h: assertions as a feature, libc.assertions, by the place of each. A compiler that finds
 * this before the C library's (-I samples/features/marked) has them marked, in C; in C++, and
 * without the plugin, assert is what it is. No include guard: NDEBUG counts each time anew.
 */
#include_next <assert.h>

#if defined __PPGCC__ && !defined __cplusplus && !defined NDEBUG
#include <pp.h>
#undef assert
#define assert(EXPRESSION)                                                                         \
	({                                                                                         \
		PP_FEATURE (libc.assertions)                                                       \
		if (!(EXPRESSION))                                                                 \
			__assert_fail (#EXPRESSION, __FILE__, __LINE__, __func__);                 \
		(void) 0;                                                                          \
	})
#endif
