/* SPDX-License-Identifier: MIT */
/*
 * binding.h: metric × site. A binding exists from when it was first asked for; it is bound while somebody asks for
 * it.
 */
#ifndef PPI_BINDING_H
#define PPI_BINDING_H

#include "metric.h"
#include "site.h"
#include "thread.h"

struct ppi_window;

struct ppi_binding {
	uint32_t id; /* from 1; id - 1 is the slot of its shards */
	uint32_t users;
	uint32_t every;
	bool is_static; /* the source's own pragma is among its users */
	pp_metric *metric;
	pp_site *site;             /* NULL: pp_sample's */
	struct ppi_shard *retired; /* of threads that have ended */
	struct ppi_binding_chunk *chunk;
	struct ppi_binding *next_of_site, *next_of_metric;
	struct ppi_binding *next; /* all, newest first */
	struct ppi_op op;         /* as plans copy it */
	/* what holds the samples of the last seconds, one for each window of the metric; further ones of those (window.h) */
	struct ppi_binding *windows;
	const struct ppi_window *window; /* of such a one; else NULL */
	struct ppi_throttle throttle;    /* overhead.c's */
	/* until when it was last kept from all samples, UINT64_MAX: it is, 0: never; of which epoch of the metric that is. Atomic */
	uint64_t gap_ns;
	uint32_t gap_epoch;
	struct {
		uint32_t epoch;  /* the metric's at the last look */
		double sample_s; /* what a sample cost then, with those that were left out for it */
		double share;    /* since the look before: of the thread that paid most for this binding */
	} load;
};

/* One execution in so many is sampled, all told. */
static inline uint32_t ppi_binding_every (const struct ppi_binding *b)
{
	uint32_t factor = ppi_load (&b->throttle.factor);
	uint64_t every = (uint64_t) ppi_load (&b->every) * (factor ? factor : 1);

	return every < 1u << 30 ? (uint32_t) every : 1u << 30;
}

/* Asked for, and not kept from it. */
static inline bool ppi_binding_is_on (const struct ppi_binding *b)
{
	return b->users && !b->throttle.unbound;
}

/* Are there executions of the last NS (0: since start or reset) of which nobody knows, because it was kept from all samples? Safe at markers. */
static inline bool ppi_binding_has_gap (const struct ppi_binding *b, uint64_t ns)
{
	uint64_t until = ppi_load (&b->gap_ns);

	if (!until || ppi_load (&b->gap_epoch) != ppi_load (b->op.epoch))
		return false;
	return !ns || until == UINT64_MAX || ppi_now_ns () - until < ns;
}

/* A binding that only has a slot: of the same metric and site as B, in none of their lists; B NULL: of none, its op is the caller's to fill in. With the lock; NULL: no memory. */
struct ppi_binding *ppi_binding_hidden (const struct ppi_binding *b) __attribute__ ((visibility ("hidden")));
/* What a shard takes. */
uint32_t ppi_shard_bytes (enum ppi_accumulator accumulator, uint64_t size) __attribute__ ((visibility ("hidden")));

/* The binding of METRIC at SITE, made if there is none; with the lock. NULL: no memory. */
struct ppi_binding *ppi_binding_get (pp_metric *metric, pp_site *site) __attribute__ ((visibility ("hidden")));
/*
 * The binding of METRIC at no site, ready for samples. Takes the lock the first time, also in a child; NULL: no memory.
 * errno stays.
 */
struct ppi_binding *ppi_sample_binding (pp_metric *metric) __attribute__ ((visibility ("hidden")));
/* Makes the chunks that tell readers of it. 0 or PP_ENOMEM. */
int ppi_binding_describe (struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));
/* Its chunk, if it has one, says what it is now: how often it is sampled, and what a budget has to do with that. With the lock. */
static inline void ppi_binding_note (const struct ppi_binding *b)
{
	if (!b->chunk)
		return;
	ppi_store (&b->chunk->every, ppi_binding_every (b));
	ppi_store (&b->chunk->bound, ppi_binding_is_on (b));
	ppi_store (&b->chunk->asked, b->users ? ppi_load (&b->every) : 0);
	ppi_store (&b->chunk->kept_off, b->users && b->throttle.unbound);
}
/* The binding with a number, or NULL. */
struct ppi_binding *ppi_binding_find (uint32_t id) __attribute__ ((visibility ("hidden")));
struct ppi_binding *ppi_binding_first (void) __attribute__ ((visibility ("hidden")));
/*
 * What a metric of source `value` or `dim:KEY` captures at SITE, and its place where the site pushes an array.
 * PP_ABI_VALUE_NONE: the site has no such value.
 */
enum pp_abi_value ppi_value_of (const pp_metric *metric, const pp_site *site, uint16_t *index)
	__attribute__ ((visibility ("hidden")));
/* May METRIC be bound to SITE by its kind and its values? 0, or PP_EKIND with the reason. */
int ppi_binding_fits (const pp_metric *metric, const pp_site *site, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/* Whether SITE captures a number for METRIC, which fits or is of the other type, integer or double. */
bool ppi_binding_clashes (const pp_metric *metric, const pp_site *site) __attribute__ ((visibility ("hidden")));
/* May METRIC be bound to SITE by anybody, now? 0, or PP_EKIND with the reason. */
int ppi_binding_check (const pp_metric *metric, const pp_site *site, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/* One more user of the binding, or one less (false: it had none); takes effect with the batch. With the lock. */
int ppi_binding_acquire (pp_metric *metric, pp_site *site, uint32_t every, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
bool ppi_binding_release (pp_metric *metric, pp_site *site) __attribute__ ((visibility ("hidden")));
/* The retired shard, made if there is none. */
struct ppi_shard *ppi_binding_retired (struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));
/* EVERY of a binding that somebody has becomes another, or what its rules and its metric say now. With the lock. */
void ppi_binding_set_every (struct ppi_binding *binding, uint32_t every) __attribute__ ((visibility ("hidden")));
void ppi_binding_renew_every (struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));
/* How often a binding is sampled for those who still ask for it (rule.c). With the lock. */
uint32_t ppi_rule_every (const struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));
/* pp_bind with the reason in WHY and no message. */
int ppi_bind_for_program (pp_metric *metric, const char *pattern, uint32_t every, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/*
 * Unbinds METRIC from the sites that match: what the program asked for, or with EVERYBODY also what policies did.
 * Returns the sites.
 */
int ppi_unbind_sites (pp_metric *metric, const char *pattern, bool everybody) __attribute__ ((visibility ("hidden")));
/*
 * Sites of MODULE appeared, or ONLY one did: the rules that match them and their static bindings take effect with
 * the batch. With the lock.
 */
void ppi_rules_apply (const struct ppi_module *module, pp_site *only) __attribute__ ((visibility ("hidden")));
/* Does anybody ask for bindings but the source's pragmas? With the lock. */
bool ppi_rules_exist (void) __attribute__ ((visibility ("hidden")));
/* The site's plan must be made anew at the end of the batch (bindings or checks changed). With the lock. */
void ppi_site_touch (pp_site *site) __attribute__ ((visibility ("hidden")));
/* What all bindings have in the parent's region is forgotten, also of those that nobody asks for now: they may be asked for again. */
void ppi_binding_after_fork (void) __attribute__ ((visibility ("hidden")));
/* Those that are bound have chunks in the new region. */
void ppi_bindings_describe (void) __attribute__ ((visibility ("hidden")));

/*
 * Binds the metric NAME to S, whose pragma names it; a metric that there is not is missed. With
 * the lock.
 */
void ppi_bind_static (pp_site *s, const char *name) __attribute__ ((visibility ("hidden")));
/* statement.c: S names the metric NAME, which there is not. With the lock. */
void ppi_metric_missed (pp_site *s, const char *name) __attribute__ ((visibility ("hidden")));
/*
 * The program and its policies are known: says which metrics are missed, and binds those that
 * came. With the lock.
 */
void ppi_metrics_missed_tell (void) __attribute__ ((visibility ("hidden")));

#endif
