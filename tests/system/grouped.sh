#!/bin/bash
# SPDX-License-Identifier: MIT
# grouped.sh: what is expected of groups of executions is checked of those groups: of one by m{key="value"}, of each by any (m by key), in a server
# with 200 commands of which some are slow. What can't be known of a group is unknown.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
ppctl=$builddir/ppctl/ppctl

# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/grouped/server.c" -o server -L"$LIBPP" -lpp \
	-Wl,-rpath,"$LIBPP" -lpthread || exit 99

# policy NAME AGGREGATE ASSERTION...: each assertion a line "name: {…}"
policy () {
	local name=$1
	printf 'version: 1\nmetrics:\n  latency: {interval: elapsed, keep: stats}\nbind: [{metric: latency, sites: serve/serve}]\n' >"$name.yaml"
	printf 'events: {aggregate: [%s]}\nassertions:\n' "$2" >>"$name.yaml"
	shift 2
	printf '  %s\n' "$@" >>"$name.yaml"
	printf 'record: {file: %s.%%p.pprec, interval: 100ms}\n' "$name" >>"$name.yaml"
}

# run POLICY ARGUMENT...
run () {
	local name=$1
	shift
	rm -f "$name".*.pprec
	PP_POLICY=$name.yaml timeout 120 ./server "$@" >out 2>err
}

# column NAME FILE HEADING: of an assertion in the report
states () {
	"$ppctl" report "$1".*.pprec | awk '$2 ~ /^(info|warning|error|critical)$/ { print $1, $3 }' | sort | tr '\n' ' '
}

by='{by: command, sites: serve/serve, keep: histogram}'

# ---- one group ---------------------------------------------------------------------------------------------------

policy one "$by" "slow: {every: 20ms, expect: 'latency{command=\"cmd17\"}.p90 <= 50 ms'}" \
	"window: {every: 20ms, expect: 'latency{command=\"cmd17\"}.p90[1min] <= 50 ms'}" \
	"quick: {every: 20ms, expect: 'latency{command=\"cmd19\"}.p50 <= 50 ms'}" \
	"count: {every: 20ms, expect: 'latency{command=\"cmd19\"}.n <= 16 and latency{command=none}.n <= 16'}" \
	"nobody: {every: 20ms, expect: 'latency{command=\"nobody\"}.n <= 10'}"
run one 2 2
tap_is "an expectation of one group is violated by that group only; of one that there is not it is unknown" "$(states one)" \
	"count ok nobody unknown quick ok slow firing window firing "
tap_has "what fires says which group by its condition" "$(cat err)" 'warning: assertion slow fired: latency\{command="cmd17"\}\.p90 <= 50 ms: left [0-9.]+ ms, right 50'

policy few '{by: command, sites: serve/serve, max_groups: 100}' "first: {every: 20ms, expect: 'latency{command=\"cmd9\"}.n > 4'}" \
	"rest: {every: 20ms, expect: 'latency{command=\"cmd199\"}.n > 4 or latency{command=\"cmd198\"}.n > 5'}"
run few 2 1
tap_is "a group that fell into the rest is unknown, one that did not is known" "$(states few)" "first ok rest unknown "
tap_is "why is said once of an assertion, by its name, not at each check" "$(grep -c 'assertion rest: a group of latency by command is unknown: there was no room to tell it apart (max_groups' err)" 1
tap_is "and in the report, of that assertion only" "$("$ppctl" report --all few.*.pprec | grep -c 'unknown as a group was not told apart for want of room (max_groups')" 1

policy two '{by: [command, cached], sites: serve/serve}' "part: {every: 20ms, expect: 'latency{cached=1}.n > 100'}" \
	"both: {every: 20ms, expect: 'latency{cached=true, command=\"cmd3\"}.n > 2'}"
run two 2 2
tap_is "groups are those of some of an aggregate's dimensions, in any order" "$(states two)" "both ok part ok "

policy rest '{by: [command, cached], sites: serve/serve, max_groups: 100}' "part: {every: 20ms, expect: 'latency{cached=1}.n > 0'}"
run rest 2 1
tap_is "where some of it may be in the rest it is unknown, not too little" "$(states rest)" "part unknown "

# figure NAME KEY: of assertion NAME of policy "here", in its recording
figure () {
	"$ppctl" report --json here.*.pprec | python3 -c '
import json, sys
print (*[a[sys.argv[2]] for a in json.load (sys.stdin)["assertions"] if a["name"] == sys.argv[1]])' "$1" "$2"
}
policy here "$by" "last: {at: serve/serve, expect: 'latency{command=\"cmd7\"}.last <= 50 ms'}" \
	"own: {at: serve/serve, expect: 'latency{command=\"cmd7\"}.n <= 6'}" \
	"all: {at: serve/serve, expect: 'all (latency{command=\"cmd8\"}).max <= 50 ms'}" \
	"others: {at: serve/serve, expect: 'latency{command=\"cmd8\"}.max <= 50 ms and latency{command=\"cmd9\"}.avg <= latency{command=\"cmd9\"}.max'}" \
	"nobody: {at: serve/serve, expect: 'latency{command=\"nobody\"}.n <= 10'}"
run here 2 2
tap_is "at a site a group is this thread's" "$(states here)" "all ok last firing nobody unchecked others ok own firing "
tap_is "it is checked when one of the group ends: as often as there are" "$(figure last violations) $(figure own violations)" "12 4"
checks=$(figure last checks)
tap_ok "and no more often ($checks)" test "$checks" -le 16

# ---- each group --------------------------------------------------------------------------------------------------

# Those that end in 7 are slow: all of them, each once, and nobody else.
slow=$(for i in $(seq 7 10 199); do echo "cmd$i"; done | sort | tr '\n' ' ')
each="each: {every: 20ms, expect: 'any(latency by command).p90[1min] <= 50 ms', on_fire: [{call: fired}, {call: fired_inline}]}"
# fires WHAT: the groups that a function was called for, each as often as it was
fires () {
	sed -n "s/^called each fires command=\"\\(.*\\)\" $1\$/\\1/p" out | sort | tr '\n' ' '
}
policy each "$by" "$each"
run each 2 2
tap_is "each group has a state: those that are slow fire once each, and functions are told which" "$(fires told)" "$slow"
tap_is "those that are called inline, too" "$(fires inline)" "$slow"
tap_has "the first is said, with its group" "$(cat err)" 'warning: assertion each fired for command="cmd[0-9]*7": any'
tap_is "the history has them" "$("$ppctl" report --history each.*.pprec | grep -c 'fire  *each  *for command="cmd[0-9]*7"')" 20
tap_ok "a check is violated once, however many groups are" test "$("$ppctl" report --json each.*.pprec | tr -d ' \n' |
	sed 's/.*"violations":\([0-9]*\).*/\1/')" -le "$("$ppctl" report --json each.*.pprec | tr -d ' \n' | sed 's/.*"checks":\([0-9]*\).*/\1/')"

policy first "$by" "each: {every: 20ms, for: 2, expect: 'any(latency by command).p90 <= 1 h and latency{command=\"cmd1\"}.n > 0'}"
run first 1 1 fast
tap_is "where none is violated nothing fires" "$(states first)$(grep -c fired err)" "each ok 0"
policy clear "$by" "each: {every: 20ms, expect: 'any(latency by command).last <= 50 ms', on_clear: [{call: fired}]}"
run clear 2 1 clear
tap_has "a group clears by itself" "$(cat out)" '^called each clears command="cmd7" told'
policy parts '{by: [command, cached], sites: serve/serve, keep: histogram}' "$each" \
	"both: {every: 20ms, expect: 'any(latency by cached, command).p90 <= 50 ms', on_fire: [{call: fired}]}"
run parts 2 1
tap_is "groups are by some of an aggregate's dimensions" "$(fires told)" "$slow"
tap_is "and by all, in any order" "$(grep -Ec '^called both fires cached=(true|false), command="cmd[0-9]*7" told' out)" 40
policy ratio "$by" "each: {every: 20ms, expect: 'any(latency by command).p90 <= 50 ms + 0 * any(latency by command).p50', on_fire: [{call: fired}]}"
run ratio 2 1
tap_is "several statistics of a group stand in one condition" "$(fires told)" "$slow"

policy each "$by" "$each"
run each 2 1 reload
tap_is "a policy that is loaded again keeps the groups' states" "$(grep -c '^reload 0' out) $(fires told)" "1 $slow"
policy named "$by" "named: {every: 20ms, expect: 'latency{command=\"cmd7\"}.p90 <= 50 ms', on_fire: [{call: fired}]}"
run named 2 1 reload
tap_is "and the state of a group with a name" "$(grep -c '^reload 0' out) $(states named)" "1 named firing "
policy before "$by" "before: {every: 20ms, expect: 'any(latency by command).n >= 0'}"
SECOND=each.yaml run before 2 1 second
tap_is "two policies have one aggregate, which goes on when one of them goes" "$(grep -c 'd 0$' out) $(fires told)" "2 $slow"
if [ "$SANITIZER" = thread ]; then
	tap_skip "a child of fork has states of its own" "ThreadSanitizer starts no threads in a child"
else
	run each 2 1 fork
	tap_is "a child of fork has states of its own" "$(fires told)" "$slow"
fi
rm -f each.*.pprec
timeout 120 "$ppctl" run --fail-on warning -p each.yaml ./server 2 1 >out 2>err
tap_is "ppctl run --fail-on sees that a group fired" $? 3

# ---- what is captured --------------------------------------------------------------------------------------------

# same GROUP FIGURE: of how many violations the figure that is captured is that which the condition compared, and of how many it is another one.
# It is merged a moment later; another group's is a thousandth.
same () {
	sed -n "s/^captured $1 left \(.*\): $2 \(.*\), nothing else\$/\1 \2/p" out |
		awk '$1 < 2 * $2 && $2 < 2 * $1 { n++; next } { m++ } END { print n + 0, m + 0 }'
}
policy what "$by" "each: {every: 20ms, expect: 'any(latency by command).p90[1min] <= 50 ms', on_fire: [{call: fired}],
    capture: ['any(latency by command).p90[1min]', 'any(latency by command).n', 'latency{command=\"cmd3\"}.max', 'latency{command=\"nobody\"}.avg', latency]}" \
	"one: {every: 20ms, expect: 'latency{command=\"cmd17\"}.p90[1min] <= 50 ms', on_fire: [{call: fired}],
    capture: ['latency{command=\"cmd17\"}.p90[1min]', 'latency{command=\"cmd17\"}.count']}" \
	"here: {at: serve/serve, expect: 'latency{command=\"cmd7\"}.last <= 50 ms', on_fire: [{call: fired}],
    capture: ['latency{command=\"cmd7\"}.last', 'all(latency{command=\"cmd7\"}).n']}"
run what 2 2
tap_is "a figure of each group is captured of the one that fires" "$(same 'command=.*' 'any(latency by command).p90\[1min\]')" "20 0"
tap_is "one of a group as the condition has it" "$(same - 'latency{command="cmd17"}.p90\[1min\]')" "1 0"
tap_is "and at a site as this thread has it" "$(same - 'latency{command="cmd7"}.last')" "1 0"
tap_has "functions are told the figure as it was written, without an average" "$(cat out)" \
	'^captured command="cmd7" left [0-9.]+: any\(latency by command\)\.n [1-9][0-9]*, nothing else$'
tap_has "what is not known of a group is not a number" "$(cat out)" '^captured command="cmd7" left [0-9.]+: latency\{command="nobody"\}\.avg -?nan, nothing else$'
tap_has "metrics are captured beside figures as ever" "$(cat out)" '^captured command="cmd7" left [0-9.]+: latency [0-9.e-]+, more$'
tap_has "the first is said, with its unit" "$(cat err)" \
	'each fired for command="cmd[0-9]*7": any.*; captured any\(latency by command\)\.p90\[1min\] [0-9.]+ [mun]s, any\(latency by command\)\.n [0-9]+, latency\{command="cmd3"\}\.max [0-9.]+ .*s, latency\{command="nobody"\}\.avg unknown, latency [0-9.]+ .s'
tap_is "the history has each group's" "$("$ppctl" report --history what.*.pprec |
	grep -c 'for command="cmd[0-9]*7": any.*captured any(latency by command).p90\[1min\] [0-9.]* m*s, any(latency by command).n [0-9]')" 20
tap_has "the report says what else was high, of a group too" "$("$ppctl" report --all what.*.pprec)" \
	'any\(latency by command\)\.p90\[1min\]  +[0-9.]+ ms at [0-9]+ violations?, [0-9.]+ ms at [0-9]+ checks'
tap_has "and when it was never known" "$("$ppctl" report --all what.*.pprec)" 'latency\{command="nobody"\}\.avg  +unknown at every violation'
tap_is "of more groups than it shows no two are in one line" "$("$ppctl" report --all what.*.pprec | grep -c '^  cmd[0-9]* .* cmd[0-9]* ')" 0
"$ppctl" report --json what.*.pprec | python3 -c '
import json, sys
for a in json.load (sys.stdin)["assertions"]:
    for c in a["captures"]:
        print (a["name"], c["metric"], c["avg_at_violations"] is not None and c["avg_at_violations"] > 0.009)' >json
tap_is "its JSON has figures as they were written" "$(grep -c 'any(latency by command).p90\[1min\] True\|latency{command="cmd17"}.p90\[1min\] True\|all(latency{command="cmd7"}).n True' json)" 3
run what 2 1 reload
tap_is "a policy that is loaded again goes on capturing" "$(grep -c '^reload 0' out) $(same 'command=.*' 'any(latency by command).p90\[1min\]')" "1 20 0"
if [ "$SANITIZER" != thread ]; then
	run what 2 1 fork
	tap_is "a child of fork captures its own groups'" "$(same 'command=.*' 'any(latency by command).p90\[1min\]')" "20 0"
fi
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/grouped/expected.c" -o expected -L"$LIBPP" -lpp \
	-Wl,-rpath,"$LIBPP" || exit 99
sed '/^assertions/,$d' what.yaml >expected.yaml
PP_POLICY=expected.yaml timeout 60 ./expected >out 2>err
tap_is "the program itself can expect something of a group, and capture figures" "$(tr '\n' ',' <out)" \
	"of holds,other is unknown,captured is violated,each is refused,mistyped is refused,"
tap_has "which is told with them" "$(cat err)" 'captured fired: .*; captured latency\{command="a"\}\.n 10, all\(latency\{command="b"\}\)\.max [0-9.]+ ms, latency'

# ---- errors ------------------------------------------------------------------------------------------------------

# wrong SENTENCE PATTERN AGGREGATE CONDITION [KEY]
wrong () {
	policy wrong "$3" "bad: {${5:-every: 1s}, expect: '$4'}"
	tap_has "$1" "$("$ppctl" check wrong.yaml 2>&1)" "$2"
}
wrong "a dimension that no aggregate has is an error that says which was meant" "did you mean 'command'" "$by" 'latency{comand="a"}.avg < 1s'
wrong "so are two that are in no aggregate together" "no aggregate is by command, cached together" "$by, {by: cached, sites: x}" \
	'latency{command="a", cached=1}.avg < 1s'
wrong "a quantile needs a histogram" "keeps stats, which has no p99; it needs 'keep: histogram'" '{by: command, sites: x}' 'latency{command="a"}.p99 < 1s'
wrong "units are checked" "can't compare 'latency\{command=\"a\"\}.avg' \(a time\) and '5' " "$by" 'latency{command="a"}.avg < 5'
wrong "texts stand in quotes" "expected a value of 'command', found 'GET'; texts stand in quotes" "$by" 'latency{command=GET}.avg < 1s'
wrong "at a site a group has no quantiles" "p99 of a group is too dear at a site; use all\(latency\{command=\.\.\.\}\)\.p99, or check it by time" "$by" \
	'latency{command="a"}.p99 < 1s' "at: serve/serve"
wrong "and no windows" "avg of a group over a window is too dear at a site" "$by" 'latency{command="a"}.avg[1s] < 1s' "at: serve/serve"
wrong "and is by all dimensions of an aggregate" "none is by command alone; all\(latency\{\.\.\.\}\) needs only some" '{by: [command, cached], sites: serve/serve}' \
	'latency{command="a"}.avg < 1s' "at: serve/serve"
wrong "each group is checked by time" "say 'every' in place of 'at'" "$by" 'any(latency by command).avg < 1s' "at: serve/serve"
sed -e '/^events/d' -e "s/bad:.*/bad: {every: 1s, expect: 'latency{command=\"a\"}.avg < 1s'}/" wrong.yaml >without.yaml
tap_has "without an aggregate there are no groups" "$("$ppctl" check without.yaml 2>&1)" "need an aggregate at the sites of 'latency': events: .*by: \[command\]"
policy ok "$by" "good: {every: 1s, expect: 'latency{command=\"a\"}.p99[10s] <= 2ms'}"
tap_has "what is right is said to be" "$("$ppctl" check ok.yaml 2>&1)" "ok"
tap_has "a recording can't serve it, and ppctl test says so" "$("$ppctl" test ok.yaml one.*.pprec 2>&1)" "good: what groups of 'latency' were is not in the values"
for figure in 'any(latency by command).avg' 'latency{command=\"a\"}.avg'; do
	sed -e "s/^  latency:.*/&\n  worst: {expr: '$figure'}/" ok.yaml >number.yaml
	tap_has "$figure is no number" "$("$ppctl" check number.yaml 2>&1)" "number.yaml:4:[0-9]+: .*groups stand in what an assertion expects"
done
# refused SENTENCE PATTERN CAPTURE [CONDITION [KEY]]
refused () {
	policy wrong "$by, {by: [kind, cached], sites: x}" "bad: {${5:-every: 1s}, expect: '${4:-latency.n > 0}', capture: $3}"
	tap_has "$1" "$("$ppctl" check wrong.yaml 2>&1)" "$2"
	tap_is "... in one error" "$("$ppctl" check wrong.yaml 2>&1 | grep -c ': error: ')" 1
}
refused "a capture of a group that no aggregate tells apart is an error, at its character" "wrong.yaml:7:[0-9]+: .*no aggregate is by 'comand'; did you mean 'command'" \
	"['latency{comand=\"a\"}.avg']"
refused "so is one of a metric that there is not" "there is no metric 'latensy'; did you mean 'latency'" "['latensy{command=\"a\"}.avg']"
refused "so is a statistic that the aggregate lacks" "keeps stats, which has no p99; it needs 'keep: histogram'" "['latency{cached=1}.p99']"
refused "and one that is too dear at a site" "too dear at a site; use all\(latency\{command=\.\.\.\}\)\.p99" "['latency{command=\"a\"}.p99']" '' 'at: serve/serve'
refused "what is captured of a group is one figure" "'latency\{command=\"a\"\}.avg < 1s' is no figure of a group" "['latency{command=\"a\"}.avg < 1s']"
refused "a statistic of a metric is not" "'latency.max' is no figure of a group" '[latency.max]'
refused "each group is captured only where each is checked" "what is expected has no any" '[any (latency by command).avg]'
refused "and only by the same dimensions" "it needs the same dimensions in the same order as the any" "['any(latency by kind, cached).avg']" \
	'any(latency by cached, kind).avg < 1s'
refused "it is not told because of an error in the condition" "did you mean 'command'" "[any (latency by command).avg]" 'any(latency by comand).avg < 1s'
refused "a brace without quotes is told of" "inside \[ \] what has \{ in it needs quotes" '[latency{command="a"}.avg]'
policy right "$by" "bad: {every: 1s, expect: latency.n > 0, capture: ['latency{command=\"a\"}.p99[10s]', 'all (latency{command=none}.avg)', latency]}" \
	"each: {every: 1s, expect: 'any(latency by command).avg < 1s', capture: [any (latency by command).p50]}"
tap_has "figures that there are can be captured" "$("$ppctl" check right.yaml 2>&1)" "no errors"
tap_has "in a policy that is tried on a recording, too" "$("$ppctl" test right.yaml one.*.pprec 2>&1)" "nothing would have fired in one.*, of 1 tried"
wrong "each group is not checked at a site" "each group is checked by time in this version" "$by" 'any(latency by command).avg < 1s' "at: serve/serve"
wrong "a condition is about groups of one kind" "the same dimensions in the same order" "$by, {by: cached, sites: x}" \
	'any(latency by command).avg < 2 * any(latency by cached).avg'

tap_done
