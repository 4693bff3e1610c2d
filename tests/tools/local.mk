# SPDX-License-Identifier: MIT
# tests/tools: this tree's own scripts, its installation, what libpp exports. A sanitizer finds nothing in them.

EXTRA_DIST += tests/tools/tap.sh tests/tools/check_deps.sh tests/tools/count.sh
if !SANITIZE
TESTS += tests/tools/check_deps.sh tests/tools/count.sh
endif
