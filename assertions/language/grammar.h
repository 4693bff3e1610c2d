/* SPDX-License-Identifier: MIT */
/*
 * grammar.h: the keys of policies as the reader uses them. They come from one table,
 * grammar_keys.h; what is said here of a key or a value is told with its place when it is wrong.
 */
#ifndef PPI_GRAMMAR_H
#define PPI_GRAMMAR_H

#include "assertions/language/yaml_tree.h"

#define PPI_KEYS_MAX 32      /* of a map */
#define PPI_KEY_WORDS_MAX 12 /* of a key */

enum ppi_key_when {
	PPI_KEY_MAY,
	PPI_KEY_MUST,
	PPI_KEY_CLAUSE, /* may, and in expectations of the program's own, too */
	PPI_KEY_FIRE,   /* may, in on_fire only */
	PPI_KEY_LATER   /* part of the language, but not of this version */
};

/* How a value is read, and what becomes of it; the code of its map reads one that has no form. */
enum ppi_key_form {
	PPI_FORM_OWN,
	PPI_FORM_TRUTH,    /* bool */
	PPI_FORM_COUNT,    /* uint32_t or uint64_t, from MIN to MAX */
	PPI_FORM_DURATION, /* uint64_t, in ns, at least MIN */
	PPI_FORM_BYTES,    /* uint64_t, at least MIN */
	PPI_FORM_NUMBER,   /* double */
	PPI_FORM_NAME,     /* these three: const struct ppi_yaml * */
	PPI_FORM_TEXT,
	PPI_FORM_PATH, /* MAX: it may have %n */
	PPI_FORM_WORD  /* uint8_t, its place among WORDS */
};

/* What a value becomes, in its map's struct */
enum ppi_key_member {
	PPI_MEMBER_NONE,
	PPI_MEMBER_BOOL,
	PPI_MEMBER_U8,
	PPI_MEMBER_U32,
	PPI_MEMBER_U64,
	PPI_MEMBER_DOUBLE,
	PPI_MEMBER_NODE
};

/* A key that a map may have. Tables end with one without a name. */
struct ppi_policy_key {
	const char *name;
	/* of one that must be there: what is missing without it */
	const char *needs;
	/* what messages call its value, or what it counts; NULL: its name */
	const char *noun;
	const char *words[PPI_KEY_WORDS_MAX + 1]; /* that may be its value, then NULL */
	uint64_t min, max;
	size_t offset;  /* of the member that it is read into */
	uint8_t member; /* enum ppi_key_member; PPI_MEMBER_NONE: the map's own code reads it */
	uint8_t form;   /* enum ppi_key_form */
	uint8_t when;   /* enum ppi_key_when */
};

/* ppi_keys_policy () and so on: the keys of each map */
#define MAP(id, ...) const struct ppi_policy_key *ppi_keys_##id (void);
#include "assertions/language/grammar_keys.h"

/* Sets of keys that a place does not have */
#define PPI_LACKS(when) (1u << PPI_KEY_##when)
#define PPI_LACKS_NONE 0u
#define PPI_ON_CLEAR PPI_LACKS (FIRE)
#define PPI_IN_PROGRAM (PPI_LACKS (MAY) | PPI_LACKS (MUST) | PPI_LACKS (FIRE) | PPI_LACKS (LATER))

/* WHAT names the map in messages. Has MAP none but those of KEYS, without those that LACKS says? */
bool ppi_policy_keys (struct ppi_diagnostics *d, const struct ppi_yaml *map, const char *what,
		      const struct ppi_policy_key *keys, unsigned lacks);
/* Has it all that it must have? TOGETHER: one message names all of them, where one is missing. */
bool ppi_policy_needs (struct ppi_diagnostics *d, const struct ppi_yaml *map, const char *what,
		       const struct ppi_policy_key *keys, bool together);
/*
 * Reads all values of MAP that have a member of OUT, which keeps what it was where there is none,
 * or a wrong one. False: one is wrong.
 */
bool ppi_policy_take (struct ppi_diagnostics *d, const struct ppi_yaml *map,
		      const struct ppi_policy_key *keys, void *out);
/* Reads the value NODE of the key NAME into OUT, of the member's type, or the form's. */
bool ppi_policy_value (struct ppi_diagnostics *d, const struct ppi_yaml *node,
		       const struct ppi_policy_key *keys, const char *name, void *out);
/* The key NAME, which is in KEYS */
const struct ppi_policy_key *ppi_policy_key (const struct ppi_policy_key *keys, const char *name);
/* The place of TEXT in WORDS, or -1 */
int ppi_policy_word_place (const char *const *words, const char *text);
/* "a, b or c", with BETWEEN, like " or ", before the last; cut off where ROOM ends */
const char *ppi_policy_listed (const char *const *words, const char *between, char *out,
			       size_t room);

#endif
