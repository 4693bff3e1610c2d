/* SPDX-License-Identifier: MIT */
/* synth.h: what the synthesizer's modules have for each other. All signals are arrays of samples. */
#ifndef SYNTH_H
#define SYNTH_H

#include <stddef.h>
#include <stdio.h>

struct array;

enum { RATE = 44100 }; /* samples a second */

/* ---- wave.c: one note ------------------------------------------------------------------------ */

enum wave { SAWTOOTH, SQUARE, TRIANGLE };

/* A note that fades. PITCH is in semitones above 55 Hz, or negative: a rest. */
struct array *wave_note (enum wave wave, int pitch, size_t length);

/* ---- drum.c: one beat of a drum machine ------------------------------------------------------ */

enum drum { KICK, SNARE, HAT };

struct array *drum_beat (enum drum drum, size_t length);
struct array *drum_rest (size_t length);

/* ---- sequencer.c: from what is written to a signal ------------------------------------------- */

/* Pitches with blanks between, "-" is a rest; each is LENGTH samples long. */
struct array *sequence_notes (enum wave wave, const char *score, size_t length);
/* "x" is a beat, "." none. */
struct array *sequence_beats (enum drum drum, const char *score, size_t length);

/* ---- mixer.c: several signals into one ------------------------------------------------------- */

struct track {
	struct array *signal; /* is repeated as often as it takes */
	double weight;
};

/* LENGTH samples of all COUNT tracks, at least one, by weight. */
struct array *mix (const struct track *tracks, size_t count, size_t length);

/* ---- wav.c: the file ------------------------------------------------------------------------- */

/* 16 bits, one channel; beyond -1 to 1 it is cut off. 0, or -1 with errno. */
int wav_write (FILE *out, const struct array *signal);

#endif
