/* SPDX-License-Identifier: MIT */
/*
 * source.h: what is read at a marker. stdmetrics registers the library's sources here, modules
 * their users' own.
 *
 * A source that only needs the tick counter or the marker's value is built into the hot path
 * (PPI_SOURCE_TICKS, _VALUE, _NONE); all others are functions, called with every register of the
 * host saved.
 */
#ifndef PPI_SOURCE_SOURCE_H
#define PPI_SOURCE_SOURCE_H

#include <pp.h>
#include <pp_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_combination;

enum ppi_source_class {
	PPI_SOURCE_NONE,     /* nothing is read: count */
	PPI_SOURCE_TICKS,    /* the tick counter at begin and end: elapsed */
	PPI_SOURCE_VALUE,    /* the marker's captured value */
	PPI_SOURCE_FUNCTION, /* begin / end / point below */
	/* the same, a user's that was built with general registers only: called as it is */
	PPI_SOURCE_FAST,
};

/* what one reading is, as listings call it */
#define PPI_READINGS(X)                                                                            \
	X (NOTHING, "nothing") /* the marker has it already, or there is nothing to read */        \
	X (INSTRUCTION, "an instruction") /* of the processor, in user mode */                     \
	X (VDSO, "a call of the vDSO")    /* the kernel's code, in user mode as a rule */          \
	X (MEMORY, "memory")              /* of the calling thread's own */                        \
	X (SYSTEM_CALL,                                                                            \
	   "a system call") /* one for all such sources at a marker that the same call tells */    \
	X (COUNTER, "rdpmc or a system call") /* in user mode where the kernel allows it */        \
	X (FUNCTION, "a function")            /* of the program's own */

enum ppi_reading {
#define X(id, name) PPI_READING_##id,
	PPI_READINGS (X)
#undef X
		PPI_READING_COUNT
};

const char *ppi_reading_name (unsigned reading);

/*
 * The number of the calling thread's present reading: raised once before the sources of a marker
 * are read, at its begin and at its end. What one system call tells several sources is read once
 * for each number (0: no marker; always read). A handler that runs through a marker raises it too:
 * what was interrupted reads again.
 */
extern __thread uint64_t ppi_reading_number
	__attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));

union ppi_sample {
	int64_t i;
	double d;
};

struct ppi_source_instance;

/* One kind of source. Constant; lives as long as the library. */
struct ppi_source {
	const char *name; /* "elapsed"; with PREFIX: "papi", and metrics say papi:REST */
	const char *help; /* one line for listings */
	bool prefix;
	uint8_t class;       /* enum ppi_source_class */
	uint8_t kinds;       /* bit 0: for points, bit 1: for intervals */
	uint8_t sample_type; /* enum pp_abi_sample_type */
	uint8_t unit;        /* enum ppi_unit */
	double scale;        /* raw × scale = unit; 0: seconds per tick, asked when needed */
	uint8_t begin_bytes; /* of what begin leaves in the frame, at most 64 */
	uint8_t reading;     /* enum ppi_reading */
	uint8_t which;       /* of several that share their functions; their own business */
	const char *example; /* with PREFIX: an argument that listings try */
	const char *form;    /* with PREFIX: what listings call the argument */
	bool opens_nothing;  /* OPEN only reads the argument: who checks a policy may call it */
	/*
	 * of a counter: what it says now. Its begin and end are stdmetrics' ppi_counter_begin and
	 * ppi_counter_end
	 */
	int (*read) (struct ppi_source_instance *instance, uint64_t *now);

	/*
	 * What may take the loader's lock or long, before a metric of this source is declared:
	 * without the runtime's lock, which constructors of modules take while they hold the
	 * loader's. May run at any time, in several threads, or not at all.
	 */
	void (*prepare) (void);
	/*
	 * Prepares INSTANCE for a metric (ordinary context, the runtime's lock held; may allocate,
	 * open files, load modules). 0, or PP_EUNAVAILABLE / PP_EINVAL with a sentence in WHY.
	 * NULL: nothing to prepare.
	 */
	int (*open) (struct ppi_source_instance *instance, char *why, size_t room);
	/*
	 * ON: a metric of it is about to be measured somewhere; off: nowhere any more. For what has
	 * to be in the program's way to count, and is so no longer than that. Ordinary context, the
	 * runtime's lock held, no marker of the metric enabled yet or any more. NULL: nothing to
	 * do.
	 */
	void (*use) (struct ppi_source_instance *instance, bool on);
	/*
	 * Of counters that may have to take turns: which share of the time it was there, 1 always;
	 * NaN: no sample yet. Any thread.
	 */
	double (*share) (const struct ppi_source_instance *instance);

	/*
	 * At a marker: on the thread that runs through it, all registers saved. They don't
	 * allocate, lock or block. Return 0, or negative when there is no value just now (counted
	 * as PP_DROP_UNKNOWN, or _UNAVAILABLE where it is PP_EUNAVAILABLE: what the thread needs
	 * for it could not be opened). BEGIN fills slot (begin_bytes), END turns it into the
	 * sample; POINT gives a point's sample. NULL where the kind is not offered.
	 */
	int (*begin) (struct ppi_source_instance *instance, void *slot);
	int (*end) (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out);
	int (*point) (struct ppi_source_instance *instance, union ppi_sample *out);
};

/* What a reading that failed with ERROR is counted as. */
static inline enum pp_drop ppi_source_cause (int error)
{
	return error == PP_EUNAVAILABLE ? PP_DROP_UNAVAILABLE : PP_DROP_UNKNOWN;
}

/* A source as one metric uses it. */
struct ppi_source_instance {
	const struct ppi_source *source;
	char *argument;                         /* papi:ARGUMENT; NULL without */
	pp_abi_sample_fn user_begin, user_end;  /* of a user's source */
	void *state;                            /* open's own */
	uint8_t sample_type, unit, begin_bytes; /* open may refine what the source says */
	/* the user's functions use general registers only */
	bool is_fast;
	/* of a metric with an operator (operator.h), or NULL */
	struct ppi_combination *combination;
	double scale;
};

/*
 * Adds a source; NAME must be new (PP_EEXIST). Not thread-safe: start-up, or with the runtime's
 * lock.
 */
int ppi_source_register (const struct ppi_source *source);
/*
 * The source that TEXT ("elapsed", "papi:PAPI_TOT_INS") means, and in *ARGUMENT what follows the
 * prefix. NULL: none.
 */
const struct ppi_source *ppi_source_find (const char *text, const char **argument);
/*
 * Does ARGUMENT make sense, as far as that is known without opening anything? 0, or PP_EINVAL with
 * a sentence in WHY.
 */
static inline int ppi_source_check (const struct ppi_source *source, const char *argument,
				    char *why, size_t room)
{
	struct ppi_source_instance instance = {.source = source,
					       .argument = (char *) (uintptr_t) argument};

	return source->opens_nothing ? source->open (&instance, why, room) : PP_OK;
}
/* Runs prepare of the source that TEXT means, if it has one. Takes the lock only to find it. */
void ppi_source_prepare (const char *text);
/* Calls FN for every source in the order of registration. */
void ppi_source_each (void (*fn) (const struct ppi_source *source, void *arg), void *arg);

#endif
