// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-inline.cc: sites with "inline". Their metrics' functions are called in the code itself, so
// that small ones are inlined:
//
//     {                                            {
//     #pragma pp interval i(m) inline      ->              T begun = m_begin ();
//             work ();                                     work ();
//     }                                                    pp_rt_inline_int (&i, m, m_end (&begun));     on every way out
//                                                  }
//
// Nothing is patched, nothing can be unbound.

#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/record.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/pragma.h"
#include "pp_abi.h"

bool ppgcc_inline_possible (const vec<ppgcc_named_metric> &metrics)
{
	for (const ppgcc_named_metric &one : metrics) {
		auto_diagnostic_group group;
		if (one.decl && ppgcc_metric_takes_arguments (one.decl))
			return false; // which was said
		if (!one.decl) {
			error_at (one.loc,
				  "metric %qs must be declared before an %<inline%> site can call "
				  "its functions",
				  one.name);
			return false;
		}
		if (ppgcc_metric_nests (one.decl)) {
			error_at (one.loc,
				  "%qs has a scope, which an %<inline%> site knows nothing of",
				  one.name);
			inform (DECL_SOURCE_LOCATION (one.decl), "declared here");
			return false;
		}
		if (!ppgcc_metric_function (
			    one.decl,
			    startswith (ppgcc_metric_declaration (one.decl), "interval"))) {
			if (ppgcc_metric_function (one.decl, false))
				error_at (one.loc,
					  "%qs has an operator, with which the library combines "
					  "what %qs says: an %<inline%> site cannot",
					  one.name, ppgcc_metric_source (one.decl).c_str ());
			else
				error_at (one.loc,
					  "%qs has no functions that an %<inline%> site could "
					  "call: the library reads %qs",
					  one.name, ppgcc_metric_source (one.decl).c_str ());
			inform (DECL_SOURCE_LOCATION (one.decl), "declared here");
			return false;
		}
	}
	return true;
}

static tree call_function (location_t loc, tree fn, tree argument)
{
	ppgcc_arguments args;
	if (argument) {
		args.values.safe_push (argument);
		args.locs.safe_push (loc);
	}
	return ppgcc_front (call (loc, fn, args, false));
}

// OP (TEXT, METRIC, SAMPLE), where SAMPLE is what FN returned.
static tree sample_call (location_t loc, tree text, tree metric, tree fn, tree sample)
{
	bool real = SCALAR_FLOAT_TYPE_P (ppgcc_result_type (fn));
	auto_vec<tree> args;
	args.safe_push (text);
	args.safe_push (metric);
	args.safe_push (ppgcc_front (
		cast (loc, real ? double_type_node : long_long_integer_type_node, sample)));
	return ppgcc_front (marker (
		loc, ppgcc_marker_function (real ? PPGCC_INLINE_DOUBLE : PPGCC_INLINE_INT), args));
}

tree ppgcc_inline_sample (location_t loc, tree text, tree metric, tree var)
{
	tree end = ppgcc_metric_function (metric, true);
	tree sample = call_function (loc, end, ppgcc_front (unary (loc, ADDR_EXPR, var)));
	return sample_call (loc, text, metric, end, sample);
}

void ppgcc_inline_site (const ppgcc_site &site, location_t loc,
			const vec<ppgcc_named_metric> &metrics)
{
	tree text = ppgcc_literal (ppgcc_site_pack (site));
	ppgcc_call_marker (loc, PPGCC_INLINE_BEGIN, ppgcc_site_pack (site), NULL_TREE);
	for (unsigned i = 0; i < metrics.length (); i++) {
		tree metric = metrics[i].decl, begin = ppgcc_metric_function (metric, false);
		tree begun = call_function (loc, begin, NULL_TREE);
		std::string name =
			"pp_begun." + std::to_string (site.serial) + "." + std::to_string (i);
		if (site.kind == PP_ABI_SITE_INTERVAL)
			ppgcc_front (inline_scope (loc, name, begun, text, metric));
		else
			ppgcc_front (statement (sample_call (loc, text, metric, begin, begun)));
	}
}
