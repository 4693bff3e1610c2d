/* SPDX-License-Identifier: MIT */
/*
 * endless_events.c: threads pass through an interval with two dimensions until the process is
 * killed, and keep count in the file that it is given: one number for each of them.
 */
#include <fcntl.h>
#include <pp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORKERS = 3, WORK = 300 };

static uint64_t *count;

static void *work (void *arg)
{
	long me = (long) (intptr_t) arg;
	volatile long sink = 0;

	for (uint64_t i = 1;; i++) {
		{
#pragma pp interval round dim(worker = me, parity = i % 2 ? "odd" : "even")
			for (int k = 0; k < WORK; k++)
				sink++;
		}
		__atomic_store_n (&count[me], i, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

int main (int argc, char **argv)
{
	int fd = argc == 2 ? open (argv[1], O_RDWR | O_CREAT, 0600) : -1;
	pthread_t thread;

	if (fd < 0 || ftruncate (fd, WORKERS * sizeof *count) != 0)
		return 1;
	count = mmap (NULL, WORKERS * sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED)
		return 1;
	for (intptr_t i = 1; i < WORKERS; i++)
		pthread_create (&thread, NULL, work, (void *) i);
	work (NULL);
}
