// SPDX-License-Identifier: GPL-3.0-or-later
//
// final.cc: what can only be known when inlining is over, in cc1 or in lto1: how deep a copy of a
// site lies inside copies of itself; and what the back end must leave alone in functions that have
// markers.
//
// A frame of an open interval is recognised by its site and the stack pointer. Four things would
// break that:
//   - one site inlined recursively into one function: its copies have one stack pointer. The inline
//   depth in the low
//     bits of the tag tells them apart.
//   - where a call pushes nothing, a begin ahead of the prologue: its stack pointer is that of the
//   caller, whose copy of the same
//     site may be open. Functions with markers get their prologue at the entry there, as if there
//     were no shrink-wrapping.
//   - there, too, a function that needs no stack has the stack pointer of its caller, which may be
//   another copy of the same source: an
//     instance of the template, a clone, or what has it inlined. That takes a call in the source,
//     wherever the optimiser got rid of it (ppgcc_note_copies), and then copies get a word of the
//     stack, used or not.
//   - a stack pointer that rises between begin and end without a function returning. GCC defers the
//   popping of outgoing
//     arguments, so that is switched off where there are markers.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/target/registers.h"
#include "gcc-plugin/markers/copies.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/passes/final.h"
#include "pp_abi.h"

// Whether two functions are one in the source: also instances of one template, which share their
// sites.
static bool same_source (tree a, tree b)
{
	expanded_location x = expand_location (DECL_SOURCE_LOCATION (a)),
			  y = expand_location (DECL_SOURCE_LOCATION (b));
	return a == b || (x.line == y.line && x.column == y.column && x.file && y.file &&
			  !strcmp (x.file, y.file));
}

// How often the function that STMT was written in, HOME, encloses itself there.
static unsigned inline_depth (gimple *stmt, tree *home)
{
	unsigned depth = 0;
	*home = NULL_TREE;
	for (tree block = gimple_block (stmt); block && TREE_CODE (block) == BLOCK;
	     block = BLOCK_SUPERCONTEXT (block)) {
		if (!inlined_function_outer_scope_p (block))
			continue;
		tree fn = block_ultimate_origin (block);
		if (!fn || TREE_CODE (fn) != FUNCTION_DECL)
			continue;
		fn = DECL_ORIGIN (fn);
		if (!*home)
			*home = fn;
		else if (same_source (*home, fn))
			depth++;
	}
	tree outermost = DECL_ORIGIN (current_function_decl);
	if (!*home)
		*home = outermost;
	else if (same_source (*home, outermost))
		depth++;
	return MIN (depth, PP_ABI_DEPTH_MASK);
}

// FN is a guard's entry: gives it the name that the runtime has.
static void finish_entry (tree fn)
{
	std::string name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (fn));
	size_t at = name.find (PPGCC_UNFINISHED);
	if (at != std::string::npos)
		symtab->change_decl_assembler_name (fn,
						    get_identifier (name.substr (0, at).c_str ()));
}

// STMT is a marker: the last touches before it becomes instructions.
static void finish_marker (gimple *stmt, unsigned depth, unsigned not_live)
{
	if (gasm *text = dyn_cast<gasm *> (stmt)) {
		ppgcc_note note = ppgcc_note_read (gimple_asm_string (text));
		note.depth = depth;
		note.flags |= not_live;
		text->string = ggc_strdup (ppgcc_note_write (note).c_str ());
		return;
	}
	finish_entry (gimple_call_fndecl (stmt));
	gimple_call_set_tail (as_a<gcall *> (stmt),
			      false); // a guard sees the stack pointer of its caller
	if (depth == 0)
		return;
	tree site = gimple_call_arg (stmt, 0);
	tree byte = build2 (MEM_REF, char_type_node, site, build_int_cst (ptr_type_node, depth));
	gimple_call_set_arg (stmt, 0, build_fold_addr_expr (byte));
}

static bool has_markers (function *fun)
{
	basic_block bb;
	if (!fun || !fun->cfg)
		return false;
	FOR_EACH_BB_FN (bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
		if (ppgcc_marker_p (gsi_stmt (gsi)))
			return true;
	return false;
}

// Of the function that is being expanded.
static bool current_has_markers, current_needs_stack;
static int saved_defer_pop, saved_shrink_wrap;
static enum reorder_blocks_algorithm saved_reorder_algorithm;

// COLD: it has markers that jump to cold blocks. The simple algorithm of -O1 and -Os looks at no
// asm goto and would put a cold block in the way of what goes past it.
static void set_back_end (bool cold)
{
	saved_defer_pop = flag_defer_pop;
	saved_shrink_wrap = flag_shrink_wrap;
	saved_reorder_algorithm = flag_reorder_blocks_algorithm;
	flag_defer_pop = 0; // keeps the stack pointer monotonic
	if (!PPGCC_CALL_PUSHES)
		flag_shrink_wrap = 0;
	if (cold)
		flag_reorder_blocks_algorithm = REORDER_BLOCKS_ALGORITHM_STC;
	current_has_markers = true;
}

static void function_finished (void *, void *)
{
	if (current_has_markers) {
		flag_defer_pop = saved_defer_pop;
		flag_shrink_wrap = saved_shrink_wrap;
		flag_reorder_blocks_algorithm = saved_reorder_algorithm;
	}
	current_has_markers = current_needs_stack = false;
}

// Passes that a function with markers must not go through: splitting would put a begin and its end
// at different depths of inlining; combining stack adjustments would undo what flag_defer_pop
// prevents.
static void override_gate (void *gate, void *)
{
	bool *status = static_cast<bool *> (gate);
	ppgcc_reorder_ended (); // this is the next pass
	if (!*status || !current_pass || !current_pass->name || !cfun)
		return;
	if (!strcmp (current_pass->name, "csa"))
		*status = !current_has_markers;
	else if (current_has_markers && !strcmp (current_pass->name, "bbro"))
		ppgcc_reorder_begins ();
	else if (!PPGCC_CALL_PUSHES && current_needs_stack && !strcmp (current_pass->name, "vregs"))
		// right behind expansion; register allocation lays out the frame
		assign_stack_local (word_mode, UNITS_PER_WORD, 0);
	else if (!strcmp (current_pass->name, "fnsplit") ||
		 !strcmp (current_pass->name, "feedback_fnsplit"))
		*status = !has_markers (cfun);
}

static const char *plugin_name;

// Makes the functions that come from now on go through the passes only that markers allow. GCC
// would ask at the gate of every pass of every function, in units without markers too.
static void keep_markers ()
{
	static bool registered;
	if (registered)
		return;
	registered = true;
	register_callback (plugin_name, PLUGIN_OVERRIDE_GATE, override_gate, NULL);
	register_callback (plugin_name, PLUGIN_ALL_PASSES_END, function_finished, NULL);
}

namespace
{

const pass_data data = {GIMPLE_PASS, "ppfinal", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class final_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		basic_block bb;
		bool any = false, cold = false;
		unsigned not_live = 0;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			gimple *stmt = gsi_stmt (gsi);
			if (!ppgcc_marker_p (stmt))
				continue;
			if (!any)
				not_live = ppgcc_not_live (fun, ppgcc_marker_p);
			any = true;
			cold |= stmt_ends_bb_p (stmt);
			tree home;
			finish_marker (stmt, inline_depth (stmt, &home), not_live);
			current_needs_stack |=
				lookup_attribute (PPGCC_COPIES_ATTRIBUTE, DECL_ATTRIBUTES (home)) !=
				NULL_TREE;
		}
		if (any)
			set_back_end (cold);
		return 0;
	}
};

} // namespace

void ppgcc_final_register (const char *plugin)
{
	// the last GIMPLE pass; expand itself counts as an RTL pass
	ppgcc_add_pass (plugin, new final_pass (data, ppgcc_may_have_markers),
			PASS_POS_INSERT_AFTER, "optimized");
	plugin_name = plugin;
	ppgcc_on_markers (keep_markers);
	if (!strcmp (lang_hooks.name, "GNU GIMPLE")) // lto1: any function may have markers
		keep_markers ();
}
