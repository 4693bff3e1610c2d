/* SPDX-License-Identifier: MIT */
/*
 * inject.c: see inject.h. Who calls is seen by the return address. Before the first constructor
 * nothing fails: it isn't known yet where the library is.
 *
 * A function that libc calls itself isn't seen here (malloc within fopen), so those are interposed
 * that libpp calls, by the names that _FORTIFY_SOURCE gives them, too.
 */
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 0

#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define INJECT_NAME(kind, error) #kind,
const char *const inject_name[INJECT_N] = {INJECT_KINDS (INJECT_NAME)};

/* ThreadSanitizer isn't ready when the first of these is called; nothing is injected there. */
#if !defined(__SANITIZE_THREAD__)

#define INJECT_ERROR(kind, error) error,
static const int inject_error[INJECT_N] = {INJECT_KINDS (INJECT_ERROR)};

enum { OBJECTS = 4 };
static struct {
	uintptr_t from, to;
} object[OBJECTS];
static unsigned objects;
static unsigned long own_calls[INJECT_N], *calls = own_calls, wanted;
static enum inject_kind wanted_kind = INJECT_N;
static bool and_on;

static int note_object (struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = strrchr (info->dlpi_name, '/'),
		   *name = slash ? slash + 1 : info->dlpi_name;

	(void) size;
	(void) arg;
	if (strncmp (name, "libpp.so", 8) != 0 && strncmp (name, "libyaml", 7) != 0 &&
	    strncmp (name, "libgcc_s", 8) != 0)
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum && objects < OBJECTS; i++) {
		const ElfW (Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		object[objects].from = info->dlpi_addr + p->p_vaddr;
		object[objects].to = info->dlpi_addr + p->p_vaddr + p->p_memsz;
		objects++;
	}
	return 0;
}

static const char *variable (char **environment, const char *name)
{
	size_t n = strlen (name);

	while (*environment && (strncmp (*environment, name, n) != 0 || (*environment)[n] != '='))
		environment++;
	return *environment ? *environment + n + 1 : NULL;
}

/* Runs before every constructor of the shared objects, libc's too: there is no getenv yet. */
static void find_library (int argc, char **argv, char **environment)
{
	const char *spec = variable (environment, "PP_INJECT"),
		   *colon = spec ? strchr (spec, ':') : NULL;
	const char *shared = variable (environment, "PP_INJECT_CALLS");
	int fd = shared ? open (shared, O_RDWR | O_CLOEXEC) : -1;
	void *at = fd >= 0 ? mmap (NULL, INJECT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			   : MAP_FAILED;

	(void) argc;
	(void) argv;
	if (at != MAP_FAILED)
		calls = at;
	if (fd >= 0)
		close (fd);
	dl_iterate_phdr (note_object, NULL);
	for (unsigned k = 0; colon && k < INJECT_N; k++)
		if (strlen (inject_name[k]) == (size_t) (colon - spec) &&
		    strncmp (spec, inject_name[k], (size_t) (colon - spec)) == 0) {
			char *end;

			wanted = strtoul (colon + 1, &end, 10);
			and_on = *end == '+';
			wanted_kind = (enum inject_kind) k;
		}
}

__attribute__ ((section (".preinit_array"),
		used)) static void (*const preinit) (int, char **, char **) = find_library;

/* For debuggers: a breakpoint here shows which call it is. */
__attribute__ ((noinline)) void inject_fired (void);
void inject_fired (void)
{
	__asm__ volatile("");
}

/* Is this the call that fails? Its errno is set then. */
static bool fails (enum inject_kind kind, const void *caller)
{
	uintptr_t at = (uintptr_t) caller;
	unsigned long n;

	for (unsigned i = 0; i < objects; i++)
		if (at >= object[i].from && at < object[i].to) {
			n = __atomic_add_fetch (&calls[kind], 1, __ATOMIC_RELAXED);
			if (kind != wanted_kind || (and_on ? n < wanted : n != wanted))
				return false;
			inject_fired ();
			if (inject_error[kind])
				errno = inject_error[kind];
			return true;
		}
	return false;
}

#define CALLER __builtin_return_address (0)

/* The function NAME of libc's (or of a sanitizer's run-time library), found once. */
#define REAL(name)                                                                                 \
	({                                                                                         \
		static __typeof__ (&name) real;                                                    \
		if (!real)                                                                         \
			real = (__typeof__ (&name)) dlsym (RTLD_NEXT, #name);                      \
		real;                                                                              \
	})

/* TYPE NAME PARAMETERS, which passes ARGUMENTS on, or fails as KIND with the value FAILED. */
#define INJECT(kind, failed, type, name, parameters, arguments)                                    \
	type name parameters;                                                                      \
	type name parameters                                                                       \
	{                                                                                          \
		return fails (INJECT_##kind, CALLER) ? failed : REAL (name) arguments;             \
	}

/* clang-format off */
INJECT (memory, NULL, void *, malloc, (size_t n), (n))
INJECT (memory, NULL, void *, calloc, (size_t n, size_t bytes), (n, bytes))
INJECT (memory, NULL, void *, realloc, (void *p, size_t bytes), (p, bytes))
INJECT (memory, NULL, void *, reallocarray, (void *p, size_t n, size_t bytes), (p, n, bytes))
INJECT (memory, NULL, void *, aligned_alloc, (size_t to, size_t bytes), (to, bytes))
INJECT (memory, ENOMEM, int, posix_memalign, (void **p, size_t to, size_t bytes), (p, to, bytes))
INJECT (memory, NULL, char *, strdup, (const char *s), (s))
INJECT (memory, NULL, char *, __strdup, (const char *s), (s))
INJECT (memory, NULL, char *, strndup, (const char *s, size_t n), (s, n))
INJECT (memory, NULL, FILE *, open_memstream, (char **text, size_t *bytes), (text, bytes))
INJECT (memory, -1, int, vasprintf,
	(char **out, const char *format, va_list args),
	(out, format, args))
INJECT (memory, -1, int, __vasprintf_chk,
	(char **out, int flag, const char *format, va_list args),
	(out, flag, format, args))
INJECT (memory, NULL, char *, realpath, (const char *path, char *out), (path, out))
INJECT (map, MAP_FAILED, void *, mmap,
	(void *at, size_t n, int prot, int flags, int fd, off_t from),
	(at, n, prot, flags, fd, from))
INJECT (advise, -1, int, madvise, (void *at, size_t n, int advice), (at, n, advice))
INJECT (protect, -1, int, mprotect, (void *at, size_t n, int prot), (at, n, prot))
INJECT (descriptor, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))
INJECT (descriptor, -1, int, eventfd, (unsigned n, int flags), (n, flags))
INJECT (descriptor, -1, int, timerfd_create, (int clock, int flags), (clock, flags))
INJECT (descriptor, -1, int, epoll_create1, (int flags), (flags))
INJECT (descriptor, -1, int, dup3, (int from, int to, int flags), (from, to, flags))
INJECT (descriptor, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
INJECT (descriptor, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
INJECT (read, -1, ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n))
INJECT (read, -1, ssize_t, readlinkat,
	(int at, const char *path, char *to, size_t n),
	(at, path, to, n))
INJECT (read, -1, ssize_t, __readlink_chk,
	(const char *path, char *to, size_t n, size_t room),
	(path, to, n, room))
INJECT (space, -1, int, fallocate, (int fd, int mode, off_t from, off_t n), (fd, mode, from, n))
INJECT (space, -1, int, ftruncate, (int fd, off_t n), (fd, n))
INJECT (name, -1, int, rename, (const char *from, const char *to), (from, to))
INJECT (name, -1, int, renameat,
	(int in, const char *from, int into, const char *to),
	(in, from, into, to))
INJECT (name, -1, int, renameat2,
	(int in, const char *from, int into, const char *to, unsigned flags),
	(in, from, into, to, flags))
INJECT (name, -1, int, unlink, (const char *path), (path))
INJECT (name, -1, int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
INJECT (name, -1, int, linkat,
	(int in, const char *from, int into, const char *to, int flags),
	(in, from, into, to, flags))
INJECT (name, -1, int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
INJECT (name, -1, int, fchmod, (int fd, mode_t mode), (fd, mode))
INJECT (thread, EAGAIN, int, pthread_create,
	(pthread_t *t, const pthread_attr_t *a, void *(*f) (void *), void *arg),
	(t, a, f, arg))
INJECT (thread, EAGAIN, int, pthread_key_create, (pthread_key_t *key, void (*f) (void *)), (key, f))
INJECT (thread, ENOMEM, int, __register_atfork,
	(void (*a) (void), void (*b) (void), void (*c) (void), void *d),
	(a, b, c, d))
INJECT (module, NULL, void *, dlopen, (const char *path, int flags), (path, flags))
INJECT (advise, -1, ssize_t, process_vm_readv,
	(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
	 unsigned long m, unsigned long flags),
	(pid, to, n, from, m, flags))
/* clang-format on */

/* Opening fails twice over: for want of descriptors, and because the path can't be opened. */
static bool open_fails (const void *caller)
{
	return fails (INJECT_descriptor, caller) || fails (INJECT_absent, caller);
}

int open (const char *path, int flags, ...)
{
	mode_t mode;
	va_list args;

	va_start (args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg (args, mode_t) : 0;
	va_end (args);
	return open_fails (CALLER) ? -1 : REAL (open) (path, flags, mode);
}

int openat (int at, const char *path, int flags, ...)
{
	mode_t mode;
	va_list args;

	va_start (args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg (args, mode_t) : 0;
	va_end (args);
	return open_fails (CALLER) ? -1 : REAL (openat) (at, path, flags, mode);
}

int __open_2 (const char *path, int flags);
int __open_2 (const char *path, int flags)
{
	return open_fails (CALLER) ? -1 : REAL (open) (path, flags);
}

int __openat_2 (int at, const char *path, int flags);
int __openat_2 (int at, const char *path, int flags)
{
	return open_fails (CALLER) ? -1 : REAL (openat) (at, path, flags);
}

int asprintf (char **out, const char *format, ...)
{
	va_list args;
	int n;

	if (fails (INJECT_memory, CALLER))
		return -1;
	va_start (args, format);
	n = REAL (vasprintf) (out, format, args);
	va_end (args);
	return n;
}

int __asprintf_chk (char **out, int flag, const char *format, ...);
int __asprintf_chk (char **out, int flag, const char *format, ...)
{
	va_list args;
	int n;

	(void) flag;
	if (fails (INJECT_memory, CALLER))
		return -1;
	va_start (args, format);
	n = REAL (vasprintf) (out, format, args);
	va_end (args);
	return n;
}

/* How many of N bytes a call that transfers them is allowed: all, some, or -1. */
static ssize_t allowed (enum inject_kind kind, size_t n, const void *caller)
{
	if (fails (kind, caller))
		return -1;
	return (ssize_t) (fails (INJECT_partial, caller) ? n / 2 : n);
}

#define TRANSFER(kind, name, parameters, n, arguments)                                             \
	ssize_t name parameters;                                                                   \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		ssize_t most = allowed (INJECT_##kind, n, CALLER);                                 \
		if (most < 0)                                                                      \
			return -1;                                                                 \
		n = (size_t) most;                                                                 \
		return REAL (name) arguments;                                                      \
	}

/* clang-format off */
TRANSFER (read, read, (int fd, void *to, size_t n), n, (fd, to, n))
TRANSFER (read, pread, (int fd, void *to, size_t n, off_t at), n, (fd, to, n, at))
TRANSFER (read, __read_chk, (int fd, void *to, size_t n, size_t room), n, (fd, to, n, room))
TRANSFER (read, __pread_chk, (int fd, void *to, size_t n, off_t at, size_t room), n, (fd, to, n, at, room))
TRANSFER (write, write, (int fd, const void *from, size_t n), n, (fd, from, n))
TRANSFER (write, pwrite, (int fd, const void *from, size_t n, off_t at), n, (fd, from, n, at))
/* clang-format on */

long syscall (long number, ...)
{
	long a[6];
	va_list args;

	va_start (args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg (args, long);
	va_end (args);
	return fails (INJECT_call, CALLER)
		       ? -1
		       : REAL (syscall) (number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
