/* SPDX-License-Identifier: MIT */
/*
 * calls.h: exact calls and times of a program's functions, of a build with the plugin's option
 * -calls: a policy that has them measured, and the table of what a recording has of that.
 */
#ifndef PPCTL_CALLS_H
#define PPCTL_CALLS_H

#include <stdio.h>

struct ppi_recording;

/* Lines of a policy for PROGRAM, a name as execvp takes it, behind the policy's version. */
void ppctl_calls_policy (FILE *out, const char *program);

/*
 * `procedure calls seconds average percent` of each function that was called, by falling seconds.
 * PPCTL_OK, or PPCTL_PROBLEM where none was measured, which is said.
 */
int ppctl_calls_show (FILE *out, const struct ppi_recording *recording);

#endif
