# SPDX-License-Identifier: MIT
# stdmetrics: the library's own sources.

noinst_LTLIBRARIES += stdmetrics/libstdmetrics.la
stdmetrics_libstdmetrics_la_CFLAGS = $(PP_LIB_CFLAGS) -DPP_MODULE_DIR='"$(pkglibdir)"'
stdmetrics_libstdmetrics_la_SOURCES = stdmetrics/stdmetrics.h stdmetrics/got.h stdmetrics/papi_module.h \
	stdmetrics/per_thread.h stdmetrics/listing.h stdmetrics/perf.h stdmetrics/perf_page.h stdmetrics/perf.c stdmetrics/perf_page.c \
	stdmetrics/init.c stdmetrics/clock.c stdmetrics/constant.c stdmetrics/count.c stdmetrics/cputime.c stdmetrics/got.c stdmetrics/heap.c \
	stdmetrics/io.c stdmetrics/listing.c stdmetrics/papi.c stdmetrics/per_thread.c stdmetrics/rusage.c stdmetrics/value.c

# A module of its own: libpapi is loaded into programs that name a PAPI metric, and into no other.
if HAVE_PAPI
pkglib_LTLIBRARIES += stdmetrics/libpp-papi.la
stdmetrics_libpp_papi_la_CFLAGS = $(PP_CFLAGS) $(PAPI_CFLAGS)
stdmetrics_libpp_papi_la_SOURCES = stdmetrics/papi_module.c stdmetrics/papi_module.h
stdmetrics_libpp_papi_la_LDFLAGS = $(PP_LDFLAGS) -module -avoid-version
stdmetrics_libpp_papi_la_LIBADD = $(PAPI_LIBS)
endif
