/* SPDX-License-Identifier: MIT */
/*
 * symbols.c: see symbols.h. libdw reads DWARF, also where it is in a file of its own
 * (/usr/lib/debug/.build-id); without libdw no address has a name. Names are demangled by
 * libstdc++, if it is there: who reads profiles is not linked to it.
 */
#include "profiler/analysis/symbols.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#endif

struct ppi_symbols {
	char *path;
	const char *problem;
#ifdef HAVE_LIBDW
	Dwfl *dwfl;
	Dwfl_Module *module;
#endif
};

const char *ppi_symbols_problem (const struct ppi_symbols *symbols)
{
	return symbols->problem;
}

#ifdef HAVE_LIBDW

/* ---- names ----------------------------------------------------------------------------------- */

/* As people write it; malloced. NULL: NAME is as it is. */
static char *demangle (const char *name)
{
	static char *(*function) (const char *, char *, size_t *, int *);
	static bool looked;
	int status;
	void *library;

	if (strncmp (name, "_Z", 2) != 0)
		return NULL;
	if (!looked) {
		library = dlopen ("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		if (library)
			*(void **) &function = dlsym (library, "__cxa_demangle");
		looked = true;
	}
	return function ? function (name, NULL, NULL, &status) : NULL;
}

static void say (struct ppi_symbol symbol, void (*fn) (const struct ppi_symbol *symbol, void *arg),
		 void *arg)
{
	char *name = demangle (symbol.name);

	if (name)
		symbol.name = name;
	fn (&symbol, arg);
	free (name);
}

/* ---- DWARF ----------------------------------------------------------------------------------- */

enum { NAME_BYTES = 1024, DEPTH_MOST = 64, ORIGINS_MOST = 4 };

static const char *linkage_name (Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate (die, DW_AT_linkage_name, &attribute) ||
			       dwarf_attr_integrate (die, DW_AT_MIPS_linkage_name, &attribute)
		       ? dwarf_formstring (&attribute)
		       : NULL;
}

/* Where the function of DIE is declared: in its class, or its namespace. */
static Dwarf_Die declared (Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die at = *die, origin;

	/* a damaged file may lead round in a circle */
	for (int i = 0; i < ORIGINS_MOST; i++) {
		if (!dwarf_attr (&at, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr (&at, DW_AT_specification, &attribute))
			break;
		if (!dwarf_formref_die (&attribute, &origin))
			break;
		at = origin;
	}
	return at;
}

static const char lambda_code[] = "operator()";

/*
 * Is DIE the code of a lambda? GCC says of it neither a line nor how the linker calls it, and its
 * class has no name. A template's has its arguments behind its name.
 */
static bool is_lambda (Dwarf_Die *die)
{
	const char *name = dwarf_diename (die);
	Dwarf_Attribute attribute;
	int line;

	return name && strncmp (name, lambda_code, sizeof lambda_code - 1) == 0 &&
	       dwarf_attr_integrate (die, DW_AT_artificial, &attribute) &&
	       dwarf_decl_line (die, &line) != 0;
}

/* Is it the class of a lambda? */
static bool has_lambda (Dwarf_Die *scope)
{
	Dwarf_Die child;

	if (dwarf_child (scope, &child) != 0)
		return false;
	do
		if (is_lambda (&child))
			return true;
	while (dwarf_siblingof (&child, &child) == 0);
	return false;
}

/* What the scope is called in front of "::"; NULL: it is none. */
static const char *qualifier (Dwarf_Die *scope)
{
	const char *name = dwarf_diename (scope);

	switch (dwarf_tag (scope)) {
	case DW_TAG_namespace:
		return name ? name : "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return name ? name : has_lambda (scope) ? "<lambda>" : "(anonymous class)";
	case DW_TAG_module:
		return name;
	case DW_TAG_subprogram:
		/* the class stands for the lambda */
		return is_lambda (scope) ? NULL : name;
	default:
		return NULL;
	}
}

/* "space::Class::name" into OUT; false: the function is in none of these. */
static bool qualify (Dwarf_Die *die, const char *name, char *out, size_t room)
{
	Dwarf_Die at = declared (die), *scopes = NULL;
	int n = dwarf_getscopes_die (&at, &scopes);
	size_t used = 0;

	for (int i = n - 1; i > 0 && used < room; i--) {
		const char *of = qualifier (&scopes[i]);

		if (of)
			used += (size_t) snprintf (out + used, room - used, "%s::", of);
	}
	free (scopes);
	if (!used || used >= room)
		return false;
	if (is_lambda (&at)) {
		used -= 2;
		name += sizeof lambda_code - 1;
	}
	snprintf (out + used, room - used, "%s", name);
	return true;
}

/* Valid until the next one. */
static const char *name_of (Dwarf_Die *die)
{
	static char qualified[NAME_BYTES];
	const char *linkage = linkage_name (die), *name = dwarf_diename (die);

	/* that of C++ has it all, with the arguments' types */
	if (linkage && strncmp (linkage, "_Z", 2) == 0)
		return linkage;
	if (name && qualify (die, name, qualified, sizeof qualified))
		return qualified;
	return linkage ? linkage : name ? name : "";
}

static bool is_function (Dwarf_Die *die)
{
	return dwarf_tag (die) == DW_TAG_subprogram ||
	       dwarf_tag (die) == DW_TAG_inlined_subroutine ||
	       dwarf_tag (die) == DW_TAG_entry_point;
}

static unsigned number_of (Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	return dwarf_attr (die, name, &attribute) && dwarf_formudata (&attribute, &value) == 0
		       ? (unsigned) value
		       : 0;
}

/*
 * The source that the attribute NAME of DIE is a number of; NULL: none. libdw's own dwarf_decl_file
 * ends the process where a unit has no files, and in those of -gsplit-dwarf.
 */
static const char *source_of (Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t n;

	/* numbers are those of the unit that has the attribute, which may be the origin's */
	if (!dwarf_attr_integrate (die, name, &attribute) ||
	    dwarf_formudata (&attribute, &number) != 0 || !number ||
	    dwarf_cu_info (attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_getsrcfiles (&unit, &files, &n) != 0 || number >= n)
		return NULL;
	return dwarf_filesrc (files, number, NULL, NULL);
}

/* Where it is declared: what is in FILE at the line that is returned; 0, and as it was: unknown. */
static unsigned declared_at (Dwarf_Die *die, const char **file)
{
	const char *source = source_of (die, DW_AT_decl_file);
	int line = 0;

	if (source)
		*file = source;
	return dwarf_decl_line (die, &line) == 0 && line > 0 ? (unsigned) line : 0;
}

/* The function DIE, in which it is at LINE of FILE. */
static void say_die (struct ppi_symbols *s, Dwarf_Die *die, const char *file, unsigned line,
		     void (*fn) (const struct ppi_symbol *symbol, void *arg), void *arg)
{
	struct ppi_symbol symbol = {.name = name_of (die), .file = s->path, .at = line};
	Dwarf_Die at = declared (die), *scopes = NULL;

	symbol.line = declared_at (die, &symbol.file);
	/* the code of a lambda has no line of its own, which its class has */
	if (is_lambda (die) && dwarf_getscopes_die (&at, &scopes) > 1)
		symbol.line = declared_at (&scopes[1], &symbol.file);
	free (scopes);
	symbol.at_file = file && *file ? file : symbol.file;
	say (symbol, fn, arg);
}

/* Of N scopes, from the innermost, the functions from the outermost. False: there is none. */
static bool say_scopes (struct ppi_symbols *s, Dwarf_Die *scope, int n, uint64_t address,
			void (*fn) (const struct ppi_symbol *symbol, void *arg), void *arg)
{
	Dwfl_Line *row = dwfl_module_getsrc (s->module, address);
	int line = 0, inner, outer = n;
	const char *file = row ? dwfl_lineinfo (row, NULL, &line, NULL, NULL, NULL) : NULL;

	/* the one that has code of its own; around it there may be classes and namespaces */
	for (int i = 0; i < n && outer == n; i++)
		if (dwarf_tag (&scope[i]) == DW_TAG_subprogram)
			outer = i;
	if (outer == n)
		return false;
	for (int i = outer; i >= 0; i--) {
		if (!is_function (&scope[i]))
			continue;
		for (inner = i - 1; inner >= 0 && !is_function (&scope[inner]);)
			inner--;
		if (inner >= 0)
			say_die (s, &scope[i], source_of (&scope[inner], DW_AT_call_file),
				 number_of (&scope[inner], DW_AT_call_line), fn, arg);
		else
			say_die (s, &scope[i], file, line > 0 ? (unsigned) line : 0, fn, arg);
	}
	return true;
}

/*
 * The innermost scope with code at PC inside of IN, where dwarf_getscopes does not look. Fortran's
 * functions are in a module, which has no code, or in a function, which has its own elsewhere; what
 * was inlined at link time (-flto) is declared in another unit.
 */
static bool find_inner (Dwarf_Die *in, Dwarf_Addr pc, Dwarf_Die *out, int depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MOST || dwarf_child (in, &child) != 0)
		return false;
	do {
		bool has = false, may = is_function (&child);

		may = may || dwarf_tag (&child) == DW_TAG_lexical_block;
		has = may && dwarf_haspc (&child, pc) > 0;
		if (has)
			*out = child;
		if (has || dwarf_tag (&child) == DW_TAG_subprogram ||
		    dwarf_tag (&child) == DW_TAG_module)
			has |= find_inner (&child, pc, out, depth + 1);
		if (has)
			return true;
	} while (dwarf_siblingof (&child, &child) == 0);
	return false;
}

static bool say_inner (struct ppi_symbols *s, Dwarf_Die *inner, uint64_t address,
		       void (*fn) (const struct ppi_symbol *symbol, void *arg), void *arg)
{
	Dwarf_Die *chain = NULL;
	/* where the code is, inlined functions and all, the parents of its entry say */
	int n = dwarf_getscopes_die (inner, &chain);
	bool said = n > 0 && say_scopes (s, chain, n, address, fn, arg);

	free (chain);
	return said;
}

/* With -gsplit-dwarf UNIT has the lines, and another file what lies at them. */
static Dwarf_Die *whole_unit (Dwarf_Die *unit, Dwarf_Die *split)
{
	if (!unit || dwarf_cu_info (unit->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) != 0 ||
	    dwarf_tag (split) == DW_TAG_invalid)
		return unit;
	return split;
}

static bool say_dwarf (struct ppi_symbols *s, uint64_t address,
		       void (*fn) (const struct ppi_symbol *symbol, void *arg), void *arg)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die split, *scopes = NULL, inner;
	Dwarf_Die *unit = whole_unit (dwfl_module_addrdie (s->module, address, &bias), &split);
	bool said = unit && dwarf_getscopes (unit, address - bias, &scopes) > 0 &&
		    say_inner (s, &scopes[0], address, fn, arg);

	free (scopes);
	return said || (unit && find_inner (unit, address - bias, &inner, 0) &&
			say_inner (s, &inner, address, fn, arg));
}

/* ---- without symbols ------------------------------------------------------------------------- */

/*
 * Where the function at ADDRESS begins, by the sorted table of .eh_frame_hdr, which stripped files
 * have too; 0: not known.
 */
static uint64_t begin_by_table (Elf *elf, const GElf_Phdr *segment, uint64_t address)
{
	Elf_Data *data = elf_getdata_rawchunk (elf, (int64_t) segment->p_offset, segment->p_filesz,
					       ELF_T_BYTE);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	int64_t offset = (int64_t) (address - segment->p_vaddr);
	uint32_t n, low = 0, high;
	int32_t at;

	/* version 1; pointer, count and table as every linker encodes them */
	if (!bytes || data->d_size < 12 || bytes[0] != 1 || bytes[2] != 3 || bytes[3] != 0x3b)
		return 0;
	memcpy (&n, bytes + 8, sizeof n);
	if (n > (data->d_size - 12) / 8)
		return 0;
	for (high = n; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		memcpy (&at, bytes + 12 + 8 * (size_t) middle, sizeof at);
		if (at <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	memcpy (&at, bytes + 12 + 8 * (size_t) (low - 1), sizeof at);
	return segment->p_vaddr + (uint64_t) (int64_t) at;
}

static uint64_t begin_of (Dwfl_Module *module, uint64_t address)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf (module, &bias);
	GElf_Phdr segment;
	size_t n;

	if (!elf || elf_getphdrnum (elf, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr (elf, (int) i, &segment) && segment.p_type == PT_GNU_EH_FRAME)
			return begin_by_table (elf, &segment, address);
	return 0;
}

/* "libx.so+0x1234": functions without a name are told apart. */
static void name_by_place (const struct ppi_symbols *s, uint64_t address, char *out, size_t room)
{
	uint64_t begin = s->module ? begin_of (s->module, address) : 0;
	const char *base = strrchr (s->path, '/');

	*out = '\0';
	if (begin)
		snprintf (out, room, "%s+0x%llx", base ? base + 1 : s->path,
			  (unsigned long long) begin);
}

/* ---- objects --------------------------------------------------------------------------------- */

static bool is_same_build (Dwfl_Module *module, const uint8_t *build_id, size_t id_bytes)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id (module, &bits, &at);

	return !id_bytes || (n >= (int) id_bytes && memcmp (bits, build_id, id_bytes) == 0);
}

/* Whatever is there now: a pipe is not waited for. -1: it is no file. */
static int open_file (const char *path)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || (fstat (fd, &st) == 0 && S_ISREG (st.st_mode)))
		return fd;
	close (fd);
	return -1;
}

static bool is_local; /* no server is asked */

static int find_debuginfo (Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word sum, char **found)
{
	return is_local ? dwfl_build_id_find_debuginfo (module, data, name, base, file, link, sum,
							found)
			: dwfl_standard_find_debuginfo (module, data, name, base, file, link, sum,
							found);
}

static void open_module (struct ppi_symbols *s, const uint8_t *build_id, size_t id_bytes)
{
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
						 .find_debuginfo = find_debuginfo,
						 .section_address = dwfl_offline_section_address};
	int fd;

	s->dwfl = dwfl_begin (&callbacks);
	if (!s->dwfl)
		return;
	fd = open_file (s->path);
	dwfl_report_begin (s->dwfl);
	/* addresses are those of the file; a module closes it at its end */
	if (fd >= 0)
		s->module = dwfl_report_elf (s->dwfl, s->path, s->path, fd, 0, true);
	dwfl_report_end (s->dwfl, NULL, NULL);
	if (fd >= 0 && !s->module)
		close (fd);
	if (!s->module)
		s->problem = "can't be read any more";
	else if (!is_same_build (s->module, build_id, id_bytes)) {
		s->problem = "is not the file that was sampled: it was built anew";
		s->module = NULL;
	}
}

#endif

void ppi_symbols_stay_local (void)
{
#ifdef HAVE_LIBDW
	is_local = true;
#endif
}

struct ppi_symbols *ppi_symbols_open (const char *path, const uint8_t *build_id, size_t id_bytes)
{
	struct ppi_symbols *s = calloc (1, sizeof *s);

	if (!s)
		return NULL;
	s->path = strdup (path);
	if (!s->path) {
		free (s);
		return NULL;
	}
#ifdef HAVE_LIBDW
	/* "[vdso]" is no file */
	if (*path == '/')
		open_module (s, build_id, id_bytes);
#else
	(void) build_id;
	(void) id_bytes;
	s->problem = "has no names here: what reads profiles was built without libdw";
#endif
	return s;
}

void ppi_symbols_close (struct ppi_symbols *symbols)
{
	if (!symbols)
		return;
#ifdef HAVE_LIBDW
	if (symbols->dwfl)
		dwfl_end (symbols->dwfl);
#endif
	free (symbols->path);
	free (symbols);
}

void ppi_symbols_at (struct ppi_symbols *s, uint64_t address,
		     void (*fn) (const struct ppi_symbol *symbol, void *arg), void *arg)
{
	struct ppi_symbol symbol = {.name = "", .file = s->path, .at_file = s->path};

#ifdef HAVE_LIBDW
	GElf_Sym entry;
	GElf_Off offset;
	const char *name;
	char place[160];

	if (s->module && say_dwarf (s, address, fn, arg))
		return;
	name = s->module ? dwfl_module_addrinfo (s->module, address, &offset, &entry, NULL, NULL,
						 NULL)
			 : NULL;
	if (name) {
		symbol.name = name;
		say (symbol, fn, arg);
		return;
	}
	name_by_place (s, address, place, sizeof place);
	symbol.name = place;
#else
	(void) address;
#endif
	if (*s->path != '/')
		symbol.name = s->path;
	fn (&symbol, arg);
}
