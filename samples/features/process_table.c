/* SPDX-License-Identifier: MIT */
/*
 * process_table.c: what processes (tasks, requests, green threads) cost, and who has started them, as
 * an analysis of one's own for ppctl features (pp_analysis.h). A mark of a feature LIBRARY.task is
 * around what a process runs, and its payload says which one, and whose it is:
 *
 *     #pragma pp feature vm.task payload(task->name)       "ground/listener/connection 7"
 *
 * or in two values, dim (name=task->name, ancestry="ground/listener").
 *
 * A mark inside of another one's says only its own part: "connection 7" in "ground/listener". What is
 * charged to a process itself, and not to those that it has started, is what running them takes.
 *
 *     gcc -shared -fPIC process_table.c -o process_table.so
 *     ppctl features --plugin process_table.so REC
 */
#include <pp_analysis.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct process {
	char *path; /* "ground/listener" */
	double self_s, total_s;
};

struct table {
	struct process *process; /* by path, and in the end by falling total */
	size_t n, room;
};

static bool add (struct table *t, const char *path, size_t n)
{
	struct process *more;

	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		more = realloc (t->process, t->room * sizeof *more);
		if (!more)
			return false;
		t->process = more;
	}
	t->process[t->n] = (struct process){.path = strndup (path, n)};
	return t->process[t->n++].path != NULL;
}

/* PATH becomes that of NAME in it, where NAME does not say all of it itself; NULL: no memory. */
static char *append (char *path, const char *name)
{
	size_t n = strlen (path), m = strlen (name);
	bool is_whole = !n || (m > n && memcmp (name, path, n) == 0 && name[n] == '/');
	char *more = realloc (path, n + m + 2);

	if (!more) {
		free (path);
		return NULL;
	}
	if (is_whole)
		strcpy (more, name);
	else
		sprintf (more + n, "/%s", name);
	return more;
}

static char *path_of (const struct pp_analysis_instance *is)
{
	const char *name = pp_analysis_dim_text (is, "name"),
		   *ancestry = pp_analysis_dim_text (is, "ancestry");
	char *path = strdup (name && ancestry ? ancestry : "");

	/* all of it is said, also where features were measured */
	if (name && ancestry)
		return path ? append (path, name) : NULL;
	for (size_t i = 0; path && i < is->n_around; i++)
		path = append (path, is->around[i]);
	return path ? append (path, is->payload ? is->payload : is->place) : NULL;
}

static int compare_paths (const void *a, const void *b)
{
	return strcmp (((const struct process *) a)->path, ((const struct process *) b)->path);
}

static int compare_totals (const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->total_s < y->total_s || x->total_s > y->total_s)
		return x->total_s > y->total_s ? -1 : 1;
	return compare_paths (a, b);
}

/* Its processes, and all that they are in: each once. */
static bool list (struct table *t, char *const *path, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		for (const char *end = path[i]; (end = strchr (end, '/')); end++)
			if (end > path[i] && !add (t, path[i], (size_t) (end - path[i])))
				return false;
		if (!add (t, path[i], strlen (path[i])))
			return false;
	}
	if (t->n)
		qsort (t->process, t->n, sizeof *t->process, compare_paths);
	for (size_t i = 0; i < t->n; i++)
		if (left && strcmp (t->process[left - 1].path, t->process[i].path) == 0)
			free (t->process[i].path);
		else
			t->process[left++] = t->process[i];
	t->n = left;
	return true;
}

static struct process *find (const struct table *t, const char *path)
{
	const struct process wanted = {.path = (char *) path};

	return bsearch (&wanted, t->process, t->n, sizeof wanted, compare_paths);
}

/* The process itself, and all that it is in. */
static void charge (struct table *t, char *path, double time_s)
{
	char *slash;

	find (t, path)->self_s += time_s;
	do {
		find (t, path)->total_s += time_s;
		slash = strrchr (path, '/');
		if (slash)
			*slash = '\0';
	} while (slash > path);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *name_of (const struct process *p)
{
	const char *slash = strrchr (p->path, '/');

	return slash ? slash + 1 : p->path;
}

/* Has P started WHO? */
static bool is_in (const struct process *who, const struct process *p)
{
	size_t n = strlen (p->path);

	return strncmp (who->path, p->path, n) == 0 && who->path[n] == '/' &&
	       !strchr (who->path + n + 1, '/');
}

static double percent (double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static void put_process (const struct table *t, const struct process *p, double all_s, FILE *out)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_in (p, &t->process[i]))
			fprintf (out, "%17s%s\n", "", name_of (&t->process[i]));
	fprintf (out, "%5.1f%%  %5.1f%%    %s\n", percent (p->total_s, all_s),
		 percent (p->self_s, all_s), name_of (p));
	for (size_t i = 0; i < t->n; i++)
		if (is_in (&t->process[i], p))
			fprintf (out, "%23s%-34s %5.1f%%\n", "", name_of (&t->process[i]),
				 percent (t->process[i].total_s, p->total_s));
}

static bool build (struct table *t, const struct pp_analysis_features *features, char **path)
{
	for (size_t i = 0; i < features->n; i++) {
		path[i] = path_of (&features->instance[i]);
		if (!path[i])
			return false;
	}
	if (!list (t, path, features->n))
		return false;
	for (size_t i = 0; i < features->n; i++)
		charge (t, path[i], features->instance[i].time_s);
	if (t->n)
		qsort (t->process, t->n, sizeof *t->process, compare_totals);
	return true;
}

static int print (const struct pp_analysis_features *features, FILE *out)
{
	char **path = calloc (features->n + 1, sizeof *path);
	struct table t = {.n = 0};
	bool ok = path && build (&t, features, path);

	if (ok)
		fprintf (out,
			 "Processes\n\n  Total    Self  Caller\n   Time    Time    Name\n%23s%-34s "
			 "Local%%\n",
			 "", "Callee");
	for (size_t i = 0; ok && i < t.n; i++) {
		fputs ("------------------------------------------------------------------\n", out);
		put_process (&t, &t.process[i], features->total_s, out);
	}
	for (size_t i = 0; path && i < features->n; i++)
		free (path[i]);
	for (size_t i = 0; i < t.n; i++)
		free (t.process[i].path);
	free (path);
	free (t.process);
	return ok ? 0 : -1;
}

static const struct pp_analysis_section sections[] = {
	{.name = "processes", .features = "*.task", .print = print},
};

PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, .name = "process_table", .sections = sections,
		      .n_sections = 1};
