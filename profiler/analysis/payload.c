/* SPDX-License-Identifier: MIT */
/* payload.c: see payload.h. */
#include "profiler/analysis/payload.h"

#include "base/dims.h"
#include "recording/layout.h"

#include <pp_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char missing[] = "(none)";

/* What stands as hexadecimal bits, or as a decimal, into OUT. */
static void read_number (struct ppi_payload_value *out)
{
	char digits[32];
	double real;

	snprintf (digits, sizeof digits, "%.*s", out->bytes < 24 ? (int) out->bytes : 24,
		  out->text);
	out->bits = *digits == '-' ? (uint64_t) strtoll (digits, NULL, 10)
				   : strtoull (digits, NULL, ppi_is_integer (out->type) ? 10 : 16);
	if (out->type == PP_ABI_VALUE_BOOL) {
		out->text = out->bits ? "true" : "false";
		out->bytes = strlen (out->text);
	}
	if (ppi_is_integer (out->type))
		return;
	memcpy (&real, &out->bits, sizeof real);
	if (out->type == PP_ABI_VALUE_POINTER)
		snprintf (out->number, sizeof out->number, "0x%llx",
			  (unsigned long long) out->bits);
	else
		snprintf (out->number, sizeof out->number, "%.15g", real);
	if (out->type == PP_ABI_VALUE_DOUBLE && strtod (out->number, NULL) != real)
		snprintf (out->number, sizeof out->number, "%.17g", real);
	out->text = out->number;
	out->bytes = strlen (out->number);
}

bool ppi_payload_next (const char **at, struct ppi_payload_value *out)
{
	static const char separator[] = {PPI_RICH_SEPARATOR, '\0'};
	const char *from = *at, *end, *is;
	enum pp_abi_value type;

	if (!from || *from != PPI_RICH_SEPARATOR || !from[1])
		return false;
	end = from + 1 + strcspn (from + 1, separator);
	*at = end;
	is = memchr (from + 1, '=', (size_t) (end - from) - 1);
	type = ppi_value_of_letter (from[1]);
	if (!is || !type || is == from + 1)
		return ppi_payload_next (at, out);
	*out = (struct ppi_payload_value){.key = from + 2,
					  .key_bytes = (size_t) (is - from) - 2,
					  .type = (unsigned) type,
					  .text = is + 1,
					  .bytes = (size_t) (end - is) - 1};
	if (out->type != PP_ABI_VALUE_STRING)
		read_number (out);
	return true;
}

bool ppi_payload_find (const char *payload, const char *key, struct ppi_payload_value *out)
{
	size_t n = strlen (key);

	while (ppi_payload_next (&payload, out))
		if (out->key_bytes == n && memcmp (out->key, key, n) == 0)
			return true;
	return false;
}

static void put (FILE *out, const char *before, const char *key, size_t key_bytes, const char *text,
		 size_t bytes)
{
	fprintf (out, "%s%.*s=%.*s", before, (int) key_bytes, key, (int) bytes, text);
}

char *ppi_payload_text (const char *payload)
{
	const char *at = payload, *before = "";
	struct ppi_payload_value value;
	char *text = NULL;
	size_t n;
	FILE *out;

	/* a blank would be taken for no name at all */
	if (!*payload)
		return strdup ("\"\"");
	if (*payload != PPI_RICH_SEPARATOR)
		return strdup (payload);
	out = open_memstream (&text, &n);
	if (!out)
		return NULL;
	for (; ppi_payload_next (&at, &value); before = ", ")
		put (out, before, value.key, value.key_bytes, value.text, value.bytes);
	return fclose (out) ? NULL : text;
}

char *ppi_payload_by (const char *payload, const struct ppi_payload_keys *keys)
{
	struct ppi_payload_value value;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream (&text, &n);

	if (!out)
		return NULL;
	for (size_t i = 0; i < keys->n; i++) {
		bool has = payload && ppi_payload_find (payload, keys->key[i], &value);
		const char *is = has ? value.text : missing;
		size_t bytes = has ? value.bytes : sizeof missing - 1;

		if (keys->has)
			keys->has[i] |= has;
		if (keys->n == 1)
			fprintf (out, "%.*s", (int) bytes, is);
		else
			put (out, i ? ", " : "", keys->key[i], strlen (keys->key[i]), is, bytes);
	}
	return fclose (out) ? NULL : text;
}
