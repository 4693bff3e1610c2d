/* SPDX-License-Identifier: MIT */
/* term.c: see term.h. */
#include "term.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

struct block {
	struct block *next;
	size_t used;
	_Alignas(16) char bytes[BLOCK];
};

static struct block *blocks;
static unsigned made;

static const char *const names[] = {
#define X(name) #name,
	CONSTRUCTORS (X)
#undef X
};

const char *constructor_name (enum constructor is)
{
	return names[is];
}

void *terms_room (size_t bytes)
{
	struct block *block;
	void *room;

	bytes = (bytes + 15) & ~(size_t) 15;
	if (bytes > BLOCK)
		abort ();
	if (!blocks || blocks->used + bytes > BLOCK) {
		block = calloc (1, sizeof *block);
		if (!block) {
			fprintf (stderr, "attributes: no memory\n");
			exit (1);
		}
		block->next = blocks;
		blocks = block;
	}
	room = blocks->bytes + blocks->used;
	blocks->used += bytes;
	return room;
}

const char *terms_keep (const char *text)
{
	return strcpy (terms_room (strlen (text) + 1), text);
}

void terms_free (void)
{
	while (blocks) {
		struct block *next = blocks->next;

		free (blocks);
		blocks = next;
	}
	made = 0;
}

/* What a term without anything but texts in it looks like. */
static const char *shown (const struct term *term)
{
	char text[128];
	size_t n;

	if (!term->n)
		return names[term->is];
	n = (size_t) snprintf (text, sizeof text, "%s(", names[term->is]);
	for (unsigned i = 0; i < term->n; i++) {
		if (term->child[i]->is != Text)
			return names[term->is];
		if (n < sizeof text)
			n += (size_t) snprintf (text + n, sizeof text - n, "%s%s", i ? ", " : "",
						term->child[i]->text);
	}
	if (n + 2 > sizeof text)
		return names[term->is];
	strcat (text, ")");
	return terms_keep (text);
}

struct term *term_new (enum constructor is, struct term *a, struct term *b, struct term *c)
{
	struct term *term = terms_room (sizeof *term);

	*term = (struct term){.is = is, .id = ++made, .child = {a, b, c}};
	term->n = c ? 3 : b ? 2 : a ? 1 : 0;
	term->shown = shown (term);
	return term;
}

struct term *term_text (const char *text)
{
	struct term *term = term_new (Text, NULL, NULL, NULL);

	term->shown = term->text = terms_keep (text);
	return term;
}

struct term *term_number (long value)
{
	char text[24];

	snprintf (text, sizeof text, "%ld", value);
	return term_new (Num, term_text (text), NULL, NULL);
}

struct term *term_list (struct term *first, ...)
{
	struct term *item[64], *list = term_new (Nil, NULL, NULL, NULL);
	unsigned n = 0;
	va_list more;

	va_start (more, first);
	for (struct term *at = first; at && n < 64; at = va_arg (more, struct term *))
		item[n++] = at;
	va_end (more);
	while (n)
		list = term_new (Cons, item[--n], list, NULL);
	return list;
}

struct term *term_with (const struct term *term, unsigned child, struct term *now)
{
	struct term *copy = terms_room (sizeof *copy);

	*copy = *term;
	copy->id = ++made;
	copy->parent = NULL;
	copy->child[child] = now;
	copy->shown = shown (copy);
	return copy;
}

static bool is_node (const struct term *term)
{
	return term->is > None;
}

static void adopt (struct term *term, struct term *parent)
{
	if (is_node (term)) {
		term->parent = parent;
		parent = term;
	}
	for (unsigned i = 0; i < term->n; i++)
		adopt (term->child[i], parent);
}

void terms_adopt (struct term *root)
{
	adopt (root, NULL);
}

size_t terms_in (const struct term *root)
{
	size_t n = 1;

	for (unsigned i = 0; i < root->n; i++)
		n += terms_in (root->child[i]);
	return n;
}

bool terms_equal (const struct term *a, const struct term *b)
{
	if (a->is != b->is || a->n != b->n || (a->is == Text && strcmp (a->text, b->text) != 0))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!terms_equal (a->child[i], b->child[i]))
			return false;
	return true;
}

unsigned terms_made (void)
{
	return made;
}
