# SPDX-License-Identifier: MIT
# stdmetrics: the library's own sources.

noinst_LTLIBRARIES += stdmetrics/libstdmetrics.la
stdmetrics_libstdmetrics_la_CFLAGS = $(PP_LIB_CFLAGS)
stdmetrics_libstdmetrics_la_SOURCES =
