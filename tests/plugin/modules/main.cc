/* SPDX-License-Identifier: MIT */
/* No site of its own. */
import work;

int main ()
{
	counter c;
	double sum = plain (1) + inlined (2) + inlined (5) + instantiated (2.5) + instantiated (1);
	sum += c.next () + c.each ([] (int n) { return n * 2; }) + measured (4L);
	return sum > 0 ? 0 : 1;
}
