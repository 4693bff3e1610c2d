/* SPDX-License-Identifier: MIT */
/*
 * bench.h: what the parts of the benchmark share. loops.c holds the marked loops, measure.c times
 * them in interleaved rounds, threads.c adds a second thread, processes.c whole processes,
 * compile.c the compiler, result.c prints, bench.c is the program. README.md says what the rows
 * mean.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdio.h>

#include "numbers.h"
#include "work.h"

/* ---- loops.c: the loops ---------------------------------------------------------------------- */

/*
 * Each loop comes twice: with two halves of work, each of W steps of eight independent chains, and
 * without; what is measured stands between the halves and around the second. LOOP (NAME, metrics
 * bound there, those that count, executions per sample)
 */
#define BENCH_LOOPS(LOOP)                                                                          \
	LOOP (plain, NULL, 1)                                                                      \
	LOOP (two_rdtsc, NULL, 1)                                                                  \
	LOOP (disabled, NULL, 1)                                                                   \
	LOOP (sumcount, "m_sumcount", 1)                                                           \
	LOOP (stats, "m_stats", 1)                                                                 \
	LOOP (series, "m_series", 1)                                                               \
	LOOP (histogram, "m_histogram", 1)                                                         \
	LOOP (point, "m_point", 1)                                                                 \
	LOOP (value, "m_value", 1)                                                                 \
	LOOP (user, "m_user", 1)                                                                   \
	LOOP (fast, "m_fast", 1)                                                                   \
	LOOP (user_called, NULL, 1)                                                                \
	LOOP (four, "m_four_sumcount m_four_stats m_four_series m_four_count", 1)                  \
	LOOP (every16, "m_every16", 16)                                                            \
	LOOP (hand, NULL, 1)                                                                       \
	LOOP (clock, NULL, 1)                                                                      \
	LOOP (toggled, NULL, 1)                                                                    \
	LOOP (checked, "m_checked", 1)                                                             \
	LOOP (violated, "m_violated", 1)

#define BENCH_LOOP_ENUM(NAME, METRICS, EVERY) LOOP_##NAME,
enum loop_id { BENCH_LOOPS (BENCH_LOOP_ENUM) LOOPS };

struct loop {
	const char *name;
	/* the result depends on all of the work and means nothing */
	long (*busy[LAYOUTS]) (long n, int w);
	long (*bare[LAYOUTS]) (long n);
	/* bound there by the source, blanks between; NULL: none, or not always */
	const char *metrics;
	unsigned every; /* one execution in so many is a sample */
	/* so far, in all threads: kept by who runs it, by one thread at a time */
	double executions;
	/* of one execution, counted in the loop without work; NaN where nobody counted */
	double instructions;
};
extern struct loop loops[LOOPS];

/* With work the processor is busy, without it waits for the clock. */
enum regime { THROUGHPUT, RDTSC_BOUND, REGIMES };

/* Runs the regime's loop in that layout N times. The caller counts the executions. */
void loop_run (const struct loop *loop, enum regime regime, size_t layout, long n);

/* What peer.hand and peer.clock_gettime gathered so far: executions. */
double loops_hand_count (void);
double loops_clock_count (void);

/*
 * 0 when each metric bound in LOOP has a sample for each of its executions (or for one in `every`)
 * and the site of `disabled` exists, else -1, having said what is wrong on stderr: the loop's times
 * are then no measurement.
 */
int loop_counted (const struct loop *loop);

/* loop_run; ns of CPU time of this thread per execution. */
double loop_cost_ns (const struct loop *loop, enum regime regime, size_t layout, long n);

/* Loads a policy of this TEXT, or takes it back; 0, or -1 with a message. */
int policy_load_text (const char *text);
int policy_unload_text (void);

/* ---- rest.c: waiting for a core of one's own ------------------------------------------------- */

/*
 * Likewise, counts the executions, and tries again while others use the core, as long as there is
 * patience: CPU time of this thread per execution.
 */
double loop_rested_ns (struct loop *loop, enum regime regime, size_t layout, long n);

/* The time that all tries after the first ones may take from now on. */
void rest_patience (double seconds);

/* Waits until this thread's core is at rest; 0: patience came to its end before. */
int rest_wait (void);

/* How many percent of what loop_rested_ns measured so far were measured at rest. */
void rest_add_row (void);

/* ---- vector_kernels.c: vectorised loops without a marker and with one inside ----------------- */

typedef void vector_loop (float *restrict y, const float *restrict x, float a, long n);
struct vector_kernel {
	const char *site;
	vector_loop *unmarked, *marked;
};
enum { VECTOR_KERNELS = 3 };
extern const struct vector_kernel vector_kernels[VECTOR_KERNELS];

/* ---- result.c: rows -------------------------------------------------------------------------- */

/*
 * A row to be: the values of one round each, and, where it has a yardstick, the yardstick's in the
 * same round.
 */
struct row {
	const char *name;
	const char *unit;
	const char *yardstick; /* the name of the row that it is compared with, or NULL */
	/*
	 * the ratio, or without a yardstick the value, should not exceed it; -x: not be below x; 0:
	 * none
	 */
	double target;
};

/*
 * Adds the row of COUNT rounds: the median of VALUES, the median of VALUES / YARDSTICKS round by
 * round (YARDSTICKS may be NULL; rounds in which noise made it 0 or less have no ratio), and the
 * distance of the quartiles. Changes no array; prints the row and remembers it. The texts live for
 * ever.
 */
void result_add (const struct row *row, const double *values, const double *yardsticks,
		 size_t count);

/* What some rows have beside that; NaN: nothing. */
struct beside {
	double instructions;              /* of one execution */
	double layouts_low, layouts_high; /* the ratio in the cheapest and the dearest layout */
};
void result_add_beside (const struct row *row, const double *values, const double *yardsticks,
			size_t count, const struct beside *beside);

/*
 * Is a row asked for whose name begins so, or that is a part of what is asked for? All are, unless
 * result_only named one.
 */
void result_only (const char *prefix);
int result_wanted (const char *prefix);
/* ... and was one of these named? */
int result_named (const char *prefix);

/*
 * The table's head; the notes on missed targets; and all rows as JSON into PATH, 0 or -1 with a
 * message.
 */
void result_head (void);
void result_notes (void);
int result_write (const char *path);

/* ---- the parts ------------------------------------------------------------------------------- */

/*
 * Each adds its rows, in ROUNDS rounds. Returns 0, or -1 where a row could not be measured, having
 * said why.
 */
int bench_loops (size_t rounds);
int bench_threads (size_t rounds);
/*
 * ... assertions at other sites; and, in processes of their own, the loading of a large policy by
 * PROGRAM.
 */
int bench_elsewhere (size_t rounds);
/* PROGRAM, which is this one, runs setting_child, which prints a line a round. */
int bench_settings (size_t rounds, const char *program);
int setting_child (size_t rounds, size_t setting);
int bench_policy_load (size_t rounds, const char *program);
/* ... and the trials of assertions on growth. */
int bench_growth (const char *program);
/* What a budget makes of PROGRAM's markers; some seconds for a round, five at most. */
int bench_budget (size_t rounds, const char *program);
/*
 * What recordings cost, as PROGRAM (tests/unit/record_rates.c) says, in a line "NAME VALUE" for
 * each row.
 */
int bench_recording (const char *program);

/*
 * What being asked takes, and what is done while nobody asks, as PROGRAM (control.c) says in the
 * same way.
 */
int bench_control (const char *program);
/* ... and being sampled, as PROGRAM (sampling.c) says. */
int bench_sampling (const char *program);
/* ... and having executions recorded one by one, as PROGRAM (events.c) says. */
int bench_events (const char *program);
/* ... and asking a recording, as PROGRAM (query.c) says. */
int bench_query (const char *program);
/* ... how right that is (accuracy.c), and exact calls of every function (nfa.c). */
int bench_accuracy (const char *program);
int bench_calls (const char *program);
/*
 * ... what features cost, of programs in FOLDER, with what SAMPLES, a folder, has for them
 * (features.c). 30 rounds at most; minutes.
 */
int bench_features (size_t rounds, const char *folder, const char *samples);
int bench_vector (size_t rounds);
int bench_startup (size_t rounds, const char *marked, const char *unmarked);
/* ... and a program with 100,000 markers, nothing bound or one site. */
int bench_startup_many (size_t rounds, const char *many, const char *unmarked);

/* ... and one with 100,000 sites that are switched all at once. */
int bench_many (size_t rounds, const char *program);

/*
 * Counts the instructions of all loops with valgrind's callgrind, one process for all, and adds the
 * rows for some. Comes before bench_loops, which says them beside its rows.
 */
int bench_instructions (const char *valgrind);
/* What that process does: runs each loop twice. -1 where a metric did not count it. */
int run_counted (void);

/*
 * The five programs of table 5.1, in the folder PROGRAMS, with the policies in the folder POLICIES;
 * 31 to 61 rounds. VALGRIND may be NULL.
 */
int bench_table (size_t rounds, const char *programs, const char *policies, const char *valgrind);

/*
 * What is there of other tools: names of programs, blanks between; where these are; and the script
 * that runs one.
 */
struct peers {
	const char *found, *folder, *script;
};
int bench_peers (size_t rounds, const struct peers *peers);
/* Those that record executions with values, beside what we record: rows events.peer.* */
int bench_event_peers (size_t rounds, const struct peers *peers);

/*
 * What to compile, with and without the plugin: two or more preprocessed sources, beside which an
 * object is written. The last one is the generated file.
 */
struct compile {
	const char *compiler; /* its name and options, blanks between */
	const char *plugin;   /* a path */
	char **sources;
	size_t sources_count;
};
/* Fewer rounds than ROUNDS: each takes seconds. */
int bench_compile (size_t rounds, const struct compile *c);

/*
 * CPU time in ms, from exec to exit, of the program and arguments in ARGUMENTS, which end with
 * NULL, and of the processes that it waited for; negative, with a message, where it failed.
 */
double process_ms (char *const arguments[]);

#endif
