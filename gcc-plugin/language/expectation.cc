// SPDX-License-Identifier: GPL-3.0-or-later
//
// expectation.cc: mistakes in the expression of "#pragma pp expect" that the text alone shows, told
// where they are.
//
// The library reads the same text with names, dimensions and constants at hand when the program
// starts. Here it is only looked at as words: operands and operators take turns, comparisons don't
// chain, units and statistics exist. The grammar is that of docs/expressions.md; where that lets a
// site's path hold characters that are operators elsewhere, a name goes on as far as a path could,
// so that nothing right is called wrong.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/language/pragma.h"

#include "pp_abi.h"

static const char *const units[] = {"ns", "us", "ms", "s",   "min", "h",  "B",
				    "kB", "MB", "GB", "KiB", "MiB", "GiB"};

// What may stand behind the dot of "NAME.": statistics, and what sites and assertions have.
static const char *const properties[] = {
#define X(id, name) name,
	PP_ABI_STATISTICS (X)
#undef X
		"open_age",
	"in_flight", "violations", "checks", "fired"};

namespace
{

class reader
{
public:
	reader (const char *text, location_t loc, bool literal)
		: m_text (text), m_at (text), m_loc (loc), m_literal (literal)
	{
	}

	bool whole ()
	{
		if (!disjunction ())
			return false;
		blanks ();
		return !*m_at ||
		       (behind_operand () && fail (m_at, "expected an operator before %qs"));
	}

private:
	enum { NESTING_MAX = 64 }; // as in the library
	const char *m_text, *m_at;
	location_t m_loc;
	bool m_literal; // a string of the source, which has a quote before its text
	int m_nesting = 0;

	location_t place (const char *at) const
	{
		return linemap_position_for_loc_and_offset (line_table, m_loc,
							    at - m_text + m_literal);
	}

	// The word or character at AT, for messages.
	static std::string standing (const char *at)
	{
		const char *end = at;
		while (ISIDNUM (*end))
			end++;
		return *at ? std::string (at, MAX (end - at, 1)) : "";
	}

	bool fail (const char *at, const char *message)
	{
		std::string found = standing (at);
		if (found.empty ())
			error_at (place (at), "expected a number, a metric or %<(%> at the end of "
					      "the expectation");
		else
			error_at (place (at), message, found.c_str ());
		return false;
	}

	void blanks ()
	{
		m_at += strspn (m_at, " \t\n\r");
	}

	bool word (const char *text)
	{
		size_t n = strlen (text);
		blanks ();
		if (strncmp (m_at, text, n) || ISIDNUM (m_at[n]))
			return false;
		m_at += n;
		return true;
	}

	// What C has for an operator of expressions.
	bool behind_operand ()
	{
		static const char *const of_c[][2] = {{"&&", "and"}, {"||", "or"}, {"=", "=="}};
		for (const auto &one : of_c)
			if (startswith (m_at, one[0])) {
				error_at (place (m_at),
					  "%qs is no operator of expectations; did you mean %qs?",
					  one[0], one[1]);
				return false;
			}
		return true;
	}

	bool disjunction ()
	{
		do
			if (!conjunction ())
				return false;
		while (word ("or"));
		return true;
	}

	bool conjunction ()
	{
		do {
			while (word ("not"))
				;
			if (!comparison ())
				return false;
		} while (word ("and"));
		return true;
	}

	bool compares ()
	{
		blanks ();
		if (*m_at != '<' && *m_at != '>' && !startswith (m_at, "==") &&
		    !startswith (m_at, "!="))
			return false;
		m_at += m_at[1] == '=' ? 2 : 1;
		return true;
	}

	bool comparison ()
	{
		if (!sum ())
			return false;
		if (!compares ())
			return true;
		if (!sum ())
			return false;
		blanks ();
		const char *second = m_at;
		if (!compares ())
			return true;
		error_at (place (second), "comparisons don%'t chain; write %<a < b and b < c%>");
		return false;
	}

	// Sums and products alike: which binds closer doesn't matter here.
	bool sum ()
	{
		for (;;) {
			for (blanks (); *m_at == '-'; blanks ())
				m_at++;
			if (!operand ())
				return false;
			blanks ();
			if (!*m_at || !strchr ("+-*/", *m_at))
				return true;
			m_at++;
		}
	}

	bool operand ()
	{
		blanks ();
		if (ISDIGIT (*m_at))
			return number ();
		if (*m_at == '(') {
			m_at++;
			return arguments (1);
		}
		if (*m_at && strchr ("'\"`", *m_at))
			return name ();
		if (*m_at == '!') {
			error_at (place (m_at),
				  "%qs is no operator of expectations; did you mean %qs?", "!",
				  "not");
			return false;
		}
		if (!ISIDST (*m_at) && !(*m_at & 0x80))
			return fail (m_at, "expected a number, a metric or %<(%> before %qs");
		for (const char *operation : {"and", "or", "not"}) {
			const char *at = m_at;
			if (word (operation))
				return fail (at, "expected a number, a metric or %<(%> before %qs");
		}
		return name ();
	}

	// N expressions and the parenthesis that closes them.
	bool arguments (int n)
	{
		if (++m_nesting > NESTING_MAX) {
			error_at (place (m_at), "parentheses are nested more than %d deep",
				  (int) NESTING_MAX);
			return false;
		}
		for (; n; n--) {
			if (!disjunction ())
				return false;
			blanks ();
			if (*m_at != (n > 1 ? ',' : ')')) {
				if (!behind_operand ())
					return false;
				return fail (m_at, n > 1 ? "expected %<,%> before %qs"
							 : "expected %<)%> before %qs");
			}
			m_at++;
		}
		m_nesting--;
		return true;
	}

	bool number ()
	{
		m_at += strspn (m_at, "0123456789");
		if (*m_at == '.')
			m_at += 1 + strspn (m_at + 1, "0123456789");
		if (*m_at == 'e' || *m_at == 'E') {
			const char *digits = m_at + 1 + (m_at[1] == '+' || m_at[1] == '-');
			if (ISDIGIT (*digits))
				m_at = digits + strspn (digits, "0123456789");
		}
		const char *unit = m_at + strspn (m_at, " ");
		if (*unit == '%') {
			m_at = unit + 1;
			return true;
		}
		// the micro sign, and the letter that looks like it
		for (const char *micro : {"\u00b5s", "\u03bcs"})
			if (startswith (unit, micro) && !ISIDNUM (unit[strlen (micro)])) {
				m_at = unit + strlen (micro);
				return true;
			}
		std::string written = standing (unit);
		if (!ISIDST (*unit) || written == "and" || written == "or")
			return true;
		ppgcc_words known;
		for (const char *one : units) {
			if (written == one) {
				m_at = unit + written.size ();
				return true;
			}
			known.safe_push (one);
		}
		ppgcc_unknown_word (place (unit), "unit", written.c_str (), known);
		return false;
	}

	static bool path_p (char c)
	{
		return ISIDNUM (c) || (c && strchr ("/:.!~$@", c)) || (c & 0x80);
	}

	// Up to the bracket that closes the one at m_at; what stands in brackets behind a name is
	// the library's business.
	void skip_brackets ()
	{
		int depth = 0;
		for (; *m_at; m_at++) {
			depth += (*m_at == '(' || *m_at == '[') - (*m_at == ')' || *m_at == ']');
			if (depth == 0) {
				m_at++;
				return;
			}
		}
	}

	// A metric, a site, an assertion, or a function of any of them or of expressions.
	bool name ()
	{
		const char *start = m_at;
		while (ISIDNUM (*m_at))
			m_at++;
		std::string first (start, m_at);
		const char *open = m_at + strspn (m_at, " ");
		if (*open == '(' && !first.empty ())
			return function (start, first, open);
		if (*m_at == '.' && !first.empty () && first != "static")
			property ();
		rest ();
		return true;
	}

	// What may follow a name: ".WORD", "@SITE", "[10s]", a site in quotes.
	void rest ()
	{
		for (;;)
			if (*m_at == '[')
				skip_brackets ();
			else if (*m_at && strchr ("'\"`", *m_at)) {
				const char *end = strchr (m_at + 1, *m_at);
				m_at = end ? end + 1 : m_at + strlen (m_at);
			} else if (path_p (*m_at) && !(*m_at == '!' && m_at[1] == '='))
				m_at++;
			else
				return;
	}

	bool function (const char *start, const std::string &called, const char *open)
	{
		m_at = open + 1;
		if (called == "min" || called == "max" || called == "abs")
			return arguments (called == "abs" ? 1 : 2);
		ppgcc_words known;
		for (const char *one : {"all", "baseline", "knob"}) {
			if (called == one) {
				m_at = open;
				skip_brackets ();
				rest ();
				return true;
			}
			known.safe_push (one);
		}
		for (const char *one : {"min", "max", "abs"})
			known.safe_push (one);
		ppgcc_unknown_word (place (start), "function", called.c_str (), known);
		return false;
	}

	// ".WORD" behind a plain name, where nothing else follows: a word that is nearly one is one
	// misspelt, unless it is the program's own (PP_STATISTIC), perhaps of another file.
	void property ()
	{
		const char *start = m_at + 1, *end = start;
		while (ISIDNUM (*end))
			end++;
		if (end == start || path_p (*end))
			return;
		std::string written (start, end);
		auto_vec<const char *> known;
		for (const char *one : properties) {
			if (written == one)
				return;
			known.safe_push (one);
		}
		const char *near = find_closest_string (written.c_str (), &known);
		if (!near)
			return;
		warning_at (place (start), OPT_Wpragmas,
			    "the library has no statistic %qs; did you mean %qs, or is it the "
			    "program%'s own?",
			    written.c_str (), near);
	}
};

} // namespace

bool ppgcc_check_expectation (const char *text, location_t loc, bool literal)
{
	return reader (text, loc, literal).whole ();
}
