/* SPDX-License-Identifier: MIT */
/*
 * start.h: whatever the program calls first starts the library.
 */
#ifndef PPI_BASE_START_H
#define PPI_BASE_START_H

/*
 * Everything that must be there before a module registers; does nothing the second time. libpp, or
 * a test, provides it.
 */
void ppi_runtime_start (void);

#endif
