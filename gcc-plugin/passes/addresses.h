// SPDX-License-Identifier: GPL-3.0-or-later
//
// addresses.h: which values of a function only say where memory is: a human doesn't count what
// computes them.

#ifndef PPGCC_ADDRESSES_H
#define PPGCC_ADDRESSES_H

#include "gcc-plugin/base/gcc-compat.h"

#include <ssa-iterators.h>
#include <tree-ssa-operands.h>

#include <map>

// Whether a value only says where memory is. Chains of values may be as long as a function is: no
// recursion.
class ppgcc_addresses
{
public:
	bool only_address (tree name)
	{
		auto_vec<tree> work;
		work.safe_push (name);
		while (!work.is_empty ()) {
			tree one = work.last ();
			auto known = m_known.emplace (SSA_NAME_VERSION (one), OPEN);
			if (known.first->second == OPEN)
				known.first->second = look (one, known.second, work);
			if (known.first->second != OPEN)
				work.pop ();
		}
		return m_known[SSA_NAME_VERSION (name)] == YES;
	}

private:
	enum answer { NO, YES, OPEN }; // OPEN: what it goes into is looked at first
	std::map<unsigned, answer> m_known;

	// Whether STMT uses NAME in memory's address (YES), or as the value that *RESULT goes on
	// with (OPEN).
	static answer use_of (gimple *stmt, tree name, tree *result)
	{
		if (!is_gimple_assign (stmt))
			return NO;
		for (unsigned i = 1; i < gimple_num_ops (stmt); i++)
			if (gimple_op (stmt, i) == name) {
				*result = gimple_assign_lhs (stmt);
				return TREE_CODE (*result) == SSA_NAME ? OPEN : NO;
			}
		return YES; // it is inside of a reference
	}

	// The answer for NAME, or OPEN if values that it goes into were added to WORK, which only
	// the FIRST look may do: what is open at the second one is a cycle.
	answer look (tree name, bool first, auto_vec<tree> &work)
	{
		imm_use_iterator i;
		use_operand_p use;
		unsigned before = work.length ();
		FOR_EACH_IMM_USE_FAST (use, i, name)
		{
			tree result = NULL_TREE;
			answer one = is_gimple_debug (USE_STMT (use))
					     ? YES
					     : use_of (USE_STMT (use), name, &result);
			if (one == OPEN) {
				auto known = m_known.find (SSA_NAME_VERSION (result));
				bool open = known == m_known.end () || known->second == OPEN;
				if (open && first) {
					work.safe_push (result);
					continue;
				}
				one = open ? NO : known->second;
			}
			if (one == NO) {
				work.truncate (before);
				return NO;
			}
		}
		return work.length () > before ? OPEN : YES;
	}
};

#endif
