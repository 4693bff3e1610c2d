// SPDX-License-Identifier: MIT
// -calls counts calls of constexpr functions and lambdas with constant arguments as any others.
/* flags: -std=gnu++17 -Wall -Wextra -Werror */
/* plugin: calls */

constexpr int square (int x)
{
	return x * x;
}

struct constant {
	int x;
	constexpr explicit constant (int y) : x (y)
	{
	}
	constexpr int get () const
	{
		return x;
	}
};

int main () // expect: P main/calls
{
	static_assert (square (3) == 9);
	auto lambda = [] (int x) { return x + 1; };
	int sum = 0;
	for (int i = 0; i < 2; i++)
		sum += square (3) + 1;
	sum += lambda (4);
	sum += constant (5).get ();
	return sum == 0;
}
/* expect: P square/calls P square/calls P main::<lambda>/calls */
/* expect: P constant::constant/calls P constant::get/calls */
