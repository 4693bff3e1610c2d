#!/bin/bash
# SPDX-License-Identifier: MIT
# Copies of loops without their markers: which loops get one, that it optimises as if there had never been a marker, that it costs nothing while
# nothing is bound, and that a debugger finds its way in both copies.
. "$srcdir/tests/plugin/results.sh"
here=$srcdir/tests/plugin
plugin="-fplugin=$PPGCC $include"
off=-fplugin-arg-ppgcc-loop-copies=off

# vectorised FLAGS...: the lines of vector.c with vectorised loops, and how wide the vectors are
vectorised ()
{
	$CC -c -fopt-info-vec-optimized "$@" "$here/shapes/vector.c" -o vector.o 2>&1 |
		sed -n 's/.*vector.c:\([0-9]*\):.*loop vectorized using \([0-9]*\).*/\1 \2/p' | sort -u
}

vectors ()
{
	local flags kind
	while IFS= read -r flags; do
		vectorised $flags -DPLAIN > plain
		for kind in patch guard; do
			vectorised $flags $plugin -fplugin-arg-ppgcc-marker=$kind > marked
			diff plain marked > log && [[ -s plain ]]
			result $? "with $kind markers the same loops are vectorised as without, by $flags" log
			vectorised $flags $plugin -fplugin-arg-ppgcc-marker=$kind $off > marked
			[[ ! -s marked ]]
			result $? "and none if there are no copies, by $flags" marked
		done
	done << 'FLAGS'
-O2 -ftree-vectorize
-O3
-O3 -fwrapv
-O3 -mavx2 -fopenmp-simd
-Ofast -mavx512f -fPIC
FLAGS
}

# ---- which loops

cat > which.c << 'SOURCE'
#include <pp.h>
int elsewhere (int);
int plain (const int *, int);
int calls (const int *, int);
int fenced (const int *, int);
int barrier (const int *, int);
int cold (const int *, int) __attribute__ ((cold));
int outer (const int *, int);
int plain (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) { PP_INTERVAL (plain) s += x[i]; }
	return s;
}
int calls (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) { PP_INTERVAL (calls) s += elsewhere (x[i]); }
	return s;
}
int fenced (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
#pragma pp interval fenced fence
		s += x[i];
	}
	return s;
}
int barrier (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) { PP_INTERVAL (barrier) s += x[i]; __asm__ volatile("" : "+r"(s)); }
	return s;
}
int cold (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) { PP_INTERVAL (cold) s += x[i]; }
	return s;
}
int outer (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		PP_INTERVAL (outer)
		for (int j = 0; j < n; j++)
			s += x[j] ^ i;
	}
	return s;
}
SOURCE

# copied FLAGS...: the lines of which.c with a note about a copy
copied ()
{
	$CC $plugin -fplugin-arg-ppgcc-verbose "$@" -c which.c -o which.o 2>&1 | sed -n 's/^which.c: In function .\([a-z]*\).:$/\1/p
		s/.*note: this loop is copied.*/copied/p' | awk '/^copied$/ {print last} {last = $0}' | sort -u | xargs
}

which_loops ()
{
	local kind calls every
	for kind in patch guard; do
		[[ $(copied -O2 -fplugin-arg-ppgcc-marker=$kind) == plain ]]
		result $? "a loop is copied that is innermost, calls nothing and has no barrier ($kind)"
	done
	[[ $(copied -O1)$(copied -Os)$(copied -O0)$(copied -Og)$(copied -O3 $off) == "" ]]
	result $? "no loop is copied below -O2, for size, or if that is switched off"
	$CC $plugin -O2 -c which.c -o which.o -fopt-info-loop-optimized 2>&1 | grep -q 'which.c:.*optimized: loop with markers copied: [1-9][0-9]* statements more'
	result $? "-fopt-info tells of copies and their size"
	$CC $plugin -O2 -fplugin-arg-ppgcc-verbose -c which.c -o which.o 2>&1 |
		grep -q 'this loop is copied ([1-9][0-9]* statements more): the copy without markers runs while nothing in it is bound, chosen every 8192 iterations'
	result $? "on request a note tells of copies, their size and how long a choice lasts"
	printf '%s\n' 'static int one (int x) { return x + 1; }' 'int all (const int *x, int n);' \
		'int all (const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += one (x[i]); return s; }' \
		'int own (const int *x, int n);' 'int own (const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) {' \
		'_Pragma ("pp point own")' 's += one (x[i]); } return s; }' > every.c
	for kind in patch guard; do
		for calls in point interval; do
			every="$CC $plugin -O2 -fplugin-arg-ppgcc-verbose -fplugin-arg-ppgcc-calls=$calls -fplugin-arg-ppgcc-marker=$kind -c every.c -o every.o"
			[[ $($every 2>&1 | grep -c 'note: this loop is copied') == 1 && $($every -fplugin-arg-ppgcc-loop-copies=on 2>&1 | grep -c 'note: this loop is copied') == 2 ]]
			result $? "a loop that only -calls=$calls has put markers into is copied if loop-copies=on asks for it ($kind)"
		done
	done
	$CC $plugin -fplugin-arg-ppgcc-loop-copies=maybe -c which.c -o which.o > log 2>&1
	[[ $? != 0 ]] && grep -q "loop-copies=maybe.*expected .on. or .off." log
	result $? "an unknown value of the option is an error" log
}

# ---- how they are built

building ()
{
	local flags kind
	# ThreadSanitizer and patchable markers exclude each other
	echo 'int main (void) { return 0; }' > main.c
	while IFS= read -r flags; do
		for kind in patch guard; do
			[[ $flags == *thread* && $kind == patch ]] && continue
			$CC $flags $plugin -fplugin-arg-ppgcc-marker=$kind -fplugin-arg-ppgcc-Wno-pp-moved -Wall -Wextra -Werror -fopenmp-simd "$here/shapes/vector.c" main.c recorder.o -o built > log 2>&1
			result $? "copies are built with $kind markers by $flags" log
		done
	done << 'FLAGS'
-O2 -g -fcompare-debug
-O3 -g -fcompare-debug -fchecking=2
-O3 -g -flto
-O3 -flto -flto-partition=max
-O3 -fPIC -pie -funroll-all-loops
-O2 -fprofile-generate
-O3 -fsanitize=address,undefined
-O2 -fsanitize=thread
FLAGS
}

# ---- what they cost

# counted FLAGS...: instructions executed by loop.c
counted ()
{
	$CC -O2 "$@" "$here/shapes/loop.c" recorder.o -o counted && PPREC_OFF=1 $VALGRIND --tool=callgrind --callgrind-out-file=/dev/null ./counted 2>&1 |
		sed -n 's/.*Collected : //p'
}

cost ()
{
	local title="in a million iterations a disabled interval costs less than 0.02 instructions each" kind base cost
	if [[ -z ${VALGRIND:-} || ! -x $(command -v "$VALGRIND") ]]; then
		skip "$title" "no valgrind"
		return
	fi
	base=$(counted $include)
	for kind in patch guard; do
		cost=$(counted $plugin -DWITH_INTERVAL -DWITH_POINT -fplugin-arg-ppgcc-marker=$kind)
		echo "$base $cost" > log
		((cost - base <= 20000 && base - cost <= 20000))
		result $? "$title ($kind)" log
	done
}

# ---- coverage

coverage ()
{
	cat > moved.c << 'SOURCE'
#include <pp.h>
float stays (float *restrict y, const float *restrict x, long n);
float moves (float *restrict y, const float *restrict x, float a, long n);
float stays (float *restrict y, const float *restrict x, long n)
{
	float s = 0;
	for (long i = 0; i < n; i++) { PP_INTERVAL (stays) y[i] = x[i] / (y[i] + 1); s += y[i]; }
	return s;
}
float moves (float *restrict y, const float *restrict x, float a, long n)
{
	float s = 0;
	for (long i = 0; i < n; i++) { PP_INTERVAL (moves) y[i] = x[i] + (1 / a); s += y[i]; }
	return s;
}
SOURCE
	local flags
	for flags in -O2 "-O3 -mavx2"; do
		$CC $flags $plugin -fplugin-arg-ppgcc-Wno-pp-moved $off -shared -fPIC moved.c -o moved.so > log 2>&1
		"$PPCTL" sites moved.so > without
		$CC $flags $plugin -fplugin-arg-ppgcc-Wno-pp-moved -shared -fPIC moved.c -o moved.so >> log 2>&1
		"$PPCTL" sites moved.so | tee shown | sed 's/, [0-9]* in copied loops//' > with
		diff without with >> log && grep -q 'coverage 100 %' with && [[ $(grep -c 'coverage [0-9]* %' with) == 2 ]]
		result $? "the coverage of an interval in a copied loop is that of the loop with markers ($flags)" log
	done
	grep -q ', 1 begin and 1 end, 2 in copied loops' shown && "$PPCTL" sites --json moved.so | grep -q '"in_copied_loops": 2'
	result $? "ppctl sites says which markers are in copied loops" shown
}

# ---- debugging

debugging ()
{
	local title="a breakpoint in a copied loop has a place in each copy" gdb line off_hits on_hits
	gdb=$(command -v gdb)
	if [[ -z $gdb ]]; then
		skip "$title" "no gdb"
		return
	fi
	cat > debug.c << 'SOURCE'
#include <pp.h>
volatile int printed;
static int numbers[10];
static __attribute__ ((noipa)) int sum (const int *x, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		PP_INTERVAL (debug)
		s += x[i] * 3;
		s ^= i; /* HERE */
	}
	return s;
}
int main (void)
{
	printed = sum (numbers, 10);
	return 0;
}
SOURCE
	line=$(grep -n HERE debug.c | cut -d: -f1)
	$CC -O2 -g $plugin debug.c recorder.o -o debug > log 2>&1
	$gdb -nx -batch -ex "break debug.c:$line" ./debug > log 2>&1
	grep -q "(2 locations)" log
	result $? "$title" log
	rm log
	printf '%s\n' 'set breakpoint pending on' "break debug.c:$line" commands silent 'printf "here i=%d n=%d\n", i, n' continue end run > hits.gdb
	# hit NAME=VALUE: how often execution stops there
	hit ()
	{
		env "$1" "$gdb" -nx -batch -x hits.gdb ./debug 2>> log | grep -c '^here i=[0-9] n=10'
	}
	off_hits=$(hit PPREC_OFF=1)
	on_hits=$(hit X=)
	echo "$off_hits with nothing bound, $on_hits bound" >> log
	[[ $off_hits == 10 && $on_hits == 10 ]]
	result $? "it is hit in each iteration, bound or not, and variables can be seen there" log
}

vectors
which_loops
building
cost
coverage
debugging
echo "1..$number"
