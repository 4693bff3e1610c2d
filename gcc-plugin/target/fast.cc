// SPDX-License-Identifier: GPL-3.0-or-later
//
// fast.cc: __attribute__ ((pp_fast)), which PP_FAST of pp.h puts beside target
// ("general-regs-only"): measuring functions that the runtime calls without keeping the program's
// vector registers. They must be what they say: no other registers, and no calls of functions that
// may use them. Both are looked at when the function has become instructions, since what is inlined
// is no call, and what looks like none (a builtin) may become one.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/target/registers.h"

#include <rtl.h>
#include <emit-rtl.h>
#include <df.h>

#include <vector>

bool ppgcc_fast_p (tree fn)
{
	return lookup_attribute (PPGCC_FAST_ATTRIBUTE, DECL_ATTRIBUTES (fn)) != NULL_TREE;
}

#ifdef PPGCC_TARGET_X86

static bool general_only_p (tree fn)
{
	tree options = DECL_FUNCTION_SPECIFIC_TARGET (fn);
	if (!options)
		options = target_option_default_node;
	return options &&
	       (TREE_TARGET_OPTION (options)->x_ix86_target_flags & OPTION_MASK_GENERAL_REGS_ONLY);
}

// After the first error GCC compiles nothing more: mistakes are told when the unit is finished, all
// of them.
struct mistake {
	location_t loc, declared; // UNKNOWN_LOCATION: of no declaration
	std::string text;
};
static std::vector<mistake> mistakes;

static void found (location_t loc, tree fn, const std::string &what,
		   location_t declared = UNKNOWN_LOCATION)
{
	mistakes.push_back ({loc, declared,
			     std::string (lang_hooks.decl_printable_name (fn, 1)) + "\n" + what});
}

static void finish_unit (void *, void *)
{
	for (const mistake &one : mistakes) {
		size_t end = one.text.find ('\n');
		auto_diagnostic_group group;
		error_at (one.loc, "%qs is %<PP_FAST%> and %s", one.text.substr (0, end).c_str (),
			  one.text.substr (end + 1).c_str ());
		if (one.declared != UNKNOWN_LOCATION)
			inform (one.declared, "declared here; mark it %<PP_FAST%> too if it needs "
					      "general registers only");
	}
	mistakes.clear ();
}

static void check_call (tree fn, rtx_insn *insn)
{
	rtx call = get_call_rtx_from (insn), callee = call ? XEXP (XEXP (call, 0), 0) : NULL_RTX;
	location_t loc = INSN_LOCATION (insn);
	if (loc == UNKNOWN_LOCATION)
		loc = DECL_SOURCE_LOCATION (fn);
	if (!callee || GET_CODE (callee) != SYMBOL_REF) {
		found (loc, fn, "calls through a pointer, which may be any function");
		return;
	}
	tree decl = SYMBOL_REF_DECL (callee);
	if (decl && TREE_CODE (decl) == FUNCTION_DECL && ppgcc_fast_p (decl))
		return;
	const char *name = XSTR (callee, 0);
	if (decl && DECL_P (decl) && !fndecl_built_in_p (decl))
		found (loc, fn,
		       std::string ("calls \'") + lang_hooks.decl_printable_name (decl, 1) +
			       "\', which is not",
		       DECL_SOURCE_LOCATION (decl));
	else
		found (loc, fn,
		       std::string ("calls \'") + (name + (*name == '*')) + "\' of a library");
}

static void check_registers (tree fn)
{
	for (unsigned i = 0; i < FIRST_PSEUDO_REGISTER; i++)
		if ((STACK_REGNO_P (i) || SSE_REGNO_P (i) || MMX_REGNO_P (i) || MASK_REGNO_P (i)) &&
		    df_regs_ever_live_p (i)) {
			found (DECL_SOURCE_LOCATION (fn), fn,
			       std::string ("uses register ") + reg_names[i]);
			return;
		}
}

static void check (function *fun)
{
	if (!general_only_p (fun->decl)) {
		found (DECL_SOURCE_LOCATION (fun->decl), fun->decl,
		       "was not compiled for general registers only: pp_fast goes with target "
		       "(\"general-regs-only\")");
		return;
	}
	check_registers (fun->decl);
	for (rtx_insn *insn = get_insns (); insn; insn = NEXT_INSN (insn))
		if (CALL_P (insn))
			check_call (fun->decl, insn);
}

namespace
{

const pass_data data = {RTL_PASS, "ppfast", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class fast_pass : public ppgcc_pass<rtl_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	bool gate (function *fun) final override
	{
		return ppgcc_fast_p (fun->decl);
	}

	unsigned execute (function *fun) final override
	{
		check (fun);
		return 0;
	}
};

} // namespace

void ppgcc_fast_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new fast_pass (data), PASS_POS_INSERT_AFTER, "pro_and_epilogue");
	register_callback (plugin, PLUGIN_FINISH_UNIT, finish_unit, NULL);
}

#else

void ppgcc_fast_register (const char *)
{
}

#endif
