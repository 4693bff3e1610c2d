/* SPDX-License-Identifier: MIT */
/*
 * names.h: what sites are called where several have the same module!file:function/name: overloads,
 * two pragmas of one name in a function, two
 * functions of one name in a file. Then as much is added as tells them apart:
 *
 *   T::f(int)/a       the parameters, if these tell the functions apart
 *   f@12/a            else the line where the function is defined
 *   f/a@14            the line of the pragma
 *   f/a@14.2          the second of that line
 *
 * Patterns may say so anyway, of any site.
 */
#ifndef PPI_BASE_NAMES_H
#define PPI_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are "" where there are none. */
struct ppi_name_parts {
	const char *module, *file, *function, *name;
	const char *parameters; /* "(int, double) const" */
	uint32_t function_line; /* 0: not known */
	uint32_t line;          /* 0: the site is a call, which has no place */
	uint32_t nth;           /* of those of its line, function and name, from 1 */
};

enum ppi_telling { PPI_TELL_PARAMETERS = 1, PPI_TELL_FUNCTION_LINE = 2, PPI_TELL_LINE = 4 };

/*
 * Writes the name with what TELLING (enum ppi_telling) says. Its length; 0: it is longer than
 * ROOM.
 */
size_t ppi_name_write (char *out, size_t room, const struct ppi_name_parts *parts, unsigned telling)
	__attribute__ ((visibility ("hidden")));

/* One of several sites of the same name. */
struct ppi_namesake {
	struct ppi_name_parts parts; /* of settled ones nth is given, of others it is worked out */
	uint32_t column;
	uint8_t kind, value, flags;
	const char *dims;
	void *site;       /* the caller's */
	bool settled;     /* it has its name */
	unsigned telling; /* enum ppi_telling; worked out */
};
/* Works out how all N are told apart. Sorts them. */
void ppi_namesakes_tell (struct ppi_namesake *of, size_t n) __attribute__ ((visibility ("hidden")));

/* Does PATTERN say more of a site than module!file:function/name? */
bool ppi_pattern_tells (const char *pattern) __attribute__ ((visibility ("hidden")));
/*
 * Does the name of PARTS, in any way to write it, match glob PATTERN as ppi_glob_suffix says;
 * LITERALLY: end with it at a border?
 */
bool ppi_name_matches (const struct ppi_name_parts *parts, const char *pattern, bool literally)
	__attribute__ ((visibility ("hidden")));
/* The same for the function alone. */
bool ppi_function_matches (const struct ppi_name_parts *parts, const char *pattern)
	__attribute__ ((visibility ("hidden")));

#endif
