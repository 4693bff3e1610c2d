/* SPDX-License-Identifier: MIT */
/*
 * yaml_tree.h: a YAML document as a tree that knows where each of its parts stands in the text.
 * Bounded in size, depth and number of nodes, so that no document (aliases of aliases included)
 * costs more than a policy may.
 */
#ifndef PPI_YAML_TREE_H
#define PPI_YAML_TREE_H

#include "assertions/language/diagnostics.h"

#define PPI_YAML_BYTES (1u << 20)
#define PPI_YAML_NODES 20000u
#define PPI_YAML_DEPTH 16u
#define PPI_YAML_ERRORS 16 /* of its grammar, told in one pass */

enum ppi_yaml_kind { PPI_YAML_SCALAR, PPI_YAML_LIST, PPI_YAML_MAP };

struct ppi_yaml {
	enum ppi_yaml_kind kind;
	struct ppi_place place;
	bool plain;    /* a scalar without quotes */
	size_t offset; /* of the scalar's first character in the text, where VERBATIM */
	/* the scalar stands in the text as its value is: positions inside can be told */
	bool verbatim;
	char *scalar;
	struct ppi_yaml **items; /* of a list, or the values of a map */
	struct ppi_yaml **keys;  /* of a map: scalars */
	size_t n;
};

/*
 * Reads TEXT (BYTES long, NUL behind it). NULL: errors were told, or the document is empty (told
 * too).
 */
struct ppi_yaml *ppi_yaml_read (const char *text, size_t bytes, struct ppi_diagnostics *d);
void ppi_yaml_destroy (struct ppi_yaml *tree);

/* The value of KEY in a map, or NULL. */
const struct ppi_yaml *ppi_yaml_get (const struct ppi_yaml *map, const char *key);
/* The place of byte OFFSET inside a scalar; the scalar's own where that can't be told. */
struct ppi_place ppi_yaml_place (const struct ppi_yaml *scalar, const char *text, size_t offset);
/* Equal values and order, wherever they stand? */
bool ppi_yaml_equal (const struct ppi_yaml *a, const struct ppi_yaml *b);

#endif
