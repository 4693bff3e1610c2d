/* SPDX-License-Identifier: MIT */
/* Metrics of every kind with their records: the "metric" lines that recorder.c prints are expected at the end. */
#include <pp.h>

struct three {
	long a, b, c;
};
static int point_int (void) { return -3; }
static float point_float (void) { return 2.5f; }
static _Bool point_bool (void) { return 1; }
static unsigned short point_short (void) { return 65535; }
static struct three begin_struct (void) { struct three t = {1, 2, 39}; return t; }
static double end_struct (const struct three *t) { return (double) (t->a + t->b + t->c); }
static char begin_char (void) { return 7; }
static unsigned end_char (char *c) { return (unsigned) *c + 1; }

#pragma pp metric m_elapsed interval stats(elapsed)
#pragma pp metric m_series interval bounded_series(elapsed, every=16, size=100)
#pragma pp metric m_papi interval sumcount(papi:PAPI_L1_DCM)
#pragma pp metric m_sde interval sumcount(papi:sde:::LIB::EVENT)
#pragma pp metric m_value point scalar(value)
#pragma pp metric m_int point count(point_int)
#pragma pp metric m_float point count(point_float)
#pragma pp metric m_bool point count(point_bool)
#pragma pp metric m_short point count(point_short)
#pragma pp metric m_struct interval stats(begin_struct, end_struct)
#pragma pp metric m_char interval bounded_series(begin_char, end_char, size=4)

int main (void)
{
	return m_elapsed == NULL || m_char == NULL;
}
/*
expect: metric m_elapsed kind=2 acc=stats source=elapsed options=- decl=interval stats(elapsed) sample=0 bytes=0
expect: metric m_series kind=2 acc=bounded_series source=elapsed options=size=100,every=16 decl=interval bounded_series(elapsed,size=100,every=16) sample=0 bytes=0
expect: metric m_papi kind=2 acc=sumcount source=papi:PAPI_L1_DCM options=- decl=interval sumcount(papi:PAPI_L1_DCM) sample=0 bytes=0
expect: metric m_sde kind=2 acc=sumcount source=papi:sde:::LIB::EVENT options=- decl=interval sumcount(papi:sde:::LIB::EVENT) sample=0 bytes=0
expect: metric m_value kind=1 acc=scalar source=value options=- decl=point scalar(value) sample=0 bytes=0
expect: metric m_int kind=1 acc=count source=point_int options=- decl=point count(point_int) sample=1 bytes=0 =-3
expect: metric m_float kind=1 acc=count source=point_float options=- decl=point count(point_float) sample=2 bytes=0 =2.5
expect: metric m_bool kind=1 acc=count source=point_bool options=- decl=point count(point_bool) sample=1 bytes=0 =1
expect: metric m_short kind=1 acc=count source=point_short options=- decl=point count(point_short) sample=1 bytes=0 =65535
expect: metric m_struct kind=2 acc=stats source=begin_struct options=- decl=interval stats(begin_struct,end_struct) sample=2 bytes=24 =42
expect: metric m_char kind=2 acc=bounded_series source=begin_char options=size=4 decl=interval bounded_series(begin_char,end_char,size=4) sample=1 bytes=1 =8
*/
