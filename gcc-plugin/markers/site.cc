// SPDX-License-Identifier: GPL-3.0-or-later
//
// site.cc: a site as text inside the tree, and as struct pp_abi_site in the object file.
//
// One site of the source has one descriptor per unit, however many copies templates and inlining
// make of its code: the descriptor is found by the text.

#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/target/asm.h"
#include "gcc-plugin/markers/barrier.h"
#include "gcc-plugin/markers/image.h"
#include "gcc-plugin/markers/site.h"
#include "pp_abi.h"

#include <map>

ppgcc_marker_kind ppgcc_kind ()
{
	static int kind = -1;
	if (kind < 0) {
		bool possible = ppgcc_asm_possible () && !(flag_sanitize & SANITIZE_THREAD);
		if (ppgcc_opts.patch_asked && !possible)
			error ("%<-fplugin-arg-ppgcc-marker=patch%> is not possible with this "
			       "target and these options; leave it out or use %<guard%>");
		kind = possible && !ppgcc_opts.guard_asked ? PPGCC_PATCH : PPGCC_GUARD;
	}
	return static_cast<ppgcc_marker_kind> (kind);
}

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

void ppgcc_site_in (ppgcc_site &site, tree fn)
{
	site.function_line = DECL_SOURCE_LINE (fn);
	if (ppgcc_is_cxx () && DECL_LANG_SPECIFIC (fn))
		site.parameters = ppgcc_cxx_parameters (fn);
}

bool ppgcc_site_in_source (const ppgcc_site &site)
{
	return site.serial > 0 || site.flags & PPGCC_SITE_OF_ATTRIBUTE;
}

static void (*tell_of_site) (const ppgcc_site &site);

void ppgcc_on_site (void (*seen) (const ppgcc_site &site))
{
	tell_of_site = seen;
}

// An identifier that no program can have, for precompiled headers keep no variables of ours.
static tree open_seen ()
{
	return get_identifier ("pp what is open");
}

void ppgcc_unit_opens ()
{
	TREE_SYMBOL_REFERENCED (open_seen ()) = 1;
}

bool ppgcc_unit_has_open ()
{
	return TREE_SYMBOL_REFERENCED (open_seen ());
}

std::string ppgcc_site_pack (const ppgcc_site &site)
{
	std::string out;
	if (tell_of_site)
		tell_of_site (site);
	if (site.kind != PP_ABI_SITE_POINT && !(site.flags & PP_ABI_SITE_INLINE))
		ppgcc_unit_opens ();
	for (int number :
	     {site.kind, site.flags, site.line, site.column, site.serial, site.function_line})
		append (out, std::to_string (number));
	for (const std::string *field : {&site.name, &site.function, &site.parameters, &site.file,
					 &site.groups, &site.metrics, &site.dims})
		append (out, *field);
	return out;
}

ppgcc_site ppgcc_site_unpack (const char *text)
{
	ppgcc_site site;
	for (int *number :
	     {&site.kind, &site.flags, &site.line, &site.column, &site.serial, &site.function_line})
		*number = atoi (ppgcc_take_line (text).c_str ());
	for (std::string *field : {&site.name, &site.function, &site.parameters, &site.file,
				   &site.groups, &site.metrics, &site.dims})
		*field = ppgcc_take_line (text);
	return site;
}

ppgcc_site ppgcc_site_complete (const char *text)
{
	ppgcc_site site = ppgcc_site_unpack (text);
	if (ppgcc_site_is_barrier (site))
		site.flags |= PP_ABI_SITE_BARRIER;
	return site;
}

// "n:i,ratio:d" of the keys "n,ratio" and the letters behind that of the value.
static std::string dims_of (const ppgcc_site &site, const std::string &letters)
{
	std::string out;
	size_t at = 0;
	for (size_t i = 1; i < letters.size (); i++) {
		size_t end = std::min (site.dims.find (',', at), site.dims.size ());
		out += (i > 1 ? "," : "") + site.dims.substr (at, end - at) + ":" + letters[i];
		at = end + 1;
	}
	return out;
}

static int value_of (const std::string &letters)
{
	static const char kinds[] = "-idps"; // by enum pp_abi_value
	const char *kind = letters.empty () ? kinds : strchr (kinds, letters[0]);
	gcc_assert (kind && *kind);
	return kind - kinds;
}

static tree build_site (const ppgcc_site &site, const std::string &letters, ppgcc_marker_kind kind,
			unsigned number)
{
	bool guard = kind == PPGCC_GUARD ||
		     (site.flags & PP_ABI_SITE_INLINE); // no record of a marker leads to it
	ppgcc_image image (offsetof (pp_abi_site, text));
	image.pointer (NULL_TREE);
	image.u32 (0);
	image.u32 (0);
	image.pointer (NULL_TREE);
	image.u64 (0);

	unsigned name = image.text (site.name, false);
	unsigned function = image.text (site.function, false);
	unsigned file = image.text (site.file, false);
	unsigned parameters = image.text (site.parameters, true);
	unsigned groups = image.text (site.groups, true);
	unsigned metrics = image.text (site.metrics, true);
	unsigned dims = image.text (dims_of (site, letters), true),
		 n_dims = letters.empty () ? 0 : letters.size () - 1;
	image.u32 (image.size ());
	image.u16 (PP_ABI_VERSION);
	image.u8 (site.kind);
	image.u8 ((site.flags & ~(PPGCC_SITE_OF_CALLS | PPGCC_SITE_OF_ATTRIBUTE)) |
		  (guard ? PP_ABI_SITE_GUARD : 0) | (n_dims ? PP_ABI_SITE_ARRAY : 0));
	image.u8 (value_of (letters));
	image.u8 (n_dims);
	image.u16 (0);
	image.u32 (site.line);
	image.u32 (site.column);
	image.u32 (name);
	image.u32 (function);
	image.u32 (file);
	image.u32 (groups);
	image.u32 (metrics);
	image.u32 (dims);
	image.u32 (0); // wanted
	image.u32 (parameters);
	image.u32 (site.function_line);
	std::string symbol = PPGCC_SITE_PREFIX + std::to_string (number), near = ".data." + symbol;
	const char *section = guard ? PP_ABI_SECTION_GUARDS : PPGCC_FAR_DATA ? near.c_str () : NULL;
	return image.variable (symbol.c_str (), section, false, false);
}

static void attribute (tree var, const char *name, tree value)
{
	DECL_ATTRIBUTES (var) = tree_cons (get_identifier (name), value, DECL_ATTRIBUTES (var));
}

// The variables themselves are reachable from the symbol table; this is only the way back to them.
// Filled after parsing, so no precompiled header can lose it.
static std::map<std::string, varpool_node *> descriptors;

unsigned ppgcc_sites ()
{
	return descriptors.size ();
}

bool ppgcc_may_have_markers ()
{
	return in_lto_p || !descriptors.empty ();
}

tree ppgcc_site_variable (const char *text, const std::string &letters, ppgcc_marker_kind kind)
{
	std::string key = letters + '\n' + text;
	auto found = descriptors.find (key);
	if (found != descriptors.end ())
		return found->second->decl;
	ppgcc_site site = ppgcc_site_complete (text);
	tree var = build_site (site, letters, kind, descriptors.size ());
	bool written = site.serial ||
		       (!ppgcc_opts.calls && !ppgcc_opts.instrument); // a pragma has a serial
	if (site.kind != PP_ABI_SITE_INTERVAL || !written)
		attribute (var, PPGCC_QUIET_ATTRIBUTE, NULL_TREE);
	if (site.flags & PP_ABI_SITE_FENCE)
		attribute (var, PPGCC_FENCE_ATTRIBUTE, NULL_TREE);
	if (site.flags & PP_ABI_SITE_BARRIER)
		attribute (var, PPGCC_BARRIER_ATTRIBUTE, NULL_TREE);
	if (site.flags & PPGCC_SITE_OF_CALLS)
		attribute (var, PPGCC_OF_CALLS_ATTRIBUTE, NULL_TREE);
	attribute (var, PPGCC_NAME_ATTRIBUTE,
		   build_string (site.name.size () + 1, site.name.c_str ()));
	descriptors[key] = varpool_node::get (var);
	return var;
}

const char *ppgcc_site_name (tree site)
{
	tree attribute = lookup_attribute (PPGCC_NAME_ATTRIBUTE, DECL_ATTRIBUTES (site));
	return attribute ? TREE_STRING_POINTER (TREE_VALUE (attribute)) : "?";
}

bool ppgcc_site_fenced (tree site)
{
	return lookup_attribute (PPGCC_FENCE_ATTRIBUTE, DECL_ATTRIBUTES (site)) != NULL_TREE;
}
