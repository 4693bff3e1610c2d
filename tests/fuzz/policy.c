/* SPDX-License-Identifier: MIT */
/*
 * policy.c: a policy that anybody wrote, as pp_policy_load and ppctl check read it: YAML, keys,
 * expressions, actions. It is checked against a program with two sites, a metric and a knob, and
 * against nothing.
 */
#include "assertions/language/ppctl.h"
#include "stdmetrics/listing.h"
#include "tests/fuzz/fuzz.h"

#include <pp_abi.h>
#include <string.h>

static const struct ppi_offline_site sites[] = {
	{.full = "prog!a.c:serve/i1",
	 .base = "prog!a.c:serve/i1",
	 .module = "prog",
	 .file = "a.c",
	 .function = "serve",
	 .name = "i1",
	 .groups = "render",
	 .dims = "n:i,name:s",
	 .kind = PP_ABI_SITE_INTERVAL,
	 .parameters = ""},
	{.full = "prog!a.c:serve(int)/given",
	 .base = "prog!a.c:serve/given",
	 .module = "prog",
	 .file = "a.c",
	 .function = "serve",
	 .name = "given",
	 .groups = "",
	 .dims = "",
	 .kind = PP_ABI_SITE_POINT,
	 .value = PP_ABI_VALUE_INT,
	 .parameters = "(int)"},
};

static const struct pp_abi_knob knob = {.min = {.i = 1}, .max = {.i = 9}, .step = {.i = 1}};

static const struct ppi_offline_record records[] = {
	{.type = PP_ABI_RECORD_METRIC,
	 .kind = PP_ABI_SITE_POINT,
	 .name = "values",
	 .accumulator = "stats",
	 .source = "value",
	 .options = "",
	 .unit = "",
	 .words = ""},
	{.type = PP_ABI_RECORD_KNOB,
	 .name = "level",
	 .accumulator = "",
	 .source = "",
	 .options = "",
	 .unit = "",
	 .knob = &knob,
	 .words = ""},
};

static void line (const char *text, void *arg)
{
	*(size_t *) arg += strlen (text);
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	fuzz_be_quiet ();
	ppi_stdmetrics_init ();
	return 0;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	struct ppi_offline offline = {sites, records, 2, 2, true, false, NULL, NULL};
	struct ppi_offline_result result;
	size_t told = 0;

	offline.strict = bytes > 20 && data[bytes / 2] % 2;
	ppi_policy_check_offline (fuzz_file (data, bytes, ".yaml"), &offline, line, &told, &result);
	offline = (struct ppi_offline){.known = false};
	ppi_policy_check_offline (fuzz_file (data, bytes, ".yaml"), &offline, line, &told, &result);
	fuzz_forget ();
	return 0;
}
