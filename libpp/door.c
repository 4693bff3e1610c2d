/* SPDX-License-Identifier: MIT */
/*
 * door.c: takes commands out of the mailbox and has the part that knows one carry it out. The door
 * is open once something was bound, while there are policies, and from the start with PP_CONTROL=1
 * and under ppctl run: then the library's thread runs (or, with PP_THREADS=0, pp_poll answers).
 */
#include "libpp/door.h"

#include "assertions/engine/policies.h"
#include "base/command.h"
#include "base/c_locale.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/types.h"
#include "libmetrics/life/recorder.h"
#include "libmetrics/region/mailbox.h"
#include "libmetrics/region/region.h"
#include "libpp/parts.h"
#include "libpp/thread.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 8

/* something was bound, or the user wants it; with the lock */
static bool opened;

static bool busy; /* somebody is at the mailbox: the library's thread, or pp_poll; atomic */

static bool is_asked_for (void)
{
	const char *control = ppi_environment (PPI_ENVIRONMENT_CONTROL);

	return (control && strcmp (control, "0") != 0) || ppi_environment (PPI_ENVIRONMENT_RUN);
}

/*
 * ThreadSanitizer ends a child of a process with threads that starts one: its builds have one only
 * where somebody asked for it.
 */
#ifdef __SANITIZE_THREAD__
#define OPENS_WHEN_BOUND 0
#else
#define OPENS_WHEN_BOUND 1
#endif

static bool is_open (void)
{
	return (opened || (OPENS_WHEN_BOUND && ppi_policies)) && ppi_mailbox_exists ();
}

static void tell (void)
{
	ppi_mailbox_set_door (!is_open ()                  ? PPI_DOOR_CLOSED
			      : ppi_thread_is_forbidden () ? PPI_DOOR_POLLED
							   : PPI_DOOR_OPEN);
}

static void open_door (void)
{
	bool is_news = !opened;

	opened = true;
	tell ();
	if (is_news && is_open ())
		ppi_thread_wake ();
}

static void measuring (void)
{
	if (OPENS_WHEN_BOUND)
		open_door ();
}

void ppi_door_ask (void)
{
	if (!is_asked_for ())
		return;
	ppi_lock ();
	if (ppi_region_init () == 0)
		open_door ();
	ppi_unlock ();
}

/* A child has a region of its own where something is bound; the user asked for one in any case. */
static void fork_child (void)
{
	__atomic_store_n (&busy, false, __ATOMIC_RELAXED);
	if (!opened)
		return;
	ppi_lock ();
	opened = is_asked_for () && ppi_region_init () == 0;
	opened |= ppi_mailbox_exists ();
	tell ();
	ppi_unlock ();
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The words of MAIL; false: they are none. */
static bool split (const struct ppi_mail *mail, const char *word[WORDS_MOST], unsigned *n)
{
	size_t at = 0;

	/* the last word has its 0 like the others, or the mail is cut off */
	if (mail->text[mail->bytes - 1])
		return false;
	for (*n = 0; at < mail->bytes; at += strlen (mail->text + at) + 1) {
		if (*n == WORDS_MOST)
			return false;
		word[(*n)++] = mail->text + at;
	}
	return true;
}

static int carry_out (const struct ppi_mail *mail, struct ppi_answer *answer)
{
	PPI_C_LOCALE;
	const struct ppi_command *command;
	const char *word[WORDS_MOST];
	unsigned n;
	int status;

	if (!split (mail, word, &n)) {
		ppi_answer (answer, "what was sent is no command");
		return PP_EINVAL;
	}
	command = ppi_parts_command (word[0]);
	if (!command || command->words != n - 1) {
		ppi_answer (answer,
			    "this program's libpp does not know '%.64s' with %u words: ppctl is of "
			    "another version",
			    word[0], n - 1);
		return PP_EINVAL;
	}
	ppi_message_answer (answer);
	status = command->run (word + 1, mail->controller, answer);
	ppi_message_answer (NULL);
	return status;
}

/* Figures in the region become current: who asks reads them there. */
static int renew_figures (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	(void) word;
	(void) controller;
	(void) answer;
	ppi_parts_figures ();
	ppi_recorder_refresh ();
	return PP_OK;
}

static const struct ppi_command commands[] = {{"figures", 0, renew_figures}, {.name = NULL}};

/* True: a command was carried out. */
static bool answer_one (void)
{
	struct ppi_answer answer = {0};
	struct ppi_mail mail;
	int status;

	if (!ppi_mailbox_take (&mail))
		return false;
	status = carry_out (&mail, &answer);
	ppi_mailbox_answer (status, answer.text, answer.bytes);
	free (mail.text);
	return true;
}

/* One at a time: assertions are checked between two of them. */
static uint64_t look (uint64_t now_ns, bool polled)
{
	bool done;

	(void) polled;
	/* acquire, and release below: who comes next finds the mailbox as this one left it */
	if (__atomic_exchange_n (&busy, true, __ATOMIC_ACQUIRE))
		return UINT64_MAX;
	done = answer_one ();
	__atomic_store_n (&busy, false, __ATOMIC_RELEASE);
	/* setters are called, and what was loaded begins */
	return done ? now_ns : UINT64_MAX;
}

/* Policies come and go. */
static uint64_t tick (uint64_t now_ns)
{
	(void) now_ns;
	ppi_lock ();
	tell ();
	ppi_unlock ();
	return UINT64_MAX;
}

const struct ppi_part ppi_door_part = {.fork_child = fork_child,
				       .needs_thread = is_open,
				       .is_patient = true,
				       .tick = tick,
				       .after_tick = look,
				       .measuring = measuring,
				       .commands = commands};
