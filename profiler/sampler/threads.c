/* SPDX-License-Identifier: MIT */
/* threads.c: see threads.h. */
#include "profiler/sampler/threads.h"

#include "profiler/sampler/event.h"
#include "profiler/sampler/tracked.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * A thread whose handler takes as long as a period does nothing else: a tenth of it at most, and
 * what the kernel takes to interrupt beside.
 */
enum { LEAST_COSTS = 10 };

/*
 * CPU time until a thread that is asked for a sample gets its signal. The kernel looks so often
 * whether it is in the program: where that took as long as this, it would do nothing else. So it
 * becomes twice as long each time that a thread was not, up to LAST_NS.
 */
#define ONCE_NS UINT64_C (50000)
#define LAST_NS UINT64_C (4000000)

struct ppi_timed_thread ppi_slots[PPI_SLOTS];
unsigned ppi_slots_used;

/* The kernel's, not glibc's, which had them in a library of their own once. */
#ifndef SIGEV_THREAD_ID
#define SIGEV_THREAD_ID 4
#endif

/* The CPU clock of a thread, as the kernel numbers them. */
static clockid_t clock_of (uint32_t tid)
{
	return (clockid_t) (~tid << 3 | 6);
}

uint64_t ppi_random_up_to (uint64_t most)
{
	static uint64_t state;

	if (!state && getrandom (&state, sizeof state, GRND_NONBLOCK) != sizeof state)
		state = (uint64_t) time (NULL) << 20 ^ (uint64_t) getpid ();
	state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return most ? (state >> 24) % most + 1 : 1;
}

/* ---- timers ---------------------------------------------------------------------------------- */

static struct timespec span (uint64_t ns)
{
	return (struct timespec){(time_t) (ns / 1000000000u), (long) (ns % 1000000000u)};
}

/*
 * A period of the task clock. Samples are worth the time since the one before, so it may differ
 * each time; but never be much shorter, for the kernel would do nothing else than interrupt.
 */
static uint64_t varied (uint64_t period_ns, struct ppi_timed_thread *slot)
{
	const struct ppi_raw_ring *ring = ppi_rings[slot - ppi_slots];
	uint64_t least = LEAST_COSTS * __atomic_load_n (&ring->cost_ns, __ATOMIC_RELAXED);

	slot->periods = least > period_ns ? (uint32_t) ((least + period_ns - 1) / period_ns) : 1;
	if (period_ns < least)
		period_ns = least;
	return period_ns / 2 + ppi_random_up_to (period_ns);
}

static bool start_timer (const struct ppi_threads_options *options, struct ppi_timed_thread *slot)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = options->signal};

	event.sigev_value.sival_int = (int) (slot - ppi_slots);
	event._sigev_un._tid = (pid_t) slot->tid;
	if (syscall (SYS_timer_create, (long) clock_of (slot->tid), &event, &slot->timer) < 0)
		return false;
	slot->has_timer = true;
	ppi_thread_shift (options, slot);
	return true;
}

void ppi_thread_shift (const struct ppi_threads_options *options, struct ppi_timed_thread *slot)
{
	uint64_t period = options->period_ns;
	struct itimerspec t = {span (period), span (ppi_random_up_to (2 * period))};
	unsigned number = (unsigned) (slot - ppi_slots);

	slot->signals = 0;
	if (options->is_wall)
		return;
	if (slot->has_timer) {
		syscall (SYS_timer_settime, (long) slot->timer, 0L, &t, NULL);
		return;
	}
	if (ppi_event_change (number, varied (period, slot)))
		return;
	ppi_event_close (number);
	(void) start_timer (options, slot);
}

void ppi_thread_interrupt (const struct ppi_threads_options *options, struct ppi_timed_thread *slot)
{
	/* the clock counts while the thread runs only: it expires with the next tick then */
	const struct itimerspec t = {span (0), span (1)};
	unsigned number = (unsigned) (slot - ppi_slots);

	if (!slot->has_timer && slot->once_ns != ONCE_NS) {
		slot->once_ns = ONCE_NS;
		(void) ppi_event_change (number, ONCE_NS);
	}
	if (!slot->has_timer && !ppi_event_once (number)) {
		ppi_event_close (number);
		(void) start_timer (options, slot);
	}
	if (slot->has_timer)
		syscall (SYS_timer_settime, (long) slot->timer, 0L, &t, NULL);
}

void ppi_thread_let_be (struct ppi_timed_thread *slot)
{
	if (slot->has_timer || slot->once_ns >= LAST_NS)
		return;
	slot->once_ns *= 2;
	(void) ppi_event_change ((unsigned) (slot - ppi_slots), slot->once_ns);
}

static bool start (const struct ppi_threads_options *options, struct ppi_timed_thread *slot)
{
	unsigned number = (unsigned) (slot - ppi_slots);
	uint64_t period = options->is_wall ? ONCE_NS : varied (options->period_ns, slot);

	if (ppi_event_open (number, slot->tid, period, options->signal, options->is_wall))
		return true;
	return start_timer (options, slot);
}

static void stop (struct ppi_timed_thread *slot)
{
	if (slot->has_timer)
		syscall (SYS_timer_delete, (long) slot->timer);
	slot->has_timer = false;
	ppi_event_close ((unsigned) (slot - ppi_slots));
}

/* ---- pauses ---------------------------------------------------------------------------------- */

void ppi_threads_pause (struct ppi_threads_options *options)
{
	options->is_paused = true;
	__atomic_store_n (&ppi_samples_paused, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid) {
			ppi_event_pause (i, true);
			ppi_slots[i].paused_ns = ppi_thread_cpu_ns (ppi_slots[i].tid);
		}
}

static void leave_out (struct ppi_timed_thread *slot)
{
	uint64_t *left_out = &ppi_rings[slot - ppi_slots]->left_out_ns;
	uint64_t now_ns = ppi_thread_cpu_ns (slot->tid);

	if (now_ns > slot->paused_ns)
		__atomic_store_n (left_out,
				  __atomic_load_n (left_out, __ATOMIC_RELAXED) + now_ns -
					  slot->paused_ns,
				  __ATOMIC_RELAXED);
}

void ppi_threads_resume (struct ppi_threads_options *options)
{
	options->is_paused = false;
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid)
			leave_out (&ppi_slots[i]);
	/* release: the handler that takes samples again knows what is left out */
	__atomic_store_n (&ppi_samples_paused, 0, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < ppi_slots_used && !options->is_wall; i++)
		if (ppi_slots[i].tid)
			ppi_event_pause (i, false);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static struct ppi_timed_thread *slot_of (uint32_t tid)
{
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid == tid)
			return &ppi_slots[i];
	return NULL;
}

static bool give_ring (unsigned slot)
{
	struct ppi_raw_ring *ring = ppi_rings[slot];

	if (!ring) {
		ring = mmap (NULL, sizeof *ring, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (ring == MAP_FAILED)
			return false;
		/* release: a handler that sees it sees zeros */
		__atomic_store_n (&ppi_rings[slot], ring, __ATOMIC_RELEASE);
	}
	return true;
}

/* At most ROOM - 1 bytes of FILE of thread TID in /proc, and a 0. */
static void read_task (uint32_t tid, const char *file, char *out, size_t room)
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf (path, sizeof path, "/proc/self/task/%u/%s", tid, file);
	fd = open (path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read (fd, out, room - 1);
		close (fd);
	}
	out[n > 0 ? n : 0] = '\0';
}

void ppi_thread_name (uint32_t tid, char *out, size_t room)
{
	read_task (tid, "comm", out, room);
	out[strcspn (out, "\n")] = '\0';
}

bool ppi_thread_blocks (uint32_t tid, int signal)
{
	char status[4096];
	const char *mask;

	read_task (tid, "status", status, sizeof status);
	mask = strstr (status, "\nSigBlk:\t");
	return mask && strtoull (mask + strlen ("\nSigBlk:\t"), NULL, 16) >> (signal - 1) & 1;
}

/*
 * The kernel's line is "NUMBER ... SP PC" of a thread that is in a system call, or -1 where it came
 * there otherwise, and "running".
 */
enum ppi_doing ppi_thread_doing (uint32_t tid, uint64_t *sp, uint64_t *pc)
{
	char text[256], *last, *before;

	read_task (tid, "syscall", text, sizeof text);
	if (strncmp (text, "running", strlen ("running")) == 0)
		return PPI_DOES_RUN;
	text[strcspn (text, "\n")] = '\0';
	last = strrchr (text, ' ');
	if (!last)
		return PPI_DOES_UNKNOWN;
	*last = '\0';
	before = strrchr (text, ' ');
	if (!before)
		return PPI_DOES_UNKNOWN;
	*sp = strtoull (before + 1, NULL, 16);
	*pc = strtoull (last + 1, NULL, 16);
	return *sp && *pc ? PPI_DOES_SLEEP : PPI_DOES_UNKNOWN;
}

uint64_t ppi_thread_slept (uint32_t tid)
{
	static const char before[] = "\nvoluntary_ctxt_switches:\t";
	char status[4096];
	const char *n;

	read_task (tid, "status", status, sizeof status);
	n = strstr (status, before);
	return n ? strtoull (n + strlen (before), NULL, 10) : 0;
}

unsigned ppi_processors (void)
{
	cpu_set_t set;

	/* where there are more than the set has room for, one is little enough */
	return sched_getaffinity (0, sizeof set, &set) == 0 ? (unsigned) CPU_COUNT (&set) : 1;
}

/* A new thread. False: there are too many, or there is no timer. */
static bool take_in (const struct ppi_threads_options *options, uint32_t tid)
{
	struct ppi_timed_thread *slot = slot_of (0);

	if (!slot && ppi_slots_used < PPI_SLOTS)
		slot = &ppi_slots[ppi_slots_used++];
	if (!slot || !give_ring ((unsigned) (slot - ppi_slots)))
		return false;
	memset (slot, 0, sizeof *slot);
	slot->tid = tid;
	slot->once_ns = ONCE_NS;
	slot->seen_now = true;
	ppi_thread_name (tid, slot->name, sizeof slot->name);
	slot->cpu_ns = slot->paused_ns = ppi_thread_cpu_ns (tid);
	/* the ring goes on counting where who had it before left off */
	slot->seen = __atomic_load_n (&ppi_rings[slot - ppi_slots]->seen, __ATOMIC_RELAXED);
	slot->spent_seen = slot->looked_seen = slot->seen;
	__atomic_store_n (&ppi_rings[slot - ppi_slots]->base, 0, __ATOMIC_RELAXED);
	__atomic_store_n (&ppi_rings[slot - ppi_slots]->tid, tid, __ATOMIC_RELAXED);
	__atomic_store_n (&ppi_rings[slot - ppi_slots]->left_out_ns, 0, __ATOMIC_RELAXED);
	if (start (options, slot)) {
		if (options->is_paused)
			ppi_event_pause ((unsigned) (slot - ppi_slots), true);
		return true;
	}
	/* it is tried again at the next look */
	memset (slot, 0, sizeof *slot);
	return false;
}

static void let_go (struct ppi_timed_thread *slot, void (*gone) (struct ppi_timed_thread *slot))
{
	struct ppi_raw_ring *ring = ppi_rings[slot - ppi_slots];

	stop (slot);
	gone (slot);
	/* its memory is given back; a signal that is late finds zeros, and room */
	madvise (ring->data, PPI_RING_BYTES, MADV_DONTNEED);
	memset (slot, 0, sizeof *slot);
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* A number that was given again is another thread, with less CPU time. */
static bool is_another (const struct ppi_timed_thread *slot)
{
	uint64_t now = ppi_thread_cpu_ns (slot->tid);

	return now && now < slot->last_at_ns;
}

static void look_at (const struct ppi_threads_options *options, uint32_t tid,
		     void (*gone) (struct ppi_timed_thread *slot), uint64_t *left_out)
{
	struct ppi_timed_thread *slot = slot_of (tid);

	if (slot && is_another (slot)) {
		let_go (slot, gone);
		slot = NULL;
	}
	if (slot)
		slot->seen_now = true;
	else if (!take_in (options, tid))
		++*left_out;
}

int ppi_threads_look (const struct ppi_threads_options *options,
		      void (*gone) (struct ppi_timed_thread *slot),
		      uint64_t lost[PPI_SAMPLE_LOSSES])
{
	DIR *tasks = opendir ("/proc/self/task");
	struct dirent *entry;
	uint64_t left_out = 0;

	if (!tasks)
		return -errno;
	for (unsigned i = 0; i < ppi_slots_used; i++)
		ppi_slots[i].seen_now = false;
	while ((entry = readdir (tasks))) {
		uint32_t tid = (uint32_t) strtoul (entry->d_name, NULL, 10);

		if (tid && ppi_is_tracked (PPI_SAMPLER_INTERRUPTER, tid))
			look_at (options, tid, gone, &left_out);
	}
	closedir (tasks);
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid && !ppi_slots[i].seen_now)
			let_go (&ppi_slots[i], gone);
	/* the most at any look: the next one finds the same threads again */
	if (left_out > lost[PPI_SAMPLE_TIMER])
		lost[PPI_SAMPLE_TIMER] = left_out;
	return 0;
}

void ppi_threads_stop (void)
{
	for (unsigned i = 0; i < ppi_slots_used; i++)
		stop (&ppi_slots[i]);
}

void ppi_threads_forget (void)
{
	ppi_events_forget ();
	memset (ppi_slots, 0, sizeof ppi_slots);
	ppi_slots_used = 0;
	/* the rings stay; what is in them is the parent's */
	for (unsigned i = 0; i < PPI_SLOTS; i++)
		if (ppi_rings[i]) {
			ppi_rings[i]->tail = ppi_rings[i]->head;
			ppi_rings[i]->full = 0;
		}
}
