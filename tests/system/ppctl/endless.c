/* SPDX-License-Identifier: MIT */
/*
 * endless.c: passes through an interval until it is killed, and keeps count in the file that it is
 * given.
 */
#include <fcntl.h>
#include <pp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma pp metric rounds interval sumcount(elapsed)

int main (int argc, char **argv)
{
	int fd = argc == 2 ? open (argv[1], O_RDWR | O_CREAT, 0600) : -1;
	uint64_t *count;

	if (fd < 0 || ftruncate (fd, sizeof *count) != 0)
		return 1;
	count = mmap (NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED)
		return 1;
	for (uint64_t i = 1;; i++) {
		{
#pragma pp interval round(rounds)
		} __atomic_store_n (count, i, __ATOMIC_SEQ_CST);
	}
}
