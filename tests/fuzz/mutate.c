/* SPDX-License-Identifier: MIT */
/*
 * mutate.c: changes an input without knowing what it is: for replay.c and drive.c, which work
 * without clang. Half of the changes are of whole lines and words, so that texts stay texts.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"0",
				    "-1",
				    "1e308",
				    "nan",
				    "99999999999999999999",
				    "%",
				    "*",
				    "**",
				    "[",
				    "]",
				    "{",
				    "}",
				    ": ",
				    "- ",
				    ",",
				    "\"",
				    "'",
				    "&a",
				    "*a",
				    "<<: *a",
				    "\n",
				    "\t",
				    "\\",
				    "#",
				    "|",
				    "!",
				    "\xff",
				    "\xc3\x28",
				    "\xe2\x80\x8b",
				    "(",
				    ")",
				    "<=",
				    ".",
				    "@",
				    "/",
				    "µs"};

static size_t below (size_t n)
{
	return n ? (size_t) random () % n : 0;
}

/* Puts N bytes FROM in at AT. */
static size_t put_in (uint8_t *data, size_t bytes, size_t most, size_t at, const void *from,
		      size_t n)
{
	if (n > most - bytes)
		n = most - bytes;
	memmove (data + at + n, data + at, bytes - at);
	memcpy (data + at, from, n);
	return bytes + n;
}

static size_t take_out (uint8_t *data, size_t bytes, size_t at, size_t n)
{
	if (n > bytes - at)
		n = bytes - at;
	memmove (data + at, data + at + n, bytes - at - n);
	return bytes - n;
}

/* Where the line begins that has the byte AT, and how long it is with its end. */
static size_t line_at (const uint8_t *data, size_t bytes, size_t at, size_t *n)
{
	const uint8_t *end;

	while (at && data[at - 1] != '\n')
		at--;
	end = memchr (data + at, '\n', bytes - at);
	*n = end ? (size_t) (end - data) + 1 - at : bytes - at;
	return at;
}

size_t LLVMFuzzerMutate (uint8_t *data, size_t bytes, size_t most)
{
	uint8_t copy[256];
	size_t at = below (bytes), n, from;
	const char *word = words[below (sizeof words / sizeof *words)];

	if (!bytes)
		return put_in (data, 0, most, 0, word, strlen (word));
	switch (below (8)) {
	case 0:
		data[at] = (uint8_t) random ();
		return bytes;
	case 1:
		data[at] ^= (uint8_t) (1u << below (8));
		return bytes;
	case 2:
		return take_out (data, bytes, at, 1 + below (16));
	case 3:
		return put_in (data, bytes, most, at, word, strlen (word));
	case 4: /* in place of a word */
		for (n = 0; at + n < bytes && n < 32 &&
			    strchr ("abcdefghijklmnopqrstuvwxyz_0123456789", data[at + n]) &&
			    data[at + n];)
			n++;
		return put_in (data, take_out (data, bytes, at, n), most, at, word, strlen (word));
	case 5: /* a line less */
		at = line_at (data, bytes, at, &n);
		return take_out (data, bytes, at, n);
	case 6: /* a line twice, somewhere else */
		from = line_at (data, bytes, at, &n);
		n = n < sizeof copy ? n : sizeof copy;
		memcpy (copy, data + from, n);
		at = line_at (data, bytes, below (bytes), &from);
		return put_in (data, bytes, most, at, copy, n);
	default: /* a piece of it somewhere else */
		n = 1 + below (bytes - at < 64 ? bytes - at : 64);
		memcpy (copy, data + at, n);
		return put_in (data, bytes, most, below (bytes), copy, n);
	}
}
