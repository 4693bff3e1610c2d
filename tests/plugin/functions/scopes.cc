// SPDX-License-Identifier: MIT
// Rules of a file, in C++: scopes, exceptions out of loops and calls, functions that are inlined anyway.
/* flags: -std=gnu++17 -Wall -Wextra */

__attribute__ ((noipa)) static int may_throw (int x)
{
	if (x > 2)
		throw x;
	return x;
}

namespace outer
{
namespace
{
struct inner {
	int member (int x);
	int in_class (int x)
	{
		return may_throw (x);
	}
};
int inner::member (int n)
{
	static const int two[] = {1, 2};
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += may_throw (i);
	for (int x : two)
		sum += may_throw (x);
	return sum;
}
} // namespace
template <typename T> T generic (T x)
{
	while (x > 0) {
		try {
			may_throw (x--);
		} catch (int) {
			break;
		}
	}
	return x;
}
} // namespace outer

int main ()
{
	outer::inner one;
	int sum = one.member (1) + one.in_class (1);
	try {
		one.member (9);
	} catch (int) {
		sum++;
	}
	return sum + outer::generic (3) + outer::generic (1L) != 7;
}

/*
expect: B outer::<anonymous>::inner::member/body B outer::<anonymous>::inner::member/loop.L27 B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw
expect: E outer::<anonymous>::inner::member/loop.L27 B outer::<anonymous>::inner::member/loop.L29 B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw
expect: B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/loop.L29 E outer::<anonymous>::inner::member/body
expect: B outer::<anonymous>::inner::member/body B outer::<anonymous>::inner::member/loop.L27 B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw
expect: B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw
expect: B outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/may_throw E outer::<anonymous>::inner::member/loop.L27 E outer::<anonymous>::inner::member/body
expect: B outer::generic/body B outer::generic/loop.L36 E outer::generic/loop.L36 E outer::generic/body
expect: B outer::generic/body B outer::generic/loop.L36 E outer::generic/loop.L36 E outer::generic/body
report: outer::<anonymous>::inner::in_class: left alone: it is likely to be inlined, scopes.yaml:5
report: main: left alone: no rule chooses it
*/
