/* SPDX-License-Identifier: MIT */
/* slowdown.h: a part of bench/events. */
#ifndef BENCH_SLOWDOWN_H
#define BENCH_SLOWDOWN_H

/*
 * Prints its rows, of the sample's program PLAIN without the plugin and MARKED with it. VALGRIND
 * may be NULL. -1: one of them failed. In a directory for what they leave.
 */
int slowdown (const char *plain, const char *marked, const char *valgrind);

#endif
