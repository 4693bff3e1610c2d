/* SPDX-License-Identifier: MIT */
/* quantity.h: numbers with units as people read them; nothing else formats such a number. */
#ifndef PPI_REPORT_QUANTITY_H
#define PPI_REPORT_QUANTITY_H

#include "libmetrics/types.h"

#include <stddef.h>

/*
 * VALUE in UNIT to the POWER (1 or 2; 0: a plain number) with three digits and a prefix: "5.60 ms", "1.50 MiB",
 * "3.02 µs", "12"; "-" for NaN. Returns OUT.
 */
const char *ppi_report_quantity (double value, enum ppi_unit unit, int power, char *out, size_t room);

/*
 * VALUE in a unit of seconds^SECONDS × bytes^BYTES, likewise; those that have no name are written out: "12 /s", "3e-07 s^2". From 0 up
 * to RESOLUTION, in the same unit, it is "< 10 ns". Returns OUT.
 */
const char *ppi_report_dimensioned (double value, int seconds, int bytes, double resolution, char *out, size_t room);

#endif
