/* SPDX-License-Identifier: MIT */
/*
 * globs.c: a policy's bindings by globs of names, groups, files, functions and modules, of sites
 * that are there and of those that come later.
 */
#include "check.h"

#include <dlfcn.h>

/* As files of these names have it */
#line 1 "src/net/socket.c"
NOIPA static void handle_request (void)
{
#pragma pp interval parse group(io)
	__asm__ volatile("");
}

NOIPA static void handle_reply (void)
{
#pragma pp interval reply group(io, late)
	__asm__ volatile("");
}

#line 1 "src/net/dns/lookup.c"
NOIPA static void resolve (void)
{
#pragma pp interval lookup
	__asm__ volatile("");
}

#line 1 "src/draw.c"
NOIPA static void trace_pixel (void)
{
#pragma pp interval trace_one
	__asm__ volatile("");
}

NOIPA static void trace_line (void)
{
#pragma pp interval trace_all
	{
#pragma pp interval retrace
		__asm__ volatile("");
	}
}

#line 48 "globs.c"
static const char policy[] =
	"version: 1\n"
	"metrics:\n"
	"  by_name: {interval: elapsed, keep: count}\n"
	"  by_group: {interval: elapsed, keep: count}\n"
	"  by_file: {interval: elapsed, keep: count}\n"
	"  by_files: {interval: elapsed, keep: count}\n"
	"  by_function: {interval: elapsed, keep: count}\n"
	"  by_module: {interval: elapsed, keep: count}\n"
	"  by_modules: {interval: elapsed, keep: count}\n"
	"  every_third: {interval: elapsed, keep: count}\n"
	"bind:\n"
	"  - {metric: by_name, sites: \"trace_*\"}\n"
	"  - {metric: by_group, sites: \"group:io\"}\n"
	"  - {metric: by_file, sites: \"file:src/net/*\"}\n"
	"  - {metric: by_files, sites: \"file:src/net/**\"}\n"
	"  - {metric: by_function, sites: [\"fn:handle_*\", \"fn:plugged_run\"]}\n"
	"  - {metric: by_module, sites: \"module:plugged0.so\"}\n"
	"  - {metric: by_modules, sites: \"module:*.so\", every: 1}\n"
	"  - {metric: every_third, sites: \"plugged_run/*\", every: 3}\n"
	"assertions:\n"
	"  few: {at: \"module:plugged0.so\", expect: by_module.n <= 10}\n";

static double n_of (const char *metric)
{
	double n = pp_stat (pp_metric_find (metric), NULL, PP_STAT_N);

	return isnan (n) ? 0 : n;
}

int main (void)
{
	struct pp_assertion_info info;
	void (*run) (int times);
	void *module;

	if (!ok (load_policy (policy) == PP_OK,
		 "patterns of all kinds may be bound, also of what does not exist yet"))
		return checked ();
	handle_request ();
	handle_reply ();
	resolve ();
	trace_pixel ();
	trace_line ();
	same (n_of ("by_name"), 2, "trace_*: names that begin so");
	same (n_of ("by_group"), 2,
	      "group:io: sites of the group, whatever other groups they have");
	same (n_of ("by_file"), 2, "file:src/net/*: files of that folder, not of folders in it");
	same (n_of ("by_files"), 3, "file:src/net/**: those too");
	same (n_of ("by_function"), 2, "fn:handle_*: sites of functions that are called so");
	same (n_of ("by_module"), 0, "module:plugged0.so: nothing before it is loaded");

	module = dlopen (PLUGGED_DIR "/plugged0.so", RTLD_NOW | RTLD_LOCAL);
	run = module ? (void (*) (int)) dlsym (module, "plugged_run") : NULL;
	if (!ok (run != NULL, "the module is loaded"))
		return checked ();
	run (9);
	same (n_of ("by_module"), 18, "then both of its intervals are bound");
	same (n_of ("by_modules"), 18, "module:*.so: too, and nothing of the program");
	same (n_of ("by_function"), 2 + 18, "a list of patterns: the second one means sites now");
	same (n_of ("every_third"), 6, "a name with every: 3 of a site that came later");
	ok (pp_assertion_state ("few", &info) == PP_OK && info.checks == 18 + 9 &&
		    info.violations == 0,
	    "and an assertion at the sites of a module is checked at all that are measured: a "
	    "point is, by its own");
	run (2);
	ok (pp_assertion_state ("few", &info) == PP_OK && info.violations == 2, "each for itself");
	dlclose (module);
	module = dlopen (PLUGGED_DIR "/plugged0.so", RTLD_NOW | RTLD_LOCAL);
	run = module ? (void (*) (int)) dlsym (module, "plugged_run") : NULL;
	ok (run != NULL, "it may go and come again");
	if (run)
		run (1);
	same (n_of ("by_module"), 24, "and is bound again");
	return checked ();
}
