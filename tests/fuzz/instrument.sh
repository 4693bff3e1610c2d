#!/bin/bash
# SPDX-License-Identifier: MIT
# instrument.sh FILE: compiles a few functions under the rules of FILE. Status 0 or 1 as the compiler's; 99 where it crashed.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cat >"$work/a.c" <<'SOURCE'
static int twice (int i) { return 2 * i; }
int summed (const int *of, int n) { int s = 0; for (int i = 0; i < n; i++) s += twice (of[i]); return s; }
__attribute__ ((cold)) void failed (void) { for (;;) summed (0, 0); }
SOURCE
# shellcheck disable=SC2086 # a list
"$CC" $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument="$1" -O1 -S -o "$work/a.s" "$work/a.c" >"$work/out" 2>&1
status=$?
if [ $status -gt 1 ] || grep -q 'internal compiler error' "$work/out"; then
	head -n 20 "$work/out" >&2
	exit 99
fi
exit $status
