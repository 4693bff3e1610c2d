/* SPDX-License-Identifier: MIT */
/*
 * routes.c: each way to change code, chosen by PP_ROUTE, in a process of its own; where none works
 * nothing is bound and the error says so; what is not the marker that was compiled is left alone,
 * and so is the rest of its site.
 */
#include "check.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#if defined(GUARDS) || UNDER_TSAN || !defined(__x86_64__)
#define PATCHED 0
#else
#define PATCHED 1
#endif

/* clang-format off */
#pragma pp metric m     interval stats(elapsed)
#pragma pp metric other interval stats(elapsed)
/* clang-format on */

static __thread volatile long sink;

NOIPA static void work (void)
{
#pragma pp interval work
	sink++;
}

NOIPA __attribute__ ((unused)) static void foreign (int n)
{
#pragma pp interval foreign
	if (n == 1)
		return;
	sink++;
}

static double or_0 (double x)
{
	return isnan (x) ? 0 : x;
}

/* ---- children: the exit status says what went wrong ------------------------------------------ */

static int stop;

static void *busy (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		for (int i = 0; i < 100; i++)
			work ();
	return NULL;
}

static int child_measures (void)
{
	pthread_t thread;

	for (int i = 0; i < 200; i++) {
		if (pp_bind (m, "work/work", 0) != 1)
			return 1;
		for (int k = 0; k < 10; k++)
			work ();
		if (pp_unbind (m, "work/work") != 1)
			return 2;
		work ();
	}
	if (pp_count (m) != 2000)
		return 3;
	pthread_create (&thread, NULL, busy, NULL);
	for (int i = 0; i < 2000; i++)
		if (pp_bind (other, "work/work", 0) != 1 || pp_unbind (other, "work/work") != 1)
			return 4;
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	if (pp_bind (m, "work/work", 0) != 1)
		return 5;
	/* a child of its own can go on changing its code, and the parent is not touched by that */
	pid_t pid = fork ();
	int status = -1;

	if (pid == 0) {
		work ();
		if (pp_count (m) != 1 || pp_unbind (m, "work/work") != 1)
			_exit (1);
		work ();
		_exit (pp_count (m) == 1 ? 0 : 1);
	}
	waitpid (pid, &status, 0);
	if (status)
		return 6;
	work ();
	return pp_count (m) == 2001 ? 0 : 7;
}

static int child_cannot (void)
{
	int r = pp_bind (m, "work/work", 0);

	for (int i = 0; i < 10; i++)
		work ();
	if (r != PP_ECODE)
		return 1;
	if (or_0 (pp_count (m)) != 0)
		return 2;
	/* not half bound either */
	if (pp_unbind (m, "work/work") != PP_ENOENT)
		return 3;
	return pp_dropped (PP_DROP_UNMATCHED) ? 4 : 0;
}

/* As hardened systems do: pages are never writable and executable. */
static int forbid_writable_code (void)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args[2])),
		BPF_STMT (BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof (filter) / sizeof (filter[0]), filter};

	return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int child_hardened (void)
{
	return forbid_writable_code () ? child_measures () : 100;
}

/*
 * Runs this program again with PP_ROUTE; the exit status of the child function that NAME means;
 * what it printed in TEXT.
 */
static int with_route (const char *program, const char *route, const char *name, char *text,
		       size_t room)
{
	int pipes[2], status = -1;
	ssize_t n, used = 0;
	pid_t pid;

	if (pipe (pipes) < 0)
		return -1;
	fflush (stdout);
	pid = fork ();
	if (pid == 0) {
		dup2 (pipes[1], 2);
		close (pipes[0]);
		close (pipes[1]);
		if (*route)
			setenv ("PP_ROUTE", route, 1);
		else
			unsetenv ("PP_ROUTE");
		execl (program, program, name, (char *) NULL);
		_exit (127);
	}
	close (pipes[1]);
	while ((n = read (pipes[0], text + used, room - 1 - (size_t) used)) > 0)
		used += n;
	text[used] = '\0';
	close (pipes[0]);
	waitpid (pid, &status, 0);
	return WIFEXITED (status) ? WEXITSTATUS (status) : -status;
}

static void test_routes (const char *program)
{
	const char *const names[] = {"procmem", "alias", ""};
	char text[4096];
	int r;

	for (int i = 0; i < 3; i++) {
		r = with_route (program, names[i], "measures", text, sizeof (text));
		if (!ok (r == 0 && !*text, "code is changed %s%s",
			 *names[i] ? "by the route " : "by whichever route works", names[i]))
			note ("%d %s", r, text);
	}
	r = with_route (program, "", "hardened", text, sizeof (text));
	if (r == 100)
		skipped ("where pages may not be writable and executable another route is found",
			 "no seccomp here");
	else if (!ok (r == 0,
		      "where pages may not be writable and executable another route is found"))
		note ("%d %s", r, text);
#if PATCHED
	r = with_route (program, "sideways", "measures", text, sizeof (text));
	ok (r == 0 && strstr (text, "sideways") && strstr (text, "procmem"),
	    "a route that does not exist is a message that lists those that do");
	r = with_route (program, "mprotect", "measures", text, sizeof (text));
	ok (r == 0 && strstr (text, "procmem"), "one that makes code writable does not exist");
	r = with_route (program, "none", "cannot", text, sizeof (text));
	if (!ok (r == 0, "without a route binding is PP_ECODE and nothing is bound"))
		note ("%d", r);
	ok (strstr (text, "work/work") && strstr (text, "none"),
	    "and a message says where and why");
#else
	r = with_route (program, "none", "measures", text, sizeof (text));
	ok (r == 0 && !*text, "guards need no route");
#endif
}

/* ---- bytes that are not ours ----------------------------------------------------------------- */

#if PATCHED
static unsigned char *nop_of (const struct pp_abi_marker *marker)
{
	return (unsigned char *) &marker->nop + marker->nop;
}

/* The markers of foreign, with OP; how many. */
static int markers_of (const char *name, int op, unsigned char *out[8])
{
	const struct pp_abi_marker *marker = (const void *) pp_sites_begin,
				   *end = (const void *) pp_sites_end;
	int n = 0;

	for (; marker < end; marker++) {
		const struct pp_abi_site *site =
			(const void *) ((const char *) &marker->site + marker->site);

		if (marker->op == op && strcmp ((const char *) site + site->name, name) == 0 &&
		    n < 8)
			out[n++] = nop_of (marker);
	}
	return n;
}

static void poke (unsigned char *at, unsigned char byte)
{
	uintptr_t page = (uintptr_t) at & ~(uintptr_t) 4095;

	if (mprotect ((void *) page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		abort ();
	*(volatile unsigned char *) at = byte;
	mprotect ((void *) page, 4096, PROT_READ | PROT_EXEC);
}

static void test_foreign_bytes (void)
{
	static const unsigned char nop[] = PP_ABI_X86_NOP;
	unsigned char *ends[8], *begins[8], old;
	int n_ends = markers_of ("foreign", PP_ABI_END, ends),
	    n_begins = markers_of ("foreign", PP_ABI_BEGIN, begins), clean = 1;

	ok (n_ends >= 1 && n_begins == 1 && memcmp (begins[0], nop, sizeof (nop)) == 0,
	    "markers are found in the site table and are NOPs");
	/* as a debugger's breakpoint at the last of the ends */
	old = *ends[n_ends - 1];
	poke (ends[n_ends - 1], 0xcc);
	same (pp_bind (m, "foreign/foreign", 0), PP_ECODE,
	      "where a marker has other bytes than compiled binding is PP_ECODE");
	for (int i = 0; i < n_ends - 1; i++)
		clean &= memcmp (ends[i], nop, sizeof (nop)) == 0;
	clean &= memcmp (begins[0], nop, sizeof (nop)) == 0;
	ok (clean, "no other marker of the site is left enabled");
	ok (*ends[n_ends - 1] == 0xcc, "the foreign byte is left alone");
	poke (ends[n_ends - 1], old);
	for (int i = 0; i < 10; i++)
		foreign (i % 2);
	ok (or_0 (pp_count (m)) == 0 && pp_dropped (PP_DROP_UNMATCHED) == 0,
	    "and nothing of it is measured");
	same (pp_bind (m, "foreign/foreign", 0), 1, "once the bytes are back it is bound");
	for (int i = 0; i < 10; i++)
		foreign (i % 2);
	same (pp_count (m), 10, "and measured on every way out");
	same (pp_unbind (m, "foreign/foreign"), 1, "and unbound");
	ok (memcmp (begins[0], nop, sizeof (nop)) == 0 && memcmp (ends[0], nop, sizeof (nop)) == 0,
	    "then its markers are NOPs again");
	/*
	 * a breakpoint at a marker that is enabled, while something else is bound there: the marker
	 * is the debugger's, not the site
	 */
	ok (pp_bind (m, "foreign/foreign", 0) == 1, "a site is bound");
	old = *ends[n_ends - 1];
	poke (ends[n_ends - 1], 0xcc);
	pp_bind (other, "foreign/foreign", 0);
	poke (ends[n_ends - 1], old);
	pp_reset (NULL);
	for (int i = 0; i < 10; i++)
		foreign (i % 2);
	same (pp_count (m), 10,
	      "and loses nothing when a second metric comes while a marker has a breakpoint");
	pp_unbind (other, "foreign/foreign");
	/* and at one that is to be turned off, as a uprobe would: that byte is not needed for it */
	old = *begins[0];
	poke (begins[0], 0xcc);
	same (pp_unbind (m, "foreign/foreign"), 1,
	      "a site is unbound while a marker of it has a breakpoint");
	ok (*begins[0] == 0xcc, "which stays");
	poke (begins[0], old);
	for (int i = 0; i < 10; i++)
		foreign (i % 2);
	same (pp_count (m), 10, "and nothing of the site is measured any more");
	same (pp_bind (m, "foreign/foreign", 0), 1, "it is bound again without the breakpoint");
	for (int i = 0; i < 10; i++)
		foreign (i % 2);
	same (pp_count (m), 20, "and measured");
	pp_unbind (m, "foreign/foreign");
	pp_reset (NULL);
	/* a breakpoint at the begin */
	old = *begins[0];
	poke (begins[0], 0xcc);
	same (pp_bind (m, "foreign/foreign", 0), PP_ECODE, "the same for a begin");
	clean = 1;
	for (int i = 0; i < n_ends; i++)
		clean &= memcmp (ends[i], nop, sizeof (nop)) == 0;
	ok (clean && *begins[0] == 0xcc, "whose ends are not left enabled");
	poke (begins[0], old);
	/* the other sites of a pattern are not bound either: pp_bind does all or nothing */
	poke (ends[0], 0xcc);
	same (pp_bind (m, "*/*", 0), PP_ECODE,
	      "a pattern with one such site among its own is PP_ECODE");
	pp_reset (m);
	work ();
	same (or_0 (pp_count (m)), 0, "and none of the others is bound");
	poke (ends[0], nop[0]);
}
#endif

int main (int argc, char **argv)
{
	if (argc == 2 && strcmp (argv[1], "measures") == 0)
		return child_measures ();
	if (argc == 2 && strcmp (argv[1], "cannot") == 0)
		return child_cannot ();
	if (argc == 2 && strcmp (argv[1], "hardened") == 0)
		return child_hardened ();
	test_routes ("/proc/self/exe");
#if PATCHED
	test_foreign_bytes ();
#endif
	return checked ();
}
