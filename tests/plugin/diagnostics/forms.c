/* SPDX-License-Identifier: MIT */
/* Mistakes in what sites capture, in features, inline sites and samples. */
#include <pp.h>

struct pair {
	int a, b;
	unsigned bits : 3;
};
union both {
	int i;
};
static int given (int x) { return x; }
static void nothing (void) {}
static struct pair whole (void) { struct pair p = {1, 2, 3}; return p; }
static long now (void) { return 1; }
static long since (const long *then) { return *then; }
static long begin_with (int a, const char *text) { return a + text[0]; }
static long end_with (const long *then, double by) { return *then * (long) by; }

#pragma pp metric events point sumcount(value)
#pragma pp metric depth point stats(given)
#pragma pp metric times point count(count)
#pragma pp metric plain point stats(now)
#pragma pp metric elapsed_time interval stats(elapsed)
#pragma pp metric timing interval stats(now, since)
#pragma pp metric with interval stats(begin_with, end_with)
#pragma pp sample_begin timing
#pragma pp antimark outside

void captured (int x, struct pair *p, struct pair whole_pair, double _Complex z, __int128 wide)
{
#pragma pp point p value(z)
#pragma pp point p value(wide)
#pragma pp point p value(nothing ())
#pragma pp point p value(whole ())
#pragma pp point p value(given (1, 2))
#pragma pp point p value(given (p))
#pragma pp point p value(given (x)
#pragma pp point p value(p->a (x))
#pragma pp point p value((x = 3))
#pragma pp point p value(x += 1)
#pragma pp point p value(-x--)
#pragma pp point p value(({ x; }))
#pragma pp point p value((struct pair) {1})
#pragma pp point p value((struct pair) x)
#pragma pp point p value((union both) x)
#pragma pp point p value((unsigned x))
#pragma pp point p value(sizeof p->bits)
#pragma pp point p value(x ? whole_pair : 1)
#pragma pp point p value(x && )
#pragma pp point p value(x == whole_pair)
#pragma pp point p value(x, x)
#pragma pp point p value(__real__ x)
#pragma pp point p value(x y)
#pragma pp point p value x
#pragma pp point p dim(n=x, n=2)
#pragma pp point p dim(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9)
#pragma pp point p dim(n=x++)
#pragma pp point p dim(n=whole_pair)
#pragma pp point p dim(=x)
#pragma pp point p dim()
#pragma pp point p dim(n=)
#pragma pp point p dim(n=x
#pragma pp point p dmi(n=x)
#pragma pp point p payload(x)
#pragma pp interval i payload(x)
#pragma pp interval i dim(n)
#pragma pp interval i inlin
	(void) p, (void) x, (void) whole_pair, (void) z, (void) wide;
}

void features (int x)
{
#pragma pp feature
#pragma pp feature payload(x)
#pragma pp feature f(events)
#pragma pp feature f value(x)
#pragma pp feature f fence
#pragma pp antimark f dim(n=x)
#pragma pp feature f payload(x) payload(x)
#pragma pp feature f payload(x = 2)
#pragma pp feature f paylaod(x)
#pragma pp feature f payload()
#pragma pp antimark
#pragma pp antimark f payload(x)
#pragma pp antimark f inline
#pragma pp antimark 7
#pragma pp featur f
	if (x)
#pragma pp feature sole
		x++;
}

void inlined (int x)
{
#pragma pp interval i inline
#pragma pp interval i(timing) inline dim(n=x)
#pragma pp point p(plain) inline value(x)
#pragma pp interval i(elapsed_time) inline
#pragma pp interval i(unknown) inline
#pragma pp interval i(with) inline
#pragma pp point p(depth)
#pragma pp point p(events) inline
}

void samples (int x, struct pair *p)
{
#pragma pp sample_begin
#pragma pp sample_begin timng
#pragma pp sample_begin p
#pragma pp sample_begin timing(x)
#pragma pp sample_begin with(x)
#pragma pp sample_begin with(p, "text")
#pragma pp sample_begin with(x, "text", 3)
#pragma pp sample_begin with(x++, "text")
#pragma pp sample_begin with(x, "text"
#pragma pp sample_begin with(x, "text") more
#pragma pp sample_end with
#pragma pp sample_end timing(x)
#pragma pp sample_begin elapsed_time(x)
#pragma pp sample_begin events
#pragma pp sample_begin events(p)
#pragma pp sample_begin events(*p)
#pragma pp sample_end events(x)
#pragma pp sample_end depth
#pragma pp sample_begin depth
#pragma pp sample_begin times(1)
#pragma pp smaple_begin timing
	if (x)
#pragma pp sample_begin timing
		x++;
}

void libraries (int x)
{
#pragma pp feature lib.f payload(x)
#pragma pp antimark lib.part.f
#pragma pp feature lib.
#pragma pp feature .f
#pragma pp feature f.g(events)
}
/*
expect: 27:12: error: '#pragma pp sample_begin' outside a function
expect: 28:12: error: '#pragma pp antimark' outside a function
expect: 32:26: error: 'value' needs a number or a pointer, this is 'complex double'
expect: 33:26: error: 'value' needs a number or a pointer, this is '__int128'
expect: 34:26: error: 'value' needs a number or a pointer, this is 'void'
expect: 35:26: error: 'value' needs a number or a pointer, this is 'struct pair'
expect: 36:26: error: too many arguments to function 'given'
expect: 12:12: note: declared here
expect: 37:33: warning: passing argument 1 of 'given' makes integer from pointer without a cast [-Wint-conversion]
expect: 12:23: note: expected 'int' but argument is of type 'struct pair *'
expect: 38:35: error: expected ')' before the end of the line
expect: 39:26: error: called object 'p->a' is not a function or function pointer
expect: 40:29: error: 'value' must have no side effects
expect: 41:28: error: 'value' must have no side effects
expect: 42:28: error: 'value' must have no side effects
expect: 43:27: error: 'value' cannot contain statements
expect: 43:27: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 44:40: error: 'value' cannot contain statements
expect: 44:40: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 45:27: error: 'value' can cast to numbers and pointers only, 'struct pair' is neither
expect: 46:27: error: 'value' can cast to numbers and pointers only, 'union both' is neither
expect: 47:36: error: expected ')' before 'x'
expect: 48:26: error: 'sizeof' applied to a bit-field
expect: 49:28: error: type mismatch in conditional expression
expect: 50:31: error: expected an expression before ')'
expect: 50:31: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 51:28: error: invalid operands to binary == (have 'int' and 'struct pair')
expect: 52:27: error: expected ')' before ','
expect: 53:26: error: expected an expression before '__real__'
expect: 53:26: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 54:28: error: expected an operator or ')' before 'y'
expect: 54:28: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 55:26: error: expected '(' before 'x'
expect: 56:29: error: dimension 'n' is given twice
expect: 57:64: error: a site has at most 8 dimensions, 'i' is one more
expect: 58:27: error: 'dim' must have no side effects
expect: 59:26: error: 'dim' needs a number or a pointer, this is 'struct pair'
expect: 60:24: error: expected a key before '='
expect: 61:24: error: expected a key before ')'
expect: 62:26: error: expected an expression before ')'
expect: 62:26: note: 'dim' takes names, members, subscripts, constants, operators, casts and calls; for anything else use a variable
expect: 63:27: error: expected ',' or ')' before the end of the line
expect: 64:20: error: unknown clause 'dmi'; did you mean 'dim'?
expect: 65:20: error: 'payload' belongs to features, not to points
expect: 66:23: error: 'payload' belongs to features, not to intervals
expect: 67:28: error: expected '=' before ')'
expect: 68:23: error: unknown clause 'inlin'; did you mean 'inline'?
expect: 74:19: error: expected the feature's name before the end of the line
expect: 75:20: error: expected the feature's name before 'payload'
expect: 76:21: error: a feature has no metrics of its own: put an interval beside it
expect: 77:22: error: 'value' belongs to points, not to features
expect: 78:22: error: 'fence' belongs to points and intervals, not to features
expect: 79:23: error: 'dim' belongs to points, intervals and features, not to antimarks
expect: 80:33: error: 'payload' is given twice
expect: 81:32: error: 'payload' must have no side effects
expect: 82:22: error: unknown clause 'paylaod'; did you mean 'payload'?
expect: 83:30: error: expected an expression before ')'
expect: 83:30: note: 'payload' takes names, members, subscripts, constants, operators, casts and calls; for anything else use a variable
expect: 84:20: error: expected the feature's name before the end of the line
expect: 85:23: error: 'payload' belongs to features, not to antimarks
expect: 86:23: error: 'inline' belongs to points and intervals, not to antimarks
expect: 87:21: error: expected the feature's name before '7'
expect: 88:12: error: unknown pp pragma 'featur'; did you mean 'feature'?
expect: 90:12: error: '#pragma pp feature' would be the whole body of 'if': put braces around it
expect: 96:23: error: 'inline' without metrics: there is nothing that the code could measure
expect: 97:31: error: an 'inline' site measures with the functions of its metrics, it captures no values
expect: 98:27: error: an 'inline' site measures with the functions of its metrics, it captures no values
expect: 99:23: error: 'elapsed_time' has no functions that an 'inline' site could call: the library reads 'elapsed'
expect: 24:19: note: declared here
expect: 100:23: error: metric 'unknown' must be declared before an 'inline' site can call its functions
expect: 101:23: error: the functions of 'with' take arguments: only 'sample_begin' can give them
expect: 26:19: note: declared here
expect: 102:20: error: the functions of 'depth' take arguments: only 'sample_begin' can give them
expect: 21:19: note: declared here
expect: 103:20: error: 'events' has no functions that an 'inline' site could call: the library reads 'value'
expect: 20:19: note: declared here
expect: 108:24: error: expected a metric's name before the end of the line
expect: 109:25: error: metric 'timng' is not declared here; did you mean 'timing'?
expect: 110:25: error: metric 'p' is not declared here
expect: 111:25: error: too many arguments to function 'now'
expect: 15:13: note: declared here
expect: 112:25: error: too few arguments to function 'begin_with'
expect: 17:13: note: declared here
expect: 113:30: warning: passing argument 1 of 'begin_with' makes integer from pointer without a cast [-Wint-conversion]
expect: 17:29: note: expected 'int' but argument is of type 'struct pair *'
expect: 114:25: error: too many arguments to function 'begin_with'
expect: 17:13: note: declared here
expect: 115:31: error: 'sample_begin' must have no side effects
expect: 116:39: error: expected ',' or ')' before the end of the line
expect: 117:41: error: expected the end of the line before 'more'
expect: 118:23: error: too few arguments to function 'end_with'
expect: 18:13: note: declared here
expect: 119:23: error: too many arguments to function 'since'
expect: 16:13: note: declared here
expect: 120:38: error: 'elapsed_time' takes no arguments: the library reads 'elapsed'
expect: 24:19: note: declared here
expect: 121:25: error: 'events' keeps captured values: 'sample_begin' needs one, as in 'events(x)'
expect: 20:19: note: declared here
expect: 122:32: error: 'sample_begin' needs a number, this is 'struct pair *'
expect: 123:32: error: 'sample_begin' needs a number or a pointer, this is 'struct pair'
expect: 124:23: error: 'events' is a metric for points, it has no end: 'sample_begin' is its sample
expect: 20:19: note: declared here
expect: 125:23: error: 'depth' is a metric for points, it has no end: 'sample_begin' is its sample
expect: 21:19: note: declared here
expect: 126:25: error: too few arguments to function 'given'
expect: 12:12: note: declared here
expect: 127:31: error: 'times' takes no arguments: the library reads 'count'
expect: 22:19: note: declared here
expect: 128:12: error: unknown pp pragma 'smaple_begin'; did you mean 'sample_begin'?
expect: 130:12: error: '#pragma pp sample_begin' would be the whole body of 'if': put braces around it
expect: 138:24: error: expected the rest of the feature's name before the end of the line
expect: 139:20: error: expected the feature's name before '.'
expect: 140:23: error: a feature has no metrics of its own: put an interval beside it
*/
