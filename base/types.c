/* SPDX-License-Identifier: MIT */
/* types.c: names of the small enumerations, and the table of statistics. */
#include "base/types.h"

#include "base/twin.h"

#include <stdio.h>
#include <string.h>

/* here, since readers that know nothing of the runtime have it too: it stays 0 there */
uint64_t ppi_twin_distance;

static const char *const scope_names[] = {
#define X(id, name) name,
	PPI_SCOPES (X)
#undef X
};

static const char *const unit_symbols[] = {
#define X(id, symbol) symbol,
	PPI_UNITS (X)
#undef X
};

static const char *const kinds[] = {"?", "a point", "an interval", "a feature", "an antimark"};

const char *ppi_kind_with_article (unsigned kind)
{
	return kind < sizeof (kinds) / sizeof (kinds[0]) ? kinds[kind] : kinds[0];
}

const char *ppi_kind_name (unsigned kind)
{
	const char *text = ppi_kind_with_article (kind), *space = strchr (text, ' ');

	return space ? space + 1 : text;
}

static const struct {
	const char *name, *sentence;
} drops[PP_DROPS] = {
#define X(id, name, sentence) {name, sentence},
	PP_DROP_CAUSES (X)
#undef X
};

#define X(id, of, power, meaning, error) [PP_STAT_##id] = {meaning, error, power},
static const struct {
	const char *meaning, *error;
	int power;
} statistics[] = {PPI_STATISTICS (X)};
#undef X
#define X(id, of, power, meaning, error) +1
PP_ABI_ASSERT (0 PPI_STATISTICS (X) == PP_STATISTICS); /* each is in both lists */
#undef X

static const char *const statistic_names[] = {
#define X(id, name) name,
	PP_ABI_STATISTICS (X)
#undef X
};

static int find (const char *word, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp (word, names[i]) == 0)
			return (int) i;
	return -1;
}

const char *ppi_drop_name (enum pp_drop cause)
{
	return (unsigned) cause < PP_DROPS ? drops[cause].name : "?";
}

const char *ppi_drop_sentence (enum pp_drop cause)
{
	return (unsigned) cause < PP_DROPS ? drops[cause].sentence : "?";
}

int ppi_scope_parse (const char *name)
{
	return find (name, scope_names, PPI_SCOPE_COUNT);
}

const char *ppi_scope_name (enum ppi_scope scope)
{
	return (unsigned) scope < PPI_SCOPE_COUNT ? scope_names[scope] : "?";
}

const char *ppi_unit_symbol (enum ppi_unit unit)
{
	return (unsigned) unit < PPI_UNIT_COUNT ? unit_symbols[unit] : "?";
}

const char *ppi_unit_words (enum ppi_unit unit)
{
	return unit == PPI_UNIT_SECONDS ? "seconds"
	       : unit == PPI_UNIT_BYTES ? "bytes"
					: "plain counts";
}

int ppi_statistic_parse (const char *name)
{
	return find (name, statistic_names, PP_STATISTICS);
}

const char *ppi_statistic_name (enum pp_statistic statistic)
{
	return (unsigned) statistic < PP_STATISTICS ? statistic_names[statistic] : "?";
}

const char *ppi_statistic_meaning (enum pp_statistic statistic)
{
	return (unsigned) statistic < PP_STATISTICS ? statistics[statistic].meaning : "?";
}

const char *ppi_statistic_error (enum pp_statistic statistic)
{
	return (unsigned) statistic < PP_STATISTICS ? statistics[statistic].error : "?";
}

int ppi_statistic_power (enum pp_statistic statistic)
{
	return (unsigned) statistic < PP_STATISTICS ? statistics[statistic].power : 0;
}

/* Levenshtein's distance, one row; words longer than this are not near anything. */
enum { WORD_MAX = 63 };

static size_t distance (const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], n = strlen (b), diagonal, above;

	if (n > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			above = row[j];
			row[j] = diagonal + (a[i - 1] != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[n];
}

const char *ppi_nearest (const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t limit = strlen (word) / 3 + 1, d;

	for (; *names; names++) {
		d = distance (word, *names);
		if (d > 0 && d < limit + 1) {
			best = *names;
			limit = d - 1;
			if (!limit)
				break;
		}
	}
	return best;
}

/* Two letters beside each other are in each other's place. */
static bool is_swapped (const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a && *b && a[1] && a[0] == b[1] && a[1] == b[0] && strcmp (a + 2, b + 2) == 0;
}

bool ppi_is_mistyped (const char *word, const char *name)
{
	return 3 * distance (word, name) <= strlen (word) || is_swapped (word, name);
}

char *ppi_words_copy (const char *record)
{
	size_t bytes, most = 32 * PP_ABI_NAME_BYTES; /* a damaged file may have any */

	record += strspn (record, "( ");
	bytes = strcspn (record, ")");
	return strndup (record, bytes < most ? bytes : most);
}

/* [WORD, result) is the first word at or behind P; WORD is at the end where there is none */
static const char *next_word (const char *p, const char **word)
{
	*word = p += strspn (p, ", \t");
	return p + strcspn (p, ", \t");
}

bool ppi_word_at (const char *words, int64_t place, char *out, size_t room)
{
	const char *word, *end = words;

	if (!words || place < 0)
		return false;
	do
		end = next_word (end, &word);
	while (*word && place--);
	if (!*word)
		return false;
	snprintf (out, room, "%.*s", (int) (end - word), word);
	return true;
}

int ppi_word_place (const char *words, const char *word)
{
	size_t bytes = strlen (word);
	const char *at, *end = words;

	for (int place = 0; words; place++) {
		end = next_word (end, &at);
		if (!*at)
			break;
		if ((size_t) (end - at) == bytes && memcmp (at, word, bytes) == 0)
			return place;
	}
	return -1;
}
