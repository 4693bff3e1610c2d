# SPDX-License-Identifier: MIT
# libmetrics: sites, metrics, shards, frames, patching, with base/ and recording/, which it stands on. Its rooms are in libmetrics/rooms,
# the lowest first. libhot holds what runs at a marker; libwarm what that calls where every register is saved.

noinst_LTLIBRARIES += libmetrics/libmetrics.la libmetrics/libhot.la libmetrics/libwarm.la

# What a CPU has beside its header; all of it is distributed, one of it compiled.
PP_X86_64_SOURCES = \
	base/arch/x86_64/entry.S \
	base/arch/x86_64/init.c \
	libmetrics/code/arch/x86_64/block.c \
	libmetrics/code/arch/x86_64/block_accumulate.c \
	libmetrics/code/arch/x86_64/block_call.c \
	libmetrics/code/arch/x86_64/block_feature.c \
	libmetrics/code/arch/x86_64/block_flight.c \
	libmetrics/code/arch/x86_64/block_check.c \
	libmetrics/code/arch/x86_64/block_gen.h \
	libmetrics/code/arch/x86_64/block_interval.c \
	libmetrics/code/arch/x86_64/block_light.c \
	libmetrics/code/arch/x86_64/block_mark.c \
	libmetrics/code/arch/x86_64/block_unwind.c \
	libmetrics/code/arch/x86_64/emit.h \
	libmetrics/code/arch/x86_64/patch.c \
	libmetrics/cost/arch/x86_64/self.S
PP_AARCH64_SOURCES = \
	base/arch/aarch64/entry.S \
	libmetrics/code/arch/aarch64/patch.c
if ARCH_X86_64
PP_ARCH_SOURCES = $(PP_X86_64_SOURCES)
endif
if ARCH_AARCH64
PP_ARCH_SOURCES = $(PP_AARCH64_SOURCES)
endif
# Accumulators are headers, which table.h names: a new one needs no line here.
PP_ACCUMULATORS = $(shell sed -n 's,^.include "\(libmetrics/keep/.*\.h\)",\1,p' $(top_srcdir)/libmetrics/keep/table.h)
EXTRA_DIST += $(PP_ACCUMULATORS) libmetrics/rooms $(PP_X86_64_SOURCES) $(PP_AARCH64_SOURCES) \
	base/arch/aarch64/layout.h \
	base/arch/aarch64/pp_arch.h \
	base/arch/generic/pp_arch.h \
	base/arch/x86_64/pp_arch.h

libmetrics_libmetrics_la_CCASFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)/$(PP_ARCH_DIR)
libmetrics_libmetrics_la_CFLAGS = $(PP_LIB_CFLAGS)
# one archive, since they call each other; libhot last: its TLS ends the segment with a whole pair of cache lines
libmetrics_libmetrics_la_LIBADD = libmetrics/libwarm.la libmetrics/libhot.la $(ZSTD_LIBS)
libmetrics_libmetrics_la_SOURCES = $(PP_BASE_SOURCES) $(PP_RECORDING_SOURCES) $(PP_ARCH_SOURCES) \
	base/own_thread.c \
	base/own_thread.h \
	base/wake.c \
	base/wake.h \
	libmetrics/calls/by_hand.c \
	libmetrics/calls/by_hand.h \
	libmetrics/calls/call.h \
	libmetrics/calls/event.c \
	libmetrics/calls/fortran.c \
	libmetrics/calls/fortran_event.c \
	libmetrics/calls/nesting.c \
	libmetrics/calls/nesting.h \
	libmetrics/calls/open.c \
	libmetrics/calls/open.h \
	libmetrics/calls/fibre.c \
	libmetrics/calls/span.c \
	libmetrics/calls/span.h \
	libmetrics/calls/span_dims.c \
	libmetrics/calls/span_dims.h \
	libmetrics/calls/span_table.c \
	libmetrics/calls/span_table.h \
	libmetrics/code/arena.c \
	libmetrics/code/arena.h \
	libmetrics/code/block.c \
	libmetrics/code/told.c \
	libmetrics/code/told.h \
	libmetrics/code/block.h \
	libmetrics/code/patch.c \
	libmetrics/code/patch.h \
	libmetrics/code/route.c \
	libmetrics/code/route.h \
	libmetrics/cost/cost.c \
	libmetrics/cost/cost.h \
	libmetrics/cost/overhead.c \
	libmetrics/cost/overhead.h \
	libmetrics/cost/self.c \
	libmetrics/cost/self.h \
	libmetrics/cost/self_int.h \
	libmetrics/cost/self_taps.c \
	libmetrics/cost/site_state.c \
	libmetrics/cost/site_state.h \
	libmetrics/keep/accumulate_double.h \
	libmetrics/keep/accumulate_int.h \
	libmetrics/keep/accumulator.c \
	libmetrics/keep/accumulator.h \
	libmetrics/keep/buckets.c \
	libmetrics/keep/buckets.h \
	libmetrics/keep/field.h \
	libmetrics/keep/fold.c \
	libmetrics/keep/fold.h \
	libmetrics/keep/pool.c \
	libmetrics/keep/pool.h \
	libmetrics/keep/shard.h \
	libmetrics/keep/summary.c \
	libmetrics/keep/summary.h \
	libmetrics/keep/table.h \
	libmetrics/life/flight.c \
	libmetrics/life/flight.h \
	libmetrics/life/lifecycle.c \
	libmetrics/life/lifecycle.h \
	libmetrics/life/modules.c \
	libmetrics/life/modules.h \
	libmetrics/life/recorder.c \
	libmetrics/life/recorder.h \
	libmetrics/life/recording.c \
	libmetrics/life/recording.h \
	libmetrics/marker/aggregate.h \
	libmetrics/marker/flight.h \
	libmetrics/marker/guard.c \
	libmetrics/marker/marker.h \
	libmetrics/marker/quick.h \
	libmetrics/marker/ratio.c \
	libmetrics/marker/record.h \
	libmetrics/marker/sink.h \
	libmetrics/marker/taps.h \
	libmetrics/marker/tally.c \
	libmetrics/marker/tally.h \
	libmetrics/region/drops.h \
	libmetrics/region/groups.c \
	libmetrics/region/groups.h \
	libmetrics/region/history.c \
	libmetrics/region/history.h \
	libmetrics/region/mailbox.c \
	libmetrics/region/mailbox.h \
	libmetrics/region/region.c \
	libmetrics/region/region.h \
	libmetrics/region/stream.c \
	libmetrics/region/stream.h \
	libmetrics/region/texts.h \
	libmetrics/region/texts_int.h \
	libmetrics/region/texts_known.h \
	libmetrics/region/wiped.c \
	libmetrics/region/wiped.h \
	libmetrics/registry/batch.c \
	libmetrics/registry/batch.h \
	libmetrics/registry/binding.c \
	libmetrics/registry/binding.h \
	libmetrics/registry/command.c \
	libmetrics/registry/fallback.c \
	libmetrics/registry/fits.c \
	libmetrics/registry/lookup.c \
	libmetrics/registry/feature.c \
	libmetrics/registry/feature.h \
	libmetrics/registry/lookup.h \
	libmetrics/registry/metric.c \
	libmetrics/registry/metric.h \
	libmetrics/registry/metric_chunk.c \
	libmetrics/registry/metric_text.c \
	libmetrics/registry/module.c \
	libmetrics/registry/module.h \
	libmetrics/registry/pattern.c \
	libmetrics/registry/pattern.h \
	libmetrics/registry/plan.c \
	libmetrics/registry/plan.h \
	libmetrics/registry/program.c \
	libmetrics/registry/rule.c \
	libmetrics/registry/rule.h \
	libmetrics/registry/site.c \
	libmetrics/registry/site.h \
	libmetrics/registry/site_alloc.c \
	libmetrics/registry/site_alloc.h \
	libmetrics/registry/site_names.c \
	libmetrics/registry/statement.c \
	libmetrics/registry/tap.c \
	libmetrics/registry/tap.h \
	libmetrics/registry/switch.c \
	libmetrics/registry/switch.h \
	libmetrics/registry/tapped.c \
	libmetrics/registry/tapped.h \
	libmetrics/registry/window.c \
	libmetrics/registry/window.h \
	libmetrics/source/metric_spec.h \
	libmetrics/source/operator.c \
	libmetrics/source/operator.h \
	libmetrics/source/register.c \
	libmetrics/source/source.c \
	libmetrics/source/source.h \
	libmetrics/source/user_source.h \
	libmetrics/source/users_statistic.c \
	libmetrics/source/users_statistic.h \
	libmetrics/stats/group_name.c \
	libmetrics/stats/group_name.h \
	libmetrics/stats/groups.c \
	libmetrics/stats/groups.h \
	libmetrics/stats/merge.c \
	libmetrics/stats/merge.h \
	libmetrics/stats/operand.c \
	libmetrics/stats/operand.h \
	libmetrics/stats/series.c \
	libmetrics/stats/series.h \
	libmetrics/stats/snapshot.c \
	libmetrics/stats/snapshot.h \
	libmetrics/stats/stat.c \
	libmetrics/stats/stat.h \
	libmetrics/stats/window.c \
	libmetrics/tables/aggregate.h \
	libmetrics/tables/binding.h \
	libmetrics/tables/check.h \
	libmetrics/tables/metric.h \
	libmetrics/tables/module.h \
	libmetrics/tables/plan.h \
	libmetrics/tables/quick.h \
	libmetrics/tables/site.h \
	libmetrics/tables/slots.c \
	libmetrics/tables/slots.h \
	libmetrics/tables/tap.h \
	libmetrics/tables/throttle.h \
	libmetrics/tables/window.h \
	libmetrics/thread/series.c \
	libmetrics/thread/series.h \
	libmetrics/thread/activity.c \
	libmetrics/thread/aggregate.h \
	libmetrics/thread/activity.h \
	libmetrics/thread/executions.c \
	libmetrics/thread/executions.h \
	libmetrics/thread/flight.h \
	libmetrics/thread/frame.h \
	libmetrics/thread/handler.c \
	libmetrics/thread/handler.h \
	libmetrics/thread/keyed.h \
	libmetrics/thread/light.h \
	libmetrics/thread/feature.h \
	libmetrics/thread/mark.h \
	libmetrics/thread/marks_read.c \
	libmetrics/thread/nested.h \
	libmetrics/thread/opened.c \
	libmetrics/thread/opened.h \
	libmetrics/thread/ring.c \
	libmetrics/thread/rich.h \
	libmetrics/thread/ring.h \
	libmetrics/thread/text.h \
	libmetrics/thread/thread.h \
	libmetrics/thread/thread_life.c \
	libmetrics/thread/thread_life.h

# Entries save the host's general registers only: nothing here may touch any other, nor call libc, which may.
libmetrics_libhot_la_CFLAGS = $(PP_LIB_CFLAGS) -fno-tree-loop-distribute-patterns -fno-stack-protector -U_FORTIFY_SOURCE
if !ARCH_GENERIC
libmetrics_libhot_la_CFLAGS += -mgeneral-regs-only
endif
libmetrics_libhot_la_SOURCES = \
	base/wake_fast.c \
	libmetrics/keep/histogram.c \
	libmetrics/keep/table.c \
	libmetrics/keep/unbounded.c \
	libmetrics/marker/aggregate.c \
	libmetrics/marker/general_hot.c \
	libmetrics/marker/hot.c \
	libmetrics/marker/quick.c \
	libmetrics/marker/sinks.c \
	libmetrics/region/drops.c \
	libmetrics/region/groups_fast.c \
	libmetrics/region/region_fast.c \
	libmetrics/region/stream_fast.c \
	libmetrics/region/texts_fast.c \
	libmetrics/region/texts_known.c \
	libmetrics/thread/aggregate.c \
	libmetrics/thread/aggregate_table.c \
	libmetrics/thread/flight.c \
	libmetrics/thread/frame.c \
	libmetrics/thread/light.c \
	libmetrics/marker/feature.c \
	libmetrics/thread/feature.c \
	libmetrics/thread/feature_table.c \
	libmetrics/thread/keyed.c \
	libmetrics/thread/mark.c \
	libmetrics/thread/nested.c \
	libmetrics/thread/rich.c \
	libmetrics/thread/series_fast.c \
	libmetrics/thread/ring_fast.c \
	libmetrics/thread/text.c \
	libmetrics/thread/thread.c

# Markers pay for each instruction of these.
libmetrics_libwarm_la_CFLAGS = $(PP_LIB_CFLAGS) -fno-stack-protector
libmetrics_libwarm_la_SOURCES = \
	libmetrics/calls/call.c \
	libmetrics/calls/inline.c \
	libmetrics/keep/bounded_series.c \
	libmetrics/marker/aggregate_late.c \
	libmetrics/marker/flight.c \
	libmetrics/marker/general.c \
	libmetrics/marker/late.c \
	libmetrics/marker/record.c \
	libmetrics/marker/record_late.c \
	libmetrics/marker/record_shape.c \
	libmetrics/region/texts.c \
	libmetrics/thread/nested_double.c
