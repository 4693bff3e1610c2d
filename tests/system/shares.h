/* SPDX-License-Identifier: MIT */
/*
 * shares.h: ten functions whose shares of the work are known: of each hundred pieces of work, all
 * of the same number of steps, each function does so many, in an order that is shuffled each time,
 * so that no clock keeps step with it. Two threads do it. A step is a chain of multiplications, so
 * that it takes as long wherever its code lies.
 *
 * SHARE_STEPS: of a piece; SHARE (name): begins each function; SHARES: begins a thread's work.
 */
#include <pthread.h>
#include <stdlib.h>

static __thread volatile unsigned long sink;

#define STEPS(n)                                                                                   \
	do {                                                                                       \
		unsigned long x = sink | 1;                                                        \
                                                                                                   \
		for (unsigned long i = 0; i < (n); i++)                                            \
			x = x * 3 * (x | 5) * (x | 9) * (x | 17) * (x | 33) * (x | 65);            \
		sink = x;                                                                          \
	} while (0)

#define WORK(name)                                                                                 \
	__attribute__ ((noipa)) static void name (void)                                            \
	{                                                                                          \
		SHARE (name)                                                                       \
		STEPS (SHARE_STEPS);                                                               \
	}

WORK (share_50)
WORK (share_20)
WORK (share_10)
WORK (share_6)
WORK (share_5)
WORK (share_4)
WORK (share_2)
WORK (share_1a)
WORK (share_1b)
WORK (share_1c)

static const struct {
	void (*work) (void);
	int share;
} functions[] = {{share_50, 50}, {share_20, 20}, {share_10, 10}, {share_6, 6},  {share_5, 5},
		 {share_4, 4},   {share_2, 2},   {share_1a, 1},  {share_1b, 1}, {share_1c, 1}};

static long rounds;

static void *run (void *arg)
{
	SHARES
	void (*deck[100]) (void), (*one) (void);
	unsigned long state = (unsigned long) (arg ? 1 : 2);
	int n = 0, other;

	for (int i = 0; i < 10; i++)
		for (int k = 0; k < functions[i].share; k++)
			deck[n++] = functions[i].work;
	for (long round = 0; round < rounds; round++) {
		for (int i = 99; i > 0; i--) {
			state = state * 6364136223846793005UL + 1442695040888963407UL;
			other = (int) ((state >> 33) % (unsigned long) (i + 1));
			one = deck[i];
			deck[i] = deck[other];
			deck[other] = one;
		}
		for (int i = 0; i < 100; i++)
			deck[i]();
	}
	return NULL;
}

int main (int argc, char **argv)
{
	pthread_t other;

	rounds = argc > 1 ? atol (argv[1]) : 1000;
	pthread_create (&other, NULL, run, &rounds);
	run (NULL);
	pthread_join (other, NULL);
	return 0;
}
