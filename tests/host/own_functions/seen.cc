// SPDX-License-Identifier: MIT
// seen.cc: as seen.c, for what only C++ has: templates, members, lambdas, namespaces, exceptions.
#include <pp.h>

#include <cstdio>

namespace n
{
static int depth, written;
static int read_depth ()
{
	return depth;
}
static int write_one ()
{
	return ++written;
}
} // namespace n

#pragma pp metric queue point scalar(n::read_depth)
#pragma pp metric writer point scalar(n::write_one)

static int wrong;

static void is (const char *what, double value, double expected)
{
	if (value == expected)
		return;
	std::printf ("%s: %g instead of %g\n", what, value, expected);
	wrong = 1;
}

template <typename T> __attribute__ ((noinline)) static void store (T value)
{
	n::depth = (int) value;
#pragma pp point of_template(queue)
	n::depth = 0;
}

struct object {
	__attribute__ ((noinline)) static void call ()
	{
#pragma pp point of_member(writer)
	}
};

template <typename T> __attribute__ ((noinline)) static void call (T *)
{
#pragma pp point also_of_template(writer)
}

__attribute__ ((noinline)) static void leave ()
{
#pragma pp point before_leaving(writer)
	throw 1;
}

int main ()
{
	store (5L);
	is ("a variable, in a template", pp_last (queue), 5);
	n::written = 10;
	object::call ();
	int read = n::written;
	is ("what a member's metric wrote", read, 11);
	n::written = 20;
	call (&read);
	read = n::written;
	is ("what a template's metric wrote", read, 21);
	n::written = 30;
	auto lambda = []() __attribute__ ((noinline)){
#pragma pp point of_lambda(writer)
	};
	lambda ();
	read = n::written;
	is ("what a lambda's metric wrote", read, 31);
	n::written = 40;
	try {
		leave ();
	} catch (int) {
		read = n::written;
		is ("what a metric wrote before an exception", read, 41);
	}
	return wrong;
}
