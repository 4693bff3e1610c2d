/* SPDX-License-Identifier: MIT */
/* elf_file.h: sections and addresses of an ELF file that is read (elf_read.c), with libelf. */
#ifndef PPCTL_ELF_FILE_H
#define PPCTL_ELF_FILE_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* A mapped part of the file: addresses as the program sees them. */
struct elf_section {
	uint64_t address, bytes;
	const char *data;
	char *aligned; /* DATA, where it had to be copied */
};

struct elf_reader {
	int fd;
	Elf *elf;
	const char *path, *module;
	char *why;
	size_t room;
	struct elf_section *section; /* all with contents */
	size_t n_sections;
	struct elf_section markers, guards, records, estimates; /* empty where there is none */
	struct elf_section rules;                               /* what they did; not loaded */
	/* what texts in the source become */
	struct elf_section literals;
	/* relative ones say what pointers hold */
	Elf_Data *relocations[64];
	size_t n_relocations;
	void *places;    /* a tree of struct place */
	char **own_text; /* made here */
	size_t n_own;
};

/* Says why: the file's name, then FORMAT. Returns ERROR. */
int ppctl_elf_fail (struct elf_reader *r, int error, const char *format, ...)
	__attribute__ ((format (printf, 3, 4)));
/* Is it one that sites are read from? 0, or an error, which was said. */
int ppctl_elf_check_kind (struct elf_reader *r);
/* Finds all that is mapped, and what the plugin left. 0, or an error, which was said. */
int ppctl_elf_read_sections (struct elf_reader *r);
/* BYTES at ADDRESS, or NULL where the file does not have them. */
const void *ppctl_elf_at (const struct elf_reader *r, uint64_t address, uint64_t bytes);
/* The text at ADDRESS if it ends inside its section, else "". */
const char *ppctl_elf_text_at (const struct elf_reader *r, uint64_t address);
/* What the pointer at ADDRESS will hold once the file is loaded at its own addresses. */
uint64_t ppctl_elf_pointer_at (const struct elf_reader *r, uint64_t address);

#endif
