#!/bin/bash
# SPDX-License-Identifier: MIT
# What markers look like on aarch64, how they link, that they cost a NOP, and that one can unwind out of them.
. "$srcdir/tests/tools/tap.sh"
. "$srcdir/tests/cross/cross.sh"
export LC_ALL=C
cross aarch64 "markers on aarch64 are NOPs that link in every way"
tap_dir
cd "$tap_dir" || exit 99
here=$srcdir/tests/plugin
include=-I$srcdir/include
plugin="-fplugin=$PPGCC $include"
tools=$($CC -dumpmachine)
# shellcheck disable=SC2086 # lists, in this file
$CC -O2 -fexceptions $include -c "$here/recorder.c" -o recorder.o || exit 99

# ---- every way to link

same () { # COMPILER SOURCE FLAG...: the events of SOURCE are those of -O0
	local compiler=$1 source=$2 name
	shift 2
	name=${source##*/}
	if [ ! -f "$name.reference" ]; then
		$compiler -O0 $plugin "$source" recorder.o -o reference && $RUN ./reference >"$name.reference"
	fi
	$compiler "$@" $plugin "$source" recorder.o -o same >log 2>&1 && $RUN ./same >events 2>>log
	tap_is "$name has its events with $*" "$(cat log events)" "$(cat "$name.reference")"
}

while IFS= read -r flags; do
	same "$CC" "$here/events/scopes.c" $flags
	same "$CXX" "$here/events/classes.cc" $flags
done <<'END'
-O2 -static
-O2 -static-pie -fPIE
-O2 -no-pie -fno-pie
-O2 -fPIC -pie
-O2 -fpic
-O2 -mcmodel=tiny -no-pie -fno-pie
-O2 -mcmodel=large -no-pie -fno-pie
-O2 -mbranch-protection=standard
-O2 -fomit-frame-pointer -momit-leaf-frame-pointer
-O2 -fno-omit-frame-pointer
-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
-O2 -flto -flto-partition=none
-O2 -flto -flto-partition=1to1 -fPIC
-O2 -fstack-protector-all -fstack-clash-protection
-O3 -march=armv8.2-a+sve -funroll-loops
-O2 -mno-outline-atomics
-Os -g
END

# ---- tables

relocations () {
	$CXX -O2 -shared -fPIC $plugin "$here/events/classes.cc" -Wl,-z,text -o shared.so || return
	local begin size
	read -r begin size < <(readelf -SW shared.so | sed -n 's/.* __pp_sites *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\).*/\1 \2/p')
	[ -n "$begin" ] || return
	readelf -rW shared.so | awk '/R_AARCH64/ { print $1 }' | while read -r at; do
		((16#$at >= 16#$begin && 16#$at < 16#$begin + 16#$size)) && echo "relocation at $at"
	done
	readelf -d shared.so | grep TEXTREL
	true
}
tap_is "__pp_sites needs no dynamic relocation and no text is relocated, in a shared object" "$(relocations 2>&1)" ""

large=$($CC -O2 -fno-pic -mcmodel=large $plugin -fplugin-arg-ppgcc-marker=patch -S -o /dev/null "$here/events/scopes.c" 2>&1)
tap_has "patch markers that the code model forbids are an error" "$large" "'-fplugin-arg-ppgcc-marker=patch' is not possible"

# ---- what a disabled marker costs, in a loop too: no copy of the loop without markers

instructions () { # OBJECT FUNCTION: without NOPs, sorted
	"$tools-objdump" -d --no-show-raw-insn "$1" --disassemble="$2" | sed -n 's/^ *[0-9a-f]*:\t\([a-z0-9.]*\).*/\1/p' | grep -v '^nop$\|^\.word$' | sort
}

# functions with markers have their prologue at the entry here: gcc-plugin/passes/final.cc
for level in -O1 "-O2 -fno-tree-vectorize" -Os; do
	$CC $level -fno-shrink-wrap $include -c "$here/shapes/kernels.c" -o without.o && $CC $level $plugin -fplugin-arg-ppgcc-loop-copies=off -c "$here/shapes/kernels.c" -o with.o
	# the stubs are behind the function, in its symbol's section but not in the symbol
	for fn in sum invariant accumulate call store; do
		tap_is "$fn has the same instructions with disabled markers at $level, but for NOPs" "$(instructions with.o $fn)" \
			"$(instructions without.o $fn)"
	done
done

# ---- unwinding

for level in -O0 -O1 -O2 "-O2 -fomit-frame-pointer" "-O2 -mbranch-protection=standard"; do
	$CC $level -fexceptions $plugin -DTEST_MAIN='"test_main"' -Dmain=test_main "$here/events/scopes.c" -c -o scopes.o &&
		$CC -O1 -fexceptions -DTEST_MAIN='"test_main"' "$here/shapes/unwind.c" scopes.o recorder.o -o unwind
	tap_is "unwinding out of every stub reaches main ($level)" "$($RUN ./unwind | grep '^U' | sort -u)" "U reached"
done

# ---- signals in the middle of stubs

for level in -O0 -O2 "-O2 -fomit-frame-pointer -fPIE -pie" "-Os -mbranch-protection=standard"; do
	$CC $level -fexceptions $plugin "$srcdir/tests/cross/storm.c" -o storm
	stub=$("$tools-objdump" -d --no-show-raw-insn storm | awk '/sub\tsp, sp, #0x30$/ { on = n == 0 } on { n++ } on && /:\tb\t/ { on = 0 } END { print n }')
	tap_is "signals interrupt each of a stub's $stub instructions, unwind to main, and harm nothing ($level)" \
		"$($RUN -singlestep ./storm)" "places $stub of $stub, lost 0, wrong 0, entries exact"
done

# ---- what became of intervals

for kind in patch guard; do
	"$PPCTL" sites --help > /dev/null 2>&1 || {
		tap_skip "intervals have the same coverage here, $kind markers" "ppctl was built without libelf"
		continue
	}
	$CC -O2 -shared -fPIC -nostartfiles $plugin -fplugin-arg-ppgcc-marker=$kind -w "$here/truth/guards.c" -o truth.so
	tap_is "intervals have the same coverage here, $kind markers" \
		"$("$PPCTL" sites truth.so 2>&1 | sed -n 's|^[^ ].*/||p; s/.*coverage \([0-9]*\).*/\1/p' | paste -sd ' ')" \
		"again 100 dims 0 dims_fenced 100 inner 100 outer 73 plain tested"
done
tap_done
