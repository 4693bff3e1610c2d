/* SPDX-License-Identifier: MIT */
/* needed.c: see needed.h. */
#include "libpp/needed.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of a loaded object: its own tables, and how many bytes of relocations. */
struct tables {
	const char *texts;
	const ElfW (Sym) * symbols;
	const ElfW (Rela) * relocations[2]; /* of its data, of its calls */
	size_t bytes[2];
};

struct walk {
	bool is_first, found;
};

/* Loaders other than glibc's leave addresses as in the file. */
static const void *place_of (const struct dl_phdr_info *info, const ElfW (Dyn) * entry)
{
	uintptr_t at = (uintptr_t) entry->d_un.d_ptr;

	return (const void *) (at < info->dlpi_addr ? at + info->dlpi_addr : at);
}

static void note_entry (struct tables *t, const struct dl_phdr_info *info, const ElfW (Dyn) * entry)
{
	switch (entry->d_tag) {
	case DT_STRTAB:
		t->texts = place_of (info, entry);
		break;
	case DT_SYMTAB:
		t->symbols = place_of (info, entry);
		break;
	case DT_RELA:
		t->relocations[0] = place_of (info, entry);
		break;
	case DT_RELASZ:
		t->bytes[0] = entry->d_un.d_val;
		break;
	case DT_JMPREL:
		t->relocations[1] = place_of (info, entry);
		break;
	case DT_PLTRELSZ:
		t->bytes[1] = entry->d_un.d_val;
		break;
	default:
		break;
	}
}

static bool is_of_who_declares (const char *name)
{
	static const char *const calls[] = {"pp_rt_register", "pp_operator_new",
					    "pp_statistic_new"};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp (name, calls[i]) == 0)
			return true;
	return false;
}

/* What an object uses of others, its relocations name. */
static bool declares (const struct tables *t)
{
	for (int which = 0; t->texts && t->symbols && which < 2; which++) {
		const ElfW (Rela) *r = t->relocations[which];

		for (size_t i = 0; r && i < t->bytes[which] / sizeof *r; i++) {
			size_t symbol = ELF64_R_SYM (r[i].r_info);

			if (symbol && is_of_who_declares (t->texts + t->symbols[symbol].st_name))
				return true;
		}
	}
	return false;
}

static bool object_declares (const struct dl_phdr_info *info, const ElfW (Dyn) * entry)
{
	struct tables t = {.texts = NULL};

	for (; entry->d_tag != DT_NULL; entry++)
		note_entry (&t, info, entry);
	return declares (&t);
}

static bool has_us (const struct dl_phdr_info *info)
{
	uintptr_t here = (uintptr_t) &object_declares;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && here >= begin && here - begin < part->p_memsz)
			return true;
	}
	return false;
}

static int look_at (struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct walk *walk = arg;

	(void) bytes;
	if (has_us (info)) {
		/* the program's own object comes first; what it uses of itself is named nowhere */
		walk->found |= walk->is_first;
	} else {
		for (unsigned i = 0; i < info->dlpi_phnum; i++)
			if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
				walk->found |= object_declares (
					info, (const ElfW (Dyn) *) (info->dlpi_addr +
								    info->dlpi_phdr[i].p_vaddr));
	}
	walk->is_first = false;
	return walk->found;
}

bool ppi_names_come (void)
{
	struct walk walk = {.is_first = true};

	(void) dl_iterate_phdr (look_at, &walk);
	return walk.found;
}
