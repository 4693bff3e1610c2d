/* SPDX-License-Identifier: MIT */
/*
 * rule.h: who asks for bindings: rules, the program, pragmas.
 */
#ifndef PPI_REGISTRY_RULE_H
#define PPI_REGISTRY_RULE_H

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_binding;
struct ppi_module;

/*
 * A rule binds METRIC to every site that PATTERN matches, now and when sites appear later (dlopen),
 * until it is destroyed. A binding that several rules (or pp_bind, or the source) ask for is one
 * binding and ends with the last of them. [lock] Returns how many sites it matches now (0: pending)
 * or a negative error (nothing changed): PP_EKIND, PP_EAMBIGUOUS, PP_ECODE, with a sentence in WHY.
 */
struct ppi_rule;

int ppi_rule_create (pp_metric *metric, const char *pattern, uint32_t every, struct ppi_rule **out,
		     char *why, size_t room);

void ppi_rule_destroy (struct ppi_rule *rule);

/* Sites the rule binds now [lock]. */
unsigned ppi_rule_sites (const struct ppi_rule *rule);

/* How often a binding is sampled for those who still ask for it (rule.c). With the lock. */
uint32_t ppi_rule_every (const struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));

/* pp_bind with the reason in WHY and no message. */
int ppi_bind_for_program (pp_metric *metric, const char *pattern, uint32_t every, char *why,
			  size_t room) __attribute__ ((visibility ("hidden")));

/*
 * Sites of MODULE appeared, or ONLY one did: the rules that match them and their static bindings
 * take effect with the batch. With the lock.
 */
void ppi_rules_apply (const struct ppi_module *module, pp_site *only)
	__attribute__ ((visibility ("hidden")));

/* Does anybody ask for bindings but the source's pragmas? With the lock. */
bool ppi_rules_exist (void) __attribute__ ((visibility ("hidden")));

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
