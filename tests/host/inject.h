/* SPDX-License-Identifier: MIT */
/*
 * inject.h: one call of the library's fails. The program that links inject.c has the functions of
 * libc that can fail by their own names, so that libpp, libyaml and libgcc call these; calls of
 * anybody else go on to libc.
 *
 *     PP_INJECT=KIND:N     the Nth call of that kind fails        PP_INJECT=KIND:N+    and all that follow
 */
#ifndef INJECT_H
#define INJECT_H

/* Kinds of calls, and the error that the failing one has. */
#define INJECT_KINDS(X)                                                                            \
	X (memory, ENOMEM)                                                                         \
	X (map, ENOMEM)                                                                            \
	X (advise, EINVAL)                                                                         \
	X (protect, ENOMEM)                                                                        \
	X (descriptor, EMFILE)                                                                     \
	X (absent, EACCES)                                                                         \
	X (read, EIO)                                                                              \
	X (write, ENOSPC)                                                                          \
	X (partial, 0)                                                                             \
	X (space, ENOSPC)                                                                          \
	X (name, EACCES)                                                                           \
	X (thread, EAGAIN)                                                                         \
	X (module, ENOENT)                                                                         \
	X (call, ENOSYS)

#define INJECT_ENUM(kind, error) INJECT_##kind,
enum inject_kind { INJECT_KINDS (INJECT_ENUM) INJECT_N };

extern const char *const inject_name[INJECT_N];

/*
 * PP_INJECT_CALLS names a file of INJECT_BYTES, an array of unsigned long by kind: how many calls
 * there were so far, of the process and its children.
 */
enum { INJECT_BYTES = INJECT_N * sizeof (unsigned long) };

#endif
