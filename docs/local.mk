# SPDX-License-Identifier: MIT
# docs: the manual and the man pages.

dist_man_MANS += docs/man/ppgcc.1 docs/man/ppctl.1 docs/man/pp.3 docs/man/pp_policy.5 docs/man/pp_instrument.5
dist_doc_DATA += README.md NEWS.md LICENSE docs/manual.md docs/policy.md docs/instrument.md docs/expressions.md docs/statistics.md docs/runtime.md docs/loops.md docs/host.md
