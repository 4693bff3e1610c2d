/* SPDX-License-Identifier: MIT */
/*
 * part.h: what a room contributes to a running process: a table of functions, NULL where there is
 * nothing to do. libpp lists all parts, in an order (libpp/parts.h); nobody else knows them.
 *
 *   a module registers, names come, the process forks, time goes by, the program ends
 *           └─► ppi_parts_*: the function of every part, in the order of the list
 *
 * So a new part touches its own folder and a line of that list, and what happens below a room
 * reaches it without being told its name.
 */
#ifndef PPI_BASE_PART_H
#define PPI_BASE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_command;
struct ppi_program;

/* Is called with an expression that is evaluated, and the policy that says it; true: no more. */
typedef bool (*ppi_expression_fn) (struct ppi_program *program, const char *policy, void *arg);

/*
 * A key of policies that a part owns: it says what its value means. What VALUE points to, part and
 * reader of policies have agreed on (base/profile.h). OWNER is the policy, FORMER the version of it
 * that it replaces, or NULL; both are but numbers here. [lock], in ordinary context
 */
struct ppi_part_key {
	const char *name;
	/* Can it be done? Nothing changes. 0, or a pp_error and in WHY the reason. */
	int (*check) (const void *value, const void *former, char *why, size_t room);
	/* From now on, in place of what FORMER asked for. What can't be had is said. */
	void (*apply) (const void *value, const void *owner, const void *former);
	/* OWNER, which may have asked for nothing, asks for nothing any more. */
	void (*take_back) (const void *owner);
};

struct ppi_part {
	/* Once, before modules register. */
	void (*init) (void);

	/*
	 * Sites and records of a module were taken in, or a site came without one [lock]; they are
	 * about to go [lock].
	 */
	void (*module_added) (void);
	void (*module_removed) (void);
	/* After a module was added, without the lock; the program's own comes last. */
	void (*module_ready) (bool is_program);
	/* The program declared a metric, operator or statistic by a call [lock]. */
	void (*names_changed) (void);

	void (*fork_prepare) (void);
	void (*fork_parent) (void);
	/*
	 * In a child, of _Fork or clone too, that has its own region: forgets what is the parent's.
	 * [lock], or alone
	 */
	void (*fork_child) (void);

	/* Is there anything to do as time goes by? [lock] */
	bool (*needs_thread) (void);
	/*
	 * It needs one that can be woken, and no time goes by for it: alone it has the thread sleep
	 * until then.
	 */
	bool is_patient;
	/*
	 * What is due, by the library's thread or pp_poll; when it wants the next, ns (UINT64_MAX:
	 * not before it is woken). In the C locale, without the lock. What may be slow, or calls
	 * functions of the program's that have effects, follows when all have ticked, in the
	 * program's own locale; POLLED: on a thread of the program's, which waits for nobody.
	 */
	uint64_t (*tick) (uint64_t now_ns);
	uint64_t (*after_tick) (uint64_t now_ns, bool polled);
	/*
	 * Behind each tick of the library's thread, ten times a second at least while samples come,
	 * else once.
	 */
	void (*housekeeping) (void);

	/*
	 * Leaves in the region what only the program knows, before a recording or a report is made.
	 * Without the lock.
	 */
	void (*figures) (void);
	/*
	 * Calls FN with what it evaluates, beside conditions of assertions; true: FN was, for one
	 * of them [lock].
	 */
	bool (*expressions) (ppi_expression_fn fn, void *arg);

	/* What another process may ask for (base/command.h); ends with {0}. */
	const struct ppi_command *commands;
	/* Keys of policies that are its own; ends with {0}. */
	const struct ppi_part_key *keys;
	/* Something is bound, for the first time or again in a child. [lock] */
	void (*measuring) (void);

	/* The program ends; without the lock. */
	void (*fini) (void);
};

/* PARTS ends with NULL. Once, before anything else here. */
void ppi_parts_set (const struct ppi_part *const *parts);

/*
 * Each calls what its name says of all parts, in their order, or after a fork in the parent in the
 * opposite one. Without a list they do nothing.
 */
void ppi_parts_init (void);
void ppi_parts_module_added (void);
void ppi_parts_module_removed (void);
void ppi_parts_module_ready (bool is_program);
void ppi_parts_names_changed (void);
void ppi_parts_fork_prepare (void);
void ppi_parts_fork_parent (void);
void ppi_parts_fork_child (void);
void ppi_parts_housekeeping (void);
void ppi_parts_figures (void);
void ppi_parts_measuring (void);
void ppi_parts_fini (void);
/* Does one? */
bool ppi_parts_need_thread (void);
/* Does one that is not patient? */
bool ppi_parts_need_time (void);
/* The earliest that one wants. */
uint64_t ppi_parts_tick (uint64_t now_ns);
uint64_t ppi_parts_after_tick (uint64_t now_ns, bool polled);
/* The command called NAME; NULL: no part has it. */
const struct ppi_command *ppi_parts_command (const char *name);
/* The key of policies called NAME; NULL: no part has it. */
const struct ppi_part_key *ppi_parts_key (const char *name);
/* Up to the first for which FN is true; was there one? */
bool ppi_parts_expressions (ppi_expression_fn fn, void *arg);

#endif
