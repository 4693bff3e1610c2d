/* SPDX-License-Identifier: MIT */
/*
 * matrix.h: what the constructs of the matrix are written with: the events of events.h, and
 *
 *     CONSTRUCT (name)          a function without arguments that returns what it computed, a long;
 *                               main calls it
 *     CONSTANT (name)           an interval in a function that the compiler may evaluate: none
 *     JUMP_BACK (b)             setjmp, behind which the plugin has a point; it makes the recorder
 *                               forget the intervals that a longjmp left
 *
 * Each begins behind a line "construct: NAME" in a comment; words behind the name are for
 * matrix.sh:
 *
 *     c++        the construct is good C++ too, and is put among those of C++
 *     sorted     its events come from several threads and are compared without their order
 *
 * Lines before the first construct stand in every unit of the program.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "events.h"

#ifdef __cplusplus
#define CONSTRUCT(NAME)                                                                            \
	extern "C" __attribute__ ((visibility ("default"))) long matrix_##NAME (void)
extern "C" {
#else
#define CONSTRUCT(NAME) __attribute__ ((visibility ("default"))) long matrix_##NAME (void)
#endif

extern unsigned recorder_depth (void);
extern void recorder_drop (unsigned depth);

#ifdef __cplusplus
}
#endif

#ifdef __PPGCC__
#define JUMP_BACK(BUFFER)                                                                          \
	({                                                                                         \
		volatile unsigned depth_ = recorder_depth ();                                      \
		int jumped_ = setjmp (BUFFER);                                                     \
		if (jumped_)                                                                       \
			recorder_drop (depth_);                                                    \
		jumped_;                                                                           \
	})
#else
#define JUMP_BACK(BUFFER) RETURNING (setjmp, BUFFER)
#endif

/*
 * In a function that the compiler may evaluate: the plugin notes that it does nothing there, and so
 * does it.
 */
#ifdef __PPGCC__
#define CONSTANT(NAME) I (NAME)
#else
#define CONSTANT(NAME)
#endif

#endif
