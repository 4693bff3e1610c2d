// SPDX-License-Identifier: MIT
// An expectation with a callback, in C++ and in a template; a metric declared inside a namespace and inside a function.
#include <pp.h>

#include <cstdio>

namespace ns
{
static void slow (const struct pp_violation *, void *)
{
	std::puts ("called");
}
static long active ()
{
	return 5;
}
#pragma pp metric in_namespace point sumcount(active)
static pp_metric **address ()
{
	return &in_namespace;
}
} // namespace ns

template <class T>
static T in_template (T x)
{
#pragma pp expect fast: in_namespace.last <= 3 call(ns::slow)
#pragma pp bind in_namespace to somewhere
#pragma pp unbind in_namespace from somewhere
	return x;
}

int main ()
{
#pragma pp metric in_block point sumcount(ns::active)
	return in_template (0) + in_template (0L) + (&in_block == ns::address ());
}
