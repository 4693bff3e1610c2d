/* SPDX-License-Identifier: MIT */
/*
 * pp_analysis.h: analyses of your own for ppctl: a shared object in C with functions that ppctl
 * calls while it reads a recording. It is about recordings only: a program that is measured needs
 * nothing of it, and includes <pp.h> instead.
 *
 *     static void size_class (const struct pp_analysis_record *record, struct pp_analysis_value *out)
 *     {
 *             *out = pp_analysis_text (pp_analysis_number (&record->value[0]) < 4096 ? "small" : "large");
 *     }
 *     static const char *const uses[] = {"bytes", NULL};
 *     static const struct pp_analysis_dimension dimensions[] = {
 *             {.name = "size_class", .uses = uses, .of = size_class}};
 *     PP_ANALYSIS_PLUGIN = {PP_ANALYSIS_HEAD, .name = "sizes", .dimensions = dimensions, .n_dimensions = 1};
 *
 *     gcc -shared -fPIC sizes.c -o sizes.so && ppctl query --plugin sizes.so REC "size_class name"
 *
 * ppctl loads such an object only where its command line names it, never because a recording says
 * so. It runs inside of ppctl, with all that its user may do. Functions are called one at a time,
 * in the thread that has loaded the object. What they are given is valid until they return, unless
 * it says otherwise; what they give is copied before the next one is called.
 */
#ifndef PP_ANALYSIS_H
#define PP_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whatever is laid out differently has another one. Members that the table gains have not: size. */
#define PP_ANALYSIS_VERSION 2

enum pp_analysis_type {
	PP_ANALYSIS_MISSING, /* there is no value: "(none)" */
	PP_ANALYSIS_INTEGER,
	PP_ANALYSIS_REAL,
	PP_ANALYSIS_TEXT,
	PP_ANALYSIS_POINTER, /* an address, as integer; programs' values only: nobody follows it */
	PP_ANALYSIS_TYPES
};

struct pp_analysis_value {
	uint32_t type; /* enum pp_analysis_type */
	uint32_t unused;
	union {
		int64_t integer;  /* of an address, its bits */
		double real;      /* NaN is missing */
		const char *text; /* of what is given to ppctl the first 4,095 bytes count */
	} is;
};

/* ---- records and dimensions ------------------------------------------------------------------ */

/* A record of an event, as the dimension that is worked out sees it. */
struct pp_analysis_record {
	const char *event; /* the interval's NAME, or the type that a call gave */
	const char *site;  /* the site's name; "": it has none */
	uint64_t number;   /* of all records, from 0; an outer one comes before those inside it */
	uint32_t thread;   /* the kernel's number */
	uint32_t depth;    /* how many records are around it */
	int is_point;      /* took no time */
	int is_span;       /* is in nothing, and nothing is in it */
	double begin_ns;   /* since the start of the recording */
	double time_ns;    /* from begin to end, what ran inside it included */
	/*
	 * its time less that of those directly inside it and what recording it cost; NaN: not
	 * looked at
	 */
	double self_ns;
	const struct pp_analysis_value *value;   /* of what the dimension uses, in that order */
	const struct pp_analysis_record *parent; /* directly around it; NULL: nothing is */
	/*
	 * Directly inside it, by their begins: the first, and the next of its parent's. NULL: there
	 * is none, or descendants are not looked at.
	 */
	const struct pp_analysis_record *first, *next;
};

/*
 * A dimension is worked out when the record has begun and what is around it is known. With this flag
 * it is worked out when its outermost record has ended, and sees what ran inside it, and own times;
 * ppctl keeps all records of one outermost record in memory for that, and of 4 million at most.
 */
#define PP_ANALYSIS_DESCENDANTS 1u

struct pp_analysis_dimension {
	const char *name; /* as queries have it: a word */
	/*
	 * What it wants to see of each record: dimensions, or any expression of ppctl query's, also
	 * other dimensions of plug-ins; ends with NULL; NULL: nothing.
	 */
	const char *const *uses;
	uint32_t flags; /* PP_ANALYSIS_DESCENDANTS */
	uint32_t unused;
	/* Puts RECORD's value to OUT, which is missing before. */
	void (*of) (const struct pp_analysis_record *record, struct pp_analysis_value *out);
};

/* How values of a dimension, the program's or another, are shown: in tables, graphs and traces. */
struct pp_analysis_formatter {
	const char *dimension; /* its name; also of parent.NAME and root.NAME */
	/* Writes VALUE, which is not missing, to the ROOM bytes at OUT, as snprintf does. */
	void (*format) (const struct pp_analysis_value *value, char *out, size_t room);
};

/* ---- features -------------------------------------------------------------------------------- */

/* One of several values that a payload has. */
struct pp_analysis_named {
	const char *name;
	struct pp_analysis_value value;
};

/* What one instance of a feature cost, where it ran. */
struct pp_analysis_instance {
	const char *feature; /* "library.feature" */
	const char *payload; /* what tells instances apart, as text; NULL: its mark has none */
	/* where it has several values, dim (KEY=EXPR, ...): they, in the order of the mark's */
	const struct pp_analysis_named *dims;
	size_t n_dims;
	const char *place; /* the mark's: "file.c:12" */
	/*
	 * The interval, or the other feature, that the mark was begun in; NULL: in none, or not
	 * known, as where features were measured.
	 */
	const char *caller;
	/*
	 * Of the marks of the same feature that were open around it, the outermost first, their
	 * payloads, or places where they have none. Where features were measured: none.
	 */
	const char *const *around;
	size_t n_around;
	double time_s; /* of its own: what the marks and antimarks of the feature inside it took is theirs */
	uint64_t times; /* samples, or how often it was measured */
};

struct pp_analysis_features {
	const char *program; /* "NAME, process PID" */
	int is_exact;        /* measured, not sampled */
	int is_cpu;          /* by CPU time, not wall clock */
	double total_s;      /* of all threads that had marks */
	uint64_t times;      /* samples of those threads, or marks and antimarks */
	const struct pp_analysis_instance *instance; /* of the section's features, no two alike */
	size_t n;
};

/*
 * Where a section is one that is for another program, like Graphviz, it is written only when it is
 * asked for by name: ppctl features --section NAME.
 */
#define PP_ANALYSIS_ON_REQUEST 1u

struct pp_analysis_section {
	const char *name;     /* a word */
	const char *features; /* a glob of features' names, "*.contract" */
	uint32_t flags;       /* PP_ANALYSIS_ON_REQUEST */
	uint32_t unused;
	/* Writes it to OUT. Is called where there is an instance. 0, or -1: no memory. */
	int (*print) (const struct pp_analysis_features *features, FILE *out);
};

/* ---- the table ------------------------------------------------------------------------------- */

/* What an object has to define, once, with PP_ANALYSIS_PLUGIN. Of each list up to 64. */
struct pp_analysis {
	uint32_t version; /* PP_ANALYSIS_VERSION */
	uint32_t size;    /* of this struct, as the object was compiled with it */
	const char *name; /* what messages call it */
	const struct pp_analysis_dimension *dimensions;
	size_t n_dimensions;
	const struct pp_analysis_formatter *formatters;
	size_t n_formatters;
	const struct pp_analysis_section *sections;
	size_t n_sections;
};

#define PP_ANALYSIS_HEAD .version = PP_ANALYSIS_VERSION, .size = sizeof (struct pp_analysis)
#define PP_ANALYSIS_PLUGIN                                                                         \
	extern const struct pp_analysis pp_analysis_plugin;                                        \
	__attribute__ ((visibility ("default"))) const struct pp_analysis pp_analysis_plugin

/* ---- values ---------------------------------------------------------------------------------- */

static inline struct pp_analysis_value pp_analysis_integer (int64_t integer)
{
	struct pp_analysis_value value = {PP_ANALYSIS_INTEGER, 0, {0}};

	value.is.integer = integer;
	return value;
}

static inline struct pp_analysis_value pp_analysis_real (double real)
{
	struct pp_analysis_value value = {PP_ANALYSIS_REAL, 0, {0}};

	value.is.real = real;
	return value;
}

/* TEXT stays the caller's, and has to stay until the next call. NULL is missing. */
static inline struct pp_analysis_value pp_analysis_text (const char *text)
{
	struct pp_analysis_value value = {
		(uint32_t) (text ? PP_ANALYSIS_TEXT : PP_ANALYSIS_MISSING), 0, {0}};

	value.is.text = text;
	return value;
}

/* NaN: it is none. */
static inline double pp_analysis_number (const struct pp_analysis_value *value)
{
	return value->type == PP_ANALYSIS_INTEGER   ? (double) value->is.integer
	       : value->type == PP_ANALYSIS_REAL    ? value->is.real
	       : value->type == PP_ANALYSIS_POINTER ? (double) (uint64_t) value->is.integer
						    : __builtin_nan ("");
}

/* The text that INSTANCE's payload has under NAME; NULL: none, or no text. */
static inline const char *pp_analysis_dim_text (const struct pp_analysis_instance *instance,
						const char *name)
{
	for (size_t i = 0; i < instance->n_dims; i++)
		if (__builtin_strcmp (instance->dims[i].name, name) == 0)
			return instance->dims[i].value.type == PP_ANALYSIS_TEXT
				       ? instance->dims[i].value.is.text
				       : NULL;
	return NULL;
}

#endif
