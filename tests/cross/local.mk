# SPDX-License-Identifier: MIT
# tests/cross: the plugin for another CPU, and what it makes, under an emulator. Skipped, with a reason, where the tools are missing.

PP_CROSS_TESTS = tests/cross/events.sh tests/cross/shapes.sh tests/cross/symbols.sh
if HAVE_GCC_PLUGIN
TESTS += $(PP_CROSS_TESTS)
endif
$(PP_CROSS_TESTS:.sh=.log): ppgcc
EXTRA_DIST += $(PP_CROSS_TESTS) tests/cross/cross.sh tests/cross/policy.yaml tests/cross/program.c tests/cross/runtime.sh tests/cross/storm.c

# the library for aarch64: a build of its own, so not part of make check
check-aarch64: all
	$(AM_V_at)$(AM_TESTS_ENVIRONMENT) $(SHELL) -c 'exec bash $$srcdir/tests/cross/runtime.sh'
