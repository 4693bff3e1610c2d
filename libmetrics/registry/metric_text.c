/* SPDX-License-Identifier: MIT */
/*
 * metric_text.c: metrics that are declared as text: pp_metric_new, pragmas' records and their
 * options.
 */
#include "base/lock.h"
#include "base/message.h"
#include "base/named.h"
#include "base/part.h"
#include "base/start.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/user_source.h"
#include "libmetrics/tables/metric.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- declarations as text: pp_metric_new, pragmas' options ----------------------------------- */

static bool parse_number (const char *text, uint64_t max, uint64_t *out)
{
	char *end;
	unsigned long long n = strtoull (text, &end, 10);

	*out = n;
	return isdigit ((unsigned char) *text) && !*end && n > 0 && n <= max;
}

/* What the text of options made. */
static void options_free (struct ppi_metric_spec *spec)
{
	free ((char *) (uintptr_t) spec->fallback);
	free ((char *) (uintptr_t) spec->combine);
	spec->fallback = spec->combine = NULL;
}

/* fallback=SOURCE may be said several times: they become one list. */
static int add_fallback (struct ppi_metric_spec *spec, const char *source)
{
	const char *before = spec->fallback;
	char *list;

	if (asprintf (&list, "%s%s%s", before ? before : "", before ? "," : "", source) < 0)
		return PP_ENOMEM;
	free ((char *) (uintptr_t) before);
	spec->fallback = list;
	return PP_OK;
}

static int parse_scope (const char *name, struct ppi_metric_spec *spec, char *why, size_t room)
{
	int scope = ppi_scope_parse (name);

	spec->scope = (uint8_t) (scope < 0 ? 0 : scope);
	if (scope >= 0)
		return PP_OK;
	snprintf (why, room, "scope=%s: there are total, self and outermost", name);
	return PP_EINVAL;
}

static int set_operator (const char *name, struct ppi_metric_spec *spec, char *why, size_t room)
{
	if (spec->combine) {
		snprintf (why, room, "operator=%s: an operator was said before", name);
		return PP_EINVAL;
	}
	spec->combine = strdup (name);
	return spec->combine ? PP_OK : PP_ENOMEM;
}

static int parse_option (char *option, struct ppi_metric_spec *spec, char *why, size_t room)
{
	const struct ppi_keep_size *keeps = &ppi_keep_of (spec->accumulator)->size;
	const char *size = keeps->option ? keeps->option : "";
	char *value = strchr (option, '=');
	uint64_t n = spec->every;
	bool good;

	if (value)
		*value++ = '\0';
	if (!value && strcmp (option, "optional") == 0) {
		spec->optional = true;
		return PP_OK;
	}
	if (!value && strcmp (option, "corrected") == 0) {
		spec->corrected = true;
		return PP_OK;
	}
	if (!value && strcmp (option, "jumped") == 0) {
		spec->jumped = true;
		return PP_OK;
	}
	if (value && *value && strcmp (option, "fallback") == 0)
		return add_fallback (spec, value);
	if (value && *value && strcmp (option, "operator") == 0)
		return set_operator (value, spec, why, room);
	if (value && strcmp (option, "scope") == 0)
		return parse_scope (value, spec, why, room);
	if (value && *size && strcmp (option, size) == 0) {
		good = parse_number (value, keeps->most, &spec->size);
	} else if (value && strcmp (option, "every") == 0) {
		good = parse_number (value, PPI_EVERY_MAX, &n);
	} else {
		snprintf (why, room,
			  "unknown option \"%s\" of %s; there are every=N, scope=SCOPE, "
			  "operator=NAME, corrected, jumped, optional, fallback=SOURCE%s%s%s",
			  option, ppi_accumulator_name (spec->accumulator), *size ? " and " : "",
			  size, *size ? "=N" : "");
		return PP_EINVAL;
	}
	if (!good) {
		snprintf (why, room, "%s=%s: expected a whole number from 1", option, value);
		return PP_EINVAL;
	}
	spec->every = (uint32_t) n;
	return PP_OK;
}

static int parse_options (const char *options, struct ppi_metric_spec *spec, char *why, size_t room)
{
	char *copy = strdup (options), *rest = copy, *option;
	int r = copy ? PP_OK : PP_ENOMEM;

	while (r == PP_OK && (option = strtok_r (rest, ", ", &rest)))
		r = parse_option (option, spec, why, room);
	free (copy);
	return r;
}

/* "interval stats(elapsed, every=4)" */
static int parse_declaration (char *text, struct ppi_metric_spec *spec, char *why, size_t room)
{
	char *rest = text, *kind, *accumulator, *source, *close = strrchr (text, ')');
	int a;

	snprintf (why, room, "expected \"point|interval ACCUMULATOR(SOURCE[, key=value])\"");
	if (!close || !strchr (text, '(') || close[1 + strspn (close + 1, " \t")])
		return PP_EINVAL;
	*close = '\0';
	kind = strtok_r (rest, " \t", &rest);
	accumulator = strtok_r (rest, "( \t", &rest);
	rest += rest ? strspn (rest, "( \t") : 0;
	source = rest ? strtok_r (rest, ", \t", &close) : NULL;
	if (!kind || !accumulator || !source)
		return PP_EINVAL;
	spec->kind = strcmp (kind, "point") == 0      ? PP_ABI_SITE_POINT
		     : strcmp (kind, "interval") == 0 ? PP_ABI_SITE_INTERVAL
						      : 0;
	if (!spec->kind)
		return PP_EINVAL;
	a = ppi_accumulator_parse (accumulator);
	if (a < 0) {
		snprintf (why, room, "unknown accumulator \"%s\"", accumulator);
		return PP_EINVAL;
	}
	spec->accumulator = (uint8_t) a;
	spec->source = source;
	return close ? parse_options (close, spec, why, room) : PP_OK;
}

static int (*make_computed) (const char *name, const char *text, pp_metric **out, char *why,
			     size_t room);

void ppi_computed_maker_set (int (*make) (const char *name, const char *text, pp_metric **out,
					  char *why, size_t room))
{
	make_computed = make;
}

/* "expr(shadow_rays.sum / pixel_time.total)": a composite metric. DECLARATION is changed. */
static int new_computed (const char *name, char *declaration, pp_metric **out, char *why,
			 size_t room)
{
	char *text = declaration + strspn (declaration, " \t") + strlen ("expr"),
	     *close = strrchr (text, ')');

	text += strspn (text, " \t");
	snprintf (why, room, "expected \"expr(EXPRESSION)\"");
	if (*text != '(' || !close || close[1 + strspn (close + 1, " \t")] || !make_computed)
		return PP_EINVAL;
	*close = '\0';
	return make_computed (name, text + 1, out, why, room);
}

static bool is_computed (const char *declaration)
{
	const char *word = declaration + strspn (declaration, " \t");

	return strncmp (word, "expr", 4) == 0 &&
	       (word[4] == '(' || word[4] == ' ' || word[4] == '\t');
}

int pp_metric_new (pp_metric **out, const char *name, const char *declaration)
{
	struct ppi_metric_spec spec = {.name = name};
	char why[512], *text;
	pp_metric *m = NULL;
	int r, saved = errno;

	if (!name || !*name || !declaration)
		return PP_EINVAL;
	if (!ppi_is_identifier (name)) {
		ppi_message ("pp_metric_new (\"%s\", \"%s\"): the name of a metric is letters, "
			     "digits and _",
			     name, declaration);
		return PP_EINVAL;
	}
	text = strdup (declaration);
	if (!text)
		return PP_ENOMEM;
	if (is_computed (text)) {
		ppi_runtime_start ();
		ppi_lock ();
		r = new_computed (name, text, &m, why, sizeof (why));
		if (r == PP_OK)
			ppi_parts_names_changed ();
		ppi_unlock ();
	} else {
		r = parse_declaration (text, &spec, why, sizeof (why));
	}
	if (r == PP_OK && !m) {
		ppi_source_prepare (spec.source);
		ppi_fallback_prepare (spec.fallback);
		ppi_lock ();
		r = ppi_metric_declare (&spec, &m, why, sizeof (why));
		if (r == PP_OK)
			ppi_parts_names_changed ();
		ppi_unlock ();
	}
	options_free (&spec);
	free (text);
	if (r < 0)
		ppi_message ("pp_metric_new (\"%s\", \"%s\"): %s", name, declaration, why);
	errno = saved;
	if (r < 0)
		return r == PP_ENOENT ? PP_EINVAL : r;
	if (out)
		*out = m;
	return m && m->unavailable ? PP_EUNAVAILABLE : PP_OK;
}

/* ---- static records -------------------------------------------------------------------------- */

void ppi_metric_add_record (struct pp_abi_record *head)
{
	struct pp_abi_metric *rec = (struct pp_abi_metric *) head;
	const char *base = (const char *) rec;
	char why[512], where[512];
	pp_metric *m = NULL;
	struct ppi_metric_spec spec = {
		.name = base + head->name,
		.kind = rec->kind,
		.source = base + rec->source,
		.begin = rec->begin,
		.end = rec->end,
		.sample_type = rec->sample_type,
		.result_bytes = rec->result_bytes,
		.has_arguments = head->flags & PP_ABI_METRIC_ARGUMENTS,
		.is_fast = head->flags & PP_ABI_METRIC_FAST,
		.is_const = head->flags & PP_ABI_METRIC_CONST,
		.where = where,
	};
	int a = ppi_accumulator_parse (base + rec->accumulator), r = a < 0 ? PP_EINVAL : PP_OK;

	snprintf (where, sizeof (where), "%s:%u:%u", base + head->file, head->line, head->column);
	snprintf (why, sizeof (why), "unknown accumulator \"%s\"", base + rec->accumulator);
	spec.accumulator = (uint8_t) (a < 0 ? 0 : a);
	if (r == PP_OK && rec->options)
		r = parse_options (base + rec->options, &spec, why, sizeof (why));
	if (r == PP_OK)
		r = ppi_metric_declare (&spec, &m, why, sizeof (why));
	options_free (&spec);
	if (r < 0) {
		ppi_message ("%s: %s; this declaration is not used", where, why);
		return;
	}
	head->runtime = m;
	if (rec->variable)
		*(pp_metric **) rec->variable = m;
}

void ppi_metric_remove_record (struct pp_abi_record *head)
{
	const struct pp_abi_metric *rec = (const struct pp_abi_metric *) head;
	pp_metric *m = head->runtime;

	if (!m || !rec->begin || m->instance.user_begin != rec->begin)
		return;
	__atomic_store_n (&m->instance.user_begin, NULL, __ATOMIC_RELEASE);
	__atomic_store_n (&m->instance.user_end, NULL, __ATOMIC_RELEASE);
}

void ppi_metric_add_source (struct pp_abi_record *head)
{
	const struct pp_abi_source *rec = (const struct pp_abi_source *) head;

	if (!ppi_user_source_add (head))
		return;
	/*
	 * those whose source went with its module, and is there again; plans trust in what it was
	 */
	for (pp_metric *m = ppi_metric_first (); m; m = m->next)
		if (m->instance.source == head->runtime && !m->instance.user_begin &&
		    (!m->instance.is_fast || (head->flags & PP_ABI_SOURCE_FAST))) {
			__atomic_store_n (&m->instance.user_end, rec->end, __ATOMIC_RELEASE);
			__atomic_store_n (&m->instance.user_begin, rec->begin, __ATOMIC_RELEASE);
		}
}

void ppi_metric_forget_source (struct pp_abi_record *head)
{
	const void *source = head->runtime;

	for (pp_metric *m = ppi_metric_first (); source && m; m = m->next)
		if (m->instance.source == source) {
			__atomic_store_n (&m->instance.user_begin, NULL, __ATOMIC_RELEASE);
			__atomic_store_n (&m->instance.user_end, NULL, __ATOMIC_RELEASE);
		}
	ppi_user_source_remove (head);
}

void ppi_metric_lend_functions (struct pp_abi_record *head)
{
	const struct pp_abi_metric *rec = (const struct pp_abi_metric *) head;
	pp_metric *m = head->runtime;

	/* plans trust in what the first declaration's functions are */
	if (!m || !rec->begin || m->instance.user_begin ||
	    (m->instance.is_fast && !(head->flags & PP_ABI_METRIC_FAST)))
		return;
	__atomic_store_n (&m->instance.user_end, rec->end, __ATOMIC_RELEASE);
	__atomic_store_n (&m->instance.user_begin, rec->begin, __ATOMIC_RELEASE);
}
