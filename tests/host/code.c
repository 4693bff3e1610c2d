/* SPDX-License-Identifier: MIT */
/*
 * code.c: how code is changed: no page is ever writable and executable, by whichever route and
 * while threads run there; what can't be written in full is taken back; a library that is loaded
 * where another one was is measured.
 */
#include "again.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
#pragma pp metric m     interval stats(elapsed)
#pragma pp metric other interval histogram(elapsed)
/* clang-format on */

static __thread volatile long sink;

/* on pages of their own */
__attribute__ ((noinline, noclone, aligned (4096))) static void low (void)
{
#pragma pp interval low
	sink++;
}

__attribute__ ((noinline, noclone, aligned (4096))) static void high (void)
{
#pragma pp interval high
	sink++;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static int stop;

/* Lines of /proc/self/maps with both permissions; -1: it can't be read. */
static int writable_code (void)
{
	static char text[1 << 20];
	int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC), found = 0;
	size_t used = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && used < sizeof text - 1) {
		n = read (fd, text + used, sizeof text - 1 - used);
		used += n > 0 ? (size_t) n : 0;
	}
	if (fd >= 0)
		close (fd);
	text[used] = '\0';
	for (char *line = strtok (text, "\n"); line; line = strtok (NULL, "\n")) {
		const char *permissions = strchr (line, ' ');

		found += permissions && permissions[2] == 'w' && permissions[3] == 'x';
	}
	return n < 0 ? -1 : found;
}

static void *toggle (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		pp_bind (m, "**", 0);
		pp_bind (other, "*/high", 0);
		pp_unbind (other, "*/high");
		pp_unbind (m, "**");
	}
	return NULL;
}

static void *run_through (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		low ();
		high ();
	}
	return NULL;
}

static int child_watches (void)
{
	pthread_t threads[2];
	int found = 0;

	pthread_create (&threads[0], NULL, toggle, NULL);
	pthread_create (&threads[1], NULL, run_through, NULL);
	for (int i = 0; i < 500 && !found; i++)
		found = writable_code ();
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (threads[0], NULL);
	pthread_join (threads[1], NULL);
	return found != 0;
}

/* ---- a write that fails ---------------------------------------------------------------------- */

#if defined(__x86_64__) && !UNDER_TSAN
/* From now on what is at FROM or above, in its 4 GiB, can't be written, and there are no memfds. */
static int forbid_writes_from (const void *from)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 3, 0),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 3),
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args[3])),
		BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, (uint32_t) (uintptr_t) from, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

	return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int child_fails_midway (void)
{
	const unsigned char *first = (const unsigned char *) (uintptr_t) low,
			    *second = (const unsigned char *) (uintptr_t) high;
	unsigned char before[2][256];

	if (second < first) {
		const unsigned char *swap = first;

		first = second;
		second = swap;
	}
	memcpy (before[0], first, 256);
	memcpy (before[1], second, 256);
	if (!forbid_writes_from (second))
		return 100;
	if (pp_bind (m, "**", 0) != PP_ECODE)
		return 1;
	if (memcmp (before[0], first, 256) != 0 || memcmp (before[1], second, 256) != 0)
		return 2;
	low ();
	high ();
	if (pp_count (m) > 0 || pp_dropped (PP_DROP_UNMATCHED))
		return 3;
	/* the other one alone works */
	if (pp_bind (m, first == (const unsigned char *) (uintptr_t) low ? "*/low" : "*/high", 0) !=
	    1)
		return 4;
	low ();
	high ();
	return pp_count (m) == 1 ? 0 : 5;
}
#endif

/* ---- a site that stays bound ----------------------------------------------------------------- */

enum { KINDS = 6, REBIND_SECONDS = 1 };

/* markers at every place of a word */
#define PLACES(X) X (0) X (1) X (2) X (3) X (4) X (5) X (6) X (7)
#define X(k)                                                                                       \
	__attribute__ ((noinline, noclone, aligned (64))) static void at_##k (void)                \
	{                                                                                          \
		__asm__ volatile(".rept " #k "\n\tnop\n\t.endr");                                  \
		_Pragma ("pp interval place") sink++;                                              \
	}
PLACES (X)
#undef X

static long ran;

static void *run_and_count (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
#define X(k) at_##k ();
		PLACES (X)
#undef X
		ran += 8;
	}
	return NULL;
}

/*
 * Other metrics come and go at a site whose executions are counted: its markers lead to one block
 * after another, to their stubs for what has none, and back, and are on all the time.
 */
static int child_rebinds (void)
{
	static const char *const specs[KINDS] = {
		"interval stats(elapsed)",     "interval histogram(elapsed)",
		"interval sumcount(cpu_time)", "interval bounded_series(elapsed, size=16)",
		"interval stats(cpu_time)",    "interval scalar(elapsed)"};
	pp_metric *counts, *others[KINDS];
	pthread_t thread;
	double dropped = 0;
	time_t until;

	if (pp_metric_new (&counts, "counts", "interval count(count)") != PP_OK ||
	    pp_bind (counts, "*/place", 0) != 8)
		return 1;
	for (int i = 0; i < KINDS; i++) {
		char name[16];

		snprintf (name, sizeof name, "other%d", i);
		if (pp_metric_new (&others[i], name, specs[i]) != PP_OK)
			others[i] = NULL;
	}
	pthread_create (&thread, NULL, run_and_count, NULL);
	until = time (NULL) + 1 + REBIND_SECONDS;
	for (int i = 0; time (NULL) < until; i++)
		for (int bits = 1; bits < 1 << KINDS; bits <<= 1 + i % 3) {
			for (int k = 0; k < KINDS; k++)
				if (others[k] && (bits * (i % 7 + 1)) >> k & 1)
					pp_bind (others[k], i % 2 ? "at_[1-4]/place" : "*/place",
						 0);
			for (int k = 0; k < KINDS; k++)
				if (others[k] && (bits * (i % 7 + 1)) >> k & 1)
					pp_unbind (others[k], i % 2 ? "at_[1-4]/place" : "*/place");
		}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	for (int cause = 0; cause < PP_DROPS; cause++)
		dropped += (double) pp_dropped ((enum pp_drop) cause);
	if (pp_count (counts) != (double) ran) {
		fprintf (stderr, "counted %g of %ld, dropped %g\n", pp_count (counts), ran,
			 dropped);
		return 2;
	}
	return ran > 0 ? 0 : 3;
}

/* ---- libraries that come and go -------------------------------------------------------------- */

static int child_reloads (void)
{
	pp_metric *count;
	double before;

	if (pp_metric_new (&count, "count", "interval count(count)") != PP_OK ||
	    load_policy ("version: 1\nbind:\n  - {metric: count, sites: plugged_run/inner}\n") !=
		    PP_OK)
		return 1;
	for (int i = 0; i < 20; i++) {
		void *handle = dlopen (PLUGGED_DIR "/plugged0.so", RTLD_NOW | RTLD_LOCAL);
		void (*run) (int) = handle ? (void (*) (int)) dlsym (handle, "plugged_run") : NULL;

		if (!run)
			return 2;
		before = pp_count (count);
		run (10);
		if (pp_count (count) - (isnan (before) ? 0 : before) != 10)
			return 3;
		dlclose (handle);
	}
	return 0;
}

/* ---- running them ---------------------------------------------------------------------------- */

int main (int argc, char **argv)
{
	const char *const routes[] = {"", "procmem", "alias"};

	if (argc > 1 && strcmp (argv[1], "watches") == 0)
		return child_watches ();
	if (argc > 1 && strcmp (argv[1], "rebinds") == 0)
		return child_rebinds ();
	if (argc > 1 && strcmp (argv[1], "reloads") == 0)
		return child_reloads ();
#if defined(__x86_64__) && !UNDER_TSAN
	if (argc > 1)
		return child_fails_midway ();
	same (with_route ("", "fails"), 0,
	      "where a page can't be written all others are as they were, and may be bound alone");
#endif
	for (int i = 0; i < 3; i++)
		ok (with_route (routes[i], "watches") == 0,
		    "no page is writable and executable while markers are toggled %s%s",
		    *routes[i] ? "by the route " : "by whichever route works", routes[i]);
	for (int i = 0; i < 3; i++)
		ok (with_route (routes[i], "rebinds") == 0,
		    "a site that stays bound while other metrics come and go counts every "
		    "execution %s%s",
		    *routes[i] ? "by the route " : "by whichever route works", routes[i]);
	for (int i = 0; i < 3; i++)
		ok (with_route (routes[i], "reloads") == 0,
		    "a library that is loaded where another one was is measured %s%s",
		    *routes[i] ? "by the route " : "by whichever route works", routes[i]);
	return checked ();
}
