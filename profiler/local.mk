# SPDX-License-Identifier: MIT
# profiler: takes samples (sampler) and records executions (events), parts of libpp, and says what they mean (analysis, a part of ppctl). Its rooms are in profiler/rooms.

EXTRA_DIST += profiler/rooms
noinst_LTLIBRARIES += profiler/libsampler.la profiler/libevents.la profiler/libanalysis.la

profiler_libsampler_la_CFLAGS = $(PP_LIB_CFLAGS)
profiler_libsampler_la_SOURCES = \
	profiler/features/exact.h \
	profiler/features/part.c \
	profiler/features/policy.c \
	profiler/features/policy.h \
	profiler/features/waits.c \
	profiler/features/waits.h \
	profiler/sampler/asked.c \
	profiler/sampler/asked.h \
	profiler/sampler/cfi.c \
	profiler/sampler/cfi.h \
	profiler/sampler/cfi_expression.c \
	profiler/sampler/cfi_read.c \
	profiler/sampler/command.c \
	profiler/sampler/command.h \
	profiler/sampler/event.c \
	profiler/sampler/event.h \
	profiler/sampler/handler.c \
	profiler/sampler/interrupter.c \
	profiler/sampler/looks.c \
	profiler/sampler/looks.h \
	profiler/sampler/objects.c \
	profiler/sampler/objects.h \
	profiler/sampler/part.c \
	profiler/sampler/program.c \
	profiler/sampler/program.h \
	profiler/sampler/raw.h \
	profiler/sampler/sampler.h \
	profiler/sampler/served.c \
	profiler/sampler/served.h \
	profiler/sampler/signal.c \
	profiler/sampler/signal.h \
	profiler/sampler/store.c \
	profiler/sampler/store.h \
	profiler/sampler/threads.c \
	profiler/sampler/threads.h \
	profiler/sampler/tracked.c \
	profiler/sampler/tracked.h \
	profiler/sampler/unwind.c \
	profiler/sampler/unwind.h \
	profiler/sampler/wall.c \
	profiler/sampler/wall.h \
	profiler/sampler/watched.c \
	profiler/sampler/watched.h \
	profiler/sampler/watcher.c

profiler_libevents_la_CFLAGS = $(PP_LIB_CFLAGS)
profiler_libevents_la_SOURCES = profiler/events/aggregate.c profiler/events/ask.c profiler/events/ask.h profiler/events/events.h \
	profiler/events/flight.c profiler/events/part.c

profiler_libanalysis_la_CFLAGS = $(PP_CFLAGS)
profiler_libanalysis_la_SOURCES = \
	profiler/analysis/analyse.c \
	profiler/analysis/broken.c \
	profiler/analysis/broken.h \
	profiler/analysis/exact.c \
	profiler/analysis/flight.c \
	profiler/analysis/flight.h \
	profiler/analysis/features.c \
	profiler/analysis/features.h \
	profiler/analysis/features_list.c \
	profiler/analysis/features_sum.c \
	profiler/analysis/feed.c \
	profiler/analysis/feed.h \
	profiler/analysis/graph.c \
	profiler/analysis/instances.c \
	profiler/analysis/instances.h \
	profiler/analysis/instances_sum.c \
	profiler/analysis/marks.c \
	profiler/analysis/marks.h \
	profiler/analysis/merge.c \
	profiler/analysis/payload.c \
	profiler/analysis/payload.h \
	profiler/analysis/profile.h \
	profiler/analysis/query.c \
	profiler/analysis/query.h \
	profiler/analysis/query_aggregate.c \
	profiler/analysis/query_csv.c \
	profiler/analysis/query_dot.c \
	profiler/analysis/query_groups.c \
	profiler/analysis/query_int.h \
	profiler/analysis/query_tables.c \
	profiler/analysis/query_text.c \
	profiler/analysis/proto.c \
	profiler/analysis/proto.h \
	profiler/analysis/put.c \
	profiler/analysis/put.h \
	profiler/analysis/read.c \
	profiler/analysis/read.h \
	profiler/analysis/record_losses.c \
	profiler/analysis/records.c \
	profiler/analysis/records.h \
	profiler/analysis/record_texts.c \
	profiler/analysis/record_texts.h \
	profiler/analysis/render.h \
	profiler/analysis/render_graph.c \
	profiler/analysis/render_pprof.c \
	profiler/analysis/render_stacks.c \
	profiler/analysis/render_text.c \
	profiler/analysis/rows.c \
	profiler/analysis/rows.h \
	profiler/analysis/samples.c \
	profiler/analysis/samples.h \
	profiler/analysis/shell.c \
	profiler/analysis/shell.h \
	profiler/analysis/shell_complete.c \
	profiler/analysis/shell_complete.h \
	profiler/analysis/span.h \
	profiler/analysis/symbols.c \
	profiler/analysis/symbols.h \
	profiler/analysis/terms.c \
	profiler/analysis/terms.h \
	profiler/analysis/terms_int.h \
	profiler/analysis/terms_list.c \
	profiler/analysis/terms_parse.c \
	profiler/analysis/terms_plugin.c \
	profiler/analysis/terms_value.c \
	profiler/analysis/trace.c \
	profiler/analysis/trace.h \
	profiler/analysis/trace_chrome.c \
	profiler/analysis/trace_perfetto.c \
	profiler/analysis/walk.c \
	profiler/analysis/walk.h \
	profiler/analysis/walk_late.c \
	profiler/analysis/walk_made.c \
	profiler/analysis/walk_made.h \
	profiler/analysis/where.c \
	profiler/analysis/where.h
profiler_libanalysis_la_LIBADD =
EXTRA_DIST += profiler/analysis/json.c profiler/analysis/query_json.c profiler/analysis/sql.c profiler/analysis/sql.h profiler/analysis/sql_int.h profiler/analysis/sql_print.c profiler/analysis/sql_records.c profiler/analysis/sql_tables.c

# A module of its own: a program that takes a profile of itself loads it, and libdw, when it wants to see that.
pkglib_LTLIBRARIES += profiler/libpp-profile.la
profiler_libpp_profile_la_CFLAGS = $(PP_LIB_CFLAGS)
profiler_libpp_profile_la_SOURCES = profiler/analysis/module.c profiler/analysis/module.h profiler/analysis/module_events.c
profiler_libpp_profile_la_LDFLAGS = $(PP_LDFLAGS) -module -avoid-version -export-symbols-regex '^pp_profile_module$$'
profiler_libpp_profile_la_LIBADD = profiler/libanalysis.la recording/libreading.la $(ZSTD_LIBS)

if HAVE_JANSSON
profiler_libanalysis_la_CFLAGS += $(JANSSON_CFLAGS)
profiler_libanalysis_la_SOURCES += profiler/analysis/json.c profiler/analysis/query_json.c
profiler_libanalysis_la_LIBADD += $(JANSSON_LIBS)
endif
if HAVE_LIBEDIT
profiler_libanalysis_la_CFLAGS += $(LIBEDIT_CFLAGS)
profiler_libanalysis_la_LIBADD += $(LIBEDIT_LIBS)
endif
if HAVE_LIBDW
profiler_libanalysis_la_CFLAGS += $(LIBDW_CFLAGS)
profiler_libanalysis_la_LIBADD += $(LIBDW_LIBS)
endif
