# SPDX-License-Identifier: MIT
# libmetrics: sites, metrics, shards, frames, patching. libhot holds what runs at a marker; libwarm what that calls where every register is saved.

noinst_LTLIBRARIES += libmetrics/libmetrics.la libmetrics/libhot.la libmetrics/libwarm.la

PP_ARCH_DIR = libmetrics/arch/$(PP_ARCH)
if ARCH_X86_64
PP_ARCH_SOURCES = libmetrics/arch/x86_64/entry.S libmetrics/arch/x86_64/fast.S libmetrics/arch/x86_64/init.c libmetrics/arch/x86_64/patch.c \
	libmetrics/arch/x86_64/block.c libmetrics/arch/x86_64/block_accumulate.c libmetrics/arch/x86_64/block_call.c libmetrics/arch/x86_64/block_check.c libmetrics/arch/x86_64/block_gen.h libmetrics/arch/x86_64/block_interval.c \
	libmetrics/arch/x86_64/block_light.c libmetrics/arch/x86_64/block_unwind.c libmetrics/arch/x86_64/emit.h libmetrics/arch/x86_64/self.S
endif
if ARCH_AARCH64
PP_ARCH_SOURCES = libmetrics/arch/aarch64/entry.S libmetrics/arch/aarch64/patch.c
endif
EXTRA_DIST += libmetrics/arch/x86_64/entry.S libmetrics/arch/x86_64/fast.S libmetrics/arch/x86_64/init.c libmetrics/arch/x86_64/patch.c \
	libmetrics/arch/x86_64/block.c libmetrics/arch/x86_64/block_accumulate.c libmetrics/arch/x86_64/block_call.c libmetrics/arch/x86_64/block_check.c libmetrics/arch/x86_64/block_gen.h libmetrics/arch/x86_64/block_interval.c \
	libmetrics/arch/x86_64/block_light.c libmetrics/arch/x86_64/block_unwind.c libmetrics/arch/x86_64/emit.h libmetrics/arch/x86_64/layout.h libmetrics/arch/x86_64/pp_arch.h libmetrics/arch/x86_64/self.S libmetrics/arch/aarch64/entry.S libmetrics/arch/aarch64/layout.h \
	libmetrics/arch/aarch64/patch.c libmetrics/arch/aarch64/pp_arch.h libmetrics/arch/generic/pp_arch.h

PP_METRICS_CPPFLAGS = -I$(top_srcdir)/$(PP_ARCH_DIR)

libmetrics_libmetrics_la_CPPFLAGS = $(PP_METRICS_CPPFLAGS)
libmetrics_libmetrics_la_CCASFLAGS = -I$(top_srcdir)/include
libmetrics_libmetrics_la_CFLAGS = $(PP_LIB_CFLAGS)
# one archive, since they call each other; libhot last: its TLS ends the segment with a whole pair of cache lines
libmetrics_libmetrics_la_LIBADD = libmetrics/libwarm.la libmetrics/libhot.la
libmetrics_libmetrics_la_SOURCES = \
	libmetrics/accumulate_double.h \
	libmetrics/accumulate_int.h \
	libmetrics/base.c \
	libmetrics/base.h \
	libmetrics/batch.c \
	libmetrics/binding.c \
	libmetrics/binding.h \
	libmetrics/block.c \
	libmetrics/block.h \
	libmetrics/buckets.c \
	libmetrics/buckets.h \
	libmetrics/call.h \
	libmetrics/channel.c \
	libmetrics/channel.h \
	libmetrics/contrast.c \
	libmetrics/contrast.h \
	libmetrics/cost.c \
	libmetrics/cost.h libmetrics/self.c libmetrics/self.h \
	libmetrics/dims.c \
	libmetrics/dims.h \
	libmetrics/environment.h \
	libmetrics/estimate.c \
	libmetrics/estimate.h \
	libmetrics/executions.c \
	libmetrics/executions.h \
	libmetrics/fallback.c \
	libmetrics/fits.c \
	libmetrics/fortran.c \
	libmetrics/fp.h \
	libmetrics/frame.h \
	libmetrics/guard.c \
	libmetrics/handler.c \
	libmetrics/hash.c \
	libmetrics/histogram.h \
	libmetrics/lifecycle.c \
	libmetrics/message.c \
	libmetrics/message.h \
	libmetrics/signals.c \
	libmetrics/signals.h \
	libmetrics/history.c \
	libmetrics/light.h \
	libmetrics/lifecycle.h \
	libmetrics/lookup.c \
	libmetrics/lookup.h \
	libmetrics/merge.c \
	libmetrics/merge.h \
	libmetrics/metric.c \
	libmetrics/metric.h \
	libmetrics/metric_text.c \
	libmetrics/module.c \
	libmetrics/module.h \
	libmetrics/opened.c \
	libmetrics/opened.h \
	libmetrics/part.c \
	libmetrics/part.h \
	libmetrics/operand.c \
	libmetrics/ratio.c \
	libmetrics/nested.h \
	libmetrics/named.c \
	libmetrics/c_locale.h \
	libmetrics/names.c \
	libmetrics/names.h \
	libmetrics/site_names.c \
	libmetrics/named.h \
	libmetrics/operator.c \
	libmetrics/operator.h \
	libmetrics/overhead.c \
	libmetrics/patch.c \
	libmetrics/patch.h \
	libmetrics/pattern.c \
	libmetrics/pattern.h \
	libmetrics/plan.c \
	libmetrics/plan.h \
	libmetrics/quick.h \
	libmetrics/recording.c \
	libmetrics/process.c \
	libmetrics/process.h \
	libmetrics/recording.h \
	libmetrics/recording_check.c \
	libmetrics/recording_check.h \
	libmetrics/recording_file.c \
	libmetrics/recording_file.h \
	libmetrics/recording_finish.c \
	libmetrics/recording_finish.h \
	libmetrics/recording_read.c \
	libmetrics/recording_read.h \
	libmetrics/region.c \
	libmetrics/region.h \
	libmetrics/register.c \
	libmetrics/report.h \
	libmetrics/report_common.c \
	libmetrics/route.c \
	libmetrics/route.h \
	libmetrics/rule.c \
	libmetrics/statement.c \
	libmetrics/runtime.h \
	libmetrics/site.c \
	libmetrics/site.h \
	libmetrics/site_state.c \
	libmetrics/site_state.h \
	libmetrics/site_alloc.c \
	libmetrics/site_alloc.h \
	libmetrics/source.c \
	libmetrics/span.c \
	libmetrics/span.h \
	libmetrics/source.h \
	libmetrics/series.c \
	libmetrics/snapshot.c \
	libmetrics/snapshot.h \
	libmetrics/stat.c \
	libmetrics/summary.c \
	libmetrics/summary.h \
	libmetrics/thread.h \
	libmetrics/twin.h \
	libmetrics/tally.c \
	libmetrics/thread_life.c \
	libmetrics/thread_life.h \
	libmetrics/ticks.c \
	libmetrics/ticks.h \
	libmetrics/types.c \
	libmetrics/types.h \
	libmetrics/unbounded.h \
	libmetrics/user_source.h \
	libmetrics/window.c \
	libmetrics/window.h \
	$(PP_ARCH_SOURCES)

# Entries save the host's general registers only: nothing here may touch any other, nor call libc, which may.
libmetrics_libhot_la_CPPFLAGS = $(PP_METRICS_CPPFLAGS)
libmetrics_libhot_la_CFLAGS = $(PP_LIB_CFLAGS) -fno-tree-loop-distribute-patterns -fno-stack-protector -U_FORTIFY_SOURCE
if !ARCH_GENERIC
libmetrics_libhot_la_CFLAGS += -mgeneral-regs-only
endif
libmetrics_libhot_la_SOURCES = libmetrics/frame.c libmetrics/general_hot.c libmetrics/histogram.c libmetrics/hot.c libmetrics/light.c libmetrics/nested.c libmetrics/quick.c libmetrics/region_fast.c libmetrics/thread.c libmetrics/unbounded.c libmetrics/window_fast.c

# Markers pay for each instruction of these.
libmetrics_libwarm_la_CPPFLAGS = $(PP_METRICS_CPPFLAGS)
libmetrics_libwarm_la_CFLAGS = $(PP_LIB_CFLAGS) -fno-stack-protector
libmetrics_libwarm_la_SOURCES = libmetrics/call.c libmetrics/general.c libmetrics/sample.c
