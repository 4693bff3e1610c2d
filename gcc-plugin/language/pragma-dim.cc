// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-dim.cc: dimensions: KEY=EXPR, of a site, and of the interval around by a pragma of its
// own.
//
//     #pragma pp dim KEY=EXPR              if (__pp_late_enabled ("KEY\n")
//                                              && __pp_late_wanted ("KEY\n"))
//                                            __pp_late ("KEY\n", "-i", EXPR);
//
// Which interval that is shows once the code is gimple (markers/computed.cc).

#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/letters.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"
#include "gcc-plugin/markers/marker.h"
#include "pp_abi.h"

// Of a longer one records have no more, so two that begin alike would be one.
static const int KEY_MOST = 63;

static bool known_key (const std::string &keys, const char *key)
{
	return ("," + keys + ",").find (std::string (",") + key + ",") != std::string::npos;
}

bool ppgcc_parse_dim (ppgcc_lexer &lex, const char *of, std::string &keys, vec<tree> &values)
{
	location_t loc;
	const char *key = lex.name ("a key", &loc);
	if (!key)
		return false;
	if (known_key (keys, key)) {
		error_at (loc, "dimension %qs is given twice", key);
		return false;
	}
	if (strlen (key) > KEY_MOST) {
		error_at (
			loc,
			"the key %qs has %d bytes, of %d at most: give the dimension a shorter one",
			key, (int) strlen (key), KEY_MOST);
		return false;
	}
	if (values.length () == PP_ABI_DIMS) {
		error_at (loc, "%s has at most %d dimensions, %qs is one more", of, PP_ABI_DIMS,
			  key);
		return false;
	}
	if (!lex.expect (CPP_EQ, "%<=%>"))
		return false;
	tree value = ppgcc_parse_value (lex, "dim");
	if (value == error_mark_node)
		return false;
	keys += (keys.empty () ? "" : ",") + std::string (key);
	values.safe_push (value);
	return true;
}

// "KEY=EXPR" or "(KEY=EXPR, ...)"
static bool parse (ppgcc_lexer &lex, std::string &keys, vec<tree> &values)
{
	static const char of[] = "a pragma";
	if (!lex.at (CPP_OPEN_PAREN)) {
		if (!ppgcc_parse_dim (lex, of, keys, values))
			return false;
		if (!lex.at (CPP_COMMA))
			return ppgcc_end_of_pragma (lex);
		error_at (lex.loc (),
			  "several dimensions stand in parentheses: %<dim (KEY=EXPR, ...)%>");
		return false;
	}
	do {
		lex.next ();
		if (!ppgcc_parse_dim (lex, of, keys, values))
			return false;
	} while (lex.at (CPP_COMMA));
	return lex.expect (CPP_CLOSE_PAREN, "%<,%> or %<)%>") && ppgcc_end_of_pragma (lex);
}

static tree call (location_t loc, ppgcc_op op, const vec<tree> &args)
{
	return ppgcc_front (marker (loc, ppgcc_marker_function (op), args));
}

void ppgcc_pragma_dim (ppgcc_lexer &lex, location_t loc)
{
	std::string keys, letters = "-";
	auto_vec<tree> values, args;
	if (!ppgcc_statement_possible (loc, "dim") || !parse (lex, keys, values))
		return;
	args.safe_push (ppgcc_literal (keys + "\n"));
	tree enabled = call (loc, PPGCC_LATE_ENABLED, args),
	     wanted = call (loc, PPGCC_LATE_WANTED, args);
	bool in_template = ppgcc_front (in_template ());
	for (tree value : values)
		letters += in_template ? '?' : ppgcc_dim_letter (TREE_TYPE (value));
	args.safe_push (ppgcc_literal (letters));
	for (tree value : values)
		args.safe_push (value);
	tree test = ppgcc_front (binary (loc, TRUTH_ANDIF_EXPR, enabled, wanted));
	ppgcc_front (if (loc, test, call (loc, PPGCC_LATE, args)));
}
