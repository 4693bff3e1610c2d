/* SPDX-License-Identifier: MIT */
/*
 * fp.h: the floating-point environment of the library's own arithmetic. A host may have made
 * exceptions trap (feenableexcept, gfortran's -ffpe-trap), round otherwise or flush denormals; 0/0
 * is how something unknown looks here, and no reason to kill anybody. At markers the stubs' calls
 * of C see to it (arch/x86_64/entry.S); where programs call, PPI_DEFAULT_FP does, and gives the
 * host's environment back, with the flags as they were. Callbacks that are called meanwhile run in
 * the default environment; one that leaves by longjmp leaves it to the host.
 */
#ifndef PPI_BASE_FP_H
#define PPI_BASE_FP_H

#include "pp_arch.h"

#include <errno.h>

static inline void ppi_fp_leave (const pp_arch_fp *was)
{
	pp_arch_fp_set (*was);
}

/*
 * From here to the end of the block. What computes must be in functions that are called there: a
 * compiler may move arithmetic past this, as it may past fesetenv.
 */
#define PPI_DEFAULT_FP                                                                             \
	__attribute__ ((cleanup (ppi_fp_leave), unused)) const pp_arch_fp fp_was =                 \
		pp_arch_fp_default ()

static inline void ppi_errno_leave (const int *was)
{
	errno = *was;
}

/* The same, and errno: around what may call functions of the program's, or the system. */
#define PPI_KEEP_HOST                                                                              \
	PPI_DEFAULT_FP;                                                                            \
	__attribute__ ((cleanup (ppi_errno_leave), unused)) const int errno_was = errno

#endif
