# SPDX-License-Identifier: MIT
# tests/matrix: every construct of the languages with every option that matters (check-matrix), and random programs (check-csmith). They
# compile too much to be part of check.

EXTRA_DIST += \
	tests/matrix/README.md \
	tests/matrix/c-gnu.c \
	tests/matrix/c-optimised.c \
	tests/matrix/c-scopes.c \
	tests/matrix/c-values.c \
	tests/matrix/classes.cc \
	tests/matrix/coroutines.cc \
	tests/matrix/csmith.sh \
	tests/matrix/exceptions.cc \
	tests/matrix/fortran.c \
	tests/matrix/fortran.f90 \
	tests/matrix/matrix.h \
	tests/matrix/matrix.sh \
	tests/matrix/openmp.c \
	tests/matrix/options.table \
	tests/matrix/templates.cc \
	tests/matrix/toggle.c

.PHONY: check-matrix check-csmith
if HAVE_GCC_PLUGIN
check-matrix: all
	$(AM_V_at)$(AM_TESTS_ENVIRONMENT) PP_TEST_SECONDS=7200 FULL='$(FULL)' $(LOG_COMPILER) bash $(srcdir)/tests/matrix/matrix.sh
# N=500 programs
check-csmith: all
	$(AM_V_at)$(AM_TESTS_ENVIRONMENT) PP_TEST_SECONDS=36000 N='$(N)' $(LOG_COMPILER) bash $(srcdir)/tests/matrix/csmith.sh
else
check-matrix check-csmith:
	@echo '1..0 # SKIP there is no plugin'
endif
