/* SPDX-License-Identifier: MIT */
/*
 * policy.h: a policy as it was written (policy_read.c and what it calls), checked against what
 * exists (policy_check.c). Nothing here changes the program; applying is the engine's business.
 * Texts point into the tree, which the policy owns.
 */
#ifndef PPI_POLICY_H
#define PPI_POLICY_H

#include "assertions/language/choose.h"
#include "assertions/language/expr.h"
#include "assertions/language/grammar.h"
#include "assertions/language/yaml_tree.h"
#include "base/events.h"
#include "base/features.h"
#include "base/flight.h"
#include "base/profile.h"
#include "recording/layout.h"

#define PPI_FALLBACKS 8         /* of a metric */
#define PPI_CAPTURES 8          /* of an assertion */
#define PPI_KNOB_WORDS 32       /* at most, of a knob of words */
#define PPI_BUDGET_LEAST 0.0001 /* share of overhead that can be kept */
#define PPI_SITES_COUNT 64      /* patterns of a binding */

struct ppi_policy_metric {
	const struct ppi_yaml *name;
	const struct ppi_yaml *source; /* scalar; NULL: the metric has errors */
	/* the source of one with errors: it is looked up all the same */
	const struct ppi_yaml *unsound;
	uint8_t kind;                   /* enum pp_abi_site_kind */
	uint8_t accumulator;            /* enum ppi_accumulator */
	uint8_t unit;                   /* enum ppi_unit, set by the check */
	uint8_t scope;                  /* enum ppi_scope */
	const struct ppi_yaml *combine; /* scalar, or NULL */
	uint64_t size;
	uint32_t every;     /* 0: not said */
	uint64_t window_ns; /* 0: since the start */
	bool optional, corrected, jumped;
	bool waits, refused;                            /* as all entries: checker.h */
	const struct ppi_yaml *asked;                   /* of one that waits: its source */
	const struct ppi_yaml *fallback[PPI_FALLBACKS]; /* scalars */
	size_t n_fallbacks;
};

/* A metric that is computed from others: its name stands for its expression. */
struct ppi_policy_composite {
	const struct ppi_yaml *name, *expr;
	bool broken; /* its expression is wrong, and that was told */
	bool waits, refused;
};

/* Their names with commas between, malloced; NULL: none, or no memory */
char *ppi_policy_fallbacks (const struct ppi_policy_metric *metric);

/* An entry of bind:, or the argument of a bind or unbind action */
struct ppi_policy_bind {
	const struct ppi_yaml *metric;
	const struct ppi_yaml *sites[PPI_SITES_COUNT];
	size_t n_sites;
	uint32_t every;   /* 0: not said */
	uint64_t for_ns;  /* 0: until unbound */
	bool until_clear; /* of a bind action of on_fire: until it clears */
	bool waits, refused;
};

enum ppi_action_kind {
#define ACTION(id, ...) PPI_ACTION_##id,
#include "assertions/language/grammar_keys.h"
};

#define PPI_LOG_LEVELS(X)                                                                          \
	X (DEBUG, "debug")                                                                         \
	X (INFO, "info")                                                                           \
	X (WARNING, "warning")                                                                     \
	X (ERROR, "error")

enum ppi_log_level {
#define X(id, name) PPI_LOG_##id,
	PPI_LOG_LEVELS (X)
#undef X
};

#define PPI_LOG_AS_SEVERE 0xff

/* profile: what the sampling profiler takes */
struct ppi_policy_profile {
	const struct ppi_yaml *key; /* its map; NULL: there is none */
	/*
	 * places of their words; clock PPI_CLOCK_USUAL, features PPI_FEATURES_UNSAID, signal
	 * PPI_SIGNAL_USUAL: not said
	 */
	uint8_t sampler, clock, features, signal;
	uint32_t rate;                /* samples a second */
	uint64_t for_ns;              /* 0: to the end */
	struct ppi_policy_bind sites; /* ... or nowhere said */
	struct ppi_policy_bind threads;
};

enum { PPI_PROFILE_WATCHER, PPI_PROFILE_INTERRUPTER };
enum { PPI_CLOCK_WALL, PPI_CLOCK_CPU, PPI_CLOCK_USUAL };
enum { PPI_SIGNAL_URG, PPI_SIGNAL_WINCH, PPI_SIGNAL_USUAL };

/* An entry of aggregate: executions in groups */
struct ppi_policy_aggregate {
	size_t dims;
	const struct ppi_yaml *by[PPI_AGGREGATE_DIMS]; /* scalars */
	uint8_t keep;                                  /* place of its word */
	uint32_t max_groups;
	struct ppi_policy_bind sites;
};

enum { PPI_AGGREGATE_STATS, PPI_AGGREGATE_HISTOGRAM };

/* flight: whose last begins, ends and values are kept; of all sites where none is said */
struct ppi_policy_flight {
	const struct ppi_yaml *key; /* its value; NULL: there is none */
	uint32_t events;
	struct ppi_policy_bind sites;
};

/* events: which executions are recorded one by one, and which in groups */
struct ppi_policy_events {
	const struct ppi_yaml *key; /* its map; NULL: there are no records, and no aggregates */
	uint8_t when_full;          /* place of its word */
	uint32_t strings;
	struct ppi_policy_bind records;
	struct ppi_policy_aggregate aggregate[PPI_AGGREGATES_OF];
	size_t aggregates;
	struct ppi_policy_flight flight;
};

enum { PPI_WHEN_FULL_DROP, PPI_WHEN_FULL_WAIT };

/* features: which are switched on and off */
struct ppi_policy_features {
	const struct ppi_yaml *key; /* its map; NULL: there is none */
	struct ppi_policy_bind on, off;
};

/* What the action signal can send */
#define PPI_SIGNALS(X)                                                                             \
	X (HUP)                                                                                    \
	X (INT)                                                                                    \
	X (QUIT)                                                                                   \
	X (ABRT)                                                                                   \
	X (KILL)                                                                                   \
	X (USR1)                                                                                   \
	X (USR2)                                                                                   \
	X (ALRM)                                                                                   \
	X (TERM)                                                                                   \
	X (CONT)                                                                                   \
	X (TRAP)                                                                                   \
	X (URG)                                                                                    \
	X (WINCH)

/* Where log writes */
enum ppi_log_target { PPI_LOG_STDERR, PPI_LOG_SYSLOG, PPI_LOG_FILE };

struct ppi_policy_action {
	uint8_t kind;               /* enum ppi_action_kind */
	const struct ppi_yaml *key; /* the word that says so */
	uint8_t level;              /* of log; PPI_LOG_AS_SEVERE: the assertion's severity */
	uint8_t target;             /* of log, enum ppi_log_target */
	uint8_t number;             /* of signal */
	/*
	 * of knob: set, not step; of signal: for the thread that saw it; of record: over what is
	 * there
	 */
	bool set;
	/* of what is called, turned or sampled; the text to log or mark, or NULL */
	const struct ppi_yaml *name;
	/* of log, record, report; NULL: none, of report stderr */
	const struct ppi_yaml *file;
	const struct ppi_yaml *expression; /* of sample */
	struct ppi_program *program;       /* of that, made by the check */
	const struct ppi_yaml *word;       /* of knob: what it is set to, as written */
	double value;                      /* of knob; NaN: a word */
	uint64_t min_dwell_ns;
	bool waits, refused;
	uint32_t depth; /* of investigate: levels */
	/* of investigate: where to look (or nowhere said), and for how long */
	struct ppi_policy_bind bind;
	struct ppi_policy_profile profile; /* FOR_NS is not 0 */
};

/* growth: how a metric may grow with another */
struct ppi_policy_growth {
	const struct ppi_yaml *of, *with; /* metrics; OF NULL: there is none */
	uint8_t at_most;                  /* enum ppi_growth_class */
	uint64_t every_ns;
};

#define PPI_GROWTH_EVERY_NS UINT64_C (1000000000) /* when it is not said */

struct ppi_policy_assertion {
	const struct ppi_yaml *name, *body;
	const struct ppi_yaml *at;       /* pattern, or NULL: timed */
	const struct ppi_yaml *expect;   /* text */
	bool is_model;                   /* it may speak of sources and dimensions */
	struct ppi_policy_growth growth; /* instead of it */
	uint64_t every_ns, after, cooldown_ns;
	uint32_t fire_after, clear_after;
	bool repeat;
	bool per_thread; /* scope: thread */
	bool quiet;      /* nobody is told that it fires */
	bool waits, refused;
	uint8_t severity; /* enum pp_severity */
	/* names of metrics; figures of groups, as the check made them */
	const struct ppi_yaml *capture[PPI_CAPTURES];
	struct ppi_program *figure[PPI_CAPTURES]; /* NULL: a metric */
	struct ppi_dimension figure_dimension[PPI_CAPTURES];
	size_t n_captures;
	const struct ppi_yaml *sweep; /* or NULL */
	double threshold[PPI_SWEEP_MAX];
	uint32_t n_thresholds;
	struct ppi_policy_action *on_fire, *on_clear;
	size_t n_on_fire, n_on_clear;
	struct ppi_program *program; /* made by the check */
};

/* adapt: a knob whose values are tried, for the one with which an expression is least or most */
struct ppi_policy_adapt {
	const struct ppi_yaml *body, *knob, *objective;
	const struct ppi_yaml *values; /* the list, or NULL: all of the knob's */
	bool maximise;
	bool waits, refused;
	double explore; /* 0 … 0.5 */
	uint64_t every_ns, samples;
	double value[PPI_VARIANTS]; /* made by the check; none where the knob is not known */
	uint32_t n_values;
	struct ppi_program *program; /* likewise, over windows of EVERY_NS */
	struct ppi_dimension dimension;
};

/* Entries of each kind */
struct ppi_policy_counts {
	size_t metrics, composites, binds, assertions, adapts;
};

/* A name that the policy waits for. */
struct ppi_policy_wait {
	enum ppi_name_kind kind;
	char *name;
	bool is_noted; /* in the recording */
};

struct ppi_policy {
	char *path;
	char *text;
	struct ppi_yaml *tree;
	struct ppi_policy_metric *metrics;
	struct ppi_policy_composite *composites;
	size_t n_composites;
	struct ppi_policy_bind *binds;
	struct ppi_policy_assertion *assertions;
	struct ppi_policy_adapt *adapts;
	size_t n_metrics, n_binds, n_assertions, n_adapts;
	struct ppi_policy_counts late; /* entries behind those, of the same arrays, that wait */
	struct ppi_policy_wait *waits; /* what for */
	size_t n_waits;
	const struct ppi_yaml *record;   /* file, or NULL */
	bool overwrite;                  /* ... whatever is there */
	uint64_t record_ns;              /* ... how often; 0: as usual */
	uint64_t record_bytes;           /* ... how large; 0: as usual */
	const struct ppi_yaml *baseline; /* recording, or NULL */
	bool reload;                     /* when its file changes */
	double budget;                   /* of overhead, a share; 0: none */
	struct ppi_policy_profile profile;
	struct ppi_policy_events events;
	struct ppi_policy_features features;
	struct ppi_yaml **implied; /* scalars that are in no text */
	size_t n_implied;
};

/* What tells two contents of a file apart without reading them. All zero: no file. */
struct ppi_file_mark {
	uint64_t device, inode, bytes;
	int64_t seconds, nanoseconds; /* of the last modification */
};

/*
 * policy_file.c. Reads the file whole, at most PPI_YAML_BYTES. 0, PP_EIO (told) or PP_ENOMEM. *TEXT
 * is the caller's; MARK, where it is not NULL, is what was read.
 */
int ppi_policy_slurp (const char *path, char **text, size_t *bytes, struct ppi_file_mark *mark,
		      struct ppi_diagnostics *d);
/* The mark of PATH now; false: there is no such file. */
bool ppi_file_mark_of (const char *path, struct ppi_file_mark *out);
bool ppi_file_mark_equal (const struct ppi_file_mark *a, const struct ppi_file_mark *b);

/*
 * TEXT (malloced, becomes the policy's in any case) → *OUT. D has init'ed with PATH and TEXT. *OUT
 * may be set although there are errors (d->errors), so that names can be checked too and all errors
 * come at once; NULL when nothing could be read.
 */
int ppi_policy_read (const char *path, char *text, size_t bytes, struct ppi_diagnostics *d,
		     struct ppi_policy **out);
void ppi_policy_destroy (struct ppi_policy *policy);
/* Its metric NAME, or NULL. */
const struct ppi_policy_metric *ppi_policy_metric (const struct ppi_policy *policy,
						   const char *name);
/* The expression of the composite metric NAME, or NULL. */
const char *ppi_policy_composite (const struct ppi_policy *policy, const char *name);

/*
 * Checks all names against OUTER and the policy's own, compiles the expressions. Errors are in D.
 * Where OUTER grows, entries with names that there are not are set aside, and D has warnings.
 */
void ppi_policy_check (struct ppi_policy *policy, const struct ppi_names *outer,
		       struct ppi_diagnostics *d);

/* ---- policy_late.c: entries that wait for names ---------------------------------------------- */

/* Is one of the names there now? */
bool ppi_policy_wait_is_over (const struct ppi_policy *policy, const struct ppi_names *outer);
/*
 * Checks those entries again that were set aside, and actions that wait; those whose names are
 * there now are behind the others from now on. Errors are in D: an entry that has any is told once
 * and never used.
 */
void ppi_policy_check_late (struct ppi_policy *policy, const struct ppi_names *outer,
			    struct ppi_diagnostics *d);
void ppi_policy_waits_free (struct ppi_policy_wait *waits, size_t n);

/* The longest duration that may be written, ns: 1000 days. */
#define PPI_BYTES_MAX 1125899906842624.0 /* 1024 TiB */
#define PPI_DURATION_MAX_NS (UINT64_C (1000) * 24 * 3600 * 1000000000)

/* policy_adapt.c: `adapt:`, a map or a list of them; NODE may be NULL */
void ppi_policy_read_adapt (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			    struct ppi_policy *policy);
/*
 * Is the statistic REF of METRIC one that is kept over windows of time, as what is adapted for must
 * be? Else an error says why not, and what is.
 */
bool ppi_policy_is_kept_lately (const struct ppi_ref *ref, const struct ppi_name_metric *metric,
				const struct ppi_expr_errors *errors);
/* The variants that ADAPT means of KNOB; errors are told */
void ppi_policy_adapt_values (struct ppi_policy_adapt *adapt, const struct ppi_name_knob *knob,
			      struct ppi_diagnostics *d);

/* policy_imply.c: adds metrics and bindings that are not written down. False: no memory. */
bool ppi_policy_imply (struct ppi_policy *policy, const struct ppi_names *outer);
void ppi_policy_implied_destroy (struct ppi_policy *policy);

/* ---- between policy_read.c, policy_value.c, policy_assertion.c and policy_action.c ----------- */

/* Each returns false after telling D. WHAT names the thing in messages. */
bool ppi_policy_is (struct ppi_diagnostics *d, const struct ppi_yaml *node, enum ppi_yaml_kind kind,
		    const char *what);
bool ppi_policy_word (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what);
bool ppi_policy_name (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what);
bool ppi_policy_integer (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			 uint64_t min, uint64_t max, uint64_t *out);
/* A size with its unit, in bytes; more than 0. */
bool ppi_policy_bytes (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		       uint64_t *bytes);
bool ppi_policy_duration (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			  uint64_t *ns);
bool ppi_policy_number (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			double *out);
/* A path with %p and the like, as recording/file.h has them; %n only where NUMBERED. */
bool ppi_policy_path (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		      bool numbered);
bool ppi_policy_bool (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		      bool *out);
/*
 * An entry of bind:, or the value of a bind or unbind action: a map of KEYS, those that stand in a
 * place of LACKS left out
 */
bool ppi_policy_read_bind (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			   const struct ppi_policy_key *keys, unsigned lacks,
			   struct ppi_policy_bind *out);
/* WHAT, a pattern or a list of them, each ONE. */
bool ppi_policy_read_patterns (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			       const char *what, const char *one, struct ppi_policy_bind *out);
/* `sites:`, likewise. */
bool ppi_policy_read_sites (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			    struct ppi_policy_bind *out);
/* policy_events.c: `events:`; MAP may be NULL */
void ppi_policy_read_events (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			     struct ppi_policy_events *out);
/* What it asks for; its patterns are in PATTERN. */
struct ppi_events_wish ppi_policy_events_wish (const struct ppi_policy_events *written,
					       const char *pattern[PPI_SITES_COUNT]);

/* policy_features.c: `features:`; MAP may be NULL */
void ppi_policy_read_features (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			       struct ppi_policy_features *out);
/* What it asks for; its globs are in ON and OFF. */
struct ppi_features_wish ppi_policy_features_wish (const struct ppi_policy_features *written,
						   const char *on[PPI_SITES_COUNT],
						   const char *off[PPI_SITES_COUNT]);

/* policy_flight.c: `flight:` of `events:`. False: something is wrong with it, which was said. */
bool ppi_policy_read_flight (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			     struct ppi_policy_flight *out);
/* What it asks for; its patterns are in PATTERN. */
struct ppi_flight_wish ppi_policy_flight_wish (const struct ppi_policy_flight *written,
					       const char *pattern[PPI_SITES_COUNT]);

/* policy_profile.c: `profile:`; MAP may be NULL */
void ppi_policy_read_profile (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			      struct ppi_policy_profile *out);
/* What that asks for. PATTERN has what it points to. */
struct ppi_profile_wish ppi_policy_profile_wish (const struct ppi_policy_profile *written,
						 const char *pattern[PPI_SITES_COUNT],
						 const char *thread[PPI_SITES_COUNT]);
/* A list of actions; *OUT is malloced. */
bool ppi_policy_read_actions (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			      const char *what, struct ppi_policy_action **out, size_t *n);
/*
 * Clauses of an expectation of the program's own: a map of those keys of an assertion that say how
 * it fires (`for`, `severity`, `capture` …). Then what is captured, in OUTER alone; figures are the
 * caller's.
 */
void ppi_policy_read_clauses (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			      struct ppi_policy_assertion *out);
void ppi_policy_check_captures (struct ppi_policy_assertion *a, const struct ppi_names *outer,
				struct ppi_diagnostics *d);
/* Of figures that nobody has taken over. */
void ppi_policy_figures_destroy (struct ppi_policy_assertion *a);
/* Is what stands in `capture` a figure of a group, and no metric's name? */
bool ppi_policy_is_figure (const struct ppi_yaml *capture);
/* `assertions:`; MAP may be NULL. */
void ppi_policy_read_assertions (struct ppi_diagnostics *d, const struct ppi_yaml *map,
				 struct ppi_policy *policy);

#endif
