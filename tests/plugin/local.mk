# SPDX-License-Identifier: MIT
# tests/plugin: what the plugin says about sources, and what it makes of them. recorder.c stands in for the runtime.

PLUGIN_TESTS = \
	tests/plugin/calls.sh \
	tests/plugin/diagnostics.sh \
	tests/plugin/events.sh \
	tests/plugin/functions.sh \
	tests/plugin/inlining.sh \
	tests/plugin/options.sh \
	tests/plugin/loops.sh \
	tests/plugin/many.sh \
	tests/plugin/modules.sh \
	tests/plugin/names.sh \
	tests/plugin/shapes.sh \
	tests/plugin/symbols.sh \
	tests/plugin/truth.sh
# looks at all compilers itself
PLUGIN_TESTS_ONCE = tests/plugin/versions.sh
if HAVE_GCC_PLUGIN
TESTS += $(PLUGIN_TESTS) $(PLUGIN_TESTS_ONCE) $(PP_MORE_TESTS)
endif
$(PLUGIN_TESTS:.sh=.log): $(PPGCC_SO)
$(PLUGIN_TESTS_ONCE:.sh=.log): $(PPGCC_SO) $(PPGCC_MORE_SO)

EXTRA_DIST += $(PLUGIN_TESTS) $(PLUGIN_TESTS_ONCE) \
	tests/plugin/recorder.c \
	tests/plugin/results.sh \
	tests/plugin/diagnostics/attributes.c \
	tests/plugin/diagnostics/attributes.cc \
	tests/plugin/calls/calls.c \
	tests/plugin/calls/calls.f90 \
	tests/plugin/calls/library.c \
	tests/plugin/diagnostics/bad.c \
	tests/plugin/diagnostics/bad.cc \
	tests/plugin/diagnostics/combined.c \
	tests/plugin/diagnostics/coroutine.cc \
	tests/plugin/diagnostics/exits.c \
	tests/plugin/diagnostics/expect.c \
	tests/plugin/diagnostics/fast.c \
	tests/plugin/diagnostics/forms.c \
	tests/plugin/diagnostics/forms.cc \
	tests/plugin/diagnostics/good.c \
	tests/plugin/diagnostics/expressions.c \
	tests/plugin/diagnostics/jumps.c \
	tests/plugin/diagnostics/late.c \
	tests/plugin/diagnostics/late_forms.c \
	tests/plugin/diagnostics/resolvers.c \
	tests/plugin/events/attributes.c \
	tests/plugin/events/captured.c \
	tests/plugin/events/captured.cc \
	tests/plugin/events/classes.cc \
	tests/plugin/events/clones.c \
	tests/plugin/events/cold.c \
	tests/plugin/events/cold.cc \
	tests/plugin/events/coroutines.cc \
	tests/plugin/events/scoped.cc \
	tests/plugin/events/direct.c \
	tests/plugin/events/direct.cc \
	tests/plugin/events/events.h \
	tests/plugin/events/late.c \
	tests/plugin/events/late.cc \
	tests/plugin/events/loops.c \
	tests/plugin/events/exits.c \
	tests/plugin/events/parallel.c \
	tests/plugin/events/recursion.c \
	tests/plugin/events/scopes.c \
	tests/plugin/events/split.c \
	tests/plugin/events/stack.c \
	tests/plugin/events/values.c \
	tests/plugin/functions/attributes.c \
	tests/plugin/functions/attributes.cc \
	tests/plugin/functions/bad.yaml \
	tests/plugin/functions/calls.c \
	tests/plugin/functions/counted.cc \
	tests/plugin/functions/dispatch.cc \
	tests/plugin/functions/dispatch.yaml \
	tests/plugin/functions/listed.c \
	tests/plugin/functions/listed.yaml \
	tests/plugin/functions/evaluated.cc \
	tests/plugin/functions/features.c tests/plugin/functions/features.yaml tests/plugin/functions/marks.c \
	tests/plugin/functions/returns.c tests/plugin/functions/returns_unmarked.c \
	tests/plugin/functions/returns_interval.c tests/plugin/functions/returns_attribute.c \
	tests/plugin/functions/returns_calls.c tests/plugin/functions/returns_counted.c \
	tests/plugin/functions/returns.cc tests/plugin/functions/returns_ruled.c tests/plugin/functions/returns_ruled.yaml \
	tests/plugin/functions/marks.yaml \
	tests/plugin/functions/procedures.f90 \
	tests/plugin/functions/procedures.yaml \
	tests/plugin/functions/rules.c \
	tests/plugin/functions/scopes.cc \
	tests/plugin/functions/rules.yaml \
	tests/plugin/functions/scopes.yaml \
	tests/plugin/modules/main.cc \
	tests/plugin/modules/work.cc \
	tests/plugin/shapes/bodies.c \
	tests/plugin/shapes/callback.cc \
	tests/plugin/shapes/fence.c \
	tests/plugin/shapes/kept.c \
	tests/plugin/shapes/kernels.c \
	tests/plugin/shapes/loop.c \
	tests/plugin/shapes/macros.c \
	tests/plugin/shapes/names.cc \
	tests/plugin/shapes/other.c \
	tests/plugin/shapes/pch.h \
	tests/plugin/shapes/records.c \
	tests/plugin/shapes/two.c \
	tests/plugin/shapes/unwind.c \
	tests/plugin/shapes/vector.c \
	tests/plugin/truth/figures.c \
	tests/plugin/truth/grounds.c \
	tests/plugin/truth/guards.c \
	tests/plugin/truth/kernels.c \
	tests/plugin/truth/rest.c \
	tests/plugin/truth/trapping.c
