# SPDX-License-Identifier: MIT
# recording: what the live region and recordings look like, and how they are read and finished. Needs nothing of the runtime. Part of libmetrics.la.

PP_RECORDING_SOURCES = \
	recording/blocks.c \
	recording/blocks.h \
	recording/bound.c \
	recording/append.c \
	recording/append.h \
	recording/check.c \
	recording/check.h \
	recording/file.c \
	recording/file.h \
	recording/event.c \
	recording/event.h \
	recording/finish.c \
	recording/flight.c \
	recording/flight.h \
	recording/groups.c \
	recording/groups.h \
	recording/finish.h \
	recording/intern.c \
	recording/intern.h \
	recording/layout.h \
	recording/layout_profile.h \
	recording/load.c \
	recording/load.h \
	recording/merge.c \
	recording/merge.h \
	recording/merge_int.h \
	recording/merge_assertions.c \
	recording/merge_time.c \
	recording/mailbox.h \
	recording/names.c \
	recording/names.h \
	recording/read.c \
	recording/read.h \
	recording/read_int.h \
	recording/salvage.c \
	recording/salvage.h \
	recording/scan.c \
	recording/scan.h \
	recording/series.c \
	recording/series.h \
	recording/span.c \
	recording/span.h \
	recording/streams.c \
	recording/streams.h \
	recording/summaries.c \
	recording/write.c \
	recording/write.h \
	recording/write_int.h

# libpprec: readers of recordings for everybody. It is made of the rooms that reading needs, and of no runtime.
lib_LTLIBRARIES += recording/libpprec.la
include_HEADERS += recording/pprec.h
pkgconfig_DATA += recording/pprec.pc
dist_pkgdata_DATA = recording/pprec.py
EXTRA_DIST += recording/pprec.map
recording_libpprec_la_CFLAGS = $(PP_LIB_CFLAGS)
recording_libpprec_la_SOURCES = recording/pprec.c recording/pprec.h

# The rooms that reading needs; the module for profiles is made of them, too.
noinst_LTLIBRARIES += recording/libreading.la
recording_libreading_la_CFLAGS = $(PP_LIB_CFLAGS)
recording_libreading_la_CCASFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)/$(PP_ARCH_DIR)
recording_libreading_la_SOURCES = $(PP_RECORDING_SOURCES) $(PP_BASE_SOURCES) \
	libmetrics/keep/accumulator.c \
	libmetrics/keep/bounded_series.c \
	libmetrics/keep/buckets.c \
	libmetrics/keep/fold.c \
	libmetrics/keep/histogram.c \
	libmetrics/keep/pool.c \
	libmetrics/keep/summary.c \
	libmetrics/keep/table.c \
	libmetrics/keep/unbounded.c
if ARCH_X86_64
recording_libreading_la_SOURCES += base/arch/x86_64/entry.S base/arch/x86_64/init.c
endif
# current:revision:age; see CONTRIBUTING.md before changing it
recording_libpprec_la_LDFLAGS = $(PP_LDFLAGS) -version-info 0:0:0 -Wl,--version-script=$(top_srcdir)/recording/pprec.map -Wl,-z,now
if !SANITIZE
recording_libpprec_la_LDFLAGS += -Wl,-z,defs
endif
recording_libpprec_la_LIBADD = recording/libreading.la $(ZSTD_LIBS) -lm
recording_libpprec_la_DEPENDENCIES = $(top_srcdir)/recording/pprec.map recording/libreading.la
