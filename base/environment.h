/* SPDX-License-Identifier: MIT */
/*
 * environment.h: the variables that the library reads, in one list: PP_POLICY ..., the form of
 * their values, what they do. Each is read where it matters, by ppi_environment. docs/manual.md and
 * docs/man/pp.3 are compared with the list (tests/unit/test_lists.c), and nothing else reads the
 * environment (tests/tools/listed.sh).
 */
#ifndef PPI_BASE_ENVIRONMENT_H
#define PPI_BASE_ENVIRONMENT_H

#include <stddef.h>
#include <stdlib.h>

#define PPI_ENVIRONMENT(X)                                                                         \
	X (POLICY, "FILE[:FILE...]", "loads these policies before `main`")                         \
	X (POLICY_WATCH, "1", "every policy is loaded again when its file changes")                \
	X (THREADS, "0", "the library starts no thread")                                           \
	X (ROUTE, "ROUTE", "how code is patched")                                                  \
	X (BLOCKS, "0", "markers get no machine code of their own when they are bound")            \
	X (QUICK, "0", "every check of an assertion evaluates its expression")                     \
	X (REGION_MAX, "SIZE", "how large the memory of the samples may become")                   \
	X (CONTROL, "1", "`ppctl` can ask the process for something from its start")               \
	X (RUN, "DIGITS", "nothing is said when the process ends")                                 \
	X (LOG, "FILE", "messages go to the end of FILE")                                          \
	X (CLOCK, "monotonic|tsc", "what `elapsed` is measured by")                                \
	X (SAMPLE, "RATE[,wall]",                                                                  \
	   "a profile is taken by sampling, so many times per second of a thread's CPU time")      \
	X (PERF_MAP, "1", "perf is told of the code that is made for markers")                     \
	X (MODULE_PATH, "DIR[:DIR...]", "where modules of the library are looked for first")

enum ppi_variable {
#define X(id, form, meaning) PPI_ENVIRONMENT_##id,
	PPI_ENVIRONMENT (X)
#undef X
		PPI_VARIABLES
};

/*
 * The value of a variable; NULL: it is not set, or empty, or the process has more rights than who
 * called it (AT_SECURE). The environment's own memory: as getenv.
 */
static inline const char *ppi_environment (enum ppi_variable variable)
{
	static const char *const names[PPI_VARIABLES] = {
#define X(id, form, meaning) "PP_" #id,
		PPI_ENVIRONMENT (X)
#undef X
	};
	const char *value = secure_getenv (names[variable]);

	return value && *value ? value : NULL;
}

/*
 * The name of the user's locale for characters, "de_DE.UTF-8"; NULL: none is set. As
 * ppi_environment.
 */
static inline const char *ppi_environment_locale (void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = secure_getenv (names[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

#endif
