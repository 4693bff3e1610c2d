/* SPDX-License-Identifier: MIT */
/* Names with scopes in what a site captures: members of templates, of classes in classes, of bases. */
#include "events.h"

template <class T> struct base {
	static int counter;
	enum { limit = 4 };
	static int twice (int x)
	{
		return 2 * x;
	}
};
template <class T> int base<T>::counter = 13;

using early = base<int>; /* not instantiated yet where its members are captured */

struct outer {
	struct inner {
		static constexpr int z = 8;
		enum class level { high = 9 };
		static int f ()
		{
			return 10;
		}
	};
	int member = 11;
	int method () const
	{
		return member + 1;
	}
};

namespace ns
{
namespace deep
{
int variable = 15;
int &reference = variable;
} // namespace deep
} // namespace ns

struct derived : outer {
	int member = 0;
	int capture ()
	{
		V (of_base, outer::member)
		V (method_of_base, outer::method ())
		return member;
	}
};

template <class T> static int in_template (T x)
{
	V (dependent, T::counter)
	V (dependent_enumerator, T::limit)
	V (dependent_function, T::twice (x.counter))
	return x.counter;
}

int main ()
{
	V (static_member, early::counter)
	V (enumerator, early::limit + 1)
	V (static_function, early::twice (3))
	V (in_class, outer::inner::z)
	V (function_in_class, outer::inner::f ())
	V (in_namespaces, ns::deep::variable)
	V (by_reference, ns::deep::reference)
	derived d;
	return d.capture () + in_template (early ()) - 13;
}
