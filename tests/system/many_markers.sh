#!/bin/bash
# SPDX-License-Identifier: MIT
# many_markers.sh: more markers bound in one go than get code of their own: that is said once, and in the report.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99

# program N: N intervals, of which the first is executed
program () {
	echo '#include <pp.h>'
	echo 'volatile long x;'
	seq "$1" | sed 's/.*/__attribute__ ((noipa)) void f& (void)\n{\n#pragma pp interval i\nx += &;\n}/'
	echo 'int main (void) { for (int i = 0; i < 100; i++) f1 (); pp_report (stdout); return 0; }'
}

# run N: the program, with all of its intervals bound at once: $out, $err
run () {
	program "$1" >many.c
	# shellcheck disable=SC2086
	"$CC" -O1 -w $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" many.c -o many -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	PP_POLICY=many.yaml ./many >out 2>err
	tap_is "a program with $1 markers bound in one go runs" $? 0
	out=$(cat out) err=$(cat err)
}

cat >many.yaml <<'EOT'
version: 1
metrics: {time: {interval: elapsed, keep: stats}}
bind: [{metric: time, sites: "f*/i"}]
EOT
words='markers were bound in one go'
run 100
tap_is "as many as get code of their own are nothing to talk about" "$(grep -c "$words" out) $(grep -c "$words" err)" "0 0"
tap_has "a time that the clock can't tell from none is said to be one, or is longer" "$out" ':f1/i +100 +(< [0-9]+ ns|[0-9.]+ [nµm]s) '
title="more of them"
if [ -n "$SANITIZER_FLAGS" ] || [ "$(uname -m)" != x86_64 ]; then
	tap_skip "$title" "markers get no code of their own here"
else
	run 2100 # a begin and an end each
	tap_is "$title are said once" "$(grep -c "$words" err)" 1
	tap_has "... with the limit" "$err" 'more than 4096 markers were bound in one go: they have no code of their own'
	tap_has "... as an entry of the history" "$out" ' s  log +markers  more than 4096 markers were bound in one go'
	tap_has "... and above what the report says of markers" "$(grep -A1 '^markers$' <<<"$out")" 'so many were bound in one go that they have no code of their own'
fi
tap_done
