/* SPDX-License-Identifier: MIT */
/* instances.c: see instances.h. */
#include "profiler/analysis/instances.h"

#include "base/memory.h"
#include "profiler/analysis/payload.h"

#include <pp_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ppi_instances_keep (struct ppi_instances *out, const char *text)
{
	char **more = ppi_list_reach (out->text, out->texts, &out->texts_room, sizeof *more);

	if (!more)
		return NULL;
	out->text = more;
	out->text[out->texts] = strdup (text);
	return out->text[out->texts] ? out->text[out->texts++] : NULL;
}

struct pp_analysis_named *ppi_instances_dims (struct ppi_instances *out, size_t n)
{
	struct pp_analysis_named **lists = ppi_list_reach (out->dims, out->dim_lists,
							   &out->dim_lists_room, sizeof *lists),
				 *list = lists ? calloc (n + 1, sizeof *list) : NULL;

	if (lists)
		out->dims = lists;
	if (list)
		lists[out->dim_lists++] = list;
	return list;
}

const char **ppi_instances_around (struct ppi_instances *out, size_t n)
{
	const char ***lists = ppi_list_reach ((void *) out->around, out->arounds,
					      &out->arounds_room, sizeof *lists);
	const char **list = lists ? calloc (n + 1, sizeof *list) : NULL;

	if (lists)
		out->around = lists;
	if (list)
		lists[out->arounds++] = list;
	return list;
}

/* As people read it; PAYLOAD may be of several values. It stays with OUT, or is PAYLOAD. */
static const char *payload_text (struct ppi_instances *out, const char *payload)
{
	const char *at = payload, *kept;
	struct ppi_payload_value value;
	char *text;

	if (!payload || !ppi_payload_next (&at, &value))
		return payload;
	text = ppi_payload_text (payload);
	kept = text ? ppi_instances_keep (out, text) : NULL;
	free (text);
	return kept;
}

/* VALUE as analyses have it; false: no memory. */
static bool name_value (struct ppi_instances *out, const struct ppi_payload_value *value,
			struct pp_analysis_named *to)
{
	char *key = strndup (value->key, value->key_bytes),
	     *text = strndup (value->text, value->bytes);
	double real;

	to->name = key ? ppi_instances_keep (out, key) : NULL;
	memcpy (&real, &value->bits, sizeof real);
	switch (value->type) {
	case PP_ABI_VALUE_STRING:
		to->value = pp_analysis_text (text ? ppi_instances_keep (out, text) : NULL);
		break;
	case PP_ABI_VALUE_DOUBLE:
		to->value = pp_analysis_real (real);
		break;
	case PP_ABI_VALUE_UNSIGNED:
		to->value = value->bits > INT64_MAX ? pp_analysis_real ((double) value->bits)
						    : pp_analysis_integer ((int64_t) value->bits);
		break;
	default:
		to->value = pp_analysis_integer ((int64_t) value->bits);
		if (value->type == PP_ABI_VALUE_POINTER)
			to->value.type = PP_ANALYSIS_POINTER;
	}
	free (key);
	free (text);
	return to->name && to->value.type != PP_ANALYSIS_MISSING;
}

/* Its payload is PAYLOAD, which may be NULL, or of several values. False: no memory. */
static bool set_payload (struct ppi_instances *out, struct pp_analysis_instance *is,
			 const char *payload)
{
	struct pp_analysis_named *list;
	struct ppi_payload_value value;
	const char *at = payload;
	size_t n = 0;

	is->payload = payload_text (out, payload);
	while (ppi_payload_next (&at, &value))
		n++;
	if (!n)
		return is->payload || !payload;
	list = ppi_instances_dims (out, n);
	if (!list)
		return false;
	is->dims = list;
	for (at = payload; is->n_dims < n && ppi_payload_next (&at, &value); is->n_dims++)
		if (!name_value (out, &value, &list[is->n_dims]))
			return false;
	return is->payload;
}

struct pp_analysis_instance *ppi_instances_new (struct ppi_instances *out)
{
	struct pp_analysis_instance *more =
		ppi_list_reach (out->instance, out->n, &out->room, sizeof *more);

	if (!more)
		return NULL;
	out->instance = more;
	out->instance[out->n] = (struct pp_analysis_instance){.feature = ""};
	return &out->instance[out->n++];
}

static int compare (const void *a, const void *b)
{
	const struct pp_analysis_instance *x = a, *y = b;
	int order;

	if (x->time_s < y->time_s || x->time_s > y->time_s)
		return x->time_s > y->time_s ? -1 : 1;
	if ((order = strcmp (x->feature, y->feature)) || (order = strcmp (x->place, y->place)))
		return order;
	return strcmp (x->payload ? x->payload : "", y->payload ? y->payload : "");
}

void ppi_instances_sort (struct ppi_instances *out)
{
	if (out->n)
		qsort (out->instance, out->n, sizeof *out->instance, compare);
}

void ppi_instances_clear (struct ppi_instances *out)
{
	for (size_t i = 0; i < out->texts; i++)
		free (out->text[i]);
	for (size_t i = 0; i < out->arounds; i++)
		free ((void *) out->around[i]);
	for (size_t i = 0; i < out->dim_lists; i++)
		free (out->dims[i]);
	free (out->text);
	free ((void *) out->around);
	free (out->dims);
	free (out->instance);
	ppi_intern_free (&out->keys);
	*out = (struct ppi_instances){.n = 0};
}

/* ---- of samples ------------------------------------------------------------------------------ */

enum { OPEN_MOST = 256, NO_CALLER = -1 };

/* What tells instances apart: the caller, the mark, and the marks of its feature around it. */
struct chain {
	uint32_t n;
	int64_t of[OPEN_MOST + 1];
};

struct sampled {
	const struct ppi_samples *samples;
	struct ppi_instances *out;
	struct ppi_intern chains;
	const char **place; /* of each function, once it was asked for */
};

static bool is_mark (const struct ppi_function *f)
{
	return f->kind == PP_ABI_SITE_FEATURE;
}

static bool is_of (const struct ppi_function *f, const struct ppi_function *feature)
{
	return (is_mark (f) || f->kind == PP_ABI_SITE_ANTIMARK) &&
	       strcmp (f->name, feature->name) == 0;
}

static const char *place_of (struct sampled *s, uint32_t function)
{
	const struct ppi_function *f = &s->samples->function[function];
	char text[4300];

	if (!s->place[function]) {
		snprintf (text, sizeof text, "%.4200s:%u", f->file, f->line);
		s->place[function] =
			ppi_instances_keep (s->out, *f->file ? text : "unknown location");
	}
	return s->place[function];
}

/* The mark at FRAME[AT], what it was begun in, and what is around it: the newest OPEN_MOST. */
static void chain_of (const struct sampled *s, const uint32_t *frame, size_t at,
		      struct chain *chain)
{
	const struct ppi_function *function = s->samples->function, *mark = &function[frame[at]];

	chain->of[0] = NO_CALLER;
	chain->of[1] = frame[at];
	chain->n = 2;
	for (size_t i = at; i-- > 0;) {
		const struct ppi_function *f = &function[frame[i]];

		if (!is_of (f, mark) && f->kind != PP_ABI_SITE_ANTIMARK &&
		    chain->of[0] == NO_CALLER)
			chain->of[0] = frame[i];
		if (is_mark (f) && is_of (f, mark) && chain->n <= OPEN_MOST)
			chain->of[chain->n++] = frame[i];
	}
}

static bool describe (struct sampled *s, const struct chain *chain)
{
	const struct ppi_function *function = s->samples->function;
	struct pp_analysis_instance *to = ppi_instances_new (s->out);
	const char **around;

	if (!to)
		return false;
	to->feature = function[chain->of[1]].name;
	to->place = place_of (s, (uint32_t) chain->of[1]);
	to->caller = chain->of[0] == NO_CALLER ? NULL : function[chain->of[0]].name;
	to->n_around = chain->n - 2;
	around = ppi_instances_around (s->out, to->n_around);
	if (!around || !to->place || !set_payload (s->out, to, function[chain->of[1]].payload))
		return false;
	to->around = around;
	for (uint32_t i = chain->n; i-- > 2;) {
		const struct ppi_function *f = &function[chain->of[i]];

		*around = f->payload ? payload_text (s->out, f->payload)
				     : place_of (s, (uint32_t) chain->of[i]);
		if (!*around++)
			return false;
	}
	return true;
}

static bool charge (struct sampled *s, const uint32_t *frame, size_t at, double cost,
		    uint64_t times)
{
	struct chain chain;
	struct ppi_intern_entry *entry;
	struct pp_analysis_instance *is;
	bool is_new;

	chain_of (s, frame, at, &chain);
	entry = ppi_intern (&s->chains, chain.of, chain.n * sizeof *chain.of, &is_new);
	if (!entry || (is_new && !describe (s, &chain)))
		return false;
	/* numbers are given in the order in which instances are added */
	is = &s->out->instance[entry->number - 1];
	is->time_s += cost;
	is->times += times;
	return true;
}

/* Who is charged: of each feature the newest entry, where it is a mark. */
static bool add_sample (struct sampled *s, const struct ppi_stack_sample *sample, double cost)
{
	const struct ppi_samples *all = s->samples;
	const struct ppi_stack *stack = &all->stack[sample->stack];
	const uint32_t *frame = all->frame + stack->first;

	for (size_t i = stack->n; i-- > 0;) {
		const struct ppi_function *f = &all->function[frame[i]];
		bool is_newest = is_mark (f);

		for (size_t k = i + 1; k < stack->n && is_newest; k++)
			is_newest = !is_of (&all->function[frame[k]], f);
		if (is_newest && !charge (s, frame, i, cost, ppi_sample_times (all, sample)))
			return false;
	}
	return true;
}

bool ppi_instances_sampled (const struct ppi_samples *samples, struct ppi_instances *out)
{
	struct sampled s = {.samples = samples, .out = out};
	bool ok;

	*out = (struct ppi_instances){.n = 0};
	s.place = calloc (samples->functions + 1, sizeof *s.place);
	ok = s.place != NULL;
	for (size_t t = 0; ok && t < samples->threads; t++)
		for (size_t i = 0; ok && i < samples->thread[t].n; i++)
			ok = add_sample (&s, &samples->thread[t].sample[i],
					 ppi_sample_cost (samples, &samples->thread[t], i));
	ppi_intern_free (&s.chains);
	free ((void *) s.place);
	ppi_instances_sort (out);
	return ok;
}

/* ---- of what was measured -------------------------------------------------------------------- */

struct measured {
	struct ppi_instances *out;
	struct ppi_intern names;
};

/* Threads have entries of their own. */
static bool add_measured (const struct ppi_measured_feature *m, void *arg)
{
	struct measured *to = arg;
	struct pp_analysis_instance *is;
	struct ppi_intern_entry *entry;
	bool is_new;
	char *key = NULL;
	int n;

	if (!m->times)
		return true;
	n = asprintf (&key, "%s%c%s%c%d%s", m->feature, 0, m->place, 0, m->payload != NULL,
		      m->payload ? m->payload : "");
	if (n < 0)
		return false;
	entry = ppi_intern (&to->names, key, (size_t) n, &is_new);
	free (key);
	if (!entry || (is_new && !ppi_instances_new (to->out)))
		return false;
	is = &to->out->instance[entry->number - 1];
	if (is_new) {
		is->feature = ppi_instances_keep (to->out, m->feature);
		is->place = ppi_instances_keep (to->out, m->place);
		is->payload = m->payload ? ppi_instances_keep (to->out, m->payload) : NULL;
		if (!is->feature || !is->place || !set_payload (to->out, is, is->payload))
			return false;
	}
	is->time_s += m->time;
	is->times += m->times;
	return true;
}

bool ppi_instances_measured (const struct ppi_recording *recording, struct ppi_instances *out)
{
	struct measured to = {.out = out};
	bool ok;

	*out = (struct ppi_instances){.n = 0};
	ok = ppi_features_each_measured (recording, add_measured, &to);
	ppi_intern_free (&to.names);
	if (ok)
		ppi_instances_sort (out);
	return ok;
}
