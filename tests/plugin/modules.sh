#!/bin/bash
# SPDX-License-Identifier: MIT
# Modules of C++, as far as GCC has them: sites in a module's functions, also in those that importers inline and instantiate.
. "$srcdir/tests/tools/tap.sh"
export LC_ALL=C
tap_dir
here=$srcdir/tests/plugin
cd "$tap_dir" || exit 99
$CC -O2 -fexceptions -I"$srcdir/include" -c "$here/recorder.c" -o recorder.o || exit 99
build () { # FLAG...
	rm -rf gcm.cache program
	"$CXX" -std=c++20 -fmodules-ts -w "$@" -I"$srcdir/include" -I"$here/modules" "$here/modules/work.cc" "$here/modules/main.cc" recorder.o -o program
}
build -O0 2> log && ./program > expected
[ -s expected ] || {
	tap_skip "a module's sites have their events" "this compiler does not compile the module without the plugin: $(grep -m1 error log)"
	tap_done
}
for kind in patch guard; do
	for level in -O0 -O2 "-O2 -g" "-O2 -flto" -O3; do
		# shellcheck disable=SC2086 # a list
		tap_ok "a module and its importer are compiled with $kind markers at $level" build $level -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind
		tap_is "... and have the events of a build without the plugin" "$(./program)" "$(cat expected)"
	done
done
tap_done
