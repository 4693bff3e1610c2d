/* SPDX-License-Identifier: MIT */
/*
 * synth.c: a synthesizer over a library of arrays whose interface is checked: two voices, a bass
 * and a drum machine, as a WAVE file on standard output. A plain profile has most time in
 * array_check and in what it calls, so it says to make the library faster. The profile of features
 * says which contracts take it, and between which modules: it is the mixer whose calls should not
 * be checked one by one.
 *
 *     synth SECONDS >tune.wav; ppctl features synth.*.pprec
 */
#define MODULE "synth"
#include "array.h"

#include "synth.h"

#include <stdlib.h>

int main (int argc, char **argv)
{
	size_t seconds = argc > 1 ? strtoul (argv[1], NULL, 10) : 10, step = RATE / 8;
	struct track tracks[7];
	struct array *all;
	int error;

	if (seconds < 1 || seconds > 3600) {
		fputs ("usage: synth SECONDS: 1 to 3,600\n", stderr);
		return 2;
	}
	tracks[0] = (struct track){
		sequence_notes (SAWTOOTH, "24 - 27 31 - 29 27 - 24 - 22 - 24 27 22 -", step), 0.22};
	tracks[1] = (struct track){
		sequence_notes (SQUARE, "36 36 - 39 - 34 - 36 43 - 41 - 39 - 36 34", step), 0.08};
	tracks[2] = (struct track){sequence_notes (TRIANGLE, "0 0 12 0 3 3 15 3 ", step), 0.3};
	tracks[3] =
		(struct track){sequence_notes (TRIANGLE, "31 34 36 34 31 - 27 -", 4 * step), 0.1};
	tracks[4] = (struct track){sequence_beats (KICK, "x...x...", step), 0.5};
	tracks[5] = (struct track){sequence_beats (SNARE, "..x...xx", step), 0.2};
	tracks[6] = (struct track){sequence_beats (HAT, "xx.x", step), 0.1};
	all = mix (tracks, sizeof tracks / sizeof *tracks, seconds * RATE);
	error = wav_write (stdout, all) < 0 || fflush (stdout) == EOF;
	if (error)
		perror ("synth: standard output");
	array_free (all);
	for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++)
		array_free (tracks[i].signal);
	return error;
}
