# SPDX-License-Identifier: MIT
# ppctl: reports on recordings, lists the sites of binaries, checks policies.

# What reads recordings; nothing in it needs the runtime.
noinst_LTLIBRARIES += libmetrics/libreader.la
libmetrics_libreader_la_CFLAGS = $(PP_CFLAGS)
libmetrics_libreader_la_SOURCES = libmetrics/recording_read.h libmetrics/recording_read.c libmetrics/recording_finish.c \
	libmetrics/summary.h libmetrics/summary.c libmetrics/accumulate_int.h libmetrics/accumulate_double.h libmetrics/types.c
