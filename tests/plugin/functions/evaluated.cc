// SPDX-License-Identifier: MIT
// Calls of constexpr functions with constant arguments, which the front end would evaluate: lambdas are constexpr
// since C++17 though nobody says so. Where a constant is needed they are none of the program's calls.
/* flags: -std=gnu++17 -Wall -Wextra -Werror */

[[pp::interval ("declared")]] constexpr int declared (int x)
{
	return x * x;
}

struct constant {
	int x;
	[[pp::interval ("constructor")]] constexpr explicit constant (int y) : x (y)
	{
	}
	[[pp::interval ("method")]] constexpr int get () const
	{
		return x;
	}
};

template <class T> [[pp::interval ("template")]] constexpr T twice (T x)
{
	return x + x;
}

static_assert (declared (3) == 9);
static constexpr int initial = declared (4);

int main ()
{
	auto lambda = [](int x) __attribute__ ((pp_interval ("lambda")))
	{
		return x + 1;
	};
	auto generic = [](auto x) __attribute__ ((pp_interval ("generic")))
	{
		return x + 1;
	};
	constexpr int needed = lambda (1);
	static_assert (generic (1) == 2);
	int array[declared (2)] = {};
	int sum = initial + needed + array[0];
	sum += declared (5);        // expect: B declared E declared
	sum += constant (6).get (); // expect: B constructor E constructor B method E method
	sum += twice (7) + 1;       // expect: B template E template
	if (lambda (8))             // expect: B lambda E lambda
		sum++;
	for (int i = 0; i < 2; i++)
		sum += generic (9); // expect: B generic E generic B generic E generic
	return sum == 0;
}
