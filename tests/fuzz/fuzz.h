/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h: what a target has, and who runs it: libFuzzer where clang built it, replay.c elsewhere. A
 * target does what a reader does with bytes that anybody may have written. Whatever a sanitizer
 * says, a crash, and a second for one input is a fault of the reader's.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes);
/* Changes DATA, which has room for MOST; returns how many bytes it has then. */
size_t LLVMFuzzerMutate (uint8_t *data, size_t bytes, size_t most);
/* A target's own, where it knows more of its input than its bytes. */
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t bytes, size_t most, unsigned seed)
	__attribute__ ((weak));

/* The target's input as a file of this process's own; its path. Removed by fuzz_forget. */
const char *fuzz_file (const uint8_t *data, size_t bytes, const char *suffix);
void fuzz_forget (void);
/* Standard output goes nowhere from now on. */
void fuzz_be_quiet (void);

#endif
