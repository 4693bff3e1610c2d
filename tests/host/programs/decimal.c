/* SPDX-License-Identifier: MIT */
/*
 * decimal.c: a host whose locale has a comma where others have a point, for locale.sh. It says "no
 * such locale" where the machine lacks it.
 */
#include <pp.h>

#include <locale.h>
#include <stdio.h>

#pragma pp metric values point stats(value)

__attribute__ ((noipa)) static void work (int i)
{
#pragma pp point given(values) value(i)
}

static void on_fire (const struct pp_violation *violation, void *arg)
{
	(void) arg;
	printf ("the host's callback prints %.1f for %s\n", violation->left + 0.5,
		violation->assertion);
}

int main (int n, char **arguments)
{
	char half[32];

	if (!setlocale (LC_ALL, "comma") || n < 2) {
		puts ("no such locale");
		return 0;
	}
	printf ("policy: %s\n", pp_strerror (pp_policy_load (arguments[1])));
	pp_on_assertion ("high", on_fire, NULL);
	for (int i = 1; i <= 4; i++)
		work (i);
	pp_poll ();
	pp_report (stdout);
	snprintf (half, sizeof half, "%.1f", 0.5);
	printf ("the host prints %s\n", half);
	return 0;
}
