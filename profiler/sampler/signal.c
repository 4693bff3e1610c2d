/* SPDX-License-Identifier: MIT */
/* signal.c: see signal.h. */
#include "profiler/sampler/signal.h"

#include "profiler/sampler/raw.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static bool is_ours (const struct sigaction *handler)
{
	return (handler->sa_flags & SA_SIGINFO) && handler->sa_sigaction == ppi_sample_handler;
}

static bool is_free (const struct sigaction *handler)
{
	return !(handler->sa_flags & SA_SIGINFO) && handler->sa_handler == SIG_DFL;
}

/*
 * A child of fork finds its parent's, which is ours. A look and a change are two calls; where the
 * program comes between them, its handler is put back.
 */
static bool take (int number)
{
	struct sigaction ours = {.sa_sigaction = ppi_sample_handler,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART},
			 was;

	if (sigaction (number, NULL, &was) < 0)
		return false;
	if (is_ours (&was))
		return true;
	if (!is_free (&was))
		return false;
	/* no handler of the program's interrupts ours, so none can jump out of it */
	sigfillset (&ours.sa_mask);
	if (sigaction (number, &ours, &was) < 0)
		return false;
	if (is_free (&was))
		return true;
	sigaction (number, &was, NULL);
	return false;
}

/*
 * Only signals that are ignored by default: between a program's signal (number, SIG_DFL), which may
 * come at any time, and our next look, one more may be sent, and any other would end the program.
 */
static const struct {
	int number;
	const char *name;
} harmless[] = {{SIGURG, "SIGURG"}, {SIGWINCH, "SIGWINCH"}};
enum { HARMLESS = sizeof harmless / sizeof *harmless };

int ppi_signal_take (int chosen)
{
	for (size_t i = 0; i < HARMLESS; i++)
		if ((!chosen || harmless[i].number == chosen) && take (harmless[i].number))
			return harmless[i].number;
	return 0;
}

bool ppi_signal_is_ours (int number)
{
	struct sigaction now;

	return sigaction (number, NULL, &now) == 0 && is_ours (&now);
}

void ppi_signal_name (int number, char *out, size_t room)
{
	snprintf (out, room, "no signal");
	for (size_t i = 0; i < HARMLESS; i++)
		if (harmless[i].number == number)
			snprintf (out, room, "%s", harmless[i].name);
}
