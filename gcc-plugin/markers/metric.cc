// SPDX-License-Identifier: GPL-3.0-or-later
//
// metric.cc: the variable that stands for a metric. What its pragma says stays on it as attributes,
// where a second declaration and a site's list of metrics find it, and through a precompiled
// header.

#include "gcc-plugin/markers/metric.h"

void ppgcc_metric_describe (tree variable, const ppgcc_metric &metric)
{
	auto add = [&] (const char *attribute, tree value) {
		DECL_ATTRIBUTES (variable) =
			tree_cons (get_identifier (attribute), value, DECL_ATTRIBUTES (variable));
	};
	add ("pp metric",
	     build_string (metric.declaration.size () + 1, metric.declaration.c_str ()));
	add ("pp functions", build_tree_list (metric.begin, metric.end));
	if (metric.arguments)
		add ("pp arguments", NULL_TREE);
}

tree ppgcc_declared_metric (const char *name)
{
	tree decl = lookup_name (get_identifier (name));
	if (decl && VAR_P (decl) && lookup_attribute ("pp metric", DECL_ATTRIBUTES (decl)))
		return decl;
	return NULL_TREE;
}

const char *ppgcc_metric_declaration (tree decl)
{
	return TREE_STRING_POINTER (
		TREE_VALUE (lookup_attribute ("pp metric", DECL_ATTRIBUTES (decl))));
}

std::string ppgcc_metric_source (tree decl)
{
	const char *source = strchr (ppgcc_metric_declaration (decl), '(') + 1;
	return std::string (source, strcspn (source, ",)"));
}

bool ppgcc_metric_nests (tree decl)
{
	const char *scope = strstr (ppgcc_metric_declaration (decl), ",scope=");
	return scope && !startswith (scope, ",scope=total");
}

tree ppgcc_metric_function (tree decl, bool end)
{
	tree functions = TREE_VALUE (lookup_attribute ("pp functions", DECL_ATTRIBUTES (decl)));
	return end ? TREE_VALUE (functions) : TREE_PURPOSE (functions);
}

bool ppgcc_metric_takes_arguments (tree decl)
{
	return lookup_attribute ("pp arguments", DECL_ATTRIBUTES (decl));
}
