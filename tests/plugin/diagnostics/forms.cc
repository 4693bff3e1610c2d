/* SPDX-License-Identifier: MIT */
/* The same in C++: classes, overloads, templates. */
#include <pp.h>

struct thing {
	int n;
	int size () const { return n; }
	int size (int by) const { return n * by; }
	void nothing () const {}
	explicit operator int () const { return n; }
private:
	int hidden () const { return 1; }
};
namespace ns
{
struct other {};
} // namespace ns
static long start (int) { return 1; }
static long start (double) { return 2; }
static long now () { return 1; }
static long since (const long *then, int by) { return *then + by; }
static thing make (int n) { return thing{n}; }

#pragma pp metric ambiguous interval stats(start, since)
#pragma pp metric timing interval stats(now, since)

void captured (const thing &t, thing *p, ns::other o, int x)
{
#pragma pp point p value(t.size (1, 2))
#pragma pp point p value(t.hidden ())
#pragma pp point p value(t.nothing ())
#pragma pp point p value(t.nowhere ())
#pragma pp point p value(nobody (x))
#pragma pp point p value(nobody ())
#pragma pp point p value(ns::nobody (x))
#pragma pp point p value(make (x))
#pragma pp point p value(t)
#pragma pp point p value(o + 1)
#pragma pp point p value(thing (x))
#pragma pp point p value(static_cast<int *> (x))
#pragma pp point p value(x < 3 ? o : 1)
#pragma pp point p value([] { return 1; } ())
#pragma pp point p value(new int)
#pragma pp point p value(throw 1)
#pragma pp point p value(p->size)
#pragma pp interval i dim(n=t, m=x)
	(void) p, (void) x, (void) o;
}

template <class T>
void in_template (T value, T *p)
{
#pragma pp point late value(value)
#pragma pp point late_dim dim(v=*p)
#pragma pp point late_call value(value.size ())
#pragma pp feature late_feature payload(value)
#pragma pp point early value(undeclared)
}
template void in_template<thing> (thing, thing *);
template void in_template<long double> (long double, long double *);

template <class T>
void samples_of (T value)
{
#pragma pp sample_begin timing(value)
#pragma pp sample_end timing(value)
#pragma pp sample_end timing
}
template void samples_of<int> (int);
template void samples_of<ns::other> (ns::other);

void samples (const thing &t)
{
#pragma pp sample_begin timing(1)
#pragma pp sample_end timing(t)
#pragma pp sample_end timing(t.n, 2)
#pragma pp sample_end timing(1)
}

template <class T> struct box {
	static int held;
};
template <class T> int element (T x) { return x; }

void templates (int x)
{
#pragma pp point p value(element<int> (x))
#pragma pp point p value(box<int>::held)
#pragma pp point p value(int{3})
#pragma pp point p value(thing::n)
	(void) x;
}

template <class T> void members_of (T)
{
#pragma pp point p value(T::nowhere)
}
template void members_of<thing> (thing);
/*
expect: 24:44: error: 'start' is overloaded, and no overload has 0 arguments
expect: 29:26: error: no matching function for call to 'thing::size(int, int) const'
expect: 7:13: note: candidate: 'int thing::size() const'
expect: 7:13: note:   candidate expects 0 arguments, 2 provided
expect: 8:13: note: candidate: 'int thing::size(int) const'
expect: 8:13: note:   candidate expects 1 argument, 2 provided
expect: 30:26: error: 'int thing::hidden() const' is private within this context
expect: 12:13: note: declared private here
expect: 31:26: error: 'value' needs a number or a pointer, this is 'void'
expect: 32:28: error: 'const struct thing' has no member named 'nowhere'
expect: 33:26: error: 'nobody' was not declared in this scope
expect: 35:26: error: 'nobody' is not declared there
expect: 36:26: error: 'value' needs a number or a pointer, this is 'thing'
expect: 37:26: error: 'value' needs a number or a pointer, this is 'const thing'
expect: 38:28: error: no match for 'operator+' in 'o + 1' (operand types are 'ns::other' and 'int')
expect: 39:26: error: 'value' can cast to numbers and pointers only, 'thing' is neither
expect: 40:26: error: invalid 'static_cast' from type 'int' to type 'int*'
expect: 41:32: error: operands to '?:' have different types 'ns::other' and 'int'
expect: 42:26: error: expected an expression before '['
expect: 42:26: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 43:26: error: expected an expression before 'new'
expect: 43:26: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 44:26: error: expected an expression before 'throw'
expect: 44:26: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 45:26: error: 'value' needs a number or a pointer, this is '<unresolved overloaded function type>'
expect: 46:29: error: 'dim' needs a number or a pointer, this is 'const thing'
expect: 57:30: error: 'undeclared' was not declared in this scope
expect: 67:23: error: too few arguments to function 'long int since(const long int*, int)'
expect: 21:13: note: declared here
expect: 74:25: error: too many arguments to function 'long int now()'
expect: 20:13: note: declared here
expect: 75:30: error: cannot convert 'const thing' to 'int'
expect: 21:42: note:   initializing argument 2 of 'long int since(const long int*, int)'
expect: 76:23: error: too many arguments to function 'long int since(const long int*, int)'
expect: 21:13: note: declared here
expect: 59:49:   required from here
expect: 53:12: error: a value of site 'late' has type 'thing', it must be a number or a pointer
expect: 54:12: error: a value of site 'late_dim' has type 'thing', it must be a number or a pointer
expect: 56:12: error: a value of site 'late_feature' has type 'thing', it must be a number or a pointer
expect: 60:67:   required from here
expect: 55:34: error: request for member 'size' in 'value', which is of non-class type 'long double'
expect: 69:35:   required from here
expect: 65:25: error: too many arguments to function 'long int now()'
expect: 20:13: note: declared here
expect: 70:47:   required from here
expect: 65:25: error: too many arguments to function 'long int now()'
expect: 20:13: note: declared here
expect: 66:30: error: cannot convert 'ns::other' to 'int'
expect: 21:42: note:   initializing argument 2 of 'long int since(const long int*, int)'
expect: 87:26: error: 'value' takes no arguments of templates
expect: 87:33: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 88:26: error: 'value' takes no arguments of templates
expect: 88:29: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 89:29: error: expected '(' before '{'
expect: 89:29: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 90:34: error: invalid use of non-static data member 'thing::n'
expect: 6:13: note: declared here
expect: 96:26: error: 'nowhere' is not a member of 'thing'
expect: 98:39:   required from here
*/
