/* SPDX-License-Identifier: MIT */
/*
 * forks.c: forks just while the library frees an answer to ppctl, and prints what the child freed
 * again of it; until its standard input ends.
 */
#include <malloc.h>
#include <poll.h>
#include <pp.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

PP_KNOB_INT (depth, 5, 1, 9, 1)
#pragma pp metric rounds interval sumcount(elapsed)

void __libc_free (void *memory);

static pid_t parent;
static sem_t go, done;
static void *volatile given;
static volatile int twice;

static int is_answer (void *memory)
{
	return gettid () != parent &&
	       memmem (memory, malloc_usable_size (memory), "depth is 7", 10);
}

void free (void *memory)
{
	struct timespec until;

	if (memory && parent && getpid () != parent)
		twice |= memory == given;
	else if (memory && parent && is_answer (memory)) {
		given = memory;
		sem_post (&go);
		/* a fork that has to wait for this thread is none that is meant */
		clock_gettime (CLOCK_REALTIME, &until);
		until.tv_sec += 2;
		sem_timedwait (&done, &until);
	}
	__libc_free (memory);
}

int main (void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int status;
	pid_t pid;

	sem_init (&go, 0, 0);
	sem_init (&done, 0, 0);
	{
#pragma pp interval round(rounds)
		puts ("ready");
		fflush (stdout);
	}
	parent = getpid ();
	while (poll (&in, 1, 1) == 0)
		if (sem_trywait (&go) == 0) {
			pid = fork ();
			if (pid == 0)
				_exit (twice);
			sem_post (&done);
			waitpid (pid, &status, 0);
			printf ("forked %d\n", status);
			fflush (stdout);
		}
	return 0;
}
