/* SPDX-License-Identifier: MIT */
/*
 * got.c: changes global offset tables; see got.h. 64-bit ELF with addends, i.e. x86-64 and aarch64;
 * elsewhere nothing is found.
 */
#include "stdmetrics/got.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __x86_64__
#define GOT_CALL R_X86_64_JUMP_SLOT
#define GOT_DATA R_X86_64_GLOB_DAT
#elif defined __aarch64__
#define GOT_CALL R_AARCH64_JUMP_SLOT
#define GOT_DATA R_AARCH64_GLOB_DAT
#endif

static unsigned long long objects_seen; /* dl_iterate_phdr's count of loads; atomic */

#ifdef GOT_CALL

/* What is needed of one object's dynamic section. */
struct object {
	uintptr_t base;
	const char *strings;
	const Elf64_Sym *symbols;
	const uint32_t *gnu_hash;
	const Elf64_Rela *tables[2]; /* PLT relocations, others */
	size_t counts[2];
	uintptr_t relro_begin, relro_end; /* whole pages that the loader made read-only */
	uintptr_t text_begin, text_end;   /* all that is mapped of it */
};

struct walk {
	struct ppi_got_hook *hooks;
	int n;
	bool unhook, look;
	int entries;
};

/*
 * The loader has relocated these addresses, except in objects it has not loaded itself (the vdso).
 */
static uintptr_t relocated (const struct object *object, uintptr_t address)
{
	return address < object->base ? address + object->base : address;
}

static void read_segments (struct object *object, const struct dl_phdr_info *info)
{
	uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);

	object->text_begin = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uintptr_t begin = object->base + p->p_vaddr, end = begin + p->p_memsz;

		if (p->p_type == PT_LOAD && begin < object->text_begin)
			object->text_begin = begin;
		if (p->p_type == PT_LOAD && end > object->text_end)
			object->text_end = end;
		if (p->p_type == PT_GNU_RELRO) {
			object->relro_begin = begin & ~(page - 1);
			object->relro_end = end & ~(page - 1);
		}
	}
}

static void read_dynamic (struct object *object, const Elf64_Dyn *d)
{
	size_t plt_bytes = 0, rela_bytes = 0;
	bool plt_is_rela = true;

	for (; d->d_tag != DT_NULL; d++) {
		uintptr_t address = relocated (object, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_STRTAB:
			object->strings = (const char *) address;
			break;
		case DT_SYMTAB:
			object->symbols = (const Elf64_Sym *) address;
			break;
		case DT_GNU_HASH:
			object->gnu_hash = (const uint32_t *) address;
			break;
		case DT_JMPREL:
			object->tables[0] = (const Elf64_Rela *) address;
			break;
		case DT_PLTRELSZ:
			plt_bytes = d->d_un.d_val;
			break;
		case DT_PLTREL:
			plt_is_rela = d->d_un.d_val == DT_RELA;
			break;
		case DT_RELA:
			object->tables[1] = (const Elf64_Rela *) address;
			break;
		case DT_RELASZ:
			rela_bytes = d->d_un.d_val;
			break;
		default:
			break;
		}
	}
	object->counts[0] = object->tables[0] && plt_is_rela ? plt_bytes / sizeof (Elf64_Rela) : 0;
	object->counts[1] = object->tables[1] ? rela_bytes / sizeof (Elf64_Rela) : 0;
}

static bool read_object (struct object *object, const struct dl_phdr_info *info)
{
	memset (object, 0, sizeof *object);
	object->base = info->dlpi_addr;
	read_segments (object, info);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_dynamic (object, (const Elf64_Dyn *) (object->base +
								   info->dlpi_phdr[i].p_vaddr));
	return object->strings && object->symbols;
}

/*
 * The address of NAME as OBJECT defines it, or NULL. Not dlsym: in a program with fixed addresses
 * that gives the program's own PLT
 *   entry, whose slot is one of those to be changed.
 */
static void *defined_in (const struct object *object, const char *name)
{
	const uint32_t *table = object->gnu_hash;
	uint32_t hash = 5381;

	if (!table || table[0] == 0)
		return NULL;
	for (const unsigned char *c = (const unsigned char *) name; *c; c++)
		hash = hash * 33 + *c;
	/*
	 * header: buckets, first symbol, words of the bloom filter, its shift; then filter,
	 * buckets, chains
	 */
	const uint32_t *buckets = (const uint32_t *) ((const uint64_t *) (table + 4) + table[2]);
	const uint32_t *chains = buckets + table[0];
	uint32_t i = buckets[hash % table[0]];

	if (i < table[1])
		return NULL;
	for (;; i++) {
		uint32_t entry = chains[i - table[1]];
		const Elf64_Sym *symbol = &object->symbols[i];

		if ((entry | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE (symbol->st_info) == STT_FUNC &&
		    strcmp (object->strings + symbol->st_name, name) == 0)
			return (void *) (object->base + symbol->st_value);
		if (entry & 1)
			return NULL;
	}
}

/* Objects come in the order of the global look-up scope: the first definition is the process's. */
static int find_real (struct dl_phdr_info *info, size_t size, void *arg)
{
	struct walk *walk = arg;
	struct object object;

	(void) size;
	if (!walk->look)
		__atomic_store_n (&objects_seen, info->dlpi_adds, __ATOMIC_RELAXED);
	if (!read_object (&object, info))
		return 0;
	for (int i = 0; i < walk->n; i++)
		if (!walk->hooks[i].real)
			__atomic_store_n (&walk->hooks[i].real,
					  defined_in (&object, walk->hooks[i].name),
					  __ATOMIC_RELAXED);
	return 0;
}

static void store (const struct object *object, void **slot, void *value)
{
	uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE), at = (uintptr_t) slot & ~(page - 1);
	bool sealed =
		(uintptr_t) slot >= object->relro_begin && (uintptr_t) slot < object->relro_end;

	if (sealed && mprotect ((void *) at, page, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n (slot, value, __ATOMIC_RELEASE);
	if (sealed)
		(void) mprotect ((void *) at, page, PROT_READ);
}

/*
 * A lazy entry points back into its own object. It would be resolved in the global scope, unless
 * the object was loaded with RTLD_DEEPBIND or brings its own definition; then it is left alone once
 * its own scope has another answer.
 */
static bool is_unresolved (const struct object *object, const struct ppi_got_hook *hook,
			   const void *value, bool call)
{
	uintptr_t at = (uintptr_t) value;
	const void *own = defined_in (object, hook->name);

	return call && at >= object->text_begin && at < object->text_end &&
	       (!own || own == hook->real);
}

static void change_entry (struct walk *walk, const struct object *object,
			  const struct ppi_got_hook *hook, void **slot, bool call)
{
	void *value = __atomic_load_n (slot, __ATOMIC_RELAXED);

	if (walk->unhook) {
		if (value == hook->wrapper)
			store (object, slot, hook->real);
		return;
	}
	if (value != hook->wrapper &&
	    (value == hook->real || is_unresolved (object, hook, value, call))) {
		walk->entries += walk->look;
		if (!walk->look)
			store (object, slot, hook->wrapper);
	}
	walk->entries += __atomic_load_n (slot, __ATOMIC_RELAXED) == hook->wrapper;
}

static const struct ppi_got_hook *hook_of (const struct walk *walk, const char *name)
{
	for (int i = 0; i < walk->n; i++)
		if (walk->hooks[i].real && strcmp (walk->hooks[i].name, name) == 0)
			return &walk->hooks[i];
	return NULL;
}

static void change_table (struct walk *walk, const struct object *object, const Elf64_Rela *table,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t type = ELF64_R_TYPE (table[i].r_info),
			 symbol = ELF64_R_SYM (table[i].r_info);
		const struct ppi_got_hook *hook;

		if ((type != GOT_CALL && type != GOT_DATA) || symbol == 0)
			continue;
		hook = hook_of (walk, object->strings + object->symbols[symbol].st_name);
		if (hook)
			change_entry (walk, object, hook,
				      (void **) (object->base + table[i].r_offset),
				      type == GOT_CALL);
	}
}

static bool holds_wrappers (const struct object *object, const struct walk *walk)
{
	uintptr_t at = (uintptr_t) walk->hooks[0].wrapper;

	return at >= object->text_begin && at < object->text_end;
}

static int change_object (struct dl_phdr_info *info, size_t size, void *arg)
{
	struct walk *walk = arg;
	struct object object;
	bool is_program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';

	(void) size;
	if (!read_object (&object, info))
		return 0;
	/*
	 * the library itself; where it is part of the program, the wrappers call through REAL all
	 * the same
	 */
	if (!is_program && holds_wrappers (&object, walk))
		return 0;
	for (int i = 0; i < 2; i++)
		change_table (walk, &object, object.tables[i], object.counts[i]);
	return 0;
}

int ppi_got_hook (struct ppi_got_hook *hooks, int n)
{
	struct walk walk = {.hooks = hooks, .n = n};

	(void) dl_iterate_phdr (find_real, &walk);
	(void) dl_iterate_phdr (change_object, &walk);
	return walk.entries;
}

int ppi_got_count (struct ppi_got_hook *hooks, int n)
{
	struct walk walk = {.hooks = hooks, .n = n, .look = true};

	(void) dl_iterate_phdr (find_real, &walk);
	(void) dl_iterate_phdr (change_object, &walk);
	return walk.entries;
}

void ppi_got_unhook (struct ppi_got_hook *hooks, int n)
{
	struct walk walk = {.hooks = hooks, .n = n, .unhook = true};

	(void) dl_iterate_phdr (change_object, &walk);
}

#else

static int note_loads (struct dl_phdr_info *info, size_t size, void *arg)
{
	(void) size;
	(void) arg;
	__atomic_store_n (&objects_seen, info->dlpi_adds, __ATOMIC_RELAXED);
	return 1;
}

int ppi_got_hook (struct ppi_got_hook *hooks, int n)
{
	(void) hooks;
	(void) n;
	(void) dl_iterate_phdr (note_loads, NULL);
	return 0;
}

int ppi_got_count (struct ppi_got_hook *hooks, int n)
{
	(void) hooks;
	(void) n;
	return 0;
}

void ppi_got_unhook (struct ppi_got_hook *hooks, int n)
{
	(void) hooks;
	(void) n;
}

#endif

static int compare_loads (struct dl_phdr_info *info, size_t size, void *arg)
{
	(void) size;
	*(bool *) arg = info->dlpi_adds != __atomic_load_n (&objects_seen, __ATOMIC_RELAXED);
	return 1;
}

bool ppi_got_changed (void)
{
	bool changed = false;

	(void) dl_iterate_phdr (compare_loads, &changed);
	return changed;
}
