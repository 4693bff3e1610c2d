#!/bin/bash
# SPDX-License-Identifier: MIT
# The library for aarch64, and a program that it measures, under qemu: make check-aarch64. Built in build-aarch64/ with libyaml from aarch64-root/,
# where scripts/test puts Debian's (PP_AARCH64_ROOT: another place with usr/include/yaml.h).
. "$srcdir/tests/tools/tap.sh"
. "$srcdir/tests/cross/cross.sh"
cross aarch64 "programs for aarch64 measure themselves"
root=${PP_AARCH64_ROOT:-$builddir/aarch64-root}
libraries=$root/usr/lib/aarch64-linux-gnu
[ -f "$root/usr/include/yaml.h" ] && [ -f "$libraries/libyaml.so" ] || {
	tap_skip "programs for aarch64 measure themselves" "no libyaml for aarch64 in $root; scripts/test fetches it"
	tap_done
}
build=$builddir/build-aarch64
unset MAKEFLAGS MFLAGS

build () {
	mkdir -p "$build" && cd "$build" || return
	[ -f config.status ] || CC='' CXX='' PKG_CONFIG_LIBDIR=/nonexistent "$srcdir/configure" -q --host=aarch64-linux-gnu --disable-plugin \
		--enable-werror CC="$CC" CXX="$CXX" YAML_CFLAGS="-I$root/usr/include" YAML_LIBS="-L$libraries -lyaml" || return
	make -s -j2 libpp/libpp.la
}
tap_ok "the library builds for aarch64 without a warning" build
tap_dir
cd "$tap_dir" || exit 99

run () { # VARIABLE=VALUE... PROGRAM
	# shellcheck disable=SC2086 # a command with its arguments
	env "${@:1:$#-1}" $RUN -E "LD_LIBRARY_PATH=$build/libpp/.libs:$libraries" "${@:$#}" 2>&1
}

compile () { # KIND FLAG...
	$CC "${@:2}" -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker="$1" -I"$srcdir/include" "$srcdir/tests/cross/program.c" -o program \
		-L"$build/libpp/.libs" -lpp -Wl,-rpath-link,"$libraries"
}

# the same numbers whether measured or not: "reals" and "integers" are sums over registers that live across enabled markers
sums="reals 42251965760, integers 2747499444"
expected="at first: laps 0, values 0 sum 0, $sums
bind 1
bound: laps 0, values 1000 sum 499500, $sums
measured: laps 1000, values 2000 sum 999000, $sums
unbind 1
unbound: laps 2000, values 3000 sum 1.4985e+06, $sums
in the end: laps 2000, values 4000 sum 1.998e+06, $sums"
for kind in patch guard; do
	for level in -O0 -O2 "-O3 -flto" "-O2 -march=armv8.2-a+sve"; do
		# shellcheck disable=SC2086 # a list
		tap_ok "a program builds with $kind markers at $level" compile $kind $level
		tap_is "... and counts while something is bound, and only then" "$(run PP_POLICY= ./program)" "$expected"
		out=$(run PP_POLICY="$srcdir/tests/cross/policy.yaml" ./program)
		tap_is "... and the same with a policy" "$(printf '%s\n' "$out" | grep -v '^pp: ')" "$expected"
		tap_has "... whose assertion fires" "$out" "assertion many fired at .*integers/lap .*: left 4001, right 4000"
		tap_has "... and whose recording this machine's ppctl reads" "$("$PPCTL" report --all program.pprec 2>&1)" \
			"integers/lap +5000 "
		rm -f program.pprec
	done
done

# an emulated process is no dead one, whose recording ppctl would complete beside it
readable=0
for ((i = 0; i < 8; i++)); do
	run PP_POLICY="$srcdir/tests/cross/policy.yaml" ./program >/dev/null 2>&1 &
	while kill -0 $! 2>/dev/null; do "$PPCTL" ps >/dev/null 2>&1; done
	"$PPCTL" report --all program.pprec 2>&1 | grep -q "integers/lap  *5000 " && readable=$((readable + 1))
	rm -f program.pprec
done
tap_is "ppctl that looks for dead processes meanwhile leaves it alone" "$readable of 8" "8 of 8"
tap_is "without SVE as well" "$(RUN="$RUN -cpu cortex-a72"; compile patch -O2 && run PP_POLICY="$srcdir/tests/cross/policy.yaml" ./program | grep -v '^pp: ')" \
	"$expected"
tap_done
