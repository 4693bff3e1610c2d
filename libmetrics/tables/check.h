/* SPDX-License-Identifier: MIT */
/*
 * check.h: what assertions do at a site.
 */
#ifndef PPI_TABLES_CHECK_H
#define PPI_TABLES_CHECK_H

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_thread;

/*
 * Runs after an execution of SITE in which at least one metric was sampled: on that thread, its
 * frame closed, all registers saved, not in a nested signal handler. It must not lock, allocate,
 * call the system or throw; user code that a check calls (inline callables) is not measured by the
 * markers it runs through while FIRED recursion is prevented by the caller (in_check of its
 * thread).
 */
struct ppi_op;

struct ppi_quick;

struct ppi_check {
	void (*run) (struct ppi_check *check, struct ppi_thread *thread, pp_site *site);
	/*
	 * How markers that take the samples of OPS can see that it passes and changes nothing
	 * (quick.h) [lock]; false: they can't. May be NULL.
	 */
	bool (*quick) (struct ppi_check *check, const struct ppi_op *ops, unsigned n_ops,
		       struct ppi_quick *out);
	struct ppi_check *next; /* the runtime's */
	/* that RUN takes, measured now and then; 0: not yet. The runtime's; atomic */
	uint64_t ticks;
};

#endif
