// SPDX-License-Identifier: GPL-3.0-or-later
//
// site.cc: a site as text inside the tree, and as struct pp_abi_site in the object file.
//
// One site of the source has one descriptor per unit, however many copies templates and inlining make of its code: the
// descriptor is found by the text.

#include "ppgcc.h"

#include <map>

// Fields end with a newline, which none of them contains.
static void append (std::string &out, const std::string &field)
{
	for (char c : field)
		out += c == '\n' ? ' ' : c;
	out += '\n';
}

std::string ppgcc_take_line (const char *&text)
{
	const char *end = strchr (text, '\n');
	gcc_assert (end);
	std::string field (text, end - text);
	text = end + 1;
	return field;
}

std::string ppgcc_site_pack (const ppgcc_site &site)
{
	std::string out;
	for (int number : {site.kind, site.flags, site.line, site.column, site.serial})
		append (out, std::to_string (number));
	for (const std::string *field : {&site.name, &site.function, &site.file, &site.groups, &site.metrics})
		append (out, *field);
	return out;
}

ppgcc_site ppgcc_site_unpack (const char *text)
{
	ppgcc_site site;
	for (int *number : {&site.kind, &site.flags, &site.line, &site.column, &site.serial})
		*number = atoi (ppgcc_take_line (text).c_str ());
	for (std::string *field : {&site.name, &site.function, &site.file, &site.groups, &site.metrics})
		*field = ppgcc_take_line (text);
	return site;
}

static tree build_site (const ppgcc_site &site, int value, ppgcc_marker_kind kind, unsigned number)
{
	ppgcc_image image (offsetof (pp_abi_site, text));
	image.pointer (NULL_TREE);
	image.u32 (0);
	image.u32 (0);
	image.pointer (NULL_TREE);
	image.u64 (0);

	unsigned name = image.text (site.name, false);
	unsigned function = image.text (site.function, false);
	unsigned file = image.text (site.file, false);
	unsigned groups = image.text (site.groups, true);
	unsigned metrics = image.text (site.metrics, true);
	image.u32 (image.size ());
	image.u16 (PP_ABI_VERSION);
	image.u8 (site.kind);
	image.u8 (site.flags | (kind == PPGCC_GUARD ? PP_ABI_SITE_GUARD : 0));
	image.u8 (value);
	image.u8 (0); // dims
	image.u16 (0);
	image.u32 (site.line);
	image.u32 (site.column);
	image.u32 (name);
	image.u32 (function);
	image.u32 (file);
	image.u32 (groups);
	image.u32 (metrics);
	for (int i = 0; i < 4; i++)
		image.u32 (0);
	std::string symbol = "pp_site." + std::to_string (number);
	return image.variable (symbol.c_str (), kind == PPGCC_GUARD ? PP_ABI_SECTION_GUARDS : NULL, false, false);
}

// The variables themselves are reachable from the symbol table; this is only the way back to them. Filled after
// parsing, so no precompiled header can lose it.
static std::map<std::string, varpool_node *> descriptors;

unsigned ppgcc_sites ()
{
	return descriptors.size ();
}

tree ppgcc_site_variable (const char *text, int value, ppgcc_marker_kind kind)
{
	std::string key = std::to_string (value) + text;
	auto found = descriptors.find (key);
	if (found != descriptors.end ())
		return found->second->decl;
	tree var = build_site (ppgcc_site_unpack (text), value, kind, descriptors.size ());
	descriptors[key] = varpool_node::get (var);
	return var;
}
