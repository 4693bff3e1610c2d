/* SPDX-License-Identifier: MIT */
/* program.c: does the program itself have a site table? */
#include "libmetrics/registry/module.h"

#include <elf.h>
#include <fcntl.h>
#include <pp_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Header NUMBER of the section headers at IMAGE: copied, for a file may have them anywhere. */
static Elf64_Shdr section_header (const char *image, const Elf64_Ehdr *e, unsigned number)
{
	Elf64_Shdr s;

	memcpy (&s, image + e->e_shoff + number * sizeof (s), sizeof (s));
	return s;
}

/*
 * Looks for a section of ours in the ELF file of SIZE bytes at IMAGE; a file that is none, or
 * damaged, has none.
 */
static bool image_has_table (const char *image, size_t size)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *) image;
	Elf64_Shdr names;

	if (size < sizeof (*e) || memcmp (e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_shoff > size ||
	    e->e_shnum > (size - e->e_shoff) / sizeof (names) || e->e_shstrndx >= e->e_shnum)
		return false;
	names = section_header (image, e, e->e_shstrndx);
	if (names.sh_offset > size)
		return false;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		uint64_t at = names.sh_offset + section_header (image, e, i).sh_name;

		if (at + sizeof (PP_ABI_SECTION_RECORDS) > size)
			continue;
		if (strcmp (image + at, PP_ABI_SECTION_SITES) == 0 ||
		    strcmp (image + at, PP_ABI_SECTION_GUARDS) == 0 ||
		    strcmp (image + at, PP_ABI_SECTION_RECORDS) == 0)
			return true;
	}
	return false;
}

bool ppi_program_has_table (void)
{
	static int known = -1;
	struct stat st;
	void *image;
	int fd;

	if (known >= 0)
		return known;
	known = 0;
	fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat (fd, &st) == 0 && st.st_size > 0) {
		image = mmap (NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (image != MAP_FAILED) {
			known = image_has_table (image, (size_t) st.st_size);
			munmap (image, (size_t) st.st_size);
		}
	}
	if (fd >= 0)
		close (fd);
	return known;
}
