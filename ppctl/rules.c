/* SPDX-License-Identifier: MIT */
/*
 * rules.c: ppctl rules FILE --binary BINARY...: what each rule of an instrument file chose in
 * programs, what it left out, and why. The plugin leaves that in a
 * section of its own (pp_abi.h); nothing is guessed from names.
 */
#include "assertions/language/ppctl.h"
#include "base/glob.h"
#include "base/types.h"
#include "ppctl/elf_read.h"
#include "ppctl/ppctl.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BINARIES_MAX = PPCTL_TEXTS_MOST, FIELDS = 8, NAMES_MOST = 4096 };

/* Of those fields: pp_abi.h */
enum { FUNCTION = 4, CALLEE = 7 };

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl rules --binary BINARY... FILE\n\n"
		 "Tells of each rule of an instrument file what it chose in programs or shared\n"
		 "objects that were compiled with it, what it left alone, and why; and of a rule\n"
		 "that chose nothing what may be wrong. Nothing is run.\n\n"
		 "  --binary BINARY   a program or shared object\n");
}

/* A line of the section: fields point into a copy of it. */
struct outcome {
	char *field[FIELDS];
	size_t n;
};

struct told {
	const char *path;
	const struct ppi_offline_rules *rules;
	const struct ppctl_binary *binary;
	size_t n_binaries;
	char *text[BINARIES_MAX]; /* copies of the sections; lines end with NUL */
	size_t bytes[BINARIES_MAX];
	size_t units, stale;
};

/* ---- the section ----------------------------------------------------------------------------- */

static void split (char *line, struct outcome *out)
{
	char *rest = line, *field;

	out->n = 0;
	while (out->n < FIELDS && (field = strsep (&rest, "\t")))
		out->field[out->n++] = field;
	for (size_t i = out->n; i < FIELDS; i++)
		out->field[i] = line + strlen (line);
}

static const char *base_name (const char *path)
{
	const char *slash = strrchr (path, '/');

	return slash ? slash + 1 : path;
}

typedef void (*line_fn) (struct told *told, const struct ppctl_binary *binary,
			 const struct outcome *line, void *arg);

/* Calls FN for each outcome of units that were compiled with the file; UNIT for each such unit. */
static void each_line (struct told *told, line_fn unit, line_fn fn, void *arg)
{
	for (size_t b = 0; b < told->n_binaries; b++) {
		char *at = told->text[b];
		size_t bytes = at ? told->bytes[b] : 0;
		bool is_ours = false;

		for (char *line = at; bytes && line < at + bytes; line += strlen (line) + 1) {
			char copy[4096];
			struct outcome one;

			snprintf (copy, sizeof copy, "%s", line);
			split (copy, &one);
			if (strcmp (one.field[0], "unit") == 0) {
				is_ours = strcmp (base_name (one.field[2]),
						  base_name (told->path)) == 0;
				if (is_ours && unit)
					unit (told, &told->binary[b], &one, arg);
			} else if (is_ours && fn && strcmp (one.field[0], "rule") == 0) {
				fn (told, &told->binary[b], &one, arg);
			}
		}
	}
}

static bool read_sections (struct told *told)
{
	for (size_t b = 0; b < told->n_binaries; b++) {
		const char *data = ppctl_binary_rules (&told->binary[b], &told->bytes[b]);

		if (!data)
			continue;
		told->text[b] = malloc (told->bytes[b] + 1);
		if (!told->text[b])
			return false;
		for (size_t i = 0; i < told->bytes[b]; i++)
			told->text[b][i] = data[i] == '\n' ? '\0' : data[i];
		told->text[b][told->bytes[b]] = '\0';
	}
	return true;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void note_unit (struct told *told, const struct ppctl_binary *binary,
		       const struct outcome *unit, void *arg)
{
	(void) binary;
	(void) arg;
	told->units++;
	if (strtoull (unit->field[3], NULL, 16) == told->rules->hash)
		return;
	if (!told->stale++)
		fprintf (stderr,
			 "ppctl rules: %s was compiled with other contents of %s: lines may not "
			 "fit\n",
			 unit->field[1], told->path);
}

/*
 * Is a site "interval body" of FUNCTION in the program? What was inlined everywhere or never
 * called may be gone.
 */
static bool has_code (const struct ppctl_binary *binary, const char *function, const char *what)
{
	const char *name = strchr (what, ' ');

	for (size_t i = 0; name && i < binary->n_sites; i++)
		if (strcmp (binary->site[i].function, function) == 0 &&
		    strcmp (binary->site[i].name, name + 1) == 0)
			return true;
	return false;
}

/*
 * Is what O tells of one that RULE means by its name? Of a line that has several of them, each has
 * its own. What was compiled before calls had the names of functions has none.
 */
static bool is_named (const struct ppi_offline_rule *rule, const struct outcome *o)
{
	const char *callee = o->field[CALLEE];

	if (!*callee)
		return true;
	return rule->list == 'C' && (!*rule->pattern || ppi_glob_whole (rule->pattern, callee));
}

struct listing {
	const struct ppi_offline_rule *rule;
	unsigned chosen, left;
};

static void put_outcome (struct told *told, const struct ppctl_binary *binary,
			 const struct outcome *o, void *arg)
{
	struct listing *l = arg;
	bool chosen = *o->field[2] == '+';

	(void) told;
	if (strtoul (o->field[1], NULL, 10) != l->rule->line || !is_named (l->rule, o))
		return;
	l->chosen += chosen;
	l->left += !chosen;
	printf ("  %s %s: %s: %s", o->field[2], o->field[3], o->field[FUNCTION], o->field[5]);
	if (*o->field[6])
		printf (": %s", o->field[6]);
	if (chosen && !has_code (binary, o->field[FUNCTION], o->field[5]))
		printf (" (no code of it is left in the program)");
	putchar ('\n');
}

/* What may have been meant by a name that no rule has found. */
struct search {
	const char *name;
	const char *names[NAMES_MOST + 1];
	size_t n;
	bool exists;
};

static bool add_symbol (const char *name, void *arg)
{
	struct search *s = arg;

	s->exists |= strcmp (name, s->name) == 0;
	if (strncmp (name, "_Z", 2) != 0 && s->n < NAMES_MOST)
		s->names[s->n++] = name;
	return false;
}

/* Which line took what RULE, which chose nothing, would have chosen. */
struct taker {
	const struct ppi_offline_rule *rule;
	unsigned long line; /* 0: none */
	char name[256];
};

/* Are there rules in LINE that choose as RULE does? Those for functions share them with EXCLUDE. */
static bool is_rival (const struct told *told, const struct ppi_offline_rule *rule,
		      unsigned long line)
{
	for (size_t i = 0; i < told->rules->n; i++) {
		const struct ppi_offline_rule *other = &told->rules->rule[i];

		if (other->line == line && other->line != rule->line &&
		    (other->list == rule->list || (rule->list == 'F' && other->list == 'X')))
			return true;
	}
	return false;
}

static void find_taker (struct told *told, const struct ppctl_binary *binary,
			const struct outcome *o, void *arg)
{
	struct taker *t = arg;
	const char *name = o->field[t->rule->list == 'C' ? CALLEE : FUNCTION];
	unsigned long line = strtoul (o->field[1], NULL, 10);

	(void) binary;
	if (t->line || !*name || (t->rule->list != 'C' && *o->field[CALLEE]) ||
	    !is_rival (told, t->rule, line) || !ppi_glob_whole (t->rule->pattern, name))
		return;
	t->line = line;
	snprintf (t->name, sizeof t->name, "%s", name);
}

static void explain_name (struct told *told, const struct ppi_offline_rule *rule)
{
	struct search s = {.name = rule->pattern};
	const char *nearest;

	for (size_t b = 0; b < told->n_binaries; b++) {
		for (size_t i = 0; i < told->binary[b].n_sites; i++)
			(void) add_symbol (told->binary[b].site[i].function, &s);
		(void) ppctl_binary_each_function (&told->binary[b], add_symbol, &s);
	}
	nearest = ppi_nearest (rule->pattern, s.names);
	if (rule->list == 'C' && rule->has_where)
		printf ("'%s' is not called in the places that its 'where' lets in: calls "
			"elsewhere are left out",
			rule->pattern);
	else if (rule->list == 'C')
		printf ("no function '%s' is called in these units", rule->pattern);
	else if (s.exists)
		printf ("'%s' is in the program, but its unit was compiled without these rules, or "
			"it may not be instrumented",
			rule->pattern);
	else
		printf ("there is no function '%s'", rule->pattern);
	if ((!s.exists || rule->list == 'C') && nearest && strcmp (nearest, rule->pattern) != 0)
		printf ("; did you mean '%s'?", nearest);
}

static void put_rule (struct told *told, const struct ppi_offline_rule *rule)
{
	struct listing l = {rule, 0, 0};
	struct taker t = {.rule = rule};

	printf ("%s:%u: %s\n", told->path, rule->line, rule->text);
	each_line (told, NULL, put_outcome, &l);
	if (l.chosen || (l.left && rule->list == 'X'))
		return;
	printf ("  chose nothing: ");
	if (*rule->pattern)
		each_line (told, NULL, find_taker, &t);
	if (l.left)
		printf ("all that it fits was left alone");
	else if (t.line)
		printf ("the rule in line %lu has %s'%s'", t.line,
			rule->list == 'C' ? "calls of " : "", t.name);
	else if (*rule->pattern && !strpbrk (rule->pattern, "*?\\"))
		explain_name (told, rule);
	else
		printf ("nothing in %zu unit%s fits", told->units, told->units == 1 ? "" : "s");
	putchar ('\n');
}

static int tell (struct told *told)
{
	if (!read_sections (told))
		return ppctl_fail (PPCTL_PROBLEM, "rules", "no memory");
	each_line (told, note_unit, NULL, NULL);
	if (!told->units)
		return ppctl_fail (
			PPCTL_PROBLEM, "rules",
			"no unit of it was compiled with -fplugin-arg-ppgcc-instrument=%s",
			base_name (told->path));
	for (size_t i = 0; i < told->rules->n; i++)
		put_rule (told, &told->rules->rule[i]);
	return told->stale ? PPCTL_PROBLEM : PPCTL_OK;
}

static int rules (const char *path, char *const *paths, size_t n)
{
	struct ppctl_binary binary[BINARIES_MAX];
	struct ppi_offline_rules read;
	struct told told = {.path = path, .rules = &read, .binary = binary};
	char why[600] = "";
	int status = PPCTL_PROBLEM;

	if (ppi_offline_rules_read (path, ppctl_put_line, stderr, &read) != 0)
		return PPCTL_PROBLEM;
	while (told.n_binaries < n &&
	       ppctl_binary_open (paths[told.n_binaries], &binary[told.n_binaries], why,
				  sizeof why) == 0)
		told.n_binaries++;
	if (told.n_binaries < n)
		(void) ppctl_fail (PPCTL_PROBLEM, "rules", "%s", why);
	else
		status = tell (&told);
	for (size_t b = 0; b < told.n_binaries; b++)
		ppctl_binary_close (&binary[b]);
	for (size_t b = 0; b < BINARIES_MAX; b++)
		free (told.text[b]);
	ppi_offline_rules_clear (&read);
	return status;
}

int ppctl_rules (int argc, char **argv)
{
	struct ppctl_list binaries = {.n = 0};
	const struct ppctl_option options[] = {{"binary", PPCTL_TEXTS, &binaries, 'b'}, {0}};
	int status = ppctl_options (argc, argv, "rules", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 1 || !binaries.n)
		return ppctl_wrong ("rules",
				    "it needs an instrument file, and a program by --binary");
	return rules (argv[optind], binaries.text, binaries.n);
}
