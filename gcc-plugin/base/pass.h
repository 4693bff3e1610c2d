// SPDX-License-Identifier: GPL-3.0-or-later
//
// pass.h: what all passes of the plugin have in common: they are made of their data alone, and take
// a place among GCC's.

#ifndef PPGCC_PASS_H
#define PPGCC_PASS_H

#include "gcc-plugin/base/gcc-compat.h"

// BASE: gimple_opt_pass or rtl_opt_pass. A pass says "using ppgcc_pass::ppgcc_pass;" and what it
// does. It runs where WANTED, or is it NULL.
template <class base> class ppgcc_pass : public base
{
public:
	explicit ppgcc_pass (const pass_data &data, bool (*wanted) () = NULL)
		: base (data, g), m_wanted (wanted)
	{
	}

	bool gate (function *) override
	{
		return !m_wanted || m_wanted ();
	}

private:
	bool (*m_wanted) ();
};

// LOOK_AT looks at each function with a body, when GCC sums them up for the passes between them.
template <void (*look_at) (cgraph_node *)> class ppgcc_summary_pass : public ipa_opt_pass_d
{
public:
	explicit ppgcc_summary_pass (const pass_data &data)
		: ipa_opt_pass_d (data, g, look_at_all, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL)
	{
	}

private:
	static void look_at_all ()
	{
		cgraph_node *node;
		FOR_EACH_DEFINED_FUNCTION (node)
		if (!node->alias && !node->thunk && node->has_gimple_body_p ())
			look_at (node);
	}
};

// PASS runs before or after REFERENCE, one of GCC's or ours. INSTANCE: which of those of that name;
// 0: all of them.
inline void ppgcc_add_pass (const char *plugin, opt_pass *pass, pass_positioning_ops where,
			    const char *reference, int instance = 1)
{
	register_pass_info info = {pass, reference, instance, where};
	register_callback (plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

#endif
