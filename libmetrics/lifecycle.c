/* SPDX-License-Identifier: MIT */
/* lifecycle.c: start, fork, housekeeping: every part of this room in the right order. */
#include "lifecycle.h"

#include "base.h"
#include "binding.h"
#include "block.h"
#include "channel.h"
#include "message.h"
#include "libmetrics/part.h"
#include "patch.h"
#include "region.h"
#include "span.h"
#include "thread.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern uint64_t ppi_drops_nowhere[PP_DROPS] PPI_HIDDEN; /* thread.c */

static bool note_unheard (const char *line)
{
	if (!ppi_region_header ())
		return false;
	ppi_history (PPI_HISTORY_MESSAGE, "", line, NULL, 0);
	return true;
}

void ppi_lifecycle_start (void)
{
	ppi_channel_start ();
	ppi_lock_after_fork (false); /* this process's, from the start */
	ppi_lock_hook_set (ppi_revive_child);
	ppi_messages_unheard_set (note_unheard);
	pp_arch_init ();
	ppi_clock_start ();
}

static bool is_anything_bound (void)
{
	for (const struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		if (b->users)
			return true;
	return false;
}

/* Forgets the parent's region, and makes one of its own where something is bound. */
static void renew (void)
{
	ppi_region_after_fork ();
	ppi_thread_after_fork ();
	ppi_metric_after_fork ();
	ppi_site_after_fork ();
	ppi_span_after_fork ();
	ppi_patch_after_fork ();
	ppi_blocks_after_fork ();
	ppi_binding_after_fork ();
	ppi_recording_forget ();
	if (!is_anything_bound () || ppi_region_init () < 0)
		return;
	ppi_bindings_describe ();
	ppi_recording_after_fork ();
}

/* A child of _Fork or clone, which no handler has told: it has the parent's region mapped and must not touch it. */
void ppi_revive_child (void)
{
	uint64_t dropped = ppi_load (&ppi_drops_nowhere[PP_DROP_FORK]);

	if (!ppi_region_header () || ppi_load (ppi_alive))
		return;
	renew ();
	/* what it ran through until now is its own */
	ppi_store (&ppi_drops_nowhere[PP_DROP_FORK], dropped);
}

void ppi_after_fork (void)
{
	ppi_lock_after_fork (true);
	if (ppi_region_header ())
		renew ();
}

void ppi_housekeeping (void)
{
	ppi_lock ();
	if (ppi_region_header ()) {
		ppi_region_replenish ();
		ppi_thread_reap ();
		ppi_region_stamp ();
		ppi_series_tell_full ();
	}
	ppi_unlock ();
}

static void fork_prepare (void)
{
	ppi_messages_before_fork ();
	ppi_lock ();
}

static void fork_parent (void)
{
	ppi_messages_after_fork_parent ();
	ppi_unlock ();
}

/* In a child ppi_after_fork comes before what the parts forget: they need the lock and the region. */
const struct ppi_part ppi_metrics_part = {.init = ppi_lifecycle_start,
					  .fork_prepare = fork_prepare,
					  .fork_parent = fork_parent,
					  .housekeeping = ppi_housekeeping};

/* ---- does the program have a table? ------------------------------------------------------------------------------ */

/* Header NUMBER of the section headers at IMAGE: copied, for a file may have them anywhere. */
static Elf64_Shdr section_header (const char *image, const Elf64_Ehdr *e, unsigned number)
{
	Elf64_Shdr s;

	memcpy (&s, image + e->e_shoff + number * sizeof (s), sizeof (s));
	return s;
}

/* Looks for a section of ours in the ELF file of SIZE bytes at IMAGE; a file that is none, or damaged, has none. */
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
		if (strcmp (image + at, PP_ABI_SECTION_SITES) == 0 || strcmp (image + at, PP_ABI_SECTION_GUARDS) == 0 ||
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
