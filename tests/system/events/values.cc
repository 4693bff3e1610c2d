// SPDX-License-Identifier: MIT
// values.cc: values.h in C++.
#include "values.h"

int main ()
{
	return run ();
}
