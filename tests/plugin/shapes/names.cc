// SPDX-License-Identifier: MIT
// Functions as sites name them: "expect: SITE FUNCTION" at the end.
#include <pp.h>

#include <utility>

namespace ns
{
inline namespace v1
{
struct C {
	C ()
	{
#pragma pp point in_constructor
	}
	~C ()
	{
#pragma pp point in_destructor
	}
	int method (int) const
	{
#pragma pp interval in_method
		return 1;
	}
	C operator+ (int) const
	{
#pragma pp point in_operator
		return C ();
	}
	operator int () const
	{
#pragma pp point in_conversion
		return 1;
	}
	template <class T>
	static T tmpl (T x)
	{
#pragma pp point in_member_template
		return x;
	}
};
} // namespace v1
} // namespace ns
namespace
{
template <class T, int N>
struct outer {
	struct inner {
		T f (T x)
		{
#pragma pp interval in_nested(a, b) group(g, h) fence
			return x;
		}
	};
};
} // namespace
template <class T>
T free_template (T x)
{
#pragma pp point in_template
	auto l = [] (auto y) {
#pragma pp point in_generic_lambda
		return y;
	};
	return l (x);
}
static int with_lambda (int x)
{
	struct local {
		int m ()
		{
#pragma pp point in_local_class
			return 1;
		}
	};
	auto l = [=] {
#pragma pp point in_lambda
		auto inner = [=] {
#pragma pp point in_inner_lambda
			return x;
		};
		return inner ();
	};
	return l () + local ().m ();
}
static auto global_lambda = [] (int x) {
#pragma pp point in_global_lambda
	return x;
};
int main (int argc, char **)
{
#pragma pp point
	ns::C c;
	int r = c.method (1) + (c + 1) + ns::C::tmpl (1) + ns::C::tmpl (2L) + outer<int, 3>::inner ().f (1) + free_template (2) +
		free_template ('c') + with_lambda (3) + global_lambda (argc);
	return r == 0;
}
// expect: in_constructor ns::v1::C::C
// expect: in_destructor ns::v1::C::~C
// expect: in_method ns::v1::C::method
// expect: in_operator ns::v1::C::operator+
// expect: in_conversion ns::v1::C::operator int
// expect: in_member_template ns::v1::C::tmpl
// expect: in_nested <anonymous>::outer::inner::f
// expect: in_template free_template
// expect: in_generic_lambda free_template::<lambda>
// expect: in_local_class with_lambda::local::m
// expect: in_lambda with_lambda::<lambda>
// expect: in_inner_lambda with_lambda::<lambda>::<lambda>
// expect: in_global_lambda <lambda>
// expect: L92.1 main
