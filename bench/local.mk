# SPDX-License-Identifier: MIT
# bench: what markers cost. Nothing here is a test: a busy machine is not a bug. Its programs are built by make bench only.

EXTRA_DIST += bench/README.md
CLEANFILES += bench/results.json

# As a user's program: pp.h and the plugin. -no-install: the program itself and no script of libtool's around it, for it is timed and runs under valgrind.
BENCH_PLAIN_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_WARNINGS) $(SANITIZER_FLAGS)
BENCH_CFLAGS = $(BENCH_PLAIN_CFLAGS) $(PPGCC_FLAGS)
BENCH_ALL = bench/bench bench/startup_marked bench/startup_unmarked bench/startup_100k bench/policy_load bench/toggle_100k bench/growth_trials bench/budget bench/control bench/sampling bench/events bench/peer_recorded bench/attributes_plain bench/attributes_marked bench/query bench/accuracy bench/nfa
EXTRA_PROGRAMS += $(BENCH_ALL)
CLEANFILES += $(BENCH_ALL)

bench_bench_SOURCES = bench/bench.c bench/bench.h bench/compile.c bench/elsewhere.c bench/features.c bench/growth.c bench/loops.c bench/many.c bench/measure.c bench/numbers.c bench/numbers.h bench/peers.c bench/processes.c bench/rest.c bench/result.c bench/settings.c bench/table.c bench/threads.c bench/vector.c bench/work.h
bench_bench_CFLAGS = $(BENCH_CFLAGS)
bench_bench_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_bench_LDADD = bench/libvector.la libpp/libpp.la -lpthread -lm
$(bench_bench_OBJECTS): $(PPGCC_SO)

# a library of its own: other options
EXTRA_LTLIBRARIES = bench/libvector.la
bench_libvector_la_SOURCES = bench/bench.h bench/vector_kernels.c
bench_libvector_la_CFLAGS = $(BENCH_CFLAGS) -march=native
$(bench_libvector_la_OBJECTS): $(PPGCC_SO)

bench_startup_marked_SOURCES = bench/startup.c
bench_startup_marked_CFLAGS = $(BENCH_CFLAGS)
bench_startup_marked_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_startup_marked_LDADD = libpp/libpp.la
$(bench_startup_marked_OBJECTS): $(PPGCC_SO)

bench_startup_unmarked_SOURCES = bench/startup.c
bench_startup_unmarked_CFLAGS = $(BENCH_PLAIN_CFLAGS)

bench_startup_100k_SOURCES = bench/startup_100k.c bench/sites.S
bench_startup_100k_CFLAGS = $(BENCH_PLAIN_CFLAGS)
bench_startup_100k_CCASFLAGS = -I$(top_srcdir)/include
bench_startup_100k_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_startup_100k_LDADD = libpp/libpp.la

bench_budget_SOURCES = bench/budget.c
bench_budget_CFLAGS = $(BENCH_CFLAGS)
bench_budget_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_budget_LDADD = libpp/libpp.la
$(bench_budget_OBJECTS): $(PPGCC_SO)

bench_control_SOURCES = bench/control.c
bench_control_CFLAGS = $(BENCH_CFLAGS)
bench_control_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_control_LDADD = libpp/libpp.la
$(bench_control_OBJECTS): $(PPGCC_SO)

bench_events_SOURCES = bench/events.c bench/slowdown.c bench/slowdown.h
bench_events_CFLAGS = $(BENCH_CFLAGS)
bench_events_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_events_LDADD = libpp/libpp.la
$(bench_events_OBJECTS): $(PPGCC_SO)

# what those of other tools are compared with that record executions with values
bench_peer_recorded_SOURCES = bench/peers/peer.c bench/peers/peer.h bench/peers/recorded.c bench/peers/values.h bench/numbers.c bench/numbers.h bench/work.h
bench_peer_recorded_CFLAGS = $(BENCH_CFLAGS)
bench_peer_recorded_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_peer_recorded_LDADD = libpp/libpp.la -lm
$(bench_peer_recorded_OBJECTS): $(PPGCC_SO)

# samples/attributes, without the plugin and with it
BENCH_ATTRIBUTES = samples/attributes/attribute.c samples/attributes/counts.c samples/attributes/environment.c samples/attributes/expression.c samples/attributes/main.c samples/attributes/names.c samples/attributes/obfuscate.c samples/attributes/pico.c samples/attributes/strategy.c samples/attributes/term.c
bench_attributes_plain_SOURCES = $(BENCH_ATTRIBUTES)
bench_attributes_plain_CFLAGS = $(BENCH_PLAIN_CFLAGS) -Wno-unknown-pragmas
bench_attributes_plain_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_attributes_plain_LDADD = libpp/libpp.la
bench_attributes_marked_SOURCES = $(BENCH_ATTRIBUTES)
bench_attributes_marked_CFLAGS = $(BENCH_CFLAGS)
bench_attributes_marked_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_attributes_marked_LDADD = libpp/libpp.la
$(bench_attributes_marked_OBJECTS): $(PPGCC_SO)

bench_query_SOURCES = bench/query.c
bench_query_CFLAGS = $(BENCH_CFLAGS)
bench_query_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_query_LDADD = libpp/libpp.la
$(bench_query_OBJECTS): $(PPGCC_SO)

bench_sampling_SOURCES = bench/sampling.c bench/turns.h
bench_sampling_CFLAGS = $(BENCH_CFLAGS)
bench_sampling_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_sampling_LDADD = libpp/libpp.la
$(bench_sampling_OBJECTS): $(PPGCC_SO)

bench_accuracy_SOURCES = bench/accuracy.c bench/turns.h
bench_accuracy_CFLAGS = $(BENCH_CFLAGS)
bench_accuracy_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_accuracy_LDADD = libpp/libpp.la -lpthread -lm
$(bench_accuracy_OBJECTS): $(PPGCC_SO)

# the same code without markers, with a point and with an interval in each function, and with what these take at least
bench_nfa_SOURCES = bench/nfa.c bench/turns.h
bench_nfa_CFLAGS = $(BENCH_PLAIN_CFLAGS)
bench_nfa_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_nfa_LDADD = bench/libnfa_plain.la bench/libnfa_points.la bench/libnfa_intervals.la bench/libnfa_counted.la bench/libnfa_timed.la libpp/libpp.la
EXTRA_LTLIBRARIES += bench/libnfa_plain.la bench/libnfa_points.la bench/libnfa_intervals.la bench/libnfa_counted.la bench/libnfa_timed.la
bench_libnfa_plain_la_SOURCES = bench/nfa_kernel.c
bench_libnfa_plain_la_CFLAGS = $(BENCH_PLAIN_CFLAGS) -DNFA=nfa_plain
bench_libnfa_counted_la_SOURCES = bench/nfa_kernel.c
bench_libnfa_counted_la_CFLAGS = $(BENCH_PLAIN_CFLAGS) -DNFA=nfa_counted -DCOUNTED
bench_libnfa_timed_la_SOURCES = bench/nfa_kernel.c
bench_libnfa_timed_la_CFLAGS = $(BENCH_PLAIN_CFLAGS) -DNFA=nfa_timed -DTIMED
bench_libnfa_points_la_SOURCES = bench/nfa_kernel.c
bench_libnfa_points_la_CFLAGS = $(BENCH_CFLAGS) -DNFA=nfa_points -fplugin-arg-ppgcc-calls
$(bench_libnfa_points_la_OBJECTS): $(PPGCC_SO)
bench_libnfa_intervals_la_SOURCES = bench/nfa_kernel.c
bench_libnfa_intervals_la_CFLAGS = $(BENCH_CFLAGS) -DNFA=nfa_intervals -fplugin-arg-ppgcc-calls=interval
$(bench_libnfa_intervals_la_OBJECTS): $(PPGCC_SO)

bench_policy_load_SOURCES = bench/policy_load.c bench/sites.S
bench_policy_load_CFLAGS = $(BENCH_PLAIN_CFLAGS)
bench_policy_load_CCASFLAGS = -I$(top_srcdir)/include -DSITES=100000
bench_policy_load_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_policy_load_LDADD = libpp/libpp.la

bench_growth_trials_SOURCES = bench/growth_trials.c bench/random.h
bench_growth_trials_CFLAGS = $(BENCH_CFLAGS)
bench_growth_trials_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_growth_trials_LDADD = libpp/libpp.la -lm
$(bench_growth_trials_OBJECTS): $(PPGCC_SO)

bench_toggle_100k_SOURCES = bench/toggle_100k.c bench/sites.S
bench_toggle_100k_CFLAGS = $(BENCH_PLAIN_CFLAGS)
bench_toggle_100k_CCASFLAGS = -I$(top_srcdir)/include -DSITES=100000
bench_toggle_100k_LDFLAGS = $(PP_LDFLAGS) -no-install
bench_toggle_100k_LDADD = libpp/libpp.la -lpthread

# What the compiler compiles: files of this project, from 100 lines to 570, and 300 functions. Preprocessed, so that nothing but the compiler is measured.
BENCH_COMPILED = bench/estimate.i bench/region.i bench/call.i bench/thread.i bench/site.i bench/functions_300.i
BENCH_PREPROCESS = $(AM_V_GEN)$(CC) $(DEFS) $(PP_LIB_CFLAGS) -E -o
EXTRA_DIST += bench/functions_300.c
CLEANFILES += $(BENCH_COMPILED) $(BENCH_COMPILED:.i=.i.o)
bench/estimate.i: base/estimate.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/base/estimate.c
bench/region.i: libmetrics/region/region.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/region/region.c
bench/call.i: libmetrics/calls/call.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/calls/call.c
bench/thread.i: libmetrics/thread/thread.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/thread/thread.c
bench/site.i: libmetrics/registry/site.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/registry/site.c
bench/functions_300.i: bench/functions_300.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/bench/functions_300.c

# Table 5.1: five programs, each without the plugin and with it, and once more with its smallest routine marked.
BENCH_TABLE = em3d tsp health voronoi power
BENCH_TABLE_ALL = $(BENCH_TABLE:%=bench/table51_%_orig) $(BENCH_TABLE:%=bench/table51_%_mark) bench/table51_worst_mark
BENCH_TABLE_PARTS = bench/table51/main.c bench/table51/table51.h
BENCH_TABLE_CC = $(AM_V_CC)$(MKDIR_P) bench && $(CC) $(CFLAGS)
BENCH_TABLE_LINK = $(AM_V_CCLD)$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) $(CFLAGS) -no-install -o $@
EXTRA_DIST += $(BENCH_TABLE_PARTS) $(BENCH_TABLE:%=bench/table51/%.c) bench/table51/count.yaml bench/table51/elapsed.yaml
CLEANFILES += $(BENCH_TABLE_ALL) $(BENCH_TABLE:%=bench/table51_%.o) bench/table51_worst.o bench/table51_main.o
$(BENCH_TABLE:%=bench/table51_%_orig): bench/table51_%_orig: bench/table51/%.c $(BENCH_TABLE_PARTS)
	$(BENCH_TABLE_CC) $(BENCH_PLAIN_CFLAGS) $(top_srcdir)/bench/table51/main.c $(top_srcdir)/bench/table51/$*.c -lm -o $@
$(BENCH_TABLE:%=bench/table51_%.o): bench/table51_%.o: bench/table51/%.c bench/table51/table51.h $(PPGCC_SO)
	$(BENCH_TABLE_CC) $(BENCH_CFLAGS) -c $(top_srcdir)/bench/table51/$*.c -o $@
bench/table51_worst.o: bench/table51/voronoi.c bench/table51/table51.h $(PPGCC_SO)
	$(BENCH_TABLE_CC) $(BENCH_CFLAGS) -DTABLE51_WORST -c $(top_srcdir)/bench/table51/voronoi.c -o $@
bench/table51_main.o: $(BENCH_TABLE_PARTS)
	$(BENCH_TABLE_CC) $(BENCH_PLAIN_CFLAGS) -DTABLE51_MARKED -c $(top_srcdir)/bench/table51/main.c -o $@
$(BENCH_TABLE:%=bench/table51_%_mark) bench/table51_worst_mark: bench/table51_%_mark: bench/table51_%.o bench/table51_main.o libpp/libpp.la
	$(BENCH_TABLE_LINK) bench/table51_main.o bench/table51_$*.o libpp/libpp.la -lm

# What features cost: each program without the plugin, with the marks in its source, and with those of calls of the C library, too.
BENCH_FEATURES = chameneos knucleotide lazy maze meteor nbody ode regexmatch reversefile server synth
BENCH_REPAIRED = maze server synth
BENCH_FEATURES_ALL = $(BENCH_FEATURES:%=bench/features_%_none) $(BENCH_FEATURES:%=bench/features_%_source) $(BENCH_FEATURES:%=bench/features_%_all) \
	$(BENCH_REPAIRED:%=bench/features_%_repaired)
BENCH_FEATURES_OWN = bench/features/feature.h bench/features/main.c bench/features/chameneos.c bench/features/knucleotide.c bench/features/lazy.c \
	bench/features/meteor.c bench/features/nbody.c bench/features/ode.c bench/features/regexmatch.c bench/features/reversefile.c
BENCH_FEATURES_PARTS = $(BENCH_FEATURES_OWN) $(SAMPLES_MAZE_FILES) $(SAMPLES_SERVER_FILES) $(SAMPLES_SYNTH_FILES) samples/features/libc.yaml
EXTRA_DIST += $(BENCH_FEATURES_OWN)
CLEANFILES += $(BENCH_FEATURES_ALL)
BENCH_OF_maze = $(SAMPLES_MAZE_FILES)
BENCH_OF_server = $(SAMPLES_SERVER_FILES)
BENCH_OF_synth = $(SAMPLES_SYNTH_FILES)
# the C files of program $*
BENCH_FEATURES_C = $(patsubst %,$(top_srcdir)/%,$(filter %.c,$(or $(BENCH_OF_$*),bench/features/$*.c bench/features/main.c)))
# assertions are marked where the plugin is
BENCH_FEATURES_CC = $(BENCH_TABLE_CC) -I$(top_srcdir)/samples/features/marked
BENCH_FEATURES_LINK = -Llibpp/.libs -lpp -Wl,-rpath,$(abs_top_builddir)/libpp/.libs -lm -o $@
$(BENCH_FEATURES:%=bench/features_%_none): bench/features_%_none: $(BENCH_FEATURES_PARTS)
	$(BENCH_FEATURES_CC) $(BENCH_PLAIN_CFLAGS) -Wno-unknown-pragmas $(BENCH_FEATURES_C) -lm -o $@
$(BENCH_REPAIRED:%=bench/features_%_repaired): bench/features_%_repaired: $(BENCH_FEATURES_PARTS)
	$(BENCH_FEATURES_CC) $(BENCH_PLAIN_CFLAGS) -Wno-unknown-pragmas -DREPAIRED $(BENCH_FEATURES_C) -lm -o $@
$(BENCH_FEATURES:%=bench/features_%_source): bench/features_%_source: $(BENCH_FEATURES_PARTS) $(PPGCC_SO) libpp/libpp.la
	$(BENCH_FEATURES_CC) $(BENCH_CFLAGS) $(BENCH_FEATURES_C) $(BENCH_FEATURES_LINK)
$(BENCH_FEATURES:%=bench/features_%_all): bench/features_%_all: $(BENCH_FEATURES_PARTS) $(PPGCC_SO) libpp/libpp.la
	$(BENCH_FEATURES_CC) $(BENCH_CFLAGS) $(SAMPLES_OF_LIBC) $(BENCH_FEATURES_C) $(BENCH_FEATURES_LINK)

# Other tools, each a program of its own: those that configure found, and those whose prefix is given. The compiler's own command line, for some need
# another compiler, or options that nothing else may have.
BENCH_PEERS = $(BENCH_FOUND) $(BENCH_GPTL:%=gptl) $(BENCH_TRACY:%=tracy) $(BENCH_CALIPER:%=caliper)
BENCH_PEER_COMMON = bench/peers/peer.c bench/numbers.c
BENCH_PEER_PARTS = $(BENCH_PEER_COMMON) bench/peers/peer.h bench/numbers.h bench/work.h
BENCH_PEER_OPTIONS = -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(BENCH_PEER_COMMON:%=$(top_srcdir)/%) -o $@
BENCH_PEER_CC = $(AM_V_CC)$(MKDIR_P) bench && $(CC) $(BENCH_PEER_OPTIONS)
EXTRA_DIST += $(BENCH_PEER_PARTS) bench/peers/caliper.c bench/peers/gptl.c bench/peers/lttng.c bench/peers/lttng.h bench/peers/papi.c bench/peers/sdt.c \
	bench/peers/tracy.c bench/peers/uftrace.c bench/peers/xray.c bench/peers/peer.sh
CLEANFILES += bench/peer_caliper bench/peer_gptl bench/peer_lttng bench/peer_lttng_values bench/peer_papi bench/peer_sdt bench/peer_tracy bench/peer_uftrace bench/peer_xray \
	bench/peer_xray_fdr
bench/peer_gptl: bench/peers/gptl.c $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) -isystem $(BENCH_GPTL)/include $(top_srcdir)/bench/peers/gptl.c -L$(BENCH_GPTL)/lib -Wl,-rpath,$(BENCH_GPTL)/lib -lgptl -lm
bench/peer_tracy: bench/peers/tracy.c $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) -isystem $(BENCH_TRACY)/include -isystem $(BENCH_TRACY)/include/tracy $(top_srcdir)/bench/peers/tracy.c \
		-L$(BENCH_TRACY)/lib -Wl,-rpath,$(BENCH_TRACY)/lib -lTracyClient -lstdc++ -ldl -lpthread -lm
bench/peer_caliper: bench/peers/caliper.c $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) -isystem $(BENCH_CALIPER)/include $(top_srcdir)/bench/peers/caliper.c \
		-L$(BENCH_CALIPER)/lib -Wl,-rpath,$(BENCH_CALIPER)/lib -lcaliper -lm
bench/peer_papi: bench/peers/papi.c $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) $(PAPI_CFLAGS) $(top_srcdir)/bench/peers/papi.c $(PAPI_LIBS) -lm
bench/peer_lttng: bench/peers/lttng.c bench/peers/lttng.h $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) -I$(top_srcdir)/bench/peers $(top_srcdir)/bench/peers/lttng.c -llttng-ust -ldl -lm
bench/peer_lttng_values: bench/peers/lttng.c bench/peers/lttng.h bench/peers/values.h $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) -DPEER_VALUES -I$(top_srcdir)/bench/peers $(top_srcdir)/bench/peers/lttng.c -llttng-ust -ldl -lm
bench/peer_sdt: bench/peers/sdt.c $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) $(top_srcdir)/bench/peers/sdt.c -lm
bench/peer_uftrace: bench/peers/uftrace.c $(BENCH_PEER_PARTS)
	$(BENCH_PEER_CC) -pg $(top_srcdir)/bench/peers/uftrace.c -lm
BENCH_XRAY = $(AM_V_CC)$(MKDIR_P) bench && $(CLANG) $(BENCH_PEER_OPTIONS) -fxray-instrument -fxray-instruction-threshold=100000 -fxray-ignore-loops
bench/peer_xray: bench/peers/xray.c $(BENCH_PEER_PARTS)
	$(BENCH_XRAY) $(top_srcdir)/bench/peers/xray.c -lm
bench/peer_xray_fdr: bench/peers/xray.c $(BENCH_PEER_PARTS)
	$(BENCH_XRAY) -fxray-modes=xray-fdr -DPEER_XRAY_FDR $(top_srcdir)/bench/peers/xray.c -lm

# BENCH=fast: some seconds instead of minutes. A policy or a setting of the user's own would be measured too. Whatever this machine's kernel thinks of the
# processor's counter, it is the clock, so that rows of two machines say the same: they are ratios to its readings.
BENCH_OPTIONS = $(BENCH:%=--%) --json bench/results.json --startup bench/startup_marked --many bench/startup_100k --toggle bench/toggle_100k \
	--peers "$(BENCH_PEERS)" --peer-script $(top_srcdir)/bench/peers/peer.sh --peer-folder bench \
	--table bench --policies $(top_srcdir)/bench/table51 --policy bench/policy_load --growth bench/growth_trials --budget bench/budget --recording "tests/unit/record_rates bench ppctl/ppctl" --control "bench/control ppctl/ppctl" --sampling bench/sampling --events "bench/events bench/attributes_plain bench/attributes_marked $(VALGRIND)" --query "bench/query ppctl/ppctl" --accuracy bench/accuracy --calls bench/nfa --features bench --samples $(top_srcdir)/samples/features $(BENCH_ONLY:%=--only %)
.PHONY: bench
if HAVE_GCC_PLUGIN
if ARCH_X86_64
bench: $(BENCH_ALL) tests/unit/record_rates ppctl/ppctl $(BENCH_COMPILED) $(BENCH_TABLE_ALL) $(BENCH_FEATURES_ALL) $(BENCH_PEERS:%=bench/peer_%)
	$(AM_V_at)env -u PP_POLICY -u PP_THREADS "PP_CLOCK=$${PP_CLOCK-tsc}" "PP_MODULE_PATH=$(abs_top_builddir)/stdmetrics/.libs:$(abs_top_builddir)/profiler/.libs" \
		bench/bench $(BENCH_OPTIONS) $(VALGRIND:%=--valgrind %) \
		--plugin $(PPGCC_SO) --compiler "$(CC)" bench/startup_unmarked $(BENCH_COMPILED)
	$(AM_V_at)echo 'wrote bench/results.json; what the rows mean: $(top_srcdir)/bench/README.md'
else
bench:
	@echo 'make bench: the loops read the tick counter of x86-64; this machine has another' >&2; exit 1
endif
else
bench:
	@echo 'make bench: there is nothing to measure without the plugin (see the end of the output of configure)' >&2; exit 1
endif
