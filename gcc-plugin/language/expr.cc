// SPDX-License-Identifier: GPL-3.0-or-later
//
// expr.cc: the expressions in value (EXPR), dim (KEY=EXPR), payload (EXPR) and sample_begin METRIC
// (ARG, ...). The front ends' own expression parsers can't be called from a pragma, so this reads
// the part of C that has no side effects of its own: names, members, subscripts, constants,
// operators, casts and calls. Types, conversions and templates are the front end's business, which
// builds every node.

#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"

namespace
{

struct operation {
	enum cpp_ttype type;
	int precedence;
	enum tree_code code;
};

const operation operations[] = {
	{CPP_OR_OR, 1, TRUTH_ORIF_EXPR}, {CPP_AND_AND, 2, TRUTH_ANDIF_EXPR},
	{CPP_OR, 3, BIT_IOR_EXPR},       {CPP_XOR, 4, BIT_XOR_EXPR},
	{CPP_AND, 5, BIT_AND_EXPR},      {CPP_EQ_EQ, 6, EQ_EXPR},
	{CPP_NOT_EQ, 6, NE_EXPR},        {CPP_LESS, 7, LT_EXPR},
	{CPP_GREATER, 7, GT_EXPR},       {CPP_LESS_EQ, 7, LE_EXPR},
	{CPP_GREATER_EQ, 7, GE_EXPR},    {CPP_LSHIFT, 8, LSHIFT_EXPR},
	{CPP_RSHIFT, 8, RSHIFT_EXPR},    {CPP_PLUS, 9, PLUS_EXPR},
	{CPP_MINUS, 9, MINUS_EXPR},      {CPP_MULT, 10, MULT_EXPR},
	{CPP_DIV, 10, TRUNC_DIV_EXPR},   {CPP_MOD, 10, TRUNC_MOD_EXPR},
};

const operation *find_operation (enum cpp_ttype type)
{
	for (const operation &one : operations)
		if (one.type == type)
			return &one;
	return NULL;
}

bool assignment_p (enum cpp_ttype type)
{
	return type == CPP_EQ || (type >= CPP_PLUS_EQ && type <= CPP_LSHIFT_EQ);
}

class expression_parser
{
public:
	expression_parser (ppgcc_lexer &lex, const char *what) : m_lex (lex), m_what (what)
	{
	}

	tree parse ()
	{
		tree value = conditional ();
		if (value == error_mark_node)
			return value;
		if (assignment_p (m_lex.peek ().type))
			return side_effects ();
		if (!m_lex.at_end () && !m_lex.at (CPP_CLOSE_PAREN) && !m_lex.at (CPP_COMMA)) {
			m_lex.expected ("an operator or %<)%>");
			say_what_is_supported ();
			return error_mark_node;
		}
		return value;
	}

private:
	ppgcc_lexer &m_lex;
	const char *m_what; // the clause, for messages

	tree side_effects ()
	{
		error_at (m_lex.loc (), "%qs must have no side effects", m_what);
		return error_mark_node;
	}

	void say_what_is_supported ()
	{
		if (!strcmp (m_what, "value"))
			inform (m_lex.loc (), "%<value%> takes names, members, subscripts, "
					      "constants, operators, casts and calls; "
					      "for anything else call %<pp_point_int (\"NAME\", "
					      "...)%> or %<pp_point_double%>");
		else
			inform (m_lex.loc (),
				"%qs takes names, members, subscripts, constants, operators, casts "
				"and calls; for anything else use a variable",
				m_what);
	}

	tree unsupported ()
	{
		if (m_lex.at (CPP_PLUS_PLUS) || m_lex.at (CPP_MINUS_MINUS))
			return side_effects ();
		if (m_lex.at (CPP_OPEN_BRACE))
			error_at (m_lex.loc (), "%qs cannot contain statements", m_what);
		else
			m_lex.expected ("an expression");
		say_what_is_supported ();
		return error_mark_node;
	}

	// ---- types

	// The type that the name AHEAD of here begins, with COUNT tokens, or NULL_TREE.
	tree named_type (unsigned ahead, unsigned &count)
	{
		tree name = m_lex.peek (ahead).value, scope = NULL_TREE;
		count = 1;
		while (ppgcc_is_cxx () && m_lex.peek (ahead + count).type == CPP_SCOPE &&
		       m_lex.peek (ahead + count + 1).type == CPP_NAME) {
			scope = chainon (scope, build_tree_list (NULL_TREE, name));
			name = m_lex.peek (ahead + count + 1).value;
			count += 2;
		}
		if (!scope && ppgcc_front (keyword (name)) != RID_MAX)
			return NULL_TREE;
		return ppgcc_front (type (name, scope));
	}

	static bool type_keyword_p (tree name)
	{
		switch (ppgcc_front (keyword (name))) {
		case RID_CHAR:
		case RID_SHORT:
		case RID_INT:
		case RID_LONG:
		case RID_SIGNED:
		case RID_UNSIGNED:
		case RID_FLOAT:
		case RID_DOUBLE:
		case RID_BOOL:
		case RID_VOID:
		case RID_CONST:
		case RID_VOLATILE:
		case RID_STRUCT:
		case RID_UNION:
		case RID_ENUM:
		case RID_CLASS:
			return true;
		default:
			return false;
		}
	}

	bool type_p (unsigned ahead)
	{
		unsigned count = 1;
		const ppgcc_token &token = m_lex.peek (ahead);
		return token.type == CPP_NAME &&
		       (type_keyword_p (token.value) || named_type (ahead, count));
	}

	bool at_keyword (enum rid which)
	{
		return m_lex.at (CPP_NAME) && ppgcc_front (keyword (m_lex.peek ().value)) == which;
	}

	tree tagged_type (enum rid which)
	{
		unsigned count = 1;
		location_t loc = m_lex.loc ();
		if (!m_lex.at (CPP_NAME)) {
			m_lex.expected ("a name");
			return error_mark_node;
		}
		tree name = m_lex.peek ().value;
		tree type =
			ppgcc_is_cxx () ? named_type (0, count) : ppgcc_c_tagged_type (which, name);
		if (!type) {
			error_at (loc, "%qE is not a type declared here", name);
			return error_mark_node;
		}
		for (; count; count--)
			m_lex.next ();
		return type;
	}

	// How often each word of an arithmetic type was read.
	struct words {
		int n_long, n_short, n_signed, n_unsigned;
		tree base;
	};

	static tree arithmetic_type (const words &w)
	{
		if (w.n_short)
			return w.n_unsigned ? short_unsigned_type_node : short_integer_type_node;
		if (w.base == double_type_node)
			return w.n_long ? long_double_type_node : double_type_node;
		if (w.base == char_type_node && (w.n_signed || w.n_unsigned))
			return w.n_unsigned ? unsigned_char_type_node : signed_char_type_node;
		if (w.base && w.base != integer_type_node)
			return w.base;
		if (w.n_long > 1)
			return w.n_unsigned ? long_long_unsigned_type_node
					    : long_long_integer_type_node;
		if (w.n_long)
			return w.n_unsigned ? long_unsigned_type_node : long_integer_type_node;
		if (w.n_unsigned)
			return unsigned_type_node;
		return w.base || w.n_signed ? integer_type_node : NULL_TREE;
	}

	bool type_word (enum rid which, words &w, int &qualifiers)
	{
		switch (which) {
		case RID_CONST:
			qualifiers |= TYPE_QUAL_CONST;
			return true;
		case RID_VOLATILE:
			qualifiers |= TYPE_QUAL_VOLATILE;
			return true;
		case RID_LONG:
			w.n_long++;
			return true;
		case RID_SHORT:
			w.n_short++;
			return true;
		case RID_SIGNED:
			w.n_signed++;
			return true;
		case RID_UNSIGNED:
			w.n_unsigned++;
			return true;
		case RID_CHAR:
			w.base = char_type_node;
			return true;
		case RID_INT:
			w.base = integer_type_node;
			return true;
		case RID_FLOAT:
			w.base = float_type_node;
			return true;
		case RID_DOUBLE:
			w.base = double_type_node;
			return true;
		case RID_BOOL:
			w.base = boolean_type_node;
			return true;
		case RID_VOID:
			w.base = void_type_node;
			return true;
		default:
			return false;
		}
	}

	// "const unsigned long *", up to what doesn't belong to a type.
	tree parse_type ()
	{
		words w = {0, 0, 0, 0, NULL_TREE};
		tree type = NULL_TREE;
		int qualifiers = 0;
		while (m_lex.at (CPP_NAME)) {
			unsigned count;
			tree name = m_lex.peek ().value;
			if (type_keyword_p (name)) {
				enum rid which = ppgcc_front (keyword (name));
				m_lex.next ();
				if (!type_word (which, w, qualifiers) &&
				    (type = tagged_type (which)) == error_mark_node)
					return type;
			} else if (!type && !arithmetic_type (w) &&
				   (type = named_type (0, count))) {
				for (; count; count--)
					m_lex.next ();
			} else
				break;
		}
		if (!type)
			type = arithmetic_type (w);
		if (!type) {
			m_lex.expected ("a type");
			return error_mark_node;
		}
		type = build_qualified_type (type, TYPE_QUALS (type) | qualifiers);
		while (m_lex.accept (CPP_MULT)) {
			type = build_pointer_type (type);
			qualifiers = 0;
			for (; at_keyword (RID_CONST) || at_keyword (RID_VOLATILE); m_lex.next ())
				type_word (ppgcc_front (keyword (m_lex.peek ().value)), w,
					   qualifiers);
			if (qualifiers)
				type = build_qualified_type (type, qualifiers);
		}
		return type;
	}

	// "(TYPE) operand", or in C++ "TYPE (operand)".
	tree cast (bool functional)
	{
		location_t loc = m_lex.loc ();
		if (!functional)
			m_lex.next ();
		location_t type_loc = m_lex.loc ();
		tree type = parse_type ();
		if (type == error_mark_node)
			return type;
		if (functional && !m_lex.at (CPP_OPEN_PAREN)) {
			m_lex.expected ("%<(%>");
			say_what_is_supported ();
			return error_mark_node;
		}
		if (!m_lex.expect (functional ? CPP_OPEN_PAREN : CPP_CLOSE_PAREN,
				   functional ? "%<(%>" : "%<)%>"))
			return error_mark_node;
		if (!functional && m_lex.at (CPP_OPEN_BRACE))
			return unsupported ();
		if (!ppgcc_front (scalar_type (type))) {
			error_at (type_loc,
				  "%qs can cast to numbers and pointers only, %qT is neither",
				  m_what, type);
			return error_mark_node;
		}
		tree operand = functional ? conditional () : unary ();
		if (operand == error_mark_node ||
		    (functional && !m_lex.expect (CPP_CLOSE_PAREN, "%<)%>")))
			return error_mark_node;
		return ppgcc_front (cast (loc, type, operand));
	}

	// "static_cast<TYPE> (operand)"
	tree static_cast_ ()
	{
		location_t loc = m_lex.next ().loc;
		if (!m_lex.expect (CPP_LESS, "%<<%>"))
			return error_mark_node;
		tree type = parse_type ();
		if (type == error_mark_node || !m_lex.expect (CPP_GREATER, "%<>%>") ||
		    !m_lex.expect (CPP_OPEN_PAREN, "%<(%>"))
			return error_mark_node;
		tree operand = conditional ();
		if (operand == error_mark_node || !m_lex.expect (CPP_CLOSE_PAREN, "%<)%>"))
			return error_mark_node;
		return ppgcc_cxx_static_cast (loc, type, operand);
	}

	tree size_of ()
	{
		location_t loc = m_lex.next ().loc;
		if (m_lex.at (CPP_OPEN_PAREN) && type_p (1)) {
			m_lex.next ();
			tree type = parse_type ();
			if (type == error_mark_node || !m_lex.expect (CPP_CLOSE_PAREN, "%<)%>"))
				return error_mark_node;
			return ppgcc_front (size_of (loc, type, NULL_TREE));
		}
		tree operand = unary ();
		return operand == error_mark_node ? operand
						  : ppgcc_front (size_of (loc, NULL_TREE, operand));
	}

	// ---- expressions

	tree constant ()
	{
		ppgcc_token token = m_lex.next ();
		return token.type == CPP_STRING ? ppgcc_front (string (token.value)) : token.value;
	}

	bool at_constant ()
	{
		switch (m_lex.peek ().type) {
		case CPP_NUMBER:
		case CPP_CHAR:
		case CPP_STRING:
			return m_lex.peek ().value && CONSTANT_CLASS_P (m_lex.peek ().value);
		default:
			return false;
		}
	}

	// What a reserved word other than a type's means here, or that it means nothing.
	tree keyword ()
	{
		switch (ppgcc_front (keyword (m_lex.peek ().value))) {
		case RID_SIZEOF:
			return size_of ();
		case RID_STATCAST:
			return static_cast_ ();
		case RID_THIS:
		case RID_TRUE:
		case RID_FALSE:
		case RID_NULLPTR: {
			ppgcc_token token = m_lex.next ();
			return ppgcc_front (identifier (token.loc, token.value, false));
		}
		default:
			return unsupported ();
		}
	}

	tree primary ()
	{
		if (m_lex.accept (CPP_OPEN_PAREN)) {
			tree inner = conditional ();
			if (inner == error_mark_node)
				return inner;
			if (assignment_p (m_lex.peek ().type))
				return side_effects ();
			return m_lex.expect (CPP_CLOSE_PAREN, "%<)%>") ? inner : error_mark_node;
		}
		if (at_constant ())
			return constant ();
		if (!m_lex.at (CPP_NAME))
			return unsupported ();
		if (type_p (0))
			return ppgcc_is_cxx () ? cast (true) : unsupported ();
		if (ppgcc_front (keyword (m_lex.peek ().value)) != RID_MAX)
			return keyword ();
		ppgcc_function name; // "a::b" is written alike for functions and variables
		std::string text;
		if (!ppgcc_parse_function (m_lex, name, text, "a name"))
			return error_mark_node;
		if (ppgcc_is_cxx () && m_lex.at (CPP_LESS) &&
		    ppgcc_cxx_template (name.name, name.scope)) {
			error_at (name.loc, "%qs takes no arguments of templates", m_what);
			say_what_is_supported ();
			return error_mark_node;
		}
		if (name.scope)
			return ppgcc_front (qualified (name.loc, name.name, name.scope));
		return ppgcc_front (identifier (name.loc, name.name, m_lex.at (CPP_OPEN_PAREN)));
	}

	tree call (tree fn, location_t loc, bool plain_name)
	{
		ppgcc_arguments args;
		if (!ppgcc_parse_arguments (m_lex, m_what, args))
			return error_mark_node;
		return ppgcc_front (call (loc, fn, args, plain_name));
	}

	tree postfix ()
	{
		location_t start = m_lex.loc ();
		bool plain_name = m_lex.at (CPP_NAME);
		tree value = primary ();
		for (; value != error_mark_node; plain_name = false) {
			location_t loc = m_lex.loc ();
			if (m_lex.at (CPP_DOT) || m_lex.at (CPP_DEREF)) {
				bool arrow = m_lex.next ().type == CPP_DEREF;
				if (!m_lex.at (CPP_NAME)) {
					m_lex.expected ("a member's name");
					return error_mark_node;
				}
				ppgcc_token name = m_lex.next ();
				value = ppgcc_front (
					member (loc, value, name.value, name.loc, arrow));
			} else if (m_lex.accept (CPP_OPEN_SQUARE)) {
				tree index = conditional ();
				if (index == error_mark_node ||
				    !m_lex.expect (CPP_CLOSE_SQUARE, "%<]%>"))
					return error_mark_node;
				value = ppgcc_front (subscript (loc, value, index));
			} else if (m_lex.at (CPP_OPEN_PAREN))
				value = call (value, start, plain_name);
			else if (m_lex.at (CPP_PLUS_PLUS) || m_lex.at (CPP_MINUS_MINUS))
				return side_effects ();
			else
				break;
		}
		return value;
	}

	tree unary ()
	{
		enum tree_code code;
		switch (m_lex.peek ().type) {
		case CPP_MINUS:
			code = NEGATE_EXPR;
			break;
		case CPP_PLUS:
			code = CONVERT_EXPR;
			break;
		case CPP_NOT:
			code = TRUTH_NOT_EXPR;
			break;
		case CPP_COMPL:
			code = BIT_NOT_EXPR;
			break;
		case CPP_MULT:
			code = INDIRECT_REF;
			break;
		case CPP_AND:
			code = ADDR_EXPR;
			break;
		case CPP_OPEN_PAREN:
			return type_p (1) ? cast (false) : postfix ();
		default:
			return postfix ();
		}
		location_t loc = m_lex.next ().loc;
		tree operand = unary ();
		return operand == error_mark_node ? operand
						  : ppgcc_front (unary (loc, code, operand));
	}

	tree binary (int least)
	{
		tree left = unary ();
		while (left != error_mark_node) {
			const operation *op = find_operation (m_lex.peek ().type);
			if (!op || op->precedence < least)
				break;
			location_t loc = m_lex.next ().loc;
			tree right = binary (op->precedence + 1);
			left = right == error_mark_node
				       ? right
				       : ppgcc_front (binary (loc, op->code, left, right));
		}
		return left;
	}

	tree conditional ()
	{
		tree condition = binary (1);
		if (condition == error_mark_node || !m_lex.at (CPP_QUERY))
			return condition;
		location_t loc = m_lex.next ().loc;
		tree yes = conditional ();
		if (yes == error_mark_node || !m_lex.expect (CPP_COLON, "%<:%>"))
			return error_mark_node;
		tree no = conditional ();
		return no == error_mark_node ? no
					     : ppgcc_front (conditional (loc, condition, yes, no));
	}
};

} // namespace

bool ppgcc_parse_arguments (ppgcc_lexer &lex, const char *what, ppgcc_arguments &args)
{
	bool parentheses = lex.at (CPP_OPEN_PAREN);
	if (parentheses && lex.peek (1).type == CPP_CLOSE_PAREN) {
		lex.next ();
		lex.next ();
		return true;
	}
	do {
		lex.next ();
		location_t loc = lex.loc ();
		tree arg = expression_parser (lex, what).parse ();
		if (arg == error_mark_node)
			return false;
		args.values.safe_push (arg);
		args.locs.safe_push (loc);
	} while (lex.at (CPP_COMMA));
	return !parentheses || lex.expect (CPP_CLOSE_PAREN, "%<,%> or %<)%>");
}

tree ppgcc_parse_value (ppgcc_lexer &lex, const char *what)
{
	location_t loc = lex.loc ();
	tree value = expression_parser (lex, what).parse ();
	if (value == error_mark_node)
		return value;
	return ppgcc_is_cxx () ? ppgcc_cxx_captured (loc, value, what)
			       : ppgcc_c_measurable (loc, value, what);
}
