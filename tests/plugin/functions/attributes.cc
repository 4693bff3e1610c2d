// SPDX-License-Identifier: MIT
// Whole functions as intervals, by attribute: members, constructors, templates, lambdas, exceptions.
/* flags: -std=gnu++20 -Wall -Wextra -Werror */
#include <stdexcept>

__attribute__ ((noipa)) static int opaque (int x)
{
	return x;
}

struct virtual_base {
	virtual ~virtual_base ()
	{
	}
	int x = 0;
};

struct counted : virtual virtual_base {
	[[pp::interval ("constructor")]] explicit counted (int y);
	__attribute__ ((pp_interval ("destructor"))) ~counted () override;
	[[pp::interval ("method", "", "g")]] virtual int method (int);
	[[pp::interval ("operator")]] int operator() (int y) const
	{
		return opaque (y);
	}
	[[pp::interval ("static")]] static int of (int y)
	{
		return opaque (y);
	}
};

counted::counted (int y)
{
	x = opaque (y);
	if (y > 3)
		throw std::runtime_error ("constructor");
}

counted::~counted ()
{
	opaque (x);
}

int counted::method (int y)
{
	return opaque (x + y);
}

struct derived : counted {
	derived () : counted (1)
	{
	}
	[[pp::interval ("overrider")]] int method (int y) override
	{
		return counted::method (y);
	}
};

[[pp::interval ("try")]] static int tries (int x)
try {
	if (opaque (x) == 1)
		throw 1;
	return 0;
} catch (int e) {
	return e;
}

template <typename T> [[pp::interval ("template")]] static T twice (T x)
{
	if (x > 100)
		throw 1;
	return x + x;
}

template <typename T> struct box {
	T value;
	[[pp::interval ("member_of_template")]] T get ();
};
template <typename T> T box<T>::get ()
{
	return value;
}

struct literal {
	int x;
	[[pp::interval ("constexpr")]] constexpr int get () const
	{
		return x;
	}
};

[[pp::interval ("noexcept")]] static int never_throws (int x) noexcept
{
	return opaque (x);
}

[[pp::interval ("inline")]] inline int inlined (int x)
{
	return x * 2;
}

int main ()
{
	{
		counted *c = new counted (1);
		c->method (2);
		(*c) (1);
		delete c;
	}
	{
		derived d;
		counted &c = d;
		c.method (1);
	}
	try {
		counted c (5);
	} catch (std::exception &) {
		counted::of (1);
	}
	tries (1);
	tries (2);
	try {
		twice (opaque (101));
	} catch (int) {
		twice (1.5);
	}
	box<long> b = {opaque (3)};
	b.get ();
	constexpr literal five = {5};
	static_assert (five.get () == 5);
	literal l = {opaque (3)};
	l.get ();
	never_throws (inlined (opaque (1)));
	auto lambda = [] (int x) __attribute__ ((pp_interval ("lambda"))) { return opaque (x); };
	auto generic = [] (auto x) __attribute__ ((pp_interval ("generic"))) { return opaque (x); };
	return lambda (0) + generic (0);
}

/*
expect: B constructor E constructor B method E method B operator E operator B destructor E destructor
expect: B constructor E constructor B overrider B method E method E overrider B destructor E destructor
expect: B constructor E constructor B static E static
expect: B try E try B try E try
expect: B template E template B template E template
expect: B member_of_template E member_of_template
expect: B constexpr E constexpr
expect: B inline E inline B noexcept E noexcept
expect: B lambda E lambda B generic E generic
*/
