#!/bin/bash
# SPDX-License-Identifier: MIT
# own_functions.sh: the program's own functions at markers, for every compiler, at every level of
# optimisation, with both kinds of marker: what they see and what is seen of them; what the site
# table, the message at load and ppctl check say where that isn't promised.
. "$srcdir/tests/tools/tap.sh"
tap_dir
here=$srcdir/tests/host/own_functions
libraries="-L$LIBPP -Wl,-rpath,$LIBPP -lpp -lm -lpthread"
levels=(-O0 -O1 -O2 "-O3 -fipa-pta" -Os "-O2 -fwhole-program" "-O2 -flto" "-O2 -flto -flto-partition=max")
cxx_levels=(-O1 -O2 "-O2 -flto")
kinds="patch guard"
[ "${SANITIZER:-}" = thread ] && kinds=guard
# what the compiler does at each level is shown without one
[ -z "${SANITIZER:-}" ] || levels=(-O0 -O2) cxx_levels=(-O2)

# build COMPILER PLUGIN PROGRAM OPTIONS... SOURCE...: into the log
build ()
{
	local compiler=$1 plugin=$2 program=$3
	shift 3
	rm -f "$tap_dir/$program"
	# shellcheck disable=SC2086 # lists of options
	$compiler -fplugin="$plugin" "$@" -I"$srcdir/include" ${SANITIZER_FLAGS:-} -o "$tap_dir/$program" $libraries >"$tap_dir/log" 2>&1
}

# holds WHAT PROGRAM: it says nothing and ends well
holds ()
{
	local status=1
	if [ -x "$tap_dir/$2" ]; then
		"$tap_dir/$2" >"$tap_dir/log" 2>&1
		status=$?
	fi
	tap_is "$1" "$status $(head -5 "$tap_dir/log")" "0 "
}

# each_level NAME C CXX PLUGIN
each_level ()
{
	for level in "${levels[@]}"; do
		for kind in $kinds; do
			local with="$1, $level, $kind" marker=-fplugin-arg-ppgcc-marker=$kind second=$here/seen_other.c
			# a program that is one unit has no other one
			case $level in
			-O2\ -fwhole-program)
				printf '#include "%s"\n#include "%s"\n' "$here/seen.c" "$here/seen_other.c" >"$tap_dir/whole.c"
				# shellcheck disable=SC2086
				build "$2" "$4" seen $level "$marker" "$tap_dir/whole.c"
				;;
			*)
				# shellcheck disable=SC2086
				build "$2" "$4" seen $level "$marker" "$here/seen.c" "$second"
				;;
			esac
			holds "metrics' functions see what the program wrote, and are seen: $with" seen
		done
	done
	for level in "${cxx_levels[@]}"; do
		for kind in $kinds; do
			# shellcheck disable=SC2086
			build "$3" "$4" seen_cxx $level "-fplugin-arg-ppgcc-marker=$kind" "$here/seen.cc"
			holds "in C++ too: $1, $level, $kind" seen_cxx
		done
	done
}

fortran_rule ()
{
	printf 'version: 1\nfunctions:\n  - {function: inner, min_size: 0, inlinable: true, metrics: [by_rule]}\n' >"$tap_dir/rules.yaml"
	for level in -O2 "-O2 -fno-inline" "-O2 -fno-inline -flto"; do
		# shellcheck disable=SC2086
		$1 $level -c -fplugin="$4" -I"$srcdir/include" "$here/rules_metric.c" -o "$tap_dir/rules_metric.o" >"$tap_dir/log" 2>&1
		# shellcheck disable=SC2086
		build "$2" "$4" rules $level -fplugin-arg-ppgcc-instrument="$tap_dir/rules.yaml" "$here/rules.f90" "$tap_dir/rules_metric.o"
		holds "a rule's metric in Fortran is seen: $3, $level" rules
	done
}

IFS=';' read -ra compilers <<<"$PP_GCCS"
# the library was built with the sanitizer of the first
[ -z "${SANITIZER:-}" ] || compilers=("${compilers[0]}")
for line in "${compilers[@]}"; do
	read -r name cc cxx fortran plugin <<<"$line"
	each_level "$name" "$cc" "$cxx" "$plugin"
	[ "$fortran" = - ] || [ -n "${SANITIZER:-}" ] || fortran_rule "$cc" "$fortran" "$name" "$plugin"
done

# ---- where it isn't promised

build "$CC" "$PPGCC" unseen -O2 "$here/unseen.c"
sites=$("$PPCTL" sites "$tap_dir/unseen")
tap_is "the site table says which markers are barriers" "$(grep -B1 barrier <<<"$sites" | sed -n 's,.*/\([a-z_]*\)$,\1,p' | sort | paste -sd' ')" "bound fenced"
cat >"$tap_dir/unseen.yaml" <<'YAML'
version: 1
metrics:
  asked: {point: depth_now, keep: stats}
  count: {point: count, keep: count}
bind:
  - {metric: queue, sites: ["*/free_*"]}
  - {metric: asked, sites: ["fenced/fenced", "bound/bound"]}
  - {metric: constant_queue, sites: ["free_one/free_one"]}
  - {metric: count, sites: ["free_one/free_one"]}
YAML
cat >"$tap_dir/asked.yaml" <<'YAML'
version: 1
metrics: {asked: {point: depth_now, keep: stats}}
bind: [{metric: asked, sites: ["free_one/free_one"]}]
YAML
PP_POLICY=$tap_dir/unseen.yaml "$tap_dir/unseen" >"$tap_dir/log" 2>&1
tap_is "a function that is bound where markers are no barriers is bound" $? 0
tap_is "and that is said once of the metric" "$(grep -c 'metric "queue" calls functions of the program at .*free_.*no barriers for memory' "$tap_dir/log")" 1
tap_is "and of no other" "$(grep -c 'no barriers' "$tap_dir/log")" 1
PP_POLICY=$tap_dir/asked.yaml "$tap_dir/unseen" >"$tap_dir/log" 2>&1
tap_has "of a source of the program's too" "$(cat "$tap_dir/log")" 'metric "asked" calls functions of the program'
"$PPCTL" check --binary "$tap_dir/unseen" "$tap_dir/unseen.yaml" >"$tap_dir/log" 2>&1
tap_is "ppctl check finds no error in it" $? 0
tap_has "and warns of the entry" "$(cat "$tap_dir/log")" "6:.*warning.*metric 'queue' calls functions of the program at .*no barriers for memory"
tap_is "and of no other" "$(grep -c 'no barriers' "$tap_dir/log")" 1
"$PPCTL" check --binary "$tap_dir/unseen" "$tap_dir/asked.yaml" >"$tap_dir/log" 2>&1
tap_has "of a source of the program's too" "$(cat "$tap_dir/log")" "metric 'asked' calls functions of the program"
tap_done
