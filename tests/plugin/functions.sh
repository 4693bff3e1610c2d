#!/bin/bash
# SPDX-License-Identifier: MIT
# Whole functions, loops and calls: each source of functions/ is compiled at several levels and with both kinds of markers. What
# recorder.c sees must be what the source expects:
#
#   flags: FLAGS          of the compiler            expect: B i E i      events, over as many lines as it takes
#   plugin: ARGUMENTS     of the plugin; NAME.yaml beside the source holds the rules (instrument)
#   report: TEXT          ends a line of the report; the "/" in an event says that functions' names are wanted
set -u
export LC_ALL=C
here=$srcdir/tests/plugin
work=$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-functions.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
levels=("-O0" "-Og" "-O1" "-O2" "-O3 -g" "-Os" "-O2 -flto")
kinds=(patch guard)
# with compilers but CC (PP_FURTHER) each level has one kind, other ones for each source; FULL=1: both
if [[ -z ${PP_FURTHER:-} || ${FULL:-} == 1 ]]; then each=1; else each=${#kinds[@]}; fi
number=0 turn=0

# result STATUS TITLE [FILE with the reason]
result ()
{
	number=$((number + 1))
	if [[ $1 == 0 ]]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		[[ $# == 3 && -f $3 ]] && head -15 "$3" | sed 's/^/# /'
	fi
}

# says WORD SOURCE: what stands behind "WORD:" in its comments
says ()
{
	sed -n "s|^.*[*/! ]*\\b$1: \\(.*[^ */]\\)[ */]*\$|\\1|p" "$2"
}

$CC -O2 -fexceptions -I"$srcdir/include" -c "$here/recorder.c" -o recorder.o || exit 1

# compile SOURCE LEVEL KIND: makes ./program
compile ()
{
	local source=$1 level=$2 kind=$3 compiler=$CC arguments=() word
	[[ $source == *.cc ]] && compiler=$CXX
	[[ $source == *.f90 ]] && compiler=$GFORTRAN
	for word in $(says plugin "$source"); do arguments+=("-fplugin-arg-ppgcc-$word"); done
	[[ -f ${source%.*}.yaml ]] && arguments+=("-fplugin-arg-ppgcc-instrument=${source%.*}.yaml")
	rm -f program report
	# shellcheck disable=SC2086
	$compiler $level $(says flags "$source") -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker="$kind" "${arguments[@]}" \
		-fplugin-arg-ppgcc-report=report -I"$srcdir/include" "$source" recorder.o -o program > log 2>&1
}

events ()
{
	local source=$1 level kind k name=${1##*/}
	says expect "$source" | tr ' ' '\n' | paste -d ' ' - - > expected
	for level in "${levels[@]}"; do
		turn=$((turn + 1))
		for ((k = turn % each; k < ${#kinds[@]}; k += each)); do
			kind=${kinds[k]}
			: > seen
			if compile "$source" "$level" "$kind"; then
				env $(grep -q / expected && echo PPREC_FUNCTIONS=1) ./program > seen 2>> log
				echo "exit status $?" > status
				grep -qx 'exit status 0' status || cat status >> seen
			fi
			diff expected seen >> log
			result $? "$name has its events with $kind markers at $level" log
		done
	done
	says report "$source" > wanted
	[[ ! -s wanted ]] && return
	sed 's|^[^ ]*: \(.*\)|\1|; s|[^ ]*/\([^/ ]*\.yaml:\)|\1|' report | sort > told
	sort wanted | comm -23 - told > missing
	[[ -s told && ! -s missing ]]
	local status=$?
	sed 's/^/told: /' told >> missing
	result $status "$name: the report says what was done, and why not" missing
}

sources=("$here"/functions/*.c "$here"/functions/*.cc)
if [[ -n ${GFORTRAN:-} ]]; then
	sources+=("$here"/functions/*.f90)
fi
for source in "${sources[@]}"; do
	[[ -f $source ]] && events "$source"
done

# ---- mistakes in rules

mistakes ()
{
	local bad=$here/functions/bad.yaml line
	echo 'int f (int x) { return x; }' > one.c
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-instrument="$bad" -fno-diagnostics-show-caret -c one.c > log 2>&1
	[[ $? != 0 && ! -e one.o ]]
	result $? "mistakes in rules fail the compilation" log
	sed -n 's|^.*/bad.yaml:||p' log > said
	sed -n 's|^# expect: ||p' "$bad" > wanted
	while IFS= read -r line; do
		grep -qxF -- "$line" said
		result $? "rules: $line"
	done < wanted
	diff wanted said > log
	result $? "... all at once, in the order of the file, and nothing else" log
	printf 'version: 1\nfunctions:\n  - {function: f, as: antimark}\n  - {feature: a.b}\n  - {as: feature, feature: a.b, site: c}\n' > marks.yaml
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-instrument=marks.yaml -fno-diagnostics-show-caret -c one.c > log 2>&1
	cat > wanted <<- 'END'
		marks.yaml:3:5: error: 'as: antimark' needs 'feature', whose it is
		marks.yaml:4:5: error: 'feature' needs 'as: feature' or 'as: antimark' here
		marks.yaml:5:5: error: a mark has no 'site' and no 'metrics'
	END
	grep 'error' log | diff wanted - > said
	result $? "a mark is of a feature, and nothing else is" said
	cat > features.yaml <<- 'END'
		version: 1
		calls:
		  - {indirect: true}
		  - {virtual: true, callee: f, feature: a.b}
		features:
		  nodot: {functions: f}
		  a.state: {default: off}
		  a.payload: {payload: x, functions: f}
		  a.key: {function: f}
		  a.list: f
		  a.where: {where: [[f]]}
	END
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-features=features.yaml -fno-diagnostics-show-caret -c one.c > log 2>&1
	cat > wanted <<- 'END'
		features.yaml:3:5: error: calls that are not by name need 'feature', which they are
		features.yaml:4:5: error: 'callee' is for calls by name: give 'indirect' and 'virtual' a rule of their own
		features.yaml:6:3: error: a feature is called 'LIBRARY.FEATURE', not 'nodot'
		features.yaml:7:22: error: expected 'on' or 'latent'
		features.yaml:8:24: error: expected 'site', an argument of the call ('$1'), or the text that one points to ('text($1)')
		features.yaml:9:11: error: unknown key 'function'; did you mean 'functions'?
		features.yaml:10:11: error: expected what the feature is: '{functions: [GLOB, ...], ...}'
		features.yaml:11:21: error: expected a text
	END
	grep 'error' log | diff wanted - > said
	result $? "mistakes in features are told at their places" said
	printf 'version: 1\nfeatures: [a.b]\n' > list.yaml
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-features=list.yaml -c one.c 2>&1 | grep -q "^list.yaml:2:11: error: expected a map of features"
	result $? "features are a map"
	printf 'version: 1\nfunctions: [\n' > broken.yaml
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-instrument=broken.yaml -c one.c 2>&1 | grep -q '^broken.yaml:3:1: error: did not find expected node content'
	result $? "what is no YAML is an error at its place"
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-instrument=none.yaml -c one.c 2>&1 | grep -q "error: cannot read 'none.yaml'"
	result $? "rules that cannot be read are an error"
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-calls=all -c one.c 2>&1 | grep -q "error: '-fplugin-arg-ppgcc-calls=all': expected 'point' or 'interval'"
	result $? "an unknown kind of calls is an error"
	printf 'version: 1\nmin_size: 0\nfunctions: [{function: f}]\n' > rules.yaml
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-instrument=rules.yaml -MMD -MF depends -c one.c && grep -q 'rules\.yaml' depends
	result $? "the rules are a dependency of what is compiled"
	$CC -fplugin="$PPGCC" -fplugin-arg-ppgcc-instrument=rules.yaml -fplugin-arg-ppgcc-report=%b.told -c one.c -o named.o &&
		grep -q '^one.c:1:5: f: interval body, rules.yaml:3$' named.told
	result $? "%b in a report's name is the output's"
}

# Files of features are given beside each other and beside rules; a call may be of features of several.
several ()
{
	local kind
	cat > several.c <<- 'END'
		#include <stdio.h>
		#define BOTH(x) (put_int (x), put_real (2.5, x), put_text ("text", &x))
		__attribute__ ((noipa)) static void put_int (int x) { (void) x; }
		__attribute__ ((noipa)) static void put_real (double d, int x) { (void) d; (void) x; }
		__attribute__ ((noipa)) static void put_text (const char *text, int *p) { (void) text; (void) p; }
		struct pair { long a[4]; };
		__attribute__ ((noipa)) static void put_pair (struct pair p) { (void) p; }
		int main (void) { int x = 7; BOTH (x); put_pair ((struct pair) {{1}}); put_text (0, &x); }
	END
	printf 'version: 1\nfeatures: {s.first: {functions: "put_*", payload: $1}}\n' > first.yaml
	printf 'version: 1\nfeatures: {s.text: {functions: put_text, payload: text($1)}, s.rest: {functions: "*", payload: $2}}\n' > second.yaml
	printf 'version: 1\nfunctions: [{function: put_int, min_size: 0}]\n' > rules.yaml
	cat > wanted <<- 'END'
		B s.first 7
		B s.rest
		B body
		E body
		E s.rest
		E s.first
		B s.first 2.5
		B s.rest 7
		E s.rest
		E s.first
		B s.first pointer
		B s.text text
		E s.text
		E s.first
		B s.first
		B s.rest
		E s.rest
		E s.first
		B s.first null
		B s.text (null)
		E s.text
		E s.first
	END
	for kind in "${kinds[@]}"; do
		$CC -O2 -w -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker="$kind" -fplugin-arg-ppgcc-features=first.yaml -fplugin-arg-ppgcc-instrument=rules.yaml \
			-fplugin-arg-ppgcc-features=second.yaml -MMD -MF depends -I"$srcdir/include" -c several.c -o several.o > log 2>&1 &&
			$CC several.o recorder.o -o program >> log 2>&1 && ./program > seen 2>> log
		diff wanted seen >> log
		result $? "calls are of features of several files, with arguments as payloads, beside rules ($kind)" log
	done
	[[ $(grep -o -e first.yaml -e second.yaml -e rules.yaml depends | sort -u | wc -l) == 3 ]]
	result $? "all of the files are dependencies of what is compiled"
}

several
mistakes
[[ -n ${GFORTRAN:-} ]] || { number=$((number + 1)); echo "ok $number - Fortran's functions # SKIP no gfortran"; }
echo "1..$number"
