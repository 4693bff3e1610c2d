/* SPDX-License-Identifier: MIT */
/*
 * pp_knob.h: knobs by name, and adaptations that turn them. Declaring one: pp_records.h. Part of
 * <pp.h>, whose conventions hold: include that.
 */
#ifndef PP_KNOB_H
#define PP_KNOB_H

#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * The value of knob NAME now. PP_ENOENT: there is no such knob, or its module was closed. The
 * program's own code reads a knob faster with pp_knob_int and pp_knob_double, below. Of a knob of
 * words it is the word's place, from 0.
 */
int pp_knob_get (const char *name, double *value);
/*
 * Sets it, or turns it by so many of its own steps, within its range, as actions of policies do.
 * The policy that a knob belongs to goes on turning it, and gives it back as it was before the
 * policy came. 1: its value changed, 0: it was so already, or at its limit; PP_EINVAL: not a
 * number.
 */
int pp_knob_set (const char *name, double value);
int pp_knob_step (const char *name, double steps);
/*
 * The word of a knob of words (PP_KNOB_ENUM) now, as long as its module is there; NULL: there is no
 * such knob, or it has no words. Setting it by a word: PP_EINVAL where it has none of that name.
 */
const char *pp_knob_word (const char *name);
int pp_knob_set_word (const char *name, const char *word);

/*
 * An adaptation (`adapt:` of a policy) of a knob: it tries the values, or has settled on the best,
 * or waits for samples.
 */
enum pp_adapt_state { PP_ADAPT_EXPLORING, PP_ADAPT_SETTLED, PP_ADAPT_WAITING };
struct pp_adapt_info {
	enum pp_adapt_state state;
	int maximise;     /* 1: what is adapted for is to be large, 0: small */
	double current;   /* the knob's value that is tried now */
	double best;      /* that it has settled on; NaN: it has not */
	double newest;    /* what is adapted for, over the last window; NaN: too few samples */
	uint64_t windows; /* that have ended */
	uint64_t settled; /* how often it has */
	/* how often what it had settled on became worse, and all were tried again */
	uint64_t degraded;
	uint64_t better;    /* how often another one turned out to be better, and likewise */
	uint64_t empty;     /* windows with too few samples */
	uint64_t disturbed; /* windows in which somebody else turned the knob: they do not count */
	/* when this state began, in seconds since the start of the program; NaN: with the policy */
	double since;
	unsigned variants;
};
/* A value that is tried. */
struct pp_adapt_variant {
	double value; /* of the knob */
	double mean;  /* what is adapted for, with it, of late; NaN: no samples */
	/* half the 99 % confidence interval of that; NaN: fewer than two windows */
	double margin;
	uint64_t windows; /* that ran with it */
	/*
	 * 1: left out of the rest of this trial: others are better, or there are no samples with it
	 */
	int is_out;
};
/* Of the adaptation of KNOB; PP_ENOENT: no policy has one. */
int pp_adapt_state (const char *knob, struct pp_adapt_info *out);
/* Its values, at most ROOM of them to OUT; returns how many there are, at most 32. */
long pp_adapt_variants (const char *knob, struct pp_adapt_variant *out, size_t room);
/* "exploring", "settled", "waiting"; "?" for other numbers. */
const char *pp_adapt_state_name (enum pp_adapt_state state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
