#!/bin/bash
# SPDX-License-Identifier: MIT
# Options of GCC that change code models, frames, entries or what is emitted beside the code: events stay what they are, or the
# plugin refuses.
. "$srcdir/tests/plugin/results.sh"
here=$srcdir/tests/plugin
for source in cold.c exits.c; do
	$CC -O0 -w $include "$here/events/$source" -o plain && ./plain > $source.expected
	[[ -s $source.expected ]] || exit 1
done

while IFS= read -r flags; do
	for source in cold.c exits.c; do
		for kind in patch guard; do
			[[ $kind == patch && $flags == *large* ]] && continue # which makes guards by itself, and refuses others
			rm -f said
			# shellcheck disable=SC2086
			$CC $flags $include -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind "$here/events/$source" recorder.o -o with > log 2>&1 &&
				./with > said 2>> log
			diff $source.expected said >> log
			result $? "$source has its events with $flags, $kind" log
		done
	done
done << 'END'
-O2 -mcmodel=medium
-O2 -mcmodel=large
-O2 -fPIC -mcmodel=large
-O2 -fpatchable-function-entry=4,2
-O2 -pg
-O2 --coverage
-O2 -ffixed-rbx -ffixed-r12
-O2 -fno-asynchronous-unwind-tables
-O2 -fcf-protection=full
-O2 -fno-omit-frame-pointer -mno-red-zone
-O2 -fnon-call-exceptions -fexceptions
-O2 -masm=intel
-Og -fsanitize=undefined
-O1 -fchecking=2
-O2 -fchecking=2
END

# only a link that knows the plugin tells inlined copies of one site apart: another one fails, and says why
cat > factorial.c << 'END'
static int f (int x)
{
#pragma pp interval f
	return x <= 0 ? 1 : f (x - 1) * x;
}
int main (int argc, char **argv)
{
	(void) argv;
	return f (argc + 4) != 120;
}
END
for kind in patch guard; do
	$CC -O3 -flto -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind -c factorial.c -o factorial.o > log 2>&1
	! $CC -O3 -flto factorial.o recorder.o -o with >> log 2>&1 && grep -q 'needs.fplugin.ppgcc\|needs -fplugin=ppgcc too' log
	result $? "a link with -flto and without the plugin fails and says so, $kind" log
	$CC -O3 -flto -fplugin="$PPGCC" factorial.o recorder.o -o with > log 2>&1 && ./with > said 2>> log && [[ $(grep -c . said) == 12 ]]
	result $? "... and with the plugin it has all events, $kind" log
done

echo 'int f (int x) {' > narrow.c
echo '#pragma pp point p value(x + 1)' >> narrow.c
echo 'return x; }' >> narrow.c
$CC -m32 -fplugin="$PPGCC" -S narrow.c -o narrow.s > log 2>&1
grep -q 'narrow.c:2:[0-9]*: error: ppgcc measures 64-bit programs only' log
result $? "-m32 is refused at the pragma" log
narrow ()
{
	local title=$1
	shift
	! $CC -m32 -fplugin="$PPGCC" "$@" -xc -S - -o narrow.s > log 2>&1 && [[ $(grep -c 'error: ppgcc measures 64-bit programs only' log) == 1 ]]
	result $? "-m32 is refused, once, $title" log
}
narrow "at pragmas" <<< "$(cat narrow.c narrow.c | sed '1s/f/g/')"
narrow "where an attribute asks for an interval" <<< '__attribute__ ((pp_interval ("a"))) int f (int x) { return x; }'
narrow "where pp_begin does" <<< $'# 1 "pp_site.h"\nvoid pp_begin (const char *), pp_end (const char *);\n# 1 "own.c"\nvoid g (void) { pp_begin ("x"); pp_end ("x"); }'
narrow "by -calls" -fplugin-arg-ppgcc-calls <<< 'int f (int x) { return x; } int g (int x) { return x; }'
printf 'version: 1\nmin_size: 0\nfunctions: [{function: f}]\n' > narrow.yaml
narrow "by rules" -fplugin-arg-ppgcc-instrument=narrow.yaml <<< 'int f (int x) { return x; }'
$CC -m32 -fplugin="$PPGCC" -xc -S - -o narrow.s <<< 'int f (int x) { return x; }' > log 2>&1 && [[ ! -s log ]]
result $? "-m32 is none of the plugin's business where nothing is to be measured" log
echo "1..$number"
