/* SPDX-License-Identifier: MIT */
/*
 * ppctl.h: checks a policy without a running program, for ppctl: the same reader and checker as pp_policy_load, with names that somebody
 * else has read from binaries.
 */
#ifndef PPI_ASSERTIONS_PPCTL_H
#define PPI_ASSERTIONS_PPCTL_H

#include <pp.h>
#include <stdbool.h>

/* A site of a binary; texts are never NULL. */
struct ppi_offline_site {
	const char *full; /* module!file:function/site */
	const char *module, *file, *function, *name, *groups;
	const char *dims; /* "n:i,name:s" */
	uint8_t kind;     /* enum pp_abi_site_kind */
	uint8_t value;    /* enum pp_abi_value */
	uint8_t flags;    /* enum pp_abi_site_flag */
};

/* A static record of a binary. */
struct ppi_offline_record {
	uint8_t type; /* enum pp_abi_record_type */
	uint8_t kind; /* enum pp_abi_site_kind, of metrics and sources */
	const char *name;
	const char *accumulator, *source, *options; /* of metrics */
	const char *unit;                           /* of sources: "s", "B", "" */
	bool has_arguments;                         /* of metrics */
	uint8_t power;                              /* of statistics: of the metric's unit */
	const struct pp_abi_knob *knob;             /* of knobs */
	const char *words;                          /* of knobs of words, else "" */
};

struct ppi_offline {
	const struct ppi_offline_site *site;
	const struct ppi_offline_record *record;
	size_t n_sites, n_records;
	/* false: no binary was given. Knobs and functions that the policy names are taken to exist, sites are only looked at for their form. */
	bool known;
	bool strict; /* A name that there is not is an error; else, as when the program runs, something to wait for. */
	/* Is TEXT a literal of a binary, so that it may be the name of a site that is there when the program runs? NULL: nobody knows. */
	bool (*spells) (const char *text, const void *arg);
	const void *arg;
};

struct ppi_offline_result {
	size_t metrics, binds, assertions, errors;
	size_t waits; /* names that there are not */
};

/*
 * Reads and checks the policy at PATH; LINE gets everything that is to be told, line by line. 0: no errors; PP_EPOLICY, PP_EIO or PP_ENOMEM. Not
 * in a process that measures: it registers the library's sources.
 */
int ppi_policy_check_offline (const char *path, const struct ppi_offline *offline,
			      void (*line) (const char *line, void *arg), void *arg, struct ppi_offline_result *result);

#endif
