#!/bin/bash
# SPDX-License-Identifier: MIT
# Every source of events/ is compiled without the plugin, where "cleanup" attributes and printf say what the events are, and with
# it at several levels and with both kinds of markers: what recorder.c saw must be the same. With compilers but CC (PP_FURTHER) each level has one kind, other
# ones for each source; FULL=1: both.
set -u
export LC_ALL=C
here=$srcdir/tests/plugin
work=$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-events.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

levels=("-O0" "-O1 -Wall" "-O2" "-O3 -g" "-Os" "-O2 -flto -g" "-O3 -flto -fno-semantic-interposition")
# an emulator is slow
[[ -n ${RUN:-} && ${FULL:-} != 1 ]] && levels=("-O0" "-O2" "-O3 -g" "-O2 -flto -g")
# shellcheck disable=SC2206 # a list
kinds=(${KINDS:-patch guard})
if [[ -z ${PP_FURTHER:-} || ${FULL:-} == 1 ]]; then each=1; else each=${#kinds[@]}; fi
count=0 turn=0

# run SOURCE LEVEL KIND: prints one TAP line
run ()
{
	local source=$1 level=$2 kind=$3 number=$4
	local name compiler flags out
	name=$(basename "$source")
	out=$work/$number
	compiler=$CC
	[[ $name == *.cc ]] && compiler=$CXX
	flags=$(sed -n 's|^/\* flags: \(.*\) \*/$|\1|p' "$source")
	local title="$name has the same events with $kind markers at $level as without the plugin"
	# shellcheck disable=SC2086
	if ! $compiler $level $flags -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker="$kind" -I"$srcdir/include" "$source" "$work/recorder.o" \
		-o "$out" > "$out.log" 2>&1; then
		echo "not ok $number - $title"
		sed 's/^/# /' "$out.log" | head -20
		return
	fi
	if ${RUN:-} "$out" > "$out.events" 2> "$out.log" && cmp -s "$work/$name.expected" "$out.events"; then
		echo "ok $number - $title"
	else
		echo "not ok $number - $title"
		cat "$out.log" <(diff "$work/$name.expected" "$out.events") | head -20 | sed 's/^/# /'
	fi
}

$CC -O2 -fexceptions -I"$srcdir/include" -c "$here/recorder.c" -o "$work/recorder.o" || exit 1
sources=("$here"/events/*.c "$here"/events/*.cc)
for source in "${sources[@]}"; do
	compiler=$CC
	[[ $source == *.cc ]] && compiler=$CXX
	name=$(basename "$source")
	flags=$(sed -n 's|^/\* flags: \(.*\) \*/$|\1|p' "$source")
	# shellcheck disable=SC2086
	$compiler -O0 -w $flags -I"$srcdir/include" "$source" -o "$work/plain" && ${RUN:-} "$work/plain" > "$work/$name.expected"
	[[ -s $work/$name.expected ]] || { echo "Bail out! $name says nothing without the plugin"; exit 1; }
done

echo "1..$((${#sources[@]} * ${#levels[@]} * ${#kinds[@]} / each))"
# two at a time, printed in order
pending=()
flush ()
{
	local one
	wait
	for one in "${pending[@]}"; do cat "$one"; done
	pending=()
}
for source in "${sources[@]}"; do
	for level in "${levels[@]}"; do
		turn=$((turn + 1))
		for ((k = turn % each; k < ${#kinds[@]}; k += each)); do
			kind=${kinds[k]}
			count=$((count + 1))
			run "$source" "$level" "$kind" $count > "$work/$count.tap" &
			pending+=("$work/$count.tap")
			((${#pending[@]} == 2)) && flush
		done
	done
done
flush
