/* SPDX-License-Identifier: MIT */
/*
 * perf.c: counters of the processor and of the kernel by perf_event_open(2).
 *
 * A thread opens its own at its first sample (system calls), with as many in one group as the
 * processor can count at the same time: a group is counted together or not at all, and read by one
 * call. What does not fit begins another group, and the kernel lets groups take turns; samples are
 * then scaled by the time that they had, and the share is told. Which event is in which group is
 * the same in all threads, and decided when its first metric is declared:
 *
 *      group 0   events of the kernel: read(2), about 1 µs
 *      group 1…  events of the processor: rdpmc on the mapped pages where the kernel allows it,
 *                else read(2); and task_clock alone: Linux brings it up to date when it leads a
 *                group that is read, but not behind another event
 *
 * Events of the processor and faults are counted in user mode, which needs no privilege up to
 * kernel.perf_event_paranoid 2; switches and migrations happen in the kernel.
 */
#include "stdmetrics/perf.h"

#include "base/types.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/per_thread.h"
#include "stdmetrics/perf_page.h"
#include "stdmetrics/stdmetrics.h"

#include "pp_arch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE(cache, op, result)                                                                   \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* source, type, config, in the kernel too, words */
#define HARDWARE_EVENTS(X)                                                                         \
	X (cycles, HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "processor cycles")                         \
	X (instructions, HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions that were completed") \
	X (ref_cycles, HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,                                     \
	   "cycles of a constant rate, whatever the frequency")                                    \
	X (branches, HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branch instructions")           \
	X (branch_misses, HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,                                   \
	   "branches that were predicted wrongly")                                                 \
	X (cache_references, HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,                             \
	   "accesses to the last cache")                                                           \
	X (cache_misses, HARDWARE, PERF_COUNT_HW_CACHE_MISSES,                                     \
	   "accesses that missed the last cache")                                                  \
	X (stalled_frontend, HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,                      \
	   "cycles that waited for instructions")                                                  \
	X (stalled_backend, HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,                        \
	   "cycles that waited for data or units")                                                 \
	X (l1d_misses, HW_CACHE, CACHE (L1D, READ, MISS),                                          \
	   "reads that missed the first data cache")                                               \
	X (dtlb_misses, HW_CACHE, CACHE (DTLB, READ, MISS),                                        \
	   "reads whose page's address was not in the TLB")                                        \
	X (itlb_misses, HW_CACHE, CACHE (ITLB, READ, MISS),                                        \
	   "fetches whose page's address was not in the TLB")

/* source, config, in the kernel too, unit, factor, words */
#define SOFTWARE_EVENTS(X)                                                                         \
	X (task_clock, PERF_COUNT_SW_TASK_CLOCK, false, SECONDS, 1e-9,                             \
	   "time that the calling thread ran, by perf")                                            \
	X (migrations, PERF_COUNT_SW_CPU_MIGRATIONS, true, PLAIN, 1,                               \
	   "moves of the calling thread to another CPU")                                           \
	X (perf_context_switches, PERF_COUNT_SW_CONTEXT_SWITCHES, true, PLAIN, 1,                  \
	   "context switches of the calling thread, by perf")                                      \
	X (perf_page_faults, PERF_COUNT_SW_PAGE_FAULTS, false, PLAIN, 1,                           \
	   "page faults in user mode, by perf")                                                    \
	X (perf_minor_faults, PERF_COUNT_SW_PAGE_FAULTS_MIN, false, PLAIN, 1,                      \
	   "page faults in user mode without input, by perf")                                      \
	X (perf_major_faults, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false, PLAIN, 1,                      \
	   "page faults in user mode that waited for input, by perf")

enum event {
#define X(id, ...) EVENT_##id,
	HARDWARE_EVENTS (X) SOFTWARE_EVENTS (X)
#undef X
		EVENTS
};

_Static_assert(EVENTS <= PPI_PERF_EVENTS_MAX, "room in struct ppi_per_thread");

static const struct {
	uint32_t type;
	bool in_kernel;
	uint64_t config;
} events[EVENTS] = {
#define X(id, type, config, ...) {PERF_TYPE_##type, false, config},
	HARDWARE_EVENTS (X)
#undef X
#define X(id, config, in_kernel, ...) {PERF_TYPE_SOFTWARE, in_kernel, config},
		SOFTWARE_EVENTS (X)
#undef X
};

/*
 * Written with the runtime's lock; N, with release, after the event is there: markers see whole
 * groups.
 */
static struct group {
	uint32_t n;
	uint8_t event[EVENTS];
} groups[EVENTS];
static uint32_t n_groups = 1; /* with that of the kernel's events */

static struct place {
	uint8_t group, index;
	bool there; /* atomic, last */
} places[EVENTS];

static uint64_t newest_epoch; /* atomic; of all groups that were ever opened no two have the same */

/* ---- opening --------------------------------------------------------------------------------- */

/* For the calling thread, in LEADER's group (-1: its own); a descriptor or a negative errno. */
static int open_event (unsigned event, int leader)
{
	struct perf_event_attr attr = {
		.type = events[event].type,
		.size = sizeof attr,
		.config = events[event].config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = !events[event].in_kernel,
		.exclude_hv = 1,
	};
	long fd = syscall (SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int) fd;
}

static enum ppi_file file_of (unsigned event)
{
	return (enum ppi_file) (PPI_FILE_PERF + event);
}

static int open_member (struct ppi_per_thread *t, int event)
{
	const struct group *g = &groups[places[event].group];

	return open_event ((unsigned) event,
			   places[event].index ? t->descriptor[file_of (g->event[0])] : -1);
}

static uint64_t read_counter (uint32_t index)
{
#if PP_ARCH_HAS_PMC
	return pp_arch_pmc (index);
#else
	(void) index;
	return 0;
#endif
}

static const struct ppi_perf_cpu this_cpu = {read_counter, pp_arch_ticks};

/* The page by which it is read in user mode, if the kernel allows it. */
static void map_page (struct ppi_per_thread *t, unsigned event)
{
	size_t bytes = (size_t) sysconf (_SC_PAGESIZE);
	struct ppi_perf_count count;
	void *page;

	if (!PP_ARCH_HAS_PMC || events[event].type == PERF_TYPE_SOFTWARE)
		return;
	page = mmap (NULL, bytes, PROT_READ, MAP_SHARED, t->descriptor[file_of (event)], 0);
	if (page == MAP_FAILED)
		return;
	if (ppi_perf_page_read (page, &this_cpu, &count))
		t->page[event] = page;
	else
		munmap (page, bytes);
}

/* The group's descriptors are gone or somebody else's: begin anew, with another epoch. */
static void lose_group (struct ppi_per_thread *t, const struct group *g)
{
	for (unsigned i = 0; i < __atomic_load_n (&g->n, __ATOMIC_ACQUIRE); i++)
		ppi_per_thread_close (t, file_of (g->event[i]));
}

/*
 * All members of T's group up to EVENT are open: a later one can't be before an earlier one, values
 * come in that order.
 */
static int ensure (struct ppi_per_thread *t, unsigned event)
{
	const struct group *g = &groups[places[event].group];

	if (t->descriptor[file_of (event)] >= 0)
		return 0;
	/* a member joins whatever the leader's number is by now */
	if (places[event].index && t->descriptor[file_of (g->event[0])] >= 0 &&
	    !ppi_per_thread_has (t, file_of (g->event[0])))
		lose_group (t, g);
	for (unsigned i = 0; i <= places[event].index; i++) {
		unsigned member = g->event[i];

		if (t->descriptor[file_of (member)] >= 0)
			continue;
		if (ppi_per_thread_open (t, file_of (member), open_member, (int) member) < 0)
			return PP_EUNAVAILABLE;
		if (i == 0)
			t->perf_epoch[places[event].group] =
				__atomic_add_fetch (&newest_epoch, 1, __ATOMIC_RELAXED);
		t->perf_number[places[event].group] = 0;
		map_page (t, member);
	}
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int read_group (struct ppi_per_thread *t, unsigned group, uint64_t number)
{
	const struct group *g = &groups[group];
	struct {
		uint64_t n, enabled, running;
		struct {
			uint64_t value, id;
		} of[EVENTS];
	} said = {.n = 0};
	int saved = errno;
	ssize_t bytes = -1;

	if (ppi_per_thread_has (t, file_of (g->event[0])))
		bytes = read (t->descriptor[file_of (g->event[0])], &said, sizeof said);
	errno = saved;
	if (bytes < (ssize_t) offsetof (__typeof__ (said), of) || said.n > EVENTS ||
	    bytes != (ssize_t) (offsetof (__typeof__ (said), of) + said.n * sizeof said.of[0])) {
		lose_group (t, g);
		return PP_ESTATE;
	}
	t->own_bytes += (uint64_t) bytes;
	t->own_calls++;
	for (unsigned i = 0; i < said.n; i++) {
		/* a member that was closed has left the group */
		if (said.of[i].id != t->identity[file_of (g->event[i])]) {
			lose_group (t, g);
			return PP_ESTATE;
		}
		t->perf_count[g->event[i]].value = said.of[i].value;
		t->perf_count[g->event[i]].enabled_ns = said.enabled;
		t->perf_count[g->event[i]].running_ns = said.running;
	}
	t->perf_number[group] = number;
	return 0;
}

/* What an interval keeps of its begin. */
struct begun {
	struct ppi_perf_count count;
	uint64_t epoch; /* of the group: descriptors that were lost and opened again count from 0 */
};

static int read_event (unsigned event, struct begun *out)
{
	struct ppi_per_thread *t = ppi_per_thread ();
	unsigned group = places[event].group;
	int error = t ? ensure (t, event) : PP_EUNAVAILABLE;

	if (error)
		return error;
	out->epoch = t->perf_epoch[group];
	if (t->page[event] && ppi_perf_page_read (t->page[event], &this_cpu, &out->count))
		return 0;
	if (!ppi_is_read (t->perf_number[group]))
		error = read_group (t, group, ppi_reading_number);
	out->count = t->perf_count[event];
	return error;
}

static int begin_event (struct ppi_source_instance *instance, void *slot)
{
	return read_event (instance->source->which, slot);
}

static int end_event (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)
{
	const struct begun *begun = slot;
	unsigned event = instance->source->which;
	uint64_t share, whole;
	struct ppi_per_thread *t;
	struct begun now;
	int error = read_event (event, &now);

	if (error)
		return error;
	if (now.epoch != begun->epoch ||
	    !ppi_perf_between (&begun->count, &now.count, &out->i, &share, &whole))
		return PP_ESTATE;
	t = ppi_per_thread ();
	if (t) {
		/* added up by others */
		__atomic_store_n (&t->perf_whole_ns[event], t->perf_whole_ns[event] + whole,
				  __ATOMIC_RELAXED);
		__atomic_store_n (&t->perf_share_ns[event], t->perf_share_ns[event] + share,
				  __ATOMIC_RELAXED);
	}
	return 0;
}

static double share_of (const struct ppi_source_instance *instance)
{
	unsigned event = instance->source->which;
	uint64_t share = 0, whole = 0;

	for (struct ppi_per_thread *t = ppi_per_thread_first (); t; t = t->next) {
		share += __atomic_load_n (&t->perf_share_ns[event], __ATOMIC_RELAXED);
		whole += __atomic_load_n (&t->perf_whole_ns[event], __ATOMIC_RELAXED);
	}
	return !whole ? NAN : share >= whole ? 1 : (double) share / (double) whole;
}

/* ---- declaring ------------------------------------------------------------------------------- */

int ppi_perf_paranoid (void)
{
	FILE *file = fopen ("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = PPI_PERF_PARANOID_UNKNOWN;

	if (file && fscanf (file, "%d", &level) != 1)
		level = PPI_PERF_PARANOID_UNKNOWN;
	if (file)
		fclose (file);
	return level;
}

void ppi_perf_explain (const char *name, int error, bool hardware, bool in_kernel, int paranoid,
		       char *why, size_t room)
{
	int most = in_kernel ? 1 : 2;

	if (error == EACCES || error == EPERM) {
		if (paranoid != PPI_PERF_PARANOID_UNKNOWN && paranoid > most)
			snprintf (why, room,
				  "the kernel lets this program not count %s: "
				  "kernel.perf_event_paranoid is %d; it takes "
				  "%d or less, or CAP_PERFMON",
				  name, paranoid, most);
		else
			snprintf (why, room,
				  "the kernel lets this program not count %s: perf_event_open is "
				  "forbidden (%s), as by seccomp filters of containers",
				  name, strerror (error));
	} else if (error == ENOSYS) {
		snprintf (why, room, "this kernel has no perf_event_open, by which %s is counted",
			  name);
	} else if (hardware &&
		   (error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == EINVAL)) {
		snprintf (why, room,
			  "this machine has no hardware counter for %s (%s); most virtual machines "
			  "have none at all",
			  name, strerror (error));
	} else {
		snprintf (why, room, "%s can't be counted: perf_event_open says %s", name,
			  strerror (error));
	}
}

/* Can the processor count EVENT together with all of G? */
static bool fits (const struct group *g, unsigned event)
{
	int fd[EVENTS + 1], n = 0;
	bool good = event != EVENT_task_clock && g->event[0] != EVENT_task_clock;

	for (unsigned i = 0; i <= g->n && good; i++) {
		fd[n] = open_event (i < g->n ? g->event[i] : event, n ? fd[0] : -1);
		good = fd[n] >= 0;
		n += good;
	}
	for (int i = 0; i < n; i++)
		close (fd[i]);
	return good;
}

static void put_in (unsigned group, unsigned event)
{
	struct group *g = &groups[group];

	g->event[g->n] = (uint8_t) event;
	places[event].group = (uint8_t) group;
	places[event].index = (uint8_t) g->n;
	__atomic_store_n (&g->n, g->n + 1, __ATOMIC_RELEASE);
	__atomic_store_n (&places[event].there, true, __ATOMIC_RELEASE);
}

static int open_source (struct ppi_source_instance *instance, char *why, size_t room)
{
	unsigned event = instance->source->which, group = 0;
	bool hardware = events[event].type != PERF_TYPE_SOFTWARE;
	int fd;

	if (places[event].there)
		return 0;
	fd = open_event (event, -1);
	if (fd < 0) {
		ppi_perf_explain (instance->source->name, -fd, hardware, events[event].in_kernel,
				  ppi_perf_paranoid (), why, room);
		return PP_EUNAVAILABLE;
	}
	close (fd);
	if (!ppi_per_thread_start ()) {
		snprintf (why, room, "no memory to count %s in each thread",
			  instance->source->name);
		return PP_EUNAVAILABLE;
	}
	if (hardware || event == EVENT_task_clock) {
		for (group = 1; group < n_groups && !fits (&groups[group], event); group++)
			;
		n_groups = group == n_groups ? group + 1 : n_groups;
	}
	put_in (group, event);
	return 0;
}

#define EVENT_SOURCE(id, its_unit, factor, its_reading, words)                                     \
	const struct ppi_source ppi_source_##id = {                                                \
		.name = #id,                                                                       \
		.help = (words),                                                                   \
		.class = PPI_SOURCE_FUNCTION,                                                      \
		.kinds = PPI_FOR_INTERVALS,                                                        \
		.sample_type = PP_ABI_SAMPLE_INT,                                                  \
		.unit = PPI_UNIT_##its_unit,                                                       \
		.scale = (factor),                                                                 \
		.reading = PPI_READING_##its_reading,                                              \
		.begin_bytes = sizeof (struct begun),                                              \
		.which = EVENT_##id,                                                               \
		.open = open_source,                                                               \
		.share = share_of,                                                                 \
		.begin = begin_event,                                                              \
		.end = end_event,                                                                  \
	};
#define X(id, type, config, words)                                                                 \
	EVENT_SOURCE (id, PLAIN, 1, COUNTER, words ", of the calling thread in user mode")
HARDWARE_EVENTS (X)
#undef X
#define X(id, config, in_kernel, its_unit, factor, words)                                          \
	EVENT_SOURCE (id, its_unit, factor, SYSTEM_CALL, words)
SOFTWARE_EVENTS (X)
#undef X
