/* SPDX-License-Identifier: MIT */
/* vdso.c: see vdso.h. The tables are those of the System V ABI, and the hash table is GNU's. */
#include "base/vdso.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct image {
	const char *base; /* what an address of 0 would be at */
	size_t bytes;     /* of what is loaded, from its lowest address */
	uintptr_t low;
};

/* BYTES that are at ADDRESS in it, aligned to ALIGN, or NULL. */
static const void *at (const struct image *image, uintptr_t address, size_t bytes, size_t align)
{
	uintptr_t offset = address - image->low;

	if (offset > image->bytes || bytes > image->bytes - offset || address % align)
		return NULL;
	return image->base + address;
}

static bool load (const void *from, struct image *image, const ElfW (Phdr) * *dynamic)
{
	const ElfW (Ehdr) *head = from;
	const ElfW (Phdr) *part =
		(const ElfW (Phdr) *) (const void *) ((const char *) from + head->e_phoff);

	if (memcmp (head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof *part)
		return false;
	for (int i = 0; i < head->e_phnum; i++, part++) {
		if (part->p_type == PT_DYNAMIC)
			*dynamic = part;
		if (part->p_type != PT_LOAD || image->bytes)
			continue;
		image->low = part->p_vaddr;
		image->bytes = part->p_memsz;
		image->base = (const char *) from + part->p_offset - part->p_vaddr;
	}
	return *dynamic && image->bytes;
}

/* How many symbols there are: a hash table of GNU's says where each chain of them ends. */
static uint32_t count_symbols (const struct image *image, uintptr_t table)
{
	const uint32_t *head = at (image, table, 4 * sizeof *head, sizeof *head);
	const uint32_t *bucket, *chain;
	uint32_t last = 0;

	if (!head)
		return 0;
	table += 4 * sizeof *head + head[2] * sizeof (ElfW (Addr));
	bucket = at (image, table, head[0] * sizeof *bucket, sizeof *bucket);
	for (uint32_t i = 0; bucket && i < head[0]; i++)
		last = bucket[i] > last ? bucket[i] : last;
	if (last < head[1])
		return 0;
	table += head[0] * sizeof *bucket;
	do
		chain = at (image, table + (last - head[1]) * sizeof *chain, sizeof *chain,
			    sizeof *chain);
	while (chain && last++ < UINT16_MAX && !(*chain & 1));
	return chain ? last : 0;
}

static bool has_name (const struct image *image, uintptr_t names, uint32_t offset, const char *name)
{
	const char *there = at (image, names + offset, strlen (name) + 1, 1);

	return there && strcmp (there, name) == 0;
}

void *ppi_vdso_find_in (const void *from, const char *name)
{
	struct image image = {0};
	const ElfW (Phdr) *part = NULL;
	const ElfW (Dyn) * entry;
	uintptr_t symbols = 0, names = 0, hash = 0;
	uint32_t n;

	if (!load (from, &image, &part))
		return NULL;
	entry = at (&image, part->p_vaddr, part->p_memsz, _Alignof(ElfW (Dyn)));
	for (size_t i = part->p_memsz / sizeof *entry; entry && i-- > 0; entry++) {
		symbols = entry->d_tag == DT_SYMTAB ? entry->d_un.d_ptr : symbols;
		names = entry->d_tag == DT_STRTAB ? entry->d_un.d_ptr : names;
		hash = entry->d_tag == DT_GNU_HASH ? entry->d_un.d_ptr : hash;
	}
	n = hash ? count_symbols (&image, hash) : 0;
	for (uint32_t i = 0; i < n; i++) {
		const ElfW (Sym) *symbol = at (&image, symbols + i * sizeof *symbol, sizeof *symbol,
					       _Alignof(ElfW (Sym)));

		if (symbol && symbol->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE (symbol->st_info) == STT_FUNC &&
		    has_name (&image, names, symbol->st_name, name))
			return (void *) (uintptr_t) at (&image, symbol->st_value, 1, 1);
	}
	return NULL;
}

void *ppi_vdso_find (const char *name)
{
	const void *image = (const void *) getauxval (AT_SYSINFO_EHDR);

	return image ? ppi_vdso_find_in (image, name) : NULL;
}
