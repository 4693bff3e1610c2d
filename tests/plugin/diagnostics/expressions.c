/* SPDX-License-Identifier: MIT */
/* What the text of an expectation shows: what may be, first, and what may not. */
#include <pp.h>

void right (void)
{
#pragma pp expect a1: m.avg < 3
#pragma pp expect a2: not (m.avg <= 5ms and all(m).p99 > 3 us) or -m.min * 2e3 >= 4.5e-3 % for(3)
#pragma pp expect a3: all(m.gini) < 3 and all(m.p99[1min]) != 4
#pragma pp expect a4: m@server.c:serve/request.avg[10s] < 5ms and server/request.open_age <= 10 s
#pragma pp expect a5: a.violations.share[10s] <= 5% and a.violations.rate[10s] == 0
#pragma pp expect a6: static.flops@i1 / 2 > 5 and (static.loads + static.stores) / work.last <= 20GB / 1s
#pragma pp expect a7: baseline (m@site.avg) * 2 > m.last and knob(k) == 3
#pragma pp expect a8: "'ns::C<int>::f/x'.in_flight <= 3"
#pragma pp expect a9: abs (m.avg - n.avg) < min (max (1,2), 3)
#pragma pp expect b1: c
#pragma pp expect b2: a.avg/b.avg<3 and x / b.open_age!=2
#pragma pp expect b3: m.gini2 < 3
	PP_EXPECT (b4, m.p99 <= 5 ms and not n.avg > 3)
	_Pragma ("pp expect b5 : a.avg < 3 and b.min >= 5 ms for (3)")
}

void wrong (void)
{
#pragma pp expect w1: m.avg <
#pragma pp expect w2: m.avgg < 3
#pragma pp expect w3: m.avg   <   < 3
#pragma pp expect w4: m.avg < 3 && n.avg < 3
#pragma pp expect w5: 1 < m.avg < 3
#pragma pp expect w6: m.avg < 3 msec
#pragma pp expect w7: m.avg = 3
#pragma pp expect w8: avg (m) < 3
#pragma pp expect w9: min (m.avg) < 3
#pragma pp expect x1: !m.avg < 3
#pragma pp expect x2: m.avg < 3 and
#pragma pp expect x3: m.avg ^ 3
#pragma pp expect x4: "m.avg < < 3"
#pragma pp expect x5: m.avg < 3 and or n.avg < 2
#pragma pp expect x6: m.avg < 3kb
#pragma pp expect x7: abs (m.avg, 2) < 3
#pragma pp expect x8: m.avg < 3 || n.avg < 3
#pragma pp expect x9: m.avg < 3 == 4
}
/*
expect: 25:30: error: expected a number, a metric or '(' at the end of the expectation
expect: 26:25: warning: the library has no statistic 'avgg'; did you mean 'avg', or is it the program's own? [-Wpragmas]
expect: 27:35: error: expected a number, a metric or '(' before '<'
expect: 28:33: error: '&&' is no operator of expectations; did you mean 'and'?
expect: 29:33: error: comparisons don't chain; write 'a < b and b < c'
expect: 30:33: error: unknown unit 'msec'; did you mean 'ms'?
expect: 31:29: error: '=' is no operator of expectations; did you mean '=='?
expect: 32:23: error: unknown function 'avg'
expect: 33:33: error: expected ',' before ')'
expect: 34:23: error: '!' is no operator of expectations; did you mean 'not'?
expect: 35:36: error: expected a number, a metric or '(' at the end of the expectation
expect: 36:29: error: expected an operator before '^'
expect: 37:32: error: expected a number, a metric or '(' before '<'
expect: 38:37: error: expected a number, a metric or '(' before 'or'
expect: 39:32: error: unknown unit 'kb'; did you mean 'kB'?
expect: 40:33: error: expected ')' before ','
expect: 41:33: error: '||' is no operator of expectations; did you mean 'or'?
expect: 42:33: error: comparisons don't chain; write 'a < b and b < c'
*/
