/* SPDX-License-Identifier: MIT */
/* modules.c: see modules.h. */
#include "libmetrics/life/modules.h"

#include <link.h>
#include <string.h>

struct modules {
	char *at;
	size_t used, room;
};

/* The build id among the notes of BYTES; its length. */
static size_t find_build_id (const char *notes, size_t bytes, const void **id)
{
	while (bytes >= sizeof (ElfW (Nhdr))) {
		const ElfW (Nhdr) *note = (const void *) notes;
		size_t name = (note->n_namesz + 3u) & ~(size_t) 3,
		       content = (note->n_descsz + 3u) & ~(size_t) 3;

		if (name > bytes - sizeof *note || content > bytes - sizeof *note - name)
			break;
		*id = notes + sizeof *note + name;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp (note + 1, "GNU", 4) == 0)
			return note->n_descsz;
		notes += sizeof *note + name + content;
		bytes -= sizeof *note + name + content;
	}
	return 0;
}

/* Is the segment P in memory? Notes need not be. */
static bool is_loaded (const struct dl_phdr_info *info, const ElfW (Phdr) * p)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *load = &info->dlpi_phdr[i];

		if (load->p_type == PT_LOAD && load->p_flags & PF_R &&
		    p->p_vaddr >= load->p_vaddr && p->p_vaddr - load->p_vaddr <= load->p_memsz &&
		    p->p_memsz <= load->p_memsz - (p->p_vaddr - load->p_vaddr))
			return true;
	}
	return false;
}

static int add_module (struct dl_phdr_info *info, size_t size, void *arg)
{
	struct ppi_module_entry entry = {.base = info->dlpi_addr};
	struct modules *modules = arg;
	const void *id = NULL;
	size_t path = strlen (info->dlpi_name) + 1;

	(void) size;
	for (int i = 0; i < info->dlpi_phnum && !entry.build_id_bytes; i++) {
		const ElfW (Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_NOTE && is_loaded (info, p))
			entry.build_id_bytes = (uint32_t) find_build_id (
				(const char *) info->dlpi_addr + p->p_vaddr, p->p_memsz, &id);
	}
	if (entry.build_id_bytes > sizeof entry.build_id)
		entry.build_id_bytes = 0;
	if (entry.build_id_bytes)
		memcpy (entry.build_id, id, entry.build_id_bytes);
	entry.bytes = (uint32_t) ((sizeof entry + path + 7) & ~(size_t) 7);
	/* thousands of objects are a limit, not a reason for more memory */
	if (entry.bytes > modules->room - modules->used)
		return 1;
	memset (modules->at + modules->used, 0, entry.bytes);
	memcpy (modules->at + modules->used, &entry, sizeof entry);
	memcpy (modules->at + modules->used + sizeof entry, info->dlpi_name, path);
	modules->used += entry.bytes;
	return 0;
}

size_t ppi_modules_list (char room[PPI_MODULES_ROOM])
{
	struct modules modules = {.at = room, .room = PPI_MODULES_ROOM};

	(void) dl_iterate_phdr (add_module, &modules);
	return modules.used;
}
