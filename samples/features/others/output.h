/* SPDX-License-Identifier: MIT */
/*
 * output.h: a byte is put into the stream's buffer without a call, as jq writes texts byte by byte and is
 * one thread. It is included before the file that prints, which then has no other change.
 */
#include <stdio.h>

static inline size_t write_bytes (const void *bytes, size_t size, size_t n, FILE *out)
{
	if (size * n == 1)
		return putc_unlocked (*(const unsigned char *) bytes, out) != EOF;
	return fwrite (bytes, size, n, out);
}
#define fwrite write_bytes
