/* SPDX-License-Identifier: MIT */
/* yaml_tree.c: see yaml_tree.h; libyaml parses. */
#include "yaml_tree.h"

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
};

static struct ppi_yaml *convert (struct reader *r, int index, unsigned depth);

static struct ppi_place place_of (yaml_mark_t mark)
{
	return (struct ppi_place){(uint32_t) mark.line + 1, (uint32_t) mark.column + 1};
}

/* libyaml counts characters; the text is needed in bytes. Places mostly come in their order: lines are counted from that of the last one. */
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
	tree->verbatim = tree->offset + length <= r->bytes && memcmp (r->text + tree->offset, value, length) == 0;
}

static void convert_list (struct reader *r, const yaml_node_t *node, struct ppi_yaml *tree, unsigned depth)
{
	size_t room = (size_t) (node->data.sequence.items.top - node->data.sequence.items.start);

	tree->kind = PPI_YAML_LIST;
	tree->items = calloc (room + 1, sizeof *tree->items);
	for (size_t i = 0; tree->items && i < room; i++) {
		tree->items[tree->n] = convert (r, node->data.sequence.items.start[i], depth + 1);
		tree->n += tree->items[tree->n] != NULL;
	}
}

static void add_pair (struct reader *r, struct ppi_yaml *tree, struct ppi_yaml *key, struct ppi_yaml *value)
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
		ppi_diagnose (r->d, key->place, "'%s' is given twice; first in line %u", key->scalar,
			      first->place.line);
	}
	ppi_yaml_destroy (key);
	ppi_yaml_destroy (value);
}

static void convert_map (struct reader *r, const yaml_node_t *node, struct ppi_yaml *tree, unsigned depth)
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
			ppi_diagnose (r->d, place_of (node->start_mark), "this is nested more than %u deep",
				      PPI_YAML_DEPTH);
		else
			ppi_diagnose (r->d, place_of (node->start_mark), "this has more than %u parts, aliases counted",
				      PPI_YAML_NODES);
		return NULL;
	}
	tree = calloc (1, sizeof *tree);
	if (!tree)
		return NULL;
	tree->place = place_of (node->start_mark);
	if (!usual_tag (node))
		ppi_diagnose (r->d, tree->place, "the tag %s means nothing in a policy", (const char *) node->tag);
	if (node->type == YAML_SCALAR_NODE)
		convert_scalar (r, node, tree);
	else if (node->type == YAML_SEQUENCE_NODE)
		convert_list (r, node, tree, depth);
	else
		convert_map (r, node, tree, depth);
	if (tree->kind == PPI_YAML_SCALAR ? !tree->scalar
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
	char c = at < r->bytes ? r->text[at] : '\0';

	if (c == '\t')
		return ": this is a tab, and YAML is indented by blanks";
	if ((c == '[' || c == ']') && parser->context && strstr (parser->context, "flow mapping"))
		return ": inside { } an expression with [ ] needs quotes";
	return "";
}

static void tell_problem (const yaml_parser_t *parser, struct reader *r)
{
	struct ppi_place place = place_of (parser->problem_mark);
	const char *problem = parser->problem ? parser->problem : "no memory";

	if (parser->error == YAML_READER_ERROR)
		ppi_diagnose (r->d, (struct ppi_place){0, 0}, "%s at byte %zu", problem, parser->problem_offset);
	else if (parser->context)
		ppi_diagnose (r->d, place, "%s (%s that begins in line %zu)%s", problem, parser->context,
			      parser->context_mark.line + 1, hint (r, parser));
	else
		ppi_diagnose (r->d, place, "%s%s", problem, hint (r, parser));
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
		ppi_diagnose (r->d, place_of (root->start_mark), "a policy is one document; a second one begins here");
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
		ppi_diagnose (r->d, (struct ppi_place){0, 0}, "the policy is empty");
	}
	r->document = NULL;
	yaml_document_delete (&document);
	return tree;
}

struct ppi_yaml *ppi_yaml_read (const char *text, size_t bytes, struct ppi_diagnostics *d)
{
	struct reader r = {.text = text, .bytes = bytes, .d = d};
	struct ppi_yaml *tree;
	yaml_parser_t parser;

	if (bytes > PPI_YAML_BYTES) {
		ppi_diagnose (d, (struct ppi_place){0, 0}, "the policy is larger than %u bytes", PPI_YAML_BYTES);
		return NULL;
	}
	if (!yaml_parser_initialize (&parser)) {
		ppi_diagnose (d, (struct ppi_place){0, 0}, "no memory");
		return NULL;
	}
	/* as editors of another system put it in front */
	if (bytes >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
		r.mark = 3;
	yaml_parser_set_input_string (&parser, (const unsigned char *) text + r.mark, bytes - r.mark);
	yaml_parser_set_encoding (&parser, YAML_UTF8_ENCODING);
	tree = read_document (&parser, &r);
	yaml_parser_delete (&parser);
	return tree;
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
		if (!ppi_yaml_equal (a->items[i], b->items[i]) || (a->keys && !ppi_yaml_equal (a->keys[i], b->keys[i])))
			return false;
	return true;
}
