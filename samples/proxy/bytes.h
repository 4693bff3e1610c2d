/* SPDX-License-Identifier: MIT */
/* bytes.h: bytes that grow; all zero is none. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>

struct bytes {
	unsigned char *data; /* malloced: free it, or give it away */
	size_t used, room;
};

/* Appends N bytes. -1: no memory, or more than LIMIT altogether; then nothing is appended. */
int bytes_add (struct bytes *bytes, const void *data, size_t n, size_t limit);
void bytes_free (struct bytes *bytes);

/* A whole number from LOW to HIGH, or an error that names PROGRAM and OPTION on stderr: 0 or -1. */
int number_option (const char *program, const char *option, const char *text, long low, long high,
		   int *out);

#endif
