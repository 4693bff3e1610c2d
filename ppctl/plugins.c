/* SPDX-License-Identifier: MIT */
/*
 * plugins.c: loads analyses of the user's own. What they say of themselves is checked before it is
 * used: a table of another version, or one that is shorter than it claims, is never read further.
 */
#include "ppctl/plugins.h"

#include "profiler/analysis/terms.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL "pp_analysis_plugin"
enum { LIST_MOST = 64 };

struct loading {
	const char *path, *command;
	const struct ppctl_plugins *before;
	const struct pp_analysis *table;
};

static int refuse (const struct loading *l, const char *what, const char *name)
{
	return ppctl_fail (PPCTL_PROBLEM, l->command, "--plugin: %s: %s%s%s", l->path, what,
			   name ? " " : "", name ? name : "");
}

/* ---- what a table has ------------------------------------------------------------------------ */

/* The symbol's own size: nothing beyond is read. */
static size_t bytes_of (const void *at)
{
	Dl_info info;
	void *symbol = NULL;

	if (!dladdr1 (at, &info, &symbol, RTLD_DL_SYMENT) || !symbol)
		return 0;
	return ((const ElfW (Sym) *) symbol)->st_size;
}

static bool has_dimension (const struct pp_analysis *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp (table->dimensions[i].name, name) == 0)
			return true;
	return false;
}

static bool has_formatter (const struct pp_analysis *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp (table->formatters[i].dimension, name) == 0)
			return true;
	return false;
}

static bool has_section (const struct pp_analysis *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp (table->sections[i].name, name) == 0)
			return true;
	return false;
}

static int check_dimensions (const struct loading *l)
{
	for (size_t i = 0; i < l->table->n_dimensions; i++) {
		const struct pp_analysis_dimension *is = &l->table->dimensions[i];
		bool is_twice;

		if (!is->name || !ppi_terms_is_name (is->name))
			return refuse (l, "a dimension's name has to be a word of its own, not",
				       is->name ? is->name : "nothing");
		is_twice = has_dimension (l->table, i, is->name);
		for (size_t k = 0; k < l->before->n; k++)
			is_twice |= has_dimension (l->before->table[k],
						   l->before->table[k]->n_dimensions, is->name);
		if (is_twice)
			return refuse (l, "there are two dimensions", is->name);
		if (!is->of)
			return refuse (l, "there is no function for the dimension", is->name);
		if (is->flags & ~PP_ANALYSIS_DESCENDANTS)
			return refuse (l, "this ppctl does not know all flags of the dimension",
				       is->name);
	}
	return PPCTL_OK;
}

static int check_formatters (const struct loading *l)
{
	for (size_t i = 0; i < l->table->n_formatters; i++) {
		const struct pp_analysis_formatter *is = &l->table->formatters[i];
		bool is_twice;

		if (!is->dimension || !is->format)
			return refuse (l, "a formatter has no dimension, or no function", NULL);
		is_twice = has_formatter (l->table, i, is->dimension);
		for (size_t k = 0; k < l->before->n; k++)
			is_twice |=
				has_formatter (l->before->table[k],
					       l->before->table[k]->n_formatters, is->dimension);
		if (is_twice)
			return refuse (l, "there are two formatters of", is->dimension);
	}
	return PPCTL_OK;
}

static int check_sections (const struct loading *l)
{
	for (size_t i = 0; i < l->table->n_sections; i++) {
		const struct pp_analysis_section *is = &l->table->sections[i];
		bool is_twice;

		if (!is->name || !*is->name || !is->features || !is->print)
			return refuse (l, "a section has no name, no features, or no function",
				       is->name);
		is_twice = has_section (l->table, i, is->name);
		for (size_t k = 0; k < l->before->n; k++)
			is_twice |= has_section (l->before->table[k],
						 l->before->table[k]->n_sections, is->name);
		if (is_twice)
			return refuse (l, "there are two sections", is->name);
		if (is->flags & ~PP_ANALYSIS_ON_REQUEST)
			return refuse (l, "this ppctl does not know all flags of the section",
				       is->name);
	}
	return PPCTL_OK;
}

static int check (const struct loading *l)
{
	const struct pp_analysis *t = l->table;
	size_t bytes = bytes_of (t);
	int status;

	if (bytes < 2 * sizeof (uint32_t) || t->version != PP_ANALYSIS_VERSION)
		return ppctl_fail (PPCTL_PROBLEM, l->command,
				   "--plugin: %s is of version %u of pp_analysis.h, and this is "
				   "version %u: compile it again",
				   l->path, bytes < 2 * sizeof (uint32_t) ? 0 : t->version,
				   PP_ANALYSIS_VERSION);
	if (t->size < sizeof *t || bytes < t->size)
		return refuse (l, "its table is shorter than version 1 has it: compile it again",
			       NULL);
	if (!t->name || !*t->name)
		return refuse (l, "it has no name", NULL);
	if (t->n_dimensions > LIST_MOST || t->n_formatters > LIST_MOST ||
	    t->n_sections > LIST_MOST || (t->n_dimensions && !t->dimensions) ||
	    (t->n_formatters && !t->formatters) || (t->n_sections && !t->sections))
		return refuse (l, "a list of its table is missing, or has more than 64 elements",
			       NULL);
	status = check_dimensions (l);
	status = status == PPCTL_OK ? check_formatters (l) : status;
	return status == PPCTL_OK ? check_sections (l) : status;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Without a slash dlopen would look elsewhere. */
static void *open_object (const char *path)
{
	char *here;
	void *object;

	if (strchr (path, '/'))
		return dlopen (path, RTLD_NOW | RTLD_LOCAL);
	here = malloc (strlen (path) + 3);
	if (!here)
		return NULL;
	sprintf (here, "./%s", path);
	object = dlopen (here, RTLD_NOW | RTLD_LOCAL);
	free (here);
	return object;
}

static int load (const char *path, const char *command, struct ppctl_plugins *out)
{
	struct loading l = {.path = path, .command = command, .before = out};
	void *object;
	int status;

	if (out->n == PPCTL_TEXTS_MOST)
		return refuse (&l, "there are too many plug-ins before it", NULL);
	object = open_object (path);
	if (!object) {
		const char *why = dlerror ();

		return ppctl_fail (PPCTL_PROBLEM, command, "--plugin: %s", why ? why : "no memory");
	}
	out->object[out->n] = object;
	l.table = dlsym (object, SYMBOL);
	status = l.table ? check (&l)
			 : refuse (&l,
				   "it is no plug-in: " SYMBOL " is missing, which pp_analysis.h's "
				   "PP_ANALYSIS_PLUGIN defines",
				   NULL);
	if (status != PPCTL_OK) {
		dlclose (object);
		return status;
	}
	out->table[out->n++] = l.table;
	return PPCTL_OK;
}

/* PATH, or where it is that the list at FILE means by it; malloced. NULL: no memory. */
static char *beside (const char *file, const char *path)
{
	const char *slash = strrchr (file, '/');
	int n = slash && *path != '/' ? (int) (slash + 1 - file) : 0;
	char *whole;

	return asprintf (&whole, "%.*s%s", n, file, path) < 0 ? NULL : whole;
}

/* Those that the lines of FILE name, but for blanks at the ends, empty lines and comments. */
static int load_listed (const char *file, const char *command, struct ppctl_plugins *out)
{
	FILE *in = fopen (file, "re");
	char *line = NULL;
	size_t room = 0;
	int status = PPCTL_OK;

	if (!in)
		return ppctl_fail (PPCTL_PROBLEM, command, "--plugin: %s: %s", file,
				   strerror (errno));
	while (status == PPCTL_OK && getline (&line, &room, in) >= 0) {
		char *from = line + strspn (line, " \t"), *path;
		size_t n = strlen (from);

		while (n && isspace ((unsigned char) from[n - 1]))
			from[--n] = '\0';
		if (!n || *from == '#')
			continue;
		path = beside (file, from);
		status = path ? load (path, command, out)
			      : ppctl_fail (PPCTL_PROBLEM, command, "no memory");
		free (path);
	}
	free (line);
	fclose (in);
	return status;
}

int ppctl_plugins_open (const struct ppctl_list *paths, const char *command,
			struct ppctl_plugins *out)
{
	int status = PPCTL_OK;

	*out = (struct ppctl_plugins){.n = 0};
	for (size_t i = 0; status == PPCTL_OK && i < paths->n; i++)
		status = *paths->text[i] == '@' ? load_listed (paths->text[i] + 1, command, out)
						: load (paths->text[i], command, out);
	if (status != PPCTL_OK)
		ppctl_plugins_close (out);
	return status;
}

void ppctl_plugins_close (struct ppctl_plugins *plugins)
{
	while (plugins->n)
		dlclose (plugins->object[--plugins->n]);
}
