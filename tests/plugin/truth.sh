#!/bin/bash
# SPDX-License-Identifier: MIT
# What became of intervals: their coverage after optimisation, the warnings, and what the compiler counts in their bodies.
. "$srcdir/tests/tools/tap.sh"
export LC_ALL=C
tap_dir
here=$srcdir/tests/plugin
plugin="-fplugin=$PPGCC -I$srcdir/include"
cd "$tap_dir" || exit 1

if ! "$PPCTL" sites --help > /dev/null 2>&1; then
	tap_skip "what became of intervals" "ppctl was built without libelf"
	tap_done
fi
$CC -O2 -fexceptions -fPIC -I"$srcdir/include" -c "$here/recorder.c" -o recorder.o || exit 1
$CC -O2 -fPIC -c "$here/truth/rest.c" -o rest.o || exit 1

# expected FILE: what FILE says, a line each
expected () {
	sed -n 's/.*expect: \([a-z_]* [-0-9][^*]*[a-z0-9-]\) .*/\1/p' "$1"
}

# covered PROGRAM: "NAME PERCENT" of each interval that has a coverage
covered () {
	"$PPCTL" sites "$1" | awk '/^[^ ]/ { name = $0; sub (/.*\//, "", name) } match ($0, /coverage [0-9]+/) { print name, substr ($0, RSTART + 9, RLENGTH - 9) }'
}

# coverage SOURCE FLAGS...
coverage () {
	local source=$1
	shift
	rm -f program
	# shellcheck disable=SC2086
	$CC $plugin "$@" -fno-math-errno "$here/truth/$source" rest.o recorder.o -o program 2> log
	covered program > got
	sed -n 's/.*warning: .* interval .\([a-z_]*\). out of it$/\1/p' log | sort > warned
	local name percent word is wrong=
	while read -r name percent word; do
		is=$(sed -n "s/^$name //p" got)
		[[ -n $is ]] && ((is >= percent - 2 && is <= percent + 2)) || wrong+=" $name:${is:-missing}"
	done < <(expected "$here/truth/$source")
	tap_is "every interval of $source is covered as it must be, within 2 points: ${*//$plugin/}" "$wrong" ""
	tap_is "... and exactly those warn that should" "$(cat warned)" \
		"$(expected "$here/truth/$source" | sed -n 's/ .* warns$//p' | sort)"
}

# figures FLAGS...
figures () {
	rm -f shared.so
	# shellcheck disable=SC2086
	$CC $plugin "$@" -shared -fPIC -fno-math-errno "$here/truth/figures.c" -o shared.so 2> log
	"$PPCTL" sites --verbose shared.so | sed -n 's|^[^ ].*/\([a-z_0-9]*\)$|\1|p
		/per execution/ { s/.*execution: //; s/.*execution, about: \(.*\)/\1 about/; s/bytes of //g; s/[a-z]* unknown/- /g
		s/ops\|flops\|loads\|stores\|branches\|calls//g; s/[ ,]\+/ /g; s/ $//; p; }' | paste -d ' ' - - | sort > got
	tap_is "the figures of every interval are those that a human counts: $*" "$(cat got)" \
		"$(expected "$here/truth/figures.c" | sort)"
}

# (without traps, or GCC leaves divisions in loops where a call may not return)
guard="-fplugin-arg-ppgcc-marker=guard -fno-trapping-math"
for flags in -O2 "-O2 -g" -O3 "-O3 -g" "-O2 -fPIC" "-O2 -flto -shared -fPIC" "-O3 -flto -g -shared -fPIC" "-O2 $guard" "-O3 -g $guard" \
	"-O2 -fPIC $guard" "-O2 -flto -shared -fPIC $guard"; do
	# shellcheck disable=SC2086
	coverage kernels.c $flags
done
for kind in patch guard; do
	for flags in -O1 -O2 -O3 -Os "-O2 -g -fPIC" "-O2 -flto -shared -fPIC"; do
		# shellcheck disable=SC2086
		coverage guards.c $flags $plugin -fplugin-arg-ppgcc-marker=$kind
	done
done
$CC $plugin -w -O2 -fsanitize=thread "$here/truth/guards.c" rest.o recorder.o -o program
tap_is "guards that ThreadSanitizer wants have a coverage too" "$(covered program | grep dims | sort | paste -sd ' ')" "dims 0 dims_fenced 100"
$CC $plugin -w -O2 -mcmodel=medium -mlarge-data-threshold=0 "$here/truth/guards.c" rest.o recorder.o -o program
tap_is "... and patch markers where all data is big" "$(covered program | grep dims | sort | paste -sd ' ')" "dims 0 dims_fenced 100"
for flags in -O1 -O2 -O3 "-O3 -march=native -ffast-math -g" "-O2 -flto" "-O1 $guard" "-O2 $guard" "-O3 -march=native -ffast-math -g $guard" \
	"-O2 -flto $guard"; do
	# shellcheck disable=SC2086
	figures $flags
done

# ---- what moved in, what -O0 does, what debug information changes

for kind in patch guard; do
	"$CC" -O2 $plugin -fplugin-arg-ppgcc-marker=$kind -w "$here/truth/kernels.c" rest.o recorder.o -lm -o program
	moved=$("$PPCTL" sites --verbose program | awk '/\/moved_in$/ { on = 1 } on && /moved in/ { print $7; exit }')
	tap_ok "a division that goes into an interval is counted as moved in, $kind markers (${moved:-none})" test "${moved:-0}" -ge 1
	"$CC" -O0 $plugin -fplugin-arg-ppgcc-marker=$kind -Werror "$here/truth/kernels.c" rest.o recorder.o -lm -o program
	tap_is "at -O0 everything is covered, $kind markers" "$(covered program | sed 's/.* //' | sort -u)" 100
done
for flags in -O1 -O2 -O3 -Os "-O2 $guard"; do
	tap_ok "debug information changes no code and no figure at $flags" \
		"$CC" $plugin $flags -g -w -fcompare-debug -c "$here/truth/kernels.c" -o kernels.o
done

# ---- the warning

# refused FLAGS...
refused () {
	! "$CC" "$@"
}

"$CC" -O2 $plugin -c "$here/truth/kernels.c" -o kernels.o 2> log
tap_ok "the warning points at the interval" \
	grep -q "kernels.c:$(grep -n 'interval sunk' "$here/truth/kernels.c" | cut -d: -f1):12: warning: optimization has moved 100% of the work of interval 'sunk' out of it" log
tap_ok "... with a note at what moved, and where to" \
	grep -q "kernels.c:$(grep -n 'r = a % b' "$here/truth/kernels.c" | cut -d: -f1):.*: note: this division is behind its end now" log
tap_ok "... and the way to prevent it" grep -q "note: 'fence' keeps the order as written; '-fplugin-arg-ppgcc-Wno-pp-moved' accepts the move" log
tap_ok "it can be switched off" "$CC" -O2 $plugin -Werror -fplugin-arg-ppgcc-Wno-pp-moved -c "$here/truth/kernels.c" -o kernels.o
tap_ok "-w silences it" "$CC" -O2 $plugin -Werror -w -c "$here/truth/kernels.c" -o kernels.o
tap_ok "-Werror makes it an error" refused -O2 $plugin -Werror -c "$here/truth/kernels.c" -o kernels.o
tap_ok "... and so does =error" refused -O2 $plugin -fplugin-arg-ppgcc-Wpp-moved=error -c "$here/truth/kernels.c" -o kernels.o
"$CC" -O2 $plugin -fplugin-arg-ppgcc-Wpp-moved=all -c "$here/truth/kernels.c" -o kernels.o 2> log
tap_ok "=all tells of cheap moves too" grep -q "interval 'cheap' out of it" log
"$CC" -O2 $plugin -fplugin-arg-ppgcc-Wpp-moved=some -c "$here/truth/kernels.c" -o kernels.o 2> log
tap_ok "another value is an error" grep -q "expected 'all' or 'error'" log

# ---- the warning's place and its grounds

mkdir -p system
cp "$srcdir"/include/*.h system
line=$(grep -n 'PP_INTERVAL (through_macro)' "$here/truth/grounds.c" | cut -d: -f1)
for flags in "-isystem system" "-Isystem" "-Isystem -g"; do
	"$CC" -O2 -fplugin="$PPGCC" $flags -c "$here/truth/grounds.c" -o grounds.o 2> log
	tap_is "an interval by a macro of pp.h is told of at the user's line, $flags" \
		"$(sed -n "s/.*grounds.c:\($line\):[0-9]*: warning: .*'through_macro'.*/\1/p" log)" "$line"
done
for flags in -O1 -O2 -O3; do
	"$CC" $flags $plugin -c "$here/truth/grounds.c" -o grounds.o 2> log
	tap_is "where a call or a loop of unknown length stays inside, no share is told: $flags" \
		"$(sed -n "s/.*warning: .* interval .\([a-z_]*\). out of it$/\1/p" log | sort | paste -sd ' ')" \
		"beside_known_loop through_macro"
done
"$CC" -O2 $plugin -fplugin-arg-ppgcc-Wpp-moved=all -c "$here/truth/grounds.c" -o grounds.o 2> log
tap_is "... but with =all" "$(grep -c "interval '\(beside_call\|beside_loop\)' out of it" log)" 2
"$CC" -O2 -ftrapv $plugin -Werror -c "$here/truth/trapping.c" -o trapping.o 2> log
tap_is "an addition that is a function of the compiler's library is no call" "$(cat log)" ""

# ---- big functions

# A chain of values far longer than the stack is deep.
awk 'BEGIN { print "int f (const int *x, unsigned long a, unsigned long y)\n{\n#pragma pp interval chain"
	for (i = 0; i < 6000; i++) print "a ^= y; a += " i % 7 + 1 ";"; print "return x[a];\n}" }' > chain.c
tap_ok "an address that 12,000 operations make is compiled with 1 MB of stack" \
	bash -c "ulimit -s 1024; '$CC' -O1 -fno-tree-reassoc -fno-tree-forwprop $plugin -w -c chain.c -o chain.o"
awk 'BEGIN { print "void g (int);\nvoid f (int x)\n{"
	for (i = 1; i <= 500; i++) print "if (x & " i ") {\n#pragma pp interval i" i "\ng (x + " i ");\n}"; print "}" }' > many.c
"$CC" -O1 -shared -fPIC $plugin many.c -o many.so
tap_is "500 intervals of one function have each the coverage of one" "$(covered many.so | sed 's/.* //' | sort | uniq -c | xargs)" "500 100"
tap_done
