# SPDX-License-Identifier: MIT
# tests/tools: this tree's own scripts, its installation, what libpp exports. A sanitizer finds nothing in them.

PP_TOOL_TESTS = tests/tools/add.sh tests/tools/check_deps.sh tests/tools/count.sh tests/tools/exports.sh tests/tools/cet.sh tests/tools/install.sh tests/tools/keys.sh tests/tools/libc.sh tests/tools/listed.sh tests/tools/names.sh tests/tools/statistics.sh
EXTRA_DIST += tests/tools/tap.sh $(PP_TOOL_TESTS)
if !SANITIZE
if HAVE_GCC_PLUGIN
TESTS += $(PP_TOOL_TESTS)
endif
endif
