/* SPDX-License-Identifier: MIT */
/*
 * door.c: ppctl's side of a process's mailbox (recording/mailbox.h). Who holds the kernel's lock on
 * its page is at the door, one at a time. What is given up is withdrawn, so that a process which
 * goes on later doesn't do it.
 */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"

#include "base/command.h"
#include "base/quantity.h"
#include "recording/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C (5000000000) /* with a process that runs */
#define STOPPED_NS UINT64_C (1000000000)  /* with one that is stopped */
#define RACE_NS UINT64_C (2000000000)   /* where a command was taken just before it was withdrawn */
#define ANSWER_MOST ((size_t) 16 << 20) /* a process does not say how much memory we take */
#define LOOK_NS 20000000L               /* between two looks at the process */
#define TURN_NS 1000000L                /* between two tries at the lock */
#define SHOWN_NS UINT64_C (1000000000)  /* from then on a terminal shows that we wait */

/* A visit at a process's door. */
struct visit {
	const char *verb;
	const struct ppctl_process *process;
	struct ppi_mailbox *page;
	uint64_t began_ns;
	bool shown;
};

static volatile sig_atomic_t interrupted;

static void interrupt (int signal)
{
	interrupted = signal;
}

static uint64_t now_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void show (struct visit *v, uint64_t waited_ns)
{
	if (waited_ns < SHOWN_NS || !isatty (STDERR_FILENO))
		return;
	fprintf (stderr, "\rppctl %s: waiting for process %d, %.0f s ", v->verb,
		 (int) v->process->pid, (double) waited_ns * 1e-9);
	v->shown = true;
}

static void wipe (struct visit *v)
{
	if (v->shown)
		fprintf (stderr, "\r%79s\r", "");
	v->shown = false;
}

static bool is_stopped (const struct visit *v)
{
	char state = ppctl_process_state (v->process->pid);

	return state == 'T' || state == 't';
}

static bool has_ended (const struct visit *v)
{
	char state = ppctl_process_state (v->process->pid);

	return !state || state == 'Z' || state == 'X';
}

/* Is it time to give up? */
static bool is_over (struct visit *v, uint64_t patience_ns)
{
	uint64_t waited_ns = now_ns () - v->began_ns;

	show (v, waited_ns);
	return interrupted || has_ended (v) || waited_ns > patience_ns ||
	       (waited_ns > STOPPED_NS && is_stopped (v));
}

/* Why nothing came, printf-like behind it: what became of the command. */
static int give_up (struct visit *v, const char *outcome)
{
	int pid = (int) v->process->pid;

	wipe (v);
	if (has_ended (v))
		return ppctl_fail (PPCTL_PROBLEM, v->verb, "process %d has ended", pid);
	if (interrupted)
		return ppctl_fail (PPCTL_PROBLEM, v->verb, "interrupted: %s", outcome);
	if (is_stopped (v))
		return ppctl_fail (PPCTL_PROBLEM, v->verb, "process %d is stopped: %s", pid,
				   outcome);
	if (__atomic_load_n (&v->page->door, __ATOMIC_RELAXED) == PPI_DOOR_POLLED)
		return ppctl_fail (
			PPCTL_PROBLEM, v->verb,
			"process %d runs with PP_THREADS=0, and does not call pp_poll: %s", pid,
			outcome);
	return ppctl_fail (PPCTL_PROBLEM, v->verb, "process %d does not answer: %s", pid, outcome);
}

static uint32_t state_of (const struct visit *v)
{
	return __atomic_load_n (&v->page->state, __ATOMIC_ACQUIRE);
}

static bool change_state (const struct visit *v, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n (&v->page->state, &from, to, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
}

static void wake (const struct visit *v)
{
	__atomic_fetch_add (&v->page->wake, 1, __ATOMIC_SEQ_CST);
	(void) syscall (SYS_futex, &v->page->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Until the state is no longer STATE, or for a moment. */
static void wait_while (const struct visit *v, uint32_t state)
{
	const struct timespec moment = {.tv_nsec = LOOK_NS};

	(void) syscall (SYS_futex, &v->page->state, FUTEX_WAIT, state, &moment, NULL, 0);
}

/* ---- at the door ----------------------------------------------------------------------------- */

static int enter (struct visit *v)
{
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = (off_t) v->process->header.mailbox,
			     .l_len = (off_t) PPI_MAILBOX_PAGE};

	while (fcntl (v->process->fd, F_OFD_SETLK, &lock) < 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return ppctl_fail (PPCTL_PROBLEM, v->verb,
					   "the mailbox of process %d can't be locked: %s",
					   (int) v->process->pid, strerror (errno));
		if (is_over (v, 2 * PATIENCE_NS))
			return give_up (v, "another ppctl is at its door; nothing was asked");
		nanosleep (&(struct timespec){.tv_nsec = TURN_NS}, NULL);
	}
	v->began_ns = now_ns ();
	/* of one that died: what was not taken is not for us to have done */
	change_state (v, PPI_MAIL_SENT, PPI_MAIL_FREE);
	while (state_of (v) == PPI_MAIL_TAKEN) {
		if (is_over (v, PATIENCE_NS))
			return give_up (
				v,
				"it is at something else that it was asked for; nothing was asked");
		/* one that is at nothing sees that when it looks */
		wake (v);
		wait_while (v, PPI_MAIL_TAKEN);
	}
	return PPCTL_OK;
}

static int say_closed (const struct visit *v)
{
	return ppctl_fail (PPCTL_PROBLEM, v->verb,
			   "the door of process %d is closed, as nothing is bound in it: start it "
			   "with PP_CONTROL=1, a policy, or ppctl run",
			   (int) v->process->pid);
}

static int map_page (struct visit *v)
{
	uint64_t at = v->process->header.mailbox, bytes = (uint64_t) v->process->bytes;
	void *page = MAP_FAILED;

	if (at && at % PPI_MAILBOX_PAGE == 0 && bytes >= PPI_MAILBOX_BYTES &&
	    at <= bytes - PPI_MAILBOX_BYTES)
		page = mmap (NULL, PPI_MAILBOX_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			     v->process->fd, (off_t) at);
	if (page == MAP_FAILED)
		return ppctl_fail (
			PPCTL_PROBLEM, v->verb,
			"process %d has no mailbox: there was no room for it in /dev/shm",
			(int) v->process->pid);
	v->page = page;
	if (memcmp (v->page->magic, PPI_MAILBOX_MAGIC, sizeof v->page->magic) != 0 ||
	    v->page->version != PPI_MAILBOX_VERSION)
		return ppctl_fail (PPCTL_PROBLEM, v->verb,
				   "process %d uses a libpp of another version: use the ppctl that "
				   "belongs to it",
				   (int) v->process->pid);
	return __atomic_load_n (&v->page->door, __ATOMIC_ACQUIRE) == PPI_DOOR_CLOSED
		       ? say_closed (v)
		       : PPCTL_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int send_words (const struct visit *v, const char *const *word, size_t n)
{
	uint64_t at = v->process->header.mailbox + PPI_MAILBOX_PAGE, bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += strlen (word[i]) + 1;
	if (bytes > PPI_MAILBOX_COMMAND)
		return ppctl_fail (PPCTL_PROBLEM, v->verb,
				   "that is too long: %llu bytes, and %llu can be sent",
				   (unsigned long long) bytes,
				   (unsigned long long) PPI_MAILBOX_COMMAND);
	for (size_t i = 0; i < n; i++) {
		size_t size = strlen (word[i]) + 1;

		/* to tmpfs: all of it, or an error */
		if (pwrite (v->process->fd, word[i], size, (off_t) at) != (ssize_t) size)
			return ppctl_fail (PPCTL_PROBLEM, v->verb,
					   "the mailbox of process %d can't be written to: %s",
					   (int) v->process->pid, strerror (errno));
		at += size;
	}
	v->page->bytes = bytes;
	v->page->controller = (uint32_t) getpid ();
	/* release: who sees it sees the words */
	__atomic_store_n (&v->page->state, PPI_MAIL_SENT, __ATOMIC_RELEASE);
	wake (v);
	return PPCTL_OK;
}

/*
 * The command is taken back; where the process has it already, its answer is waited for a little
 * longer.
 */
static int withdraw (struct visit *v)
{
	uint64_t until_ns = now_ns () + RACE_NS;

	if (change_state (v, PPI_MAIL_SENT, PPI_MAIL_FREE))
		return give_up (v, "the command was withdrawn, and is not carried out");
	if (change_state (v, PPI_MAIL_NEXT, PPI_MAIL_FREE))
		return give_up (v, "it was carried out; the rest of its answer didn't come");
	interrupted = 0;
	while (state_of (v) == PPI_MAIL_TAKEN && now_ns () < until_ns && !interrupted &&
	       !has_ended (v))
		wait_while (v, PPI_MAIL_TAKEN);
	if (state_of (v) == PPI_MAIL_ANSWERED)
		return PPCTL_OK;
	return give_up (v, "it had taken the command already, and may carry it out");
}

static int await (struct visit *v)
{
	uint32_t state;

	while ((state = state_of (v)) != PPI_MAIL_ANSWERED) {
		if (is_over (v, PATIENCE_NS))
			return withdraw (v);
		wait_while (v, state);
	}
	wipe (v);
	return PPCTL_OK;
}

static bool read_piece (const struct visit *v, struct ppctl_reply *reply)
{
	uint64_t at = v->process->header.mailbox + PPI_MAILBOX_PAGE + PPI_MAILBOX_COMMAND;
	size_t piece = v->page->piece;
	char *text;

	if (piece > PPI_MAILBOX_ANSWER)
		return false;
	text = realloc (reply->text, reply->bytes + piece + 1);
	if (!text)
		return false;
	reply->text = text;
	if (pread (v->process->fd, text + reply->bytes, piece, (off_t) at) != (ssize_t) piece)
		return false;
	reply->bytes += piece;
	text[reply->bytes] = '\0';
	return true;
}

static int receive (struct visit *v, struct ppctl_reply *reply)
{
	for (;;) {
		int status = await (v);

		if (status != PPCTL_OK)
			return status;
		reply->status = v->page->status;
		if (!read_piece (v, reply))
			return ppctl_fail (PPCTL_PROBLEM, v->verb,
					   "what process %d answered can't be read",
					   (int) v->process->pid);
		if (!v->page->more)
			break;
		/* nothing is a piece: of those there can be any number */
		if (reply->bytes > ANSWER_MOST || !v->page->piece)
			return ppctl_fail (PPCTL_PROBLEM, v->verb, "process %d answers without end",
					   (int) v->process->pid);
		change_state (v, PPI_MAIL_ANSWERED, PPI_MAIL_NEXT);
		wake (v);
	}
	change_state (v, PPI_MAIL_ANSWERED, PPI_MAIL_FREE);
	/* the memory that a large policy took */
	(void) fallocate (v->process->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t) (v->process->header.mailbox + PPI_MAILBOX_PAGE),
			  (off_t) (PPI_MAILBOX_COMMAND + PPI_MAILBOX_ANSWER));
	return PPCTL_OK;
}

int ppctl_ask (const char *verb, const struct ppctl_process *process, const char *const *word,
	       size_t n, struct ppctl_reply *reply)
{
	enum { ENDS = 3 };
	static const int ends[ENDS] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction former[ENDS];
	struct visit v = {.verb = verb, .process = process, .began_ns = now_ns ()};
	struct flock unlock = {.l_type = F_UNLCK,
			       .l_whence = SEEK_SET,
			       .l_start = (off_t) process->header.mailbox,
			       .l_len = (off_t) PPI_MAILBOX_PAGE};
	int status;

	*reply = (struct ppctl_reply){0};
	interrupted = 0;
	for (size_t i = 0; i < ENDS; i++)
		/* what nohup or a shell ignores stays ignored */
		if (sigaction (ends[i], NULL, &former[i]) == 0 && former[i].sa_handler != SIG_IGN)
			sigaction (ends[i], &(struct sigaction){.sa_handler = interrupt}, NULL);
	status = map_page (&v);
	if (status == PPCTL_OK)
		status = enter (&v);
	if (status == PPCTL_OK && v.page)
		status = send_words (&v, word, n);
	if (status == PPCTL_OK && v.page)
		status = receive (&v, reply);
	wipe (&v);
	(void) fcntl (process->fd, F_OFD_SETLK, &unlock);
	if (v.page)
		munmap (v.page, PPI_MAILBOX_PAGE);
	for (size_t i = 0; i < ENDS; i++)
		sigaction (ends[i], &former[i], NULL);
	if (status != PPCTL_OK) {
		free (reply->text);
		reply->text = NULL;
	}
	return status;
}

/* ---- what came back -------------------------------------------------------------------------- */

int ppctl_tell (const char *verb, const struct ppctl_process *process, struct ppctl_reply *reply)
{
	char *rest = reply->text, *line;

	while (rest && *rest && (line = strsep (&rest, "\n"))) {
		if (!*line)
			continue;
		ppi_text_for_locale (line);
		if (*line == PPI_ANSWER_SAID)
			fprintf (stderr, "%s\n", line + 1);
		else if (reply->status == 0)
			printf ("process %d: %s\n", (int) process->pid, line + 1);
		else
			(void) ppctl_fail (PPCTL_PROBLEM, verb, "process %d: %s",
					   (int) process->pid, line + 1);
	}
	free (reply->text);
	reply->text = NULL;
	return reply->status == 0 ? PPCTL_OK : PPCTL_PROBLEM;
}

int ppctl_do (const char *verb, const struct ppctl_process *process, const char *const *word,
	      size_t n)
{
	struct ppctl_reply reply;
	int status = ppctl_ask (verb, process, word, n, &reply);

	return status == PPCTL_OK ? ppctl_tell (verb, process, &reply) : status;
}
