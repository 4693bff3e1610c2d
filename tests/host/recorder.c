/* SPDX-License-Identifier: MIT */
/*
 * recorder.c: the host of files.sh, clocks.sh and privileges.sh: measures, and then does what its
 * arguments say, in their order.
 *
 *     load FILE     loads the policy FILE             record FILE   calls pp_record, and prints what it says
 *     named         prints how many names this process has in /dev/shm
 *     chroot DIR    changes its root                  wait FILE     touches FILE.ready, waits until there is FILE
 *     kill          dies by SIGKILL                   limit         may write files of 4 KiB
 *     add N         adds so many to a series that keeps 1,000, and prints how many it has and lost
 */
#include <pp.h>

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma pp metric rounds interval stats(elapsed)
#pragma pp metric all point unbounded_series(value, maxSize = 1000)

static volatile int sink;

static void work (void)
{
	for (int i = 0; i < 1000; i++) {
#pragma pp interval round(rounds)
		sink = i;
	}
}

static void add (long n)
{
	static long next;

	for (long i = 0; i < n; i++) {
#pragma pp point given(all) value(next)
		next++;
	}
	printf ("n %.0f lost %.0f\n", pp_stat_named (pp_metric_find ("all"), NULL, "n"),
		pp_stat_named (pp_metric_find ("all"), NULL, "lost"));
}

/* Is the file mapped here? Others with this number may have left some. */
static bool is_mapped (const char *path)
{
	char line[1024], inode[32];
	struct stat st = {0};
	bool is = false;
	FILE *maps;

	if (stat (path, &st) != 0 || !(maps = fopen ("/proc/self/maps", "r")))
		return false;
	snprintf (inode, sizeof inode, " %llu ", (unsigned long long) st.st_ino);
	while (fgets (line, sizeof line, maps))
		is |= strstr (line, inode) != NULL;
	fclose (maps);
	return is;
}

static unsigned names (void)
{
	char pattern[64];
	glob_t found;
	unsigned n = 0;

	snprintf (pattern, sizeof pattern, "/dev/shm/pp.%d.*", (int) getpid ());
	if (glob (pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			n += is_mapped (found.gl_pathv[i]);
		globfree (&found);
	}
	return n;
}

static void wait_for (const char *file)
{
	char ready[512];

	snprintf (ready, sizeof ready, "%s.ready", file);
	close (open (ready, O_CREAT | O_WRONLY, 0666));
	for (int i = 0; i < 3000 && access (file, F_OK) != 0; i++)
		usleep (10000);
}

int main (int argc, char **argv)
{
	work ();
	for (int i = 1; i < argc; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp (argv[i], "load") == 0)
			printf ("load %s\n", pp_strerror (pp_policy_load (next)));
		else if (strcmp (argv[i], "record") == 0)
			printf ("record %s\n", pp_strerror (pp_record (next)));
		else if (strcmp (argv[i], "chroot") == 0)
			printf ("chroot %d\n", chroot (next));
		else if (strcmp (argv[i], "wait") == 0)
			wait_for (next);
		else if (strcmp (argv[i], "named") == 0)
			printf ("named %u\n", names ());
		else if (strcmp (argv[i], "limit") == 0)
			setrlimit (RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
		else if (strcmp (argv[i], "add") == 0)
			add (atol (next));
		else if (strcmp (argv[i], "kill") == 0)
			raise (SIGKILL);
	}
	work ();
	puts ("done");
	return 0;
}
