// SPDX-License-Identifier: MIT
// visits.cc: the same in C++ (visits.h), with exceptions that leave intervals.
#include "visits.h"

#include <stdexcept>
#include <string>

static visitor own;

static void throws (int n)
{
	long id = ++own.id;
	std::string name = "level " + std::to_string (n);
	const char *text = name.c_str ();

	try {
#pragma pp interval level dim(id = id, name = text)
		own.depth++;
		if (n == 0)
			throw std::runtime_error ("deep enough");
		throws (n - 1);
		own.depth--;
	} catch (...) {
		own.depth--;
		did (&own, own.depth, "interval", "level id=%ld name=%s", id, name.c_str ());
		if (n == 3)
			return;
		throw;
	}
	did (&own, own.depth, "interval", "level id=%ld name=%s", id, name.c_str ());
}

int main ()
{
	visits_by_threads ();
	visitor_begin (&own);
	for (int i = 0; i < 100; i++)
		throws (5);
	fclose (own.out);
	return 0;
}
