/* SPDX-License-Identifier: MIT */
/*
 * verbs.h: the subcommands of ppctl, in the order of its help: name, and what it is for. The
 * function ppctl_NAME gets its own arguments (argv[0] is "ppctl NAME", for getopt) and returns the
 * exit status.
 */
#ifndef PPCTL_VERBS_H
#define PPCTL_VERBS_H

#define PPCTL_VERBS(X)                                                                             \
	X (report, "what a program measured, from its recording")                                  \
	X (sample, "where the time of a running process goes, by intervals")                       \
	X (profile, "where the time of a program went, from samples of its stacks")                \
	X (features, "what features of languages and libraries cost")                              \
	X (flight, "what each thread of a program did last, also of a killed one")                 \
	X (query, "event records as tables by the program's own dimensions")                       \
	X (trace, "event records one by one")                                                      \
	X (shell, "asks event records time and again")                                             \
	X (sql, "records, samples, sites, history and values as tables of SQL")                    \
	X (sources, "what can be measured: unit, cost on this machine, and what it lacks")         \
	X (statistics, "which statistic each accumulator has, its cost, meaning and error")        \
	X (suggest, "a policy whose constants come from recordings")                               \
	X (history, "values over time")                                                            \
	X (merge, "recordings of several processes become one")                                    \
	X (ps, "which processes measure, and what fires in them")                                  \
	X (dump, "a recording of a running program as it is now")                                  \
	X (bind, "a running program measures something more")                                      \
	X (unbind, "a running program measures something no longer")                               \
	X (set, "turns a knob of a running program")                                               \
	X (reset, "a metric of a running program begins anew")                                     \
	X (feature, "a feature of a running program is switched on or off")                        \
	X (load, "a running program loads a policy")                                               \
	X (unload, "a running program takes a policy back")                                        \
	X (reload, "running programs load their changed policies again")

/* Those that read programs or policies, for which libelf and libyaml must be there. */
#define PPCTL_VERBS_OF_PROGRAMS(X)                                                                 \
	X (sites, "the sites, metrics, knobs and functions in a program or library")               \
	X (check, "is a policy or instrument file right, without running the program")             \
	X (run, "runs a program, and reports at its end")                                          \
	X (test, "what of a policy would have fired in a run, from its recording")                 \
	X (rules, "what the rules of an instrument file chose in a program, and what not")

#define X(name, help) int ppctl_##name (int argc, char **argv);
PPCTL_VERBS (X)
PPCTL_VERBS_OF_PROGRAMS (X)
#undef X

#endif
