/* SPDX-License-Identifier: MIT */
/* input.h: the inputs to begin with, of replay.c and drive.c. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_INPUTS = 4096, FUZZ_MOST = 1 << 20 };

struct fuzz_input {
	uint8_t *data;
	size_t bytes;
};

extern struct fuzz_input fuzz_input[FUZZ_INPUTS];
extern size_t fuzz_inputs;

/* Takes the file at PATH in, or all of a directory; ends the program where that can't be read. */
void fuzz_take (const char *path);
void fuzz_let_go (void);

#endif
