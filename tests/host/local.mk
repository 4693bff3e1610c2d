# SPDX-License-Identifier: MIT
# tests/host: the contract with the host program (docs/host.md). Programs are built as those of
# tests/system are, and use its check.h; what each holds the library to is a clause of that page.

PP_SYSTEM += tests/host/situations
tests_host_situations_SOURCES = tests/host/situations.c
tests_host_situations_CFLAGS = $(PP_SYSTEM_CFLAGS) -fno-optimize-sibling-calls
tests_host_situations_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_situations_OBJECTS): $(PPGCC_SO)

if HAVE_GCC_PLUGIN
TESTS += tests/host/situations.sh tests/host/locale.sh
endif
EXTRA_DIST += tests/host/locale.sh tests/host/programs/decimal.c tests/host/situations.sh tests/host/programs/counted.c tests/host/programs/plugged.c
PP_SYSTEM += tests/host/code
tests_host_code_SOURCES = tests/host/code.c
tests_host_code_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir) $(PP_PLUGGED_DIR)
tests_host_code_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_code_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/descriptors
tests_host_descriptors_SOURCES = tests/host/descriptors.c
tests_host_descriptors_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_descriptors_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_descriptors_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/asleep
tests_host_asleep_SOURCES = tests/host/asleep.c
tests_host_asleep_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_asleep_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_asleep_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/letters
tests_host_letters_SOURCES = tests/host/letters.c
tests_host_letters_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_letters_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_letters_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/untouched
tests_host_untouched_SOURCES = tests/host/untouched.c
tests_host_untouched_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_untouched_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_untouched_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/beginning
tests_host_beginning_SOURCES = tests/host/beginning.c
tests_host_beginning_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_beginning_LDADD = $(PP_SYSTEM_LIBS) -ldl
$(tests_host_beginning_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/children
tests_host_children_SOURCES = tests/host/children.c
tests_host_children_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_children_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_children_OBJECTS): $(PPGCC_SO)
PP_HOST =
if HAVE_GCC_PLUGIN
check_PROGRAMS += $(PP_HOST)
TESTS += $(PP_HOST)
endif

# one call of the library's fails, for every call
PP_HOST += tests/host/faults
tests_host_faults_SOURCES = tests/host/faults.c tests/host/inject.c tests/host/inject.h
tests_host_faults_CFLAGS = $(PP_SYSTEM_CFLAGS) -fno-builtin
tests_host_faults_LDADD = $(PP_SYSTEM_LIBS) -ldl
$(tests_host_faults_OBJECTS): $(PPGCC_SO)

# load: sizes that a test can afford; make soak has those of docs/host.md
.PHONY: soak
PP_LOAD = tests/host/load_threads
if ARCH_X86_64
PP_LOAD += tests/host/load_sites
check_LTLIBRARIES += tests/host/load_object.la
tests_host_load_object_la_SOURCES = tests/host/load_object.c bench/sites.S
tests_host_load_object_la_CCASFLAGS = -I$(top_srcdir)/include -DSITES=50000
tests_host_load_object_la_LDFLAGS = -module -avoid-version -rpath /nowhere
tests_host_load_object_la_LIBADD = libpp/libpp.la
endif
EXTRA_PROGRAMS += tests/host/load_sites
PP_HOST += $(PP_LOAD)
tests_host_load_sites_SOURCES = tests/host/load_sites.c
tests_host_load_sites_CFLAGS = $(PP_SYSTEM_CFLAGS) -DLOAD_OBJECT='"$(abs_top_builddir)/tests/host/.libs/load_object.so"'
tests_host_load_sites_LDADD = $(PP_SYSTEM_LIBS) -ldl
$(tests_host_load_sites_OBJECTS): $(PPGCC_SO)
tests_host_load_threads_SOURCES = tests/host/load_threads.c
tests_host_load_threads_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_host_load_threads_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_load_threads_OBJECTS): $(PPGCC_SO)
check_PROGRAMS += tests/host/load_week
TESTS += tests/host/load_week
tests_host_load_week_SOURCES = tests/host/load_week.c
tests_host_load_week_LDADD = assertions/libassertions.la report/libreport.la stdmetrics/libstdmetrics.la libmetrics/libmetrics.la $(YAML_LIBS) -lm -lpthread
soak: $(PP_LOAD) $(check_LTLIBRARIES) tests/host/load_week tests/host/faults tests/unit/test_switch
	$(AM_V_at)failed=; for one in $(PP_LOAD) tests/host/load_week tests/host/faults; do \
		echo "# $$one"; \
		{ $(AM_TESTS_ENVIRONMENT) SOAK=1 PP_TEST_SECONDS=3600 $(top_srcdir)/tests/run-tap $$one; } || failed=1; \
	done; echo '# tests/unit/test_switch'; \
	{ $(AM_TESTS_ENVIRONMENT) PP_TEST_SWITCHES=100000 tests/unit/test_switch; } || failed=1; \
	echo '# tests/system/torture.sh'; \
	{ $(AM_TESTS_ENVIRONMENT) SOAK=1 $(SH_LOG_COMPILER) $(AM_SH_LOG_FLAGS) $(top_srcdir)/tests/system/torture.sh; } || failed=1; \
	echo '# tests/system/kill_often.sh'; \
	{ $(AM_TESTS_ENVIRONMENT) KILLS=1000 PP_TEST_SECONDS=3600 $(SH_LOG_COMPILER) $(AM_SH_LOG_FLAGS) $(top_srcdir)/tests/system/kill_often.sh; } || failed=1; \
	test -z "$$failed"

PP_SYSTEM += tests/host/system_calls
tests_host_system_calls_SOURCES = tests/host/system_calls.c
tests_host_system_calls_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_system_calls_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_system_calls_OBJECTS): $(PPGCC_SO)
# Files, clocks and privileges: recorder.c under policies, killed, moved, as another user.
if HAVE_LIBELF
if HAVE_GCC_PLUGIN
TESTS += tests/host/files.sh tests/host/full_disk.sh tests/host/clocks.sh tests/host/privileges.sh tests/host/tables.sh
endif
endif
EXTRA_DIST += tests/host/files.sh tests/host/full_disk.sh tests/host/tables.sh tests/host/clocks.sh tests/host/privileges.sh tests/host/recorder.sh tests/host/recorder.c tests/host/step.c
PP_SYSTEM += tests/host/limits
tests_host_limits_SOURCES = tests/host/limits.c
tests_host_limits_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_host_limits_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_limits_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/stderr
tests_host_stderr_SOURCES = tests/host/stderr.c
tests_host_stderr_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_host_stderr_LDADD = $(PP_SYSTEM_LIBS) -lutil
$(tests_host_stderr_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/fires
tests_host_fires_SOURCES = tests/host/fires.c
tests_host_fires_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_host_fires_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_fires_OBJECTS): $(PPGCC_SO)

EXTRA_DIST += tests/host/again.h
PP_SYSTEM += tests/host/noise
tests_host_noise_SOURCES = tests/host/noise.c
tests_host_noise_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_noise_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_noise_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/reloaded
tests_host_reloaded_SOURCES = tests/host/reloaded.c
tests_host_reloaded_CFLAGS = $(PP_SYSTEM_CFLAGS) -I$(top_srcdir)
tests_host_reloaded_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_reloaded_OBJECTS): $(PPGCC_SO)
# the program's own functions: what they see, and what is seen of them
if HAVE_GCC_PLUGIN
TESTS += tests/host/own_functions.sh
TESTS += tests/host/own_names.sh
endif
tests/host/own_functions.log tests/host/own_names.log: $(PPGCC_SO)
EXTRA_DIST += tests/host/own_names.sh tests/host/own_functions.sh tests/host/own_functions/seen.c tests/host/own_functions/seen.cc \
	tests/host/own_functions/seen_other.c tests/host/own_functions/rules.f90 tests/host/own_functions/rules_metric.c \
	tests/host/own_functions/unseen.c

# what a site captures is computed for who reads it
PP_SYSTEM += tests/host/captures
tests_host_captures_SOURCES = tests/host/captures.c
tests_host_captures_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_host_captures_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_captures_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/host/captures_guard
tests_host_captures_guard_SOURCES = tests/host/captures.c
tests_host_captures_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) $(PP_GUARD_FLAGS)
tests_host_captures_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_captures_guard_OBJECTS): $(PPGCC_SO)

PP_SYSTEM += tests/host/captures_cxx
tests_host_captures_cxx_SOURCES = tests/host/captures_cxx.cc
tests_host_captures_cxx_CXXFLAGS = $(PP_SYSTEM_CXXFLAGS)
tests_host_captures_cxx_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_captures_cxx_OBJECTS): $(PPGCC_SO)

# errno and the floating-point environment behind markers
PP_SYSTEM += tests/host/kept
tests_host_kept_SOURCES = tests/host/kept.c
tests_host_kept_CFLAGS = $(PP_SYSTEM_CFLAGS) -frounding-math
tests_host_kept_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_kept_OBJECTS): $(PPGCC_SO)

PP_SYSTEM_GUARD += tests/host/kept_guard
tests_host_kept_guard_SOURCES = tests/host/kept.c
tests_host_kept_guard_CFLAGS = $(PP_SYSTEM_CFLAGS) -frounding-math $(PP_GUARD_FLAGS)
tests_host_kept_guard_LDADD = $(PP_SYSTEM_LIBS)
$(tests_host_kept_guard_OBJECTS): $(PPGCC_SO)
