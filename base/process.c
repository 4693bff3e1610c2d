/* SPDX-License-Identifier: MIT */
/* process.c: tells processes apart; see process.h. */
#include "base/process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* At most ROOM - 1 bytes of a file of /proc as a string; false: it can't be read. */
static bool read_text (const char *path, char *text, size_t room)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read (fd, text, room - 1);

	if (fd >= 0)
		close (fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

struct status {
	char state;
	int threads;
	unsigned long long start;
};

static bool read_status (const char *path, struct status *out)
{
	char text[1024];
	const char *end;

	if (!read_text (path, text, sizeof text))
		return false;
	/* the name, in parentheses, may hold anything; the state is the field after it */
	end = strrchr (text, ')');
	return end && sscanf (end + 1,
			      " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			      "%d %*s %llu",
			      &out->state, &out->threads, &out->start) == 3;
}

static uint64_t inode_of (const char *path)
{
	struct stat st;

	return stat (path, &st) == 0 ? (uint64_t) st.st_ino : 0;
}

static void read_boot (uint8_t boot[16])
{
	char text[64];
	unsigned digits = 0, value;

	memset (boot, 0, 16);
	if (!read_text ("/proc/sys/kernel/random/boot_id", text, sizeof text))
		return;
	for (const char *c = text; *c && digits < 32; c++) {
		if (!isxdigit ((unsigned char) *c))
			continue;
		value = (unsigned) (isdigit ((unsigned char) *c)
					    ? *c - '0'
					    : tolower ((unsigned char) *c) - 'a' + 10);
		boot[digits / 2] = (uint8_t) ((unsigned) boot[digits / 2] << 4 | value);
		digits++;
	}
}

static void read_surroundings (struct ppi_identity *out)
{
	out->pid_namespace = inode_of ("/proc/self/ns/pid");
	/* kernels without time namespaces have none to tell apart */
	out->time_namespace = inode_of ("/proc/self/ns/time");
	read_boot (out->boot);
}

void ppi_identity_of_self (struct ppi_identity *out)
{
	struct status status = {0};
	char path[64];

	memset (out, 0, sizeof *out);
	read_surroundings (out);
	/* an emulator (qemu-user) makes up /proc/self/stat, and may be a tick off */
	snprintf (path, sizeof path, "/proc/self/task/%d/stat", (int) getpid ());
	if (read_status (path, &status) || read_status ("/proc/self/stat", &status))
		out->start = status.start;
}

void ppi_identity_of (uint32_t pid, struct ppi_identity *out)
{
	struct status status = {0};
	char path[64];

	memset (out, 0, sizeof *out);
	read_surroundings (out);
	snprintf (path, sizeof path, "/proc/%u/stat", pid);
	if (read_status (path, &status))
		out->start = status.start;
}

static bool has_boot (const struct ppi_identity *who)
{
	static const uint8_t none[16];

	return memcmp (who->boot, none, sizeof none) != 0;
}

bool ppi_is_of_another_boot (const struct ppi_identity *who)
{
	struct ppi_identity mine = {0};

	read_boot (mine.boot);
	return has_boot (who) && has_boot (&mine) &&
	       memcmp (who->boot, mine.boot, sizeof mine.boot) != 0;
}

/* Are the numbers in /proc those of this process's namespace? */
static bool proc_is_ours (void)
{
	char text[32] = "";

	return readlink ("/proc/self", text, sizeof text - 1) > 0 &&
	       atol (text) == (long) getpid ();
}

enum ppi_presence ppi_process_presence (uint32_t pid, const struct ppi_identity *who)
{
	struct ppi_identity here;
	struct status status = {0};
	char path[64];

	memset (&here, 0, sizeof here);
	read_surroundings (&here);
	if (has_boot (who) && has_boot (&here) &&
	    memcmp (who->boot, here.boot, sizeof here.boot) != 0)
		return PPI_PROCESS_GONE;
	if (!pid || pid > INT32_MAX || !who->pid_namespace ||
	    who->pid_namespace != here.pid_namespace)
		return PPI_PROCESS_UNKNOWN;
	if (kill ((pid_t) pid, 0) != 0 && errno == ESRCH)
		return PPI_PROCESS_GONE;
	snprintf (path, sizeof path, "/proc/%u/stat", pid);
	/* its start can't be compared: nobody may see it, or it is of another clock */
	if (!who->start || who->time_namespace != here.time_namespace || !proc_is_ours () ||
	    !read_status (path, &status))
		return PPI_PROCESS_UNKNOWN;
	/* a zombie may have threads that run on after its first one has ended */
	if (status.start != who->start || status.state == 'X' ||
	    (status.state == 'Z' && status.threads <= 1))
		return PPI_PROCESS_GONE;
	return PPI_PROCESS_RUNS;
}
