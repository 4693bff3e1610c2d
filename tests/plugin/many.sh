#!/bin/bash
# SPDX-License-Identifier: MIT
# Functions with very many intervals: what the plugin does about them grows as they do, which is counted in instructions of the compiler.
. "$srcdir/tests/plugin/results.sh"

# overlapping N: a block with N intervals that all end with it; nested N: one in the other
overlapping ()
{
	echo "void f (volatile int *x) {"
	seq "$1" | sed 's/.*/\n#pragma pp interval i&\n*x += &;/'
	echo "}"
}

nested ()
{
	echo "extern void g (int); void f (void) {"
	seq "$1" | sed 's/.*/{\n#pragma pp interval i&\ng (&);/'
	seq "$1" | sed 's/.*/}/'
	echo "}"
}

# instructions SHAPE N FLAGS...: of the compiler proper, in thousands
instructions ()
{
	local shape=$1 n=$2
	shift 2
	$shape "$n" > "$shape.c"
	$VALGRIND --tool=callgrind --callgrind-out-file=/dev/null "$($CC -print-prog-name=cc1)" -quiet -O2 -w $include "$@" "$shape.c" -o /dev/null 2>&1 |
		sed -n 's/.*Collected : \([0-9]*\)[0-9][0-9][0-9]$/\1/p'
}

# grows SHAPE: four times as many intervals must not cost the plugin six times as much; what grows with the square costs it sixteen times
grows ()
{
	local title="four times as many intervals in one function, $1, cost the plugin less than six times as much" few many
	if [[ -z ${VALGRIND:-} || ! -x $(command -v "$VALGRIND") ]]; then
		skip "$title" "no valgrind"
		return
	fi
	few=$(($(instructions "$1" 30 -fplugin="$PPGCC") - $(instructions "$1" 30)))
	many=$(($(instructions "$1" 120 -fplugin="$PPGCC") - $(instructions "$1" 120)))
	echo "$few, then $many thousand instructions" > log
	[[ $few -gt 0 && $many -lt $((few * 6)) ]]
	result $? "$title" log
}

grows overlapping
grows nested
echo "1..$number"
