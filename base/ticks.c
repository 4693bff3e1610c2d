/* SPDX-License-Identifier: MIT */
/* ticks.c: chooses what markers read the time from; see ticks.h. */
#include "base/ticks.h"

#include "base/environment.h"
#include "base/message.h"
#include "base/vdso.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNELS "/sys/devices/system/clocksource/clocksource0/"

uint32_t ppi_ticks_are_trusted = 1;
static const char *doubt;

const char *ppi_ticks_doubt (void)
{
	return doubt;
}

uint64_t ppi_ticks_resolution (void)
{
	uint64_t least = 0, before = ppi_ticks ();

	/*
	 * a clock of coarse steps stands still for a while: until some of them were seen, or it
	 * hardly moves
	 */
	for (int steps = 0, reads = 0; steps < 64 && reads < 4096; reads++) {
		uint64_t now = ppi_ticks (), step = now - before;

		before = now;
		if ((int64_t) step <= 0)
			continue;
		least = !least || step < least ? step : least;
		steps++;
	}
	return least;
}

/* Is WORD one of TEXT's, which have blanks between? */
static bool has_word (const char *text, const char *word)
{
	size_t n = strlen (word);

	while (*text) {
		size_t length = strcspn (text, " \n");

		if (length == n && strncmp (text, word, n) == 0)
			return true;
		text += length;
		text += strspn (text, " \n");
	}
	return false;
}

const char *ppi_ticks_judge (bool invariant, const char *available, const char *current,
			     const char *name)
{
	/* it is watched, and would be given up */
	if (current && has_word (current, name))
		return NULL;
	if (available && *available && !has_word (available, name))
		return "the kernel found the processor's tick counter unstable";
	/* a guest's clock, for instance, which is made of the counter */
	return invariant ? NULL : "the processor's tick counter changes its rate or stops";
}

static const char *read_line (const char *path, char *text, size_t room)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read (fd, text, room - 1) : -1;

	if (fd >= 0)
		close (fd);
	if (n < 0)
		return NULL;
	text[n] = '\0';
	return text;
}

static const char *judge_here (void)
{
	char available[256], current[64];

	/*
	 * of an architecture that promises it, or that has none and whose "ticks" are
	 * CLOCK_MONOTONIC's anyway
	 */
	if (!PP_ARCH_TICKS_NAME)
		return NULL;
	return ppi_ticks_judge (
		pp_arch_ticks_invariant (),
		read_line (KERNELS "available_clocksource", available, sizeof available),
		read_line (KERNELS "current_clocksource", current, sizeof current),
		PP_ARCH_TICKS_NAME);
}

static bool has_vdso;

bool ppi_ticks_have_vdso (void)
{
	return has_vdso;
}

static void find_vdso (void)
{
#ifdef PP_ARCH_VDSO_CLOCK
	void *clock = ppi_vdso_find (PP_ARCH_VDSO_CLOCK);

	has_vdso = clock != NULL;
	if (clock)
		pp_arch_clock_gettime = (pp_arch_clock_fn *) (uintptr_t) clock;
#endif
}

void ppi_ticks_choose (void)
{
	const char *wanted = ppi_environment (PPI_ENVIRONMENT_CLOCK);

	find_vdso ();
	if (wanted && strcmp (wanted, "monotonic") == 0)
		doubt = "PP_CLOCK=monotonic asks for it";
	else if (!wanted || strcmp (wanted, "tsc") != 0)
		doubt = judge_here ();
	if (wanted && strcmp (wanted, "tsc") != 0 && strcmp (wanted, "monotonic") != 0)
		ppi_message ("PP_CLOCK=%s is neither tsc nor monotonic; it is ignored", wanted);
	ppi_ticks_are_trusted = !doubt;
}
