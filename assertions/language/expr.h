/* SPDX-License-Identifier: MIT */
/*
 * expr.h: the expressions of assertions: text → tree (expr_parse.c) → names and dimensions
 * (expr_check.c) → a postfix program that is evaluated without locks and allocation (expr_eval.c),
 * also inside markers.
 *
 * This part knows the runtime only by struct ppi_names, so that a policy can be checked against a
 * binary as well as against the running program. Truth values and numbers are doubles: 0 false, 1
 * true, NaN unknown.
 */
#ifndef PPI_EXPR_H
#define PPI_EXPR_H

#include "assertions/language/quantity.h"
#include "base/events.h"

struct ppi_grouping;
struct ppi_recent;

#define PPI_EXPR_BYTES 4096 /* longest text */
#define PPI_EXPR_NODES 256  /* largest tree, and so the longest program and the deepest stack */
#define PPI_EXPR_NESTING 64 /* parentheses in parentheses */

/* ---- names ----------------------------------------------------------------------------------- */

enum ppi_name_kind {
	PPI_NAME_METRIC,
	PPI_NAME_ASSERTION,
	PPI_NAME_KNOB,
	PPI_NAME_CALLABLE,
	PPI_NAME_SOURCE,
	PPI_NAME_OPERATOR,
	PPI_NAME_STATISTIC, /* of the program's own */
	PPI_NAME_SITE
};

/* "metric", "callable function" … */
const char *ppi_name_kind_word (enum ppi_name_kind kind);

struct ppi_name_metric {
	uint8_t accumulator; /* enum ppi_accumulator */
	uint8_t unit;        /* enum ppi_unit */
	uint8_t kind;        /* enum pp_abi_site_kind */
	bool has_arguments;  /* it can't be bound */
	const char *source;  /* its text, or NULL: not known */
	uint64_t window_ns;  /* that its statistics are over; 0: since the start */
	/* it is the whole time of executions of intervals: what aggregates keep by groups */
	bool is_time;
};

/* An aggregate: executions in groups by dimensions. */
struct ppi_name_aggregate {
	const char *by[PPI_AGGREGATE_DIMS];
	unsigned dims;
	uint8_t accumulator; /* enum ppi_accumulator */
};

struct ppi_name_knob {
	uint8_t type; /* enum pp_abi_knob_type */
	union pp_abi_number min, max, step;
	const char *words; /* "box, linear, cubic", or NULL */
};

/*
 * What exists. SELF of the functions is the structure itself. Those that return int give 0 or more,
 * or a pp_error with a sentence in WHY.
 */
struct ppi_names {
	/* Calls FN for the names of a kind until it returns true; returns whether it did. */
	bool (*each) (const struct ppi_names *self, enum ppi_name_kind kind,
		      bool (*fn) (const char *name, void *arg), void *arg);
	bool (*metric) (const struct ppi_names *self, const char *name,
			struct ppi_name_metric *out);
	/*
	 * How many sites PATTERN means now (0: pending). KIND (enum pp_abi_site_kind, 0: any) is
	 * what they are needed for: PP_EKIND when there are sites, but none of it. PP_EINVAL: no
	 * pattern; PP_EAMBIGUOUS: a plain name of several. Of binaries also PP_ENOENT: there is
	 * none, and WHY says what may have been meant.
	 */
	int (*site) (const struct ppi_names *self, const char *pattern, unsigned kind, char *why,
		     size_t room);
	/*
	 * Do sites of those that PATTERN means have what METRIC, called NAME, captures? 0 or
	 * PP_EKIND. NULL: that is seen when it is bound.
	 */
	int (*fits) (const struct ppi_names *self, const char *pattern, const char *name,
		     const struct ppi_name_metric *metric, char *why, size_t room);
	/* The unit of a source that metrics of KIND may name. PP_ENOENT, PP_EKIND. */
	int (*source) (const struct ppi_names *self, const char *source, unsigned kind,
		       uint8_t *unit, char *why, size_t room);
	/* The path of another policy that turns this knob or has this assertion, or NULL. */
	const char *(*owner) (const struct ppi_names *self, enum ppi_name_kind kind,
			      const char *name);
	/*
	 * A metric of the policy's baseline, at the sites that the pattern SITE matches (NULL:
	 * those the expression is about), and a statistic of it. NULL: there is no baseline.
	 */
	int (*baseline) (const struct ppi_names *self, const char *name, const char *site,
			 struct ppi_name_metric *out, char *why, size_t room);
	double (*baseline_value) (const struct ppi_names *self, const char *name, const char *site,
				  int statistic);
	/* The expression of a composite metric, or NULL: NAME is none. NULL: there are none. */
	const char *(*composite) (const struct ppi_names *self, const char *name);
	/*
	 * What kind of knob NAME is; false: that is not known, or it is away. NULL: of none it is
	 * known.
	 */
	bool (*knob) (const struct ppi_names *self, const char *name, struct ppi_name_knob *out);
	/*
	 * The number of a statistic of the program's own, and the power of the metric's unit that
	 * it has; -1: NAME is none. NULL: there are none.
	 */
	int (*statistic) (const struct ppi_names *self, const char *name, int *power);
	/*
	 * Calls FN for the aggregates until it returns true; returns whether it did. NULL: there
	 * are none.
	 */
	bool (*aggregates) (const struct ppi_names *self,
			    bool (*fn) (const struct ppi_name_aggregate *aggregate, void *arg),
			    void *arg);
	/*
	 * There may be more of them later: what a policy says of a name that there is not waits
	 * until there is.
	 */
	bool grows;
	/* nobody knows which metrics the program has: that one is waited for is not told */
	bool has_unknown_metrics;
};

/* The same for statistics of the program's own, too. */
bool ppi_name_is_there (const struct ppi_names *names, enum ppi_name_kind kind, const char *name);
bool ppi_name_exists (const struct ppi_names *names, enum ppi_name_kind kind, const char *name);
/* The name of that kind that WORD was perhaps meant to be, copied to OUT; false: none is near. */
bool ppi_name_nearest (const struct ppi_names *names, enum ppi_name_kind kind, const char *word,
		       char *out, size_t room);
/* "there is no metric 'pixel_tme'; did you mean 'pixel_time'?" Returns OUT. */
const char *ppi_name_missing (const struct ppi_names *names, enum ppi_name_kind kind,
			      const char *word, char *out, size_t room);

/* ---- trees ----------------------------------------------------------------------------------- */

enum ppi_node_kind {
	PPI_NODE_NUMBER,
	PPI_NODE_REFERENCE,
	PPI_NODE_NEG,
	PPI_NODE_ABS,
	PPI_NODE_ADD,
	PPI_NODE_SUB,
	PPI_NODE_MUL,
	PPI_NODE_DIV,
	PPI_NODE_MIN,
	PPI_NODE_MAX,
	PPI_NODE_LT,
	PPI_NODE_LE,
	PPI_NODE_GT,
	PPI_NODE_GE,
	PPI_NODE_EQ,
	PPI_NODE_NE,
	PPI_NODE_NOT,
	PPI_NODE_AND,
	PPI_NODE_OR,
};

enum ppi_ref_kind {
	PPI_REF_METRIC,      /* m.avg: at a site this thread and site, elsewhere merged */
	PPI_REF_ALL,         /* all(m).avg: merged */
	PPI_REF_METRIC_SITE, /* m@site.avg: at a site this thread there, elsewhere merged there */
	PPI_REF_SITE,        /* site.open_age, site.in_flight */
	PPI_REF_ASSERTION,   /* a.violations, a.checks, a.fired, a.violations.share */
	PPI_REF_KNOB,        /* knob(k) */
	PPI_REF_STATIC,      /* static.flops: at a site of that site; static.flops@site */
	/* baseline(m.avg), baseline(m@site.avg): a constant, in the cache from the check on */
	PPI_REF_BASELINE,
	/* m{key="value"}.avg: of one group; all(m{…}) has GROUPS->is_merged */
	PPI_REF_GROUP,
	PPI_REF_ANY, /* any(m by key).avg: of each group */
};

enum ppi_site_property { PPI_SITE_OPEN_AGE, PPI_SITE_IN_FLIGHT };
enum ppi_assertion_property {
	PPI_ASSERTION_VIOLATIONS,
	PPI_ASSERTION_CHECKS,
	PPI_ASSERTION_FIRED,
	PPI_ASSERTION_SHARE,
	PPI_ASSERTION_RATE
};

/* Which groups a reference of PPI_REF_GROUP or PPI_REF_ANY means; malloced. */
struct ppi_ref_groups {
	unsigned dims;
	bool is_merged;  /* over all threads and sites; at a site only all(m{…}) is */
	bool is_told;    /* that there are none; whoever evaluates's */
	bool is_crowded; /* there was no room for the group; whoever evaluates's, atomic */
	struct ppi_ref_dim {
		char *key;
		uint8_t type;    /* enum pp_abi_value; of PPI_REF_ANY NONE, as of a missing one */
		char *text;      /* of a string; malloced */
		uint64_t bits;   /* of others */
		uint32_t offset; /* of KEY */
	} dim[PPI_AGGREGATE_DIMS];
	uint32_t node; /* atomic; the number of the one group, whoever evaluates's */
};

/*
 * Something of the program that an expression reads. TARGET, PLACE and CACHE are whoever
 * evaluates's own, zero at first.
 */
struct ppi_ref {
	uint8_t kind; /* enum ppi_ref_kind */
	/*
	 * enum pp_statistic, from PP_STATISTICS on the program's own; ppi_site_property,
	 * ppi_assertion_property, ppi_static; -1: the metric's own (implied)
	 */
	int16_t property;
	int8_t power; /* of a statistic of the program's own */
	/* of the metric, assertion, knob; NULL for PPI_REF_SITE and PPI_REF_STATIC */
	char *name;
	char *site;      /* pattern, or NULL */
	uint32_t offset; /* in the text, of the name, the site and the property */
	uint32_t site_offset;
	uint32_t property_offset;
	uint32_t window_offset;
	uint64_t window_ns; /* m.avg[10s]; 0: none */
	void *window;       /* what the metric keeps for it (ppi_window); atomic */
	void *windowed;     /* the metric that was asked for it */
	/* of an assertion with a window: its counts lately; malloced, the owner's */
	struct ppi_recent *recent;
	struct ppi_ref_groups *groups; /* of PPI_REF_GROUP and PPI_REF_ANY */
	struct ppi_grouping *grouping; /* what is merged of them; whoever evaluates's */
	void *target;                  /* pp_metric, an assertion's counts or a knob; atomic */
	void *place;                   /* pp_site; atomic */
	double cache;                  /* what markers read instead of something dear; atomic */
};

struct ppi_node {
	uint8_t kind; /* enum ppi_node_kind */
	bool truth;   /* set by the check */
	bool zero;    /* a literal 0: has any dimension */
	struct ppi_dimension dimension;
	uint16_t reference;   /* index */
	uint32_t offset, end; /* of the whole in the text */
	uint32_t operator;    /* offset of the operator */
	double number;
	struct ppi_node *left, *right;
};

struct ppi_tree {
	const char *text;
	struct ppi_node *root;
	struct ppi_node nodes[PPI_EXPR_NODES];
	size_t n_nodes;
	struct ppi_ref *references;
	size_t n_references;
};

/* Who hears of errors: OFFSET is in bytes of the text. */
struct ppi_expr_errors {
	void (*error) (void *arg, size_t offset, const char *message);
	void *arg;
	/*
	 * A name that there is not, and MESSAGE says so: it may come later. The expression can't be
	 * compiled until then. NULL: an error like others.
	 */
	void (*missing) (void *arg, size_t offset, enum ppi_name_kind kind, const char *name,
			 const char *message);
};

/* ---- programs -------------------------------------------------------------------------------- */

/* Where an expression is evaluated. */
enum ppi_expr_place { PPI_EXPR_AT_SITE, PPI_EXPR_MERGED };

struct ppi_code {
	uint8_t op;     /* enum ppi_node_kind */
	uint16_t index; /* of the reference or comparison */
	double constant;
};

/* A compiled expression. Constant but for the references' last three fields. */
struct ppi_program {
	char *text;
	struct ppi_code *code;
	size_t n_code;
	struct ppi_ref *references;
	size_t n_references;
	struct ppi_dimension *comparisons; /* of the sides of each comparison */
	size_t n_comparisons;
	/*
	 * Where the whole is one comparison by <, <=, > or >=: which (else 0), and the number that
	 * its right side is multiplied with, or 1
	 */
	uint8_t comparison; /* enum ppi_node_kind */
	bool has_windows;   /* of time, among the references */
	bool has_groups;    /* among them */
	bool has_any;       /* among those */
	double factor;
};

struct ppi_verdict {
	double value; /* 0, 1 or NaN */
	/* of the last comparison that did not hold, else of the last one; NaN without one */
	double left, right;
	struct ppi_dimension dimension; /* of both */
};

/*
 * Compiles TEXT; all errors that can be found go to ERRORS. 0, PP_EINVAL (errors were told) or
 * PP_ENOMEM. The result is the caller's: ppi_program_destroy. Ordinary context.
 */
int ppi_program_create (const char *text, enum ppi_expr_place place, const struct ppi_names *names,
			const struct ppi_expr_errors *errors, struct ppi_program **out);
/*
 * The same for a number instead of a condition; its dimension too. ppi_program_run's value is the
 * number then.
 */
int ppi_program_create_number (const char *text, enum ppi_expr_place place,
			       const struct ppi_names *names, const struct ppi_expr_errors *errors,
			       struct ppi_dimension *dimension, struct ppi_program **out);
/*
 * The same for one figure of a group, m{key="value"}.p99, or of each, any (m by key).p99: whoever
 * evaluates chooses the group.
 */
int ppi_program_create_figure (const char *text, enum ppi_expr_place place,
			       const struct ppi_names *names, const struct ppi_expr_errors *errors,
			       struct ppi_dimension *dimension, struct ppi_program **out);
void ppi_program_destroy (struct ppi_program *program);
/* The first reference to each group (PPI_REF_ANY), NULL: there is none. */
struct ppi_ref *ppi_program_any (const struct ppi_program *program);

/*
 * Evaluates with LOAD giving each reference's value. No lock, allocation or system call of its own.
 */
struct ppi_verdict ppi_program_run (const struct ppi_program *program,
				    double (*load) (const struct ppi_ref *ref, void *arg),
				    void *arg);

/* ---- between the files ----------------------------------------------------------------------- */

/* TREE must be zero; on failure and success ppi_tree_clear frees what it holds. */
int ppi_expr_parse (const char *text, struct ppi_tree *tree, const struct ppi_names *names,
		    const struct ppi_expr_errors *errors);
void ppi_tree_clear (struct ppi_tree *tree);
void ppi_ref_clear (struct ppi_ref *ref);
/* What an expression is to be. */
enum ppi_expr_want { PPI_WANT_CONDITION, PPI_WANT_NUMBER, PPI_WANT_FIGURE };
/* Resolves names, sets dimensions. True: no errors. */
bool ppi_expr_check (struct ppi_tree *tree, enum ppi_expr_place place, enum ppi_expr_want want,
		     const struct ppi_names *names, const struct ppi_expr_errors *errors);
/*
 * expr_groups.c: of a reference to groups of METRIC: is there an aggregate that tells them, and the
 * statistic? At a site (AT_SITE) only what is merged is read.
 */
bool ppi_expr_check_groups (struct ppi_ref *ref, const struct ppi_name_metric *metric, bool at_site,
			    const struct ppi_names *names, const struct ppi_expr_errors *errors);
/* Are they by the same dimensions? */
bool ppi_ref_groups_equal (const struct ppi_ref_groups *a, const struct ppi_ref_groups *b);
/* Tells ERRORS, printf-like. */
void ppi_expr_missing (const struct ppi_expr_errors *errors, size_t offset, enum ppi_name_kind kind,
		       const char *name, const char *message);
void ppi_expr_error (const struct ppi_expr_errors *errors, size_t offset, const char *format, ...)
	__attribute__ ((format (printf, 3, 4)));

/*
 * expr_lex.c: what stands at P. Pure; each returns what is behind it, or NULL where it isn't there.
 */
const char *ppi_lex_blanks (const char *p);
const char *ppi_lex_name (const char *p);
const char *ppi_lex_word (const char *p, const char *word); /* WORD as a whole word */
bool ppi_lex_is_path (char c);
/*
 * P is at a quote: behind the closing one; NULL: it is missing. The inside is [p + 1, result - 1).
 */
const char *ppi_lex_quoted (const char *p);
/* In a path at P: the dot before the first ".PROPERTY", or before the last ".word", or NULL. */
const char *ppi_lex_property (const char *p);
/* The enum of a property of sites or assertions, -1: it is none. [p, p + bytes) */
int ppi_lex_site_property (const char *p, size_t bytes);
int ppi_lex_assertion_property (const char *p, size_t bytes);
int ppi_lex_statistic (const char *p, size_t bytes);
int ppi_lex_static (const char *p, size_t bytes);
/* All words that may follow the dot of a metric; NULL-terminated. */
const char *const *ppi_lex_statistics (void);

#endif
