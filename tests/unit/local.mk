# SPDX-License-Identifier: MIT
# tests/unit: the rooms' functions, one by one, with the check library. A test program needs three lines:
#
#   PP_UNIT += tests/unit/test_policy
#   tests_unit_test_policy_SOURCES = tests/unit/test_policy.c
#   tests_unit_test_policy_LDADD = $(PP_UNIT_LIBS)
#
# It sees the inside of the library (hidden functions too): it is linked with the convenience libraries, not with libpp.

PP_UNIT =

if HAVE_CHECK
check_PROGRAMS += $(PP_UNIT)
TESTS += $(PP_UNIT)
check_LTLIBRARIES += tests/unit/libppcheck.la
tests_unit_libppcheck_la_SOURCES = tests/unit/ppcheck.c tests/unit/ppcheck.h tests/unit/measure.h tests/unit/started.h
tests_unit_libppcheck_la_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS)
PP_UNIT_LIBS = tests/unit/libppcheck.la assertions/libassertions.la report/libreport.la stdmetrics/libstdmetrics.la \
	libmetrics/libmetrics.la $(YAML_LIBS) $(CHECK_LIBS)

PP_UNIT += tests/unit/test_ppcheck
tests_unit_test_ppcheck_SOURCES = tests/unit/test_ppcheck.c
tests_unit_test_ppcheck_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_summary
tests_unit_test_summary_SOURCES = tests/unit/test_summary.c
tests_unit_test_summary_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_quantity
tests_unit_test_quantity_SOURCES = tests/unit/test_quantity.c
tests_unit_test_quantity_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_lookup
tests_unit_test_lookup_SOURCES = tests/unit/test_lookup.c
tests_unit_test_lookup_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_where
tests_unit_test_where_SOURCES = tests/unit/test_where.c
tests_unit_test_where_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)
PP_UNIT += tests/unit/test_exact_costs
tests_unit_test_exact_costs_SOURCES = tests/unit/test_exact_costs.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_test_exact_costs_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)
PP_UNIT += tests/unit/test_features
tests_unit_test_features_SOURCES = tests/unit/test_features.c
tests_unit_test_features_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)
PP_UNIT += tests/unit/test_profile
tests_unit_test_profile_SOURCES = tests/unit/test_profile.c tests/unit/printed.h
tests_unit_test_profile_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)
PP_UNIT += tests/unit/test_profile_sum
tests_unit_test_profile_sum_SOURCES = tests/unit/test_profile_sum.c tests/unit/printed.h
tests_unit_test_profile_sum_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_query
tests_unit_test_query_SOURCES = tests/unit/test_query.c tests/unit/array_records.c tests/unit/array_records.h
tests_unit_test_query_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_terms
tests_unit_test_terms_SOURCES = tests/unit/test_terms.c tests/unit/array_records.c tests/unit/array_records.h
tests_unit_test_terms_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)

# stacks are walked by libgcc, too, and compared
PP_UNIT += tests/unit/test_ring
tests_unit_test_ring_SOURCES = tests/unit/test_ring.c
tests_unit_test_ring_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_ring_LDADD = profiler/libsampler.la $(PP_UNIT_LIBS)
PP_UNIT += tests/unit/test_unwind
tests_unit_test_unwind_SOURCES = tests/unit/test_unwind.c
tests_unit_test_unwind_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) -fno-optimize-sibling-calls
tests_unit_test_unwind_LDADD = profiler/libsampler.la $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_stream
tests_unit_test_stream_SOURCES = tests/unit/test_stream.c
tests_unit_test_stream_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_flight
tests_unit_test_flight_SOURCES = tests/unit/test_flight.c
tests_unit_test_flight_LDADD = profiler/libanalysis.la $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_histogram
tests_unit_test_histogram_SOURCES = tests/unit/test_histogram.c
tests_unit_test_histogram_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_unbounded
tests_unit_test_unbounded_SOURCES = tests/unit/test_unbounded.c
tests_unit_test_unbounded_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_accumulator
tests_unit_test_accumulator_SOURCES = tests/unit/test_accumulator.c tests/unit/geometric.c
tests_unit_test_accumulator_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_accumulator_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_accumulator_OBJECTS): $(PPGCC_SO)

PP_UNIT += tests/unit/test_exact
tests_unit_test_exact_SOURCES = tests/unit/test_exact.c
tests_unit_test_exact_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_exact_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_exact_OBJECTS): $(PPGCC_SO)
PP_UNIT += tests/unit/test_switch
tests_unit_test_switch_SOURCES = tests/unit/test_switch.c
tests_unit_test_switch_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_switch_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_switch_OBJECTS): $(PPGCC_SO)
PP_UNIT += tests/unit/test_exact_steps
tests_unit_test_exact_steps_SOURCES = tests/unit/test_exact_steps.c tests/system/stepping.h
tests_unit_test_exact_steps_CFLAGS = $(PP_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_exact_steps_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_exact_steps_OBJECTS): $(PPGCC_SO)

PP_UNIT += tests/unit/test_groups
tests_unit_test_groups_SOURCES = tests/unit/test_groups.c
tests_unit_test_groups_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_groups_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_texts
tests_unit_test_texts_SOURCES = tests/unit/test_texts.c
tests_unit_test_texts_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS)
tests_unit_test_texts_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_sinks
tests_unit_test_sinks_SOURCES = tests/unit/test_sinks.c
tests_unit_test_sinks_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_sinks_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_sinks_OBJECTS): $(PPGCC_SO)

PP_UNIT += tests/unit/test_window
tests_unit_test_window_SOURCES = tests/unit/test_window.c
tests_unit_test_window_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_prove
tests_unit_test_prove_SOURCES = tests/unit/test_prove.c
tests_unit_test_prove_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_merge
tests_unit_test_merge_SOURCES = tests/unit/test_merge.c
tests_unit_test_merge_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_statistics_table
tests_unit_test_statistics_table_SOURCES = tests/unit/test_statistics_table.c
tests_unit_test_statistics_table_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_lists
tests_unit_test_lists_SOURCES = tests/unit/test_lists.c
tests_unit_test_lists_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_rank
tests_unit_test_rank_SOURCES = tests/unit/test_rank.c
tests_unit_test_rank_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_stdmetrics
tests_unit_test_stdmetrics_SOURCES = tests/unit/test_stdmetrics.c
tests_unit_test_stdmetrics_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) -fno-builtin \
	-DHEAP_MODULE='"$(abs_top_builddir)/tests/unit/.libs/heap_module.so"'
tests_unit_test_stdmetrics_LDADD = $(PP_UNIT_LIBS)
check_LTLIBRARIES += tests/unit/heap_module.la
tests_unit_heap_module_la_SOURCES = tests/unit/heap_module.c
tests_unit_heap_module_la_LDFLAGS = -module -avoid-version -rpath /nowhere
if HAVE_PAPI
tests_unit_test_stdmetrics_CFLAGS += -DPAPI_MODULE_DIR='"$(abs_top_builddir)/stdmetrics/.libs"'
endif

PP_UNIT += tests/unit/test_sources
tests_unit_test_sources_SOURCES = tests/unit/test_sources.c
tests_unit_test_sources_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_patch
tests_unit_test_patch_SOURCES = tests/unit/test_patch.c
tests_unit_test_patch_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_perf
tests_unit_test_perf_SOURCES = tests/unit/test_perf.c
tests_unit_test_perf_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_hardware
tests_unit_test_hardware_SOURCES = tests/unit/test_hardware.c
tests_unit_test_hardware_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_rusage
tests_unit_test_rusage_SOURCES = tests/unit/test_rusage.c
tests_unit_test_rusage_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_region
tests_unit_test_region_SOURCES = tests/unit/test_region.c
tests_unit_test_region_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_lines
tests_unit_test_lines_SOURCES = tests/unit/test_lines.c
tests_unit_test_lines_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_ticks
tests_unit_test_ticks_SOURCES = tests/unit/test_ticks.c
tests_unit_test_ticks_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_report
tests_unit_test_report_SOURCES = tests/unit/test_report.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_test_report_LDADD = report/libreport.la $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_screen
tests_unit_test_screen_SOURCES = tests/unit/test_screen.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_test_screen_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_contrast
tests_unit_test_contrast_SOURCES = tests/unit/test_contrast.c
tests_unit_test_contrast_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_blocks
tests_unit_test_blocks_SOURCES = tests/unit/test_blocks.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_test_blocks_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_merge_files
tests_unit_test_merge_files_SOURCES = tests/unit/test_merge_files.c tests/unit/geometric.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_test_merge_files_LDADD = $(PP_UNIT_LIBS)

# what the recording costs: for make bench
EXTRA_PROGRAMS += tests/unit/record_rates
tests_unit_record_rates_SOURCES = tests/unit/record_rates.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_record_rates_LDADD = libmetrics/libmetrics.la -lpthread -lm

PP_UNIT += tests/unit/test_recording
tests_unit_test_recording_SOURCES = tests/unit/test_recording.c tests/unit/sample_region.c tests/unit/sample_region.h
tests_unit_test_recording_LDADD = $(PP_UNIT_LIBS)
endif

# the rooms of assertions/ over a stand-in for libmetrics, of which only the shared tables are real
if HAVE_CHECK
PP_FAKE_SOURCES = tests/unit/fake_groups.c tests/unit/fake_runtime.c tests/unit/fake_runtime.h tests/unit/assertion_parts.h tests/unit/fake_overhead.c
PP_FAKE_LIBS = tests/unit/libppcheck.la assertions/libassertions.la libmetrics/libmetrics.la $(YAML_LIBS) $(CHECK_LIBS)

PP_UNIT += tests/unit/test_expr tests/unit/test_policy tests/unit/test_knob
PP_UNIT += tests/unit/test_engine tests/unit/test_engine_calls tests/unit/test_engine_machine
tests_unit_test_expr_SOURCES = tests/unit/test_expr.c $(PP_FAKE_SOURCES)
tests_unit_test_expr_LDADD = $(PP_FAKE_LIBS)
tests_unit_test_policy_SOURCES = tests/unit/test_policy.c $(PP_FAKE_SOURCES)
tests_unit_test_policy_LDADD = $(PP_FAKE_LIBS)
PP_ENGINE_SOURCES = tests/unit/engine_program.c tests/unit/engine_program.h $(PP_FAKE_SOURCES)
tests_unit_test_engine_SOURCES = tests/unit/test_engine.c $(PP_ENGINE_SOURCES)
tests_unit_test_engine_LDADD = $(PP_FAKE_LIBS)
tests_unit_test_engine_calls_SOURCES = tests/unit/test_engine_calls.c $(PP_ENGINE_SOURCES)
tests_unit_test_engine_calls_LDADD = $(PP_FAKE_LIBS)
tests_unit_test_engine_machine_SOURCES = tests/unit/test_engine_machine.c $(PP_FAKE_SOURCES)
tests_unit_test_engine_machine_LDADD = $(PP_FAKE_LIBS)
PP_UNIT += tests/unit/test_actions
tests_unit_test_actions_SOURCES = tests/unit/test_actions.c $(PP_ENGINE_SOURCES)
tests_unit_test_actions_LDADD = $(PP_FAKE_LIBS)
PP_UNIT += tests/unit/test_sweep
tests_unit_test_sweep_SOURCES = tests/unit/test_sweep.c $(PP_ENGINE_SOURCES)
tests_unit_test_sweep_LDADD = $(PP_FAKE_LIBS)
PP_UNIT += tests/unit/test_states
tests_unit_test_states_SOURCES = tests/unit/test_states.c $(PP_ENGINE_SOURCES)
tests_unit_test_states_LDADD = $(PP_FAKE_LIBS)
PP_UNIT += tests/unit/test_suspend
tests_unit_test_suspend_SOURCES = tests/unit/test_suspend.c $(PP_ENGINE_SOURCES)
tests_unit_test_suspend_LDADD = $(PP_FAKE_LIBS)
PP_UNIT += tests/unit/test_reload
tests_unit_test_reload_SOURCES = tests/unit/test_reload.c $(PP_ENGINE_SOURCES)
tests_unit_test_reload_LDADD = $(PP_FAKE_LIBS)
PP_UNIT += tests/unit/test_budget
tests_unit_test_budget_SOURCES = tests/unit/test_budget.c $(PP_ENGINE_SOURCES)
tests_unit_test_budget_LDADD = $(PP_FAKE_LIBS)
tests_unit_test_knob_SOURCES = tests/unit/test_knob.c $(PP_FAKE_SOURCES)
tests_unit_test_knob_LDADD = $(PP_FAKE_LIBS)

PP_UNIT += tests/unit/test_choose
tests_unit_test_choose_SOURCES = tests/unit/test_choose.c
tests_unit_test_choose_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_adapt
tests_unit_test_adapt_SOURCES = tests/unit/test_adapt.c $(PP_FAKE_SOURCES)
tests_unit_test_adapt_LDADD = $(PP_FAKE_LIBS)

PP_UNIT += tests/unit/test_investigate
tests_unit_test_investigate_SOURCES = tests/unit/test_investigate.c $(PP_FAKE_SOURCES)
tests_unit_test_investigate_LDADD = $(PP_FAKE_LIBS)

PP_UNIT += tests/unit/test_light
tests_unit_test_light_SOURCES = tests/unit/test_light.c
tests_unit_test_light_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_light_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_light_OBJECTS): $(PPGCC_SO)

PP_UNIT += tests/unit/test_overhead
tests_unit_test_overhead_SOURCES = tests/unit/test_overhead.c
tests_unit_test_overhead_CFLAGS = $(PP_CFLAGS) $(CHECK_CFLAGS) $(PPGCC_FLAGS)
tests_unit_test_overhead_LDADD = $(PP_UNIT_LIBS)
$(tests_unit_test_overhead_OBJECTS): $(PPGCC_SO)

PP_UNIT += tests/unit/test_growth
tests_unit_test_growth_SOURCES = tests/unit/test_growth.c
tests_unit_test_growth_LDADD = $(PP_UNIT_LIBS)

PP_UNIT += tests/unit/test_pattern
tests_unit_test_pattern_SOURCES = tests/unit/test_pattern.c
tests_unit_test_pattern_LDADD = $(PP_UNIT_LIBS)
endif
