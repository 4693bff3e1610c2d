// SPDX-License-Identifier: GPL-3.0-or-later
//
// module.cc: once per unit that has anything to hand over: a struct pp_abi_module, a constructor
// that registers it and a destructor that withdraws it. Units of one program or shared object name
// the same sections; the runtime knows a module by them.

#include "gcc-plugin/markers/image.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/passes/final.h"
#include "gcc-plugin/module.h"
#include "pp_abi.h"

// Before the program's own constructors, after those that C libraries reserve.
#define CONSTRUCTOR_PRIORITY 101

// A weak hidden reference to the linker's __start_ or __stop_ symbol: null where the section does
// not exist.
static tree section_edge (const char *prefix, const char *section)
{
	std::string name = std::string (prefix) + section;
	symtab_node *node = symtab_node::get_for_asmname (get_identifier (name.c_str ()));
	if (node)
		return build_fold_addr_expr (node->decl);
	tree var = build_decl (BUILTINS_LOCATION, VAR_DECL, get_identifier (name.c_str ()),
			       char_type_node);
	TREE_PUBLIC (var) = DECL_EXTERNAL (var) = DECL_ARTIFICIAL (var) = TREE_USED (var) =
		TREE_ADDRESSABLE (var) = 1;
	declare_weak (var);
	DECL_VISIBILITY (var) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED (var) = 1;
	SET_DECL_ASSEMBLER_NAME (var, DECL_NAME (var));
	varpool_node::get_create (var);
	return build_fold_addr_expr (var);
}

static tree module_variable ()
{
	ppgcc_image image (sizeof (pp_abi_module));
	image.u32 (sizeof (pp_abi_module));
	image.u16 (PP_ABI_VERSION);
	image.u16 (sizeof (pp_abi_marker));
	for (const char *section : {PP_ABI_SECTION_SITES, PP_ABI_SECTION_GUARDS,
				    PP_ABI_SECTION_RECORDS, PP_ABI_SECTION_ESTIMATES}) {
		image.pointer (section_edge ("__start_", section));
		image.pointer (section_edge ("__stop_", section));
	}
	return image.variable ("pp.module", NULL, true, false);
}

static void cdtor (char which, const char *entry, tree module)
{
	tree fn = ppgcc_runtime_function (entry, const_ptr_type_node, NULL_TREE);
	tree body = NULL_TREE;
	append_to_statement_list (build_call_expr (fn, 1, build_fold_addr_expr (module)), &body);
	cgraph_build_static_cdtor (which, body, CONSTRUCTOR_PRIORITY);
}

// The same without GCC's passes, for which the two functions would be most of what a marker costs:
// passes/emit.cc writes them.
static bool write_cdtors (tree module)
{
	if (ppgcc_kind () != PPGCC_PATCH || flag_generate_lto)
		return false;
	ppgcc_emit_module (IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (module)), CONSTRUCTOR_PRIORITY);
	return true;
}

// Records that a precompiled header brought along are known only by their section.
static bool has_records ()
{
	varpool_node *node;
	FOR_EACH_DEFINED_VARIABLE (node)
	if (DECL_ARTIFICIAL (node->decl) && node->get_section () &&
	    !strcmp (node->get_section (), PP_ABI_SECTION_RECORDS))
		return true;
	return false;
}

static void build_module (void *, void *)
{
	if (in_lto_p || seen_error () || (!ppgcc_sites () && !has_records ()))
		return;
	tree module = module_variable ();
	if (write_cdtors (module))
		return;
	cdtor ('I', "pp_rt_register", module);
	cdtor ('D', "pp_rt_unregister", module);
	symtab->process_new_functions (); // the next pass wants a CFG of every function
}

void ppgcc_module_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_ALL_IPA_PASSES_START, build_module, NULL);
}
