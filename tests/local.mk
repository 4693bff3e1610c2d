# SPDX-License-Identifier: MIT
# tests: how tests run. Every test prints TAP; programs run as they are, *.sh with bash, both under tests/run-tap.
# Rooms register theirs in tests/unit, tests/plugin and tests/system.

TEST_EXTENSIONS = .sh
PP_TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(PP_TAP_DRIVER)
SH_LOG_DRIVER = $(PP_TAP_DRIVER)
LOG_COMPILER = $(top_srcdir)/tests/run-tap
SH_LOG_COMPILER = $(top_srcdir)/tests/run-tap bash

# What tests may rely on. $(LIBTOOL) --mode=execute is not needed: they link with -rpath into the build.
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	LC_ALL=C.UTF-8; export LC_ALL; \
	builddir='$(abs_top_builddir)'; export builddir; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX; \
	CLANG='$(CLANG)'; export CLANG; \
	CLANGXX='$(CLANGXX)'; export CLANGXX; \
	GFORTRAN='$(GFORTRAN)'; export GFORTRAN; \
	VALGRIND='$(VALGRIND)'; export VALGRIND; \
	PP_ARCH='$(PP_ARCH)'; export PP_ARCH; \
	FULL='$(FULL)'; export FULL; \
	SANITIZER='$(SANITIZER)'; export SANITIZER; \
	SANITIZER_FLAGS='$(SANITIZER_FLAGS)'; export SANITIZER_FLAGS; \
	PPGCC='$(abs_top_builddir)/$(PPGCC_SO)'; export PPGCC; \
	PPGCC_FLAGS='$(PPGCC_FLAGS)'; export PPGCC_FLAGS; \
	PP_GCCS='$(PP_GCCS)'; export PP_GCCS; \
	PP_CROSS_GCCS='$(PP_CROSS_GCCS)'; export PP_CROSS_GCCS; \
	LIBPP='$(abs_top_builddir)/libpp/.libs'; export LIBPP; \
	PPCTL='$(abs_top_builddir)/ppctl/ppctl'; export PPCTL; \
	PP_MODULE_PATH='$(abs_top_builddir)/stdmetrics/.libs:$(abs_top_builddir)/profiler/.libs'; export PP_MODULE_PATH; \
	YAML_LIBS='$(YAML_LIBS) $(ZSTD_LIBS)'; export YAML_LIBS;

EXTRA_DIST += tests/run-tap tests/timed
