/* SPDX-License-Identifier: MIT */
/*
 * operator.h: how an interval's readings at begin and end combine, where a metric says so:
 * operator=ratio.
 *
 * What an operator needs is a reading at each end: of counters (`read` of their source) and of
 * whatever a point can be measured with, functions of the program's included. The reading at the
 * begin is kept in the frame; nothing else changes. Without an operator the source's own begin and
 * end say what a sample is, which for counters is the difference.
 */
#ifndef PPI_SOURCE_OPERATOR_H
#define PPI_SOURCE_OPERATOR_H

#include "base/types.h"
#include "libmetrics/source/source.h"

struct ppi_metric_spec;
struct ppi_named;

#define PPI_OPERATORS PP_ABI_OPERATORS

enum ppi_operator {
#define X(id, name) PPI_OPERATOR_##id,
	PPI_OPERATORS (X)
#undef X
		PPI_OPERATOR_USERS
};

struct ppi_combination {
	enum ppi_operator combine;
	const struct ppi_named *function; /* of PPI_OPERATOR_USERS */
	bool reads_doubles;
	double scale; /* of a reading, to the unit */
};

#define PPI_LOCAL __attribute__ ((visibility ("hidden")))

/* Those of the program's. [lock] */
PPI_LOCAL extern struct ppi_named *ppi_operators;
PPI_LOCAL enum ppi_operator ppi_operator_parse (const char *name);
/*
 * Can SPEC's operator, which there is, combine what SOURCE reads? 0, or PP_EINVAL with a sentence
 * in WHY.
 */
PPI_LOCAL int ppi_operator_check (const struct ppi_metric_spec *spec,
				  const struct ppi_source *source, char *why, size_t room);
/*
 * Gives INSTANCE, which was opened, the operator NAME, which was checked: its samples' type and
 * unit follow. 0, PP_ENOMEM.
 */
PPI_LOCAL int ppi_combination_set (struct ppi_source_instance *instance, const char *name);
PPI_LOCAL void ppi_operator_add (struct pp_abi_record *record);
PPI_LOCAL void ppi_operator_remove (struct pp_abi_record *record);

/* begin and end of an instance with one, as those of a source. */
PPI_LOCAL int ppi_combination_begin (struct ppi_source_instance *instance, void *slot);
PPI_LOCAL int ppi_combination_end (struct ppi_source_instance *instance, const void *slot,
				   union ppi_sample *out);

static inline int ppi_instance_begin (struct ppi_source_instance *instance, void *slot)
{
	return instance->combination ? ppi_combination_begin (instance, slot)
				     : instance->source->begin (instance, slot);
}

static inline int ppi_instance_end (struct ppi_source_instance *instance, const void *slot,
				    union ppi_sample *out)
{
	return instance->combination ? ppi_combination_end (instance, slot, out)
				     : instance->source->end (instance, slot, out);
}

/* Can what it reads be told of an execution whose end was jumped over? */
bool ppi_has_jumped (const struct ppi_source *source);
/* Is there a part of what is read of an execution that is its own, scope: self? */
bool ppi_has_self (enum ppi_accumulator accumulator, const struct ppi_source *source);

/*
 * Calls FN for every operator's name, the library's first, until it returns true [lock]; whether it
 * did.
 */
bool ppi_operator_each (bool (*fn) (const char *name, void *arg), void *arg);

/* Does SOURCE say something at a begin and at an end that can be combined? */
bool ppi_operator_reads (const struct ppi_source *source);

/* The unit of what operator NAME makes of readings of UNIT. */
enum ppi_unit ppi_operator_unit (const char *name, enum ppi_unit unit);

#endif
