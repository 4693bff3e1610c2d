/* SPDX-License-Identifier: MIT */
/* spot.c: see spot.h. */
#include "base/spot.h"

#include "base/peek.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOTES_MOST = 1024, BUILD_BYTES = 6 };

/* ---- which build it is ----------------------------------------------------------------------- */

/*
 * The notes are copied by a call that fails where nothing is mapped: a file's headers may name what
 * no segment covers, and a program may have closed its pages to readers.
 */
uint32_t ppi_build_id (uint64_t begin, uint64_t size, uint8_t out[PPI_BUILD_ID_BYTES])
{
	uint8_t notes[NOTES_MOST];
	size_t bytes = ppi_peek (begin, notes, size < NOTES_MOST ? (size_t) size : NOTES_MOST),
	       at = 0;

	while (bytes - at >= sizeof (ElfW (Nhdr))) {
		ElfW (Nhdr) note;
		uint64_t name, text;

		memcpy (&note, notes + at, sizeof note);
		at += sizeof note;
		name = (note.n_namesz + UINT64_C (3)) & ~UINT64_C (3);
		text = (note.n_descsz + UINT64_C (3)) & ~UINT64_C (3);
		if (name + text > bytes - at)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz <= PPI_BUILD_ID_BYTES && memcmp (notes + at, "GNU", 4) == 0) {
			memcpy (out, notes + at + name, note.n_descsz);
			return note.n_descsz;
		}
		at += name + text;
	}
	return 0;
}

uint64_t ppi_build_of (const uint8_t *build_id, size_t bytes)
{
	uint64_t build = 0;

	for (size_t i = 0; bytes >= BUILD_BYTES && i < BUILD_BYTES; i++)
		build = build << 8 | build_id[i];
	return build;
}

/* ---- which object it is ---------------------------------------------------------------------- */

struct looking {
	uintptr_t address;
	struct ppi_spot *place;
};

static bool covers (const struct dl_phdr_info *info, uintptr_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return true;
	}
	return false;
}

static int look (struct dl_phdr_info *info, size_t size, void *arg)
{
	struct looking *l = arg;
	uint8_t build_id[PPI_BUILD_ID_BYTES];
	uint32_t bytes = 0;

	(void) size;
	if (!covers (info, l->address))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum && !bytes; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			bytes = ppi_build_id (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
					      info->dlpi_phdr[i].p_memsz, build_id);
	l->place->offset = l->address - info->dlpi_addr;
	l->place->build = ppi_build_of (build_id, bytes);
	snprintf (l->place->object, sizeof l->place->object, "%s",
		  info->dlpi_name ? info->dlpi_name : "");
	return 1;
}

/* The path of the program, which the loader has no name of. */
static void find_program (struct ppi_spot *place)
{
	ssize_t n = readlink ("/proc/self/exe", place->object, sizeof place->object - 1);

	place->object[n > 0 ? n : 0] = '\0';
}

/* Only a function that has the address in it: the one before it may be another's neighbour. */
static void find_function (uintptr_t address, struct ppi_spot *place)
{
	const ElfW (Sym) *symbol = NULL;
	void *entry = NULL;
	Dl_info info;

	if (dladdr1 ((void *) address, &info, &entry, RTLD_DL_SYMENT) && info.dli_sname)
		symbol = entry;
	if (symbol && address - (uintptr_t) info.dli_saddr < symbol->st_size)
		snprintf (place->function, sizeof place->function, "%s", info.dli_sname);
}

void ppi_spot_of (uintptr_t address, struct ppi_spot *out)
{
	struct looking l = {address, out};

	*out = (struct ppi_spot){.offset = address};
	if (!dl_iterate_phdr (look, &l))
		return;
	if (!*out->object)
		find_program (out);
	find_function (address, out);
}

const char *ppi_spot_text (const struct ppi_spot *place, char *out, size_t room)
{
	const char *slash = strrchr (place->object, '/');

	snprintf (out, room, "%s+0x%llx%s%s%s", slash ? slash + 1 : place->object,
		  (unsigned long long) place->offset, *place->function ? " (" : "", place->function,
		  *place->function ? ")" : "");
	return out;
}
