#!/bin/bash
# SPDX-License-Identifier: MIT
# exact_calls.sh: ppctl run --calls: how often each function of a program was called, and how long that took, exactly.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
if ! "$PPCTL" --help | grep -q '^  run '; then
	tap_skip "ppctl run --calls" "built without libelf"
	tap_done
	exit
fi
cat >work.cc <<'C'
#include <csetjmp>
#include <cstdlib>
#include <stdexcept>
#include <thread>
static thread_local volatile unsigned long sink;
static jmp_buf back;
__attribute__ ((noipa)) static void spin (int n)
{
	for (int i = 0; i < n; i++)
		sink = sink * 3 + 1;
}
static long down (int n)
{
	spin (1000);
	return n ? down (n - 1) + 1 : 0;
}
__attribute__ ((noipa)) static void throws (int n)
{
	spin (10);
	if (n % 2)
		throw std::runtime_error ("x");
}
__attribute__ ((noipa)) static void leaves () { longjmp (back, 1); }
int other_file ();
static int in_both () { return 1; }
static void worker () { for (int i = 0; i < 50; i++) down (9); }
static void work ()
{
	std::thread t (worker);
	for (int i = 0; i < 50; i++)
		down (9);
	t.join ();
	for (int i = 0; i < 30; i++)
		try {
			throws (i);
		} catch (const std::runtime_error &) {
		}
}
int main (int argc, char **)
{
	work ();
	for (int i = 0; i < 7; i++)
		sink += static_cast<unsigned long> (in_both () + other_file ());
	for (volatile int i = 0; argc > 1 && i < 5; i = i + 1)
		if (!setjmp (back))
			leaves ();
	spin (10);
	return argc > 2 ? 3 : 0;
}
C
printf 'static int in_both () { return 2; }\nint other_file ();\nint other_file () { return in_both (); }\n' >other.cc

# build NAME [OPTION]
build () {
	# shellcheck disable=SC2086
	"$CXX" -std=gnu++17 -O1 -w $SANITIZER_FLAGS $PPGCC_FLAGS ${2-} -I"$srcdir/include" work.cc other.cc -o "$1" \
		-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
}
build points -fplugin-arg-ppgcc-calls
build intervals -fplugin-arg-ppgcc-calls=interval
build plain

# calls TABLE FUNCTION: its second column
calls () {
	awk -v f="$2" '$1 == f { print $2 }' "$1"
}
for kind in points intervals; do
	"$PPCTL" run --calls ./$kind >out 2>$kind.table
	tap_is "$kind: a program is run" "$? $(cat out)" "0 "
	tap_is "$kind: every call is counted, under recursion and in all threads" "$(calls $kind.table 'down(int)')$(calls $kind.table down)" 1000
	tap_is "$kind: ... and those that end by an exception" "$(calls $kind.table 'throws(int)')$(calls $kind.table throws)" 30
	tap_is "$kind: ... of all functions" "$(calls $kind.table 'spin(int)')$(calls $kind.table spin)" 1031
	tap_is "$kind: functions of the same name are told apart by their files" \
		"$(awk '$1 ~ /in_both/ { print $1, $2 }' $kind.table | sed 's|^[^ ]*/||; s/()//' | LC_ALL=C sort)" "other.cc:in_both 7
work.cc:in_both 7"
done
tap_is "the table is CHICKEN's" "$(sed -n '/^procedure/p' intervals.table)" "procedure calls seconds average percent"
tap_is "points have no times" "$(sed '1,/^procedure/d' points.table | awk '$3 $4 $5 != "---"')" ""
title="recursion counts nothing twice: no function takes longer than the threads that it runs in"
tap_ok "$title" awk '
	$1 == "main" { whole = $3; top = $5 }
	$1 ~ /^down/ { down = $3 }
	$3 + 0 < last + 0 || last == "" { last = $3 }
	END { exit !(whole > 0 && top > 0 && down <= 2 * whole + 0.002) }' intervals.table
tap_is "it is sorted by time" "$(sed '1,/^procedure/d' intervals.table | awk 'NR > 1 && $3 + 0 > last + 0 { print } { last = $3 }')" ""
tap_is "the longest is 100 %" "$(sed '1,/^procedure/d' intervals.table | awk 'NR == 1 { print $5 }')" 100.000

"$PPCTL" run --calls ./intervals jump 2>table
tap_is "what is left by longjmp is counted, and its clock stops" "$(calls table 'leaves()')$(calls table leaves)" 5
tap_is "... and nothing is missing" "$(grep -c "^not in it" table)" 0
cat >jumps.c <<'C'
#include <setjmp.h>
static jmp_buf back;
static volatile unsigned sink;
__attribute__ ((noipa)) static void leaves (void) { longjmp (back, 1); }
__attribute__ ((noipa)) static void goes_on (void)
{
	volatile char room[4096];
	room[0] = 1;
	for (int i = 0; i < room[0] * 50000000; i++)
		sink++;
}
int main (void)
{
	if (!setjmp (back))
		leaves ();
	goes_on ();
	return 0;
}
C
for level in -O0 -O3; do
	# shellcheck disable=SC2086
	"$CC" $level -w $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-calls=interval jumps.c -o jumps -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP"
	"$PPCTL" run --calls ./jumps 2>table
	tap_ok "its clock stops where setjmp returns, also where what follows is further down the stack ($level)" awk '
		{ calls[$1] = $2; seconds[$1] = $3 }
		END { exit !(calls["leaves"] == 1 && seconds["goes_on"] > 0.01 &&
			     seconds["leaves"] + seconds["goes_on"] <= seconds["main"] + 0.002) }' table
done
"$PPCTL" run --calls ./intervals jump 3 >out 2>&1
tap_is "the program's exit status is that of ppctl" $? 3
"$PPCTL" run --calls -o kept.pprec ./intervals 2>table
tap_is "-o keeps the recording" "$? $(ls kept.pprec)" "0 kept.pprec"
"$PPCTL" run --calls ./plain >out 2>&1
tap_has "a program that was compiled without is told of" "$? $(tr '\n' ' ' <out)" '^125 .*(was it compiled|compile the program) with -fplugin-arg-ppgcc-calls'
printf '#include <pp.h>\nint main (void) {\n#pragma pp interval own\n}\n' >none.c
# shellcheck disable=SC2086
"$CC" -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" none.c -o none -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP"
"$PPCTL" run --calls ./none >out 2>&1
tap_is "where nothing was counted it is an error of ppctl" "$? $(grep -c 'compile the program with -fplugin-arg-ppgcc-calls' out)" "125 1"
printf 'version: 1\nrecord: {file: own.pprec}\n' >own.yaml
"$PPCTL" run --calls -p own.yaml ./intervals 2>table
tap_is "a policy may record beside it" "$? $(calls table 'down(int)')$(calls table down) $(ls own.pprec)" "0 1000 own.pprec"
tap_done
