/* SPDX-License-Identifier: MIT */
/*
 * papi_module.c: libpp-papi.so, PAPI events as libpp's sources read them.
 *
 * PAPI runs one event set per thread and component, so all events of a component share one. A
 * thread has its own sets, made when it first reads: each with the events opened so far. When an
 * event is opened later, the thread's set is read, stopped, filled up and started again; BASE keeps
 * what was counted before, so that intervals that are open meanwhile see no jump. One read tells
 * all events of a set, once at a marker. When an event does not fit beside the others, the
 * component's sets are made anew as multiplexed ones: PAPI lets their events take turns and scales
 * what they counted.
 *
 * After fork the child's sets would be its parent's: readings fail there (and are counted by libpp
 * as dropped).
 */
#include "stdmetrics/papi_module.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPONENTS_MAX 16 /* that events may be of */
#define EVENTS_MAX 32     /* of a component */

struct ppi_papi_event {
	char *name;
	int code;
	int group; /* index in groups */
	int index; /* in the group's sets */
};

/*
 * The events of one component, in the order in which they are in every thread's set. N is atomic:
 * raised after the event is there.
 */
struct group {
	int component;
	int n;
	bool multiplexed; /* atomic; set before N is raised for the first event that needs it */
	struct ppi_papi_event *event[EVENTS_MAX];
};

/* A thread's running set of one group. */
struct set {
	int id;
	int n; /* events in it */
	bool running;
	bool multiplexed;
	bool failed; /* could not be set up with FAILED_N events */
	int failed_n;
	long long base[EVENTS_MAX];
	uint64_t number; /* of the reading that VALUE is of; 0: none */
	long long value[EVENTS_MAX];
};

struct thread_sets {
	struct set set[COMPONENTS_MAX];
};

static struct group groups[COMPONENTS_MAX]; /* written under the lock; N of each is atomic */
static int n_groups;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t sets_key;
static bool in_child; /* atomic */
static __thread struct thread_sets *my_sets __attribute__ ((tls_model ("global-dynamic")));
static __thread bool setting_up;

static void note_fork (void)
{
	__atomic_store_n (&in_child, true, __ATOMIC_RELAXED);
}

static void end_thread (void *arg)
{
	struct thread_sets *sets = arg;
	long long values[EVENTS_MAX];

	my_sets = NULL;
	if (!__atomic_load_n (&in_child, __ATOMIC_RELAXED)) {
		for (int i = 0; i < COMPONENTS_MAX; i++)
			if (sets->set[i].id != PAPI_NULL) {
				if (sets->set[i].running)
					(void) PAPI_stop (sets->set[i].id, values);
				(void) PAPI_cleanup_eventset (sets->set[i].id);
				(void) PAPI_destroy_eventset (&sets->set[i].id);
			}
		(void) PAPI_unregister_thread ();
	}
	free (sets);
}

/* Once per process, with the lock. */
static bool start_papi (char *why, size_t room)
{
	static bool started;
	int version;

	if (started)
		return true;
	version = PAPI_is_initialized () == PAPI_NOT_INITED ? PAPI_library_init (PAPI_VER_CURRENT)
							    : (int) PAPI_VER_CURRENT;
	if (version != (int) PAPI_VER_CURRENT) {
		snprintf (why, room, "PAPI can't be initialised: %s",
			  version > 0 ? "the loaded library is of another version"
				      : PAPI_strerror (version));
		return false;
	}
	if (PAPI_thread_init ((unsigned long (*) (void)) pthread_self) != PAPI_OK ||
	    pthread_key_create (&sets_key, end_thread) != 0) {
		snprintf (why, room, "PAPI can't be prepared for threads");
		return false;
	}
	(void) pthread_atfork (NULL, NULL, note_fork);
	started = true;
	return true;
}

/*
 * Why the hardware's events can't be counted here, or NULL: what to answer for PAPI_L1_DCM on a
 * machine without counters.
 */
static const PAPI_component_info_t *disabled_cpu_component (void)
{
	for (int i = 0; i < PAPI_num_components (); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info (i);

		if (info && strcmp (info->name, "perf_event") == 0 && info->disabled)
			return info;
	}
	return NULL;
}

/*
 * Why NAME, a preset of PAPI's, finds no counter on this machine; NULL: it does, or is none. PAPI
 * knows processors by their number; a virtual one may have that number and no counters.
 */
static const char *lacking_counters (const char *name)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof attr,
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .exclude_kernel = 1};
	int code, fd;

	if (PAPI_event_name_to_code (name, &code) != PAPI_OK || !(code & (int) PAPI_PRESET_MASK))
		return NULL;
	for (int i = 0; i < PAPI_num_components (); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info (i);

		if (info && strcmp (info->name, "perf_event") == 0 && info->num_preset_events == 0)
			return "its component perf_event has no preset events here";
	}
	fd = (int) syscall (SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close (fd);
	return fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP)
		       ? "the kernel knows none of this processor"
		       : NULL;
}

static void explain (const char *name, int error, int component, char *why, size_t room)
{
	const PAPI_component_info_t *info =
		component >= 0 ? PAPI_get_component_info (component) : disabled_cpu_component ();
	const char *lacking = error == PAPI_ENOEVNT ? lacking_counters (name) : NULL;

	if (info && info->disabled && strcmp (info->name, "perf_event") == 0)
		snprintf (why, room,
			  "this machine has no hardware counters: PAPI's component %s is disabled "
			  "because \"%s\", so papi:%s can't be counted",
			  info->name, info->disabled_reason, name);
	else if (info && info->disabled)
		snprintf (why, room,
			  "PAPI's component %s is disabled because \"%s\", so papi:%s can't be "
			  "counted",
			  info->name, info->disabled_reason, name);
	else if (lacking)
		snprintf (why, room,
			  "this machine has no hardware counters that PAPI can use, because %s, so "
			  "papi:%s can't be counted",
			  lacking, name);
	else
		snprintf (why, room,
			  "PAPI can't count %s: %s (papi_avail and papi_native_avail list what "
			  "there is)",
			  name, PAPI_strerror (error));
}

/* An empty set of COMPONENT. */
static int new_set (int component, bool multiplexed, int *id)
{
	int error;

	*id = PAPI_NULL;
	error = PAPI_create_eventset (id);
	if (error != PAPI_OK || !multiplexed)
		return error;
	error = PAPI_assign_eventset_component (*id, component);
	return error == PAPI_OK ? PAPI_set_multiplex (*id) : error;
}

/* Tries GROUP's events and CODE together, without starting them. */
static int try_set (const struct group *group, int code, bool multiplexed)
{
	int id, error = new_set (group->component, multiplexed, &id);

	for (int i = 0; i < group->n && error == PAPI_OK; i++)
		error = PAPI_add_event (id, group->event[i]->code);
	if (error == PAPI_OK)
		error = PAPI_add_event (id, code);
	if (id != PAPI_NULL) {
		(void) PAPI_cleanup_eventset (id);
		(void) PAPI_destroy_eventset (&id);
	}
	return error;
}

/* As one more of GROUP's, taking turns with the others where it must. */
static int try_in (struct group *group, int code)
{
	static bool prepared;
	int error = try_set (group, code, group->multiplexed), other;

	if ((error != PAPI_ECNFLCT && error != PAPI_ECOUNT) || group->multiplexed || group->n == 0)
		return error;
	if (!prepared && PAPI_multiplex_init () != PAPI_OK)
		return error;
	prepared = true;
	other = try_set (group, code, true);
	if (other == PAPI_OK)
		__atomic_store_n (&group->multiplexed, true, __ATOMIC_RELEASE);
	return other == PAPI_OK ? other : error;
}

static struct group *group_of (int component)
{
	for (int i = 0; i < n_groups; i++)
		if (groups[i].component == component)
			return &groups[i];
	if (n_groups == COMPONENTS_MAX)
		return NULL;
	groups[n_groups].component = component;
	return &groups[n_groups++];
}

static struct ppi_papi_event *find_event (const char *name)
{
	for (int g = 0; g < n_groups; g++)
		for (int i = 0; i < groups[g].n; i++)
			if (strcmp (groups[g].event[i]->name, name) == 0)
				return groups[g].event[i];
	return NULL;
}

static struct ppi_papi_event *add_event (const char *name, int code, struct group *group, char *why,
					 size_t room)
{
	struct ppi_papi_event *event = calloc (1, sizeof *event);

	if (event)
		event->name = strdup (name);
	if (!event || !event->name) {
		free (event);
		snprintf (why, room, "no memory");
		return NULL;
	}
	event->code = code;
	event->group = (int) (group - groups);
	event->index = group->n;
	group->event[group->n] = event;
	__atomic_store_n (&group->n, group->n + 1, __ATOMIC_RELEASE);
	return event;
}

static struct ppi_papi_event *open_locked (const char *name, char *why, size_t room)
{
	struct ppi_papi_event *event;
	struct group *group;
	int code = 0, component = -1, error;

	if (!start_papi (why, room))
		return NULL;
	event = find_event (name);
	if (event)
		return event;
	error = PAPI_event_name_to_code (name, &code);
	if (error == PAPI_OK)
		component = PAPI_get_event_component (code);
	if (error != PAPI_OK || component < 0) {
		explain (name, error, -1, why, room);
		return NULL;
	}
	group = group_of (component);
	error = group && group->n < EVENTS_MAX ? try_in (group, code) : PAPI_ECOUNT;
	if (error == PAPI_OK)
		return add_event (name, code, group, why, room);
	if (group && group->n > 0 && (error == PAPI_ECNFLCT || error == PAPI_ECOUNT))
		snprintf (why, room,
			  "PAPI can't count %s beside the %d events of the same component that are "
			  "counted already, not even in turns",
			  name, group->n);
	else
		explain (name, error, component, why, room);
	return NULL;
}

static struct ppi_papi_event *open_event (const char *name, char *why, size_t room)
{
	struct ppi_papi_event *event;

	pthread_mutex_lock (&lock);
	event = open_locked (name, why, room);
	pthread_mutex_unlock (&lock);
	return event;
}

/* ---- at markers ------------------------------------------------------------------------------ */

static bool on_signal_stack (void)
{
	stack_t now;

	return sigaltstack (NULL, &now) == 0 && (now.ss_flags & SS_ONSTACK);
}

static bool prepare_thread (void)
{
	if (my_sets)
		return true;
	my_sets = calloc (1, sizeof *my_sets);
	if (!my_sets)
		return false;
	for (int i = 0; i < COMPONENTS_MAX; i++)
		my_sets->set[i].id = PAPI_NULL;
	(void) PAPI_register_thread ();
	(void) pthread_setspecific (sets_key, my_sets);
	return true;
}

/* Stops SET, keeping what it counted in BASE. */
static bool pause_set (struct set *set)
{
	long long values[EVENTS_MAX];

	if (!set->running)
		return true;
	if (PAPI_stop (set->id, values) != PAPI_OK)
		return false;
	set->running = false;
	for (int i = 0; i < set->n; i++)
		set->base[i] += values[i];
	return true;
}

static bool fill_set (struct set *set, const struct group *group, int n)
{
	bool multiplexed = __atomic_load_n (&group->multiplexed, __ATOMIC_ACQUIRE);

	set->number = 0;
	if (!pause_set (set))
		return false;
	/* a set can't become a multiplexed one while there are events in it */
	if (set->id != PAPI_NULL && set->multiplexed != multiplexed) {
		(void) PAPI_cleanup_eventset (set->id);
		(void) PAPI_destroy_eventset (&set->id);
		set->id = PAPI_NULL;
		set->n = 0;
	}
	if (set->id == PAPI_NULL && new_set (group->component, multiplexed, &set->id) != PAPI_OK)
		return false;
	set->multiplexed = multiplexed;
	while (set->n < n) {
		if (PAPI_add_event (set->id, group->event[set->n]->code) != PAPI_OK)
			break;
		set->n++;
	}
	/* what could be added goes on being counted, also where the newest could not */
	set->running = set->n > 0 && PAPI_start (set->id) == PAPI_OK;
	return set->running && set->n == n;
}

static bool grow_set (struct set *set, const struct group *group, int n)
{
	if (set->failed && set->failed_n == n)
		return false;
	set->failed = !fill_set (set, group, n);
	set->failed_n = n;
	return !set->failed;
}

/*
 * The calling thread's set of GROUP with at least INDEX + 1 events, set up if need be; NULL: it
 * can't be now.
 */
static struct set *ready_set (const struct group *group, int g, int index)
{
	int n = __atomic_load_n (&group->n, __ATOMIC_ACQUIRE);
	struct set *set = my_sets ? &my_sets->set[g] : NULL;

	if (set && set->running && set->n > index)
		return set;
	if (setting_up || on_signal_stack ())
		return NULL;
	setting_up = true;
	set = prepare_thread () ? &my_sets->set[g] : NULL;
	if (set)
		(void) grow_set (set, group, n);
	setting_up = false;
	return set && set->running && set->n > index ? set : NULL;
}

static int read_event (struct ppi_papi_event *event, uint64_t number, int64_t *out)
{
	long long values[EVENTS_MAX];
	struct set *set;

	if (__atomic_load_n (&in_child, __ATOMIC_RELAXED))
		return -1;
	set = ready_set (&groups[event->group], event->group, event->index);
	if (!set)
		return -1;
	if (!number || set->number != number) {
		if (PAPI_read (set->id, values) != PAPI_OK)
			return -1;
		/*
		 * a handler that does the same in between leaves values that are right at some
		 * moment of this marker too
		 */
		memcpy (set->value, values, (size_t) set->n * sizeof *values);
		set->number = number;
	}
	*out = (int64_t) (set->base[event->index] + set->value[event->index]);
	return 0;
}

__attribute__ ((visibility ("default"))) extern const struct ppi_papi_module pp_papi_module;
const struct ppi_papi_module pp_papi_module = {
	{sizeof (struct ppi_papi_module), PPI_PAPI_MODULE_VERSION}, open_event, read_event};
