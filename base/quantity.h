/* SPDX-License-Identifier: MIT */
/*
 * quantity.h: figures as people read them. Nothing else formats a number that has a unit: reports,
 * messages and what the program is told all look the same.
 *
 *     5.60e-3 s → "5.60 ms"     1536 B → "1.50 KiB"     3.02e-6 s → "3.02 µs"     12 → "12"
 *
 * Inside, all text is UTF-8. What leaves the process for a terminal or a log goes through
 * ppi_text_for_locale first: "µs" is "us" and "→" is "->" where the locale has no UTF-8.
 */
#ifndef PPI_QUANTITY_TEXT_H
#define PPI_QUANTITY_TEXT_H

#include "base/types.h"

#include <stddef.h>

/* seconds^SECONDS × bytes^BYTES; both 0: a plain number */
struct ppi_dimension {
	int8_t seconds, bytes;
};

#define PPI_DIMENSION_BYTES 32
#define PPI_QUANTITY_BYTES 40

struct ppi_dimension ppi_dimension_of (enum ppi_unit unit, int power);
bool ppi_dimension_equal (struct ppi_dimension a, struct ppi_dimension b);
/* "s", "B", "B/s", "/s", "s^2", "B^2 s"; "" of a plain number. Returns OUT. */
const char *ppi_dimension_symbol (struct ppi_dimension dimension, char *out, size_t room);

/*
 * VALUE with three digits, more only where an integer has them, a prefix and a unit; "unknown" for
 * NaN. Returns OUT.
 */
const char *ppi_quantity_format (double value, struct ppi_dimension dimension, char *out,
				 size_t room);
/* The same of what was measured: a time from 0 up to RESOLUTION is "< 10 ns". Returns OUT. */
const char *ppi_quantity_measured (double value, struct ppi_dimension dimension, double resolution,
				   char *out, size_t room);
/*
 * Two that are compared, each in ROOM bytes: with as many digits as it takes to see that they
 * differ, if they do.
 */
void ppi_quantity_pair (double a, double b, struct ppi_dimension dimension, char *a_out,
			char *b_out, size_t room);
/* 0.0853 → "8.53 %"; "unknown" for NaN. Returns OUT. */
const char *ppi_share_format (double share, char *out, size_t room);
/* VALUE of a knob: its word among WORDS ("box, linear", or NULL), or the number. Returns OUT. */
const char *ppi_knob_format (const char *words, double value, char *out, size_t room);

/*
 * Does the user's locale have UTF-8? As LC_ALL, LC_CTYPE and LANG said at the last look, whatever
 * the host program has set. The library looks once, when it starts: later the host may be changing
 * its environment. Any thread.
 */
void ppi_locale_look (void);
bool ppi_locale_is_utf8 (void);
/*
 * What ASCII has for the character of UTF-8 at TEXT, of *BYTES: "u" for "µ", "->" for "→"; "?"
 * where it has nothing.
 */
const char *ppi_character_ascii (const char *text, size_t *bytes);
/*
 * Writes TEXT anew, in its place, for the user's locale: where that has no UTF-8 the characters
 * that we print are ASCII's. Those of other people's names stay as they are.
 */
void ppi_text_for_locale (char *text);

#endif
