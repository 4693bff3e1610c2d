/* SPDX-License-Identifier: MIT */
/*
 * ppctl.h: checks a policy without a running program, for ppctl: the same reader and checker as
 * pp_policy_load, with names that somebody else has read from binaries.
 */
#ifndef PPI_ASSERTIONS_PPCTL_H
#define PPI_ASSERTIONS_PPCTL_H

#include <pp.h>
#include <stdbool.h>

struct ppi_diagnostics;

/* A site of a binary; texts are never NULL. */
struct ppi_offline_site {
	const char *full; /* module!file:function/site, with what tells it from namesakes */
	const char *base; /* without that */
	const char *module, *file, *function, *name, *groups;
	const char *dims;       /* "n:i,name:s" */
	uint8_t kind;           /* enum pp_abi_site_kind */
	uint8_t value;          /* enum pp_abi_value */
	uint8_t flags;          /* enum pp_abi_site_flag */
	const char *parameters; /* of the function */
	uint32_t function_line, line, nth;
};

/* A static record of a binary. */
struct ppi_offline_record {
	uint8_t type; /* enum pp_abi_record_type */
	/*
	 * enum pp_abi_site_kind, of metrics and sources; 0: a composite metric, SOURCE computes it
	 */
	uint8_t kind;
	const char *name;
	const char *accumulator, *source, *options; /* of metrics */
	/* of sources, and of metrics where HAS_UNIT: "s", "B", "" */
	const char *unit;
	bool has_unit;      /* of metrics: nobody need ask the source */
	bool has_arguments; /* of metrics */
	/* of metrics: of the program's own, which touch no memory */
	bool has_functions, is_const;
	uint8_t power;                  /* of statistics: of the metric's unit */
	const struct pp_abi_knob *knob; /* of knobs */
	const char *words;              /* of knobs of words, else "" */
};

struct ppi_offline {
	const struct ppi_offline_site *site;
	const struct ppi_offline_record *record;
	size_t n_sites, n_records;
	/*
	 * false: no binary was given. Knobs and functions that the policy names are taken to exist,
	 * metrics that are not the policy's to be the program's, which is no news; sites are only
	 * looked at for their form.
	 */
	bool known;
	/*
	 * A name that there is not is an error; else, as when the program runs, something to wait
	 * for.
	 */
	bool strict;
	/*
	 * Is TEXT a literal of a binary, so that it may be the name of a site that is there when
	 * the program runs? NULL: nobody knows.
	 */
	bool (*spells) (const char *text, const void *arg);
	const void *arg;
};

struct ppi_offline_result {
	size_t metrics, binds, assertions, errors;
	size_t waits;  /* names that there are not */
	bool profiles; /* it has a profile taken */
	/* of events: patterns of records, aggregates, and entries of the flight recorder */
	size_t records, aggregates, flight;
	char record[512]; /* where it records, as it says it; "": it doesn't */
};

/*
 * Reads and checks the policy at PATH; LINE gets everything that is to be told, line by line. 0: no
 * errors; PP_EPOLICY, PP_EIO or PP_ENOMEM. The library's sources are registered
 * (ppi_stdmetrics_init).
 */
int ppi_policy_check_offline (const char *path, const struct ppi_offline *offline,
			      void (*line) (const char *line, void *arg), void *arg,
			      struct ppi_offline_result *result);

struct ppi_policy;

/*
 * The policy itself, read and checked likewise; ppi_policy_destroy. LINE gets something only where
 * there are errors: what waits is known by its entries. 0, PP_EPOLICY, PP_EIO or PP_ENOMEM.
 */
int ppi_policy_read_offline (const char *path, const struct ppi_offline *offline,
			     void (*line) (const char *line, void *arg), void *arg,
			     struct ppi_policy **out);

/* A rule of an instrument file. */
struct ppi_offline_rule {
	char list;      /* its letter in PP_ABI_RULE_LISTS */
	bool has_where; /* only calls in some places */
	uint32_t line;  /* in the file */
	char *pattern;  /* of functions, for calls of callees; "" without; owned */
	char *text;     /* what it says, for people; owned */
};

/* A feature that an instrument file describes. */
struct ppi_offline_feature {
	char *name;   /* owned */
	char *report; /* what its author says of it; NULL: nothing; owned */
};

struct ppi_offline_rules {
	struct ppi_offline_rule *rule;
	size_t n;
	struct ppi_offline_feature *feature;
	size_t features;
	uint64_t hash; /* of the file, as object files have it (pp_abi.h) */
};

/*
 * As ppi_policy_slurp, but what a pipe has is waited for, and is there again when it is asked for
 * again.
 */
int ppi_offline_slurp (const char *path, char **text, size_t *bytes, struct ppi_diagnostics *d);

/* Is the file at PATH an instrument file, by its keys, and not a policy? */
bool ppi_offline_is_rules (const char *path);
/*
 * Reads and checks an instrument file; LINE gets all errors. 0, and OUT to be cleared; PP_EPOLICY,
 * PP_EIO or PP_ENOMEM.
 */
int ppi_offline_rules_read (const char *path, void (*line) (const char *line, void *arg), void *arg,
			    struct ppi_offline_rules *out);
void ppi_offline_rules_clear (struct ppi_offline_rules *rules);

#endif
