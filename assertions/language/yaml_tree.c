/* SPDX-License-Identifier: MIT */
/* yaml_tree.c: see yaml_tree.h; libyaml parses. */
#include "assertions/language/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_document_t *document;
	const char *text;
	size_t bytes;
	struct ppi_diagnostics *d;
	size_t nodes;
	bool full;        /* told that there are too many */
	const char *line; /* of the last scalar; NULL: none yet */
	size_t line_number;
	size_t mark; /* bytes of a byte order mark, which libyaml's columns don't count */
	/*
	 * where YAML could not go on, lines from 0: what is wrong begins and ends there, and was
	 * seen; only with IS_CUT
	 */
	bool is_cut;
	size_t cut_first, cut_last, cut_seen;
};

static struct ppi_yaml *convert (struct reader *r, int index, unsigned depth);

static struct ppi_place place_of (yaml_mark_t mark)
{
	return (struct ppi_place){(uint32_t) mark.line + 1, (uint32_t) mark.column + 1};
}

/*
 * libyaml counts characters; the text is needed in bytes. Places mostly come in their order: lines
 * are counted from that of the last one.
 */
static size_t byte_offset (struct reader *r, yaml_mark_t mark)
{
	const char *line = r->line && mark.line >= r->line_number ? r->line : r->text;

	for (size_t i = line == r->text ? 0 : r->line_number; i < mark.line && line; i++) {
		line = memchr (line, '\n', r->bytes - (size_t) (line - r->text));
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return r->bytes;
	r->line = line;
	r->line_number = mark.line;
	if (mark.line == 0)
		line += r->mark;
	for (size_t column = 0; column < mark.column && *line; column++)
		do
			line++;
		while ((*line & 0xc0) == 0x80);
	return (size_t) (line - r->text);
}

static void convert_scalar (struct reader *r, const yaml_node_t *node, struct ppi_yaml *tree)
{
	const char *value = (const char *) node->data.scalar.value;
	size_t length = node->data.scalar.length;
	yaml_scalar_style_t style = node->data.scalar.style;

	tree->kind = PPI_YAML_SCALAR;
	tree->plain = style == YAML_PLAIN_SCALAR_STYLE;
	tree->scalar = strndup (value, length);
	if (memchr (value, '\0', length))
		ppi_diagnose (r->d, tree->place, "a NUL character is not possible here");
	tree->offset = byte_offset (r, node->start_mark);
	if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		tree->offset++;
	tree->verbatim = tree->offset + length <= r->bytes &&
			 memcmp (r->text + tree->offset, value, length) == 0;
}

static void convert_list (struct reader *r, const yaml_node_t *node, struct ppi_yaml *tree,
			  unsigned depth)
{
	size_t room = (size_t) (node->data.sequence.items.top - node->data.sequence.items.start);

	tree->kind = PPI_YAML_LIST;
	tree->items = calloc (room + 1, sizeof *tree->items);
	for (size_t i = 0; tree->items && i < room; i++) {
		tree->items[tree->n] = convert (r, node->data.sequence.items.start[i], depth + 1);
		tree->n += tree->items[tree->n] != NULL;
	}
}

static void add_pair (struct reader *r, struct ppi_yaml *tree, struct ppi_yaml *key,
		      struct ppi_yaml *value)
{
	const struct ppi_yaml *first = NULL;

	if (key && key->kind != PPI_YAML_SCALAR) {
		ppi_diagnose (r->d, key->place, "a key must be a word");
	} else if (key && value) {
		for (size_t i = 0; i < tree->n; i++)
			if (strcmp (tree->keys[i]->scalar, key->scalar) == 0)
				first = tree->keys[i];
		if (!first) {
			tree->keys[tree->n] = key;
			tree->items[tree->n++] = value;
			return;
		}
		ppi_diagnose (r->d, key->place, "'%s' is given twice; first in line %u",
			      key->scalar, first->place.line);
	}
	ppi_yaml_destroy (key);
	ppi_yaml_destroy (value);
}

static void convert_map (struct reader *r, const yaml_node_t *node, struct ppi_yaml *tree,
			 unsigned depth)
{
	size_t room = (size_t) (node->data.mapping.pairs.top - node->data.mapping.pairs.start);

	tree->kind = PPI_YAML_MAP;
	tree->items = calloc (room + 1, sizeof *tree->items);
	tree->keys = calloc (room + 1, sizeof *tree->keys);
	for (size_t i = 0; tree->items && tree->keys && i < room; i++) {
		const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
		struct ppi_yaml *key = convert (r, pair->key, depth + 1);

		add_pair (r, tree, key, convert (r, pair->value, depth + 1));
	}
}

static bool usual_tag (const yaml_node_t *node)
{
	const char *tag = (const char *) node->tag;

	return !tag || strcmp (tag, YAML_STR_TAG) == 0 || strcmp (tag, YAML_SEQ_TAG) == 0 ||
	       strcmp (tag, YAML_MAP_TAG) == 0;
}

static struct ppi_yaml *convert (struct reader *r, int index, unsigned depth)
{
	const yaml_node_t *node = yaml_document_get_node (r->document, index);
	struct ppi_yaml *tree;

	if (!node || r->full)
		return NULL;
	if (depth > PPI_YAML_DEPTH || ++r->nodes > PPI_YAML_NODES) {
		r->full = true;
		if (depth > PPI_YAML_DEPTH)
			ppi_diagnose (r->d, place_of (node->start_mark),
				      "this is nested more than %u deep", PPI_YAML_DEPTH);
		else
			ppi_diagnose (r->d, place_of (node->start_mark),
				      "this has more than %u parts, aliases counted",
				      PPI_YAML_NODES);
		return NULL;
	}
	tree = calloc (1, sizeof *tree);
	if (!tree)
		return NULL;
	tree->place = place_of (node->start_mark);
	if (!usual_tag (node)) {
		ppi_diagnose (
			r->d, tree->place,
			"the tag %s means nothing in a policy; what begins with ! needs quotes",
			(const char *) node->tag);
		/* what is left of the text is not what was meant */
		ppi_diagnostics_break (r->d, tree->place.line, tree->place.line);
	}
	if (node->type == YAML_SCALAR_NODE)
		convert_scalar (r, node, tree);
	else if (node->type == YAML_SEQUENCE_NODE)
		convert_list (r, node, tree, depth);
	else
		convert_map (r, node, tree, depth);
	if (tree->kind == PPI_YAML_SCALAR
		    ? !tree->scalar
		    : !tree->items || (tree->kind == PPI_YAML_MAP && !tree->keys)) {
		ppi_diagnose (r->d, tree->place, "no memory");
		ppi_yaml_destroy (tree);
		return NULL;
	}
	return tree;
}

/* What those who meet it mostly meant, from the character at which YAML ends. */
static const char *hint (struct reader *r, const yaml_parser_t *parser)
{
	size_t at = byte_offset (r, parser->problem_mark);
	const char *context = parser->context ? parser->context : "";
	char c = at < r->bytes ? r->text[at] : '\0';

	if (c == '\t')
		return ": this is a tab, and YAML is indented by blanks";
	if (strstr (context, "alias") || strstr (parser->problem, "alias"))
		return ": what begins with * needs quotes, like \"*/serve\"";
	if (strstr (context, "anchor"))
		return ": what begins with & needs quotes";
	if (strstr (context, "directive") || c == '%' || c == '@' || c == '`')
		return ": what begins with %, @ or ` needs quotes";
	if (strstr (context, "block scalar") || c == '|' || c == '>')
		return ": what begins with > or | needs quotes";
	if (strstr (context, "quoted scalar") && strstr (parser->problem, "end of"))
		return ": the closing quote is missing";
	if (strstr (parser->problem, "node content"))
		return ": a value is missing, or begins with a character of YAML's own and needs "
		       "quotes";
	if (strstr (parser->problem, "mapping values"))
		return ": a value with ': ' in it needs quotes; or the lines are not indented "
		       "alike";
	if (strstr (context, "simple key"))
		return ": is the ':' behind a key missing?";
	if (strstr (context, "block mapping") || strstr (context, "block collection"))
		return ": are the lines indented alike?";
	if ((c == '[' || c == ']') && strstr (context, "flow mapping"))
		return ": inside { } an expression with [ ] needs quotes";
	if (strstr (context, "flow mapping"))
		return ": is a comma or a } missing? What is no map but begins with { needs quotes";
	if (c == '{' && strstr (context, "flow sequence"))
		return ": inside [ ] what has { in it needs quotes, like "
		       "'latency{command=\"GET\"}.p99'";
	if (strstr (context, "flow sequence"))
		return ": is a comma or a ] missing? What is no list but begins with [ needs "
		       "quotes";
	return "";
}

/* What spans lines is wrong where it begins. */
static void note_cut (const yaml_parser_t *parser, struct reader *r)
{
	static const char *const spans[] = {"flow", "quoted", "simple key"};

	r->is_cut = parser->error != YAML_READER_ERROR && parser->problem;
	r->cut_first = r->cut_last = r->cut_seen = parser->problem_mark.line;
	for (size_t i = 0; parser->context && i < sizeof spans / sizeof *spans; i++)
		if (strstr (parser->context, spans[i]) && parser->context_mark.line < r->cut_last) {
			r->cut_first = parser->context_mark.line;
			r->cut_last--; /* of the next one it was seen only */
			/* a quote that is never closed has swallowed lines that are right */
			if (strstr (spans[i], "quoted"))
				r->cut_last = r->cut_seen = r->cut_first;
			return;
		}
}

static void tell_problem (const yaml_parser_t *parser, struct reader *r)
{
	bool is_open = parser->context && strstr (parser->context, "quoted");
	struct ppi_place place = place_of (is_open ? parser->context_mark : parser->problem_mark);
	const char *problem = parser->problem ? parser->problem : "no memory";

	note_cut (parser, r);
	if (parser->error == YAML_READER_ERROR)
		ppi_diagnose (r->d, ppi_place_of (r->text, r->mark + parser->problem_offset),
			      "%s: a policy is a text in UTF-8", problem);
	else if (parser->context)
		ppi_diagnose (r->d, place, "%s (%s that begins in line %zu)%s", problem,
			      parser->context, parser->context_mark.line + 1, hint (r, parser));
	else
		ppi_diagnose (r->d, place, "%s%s", problem,
			      parser->problem ? hint (r, parser) : "");
}

/* Nothing may follow the first document */
static void check_end (yaml_parser_t *parser, struct reader *r)
{
	yaml_document_t more;
	const yaml_node_t *root;

	if (!yaml_parser_load (parser, &more)) {
		tell_problem (parser, r);
		return;
	}
	root = yaml_document_get_root_node (&more);
	if (root)
		ppi_diagnose (r->d, place_of (root->start_mark),
			      "a policy is one document; a second one begins here");
	yaml_document_delete (&more);
}

static struct ppi_yaml *read_document (yaml_parser_t *parser, struct reader *r)
{
	yaml_document_t document;
	struct ppi_yaml *tree = NULL;

	if (!yaml_parser_load (parser, &document)) {
		tell_problem (parser, r);
		return NULL;
	}
	r->document = &document;
	if (yaml_document_get_root_node (&document)) {
		tree = convert (r, 1, 0);
		check_end (parser, r);
	} else {
		ppi_diagnose (r->d, (struct ppi_place){1, 1},
			      "the policy is empty: it needs 'version: 1' at least");
	}
	r->document = NULL;
	yaml_document_delete (&document);
	return tree;
}

static struct ppi_yaml *parse (struct reader *r)
{
	struct ppi_yaml *tree;
	yaml_parser_t parser;

	r->line = NULL;
	r->is_cut = false;
	if (!yaml_parser_initialize (&parser)) {
		ppi_diagnose (r->d, (struct ppi_place){0, 0}, "no memory");
		return NULL;
	}
	yaml_parser_set_input_string (&parser, (const unsigned char *) r->text + r->mark,
				      r->bytes - r->mark);
	yaml_parser_set_encoding (&parser, YAML_UTF8_ENCODING);
	tree = read_document (&parser, r);
	yaml_parser_delete (&parser);
	return tree;
}

/* ---- going on behind an error ---------------------------------------------------------------- */

/* The value in a line, "key: value" or "- value", or all of it; *IS_VALUE: which. */
static char *value_in (char *line, char *end, bool *is_value)
{
	char *p = line, *colon;

	while (p < end && (*p == ' ' || (*p == '-' && p + 1 < end && p[1] == ' ')))
		p++;
	colon = p < end && (*p == '{' || *p == '[') ? NULL
						    : memmem (p, (size_t) (end - p), ": ", 2);
	*is_value = p < end && (colon || (p > line && memchr (line, '-', (size_t) (p - line)))) &&
		    *p != '\t';
	if (!*is_value)
		return line;
	p = colon ? colon + 2 : p;
	while (p < end && *p == ' ')
		p++;
	*is_value = p < end;
	return p < end ? p : line;
}

/*
 * Puts a word in the place of the value in line FIRST of TEXT, and blanks in that of the lines up
 * to LAST; nothing moves. False: the line is no key with a value, and is blank now.
 */
static bool mend (char *text, size_t bytes, size_t first, size_t last, bool may_keep)
{
	char *line = text, *end;
	bool mended = false, is_value = false;

	for (size_t i = 0; line && i <= last; i++) {
		end = memchr (line, '\n', bytes - (size_t) (line - text));
		end = end ? end : text + bytes;
		if (i >= first) {
			char *value =
				may_keep && i == first ? value_in (line, end, &is_value) : line;

			mended |= may_keep && i == first && is_value;
			memset (value, ' ', (size_t) (end - value));
			if (mended && i == first)
				*value = 'x';
		}
		line = end < text + bytes ? end + 1 : NULL;
	}
	return mended;
}

/*
 * How far a line is indented; SIZE_MAX: nothing is in it. An entry of a list at the margin is
 * indented by 1.
 */
static size_t indented (const char *line, const char *end)
{
	const char *p = line;
	size_t n = 0;

	for (; p < end && (*p == ' ' || *p == '\t' || *p == '\r'); p++)
		n += *p == '\t' ? 8 : 1;
	if (p == end || *p == '#')
		return SIZE_MAX;
	return n ? n + 1 : *p == '-';
}

/*
 * The lines, from 0, of the entry (a metric, an assertion ...) that LINE is in. False: it is in
 * none, or begins one, whose name is not known if it is gone.
 */
static bool find_entry (const struct reader *r, size_t line, size_t *first, size_t *last)
{
	size_t entry = 0, entry_indent = 0, i = 0;
	const char *p = r->text, *stop = r->text + r->bytes;

	for (; p < stop; i++) {
		const char *end = memchr (p, '\n', (size_t) (stop - p));
		size_t indent = indented (p, end ? end : stop);

		if (indent != SIZE_MAX && i > line && indent <= entry_indent)
			break;
		if (indent == 0) {
			entry_indent = 0;
		} else if (i <= line && indent != SIZE_MAX &&
			   (!entry_indent || indent <= entry_indent)) {
			entry_indent = indent;
			entry = i;
		}
		*last = i;
		p = end ? end + 1 : stop;
	}
	*first = entry;
	return entry_indent && entry != line;
}

/*
 * YAML ends at its first error. So that one pass tells the others too, the text is read again with
 * what was wrong made harmless, and nothing is told of those lines. NULL where a line is missing
 * then: what the others say is not known.
 */
static struct ppi_yaml *read_on (struct reader *r)
{
	struct ppi_yaml *tree = NULL;
	bool is_whole = true, is_inside;
	char *copy = malloc (r->bytes + 1);

	if (!copy)
		return NULL;
	memcpy (copy, r->text, r->bytes);
	copy[r->bytes] = '\0';
	r->text = copy;
	for (int i = 0; i < PPI_YAML_ERRORS && !tree && r->is_cut; i++) {
		size_t first = r->cut_first, last = r->cut_last, from = first, to = last;
		bool again = ppi_diagnostics_is_broken (r->d, (uint32_t) first + 1);

		ppi_diagnostics_break (r->d, (uint32_t) first + 1, (uint32_t) r->cut_seen + 1);
		is_inside = find_entry (r, first, &from, &to);
		if (!mend (copy, r->bytes, first, last, !again)) {
			is_whole = is_whole && is_inside;
			ppi_diagnostics_break (r->d, (uint32_t) from + 1, (uint32_t) to + 1);
		}
		tree = parse (r);
	}
	free (copy);
	if (!is_whole) {
		ppi_yaml_destroy (tree);
		return NULL;
	}
	return tree;
}

struct ppi_yaml *ppi_yaml_read (const char *text, size_t bytes, struct ppi_diagnostics *d)
{
	struct reader r = {.text = text, .bytes = bytes, .d = d};
	struct ppi_yaml *tree;

	if (bytes > PPI_YAML_BYTES) {
		ppi_diagnose (d, (struct ppi_place){1, 1}, "the policy is larger than %u bytes",
			      PPI_YAML_BYTES);
		return NULL;
	}
	/* as editors of another system put it in front */
	if (bytes >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
		r.mark = 3;
	tree = parse (&r);
	return tree || !r.is_cut ? tree : read_on (&r);
}

void ppi_yaml_destroy (struct ppi_yaml *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->n; i++) {
		ppi_yaml_destroy (tree->items[i]);
		if (tree->keys)
			ppi_yaml_destroy (tree->keys[i]);
	}
	free (tree->items);
	free (tree->keys);
	free (tree->scalar);
	free (tree);
}

const struct ppi_yaml *ppi_yaml_get (const struct ppi_yaml *map, const char *key)
{
	for (size_t i = 0; map->kind == PPI_YAML_MAP && i < map->n; i++)
		if (strcmp (map->keys[i]->scalar, key) == 0)
			return map->items[i];
	return NULL;
}

struct ppi_place ppi_yaml_place (const struct ppi_yaml *scalar, const char *text, size_t offset)
{
	return scalar->verbatim ? ppi_place_of (text, scalar->offset + offset) : scalar->place;
}

bool ppi_yaml_equal (const struct ppi_yaml *a, const struct ppi_yaml *b)
{
	if (a->kind != b->kind || a->n != b->n)
		return false;
	if (a->kind == PPI_YAML_SCALAR)
		return a->plain == b->plain && strcmp (a->scalar, b->scalar) == 0;
	for (size_t i = 0; i < a->n; i++)
		if (!ppi_yaml_equal (a->items[i], b->items[i]) ||
		    (a->keys && !ppi_yaml_equal (a->keys[i], b->keys[i])))
			return false;
	return true;
}
