/* SPDX-License-Identifier: MIT */
/* needed.c: see needed.h. */
#include "libpp/needed.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct walk {
	bool is_first, is_needed;
};

/*
 * Of the loaded object's own table, where loaders other than glibc's leave addresses as in the file
 */
static const char *texts_of (const struct dl_phdr_info *info, const ElfW (Dyn) * entry)
{
	for (; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_STRTAB) {
			uintptr_t at = (uintptr_t) entry->d_un.d_ptr;

			return (const char *) (at < info->dlpi_addr ? at + info->dlpi_addr : at);
		}
	return NULL;
}

static bool needs_us (const struct dl_phdr_info *info, const ElfW (Dyn) * entry)
{
	const char *texts = texts_of (info, entry);

	for (; texts && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED &&
		    strncmp (texts + entry->d_un.d_val, "libpp.so", strlen ("libpp.so")) == 0)
			return true;
	return false;
}

static bool has_us (const struct dl_phdr_info *info, const ElfW (Phdr) * part)
{
	uintptr_t here = (uintptr_t) &needs_us, begin = info->dlpi_addr + part->p_vaddr;

	return here >= begin && here - begin < part->p_memsz;
}

static int look_at (struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct walk *walk = arg;

	(void) bytes;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_DYNAMIC)
			walk->is_needed |= needs_us (
				info, (const ElfW (Dyn) *) (info->dlpi_addr + part->p_vaddr));
		/* the program's own object comes first */
		if (part->p_type == PT_LOAD && walk->is_first)
			walk->is_needed |= has_us (info, part);
	}
	walk->is_first = false;
	return walk->is_needed;
}

bool ppi_is_needed (void)
{
	struct walk walk = {.is_first = true};

	(void) dl_iterate_phdr (look_at, &walk);
	return walk.is_needed;
}
