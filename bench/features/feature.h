/* SPDX-License-Identifier: MIT */
/*
 * feature.h: programs that use features, as bench/features.c runs them: in C the counterparts of
 * those that the paper of feature-specific profiling takes from the Computer Language Benchmarks
 * Game and elsewhere, beside those of samples/features. main.c is theirs all.
 */
#ifndef FEATURE_H
#define FEATURE_H

/* N rounds; a number that all of them went into. */
double feature_run (long n);

#endif
