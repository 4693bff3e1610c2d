/* SPDX-License-Identifier: MIT */
/* preload.h: libpp for a program that was not linked with it. */
#ifndef PPCTL_PRELOAD_H
#define PPCTL_PRELOAD_H

/*
 * Puts libpp into the environment's LD_PRELOAD, unless PROGRAM, as execvp finds it, has it: it
 * needs the library, or has markers. A script's interpreter, and all that it runs, get it.
 * PPCTL_OK, or another status, and why was said: a program that is linked statically, no library.
 */
int ppctl_preload (const char *program);

#endif
