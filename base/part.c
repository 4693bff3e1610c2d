/* SPDX-License-Identifier: MIT */
/* part.c: see part.h. */
#include "base/part.h"

#include "base/command.h"

#include <stddef.h>
#include <string.h>

static const struct ppi_part *const nobody[] = {NULL};
static const struct ppi_part *const *parts = nobody;

void ppi_parts_set (const struct ppi_part *const *list)
{
	parts = list;
}

/* FUNCTION of each part that has it */
#define CALL_EACH(function, ...)                                                                   \
	do                                                                                         \
		for (const struct ppi_part *const *p = parts; *p; p++)                             \
			if ((*p)->function)                                                        \
				(*p)->function (__VA_ARGS__);                                      \
	while (0)

void ppi_parts_init (void)
{
	CALL_EACH (init);
}

void ppi_parts_module_added (void)
{
	CALL_EACH (module_added);
}

void ppi_parts_module_removed (void)
{
	CALL_EACH (module_removed);
}

void ppi_parts_module_ready (bool is_program)
{
	CALL_EACH (module_ready, is_program);
}

void ppi_parts_names_changed (void)
{
	CALL_EACH (names_changed);
}

void ppi_parts_fork_prepare (void)
{
	CALL_EACH (fork_prepare);
}

/* In the opposite order of their preparing: what was locked last is unlocked first. */
void ppi_parts_fork_parent (void)
{
	const struct ppi_part *const *p = parts;

	while (*p)
		p++;
	while (p-- > parts)
		if ((*p)->fork_parent)
			(*p)->fork_parent ();
}

void ppi_parts_fork_child (void)
{
	CALL_EACH (fork_child);
}

void ppi_parts_housekeeping (void)
{
	CALL_EACH (housekeeping);
}

void ppi_parts_figures (void)
{
	CALL_EACH (figures);
}

void ppi_parts_measuring (void)
{
	CALL_EACH (measuring);
}

void ppi_parts_fini (void)
{
	CALL_EACH (fini);
}

bool ppi_parts_need_thread (void)
{
	for (const struct ppi_part *const *p = parts; *p; p++)
		if ((*p)->needs_thread && (*p)->needs_thread ())
			return true;
	return false;
}

bool ppi_parts_need_time (void)
{
	for (const struct ppi_part *const *p = parts; *p; p++)
		if (!(*p)->is_patient && (*p)->needs_thread && (*p)->needs_thread ())
			return true;
	return false;
}

static uint64_t earlier (uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t ppi_parts_tick (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	for (const struct ppi_part *const *p = parts; *p; p++)
		if ((*p)->tick)
			next = earlier (next, (*p)->tick (now_ns));
	return next;
}

uint64_t ppi_parts_after_tick (uint64_t now_ns, bool polled)
{
	uint64_t next = UINT64_MAX;

	for (const struct ppi_part *const *p = parts; *p; p++)
		if ((*p)->after_tick)
			next = earlier (next, (*p)->after_tick (now_ns, polled));
	return next;
}

bool ppi_parts_expressions (ppi_expression_fn fn, void *arg)
{
	for (const struct ppi_part *const *p = parts; *p; p++)
		if ((*p)->expressions && (*p)->expressions (fn, arg))
			return true;
	return false;
}

const struct ppi_command *ppi_parts_command (const char *name)
{
	for (const struct ppi_part *const *p = parts; *p; p++)
		for (const struct ppi_command *c = (*p)->commands; c && c->name; c++)
			if (strcmp (c->name, name) == 0)
				return c;
	return NULL;
}

const struct ppi_part_key *ppi_parts_key (const char *name)
{
	for (const struct ppi_part *const *p = parts; *p; p++)
		for (const struct ppi_part_key *k = (*p)->keys; k && k->name; k++)
			if (strcmp (k->name, name) == 0)
				return k;
	return NULL;
}
