/* SPDX-License-Identifier: MIT */
/*
 * test_lists.c: what the tree has in one list each is in the documents as it is there, and nothing
 * else is: drop causes, variables of the environment. The names of record types and of the
 * history's entries differ from each other.
 */
#include "base/chunk.h"
#include "base/environment.h"
#include "base/types.h"
#include "recording/check.h"
#include "recording/layout.h"
#include "recording/names.h"
#include "tests/unit/ppcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of a document from FROM to the next TO behind it */
static const char *part_of (const char *name, const char *from, const char *to)
{
	static char text[200000];
	const char *top = getenv ("srcdir");
	char path[4096], *begin, *end;
	FILE *page;

	snprintf (path, sizeof path, "%s/docs/%s", top ? top : ".", name);
	page = fopen (path, "r");
	ck_assert_msg (page != NULL, "%s", path);
	text[fread (text, 1, sizeof text - 1, page)] = '\0';
	fclose (page);
	begin = strstr (text, from);
	ck_assert_msg (begin != NULL, "docs/%s has no '%s'", name, from);
	end = strstr (begin + 1, to);
	ck_assert_msg (end != NULL, "docs/%s has no '%s' behind '%s'", name, to, from);
	*end = '\0';
	return begin;
}

static int count (const char *text, const char *what)
{
	int n = 0;

	while ((text = strstr (text, what))) {
		text++;
		n++;
	}
	return n;
}

START_TEST (the_manual_says_of_each_cause_of_drops_what_reports_say)
{
	const char *table = part_of ("manual.md", "**Dropping.**", "**Reading.**");
	char row[300];

	for (int i = 0; i < PP_DROPS; i++) {
		snprintf (row, sizeof row, "\n| `%s` | %s |\n", ppi_drop_name ((enum pp_drop) i),
			  ppi_drop_sentence ((enum pp_drop) i));
		ck_assert_msg (strstr (table, row) != NULL, "docs/manual.md lacks the row%s", row);
	}
	ck_assert_int_eq (count (table, "\n| `"), PP_DROPS);
}
END_TEST

static const struct {
	const char *name, *form, *meaning;
} variables[] = {
#define X(id, form, meaning) {"PP_" #id, form, meaning},
	PPI_ENVIRONMENT (X)
#undef X
};

START_TEST (the_manual_has_every_variable_of_the_environment_and_no_other)
{
	const char *table = part_of ("manual.md", "## 9. The environment", "## 10.");
	char row[300], form[100];

	for (int i = 0; i < PPI_VARIABLES; i++) {
		size_t n = 0;

		/* in a table a bar is escaped */
		for (const char *p = variables[i].form; *p; p++) {
			if (*p == '|')
				form[n++] = '\\';
			form[n++] = *p;
		}
		form[n] = '\0';
		snprintf (row, sizeof row, "\n| `%s=%s` | %s", variables[i].name, form,
			  variables[i].meaning);
		ck_assert_msg (strstr (table, row) != NULL,
			       "docs/manual.md has no row that begins%s", row);
	}
	ck_assert_int_eq (count (table, "\n| `PP_"), PPI_VARIABLES);
}
END_TEST

START_TEST (so_has_the_page_of_pp)
{
	const char *list = part_of ("man/pp.3", ".Sh ENVIRONMENT", "\n.El");
	char item[100];

	for (int i = 0; i < PPI_VARIABLES; i++) {
		snprintf (item, sizeof item, "\n.It Ev %s\n", variables[i].name);
		ck_assert_msg (strstr (list, item) != NULL, "docs/man/pp.3 lacks%s", item);
	}
	ck_assert_int_eq (count (list, "\n.It Ev "), PPI_VARIABLES);
}
END_TEST

START_TEST (a_variable_that_is_empty_is_one_that_is_not_set)
{
	unsetenv ("PP_ROUTE");
	ck_assert_ptr_null (ppi_environment (PPI_ENVIRONMENT_ROUTE));
	setenv ("PP_ROUTE", "", 1);
	ck_assert_ptr_null (ppi_environment (PPI_ENVIRONMENT_ROUTE));
	setenv ("PP_ROUTE", "none", 1);
	ck_assert_str_eq (ppi_environment (PPI_ENVIRONMENT_ROUTE), "none");
}
END_TEST

static const char *type_name (unsigned i)
{
	return ppi_chunk_type_name (i);
}

static const char *kind_name (unsigned i)
{
	return ppi_history_name ((enum ppi_history_kind) i);
}

static const char *drop_name (unsigned i)
{
	return ppi_drop_name ((enum pp_drop) i);
}

static void expect_distinct (const char *(*name) (unsigned), unsigned n, unsigned expected)
{
	unsigned known = 0;

	for (unsigned i = 0; i < n; i++) {
		if (strcmp (name (i), "?") == 0)
			continue;
		known++;
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne (name (i), name (j));
	}
	ck_assert_uint_eq (known, expected);
	ck_assert_str_eq (name (n), "?");
	ck_assert_str_eq (name (UINT32_MAX), "?");
}

START_TEST (names_tell_everything_in_a_list_apart)
{
#define X(...) +1
	expect_distinct (type_name, PPI_CHUNK_TYPES, 0 PPI_CHUNKS (X));
	expect_distinct (kind_name, PPI_HISTORY_KINDS, 0 PPI_HISTORY (X));
	expect_distinct (drop_name, PP_DROPS, 0 PP_DROP_CAUSES (X));
#undef X
}
END_TEST

static Suite *lists (void)
{
	Suite *s = suite_create ("lists");
	TCase *c = tcase_create ("lists");

	tcase_add_test (c, the_manual_says_of_each_cause_of_drops_what_reports_say);
	tcase_add_test (c, the_manual_has_every_variable_of_the_environment_and_no_other);
	tcase_add_test (c, so_has_the_page_of_pp);
	tcase_add_test (c, a_variable_that_is_empty_is_one_that_is_not_set);
	tcase_add_test (c, names_tell_everything_in_a_list_apart);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {lists};

	return ppcheck_main (suites, 1);
}
