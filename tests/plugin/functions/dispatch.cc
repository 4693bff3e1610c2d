// SPDX-License-Identifier: MIT
// Marks around what is called by no name of its own: pointers, virtual functions (by the name of the static type's, where a rule has it), built-ins that are calls in the end (without those of
// main, which is excluded). Arguments are evaluated outside, and exceptions end a mark.
// flags: -Wall -Wextra
#include <cstddef>
#include <cstdlib>
#include <cstring>

typedef int function (int);

__attribute__ ((noipa)) static int plain (int x)
{
	if (x < 0)
		throw x;
	return x;
}

struct base {
	int n = 1;
	virtual int get (int x)
	{
		return x + n;
	}
	virtual int named (int x)
	{
		return x + n;
	}
	virtual ~base () = default;
};
struct other {
	virtual int first (int x)
	{
		return x;
	}
	virtual int second (int x)
	{
		return x - 1;
	}
	virtual ~other () = default;
};
// which finds the methods of both
struct both : base, other {
	int named (int x) override
	{
		return x + 4;
	}
};
struct derived : base {
	int get (int x) override
	{
		return x + 2;
	}
};

struct big {
	long a[8];
};
__attribute__ ((noipa)) static big returns_big (int x)
{
	return {{x, x, x}};
}

static int through (function *f, int x)
{
	return f (x); // a tail call otherwise
}

static int thrower (function *f)
{
	try {
		return f (-7);
	} catch (int y) {
		return y;
	}
}

static int member (base *b, int (base::*p) (int))
{
	return (b->*p) (3);
}

static int qualified (base *b)
{
	return b->base::get (1);
}

static long of_big (big (*g) (int))
{
	return g (5).a[2];
}

static int of_virtual (base *b)
{
	return b->get (1);
}

static void *allocated (size_t n)
{
	void *room = __builtin_alloca (n);
	memset (room, 1, n);
	return __builtin_memcpy (malloc (n), room, n);
}

__attribute__ ((noipa)) static int nothing (int x)
{
	return __builtin_expect (x, 1) + __builtin_constant_p (x) + __builtin_popcount (x);
}

// the method of the static type, whoever overrides it
static int of_named (base *b)
{
	return b->named (1);
}

static int of_second (both *b)
{
	return b->second (1);
}

int main ()
{
	base b;
	derived d;
	base *volatile p = &d;
	function *volatile f = plain;
	big (*volatile g) (int) = returns_big;
	// expect: B t.pointers E t.pointers
	if (through (f, 3) != 3)
		abort ();
	// expect: B t.pointers E t.pointers
	if (thrower (f) != -7)
		abort ();
	// expect: B t.pointers E t.pointers
	if (of_big (g) != 5)
		abort ();
	// the argument is evaluated before the outer mark begins
	// expect: B t.pointers E t.pointers B t.pointers E t.pointers
	if (through (f, through (f, 9)) != 9)
		abort ();
	// expect: B t.virtual E t.virtual
	if (of_virtual (p) != 3)
		abort ();
	// expect: B t.virtual E t.virtual
	p = &b;
	if (of_virtual (p) != 2)
		abort ();
	both t;
	both *volatile q = &t;
	// expect: B t.named E t.named
	if (of_named (q) != 5)
		abort ();
	// expect: B t.second E t.second
	if (of_second (q) != 0)
		abort ();
	// expect: B t.pointers E t.pointers
	if (member (p, &base::get) != 4)
		abort ();
	if (qualified (p) != 2)
		abort ();
	// expect: B t.memory E t.memory B t.memory E t.memory
	void *room = allocated (sizeof (big));
	if (static_cast<char *> (room)[3] != 1)
		abort ();
	free (room);
	return nothing (0) != 0;
}
