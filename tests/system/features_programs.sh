#!/bin/bash
# SPDX-License-Identifier: MIT
# features_programs.sh: of the programs in samples/features a profile of features names the culprit first, by sampling and measured, and what
# the repaired program writes is the same.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8
samples=$builddir/samples/features

# watch HOW PROGRAM ARGUMENT...: the table of what its features cost, in $text, and "NAME PERCENT" of each feature by falling cost, in $features
watch () {
	how=$1
	shift
	rm -f features.pprec
	printf 'version: 1\nprofile: {features: %s}\nrecord: {file: features.pprec}\n' "$how" >"$how.yaml"
	PP_POLICY=$how.yaml "$@" >out 2>err || tap_show "$*" "$(cat err)"
	text=$("$PPCTL" features --top 0 features.pprec 2>&1)
	features=$(echo "$text" | awk '/^[^ ]*\.[^ ]*$/ { name = $1 } /^accounts for/ { print name, $3 + 0 }')
}
first () { # [NAME TO LEAVE OUT]
	echo "$features" | grep -v "^${1:-nothing} " | sed -n '1s/ .*//p'
}
# share NAME: percent, 0 where it was never seen
share () {
	echo "$features" | awk -v name="$1" '$1 == name { share = $2 } END { print share + 0 }'
}
# instances FEATURE: "MS NAME" of each, by falling cost
instances () {
	echo "$text" | awk -v feature="$1" '/^[^ ]*\.[^ ]*$/ { name = $1 } name == feature && / ms : / { ms = $1; sub (/^ *[0-9]* ms : /, ""); sub (/  \(.*/, ""); print ms, $0 }'
}
# marks FEATURE: how many there were
marks () {
	echo "$text" | awk -v feature="$1" '/^[^ ]*\.[^ ]*$/ { name = $1 } name == feature && sub (/ marks; .*/, "") { sub (/.*\(/, ""); n = $0 } END { print n + 0 }'
}
# larger A B
larger () {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'
}
same () { # PROGRAM ARGUMENT...
	program=$1
	shift
	"$samples/$program" "$@" >original 2>&1 && "${samples}/${program}_repaired" "$@" >repaired 2>&1 && cmp original repaired
}

for how in sampled exact; do
	# of instrumented code nothing is what it is elsewhere
	[ "$SANITIZER" != thread ] || { tap_skip "what costs most is named: $how" "what marks hold is instrumented"; continue; }

	watch $how "$samples/maze" 500 501 1
	tap_is "of the maze it is output that costs most: $how" "$(first)" libc.output
	tap_is "... at the three calls that draw a bottom, and the one that draws an inside: $how" \
		"$(instances libc.output | head -n 4 | sed 's/.*:\([0-9]*\)$/\1/' | sort -n | tr '\n' ' ')" \
		"$(grep -nE 'putc \((walls|is_on)' "$srcdir/samples/features/maze.c" | sed 's/:.*//' | tr '\n' ' ')"
	[ $how = exact ] || tap_ok "... and not the cast in the sets, that looks dear: $how" larger "$(share libc.output)" "$((10 * $(share maze.cast | sed 's/\..*//')))"

	watch $how "$samples/synth/synth" 60
	tap_is "of the synthesizer it is contracts that cost most: $how" "$(first)" array.contract
	tap_is "... those between the mixer and the library of arrays: $how" \
		"$(instances array.contract | head -n 3 | sed 's/^[0-9]* //; s/:.*//' | sort -u)" 'mixer -> array'
	tap_ok "... and not output, or sequences: $how" larger 5 "$(share libc.output)"

	watch $how "$samples/messages/server" 4000
	tap_is "of the server it is tasks that all is done in: $how" "$(first)" bus.task
	tap_is "... and in them contracts cost most: $how" "$(first bus.task)" bus.contract
	all=$(instances bus.task | awk '{ all += $1 } END { print all }') spies=$(instances bus.task | awk '/-spy$/ { spies += $1 } END { print spies + 0 }')
	tap_ok "... and spies more than a tenth of all tasks: $how" larger "$spies" "$((all / 10))"
	tap_ok "... and not the matching of topics: $how" larger 10 "$(share bus.matching)"
done

tap_ok "the maze that writes three characters at once draws the same" same maze 60 61 5
tap_has "there is a way through" "$(tail -n 1 original)" '^3660 cells, the way through has [1-9][0-9]*$'
tap_ok "the synthesizer whose mixer is trusted plays the same" same synth/synth 3
tap_is "it is a WAVE file" "$(head -c 4 original) $(wc -c <original)" "RIFF $((44 + 2 * 3 * 44100))"
tap_ok "the server that is believed and not spied on answers the same" same messages/server 50
tap_is "each request has an answer" "$(head -n 1 original) $(wc -l <original)" "2646700 50"
tap_is "a log has the spies back" "$("$samples/messages/server_repaired" 2 log 2>&1 | grep -c -- '-spy: message')" 12

if [ "$SANITIZER" != thread ]; then
	for program in maze synth/synth messages/server; do
		case $program in maze) arguments='500 501 1' culprit=libc.output ;; synth/synth) arguments=60 culprit=array.contract ;; *) arguments=4000 culprit=bus.contract ;; esac
		# how long each takes is what bench measures
		# shellcheck disable=SC2086
		watch exact "$samples/$program" $arguments
		before=$(marks $culprit)
		# shellcheck disable=SC2086
		watch exact "${samples}/${program}_repaired" $arguments
		tap_ok "repaired, $program does less of $culprit" larger "${before:-0}" "$(marks $culprit)"
	done
fi
tap_done
