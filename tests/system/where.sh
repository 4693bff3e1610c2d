#!/bin/bash
# SPDX-License-Identifier: MIT
# where.sh: the report tells where the time of those executions went that violated an assertion, by the samples that fell into them.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

# shellcheck disable=SC2086
"$CC" -O1 -g -fno-optimize-sibling-calls -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/where/serves.c" -o serves \
	-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99

# policy PROFILE LIMIT ACTIONS: heavy.yaml
policy () {
	cat >heavy.yaml <<-END
		version: 1
		record: {file: serves.pprec, overwrite: true}
		$1
		assertions:
		  light: {at: serve/request, expect: heavy.last <= $2, quiet: true, on_fire: [$3]}
	END
}
# run [VARIABLE=VALUE]... REQUESTS: leaves serves.pprec; its first screen is in screen, all of it in whole
run () {
	env PP_POLICY=heavy.yaml "${@:1:$#-1}" ./serves "${!#}" >/dev/null 2>err
	COLUMNS=200 "$PPCTL" report serves.pprec >screen 2>&1
	"$PPCTL" report --all serves.pprec >whole 2>&1
}
# rows KIND: "NAME SHARE ELSEWHERE" of those that are violated
rows () {
	awk -v kind="$1" '/where it was then, by / { of = $6; sub (/:$/, "", of) }
		/^      +[0-9]+ % \(/ && of == kind { sub (/^ +/, ""); split ($0, part, / +/)
			print $NF, $1, $(NF - 2) }' whole
}
# mostly NAME KIND: did most samples of violating executions see NAME last, and few of the others?
mostly () {
	rows "$2" | head -n 1 | awk -v name="$1" '{ ok = $1 ~ name && $2 > 50 && $3 < 30 } END { exit !ok }'
}
show () {
	sed 's/^/# /' whole err | head -n 60
}

policy 'profile: {rate: 2000}' 5 ''
run 1000
tap_ok "slow executions are where they are slow, and the others are not" mostly sort/sort interval || show
tap_has "how many samples and executions that rests on is said" "$(cat whole)" \
	'where it was then, by interval: [0-9]+ samples in [0-9]+ executions that violated it'
tap_has "the first screen has it in a line" "$(cat screen)" '  interval then: [0-9]+ % \+-[0-9]+ sort/sort.* \([0-9]+ samples\)'
tap_is "executions that hold are none of them" "$(awk '/executions that violated it/ { print ($(NF - 4) <= 200 && $(NF - 4) >= 5) }' whole)" 1
if "$PPCTL" report --json serves.pprec >json 2>&1; then
	tap_has "so does the JSON" "$(tr -d ' \n' <json)" \
		'"where":\[\{"by":"interval","name":"sort/sort","share":0\.[0-9]+,"share_low":0\.[0-9]+,"share_high":[01](\.[0-9]+)?,"share_elsewhere":[0-9]'
else
	tap_skip "so does the JSON" "built without jansson"
fi

policy 'profile: {rate: 2000}' 100 ''
run 300
tap_is "where nothing is violated nothing is said" "$(grep -c 'then' screen) $(grep -c 'where it was' whole)" "0 0"

policy '' 5 ''
run 300
tap_is "nor where nobody samples" "$(grep -c ' then' screen) $(grep -c 'where it was' whole)" "0 0"

policy 'profile: {rate: 2000}' 5 ''
run 5
tap_is "nor where there are few samples" "$(grep -c ' then' screen) $(grep -c 'where it was' whole)" "0 0"

policy '' 5 '{profile: {for: 1h, rate: 2000}}'
run 1000
tap_ok "an assertion has a profile taken of the slow moment" mostly sort/sort interval || show

if [ "$PP_ARCH" = x86_64 ] && [ "$SANITIZER" != thread ]; then
	policy '' 5 ''
	run PP_SAMPLE=2000 1000
	tap_ok "functions are told likewise" mostly burn_sorting function || show
	tap_has "... on the first screen, too" "$(cat screen)" '  function then: [0-9]+ % \+-[0-9]+ burn_sorting'
	policy 'profile: {rate: 2000}' 5 ''
	run PP_SAMPLE=2000,wall 1000
	tap_ok "both may be told: by interval" mostly sort/sort interval || show
	second=$(python3 "$srcdir/tests/system/pprec_second.py" serves.pprec 2>&1)
	tap_is "a reader that was written from the document finds the same samples" \
		"$(python3 -c 'import json, sys; print(json.load(sys.stdin)["looks"])' <<<"$second" 2>&1)" \
		"$("$PPCTL" profile --by interval serves.pprec | sed -n 's/^ *samples: \([0-9]*\),.*/\1/p')"
	tap_ok "... and by function" mostly burn_sorting function || show
else
	tap_skip "functions are told likewise" "threads are not interrupted here"
fi

tap_done
