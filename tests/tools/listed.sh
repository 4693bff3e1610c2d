#!/bin/bash
# SPDX-License-Identifier: MIT
# listed.sh: every source and script under tests/ stands in a local.mk: one that is not runs nowhere, and nobody notices. make dist
# packs all that git tracks. And every variable that the library reads stands in its list.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
tap_dir
unset MAKEFLAGS MFLAGS
cd "${srcdir:-$(dirname "$0")/../..}" || exit 99

for room in tests/unit tests/plugin tests/matrix tests/cross tests/system tests/host tests/fuzz tests/tools; do
	missing=
	for file in "$room"/*.c "$room"/*.cc "$room"/*.sh; do
		[ ! -f "$file" ] || grep -qF "$file" tests/*/local.mk || missing="$missing $file"
	done
	tap_is "all of $room is listed in a local.mk" "$missing" ""
done
not_packed='(^|/)\.git(ignore|attributes)$'
tracked=$(git -c safe.directory="$PWD" ls-files 2>/dev/null | grep -vE "$not_packed" | LC_ALL=C sort)
if [ -n "$tracked" ]; then
	make -C "$builddir" --no-print-directory distdir distdir="$tap_dir/packed" >"$tap_dir/log" 2>&1 || cat "$tap_dir/log"
	packed=$(cd "$tap_dir/packed" && find . -type f | sed 's|^\./||' | LC_ALL=C sort)
	tap_is "make dist packs all that git tracks" "$(LC_ALL=C comm -23 <(echo "$tracked") <(echo "$packed"))" ""
else
	tap_skip "make dist packs all that git tracks" "this is no clone"
fi
tap_is "the library reads the environment by its list only" "$(grep -rlE '\<(secure_)?getenv \(' include base recording libmetrics assertions stdmetrics libpp)" \
	base/environment.h
tap_done
