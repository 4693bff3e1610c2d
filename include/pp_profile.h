/* SPDX-License-Identifier: MIT */
/*
 * pp_profile.h: a profile by sampling that the program takes of itself. Part of <pp.h>, whose
 * conventions hold: include that.
 *
 *     static void *work (void *arg);
 *     ...
 *     result = pp_profile (work, arg, NULL);      // work (arg), and a table on stdout
 *
 *     struct pp_profile_options options = PP_PROFILE_OPTIONS;
 *     struct pp_profile_result *result;
 *
 *     options.delay = 0.001;
 *     options.track = PP_TRACK_ALL;
 *     if (pp_profile_start (&options) == PP_OK) {
 *             ...
 *             pp_profile_pause ();                // what is here is in no profile
 *             ...
 *             pp_profile_resume ();
 *             pp_profile_stop ();
 *             if (pp_profile_snapshot (&result) == PP_OK)
 *                     pp_profile_print (result, &options, stdout);
 *             pp_profile_free (result);
 *     }
 *
 * The program has one profile of its own at a time; each start begins a new one. It leaves no file;
 * where the process is recorded (`record:`, pp_record) its samples are in the recording. A profile
 * is taken by the library's thread, so there is none with PP_THREADS=0. docs/profiling.md says how
 * samples are taken, and what their figures mean.
 *
 * PP_EUNAVAILABLE of all that makes or prints results: libpp's module libpp-profile.so can't be
 * loaded, which is said once. It is loaded by the first of them.
 */
#ifndef PP_PROFILE_H
#define PP_PROFILE_H

#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What a node of the result is. */
enum pp_profile_by {
	PP_BY_FUNCTION, /* of the program or a library, by CPU time: the interrupter */
	PP_BY_LINE,     /* the same by line of the source */
	PP_BY_INTERVAL  /* intervals of the program, by wall clock or CPU time: the watcher */
};

/* Which threads are sampled. The library's own never are. */
enum pp_track {
	PP_TRACK_CALLER, /* the one that calls pp_profile, pp_profile_start, pp_profile_track */
	/*
	 * that one, and every thread that begins from then on, whichever began it: the kernel
	 * tells nobody
	 */
	PP_TRACK_CREATED,
	PP_TRACK_ALL,
	PP_TRACK_CHOSEN /* a list of kernel ids, as of gettid */
};

enum pp_profile_order {
	PP_ORDER_TOPOLOGICAL, /* callers before callees */
	PP_ORDER_SELF,        /* by time of their own */
	PP_ORDER_TOTAL        /* by time on the stack */
};

/* As `ppctl profile --format`. */
enum pp_profile_format {
	PP_FORMAT_TEXT,
	PP_FORMAT_CHICKEN,
	PP_FORMAT_JSON,
	PP_FORMAT_DOT,
	PP_FORMAT_COLLAPSED,
	PP_FORMAT_SPEEDSCOPE,
	PP_FORMAT_PPROF
};

/* ---- results --------------------------------------------------------------------------------- */

/* In place of a node's index: whoever calls the outermost, and whom the innermost calls. */
#define PP_PROFILE_ROOT UINT32_MAX

struct pp_profile_node {
	const char *name; /* as people write it; "": not known */
	const char *file; /* of the source, or of the object; "": not known */
	unsigned line;    /* 0: not known */
	double total;     /* s in which it was on the stack */
	double self;      /* s in which it was the innermost */
	uint64_t samples; /* in which it was the innermost */
	size_t threads;   /* kernel ids of those that were seen there, ascending */
	const uint32_t *thread;
	/* indexes of edges into and out of it, by falling callee_time and caller_time */
	size_t callers, callees;
	const uint32_t *caller, *callee;
};

/* A call that was seen. Of a stack of c seconds with n calls of the caller, caller_time has c/n. */
struct pp_profile_edge {
	uint32_t caller, callee;                /* indexes of nodes, or PP_PROFILE_ROOT */
	double total, caller_time, callee_time; /* s */
};

struct pp_profile_thread {
	uint32_t id; /* the kernel's */
	const char *name;
	double time; /* s: what its samples stand for */
	uint64_t samples;
};

/* What is missing, and why. */
struct pp_profile_loss {
	const char *cause, *sentence; /* "cut", "samples whose stack was cut off: ..." */
	uint64_t n;
};

/* A profile as it was when the snapshot was made. It and all that it points to live until freed. */
struct pp_profile_result {
	uint32_t size; /* of this structure; newer libraries append */
	enum pp_profile_by by;
	int is_cpu;          /* times are CPU time, else wall clock */
	const char *program; /* name and number of the process */
	double total_time;   /* s: what all samples stand for */
	double wall_time;    /* s for which it was taken, without pauses */
	double cpu_time;     /* s of CPU time of the process meanwhile, all its threads */
	double own_time;     /* s of CPU time that the library's threads took for it */
	double period;       /* s between samples that were asked for, the longest */
	uint64_t samples;
	size_t threads, nodes, edges, losses;
	const struct pp_profile_thread *thread;
	const struct pp_profile_node *node; /* callers first, then by falling total */
	const struct pp_profile_edge *edge;
	const struct pp_profile_loss *loss; /* those that there are */
};

/*
 * A renderer of the program's own: is called by pp_profile on the calling thread, and while the
 * profile is taken on a thread of the library's, pp-profile. RESULT lives during the call. May call
 * everything here but pp_profile_stop and pp_profile, which are PP_ESTATE on that thread.
 */
typedef void (*pp_profile_renderer) (const struct pp_profile_result *result,
				     enum pp_profile_order order, void *arg);

/* ---- options --------------------------------------------------------------------------------- */

/* Begin with PP_PROFILE_OPTIONS. NULL in place of options: all as there. */
struct pp_profile_options {
	uint32_t size; /* sizeof (struct pp_profile_options) */
	enum pp_profile_by by;
	int is_cpu;   /* of intervals: 0 wall clock, 1 CPU time; functions always go by CPU time */
	double delay; /* s between samples of a thread, 0.0001 to 3600 */
	unsigned repeat; /* pp_profile calls the function so often; 0: once */
	enum pp_track track;
	const int *thread; /* PP_TRACK_CHOSEN; copied */
	size_t threads;    /* at most 1024 */
	/* patterns of the intervals that are watched, of PP_BY_INTERVAL; 0: all; copied */
	const char *const *site;
	size_t sites;
	enum pp_profile_order order;
	enum pp_profile_format format;
	unsigned truncate_source;    /* columns of a name with its source; 0: all */
	double hide_self, hide_subs; /* shares, 0 … 1, below both of which a node is not shown */
	FILE *out;                   /* of pp_profile; NULL: stdout */
	pp_profile_renderer render;  /* of pp_profile, in place of FORMAT on OUT; NULL: none */
	void *render_arg;
	/* so many seconds after each other, at least 0.01, PERIODIC_RENDER is called; 0: never */
	double periodic;
	pp_profile_renderer periodic_render;
	void *periodic_arg;
};

/* 50 ms, once, the calling thread, functions, text, topological. */
#define PP_PROFILE_OPTIONS                                                                         \
	{                                                                                          \
		sizeof (struct pp_profile_options), PP_BY_FUNCTION, 0, 0.05, 1, PP_TRACK_CALLER,   \
			NULL, 0, NULL, 0, PP_ORDER_TOPOLOGICAL, PP_FORMAT_TEXT, 50, 0.01, 0.02,    \
			NULL, NULL, NULL, 0, NULL, NULL                                            \
	}

/* ---- a function ------------------------------------------------------------------------------ */

/*
 * Calls FN (ARG) under the profiler, OPTIONS->repeat times, prints the profile, and returns what FN
 * returned last. Where no profile can be taken or printed, FN is called all the same, and why is
 * said once. An exception out of FN, or the end of its thread, stops the profile and prints nothing;
 * who leaves FN by longjmp calls pp_profile_stop. In a child that FN makes there is no profile.
 */
void *pp_profile (void *(*fn) (void *), void *arg, const struct pp_profile_options *options);

/*
 * Calls FN (ARG) while each execution of an interval, point or event of the whole process is
 * recorded, prints to stdout what that says by DIMENSIONS, as `ppctl query` has them ("name cached
 * where depth > 1"; docs/query.md), and returns what FN returned. DIMENSIONS NULL: on a terminal
 * the profiler's shell asks for them, else the table is by event. Records are in a file in /tmp
 * meanwhile. Where they can't be (the process is recorded already, PP_THREADS=0, one is taken) FN
 * is called all the same, and why is said once. Called again, records of other threads that have
 * gone on since may be missing at the start, which is told. An exception out of FN, or the end of
 * its thread, prints nothing.
 */
void *pp_profile_events (void *(*fn) (void *), void *arg, const char *dimensions);

/* ---- control --------------------------------------------------------------------------------- */

/*
 * Begins a profile; the one before it is forgotten. When this returns the threads that there are
 * are sampled. Waits for the library's thread, which takes some milliseconds; 5 s at most.
 * PP_ESTATE: one is taken already, or the program ends; PP_EEXIST: that sampler takes one for
 * PP_SAMPLE, a policy or ppctl, or has taken one by the other clock; PP_EUNAVAILABLE: functions
 * can't be sampled here, or PP_THREADS=0; PP_EINVAL: options; PP_ENOMEM. All but PP_ESTATE and
 * PP_EINVAL are said, with why.
 */
int pp_profile_start (const struct pp_profile_options *options);
/*
 * From one to the other no samples are taken, by no thread, and the time is in no figure. They
 * nest: there are as many resumes as pauses. PP_ESTATE: no profile is taken, or it is not paused.
 */
int pp_profile_pause (void);
int pp_profile_resume (void);
/*
 * Ends it; snapshots of it may still be made. No renderer is called any more when this returns: it
 * waits for one that runs. PP_ESTATE: none is taken.
 */
int pp_profile_stop (void);
/* From now on so many seconds between samples. PP_EINVAL, PP_ESTATE. */
int pp_profile_delay (double seconds);
/*
 * From now on those threads, and no others; THREAD and N with PP_TRACK_CHOSEN. PP_EINVAL,
 * PP_ESTATE, PP_ENOMEM.
 */
int pp_profile_track (enum pp_track track, const int *thread, size_t n);

/* ---- what was seen --------------------------------------------------------------------------- */

/*
 * What the profile has by now, while it is taken or behind its end, as often as is wanted. *OUT is
 * the caller's, pp_profile_free; NULL where this fails. PP_ESTATE: there is none; PP_ENOMEM;
 * PP_EIO: the live region is damaged. It reads the debugging information of what was sampled, which
 * takes tenths of a second for a large program, and is seen in the profile of a thread that is
 * sampled meanwhile; a pause keeps it out.
 */
int pp_profile_snapshot (struct pp_profile_result **out);
void pp_profile_free (struct pp_profile_result *result);
/* Writes a result that pp_profile_snapshot or a renderer got. PP_EINVAL, PP_ENOMEM, PP_EIO. */
int pp_profile_print (const struct pp_profile_result *result,
		      const struct pp_profile_options *options, FILE *out);

/* What is on a stack. Texts as of nodes. */
struct pp_profile_frame {
	const char *name, *file;
	unsigned line;
};

/* A sample. Valid during the call. */
struct pp_profile_sample {
	uint32_t size;   /* of this structure; newer libraries append */
	uint32_t thread; /* kernel id */
	const char *thread_name;
	double at;   /* s on the thread's axis: its CPU time, or since the process' first profile */
	double cost; /* s that it stands for */
	uint64_t times; /* looks of the watcher that saw the same; else 1 */
	size_t frames;
	const struct pp_profile_frame *frame; /* the outermost first */
};

/*
 * Calls FN with each sample of the profile so far, a thread's behind each other; of its stack it
 * gets what KEY means: a pattern of sites or functions as in policies, `serve`, `file.c:*`; NULL:
 * all. A sample with nothing of that has 0 frames. FN may end it with a result other than 0, which
 * this returns. Errors as of pp_profile_snapshot, and PP_EINVAL: FN is NULL, or KEY no pattern of
 * names.
 */
int pp_samples_each (const char *key, int (*fn) (const struct pp_profile_sample *sample, void *arg),
		     void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
