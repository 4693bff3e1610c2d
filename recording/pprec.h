/* SPDX-License-Identifier: MIT */
/*
 * pprec.h: reads recordings of programs that were built with ppgcc (docs/recording.md). Link with
 * -lpprec; C and C++.
 *
 *     pprec *recording;
 *     pprec_value value;
 *     char why[512];
 *
 *     if (pprec_open ("run.pprec", &recording, why, sizeof why) < 0)
 *             return puts (why), 1;
 *     while (pprec_value_next (recording, &value) > 0)
 *             printf ("%g s: metric %u at site %u: n %llu\n", value.time_s, value.metric,
 *             value.site,
 *                     (unsigned long long) value.n);
 *     pprec_close (recording);
 *
 * A file is read and never written. Nothing in it is believed: what is damaged is an error with a
 * sentence, or is left out and told by pprec_info. A recording that is being written may be opened;
 * it is as of that moment. One thread at a time for one pprec; different ones are independent. No
 * function changes errno on purpose, raises signals or ends the process. Texts and rows belong to
 * the recording, and last until pprec_close.
 */
#ifndef PPREC_H
#define PPREC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct pprec pprec;

/* What can go wrong; all are negative. */
enum {
	PPREC_EIO = -1, /* it can't be read */
	PPREC_EINVAL =
		/*
		 * it is no recording, damaged, of another version, or packed in a way that this
		 * library can't unpack
		 */
	-2,
	PPREC_ENOMEM = -3
};

/* What pprec_info says of the file. Times are seconds. */
typedef struct pprec_info {
	size_t size; /* set it to sizeof (pprec_info) before the call: so much is filled in */
	/* 32 hex digits, the same in all processes of a run; "" of a live region */
	char run[33];
	const char *host; /* "" of a live region */
	const char *program;
	uint32_t pid;
	uint32_t
		/*
		 * 1 being written (or its process died, and nobody completed it), 2 complete, 3
		 * left by a process that died
		 */
		state;
	double started;     /* since 1970 */
	double measured;    /* how long */
	const char *damage; /* what is damaged or missing, a sentence; NULL: nothing */
	uint64_t start_ns;  /* CLOCK_MONOTONIC when it began */
	/*
	 * blocks of values whose content is damaged, of those that pprec_value_next has come to
	 * since it began, and the time of the first
	 */
	uint64_t lost_values;
	double lost_s;
} pprec_info;

typedef struct pprec_metric {
	uint32_t id;
	const char *name, *source;
	const char *unit;        /* "s", "B", or "" */
	const char *accumulator; /* "stats" ... */
} pprec_metric;

typedef struct pprec_site {
	uint32_t id;
	uint32_t line;
	const char *name; /* module!file:function/site */
	const char *kind; /* "point", "interval" ... */
} pprec_site;

typedef struct pprec_event {
	uint32_t id;      /* from 1, in their order */
	double time_s;    /* since the start */
	const char *kind; /* "fired" ... */
	const char *name; /* of the assertion, knob ... */
	const char *text;
	double value[4]; /* by kind */
} pprec_event;

/*
 * What one thread had measured of a metric at a site, from its start to that time. Figures are in
 * the metric's unit; NaN: not kept by its accumulator. What was added between two times is the
 * difference of n and of total.
 */
typedef struct pprec_value {
	double time_s; /* since the start */
	uint64_t
		/*
		 * which: when its thread ends it is emptied, what it had goes to that of thread 0,
		 * and another thread gets it
		 */
		shard;
	/* site 0: added by hand; thread 0: of threads that have ended */
	uint32_t metric, site, thread;
	uint32_t epoch; /* raised by a reset, after which all begins from 0 */
	uint64_t n;
	double total, last, min, max;
} pprec_value;

/*
 * A sample of an unbounded_series, in the metric's unit. Those of one series come in their order:
 * first what left it while the program ran, then what was in memory at the end.
 */
typedef struct pprec_sample {
	/* whose series; thread 0: of threads that have ended, and what they had in memory then */
	uint32_t metric, site, thread;
	uint64_t
		shard; /* as of pprec_value: signal handlers of a thread have a series of their own */
	/*
	 * its number in the series, from 0; a number that is missing is a sample that is lost, but
	 * those that the series had no room for (its statistic `lost`) have none
	 */
	uint64_t index;
	double value;
} pprec_sample;

typedef struct pprec_block {
	const char *type; /* "state" ... */
	uint64_t offset, bytes, content_bytes;
	uint32_t thread;
	double first_s, last_s; /* since the start */
	const void *content;    /* of streams, until the next call; else NULL */
} pprec_block;

/* Opens PATH. 0 and *OUT, or an error with a sentence in the ROOM bytes at WHY. */
int pprec_open (const char *path, pprec **out, char *why, size_t room);
/* NULL is allowed. */
void pprec_close (pprec *recording);

void pprec_info_get (const pprec *recording, pprec_info *out);

/* Row I, from 0, to *OUT. 1, or 0: there are no more. */
int pprec_metric_get (const pprec *recording, size_t i, pprec_metric *out);
int pprec_site_get (const pprec *recording, size_t i, pprec_site *out);
int pprec_event_get (const pprec *recording, size_t i, pprec_event *out);

/*
 * The next row of values over time, in the order of the file, to *OUT. 1; 0: there are no more, and
 * the next call begins again; or an error.
 */
int pprec_value_next (pprec *recording, pprec_value *out);
/* The same of blocks. */
int pprec_block_next (pprec *recording, pprec_block *out);
/* The same of samples of unbounded series; of a live region there are none. */
int pprec_sample_next (pprec *recording, pprec_sample *out);
/* The next call begins again, wherever the last one was. */
void pprec_sample_rewind (pprec *recording);
void pprec_value_rewind (pprec *recording);
void pprec_block_rewind (pprec *recording);

/*
 * A statistic at the end ("avg", "p99", "max" ...) of metric METRIC over all threads, at the site
 * SITE, or with PPREC_ALL_SITES at all. In the metric's unit; NaN: unknown, or there is none of
 * that name.
 */
#define PPREC_ALL_SITES UINT32_MAX
double pprec_statistic (const pprec *recording, uint32_t metric, uint32_t site,
			const char *statistic);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
