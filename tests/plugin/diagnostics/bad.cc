/* SPDX-License-Identifier: MIT */
/* Mistakes in C++. */
#include <pp.h>

namespace ns
{
static long start () { return 1; }
static long stop (const long *begun) { return *begun; }
static long over () { return 1; }
static long over (long x) { return x; }
} // namespace ns
struct pair {
	int a, b;
	pair operator+ (int) const { return *this; }
	int operator* () const { return 1; }
	int operator[] (int i) const { return i; }
	static long number () { return 3; }
	long member () { return 4; }
#pragma pp point in_class
};
struct heavy {
	heavy ();
	heavy (const heavy &);
	~heavy ();
	int x;
};
heavy start_heavy ();
long stop_heavy (const heavy *);
template <class T>
T generic ();

#pragma pp metric good interval stats(ns::start, ns::stop)
#pragma pp metric chosen point stats(ns::over)
#pragma pp metric fixed point stats(pair::number)
#pragma pp metric bad interval stats(ns::start, ns::stpo)
#pragma pp metric bad interval stats(nowhere::start, ns::stop)
#pragma pp metric bad point stats(generic)
#pragma pp metric bad interval stats(start_heavy, stop_heavy)
#pragma pp metric bad point stats(pair::member)

constexpr int evaluated (int x)
{
#pragma pp interval constant
	return x + 1;
}

template <class T>
T in_template (T x, pair p)
{
	if (x)
#pragma pp interval sole
		x++;
#pragma pp point p value(unknown_name)
#pragma pp point p value(p)
#pragma pp point p(good)
	return x;
}

int statements (pair p, const pair *q)
{
	if constexpr (sizeof (int) == 4)
#pragma pp point sole
		p.a++;
	int list[] = {1, 2};
	for (int i : list)
#pragma pp interval sole
		p.a += i;
#pragma pp point p value(p + 1)
#pragma pp point p value(p--)
#pragma pp point p value(p[1] = 2)
#pragma pp point p value(q->c)
#pragma pp point p value(unknown_name)
#pragma pp point p value(p)
#pragma pp point p value(this)
#pragma pp point p value(ns::nothing)
#pragma pp point p value(ns::start)
#pragma pp point p value(nowhere::x)
	return p.a + evaluated (1) + in_template (1, p) + in_template (1L, p);
}
struct wide {
	const wchar_t *c_str () const;
};
void kept (const wide &w)
{
#pragma pp point p dim(w=w)
}
template <class T> void kept_too (const T &w)
{
#pragma pp point p dim(w=w)
}
template void kept_too (const wide &);
/*
expect: 19:12: error: '#pragma pp point' outside a function
expect: 35:49: error: 'ns::stpo' is not a function declared here
expect: 36:38: error: 'nowhere::start' is not a function declared here
expect: 37:35: error: 'generic' is not a plain function
expect: 38:38: error: the result of 'heavy start_heavy()' is not trivially copyable
expect: 27:7: note: declared here
expect: 39:35: error: 'member' is not a plain function
expect: 43:12: note: '#pragma pp interval' does nothing in a function that may be evaluated by the compiler
expect: 51:12: error: '#pragma pp interval' would be the whole body of 'if': put braces around it
expect: 53:26: error: 'unknown_name' was not declared in this scope
expect: 54:26: error: 'value' needs a number or a pointer, this is 'pair'
expect: 55:20: error: 'good' is a metric for intervals, it cannot be measured at a point
expect: 32:19: note: declared here
expect: 62:12: error: '#pragma pp point' would be the whole body of 'if': put braces around it
expect: 66:12: error: '#pragma pp interval' would be the whole body of 'for': put braces around it
expect: 68:26: error: 'value' needs a number or a pointer, this is 'pair'
expect: 69:27: error: 'value' must have no side effects
expect: 70:31: error: 'value' must have no side effects
expect: 71:29: error: 'const struct pair' has no member named 'c'
expect: 72:26: error: 'unknown_name' was not declared in this scope
expect: 73:26: error: 'value' needs a number or a pointer, this is 'pair'
expect: 74:26: error: invalid use of 'this' in non-member function
expect: 75:26: error: 'nothing' is not declared there
expect: 76:26: error: 'value' needs a number or a pointer, this is 'long int()'
expect: 77:26: error: 'x' is not declared there
expect: 85:26: error: 'c_str ()' of 'const wide' must return text of 'char', it returns 'const wchar_t*'
expect: 91:37:   required from here
expect: 89:12: error: 'c_str ()' of 'const wide' must return text of 'char', it returns 'const wchar_t*'
*/
