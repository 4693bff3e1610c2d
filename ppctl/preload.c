/* SPDX-License-Identifier: MIT */
/*
 * preload.c: a program that was not linked with libpp gets it by LD_PRELOAD, so that it can be
 * sampled: ppctl run --sample. What a program has is read from its file.
 */
#include "ppctl/preload.h"
#include "ppctl/ppctl.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libpp.so.0"

/* What a file of a program says. */
struct look {
	bool is_elf, is_dynamic;
	bool has_libpp;
	char first[NAME_MAX + 1]; /* a library that has to be loaded before all others; "": none */
};

static bool begins (const char *text, const char *with)
{
	return strncmp (text, with, strlen (with)) == 0;
}

/* A library that the program needs. */
static void note_needed (struct look *look, const char *name)
{
	if (begins (name, "libpp.so"))
		look->has_libpp = true;
	if (begins (name, "libasan.so"))
		snprintf (look->first, sizeof look->first, "%s", name);
}

static void look_at_dynamic (struct look *look, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata (scn, NULL);
	GElf_Dyn entry;

	look->is_dynamic = true;
	for (int i = 0; data && gelf_getdyn (data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *name = entry.d_tag == DT_NEEDED ? elf_strptr (elf, header->sh_link,
									  (size_t) entry.d_un.d_val)
							    : NULL;

		if (name)
			note_needed (look, name);
	}
}

/* Where it has markers, and does not need the library, that is part of it. */
static void look_at_sections (struct look *look, Elf *elf)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx (elf, &names) != 0)
		return;
	while ((scn = elf_nextscn (elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr (scn, &header))
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			look_at_dynamic (look, elf, scn, &header);
		name = elf_strptr (elf, names, header.sh_name);
		if (name && header.sh_flags & SHF_ALLOC && begins (name, "pp_"))
			look->has_libpp = true;
	}
}

static struct look look_at (const char *path)
{
	struct look look = {.is_elf = false};
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return look;
	elf_version (EV_CURRENT);
	elf = elf_begin (fd, ELF_C_READ, NULL);
	look.is_elf = elf && elf_kind (elf) == ELF_K_ELF;
	if (look.is_elf)
		look_at_sections (&look, elf);
	elf_end (elf);
	close (fd);
	return look;
}

/* The file that execvp will run, as well as that can be told; "": none. */
static void find_program (const char *name, char out[PATH_MAX])
{
	const char *given = getenv ("PATH"), *folder;
	char *path = strdup (given ? given : "/bin:/usr/bin"), *rest = path;

	snprintf (out, PATH_MAX, "%s", strchr (name, '/') ? name : "");
	while (!strchr (name, '/') && rest && (folder = strsep (&rest, ":"))) {
		if (snprintf (out, PATH_MAX, "%s/%s", *folder ? folder : ".", name) < PATH_MAX &&
		    access (out, X_OK) == 0)
			break;
		*out = '\0';
	}
	free (path);
}

static bool is_in (const char *folder, char out[PATH_MAX])
{
	return *folder && snprintf (out, PATH_MAX, "%s/" LIBRARY, folder) < PATH_MAX &&
	       access (out, R_OK) == 0;
}

/* Beside ppctl in the directory where both were built */
static bool is_beside (char out[PATH_MAX])
{
	char self[PATH_MAX], folder[PATH_MAX];
	ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr (self, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return snprintf (folder, sizeof folder, "%s/../libpp/.libs", self) < (int) sizeof folder &&
	       is_in (folder, out);
}

static bool find_library (char out[PATH_MAX])
{
	const char *given = getenv ("PP_MODULE_PATH");
	char *path = strdup (given ? given : ""), *rest = path;
	const char *folder;
	bool found = false;

	while (!found && rest && (folder = strsep (&rest, ":")))
		found = is_in (folder, out);
	free (path);
	return found || is_beside (out) || is_in (PP_LIB_DIR, out);
}

/* What the user preloads stays in front. */
static bool set (const struct look *look, const char *library)
{
	const char *former = getenv ("LD_PRELOAD");
	char *text;
	bool done;

	if (!former)
		former = "";
	if (asprintf (&text, "%s%s%s%s%s", look->first, *look->first ? ":" : "", former,
		      *former ? ":" : "", library) < 0)
		return false;
	done = setenv ("LD_PRELOAD", text, 1) == 0;
	free (text);
	return done;
}

int ppctl_preload (const char *program)
{
	char path[PATH_MAX], library[PATH_MAX];
	struct look look;

	find_program (program, path);
	look = look_at (path);
	if (look.has_libpp)
		return PPCTL_OK;
	if (look.is_elf && !look.is_dynamic)
		return ppctl_fail (PPCTL_PROBLEM, "run",
				   "--sample: %s is linked statically and without libpp: it can't "
				   "be sampled",
				   program);
	if (!find_library (library))
		return ppctl_fail (
			PPCTL_PROBLEM, "run",
			"--sample: %s is not linked with libpp, and " LIBRARY
			" is neither in a directory of PP_MODULE_PATH nor in " PP_LIB_DIR,
			program);
	if (strpbrk (library, " :"))
		return ppctl_fail (PPCTL_PROBLEM, "run",
				   "--sample: %s can't be preloaded: its path has a space or a ':'",
				   library);
	return set (&look, library) ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, "run", "no memory");
}
