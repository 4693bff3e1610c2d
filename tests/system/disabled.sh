#!/bin/bash
# SPDX-License-Identifier: MIT
# disabled.sh: what markers cost that nothing is bound to. Callgrind counts the instructions of four loops with and without a marker in their bodies, for two
# numbers of iterations; the difference is what one iteration costs more: at most the NOPs, one per marker. And what did not change within a loop
# still leaves it, as the assembly shows.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

# ok STATUS NAME: one test point
ok ()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

if [ -n "${SANITIZER:-}" ]; then
	echo "1..0 # SKIP a sanitizer's instructions are not the markers'"
	exit 0
fi

# build NAME OPTION...
build ()
{
	local out=$1
	shift
	# shellcheck disable=SC2086 # lists of options
	$CC -O2 -g -I"$srcdir/include" "$@" -o "$dir/$out" "$srcdir/tests/system/disabled/loops.c" \
		-L"$LIBPP" -Wl,-rpath,"$LIBPP" -lpp 2>"$dir/$out.err" || { cat "$dir/$out.err" >&2; return 1; }
}

# shellcheck disable=SC2086 # $PPGCC_FLAGS is a list
build plain && build marked -DMARKED $PPGCC_FLAGS
ok $? "the loops build with markers and without"
[ "$("$dir/plain" 1000)" = "$("$dir/marked" 1000)" ]
ok $? "and compute the same"

# collected PROGRAM FUNCTION ITERATIONS: instructions within FUNCTION
collected ()
{
	"$VALGRIND" --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$2" "$dir/$1" "$3" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# FUNCTION:MARKERS, the markers that one iteration passes
for loop in figure_4_1:2 list_sum:2 rows:2 hash:1; do
	function=${loop%:*} markers=${loop#*:}
	if [ -z "${VALGRIND:-}" ]; then
		ok 0 "an iteration of $function costs at most $markers NOPs more # SKIP no valgrind here"
		continue
	fi
	plain=$(($(collected plain "$function" 3000) - $(collected plain "$function" 1000)))
	marked=$(($(collected marked "$function" 3000) - $(collected marked "$function" 1000)))
	echo "# $function: $plain instructions in 2000 iterations, $marked with markers: $(((marked - plain) / 2000)).$(((marked - plain) % 2000 / 2)) more each"
	[ "$plain" -gt 0 ] && [ $((marked - plain)) -le $((markers * 2000)) ]
	ok $? "an iteration of $function costs at most $markers NOPs more than without its markers"
done

# body FUNCTION: its instructions
body ()
{
	objdump -d --no-show-raw-insn "$dir/marked" | sed -n "/<$1>:/,/^\$/p"
}

# in_loops: of a function's instructions those between a backward jump and its target
in_loops ()
{
	awk '/^ *[0-9a-f]+:/ { at = strtonum ("0x" substr ($1, 1, length ($1) - 1)); line[++k] = $0; where[k] = at
			if ($2 ~ /^j/ && strtonum ("0x" $3) <= at && strtonum ("0x" $3) > 0) { lo[++l] = strtonum ("0x" $3); hi[l] = at } }
		END { for (i = 1; i <= k; i++) for (j = 1; j <= l; j++) if (where[i] >= lo[j] && where[i] <= hi[j]) { print line[i]; break } }'
}

body figure_4_1 | in_loops >"$dir/figure.loop"
sed 's/^/# /' "$dir/figure.loop"
[ -s "$dir/figure.loop" ] && ! grep -qE '<(a|b)>|\(%rip\)' "$dir/figure.loop"
ok $? "the loop-invariant statements of Figure 4.1 leave the loop as they do without an interval"
body rows | in_loops >"$dir/rows.loop"
[ -s "$dir/rows.loop" ] && ! grep -q divsd "$dir/rows.loop"
ok $? "a loop-invariant division leaves the loop around an interval"
echo "1..$n"
