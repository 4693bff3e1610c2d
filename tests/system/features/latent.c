/* SPDX-License-Identifier: MIT */
/*
 * latent.c: marks that a file put around calls, 100 of each feature; those of one are latent. With an
 * argument the program switches that feature on, or off, itself.
 */
#include <pp.h>
#include <stdlib.h>
#include <string.h>

PP_IGNORE __attribute__ ((noipa)) static int lib_usual (int (*callback) (int), int x)
{
	return callback (x);
}

PP_IGNORE __attribute__ ((noipa)) static int lib_latent (const char *text)
{
	return (int) strlen (text);
}

__attribute__ ((noipa)) static int user_callback (int x)
{
	return x + 1;
}

__attribute__ ((noipa)) static int by_pragma (int x)
{
	PP_FEATURE (here.latent)
	return x + 1;
}

int main (int argc, char **argv)
{
	int sum = 0;

	if (argc > 2 && pp_feature_enable (argv[1], strcmp (argv[2], "on") == 0) < 1)
		return 1;
	for (int i = 0; i < 100; i++) {
		sum += lib_usual (user_callback, i);
		sum += lib_latent (i % 4 ? "most" : "fourth");
		sum += by_pragma (i);
	}
	return sum == 0;
}
