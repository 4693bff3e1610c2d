/* SPDX-License-Identifier: MIT */
/* objects.c: see objects.h. */
#include "profiler/sampler/objects.h"

#include "base/peek.h"
#include "base/spot.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { OBJECTS_MOST = 4096 };

/* Tables beyond that are not copied. */
#define TABLE_MOST (UINT64_C (64) << 20)

/* By rising BEGIN but for those that are gone, which stand behind N_MAPPED. */
static struct ppi_object *objects[OBJECTS_MOST];
static size_t n_objects, n_mapped;
static unsigned long long adds, subs;

/* ---- what is mapped -------------------------------------------------------------------------- */

/* What the loader tells, taken without memory of malloc's: its lock is held meanwhile. */
struct looking {
	struct ppi_object made[OBJECTS_MOST];
	size_t path[OBJECTS_MOST]; /* in PATHS */
	size_t n, used;
	bool is_same;
	char paths[OBJECTS_MOST * 64];
};

/* What of the segment with .eh_frame_hdr the tables may take. */
static void bound_tables (struct ppi_object *object, const ElfW (Phdr) * segment, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t begin = object->load + segment[i].p_vaddr,
			 end = begin + segment[i].p_filesz;

		if (segment[i].p_type == PT_LOAD && object->hdr >= begin && object->hdr < end) {
			object->table = begin;
			object->table_end = end;
		}
	}
}

static void take_segments (struct ppi_object *object, const struct dl_phdr_info *info)
{
	object->load = info->dlpi_addr;
	object->begin = UINT64_MAX;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t at = object->load + segment->p_vaddr;

		if (segment->p_type == PT_LOAD) {
			object->begin = at < object->begin ? at : object->begin;
			object->end = at + segment->p_memsz > object->end ? at + segment->p_memsz
									  : object->end;
		} else if (segment->p_type == PT_GNU_EH_FRAME)
			object->hdr = at;
		else if (segment->p_type == PT_NOTE && !object->id_bytes)
			object->id_bytes = ppi_build_id (at, segment->p_memsz, object->build_id);
	}
	bound_tables (object, info->dlpi_phdr, info->dlpi_phnum);
}

static int look (struct dl_phdr_info *info, size_t size, void *arg)
{
	struct looking *l = arg;
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	size_t bytes = strlen (path) + 1;

	(void) size;
	if (!l->n && info->dlpi_adds == adds && info->dlpi_subs == subs && n_mapped) {
		l->is_same = true;
		return 1;
	}
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	if (l->n == OBJECTS_MOST || bytes > sizeof l->paths - l->used)
		return 1;
	l->made[l->n] = (struct ppi_object){.load = 0};
	take_segments (&l->made[l->n], info);
	if (!l->made[l->n].end)
		return 0;
	l->path[l->n] = l->used;
	memcpy (l->paths + l->used, path, bytes);
	l->used += bytes;
	l->n++;
	return 0;
}

/* Where the file is; the program itself has no name there. */
static char *path_of (const struct ppi_object *object, const char *name)
{
	char path[PATH_MAX];
	uint64_t vdso = getauxval (AT_SYSINFO_EHDR);
	ssize_t n;

	if (vdso && vdso >= object->begin && vdso < object->end)
		return strdup ("[vdso]");
	if (*name)
		return strdup (realpath (name, path) ? path : name);
	n = readlink ("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	return strdup (path);
}

/* An object that was known keeps its tables and its number. */
static struct ppi_object *known (const struct ppi_object *made, const char *path)
{
	for (size_t i = 0; i < n_mapped; i++)
		if (objects[i] && objects[i]->load == made->load &&
		    objects[i]->begin == made->begin && objects[i]->end == made->end &&
		    objects[i]->id_bytes == made->id_bytes &&
		    memcmp (objects[i]->build_id, made->build_id, sizeof made->build_id) == 0 &&
		    strcmp (objects[i]->path, path) == 0) {
			struct ppi_object *one = objects[i];

			objects[i] = NULL;
			return one;
		}
	return NULL;
}

/* MADE, called NAME, in memory of its own, or as it was known; NULL: no memory. */
static struct ppi_object *keep (const struct ppi_object *made, const char *name)
{
	char *path = path_of (made, name);
	struct ppi_object *object = path ? known (made, path) : NULL;

	if (path && !object && (object = malloc (sizeof *object))) {
		*object = *made;
		object->path = path;
		return object;
	}
	free (path);
	return object;
}

static void forget (struct ppi_object *object)
{
	free ((void *) (uintptr_t) object->copy.data);
	free (object->path);
	free (object);
}

static int by_begin (const void *a, const void *b)
{
	const struct ppi_object *x = *(struct ppi_object *const *) a,
				*y = *(struct ppi_object *const *) b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* What else is mapped there by now, as code that is made at run time, is not theirs. */
static void forget_gone (void)
{
	while (n_objects > n_mapped)
		forget (objects[--n_objects]);
}

void ppi_objects_refresh (void)
{
	static struct looking l; /* too large for a stack */
	static struct ppi_object *found[OBJECTS_MOST], *gone[OBJECTS_MOST];
	size_t n = 0, n_gone = 0;

	l.n = l.used = 0;
	l.is_same = false;
	dl_iterate_phdr (look, &l);
	if (l.is_same)
		forget_gone ();
	if (l.is_same || !l.n)
		return;
	for (size_t i = 0; i < l.n; i++) {
		found[n] = keep (&l.made[i], l.paths + l.path[i]);
		n += found[n] != NULL;
	}
	/*
	 * samples that wait may be of what has just gone; what was gone at the last look is done
	 * with
	 */
	forget_gone ();
	for (size_t i = 0; i < n_mapped; i++) {
		if (!objects[i])
			continue;
		if (n + n_gone == OBJECTS_MOST)
			forget (objects[i]);
		else
			gone[n_gone++] = objects[i];
	}
	qsort (found, n, sizeof *found, by_begin);
	memcpy (objects, found, n * sizeof *found);
	memcpy (objects + n, gone, n_gone * sizeof *gone);
	n_mapped = n;
	n_objects = n + n_gone;
}

struct ppi_object *ppi_object_of (uint64_t address)
{
	size_t low = 0, high = n_mapped;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (objects[middle]->begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && address < objects[low - 1]->end)
		return objects[low - 1];
	for (size_t i = n_mapped; i < n_objects; i++)
		if (address >= objects[i]->begin && address < objects[i]->end)
			return objects[i];
	return NULL;
}

const struct ppi_unwind_table *ppi_object_table (struct ppi_object *object)
{
	uint64_t bytes = object->table_end - object->table;
	uint8_t *data;

	if (object->copy.data)
		return &object->copy;
	if (object->failed || !object->hdr || !bytes || bytes > TABLE_MOST)
		return NULL;
	data = malloc (bytes);
	if (!data)
		return NULL;
	object->copy.at = object->table;
	object->copy.bytes = ppi_peek (object->table, data, bytes);
	object->failed = object->copy.bytes != bytes;
	if (object->failed) {
		free (data);
		return NULL;
	}
	object->copy.data = data;
	return &object->copy;
}

void ppi_objects_forget (void)
{
	/*
	 * their memory stays the child's: the parent's thread may have been in the middle of a look
	 */
	n_objects = n_mapped = 0;
	adds = subs = 0;
}
