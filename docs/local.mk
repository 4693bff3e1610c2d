# SPDX-License-Identifier: MIT
# docs: the manual and the man pages.

dist_man_MANS += docs/man/ppgcc.1 docs/man/ppctl.1 docs/man/pp.3 docs/man/pprec.3 docs/man/pp_policy.5 docs/man/pp_instrument.5
dist_doc_DATA += README.md NEWS.md LICENSE docs/manual.md docs/policy.md docs/recording.md docs/instrument.md docs/expressions.md docs/statistics.md docs/design.md docs/runtime.md docs/loops.md docs/profiling.md docs/features.md docs/events.md docs/query.md docs/host.md

# programs for people who analyse recordings
examplesdir = $(docdir)/examples
dist_examples_SCRIPTS = docs/examples/rate.py
