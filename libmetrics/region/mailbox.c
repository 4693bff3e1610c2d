/* SPDX-License-Identifier: MIT */
/* mailbox.c: see mailbox.h. */
#include "libmetrics/region/mailbox.h"

#include "base/wake.h"
#include "libmetrics/region/region.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct ppi_mailbox *page; /* NULL: none; atomic */
static uint64_t offset;          /* of it in the region's file */

/* An answer that is on its way in pieces. */
static struct {
	char *text; /* NULL: none */
	size_t bytes, at;
	int status;
} rest;

static struct ppi_mailbox *mailbox (void)
{
	return __atomic_load_n (&page, __ATOMIC_ACQUIRE);
}

/* ---- made and forgotten ---------------------------------------------------------------------- */

bool ppi_mailbox_map (int fd, uint64_t at)
{
	struct ppi_mailbox *made;

	if (fallocate (fd, 0, (off_t) at, (off_t) PPI_MAILBOX_PAGE) != 0)
		return false;
	made = mmap (NULL, PPI_MAILBOX_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t) at);
	if (made == MAP_FAILED)
		return false;
	memcpy (made->magic, PPI_MAILBOX_MAGIC, sizeof made->magic);
	made->version = PPI_MAILBOX_VERSION;
	offset = at;
	__atomic_store_n (&page, made, __ATOMIC_RELEASE);
	ppi_wake_word_set (&made->wake);
	return true;
}

void ppi_mailbox_after_fork (void)
{
	struct ppi_mailbox *parents = mailbox ();

	/* not freed: a thread of the parent's may have been at that */
	memset (&rest, 0, sizeof rest);
	if (!parents)
		return;
	__atomic_store_n (&page, NULL, __ATOMIC_RELEASE);
	ppi_wake_word_set (NULL);
	munmap (parents, PPI_MAILBOX_PAGE);
}

bool ppi_mailbox_exists (void)
{
	return mailbox () != NULL;
}

void ppi_mailbox_set_door (enum ppi_door door)
{
	struct ppi_mailbox *m = mailbox ();

	if (m && ppi_load (&m->door) != (uint32_t) door)
		ppi_store (&m->door, (uint32_t) door);
}

/* ---- the state, which others write, too ------------------------------------------------------ */

static uint32_t state_of (struct ppi_mailbox *m)
{
	return __atomic_load_n (&m->state, __ATOMIC_ACQUIRE);
}

/* False: somebody was faster. */
static bool change_state (struct ppi_mailbox *m, uint32_t from, uint32_t to)
{
	int saved = errno;

	if (!__atomic_compare_exchange_n (&m->state, &from, to, false, __ATOMIC_ACQ_REL,
					  __ATOMIC_RELAXED))
		return false;
	(void) syscall (SYS_futex, &m->state, FUTEX_WAKE, 1, NULL, NULL, 0);
	errno = saved;
	return true;
}

bool ppi_mailbox_has_mail (void)
{
	struct ppi_mailbox *m = mailbox ();
	uint32_t state = m ? state_of (m) : PPI_MAIL_FREE;

	return state == PPI_MAIL_SENT || (state == PPI_MAIL_NEXT && rest.text);
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool write_at (const char *text, size_t bytes, uint64_t at)
{
	int fd = ppi_region_fd ();

	for (size_t done = 0; done < bytes;) {
		ssize_t n =
			fd < 0 ? -1 : pwrite (fd, text + done, bytes - done, (off_t) (at + done));

		if (n < 0 && fd >= 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t) n;
	}
	return true;
}

static void forget_rest (void)
{
	char *text = rest.text;

	/* first: what it points to is never freed, whoever looks */
	rest.text = NULL;
	free (text);
}

static void send_piece (struct ppi_mailbox *m, enum ppi_mail_state from)
{
	size_t piece = rest.bytes - rest.at < PPI_MAILBOX_ANSWER ? rest.bytes - rest.at
								 : PPI_MAILBOX_ANSWER;
	bool good = write_at (rest.text + rest.at, piece,
			      offset + PPI_MAILBOX_PAGE + PPI_MAILBOX_COMMAND);
	bool is_last;

	rest.at += piece;
	is_last = !good || rest.at == rest.bytes;
	ppi_store (&m->piece, good ? (uint32_t) piece : 0);
	ppi_store (&m->more, !is_last);
	ppi_store (&m->status, good ? rest.status : PP_EIO);
	/* release, in there: who sees the state sees the piece */
	if (!change_state (m, from, PPI_MAIL_ANSWERED) || is_last)
		forget_rest ();
}

void ppi_mailbox_answer (int status, char *text, size_t bytes)
{
	struct ppi_mailbox *m = mailbox ();

	forget_rest ();
	rest.text = text ? text : strdup ("");
	rest.bytes = text ? bytes : 0;
	rest.at = 0;
	rest.status = status;
	if (m && rest.text)
		send_piece (m, PPI_MAIL_TAKEN);
}

/* ---- commands -------------------------------------------------------------------------------- */

/*
 * Does the one who sent it still wait? The kernel gives up the lock of who died. Where that can't
 * be asked: yes.
 */
static bool is_waited_for (void)
{
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = (off_t) offset,
			     .l_len = (off_t) PPI_MAILBOX_PAGE};
	int fd = ppi_region_fd ();

	return fd < 0 || fcntl (fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}

static bool read_command (struct ppi_mail *out)
{
	uint64_t at = offset + PPI_MAILBOX_PAGE;
	int fd = ppi_region_fd ();
	ssize_t n;

	out->text = fd < 0 ? NULL : malloc (out->bytes + 2);
	for (size_t done = 0; out->text && done < out->bytes; done += (size_t) n) {
		do
			n = pread (fd, out->text + done, out->bytes - done, (off_t) (at + done));
		while (n < 0 && errno == EINTR);
		if (n <= 0) {
			free (out->text);
			out->text = NULL;
			n = 0;
		}
	}
	if (out->text)
		out->text[out->bytes] = out->text[out->bytes + 1] = '\0';
	return out->text != NULL;
}

bool ppi_mailbox_take (struct ppi_mail *out)
{
	struct ppi_mailbox *m = mailbox ();
	uint64_t bytes;
	int saved = errno;
	bool good;

	if (!m)
		return false;
	/* nobody is: others write the state, too, and who waits for it to change waits for ever */
	change_state (m, PPI_MAIL_TAKEN, PPI_MAIL_FREE);
	if (rest.text && state_of (m) == PPI_MAIL_NEXT)
		send_piece (m, PPI_MAIL_NEXT);
	if (state_of (m) != PPI_MAIL_SENT)
		return false;
	if (!is_waited_for ()) {
		change_state (m, PPI_MAIL_SENT, PPI_MAIL_FREE);
		errno = saved;
		return false;
	}
	if (!change_state (m, PPI_MAIL_SENT, PPI_MAIL_TAKEN))
		return false;
	/* each is read once */
	bytes = ppi_load (&m->bytes);
	out->controller = ppi_load (&m->controller);
	out->bytes = bytes <= PPI_MAILBOX_COMMAND ? (size_t) bytes : 0;
	good = out->bytes && read_command (out);
	if (!good)
		ppi_mailbox_answer (PP_EINVAL, NULL, 0);
	errno = saved;
	return good;
}
