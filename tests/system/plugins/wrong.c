/* SPDX-License-Identifier: MIT */
/* wrong.c: plug-ins that are not as they have to be: which one, WRONG says. */
#include <pp_analysis.h>

static void of (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	(void) record;
	*out = pp_analysis_integer (1);
}

static void odd (const struct pp_analysis_record *record, struct pp_analysis_value *out)
{
	(void) record;
	out->type = 77;
}

static const char *const itself[] = {"circle", NULL}, *const nothing[] = {"nowhere", NULL},
			 *const much[] = {"depth 2", NULL};
static const struct pp_analysis_dimension good[] = {{.name = "one", .of = of},
						    {.name = "odd", .of = odd},
						    {.name = "circle", .uses = itself, .of = of},
						    {.name = "lost", .uses = nothing, .of = of},
						    {.name = "much", .uses = much, .of = of}};
#define TABLE(list) .name = "wrong", .dimensions = list, .n_dimensions = sizeof list / sizeof *list

#if WRONG == 1
PP_ANALYSIS_PLUGIN = {.version = 99, .size = sizeof (struct pp_analysis), TABLE (good)};
#elif WRONG == 2
PP_ANALYSIS_PLUGIN = {.version = PP_ANALYSIS_VERSION, .size = 24, TABLE (good)};
#elif WRONG == 3
/* says that it is larger than it is */
PP_ANALYSIS_PLUGIN = {.version = PP_ANALYSIS_VERSION, .size = 4096, TABLE (good)};
#elif WRONG == 4
__attribute__ ((visibility ("default"))) const char pp_analysis_plugin[] = "no";
#elif WRONG == 5
static const struct pp_analysis_dimension taken[] = {{.name = "depth", .of = of}};
PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, TABLE (taken)};
#elif WRONG == 6
static const struct pp_analysis_dimension twice[] = {{.name = "one", .of = of},
						     {.name = "one", .of = of}};
PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, TABLE (twice)};
#elif WRONG == 7
static const struct pp_analysis_dimension empty[] = {{.name = "one"}};
PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, TABLE (empty)};
#elif WRONG == 8
PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, .name = "wrong", .n_dimensions = 65, .dimensions = good};
#elif WRONG == 9
int nothing_at_all (void);
int nothing_at_all (void)
{
	return (int) good[0].flags;
}
#else
PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, TABLE (good)};
#endif
