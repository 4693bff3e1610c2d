#!/bin/bash
# SPDX-License-Identifier: MIT
# reload.sh: ppctl reload: a program that runs loads its changed policy again, and says why not.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/endless.c" -o endless -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" ||
	exit 99

# policy LIMIT: the file changes at once, not while it is written
policy () {
	printf '%s\n' 'version: 1' 'bind: [{metric: rounds, sites: round}]' 'assertions:' \
		"  few: {every: 10ms, expect: rounds.n <= $1, on_fire: [{log: {text: \"past $1\", to: said}}]}" >new.yaml
	mv new.yaml limit.yaml
}

# said TEXT: within a minute
said () {
	for _ in $(seq 600); do
		grep -qs "$1" said && return
		sleep 0.1
	done
	return 1
}

policy 1
# ThreadSanitizer permits no thread in a child of fork: there the door is opened where it is asked for
[ "$SANITIZER" != thread ] || export PP_CONTROL=1
PP_POLICY=limit.yaml ./endless count 2>stderr &
pid=$!
trap 'kill -9 $pid 2>/dev/null; rm -rf "$tap_dir"' EXIT
tap_ok "a program runs under a policy" said "past 1"
tap_is "a policy that has not changed is not loaded again" "$("$PPCTL" reload $pid)" "process $pid: no policy has changed"
policy 2
tap_is "one that has is loaded again" "$("$PPCTL" reload $pid)" "process $pid: 1 policy was loaded again"
tap_ok "and holds at once" said "past 2"
policy "2 s"
out=$("$PPCTL" reload $pid 2>&1)
tap_is "a wrong one is a problem" $? 1
tap_has "which is told to who asked" "$out" "process $pid: a policy could not be loaded again .*its former version stays"
tap_has "with its place" "$out" "limit.yaml:4:[0-9]*: error: can't compare 'rounds.n'"
tap_is "and not on the program's stderr" "$(grep -c error: stderr)" 0
kill -9 $pid
wait $pid 2>/dev/null
out=$("$PPCTL" reload $pid 2>&1)
tap_is "a process that there is not is a problem" "$? $out" "1 ppctl reload: there is no process $pid"
out=$("$PPCTL" reload $$ 2>&1)
tap_is "and so is one that does not measure" $? 1
tap_has "... which is said" "$out" "process $$ has no live region"
"$PPCTL" reload >/dev/null 2>&1
tap_is "no number is wrong usage" $? 2
"$PPCTL" reload x >/dev/null 2>&1
tap_is "a name that nobody has is a problem" $? 1
tap_done
