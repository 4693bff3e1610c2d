// SPDX-License-Identifier: GPL-3.0-or-later
//
// record.cc: the static records of metrics, expectations and bindings, and the thunks that put a
// user's measuring functions behind the one signature that the runtime calls.

#include "gcc-plugin/target/registers.h"
#include "gcc-plugin/markers/barrier.h"
#include "gcc-plugin/markers/image.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/record.h"
#include "gcc-plugin/markers/site.h"
#include "pp_abi.h"

#include <map>

// ---- a user's functions

tree ppgcc_result_type (tree fn)
{
	return TYPE_MAIN_VARIANT (TREE_TYPE (TREE_TYPE (fn)));
}

static bool no_arguments (tree fn)
{
	tree args = TYPE_ARG_TYPES (TREE_TYPE (fn));
	return !args || args == void_list_node;
}

static bool sample_type_p (tree type)
{
	return (INTEGRAL_TYPE_P (type) && TYPE_PRECISION (type) <= 64) ||
	       SCALAR_FLOAT_TYPE_P (type);
}

// An error at LOC about FN, with a note at its declaration.
static bool ATTRIBUTE_GCC_DIAG (3, 4) wrong (location_t loc, tree fn, const char *text, ...)
{
	auto_diagnostic_group group;
	va_list args;
	va_start (args, text);
	rich_location where (line_table, loc);
	emit_diagnostic_valist (DK_ERROR, loc, 0, text, &args);
	va_end (args);
	inform (DECL_SOURCE_LOCATION (fn), "declared here");
	return false;
}

static bool check_interval (ppgcc_metric &metric, location_t begin_loc, location_t end_loc)
{
	tree type = ppgcc_result_type (metric.begin);
	if (VOID_TYPE_P (type) || !COMPLETE_TYPE_P (type) || TREE_CODE (type) == REFERENCE_TYPE)
		return wrong (begin_loc, metric.begin,
			      "%qD must return what its end function needs, it returns %qT",
			      metric.begin, type);
	if (!tree_fits_uhwi_p (TYPE_SIZE_UNIT (type)) ||
	    tree_to_uhwi (TYPE_SIZE_UNIT (type)) > PP_ABI_RESULT_BYTES)
		return wrong (begin_loc, metric.begin, "the result of %qD is larger than %d bytes",
			      metric.begin, PP_ABI_RESULT_BYTES);
	if (TREE_ADDRESSABLE (type))
		return wrong (begin_loc, metric.begin,
			      "the result of %qD is not trivially copyable", metric.begin);
	tree args = TYPE_ARG_TYPES (TREE_TYPE (metric.end));
	tree arg = args && args != void_list_node ? TREE_VALUE (args) : NULL_TREE;
	if (!arg || TREE_CODE (arg) != POINTER_TYPE || TYPE_MAIN_VARIANT (TREE_TYPE (arg)) != type)
		return wrong (
			end_loc, metric.end,
			"the first argument of %qD must be a pointer to the %qT that %qD returns",
			metric.end, type, metric.begin);
	if (!sample_type_p (ppgcc_result_type (metric.end)))
		return wrong (end_loc, metric.end, "%qD must return a number, it returns %qT",
			      metric.end, ppgcc_result_type (metric.end));
	if (TREE_CHAIN (args) != void_list_node)
		metric.arguments = true;
	return true;
}

bool ppgcc_metric_check (ppgcc_metric &metric, location_t begin_loc, location_t end_loc)
{
	if (!metric.begin)
		return true;
	metric.arguments = !no_arguments (metric.begin);
	if (metric.end)
		return check_interval (metric, begin_loc, end_loc);
	if (!sample_type_p (ppgcc_result_type (metric.begin)))
		return wrong (begin_loc, metric.begin, "%qD must return a number, it returns %qT",
			      metric.begin, ppgcc_result_type (metric.begin));
	return true;
}

// ---- thunks

static tree parameter (tree fn, const char *name, tree type)
{
	tree parm = build_decl (BUILTINS_LOCATION, PARM_DECL, get_identifier (name), type);
	DECL_CONTEXT (parm) = fn;
	DECL_ARG_TYPE (parm) = type;
	DECL_ARTIFICIAL (parm) = TREE_USED (parm) = 1;
	return parm;
}

static tree thunk_decl (const std::string &name, location_t loc)
{
	tree type = build_function_type_list (void_type_node, ptr_type_node, const_ptr_type_node,
					      NULL_TREE);
	tree fn = build_decl (loc, FUNCTION_DECL, get_identifier (name.c_str ()), type);
	SET_DECL_ASSEMBLER_NAME (fn, DECL_NAME (fn));
	tree result = build_decl (loc, RESULT_DECL, NULL_TREE, void_type_node);
	DECL_ARTIFICIAL (result) = DECL_IGNORED_P (result) = 1;
	DECL_CONTEXT (result) = fn;
	DECL_RESULT (fn) = result;
	tree out = parameter (fn, "out", ptr_type_node),
	     begin = parameter (fn, "begin", const_ptr_type_node);
	DECL_CHAIN (out) = begin;
	DECL_ARGUMENTS (fn) = out;
	TREE_STATIC (fn) = TREE_USED (fn) = TREE_ADDRESSABLE (fn) = 1;
	DECL_ARTIFICIAL (fn) = DECL_IGNORED_P (fn) = 1;
	DECL_UNINLINABLE (fn) = 1;
	DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT (fn) = 1;
	DECL_INITIAL (fn) = make_node (BLOCK);
	TREE_USED (DECL_INITIAL (fn)) = 1;
	BLOCK_SUPERCONTEXT (DECL_INITIAL (fn)) = fn;
	return fn;
}

// void NAME (void *out, const void *begin) { *(TYPE *) out = (TYPE) USER (begin); }
static tree build_thunk (const std::string &name, location_t loc, tree user, bool end, tree type)
{
	tree fn = thunk_decl (name, loc);
	if (ppgcc_fast_p (user)) { // as fast as what it calls
		DECL_FUNCTION_SPECIFIC_TARGET (fn) = DECL_FUNCTION_SPECIFIC_TARGET (user);
		DECL_ATTRIBUTES (fn) = tree_cons (get_identifier (PPGCC_FAST_ATTRIBUTE), NULL_TREE,
						  DECL_ATTRIBUTES (fn));
		// no sanitizer puts calls into it
		DECL_ATTRIBUTES (fn) =
			tree_cons (get_identifier ("no_sanitize"),
				   build_int_cst (unsigned_type_node, -1), DECL_ATTRIBUTES (fn));
	}
	tree out = DECL_ARGUMENTS (fn), begin = DECL_CHAIN (out), call;
	if (end)
		call = build_call_expr_loc (
			loc, user, 1,
			fold_convert (TREE_VALUE (TYPE_ARG_TYPES (TREE_TYPE (user))), begin));
	else
		call = build_call_expr_loc (loc, user, 0);
	TREE_USED (user) = 1;
	if (type != ppgcc_result_type (user))
		call = fold_convert_loc (loc, type, call);
	tree target =
		build2 (MEM_REF, type, out,
			build_int_cst (build_pointer_type_for_mode (type, ptr_mode, true), 0));
	tree store = build2_loc (loc, MODIFY_EXPR, type, target, call);
	TREE_SIDE_EFFECTS (store) = 1;
	tree body = NULL_TREE;
	append_to_statement_list (store, &body);
	DECL_SAVED_TREE (fn) =
		build3 (BIND_EXPR, void_type_node, NULL_TREE, body, DECL_INITIAL (fn));
	TREE_SIDE_EFFECTS (DECL_SAVED_TREE (fn)) = 1;

	push_struct_function (fn);
	cfun->function_end_locus = loc;
	pop_cfun ();
	ppgcc_add_function (fn);
	return build_fold_addr_expr (fn);
}

static tree sample_type (tree fn, int *abi)
{
	bool real = SCALAR_FLOAT_TYPE_P (ppgcc_result_type (fn));
	*abi = real ? PP_ABI_SAMPLE_DOUBLE : PP_ABI_SAMPLE_INT;
	return real ? double_type_node : long_long_integer_type_node;
}

// ---- metrics

static void record_head (ppgcc_image &image, int type, int flags, unsigned name, unsigned file,
			 unsigned line, unsigned column)
{
	image.u32 (image.size ());
	image.u16 (PP_ABI_VERSION);
	image.u8 (type);
	image.u8 (flags);
	image.u32 (name);
	image.u32 (file);
	image.u32 (line);
	image.u32 (column);
	image.pointer (NULL_TREE);
}

void ppgcc_metric_record (const ppgcc_metric &metric, tree variable)
{
	tree begin = NULL_TREE, end = NULL_TREE;
	int sample = 0, bytes = 0, flags = metric.arguments ? PP_ABI_METRIC_ARGUMENTS : 0;
	if (metric.begin) {
		if (ppgcc_fast_p (metric.begin) && (!metric.end || ppgcc_fast_p (metric.end)))
			flags |= PP_ABI_METRIC_FAST;
		if (!ppgcc_touches_memory (metric.begin) && !ppgcc_touches_memory (metric.end))
			flags |= PP_ABI_METRIC_CONST;
		tree type = sample_type (metric.end ? metric.end : metric.begin, &sample);
		tree result = metric.end ? ppgcc_result_type (metric.begin) : type;
		if (metric.end)
			bytes = tree_to_uhwi (TYPE_SIZE_UNIT (result));
		if (!metric.arguments) // else the code calls them by itself
			begin = build_thunk ("pp_begin." + metric.name, metric.loc, metric.begin,
					     false, result);
		if (metric.end && !metric.arguments)
			end = build_thunk ("pp_end." + metric.name, metric.loc, metric.end, true,
					   type);
	}
	expanded_location where = expand_location (metric.loc);
	ppgcc_image image (sizeof (pp_abi_metric));
	unsigned name = image.text (metric.name, false);
	unsigned file = image.text (where.file ? where.file : "", false);
	unsigned accumulator = image.text (metric.accumulator, false);
	unsigned source = image.text (metric.source, false);
	unsigned options = image.text (metric.options, true);
	unsigned declaration = image.text (metric.declaration, false);
	record_head (image, PP_ABI_RECORD_METRIC, flags, name, file, where.line, where.column);
	image.pointer (build_fold_addr_expr (variable));
	image.pointer (begin);
	image.pointer (end);
	image.u8 (metric.kind);
	image.u8 (sample);
	image.u8 (bytes);
	image.u8 (0);
	image.u32 (accumulator);
	image.u32 (source);
	image.u32 (options);
	image.u32 (declaration);
	image.u32 (0);
	image.variable (("pp_record." + metric.name).c_str (), PP_ABI_SECTION_RECORDS, true, false);
}

// ---- expectations and bindings: made after parsing, from the text that the call carries

// One statement has one record, in however many instances of a template it stands. Filled after
// parsing only.
static std::map<std::string, varpool_node *> statements;

static tree build_expect (const char *text, tree callback, const std::string &symbol)
{
	std::string file = ppgcc_take_line (text), line = ppgcc_take_line (text),
		    column = ppgcc_take_line (text);
	std::string function = ppgcc_take_line (text), name = ppgcc_take_line (text),
		    clauses = ppgcc_take_line (text), expression = ppgcc_take_line (text);
	ppgcc_image image (offsetof (pp_abi_expect, text));
	unsigned name_at = image.text (name, false), file_at = image.text (file, false);
	unsigned expression_at = image.text (expression, false),
		 function_at = image.text (function, false);
	unsigned clauses_at = clauses.empty () ? 0 : image.text (clauses, false);
	record_head (image, PP_ABI_RECORD_EXPECT, 0, name_at, file_at, atoi (line.c_str ()),
		     atoi (column.c_str ()));
	image.pointer (integer_zerop (callback) ? NULL_TREE : callback);
	image.u32 (expression_at);
	image.u32 (function_at);
	image.u32 (clauses_at);
	image.u32 (0);
	return image.variable (symbol.c_str (), PP_ABI_SECTION_RECORDS, true, false);
}

tree ppgcc_expect_record (const char *text, tree callback)
{
	varpool_node *&node = statements[std::string ("expect ") + text];
	if (!node)
		node = varpool_node::get (build_expect (
			text, callback, "pp_expect." + std::to_string (statements.size ())));
	return node->decl;
}

static tree build_bind (const char *text, const std::string &symbol)
{
	std::string file = ppgcc_take_line (text), line = ppgcc_take_line (text),
		    function = ppgcc_take_line (text);
	std::string metric = ppgcc_take_line (text), site = ppgcc_take_line (text);
	std::string function_line = ppgcc_take_line (text);
	ppgcc_image image (sizeof (pp_abi_bind));
	image.u32 (sizeof (pp_abi_bind));
	image.u16 (PP_ABI_VERSION);
	image.u16 (MIN (atoi (line.c_str ()), 0xffff));
	for (const std::string *field : {&metric, &site, &function, &file})
		image.pointer (build1 (ADDR_EXPR, const_ptr_type_node,
				       TREE_OPERAND (ppgcc_literal (*field), 0)));
	image.u32 (atoi (function_line.c_str ()));
	image.u32 (0);
	return image.variable (symbol.c_str (), NULL, false, false);
}

tree ppgcc_bind_record (const char *text)
{
	varpool_node *&node = statements[std::string ("bind ") + text];
	if (!node)
		node = varpool_node::get (
			build_bind (text, "pp_bind." + std::to_string (statements.size ())));
	return node->decl;
}
