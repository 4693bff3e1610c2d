/* SPDX-License-Identifier: MIT */
/* lock.c: the lock, and what a child that comes without fork finds of it. See lock.h. */
#include "base/lock.h"

#include "base/atomic.h"
#include "base/message.h"
#include "base/rank.h"

#include "pp_arch.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* ---- the lock -------------------------------------------------------------------------------- */

#if PPI_RANKS_ARE_CHECKED
__thread unsigned ppi_ranks_held;
#endif

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pid_t lock_pid; /* of the process that the lock's state belongs to */
/* 1 in that process; in a page that is wiped in its children. NULL: the kernel can't */
static uint32_t *ours;
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
 * Is this the process that the lock's state belongs to? The child of a vfork is: it has its
 * parent's memory, and the parent's other threads may hold the lock. Where no page can be wiped its
 * own process id tells it apart, and it must not call the library.
 */
static bool is_ours (void)
{
	return ppi_likely (ours) ? ppi_load (ours) : ppi_load (&lock_pid) == getpid ();
}

static void make_ours (void)
{
	if (!ours) {
		uint32_t *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

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
	/*
	 * nobody has told a child of _Fork that the region is its parent's: before it is touched,
	 * it gets its own
	 */
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
	/*
	 * a child of _Fork or clone, which no handler has told, has a copy of a lock that a thread
	 * of its parent may hold
	 */
	if (ppi_unlikely (!is_ours ())) {
		ppi_lock_after_fork (false);
		is_untold = true;
	}
	/*
	 * a thread that is cancelled while it writes a message or opens a file would keep the lock
	 * for good
	 */
	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &before);
	ppi_rank_take (PPI_RANK_RUNTIME);
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
		ppi_rank_got (PPI_RANK_RUNTIME);
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
	ppi_rank_give (PPI_RANK_RUNTIME);
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
	ppi_ranks_forget ();
	ppi_store (&owner, 0);
	make_ours ();
	ppi_messages_after_fork_child ();
}

void ppi_lock_look (void)
{
	if (first_hook)
		first_hook ();
}
