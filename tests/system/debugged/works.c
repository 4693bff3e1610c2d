/* SPDX-License-Identifier: MIT */
/* works.c: a marker with code of its own, which debugged.sh looks at: where it is, and what tells of it. */
#include <fcntl.h>
#include <pp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#pragma pp metric took interval sumcount(elapsed)

volatile long done;

__attribute__ ((noinline)) void work (void)
{
#pragma pp interval i1
	done++;
}

/* What is bound is bound. */
__attribute__ ((noinline)) void ready (void)
{
	__asm__ volatile("" ::: "memory");
}

/* Where the jump in the first marker of work leads, from there on, if that is a jump as well. */
static uintptr_t block (void)
{
	const uint8_t *at = (const uint8_t *) (uintptr_t) work;
	int32_t far;

	while (*at != 0xe9)
		at++;
	for (int i = 0; i < 4 && *at == 0xe9; i++) {
		memcpy (&far, at + 1, sizeof far);
		at += 5 + far;
	}
	return (uintptr_t) at;
}

/* Something in the map's place: WHAT. */
static void prepare (const char *what)
{
	char path[64], another[96];
	FILE *out;

	snprintf (path, sizeof path, "/tmp/perf-%d.map", (int) getpid ());
	out = fopen ("target", "w");
	fputs ("untouched", out);
	fclose (out);
	if (strcmp (what, "link") == 0)
		symlink ("target", path);
	if (strcmp (what, "names") == 0 || strcmp (what, "old") == 0 ||
	    strcmp (what, "young") == 0) {
		out = fopen (path, "w");
		fputs ("1000 10 earlier\n", out);
		fclose (out);
	}
	snprintf (another, sizeof another, "%s.another", path);
	if (strcmp (what, "names") == 0)
		link (path, another);
	if (strcmp (what, "old") == 0)
		utimensat (AT_FDCWD, path,
			   (const struct timespec[]){{1000000000, 0}, {1000000000, 0}}, 0);
}

int main (int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "none";
	pid_t child;

	printf ("pid %d\n", (int) getpid ());
	prepare (what);
	work ();
	if (pp_bind (took, "i1", 1) < 0)
		return 1;
	ready ();
	for (int i = 0; i < 3; i++)
		work ();
	printf ("block %llx\n", (unsigned long long) block ());
	fflush (stdout);
	if (strcmp (what, "forks") == 0) {
		child = fork ();
		if (!child) {
			work ();
			_exit (0);
		}
		waitpid (child, NULL, 0);
		printf ("child %d\n", (int) child);
	}
	return pp_count (took) < 3;
}
