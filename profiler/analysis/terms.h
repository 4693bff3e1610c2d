/* SPDX-License-Identifier: MIT */
/*
 * terms.h: dimensions and expressions over them, as queries have them: read once, evaluated for
 * each record.
 *
 *     name                             a dimension that the program gave
 *     event location depends-on        derived ones
 *     parent.name root.name hash(name)
 *     size_class = log2(bytes)         one of the user's own
 *     kind = "lookup" and depth > 3    a condition
 *
 * A missing dimension is no value, which is equal to nothing: a condition with it is unknown, and
 * `not unknown` is unknown, too.
 */
#ifndef PPI_ANALYSIS_TERMS_H
#define PPI_ANALYSIS_TERMS_H

#include "profiler/analysis/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond enum pp_abi_value. */
enum ppi_value_type {
	PPI_VALUE_TRUTH = 64, /* of a condition */
	PPI_VALUE_REST,       /* stands for all that were too many to be told apart */
	PPI_VALUE_LARGE,      /* a whole number from 2^63 on */
};

/* Two are the same value where type and bits are. */
struct ppi_value {
	uint32_t type; /* enum pp_abi_value or ppi_value_type */
	uint32_t unused;
	uint64_t bits; /* integer, double, pointer; a text's id (ppi_terms_text); 0 or 1 */
};

/* A record while what ran inside it is looked at. */
struct ppi_record_frame {
	uint64_t sequence; /* of all records of the recording, from 0 */
	uint32_t up;       /* place of its parent's frame; 0: it has none */
	uint32_t event, site, thread, depth;
	bool is_point, is_span;
	bool has_inner; /* records inside it */
	double begin_ns, time_ns;
	double inner_ns; /* of those directly inside it */
	double cost_ns;  /* of recording those, as far as that is in this one's own time */
};

/* The records around the present one: from 1 on, the outermost first; 0 is a span's. */
struct ppi_nest {
	struct ppi_record_frame *frame;
	/* of frame I from I × n_slots on: those of ppi_terms_slots, then those that are made */
	struct ppi_value *slot;
	uint32_t n_slots;
};

/* What a recording has as TYPE, enum pp_abi_value, and BITS; of a text they are an id already. */
struct ppi_value ppi_value_recorded (unsigned type, uint64_t bits);

struct pp_analysis;
struct pp_analysis_dimension;
struct pp_analysis_value;

/* What is asked: records, and what else the recording says of them. */
struct ppi_query_source {
	struct ppi_records *records; /* NULL: it has none (ppi_query_run_aggregate) */
	/*
	 * objects with dimensions and formatters of the user's, which were checked; they must stay
	 */
	const struct pp_analysis *const *plugin;
	size_t n_plugins;
	double since_ns; /* when that begins, since the recording's start */
	double total_ns; /* how long the program ran; NaN: not known */
	bool is_raw;     /* what recording takes is not deducted */
	/* the name of a site */
	const char *(*site_name) (uint32_t site, void *arg);
	void *arg;
};

struct ppi_terms;

/* SOURCE stays the caller's, and must stay. NULL: no memory. */
struct ppi_terms *ppi_terms_create (const struct ppi_query_source *source);
void ppi_terms_destroy (struct ppi_terms *terms);

/*
 * "NAME = EXPRESSION": NAME is a dimension from now on. All that reads text returns false where it
 * is wrong, with one sentence in WHY that says what, and in which column of which text.
 */
bool ppi_terms_define (struct ppi_terms *terms, const char *text, char *why, size_t room);

struct ppi_query_dim {
	char *label; /* as headings have it */
	unsigned term;
};

enum { PPI_QUERY_DIMS = 16 };

/* An ordered list of dimensions, and which records it is about. */
struct ppi_query_list {
	struct ppi_query_dim dim[PPI_QUERY_DIMS];
	unsigned n;
	bool has_where;
	unsigned where;
};

/* "name, cached where CONDITION"; "where" alone is allowed. OUT: ppi_query_list_clear. */
bool ppi_terms_list (struct ppi_terms *terms, const char *text, struct ppi_query_list *out,
		     char *why, size_t room);
void ppi_query_list_clear (struct ppi_query_list *list);
/* One expression. */
bool ppi_terms_expression (struct ppi_terms *terms, const char *text, unsigned *term, char *why,
			   size_t room);

/* Could NAME be the name of a dimension of the user's? */
bool ppi_terms_is_name (const char *name);

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Of the record at PLACE of NEST. */
struct ppi_value ppi_terms_value (struct ppi_terms *terms, unsigned term,
				  const struct ppi_nest *nest, uint32_t place);
/* A number, or NaN. */
double ppi_value_number (struct ppi_value value);
bool ppi_value_is_true (struct ppi_value value);

/* The keys of dimensions that records' values are wanted of, in the order of slots. */
const uint32_t *ppi_terms_slots (const struct ppi_terms *terms, uint32_t *n);
/* Wants the values of KEY; its slot, or UINT32_MAX: they are too many. */
uint32_t ppi_terms_want (struct ppi_terms *terms, uint32_t key);
/* Wants the values of all keys that records have. False: they are too many, or no memory. */
bool ppi_terms_want_all (struct ppi_terms *terms, char *why, size_t room);
/* The slot that TERM is the value of; UINT32_MAX: it is something else. */
uint32_t ppi_terms_slot (const struct ppi_terms *terms, unsigned term);
/* Tells that a record had a value for SLOT. */
void ppi_terms_seen (struct ppi_terms *terms, uint32_t slot);
/*
 * Afterwards: did each dimension that was asked for occur? Where not WHY says which, and which one
 * may have been meant.
 */
bool ppi_terms_all_seen (struct ppi_terms *terms, char *why, size_t room);

/*
 * Dimensions whose values are known only once all that ran inside a record was looked at, so that
 * they are worked out first: what they are made of, and where their values go, by sequence of
 * records. ppi_terms_late (terms, n) is NULL where there is no such dimension.
 */
struct ppi_late_term {
	unsigned term;      /* of the descendants */
	bool is_transitive; /* of all of them, not only the direct ones */
	uint32_t *text;
	size_t n, room;
};
struct ppi_late_term *ppi_terms_late (struct ppi_terms *terms, unsigned n);

/* ---- dimensions of plug-ins ------------------------------------------------------------------ */

/* One that is asked for: its values are slots that are made during a walk (walk_made.c). */
struct ppi_made {
	const struct pp_analysis_dimension *dimension;
	const char *plugin; /* its name */
	unsigned *use;      /* terms, as it has them */
	uint32_t n_uses;
};
/* In the order in which they have to be made. */
const struct ppi_made *ppi_terms_made (const struct ppi_terms *terms, uint32_t *n);
/* A plug-in's value as one of TERMS. NULL, or what is wrong with it. */
const char *ppi_terms_take (struct ppi_terms *terms, const struct pp_analysis_value *value,
			    struct ppi_value *out);
/* A value as plug-ins have it. */
void ppi_terms_give (const struct ppi_terms *terms, struct ppi_value value,
		     struct pp_analysis_value *out);
/*
 * As ppi_value_text, of a value of the dimension called LABEL: by its formatter, where a plug-in
 * has one. Is in OUT, or stays with TERMS.
 */
const char *ppi_terms_format (const struct ppi_terms *terms, const char *label,
			      struct ppi_value value, char *out, size_t room);
enum { PPI_FORMAT_ROOM = 256 };

/* ---- values ---------------------------------------------------------------------------------- */

/* A text of records, or one that was made here; "" for an id that there is not. */
const char *ppi_terms_text (const struct ppi_terms *terms, uint64_t id);
/* The id of a text that is made here; NO_TEXT: no memory. */
#define PPI_NO_TEXT UINT32_MAX
uint32_t ppi_terms_intern (struct ppi_terms *terms, const char *text);
/* As people read it: "(none)", "0x7f00", "lookup". Returns OUT, or the text itself. */
const char *ppi_value_text (const struct ppi_terms *terms, struct ppi_value value, char *out,
			    size_t room);
/* Ascending: nothing, numbers, texts by their characters. */
int ppi_value_order (const struct ppi_terms *terms, struct ppi_value a, struct ppi_value b);

#endif
