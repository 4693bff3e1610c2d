/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shim.c: ppgcc.so, what -fplugin names: loads the plugin of the compiler that asks.
 *
 * A plugin belongs to one version of GCC for one machine: another one lacks C++ functions that it
 * wants, and says so by their mangled
 * names. This file wants nothing of GCC, so every version loads it. It looks for
 *
 *     ppgcc-MACHINE-VERSION.so        ppgcc-x86_64-linux-gnu-12.2.0.so
 *
 * beside itself, then where `make install` puts plugins, and hands over to it; or says which there
 * are, and how to get this one.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__ ((visibility ("default")))

/* GCC's own structures, as they have been since plugins exist (gcc-plugin.h) */
struct plugin_name_args;
struct plugin_gcc_version {
	const char *basever, *datestamp, *devphase, *revision, *configuration_arguments;
};
typedef int plugin_init_fn (struct plugin_name_args *, struct plugin_gcc_version *);

SHOWN int plugin_is_GPL_compatible;
SHOWN plugin_init_fn plugin_init;

/*
 * Changes with the plugins, so that caches of compilations (ccache), which know this file, see it.
 */
__attribute__ ((used)) static const char stamp[] = PPGCC_STAMP;

enum { NAME_MOST = 128, KNOWN_MOST = 800 };

/* One error of the compiler's, in its own way where it has the function for it. */
__attribute__ ((format (printf, 1, 2))) static void complain (const char *format, ...)
{
	void (*error) (const char *, ...) = NULL;
	char text[2048];
	va_list args;

	/* first, for what dlerror () said lasts until the next search */
	va_start (args, format);
	vsnprintf (text, sizeof text, format, args);
	va_end (args);
	*(void **) &error = dlsym (RTLD_DEFAULT, "_Z5errorPKcz");
	if (error)
		error ("%s", text);
	else
		fprintf (stderr, "error: %s\n", text);
}

/* What stands behind KEY in the arguments of GCC's configure, up to a blank or quote. */
static bool argument (const char *arguments, const char *key, char out[NAME_MOST])
{
	const char *at = strstr (arguments, key);
	size_t n;

	if (!at)
		return false;
	at += strlen (key);
	n = strcspn (at, " '\"");
	if (!n || n >= NAME_MOST)
		return false;
	memcpy (out, at, n);
	out[n] = '\0';
	return true;
}

static void machine_of (const struct plugin_gcc_version *version, char out[NAME_MOST])
{
	const char *arguments =
		version->configuration_arguments ? version->configuration_arguments : "";

	if (!argument (arguments, "--target=", out) && !argument (arguments, "--host=", out) &&
	    !argument (arguments, "--build=", out))
		snprintf (out, NAME_MOST, "%s", PPGCC_MACHINE);
}

/* ---- where plugins are ----------------------------------------------------------------------- */

/* Calls FN with each folder until it returns true. */
static bool each_place (bool (*fn) (const char *folder, void *arg), void *arg)
{
	char path[PATH_MAX], real[PATH_MAX], places[] = PPGCC_PLACES, *rest = places, *place;
	Dl_info self;

	/* by a name that no other plugin has */
	if (dladdr (stamp, &self) && self.dli_fname) {
		snprintf (path, sizeof path, "%s", self.dli_fname);
		/* a link to it may lie anywhere */
		for (const char *file = path; file;
		     file = file == path && realpath (path, real) ? real : NULL) {
			char folder[PATH_MAX], *slash;

			snprintf (folder, sizeof folder, "%s", file);
			slash = strrchr (folder, '/');
			if (slash)
				*slash = '\0';
			if (fn (slash ? folder : ".", arg))
				return true;
		}
	}
	while ((place = strsep (&rest, ":")))
		if (*place && fn (place, arg))
			return true;
	return false;
}

struct wanted {
	const char *machine, *version;
	char path[PATH_MAX]; /* of the plugin that was found */
	char known[KNOWN_MOST];
};

static bool find_in (const char *folder, void *arg)
{
	struct wanted *w = arg;
	FILE *there;
	int n = snprintf (w->path, sizeof w->path, "%s/ppgcc-%s-%s.so", folder, w->machine,
			  w->version);

	if (n < 0 || (size_t) n >= sizeof w->path || !(there = fopen (w->path, "re")))
		return false;
	fclose (there);
	return true;
}

/* "ppgcc-MACHINE-VERSION.so" becomes "VERSION for MACHINE"; nothing is said twice. */
static void add_known (struct wanted *w, const char *file)
{
	size_t bytes = strlen (file), used = strlen (w->known);
	const char *dash = strrchr (file, '-');
	char one[2 * NAME_MOST];

	if (strncmp (file, "ppgcc-", 6) != 0 || bytes < 10 ||
	    strcmp (file + bytes - 3, ".so") != 0 || dash < file + 6)
		return;
	snprintf (one, sizeof one, "gcc %.*s for %.*s", (int) (file + bytes - 3 - dash - 1),
		  dash + 1, (int) (dash - file - 6), file + 6);
	if (!strstr (w->known, one))
		snprintf (w->known + used, sizeof w->known - used, "%s%s", used ? ", " : "", one);
}

static bool list_in (const char *folder, void *arg)
{
	DIR *dir = opendir (folder);

	for (struct dirent *e; dir && (e = readdir (dir));)
		add_known (arg, e->d_name);
	if (dir)
		closedir (dir);
	return false;
}

static void complain_of_none (struct wanted *w)
{
	int major = atoi (w->version);

	each_place (list_in, w);
	complain ("ppgcc has no plugin for this compiler, gcc %s for %s; there are %s. To get one: "
		  "install its plugin headers (on Debian: gcc-%d-plugin-dev and g++-%d), then "
		  "configure ppgcc with "
		  "--with-gcc=%s, build and install it",
		  w->version, w->machine, *w->known ? w->known : "none at all", major, major,
		  PPGCC_EXAMPLE);
}

/* ---- handing over ---------------------------------------------------------------------------- */

int plugin_init (struct plugin_name_args *info, struct plugin_gcc_version *version)
{
	struct wanted w = {.known = ""};
	char machine[NAME_MOST];
	plugin_init_fn *init = NULL;
	void *plugin;

	machine_of (version, machine);
	w.machine = machine;
	w.version = version->basever;
	if (!each_place (find_in, &w)) {
		complain_of_none (&w);
		return 1;
	}
	/* nobody looks for symbols in it, and it stays for the life of the compiler */
	plugin = dlopen (w.path, RTLD_NOW | RTLD_LOCAL);
	if (plugin)
		*(void **) &init = dlsym (plugin, "plugin_init");
	if (!init) {
		complain ("ppgcc's plugin for this compiler cannot be loaded: %s", dlerror ());
		return 1;
	}
	return init (info, version);
}
