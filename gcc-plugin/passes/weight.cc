// SPDX-License-Identifier: GPL-3.0-or-later
//
// weight.cc: markers weigh nothing where GCC decides what to inline.
//
// GCC counts every asm as one instruction at least, "asm inline" and empty ones too. At -O1 and -Os
// a function that is called more than once is inlined only if the program doesn't grow, in the
// early inliner it may grow by a few instructions: there the two markers of an interval, which are
// one NOP each when nothing is bound, decide. So whenever GCC has summed up a function, what its
// asm markers added is taken off again: from the function's size, and from the table that says
// which part of size and time goes with which condition on the arguments.
//
// The table doesn't say where a marker's part went, only where it can have gone: for most that is
// the first entry, the code that is always executed. For one in a branch that only some constant
// arguments take the estimate for those arguments may come out two instructions low. Guards are
// code, and count.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/passes/final.h"
#include <alloc-pool.h>
#include <sreal.h>
#include <symbol-summary.h>
#include <ipa-prop.h>
#include <ipa-fnsummary.h>

// What the asm markers of FUN count for: their number, and how often they are executed for one
// execution of FUN.
static int count_markers (function *fun, sreal *time)
{
	int count = 0;
	basic_block bb;
	*time = 0;
	FOR_EACH_BB_FN (bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
		if (gimple_code (gsi_stmt (gsi)) == GIMPLE_ASM && ppgcc_marker_p (gsi_stmt (gsi))) {
			count++;
			*time += bb->count.to_sreal_scale (ENTRY_BLOCK_PTR_FOR_FN (fun)->count);
		}
	return count;
}

// Takes SIZE and TIME off ENTRY as far as they are there.
static void take_off (size_time_entry &entry, int *size, sreal *time)
{
	int less = MIN (entry.size, *size);
	sreal less_time = MIN (entry.time, *time);
	entry.size -= less;
	*size -= less;
	entry.time -= less_time;
	*time -= less_time;
}

static void forget_markers (cgraph_node *node)
{
	function *fun = DECL_STRUCT_FUNCTION (node->decl);
	ipa_fn_summary *info = ipa_fn_summaries ? ipa_fn_summaries->get (node) : NULL;
	ipa_size_summary *sizes = ipa_size_summaries ? ipa_size_summaries->get (node) : NULL;
	if (!fun || !fun->cfg || !info || !sizes)
		return;
	sreal time;
	int count = count_markers (fun, &time), size = count * ipa_fn_summary::size_scale;
	if (count == 0)
		return;
	sizes->self_size = MAX (sizes->self_size - count, 0);
	sizes->size = MAX (sizes->size - count, 0);
	info->min_size = MAX (info->min_size - count, 0);
	info->time = MAX (info->time - time, sreal (0));
	for (size_time_entry &entry : info->size_time_table)
		if (size > 0)
			take_off (entry, &size, &time);
}

namespace
{

// Behind each summary of one function, which the early inliner reads.
const pass_data early_data = {
	GIMPLE_PASS, "ppweight1", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class early_weight_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	opt_pass *clone () final override
	{
		return new early_weight_pass (early_data);
	}

	unsigned execute (function *fun) final override
	{
		forget_markers (cgraph_node::get (fun->decl));
		return 0;
	}
};

// Behind the summaries of all, which the inliner reads and lto1 gets.
const pass_data data = {IPA_PASS, "ppweight", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

} // namespace

void ppgcc_weight_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new early_weight_pass (early_data), PASS_POS_INSERT_AFTER,
			"local-fnsummary", 0);
	ppgcc_add_pass (plugin, new ppgcc_summary_pass<forget_markers> (data),
			PASS_POS_INSERT_AFTER, "fnsummary");
}
