/* SPDX-License-Identifier: MIT */
/* source.c: the registry of sources, and the sources that are users' functions. */
#include "libmetrics/source/source.h"

#include "base/lock.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/source/user_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 256 };

__thread uint64_t ppi_reading_number __attribute__ ((tls_model ("initial-exec")));

const char *ppi_reading_name (unsigned reading)
{
	static const char *const names[] = {
#define X(id, name) name,
		PPI_READINGS (X)
#undef X
	};

	return reading < PPI_READING_COUNT ? names[reading] : "?";
}

static const struct ppi_source *sources[SOURCES_MAX];
static unsigned n_sources;

int ppi_source_register (const struct ppi_source *source)
{
	for (unsigned i = 0; i < n_sources; i++)
		if (strcmp (sources[i]->name, source->name) == 0)
			return PP_EEXIST;
	if (n_sources == SOURCES_MAX)
		return PP_ENOMEM;
	sources[n_sources++] = source;
	return PP_OK;
}

static void source_forget (const struct ppi_source *source)
{
	for (unsigned i = 0; i < n_sources; i++)
		if (sources[i] == source) {
			memmove (&sources[i], &sources[i + 1],
				 (n_sources - i - 1) * sizeof (sources[0]));
			n_sources--;
			return;
		}
}

const struct ppi_source *ppi_source_find (const char *text, const char **argument)
{
	*argument = NULL;
	for (unsigned i = 0; i < n_sources; i++) {
		size_t n = strlen (sources[i]->name);

		if (!sources[i]->prefix && strcmp (text, sources[i]->name) == 0)
			return sources[i];
		if (sources[i]->prefix && strncmp (text, sources[i]->name, n) == 0 &&
		    text[n] == ':' && text[n + 1]) {
			*argument = text + n + 1;
			return sources[i];
		}
	}
	return NULL;
}

void ppi_source_prepare (const char *text)
{
	const struct ppi_source *source;
	const char *argument;

	ppi_lock ();
	source = ppi_source_find (text, &argument);
	ppi_unlock ();
	if (source && source->prepare)
		source->prepare ();
}

void ppi_source_each (void (*fn) (const struct ppi_source *source, void *arg), void *arg)
{
	for (unsigned i = 0; i < n_sources; i++)
		fn (sources[i], arg);
}

/* ---- users' functions ------------------------------------------------------------------------ */

/* A function whose module was closed has no value any more. */
static pp_abi_sample_fn function_of (pp_abi_sample_fn *place)
{
	return __atomic_load_n (place, __ATOMIC_ACQUIRE);
}

static int user_begin (struct ppi_source_instance *instance, void *slot)
{
	pp_abi_sample_fn fn = function_of (&instance->user_begin);

	if (!fn)
		return -1;
	fn (slot, NULL);
	return 0;
}

static int user_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)
{
	pp_abi_sample_fn fn = function_of (&instance->user_end);
	uint64_t result[PP_ABI_RESULT_BYTES / 8] = {0};

	if (!fn)
		return -1;
	fn (result, slot);
	memcpy (out, result, sizeof (*out));
	return 0;
}

static int user_point (struct ppi_source_instance *instance, union ppi_sample *out)
{
	return user_end (
		&(struct ppi_source_instance){.user_end = function_of (&instance->user_begin)},
		NULL, out);
}

const struct ppi_source ppi_user_functions = {
	.name = "function",
	.help = "a function of the program's own",
	.class = PPI_SOURCE_FUNCTION,
	.kinds = 3,
	.sample_type = PP_ABI_SAMPLE_INT,
	.scale = 1,
	.reading = PPI_READING_FUNCTION,
	.begin = user_begin,
	.end = user_end,
	.point = user_point,
};

/* ---- PP_SOURCE_ records ---------------------------------------------------------------------- */

struct user_source {
	struct ppi_source source;     /* first */
	struct pp_abi_source *record; /* NULL: its module was closed */
	char name[PP_ABI_NAME_BYTES];
	struct user_source *next;
};

static struct user_source *user_sources; /* all that there were ever: metrics point to them */

static int record_open (struct ppi_source_instance *instance, char *why, size_t room)
{
	const struct user_source *u = (const struct user_source *) (const void *) instance->source;

	(void) why;
	(void) room;
	instance->user_begin = u->record->begin;
	instance->user_end = u->record->end;
	instance->is_fast = u->record->head.flags & PP_ABI_SOURCE_FAST;
	return PP_OK;
}

static enum ppi_unit unit_of (const struct pp_abi_source *record)
{
	if (strncmp (record->unit, "s", sizeof (record->unit)) == 0)
		return PPI_UNIT_SECONDS;
	if (strncmp (record->unit, "B", sizeof (record->unit)) == 0)
		return PPI_UNIT_BYTES;
	return PPI_UNIT_PLAIN;
}

/* What threads and plans were told of it. */
static struct ppi_source shape_of (const struct pp_abi_source *record)
{
	struct ppi_source s = ppi_user_functions;

	s.kinds = record->end ? 2 : 1;
	s.sample_type = record->sample_type;
	s.begin_bytes = record->result_bytes;
	s.unit = (uint8_t) unit_of (record);
	s.open = record_open;
	return s;
}

/* One of a module that was closed, and is there again. */
static struct user_source *closed_source (const struct pp_abi_source *record)
{
	const struct ppi_source s = shape_of (record);
	struct user_source *u = user_sources;

	while (u && (u->record || strcmp (u->name, record->name) != 0 ||
		     u->source.kinds != s.kinds || u->source.sample_type != s.sample_type ||
		     u->source.begin_bytes != s.begin_bytes || u->source.unit != s.unit))
		u = u->next;
	return u;
}

static struct user_source *new_source (const struct pp_abi_source *record)
{
	struct user_source *u = calloc (1, sizeof (*u));

	if (!u)
		return NULL;
	strcpy (u->name, record->name);
	u->source = shape_of (record);
	u->source.name = u->name;
	u->next = user_sources;
	user_sources = u;
	return u;
}

bool ppi_user_source_add (struct pp_abi_record *head)
{
	struct pp_abi_source *record = (struct pp_abi_source *) head;
	struct user_source *u;
	const char *argument;

	if (record->result_bytes > PP_ABI_RESULT_BYTES ||
	    !memchr (record->name, 0, sizeof (record->name))) {
		ppi_message ("%s: a source that cannot be used: its result has %u bytes, at most "
			     "%d are possible",
			     record->where, record->result_bytes, PP_ABI_RESULT_BYTES);
		return false;
	}
	if (ppi_source_find (record->name, &argument)) {
		ppi_message ("%s: there is a source \"%s\" already; this one is not used",
			     record->where, record->name);
		return false;
	}
	u = closed_source (record);
	if (!u)
		u = new_source (record);
	if (!u || ppi_source_register (&u->source) < 0) {
		ppi_message ("%s: no room for source \"%s\"", record->where, record->name);
		return false;
	}
	u->record = record;
	head->runtime = u;
	return true;
}

void ppi_user_source_remove (struct pp_abi_record *head)
{
	struct user_source *u = head->runtime;

	/* instances may still point to it: it stays, unnamed */
	if (u) {
		source_forget (&u->source);
		u->record = NULL;
	}
	head->runtime = NULL;
}
