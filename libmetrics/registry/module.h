/* SPDX-License-Identifier: MIT */
/* module.h: programs and shared objects that brought a site table. */
#ifndef PPI_REGISTRY_MODULE_H
#define PPI_REGISTRY_MODULE_H

#include <pp.h>
#include <pp_abi.h>
#include <stdbool.h>

/*
 * Takes in the sites of modules that wait: where nothing can be bound to them as they register,
 * that is left to whoever first looks for a site, so that a program that nobody measures starts as
 * if it had none. With the lock.
 */
void ppi_modules_take_in (void) __attribute__ ((visibility ("hidden")));

/*
 * A site that no module brought: the rules and assertions that wait for it have it now. With the
 * lock.
 */
void ppi_site_appeared (pp_site *site) __attribute__ ((visibility ("hidden")));
/*
 * What follows a program's registration, once, for a program that has no table but calls. Without
 * the lock.
 */
void ppi_program_ready (void) __attribute__ ((visibility ("hidden")));

/*
 * Who takes records of a type (knobs, callables, expectations belong to assertions). ADD is called
 * [lock] for each record of a module that registers, also for those registered before; REMOVE when
 * the module goes (dlclose): nobody may touch the record after it.
 */
struct ppi_record_handler {
	void (*add) (struct pp_abi_record *record);
	void (*remove) (struct pp_abi_record *record);
};

void ppi_record_handler_set (enum pp_abi_record_type type,
			     const struct ppi_record_handler *handler);

/*
 * Has the program itself an instrumented module that has not registered yet or has? (Its section
 * table is asked once.)
 */
bool ppi_program_has_table (void);

#endif
