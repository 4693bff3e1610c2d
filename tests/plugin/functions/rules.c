/* SPDX-License-Identifier: MIT */
/* Rules of a file: functions by name, size and attribute, loops by depth, calls as features. */
/* flags: -std=gnu2x -Wall -Wextra */
#include <string.h>

__attribute__ ((noipa)) static int opaque (int x)
{
	return x;
}

__attribute__ ((noipa, cold)) static int by_attribute (int x)
{
	return opaque (x);
}

__attribute__ ((noipa)) static int tiny (int x)
{
	return x;
}

__attribute__ ((noipa)) static int excluded (int x)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += opaque (x);
	return sum;
}

/* zero times round, break, continue, return and goto out of it, two levels */
__attribute__ ((noipa)) static int loops (int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i == 1)
			continue;
		for (int j = 0; j < 2; j++)
			sum += opaque (j);
		if (i == 5)
			return sum;
		if (i == 4 && n == 5)
			goto out;
	}
	while (n > 1) {
		if (--n == 2)
			break;
	}
	do
		sum++;
	while (sum < 0);
	return sum;
out:
	return -1;
}

/* a switch that leads into the loop: not an interval */
__attribute__ ((noipa)) static int duff (int n)
{
	int k = n / 4 + 1, sum = 0;
	switch (n % 4) {
		do {
		case 0:
			sum += opaque (1);
			__attribute__ ((fallthrough));
		default:
			sum += opaque (2);
		} while (--k > 0);
	}
	return sum;
}

__attribute__ ((noipa)) static int jumped_into (int n)
{
	if (n == 3)
		goto in;
	for (; n > 0; n--)
	in:
		opaque (n);
	return n;
}

__attribute__ ((noipa)) static int calls (const char *text)
{
	char copy[20];
	memmove (copy, text, strlen (text) + 1);
	return opaque (copy[0]);
}

int main (void)
{
	return by_attribute (0) + tiny (0) + excluded (0) + (loops (0) != 1) + (loops (3) != 3) + (loops (6) != 5) +
	       (loops (5) != -1) + (duff (4) != 6) + jumped_into (3) + (calls ("x") != 'x');
}

/*
expect: B main/body
expect: B by_attribute/cold E by_attribute/cold
expect: B loops/loop.L33 E loops/loop.L33 B loops/loop.L43 E loops/loop.L43 B loops/loop.L48 E loops/loop.L48
expect: B loops/loop.L33 B loops/loop.L36 E loops/loop.L36 B loops/loop.L36 E loops/loop.L36 E loops/loop.L33
expect: B loops/loop.L43 E loops/loop.L43 B loops/loop.L48 E loops/loop.L48
expect: B loops/loop.L33 B loops/loop.L36 E loops/loop.L36 B loops/loop.L36 E loops/loop.L36 B loops/loop.L36 E loops/loop.L36
expect: B loops/loop.L36 E loops/loop.L36 B loops/loop.L36 E loops/loop.L36 E loops/loop.L33
expect: B loops/loop.L33 B loops/loop.L36 E loops/loop.L36 B loops/loop.L36 E loops/loop.L36 B loops/loop.L36 E loops/loop.L36
expect: B loops/loop.L36 E loops/loop.L36 E loops/loop.L33
expect: P jumped_into/calls B calls/strlen E calls/strlen B calls/lib.copying E calls/lib.copying
expect: E main/body
report: tiny: left alone: it has 2 statements, fewer than 5, rules.yaml:14
report: excluded: left alone: it is excluded, rules.yaml:23
report: jumped_into: loop loop.L75 left alone: it is jumped into, rules.yaml:17
report: duff: loop loop.L61 left alone: it is jumped into, rules.yaml:17
report: main: interval body, rules.yaml:11
report: calls: feature lib.copying, rules.yaml:20
report: opaque: left alone: no rule chooses it
*/
