/* SPDX-License-Identifier: MIT */
/* per_thread.c: descriptors of threads; see per_thread.h. */
#include "stdmetrics/per_thread.h"

#include "base/message.h"
#include "stdmetrics/stdmetrics.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Our numbers begin here, or at half of what is allowed: above what a program with few files gets.
 */
#define NUMBERS_FROM 512
/* After a failure the next look comes after so many readings. */
#define AGAIN_AFTER 256u

static struct ppi_per_thread *all; /* every one, newest first; only ever prepended to */
/* in a page that is wiped in children: the process's generation, 0 in a new child */
static uint32_t *alive;
static uint32_t newest_generation; /* not wiped */
static pid_t process;              /* whose generation it is; atomic */
static int numbers_from;
static pthread_key_t key;
static int refused; /* errno of a descriptor that could not be had; atomic, told later */

static __thread struct ppi_per_thread *mine __attribute__ ((tls_model ("initial-exec")));
static __thread bool busy __attribute__ ((tls_model ("initial-exec"))); /* making or opening */
/* the thread's destructors run */
static __thread bool ended __attribute__ ((tls_model ("initial-exec")));

/* ---- closing --------------------------------------------------------------------------------- */

/* What tells FD from all other files that this process may have; 0: it is none of that kind. */
static uint64_t identity_of (int fd, int which)
{
	struct statfs fs;
	struct stat st;
	uint64_t id = 0;

	if (which >= PPI_FILE_PERF)
		return ioctl (fd, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
	return fstatfs (fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC && fstat (fd, &st) == 0
		       ? st.st_ino
		       : 0;
}

/* A program may have closed it, and given the number to a file of its own. */
static bool is_ours (const struct ppi_per_thread *t, int which)
{
	int fd = t->descriptor[which];

	return fd >= 0 && t->identity[which] && identity_of (fd, which) == t->identity[which];
}

bool ppi_per_thread_has (struct ppi_per_thread *t, enum ppi_file which)
{
	int saved = errno;
	bool has = is_ours (t, which);

	if (!has)
		t->descriptor[which] = PPI_FILE_CLOSED;
	errno = saved;
	return has;
}

/* MAPPED: its page is there; the kernel does not hand pages of events to children. */
static void close_one (struct ppi_per_thread *t, enum ppi_file which, bool mapped)
{
	int fd = t->descriptor[which];

	if (which >= PPI_FILE_PERF && t->page[which - PPI_FILE_PERF]) {
		if (mapped)
			munmap (t->page[which - PPI_FILE_PERF], (size_t) sysconf (_SC_PAGESIZE));
		t->page[which - PPI_FILE_PERF] = NULL;
	}
	if (fd >= 0 && is_ours (t, which))
		close (fd);
	t->descriptor[which] = PPI_FILE_CLOSED;
}

static void close_all (struct ppi_per_thread *t, bool mapped)
{
	for (int i = 0; i < PPI_FILES; i++)
		close_one (t, (enum ppi_file) i, mapped);
}

void ppi_per_thread_close (struct ppi_per_thread *t, enum ppi_file which)
{
	int saved = errno;

	close_one (t, which, true);
	errno = saved;
}

struct ppi_per_thread *ppi_per_thread_first (void)
{
	return __atomic_load_n (&all, __ATOMIC_ACQUIRE);
}

static void end_thread (void *arg)
{
	struct ppi_per_thread *t = arg;
	int saved = errno;

	ended = true;
	mine = NULL;
	/* in a child it was closed, and perhaps given away, long ago */
	if (t->generation == __atomic_load_n (alive, __ATOMIC_ACQUIRE)) {
		close_all (t, true);
		__atomic_store_n (&t->used, 0, __ATOMIC_RELEASE);
	}
	errno = saved;
}

/* ---- the start, and children ----------------------------------------------------------------- */

bool ppi_per_thread_start (void)
{
	struct rlimit limit;
	void *page;

	if (alive)
		return true;
	page = mmap (NULL, (size_t) sysconf (_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;
	if (madvise (page, (size_t) sysconf (_SC_PAGESIZE), MADV_WIPEONFORK) != 0 ||
	    pthread_key_create (&key, end_thread) != 0) {
		munmap (page, (size_t) sysconf (_SC_PAGESIZE));
		return false;
	}
	numbers_from = NUMBERS_FROM;
	if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < NUMBERS_FROM)
		numbers_from = (int) (limit.rlim_cur / 2);
	process = getpid ();
	*(uint32_t *) page = newest_generation = 1;
	__atomic_store_n (&alive, page, __ATOMIC_RELEASE);
	return true;
}

/*
 * In a child, whose memory has but one thread yet, or several that were started there: one of them
 * does it.
 */
static void renew (void)
{
	const uint32_t doing = UINT32_MAX;
	uint32_t none = 0;

	if (!__atomic_compare_exchange_n (alive, &none, doing, false, __ATOMIC_ACQUIRE,
					  __ATOMIC_RELAXED))
		return;
	for (struct ppi_per_thread *t = __atomic_load_n (&all, __ATOMIC_ACQUIRE); t; t = t->next) {
		close_all (t, false);
		memset (t->perf_share_ns, 0, sizeof t->perf_share_ns);
		memset (t->perf_whole_ns, 0, sizeof t->perf_whole_ns);
		__atomic_store_n (&t->used, 0, __ATOMIC_RELEASE);
	}
	__atomic_store_n (&process, getpid (), __ATOMIC_RELAXED);
	newest_generation++;
	__atomic_store_n (alive, newest_generation, __ATOMIC_RELEASE);
}

/* ---- a thread's ------------------------------------------------------------------------------ */

static struct ppi_per_thread *take_used (void)
{
	for (struct ppi_per_thread *t = __atomic_load_n (&all, __ATOMIC_ACQUIRE); t; t = t->next) {
		uint32_t no = 0;

		if (!__atomic_load_n (&t->used, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n (&t->used, &no, 1, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

static struct ppi_per_thread *take_new (void)
{
	struct ppi_per_thread *t =
		mmap (NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (t == MAP_FAILED)
		return NULL;
	t->used = 1;
	t->next = __atomic_load_n (&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n (&all, &t->next, t, false, __ATOMIC_RELEASE,
					     __ATOMIC_RELAXED))
		;
	return t;
}

static struct ppi_per_thread *make (void)
{
	struct ppi_per_thread *t;

	if (__atomic_load_n (alive, __ATOMIC_ACQUIRE) == 0)
		renew ();
	/*
	 * the child of a vfork: what is opened there is not in the table of descriptors of who uses
	 * it later
	 */
	if (__atomic_load_n (&process, __ATOMIC_RELAXED) != getpid ())
		return NULL;
	t = take_used ();
	if (!t)
		t = take_new ();
	if (!t)
		return NULL;
	for (int i = 0; i < PPI_FILES; i++) {
		t->descriptor[i] = PPI_FILE_CLOSED;
		t->failed[i] = 0;
	}
	t->own_bytes = t->own_calls = t->io_number = 0;
	memset (t->perf_number, 0, sizeof t->perf_number);
	t->generation = __atomic_load_n (alive, __ATOMIC_ACQUIRE);
	/* its table of the first 32 keys is part of the thread: no allocation */
	if (pthread_setspecific (key, t) != 0) {
		__atomic_store_n (&t->used, 0, __ATOMIC_RELEASE);
		return NULL;
	}
	return t;
}

struct ppi_per_thread *ppi_per_thread (void)
{
	const uint32_t *page = __atomic_load_n (&alive, __ATOMIC_ACQUIRE);
	struct ppi_per_thread *t = mine;
	int saved = errno;

	if (!page || busy)
		return NULL;
	if (t && t->generation == __atomic_load_n (page, __ATOMIC_RELAXED))
		return t;
	if (ended)
		return NULL;
	busy = true;
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	mine = NULL;
	mine = t = make ();
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	busy = false;
	errno = saved;
	return t;
}

/* ---- its files ------------------------------------------------------------------------------- */

static int open_high (struct ppi_per_thread *t, int (*opener) (struct ppi_per_thread *, int),
		      int arg)
{
	int fd = opener (t, arg), high;

	if (fd < 0 || fd >= numbers_from)
		return fd;
	high = fcntl (fd, F_DUPFD_CLOEXEC, numbers_from);
	if (high < 0)
		return fd; /* a low number is better than none */
	close (fd);
	return high;
}

int ppi_per_thread_open (struct ppi_per_thread *t, enum ppi_file which,
			 int (*opener) (struct ppi_per_thread *t, int arg), int arg)
{
	int fd = t->descriptor[which], saved = errno;

	if (fd >= 0)
		return fd;
	if (busy || t->failed[which]++ % AGAIN_AFTER)
		return -EAGAIN;
	busy = true;
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	fd = __atomic_load_n (&process, __ATOMIC_RELAXED) == getpid () ? open_high (t, opener, arg)
								       : -EAGAIN;
	if (fd >= 0) {
		t->identity[which] = identity_of (fd, which);
		t->descriptor[which] = fd;
		t->failed[which] = 0;
	} else if (fd != -EAGAIN) {
		__atomic_store_n (&refused, -fd, __ATOMIC_RELAXED);
	}
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	busy = false;
	errno = saved;
	return fd;
}

long ppi_per_thread_read (struct ppi_per_thread *t, enum ppi_file which, char *text, unsigned room)
{
	int saved = errno;
	long n;

	if (!ppi_per_thread_has (t, which))
		return -EBADF;
	n = pread (t->descriptor[which], text, room - 1, 0);
	if (n < 0) {
		n = -errno;
		t->descriptor[which] = PPI_FILE_CLOSED;
		errno = saved;
		return n;
	}
	text[n] = '\0';
	t->own_bytes += (uint64_t) n;
	t->own_calls++;
	return n;
}

void ppi_sources_tell (void)
{
	static int told;
	int error = __atomic_exchange_n (&refused, 0, __ATOMIC_RELAXED);

	if (!error || __atomic_exchange_n (&told, 1, __ATOMIC_RELAXED))
		return;
	ppi_message ("a thread could not open what a source of its needs: %s%s; its samples are "
		     "counted as dropped (unavailable)",
		     strerror (error),
		     error == EMFILE ? "; ulimit -n allows more descriptors" : "");
}
