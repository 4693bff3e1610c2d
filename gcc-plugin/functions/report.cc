// SPDX-License-Identifier: GPL-3.0-or-later
//
// report.cc: what was instrumented without the source saying so, what was not, and why: one line
// each, as compilers write them, into the file of -fplugin-arg-ppgcc-report or of the rules'
// "report".

#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/functions/rules.h"

#include <set>

static std::vector<std::string> *lines;
static std::set<std::string> *known;

static const char *wanted ()
{
	if (ppgcc_opts.report)
		return ppgcc_opts.report;
	for (const ppgcc_rules *rules : ppgcc_rules_loaded)
		if (!rules->report.empty ())
			return rules->report.c_str ();
	return NULL;
}

bool ppgcc_report_wanted ()
{
	return wanted () != NULL;
}

void ppgcc_report (location_t loc, const std::string &function, const std::string &what,
		   const char *why, const ppgcc_rule *by)
{
	expanded_location where = expand_location (loc);
	if (ppgcc_opts.verbose && !why)
		inform (loc, "%s in %qs", what.c_str (), function.c_str ());
	if (!ppgcc_report_wanted ())
		return;
	std::string line = std::string (where.file ? where.file : "") + ":" +
			   std::to_string (where.line) + ":" + std::to_string (where.column) +
			   ": " + function + ": " + what;
	if (why)
		line += std::string (": ") + why;
	if (by)
		line += std::string (", ") + by->of->file + ":" + std::to_string (by->line);
	if (!lines) {
		lines = new std::vector<std::string>;
		known = new std::set<std::string>;
	}
	if (known->insert (line).second) // variants of constructors, instances of templates
		lines->push_back (line + "\n");
}

// "%b" stands for the output's name without its suffix, so that compilations at the same time don't
// share a file.
static std::string file_name (const char *pattern)
{
	std::string out = pattern;
	size_t at = out.find ("%b");
	return at == std::string::npos
		       ? out
		       : out.replace (at, 2, aux_base_name ? aux_base_name : "ppgcc");
}

static void write_report (void *, void *)
{
	if (!ppgcc_report_wanted () || in_lto_p || flag_preprocess_only || seen_error ())
		return;
	std::string name = file_name (wanted ());
	FILE *out = fopen (name.c_str (), "w");
	bool fine = out;
	if (out && lines)
		for (const std::string &line : *lines)
			fine &= fputs (line.c_str (), out) >= 0;
	if (!out || fclose (out) || !fine)
		error ("cannot write the report %qs: %m", name.c_str ());
}

void ppgcc_report_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_FINISH_UNIT, write_report, NULL);
}
