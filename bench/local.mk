# SPDX-License-Identifier: MIT
# bench: what markers cost. Nothing here is a test: a busy machine is not a bug. Its programs are built by make bench only.

EXTRA_DIST += bench/README.md
CLEANFILES += bench/results.json

# As a user's program: pp.h and the plugin. -no-install: the program itself and no script of libtool's around it, for it is timed and runs under valgrind.
BENCH_PLAIN_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_WARNINGS) $(SANITIZER_FLAGS)
BENCH_CFLAGS = $(BENCH_PLAIN_CFLAGS) $(PPGCC_FLAGS)
BENCH_ALL = bench/bench bench/startup_marked bench/startup_unmarked bench/startup_100k
EXTRA_PROGRAMS += $(BENCH_ALL)
CLEANFILES += $(BENCH_ALL)

bench_bench_SOURCES = bench/bench.c bench/bench.h bench/compile.c bench/loops.c bench/measure.c bench/processes.c bench/result.c bench/threads.c bench/vector.c
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

# What the compiler compiles: files of this project, from 100 lines to 570, and 300 functions. Preprocessed, so that nothing but the compiler is measured.
BENCH_COMPILED = bench/estimate.i bench/region.i bench/call.i bench/thread.i bench/site.i bench/functions_300.i
BENCH_PREPROCESS = $(AM_V_GEN)$(CC) $(DEFS) $(PP_LIB_CFLAGS) $(PP_METRICS_CPPFLAGS) -E -o
EXTRA_DIST += bench/functions_300.c
CLEANFILES += $(BENCH_COMPILED) $(BENCH_COMPILED:.i=.i.o)
bench/estimate.i: libmetrics/estimate.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/estimate.c
bench/region.i: libmetrics/region.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/region.c
bench/call.i: libmetrics/call.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/call.c
bench/thread.i: libmetrics/thread.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/thread.c
bench/site.i: libmetrics/site.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/libmetrics/site.c
bench/functions_300.i: bench/functions_300.c
	$(BENCH_PREPROCESS) $@ $(top_srcdir)/bench/functions_300.c

# BENCH=fast: some seconds instead of minutes. A policy or a setting of the user's own would be measured too.
BENCH_OPTIONS = $(BENCH:%=--%) --json bench/results.json --startup bench/startup_marked --many bench/startup_100k
.PHONY: bench
if HAVE_GCC_PLUGIN
if ARCH_X86_64
bench: $(BENCH_ALL) $(BENCH_COMPILED)
	$(AM_V_at)env -u PP_POLICY -u PP_THREADS bench/bench $(BENCH_OPTIONS) $(VALGRIND:%=--valgrind %) \
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
