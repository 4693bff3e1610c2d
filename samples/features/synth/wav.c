/* SPDX-License-Identifier: MIT */
/* wav.c: a signal as a WAVE file, some samples at a time, without a thought of speed. */
#define MODULE "wav"
#include "array.h"

#include "synth.h"

#include <stdint.h>

enum { BLOCK = 64 };

static void put (unsigned char *out, size_t bytes, uint32_t value)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char) (value >> 8 * i);
}

static int write_head (FILE *out, size_t samples)
{
	unsigned char head[44] = "RIFF....WAVEfmt ....................data";

	put (head + 4, 4, (uint32_t) (36 + 2 * samples));
	put (head + 16, 4, 16);
	put (head + 20, 2, 1);
	put (head + 22, 2, 1);
	put (head + 24, 4, RATE);
	put (head + 28, 4, 2 * RATE);
	put (head + 32, 2, 2);
	put (head + 34, 2, 16);
	put (head + 40, 4, (uint32_t) (2 * samples));
	return fwrite (head, sizeof head, 1, out) == 1 ? 0 : -1;
}

int wav_write (FILE *out, const struct array *signal)
{
	size_t length = array_length (signal), count;
	double samples[BLOCK], x;
	unsigned char bytes[2 * BLOCK];

	if (write_head (out, length) < 0)
		return -1;
	for (size_t from = 0; from < length; from += count) {
		count = length - from < BLOCK ? length - from : BLOCK;
		array_read (signal, from, count, samples);
		for (size_t i = 0; i < count; i++) {
			x = samples[i] < -1 ? -1 : samples[i] > 1 ? 1 : samples[i];
			put (bytes + 2 * i, 2, (uint32_t) (int32_t) (x * 32767));
		}
		if (fwrite (bytes, 2, count, out) != count)
			return -1;
	}
	return 0;
}
