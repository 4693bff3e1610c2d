/* SPDX-License-Identifier: MIT */
/*
 * elf_read.h: what an instrumented program or shared object says of itself in its sections
 * (pp_abi.h), read from the file: nothing of it is run or loaded. Every offset is checked: a file
 * may be anything.
 */
#ifndef PPCTL_ELF_READ_H
#define PPCTL_ELF_READ_H

#include "base/estimate.h"
#include "base/names.h"

#include <pp.h>
#include <stdbool.h>

/* A site; texts are "" where there are none, and live until the binary is closed. */
struct ppctl_site {
	const struct pp_abi_site *abi;
	/* module!file:function/site with what tells it from namesakes, as the runtime says it */
	char *full;
	const char *base; /* without that */
	char *own_name;   /* FULL where something tells, or NULL */
	struct ppi_name_parts parts;
	const char *module, *file, *function, *name, *groups, *metrics, *dims;
	unsigned in_copied_loops; /* of these, in loops of which there is a copy without markers */
	/* copies, by enum pp_abi_op; guard markers are not listed in the file and not counted */
	unsigned markers[3];
	struct ppi_statics statics; /* what the compiler knows of it */
	struct ppi_statics_sum sum;
};

/* A record; NAME, FILE, LINE as in the source ("" and 0 where the file does not tell). */
struct ppctl_record {
	const struct pp_abi_record *abi; /* of the type's size at least */
	const char *name;
	const char *where; /* "file:line" */
	const char *words; /* of a knob of words: "box, linear, cubic"; else "" */
	bool has_setter;   /* of a knob */
	bool has_end;      /* of a source: there is an end function, it is for intervals */
};

struct ppctl_binary {
	struct ppctl_site *site; /* by full name */
	size_t n_sites;
	struct ppctl_record *record; /* by type, and as the source has them */
	size_t n_records;
	void *own;
};

/*
 * Reads PATH. 0, or a pp_error with a sentence in WHY: no ELF file, of another class, another ABI
 * version, damaged.
 */
int ppctl_binary_open (const char *path, struct ppctl_binary *out, char *why, size_t room);
void ppctl_binary_close (struct ppctl_binary *binary);
/*
 * What rules of instrument files did in its units (PP_ABI_SECTION_RULES), BYTES of text without a
 * NUL; NULL: none was compiled with any.
 */
const char *ppctl_binary_rules (const struct ppctl_binary *binary, size_t *bytes);
/*
 * Calls FN with the symbol of each function that it defines, until that returns true; whether it
 * did.
 */
bool ppctl_binary_each_function (const struct ppctl_binary *binary,
				 bool (*fn) (const char *name, void *arg), void *arg);
/*
 * elf_names.c: tells sites that have the same BASE, by which they are sorted, apart. false: no
 * memory.
 */
bool ppctl_name_sites (struct ppctl_binary *binary);
/*
 * Is TEXT, all of it, a literal of the program? Perhaps it is a name that it gives pp_span_site or
 * pp_begin.
 */
bool ppctl_binary_spells (const struct ppctl_binary *binary, const char *text);

/* The text at OFFSET of a record, "" for 0 or where it does not end inside. */
const char *ppctl_record_text (const struct ppctl_record *record, uint32_t offset);

#endif
