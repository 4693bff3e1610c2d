/* flags: -O2 */
/* Scopes and operators of metrics: what is wrong with them. */
#include <pp.h>

static long level (void) { return 1; }
static long begun (void) { return 1; }
static long ended (const long *b) { return 1 + *b; }
static long of (long x) { return x; }

#pragma pp metric own      interval stats(elapsed, scope=self)
#pragma pp metric own      interval stats(elapsed, scope = self)
#pragma pp metric outer    interval stats(begun, ended, scope=outermost)
#pragma pp metric ratio    interval stats(level, operator=ratio)
#pragma pp metric users    interval stats(level, operator=geometric, every=2)
#pragma pp metric memory   interval stats(resident, operator = max)
#pragma pp metric total    interval stats(elapsed, scope=total)
#pragma pp metric a interval stats(elapsed, scope=selv)
#pragma pp metric a interval stats(elapsed, scope=)
#pragma pp metric a interval stats(elapsed, scope=self, scope=self)
#pragma pp metric a interval stats(elapsed, scop=self)
#pragma pp metric a point stats(value, scope=self)
#pragma pp metric a point stats(level, operator=max)
#pragma pp metric a interval stats(begun, ended, operator=max)
#pragma pp metric a interval stats(level, operator=5)
#pragma pp metric a interval stats(of, operator=max)
#pragma pp metric own interval stats(elapsed, scope=outermost)

int main (void)
{
	{
#pragma pp interval i(own) inline
	}
	{
#pragma pp interval j(ratio) inline
	}
#pragma pp sample_begin own
#pragma pp sample_end own
#pragma pp sample_begin ratio(1)
#pragma pp sample_begin ratio
#pragma pp sample_end ratio
	return (int) of (0);
}

/*
expect: 17:51: error: unknown scope 'selv'; did you mean 'self'?
expect: 18:51: error: expected a scope before ')'
expect: 19:57: error: 'scope' is given twice
expect: 20:45: error: unknown option 'scop'; did you mean 'scope'?
expect: 21:33: error: 'scope' is for intervals: nothing is nested in a point
expect: 22:33: error: 'operator' is for intervals: a point is read once
expect: 23:43: error: 'operator' combines what one function says at begin and end, 'ended' is a second
expect: 24:52: error: expected an operator before '5'
expect: 25:36: error: 'operator' combines what a function without arguments says, 'of' takes some
expect: 26:19: error: metric 'own' was declared before, as 'interval stats(elapsed,scope=self)'
expect: 10:19: note: here
expect: 31:23: error: 'own' has a scope, which an 'inline' site knows nothing of
expect: 10:19: note: declared here
expect: 34:23: error: 'ratio' has an operator, with which the library combines what 'level' says: an 'inline' site cannot
expect: 13:19: note: declared here
expect: 36:25: error: 'own' has a scope, which is of intervals that are nested: 'sample_begin' takes the whole
expect: 10:19: note: declared here
expect: 37:23: error: 'own' has a scope, which is of intervals that are nested: 'sample_end' takes the whole
expect: 10:19: note: declared here
expect: 38:31: error: 'ratio' takes no arguments: the library reads 'level'
expect: 13:19: note: declared here
*/
