/* SPDX-License-Identifier: MIT */
/* bytes.c: see bytes.h. */
#include "bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bytes_add (struct bytes *bytes, const void *data, size_t n, size_t limit)
{
	if (bytes->used > limit || n > limit - bytes->used)
		return -1;
	if (n > bytes->room - bytes->used) {
		size_t room = bytes->used + n > 2 * bytes->room ? bytes->used + n : 2 * bytes->room;
		unsigned char *more = realloc (bytes->data, room);

		if (!more)
			return -1;
		bytes->data = more;
		bytes->room = room;
	}
	if (n)
		memcpy (bytes->data + bytes->used, data, n);
	bytes->used += n;
	return 0;
}

void bytes_free (struct bytes *bytes)
{
	free (bytes->data);
	*bytes = (struct bytes){NULL, 0, 0};
}

int number_option (const char *program, const char *option, const char *text, long low, long high,
		   int *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol (text, &end, 10);
	if (errno || end == text || *end || number < low || number > high) {
		fprintf (stderr, "%s: %s: expected a number from %ld to %ld, not \"%s\"\n", program,
			 option, low, high, text);
		return -1;
	}
	*out = (int) number;
	return 0;
}
