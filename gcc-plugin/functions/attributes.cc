// SPDX-License-Identifier: GPL-3.0-or-later
//
// attributes.cc: __attribute__ ((pp_interval ("NAME"[, "METRIC,..."[, "GROUP,..."]]))) and
// ((pp_ignore)), in C++ and C2x also [[pp::interval ("NAME")]] and [[pp::ignore]]; and ((pp_fast)),
// see target/fast.cc.
//
// An attribute stays on its declaration, and so it comes to the definition, to every instance of a
// template, and through a precompiled header; instrument.cc reads it there. The [[pp::...]] forms
// become the others here.

#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/target/registers.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/functions/attributes.h"
#include "gcc-plugin/functions/wrap.h"

// Where the mistake is: an attribute's arguments have no place of their own.
static location_t where (tree node)
{
	return DECL_P (node) ? DECL_SOURCE_LOCATION (node) : input_location;
}

static bool narrow_string (tree arg)
{
	return arg && TREE_CODE (arg) == STRING_CST &&
	       (!TREE_TYPE (arg) || TYPE_PRECISION (TREE_TYPE (TREE_TYPE (arg))) == BITS_PER_UNIT);
}

static bool check_name (tree node, tree arg)
{
	if (!narrow_string (arg)) {
		error_at (where (node), "the first argument of %<pp_interval%> must be a string "
					"that names the interval");
		return false;
	}
	const char *name = TREE_STRING_POINTER (arg);
	if (!*name) {
		error_at (where (node), "the name of an interval must not be empty");
		return false;
	}
	for (const char *p = name; *p; p++)
		if (*p == '/' || ISCNTRL (*p)) {
			error_at (where (node),
				  "the name %qs of an interval must not contain %<%c%>", name,
				  *p == '/' ? '/' : ' ');
			return false;
		}
	return true;
}

static bool check_metric (tree node, const char *name)
{
	tree decl = ppgcc_is_c_family () ? ppgcc_declared_metric (name) : NULL_TREE;
	if (!decl || startswith (ppgcc_metric_declaration (decl), "interval"))
		return true;
	auto_diagnostic_group group;
	error_at (where (node), "%qs is a metric for points, it cannot be measured at an interval",
		  name);
	inform (DECL_SOURCE_LOCATION (decl), "declared here");
	return false;
}

std::string ppgcc_attribute_names (const char *text)
{
	std::string out;
	bool blank = false;
	for (; *text; text++) {
		if (ISSPACE (*text)) {
			blank = true;
			continue;
		}
		if (blank && !out.empty () && out.back () != ',' && *text != ',')
			out += ' ';
		out += *text;
		blank = false;
	}
	return out;
}

// "a, b": names with commas between.
static bool check_names (tree node, tree arg, bool metrics)
{
	const char *what = metrics ? "metrics" : "groups";
	if (!narrow_string (arg)) {
		error_at (
			where (node),
			"the %s of %<pp_interval%> must be a string of names, with commas between",
			what);
		return false;
	}
	std::string names = ppgcc_attribute_names (TREE_STRING_POINTER (arg));
	if (names.empty ()) // groups may come without metrics
		return true;
	names += ',';
	for (size_t at = 0, end; (end = names.find (',', at)) != std::string::npos; at = end + 1) {
		std::string name = names.substr (at, end - at);
		bool fits = !name.empty () && !ISDIGIT (name[0]);
		for (char c : name)
			fits &= ISIDNUM (c) != 0;
		if (!fits) {
			error_at (where (node), "%qs among the %s of %<pp_interval%> is no name",
				  name.c_str (), what);
			return false;
		}
		if (metrics && !check_metric (node, name.c_str ()))
			return false;
	}
	return true;
}

static bool check_function (tree node, const char *attribute)
{
	if (TREE_CODE (node) != FUNCTION_DECL) {
		error_at (where (node), "%qs belongs to functions, %qD is none", attribute, node);
		return false;
	}
	if (ppgcc_is_cxx () && ppgcc_cxx_immediate (node)) {
		error_at (where (node), "%qs on %qD, which is never executed: it is %<consteval%>",
			  attribute, node);
		return false;
	}
	return true;
}

static bool same_arguments (tree a, tree b)
{
	for (; a && b; a = TREE_CHAIN (a), b = TREE_CHAIN (b))
		if (!narrow_string (TREE_VALUE (a)) || !narrow_string (TREE_VALUE (b)) ||
		    strcmp (TREE_STRING_POINTER (TREE_VALUE (a)),
			    TREE_STRING_POINTER (TREE_VALUE (b))))
			return false;
	return !a && !b;
}

static tree handle_interval (tree *node, tree, tree args, int, bool *no_add)
{
	*no_add = true;
	if (!check_function (*node, PPGCC_INTERVAL_ATTRIBUTE) ||
	    !check_name (*node, TREE_VALUE (args)))
		return NULL_TREE;
	tree metrics = TREE_CHAIN (args), groups = metrics ? TREE_CHAIN (metrics) : NULL_TREE;
	if ((metrics && !check_names (*node, TREE_VALUE (metrics), true)) ||
	    (groups && !check_names (*node, TREE_VALUE (groups), false)))
		return NULL_TREE;
	if (tree before = ppgcc_interval_attribute (*node)) {
		if (!same_arguments (before, args))
			error_at (where (*node),
				  "%qD is interval %qs already, it cannot be %qs too", *node,
				  TREE_STRING_POINTER (TREE_VALUE (before)),
				  TREE_STRING_POINTER (TREE_VALUE (args)));
		return NULL_TREE;
	}
	DECL_ATTRIBUTES (*node) = tree_cons (get_identifier (PPGCC_INTERVAL_ATTRIBUTE), args,
					     DECL_ATTRIBUTES (*node));
	ppgcc_unit_opens (); // functions before it are to know
	if (ppgcc_is_cxx ())
		ppgcc_cxx_interval_seen ();
	return NULL_TREE;
}

static tree handle_ignore (tree *node, tree, tree, int, bool *no_add)
{
	*no_add = true;
	if (check_function (*node, PPGCC_IGNORE_ATTRIBUTE) &&
	    !lookup_attribute (PPGCC_IGNORE_ATTRIBUTE, DECL_ATTRIBUTES (*node)))
		DECL_ATTRIBUTES (*node) = tree_cons (get_identifier (PPGCC_IGNORE_ATTRIBUTE),
						     NULL_TREE, DECL_ATTRIBUTES (*node));
	return NULL_TREE;
}

static tree handle_fast (tree *node, tree, tree, int, bool *no_add)
{
	*no_add = !check_function (*node, PPGCC_FAST_ATTRIBUTE);
	return NULL_TREE;
}

tree ppgcc_interval_attribute (tree fn)
{
	tree attribute = lookup_attribute (PPGCC_INTERVAL_ATTRIBUTE, DECL_ATTRIBUTES (fn));
	return attribute ? TREE_VALUE (attribute) : NULL_TREE;
}

tree ppgcc_other_interval (tree fn)
{
	tree attribute = lookup_attribute (PPGCC_INTERVAL_ATTRIBUTE, DECL_ATTRIBUTES (fn));
	tree other = attribute ? lookup_attribute (PPGCC_INTERVAL_ATTRIBUTE, TREE_CHAIN (attribute))
			       : NULL_TREE;
	return other ? TREE_VALUE (other) : NULL_TREE;
}

static const attribute_spec::exclusions not_ignored[] = {
	{PPGCC_IGNORE_ATTRIBUTE, true, false, false}, {NULL, false, false, false}};
static const attribute_spec::exclusions not_interval[] = {
	{PPGCC_INTERVAL_ATTRIBUTE, true, false, false}, {NULL, false, false, false}};

static const attribute_spec attributes[] = {
	{PPGCC_INTERVAL_ATTRIBUTE, 1, 3, true, false, false, false, handle_interval, not_ignored},
	{PPGCC_IGNORE_ATTRIBUTE, 0, 0, true, false, false, false, handle_ignore, not_interval},
	{PPGCC_FAST_ATTRIBUTE, 0, 0, true, false, false, false, handle_fast, NULL},
};

// register_scoped_attributes keeps the pointer.
static const attribute_spec scoped[] = {
	{"interval", 1, 3, true, false, false, false, handle_interval, not_ignored},
	{"ignore", 0, 0, true, false, false, false, handle_ignore, not_interval},
	{NULL, 0, 0, false, false, false, false, NULL, NULL},
};

static void register_attributes (void *, void *)
{
	for (const attribute_spec &one : attributes)
		register_attribute (&one);
	ppgcc_register_scoped_attributes (scoped, "pp");
}

void ppgcc_attributes_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_ATTRIBUTES, register_attributes, NULL);
}
