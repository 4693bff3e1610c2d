/* SPDX-License-Identifier: MIT */
/*
 * print.c: print OBJECT SECTION TOTAL_S <instances: has a plug-in print a section of instances that are made up: lines of
 * FEATURE|PAYLOAD|PLACE|SECONDS|TIMES|AROUND|AROUND...
 */
#include <dlfcn.h>
#include <pp_analysis.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static char line[MOST][512];
static const char *around[MOST][8];
static struct pp_analysis_instance instance[MOST];

static int read_line (size_t n)
{
	struct pp_analysis_instance *to = &instance[n];
	char *rest = line[n];

	if (!fgets (line[n], sizeof line[n], stdin))
		return 0;
	rest[strcspn (rest, "\n")] = '\0';
	to->feature = strsep (&rest, "|");
	to->payload = strsep (&rest, "|");
	if (!*to->payload)
		to->payload = NULL;
	to->place = strsep (&rest, "|");
	to->time_s = atof (strsep (&rest, "|"));
	to->times = (uint64_t) atoll (strsep (&rest, "|"));
	to->around = around[n];
	while (rest)
		around[n][to->n_around++] = strsep (&rest, "|");
	return 1;
}

int main (int argc, char **argv)
{
	struct pp_analysis_features features = {
		.program = "made up", .is_exact = 1, .instance = instance};
	void *object = argc == 4 ? dlopen (argv[1], RTLD_NOW) : NULL;
	const struct pp_analysis *table = object ? dlsym (object, "pp_analysis_plugin") : NULL;

	if (!table)
		return 2;
	features.total_s = atof (argv[3]);
	while (features.n < MOST && read_line (features.n))
		features.n++;
	for (size_t i = 0; i < table->n_sections; i++)
		if (strcmp (table->sections[i].name, argv[2]) == 0)
			return table->sections[i].print (&features, stdout) != 0;
	return 2;
}
