// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-sample.cc: "#pragma pp sample_begin METRIC(ARG, ...)" and "sample_end": measuring with
// functions that take arguments, which only the code can give.
//
//     sample_begin m(a)      T begun = m_begin (a);  memcpy (pp_rt_sample_begin (m), &begun, sizeof (T));
//     sample_end m(b)        const T *begun = pp_rt_sample_end (m);  if (begun) pp_rt_sample_int (m, m_end (begun, b));
//
// The begin function runs first: should it throw, nothing is open. A point metric has a
// sample_begin only, which is its sample; that of captured values takes the value itself.

#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/record.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/hints.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"

namespace
{

struct sample {
	location_t loc;
	bool end;
	tree metric;
	location_t metric_loc;
	ppgcc_arguments args;
};

// METRIC alone, or with a SAMPLE.
tree marker (const sample &s, ppgcc_op op, tree value)
{
	auto_vec<tree> args;
	args.safe_push (s.metric);
	if (value)
		args.safe_push (value);
	return ppgcc_front (marker (s.loc, ppgcc_marker_function (op), args));
}

// Adds VALUE to the metric.
tree add_sample (const sample &s, tree value, bool real)
{
	value = ppgcc_front (
		cast (s.loc, real ? double_type_node : long_long_integer_type_node, value));
	return value == error_mark_node
		       ? value
		       : marker (s, real ? PPGCC_SAMPLE_DOUBLE : PPGCC_SAMPLE_INT, value);
}

tree call_function (sample &s, tree fn)
{
	return ppgcc_front (call (s.metric_loc, fn, s.args, false));
}

void declared_here (const sample &s)
{
	inform (DECL_SOURCE_LOCATION (s.metric), "declared here");
}

std::string local_name (const char *what)
{
	static int serial;
	return std::string (what) + std::to_string (++serial);
}

// ---- metrics with functions

void begin_interval (sample &s, tree fn)
{
	tree begun = call_function (s, fn), type = ppgcc_result_type (fn);
	if (begun == error_mark_node)
		return;
	tree block = ppgcc_front (block_begin ());
	tree var = ppgcc_front (local (s.loc, local_name ("pp_begun."), type, begun));
	auto_vec<tree> args;
	args.safe_push (marker (s, PPGCC_SAMPLE_BEGIN, NULL_TREE));
	args.safe_push (ppgcc_front (unary (s.loc, ADDR_EXPR, var)));
	args.safe_push (TYPE_SIZE_UNIT (type));
	tree copy = ppgcc_front (marker (s.loc, builtin_decl_explicit (BUILT_IN_MEMCPY), args));
	ppgcc_front (statement (copy));
	ppgcc_front (block_end (s.loc, block));
}

void end_interval (sample &s, tree begin, tree end)
{
	tree type = build_pointer_type (
		build_qualified_type (ppgcc_result_type (begin), TYPE_QUAL_CONST));
	tree block = ppgcc_front (block_begin ());
	tree room = ppgcc_front (cast (s.loc, type, marker (s, PPGCC_SAMPLE_END, NULL_TREE)));
	tree var = ppgcc_front (local (s.loc, local_name ("pp_ended."), type, room));
	s.args.values.safe_insert (0, var);
	s.args.locs.safe_insert (0, s.loc);
	tree value = call_function (s, end);
	if (value != error_mark_node)
		ppgcc_front (
			if (s.loc, var,
			    add_sample (s, value, SCALAR_FLOAT_TYPE_P (ppgcc_result_type (end)))));
	ppgcc_front (block_end (s.loc, block));
}

void functions (sample &s, bool point)
{
	tree begin = ppgcc_metric_function (s.metric, false),
	     end = ppgcc_metric_function (s.metric, true);
	if (s.end)
		end_interval (s, begin, end);
	else if (!point)
		begin_interval (s, begin);
	else {
		tree value = call_function (s, begin);
		if (value != error_mark_node)
			ppgcc_front (statement (add_sample (
				s, value, SCALAR_FLOAT_TYPE_P (ppgcc_result_type (begin)))));
	}
}

// ---- the library's sources

// A type that may be a number's, as far as is known now.
bool real_p (tree value)
{
	return TREE_TYPE (value) && SCALAR_FLOAT_TYPE_P (TREE_TYPE (value));
}

void captured (sample &s)
{
	if (s.args.values.length () != 1) {
		auto_diagnostic_group group;
		error_at (s.metric_loc,
			  "%qD keeps captured values: %<sample_begin%> needs one, as in %<%E(x)%>",
			  s.metric, DECL_NAME (s.metric));
		declared_here (s);
		return;
	}
	tree value = ppgcc_front (measurable (s.args.locs[0], s.args.values[0], "sample_begin"));
	if (value == error_mark_node)
		return;
	if (TREE_TYPE (value) && POINTER_TYPE_P (TREE_TYPE (value))) {
		error_at (s.args.locs[0], "%<sample_begin%> needs a number, this is %qT",
			  TREE_TYPE (s.args.values[0]));
		return;
	}
	// In a template a type may still be unknown; a double holds whatever number it becomes.
	bool real = ppgcc_front (in_template ()) || real_p (value);
	ppgcc_front (statement (add_sample (s, value, real)));
}

void library (sample &s, bool point)
{
	std::string source = ppgcc_metric_source (s.metric);
	if (point && source == "value") {
		captured (s);
		return;
	}
	if (!s.args.values.is_empty ()) {
		auto_diagnostic_group group;
		error_at (s.args.locs[0], "%qD takes no arguments: the library reads %qs", s.metric,
			  source.c_str ());
		declared_here (s);
		return;
	}
	if (point && source == "count")
		ppgcc_front (statement (add_sample (s, integer_one_node, false)));
	else if (point) {
		auto_diagnostic_group group;
		error_at (s.metric_loc,
			  "the library reads %qs of %qD where it is bound: name it at a point",
			  source.c_str (), s.metric);
		declared_here (s);
	} else
		ppgcc_front (statement (
			marker (s, s.end ? PPGCC_SAMPLE_END : PPGCC_SAMPLE_BEGIN, NULL_TREE)));
}

// ---- the pragmas

bool parse_metric (ppgcc_lexer &lex, sample &s)
{
	const char *name = lex.name ("a metric's name", &s.metric_loc);
	if (!name)
		return false;
	s.metric = ppgcc_declared_metric (name);
	ppgcc_metric_used (name);
	if (s.metric)
		return true;
	const char *closest = ppgcc_closest_metric (name);
	if (closest)
		error_at (s.metric_loc, "metric %qs is not declared here; did you mean %qs?", name,
			  closest);
	else
		error_at (s.metric_loc, "metric %qs is not declared here", name);
	return false;
}

void pragma_sample (ppgcc_lexer &lex, location_t loc, bool end)
{
	const char *word = end ? "sample_end" : "sample_begin";
	sample s;
	s.loc = loc;
	s.end = end;
	if (!ppgcc_statement_possible (loc, word))
		return;
	bool macro = lex.accept (CPP_COLON); // the arguments of a macro of pp.h: "METRIC, ARG, ..."
	if (!parse_metric (lex, s))
		return;
	if (lex.at (macro ? CPP_COMMA : CPP_OPEN_PAREN) &&
	    !ppgcc_parse_arguments (lex, word, s.args))
		return;
	if (!ppgcc_end_of_pragma (lex))
		return;
	bool point = startswith (ppgcc_metric_declaration (s.metric), "point");
	if (point && end) {
		auto_diagnostic_group group;
		error_at (
			s.metric_loc,
			"%qD is a metric for points, it has no end: %<sample_begin%> is its sample",
			s.metric);
		declared_here (s);
	} else if (ppgcc_metric_nests (s.metric)) {
		auto_diagnostic_group group;
		error_at (s.metric_loc,
			  "%qD has a scope, which is of intervals that are nested: %qs takes the "
			  "whole",
			  s.metric, word);
		declared_here (s);
	} else if (ppgcc_metric_function (
			   s.metric, !point)) // with an operator the library calls its only one
		functions (s, point);
	else
		library (s, point);
}

} // namespace

void ppgcc_pragma_sample_begin (ppgcc_lexer &lex, location_t loc)
{
	pragma_sample (lex, loc, false);
}

void ppgcc_pragma_sample_end (ppgcc_lexer &lex, location_t loc)
{
	pragma_sample (lex, loc, true);
}
