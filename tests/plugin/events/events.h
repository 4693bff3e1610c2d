/* SPDX-License-Identifier: MIT */
/*
 * events.h: one source, two ways to say what happened. With the plugin the macros are its pragmas, and recorder.c writes the
 * events down; without it they are printf and the "cleanup" attribute, which says what the right sequence is.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <pp.h>

/*
 * I interval, P point; captured: V an integer, R a real number, T text, A an address; F feature, FV and FT with a payload, an
 * integer or text, X antimark. A dimension KEY that comes later, of the interval NAME: D an integer, DR a real number, DT text,
 * DA an address. RETURNING (setjmp, ...) calls what returns twice, behind which the plugin has a point.
 */

#ifdef __PPGCC__

#define RETURNING(NAME, ...) NAME (__VA_ARGS__)
#define I(NAME) PP_INTERVAL (NAME)
#define P(NAME) PP_POINT (NAME)
#define V(NAME, EXPR) PP_POINT_VALUE (NAME, EXPR)
#define R(NAME, EXPR) PP_POINT_VALUE (NAME, EXPR)
#define T(NAME, EXPR) PP_POINT_VALUE (NAME, EXPR)
#define A(NAME, EXPR) PP_POINT_VALUE (NAME, EXPR)
#define F(NAME) PP_FEATURE (NAME)
#define FV(NAME, EXPR) PP_FEATURE_PAYLOAD (NAME, EXPR)
#define FT(NAME, EXPR) PP_FEATURE_PAYLOAD (NAME, EXPR)
#define X(NAME) PP_ANTIMARK (NAME)
#define D(NAME, KEY, EXPR) PP_DIM_HERE (KEY = EXPR)
#define DR(NAME, KEY, EXPR) PP_DIM_HERE (KEY = EXPR)
#define DT(NAME, KEY, EXPR) PP_DIM_HERE (KEY = EXPR)
#define DA(NAME, KEY, EXPR) PP_DIM_HERE (KEY = EXPR)
#define B(NAME, KEY, EXPR) PP_DIM_HERE (KEY = EXPR)

#else

#include <stdio.h>

__attribute__ ((unused)) static void leave (const char **name)
{
	printf ("E %s\n", *name);
}

__attribute__ ((unused)) static const char *enter (const char *name)
{
	printf ("B %s\n", name);
	return name;
}

__attribute__ ((unused)) static const char *text_or_null (const char *text)
{
	return text ? text : "(null)";
}

#define RETURNING(NAME, ...)                                                                                           \
	({                                                                                                             \
		int returned_ = NAME (__VA_ARGS__);                                                                    \
		printf ("P %s\n", #NAME);                                                                              \
		returned_;                                                                                             \
	})
/* no initialiser: C++ may jump past the declaration */
#define I(NAME)                                                                                                        \
	__attribute__ ((cleanup (leave))) const char *scope_##NAME;                                                    \
	scope_##NAME = enter (#NAME);
#define P(NAME) printf ("P %s\n", #NAME);
#define V(NAME, EXPR) printf ("P %s %lld\n", #NAME, (long long) (EXPR));
#define R(NAME, EXPR) printf ("P %s %g\n", #NAME, (double) (EXPR));
#define T(NAME, EXPR) printf ("P %s %s\n", #NAME, text_or_null (EXPR));
#define A(NAME, EXPR) printf ("P %s %s\n", #NAME, (EXPR) ? "pointer" : "null");
#define D(NAME, KEY, EXPR) printf ("D %s %s=%lld\n", #NAME, #KEY, (long long) (EXPR));
#define DR(NAME, KEY, EXPR) printf ("D %s %s=%g\n", #NAME, #KEY, (double) (EXPR));
#define DT(NAME, KEY, EXPR) printf ("D %s %s=%s\n", #NAME, #KEY, text_or_null (EXPR));
#define DA(NAME, KEY, EXPR) printf ("D %s %s=%s\n", #NAME, #KEY, (EXPR) ? "pointer" : "null");
#define B(NAME, KEY, EXPR) printf ("D %s %s=%s\n", #NAME, #KEY, (EXPR) ? "true" : "false");
#define F(NAME) I (NAME)
#define X(NAME) I (NAME)
#define FV(NAME, EXPR)                                                                                                 \
	__attribute__ ((cleanup (leave))) const char *scope_##NAME = #NAME;                                            \
	printf ("B %s %lld\n", #NAME, (long long) (EXPR));
#define FT(NAME, EXPR)                                                                                                 \
	__attribute__ ((cleanup (leave))) const char *scope_##NAME = #NAME;                                            \
	printf ("B %s %s\n", #NAME, text_or_null (EXPR));

#endif

/* A call that the optimiser knows nothing about. */
__attribute__ ((noipa, unused)) static int opaque (int x)
{
	return x;
}

#endif
