// SPDX-License-Identifier: GPL-3.0-or-later
//
// expr.cc: value (EXPR). The front ends' own expression parsers can't be called from a pragma, so this reads the part
// of C that has no side effects: names, members, subscripts, constants and operators. Types, conversions and templates
// are the front end's business, which builds every node.

#include "ppgcc.h"

static tree parse_binary (ppgcc_lexer &lex, int least);

static void say_what_is_supported (location_t loc)
{
	inform (loc, "%<value%> takes names, members, subscripts, numbers, arithmetic, bits and parentheses");
}

static tree unsupported (ppgcc_lexer &lex)
{
	switch (lex.peek ().type) {
	case CPP_PLUS_PLUS:
	case CPP_MINUS_MINUS:
		error_at (lex.loc (), "%<value%> must have no side effects");
		break;
	default:
		lex.expected ("a name, a constant, a unary operator or %<(%>");
		say_what_is_supported (lex.loc ());
	}
	return error_mark_node;
}

static tree parse_primary (ppgcc_lexer &lex)
{
	if (lex.accept (CPP_OPEN_PAREN)) {
		tree inner = parse_binary (lex, 1);
		if (inner == error_mark_node || !lex.expect (CPP_CLOSE_PAREN, "%<)%>"))
			return error_mark_node;
		return inner;
	}
	if (lex.at (CPP_NAME)) {
		ppgcc_function name; // "a::b" is written alike for functions and variables
		std::string text;
		if (!ppgcc_parse_function (lex, name, text, "a name"))
			return error_mark_node;
		if (name.scope)
			return ppgcc_front (qualified (name.loc, name.name, name.scope));
		return ppgcc_front (identifier (name.loc, name.name));
	}
	if ((lex.at (CPP_NUMBER) || lex.at (CPP_CHAR)) && lex.peek ().value && CONSTANT_CLASS_P (lex.peek ().value))
		return lex.next ().value;
	return unsupported (lex);
}

static tree parse_postfix (ppgcc_lexer &lex)
{
	tree value = parse_primary (lex);
	while (value != error_mark_node) {
		location_t loc = lex.loc ();
		if (lex.at (CPP_DOT) || lex.at (CPP_DEREF)) {
			bool arrow = lex.next ().type == CPP_DEREF;
			if (!lex.at (CPP_NAME)) {
				lex.expected ("a member's name");
				return error_mark_node;
			}
			ppgcc_token name = lex.next ();
			value = ppgcc_front (member (loc, value, name.value, name.loc, arrow));
		} else if (lex.accept (CPP_OPEN_SQUARE)) {
			tree index = parse_binary (lex, 1);
			if (index == error_mark_node || !lex.expect (CPP_CLOSE_SQUARE, "%<]%>"))
				return error_mark_node;
			value = ppgcc_front (subscript (loc, value, index));
		} else if (lex.at (CPP_OPEN_PAREN)) {
			error_at (loc, "%<value%> must have no side effects, and a call may have some");
			return error_mark_node;
		} else if (lex.at (CPP_PLUS_PLUS) || lex.at (CPP_MINUS_MINUS))
			return unsupported (lex);
		else
			return value;
	}
	return value;
}

static tree parse_unary (ppgcc_lexer &lex)
{
	enum tree_code code;
	switch (lex.peek ().type) {
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
	default:
		return parse_postfix (lex);
	}
	location_t loc = lex.next ().loc;
	tree operand = parse_unary (lex);
	return operand == error_mark_node ? operand : ppgcc_front (unary (loc, code, operand));
}

struct operation {
	enum cpp_ttype type;
	int precedence;
	enum tree_code code;
};

static const operation operations[] = {
	{CPP_OR, 1, BIT_IOR_EXPR},    {CPP_XOR, 2, BIT_XOR_EXPR},   {CPP_AND, 3, BIT_AND_EXPR},
	{CPP_LSHIFT, 4, LSHIFT_EXPR}, {CPP_RSHIFT, 4, RSHIFT_EXPR}, {CPP_PLUS, 5, PLUS_EXPR},
	{CPP_MINUS, 5, MINUS_EXPR},   {CPP_MULT, 6, MULT_EXPR},     {CPP_DIV, 6, TRUNC_DIV_EXPR},
	{CPP_MOD, 6, TRUNC_MOD_EXPR},
};

static const operation *find_operation (enum cpp_ttype type)
{
	for (const operation &one : operations)
		if (one.type == type)
			return &one;
	return NULL;
}

static bool assignment_p (enum cpp_ttype type)
{
	return type == CPP_EQ || (type >= CPP_PLUS_EQ && type <= CPP_LSHIFT_EQ);
}

static tree parse_binary (ppgcc_lexer &lex, int least)
{
	tree left = parse_unary (lex);
	while (left != error_mark_node) {
		if (assignment_p (lex.peek ().type)) {
			error_at (lex.loc (), "%<value%> must have no side effects");
			return error_mark_node;
		}
		const operation *op = find_operation (lex.peek ().type);
		if (!op || op->precedence < least)
			return left;
		location_t loc = lex.next ().loc;
		tree right = parse_binary (lex, op->precedence + 1);
		left = right == error_mark_node ? right : ppgcc_front (binary (loc, op->code, left, right));
	}
	return left;
}

tree ppgcc_parse_value (ppgcc_lexer &lex)
{
	location_t loc = lex.loc ();
	tree value = parse_binary (lex, 1);
	if (value != error_mark_node && !lex.at_end () && !lex.at (CPP_CLOSE_PAREN)) {
		lex.expected ("%<)%>");
		say_what_is_supported (lex.loc ());
		return error_mark_node;
	}
	return value == error_mark_node ? value : ppgcc_front (rvalue (loc, value));
}
