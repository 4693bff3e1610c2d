/* SPDX-License-Identifier: MIT */
/*
 * fake_runtime.h: a stand-in for libmetrics where the tests of assertions/ need to say themselves
 * what metrics read, what the time is and what fails. One thread, no code is patched; what was
 * asked of it can be looked at.
 */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include "assertions/engine/report_text.h"
#include "assertions/load/loaded.h"
#include "base/estimate.h"
#include "base/types.h"
#include "libmetrics/cost/cost.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/throttle.h"
#include "recording/layout.h"

#define FAKE_MAX 64
#define FAKE_GROUPS 8

struct pp_metric {
	char name[64], source[64];
	struct ppi_metric_spec spec;
	int references;
	/* its newest sample is of an earlier execution than the one that is checked */
	bool is_stale;
	const char *unavailable; /* why it can't be measured, or NULL */
	/* all threads; the thread that runs a check */
	double merged[PP_STATISTICS], own[PP_STATISTICS];
};

struct pp_site {
	char name[128];
	uint32_t id;
	enum pp_abi_site_kind kind;
	struct ppi_check *checks;
	double open_age;
	uint64_t in_flight;
	struct ppi_statics statics;
};

struct ppi_rule {
	pp_metric *metric;
	char pattern[128];
	uint32_t every;
	bool used;
};

struct fake_entry {
	enum ppi_history_kind kind;
	char name[128], text[PPI_SENTENCE_BYTES];
	double value[4];
};

/* A binding and the load on it: what overhead.c finds out. */
struct fake_load {
	double per_s; /* executions in a second of the thread that pays */
	double sampled_s, skipped_s;
	uint32_t every;
	struct ppi_throttle now;
	bool asked; /* somebody wants it */
	int thread; /* who executes it; 0 when nothing is said */
	char metric[32], site[32];
};

struct fake {
	uint64_t now_ns;
	struct pp_metric metrics[FAKE_MAX];
	size_t n_metrics;
	struct pp_site sites[FAKE_MAX];
	size_t n_sites;
	struct ppi_rule rules[FAKE_MAX];
	struct fake_entry history[512];
	size_t n_history;
	char messages[512][1024];
	size_t n_messages;
	int batch_depth;
	void (*before_switching) (void); /* what the program does before the outermost batch ends */
	int batch_error;                 /* what the next outermost batch_end gives, once */
	const char *bad_rule;            /* a pattern that can't be bound */
	bool no_region;
	bool in_lock_forbidden; /* set by callbacks that check the lock is not held */
	int lock_depth;
	char recording[128];
	char dumped[128]; /* for whom the flight recorder was dumped last */
	unsigned rings;   /* that it had then */
	int reports;
	struct {
		pp_metric *metric;
		double value;
	} samples[64];
	size_t n_samples;
	int prepared;             /* metrics whose samples a marker may take */
	const pp_site *inside[8]; /* intervals that are open, the innermost first */
	int thread, gone;         /* kernel id of who executes; of one that has ended */
	struct fake_load loads[FAKE_MAX];
	size_t n_loads;
	struct ppi_cost cost; /* of an execution, wherever it is */
	bool idle;            /* no thread ran, so nobody knows */
	int throttled;        /* calls */
	char unbound[128];    /* the metric and the pattern of the last pp_unbind */
	/* groups by command of all intervals; their value is that of each statistic */
	bool has_groups; /* an aggregate tells them apart */
	struct {
		char name[32]; /* of the command */
		double value;
	} group[FAKE_GROUPS];
	size_t n_groups;
};

extern struct fake fake;

/* Empties everything and starts the room under test. */
void fake_start (void);
/* how often all windows are asked for */
unsigned fake_window_users (void);
pp_metric *fake_metric (const char *name, enum pp_abi_site_kind kind,
			enum ppi_accumulator accumulator, const char *source);
pp_site *fake_site (const char *name, enum pp_abi_site_kind kind);
/* The thread's newest sample is LAST, its average AVG; the merged ones too. */
void fake_sample (pp_metric *metric, double last, double avg);
/* One execution of the site, as a marker would run its checks. */
void fake_execute (pp_site *site);
/* Time goes on, then the owner's tick. */
void fake_tick (uint64_t ms);
/* Every policy goes, and what it has left is done. */
void fake_fini (void);
size_t fake_rules (const char *metric, const char *pattern);
size_t fake_history (enum ppi_history_kind kind, const char *name);
/* What the newest entry of KIND says; "": there is none. */
const char *fake_newest (enum ppi_history_kind kind);
/* How many messages hold TEXT. */
size_t fake_said (const char *text);
/* A binding that is asked for, sampled each time; an execution costs so much. */
struct fake_load *fake_load (double per_s, double sampled_s, double skipped_s);
#define FAKE_THREADS 4
/* What they cost a thread now, of those below; and the one that pays most. */
double fake_share_of (int thread);
double fake_share (void);
/* A file with TEXT; its name, the same for the same NAME. */
const char *fake_policy (const char *name, const char *text);
/* As a module that registers has it. */
void fake_add_record (struct pp_abi_record *record);
void fake_remove_record (struct pp_abi_record *record);
void fake_module_added (void);

#endif
