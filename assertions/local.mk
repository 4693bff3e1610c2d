# SPDX-License-Identifier: MIT
# assertions: policies, expressions, the assertion engine, actions, knobs.

# for editors
schemadir = $(datadir)/ppgcc
dist_schema_DATA = assertions/policy.schema.json

noinst_LTLIBRARIES += assertions/libassertions.la
assertions_libassertions_la_CFLAGS = $(PP_LIB_CFLAGS) $(YAML_CFLAGS)
assertions_libassertions_la_LIBADD = $(YAML_LIBS)
assertions_libassertions_la_SOURCES = \
	assertions/actions.c \
	assertions/adapt.c \
	assertions/adapt.h \
	assertions/assertions.h \
	assertions/baseline.c \
	assertions/baseline.h \
	assertions/budget.c \
	assertions/budget.h \
	assertions/budget_plan.c \
	assertions/build.c \
	assertions/callback.c \
	assertions/callback.h \
	assertions/check.c \
	assertions/checker.h \
	assertions/choose.c \
	assertions/choose.h \
	assertions/composite.c \
	assertions/diagnostics.c \
	assertions/diagnostics.h \
	assertions/engine.c assertions/gone.c \
	assertions/engine.h \
	assertions/exchange.c \
	assertions/expect.c \
	assertions/expr.h \
	assertions/expr_check.c \
	assertions/expr_eval.c \
	assertions/expr_lex.c \
	assertions/expr_names.c \
	assertions/expr_parse.c \
	assertions/expr_parse.h \
	assertions/figures.c \
	assertions/fires.c \
	assertions/growth.c \
	assertions/growth.h \
	assertions/growth_check.c \
	assertions/growth_check.h \
	assertions/investigate.c \
	assertions/investigate.h \
	assertions/investigate_bind.c \
	assertions/investigate_feed.c \
	assertions/investigate_pace.c \
	assertions/jobs.c \
	assertions/knob.c \
	assertions/knob.h \
	assertions/late.c \
	assertions/link.c \
	assertions/link.h \
	assertions/load.c \
	assertions/loaded.h \
	assertions/looks.c \
	assertions/machine.c \
	assertions/machine.h \
	assertions/poll_fd.c \
	assertions/poll_fd.h \
	assertions/policy.h \
	assertions/policy_action.c \
	assertions/policy_adapt.c \
	assertions/policy_assertion.c \
	assertions/policy_check.c \
	assertions/policy_file.c \
	assertions/policy_imply.c \
	assertions/policy_late.c \
	assertions/policy_metric.c \
	assertions/policy_names.c \
	assertions/policy_names.h \
	assertions/policy_read.c \
	assertions/policy_value.c \
	assertions/post.c \
	assertions/prove.c \
	assertions/prove.h \
	assertions/quantity.c \
	assertions/quantity.h \
	assertions/recent.c \
	assertions/report_text.c \
	assertions/state.c \
	assertions/sweep.c \
	assertions/threads.c assertions/tick.c \
	assertions/threads.h \
	assertions/watch.c \
	assertions/yaml_tree.c \
	assertions/yaml_tree.h
