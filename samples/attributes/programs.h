/* SPDX-License-Identifier: MIT */
/* programs.h: what the sample can run: name and function, what it is. */
#ifndef ATTRIBUTES_PROGRAMS_H
#define ATTRIBUTES_PROGRAMS_H

#define PROGRAMS(X)                                                                                \
	X (value, "two attributes of 3 + 4 * 5")                                                   \
	X (optimise, "0 + (1 * (5 + 4) + 0) is simplified")                                        \
	X (names, "name analysis of a PicoJava program: uses are looked up")                       \
	X (environment, "the same by an environment that is threaded through the tree")            \
	X (obfuscate, "a PicoJava program gets short names")                                       \
	X (obfuscate_less, "the same, with a rule that asks first whether a term is a use")        \
	X (remove_class, "a nested class is replaced by its body")                                 \
	X (remove_class_wrong, "the same, without the attempt: it fails at the root")              \
	X (load, "6,000 nodes, more than 32,000 evaluations")

#define X(name, what) void program_##name (void);
PROGRAMS (X)
#undef X

#endif
