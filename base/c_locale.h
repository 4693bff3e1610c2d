/* SPDX-License-Identifier: MIT */
/*
 * c_locale.h: numbers in policies, messages, reports and recordings have a point, whatever locale
 * the host has set.
 */
#ifndef PPI_BASE_C_LOCALE_H
#define PPI_BASE_C_LOCALE_H

#include <locale.h>

static inline void ppi_c_locale_leave (const locale_t *was)
{
	if (*was)
		uselocale (*was);
}

/*
 * The calling thread's locale is C from now on. What it was, 0: it is still that. Allocates
 * nothing: it is libc's own.
 */
static inline locale_t ppi_c_locale_use (void)
{
	locale_t c = newlocale (LC_ALL_MASK, "C", (locale_t) 0);

	return c ? uselocale (c) : (locale_t) 0;
}

/* From here to the end of the block. Callbacks of the program are not to be called meanwhile. */
#define PPI_C_LOCALE                                                                               \
	__attribute__ ((cleanup (ppi_c_locale_leave), unused)) const locale_t locale_was =         \
		ppi_c_locale_use ()

#endif
