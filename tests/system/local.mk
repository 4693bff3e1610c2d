# SPDX-License-Identifier: MIT
# tests/system: whole programs under policies, in processes of their own, with check.h. Most are built twice from the same source, with patchable
# markers and (NAME_guard) with guards. ThreadSanitizer makes guards of all markers, so there is no second kind then.

PP_SYSTEM =
PP_SYSTEM_GUARD =
# what a user's program sees, and the plugin; recursion and stacks without end are what some of them are about
PP_SYSTEM_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_WARNINGS) -Wno-infinite-recursion -Wno-vla -Wno-clobbered \
	-Wno-missing-prototypes -Wno-conversion $(SANITIZER_FLAGS) $(PPGCC_FLAGS)
PP_SYSTEM_CXXFLAGS = -std=gnu++17 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_CXX_WARNINGS) -Wno-infinite-recursion $(SANITIZER_FLAGS) $(PPGCC_FLAGS)
PP_GUARD_FLAGS = -fplugin-arg-ppgcc-marker=guard -DGUARDS
PP_SYSTEM_LIBS = libpp/libpp.la -lm -lpthread

if HAVE_GCC_PLUGIN
check_PROGRAMS += $(PP_SYSTEM)
TESTS += $(PP_SYSTEM)
if !SANITIZE_THREAD
check_PROGRAMS += $(PP_SYSTEM_GUARD)
TESTS += $(PP_SYSTEM_GUARD)
endif
endif

# scripts that compile and run more, or other programs
PP_SYSTEM_SHELL = tests/system/preload.sh tests/system/thunk.sh tests/system/profile_events.sh tests/system/exact_calls.sh tests/system/sampled.sh tests/system/watched.sh tests/system/torture.sh tests/system/events.sh tests/system/flight.sh tests/system/features.sh tests/system/disabled.sh tests/system/levels.sh tests/system/main_job.sh
PP_SYSTEM_SHELL += tests/system/aggregate.sh tests/system/grouped.sh tests/system/span_dims.sh tests/system/values.sh tests/system/features_corpus.sh tests/system/features_programs.sh tests/system/features_short.sh tests/system/features_rich.sh tests/system/features_sum.sh tests/system/features_tables.sh
if HAVE_GCC_PLUGIN
TESTS += $(PP_SYSTEM_SHELL)
endif
tests/system/disabled.log tests/system/levels.log: $(PPGCC_SO)

# what sampled.sh fetches
CLEANFILES += speedscope-*.schema.json
EXTRA_DIST += tests/system/shares.h tests/system/sampled/host.c tests/system/sampled/shares.c tests/system/sampled/torture.cc tests/system/watched/host.c tests/system/watched/jumps.c tests/system/watched/named.c tests/system/watched/shares.c tests/system/events/calls.c tests/system/events/calls.cc tests/system/events/calls.dump tests/system/events/calls.h tests/system/events/deep.c tests/system/events/kinds.c tests/system/events/kinds.cc tests/system/events/late.c tests/system/events/late.cc tests/system/events/late.dump tests/system/events/late.h tests/system/events/span_dims.c tests/system/events/storm.c tests/system/events/ticking.c tests/system/events/values.c tests/system/events/values.cc tests/system/events/values.h tests/system/events/visits.c tests/system/events/visits.cc tests/system/events/visits.h tests/system/features/shares.c tests/system/flight/turns.c tests/system/check.h tests/system/disabled/loops.c $(PP_SYSTEM_SHELL)
EXTRA_DIST += tests/system/aggregate/open.c tests/system/aggregate/serve.c tests/system/features/control.cc
EXTRA_DIST += tests/system/features/latent.c tests/system/features/rich.c tests/system/grouped/server.c tests/system/grouped/expected.c
EXTRA_DIST += tests/system/features/places.c tests/system/features/short.c

PP_SYSTEM += tests/system/jumped
tests_system_jumped_SOURCES = tests/system/jumped.c
tests_system_jumped_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_jumped_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_jumped_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/jumped_guard
tests_system_jumped_guard_SOURCES = tests/system/jumped.c
tests_system_jumped_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_jumped_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_jumped_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/pairing
tests_system_pairing_SOURCES = tests/system/pairing.c
tests_system_pairing_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_pairing_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_pairing_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/pairing_unwound
tests_system_pairing_unwound_SOURCES = tests/system/pairing.c
tests_system_pairing_unwound_CFLAGS = $(PP_SYSTEM_CFLAGS) -fexceptions
tests_system_pairing_unwound_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_pairing_unwound_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/pairing_guard
tests_system_pairing_guard_SOURCES = tests/system/pairing.c
tests_system_pairing_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_pairing_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_pairing_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/returns
tests_system_returns_SOURCES = tests/system/returns.c
tests_system_returns_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_returns_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_returns_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/returns_guard
tests_system_returns_guard_SOURCES = tests/system/returns.c
tests_system_returns_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_returns_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_returns_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/inlining
tests_system_inlining_SOURCES = tests/system/inlining.c
tests_system_inlining_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_inlining_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_inlining_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/inlining_guard
tests_system_inlining_guard_SOURCES = tests/system/inlining.c
tests_system_inlining_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_inlining_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_inlining_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/loop_copies
tests_system_loop_copies_SOURCES = tests/system/loop_copies.c tests/system/loop_kernels.h
tests_system_loop_copies_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_loop_copies_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_loop_copies_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/loop_copies_guard
tests_system_loop_copies_guard_SOURCES = tests/system/loop_copies.c tests/system/loop_kernels.h
tests_system_loop_copies_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_loop_copies_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_loop_copies_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/signals
tests_system_signals_SOURCES = tests/system/signals.c
tests_system_signals_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_signals_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_signals_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/signals_guard
tests_system_signals_guard_SOURCES = tests/system/signals.c
tests_system_signals_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_signals_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_signals_guard_OBJECTS): $(PPGCC_SO)

# what is live at a marker depends on the CPU, and on what the unit is compiled for
if ARCH_X86_64
PP_SYSTEM += tests/system/registers
tests_system_registers_SOURCES = tests/system/registers.c
tests_system_registers_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_registers_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_registers_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/registers_avx
tests_system_registers_avx_SOURCES = tests/system/registers.c
tests_system_registers_avx_CFLAGS = $(PP_SYSTEM_CFLAGS) -mavx2
tests_system_registers_avx_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_registers_avx_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/registers_avx512
tests_system_registers_avx512_SOURCES = tests/system/registers.c
tests_system_registers_avx512_CFLAGS = $(PP_SYSTEM_CFLAGS) -mavx512f -mavx512bw -mavx512vl
tests_system_registers_avx512_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_registers_avx512_OBJECTS): $(PPGCC_SO)

endif

PP_SYSTEM += tests/system/profiled
tests_system_profiled_SOURCES = tests/system/profiled.c
tests_system_profiled_CFLAGS = $(PP_SYSTEM_CFLAGS) -fno-optimize-sibling-calls
tests_system_profiled_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_profiled_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/spans
tests_system_spans_SOURCES = tests/system/spans.c
tests_system_spans_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_spans_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_spans_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/fibres
tests_system_fibres_SOURCES = tests/system/fibres.c
tests_system_fibres_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_fibres_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_fibres_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/fibres_guard
tests_system_fibres_guard_SOURCES = tests/system/fibres.c
tests_system_fibres_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_fibres_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_fibres_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/switching
tests_system_switching_SOURCES = tests/system/switching.c
tests_system_switching_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_switching_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_switching_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/switching_guard
tests_system_switching_guard_SOURCES = tests/system/switching.c
tests_system_switching_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_switching_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_switching_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/rebind
tests_system_rebind_SOURCES = tests/system/rebind.c
tests_system_rebind_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_rebind_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_rebind_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/reloads
tests_system_reloads_SOURCES = tests/system/reloads.c
tests_system_reloads_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_reloads_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_reloads_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/excess
tests_system_excess_SOURCES = tests/system/excess.c
tests_system_excess_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_excess_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_excess_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/ended
tests_system_ended_SOURCES = tests/system/ended.c
tests_system_ended_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_ended_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_ended_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/rebind_guard
tests_system_rebind_guard_SOURCES = tests/system/rebind.c
tests_system_rebind_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_rebind_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_rebind_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/exceptions
tests_system_exceptions_SOURCES = tests/system/exceptions.cc
tests_system_exceptions_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS)
tests_system_exceptions_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_exceptions_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/exceptions_guard
tests_system_exceptions_guard_SOURCES = tests/system/exceptions.cc
tests_system_exceptions_guard_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS) $(PP_GUARD_FLAGS)
tests_system_exceptions_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_exceptions_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/forks
tests_system_forks_SOURCES = tests/system/forks.c
tests_system_forks_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_forks_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_forks_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/forks_guard
tests_system_forks_guard_SOURCES = tests/system/forks.c
tests_system_forks_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_forks_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_forks_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/killed
tests_system_killed_SOURCES = tests/system/killed.c
tests_system_killed_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_killed_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_killed_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/killed_guard
tests_system_killed_guard_SOURCES = tests/system/killed.c
tests_system_killed_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_killed_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_killed_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/real_time
tests_system_real_time_SOURCES = tests/system/real_time.c
tests_system_real_time_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_real_time_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_real_time_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/polled
tests_system_polled_SOURCES = tests/system/polled.c
tests_system_polled_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_polled_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_polled_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/baseline
tests_system_baseline_SOURCES = tests/system/baseline.c
tests_system_baseline_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_baseline_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_baseline_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/growth
tests_system_growth_SOURCES = tests/system/growth.c
tests_system_growth_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_growth_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_growth_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/growth_guard
tests_system_growth_guard_SOURCES = tests/system/growth.c
tests_system_growth_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_growth_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_growth_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/deadlock
tests_system_deadlock_SOURCES = tests/system/deadlock.c
tests_system_deadlock_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_deadlock_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_deadlock_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/deadlock_guard
tests_system_deadlock_guard_SOURCES = tests/system/deadlock.c
tests_system_deadlock_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_deadlock_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_deadlock_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/recordings
tests_system_recordings_SOURCES = tests/system/recordings.c
tests_system_recordings_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_recordings_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_recordings_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/recordings_guard
tests_system_recordings_guard_SOURCES = tests/system/recordings.c
tests_system_recordings_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_recordings_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_recordings_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/statistics
tests_system_statistics_SOURCES = tests/system/statistics.c
tests_system_statistics_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_statistics_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_statistics_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/statistics_guard
tests_system_statistics_guard_SOURCES = tests/system/statistics.c
tests_system_statistics_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_statistics_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_statistics_guard_OBJECTS): $(PPGCC_SO)

# figures are those of optimised code that no sanitizer has added to
PP_SYSTEM += tests/system/figures
tests_system_figures_SOURCES = tests/system/figures.c
tests_system_figures_CFLAGS = $(PP_SYSTEM_CFLAGS) -O2 -DSANITIZER='"$(SANITIZER)"'
tests_system_figures_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_figures_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/figures_guard
tests_system_figures_guard_SOURCES = tests/system/figures.c
tests_system_figures_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS) -O2 -DSANITIZER='"$(SANITIZER)"'
tests_system_figures_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_figures_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/names
tests_system_names_SOURCES = tests/system/names.c
tests_system_names_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_names_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_names_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/names_guard
tests_system_names_guard_SOURCES = tests/system/names.c
tests_system_names_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_names_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_names_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/modules
tests_system_modules_SOURCES = tests/system/modules.c
tests_system_modules_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_modules_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_modules_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/modules_guard
tests_system_modules_guard_SOURCES = tests/system/modules.c
tests_system_modules_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_modules_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_modules_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/routes
tests_system_routes_SOURCES = tests/system/routes.c
tests_system_routes_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_routes_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_routes_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/routes_guard
tests_system_routes_guard_SOURCES = tests/system/routes.c
tests_system_routes_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_routes_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_routes_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/crowd
tests_system_crowd_SOURCES = tests/system/crowd.c
tests_system_crowd_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_crowd_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_crowd_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/crowd_guard
tests_system_crowd_guard_SOURCES = tests/system/crowd.c
tests_system_crowd_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_crowd_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_crowd_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/overhead
tests_system_overhead_SOURCES = tests/system/overhead.c
tests_system_overhead_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_overhead_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_overhead_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/overhead_guard
tests_system_overhead_guard_SOURCES = tests/system/overhead.c
tests_system_overhead_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_overhead_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_overhead_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/quiet
tests_system_quiet_SOURCES = tests/system/quiet.c
tests_system_quiet_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_quiet_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_quiet_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/quiet_guard
tests_system_quiet_guard_SOURCES = tests/system/quiet.c
tests_system_quiet_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_quiet_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_quiet_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/computed
tests_system_computed_SOURCES = tests/system/computed.c
tests_system_computed_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_computed_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_computed_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/computed_guard
tests_system_computed_guard_SOURCES = tests/system/computed.c
tests_system_computed_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_computed_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_computed_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/unwritable
tests_system_unwritable_SOURCES = tests/system/unwritable.c
tests_system_unwritable_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_unwritable_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_unwritable_OBJECTS): $(PPGCC_SO)

# without the plugin
check_PROGRAMS += tests/system/calls
TESTS += tests/system/calls
tests_system_calls_SOURCES = tests/system/calls.c
tests_system_calls_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_WARNINGS) -Wno-clobbered $(SANITIZER_FLAGS)
tests_system_calls_LDADD = $(PP_SYSTEM_LIBS)

check_PROGRAMS += tests/system/captured
TESTS += tests/system/captured
tests_system_captured_SOURCES = tests/system/captured.c
tests_system_captured_CFLAGS = $(tests_system_calls_CFLAGS)
tests_system_captured_LDADD = $(PP_SYSTEM_LIBS)

# what modules loads and unloads
if HAVE_GCC_PLUGIN
check_LTLIBRARIES += tests/system/plugged0.la tests/system/plugged1.la
endif
PP_PLUGGED_LDFLAGS = $(PP_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_system_plugged0_la_SOURCES = tests/system/plugged.c
tests_system_plugged0_la_CFLAGS = $(PP_SYSTEM_CFLAGS) -DPLUGGED_SOURCE
tests_system_plugged0_la_LDFLAGS = $(PP_PLUGGED_LDFLAGS)
tests_system_plugged0_la_LIBADD = libpp/libpp.la
tests_system_plugged1_la_SOURCES = tests/system/plugged.c
tests_system_plugged1_la_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_plugged1_la_LDFLAGS = $(PP_PLUGGED_LDFLAGS)
tests_system_plugged1_la_LIBADD = libpp/libpp.la
$(tests_system_plugged0_la_OBJECTS) $(tests_system_plugged1_la_OBJECTS): $(PPGCC_SO)
PP_PLUGGED_DIR = -DPLUGGED_DIR='"$(abs_top_builddir)/tests/system/.libs"'
tests_system_modules_CFLAGS += $(PP_PLUGGED_DIR)
tests_system_modules_guard_CFLAGS += $(PP_PLUGGED_DIR)

PP_SYSTEM += tests/system/review_core
tests_system_review_core_SOURCES = tests/system/review_core.c
tests_system_review_core_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_review_core_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_review_core_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/review_core_guard
tests_system_review_core_guard_SOURCES = tests/system/review_core.c
tests_system_review_core_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_review_core_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_review_core_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/language
tests_system_language_SOURCES = tests/system/language.c tests/system/language_files/calls.c tests/system/language_files/more.c tests/system/language_files/shared.h
tests_system_language_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_language_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_language_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/language_guard
tests_system_language_guard_SOURCES = tests/system/language.c tests/system/language_files/calls.c tests/system/language_files/more.c tests/system/language_files/shared.h
tests_system_language_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_language_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_language_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/language_classes
tests_system_language_classes_SOURCES = tests/system/language_classes.cc
tests_system_language_classes_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS)
tests_system_language_classes_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_language_classes_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/language_classes_guard
tests_system_language_classes_guard_SOURCES = tests/system/language_classes.cc
tests_system_language_classes_guard_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS) $(PP_GUARD_FLAGS)
tests_system_language_classes_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_language_classes_guard_OBJECTS): $(PPGCC_SO)

# ppctl, half of which needs libelf; and the sources in a whole program
PP_SHELL_TESTS = tests/system/attributes.sh tests/system/clocks.sh tests/system/control.sh tests/system/kill.sh tests/system/kill_often.sh tests/system/language.sh tests/system/lacking.sh tests/system/many_markers.sh tests/system/parser.sh tests/system/ppctl.sh tests/system/plugins.sh tests/system/pprec.sh tests/system/ps.sh tests/system/query.sh tests/system/reload.sh tests/system/run.sh tests/system/screen.sh tests/system/sources.sh tests/system/suggest.sh tests/system/test_policy.sh tests/system/tls.sh
if HAVE_LIBELF
if HAVE_GCC_PLUGIN
TESTS += $(PP_SHELL_TESTS)
endif
endif
if HAVE_GCC_PLUGIN
TESTS += tests/system/modes.sh tests/system/proxy.sh
endif
EXTRA_DIST += tests/system/modes.sh tests/system/proxy.sh
# ppctl has one thread: nothing for ThreadSanitizer
if HAVE_LIBELF
if !SANITIZE_THREAD
TESTS += tests/system/schema.sh
endif
endif
EXTRA_DIST += tests/system/schema.sh tests/system/policies/compare.py tests/system/policies/good.txt tests/system/policies/bad.txt \
	tests/system/policies/beyond.txt
EXTRA_DIST += $(PP_SHELL_TESTS) tests/system/pprec_second.py tests/system/screens/80.txt tests/system/screens/120.txt tests/system/screens/200.txt tests/system/screens/ascii.txt tests/system/screens/colour.txt \
	tests/system/screens/sites.txt tests/system/ppctl/bakery.c tests/system/ppctl/bakery.yaml tests/system/ppctl/controlled.c tests/system/ppctl/endless.c tests/system/ppctl/endless_events.c tests/system/ppctl/forks.c tests/system/ppctl/liar.c tests/system/ppctl/series.c tests/system/ppctl/shop.c tests/system/ppctl/shop.yaml \
	tests/system/ppctl/wrong.yaml tests/system/sources/count.cc tests/system/test_policy/phases.c tests/system/papi/fake_papi.c tests/system/papi/turns.c \
	tests/system/plugins/features.c tests/system/plugins/perfetto.py tests/system/plugins/print.c tests/system/plugins/same.py tests/system/plugins/tree.c \
	tests/system/plugins/wrong.c

# Fortran's module, with and without the plugin
if HAVE_GCC_PLUGIN
TESTS += tests/system/fortran.sh
endif
EXTRA_DIST += tests/system/fortran.sh tests/system/fortran/counts.c tests/system/fortran/fortran.yaml tests/system/fortran/events.dump tests/system/fortran/events.f90 tests/system/fortran/solver.f90

check_PROGRAMS += tests/system/make_recording
tests_system_make_recording_SOURCES = tests/system/make_recording.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_system_make_recording_LDADD = libmetrics/libmetrics.la -lm

PP_SYSTEM += tests/system/quick
tests_system_quick_SOURCES = tests/system/quick.c
tests_system_quick_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_quick_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_quick_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/light
tests_system_light_SOURCES = tests/system/light.c
tests_system_light_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_light_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_light_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/altstack
tests_system_altstack_SOURCES = tests/system/altstack.c
tests_system_altstack_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_altstack_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_altstack_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/altstack_guard
tests_system_altstack_guard_SOURCES = tests/system/altstack.c
tests_system_altstack_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_altstack_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_altstack_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/traps
tests_system_traps_SOURCES = tests/system/traps.c
tests_system_traps_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_traps_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_traps_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/traps_guard
tests_system_traps_guard_SOURCES = tests/system/traps.c
tests_system_traps_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_traps_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_traps_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/news
tests_system_news_SOURCES = tests/system/news.c
tests_system_news_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_news_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_news_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/news_guard
tests_system_news_guard_SOURCES = tests/system/news.c
tests_system_news_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_news_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_news_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/collected
tests_system_collected_SOURCES = tests/system/collected.c
tests_system_collected_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_collected_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_collected_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/blocks
tests_system_blocks_SOURCES = tests/system/blocks.c tests/system/stepping.h
tests_system_blocks_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_blocks_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_blocks_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/block_calls
tests_system_block_calls_SOURCES = tests/system/block_calls.c tests/system/stepping.h
tests_system_block_calls_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_block_calls_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_block_calls_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/thrown
tests_system_thrown_SOURCES = tests/system/thrown.cc
tests_system_thrown_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS) -fnon-call-exceptions
tests_system_thrown_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_thrown_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/every
tests_system_every_SOURCES = tests/system/every.c
tests_system_every_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_every_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_every_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/every_guard
tests_system_every_guard_SOURCES = tests/system/every.c
tests_system_every_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_every_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_every_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/ages
tests_system_ages_SOURCES = tests/system/ages.c
tests_system_ages_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_ages_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_ages_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/knobs
tests_system_knobs_SOURCES = tests/system/knobs.c
tests_system_knobs_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_knobs_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_knobs_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/composites
tests_system_composites_SOURCES = tests/system/composites.c
tests_system_composites_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_composites_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_composites_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/nested
tests_system_nested_SOURCES = tests/system/nested.cc
tests_system_nested_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS)
tests_system_nested_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_nested_OBJECTS): $(PPGCC_SO)

# what the compiler warns of is what it is about
PP_SYSTEM += tests/system/missed
tests_system_missed_SOURCES = tests/system/missed.c
tests_system_missed_CFLAGS = $(PP_SYSTEM_CFLAGS) -w
tests_system_missed_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_missed_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/overloads
tests_system_overloads_SOURCES = tests/system/overloads.cc
tests_system_overloads_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS)
tests_system_overloads_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_overloads_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/overloads_guard
tests_system_overloads_guard_SOURCES = tests/system/overloads.cc
tests_system_overloads_guard_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS) $(PP_GUARD_FLAGS)
tests_system_overloads_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_overloads_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/nested_guard
tests_system_nested_guard_SOURCES = tests/system/nested.cc
tests_system_nested_guard_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS) $(PP_GUARD_FLAGS)
tests_system_nested_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_nested_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/operators
tests_system_operators_SOURCES = tests/system/operators.c
tests_system_operators_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_operators_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_operators_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/operators_guard
tests_system_operators_guard_SOURCES = tests/system/operators.c
tests_system_operators_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_operators_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_operators_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/adapted
tests_system_adapted_SOURCES = tests/system/adapted.c
tests_system_adapted_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_adapted_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_adapted_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/investigated
tests_system_investigated_SOURCES = tests/system/investigated.c
tests_system_investigated_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_investigated_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_investigated_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/investigated_guard
tests_system_investigated_guard_SOURCES = tests/system/investigated.c
tests_system_investigated_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_investigated_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_investigated_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/each_thread
tests_system_each_thread_SOURCES = tests/system/each_thread.c
tests_system_each_thread_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_each_thread_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_each_thread_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/each_thread_guard
tests_system_each_thread_guard_SOURCES = tests/system/each_thread.c
tests_system_each_thread_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_each_thread_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_each_thread_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/globs
tests_system_globs_SOURCES = tests/system/globs.c
tests_system_globs_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_PLUGGED_DIR)
tests_system_globs_LDADD = $(PP_SYSTEM_LIBS) -ldl
$(tests_system_globs_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/callbacks
tests_system_callbacks_SOURCES = tests/system/callbacks.c
tests_system_callbacks_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_callbacks_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_callbacks_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/contrasts
tests_system_contrasts_SOURCES = tests/system/contrasts.c
tests_system_contrasts_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_contrasts_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_contrasts_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/contrasts_guard
tests_system_contrasts_guard_SOURCES = tests/system/contrasts.c
tests_system_contrasts_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_contrasts_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_contrasts_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/history
tests_system_history_SOURCES = tests/system/history.c
tests_system_history_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_history_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_history_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/system/history_guard
tests_system_history_guard_SOURCES = tests/system/history.c
tests_system_history_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_system_history_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_history_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/system/huge
tests_system_huge_SOURCES = tests/system/huge.c
tests_system_huge_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_system_huge_LDADD = $(PP_SYSTEM_LIBS)
$(tests_system_huge_OBJECTS): $(PPGCC_SO)

# what reads the records of a recording for tests/system/events.sh
check_PROGRAMS += tests/system/events/dump_records
tests_system_events_dump_records_SOURCES = tests/system/events/dump_records.c
tests_system_events_dump_records_LDADD = profiler/libanalysis.la libmetrics/libmetrics.la -lm

# where executions that violated an assertion were, by samples
PP_SYSTEM_SHELL += tests/system/where.sh
EXTRA_DIST += tests/system/where/serves.c
# what debuggers and profilers are told of code that is made for markers
PP_SYSTEM_SHELL += tests/system/debugged.sh
EXTRA_DIST += tests/system/debugged/works.c
