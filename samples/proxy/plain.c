/* SPDX-License-Identifier: MIT */
/* plain.c: see plain.h. */
#include "plain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reader {
	const char *at, *end;
	struct bytes *to;
	char gap; /* blank or newline that is due before the next letter; 0: none */
	bool failed;
};

static void put (struct reader *r, const char *text, size_t n)
{
	/* a gap is one byte for at least one that was read, and so is everything else */
	if (r->gap && r->to->used)
		r->failed |= bytes_add (r->to, &r->gap, 1, (size_t) -1) != 0;
	r->gap = 0;
	r->failed |= bytes_add (r->to, text, n, (size_t) -1) != 0;
}

/* Is the tag at TAG, behind its '<' and '/', called NAME? */
static bool is_called (const struct reader *r, const char *tag, const char *name)
{
	size_t n = strlen (name);

	return (size_t) (r->end - tag) >= n && strncasecmp (tag, name, n) == 0 &&
	       (tag + n == r->end || strchr (" \t\r\n/>", tag[n]));
}

/*
 * The end of what begins at FROM and ends with TEXT, in any case; the end of all where it doesn't.
 */
static const char *behind (const struct reader *r, const char *from, const char *text)
{
	size_t n = strlen (text);

	for (; (size_t) (r->end - from) >= n; from++)
		if (strncasecmp (from, text, n) == 0)
			return from + n;
	return r->end;
}

/* At '<' */
static void skip_tag (struct reader *r)
{
	static const char *const blocks[] = {"p",  "div",   "br", "li",  "ul",    "ol",
					     "tr", "table", "h1", "h2",  "h3",    "h4",
					     "h5", "h6",    "hr", "pre", "title", "section"};
	const char *tag = r->at + 1;

	if (r->end - tag >= 3 && memcmp (tag, "!--", 3) == 0) {
		r->at = behind (r, tag + 3, "-->");
		return;
	}
	tag += tag < r->end && *tag == '/';
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (is_called (r, tag, blocks[i]))
			r->gap = '\n';
	if (is_called (r, r->at + 1, "script"))
		r->at = behind (r, tag, "</script");
	else if (is_called (r, r->at + 1, "style"))
		r->at = behind (r, tag, "</style");
	r->at = behind (r, r->at, ">");
}

/* At '&'. What it doesn't know stays as it is. */
static void put_entity (struct reader *r)
{
	static const char *const entities[][2] = {
		{"&amp;", "&"}, {"&lt;", "<"},   {"&gt;", ">"},     {"&quot;", "\""},
		{"&#39;", "'"}, {"&nbsp;", " "}, {"&mdash;", "--"}, {"&copy;", "(c)"}};

	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
		size_t n = strlen (entities[i][0]);

		if ((size_t) (r->end - r->at) >= n && memcmp (r->at, entities[i][0], n) == 0) {
			put (r, entities[i][1], strlen (entities[i][1]));
			r->at += n;
			return;
		}
	}
	put (r, r->at++, 1);
}

int plain_text (const struct bytes *from, struct bytes *to)
{
	struct reader r = {.at = (const char *) from->data, .to = to};

	r.end = r.at + from->used;
	while (r.at < r.end && !r.failed) {
		if (*r.at == '<') {
			skip_tag (&r);
		} else if (*r.at == '&') {
			put_entity (&r);
		} else if (strchr (" \t\r\n", *r.at)) {
			r.gap = r.gap ? r.gap : ' ';
			r.at++;
		} else {
			put (&r, r.at++, 1);
		}
	}
	if (r.failed || bytes_add (to, "\n", 1, (size_t) -1) != 0) {
		bytes_free (to);
		return -1;
	}
	return 0;
}
