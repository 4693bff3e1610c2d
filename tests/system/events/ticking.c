/* SPDX-License-Identifier: MIT */
/* ticking.c: for tests/system/events.sh: executions one by one, a millisecond each, until it is killed. */
#include <pp.h>
#include <unistd.h>

int main (void)
{
	for (int i = 0;; i++) {
#pragma pp interval tick dim(i = i)
		usleep (1000);
	}
}
