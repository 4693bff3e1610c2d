// SPDX-License-Identifier: GPL-3.0-or-later
//
// values.cc: what a begin or point hands over beside its site: value (EXPR), payload (EXPR), dim
// (KEY=EXPR), each in 64 bits and described by a letter. One value without dims is pushed as it is;
// else all of them go into an array on the stack, and its address is pushed.
//
// The front end says with a letter for each what they are: a pointer's type may be lost on the way
// here.

#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "pp_abi.h"

#include <map>
#include <vector>

std::string ppgcc_letters (gimple *call)
{
	return gimple_call_num_args (call) > 2 ? c_getstr (gimple_call_arg (call, 1)) : "";
}

// ---- 64 bits

static tree assign (gimple_stmt_iterator *gsi, tree type, tree value)
{
	tree var = create_tmp_reg (type, "pp_value");
	gassign *stmt = gimple_build_assign (var, value);
	gimple_set_location (stmt, gimple_location (gsi_stmt (*gsi)));
	gimple_set_block (stmt, gimple_block (gsi_stmt (*gsi)));
	gsi_insert_before (gsi, stmt, GSI_SAME_STMT);
	return var;
}

// VALUE in 64 bits, computed before *GSI.
static tree bits_of (gimple_stmt_iterator *gsi, tree value)
{
	tree type = TREE_TYPE (value), bits = long_long_integer_type_node;
	if (SCALAR_FLOAT_TYPE_P (type)) {
		if (!useless_type_conversion_p (double_type_node, type))
			value = assign (gsi, double_type_node,
					build1 (NOP_EXPR, double_type_node, value));
		else if (!is_gimple_reg (value) || !is_gimple_variable (value))
			value = assign (gsi, double_type_node, value);
		return assign (gsi, bits, build1 (VIEW_CONVERT_EXPR, bits, value));
	}
	if (TREE_CODE (value) == INTEGER_CST)
		return fold_convert (bits, value);
	return assign (gsi, bits,
		       useless_type_conversion_p (bits, type) ? value
							      : build1 (NOP_EXPR, bits, value));
}

// ---- operands

// That many operands of their own for texts; more would take too many registers.
#define TEXTS 2

// VALUE points to text that must be there when the marker reads it.
static void read_text (tree value, ppgcc_operands &out)
{
	if (out.reads.length () == TEXTS) {
		out.reads_all = true;
		return;
	}
	tree chars = build_array_type (char_type_node, NULL_TREE);
	out.reads.safe_push (build2 (MEM_REF, chars, value, build_int_cst (ptr_type_node, 0)));
}

// VALUE, a text, as a pointer: where it is computed only if it is wanted it has come in 64 bits.
static tree address (gimple_stmt_iterator *gsi, tree value)
{
	return POINTER_TYPE_P (TREE_TYPE (value))
		       ? value
		       : assign (gsi, const_ptr_type_node,
				 build1 (NOP_EXPR, const_ptr_type_node, value));
}

static gassign *store_at (gimple *place, tree array, unsigned index, tree bits)
{
	tree element = build4 (ARRAY_REF, TREE_TYPE (TREE_TYPE (array)), array, size_int (index),
			       NULL_TREE, NULL_TREE);
	gassign *stmt = gimple_build_assign (element, bits);
	gimple_set_location (stmt, gimple_location (place));
	gimple_set_block (stmt, gimple_block (place));
	return stmt;
}

static void store (gimple_stmt_iterator *gsi, tree array, unsigned index, tree bits)
{
	gsi_insert_before (gsi, store_at (gsi_stmt (*gsi), array, index, bits), GSI_SAME_STMT);
}

// ---- values that are computed only if they are wanted

// Of the function at hand: what sets the variable of such a value, on the one way and on the other.
static std::map<tree, std::vector<gimple *>> answers;

static void note_answer (gimple *stmt)
{
	answers[gimple_get_lhs (stmt)].push_back (stmt);
}

void ppgcc_note_unwanted (gimple *stmt)
{
	if (!gimple_assign_single_p (stmt) || !VAR_P (gimple_assign_lhs (stmt)) ||
	    !DECL_ARTIFICIAL (gimple_assign_lhs (stmt)))
		return;
	tree value = gimple_assign_rhs1 (stmt);
	if (TREE_CODE (value) == INTEGER_CST && tree_fits_shwi_p (value) &&
	    tree_to_shwi (value) == PP_ABI_NOT_CAPTURED)
		note_answer (stmt);
}

void ppgcc_forget_answers ()
{
	answers.clear ();
}

// VALUE goes into the array where it is known, not where all are: it would be held meanwhile, and
// the function, which keeps registers for its cold blocks, too, would save one more each time.
// False: it is an ordinary value.
static bool store_answers (tree array, unsigned index, tree value)
{
	auto found = answers.find (value);
	if (found == answers.end () || found->second.size () != 2)
		return false;
	for (gimple *stmt : found->second) {
		gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
		gsi_insert_after (&gsi, store_at (stmt, array, index, value), GSI_SAME_STMT);
	}
	return true;
}

static void make_array (unsigned n, ppgcc_operands &out)
{
	out.array = create_tmp_var (build_array_type_nelts (long_long_integer_type_node, n),
				    "pp_values");
	TREE_ADDRESSABLE (out.array) = 1;
}

static void hand_over_array (gimple_stmt_iterator *gsi, ppgcc_operands &out)
{
	out.bits = assign (
		gsi, long_long_integer_type_node,
		build1 (NOP_EXPR, long_long_integer_type_node, build_fold_addr_expr (out.array)));
}

void ppgcc_compute_bits (gimple_stmt_iterator *gsi)
{
	gimple *call = gsi_stmt (*gsi), *stmt = gimple_build_nop ();
	if (gimple_call_lhs (call))
		stmt = gimple_build_assign (gimple_call_lhs (call),
					    bits_of (gsi, gimple_call_arg (call, 1)));
	gimple_set_location (stmt, gimple_location (call));
	gimple_set_block (stmt, gimple_block (call));
	gsi_replace (gsi, stmt, false);
	if (gimple_get_lhs (stmt))
		note_answer (stmt);
}

void ppgcc_compute_values (gimple_stmt_iterator *gsi, ppgcc_operands &out)
{
	gimple *call = gsi_stmt (*gsi);
	std::string letters = ppgcc_letters (call);
	unsigned given = gimple_call_num_args (call), first = 2;
	if (letters.empty ())
		return;
	unsigned at = letters[0] == '-' ? 1 : 0;
	gcc_assert (given - first == letters.size () - at);
	for (unsigned i = first; i < given; i++)
		if (letters[at + i - first] == 's' && !integer_zerop (gimple_call_arg (call, i)))
			read_text (address (gsi, gimple_call_arg (call, i)), out);
	if (letters.size () == 1) {
		out.bits = bits_of (gsi, gimple_call_arg (call, first));
		return;
	}
	make_array (given - first, out);
	for (unsigned i = first; i < given; i++) {
		tree value = gimple_call_arg (call, i);
		if (!store_answers (out.array, i - first, value))
			store (gsi, out.array, i - first, bits_of (gsi, value));
	}
	hand_over_array (gsi, out);
}

void ppgcc_compute_late (gimple_stmt_iterator *gsi, ppgcc_operands &out)
{
	gimple *call = gsi_stmt (*gsi);
	const char *letters = c_getstr (gimple_call_arg (call, 1)) + 1,
		   *text = c_getstr (gimple_call_arg (call, 0));
	std::string keys = ppgcc_take_line (text);
	unsigned first = 2, n = gimple_call_num_args (call) - first;
	gcc_assert (n == strlen (letters));
	make_array (1 + 2 * n, out);
	store (gsi, out.array, 0, build_int_cst (long_long_integer_type_node, n));
	for (unsigned i = 0; i < n; i++) {
		tree value = gimple_call_arg (call, first + i);
		size_t end = std::min (keys.find (','), keys.size ());
		std::string key = letters[i] + keys.substr (0, end);
		keys.erase (0, end + 1);
		if (letters[i] == 's' && !integer_zerop (value))
			read_text (address (gsi, value), out);
		store (gsi, out.array, 1 + 2 * i, bits_of (gsi, ppgcc_literal (key)));
		store (gsi, out.array, 2 + 2 * i, bits_of (gsi, value));
	}
	hand_over_array (gsi, out);
}
