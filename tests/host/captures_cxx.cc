// SPDX-License-Identifier: MIT
// captures_cxx.cc: as captures.c, where the types of what is captured are known late: in templates.
#include "../system/check.h"

static int evaluated;

template <typename T> static T ask (T x)
{
	evaluated++;
	return x;
}

enum class colour : short { red = 3 };

struct node {
	int n;
	char name[8];
	colour c;
	bool set;
};

#pragma pp metric t interval stats(elapsed)
#pragma pp metric of_n interval stats(dim : n)
#pragma pp metric of_x interval stats(dim : x)
#pragma pp metric of_colour interval stats(dim : c)
#pragma pp metric of_flag interval stats(dim : flag)
#pragma pp metric addresses interval scalar(dim : at)
#pragma pp metric names interval count(dim : name)
#pragma pp metric reals point stats(value)
#pragma pp metric how_many point count(count)

template <typename N, typename X> NOIPA static void visit (N *node, X x)
{
#pragma pp interval visit dim(n = node->n, x = ask(x), c = node->c, flag = node->set,              \
			      at = &node->n, name = node->name)
	__asm__ volatile("" : : "r"(node) : "memory");
}

template <typename X> NOIPA static void real_point (X x)
{
#pragma pp point real_point value(ask(x) * 2)
}

int main ()
{
	node it = {4, "four", colour::red, true};

	pp_bind (t, "visit", 1);
	visit ((node *) nullptr, 1.5f);
	same (pp_count (t), 1, "in a template a dimension that nobody reads is not computed");
	same (evaluated, 0, "nor is a call");
	pp_bind (of_x, "visit", 1);
	visit ((node *) nullptr, 1.5f);
	same (pp_last (of_x), 1.5, "one that is read is");
	same (evaluated, 1, "once");
	pp_bind (of_n, "visit", 1);
	pp_bind (of_colour, "visit", 1);
	pp_bind (of_flag, "visit", 1);
	pp_bind (names, "visit", 1);
	visit (&it, 2.5f);
	same (pp_last (of_n), 4, "a member");
	same (pp_last (of_colour), 3, "an enumeration with a scope");
	same (pp_last (of_flag), 1, "a bool");
	same (pp_count (names), 1, "an array of characters");
	pp_bind (how_many, "real_point", 1);
	real_point (0.5);
	same (evaluated, 2, "a value that nobody reads is not computed");
	pp_bind (reals, "real_point", 1);
	real_point (0.5);
	same (pp_last (reals), 1, "and is when somebody does");
	return checked ();
}
