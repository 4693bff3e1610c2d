/* SPDX-License-Identifier: MIT */
/*
 * vdso.h: what the kernel lends a process to call without a system call (vdso(7)). It is called
 * directly where markers are: libc's functions may be somebody else's, or be resolved at their
 * first call, and may use vector registers, which the kernel's code does not.
 */
#ifndef PPI_BASE_VDSO_H
#define PPI_BASE_VDSO_H

#include <stddef.h>

/*
 * The function NAME of the vDSO, NULL: there is none, as under valgrind. Takes no lock, allocates
 * nothing.
 */
void *ppi_vdso_find (const char *name) __attribute__ ((visibility ("hidden")));
/* The same of the object that is mapped at IMAGE as a kernel maps it, whole. */
void *ppi_vdso_find_in (const void *image, const char *name)
	__attribute__ ((visibility ("hidden")));

#endif
