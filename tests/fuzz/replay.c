/* SPDX-License-Identifier: MIT */
/*
 * replay.c: main of a target that libFuzzer does not drive. Every input is tried as it is; then,
 * for SECONDS, inputs that were changed blindly.
 *
 *     TARGET [-seconds=N] [-seed=N] FILE...
 *
 * What it is at when it dies is in the file TARGET.input (in $TMPDIR), and a signal tells.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_FOR_ONE = 30 };

/* What is tried just now, for whoever looks into it after a crash. */
static const uint8_t *now_tried;
static size_t now_bytes;

static void leave_input (int signal_number)
{
	char path[300];
	FILE *f;

	snprintf (path, sizeof path, "%s/%s.input", getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp",
		  program_invocation_short_name);
	f = fopen (path, "w");
	if (f) {
		fwrite (now_tried, 1, now_bytes, f);
		fclose (f);
		fprintf (stderr, "signal %d: the input is in %s\n", signal_number, path);
	}
	signal (signal_number, SIG_DFL);
	raise (signal_number);
}

static void try (const uint8_t *data, size_t bytes)
{
	/* just as many bytes, so that a sanitizer sees a read beyond them */
	uint8_t *copy = malloc (bytes ? bytes : 1);

	if (!copy)
		exit (2);
	memcpy (copy, data, bytes);
	now_tried = copy;
	now_bytes = bytes;
	alarm (SECONDS_FOR_ONE);
	LLVMFuzzerTestOneInput (copy, bytes);
	alarm (0);
	free (copy);
}

static size_t change (uint8_t *data, size_t bytes)
{
	for (long times = 1 + random () % 6; times--;)
		bytes = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator (data, bytes, FUZZ_MOST,
									   (unsigned) random ())
						: LLVMFuzzerMutate (data, bytes, FUZZ_MOST);
	return bytes;
}

int main (int argc, char **argv)
{
	unsigned long tried = 0, seed = 1;
	long seconds = 0;
	uint8_t *data = malloc (FUZZ_MOST);
	time_t end;

	for (int i = 1; i < argc; i++)
		if (strncmp (argv[i], "-seconds=", 9) == 0)
			seconds = atol (argv[i] + 9);
		else if (strncmp (argv[i], "-seed=", 6) == 0)
			seed = strtoul (argv[i] + 6, NULL, 10);
		else
			fuzz_take (argv[i]);
	if (!data || !fuzz_inputs) {
		fprintf (stderr, "usage: %s [-seconds=N] [-seed=N] FILE...\n", argv[0]);
		return 2;
	}
	signal (SIGSEGV, leave_input);
	signal (SIGBUS, leave_input);
	signal (SIGABRT, leave_input);
	signal (SIGFPE, leave_input);
	signal (SIGALRM, leave_input);
	LLVMFuzzerInitialize (&argc, &argv);
	srandom ((unsigned) seed);
	for (size_t i = 0; i < fuzz_inputs; i++, tried++)
		try (fuzz_input[i].data, fuzz_input[i].bytes);
	for (end = time (NULL) + seconds; time (NULL) < end; tried++) {
		const struct fuzz_input *from = &fuzz_input[(size_t) random () % fuzz_inputs];

		memcpy (data, from->data, from->bytes);
		try (data, change (data, from->bytes));
	}
	dprintf (2, "%lu inputs tried\n", tried);
	fuzz_let_go ();
	free (data);
	return 0;
}
