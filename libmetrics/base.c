/* SPDX-License-Identifier: MIT */
/* base.c: the lock, the clock, messages, errors. */
#include "base.h"

#include "c_locale.h"
#include "lifecycle.h"
#include "message.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* ---- the lock ---------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pid_t lock_pid; /* of the process that the lock's state belongs to */
static uint32_t *ours; /* 1 in that process; in a page that is wiped in its children. NULL: the kernel can't */
static uint32_t process_number;
static unsigned locked; /* how often its owner holds it */
static uintptr_t owner; /* the thread pointer of who holds it, 0: nobody; atomic */
static int cancelling;  /* whether its owner could be cancelled before it took it */
static void (*first_hook) (void);
static void (*child_hook) (void);
static bool is_untold; /* a child of _Fork or clone, whose hook was not called yet; with the lock */

void ppi_child_hook_set (void (*hook) (void))
{
	child_hook = hook;
}

void ppi_lock_hook_set (void (*hook) (void))
{
	first_hook = hook;
}

/*
 * Is this the process that the lock's state belongs to? The child of a vfork is: it has its parent's memory, and the
 * parent's other threads may hold the lock. Where no page can be wiped its own process id tells it apart, and it
 * must not call the library.
 */
static bool is_ours (void)
{
	return ppi_likely (ours) ? ppi_load (ours) : ppi_load (&lock_pid) == getpid ();
}

static void make_ours (void)
{
	if (!ours) {
		uint32_t *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page != MAP_FAILED && madvise (page, 4096, MADV_WIPEONFORK) == 0)
			ours = page;
		else if (page != MAP_FAILED)
			munmap (page, 4096);
	}
	if (!is_ours ())
		process_number++;
	if (ours)
		ppi_store (ours, 1);
	ppi_store (&lock_pid, getpid ());
}

uint32_t ppi_process (void)
{
	return process_number + !is_ours ();
}

bool ppi_is_vfork_child (void)
{
	return is_ours () && ppi_load (&lock_pid) != getpid ();
}

static void taken (int before)
{
	int saved = errno;

	locked = 1;
	ppi_store (&owner, pp_arch_thread_pointer ());
	cancelling = before;
	/* nobody has told a child of _Fork that the region is its parent's: before it is touched, it gets its own */
	if (first_hook)
		first_hook ();
	errno = saved;
}

bool ppi_lock_is_mine (void)
{
	return ppi_load (&owner) == pp_arch_thread_pointer () && is_ours ();
}

/* Whoever has it takes it again at no cost: in a large batch that is done for each site. */
static bool take_again (void)
{
	if (!ppi_lock_is_mine ())
		return false;
	locked++;
	return true;
}

void ppi_lock (void)
{
	int before;

	if (take_again ())
		return;
	/* a child of _Fork or clone, which no handler has told, has a copy of a lock that a thread of its parent may hold */
	if (ppi_unlikely (!is_ours ())) {
		ppi_lock_after_fork (false);
		is_untold = true;
	}
	/* a thread that is cancelled while it writes a message or opens a file would keep the lock for good */
	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &before);
	pthread_mutex_lock (&lock);
	taken (before);
}

bool ppi_try_lock (void)
{
	int before;

	if (take_again ())
		return true;
	if (!is_ours ())
		return false;
	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &before);
	if (pthread_mutex_trylock (&lock) == 0) {
		taken (before);
		return true;
	}
	pthread_setcancelstate (before, NULL);
	return false;
}

static void unlock (bool flushes)
{
	bool tell = is_untold;
	int before = cancelling;

	if (--locked)
		return;
	ppi_store (&owner, 0);
	is_untold = false;
	pthread_mutex_unlock (&lock);
	if (tell && child_hook)
		child_hook ();
	/* what was said with the lock is written without it */
	if (flushes && ppi_load (&ppi_messages_queued))
		ppi_messages_flush ();
	pthread_setcancelstate (before, NULL);
}

void ppi_unlock (void)
{
	unlock (true);
}

void ppi_unlock_at_marker (void)
{
	unlock (false);
}

void ppi_lock_after_fork (bool held)
{
	pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

#ifdef __SANITIZE_THREAD__
	/* it keeps a state of its own for the lock, in which this thread has it */
	if (held && locked) {
		__tsan_mutex_pre_unlock (&lock, 0);
		__tsan_mutex_post_unlock (&lock, 0);
	}
#endif
	/* the owner is the parent's thread; the child has none but this one */
	lock = fresh;
	if (held && locked)
		pthread_setcancelstate (cancelling, NULL);
	locked = 0;
	ppi_store (&owner, 0);
	make_ours ();
	ppi_messages_after_fork_child ();
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

static uint64_t (*replaced_clock) (void);

uint64_t ppi_real_now_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec;
}

uint64_t ppi_now_ns (void)
{
	uint64_t (*clock) (void) = __atomic_load_n (&replaced_clock, __ATOMIC_RELAXED);

	return clock ? clock () : ppi_real_now_ns ();
}

void ppi_clock_set (uint64_t (*clock) (void))
{
	__atomic_store_n (&replaced_clock, clock, __ATOMIC_RELAXED);
}

/*
 * Ticks are converted with the ratio of both clocks' advance since the start: after a tenth of a second it is right
 * to a millionth and is kept, so that a figure once told does not change by conversion. Only differences are converted, all by one ratio: so
 * conversion is monotonic, and what it is wrong by (and what NTP corrects CLOCK_MONOTONIC by, up to 500 millionths) does not add up.
 */
enum { CALIBRATION_NS = 100000000, CALIBRATION_LEAST_NS = 2000000 };

static uint64_t start_ticks, start_ns, start_slept_ns;
static uint64_t final_ratio; /* bits of a double, 0: not yet */

/* How long the machine has been suspended since it was booted: CLOCK_MONOTONIC stood still, ticks perhaps did not. */
static uint64_t slept_ns (void)
{
	struct timespec t;

	if (clock_gettime (CLOCK_BOOTTIME, &t) < 0)
		return 0;
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec - ppi_real_now_ns ();
}

/* A pair of readings with little between them: the best of a few. */
static void read_both (uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = ppi_ticks (), t = ppi_real_now_ns (), after = ppi_ticks ();

		if (after - before < best) {
			best = after - before;
			*ticks = before + (after - before) / 2;
			*ns = t;
		}
	}
}

void ppi_clock_start (void)
{
	if (start_ns)
		return;
	ppi_ticks_choose ();
	start_slept_ns = slept_ns ();
	read_both (&start_ticks, &start_ns);
}

void ppi_clock_origin (uint64_t *ticks, uint64_t *ns)
{
	ppi_clock_start ();
	*ticks = start_ticks;
	*ns = start_ns;
}

double ppi_seconds_per_tick (void)
{
	union {
		uint64_t bits;
		double ratio;
	} u = {.bits = __atomic_load_n (&final_ratio, __ATOMIC_RELAXED)};
	uint64_t ticks = 0, ns = 0, from_ticks, from_ns;

	if (u.bits)
		return u.ratio;
	ppi_clock_start ();
	if (!ppi_ticks_are_trusted)
		return 1e-9; /* they are CLOCK_MONOTONIC's */
	from_ticks = start_ticks;
	from_ns = start_ns;
	/* over a time in which the machine slept the ratio would be wrong by that: from now on, then */
	if ((int64_t) (slept_ns () - start_slept_ns) > CALIBRATION_LEAST_NS)
		read_both (&from_ticks, &from_ns);
	do
		read_both (&ticks, &ns);
	while (ns - from_ns < CALIBRATION_LEAST_NS);
	u.ratio = (double) (ns - from_ns) * 1e-9 / (double) (ticks - from_ticks);
	if (ns - from_ns >= CALIBRATION_NS)
		__atomic_store_n (&final_ratio, u.bits, __ATOMIC_RELAXED);
	return u.ratio;
}

uint64_t ppi_ticks_to_ns (uint64_t ticks)
{
	ppi_clock_start ();
	return start_ns +
	       (uint64_t) (int64_t) ((double) (int64_t) (ticks - start_ticks) * ppi_seconds_per_tick () * 1e9);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void (*message_sink) (const char *line, void *arg);
static void *message_arg;

void ppi_message_set (void (*sink) (const char *line, void *arg), void *arg)
{
	ppi_lock ();
	message_sink = sink;
	message_arg = arg;
	ppi_unlock ();
}

static void message_out (const char *format, va_list args)
{
	PPI_C_LOCALE;
	char line[1024] = "pp: ";
	size_t used = 4;
	int n = vsnprintf (line + used, sizeof (line) - used - 1, format, args);

	if (n < 0)
		return;
	used += (size_t) n < sizeof (line) - used - 1 ? (size_t) n : sizeof (line) - used - 2;
	ppi_lock ();
	if (message_sink) {
		message_sink (line + 4, message_arg);
	} else {
		line[used++] = '\n';
		ppi_messages_add (line, used);
	}
	ppi_unlock ();
}

void ppi_message (const char *format, ...)
{
	va_list args;

	va_start (args, format);
	message_out (format, args);
	va_end (args);
}

void ppi_message_once (const void *what, const char *format, ...)
{
	enum { REMEMBERED = 256 };
	static const void *told[REMEMBERED];
	static unsigned n;
	va_list args;
	bool known = false;

	ppi_lock ();
	for (unsigned i = 0; i < n; i++)
		known |= told[i] == what;
	if (!known && n < REMEMBERED)
		told[n++] = what;
	else
		known = true;
	ppi_unlock ();
	if (known)
		return;
	va_start (args, format);
	message_out (format, args);
	va_end (args);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

const char *pp_strerror (int error)
{
	switch (error) {
	case PP_OK:
		return "success";
	case PP_EINVAL:
		return "an argument makes no sense";
	case PP_ENOENT:
		return "there is nothing of that name";
	case PP_EAMBIGUOUS:
		return "several sites answer to that name";
	case PP_EKIND:
		return "a metric of another kind than the site";
	case PP_ENOMEM:
		return "no memory";
	case PP_EEXIST:
		return "declared before, and differently";
	case PP_EUNAVAILABLE:
		return "this machine or kernel does not have it";
	case PP_EPOLICY:
		return "the policy has errors";
	case PP_EIO:
		return "a file could not be read or written";
	case PP_ECODE:
		return "the code at a marker could not be changed";
	case PP_ESTATE:
		return "not possible in this state";
	default:
		return "unknown error";
	}
}
