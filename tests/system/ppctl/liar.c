/* SPDX-License-Identifier: MIT */
/*
 * liar.c: a process with a mailbox and no library. It answers without end ("endless"), or owes the
 * second piece of its answer ("half"), until its standard input ends.
 */
#include "recording/layout.h"
#include "recording/mailbox.h"

#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { AT = 1 << 16 };

static struct ppi_mailbox *make (void)
{
	struct ppi_region_header header = {.version = PPI_RECORDING_VERSION,
					   .pid = (uint32_t) getpid (),
					   .state = PPI_RECORDING_LIVE,
					   .mailbox = AT};
	int fd = memfd_create ("pp-region", 0);
	struct ppi_mailbox *page;

	memcpy (header.magic, PPI_RECORDING_MAGIC, sizeof header.magic);
	if (ftruncate (fd, (off_t) (AT + PPI_MAILBOX_BYTES)) != 0 ||
	    pwrite (fd, &header, sizeof header, 0) != (ssize_t) sizeof header)
		return MAP_FAILED;
	page = mmap (NULL, PPI_MAILBOX_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, AT);
	if (page == MAP_FAILED)
		return page;
	memcpy (page->magic, PPI_MAILBOX_MAGIC, sizeof page->magic);
	page->version = PPI_MAILBOX_VERSION;
	page->door = PPI_DOOR_OPEN;
	return page;
}

int main (int argc, char **argv)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int is_endless = argc > 1 && strcmp (argv[1], "endless") == 0;
	struct ppi_mailbox *page = make ();

	if (page == MAP_FAILED)
		return 1;
	puts ("ready");
	fflush (stdout);
	while (poll (&in, 1, 1) == 0)
		for (;;) {
			uint32_t state = __atomic_load_n (&page->state, __ATOMIC_ACQUIRE);

			if (state != PPI_MAIL_SENT && (state != PPI_MAIL_NEXT || !is_endless))
				break;
			page->piece = PPI_MAILBOX_ANSWER;
			page->more = 1;
			__atomic_store_n (&page->state, PPI_MAIL_ANSWERED, __ATOMIC_RELEASE);
			syscall (SYS_futex, &page->state, FUTEX_WAKE, 1, NULL, NULL, 0);
		}
	return 0;
}
