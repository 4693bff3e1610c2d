/* SPDX-License-Identifier: MIT */
/* Clauses of expectations: what may be meant by them, and what may not. */
#include <pp.h>

static void hear (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
}

void right (void)
{
#pragma pp expect a: m.last@site <= 5 ms cooldown(2 s) for(3) clear( 5 ) call(hear) severity(error)
#pragma pp expect b: m.last <= 5% repeat(true) capture(a, b,c) after(0) scope(thread)
#pragma pp expect c: (m.last + min (a.avg, b.avg)) / 3 <= 5 for(2)
#pragma pp expect d: "a.avg <= 5ms" cooldown(1.5 min)
#pragma pp expect e: not min (a.avg, 3) < 2 and max (b.avg, 2) > 3 or not (3 < 4)
#pragma pp expect f: clear < repeat and for.avg <= 3 us for(1000000)
	PP_EXPECT_WITH (g, for (3) cooldown ("2s") capture (a, b) call (hear), a.p99[10s] <= 5 ms)
	_Pragma ("pp expect h : a < b for (3) scope (process)")
}

void wrong (void)
{
#pragma pp expect fast: a < b for(0)
#pragma pp expect fast: a < b clear(1000001)
#pragma pp expect fast: a < b fro(3)
#pragma pp expect fast: a < b for
#pragma pp expect fast: a < b for 3
#pragma pp expect fast: a < b for(3
#pragma pp expect fast: a < b for()
#pragma pp expect fast: a < b for(3) cooldown(1s) for(4)
#pragma pp expect fast: a < b call(hear) call(hear)
#pragma pp expect fast: a < b cooldown(2)
#pragma pp expect fast: a < b cooldown(2s) severity(eror)
#pragma pp expect fast: a < b cooldown(2000000h)
#pragma pp expect fast: a < b repeat(yes)
#pragma pp expect fast: a < b scope(tread)
#pragma pp expect fast: a < b capture(a b)
#pragma pp expect fast: a < b capture(a,b,c,d,e,f,g,h,i)
#pragma pp expect fast: a < b after(-1)
#pragma pp expect fast: a < b for(3) junk
#pragma pp expect fast: a < b for(3) + 4
}
/*
expect: 25:35: error: 'for' is a whole number from 1 to 1000000, not '0'
expect: 26:37: error: 'clear' is a whole number from 1 to 1000000, not '1000001'
expect: 27:31: error: unknown clause 'fro'; did you mean 'for'?
expect: 28:34: error: expected '(' before the end of the line
expect: 29:35: error: expected '(' before '3'
expect: 30:36: error: expected ')' before the end of the line
expect: 31:35: error: expected a value before ')'
expect: 32:51: error: 'for' is said twice
expect: 33:42: error: 'call' is said twice
expect: 34:40: error: 'cooldown' is a time with its unit, like '10s' or '250ms', not '2'
expect: 35:53: error: unknown severity 'eror'; did you mean 'error'?
expect: 36:40: error: 'cooldown' is a time from 1 ns to 1000 days, not '2000000h'
expect: 37:38: error: 'repeat' is 'true' or 'false', not 'yes'
expect: 38:37: error: unknown scope 'tread'; did you mean 'thread'?
expect: 39:39: error: 'capture' is a list of at most 8 metrics, not 'a b'
expect: 40:39: error: 'capture' is a list of at most 8 metrics, not 'a,b,c,d,e,f,g,h,i'
expect: 41:37: error: 'after' is a whole number from 0 on, not '-1'
expect: 42:38: error: unknown clause 'junk'
expect: 43:38: error: expected a clause before '+'
*/
