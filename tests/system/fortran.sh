#!/bin/bash
# SPDX-License-Identifier: MIT
# fortran.sh: a program in Fortran that calls module pp, with and without the plugin, with threads: a policy's metrics count exactly.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
here=$srcdir/tests/system/fortran
expected="steps 100
inners 400
named 400
computed 100
marks 100
index 1000
half 500
number 400"

# run FLAG...: what the program prints
run () {
	rm -f program
	# shellcheck disable=SC2086
	"$GFORTRAN" -fopenmp -Wall -Werror "$@" $SANITIZER_FLAGS "$here/solver.f90" counts.o -o program -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" 2>&1 &&
		PP_POLICY="$here/fortran.yaml" ./program 2>&1
}

if [ -z "${GFORTRAN:-}" ]; then
	tap_skip "Fortran's calls count exactly" "no gfortran"
else
	# shellcheck disable=SC2086
	"$CC" -O1 $SANITIZER_FLAGS -I"$srcdir/include" -c "$here/counts.c" -o counts.o || exit 99
	"$GFORTRAN" -fsyntax-only "$srcdir/include/pp.f90" || exit 99
	kinds="patch guard"
	[[ ${SANITIZER:-} != *thread* ]] || kinds=guard # code that is patched is nothing for ThreadSanitizer, and the plugin says so
	printf 'version: 1\nevents: {records: "**"}\nrecord: {file: events.pprec, overwrite: true}\n' >events.yaml
	for flags in "-O0" "-O2" "-O2 -fplugin=$PPGCC"; do
		# shellcheck disable=SC2086
		"$GFORTRAN" $flags -Wall -Werror $SANITIZER_FLAGS "$here/events.f90" -o events -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
		tap_is "a program with events runs (${flags%=*})" "$(PP_POLICY=events.yaml timeout 60 ./events 2>/dev/null)" ""
		"$builddir/tests/system/events/dump_records" events.pprec 2>&1 | sed 's/^[0-9]* //' >got
		tap_is "its records have the dimensions of begins and ends, and those between (${flags%=*})" "$(grep -v -e ' step ' -e ^records got)" "$(cat "$here/events.dump")"
		tap_is "each of many has its own (${flags%=*})" "$(sed -n 's/.* step i=\([0-9]*\) odd=\(true\|false\)$/\1/p' got | sort -n | uniq | wc -l)" 1000
	done
	for level in -O0 -O1 -O2 -O3; do
		tap_is "Fortran's calls count exactly without the plugin ($level)" "$(run $level)" "$expected"
		for kind in $kinds; do
			tap_is "Fortran's calls count exactly with the plugin ($level, $kind)" \
				"$(run $level -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind)" "$expected"
		done
	done
fi
tap_done
