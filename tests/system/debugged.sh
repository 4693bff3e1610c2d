#!/bin/bash
# SPDX-License-Identifier: MIT
# debugged.sh: debuggers and profilers know the code that is made for markers: gdb names and unwinds it, and PP_PERF_MAP=1 makes a map for perf.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

if [ "$PP_ARCH" != x86_64 ] || [[ ${SANITIZER-} = *thread* ]]; then
	tap_skip "code that is made for markers has names" "markers have no code of their own here"
	tap_done
	exit
fi
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/debugged/works.c" -o works \
	-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99

# ---- perf's map

maps=()
trap 'rm -f "${maps[@]}"; rm -rf "$tap_dir"' EXIT
# run [VARIABLE=VALUE]... WHAT: $out, $err, $pid and $child of it; their maps go with the test
run () {
	out=$(env "${@:1:$#-1}" ./works "${!#}" 2>err)
	err=$(cat err)
	pid=$(sed -n 's/^pid //p' <<<"$out")
	child=$(sed -n 's/^child //p' <<<"$out")
	maps+=("/tmp/perf-$pid.map" "/tmp/perf-$pid.map.another" "/tmp/perf-$child.map")
}
run PP_PERF_MAP=1 forks
map=/tmp/perf-$pid.map
tap_has "PP_PERF_MAP=1 makes a map" "$(cat "$map" 2>&1)" '^[0-9a-f]+ [0-9a-f]+ pp_block:work/i1$'
tap_is "... that others can't read" "$(stat -c %a "$map" 2>&1)" 600
tap_has "where a block is, the map has it" "$(
	at=$(sed -n 's/^block //p' <<<"$out")
	while read -r begin bytes name; do
		[ $((0x$at >= 0x$begin && 0x$at < 0x$begin + 0x$bytes)) = 0 ] || echo "$name"
	done <"$map"
)" '^pp_block:work/i1$'
tap_is "a child has a map of its own, with the blocks that it has got" \
	"$(grep -c . "/tmp/perf-$child.map" 2>&1) $(grep -cxFf "$map" "/tmp/perf-$child.map")" "$(grep -c . "$map") $(grep -c . "$map")"
run none
tap_is "without it there is none" "$(ls "/tmp/perf-$pid.map" 2>/dev/null)" ""
run PP_PERF_MAP=2 none
tap_has "another value is told of" "$err" 'PP_PERF_MAP=2: expected 1'
run PP_PERF_MAP=1 link
tap_is "no link is followed" "$(cat target)" "untouched"
tap_has "... and that is said" "$err" '/tmp/perf-[0-9]+\.map: it is a link: perf gets no names'
run PP_PERF_MAP=1 names
tap_has "nor is a file with another name written to" "$err" "it is not a file of this user's"
run PP_PERF_MAP=1 old
tap_is "what an earlier process has left is emptied" "$(grep -c earlier "/tmp/perf-$pid.map") $(grep -c pp_block "/tmp/perf-$pid.map")" "0 2"
run PP_PERF_MAP=1 young
tap_is "what this one has written itself stays" "$(grep -c earlier "/tmp/perf-$pid.map") $(grep -c pp_block "/tmp/perf-$pid.map")" "1 2"

# ---- gdb

if ! command -v gdb >/dev/null || [ -n "$SANITIZER" ]; then
	tap_skip "gdb names a block" "there is no gdb, or the program is sanitized"
	tap_done
	exit
fi
# steps N VARIABLE=VALUE...: goes through a marker that is bound, instruction by instruction
cat >steps.gdb <<'END'
set pagination off
set confirm off
set debuginfod enabled off
break ready
run
finish
break work
continue
set $n = 0
while $n < $steps
	stepi
	printf "at "
	info symbol $pc
	bt 30
	set $n = $n + 1
end
kill
END
steps () {
	local set=(-ex "set \$steps = $1") variable
	shift
	for variable; do set+=(-ex "set environment $variable"); done
	gdb -nx -batch "${set[@]}" -x steps.gdb --args ./works none >steps 2>&1
	# one line for each step: the symbol, then the frames' functions
	awk '/^at /{ if (line) print line; line = $0; next } /^No symbol/{ if (line) print line; line = "at ?" }
		/^#[0-9]+ /{ sub (/^#[0-9]+ +(0x[0-9a-f]+ in )?/, ""); sub (/ \(.*/, ""); line = line " > " $0 }
		END { print line }' steps >walked
}
steps 120 PP_BLOCKS=1 PP_CLOCK=tsc
if ! grep -q 'main' steps; then
	tap_skip "gdb names a block" "gdb can't run a program here: $(tail -n 1 steps)"
	tap_done
	exit
fi
tap_has "gdb names a block" "$(cat walked)" '^at pp_block:work/i1'
tap_is "... and gets from each of its instructions to main" "$(grep '^at pp_block' walked | grep -vc ' > pp_block:work/i1 > work > main$')" 0
steps 120 PP_BLOCKS=0 PP_CLOCK=tsc
tap_is "without blocks there are none" "$(grep -c pp_block walked)" 0
tap_has "it stands in the marker's stub then, and in what that calls" "$(cat walked)" '> elapsed_begin_stub > <signal handler called> > work > main$'
tap_is "... and gets from each of their instructions to main" "$(grep -vc '> main$' walked)" 0
# the kernel's clock, at the begin and the end; its own frames may have no names
steps 300 PP_BLOCKS=1 PP_CLOCK=monotonic
tap_has "a block reads the kernel's clock" "$(cat walked)" '^at pp_arch_clock( \+ [0-9]+)? in .* > work > main$'
tap_is "... and gdb gets from each instruction of that to main" "$(grep '^at pp_arch_clock' walked | grep -vc ' > work > main$')" 0
tap_is "... and of the whole marker" "$(grep -vc '> main$' walked)" 0
tap_done
