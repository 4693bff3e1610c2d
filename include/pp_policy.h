/* SPDX-License-Identifier: MIT */
/*
 * pp_policy.h: policies, assertions and their callbacks. Part of <pp.h>, whose conventions hold:
 * include that.
 */
#ifndef PP_POLICY_H
#define PP_POLICY_H

#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Loads a policy. All its errors are printed, each with file:line:column and the line; a policy
 * with errors changes nothing (PP_EPOLICY). Loading the same path again replaces it: unchanged
 * metrics keep their data.
 */
int pp_policy_load (const char *path);
/*
 * The same of a policy in the program itself: TEXT, which is copied. NAME stands where a path
 * would: in messages (NAME:line:column), for loading it again, which replaces it, and for
 * pp_policy_unload. No file is looked at, so pp_policy_reload passes over it.
 */
int pp_policy_load_text (const char *name, const char *text);
int pp_policy_unload (const char *path);
/*
 * Loads every policy again whose file changed since it was loaded or refused. Returns how many were
 * replaced, or the last policy's pp_error that could not be: its former version stays. Policies
 * with `reload: true`, and all with PP_POLICY_WATCH=1 in the environment, are looked at twice a
 * second by the library's thread or pp_poll.
 */
int pp_policy_reload (void);

enum pp_state { PP_STATE_OK, PP_STATE_PENDING, PP_STATE_FIRING, PP_STATE_UNKNOWN };
/* How bad it is when an assertion does not hold: `severity:` of policies. */
enum pp_severity { PP_SEVERITY_INFO, PP_SEVERITY_WARNING, PP_SEVERITY_ERROR, PP_SEVERITY_CRITICAL };

/*
 * A metric that a policy wanted captured with a violation, or a figure of a group, whose average,
 * ratio and samples are NaN.
 */
struct pp_capture {
	const char *metric; /* its name, or the figure as it was written */
	double value;       /* of the execution that violated, in the metric's unit; NaN unknown */
	double avg;         /* of this thread at this site so far */
	double ratio;       /* value / avg */
	double samples;     /* how many there were so far; NaN unknown */
};

/* What a callback is told. Valid during the call. */
struct pp_violation {
	uint32_t size; /* of this structure; newer libraries append */
	int clears;    /* 0: it fires, 1: it holds again */
	const char *assertion;
	const char *expression;
	const char *site;    /* full name, or NULL for a timed assertion */
	int thread;          /* kernel id of the thread that saw it */
	double left, right;  /* both sides of the (last) comparison; NaN where there is none */
	uint64_t violations; /* so far */
	uint64_t checks;     /* so far */
	double seconds;      /* since the start of the program */
	size_t captures;
	const struct pp_capture *capture;
	/* a sentence that tells more: of growth: the fit; NULL: there is none */
	const char *detail;
	enum pp_severity severity;
	int repeats;    /* 1: it fires still, and goes on being violated (`repeat: true`) */
	double since;   /* when the failures began that made it fire, in seconds since the start */
	uint64_t fired; /* how often it has, this time included */
	const char *
		/*
		 * all that as a sentence; NULL in a policy's inline callables, whose marker shall
		 * not wait for it
		 */
		text;
	/*
	 * 1: no violation, but the result of `investigate` is there, in DETAIL; REPEATS is 1 then,
	 * too
	 */
	int investigated;
	/*
	 * Full name of the interval inside SITE that the newest investigation found most of the
	 * slowdown in, and how much of it; NULL and NaN: none, and in inline callables.
	 */
	const char *culprit;
	double culprit_share; /* 0 … 1 */
	/*
	 * Which group of executions it is that fires, clears or goes on, as command="GET", cached=1;
	 * NULL: the condition is of no groups (any (metric by dimension)).
	 */
	const char *group;
};

typedef void (*pp_callback) (const struct pp_violation *violation, void *arg);

/*
 * Calls FN (violation, ARG) when the assertion fires and when it clears, on the library's thread
 * or, where PP_THREADS=0, by pp_poll. Several callbacks are called in the order they came. The
 * assertion may be loaded later. FN = NULL takes ARG's callbacks of that name away.
 */
int pp_on_assertion (const char *name, pp_callback fn, void *arg);

/* A snapshot of an assertion. Times are seconds since the start of the program. */
struct pp_assertion_info {
	enum pp_state state; /* with `scope: thread` the worst of all threads' */
	uint64_t checks, passes, violations, unknowns, fired, cleared;
	double left, right; /* of the newest check; NaN unknown */
	enum pp_severity severity;
	/* when this state began; NaN: it was never another */
	double since;
	double last_fired, last_cleared;        /* NaN: it never did */
	double first_violation, last_violation; /* NaN: there was none */
	/* outcomes and edges that found no room: not stepped, or their actions not performed */
	uint64_t lost;
	int per_thread;      /* 1: `scope: thread` */
	unsigned threads;    /* that fire now, where per_thread */
	uint64_t suppressed; /* lines that its log actions did not write, for there were too many */
};
/* PP_ENOENT: no assertion of that name is loaded. */
int pp_assertion_state (const char *name, struct pp_assertion_info *out);
/*
 * Calls FN with each assertion that was loaded when it was called, until it returns non-zero;
 * returns that, or 0, or PP_ENOMEM. FN may load and unload policies.
 */
int pp_assertion_each (int (*fn) (const char *name, const struct pp_assertion_info *info,
				  void *arg),
		       void *arg);
/*
 * The full name of the interval that the assertion's newest investigation found most of the
 * slowdown in, copied to OUT (of ROOM bytes, or NULL and 0), and how much of it, 0 … 1, to SHARE
 * (or NULL). PP_ENOENT: no such assertion, or none was found.
 */
int pp_assertion_culprit (const char *name, char *out, size_t room, double *share);
/*
 * "ok", "pending", "firing", "unknown"; "info", "warning", "error", "critical"; "?" for other
 * numbers.
 */
const char *pp_state_name (enum pp_state state);
const char *pp_severity_name (enum pp_severity severity);

/*
 * Checks EXPRESSION here and now under NAME: 1 it holds, 0 it does not, 2 unknown, or a negative
 * pp_error. The same name and expression again is the same assertion; it fires and clears like one
 * of a policy, so pp_on_assertion hears of it.
 */
int pp_expect (const char *name, const char *expression);
/*
 * The same, with CLAUSES of a policy's assertion that say when it fires, with commas between: "for:
 * 3, clear: 5, cooldown: 2s, after: 100, repeat: true, severity: error, scope: thread, quiet: true,
 * capture: [faults, misses]", each of which may be left out. After makes the first so many checks
 * mere answers. With scope: thread each thread that checks it has a state of its own. Other clauses
 * than the first time, or none (""), under the same name: PP_EEXIST; NULL: whichever it has. Wrong
 * ones: PP_EINVAL; what is wrong is said once, on stderr.
 */
int pp_expect_with (const char *name, const char *expression, const char *clauses);

/*
 * Runs what is due on the calling thread: timed assertions and queued callbacks; returns how many
 * callbacks ran. For programs that want no thread of the library (PP_THREADS=0) or callbacks in
 * their own event loop.
 */
int pp_poll (void);
/*
 * A descriptor that is readable when pp_poll has callbacks to run; owned by the library. From the
 * first call on, callbacks are no longer called on the library's thread.
 */
int pp_poll_fd (void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
