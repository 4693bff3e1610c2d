#!/bin/bash
# SPDX-License-Identifier: MIT
# What markers, tables and records look like in object files, how they link, and that they cost what they may.
. "$srcdir/tests/plugin/results.sh"
here=$srcdir/tests/plugin
plugin="-fplugin=$PPGCC $include"

# ---- every way to link: the events of scopes.c and classes.cc are those of -O0

# same COMPILER SOURCE FLAGS...
same ()
{
	local compiler=$1 source=$2
	shift 2
	local name=${source##*/}
	if [[ ! -f $name.reference ]]; then
		$compiler -O0 $plugin "$source" recorder.o -o reference && ./reference > "$name.reference"
	fi
	rm -f events
	$compiler "$@" $plugin "$source" recorder.o -o same > log 2>&1 && ./same > events 2>> log && cmp -s "$name.reference" events
	local status=$?
	[[ $status != 0 ]] && diff "$name.reference" events >> log
	result $status "$name has its events with $*" log
}

# Compilers but CC (PP_FURTHER) link in each way one of the two in turn; FULL=1: both.
links ()
{
	local flags turn=0 all=1
	[[ -n ${PP_FURTHER:-} && ${FULL:-} != 1 ]] && all=
	while IFS= read -r flags; do
		turn=$((1 - turn))
		[[ -n $all || $turn == 1 ]] && same "$CC" "$here/events/scopes.c" $flags
		[[ -n $all || $turn == 0 ]] && same "$CXX" "$here/events/classes.cc" $flags
	done << 'END'
-O2 -static
-O2 -static-pie -fPIE
-O2 -no-pie -fno-pie
-O2 -fPIC -pie
-O2 -pg
-O2 -fcf-protection=full
-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
-O2 -ffunction-sections -Wl,--gc-sections -Wl,-z,start-stop-gc
-O2 -fsanitize=address
-O2 -fsanitize=undefined
-O2 -g3
-O2 -fcompare-debug -g
-O2 -masm=intel
-O2 -mcmodel=medium
-O2 -mcmodel=large
-O2 -fprofile-generate
-O2 -flto -flto-partition=none
-O2 -flto -flto-partition=1to1 -fPIC
-O2 -flto -ffat-lto-objects
-O2 -fstack-protector-all -fstack-clash-protection
-O3 -march=native -funroll-loops
-Og -fno-dwarf2-cfi-asm
-O2 -save-temps
-O2 -fopenmp -g
-O2 -fuse-ld=gold
END
}

# ---- tables and relocations

relocations ()
{
	local title="__pp_sites needs no dynamic relocation and no text is relocated, in a shared object"
	$CXX -O2 -shared -fPIC $plugin "$here/events/classes.cc" -Wl,-z,text -o shared.so > log 2>&1 || {
		result 1 "$title" log
		return
	}
	local begin size
	read -r begin size < <(readelf -SW shared.so | sed -n 's/.* __pp_sites *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\).*/\1 \2/p')
	readelf -rW shared.so | awk '/R_X86_64/ {print $1}' | while read -r at; do
		((16#$at >= 16#$begin && 16#$at < 16#$begin + 16#$size)) && echo "$at"
	done > inside
	[[ -n $begin && ! -s inside ]] && ! readelf -d shared.so | grep -q TEXTREL
	result $? "$title" inside

	$CC -O2 -ffunction-sections $plugin -c "$here/events/scopes.c" -o sections.o > log 2>&1
	local records functions
	records=$(readelf -SW sections.o | grep -c ' __pp_sites ')
	functions=$(readelf -SW sections.o | grep -c ' \.text\.')
	((records > 1 && records <= functions))
	result $? "an object has one __pp_sites section for each function, not for each marker ($records for $functions)" log

	readelf -SW shared.so | grep ' __pp_sites ' > log
	[[ -s log ]] && ! grep -q 'W' log
	result $? "__pp_sites is read-only data" log
}

tables ()
{
	rm -f said
	$CXX -O1 -std=gnu++20 -Wall -Wextra -Werror $plugin "$here/shapes/names.cc" recorder.o -o names > log 2>&1 &&
		PPREC_TABLES=1 ./names | sed -n 's/^site \([^ ]*\) .*function=\(.*\) groups=.*/\1 \2/p' | sort > said
	sed -n 's|^// expect: ||p' "$here/shapes/names.cc" | sort > expected
	diff expected said >> log
	result $? "functions are named as in the source: qualified, without parameters and template arguments" log

	PPREC_TABLES=1 ./names | grep '^site in_nested ' > said
	grep -q 'kind=2 flags=18 value=0 line=51 column=12 .* groups=g,h metrics=a,b file=.*/names.cc$' said
	result $? "a site carries kind, flags, position, groups and metrics" said

	[[ $(PPREC_TABLES=1 ./names | grep -c '^site in_template ') == 1 ]]
	result $? "instances of one template share one site"

	for level in -O0 "-O2 -flto"; do
		rm -f said
		$CC $level -Wall -Wextra -Werror $plugin "$here/shapes/records.c" recorder.o -o records > log 2>&1 &&
			PPREC_TABLES=1 ./records | grep '^metric\|^BAD' | sort > said
		sed -n 's/^expect: //p' "$here/shapes/records.c" | sort > expected
		diff expected said >> log
		result $? "metrics have their records, and user functions of any type their thunks ($level)" log
	done
}

# lines of FILE from label NAME to its .size that match PATTERN, between its first and its last marker
between ()
{
	awk -v name="$2" -v pattern="$3" '$0 == name ":" {on = 1} on && /^\t?\.Lppn/ {n += kept; kept = 0; inside = 1}
		on && inside && $0 ~ pattern {kept++} on && $0 ~ "\\.size\t" name {print n + 0; exit}' "$1"
}

statements ()
{
	local level kind
	printf '%s\n' 'bind in_namespace somewhere in_template' 'bind in_namespace somewhere in_template' called called \
		'expect fast in_namespace.last <= 3 in_template' 'expect fast in_namespace.last <= 3 in_template' \
		'unbind in_namespace somewhere in_template' 'unbind in_namespace somewhere in_template' > expected
	for level in -O0 "-O2 -flto"; do
		rm -f said
		$CXX $level -Wall -Wextra -Werror $plugin "$here/shapes/callback.cc" recorder.o -o callback > log 2>&1 && ./callback | sort > said
		diff expected said >> log
		result $? "bind, unbind and expect with a callback work in templates ($level)" log
	done
	[[ $(PPREC_TABLES=1 ./callback | grep -c '^record type=5 name=fast') == 1 ]]
	result $? "instances of one template share the record of an expectation"
	$CC -shared -fPIC $plugin "$here/shapes/records.c" -o records.so > log 2>&1
	nm records.so | grep -q ' [vVbBwW] pp_metric_m_value' && ! nm -D records.so | grep pp_metric_ >> log
	result $? "a module keeps its metric variables to itself" log

	for kind in patch guard; do
		$CC -O2 $plugin -fplugin-arg-ppgcc-marker=$kind -c "$here/shapes/fence.c" -S -o fence.s > log 2>&1
		if [[ $kind == patch ]]; then
			[[ $(between fence.s fenced 'fenced_total\(%rip\)$') -ge 1 && $(between fence.s unfenced 'free_total\(%rip\)$') == 0 ]]
			result $? "a fenced interval keeps memory in order, one without fence leaves it to the optimiser" fence.s
		else
			[[ -s fence.s ]]
			result $? "a fence works with guards too" log
		fi
	done
}

# ---- headers

# two LANGUAGE LEVEL KIND
two ()
{
	local compiler=$CC language=c
	[[ $1 == C++ ]] && compiler=$CXX language=c++
	local flags="$2 $plugin -fplugin-arg-ppgcc-marker=$3"
	rm -f plain.out pch.out
	mkdir -p headers
	cp "$here"/shapes/{pch.h,two.c,other.c} headers
	rm -f headers/pch.h.gch
	$compiler $flags -Iheaders -x $language headers/two.c headers/other.c -x none recorder.o -o plain > log 2>&1 &&
		PPREC_TABLES=1 ./plain | sort > plain.out
	grep -q "one metric" plain.out && [[ $(grep -c "^E in_header" plain.out) == 2 ]] &&
		grep -q "^P setjmp" plain.out && ! grep -q BAD plain.out
	result $? "$1 units that share a header share its metric ($2, $3)" plain.out
	$compiler $flags -x $language-header headers/pch.h -o headers/pch.h.gch >> log 2>&1 &&
		$compiler $flags -Winvalid-pch -Werror -Iheaders -x $language headers/two.c headers/other.c -x none recorder.o -o pch \
			>> log 2>&1 && PPREC_TABLES=1 ./pch | sort > pch.out
	diff plain.out pch.out >> log
	result $? "a precompiled header loses no site, metric or expectation of $1 ($2, $3)" log
}

headers ()
{
	for language in C C++; do
		for level in -O0 -O2 "-O2 -flto"; do
			for kind in patch guard; do
				two $language "$level" $kind
			done
		done
	done
}

# ---- the stages of the compiler

stages ()
{
	$CC $plugin -fsyntax-only "$here/events/scopes.c" > log 2>&1 && $CXX $plugin -fsyntax-only "$here/events/classes.cc" >> log 2>&1
	result $? "-fsyntax-only works" log

	rm -f direct.out staged.out
	$CC -O2 $plugin "$here/shapes/macros.c" recorder.o -o direct > log 2>&1 && ./direct > direct.out
	$CC $plugin -E "$here/shapes/macros.c" -o macros.i >> log 2>&1 && $CC -O2 $plugin macros.i recorder.o -o staged >> log 2>&1 &&
		./staged > staged.out
	[[ -s direct.out ]] && diff direct.out staged.out >> log
	result $? "-E and then compiling its output is the same program" log
	grep -qxF "expect fast handling@serve <= 5ms and handling.p99[10s] < 5% serve" direct.out
	result $? "the text of an expectation arrives as it was written" direct.out
	grep -qxF 'clauses for: 3, cooldown: 2s, capture: [handling , given]' direct.out
	result $? "its clauses arrive as a policy has them" direct.out

	printf '%s\n' '#define LIMIT 3' '#define KEEP 4' 'int main (void) {' '#pragma pp point KEEP value(LIMIT + 1)' \
		'#pragma pp expect fast: m@KEEP <= 5ms' '#pragma pp expect KEEP: m < 5% for(3) cooldown(2 s) repeat(true)' 'return 0; }' > raw.c
	rm -f direct.out staged.out
	$CC $plugin raw.c recorder.o -o direct > log 2>&1 && ./direct > direct.out
	$CC -save-temps $plugin raw.c recorder.o -o staged >> log 2>&1 && ./staged > staged.out
	printf '%s\n' 'expect fast m@KEEP <= 5ms main' 'expect KEEP m < 5% main' 'clauses for: 3, cooldown: 2 s, repeat: true' \
		'P KEEP 4' > expected
	diff expected direct.out >> log && diff expected staged.out >> log
	result $? "macros are expanded in value(...), and nowhere else" log

	printf '%s\n' '#ifndef __PPGCC__' '#error' '#endif' > macro.h
	$CC $plugin -g3 -include ./macro.h -c raw.c -o raw.o > log 2>&1 && $CXX $plugin -E -include ./macro.h raw.c > raw.i 2>> log
	result $? "__PPGCC__ is defined before -include files" log

	if [[ -n ${GFORTRAN:-} ]]; then
		printf '%s\n' 'end' > nothing.f90
		$GFORTRAN -fplugin="$PPGCC" -O2 -flto nothing.f90 -o nothing > log 2>&1
		result $? "the Fortran compiler loads the plugin" log
	else
		skip "the Fortran compiler loads the plugin" "no gfortran"
	fi
}

# ---- without the plugin

# plain COMPILER LANGUAGE FLAGS...
plain ()
{
	local compiler=$1 language=$2 title="the macros of pp.h build without the plugin: ${1##*/} $2 ${*:3}"
	shift 2
	if [[ -z $compiler ]]; then
		skip "$title" "no clang"
		return
	fi
	$compiler "$@" -Wall -Wextra -Werror $include -x $language -c "$here/shapes/macros.c" -o plain.o > log 2>&1
	result $? "$title" log
}

without ()
{
	plain "$CC" c -std=gnu11 -O2
	plain "$CC" c -std=c99 -pedantic
	plain "$CXX" c++ -std=gnu++17 -O2
	plain "${CLANG:-}" c -std=gnu11 -O2
	plain "${CLANG:-}" c -std=c99 -pedantic
	plain "${CLANGXX:-}" c++ -std=gnu++17 -O2
	$CC -O2 -Wall -Wextra -Werror $plugin -c "$here/shapes/macros.c" -o with.o > log 2>&1 &&
		$CC -std=c99 -pedantic -Wall -Wextra -Werror $plugin -c "$here/shapes/macros.c" -o with.o >> log 2>&1 &&
		$CXX -O2 -Wall -Wextra -Werror $plugin -x c++ -c "$here/shapes/macros.c" -o with.o >> log 2>&1
	result $? "... and with it, without a warning" log
}

# ---- the stub

unwinding ()
{
	local source symbol compiler level
	for level in -O0 -O2 "-O3 -fomit-frame-pointer -g" "-O2 -static"; do
		for source in scopes.c stack.c values.c cold.c classes.cc cold.cc; do
			compiler=$CC symbol=test_main
			[[ $source == *.cc ]] && compiler=$CXX symbol=_Z9test_mainv
			rm -f said
			$CC -O0 -DTEST_MAIN="\"$symbol\"" -c "$here/shapes/unwind.c" -o unwind.o > log 2>&1 &&
				$compiler $level -Dmain=test_main -fno-builtin $plugin "$here/events/$source" unwind.o recorder.o -o unwind >> log 2>&1 &&
				./unwind | grep '^U' | sort -u > said
			[[ $(cat said) == "U reached" ]]
			result $? "unwinding from the stubs of $source reaches main at $level" said
		done
	done
}

# A debugger finds its way from every instruction of a stub, and sees the registers that the marked function has there.
stepping ()
{
	local title="a debugger unwinds from every instruction of a stub, with and without a value" gdb places lost
	gdb=$(command -v gdb)
	if [[ -z $gdb || $PP_ARCH != x86_64 ]]; then
		skip "$title" "no gdb, or not on x86-64"
		return
	fi
	cat > step.c << 'SOURCE'
#include <pp.h>
long work (long a, long b, long v);
__attribute__ ((noipa)) long work (long a, long b, long v)
{
	PP_POINT (plain);
#pragma pp point valued value(v)
	return a * b + v;
}
int main (void)
{
	return work (3, 4, 5) != 17;
}
SOURCE
	printf '%s\n' 'set pagination off' 'break main' run 'break work' continue 'set $n = 0' 'while $n < 36' 'if *(unsigned short *) $pc == 0x56ff' \
		'tbreak *($pc + 3)' continue else stepi end 'echo at\n' bt 'set $n = $n + 1' end > step.gdb
	$CC -O2 -g $plugin step.c recorder.o -o step > log 2>&1 && "$gdb" -nx -batch -x step.gdb ./step > stepped 2>> log
	# frames of stubs are those of signal handlers
	places=$(grep -c '^#0  <signal handler called>' stepped)
	lost=$(awk '/^at$/ {stub = good = 0} /^#0  <signal handler called>/ {stub = 1} stub && /^#1 .* work \(a=.*3, b=.*4, v=.*5\)/ {good = 1}
		stub && /^#2 .* main / {stub = 0; if (!good) print} /^#[0-9]* .*\?\?/ {print}' stepped)
	[[ $places -ge 22 && -z $lost ]] && [[ $(grep -c '^#2 .* main ' stepped) == "$places" ]]
	result $? "$title" stepped
}

depth ()
{
	local kind level deepest
	for kind in patch guard; do
		for level in -O3 "-O3 -flto"; do
			rm -f depth.out
			$CC $level $plugin -fplugin-arg-ppgcc-marker=$kind "$here/events/recursion.c" recorder.o -o depth > log 2>&1 &&
				PPREC_TABLES=1 ./depth > depth.out
			deepest=$(sed -n 's/^deepest //p' depth.out)
			((deepest > 0)) && ! grep -q BAD depth.out
			result $? "copies of a site that $level inlines into itself carry their depth, $kind (deepest $deepest)" depth.out
		done
	done
}

kinds ()
{
	local flags
	for flags in -fsanitize=thread -mcmodel=large; do
		$CC -O1 $flags $plugin -c "$here/events/scopes.c" -o kind.o > log 2>&1
		readelf -SW kind.o | grep -q __pp_guards && ! readelf -SW kind.o | grep -q __pp_sites
		result $? "$flags makes guard markers by itself" log
	done
	$CC -O1 $plugin -c "$here/events/scopes.c" -o kind.o
	readelf -SW kind.o | grep -q __pp_sites && ! readelf -SW kind.o | grep -q __pp_guards
	result $? "markers are patched where nothing speaks against it"
}

# ---- what a disabled marker costs

# instructions OBJECT FUNCTION: without NOPs
instructions ()
{
	objdump -d --no-show-raw-insn "$1" --disassemble="$2" | sed -n 's/^ *[0-9a-f]*:\t\([a-z0-9]*\).*/\1/p' | grep -v '^nop\|^cs$\|^data16\|^xchg'
}

code ()
{
	local level fn plugin="$plugin -fplugin-arg-ppgcc-loop-copies=off"
	for level in -O1 "-O2 -fno-tree-vectorize" -Os; do
		rm -f with.o without.o
		$CC $level $include -c "$here/shapes/kernels.c" -o without.o > log 2>&1 &&
			$CC $level $plugin -c "$here/shapes/kernels.c" -o with.o >> log 2>&1
		for fn in sum invariant accumulate call store tail; do
			instructions without.o $fn | sort > a
			instructions with.o $fn | sort > b
			[[ -s a ]] && diff a b > log
			result $? "$fn has the same instructions with disabled markers at $level, but for NOPs" log
		done
	done
	# the division stands before the first marker: it has left the loop
	$CC -O2 $plugin -S "$here/shapes/kernels.c" -o kernels.s
	awk '/^invariant:/ {on = 1} on && /idiv/ && !marker {before++} on && /^\t?\.Lppn/ {marker = 1} on && /idiv/ && marker {inside++}
		on && /\.size.invariant/ {exit !(before == 1 && !inside)}' kernels.s
	result $? "a division that does not depend on the loop leaves it, markers or not"
	$CC -O2 -fno-tree-vectorize $plugin -S "$here/shapes/kernels.c" -o kernels.s
	awk '/^accumulate:/ {on = 1} on && /total\(%rip\)/ {n++} on && /\.size.accumulate/ {exit n != 2}' kernels.s
	result $? "an accumulator in memory stays in a register around a marker"
	for level in -O1 -O2; do
		$CC $level $plugin -c "$here/shapes/kept.c" -o kept.o > log 2>&1
		for fn in few many; do instructions kept.o $fn | grep -c push > $fn.pushes; done
		[[ $(< few.pushes) -gt 0 ]] && diff few.pushes many.pushes > log
		result $? "a function saves no more for seven values that are computed than for one at $level" log
	done
}

# counted FLAGS...: instructions executed by loop.c
counted ()
{
	$CC -O2 "$@" "$here/shapes/loop.c" recorder.o -o counted && PPREC_OFF=1 $VALGRIND --tool=callgrind --callgrind-out-file=/dev/null ./counted 2>&1 |
		sed -n 's/.*Collected : //p'
}

cost ()
{
	local title="a disabled interval executes its two NOPs and at most two of alignment per iteration"
	if [[ -z ${VALGRIND:-} || ! -x $(command -v "$VALGRIND") ]]; then
		skip "$title" "no valgrind"
		skip "a disabled point executes its NOP and at most one of alignment per iteration" "no valgrind"
		skip "... also one that computes a value and calls a function for it when enabled" "no valgrind"
		return
	fi
	local base interval point value
	base=$(counted $include)
	interval=$(counted $plugin -fplugin-arg-ppgcc-loop-copies=off -DWITH_INTERVAL)
	point=$(counted $plugin -fplugin-arg-ppgcc-loop-copies=off -DWITH_POINT)
	value=$(counted $plugin -fplugin-arg-ppgcc-loop-copies=off -DWITH_VALUE)
	# a hundred thousand for the registration, one tenth of an instruction per iteration
	echo "$base $interval $point $value" > log
	((interval - base >= 2000000 && interval - base <= 4100000))
	result $? "$title" log
	((point - base >= 1000000 && point - base <= 2100000))
	result $? "a disabled point executes its NOP and at most one of alignment per iteration" log
	((value - base >= 1000000 && value - base <= 2100000))
	result $? "... also one that computes a value and calls a function for it when enabled" log
}

links
relocations
tables
statements
headers
stages
without
unwinding
stepping
depth
kinds
code
cost
echo "1..$number"
