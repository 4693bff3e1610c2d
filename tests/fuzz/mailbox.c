/* SPDX-License-Identifier: MIT */
/*
 * mailbox.c: what anybody wrote into the mailbox of a process, read by the process itself: pp_poll
 * takes it (PP_THREADS=0). An input is letters with a form feed between:
 *
 *   '=' words      a command as ppctl sends it; a tab ends each word
 *   '!' bytes      ... of which the first 48 are the mailbox's page behind its magic: state, length
 *                  and all that; the rest is the command
 *
 * Policies are left out, for they may do what a policy may: they have a target of their own.
 */
#include "recording/layout.h"
#include "recording/mailbox.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <pp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LETTERS = 16, PIECES = 64, WORDS = 3 };
#define HEAD (sizeof (struct ppi_mailbox) - sizeof ((struct ppi_mailbox *) 0)->magic)

static const char policy[] = "version: 1\n"
			     "metrics:\n"
			     "  times: {interval: elapsed, keep: stats}\n"
			     "  spread: {interval: elapsed, keep: histogram}\n"
			     "bind: [{metric: times, sites: [request]}]\n";

static struct ppi_mailbox *page;
static char *command;

static void request (void)
{
	pp_span_end (pp_span_begin (pp_span_site ("request")));
}

/* The region, as any process of the user opens it, and locked as by one that waits. */
static bool open_mailbox (void)
{
	struct ppi_region_header header = {.mailbox = 0};
	char path[600], target[600];
	struct dirent *entry;
	DIR *dir = opendir ("/proc/self/fd");
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	ssize_t n;
	int fd = -1;

	while (dir && !header.mailbox && (entry = readdir (dir))) {
		snprintf (path, sizeof path, "/proc/self/fd/%s", entry->d_name);
		n = readlink (path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strncmp (target, "/dev/shm/", 9) != 0 && !strstr (target, "pp-region"))
			continue;
		fd = open (path, O_RDWR | O_CLOEXEC);
		if (pread (fd, &header, sizeof header, 0) != (ssize_t) sizeof header)
			header.mailbox = 0;
	}
	if (dir)
		closedir (dir);
	if (!header.mailbox)
		return false;
	lock.l_start = (off_t) header.mailbox;
	lock.l_len = (off_t) PPI_MAILBOX_PAGE;
	page = mmap (NULL, PPI_MAILBOX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     (off_t) header.mailbox);
	command = (char *) page + PPI_MAILBOX_PAGE;
	return page != MAP_FAILED && fcntl (fd, F_OFD_SETLK, &lock) == 0;
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	setenv ("PP_THREADS", "0", 1);
	setenv ("PP_CONTROL", "1", 1);
	setenv ("PP_LOG", "/dev/null", 1);
	request ();
	if (pp_policy_load_text ("fuzz", policy) < 0)
		abort ();
	request ();
	if (!open_mailbox ())
		fprintf (stderr, "there is no mailbox here\n");
	return 0;
}

/* Takes back what a command has bound: there are many inputs. */
static void undo (size_t bytes)
{
	char text[1024], *word[WORDS + 1], *at = text;
	pp_metric *metric;

	if (bytes >= sizeof text)
		return;
	memcpy (text, command, bytes);
	text[bytes] = '\0';
	for (int i = 0; i < WORDS; i++, at += strlen (at) + 1) {
		if (at >= text + bytes)
			return;
		word[i] = at;
	}
	metric = pp_metric_find (word[1]);
	if (strcmp (word[0], "bind") == 0 && metric)
		pp_unbind (metric, word[2]);
}

static void deliver (size_t bytes)
{
	for (int i = 0; i < PIECES; i++) {
		pp_poll ();
		if (page->state != PPI_MAIL_ANSWERED || !page->more)
			break;
		page->state = PPI_MAIL_NEXT;
	}
	undo (bytes);
	request ();
}

static void send (const char *letter, size_t bytes)
{
	bool is_raw = bytes > HEAD && *letter == '!';
	size_t head = is_raw ? 1 + HEAD : 1;

	if (bytes < 2)
		return;
	if (is_raw)
		memcpy ((char *) page + sizeof page->magic, letter + 1, HEAD);
	letter += head;
	bytes -= head;
	for (size_t i = 0; i < bytes; i++)
		command[i] = (char) (letter[i] == '\t' ? '\0' : letter[i]);
	command[bytes] = '\0';
	if (strcmp (command, "load") == 0 || strcmp (command, "reload") == 0)
		return;
	if (!is_raw) {
		page->bytes = bytes;
		page->state = PPI_MAIL_SENT;
	}
	deliver (bytes);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	const char *at = (const char *) data, *end = at + bytes;

	if (!page || bytes >= PPI_MAILBOX_COMMAND)
		return 0;
	for (int i = 0; i < LETTERS && at < end; i++) {
		const char *next = memchr (at, '\f', (size_t) (end - at));

		send (at, (size_t) ((next ? next : end) - at));
		at = next ? next + 1 : end;
	}
	return 0;
}
