/* SPDX-License-Identifier: MIT */
/* Mistakes in C, each with the message that it must get: "expect: LINE:COLUMN: KIND: text" at the end of the file. */
#include <pp.h>

struct big {
	char c[65];
};
struct pair {
	int a, b;
};
static int takes_one (int x) { return x; }
static void returns_nothing (void) {}
static struct pair returns_pair (void) { struct pair p = {1, 2}; return p; }
static struct big returns_big (void) { struct big b = {{0}}; return b; }
static long start (void) { return 1; }
static long stop (const long *begun) { return *begun; }
static long stop_int (const int *begun) { return *begun; }
static struct pair stop_pair (const long *begun) { struct pair p = {(int) *begun, 1}; return p; }
static void callback (const struct pp_violation *v, void *arg) { (void) v; (void) arg; }
static void no_callback (int x) { (void) x; }
int some_variable;

#pragma pp
#pragma pp metrik m point count(value)
#pragma pp metric
#pragma pp metric 7
#pragma pp metric a pint count(value)
#pragma pp metric a point cont(value)
#pragma pp metric a point histogrm(value)
#pragma pp metric a point count value
#pragma pp metric a point count(value
#pragma pp metric a point count()
#pragma pp metric a interval bounded_series(elapsed, siez=100)
#pragma pp metric a interval bounded_series(elapsed, size=many)
#pragma pp metric a interval bounded_series(elapsed, size=0)
#pragma pp metric a interval bounded_series(elapsed, size=1, size=2)
#pragma pp metric a point count(value) more
#pragma pp metric given point count(takes_one)
#pragma pp metric a point count(returns_nothing)
#pragma pp metric a point count(returns_pair)
#pragma pp metric a point count(start, stop)
#pragma pp metric a interval count(start)
#pragma pp metric a interval count(start, stpo)
#pragma pp metric a interval count(strat, stop)
#pragma pp metric a interval count(returns_big, stop)
#pragma pp metric a interval count(start, stop_int)
#pragma pp metric a interval count(start, stop_pair)
#pragma pp metric a interval count(start, stop, stop)
#pragma pp metric some_variable point count(value)
#pragma pp metric events point sumcount(value)
#pragma pp metric events point sumcount(value)
#pragma pp metric events point stats(value)
#pragma pp metric time_spent interval stats(elapsed)
#pragma pp point outside
#pragma pp interval outside
#pragma pp expect outside: 1 < 2
#pragma pp feature later

int statements (int x, struct pair *p, double d)
{
	if (x)
#pragma pp interval sole
		x++;
	else
#pragma pp point sole
		x--;
	for (int i = 0; i < 3; i++) /* a comment with ; in it */
#pragma pp interval sole
		x += i;
	while (x > 10) // another ;
#pragma pp point sole
		x--;
	do
#pragma pp interval sole
		x--;
	while (x > 5);
#pragma pp point (events
#pragma pp point p(time_spent)
#pragma pp interval i(events)
#pragma pp interval i(time_spend)
#pragma pp point p gruop(g)
#pragma pp interval p value(x)
#pragma pp antimark p fence
#pragma pp point p dim(a)
#pragma pp point p value(x) value(x)
#pragma pp point p value()
#pragma pp point p value(x++)
#pragma pp point p value(x = 3)
#pragma pp point p value(takes_one ())
#pragma pp point p value(nowhere)
#pragma pp point p value(p->c)
#pragma pp point p value(x ? 1 , 2)
#pragma pp point p value(d % 2)
#pragma pp point p value(*p)
#pragma pp point p value(x + )
#pragma pp point p value((x + 1)
#pragma pp point 3
#pragma pp bind
#pragma pp bind events at p
#pragma pp bind events to
#pragma pp unbind events to p
#pragma pp expect
#pragma pp expect fast
#pragma pp expect fast:
#pragma pp expect fast: (a < b
#pragma pp expect fast: a < b) call(callback)
#pragma pp expect fast: a < b call(no_callback)
#pragma pp expect fast: a < b call(nobody)
#pragma pp intervall i
	return x + p->a + (int) stop (&(long){1}) + (int) d;
}
#pragma pp metric captured point stats(value)
#pragma pp metric nearly interval stats(elapsd)
void two (void)
{
#pragma pp point p(captured)
}

#pragma pp metric a interval stats(elapsed, size=3)
#pragma pp metric a interval count(elapsed, maxSize=4)
#pragma pp metric a interval stats(elapsed, optinal)
#pragma pp metric a interval stats(start, stop, optionl)
#pragma pp metric a point stats(elapsed)

__attribute__ ((naked)) void naked (void)
{
#pragma pp point in_naked
}
/*
expect: 23:11: error: expected 'metric', 'point', 'interval', 'feature', 'antimark', 'dim', 'sample_begin', 'sample_end', 'bind', 'unbind' or 'expect' before the end of the line
expect: 24:12: error: unknown pp pragma 'metrik'; did you mean 'metric'?
expect: 25:18: error: expected the metric's name before the end of the line
expect: 26:19: error: expected the metric's name before '7'
expect: 27:21: error: unknown kind of metric 'pint'; did you mean 'point'?
expect: 28:27: error: unknown accumulator 'cont'; did you mean 'count'?
expect: 29:27: error: unknown accumulator 'histogrm'; did you mean 'histogram'?
expect: 30:33: error: expected '(' before 'value'
expect: 31:38: error: expected ')' before the end of the line
expect: 32:33: error: expected a source before ')'
expect: 33:54: error: unknown option 'siez'; did you mean 'size'?
expect: 34:59: error: expected an integer before 'many'
expect: 35:59: error: 'size' must be between 1 and 2147483647
expect: 36:62: error: 'size' is given twice
expect: 37:40: error: expected the end of the line before 'more'
expect: 39:33: error: 'returns_nothing' must return a number, it returns 'void'
expect: 12:13: note: declared here
expect: 40:33: error: 'returns_pair' must return a number, it returns 'struct pair'
expect: 13:20: note: declared here
expect: 41:40: error: a point metric has one function, 'stop' is a second
expect: 42:36: error: an interval metric of functions needs two, 'start' and one for the end
expect: 43:43: error: 'stpo' is not a function declared here
expect: 44:36: error: 'strat' is not a function declared here
expect: 45:36: error: the result of 'returns_big' is larger than 64 bytes
expect: 14:19: note: declared here
expect: 46:43: error: the first argument of 'stop_int' must be a pointer to the 'long int' that 'start' returns
expect: 17:13: note: declared here
expect: 47:43: error: 'stop_pair' must return a number, it returns 'struct pair'
expect: 18:20: note: declared here
expect: 48:49: error: a metric has at most two functions; did you mean 'stop=...'?
expect: 49:19: error: 'some_variable' is declared as something else than a metric
expect: 21:5: note: here
expect: 52:19: error: metric 'events' was declared before, as 'point sumcount(value)'
expect: 50:19: note: here
expect: 54:12: error: '#pragma pp point' outside a function
expect: 55:12: error: '#pragma pp interval' outside a function
expect: 56:12: error: '#pragma pp expect' outside a function
expect: 57:12: error: '#pragma pp feature' outside a function
expect: 62:12: error: '#pragma pp interval' would be the whole body of 'if': put braces around it
expect: 65:12: error: '#pragma pp point' would be the whole body of 'else': put braces around it
expect: 68:12: error: '#pragma pp interval' would be the whole body of 'for': put braces around it
expect: 71:12: error: '#pragma pp point' would be the whole body of 'while': put braces around it
expect: 74:12: error: '#pragma pp interval' would be the whole body of 'do': put braces around it
expect: 77:25: error: expected ',' or ')' before the end of the line
expect: 78:20: error: 'time_spent' is a metric for intervals, it cannot be measured at a point
expect: 53:19: note: declared here
expect: 79:23: error: 'events' is a metric for points, it cannot be measured at an interval
expect: 50:19: note: declared here
expect: 80:23: warning: metric 'time_spend' is not declared here; did you mean 'time_spent'?
expect: 81:20: error: unknown clause 'gruop'; did you mean 'group'?
expect: 82:23: error: 'value' belongs to points, not to intervals
expect: 83:23: error: 'fence' belongs to points and intervals, not to antimarks
expect: 84:25: error: expected '=' before ')'
expect: 85:29: error: 'value' is given twice
expect: 86:26: error: expected an expression before ')'
expect: 86:26: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 87:27: error: 'value' must have no side effects
expect: 88:28: error: 'value' must have no side effects
expect: 89:26: error: too few arguments to function 'takes_one'
expect: 11:12: note: declared here
expect: 90:26: error: 'nowhere' undeclared (first use in this function)
expect<12: 64:9: error: 'else' without a previous 'if'
expect<12: 69:22: error: 'i' undeclared (first use in this function)
expect<12: 69:22: note: each undeclared identifier is reported only once for each function it appears in
expect<12: 75:17: error: expected 'while' before 'x'
expect>=12: 90:26: note: each undeclared identifier is reported only once for each function it appears in
expect: 91:27: error: 'struct pair' has no member named 'c'
expect: 92:32: error: expected ':' before ','
expect: 93:28: error: invalid operands to binary % (have 'double' and 'int')
expect: 94:26: error: 'value' needs a number or a pointer, this is 'struct pair'
expect: 95:30: error: expected an expression before ')'
expect: 95:30: note: 'value' takes names, members, subscripts, constants, operators, casts and calls; for anything else call 'pp_point_int ("NAME", ...)' or 'pp_point_double'
expect: 96:33: error: expected ')' before the end of the line
expect: 97:18: error: expected the site's name before '3'
expect: 98:16: error: expected a metric's name before the end of the line
expect: 99:24: error: expected 'to' before 'at'
expect: 100:26: error: expected a site's name before the end of the line
expect: 101:26: error: expected 'from' before 'to'
expect: 102:18: error: expected the expectation's name before the end of the line
expect: 103:23: error: expected ':' before the end of the line
expect: 104:24: error: expected an expression before the end of the line
expect: 105:25: error: missing ')' in the expectation
expect: 106:25: error: ')' without its counterpart in the expectation
expect: 107:36: error: 'no_callback' cannot be called: it must be 'void (const struct pp_violation *, void *)'
expect: 20:13: note: declared here
expect: 108:36: error: 'nobody' is not a function declared here
expect: 109:12: error: unknown pp pragma 'intervall'; did you mean 'interval'?
expect: 113:41: warning: source 'elapsd' is not declared here; did you mean 'elapsed'?
expect: 116:19: error: 'captured' keeps captured values, and this point has no 'value (...)'
expect: 112:19: note: declared here
expect: 119:45: error: 'size' belongs to 'bounded_series', not to 'stats'
expect: 120:45: error: 'maxSize' belongs to 'unbounded_series', not to 'count'
expect: 121:45: error: unknown option 'optinal'; did you mean 'optional'?
expect: 122:49: error: unknown option 'optionl'; did you mean 'optional'?
expect: 123:33: error: 'elapsed' is between a begin and an end, a point has neither
expect: 127:12: error: '#pragma pp point' in a function that is naked
*/
