// SPDX-License-Identifier: GPL-3.0-or-later
//
// wrap.cc: markers around a whole function, or a part of it, whatever language it was written in.
//
//     {                        {
//       BODY                     __pp_begin ("...");
//     }                          try { { BODY } } finally { __pp_end ("..."); }
//                              }
//
// on GIMPLE before it is lowered. The lowering of "finally" then puts the end on every way out:
// return, goto, exception. The begin comes before anything that BODY puts on the stack, so that
// both ends see the same stack pointer, or the end a lower one where BODY called alloca.

#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/functions/wrap.h"

#include <calls.h>
#include <gimple-walk.h>

// A call of marker function OP with the site's text. Its declaration is not one of the front end's,
// which knows nothing of it in Fortran; markers/marker.cc goes by its name.
static gimple *marker (ppgcc_op op, tree text, location_t loc)
{
	gcall *call = gimple_build_call (ppgcc_marker_declaration (op), 1, text);
	gimple_set_location (call, loc);
	return call;
}

static location_t begin_location (function *fun)
{
	return fun->function_start_locus != UNKNOWN_LOCATION ? fun->function_start_locus
							     : DECL_SOURCE_LOCATION (fun->decl);
}

static location_t end_location (function *fun)
{
	return fun->function_end_locus != UNKNOWN_LOCATION ? fun->function_end_locus
							   : begin_location (fun);
}

// A body's outermost block must stay a GIMPLE_BIND; that of the function itself is now inside.
static void set_body (function *fun, gimple_seq seq)
{
	gimple_seq body = NULL;
	gimple_seq_add_stmt (&body, gimple_build_bind (NULL_TREE, seq, NULL_TREE));
	gimple_set_body (fun->decl, body);
}

void ppgcc_wrap_function (function *fun, const ppgcc_site &site)
{
	tree text = ppgcc_literal (ppgcc_site_pack (site));
	gimple_seq cleanup = NULL, seq = NULL;
	gimple_seq_add_stmt (&cleanup, marker (PPGCC_END, text, end_location (fun)));
	gtry *whole = gimple_build_try (gimple_body (fun->decl), cleanup, GIMPLE_TRY_FINALLY);
	gimple_set_location (whole, begin_location (fun));
	gimple_seq_add_stmt (&seq, marker (PPGCC_BEGIN, text, begin_location (fun)));
	gimple_seq_add_stmt (&seq, whole);
	set_body (fun, seq);
}

void ppgcc_enter_function (function *fun, const ppgcc_site &site)
{
	gimple_seq seq = NULL;
	gimple_seq_add_stmt (&seq, marker (PPGCC_POINT, ppgcc_literal (ppgcc_site_pack (site)),
					   begin_location (fun)));
	gimple_seq_add_seq (&seq, gimple_body (fun->decl));
	set_body (fun, seq);
}

void ppgcc_wrap_statements (gimple_seq *seq, gimple_stmt_iterator *first, gimple_stmt_iterator last,
			    const ppgcc_site &site, location_t begin, location_t end)
{
	tree text = ppgcc_literal (ppgcc_site_pack (site));
	gimple_seq cleanup = NULL, body = NULL;
	gimple *stop = gsi_stmt (last);
	for (bool more = true; more;) {
		gimple *stmt = gsi_stmt (*first);
		more = stmt != stop;
		gsi_remove (first, false);
		gimple_seq_add_stmt_without_update (&body, stmt);
	}
	gimple_seq_add_stmt (&cleanup, marker (PPGCC_END, text, end));
	gtry *whole = gimple_build_try (body, cleanup, GIMPLE_TRY_FINALLY);
	gimple_set_location (whole, begin);
	gimple *before = marker (PPGCC_BEGIN, text, begin);
	if (gsi_end_p (*first)) {
		gimple_seq_add_stmt_without_update (seq, before);
		gimple_seq_add_stmt_without_update (seq, whole);
		*first = gsi_none ();
	} else {
		gsi_insert_before (first, before, GSI_SAME_STMT);
		gsi_insert_before (first, whole, GSI_SAME_STMT);
	}
}

// ---- calls

// By what name CALL calls what may return twice, without the underscores of the C library's; NULL:
// it doesn't, or by no name. In a child of vfork nothing was jumped over.
static const char *returns_twice (gimple *call)
{
	tree callee = is_gimple_call (call) ? gimple_call_fndecl (call) : NULL_TREE;
	if (!callee || !DECL_NAME (callee) || !(gimple_call_flags (call) & ECF_RETURNS_TWICE))
		return NULL;
	const char *name = IDENTIFIER_POINTER (DECL_NAME (callee));
	if (startswith (name, "__builtin_"))
		return NULL;
	name += strspn (name, "_");
	return strcmp (name, "vfork") ? name : NULL;
}

static tree point_behind (gimple_stmt_iterator *gsi, bool *, walk_stmt_info *info)
{
	gimple *call = gsi_stmt (*gsi);
	const char *name = returns_twice (call);
	if (!name)
		return NULL_TREE;
	ppgcc_site site = *static_cast<const ppgcc_site *> (info->info);
	location_t loc = gimple_location (call);
	expanded_location where = expand_location (loc);
	site.name = name;
	site.line = where.line;
	site.column = where.column;
	gsi_insert_after (gsi, marker (PPGCC_POINT, ppgcc_literal (ppgcc_site_pack (site)), loc),
			  GSI_NEW_STMT);
	return NULL_TREE;
}

void ppgcc_point_behind_returns (function *fun, const ppgcc_site &site)
{
	walk_stmt_info info = {};
	ppgcc_site copy = site;
	gimple_seq body = gimple_body (fun->decl);
	info.info = &copy;
	walk_gimple_seq_mod (&body, point_behind, NULL, &info);
	gimple_set_body (fun->decl, body);
}

// The letter of an argument that a begin can hand over, see pp_abi.h; 0: it can't.
static char payload_letter (tree value, bool is_text)
{
	tree type = TREE_TYPE (value);
	if (!is_gimple_val (value))
		return 0;
	if (INTEGRAL_TYPE_P (type) && TYPE_PRECISION (type) <= 64)
		return is_text ? 0 : 'i';
	if (SCALAR_FLOAT_TYPE_P (type) && !DECIMAL_FLOAT_TYPE_P (type))
		return is_text ? 0 : 'd';
	if (!POINTER_TYPE_P (type))
		return 0;
	if (!is_text)
		return 'p';
	type = TREE_TYPE (type);
	if (TREE_CODE (type) == ARRAY_TYPE)
		type = TREE_TYPE (type);
	return TYPE_MAIN_VARIANT (type) == char_type_node ? 's' : 0;
}

// The begin of MARK before CALL; its site's text into TEXT.
static gimple *call_begin (ppgcc_call_mark &mark, gimple *call, tree &text)
{
	// marks with payloads of several types are several sites, also where a macro has them in
	// one place
	static const char letters[] = "idps";
	tree value = mark.argument && mark.argument <= gimple_call_num_args (call)
			     ? gimple_call_arg (call, mark.argument - 1)
			     : NULL_TREE;
	char letter = value ? payload_letter (value, mark.is_text) : 0;
	if (letter)
		mark.site.serial = INT_MIN + (strchr (letters, letter) - letters);
	text = ppgcc_literal (ppgcc_site_pack (mark.site));
	if (!letter)
		return marker (PPGCC_BEGIN, text, gimple_location (call));
	gcall *begin = gimple_build_call (ppgcc_marker_declaration (PPGCC_BEGIN), 3, text,
					  ppgcc_literal (std::string (1, letter)), value);
	gimple_set_location (begin, gimple_location (call));
	return begin;
}

void ppgcc_wrap_call (gimple_seq *seq, gimple_stmt_iterator *gsi,
		      std::vector<ppgcc_call_mark> &marks)
{
	gimple *call = gsi_stmt (*gsi);
	location_t loc = gimple_location (call);
	gimple_seq body = NULL;
	gsi_remove (gsi, false);
	gimple_seq_add_stmt_without_update (&body, call);
	for (auto mark = marks.rbegin (); mark != marks.rend (); ++mark) {
		gimple_seq cleanup = NULL, whole = NULL;
		tree text;
		gimple *begin = call_begin (*mark, call, text);
		gimple_seq_add_stmt (&cleanup, marker (PPGCC_END, text, loc));
		gtry *around = gimple_build_try (body, cleanup, GIMPLE_TRY_FINALLY);
		gimple_set_location (around, loc);
		gimple_seq_add_stmt_without_update (&whole, begin);
		gimple_seq_add_stmt_without_update (&whole, around);
		body = whole;
	}
	if (gsi_end_p (*gsi)) {
		gimple_seq_add_seq_without_update (seq, body);
		*gsi = gsi_none ();
	} else
		gsi_insert_seq_before (gsi, body, GSI_SAME_STMT);
}

// ---- what is left alone

tree ppgcc_count_statement (gimple_stmt_iterator *gsi, bool *, walk_stmt_info *info)
{
	ppgcc_body *body = static_cast<ppgcc_body *> (info->info);
	gimple *stmt = gsi_stmt (*gsi);
	switch (gimple_code (stmt)) {
	case GIMPLE_BIND:
	case GIMPLE_TRY:
	case GIMPLE_LABEL:
	case GIMPLE_GOTO:
	case GIMPLE_NOP:
	case GIMPLE_PREDICT:
	case GIMPLE_DEBUG:
		break;
	default:
		body->statements += !gimple_clobber_p (stmt);
	}
	body->builtin_return |= gimple_call_builtin_p (stmt, BUILT_IN_RETURN);
	return NULL_TREE;
}

ppgcc_body ppgcc_look_at (function *fun)
{
	ppgcc_body body = {};
	walk_stmt_info info = {};
	info.info = &body;
	walk_gimple_seq (gimple_body (fun->decl), ppgcc_count_statement, NULL, &info);
	return body;
}

bool ppgcc_artificial (tree fn)
{
	if (!ppgcc_is_c_family () &&
	    DECL_NAME (fn)) { // Fortran's own entry, and the body that "entry" statements share
		const char *name = IDENTIFIER_POINTER (DECL_NAME (fn));
		if (!strcmp (name, "main") || startswith (name, "master."))
			return true;
	}
	if (DECL_ARTIFICIAL (fn))
		return !(ppgcc_is_cxx () && ppgcc_cxx_lambda (fn));
	return ppgcc_is_cxx () && ppgcc_cxx_forwards (fn);
}

const char *ppgcc_unfit (function *fun, bool point)
{
	tree fn = fun->decl, attributes = DECL_ATTRIBUTES (fn);
	if (ppgcc_artificial (fn))
		return "the compiler made it";
	if (lookup_attribute ("naked", attributes))
		return "it is naked";
	if (lookup_attribute ("interrupt", attributes) ||
	    lookup_attribute ("interrupt", TYPE_ATTRIBUTES (TREE_TYPE (fn))))
		return "it is an interrupt handler";
	if (lookup_attribute ("omp declare target", attributes))
		return "it is compiled for another device too";
	if (flag_tm && lookup_attribute ("transaction_safe", TYPE_ATTRIBUTES (TREE_TYPE (fn))))
		return "it is transaction-safe";
	if (ppgcc_ifunc_resolver (fn))
		return "it is the resolver of an ifunc";
	if (!point && (flags_from_decl_or_type (fn) & ECF_RETURNS_TWICE))
		return "it returns twice";
	if (ppgcc_is_cxx ())
		return ppgcc_cxx_unfit (fn, point);
	return NULL;
}
