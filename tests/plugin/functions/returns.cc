/* SPDX-License-Identifier: MIT */
/* In C++, in a try block with something to destroy around it, in a lambda, with a result that nobody uses. */
/* flags: -Wall -Wextra */
#include <pp.h>
#include <csetjmp>

static jmp_buf back;
static volatile int gone;

struct counted {
	~counted ()
	{
		gone = gone + 1;
	}
};

__attribute__ ((noipa)) static void jump ()
{
	PP_FEATURE (a.jump)
	longjmp (back, 1);
}

__attribute__ ((noipa)) static void may_throw (int n)
{
	if (n > 1)
		throw n;
}

/* expect: P caught/setjmp B jump/a.jump P caught/setjmp */
static int caught ()
{
	volatile int times = 0;

	try {
		counted one;

		setjmp (back);
		times = times + 1;
		if (times == 1)
			jump ();
		may_throw (times);
	} catch (int n) {
		return n;
	}
	return 0;
}

/* expect: P main::<lambda>/setjmp */
int main ()
{
	int n = caught (), zero = [] { return setjmp (back); }();

	return !(n == 2 && zero == 0 && gone == 1);
}
