// SPDX-License-Identifier: MIT
// calls.cc: calls.h in C++.
#include "calls.h"

int main ()
{
	return run ();
}
