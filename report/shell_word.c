/* SPDX-License-Identifier: MIT */
/* shell_word.c: words of commands that a user may copy. */
#include "report/shell_word.h"

#include <stdio.h>
#include <string.h>

static const char plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@,-=%";

static bool is_control (char c)
{
	return (unsigned char) c < ' ' || c == 0x7f;
}

bool ppi_shell_word (char *out, size_t room, const char *word)
{
	bool is_plain = *word && !word[strspn (word, plain)];
	const char *quote = is_plain ? "" : "'";
	size_t n = (size_t) snprintf (out, room, "%s", quote);

	for (; *word && !is_control (*word) && n < room; word++)
		n += (size_t) snprintf (out + n, room - n, *word == '\'' ? "'\\''" : "%c", *word);
	if (n < room)
		n += (size_t) snprintf (out + n, room - n, "%s", quote);
	if (*word || n >= room)
		*out = '\0';
	return *out;
}
