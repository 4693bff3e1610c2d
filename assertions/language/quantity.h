/* SPDX-License-Identifier: MIT */
/*
 * quantity.h: numbers with units as policies write them: "400 ms", "64KiB", "5%". Inside everything
 * is seconds, bytes, plain counts.
 */
#ifndef PPI_QUANTITY_H
#define PPI_QUANTITY_H

#include "base/quantity.h"

/*
 * The units of the language: name, factor, divisor, dimension. Two figures, so that 5 % and 0.05
 * are the same double.
 */
#define PPI_QUANTITY_UNITS(X)                                                                      \
	X ("ns", 1.0, 1e9, 1, 0)                                                                   \
	X ("us", 1.0, 1e6, 1, 0)                                                                   \
	X ("ms", 1.0, 1e3, 1, 0)                                                                   \
	X ("s", 1.0, 1.0, 1, 0)                                                                    \
	X ("min", 60.0, 1.0, 1, 0)                                                                 \
	X ("h", 3600.0, 1.0, 1, 0)                                                                 \
	X ("B", 1.0, 1.0, 0, 1)                                                                    \
	X ("kB", 1e3, 1.0, 0, 1)                                                                   \
	X ("MB", 1e6, 1.0, 0, 1)                                                                   \
	X ("GB", 1e9, 1.0, 0, 1)                                                                   \
	X ("KiB", 1024.0, 1.0, 0, 1)                                                               \
	X ("MiB", 1048576.0, 1.0, 0, 1)                                                            \
	X ("GiB", 1073741824.0, 1.0, 0, 1)                                                         \
	X ("%", 1.0, 100.0, 0, 0)

enum ppi_quantity_result {
	PPI_QUANTITY_OK,
	PPI_QUANTITY_NO_NUMBER,    /* TEXT does not begin with a digit */
	PPI_QUANTITY_BAD_NUMBER,   /* digits that are no number, or out of range */
	PPI_QUANTITY_UNKNOWN_UNIT, /* letters follow at once that are no unit: [*unit, *end) */
};

/*
 * Reads an unsigned decimal number at TEXT and the unit behind it, blanks between allowed where the
 * word is a unit. *END is behind what was read, *UNIT at the unit (== *END without one). Decimal
 * point whatever the locale. Pure.
 */
enum ppi_quantity_result ppi_quantity_scan (const char *text, double *value,
					    struct ppi_dimension *dimension, const char **unit,
					    const char **end);

/* The unit that WORD was perhaps meant to be, or NULL. */
const char *ppi_quantity_nearest_unit (const char *word);

/* "a time", "bytes", "a plain number", "s^2", "B/s": for messages. Returns OUT. */
const char *ppi_dimension_name (struct ppi_dimension dimension, char *out, size_t room);

#endif
