/* SPDX-License-Identifier: MIT */
/*
 * startup.c: a program that does nothing, with a thousand intervals that nothing is bound to. It is
 * built twice, with the plugin and libpp, and without either; what the first costs more is what
 * markers cost that nobody uses: registering them, and loading the library.
 */
#include <pp.h>

static volatile int sink;

/* clang-format off */
#define SITE(n) void startup_##n (void); void startup_##n (void) { PP_INTERVAL (site) sink++; }
#define TEN(n) SITE (n##0) SITE (n##1) SITE (n##2) SITE (n##3) SITE (n##4) \
	SITE (n##5) SITE (n##6) SITE (n##7) SITE (n##8) SITE (n##9)
#define HUNDRED(n) TEN (n##0) TEN (n##1) TEN (n##2) TEN (n##3) TEN (n##4) \
	TEN (n##5) TEN (n##6) TEN (n##7) TEN (n##8) TEN (n##9)
HUNDRED (0) HUNDRED (1) HUNDRED (2) HUNDRED (3) HUNDRED (4) HUNDRED (5) HUNDRED (6) HUNDRED (7) HUNDRED (8) HUNDRED (9)
	/* clang-format on */

	int main (void)
{
	startup_000 ();
	return sink - 1;
}
