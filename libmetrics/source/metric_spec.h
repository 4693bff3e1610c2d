/* SPDX-License-Identifier: MIT */
/*
 * metric_spec.h: the declaration of a metric.
 */
#ifndef PPI_SOURCE_METRIC_SPEC_H
#define PPI_SOURCE_METRIC_SPEC_H

#include <pp.h>
#include <pp_abi.h>
#include <stdbool.h>
#include <stdint.h>

/* What a composite metric is, for those who don't know expressions. */
struct ppi_computed {
	/*
	 * Its value now: of everything merged, or of what was measured at SITE. Any thread, no
	 * lock.
	 */
	double (*value) (const struct ppi_computed *self, const pp_site *site);
	uint8_t unit; /* enum ppi_unit; PLAIN where it has another dimension */
};

/* A declaration, from a pragma, pp_metric_new or a policy. */
struct ppi_metric_spec {
	const char *name;
	uint8_t kind;        /* enum pp_abi_site_kind */
	uint8_t accumulator; /* enum ppi_accumulator */
	const char *source;  /* "elapsed", "papi:X", a user source's name */
	uint8_t scope;       /* enum ppi_scope */
	/* samples of elapsed without what their own markers take */
	bool corrected;
	/* executions whose end was jumped over have samples, too, up to where that was noticed */
	bool jumped;
	uint64_t size;                     /* of a bounded_series, 1 … 2^20 */
	uint32_t every;                    /* default for its bindings, 0 = 1 */
	uint64_t window_ns;                /* that its statistics are over; 0: since the start */
	pp_abi_sample_fn begin, end;       /* a user's functions, or NULL */
	uint8_t sample_type, result_bytes; /* of those */
	/* how an interval's readings combine; NULL: difference, as the source has it */
	const char *combine;
	bool has_arguments; /* its functions take some: only the program's code can call them */
	bool is_fast;       /* its functions use general registers only */
	bool is_const;      /* its functions neither read nor write memory of the program's */
	const struct ppi_computed *
		/*
		 * of a composite metric, whose SOURCE is its expression and which has no KIND;
		 * lives for good
		 */
		computed;
	const char *where; /* "file:line:column" for messages */
	/* sources to use instead, with commas between, in this order; or NULL */
	const char *fallback;
	/* nobody need be told that this machine lacks it; no part of what is the same metric */
	bool optional;
};

#endif
