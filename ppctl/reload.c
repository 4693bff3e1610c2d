/* SPDX-License-Identifier: MIT */
/*
 * reload.c: ppctl reload: asks running programs to load their changed policies again. The question is a number in the head of the program's live region, a
 * file without a name that its descriptor in /proc leads to; the library's thread looks at it ten times a second, and answers beside it. No signal, no
 * socket: those are the program's own.
 */
#include "ppctl/ppctl.h"

#include "libmetrics/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_US 10000u
#define LOOKS 500u /* 5 s */

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl reload PID...\n\n"
		      "Asks running programs to load the policies again whose files have changed, and\n"
		      "says what came of it. The library's thread must run in the program (or the\n"
		      "program must call pp_poll): it does where there are assertions or a recording.\n");
}

/* The process as it sees itself: the last number of NSpid. */
static long own_number (const char *pid)
{
	char path[64], line[256];
	long number = atol (pid);
	FILE *status;

	snprintf (path, sizeof path, "/proc/%s/status", pid);
	status = fopen (path, "re");
	while (status && fgets (line, sizeof line, status))
		if (strncmp (line, "NSpid:", 6) == 0) {
			line[strcspn (line, "\n")] = '\0';
			number = atol (strrchr (line, '\t') + 1);
		}
	if (status)
		fclose (status);
	return number;
}

/* The live region behind a descriptor, where it is PID's; else NULL. */
static struct ppi_region_header *map_region (const char *path, long pid)
{
	char target[64] = "";
	struct ppi_region_header *r = MAP_FAILED;
	struct stat st;
	int fd;

	if (readlink (path, target, sizeof target - 1) < 0 ||
	    (strncmp (target, "/dev/shm/", 9) != 0 && strncmp (target, "/memfd:pp-region", 16) != 0))
		return NULL;
	fd = open (path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_size >= (off_t) sizeof *r)
		r = mmap (NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close (fd);
	if (r == MAP_FAILED)
		return NULL;
	if (memcmp (r->magic, PPI_RECORDING_MAGIC, sizeof r->magic) == 0 && r->version == PPI_RECORDING_VERSION &&
	    r->state == PPI_RECORDING_LIVE && (long) r->pid == pid)
		return r;
	munmap (r, sizeof *r);
	return NULL;
}

static struct ppi_region_header *find_region (const char *pid)
{
	struct ppi_region_header *r = NULL;
	long number = own_number (pid);
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf (path, sizeof path, "/proc/%s/fd", pid);
	dir = opendir (path);
	while (dir && !r && (entry = readdir (dir))) {
		snprintf (path, sizeof path, "/proc/%s/fd/%s", pid, entry->d_name);
		r = map_region (path, number);
	}
	if (dir)
		closedir (dir);
	return r;
}

static int tell (const char *pid, int answer)
{
	if (answer < 0)
		return ppctl_fail (PPCTL_PROBLEM, "reload",
				   "process %s: a policy could not be loaded again (%s): its former version stays, and "
				   "what is wrong was said on the program's stderr",
				   pid, pp_strerror (answer));
	if (!answer)
		printf ("process %s: no policy has changed\n", pid);
	else
		printf ("process %s: %d %s loaded again\n", pid, answer, answer == 1 ? "policy was" : "policies were");
	return PPCTL_OK;
}

static int ask (const char *pid, struct ppi_region_header *r)
{
	uint32_t number = __atomic_add_fetch (&r->asked, 1, __ATOMIC_ACQ_REL);
	char path[64];

	snprintf (path, sizeof path, "/proc/%s", pid);
	for (unsigned i = 0; i < LOOKS; i++) {
		/* acquire: the answer is that of this number or a later one */
		if ((int32_t) (__atomic_load_n (&r->answered, __ATOMIC_ACQUIRE) - number) >= 0)
			return tell (pid, __atomic_load_n (&r->answer, __ATOMIC_RELAXED));
		if (access (path, F_OK) < 0)
			return ppctl_fail (PPCTL_PROBLEM, "reload", "process %s has ended", pid);
		usleep (LOOK_US);
	}
	return ppctl_fail (
		PPCTL_PROBLEM, "reload",
		"process %s does not answer: the library's thread does not run there, nor is pp_poll called; "
		"it will load the policies again when one is",
		pid);
}

static int reload (const char *pid)
{
	struct ppi_region_header *r;
	char path[64];
	int status;

	snprintf (path, sizeof path, "/proc/%s", pid);
	if (access (path, F_OK) < 0)
		return ppctl_fail (PPCTL_PROBLEM, "reload", "there is no process %s", pid);
	r = find_region (pid);
	if (!r)
		return ppctl_fail (
			PPCTL_PROBLEM, "reload",
			"process %s has no live region that can be reached: it does not use libpp, nothing was "
			"bound in it yet, or it is another user's",
			pid);
	status = ask (pid, r);
	munmap (r, sizeof *r);
	return status;
}

static bool is_number (const char *text)
{
	size_t digits = strspn (text, "0123456789");

	return digits && digits < 10 && !text[digits];
}

int ppctl_reload (int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int option, status = PPCTL_OK;

	while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
		if (option != 'h')
			return ppctl_see_help ("reload");
		help (stdout);
		return PPCTL_OK;
	}
	if (optind == argc)
		return ppctl_wrong ("reload", "it needs the number of a process");
	for (int i = optind; i < argc; i++)
		if (!is_number (argv[i]))
			return ppctl_wrong ("reload", "'%s' is no number of a process", argv[i]);
	for (int i = optind; i < argc; i++)
		if (reload (argv[i]) != PPCTL_OK)
			status = PPCTL_PROBLEM;
	return status;
}
