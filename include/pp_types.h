/* SPDX-License-Identifier: MIT */
/*
 * pp_types.h: errors, and what the other parts share. Part of <pp.h>, whose conventions hold:
 * include that.
 */
#ifndef PP_TYPES_H
#define PP_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__PPGCC__) && !defined(__GLIBC__)
#error "libpp needs glibc: a program for musl or another libc can't be linked with it; compile without the plugin"
#endif

#include <pp_abi.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum pp_error {
	PP_OK = 0,
	PP_EINVAL = -1,     /* an argument makes no sense */
	PP_ENOENT = -2,     /* no such metric, site, policy ... */
	PP_EAMBIGUOUS = -3, /* a plain name that several sites answer to */
	/*
	 * a point metric for an interval, or the reverse; a value metric for a site without value
	 */
	PP_EKIND = -4,
	PP_ENOMEM = -5,       /* no memory */
	PP_EEXIST = -6,       /* declared before, and differently */
	PP_EUNAVAILABLE = -7, /* this machine or kernel does not have it */
	PP_EPOLICY = -8,      /* the policy has errors; they were printed, and nothing changed */
	PP_EIO = -9,          /* a file could not be read or written */
	PP_ECODE = -10,       /* the code at a marker could not be changed */
	PP_ESTATE = -11,      /* not possible now: ended twice, inside an inline callable ... */
};

/*
 * The error's text, in English, never NULL; for a number that is no pp_error, "unknown error". Any
 * thread, signal- safe.
 */
const char *pp_strerror (int error);

typedef struct pp_metric pp_metric;
typedef struct pp_site pp_site;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
