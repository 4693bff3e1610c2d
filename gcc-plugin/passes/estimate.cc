// SPDX-License-Identifier: GPL-3.0-or-later
//
// estimate.cc: what an interval's body does per execution: operations, flops, bytes, branches,
// calls.
//
// Counted is what a human would count on the source, so the pass runs when functions are inlined
// and scalars cleaned up, but no loop has been unrolled, vectorised or relieved of what does not
// change in it:
//
//     begin
//     for (i = 0; i < 1000; i++)         1,000 x the way from the header to the latch, 1 x from the
//                                        header to the exit
//             y[i] += a * x[i];          2 flops, 16 bytes of loads, 8 bytes of stores
//     end
//
// A loop counts where its number of iterations is a constant. Where control may go several ways
// that do not all do the same, figures are weighed by the compiler's probabilities and said to be
// approximate. What is not known is unknown (NaN), never a guess; ways that do not come to the end
// (exceptions, calls that don't return) do not count.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/markers/words.h"
#include "gcc-plugin/passes/addresses.h"
#include "gcc-plugin/passes/truth.h"
#include "pp_abi.h"

#include <internal-fn.h>
#include <sreal.h>
#include <tree-scalar-evolution.h>
#include <tree-ssa-loop.h>
#include <tree-ssa-loop-niter.h>

#include <map>

static double ppgcc_figures::*const figures[] = PPGCC_FIGURES;

static ppgcc_figures unknown_figures ()
{
	double nan = __builtin_nan ("");
	return ppgcc_figures{nan, nan, nan, nan, nan, nan, false};
}

// ---- through the compiler: in the begin marker's note

static std::string write_figures (const ppgcc_figures &body)
{
	std::string out = body.approximate ? "1" : "0";
	char number[40];
	for (double ppgcc_figures::*one : figures) {
		snprintf (number, sizeof (number), " %a", body.*one);
		out += number;
	}
	return out;
}

ppgcc_figures ppgcc_read_figures (const std::string &text)
{
	ppgcc_figures out = unknown_figures ();
	if (text.empty ())
		return out;
	char *at;
	out.approximate = strtol (text.c_str (), &at, 10);
	for (double ppgcc_figures::*one : figures)
		out.*one = strtod (at, &at);
	return out;
}

namespace
{

// ---- arithmetic with figures

ppgcc_figures nothing ()
{
	return ppgcc_figures{0, 0, 0, 0, 0, 0, false};
}

void add (ppgcc_figures &sum, const ppgcc_figures &x)
{
	for (double ppgcc_figures::*one : figures)
		sum.*one += x.*one;
	sum.approximate |= x.approximate;
}

ppgcc_figures times (const ppgcc_figures &x, double n)
{
	ppgcc_figures out = n == 0 ? nothing () : x;
	for (double ppgcc_figures::*one : figures)
		out.*one *= n;
	return out;
}

bool equal (double a, double b)
{
	return a == b || (a != a && b != b);
}

// Unknown is everything but the number of calls.
void unknown_but_calls (ppgcc_figures &sum)
{
	double calls = sum.calls;
	sum = unknown_figures ();
	sum.calls = calls;
}

// ---- statements

// How many numbers a value of TYPE is, and in ELEMENT of what type.
double lanes (tree type, tree *element)
{
	*element = type;
	if (VECTOR_TYPE_P (type)) {
		*element = TREE_TYPE (type);
		unsigned HOST_WIDE_INT n;
		return TYPE_VECTOR_SUBPARTS (type).is_constant (&n) ? n : __builtin_nan ("");
	}
	if (TREE_CODE (type) == COMPLEX_TYPE) {
		*element = TREE_TYPE (type);
		return 2;
	}
	return 1;
}

double bytes (tree type)
{
	tree size = TYPE_SIZE_UNIT (type);
	return size && tree_fits_uhwi_p (size) ? tree_to_uhwi (size) : __builtin_nan ("");
}

// The flops of CODE per number of its result.
double flops (enum tree_code code, bool complex)
{
	switch (code) {
	case PLUS_EXPR:
	case MINUS_EXPR:
		return 1;
	case MULT_EXPR:
		return complex ? 3 : 1; // 4 products, 2 sums, for two numbers
	case RDIV_EXPR:
		return complex ? __builtin_nan ("") : 1;
	default:
		return 0;
	}
}

// A conversion that a processor does not do.
bool is_free_conversion (enum tree_code code, tree to, tree from)
{
	if (code == VIEW_CONVERT_EXPR || code == PAREN_EXPR)
		return true;
	return CONVERT_EXPR_CODE_P (code) && !FLOAT_TYPE_P (to) && !FLOAT_TYPE_P (from);
}

void add_assign (gassign *stmt, ppgcc_addresses &known, ppgcc_figures &sum)
{
	tree lhs = gimple_assign_lhs (stmt), type = TREE_TYPE (lhs), element;
	enum tree_code code = gimple_assign_rhs_code (stmt);
	if (gimple_clobber_p (stmt))
		return;
	if (gimple_assign_load_p (stmt))
		sum.loads += bytes (TREE_TYPE (gimple_assign_rhs1 (stmt)));
	if (gimple_store_p (stmt))
		sum.stores += bytes (type);
	if (gimple_assign_single_p (stmt) && TREE_CODE_CLASS (code) != tcc_comparison &&
	    code != COND_EXPR)
		return;
	if (is_free_conversion (code, type, TREE_TYPE (gimple_assign_rhs1 (stmt))) ||
	    (TREE_CODE (lhs) == SSA_NAME && known.only_address (lhs)))
		return;
	double n = lanes (type, &element);
	sum.operations += n;
	if (SCALAR_FLOAT_TYPE_P (element))
		sum.flops += n * flops (code, TREE_CODE (type) == COMPLEX_TYPE);
}

// Built-in functions that become no code, or not worth counting.
bool is_free_call (gcall *call)
{
	if (gimple_call_internal_p (call))
		switch (gimple_call_internal_fn (call)) {
		case IFN_ANNOTATE:
		case IFN_UNIQUE:
		case IFN_FALLTHROUGH:
			return true;
		default:
			return false;
		}
	switch (gimple_call_builtin_p (call, BUILT_IN_NORMAL)
			? DECL_FUNCTION_CODE (gimple_call_fndecl (call))
			: BUILT_IN_NONE) {
	case BUILT_IN_EXPECT:
	case BUILT_IN_EXPECT_WITH_PROBABILITY:
	case BUILT_IN_ASSUME_ALIGNED:
	case BUILT_IN_UNREACHABLE:
	case BUILT_IN_PREFETCH:
	case BUILT_IN_STACK_SAVE:
	case BUILT_IN_STACK_RESTORE:
		return true;
	default:
		return false;
	}
}

// Arithmetic in the form of a call. False: it is none.
bool add_arithmetic_call (gcall *call, ppgcc_figures &sum)
{
	double per_number;
	switch (gimple_call_combined_fn (call)) {
#define CASES(name)                                                                                \
	case CFN_BUILT_IN_##name:                                                                  \
	case CFN_BUILT_IN_##name##F:                                                               \
	case CFN_BUILT_IN_##name##L
		CASES (FMA)
			: case CFN_FMA : case CFN_FMS : case CFN_FNMA : case CFN_FNMS : per_number =
												2;
		break;
		CASES (SQRT) : case CFN_SQRT : per_number = 1;
		break;
		CASES (FABS)
			: CASES (COPYSIGN)
			: CASES (FMAX)
			: CASES (FMIN)
			: case CFN_COPYSIGN : case CFN_FMAX : case CFN_FMIN :
#undef CASES
			per_number = 0;
		break;
	default:
		return false;
	}
	tree lhs = gimple_call_lhs (call), element;
	double n = lhs ? lanes (TREE_TYPE (lhs), &element) : 1;
	sum.operations += n;
	sum.flops += n * per_number;
	return true;
}

// memcpy and the like, of constant size.
bool add_memory_call (gcall *call, ppgcc_figures &sum)
{
	if (!gimple_call_builtin_p (call, BUILT_IN_NORMAL) || gimple_call_num_args (call) != 3 ||
	    !tree_fits_uhwi_p (gimple_call_arg (call, 2)))
		return false;
	double size = tree_to_uhwi (gimple_call_arg (call, 2));
	switch (DECL_FUNCTION_CODE (gimple_call_fndecl (call))) {
	case BUILT_IN_MEMCPY:
	case BUILT_IN_MEMMOVE:
		sum.loads += size;
		sum.stores += size;
		return true;
	case BUILT_IN_MEMSET:
		sum.stores += size;
		return true;
	default:
		return false;
	}
}

void add_call (gcall *call, ppgcc_figures &sum)
{
	if (is_free_call (call) || add_arithmetic_call (call, sum) || add_memory_call (call, sum))
		return;
	sum.calls += !gimple_call_internal_p (call);
	unknown_but_calls (sum);
}

// Whether STMT only passes on what a guard tests.
bool guards_answer (gimple *stmt)
{
	tree lhs = is_gimple_assign (stmt) ? gimple_assign_lhs (stmt) : NULL_TREE;
	return lhs && ppgcc_enabled_word (lhs);
}

void add_statement (gimple *stmt, ppgcc_addresses &known, ppgcc_figures &sum)
{
	if (ppgcc_marker_p (stmt) || ppgcc_enabled_site (stmt) || guards_answer (stmt))
		return;
	switch (gimple_code (stmt)) {
	case GIMPLE_ASSIGN:
		add_assign (as_a<gassign *> (stmt), known, sum);
		break;
	case GIMPLE_CALL:
		add_call (as_a<gcall *> (stmt), sum);
		break;
	case GIMPLE_COND:
		if (ppgcc_enabled_word (gimple_cond_lhs (stmt)))
			break;
		sum.branches++;
		sum.operations++;
		break;
	case GIMPLE_SWITCH:
		sum.branches++;
		break;
	case GIMPLE_ASM:
		if (*gimple_asm_string (as_a<gasm *> (stmt)))
			unknown_but_calls (sum);
		break;
	default:
		break;
	}
}

// ---- ways

// What lies on the ways from some place to a goal; REACHES false: none leads there.
struct way {
	bool reaches;
	ppgcc_figures body;
};

// Where ways end: at an end marker of SITE, or with an EDGE, or with any back edge of LOOP.
struct goal {
	tree site;
	edge exit;
	class loop *loop;
};

class walker
{
public:
	walker (gimple *begin, tree site, ppgcc_addresses &addresses, unsigned limit)
		: m_begin (begin), m_site (site), m_addresses (addresses), m_left (limit)
	{
	}

	ppgcc_figures body ()
	{
		gimple_stmt_iterator gsi = gsi_for_stmt (m_begin);
		gsi_next (&gsi);
		goal to = {m_site, NULL, NULL};
		memo seen;
		way out = from (gsi, gimple_bb (m_begin), to, seen);
		return out.reaches ? out.body : unknown_figures ();
	}

private:
	typedef std::map<int, way> memo; // by block
	enum { DEPTH_MAX = 4000 };       // of recursion

	gimple *m_begin;
	tree m_site;
	ppgcc_addresses &m_addresses;
	unsigned m_left; // statements that it may still look at
	unsigned m_depth = 0;

	static way unknown ()
	{
		return way{true, unknown_figures ()};
	}

	// Whether BB is where a loop is entered that the ways to TO go through as a whole.
	bool enters_loop (basic_block bb, const goal &to) const
	{
		class loop *loop = bb->loop_father;
		if (bb != loop->header || !loop_outer (loop) || loop == to.loop)
			return false;
		return !to.site || !flow_bb_inside_loop_p (loop, gimple_bb (m_begin));
	}

	way from_block (basic_block bb, const goal &to, memo &seen)
	{
		auto known = seen.emplace (
			bb->index, unknown ()); // unknown while at it: a cycle that is no loop
		if (!known.second)
			return known.first->second;
		if (m_depth == DEPTH_MAX)
			return unknown ();
		m_depth++;
		way out = enters_loop (bb, to) ? through_loop (bb->loop_father, to, seen)
					       : from (gsi_start_bb (bb), bb, to, seen);
		m_depth--;
		seen[bb->index] = out;
		return out;
	}

	way from (gimple_stmt_iterator gsi, basic_block bb, const goal &to, memo &seen)
	{
		way out = {true, nothing ()};
		for (; !gsi_end_p (gsi); gsi_next (&gsi)) {
			int op = -1;
			if (is_gimple_debug (gsi_stmt (gsi)))
				continue;
			if (m_left == 0)
				return unknown ();
			m_left--;
			if (to.site && ppgcc_marker_site (gsi_stmt (gsi), &op) == to.site) {
				if (op == PP_ABI_END)
					return out;
				if (op == PP_ABI_BEGIN)
					return unknown (); // a copy of the site in itself
			}
			add_statement (gsi_stmt (gsi), m_addresses, out.body);
		}
		way rest = over_edges (bb, to, seen);
		add (out.body, rest.body);
		out.reaches = rest.reaches;
		return out;
	}

	// All that is left to do behind E.
	way over_edge (edge e, const goal &to, memo &seen)
	{
		if (e == to.exit || (to.loop && !to.exit && e->dest == to.loop->header))
			return way{true, nothing ()};
		bool leaves = to.loop ? e->dest == to.loop->header ||
						!flow_bb_inside_loop_p (to.loop, e->dest)
				      : e->dest == EXIT_BLOCK_PTR_FOR_FN (cfun) ||
						(e->flags & EDGE_DFS_BACK);
		return leaves ? way{false, nothing ()} : from_block (e->dest, to, seen);
	}

	static bool may_be_taken (edge e)
	{
		return !(e->flags & (EDGE_EH | EDGE_ABNORMAL | EDGE_FAKE)) && !ppgcc_cold_edge (e);
	}

	way over_edges (basic_block bb, const goal &to, memo &seen)
	{
		std::vector<way> ways;
		std::vector<double> chances;
		edge e;
		edge_iterator i;
		FOR_EACH_EDGE (e, i, bb->succs)
		{
			way one =
				may_be_taken (e) ? over_edge (e, to, seen) : way{false, nothing ()};
			if (!one.reaches)
				continue;
			ways.push_back (one);
			chances.push_back (e->probability.initialized_p ()
						   ? e->probability.to_reg_br_prob_base () /
							     (double) REG_BR_PROB_BASE
						   : 1.0 / EDGE_COUNT (bb->succs));
		}
		return ways.empty () ? way{false, nothing ()} : way{true, merge (ways, chances)};
	}

	static ppgcc_figures merge (const std::vector<way> &ways,
				    const std::vector<double> &chances)
	{
		ppgcc_figures out = ways[0].body;
		double all = 0;
		for (double chance : chances)
			all += chance;
		for (double ppgcc_figures::*one : figures) {
			bool same = true;
			double sum = 0;
			for (size_t i = 0; i < ways.size (); i++) {
				same &= equal (ways[i].body.*one, ways[0].body.*one);
				sum += ways[i].body.*one *
				       (all > 0 ? chances[i] / all : 1.0 / ways.size ());
			}
			if (!same)
				out.*one = sum;
			out.approximate |= !same;
		}
		for (const way &one : ways)
			out.approximate |= one.body.approximate;
		return out;
	}

	// The only edge that control leaves LOOP by in an ordinary way.
	edge only_exit (class loop *loop)
	{
		edge out = NULL, e;
		unsigned i;
		auto_vec<edge> exits = get_loop_exit_edges (loop);
		FOR_EACH_VEC_ELT (exits, i, e)
		{
			if (!may_be_taken (e) || EDGE_COUNT (e->dest->succs) == 0)
				continue;
			if (out)
				return NULL;
			out = e;
		}
		return out;
	}

	way through_loop (class loop *loop, const goal &to, memo &seen)
	{
		edge exit = only_exit (loop);
		class tree_niter_desc count;
		if (!exit || !number_of_iterations_exit (loop, exit, &count, false) ||
		    !integer_zerop (count.may_be_zero) || TREE_CODE (count.niter) != INTEGER_CST)
			return unknown ();
		memo first, last;
		way again = from (gsi_start_bb (loop->header), loop->header,
				  goal{NULL_TREE, NULL, loop}, first);
		way out = from (gsi_start_bb (loop->header), loop->header,
				goal{NULL_TREE, exit, loop}, last);
		double n = wi::to_wide (count.niter).to_uhwi ();
		if (!out.reaches || (n > 0 && !again.reaches))
			return unknown ();
		add (out.body, times (again.body, n));
		way rest = over_edge (exit, to, seen);
		add (out.body, rest.body);
		out.reaches = rest.reaches;
		return out;
	}
};

const pass_data data = {
	GIMPLE_PASS, "ppestimate", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class estimate_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		auto_vec<gasm *> begins;
		ppgcc_addresses addresses;
		unsigned statements = 0;
		basic_block bb;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			int op;
			statements += !is_gimple_debug (gsi_stmt (gsi));
			if (ppgcc_marker_site (gsi_stmt (gsi), &op) && op == PP_ABI_BEGIN)
				begins.safe_push (as_a<gasm *> (gsi_stmt (gsi)));
		}
		if (begins.is_empty ())
			return 0;
		loop_optimizer_init (LOOPS_NORMAL |
				     LOOPS_HAVE_RECORDED_EXITS); // as the next pass does
		mark_dfs_back_edges ();
		scev_initialize ();
		unsigned limit = ppgcc_body_limit (statements, begins.length ());
		for (gasm *begin : begins)
			write (begin, addresses, limit);
		scev_finalize ();
		loop_optimizer_finalize ();
		return 0;
	}

private:
	static void write (gasm *begin, ppgcc_addresses &addresses, unsigned limit)
	{
		int op;
		walker walker (begin, ppgcc_marker_site (begin, &op), addresses, limit);
		ppgcc_note note = ppgcc_note_read (gimple_asm_string (begin));
		note.figures = write_figures (walker.body ());
		begin->string = ggc_strdup (ppgcc_note_write (note).c_str ());
	}
};

} // namespace

void ppgcc_estimate_register (const char *plugin)
{
	// the first pass that changes loops
	ppgcc_add_pass (plugin, new estimate_pass (data, ppgcc_may_have_markers),
			PASS_POS_INSERT_BEFORE, "cunrolli");
}
