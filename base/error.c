/* SPDX-License-Identifier: MIT */
/* error.c: errors in words; see error.h. */
#include "base/error.h"

#include <pp.h>
#include <stdarg.h>
#include <stdio.h>

int ppi_fail (int error, char *why, size_t room, const char *format, ...)
{
	va_list arguments;

	va_start (arguments, format);
	vsnprintf (why, room, format, arguments);
	va_end (arguments);
	return error;
}

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
