/* SPDX-License-Identifier: MIT */
/* Clauses of expectations: what may be meant by them, and what may not. */
#include <pp.h>

#include <stdbool.h>

#define ONE 1
#define SECONDS 1.5 s
#define NEVER 0
#define LONG LATE
#define LATE 2000000 UNIT
#define UNIT h
#define ROUND ROUND
#define CALL(n) n

static void hear (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
}

void right (void)
{
#pragma pp expect a: m.last@site <= 5 ms cooldown(2 s) for(3) clear( 5 ) call(hear) severity(error)
#pragma pp expect b: m.last <= 5% repeat(true) quiet(true) capture(a, b,c) after(0) scope(thread)
#pragma pp expect c: (m.last + min (a.avg, b.avg)) / 3 <= 5 for(2)
#pragma pp expect d: a.avg <= 5ms or a.avg < 5 µs or a.avg < 5μs cooldown(1.5 µs)
#pragma pp expect e: not min (a.avg, 3) < 2 and max (b.avg, 2) > 3 or not (3 < 4)
#pragma pp expect f: clear < repeat and for.avg <= 3 us for(1000000)
	PP_EXPECT_WITH (g, for (3) cooldown ("2s") capture (a, b) call (hear), a.p99[10s] <= 5 ms)
	_Pragma ("pp expect h : a < b for (3) scope (process)")
#pragma pp expect i: a < b for(ONE) cooldown(SECONDS) after(NEVER) repeat(true) capture(ONE, LONG)
	PP_EXPECT_WITH (j, for (ONE) repeat (true) after (NEVER), a < b)
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
#pragma pp expect fast: a < b for(NEVER)
#pragma pp expect fast: a < b for(3) cooldown(LONG)
#pragma pp expect fast: a < b for(ROUND)
#pragma pp expect fast: a < b for(CALL(3))
#pragma pp expect fast: a < b scope(ONE)
}
/*
expect: 38:35: error: 'for' is a whole number from 1 to 1000000, not '0'
expect: 39:37: error: 'clear' is a whole number from 1 to 1000000, not '1000001'
expect: 40:31: error: unknown clause 'fro'; did you mean 'for'?
expect: 41:34: error: expected '(' before the end of the line
expect: 42:35: error: expected '(' before '3'
expect: 43:36: error: expected ')' before the end of the line
expect: 44:35: error: expected a value before ')'
expect: 45:51: error: 'for' is said twice
expect: 46:42: error: 'call' is said twice
expect: 47:40: error: 'cooldown' is a time with its unit, like '10s' or '250ms', not '2'
expect: 48:53: error: unknown severity 'eror'; did you mean 'error'?
expect: 49:40: error: 'cooldown' is a time from 1 ns to 1000 days, not '2000000h'
expect: 50:38: error: 'repeat' is 'true' or 'false', not 'yes'
expect: 51:37: error: unknown scope 'tread'; did you mean 'thread'?
expect: 52:39: error: 'capture' is a list of at most 8 metrics, not 'a b'
expect: 53:39: error: 'capture' is a list of at most 8 metrics, not 'a,b,c,d,e,f,g,h,i'
expect: 54:37: error: 'after' is a whole number from 0 on, not '-1'
expect: 55:38: error: unknown clause 'junk'
expect: 56:38: error: expected a clause before '+'
expect: 57:35: error: 'for' is a whole number from 1 to 1000000, not '0'
expect: 58:47: error: 'cooldown' is a time from 1 ns to 1000 days, not '2000000 h'
expect: 59:35: error: 'for' is a whole number from 1 to 1000000, not 'ROUND'
expect: 60:35: error: 'for' is a whole number from 1 to 1000000, not 'CALL(3)'
expect: 61:37: error: unknown scope '1'
*/
