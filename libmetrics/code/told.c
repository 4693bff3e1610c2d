/* SPDX-License-Identifier: MIT */
/*
 * told.c: see told.h.
 *
 *   batch makes blocks ──► ELF object in memory: symbols, unwinding ──► gdb's list  (one a batch)
 *                     └──► lines "START BYTES NAME" of /tmp/perf-PID.map
 *
 * gdb stops at the function __jit_debug_register_code, or reads the list behind the descriptor when
 * it attaches. It finds both by their names, in the symbol table of the object that has them. They
 * are nobody else's to find: a program may have another maker of code, with a list and a lock of
 * its own, and names that are exported would be one for both. So a libpp without symbol table tells
 * gdb nothing.
 *
 * Each batch is an object of its own, so making a block costs what it takes to write its symbol
 * down, however many there are. Where there is no memory for it nobody is told.
 */
#include "libmetrics/code/told.h"

#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/signals.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"

#if PP_ARCH_HAS_BLOCKS

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- gdb's JIT interface: these names and layouts are its ------------------------------------ */

enum { NOTHING, REGISTERS, UNREGISTERS };

struct jit_code_entry {
	struct jit_code_entry *next, *prev;
	const char *symfile_addr;
	uint64_t symfile_size;
};

static struct jit_descriptor {
	uint32_t version, action_flag;
	struct jit_code_entry *relevant_entry, *first_entry;
} __jit_debug_descriptor __attribute__ ((used)) = {.version = 1};

__attribute__ ((noinline, noclone, used)) static void __jit_debug_register_code (void)
{
	/* a debugger stops here, and reads all that was written */
	__asm__ volatile("" ::: "memory");
}

/* ---- what is told ---------------------------------------------------------------------------- */

enum { NAME_BYTES = 160, BATCH_MOST = 65536 };

struct block {
	uint64_t at, bytes;
	char name[NAME_BYTES];
};

/* Blocks of one arena that were made in one batch. */
struct told {
	struct jit_code_entry entry; /* first */
	const struct ppi_arena *arena;
	size_t blocks;
	const Elf64_Sym *symbol; /* of the blocks, in the object, as their names */
	const char *names;
	uint64_t object[]; /* of the ELF object */
};

static struct {
	const struct ppi_arena *arena;
	struct block *block;
	size_t n, room;
} fresh;

static void name_of (const pp_site *site, char out[NAME_BYTES])
{
	snprintf (out, NAME_BYTES, "pp_block:%s%s%s", site->function, *site->function ? "/" : "",
		  site->name);
	for (char *c = out; *c; c++)
		if ((unsigned char) *c < ' ')
			*c = '?';
}

void ppi_told_add (const struct ppi_arena *arena, uintptr_t at, size_t bytes,
		   const struct ppi_plan *plan)
{
	struct block *grown;

	if (fresh.n && fresh.arena != arena)
		ppi_told_now ();
	if (fresh.n == fresh.room) {
		size_t more = fresh.room ? 2 * fresh.room : 16;

		grown = more <= BATCH_MOST ? reallocarray (fresh.block, more, sizeof *grown) : NULL;
		if (!grown)
			return;
		fresh.block = grown;
		fresh.room = more;
	}
	fresh.arena = arena;
	fresh.block[fresh.n].at = at;
	fresh.block[fresh.n].bytes = bytes;
	name_of (plan->site, fresh.block[fresh.n++].name);
}

/* ---- the object ------------------------------------------------------------------------------ */

enum section { NO_SECTION, TEXT, EH_FRAME, SYMTAB, STRTAB, SECTIONS };

static const char section_names[] = "\0.text\0.eh_frame\0.symtab\0.strtab";
enum { TEXT_NAME = 1, EH_FRAME_NAME = 7, SYMTAB_NAME = 17, STRTAB_NAME = 25 };

struct object {
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS];
	uint8_t unwind[PPI_BLOCK_UNWIND_BYTES];
	Elf64_Sym symbol[]; /* then names */
};

static void put_head (Elf64_Ehdr *head)
{
	memcpy (head->e_ident, ELFMAG, SELFMAG);
	head->e_ident[EI_CLASS] = ELFCLASS64;
	head->e_ident[EI_DATA] = ELFDATA2LSB;
	head->e_ident[EI_VERSION] = EV_CURRENT;
	head->e_type = ET_EXEC;
	head->e_machine = EM_X86_64;
	head->e_version = EV_CURRENT;
	head->e_shoff = offsetof (struct object, section);
	head->e_ehsize = sizeof *head;
	head->e_shentsize = sizeof (Elf64_Shdr);
	head->e_shnum = SECTIONS;
	head->e_shstrndx = STRTAB;
}

static void put_sections (struct object *o, const struct ppi_arena *arena, size_t unwind_bytes,
			  size_t n, size_t name_bytes)
{
	uint64_t symbols = offsetof (struct object, symbol);
	uint64_t symbol_bytes = (n + 1) * sizeof (Elf64_Sym);

	/* the code itself is where it is, and not in here */
	o->section[TEXT] = (Elf64_Shdr){.sh_name = TEXT_NAME,
					.sh_type = SHT_NOBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = (uintptr_t) arena->code,
					.sh_size = arena->bytes,
					.sh_addralign = PPI_BLOCK_LINE};
	o->section[EH_FRAME] = (Elf64_Shdr){.sh_name = EH_FRAME_NAME,
					    .sh_type = SHT_PROGBITS,
					    .sh_flags = SHF_ALLOC,
					    .sh_addr = (uintptr_t) o->unwind,
					    .sh_offset = offsetof (struct object, unwind),
					    .sh_size = unwind_bytes,
					    .sh_addralign = 8};
	o->section[SYMTAB] = (Elf64_Shdr){.sh_name = SYMTAB_NAME,
					  .sh_type = SHT_SYMTAB,
					  .sh_offset = symbols,
					  .sh_size = symbol_bytes,
					  .sh_link = STRTAB,
					  .sh_info = 1,
					  .sh_addralign = 8,
					  .sh_entsize = sizeof (Elf64_Sym)};
	o->section[STRTAB] = (Elf64_Shdr){.sh_name = STRTAB_NAME,
					  .sh_type = SHT_STRTAB,
					  .sh_offset = symbols + symbol_bytes,
					  .sh_size = name_bytes,
					  .sh_addralign = 1};
}

/* Symbols and names of the fresh blocks, behind those of sections. */
static void put_symbols (struct object *o, char *names)
{
	size_t at = sizeof section_names;

	memcpy (names, section_names, sizeof section_names);
	for (size_t i = 0; i < fresh.n; i++) {
		const struct block *b = &fresh.block[i];

		o->symbol[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word) at,
					       .st_info = ELF64_ST_INFO (STB_GLOBAL, STT_FUNC),
					       .st_shndx = TEXT,
					       .st_value = b->at,
					       .st_size = b->bytes};
		strcpy (names + at, b->name);
		at += strlen (b->name) + 1;
	}
}

static struct told *make_told (void)
{
	size_t names = sizeof section_names, bytes, unwind;
	struct told *told;
	struct object *o;

	for (size_t i = 0; i < fresh.n; i++)
		names += strlen (fresh.block[i].name) + 1;
	bytes = sizeof *o + (fresh.n + 1) * sizeof (Elf64_Sym) + names;
	told = calloc (1, sizeof *told + bytes);
	if (!told)
		return NULL;
	o = (struct object *) (void *) told->object;
	unwind = pp_arch_block_unwind ((uintptr_t) fresh.arena->code, fresh.arena->bytes,
				       fresh.arena->returns, true, o->unwind, sizeof o->unwind);
	put_head (&o->head);
	put_sections (o, fresh.arena, unwind, fresh.n, names);
	told->names = (char *) &o->symbol[fresh.n + 1];
	put_symbols (o, (char *) &o->symbol[fresh.n + 1]);
	told->arena = fresh.arena;
	told->blocks = fresh.n;
	told->symbol = o->symbol + 1;
	told->entry.symfile_addr = (const char *) o;
	told->entry.symfile_size = bytes;
	return told;
}

/* ---- perf's map ------------------------------------------------------------------------------ */

static struct {
	int wanted;       /* -1: not asked yet */
	uint32_t process; /* who has a map: ppi_process; 0: nobody */
	bool failed;
} map = {.wanted = -1};

static bool is_map_wanted (void)
{
	const char *text;

	if (map.wanted >= 0)
		return map.wanted;
	text = ppi_environment (PPI_ENVIRONMENT_PERF_MAP);
	map.wanted = text && strcmp (text, "1") == 0;
	if (text && !map.wanted)
		ppi_message ("PP_PERF_MAP=%s: expected 1; there is no map for perf", text);
	return map.wanted;
}

static void map_path (char *out, size_t room)
{
	snprintf (out, room, "/tmp/perf-%d.map", (int) getpid ());
}

static void map_fails (const char *why)
{
	char path[64];

	map_path (path, sizeof path);
	if (!map.failed)
		ppi_message ("%s: %s: perf gets no names of the code that is made for markers "
			     "(PP_PERF_MAP)",
			     path, why);
	map.failed = true;
}

/* How long ago this process began, in ns; 0: not known. */
static uint64_t age_ns (void)
{
	struct timespec now = {0, 0};
	unsigned long long started;
	char text[1024], *rest;
	ssize_t n;
	int fd = open ("/proc/self/stat", O_RDONLY | O_CLOEXEC), fields = 0;
	uint64_t now_ns;

	n = fd < 0 ? -1 : read (fd, text, sizeof text - 1);
	if (fd >= 0)
		close (fd);
	text[n > 0 ? n : 0] = '\0';
	/* the name, which is second, may be anything; 20 fields behind it */
	rest = strrchr (text, ')');
	while (rest && fields < 20 && (rest = strchr (rest + 1, ' ')))
		fields++;
	if (!rest)
		return 0;
	started = strtoull (rest, NULL, 10);
	clock_gettime (CLOCK_BOOTTIME, &now);
	now_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
	started *= 1000000000u / (unsigned long long) sysconf (_SC_CLK_TCK);
	return now_ns > started ? now_ns - started : 0;
}

/* Was the file left by an earlier process of the same number? A second is the clocks' own. */
static bool is_stale (const struct stat *st)
{
	struct timespec now = {0, 0};
	uint64_t age = age_ns (), since;

	clock_gettime (CLOCK_REALTIME, &now);
	since = (uint64_t) (now.tv_sec - st->st_mtim.tv_sec) * 1000000000u +
		(uint64_t) now.tv_nsec - (uint64_t) st->st_mtim.tv_nsec;
	return now.tv_sec > st->st_mtim.tv_sec && age && since > age + 1000000000u;
}

/*
 * The map, for appending: made, or what another maker of code in this process has begun. Nothing
 * but a regular file of this user, with one name, and no link is followed: anybody may put
 * something else in its place.
 */
static int map_open (void)
{
	enum { HOW = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
	struct stat st;
	char path[64];
	int fd;

	map_path (path, sizeof path);
	fd = open (path, HOW | O_CREAT | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
	fd = errno == EEXIST ? open (path, HOW) : -1;
	if (fd < 0) {
		map_fails (errno == ELOOP ? "it is a link" : "it can't be opened");
		return -1;
	}
	if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_uid != geteuid () ||
	    st.st_nlink != 1) {
		map_fails ("it is not a file of this user's");
	} else if (map.process == ppi_process () || !is_stale (&st) || ppi_resize (fd, 0) == 0) {
		return fd;
	} else {
		map_fails ("it can't be emptied");
	}
	close (fd);
	return -1;
}

/* The lines of TOLD. */
static void map_write (int fd, const struct told *told)
{
	char line[NAME_BYTES + 64];

	for (size_t i = 0; i < told->blocks; i++) {
		const Elf64_Sym *s = &told->symbol[i];
		int n = snprintf (line, sizeof line, "%llx %llx %s\n",
				  (unsigned long long) s->st_value, (unsigned long long) s->st_size,
				  told->names + s->st_name);

		if (write (fd, line, (size_t) n) != n) {
			map_fails ("it can't be written");
			return;
		}
	}
}

/* TOLD, or in a process that has no map yet all that there are; then it may be NULL. */
static void map_tell (const struct told *told)
{
	bool all = map.process != ppi_process ();
	struct ppi_held held;
	int saved = errno, fd;

	if (!is_map_wanted () || map.failed)
		return;
	ppi_signals_hold (&held);
	fd = map_open ();
	if (fd >= 0 && all)
		for (const struct jit_code_entry *e = __jit_debug_descriptor.first_entry; e;
		     e = e->next)
			map_write (fd, (const struct told *) (const void *) e);
	else if (fd >= 0 && told)
		map_write (fd, told);
	map.process = ppi_process ();
	if (fd >= 0)
		close (fd);
	ppi_signals_release (&held);
	errno = saved;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void notify (uint32_t action, struct told *told)
{
	__jit_debug_descriptor.action_flag = action;
	__jit_debug_descriptor.relevant_entry = &told->entry;
	__jit_debug_register_code ();
	__jit_debug_descriptor.action_flag = NOTHING;
	__jit_debug_descriptor.relevant_entry = NULL;
}

void ppi_told_now (void)
{
	struct jit_code_entry *first = __jit_debug_descriptor.first_entry;
	struct told *told = fresh.n ? make_told () : NULL;

	fresh.n = 0;
	if (!told)
		return;
	told->entry.next = first;
	if (first)
		first->prev = &told->entry;
	__jit_debug_descriptor.first_entry = &told->entry;
	notify (REGISTERS, told);
	map_tell (told);
}

static void forget (struct told *told)
{
	struct jit_code_entry *e = &told->entry;

	if (e->prev)
		e->prev->next = e->next;
	else
		__jit_debug_descriptor.first_entry = e->next;
	if (e->next)
		e->next->prev = e->prev;
	notify (UNREGISTERS, told);
	free (told);
}

void ppi_told_forget (const struct ppi_arena *arena)
{
	struct jit_code_entry *e = __jit_debug_descriptor.first_entry, *next;

	if (fresh.arena == arena)
		fresh.n = 0;
	for (; e; e = next) {
		struct told *told = (struct told *) (void *) e;

		next = e->next;
		if (told->arena == arena)
			forget (told);
	}
}

void ppi_told_after_fork (void)
{
	map.failed = false;
	if (__jit_debug_descriptor.first_entry)
		map_tell (NULL);
}

#endif
