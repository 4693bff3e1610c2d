/* SPDX-License-Identifier: MIT */
/*
 * who.c: finds the process that is meant. Its live region is a file that may have no name, but its
 * descriptor in /proc leads there; whether we may follow it is for the kernel to say.
 */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char ppctl_process_state (pid_t pid)
{
	char path[64], line[512] = "", *end;
	FILE *stat;

	snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
	stat = fopen (path, "re");
	if (!stat)
		return 0;
	if (!fgets (line, sizeof line, stat))
		line[0] = '\0';
	fclose (stat);
	/* behind its name, which may have any character */
	end = strrchr (line, ')');
	return end && end[1] ? end[2] : 0;
}

/* The process as it sees itself: the last number of NSpid. */
static uint32_t own_number (pid_t pid)
{
	char path[64], line[256];
	long number = pid;
	FILE *status;

	snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
	status = fopen (path, "re");
	while (status && fgets (line, sizeof line, status))
		if (strncmp (line, "NSpid:", 6) == 0 && strrchr (line, '\t'))
			number = atol (strrchr (line, '\t') + 1);
	if (status)
		fclose (status);
	return (uint32_t) number;
}

/* Does a process of that number run with our rights alone, whichever it uses now? */
static bool runs_as_we_do (pid_t pid)
{
	char path[64], line[256];
	unsigned id[3] = {0};
	bool is_own = false;
	FILE *status;

	snprintf (path, sizeof path, "/proc/%d/status", (int) pid);
	status = fopen (path, "re");
	while (status && fgets (line, sizeof line, status))
		if (sscanf (line, "Uid: %u %u %u", &id[0], &id[1], &id[2]) == 3)
			is_own = id[0] == geteuid () && id[1] == geteuid () && id[2] == geteuid ();
	if (status)
		fclose (status);
	return is_own;
}

bool ppctl_is_own (const struct ppctl_process *process)
{
	struct stat st;

	return fstat (process->fd, &st) == 0 && st.st_uid == geteuid () &&
	       runs_as_we_do (process->pid);
}

/*
 * Is the file behind the descriptor PATH the live region of the process that calls itself NUMBER?
 */
static enum ppctl_found open_region (const char *path, uint32_t number, struct ppctl_process *out)
{
	struct ppi_region_header *h = &out->header;
	char target[64] = "";
	struct stat st;

	if (readlink (path, target, sizeof target - 1) < 0 ||
	    (strncmp (target, "/dev/shm/", 9) != 0 &&
	     strncmp (target, "/memfd:pp-region", 16) != 0))
		return PPCTL_NO_REGION;
	out->fd = open (path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (out->fd < 0)
		return PPCTL_NO_REGION;
	if (fstat (out->fd, &st) == 0 && S_ISREG (st.st_mode) &&
	    pread (out->fd, h, sizeof *h, 0) == (ssize_t) sizeof *h &&
	    memcmp (h->magic, PPI_RECORDING_MAGIC, sizeof h->magic) == 0) {
		out->bytes = st.st_size;
		if (h->version == PPI_RECORDING_VERSION && h->state == PPI_RECORDING_LIVE &&
		    h->pid == number)
			return PPCTL_FOUND;
		if (h->version != PPI_RECORDING_VERSION) {
			close (out->fd);
			return PPCTL_OTHER_VERSION;
		}
	}
	close (out->fd);
	return PPCTL_NO_REGION;
}

static void name_it (struct ppctl_process *process, const char *path)
{
	static const char gone[] = " (deleted)"; /* as the kernel says it of a file */
	const char *base = strrchr (path, '/');
	size_t n;

	base = base ? base + 1 : path;
	n = strlen (base);
	if (n >= sizeof gone && strcmp (base + n - (sizeof gone - 1), gone) == 0)
		n -= sizeof gone - 1;
	snprintf (process->name, sizeof process->name, "%.*s", (int) n, base);
}

static enum ppctl_found look_at (pid_t pid, struct ppctl_process *out)
{
	uint32_t number = own_number (pid);
	enum ppctl_found found = PPCTL_NO_REGION, one;
	char path[PATH_MAX], state = ppctl_process_state (pid);
	struct dirent *entry;
	DIR *dir;

	*out = (struct ppctl_process){.pid = pid, .fd = -1};
	if (!state || state == 'Z' || state == 'X')
		return state ? PPCTL_ENDED : PPCTL_NO_PROCESS;
	snprintf (path, sizeof path, "/proc/%d/fd", (int) pid);
	dir = opendir (path);
	if (!dir)
		return errno == EACCES || errno == EPERM ? PPCTL_NOT_OURS : PPCTL_NO_PROCESS;
	while (found != PPCTL_FOUND && (entry = readdir (dir))) {
		snprintf (path, sizeof path, "/proc/%d/fd/%s", (int) pid, entry->d_name);
		one = open_region (path, number, out);
		found = one == PPCTL_NO_REGION ? found : one;
	}
	closedir (dir);
	if (found == PPCTL_FOUND) {
		out->header.program[sizeof out->header.program - 1] = '\0';
		name_it (out, out->header.program);
	}
	return found;
}

static int say (const char *verb, pid_t pid, enum ppctl_found found)
{
	switch (found) {
	case PPCTL_NO_PROCESS:
		return ppctl_fail (PPCTL_PROBLEM, verb, "there is no process %d", (int) pid);
	case PPCTL_ENDED:
		return ppctl_fail (PPCTL_PROBLEM, verb, "process %d has ended", (int) pid);
	case PPCTL_NOT_OURS:
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "process %d is another user's, or has more rights than you: the "
				   "kernel lets nobody else ask it",
				   (int) pid);
	case PPCTL_OTHER_VERSION:
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "process %d uses a libpp of another version: use the ppctl that "
				   "belongs to it",
				   (int) pid);
	case PPCTL_NO_REGION:
	default:
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "process %d has no live region that can be reached: it does not "
				   "use libpp, or nothing is bound in it yet; start it with "
				   "PP_CONTROL=1, a policy, or ppctl run",
				   (int) pid);
	}
}

void ppctl_leave (struct ppctl_process *process)
{
	if (process->fd >= 0)
		close (process->fd);
	process->fd = -1;
}

/* ---- by name --------------------------------------------------------------------------------- */

/* The next process of this user; 0: no more. */
static pid_t next_own (DIR *proc)
{
	struct dirent *entry;
	struct stat st;

	while ((entry = readdir (proc))) {
		long pid = strspn (entry->d_name, "0123456789") == strlen (entry->d_name)
				   ? atol (entry->d_name)
				   : 0;

		if (pid > 0 && pid != getpid () &&
		    fstatat (dirfd (proc), entry->d_name, &st, 0) == 0 &&
		    (st.st_uid == geteuid () || !geteuid ()))
			return (pid_t) pid;
	}
	return 0;
}

/* Its program, as the kernel knows it; "": it may not be asked. */
static void ask_name (pid_t pid, struct ppctl_process *out)
{
	char path[64], target[PATH_MAX] = "";

	snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
	if (readlink (path, target, sizeof target - 1) < 0)
		target[0] = '\0';
	name_it (out, target);
}

void ppctl_each_process (void (*fn) (struct ppctl_process *process, enum ppctl_found found,
				     void *arg),
			 void *arg)
{
	DIR *proc = opendir ("/proc");
	struct ppctl_process process;
	enum ppctl_found found;
	pid_t pid;

	while (proc && (pid = next_own (proc))) {
		found = look_at (pid, &process);
		if (found != PPCTL_FOUND)
			ask_name (pid, &process);
		fn (&process, found, arg);
		ppctl_leave (&process);
	}
	if (proc)
		closedir (proc);
}

static bool is_called (pid_t pid, const char *name)
{
	struct ppctl_process process = {.fd = -1};

	ask_name (pid, &process);
	return *process.name && strncmp (process.name, name, sizeof process.name - 1) == 0;
}

bool ppctl_means_process (const char *who)
{
	DIR *proc = *who && who[strspn (who, "0123456789")] ? opendir ("/proc") : NULL;
	pid_t pid = 0;

	while (proc && (pid = next_own (proc)) && !is_called (pid, who))
		;
	if (proc)
		closedir (proc);
	return proc ? pid != 0 : *who != '\0';
}

static int find_named (const char *verb, const char *name, struct ppctl_process *out)
{
	DIR *proc = opendir ("/proc");
	struct ppctl_process process = {.fd = -1};
	char others[512] = "";
	size_t used = 0;
	unsigned n = 0;
	enum ppctl_found last = PPCTL_NO_REGION;
	pid_t pid, unmeasured = 0;

	while (proc && (pid = next_own (proc))) {
		enum ppctl_found found;

		if (!is_called (pid, name))
			continue;
		found = look_at (pid, &process);
		if (found != PPCTL_FOUND) {
			unmeasured = pid;
			last = found;
			continue;
		}
		if (used < sizeof others)
			used += (size_t) snprintf (others + used, sizeof others - used, " %d",
						   (int) pid);
		if (n++)
			ppctl_leave (&process);
		else
			*out = process;
	}
	if (proc)
		closedir (proc);
	if (n == 1)
		return PPCTL_OK;
	if (n) {
		ppctl_leave (out);
		return ppctl_fail (PPCTL_PROBLEM, verb, "%u processes are called %s:%s; say which",
				   n, name, others);
	}
	return unmeasured ? say (verb, unmeasured, last)
			  : ppctl_fail (PPCTL_PROBLEM, verb, "no process of yours is called '%s'",
					name);
}

int ppctl_find (const char *verb, const char *who, struct ppctl_process *out)
{
	size_t digits = strspn (who, "0123456789");
	enum ppctl_found found;

	*out = (struct ppctl_process){.fd = -1};
	if (!*who)
		return ppctl_wrong (verb, "it needs a process: its number, or the program's name");
	if (who[digits] || digits > 9)
		return find_named (verb, who, out);
	found = look_at ((pid_t) atol (who), out);
	return found == PPCTL_FOUND ? PPCTL_OK : say (verb, (pid_t) atol (who), found);
}
