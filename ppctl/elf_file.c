/* SPDX-License-Identifier: MIT */
/* elf_file.c: see elf_file.h. */
#include "ppctl/elf_file.h"

#include <gelf.h>
#include <pp.h>
#include <pp_abi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ppctl_elf_fail (struct elf_reader *r, int error, const char *format, ...)
{
	va_list arguments;
	int n = snprintf (r->why, r->room, "%s ", r->path);

	va_start (arguments, format);
	if (n >= 0 && (size_t) n < r->room)
		vsnprintf (r->why + n, r->room - (size_t) n, format, arguments);
	va_end (arguments);
	return error;
}

int ppctl_elf_check_kind (struct elf_reader *r)
{
	GElf_Ehdr header;

	if (elf_kind (r->elf) != ELF_K_ELF || !gelf_getehdr (r->elf, &header))
		return ppctl_elf_fail (r, PP_EINVAL, "is not an ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return ppctl_elf_fail (
			r, PP_EINVAL,
			"is a %d-bit %s-endian file; sites are read from 64-bit little-endian ones",
			header.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
			header.e_ident[EI_DATA] == ELFDATA2MSB ? "big" : "little");
	if (header.e_type == ET_REL)
		return ppctl_elf_fail (r, PP_EINVAL,
				       "is an object file: its sites have no addresses before it "
				       "is linked; name the program or library");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return ppctl_elf_fail (r, PP_EINVAL, "is neither a program nor a shared object");
	return 0;
}

static void keep_section (struct elf_reader *r, const char *name, const struct elf_section *section,
			  bool is_loaded)
{
	if (strcmp (name, PP_ABI_SECTION_SITES) == 0)
		r->markers = *section;
	else if (strcmp (name, PP_ABI_SECTION_GUARDS) == 0)
		r->guards = *section;
	else if (strcmp (name, PP_ABI_SECTION_RECORDS) == 0)
		r->records = *section;
	else if (strcmp (name, PP_ABI_SECTION_ESTIMATES) == 0)
		r->estimates = *section;
	else if (strcmp (name, PP_ABI_SECTION_RULES) == 0 && !is_loaded)
		r->rules = *section;
	else if (strcmp (name, ".rodata") == 0)
		r->literals = *section;
	if (!is_loaded)
		return;
	r->section[r->n_sections++] = *section;
}

/*
 * What the file says of an address' alignment holds in memory too: libelf hands sections out as
 * they lie in the file. Only what may hold sites and records is copied. False: no memory.
 */
static bool align_section (struct elf_section *section, const char *name, const GElf_Shdr *header)
{
	size_t shift = section->address % PP_ABI_ALIGN, bytes = section->bytes;

	if ((uintptr_t) section->data % PP_ABI_ALIGN == shift || !bytes ||
	    (!(header->sh_flags & SHF_WRITE) && strncmp (name, "pp_", 3) != 0))
		return true;
	section->aligned = aligned_alloc (PP_ABI_ALIGN, (shift + bytes + PP_ABI_ALIGN) &
								~(size_t) (PP_ABI_ALIGN - 1));
	if (!section->aligned)
		return false;
	memcpy (section->aligned + shift, section->data, bytes);
	section->data = section->aligned + shift;
	return true;
}

int ppctl_elf_read_sections (struct elf_reader *r)
{
	size_t names, count;
	Elf_Scn *scn = NULL;

	if (elf_getshdrnum (r->elf, &count) != 0 || elf_getshdrstrndx (r->elf, &names) != 0)
		return ppctl_elf_fail (r, PP_EINVAL, "has no sections: %s", elf_errmsg (-1));
	r->section = calloc (count + 1, sizeof *r->section);
	if (!r->section)
		return ppctl_elf_fail (r, PP_ENOMEM, "can't be read: no memory");
	while ((scn = elf_nextscn (r->elf, scn))) {
		struct elf_section section;
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr (scn, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr (r->elf, names, header.sh_name);
		if (!(header.sh_flags & SHF_ALLOC) &&
		    (!name || strcmp (name, PP_ABI_SECTION_RULES) != 0))
			continue;
		data = header.sh_type == SHT_RELA ? elf_getdata (scn, NULL)
						  : elf_rawdata (scn, NULL);
		if (!name || !data || !data->d_buf)
			continue;
		if (header.sh_type == SHT_RELA &&
		    r->n_relocations < sizeof r->relocations / sizeof r->relocations[0])
			r->relocations[r->n_relocations++] = data;
		section = (struct elf_section){header.sh_addr, data->d_size, data->d_buf, NULL};
		if (header.sh_flags & SHF_ALLOC && !align_section (&section, name, &header))
			return ppctl_elf_fail (r, PP_ENOMEM, "can't be read: no memory");
		keep_section (r, name, &section, header.sh_flags & SHF_ALLOC);
	}
	return 0;
}

const void *ppctl_elf_at (const struct elf_reader *r, uint64_t address, uint64_t bytes)
{
	for (size_t i = 0; i < r->n_sections; i++) {
		const struct elf_section *s = &r->section[i];

		if (address >= s->address && address - s->address <= s->bytes &&
		    bytes <= s->bytes - (address - s->address))
			return s->data + (address - s->address);
	}
	return NULL;
}

const char *ppctl_elf_text_at (const struct elf_reader *r, uint64_t address)
{
	for (size_t i = 0; i < r->n_sections; i++) {
		const struct elf_section *s = &r->section[i];

		if (address >= s->address && address - s->address < s->bytes &&
		    memchr (s->data + (address - s->address), '\0',
			    s->bytes - (address - s->address)))
			return s->data + (address - s->address);
	}
	return "";
}

uint64_t ppctl_elf_pointer_at (const struct elf_reader *r, uint64_t address)
{
	const void *at = ppctl_elf_at (r, address, sizeof (uint64_t));
	uint64_t stored = 0;

	for (size_t t = 0; t < r->n_relocations; t++)
		for (int i = 0; i < (int) (r->relocations[t]->d_size / sizeof (Elf64_Rela)); i++) {
			GElf_Rela rela;

			if (gelf_getrela (r->relocations[t], i, &rela) &&
			    rela.r_offset == address && GELF_R_SYM (rela.r_info) == 0)
				return (uint64_t) rela.r_addend;
		}
	if (at)
		memcpy (&stored, at, sizeof stored);
	return stored;
}
