/* SPDX-License-Identifier: MIT */
/*
 * check.h: TAP for programs that measure themselves and compare the result with what they counted.
 *
 *     ok (pp_count (m) == n, "every execution is a sample");
 *     same (pp_count (m), n, "every execution is a sample");  // says both numbers if they differ
 *     return checked ();                                      // from main: the plan, exit status
 *
 * The same sources are compiled with patchable markers and with guards, so what they state holds
 * for both.
 */
#ifndef CHECK_H
#define CHECK_H

#include <pp.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define NOIPA __attribute__ ((noipa))

/*
 * Is the instruction at IP the kernel's? Its clock begins anew where its page was written
 * meanwhile: whoever counts instructions leaves it out.
 */
static inline int is_in_vdso (uintptr_t ip)
{
	return ip - getauxval (AT_SYSINFO_EHDR) < 0x4000;
}

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif

static int check_count, check_failures;

/* One test point: it passes where GOOD is true. Its name is a sentence. Returns GOOD. */
__attribute__ ((format (printf, 2, 3), unused)) static int ok (int good, const char *name, ...)
{
	va_list args;

	printf ("%sok %d - ", good ? "" : "not ", ++check_count);
	va_start (args, name);
	vprintf (name, args);
	va_end (args);
	printf ("\n");
	fflush (stdout);
	check_failures += !good;
	return good;
}

/* Two figures that must be equal to the unit. */
__attribute__ ((unused)) static int same (double got, double expected, const char *name)
{
	int good = ok (got == expected, "%s", name);

	if (!good)
		printf ("#   got %.17g, expected %.17g\n", got, expected);
	return good;
}

/* Two figures that may differ by rounding: REL of the larger. */
__attribute__ ((unused)) static int near (double got, double expected, double rel, const char *name)
{
	int good =
		ok (fabs (got - expected) <= rel * fmax (fabs (got), fabs (expected)), "%s", name);

	if (!good)
		printf ("#   got %.17g, expected %.17g\n", got, expected);
	return good;
}

/* A test point that cannot be run here, and why. */
__attribute__ ((unused)) static void skipped (const char *name, const char *why)
{
	printf ("ok %d - %s # SKIP %s\n", ++check_count, name, why);
	fflush (stdout);
}

/* What a comment line says in the log. */
__attribute__ ((format (printf, 1, 2), unused)) static void note (const char *format, ...)
{
	va_list args;

	printf ("# ");
	va_start (args, format);
	vprintf (format, args);
	va_end (args);
	printf ("\n");
}

/* The plan, and the exit status of main. */
__attribute__ ((unused)) static int checked (void)
{
	printf ("1..%d\n", check_count);
	fflush (stdout);
	return check_failures != 0;
}

/* How many were dropped for CAUSE since this was called for it last. */
__attribute__ ((unused)) static double newly_dropped (enum pp_drop cause)
{
	static uint64_t before[PP_DROPS];
	uint64_t now = pp_dropped (cause), n = now - before[cause];

	before[cause] = now;
	return (double) n;
}

/*
 * The same once it is N, or after a minute: what threads left open is counted when they are gone,
 * which may be a moment after they were joined.
 */
__attribute__ ((unused)) static double soon_dropped (enum pp_drop cause, double n)
{
	double dropped = newly_dropped (cause);

	for (int i = 0; i < 12000 && dropped < n; i++) {
		usleep (5000);
		dropped += newly_dropped (cause);
	}
	return dropped;
}

/* Starts counting every cause from here. */
__attribute__ ((unused)) static void forget_drops (void)
{
	for (int i = 0; i < PP_DROPS; i++)
		newly_dropped ((enum pp_drop) i);
}

/*
 * The sum of all causes but one: how many reads met a writer without a processor depends on how
 * busy the machine is, and no sample is lost.
 */
__attribute__ ((unused)) static double newly_dropped_in_all (void)
{
	double n = 0;

	for (int i = 0; i < PP_DROPS; i++)
		n += i == PP_DROP_TORN ? 0 : newly_dropped ((enum pp_drop) i);
	return n;
}

__attribute__ ((unused)) static void note_drops (void)
{
	for (int i = 0; i < PP_DROPS; i++)
		if (pp_dropped ((enum pp_drop) i))
			note ("dropped %s: %llu", pp_drop_name ((enum pp_drop) i),
			      (unsigned long long) pp_dropped ((enum pp_drop) i));
}

/*
 * A file of this process's own in the working directory with TEXT in it; removed by whoever made
 * it. PATH has room for 128.
 */
__attribute__ ((unused)) static int write_file (char *path, const char *suffix, const char *text)
{
	FILE *f;

	snprintf (path, 128, "%s/pp-check-%d%s", getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp",
		  (int) getpid (), suffix);
	f = fopen (path, "w");
	if (!f)
		return -1;
	fputs (text, f);
	return fclose (f);
}

/*
 * What COMMAND writes on standard output, as far as there is room; returns how many bytes that is,
 * 0 and an empty OUT when it fails.
 */
__attribute__ ((unused)) static size_t output_of (const char *command, char *out, size_t room)
{
	FILE *f = popen (command, "r");
	size_t n = 0;

	if (f) {
		n = fread (out, 1, room - 1, f);
		if (pclose (f) != 0)
			n = 0;
	}
	out[n] = 0;
	return n;
}

/* Runs this program again, with ENVIRONMENT ("A=1 B=2") and ARGUMENTS; otherwise as output_of. */
__attribute__ ((unused)) static size_t run_self (const char *environment, const char *arguments,
						 char *out, size_t room)
{
	char command[600], self[400];
	ssize_t length = readlink ("/proc/self/exe", self, sizeof self - 1);

	self[length < 0 ? 0 : length] = 0;
	snprintf (command, sizeof command, "%s '%s' %s", environment, self, arguments);
	return output_of (command, out, room);
}

/* What ppctl report --json says of RECORDING, overwritten by the next call; "" where it can't. */
__attribute__ ((unused)) static char *report_of (const char *recording)
{
	static char json[1 << 16];
	char command[512];

	snprintf (command, sizeof command, "%s report --json %s 2>&1",
		  getenv ("PPCTL") ? getenv ("PPCTL") : "ppctl", recording);
	output_of (command, json, sizeof json);
	return json;
}

/* The figure KEY of the metric NAME over all sites in it. */
__attribute__ ((unused)) static double figure_of (const char *json, const char *name,
						  const char *key)
{
	char pattern[64];
	const char *at = strstr (json, "\"metrics\"");

	snprintf (pattern, sizeof pattern, "\"name\": \"%s\"", name);
	at = at ? strstr (at, pattern) : NULL;
	snprintf (pattern, sizeof pattern, "\"%s\": ", key);
	at = at ? strstr (at, pattern) : NULL;
	return at ? atof (at + strlen (pattern)) : NAN;
}

/* Memory of this process that is there, in bytes. */
__attribute__ ((unused)) static double resident (void)
{
	FILE *f = fopen ("/proc/self/statm", "r");
	unsigned long all, pages = 0;

	if (f && fscanf (f, "%lu %lu", &all, &pages) != 2)
		pages = 0;
	if (f)
		fclose (f);
	return (double) pages * (double) sysconf (_SC_PAGESIZE);
}

/*
 * The library speaks to the stderr that the process was started with, or to the file of PP_LOG. So
 * a program that wants to know what it says starts itself again with such a file: the first thing
 * in main.
 */
__attribute__ ((unused)) static void listen_to_library (char **argv)
{
	char path[128];

	if (getenv ("PP_LOG"))
		return;
	snprintf (path, sizeof path, "%s/pp-check-%d.log",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp", (int) getpid ());
	setenv ("PP_LOG", path, 1);
	execv ("/proc/self/exe", argv);
}

/*
 * What the library said since this was called last, or since the start; overwritten by the next
 * call.
 */
__attribute__ ((unused)) static char *library_said (void)
{
	static char said[16384];
	static long at;
	FILE *f = fopen (getenv ("PP_LOG"), "r");
	size_t n = 0;

	if (f && fseek (f, at, SEEK_SET) == 0)
		n = fread (said, 1, sizeof said - 1, f);
	if (f)
		fclose (f);
	at += (long) n;
	said[n] = 0;
	return said;
}

__attribute__ ((destructor)) static void forget_library_said (void)
{
	char path[128];

	snprintf (path, sizeof path, "%s/pp-check-%d.log",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp", (int) getpid ());
	unlink (path);
}

/* Loads a policy that stands in the source. */
__attribute__ ((unused)) static int load_policy (const char *text)
{
	char path[128];
	int r = write_file (path, ".yaml", text) ? PP_EIO : pp_policy_load (path);

	unlink (path);
	/*
	 * the library's thread may just be starting, and the sanitizer's allocator is not prepared
	 * for a fork at that moment
	 */
	if (UNDER_ASAN)
		usleep (200000);
	return r;
}

#endif
