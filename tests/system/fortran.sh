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
	for level in -O0 -O1 -O2 -O3; do
		tap_is "Fortran's calls count exactly without the plugin ($level)" "$(run $level)" "$expected"
		for kind in $kinds; do
			tap_is "Fortran's calls count exactly with the plugin ($level, $kind)" \
				"$(run $level -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind)" "$expected"
		done
	done
fi
tap_done
