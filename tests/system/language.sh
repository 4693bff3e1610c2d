#!/bin/bash
# SPDX-License-Identifier: MIT
# language.sh: language.c and language_classes.cc hold however they are built; what ppctl says of such a program; metrics that clash.
# shellcheck disable=SC2317 # functions that tap_ok calls
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
tests=$srcdir/tests/system
common="-D_GNU_SOURCE -I$srcdir/include $SANITIZER_FLAGS $PPGCC_FLAGS"
dynamic="-L$LIBPP -Wl,-rpath,$LIBPP -lpp -lm -lpthread"
# where sanitizers make all markers guards, the other kind can't be insisted on
kinds="patch guard"
[ -z "${SANITIZER_FLAGS// /}" ] || kinds=guard

# whether language.c, built with FLAG..., passes; what does not hold
holds () { # FLAG...
	rm -f program
	# shellcheck disable=SC2086
	"$CC" $common "$@" "$tests/language.c" "$tests"/language_files/*.c -o program $dynamic 2>&1 && passes ./program
}

passes () { # PROGRAM
	"$@" >out 2>err || { grep -A 2 '^not ok' out; tail -n 3 err; return 1; }
}

# ---- how it may be built
for kind in $kinds; do
	marker=-fplugin-arg-ppgcc-marker=$kind
	for flags in -O0 -O1 -O3 -Os "-O2 -flto" "-O2 -fcf-protection=full" "-O2 -fPIE -pie" "-O2 -fno-pie -no-pie" \
		"-O2 -g3 -std=gnu2x" "-O2 -save-temps" "-O2 -pipe" "-O2 -ffunction-sections -Wl,--gc-sections"; do
		if [ "${PP_ARCH:-}" != x86_64 ] && [[ $flags = *fcf-protection* ]]; then
			tap_skip "language.c holds with $flags and $kind" "only x86 has it"
			continue
		fi
		# shellcheck disable=SC2086
		tap_ok "language.c holds with $flags and $kind" holds $flags $marker
	done
	for flags in -O0 -O2 "-O2 -flto" "-O3 -std=gnu++20"; do
		# shellcheck disable=SC2086
		classes () {
			"$CXX" $common $marker $flags "$tests/language_classes.cc" -o program $dynamic 2>&1 && passes ./program
		}
		tap_ok "language_classes.cc holds with $flags and $kind" classes
	done

	# shellcheck disable=SC2086
	if [ -n "${SANITIZER_FLAGS// /}" ]; then
		tap_skip "language.c holds linked statically with $kind" "sanitizers are not linked statically"
	elif "$CC" $common -O2 $marker -static "$tests/language.c" "$tests"/language_files/*.c -o static "$LIBPP/libpp.a" \
		$YAML_LIBS -lm -lpthread >log 2>&1; then
		tap_ok "language.c holds linked statically with $kind" passes ./static
	else
		tap_skip "language.c holds linked statically with $kind" "$(tail -n 1 log)"
	fi

	# the header that declares metrics, precompiled
	mkdir -p pch/language_files
	cp "$tests/language_files/shared.h" pch/language_files/
	printf '#include "language_files/shared.h"\n#include "%s/language.c"\n' "$tests" >pch/first.c
	printf '#include "language_files/shared.h"\n#include "%s/language_files/more.c"\n' "$tests" >pch/more.c
	# shellcheck disable=SC2086
	precompiled () {
		"$CC" $common $marker -O2 -x c-header pch/language_files/shared.h -o pch/language_files/shared.h.gch &&
			"$CC" $common $marker -O2 -Ipch -Winvalid-pch -Werror=invalid-pch -H -c pch/first.c -o first.o 2>used &&
			"$CC" $common $marker -O2 -Ipch -Winvalid-pch -Werror=invalid-pch -H -c pch/more.c -o more.o 2>>used &&
			grep -q '^! .*shared.h.gch' used && "$CC" $common -O2 first.o more.o "$tests/language_files/calls.c" -o program $dynamic && passes ./program
	}
	tap_ok "language.c holds with its metrics in a precompiled header and $kind" precompiled

	# a shared object that the program loads
	cat >loads.c <<'C'
#include <dlfcn.h>
#include <pp.h>
int main (int argc, char **argv)
{
	void *first, *again;
	int (*run) (void);
	pp_site *site;
	(void) argc;
	if (pp_site_find ("turns/turn", &site) != PP_ENOENT)
		return 1;
	first = dlopen (argv[1], RTLD_NOW);
	if (!first || pp_site_find ("turns/turn", &site) != PP_OK)
		return fprintf (stderr, "%s\n", dlerror ()), 2;
	run = (int (*) (void)) dlsym (first, "run");
	if (run ())
		return 3;
	dlclose (first);
	again = dlopen (argv[1], RTLD_NOW);
	return again && pp_site_find ("turns/turn", &site) == PP_OK ? 0 : 4;
}
C
	# shellcheck disable=SC2086
	loaded () {
		"$CC" $common $marker -O2 -fPIC -shared -Dmain=run "$tests/language.c" "$tests"/language_files/*.c -o plugged.so $dynamic &&
			"$CC" $SANITIZER_FLAGS -I"$srcdir/include" loads.c -o loads $dynamic -ldl && passes ./loads ./plugged.so
	}
	tap_ok "language.c holds in a shared object that is loaded, with $kind" loaded
done

# shellcheck disable=SC2086
tap_is "-fsyntax-only says nothing and makes nothing" \
	"$(mkdir only && cd only && "$CC" $common -fsyntax-only -Wall -Wextra "$tests/language.c" 2>&1; ls)" ""
# shellcheck disable=SC2086
tap_ok "what -save-temps preprocessed compiles by itself" eval '"$CC" $common -O2 -E "$tests/language.c" -o kept.i &&
	"$CC" $PPGCC_FLAGS $SANITIZER_FLAGS -O2 -c kept.i -o kept.o && "$CC" $common -O2 kept.o "$tests"/language_files/*.c -o program $dynamic && passes ./program'

# shellcheck disable=SC2086
"$CXX" $common -O2 "$tests/language_classes.cc" -o classes $dynamic && ./classes >out 2>err
tap_has "sites that differ in the type of their values alone are told apart" "$(cat err)" \
	'"shop::twice/twice" is ambiguous: .*twice/twice \(a point, line [0-9]+, value (integer|double)\), .*\(a point, line [0-9]+, value (integer|double)\)'

# ---- what ppctl says of it
holds -O2 || exit 99
out=$("$PPCTL" sites program)
flat=$(tr '\n' ' ' <<<"$out")
tap_has "sites: the calls of a program are sites of their functions" "$out" 'calls\.c:turns/turns$'
tap_has "sites: also points" "$flat" 'calls\.c:turns/an int +point at [^ ]*calls\.c:[0-9]+, .*value integer'
tap_has "sites: no name that is computed is one" "$(grep -c '!any$' <<<"$out")" '^0$'
tap_has "sites: a feature, and what its payload is" "$flat" 'parse/parsing +feature at .*integer'
tap_has "sites: an antimark" "$flat" 'user_code/user +antimark at'
tap_has "sites: dimensions" "$flat" 'solve/solve +interval at [^ ]*, .*dimensions n \(integer\), ratio \(double\), node \(pointer\), name \(string\), groups solvers,slow'

check () { # POLICY: $status, $err
	printf 'version: 1\n%s\n' "$1" >policy.yaml
	status=0
	"$PPCTL" check --binary program policy.yaml >out 2>err || status=$?
	out=$(cat out) err=$(cat err)
}
check 'metrics: {n: {interval: "dim:n", keep: stats}, l: {interval: value, keep: sumcount}}
bind:
  - {metric: n, sites: "solve/*"}
  - {metric: n, sites: ["group:solvers"]}
  - {metric: l, sites: "feature:parsing"}
assertions: {few: {at: solve/solve, expect: n.last <= 4096}}'
tap_is "check: a policy of dimensions and features is right" "$status$err" 0
check 'metrics: {n: {interval: "dim:node_", keep: stats}}
bind: [{metric: n, sites: solve/solve}]'
tap_is "check: a dimension that no site has is a problem" "$status" 1
tap_has "check: it says which was perhaps meant" "$err" "did you mean .dim:node"
check 'metrics: {n: {interval: "dim:name", keep: stats}}
bind: [{metric: n, sites: solve/solve}]'
tap_is "check: statistics of a text are a problem" "$status" 1
tap_has "check: it says what can keep it" "$err" 'only count can keep'
check 'bind: [{metric: added, sites: fenced/fenced}]'
tap_is "check: a metric whose functions take arguments cannot be bound" "$status" 1
tap_has "check: it says why" "$err" 'policy\.yaml:2:.*added.* take arguments'
check 'bind: [{metric: runs, sites: walk/walk}]'
tap_has "check: nothing can be bound to an inline site" "$status $err" '^1 .*inline'
check 'bind: [{metric: runs, sites: "feature:parsng"}]'
tap_has "check: a feature that does not exist is told of" "$status $err" "^1 .*no site of the binary matches 'feature:parsng'"
check 'metrics: {l: {interval: value, keep: sumcount}}
bind: [{metric: l, sites: "feature:plain"}]'
tap_is "check: a feature without payload has no value" "$status" 1

# ---- what is recorded
printf 'version: 1\nmetrics: {deep: {interval: "dim:n", keep: stats}}\nbind: [{metric: deep, sites: solve/solve}]\nrecord: {file: run.pprec}\n' >policy.yaml
PP_POLICY=policy.yaml passes ./program
out=$("$PPCTL" report --all run.pprec)
tap_has "report: dimensions are plain numbers" "$out" 'language\.c:solve/solve +[0-9]+ '
tap_has "report: the metric of the policy" "$out" '^deep\b'
if command -v python3 >/dev/null && "$PPCTL" report --json run.pprec >run.json 2>/dev/null; then
	figures=$(python3 - <<'PY'
import json
d = json.load(open("run.json"))
for m in d["metrics"]:
    if m["name"] in ("shared_values", "deep", "values", "of_policy"):
        print(m["name"], m["all"]["n"], m["all"]["sum"])
PY
	)
	tap_has "report --json: samples of two files are one metric's" "$figures" '^shared_values 3 3(\.0)?$'
	tap_has "report --json: a dimension's" "$figures" '^of_policy 13 75(\.0)?$'
else
	tap_skip "report --json" "python3 is missing, or built without jansson"
fi

# ---- metrics that clash
printf '#include <pp.h>\n#pragma pp metric m interval stats(elapsed)\nint main (void)\n{\n\treturn m == 0;\n}\n' >one.c
printf '\n\n#pragma pp metric m point stats(value)\nint other (int x)\n{\n#pragma pp point p(m) value(x)\n\treturn x;\n}\n' >two.c
# shellcheck disable=SC2086
"$CC" $common -O2 one.c two.c -o clash $dynamic >log 2>&1
./clash >out 2>err
tap_has "metrics that clash: the message names one place" "$(cat log err)" 'two\.c:3'
tap_has "metrics that clash: and the other" "$(cat log err)" 'one\.c:2'
tap_done
