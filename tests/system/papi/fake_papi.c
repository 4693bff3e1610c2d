/* SPDX-License-Identifier: MIT */
/*
 * fake_papi.c: a PAPI for a processor that counts two events at a time, preloaded in place of the
 * real one. Its events are FAKE_0 to FAKE_7: FAKE_i counts i + 1 for each call of fake_work in its
 * thread, while its set runs. A multiplexed set counts as many as there are; it tells the calls
 * that matter in fake_calls.
 */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 8, COUNTERS = 2, SETS = 4096 };

struct fake_calls {
	int reads, multiplexed, created, destroyed;
} fake_calls;

static __thread long long work;
static struct set {
	int used, multiplexed, running, n, code[EVENTS];
	long long begin;
} sets[SETS];

void fake_work (void)
{
	work++;
}

int PAPI_library_init (int version)
{
	return version;
}

int PAPI_is_initialized (void)
{
	return PAPI_NOT_INITED;
}

int PAPI_thread_init (unsigned long (*id) (void))
{
	(void) id;
	return PAPI_OK;
}

int PAPI_register_thread (void)
{
	return PAPI_OK;
}

int PAPI_unregister_thread (void)
{
	return PAPI_OK;
}

int PAPI_multiplex_init (void)
{
	return PAPI_OK;
}

int PAPI_num_components (void)
{
	return 0;
}

const PAPI_component_info_t *PAPI_get_component_info (int component)
{
	(void) component;
	return NULL;
}

char *PAPI_strerror (int error)
{
	static char text[] = "no such event";

	(void) error;
	return text;
}

int PAPI_event_name_to_code (const char *name, int *code)
{
	if (strncmp (name, "FAKE_", 5) != 0 || name[5] < '0' || name[5] >= '0' + EVENTS || name[6])
		return PAPI_ENOEVNT;
	*code = name[5] - '0';
	return PAPI_OK;
}

int PAPI_get_event_component (int code)
{
	(void) code;
	return 0;
}

int PAPI_create_eventset (int *id)
{
	for (int i = 1; i < SETS; i++)
		if (!__atomic_exchange_n (&sets[i].used, 1, __ATOMIC_SEQ_CST)) {
			__atomic_fetch_add (&fake_calls.created, 1, __ATOMIC_SEQ_CST);
			sets[i].multiplexed = sets[i].running = sets[i].n = 0;
			*id = i;
			return PAPI_OK;
		}
	return PAPI_ENOMEM;
}

int PAPI_assign_eventset_component (int id, int component)
{
	(void) id;
	return component == 0 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_set_multiplex (int id)
{
	if (sets[id].n)
		return PAPI_EINVAL;
	sets[id].multiplexed = 1;
	__atomic_fetch_add (&fake_calls.multiplexed, 1, __ATOMIC_SEQ_CST);
	return PAPI_OK;
}

int PAPI_add_event (int id, int code)
{
	struct set *s = &sets[id];

	if (s->running)
		return PAPI_EISRUN;
	if (s->n == EVENTS || (!s->multiplexed && s->n == COUNTERS))
		return PAPI_ECNFLCT;
	s->code[s->n++] = code;
	return PAPI_OK;
}

int PAPI_start (int id)
{
	sets[id].begin = work;
	sets[id].running = 1;
	return PAPI_OK;
}

static int tell (int id, long long *values)
{
	for (int i = 0; i < sets[id].n; i++)
		values[i] = (sets[id].code[i] + 1) * (work - sets[id].begin);
	return PAPI_OK;
}

int PAPI_read (int id, long long *values)
{
	__atomic_fetch_add (&fake_calls.reads, 1, __ATOMIC_SEQ_CST);
	return sets[id].running ? tell (id, values) : PAPI_ENOTRUN;
}

int PAPI_stop (int id, long long *values)
{
	if (!sets[id].running)
		return PAPI_ENOTRUN;
	sets[id].running = 0;
	return tell (id, values);
}

int PAPI_cleanup_eventset (int id)
{
	if (sets[id].running)
		return PAPI_EISRUN;
	sets[id].n = 0;
	return PAPI_OK;
}

int PAPI_destroy_eventset (int *id)
{
	if (sets[*id].n)
		return PAPI_EINVAL;
	__atomic_store_n (&sets[*id].used, 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_add (&fake_calls.destroyed, 1, __ATOMIC_SEQ_CST);
	*id = PAPI_NULL;
	return PAPI_OK;
}
