#!/bin/bash
# SPDX-License-Identifier: MIT
# listed.sh: every source and script under tests/ stands in a local.mk: one that is not runs nowhere, and nobody notices. And every variable that the library reads stands in its list.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
cd "${srcdir:-$(dirname "$0")/../..}" || exit 99

for room in tests/unit tests/plugin tests/matrix tests/cross tests/system tests/host tests/fuzz tests/tools; do
	missing=
	for file in "$room"/*.c "$room"/*.cc "$room"/*.sh; do
		[ ! -f "$file" ] || grep -qF "$file" tests/*/local.mk || missing="$missing $file"
	done
	tap_is "all of $room is listed in a local.mk" "$missing" ""
done
tap_is "the library reads the environment by its list only" "$(grep -rlE '\<(secure_)?getenv \(' include libmetrics assertions stdmetrics libpp)" \
	libmetrics/environment.h
tap_done
