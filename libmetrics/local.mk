# SPDX-License-Identifier: MIT
# libmetrics: sites, metrics, shards, frames, patching. libhot holds what runs at a marker.

noinst_LTLIBRARIES += libmetrics/libmetrics.la libmetrics/libhot.la

libmetrics_libmetrics_la_CFLAGS = $(PP_LIB_CFLAGS)
libmetrics_libmetrics_la_SOURCES = libmetrics/recording.h libmetrics/runtime.h libmetrics/source.h libmetrics/types.h

# Entries save the host's general registers only: nothing here may touch any other.
libmetrics_libhot_la_CFLAGS = $(PP_LIB_CFLAGS)
if ARCH_X86_64
libmetrics_libhot_la_CFLAGS += -mgeneral-regs-only
endif
libmetrics_libhot_la_SOURCES =
