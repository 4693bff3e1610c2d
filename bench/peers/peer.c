/* SPDX-License-Identifier: MIT */
/* peer.c: what all programs of peers do; see peer.h. */
#include "peer.h"

#include <stdlib.h>
#include <unistd.h>

#include "../numbers.h"

static double cost_ns (peer_loop *loop, long n)
{
	double begin_ns = cpu_ns ();

	loop (n, STEPS);
	return (cpu_ns () - begin_ns) / (double) n;
}

static double measure_ns (long n)
{
	double without_ns[LAYOUTS], with_ns[LAYOUTS];

	for (size_t i = 0; i < LAYOUTS; i++) {
		without_ns[i] = cost_ns (peer_without[i], n);
		with_ns[i] = cost_ns (peer_with[i], n);
	}
	return quantile (with_ns, LAYOUTS, 0.5) - quantile (without_ns, LAYOUTS, 0.5);
}

int main (void)
{
	char line[64];
	double executions = 0;
	int error = peer.start ();

	if (error != 0)
		return error;
	puts ("ready");
	fflush (stdout);
	while (fgets (line, sizeof line, stdin) != NULL) {
		long n = strtol (line, NULL, 10);

		printf ("%.6f\n", measure_ns (n));
		fflush (stdout);
		executions += (double) n * LAYOUTS;
	}
	printf ("recorded %.0f of %.0f\n", peer.recorded != NULL ? peer.recorded () : -1,
		executions);
	fflush (stdout);
	/* what a peer writes at the end of a program, wherever it writes that, nobody wants here */
	_exit (0);
}
