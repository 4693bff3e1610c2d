/* SPDX-License-Identifier: MIT */
/*
 * contract_graph.c: which pair of modules pays for contracts between them, as an analysis of one's
 * own for ppctl features (pp_analysis.h). A check is a mark of a feature LIBRARY.contract, and its
 * payload says who pays for it, whose it is, and what it says:
 *
 *     void array_set (struct array *a, size_t i, double x, const char *contract)
 *     {
 *             {
 *     #pragma pp feature array.contract payload(contract)      "mixer -> array: i < length"
 *                     check (i < a->length);
 *             }
 *             ...
 *
 * or, each by itself, dim (contract=..., blamer=..., blamed=...): BLAMER pays for what BLAMED promises.
 *
 * Marks of LIBRARY.contract_unchecked are of calls between modules that trust each other: they show where
 * nothing is paid. Such a mark need not hold anything: it is counted where features are measured. What
 * it holds is no contract's.
 *
 *     gcc -shared -fPIC contract_graph.c -o contract_graph.so
 *     ppctl features --plugin contract_graph.so REC
 *     ppctl features --plugin contract_graph.so --section contract-graph REC | dot -Tsvg >graph.svg
 */
#include <pp_analysis.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a payload says; texts are the payload's, and end where the next one begins. */
struct check {
	const char *from, *to, *contract;
	size_t n_from, n_to;
	bool is_unchecked;
	double time_s;
	uint64_t times;
};

/* "FROM -> TO: CONTRACT"; false: it is something else. */
static bool read_payload (const char *payload, struct check *out)
{
	const char *arrow = payload ? strstr (payload, " -> ") : NULL,
		   *colon = arrow ? strstr (arrow, ": ") : NULL;

	if (!colon || arrow == payload || colon == arrow + 4)
		return false;
	out->from = payload;
	out->n_from = (size_t) (arrow - payload);
	out->to = arrow + 4;
	out->n_to = (size_t) (colon - out->to);
	out->contract = colon + 2;
	return true;
}

/* The same where each is a value by itself. */
static bool read_dims (const struct pp_analysis_instance *is, struct check *out)
{
	out->from = pp_analysis_dim_text (is, "blamer");
	out->to = pp_analysis_dim_text (is, "blamed");
	out->contract = pp_analysis_dim_text (is, "contract");
	if (!out->from || !out->to || !out->contract)
		return false;
	out->n_from = strlen (out->from);
	out->n_to = strlen (out->to);
	return true;
}

static int compare_texts (const char *a, size_t n, const char *b, size_t m)
{
	int order = memcmp (a, b, n < m ? n : m);

	return order ? order : n < m ? -1 : n > m;
}

static int compare_parties (const void *a, const void *b)
{
	const struct check *x = a, *y = b;
	int order = compare_texts (x->from, x->n_from, y->from, y->n_from);

	if (!order)
		order = compare_texts (x->to, x->n_to, y->to, y->n_to);
	return order ? order : (int) x->is_unchecked - (int) y->is_unchecked;
}

static int compare_checks (const void *a, const void *b)
{
	const struct check *x = a, *y = b;
	int order = compare_parties (a, b);

	return order ? order : strcmp (x->contract, y->contract);
}

static int compare_costs (const void *a, const void *b)
{
	const struct check *x = a, *y = b;

	if (x->time_s < y->time_s || x->time_s > y->time_s)
		return x->time_s > y->time_s ? -1 : 1;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return compare_checks (a, b);
}

/* Those that are the same by ORDER, which they are sorted by, become one. How many are left. */
static size_t join (struct check *check, size_t n, int (*order) (const void *, const void *))
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (left && order (&check[left - 1], &check[i]) == 0) {
			check[left - 1].time_s += check[i].time_s;
			check[left - 1].times += check[i].times;
		} else {
			check[left++] = check[i];
		}
	return left;
}

struct contracts {
	struct check *check; /* by parties */
	size_t n;
	struct check *pair; /* by falling cost */
	size_t pairs;
	double time_s;
	uint64_t without; /* instances whose payload names no parties */
};

/* Of a call that nobody checks: what it takes is not a contract's. */
static bool is_unchecked (const struct pp_analysis_instance *is)
{
	return strstr (is->feature, ".contract_unchecked") != NULL;
}

static bool collect (const struct pp_analysis_features *features, struct contracts *c)
{
	*c = (struct contracts){.check = calloc (features->n + 1, sizeof *c->check),
				.pair = calloc (features->n + 1, sizeof *c->pair)};
	if (!c->check || !c->pair)
		return false;
	for (size_t i = 0; i < features->n; i++) {
		const struct pp_analysis_instance *is = &features->instance[i];
		struct check *to = &c->check[c->n];

		if (!read_dims (is, to) && !read_payload (is->payload, to)) {
			c->without++;
			c->time_s += is_unchecked (is) ? 0 : is->time_s;
			continue;
		}
		to->is_unchecked = is_unchecked (is);
		to->time_s = is->time_s;
		to->times = is->times;
		c->time_s += to->is_unchecked ? 0 : is->time_s;
		c->n++;
	}
	qsort (c->check, c->n, sizeof *c->check, compare_checks);
	c->n = join (c->check, c->n, compare_checks);
	memcpy (c->pair, c->check, c->n * sizeof *c->pair);
	c->pairs = join (c->pair, c->n, compare_parties);
	qsort (c->pair, c->pairs, sizeof *c->pair, compare_costs);
	return true;
}

static int finish (struct contracts *c, bool ok)
{
	free (c->check);
	free (c->pair);
	return ok ? 0 : -1;
}

/* The contracts of PAIR, the dearest first, in CHECK; how many. */
static size_t contracts_of (struct contracts *c, const struct check *pair, struct check **check)
{
	size_t n = 0;

	*check = bsearch (pair, c->check, c->n, sizeof *pair, compare_parties);
	while (*check > c->check && compare_parties (*check - 1, pair) == 0)
		--*check;
	while (*check + n < c->check + c->n && compare_parties (*check + n, pair) == 0)
		n++;
	return n;
}

static const char *plural (uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- as text --------------------------------------------------------------------------------- */

static int print_text (const struct pp_analysis_features *features, FILE *out)
{
	const char *unit = features->is_exact ? "check" : "sample";
	struct contracts c;
	bool ok = collect (features, &c);

	if (!ok)
		return finish (&c, false);
	fprintf (out,
		 "Contracts between modules\naccount for %.2f%% of total running time\n%.0f / %.0f "
		 "ms\n",
		 features->total_s > 0 ? 100 * c.time_s / features->total_s : 0, 1e3 * c.time_s,
		 1e3 * features->total_s);
	for (size_t i = 0; i < c.pairs; i++) {
		const struct check *pair = &c.pair[i];
		struct check *check, *sorted;
		size_t n = contracts_of (&c, pair, &check);

		fprintf (out, "\n%9.0f ms : %.*s -> %.*s%s  (%llu %s%s)\n", 1e3 * pair->time_s,
			 (int) pair->n_from, pair->from, (int) pair->n_to, pair->to,
			 pair->is_unchecked ? ", unchecked" : "", (unsigned long long) pair->times,
			 pair->is_unchecked && features->is_exact ? "call" : unit,
			 plural (pair->times));
		sorted = calloc (n, sizeof *sorted);
		if (!sorted)
			return finish (&c, false);
		memcpy (sorted, check, n * sizeof *sorted);
		qsort (sorted, n, sizeof *sorted, compare_costs);
		for (size_t k = 0; k < n; k++)
			fprintf (out, "%18.0f ms : %s\n", 1e3 * sorted[k].time_s,
				 sorted[k].contract);
		free (sorted);
	}
	if (c.without)
		fprintf (out,
			 "\n%llu instances name no parties: their payload is not 'FROM -> TO: "
			 "CONTRACT'\n",
			 (unsigned long long) c.without);
	return finish (&c, true);
}

/* ---- as a graph ------------------------------------------------------------------------------ */

/* Inside of quotes. */
static void put (const char *text, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] == '"' || text[i] == '\\')
			fprintf (out, "\\%c", text[i]);
		else if ((unsigned char) text[i] < ' ')
			fputc (' ', out);
		else
			fputc (text[i], out);
}

static void put_edge (const struct pp_analysis_features *features, struct contracts *c,
		      const struct check *pair, FILE *out)
{
	double share = features->total_s > 0 ? pair->time_s / features->total_s : 0;
	struct check *check, *dearest;
	size_t n = contracts_of (c, pair, &check);

	dearest = check;
	for (size_t i = 1; i < n; i++)
		if (check[i].time_s > dearest->time_s)
			dearest = &check[i];
	fputs ("\t\"", out);
	put (pair->from, pair->n_from, out);
	fputs ("\" -> \"", out);
	put (pair->to, pair->n_to, out);
	if (pair->is_unchecked)
		fprintf (out,
			 "\" [color=darkgreen fontcolor=darkgreen style=dashed label=\"unchecked, "
			 "%llu %s%s",
			 (unsigned long long) pair->times, features->is_exact ? "call" : "sample",
			 plural (pair->times));
	else
		fprintf (out, "\" [color=red fontcolor=red penwidth=%.1f label=\"%.0f ms, %.1f %%",
			 1 + 9 * share, 1e3 * pair->time_s, 100 * share);
	fputs ("\\n", out);
	put (dearest->contract, strlen (dearest->contract), out);
	if (n > 1)
		fprintf (out, "\\nand %zu more", n - 1);
	fputs ("\"]\n", out);
}

/* What the colours mean. */
static const char legend[] = "<font color=\"red\">&#8212;&#8212; checked: what the contracts took, "
			     "which is how thick it is, "
			     "and the dearest of them</font><br/>"
			     "<font color=\"darkgreen\">- - - not checked: nothing is paid</font>";

static int print_graph (const struct pp_analysis_features *features, FILE *out)
{
	struct contracts c;
	bool ok = collect (features, &c);

	if (!ok)
		return finish (&c, false);
	fputs ("digraph contracts {\n\tnode [shape=box]\n", out);
	fprintf (out, "\tlabel=<%s>\n", legend);
	for (size_t i = 0; i < c.pairs; i++)
		put_edge (features, &c, &c.pair[i], out);
	fputs ("}\n", out);
	return finish (&c, true);
}

static const struct pp_analysis_section sections[] = {
	{.name = "contracts", .features = "*.contract*", .print = print_text},
	{.name = "contract-graph",
	 .features = "*.contract*",
	 .flags = PP_ANALYSIS_ON_REQUEST,
	 .print = print_graph},
};

PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, .name = "contract_graph", .sections = sections,
		      .n_sections = sizeof sections / sizeof *sections};
