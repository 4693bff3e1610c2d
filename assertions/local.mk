# SPDX-License-Identifier: MIT
# assertions: policies, expressions, the assertion engine, actions, knobs. Its rooms in their order, the lowest first: a file uses
# what stands in its own and in those before it.
#
#   language   what a policy says: YAML, expressions, quantities; also read by ppctl
#   engine     assertions and their states, from the marker to the edge; what the program registers: knobs, callables, expectations
#   react      what an edge or the time sets off: actions, adaptation, investigation, budget
#   load       policies come, go, wait and are watched

# For editors: the table of keys, preprocessed (policy.grammar, which tests/tools/keys.sh reads too), as JSON. Nothing that was built is run.
schemadir = $(datadir)/ppgcc
nodist_schema_DATA = assertions/language/policy.schema.json
EXTRA_DIST += assertions/rooms assertions/language/policy.schema.in assertions/language/schema.awk
CLEANFILES += assertions/language/policy.schema.json assertions/language/policy.grammar assertions/language/policy.grammar.d
assertions/language/policy.grammar: assertions/language/policy.schema.in
	$(AM_V_GEN)$(MKDIR_P) assertions/language && $(CC) -E -x c -std=gnu11 -D_GNU_SOURCE $(PP_INCLUDES) $(CPPFLAGS) \
		-MD -MP -MF $@.d -MT $@ $(top_srcdir)/assertions/language/policy.schema.in >$@.tmp && mv $@.tmp $@
assertions/language/policy.schema.json: assertions/language/policy.grammar assertions/language/schema.awk
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(top_srcdir)/assertions/language/schema.awk assertions/language/policy.grammar >$@.tmp && mv $@.tmp $@
-include assertions/language/policy.grammar.d

noinst_LTLIBRARIES += assertions/libassertions.la
assertions_libassertions_la_CFLAGS = $(PP_LIB_CFLAGS) $(YAML_CFLAGS)
assertions_libassertions_la_LIBADD = $(YAML_LIBS)
assertions_libassertions_la_SOURCES = \
	assertions/language/baseline.c \
	assertions/language/baseline.h \
	assertions/language/checker.h \
	assertions/language/choose.c \
	assertions/language/choose.h \
	assertions/language/diagnostics.c \
	assertions/language/diagnostics.h \
	assertions/language/expr.h \
	assertions/language/expr_check.c \
	assertions/language/expr_eval.c \
	assertions/language/expr_lex.c \
	assertions/language/expr_groups.c \
	assertions/language/expr_names.c \
	assertions/language/expr_parse.c \
	assertions/language/expr_parse.h \
	assertions/language/grammar.c \
	assertions/language/grammar.h \
	assertions/language/grammar_keys.h \
	assertions/language/growth.c \
	assertions/language/growth.h \
	assertions/language/policy.h \
	assertions/language/policy_action.c \
	assertions/language/policy_adapt.c \
	assertions/language/policy_assertion.c \
	assertions/language/policy_check.c \
	assertions/language/policy_check_adapts.c \
	assertions/language/policy_check_captures.c \
	assertions/language/policy_file.c \
	assertions/language/policy_imply.c \
	assertions/language/policy_late.c \
	assertions/language/policy_metric.c \
	assertions/language/policy_names.c \
	assertions/language/policy_names.h \
	assertions/language/policy_events.c \
	assertions/language/policy_features.c \
	assertions/language/policy_flight.c \
	assertions/language/policy_profile.c \
	assertions/language/policy_read.c \
	assertions/language/policy_value.c \
	assertions/language/quantity.c \
	assertions/language/quantity.h \
	assertions/language/yaml_tree.c \
	assertions/language/yaml_tree.h \
	assertions/engine/action.h \
	assertions/engine/assertion.h \
	assertions/engine/assertions.h \
	assertions/engine/callback.c \
	assertions/engine/callback.h \
	assertions/engine/capture.c \
	assertions/engine/capture.h \
	assertions/engine/check.c \
	assertions/engine/check.h \
	assertions/engine/composite.c \
	assertions/engine/engine.c \
	assertions/engine/expect.c \
	assertions/engine/figures.c \
	assertions/engine/fires.c \
	assertions/engine/fires.h \
	assertions/engine/gone.c \
	assertions/engine/gone.h \
	assertions/engine/grouped.c \
	assertions/engine/grouped.h \
	assertions/engine/groups.c \
	assertions/engine/groups.h \
	assertions/engine/growth_check.c \
	assertions/engine/growth_check.h \
	assertions/engine/knob.c \
	assertions/engine/knob_setters.c \
	assertions/engine/knob.h \
	assertions/engine/link.c \
	assertions/engine/link.h \
	assertions/engine/looks.c \
	assertions/engine/looks.h \
	assertions/engine/machine.c \
	assertions/engine/machine.h \
	assertions/engine/names.c \
	assertions/engine/names.h \
	assertions/engine/policies.h \
	assertions/engine/poll_fd.c \
	assertions/engine/poll_fd.h \
	assertions/engine/post.c \
	assertions/engine/post.h \
	assertions/engine/prove.c \
	assertions/engine/prove.h \
	assertions/engine/recent.c \
	assertions/engine/report_text.c \
	assertions/engine/report_text.h \
	assertions/engine/ring.h \
	assertions/engine/seen.h \
	assertions/engine/state.c \
	assertions/engine/state.h \
	assertions/engine/sweep.c \
	assertions/engine/sweep.h \
	assertions/engine/threads.c \
	assertions/engine/threads.h \
	assertions/engine/tick.c \
	assertions/engine/tick.h \
	assertions/engine/violating.c \
	assertions/engine/violating.h \
	assertions/react/actions.c \
	assertions/react/actions.h \
	assertions/react/adapt.c \
	assertions/react/adapt.h \
	assertions/react/budget.c \
	assertions/react/budget.h \
	assertions/react/budget_plan.c \
	assertions/react/investigate.c \
	assertions/react/investigate.h \
	assertions/react/investigate_bind.c \
	assertions/react/investigate_feed.c \
	assertions/react/investigate_candidates.c \
	assertions/react/investigate_pace.c \
	assertions/react/investigate_tell.c \
	assertions/react/jobs.c \
	assertions/react/jobs.h \
	assertions/load/build.c \
	assertions/load/command.c \
	assertions/load/exchange.c \
	assertions/load/keys.c \
	assertions/load/late.c \
	assertions/load/load.c \
	assertions/load/loaded.h \
	assertions/load/watch.c
