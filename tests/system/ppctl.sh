#!/bin/bash
# SPDX-License-Identifier: MIT
# ppctl.sh: the command from the outside: its output, its exit status, what it says of files that are wrong.
. "$srcdir/tests/tools/tap.sh"
tap_one_thread "the command from the outside"
tap_dir
here=$srcdir/tests/system/ppctl
cd "$tap_dir" || exit 99

# run ARGUMENT...: $out, $err, $status
run () {
	status=0
	"$PPCTL" "$@" >out 2>err || status=$?
	out=$(cat out) err=$(cat err)
}

# json EXPRESSION: of the JSON object d in $out
json () {
	printf '%s' "$out" | python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"
}

build () { # NAME FLAG...
	local name=$1
	shift
	# shellcheck disable=SC2086
	"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$here/shop.c" -o "$name" "$@" -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP"
}

run
tap_is "no command is wrong usage" "$status" 2
run --help
tap_is "--help is no error" "$status" 0
tap_has "--help lists the commands" "$out" '^  report '
run report
tap_is "report without a file is wrong usage" "$status" 2
run report --jsn x
tap_is "an unknown option is wrong usage" "$status" 2

run reprt
tap_is "an unknown command is wrong usage" "$status" 2
tap_has "a command that was perhaps meant" "$err" "there is no command 'reprt'; did you mean 'report'"
run report --jsn x
tap_has "what getopt says names the command" "$err" "^ppctl report: unrecognized option '--jsn'"
tap_is "and where to look, in two lines" "$(wc -l <err)" 2
for command in report sites sources statistics suggest check rules; do
	run $command --help
	tap_is "$command --help fits 80 columns" "$(awk 'length > 79' out)" ""
done
run sites
tap_has "what is missing is told" "$err" '^ppctl sites: it needs a program or shared object'

# ---- report
"$builddir/tests/system/make_recording" sample.pprec || exit 99
run report --all sample.pprec
tap_is "report: a complete recording is no problem" "$status" 0
tap_has "report: who it was" "$out" '^program +/usr/bin/render$'
tap_has "report: a series' statistics are those of its window, in human units" "$out" \
	'render!trace.c:trace_pixel/i1 +7 +5\.60 ms +3\.00 ms +10\.0 ms +2\.42 ms +31\.0 ms +6\.00 ms$'
tap_has "report: several sites have a line for all" "$out" '^  all sites +8 '
tap_has "report: what an accumulator does not have is a dash" "$out" 'trace_pixel/i1 +5 +60 +- +- +- +300 +100$'
tap_has "report: sampled executions are told" "$out" '1 in 16 sampled, about 32 executions'
tap_has "report: why a metric is not available" "$out" 'l1_misses: this machine has no hardware counters'
tap_has "report: an assertion's share of violations" "$out" '200 checks: 150 held, 48 violated \(24\.2 %\), 2 unknown'
tap_has "report: an assertion's severity, state and since when" "$out" '; error; firing since 2\.000 s; fired 3, cleared 2$'
tap_has "report: what else was high" "$out" 'shadow_rays +90 at 48 violations, 60 at 198 checks: 1\.50 times \(95 % 1\.50 to 1\.50\)$'
tap_has "report: a sweep, with its threads added up" "$out" '^ +1\.25 +48 +24\.0 % +\+50\.0 % \(\+[0-9.]+ to \+[0-9.]+\)$'
tap_has "report: a sweep at a higher threshold" "$out" '^ +2 +10 +5\.0 % +\+100\.0 % \(\+[0-9.]+ to \+[0-9.]+\)$'
tap_has "report: a knob's way" "$out" 'antialias: 4 at first, 2 now; range 1 to 8; turned 2 times'
tap_has "report: a knob of words" "$out" 'algorithm: bubble at first, merge now; one of bubble, merge; turned 5 times'
tap_has "report: an adaptation, and what it settled on" "$out" 'algorithm: minimise sorting\.avg; settled on merge$'
tap_has "report: what it knows of the values" "$out" '^    > merge +400 .s . +40\.0 .s  7 windows$'
tap_has "report: which were left out" "$out" '^      bubble +4\.00 ms . +400 .s  7 windows, left out$'
tap_has "report: drops by cause" "$out" '7 intervals whose end was jumped over'
tap_is "report: causes that dropped nothing are not mentioned" "$(sed -n '/^not measured/,$p' <<<"$out" | wc -l)" 2

run report --json sample.pprec
if [ "$status" = 1 ] && grep -q 'built without JSON' <<<"$err"; then
	tap_skip "report --json" "built without jansson"
elif ! command -v python3 >/dev/null; then
	tap_skip "report --json" "python3 is missing"
else
	tap_is "report --json: seconds" "$(json 'd["metrics"][0]["sites"][0]["avg"]')" 0.0056
	tap_is "report --json: counts are integers" "$(json 'repr(d["metrics"][0]["all"]["n"])')" 8
	tap_is "report --json: unknown is null" "$(json 'd["metrics"][3]["all"]["avg"]')" None
	tap_is "report --json: captures" "$(json 'd["assertions"][0]["captures"][0]["ratio_to_avg"]')" 1.5
	tap_is "report --json: ... with the number of both, and what they say" "$(json '[d["assertions"][0]["captures"][0][k] for k in ("violations", "checks", "checks_looked_at", "avg_at_violations", "verdict")]')" "[48, 198, 198, 90.0, 'higher']"
	tap_is "report --json: an adaptation" "$(json 'd["adaptations"][0]["state"] + " " + d["adaptations"][0]["variants"][1]["shown"]')" "settled merge"
	tap_is "report --json: its version, and the verdict" "$(json '[d["version"], d["verdict"]["sentence"]]')" "[1, '1 of 1 assertion fired, 1 is firing now']"
	tap_is "report --json: drops" "$(json 'd["drops"]')" "{'longjmp': 7}"
fi

run report /
tap_has "report: a folder is no recording" "$err" '/ is not a recording'
if command -v script >/dev/null; then
	# a terminal of 80 columns, and then of 200
	narrow=$(script -qec "stty cols 80; NO_COLOR=1 '$PPCTL' report --all sample.pprec" /dev/null | tr -d '\r')
	tap_is "report: on a narrow terminal sites lose their module and file" "$(grep -c '^  trace_pixel/i1 .* 31\.0 ms' <<<"$narrow")" 1
	tap_is "report: and the history is wrapped" "$(sed -n '/^history/,$p' <<<"$narrow" | awk 'length > 80')" ""
	words () { sed -n '/^history/,/^not /p' | tr -s ' \n' '\n'; }
	tap_is "report: without losing a word" "$(words <<<"$narrow")" "$("$PPCTL" report --all sample.pprec | words)"
	wide=$(script -qec "stty cols 200; NO_COLOR=1 '$PPCTL' report --all sample.pprec" /dev/null | tr -d '\r')
	tap_has "report: on a wide one they don't" "$wide" '^  render!trace\.c:trace_pixel/i1 '
else
	tap_skip "report: on a narrow terminal sites lose their module and file" "script (bsdutils) is missing"
fi

run report nowhere.pprec
tap_is "report: a missing file is a problem" "$status" 1
tap_has "report: a missing file is named" "$err" 'nowhere.pprec.*No such file'
head -c 2000 sample.pprec >cut.pprec
run report cut.pprec
tap_is "report: a recording that is cut off is a problem" "$status" 1
tap_has "report: a recording that is cut off is told as such" "$err" 'cut.pprec is cut off: 2000 bytes are there, and no state in them'
head -c -10 sample.pprec >endless.pprec
run report endless.pprec
tap_is "report: a recording without its end is read" "$status" 0
tap_has "... and the first screen says what is missing" "$out" 'damaged: its last [0-9]* bytes are no whole block: it ends 4.0 s after the start'
tap_has "... and whether the rest of it is there" "$out" 'recording as of the last copy'
"$PPCTL" report sample.pprec >/dev/full 2>err
tap_is "report: a full disk is a problem" "$?" 1

# ---- sites
for flags in "-fPIE -pie" "-fno-pie -no-pie" "-fPIC -shared"; do
	# shellcheck disable=SC2086
	build shop $flags || exit 99
	run sites shop
	tap_is "sites of a program built with $flags are listed" "$status" 0
	tap_has "sites ($flags): name, copies, groups and metrics" "$(tr '\n' ' ' <<<"$out")" \
		'shop!.*shop\.c:serve/serve     interval at .*shop\.c:[0-9]+, .*groups hot,net, metrics handling'
	tap_has "sites ($flags): a point's value" "$(tr '\n' ' ' <<<"$out")" 'main/queue     point at [^ ]*, .*value integer, metrics queued'
	tap_has "sites ($flags): a knob's range" "$out" '^knob limit = 0\.5, range 0 to 1, step 0\.25$'
	tap_has "sites ($flags): a knob's words" "$out" '^knob order = fairest, one of first, fairest, cheapest$'
	tap_has "sites ($flags): a knob's setter" "$out" '^knob queues = 2, range 1 to 16, step 1, with a setter$'
	tap_has "sites ($flags): where a knob is" "$(grep -A1 '^knob workers' <<<"$out")" 'shop\.c:11$'
	tap_has "sites ($flags): an expectation" "$out" '^expectation fast: handling\.avg < 10s$'
	tap_has "sites ($flags): an expectation with clauses" "$out" '^expectation steady: handling\.avg < 20s, with for: 3, cooldown: 2 s$'
done
build shop || exit 99
tap_has "a program can report on itself" "$(./shop report)" 'shop\.c:serve/serve +16 '
strip -o stripped shop
run sites stripped
tap_has "sites of a stripped program are listed" "$out" 'serve/serve$'
run sites /bin/sh
tap_is "a program without sites is a problem" "$status" 1
run sites "$here/shop.c"
tap_has "what is no ELF file is told" "$err" 'shop\.c is not an ELF file'
head -c 3000 shop >short
run sites short
tap_is "a program that is cut off is a problem" "$status" 1
python3 - shop other <<'PY' 2>/dev/null
import struct, subprocess, sys
data = bytearray(open(sys.argv[1], "rb").read())
for line in subprocess.run(["readelf", "-SW", sys.argv[1]], capture_output=True, text=True).stdout.splitlines():
    field = line.replace("[ ", "[").split()
    if len(field) > 5 and field[1] == "__pp_records":
        struct.pack_into("<H", data, int(field[4], 16) + 4, 77)
open(sys.argv[2], "wb").write(data)
PY
if [ -s other ]; then
	run sites other
	tap_has "another ABI version is told" "$err" 'version 77 of the plugin'
else
	tap_skip "another ABI version is told" "python3 or readelf is missing"
fi

# ---- check
run check --binary shop "$here/shop.yaml"
tap_is "check: a right policy is right" "$status $out" "0 $here/shop.yaml: no errors; 2 metrics, 2 bindings, 1 assertion"
run check --binary shop "$here/wrong.yaml"
tap_is "check: a wrong policy is a problem" "$status" 1
tap_is "check: names that are nearly there were mistyped" "$(grep -c ': error: ' <<<"$err") $(grep -c ': warning: this waits: ' <<<"$err")" "5 1"
printf '%s\n' 'version: 1' 'bind: [{metric: tiles, sites: serve/serve}]' 'assertions:' \
	'  a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: depth, set: 3}}, {call: page_me}]}' >later.yaml
run check --binary shop later.yaml
tap_is "check: names that there are not may come later" "$status $out" "0 later.yaml: no errors; 0 metrics, 1 binding, 1 assertion; it waits for 3 names"
tap_is "check: which is told" "$(grep -c ': warning: this waits: ' <<<"$err")" 3
run check later.yaml
tap_is "check: without a binary a metric of the program's own is no news" "$status $out $err" "0 later.yaml: no errors; 0 metrics, 1 binding, 1 assertion (metrics of the program's own, sites, knobs and functions: not checked without --binary) "
tap_is "a pipe is read to its end, a policy's and an instrument file's" \
	"$("$PPCTL" check <(sed 1q "$here/shop.yaml"; sleep 0.1; sed 1d "$here/shop.yaml") | sed 's/^[^:]*: //') $("$PPCTL" check <(printf 'version: 1\nfunctions: [{function: f}]\n') | sed 's/^[^:]*: //')" \
	"$("$PPCTL" check "$here/shop.yaml" | sed 's/^[^:]*: //') no errors; 1 rule"
tap_has "a program does not wait for one, and says so" "$(PP_POLICY=<(sleep 1) ./shop 2>&1)" "can't read the file: it is a pipe, which is not waited for"
run check --strict --binary shop later.yaml
tap_is "check: but with --strict" "$status $(grep -c ': error: ' <<<"$err")" "1 3"
run check --strict --binary shop "$here/wrong.yaml"
tap_is "check: all errors are told at once" "$(grep -c ': error: ' <<<"$err")" 6
tap_has "check: a source that was perhaps meant" "$err" "wrong\.yaml:4:22: error: there is no source 'page_fault'; did you mean 'page_faults'"
tap_has "check: a site that was perhaps meant" "$err" "wrong\.yaml:6:[0-9]+: error: no site is called 'serve/serv'; did you mean 'serve/serve'"
tap_has "check: a metric for intervals at a point" "$err" "'main/queue' means a point, but the metric is for intervals"
tap_has "check: a metric of the program that was perhaps meant" "$err" "there is no metric 'handing'; did you mean 'handling'"
tap_has "check: a function that was perhaps meant" "$err" "there is no callable function 'tel'; did you mean 'tell'"
tap_has "check: a knob that was perhaps meant" "$err" "there is no knob 'worker'; did you mean 'workers'"
printf '%s\n' 'version: 1' 'assertions:' '  a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: order, set: fairest}}, {knob: {name: workers, set: 3}}]}' >words.yaml
run check --binary shop words.yaml
tap_is "check: a knob may be set to its words" "$status $err" "0 "
sed -i 's/fairest/fairer/; s/set: 3/set: three/' words.yaml
run check --binary shop words.yaml
tap_has "check: a word that was perhaps meant" "$err" "knob 'order' has no word 'fairer'; did you mean 'fairest'"
tap_has "check: a word for a knob of numbers" "$err" "'set' must be a plain number, not 'three': knob 'workers' has no words"
printf '%s\n' 'version: 1' 'metrics: {t: {interval: elapsed, keep: stats}}' 'bind: [{metric: t, sites: checkout}]' 'assertions: {s: {every: 1s, expect: checkout.open_age <= 5s}}' >span.yaml
run check --binary shop span.yaml
tap_is "check: a span that the program makes is no error" "$status $err" "0 "
sed -i 's/checkout/chekout/' span.yaml
run check --strict --binary shop span.yaml
tap_is "check: a name that is nowhere in the program is" "$status $(grep -c "no site of the binary matches 'chekout'" <<<"$err")" "1 2"
printf '%s\n' 'version: 1' 'adapt: {choose: order, minimise: handling.avg, values: [first, cheapest]}' >adapt.yaml
run check --binary shop adapt.yaml
tap_is "check: a knob of the program may be chosen" "$status $err" "0 "
sed -i 's/cheapest/dearest/; s/handling/handing/' adapt.yaml
run check --binary shop adapt.yaml
tap_has "check: from its own words" "$err" "knob 'order' has no word 'dearest'; it has first, fairest, cheapest"
tap_has "check: for a metric that there is" "$err" "there is no metric 'handing'; did you mean 'handling'"
sed 's/point: queue_length/point: value/' "$here/shop.yaml" >alone.yaml
run check alone.yaml
tap_is "check: without a binary sites, knobs and functions are taken to exist" "$status" 0
tap_has "check: and that is said" "$out" 'not checked without --binary'
printf 'version: 1\nmetrics:\n  m: {point: "constant:abc", keep: stats}\n' >constant.yaml
run check constant.yaml
tap_is "check: what is wrong with a source's argument needs no binary" "$status" 1
tap_has "check: ... and is told at its place" "$err" 'constant\.yaml:3:1[0-9]: error: "constant:abc": expected a number'
printf '%s\n' 'version: 1' 'metrics:' '  work: {interval: elapsed, keep: sumcount}' 'bind:' '  - {metric: work, sites: ["serve/serve"]}' 'assertions:' \
	'  rate: {every: 1s, expect: "static.flops@serve/serve * work.count / work.sum >= 1 / 1s"}' \
	'  inside: {at: serve/serve, expect: "static.coverage >= 90% and static.loads <= 1MB"}' >static.yaml
run check --binary shop static.yaml
tap_is "check: what the compiler knows of an interval may be asked for" "$status $err" "0 "
sed -i 's|flops@serve/serve|flops@serve/serv|; s|<= 1MB|<= 1s|; s|static.coverage|static.covered|' static.yaml
run check --binary shop static.yaml
tap_has "check: ... of one that exists" "$err" "no site is called 'serve/serv'; did you mean 'serve/serve'"
tap_has "check: ... by a name that exists" "$err" "did you mean 'coverage'"
sed -i 's|serve/serv |main/queue |' static.yaml
run check --binary shop static.yaml
tap_has "check: ... and of no point" "$err" "'main/queue' means a point; static figures are those of an interval's body"
run check nowhere.yaml
tap_is "check: a missing policy is a problem" "$status" 1
run check --binary nowhere "$here/shop.yaml"
tap_has "check: a missing binary is named" "$err" 'nowhere can.t be opened'
# ---- rules of instrument files
cat >ruled.c <<'C'
int puts (const char *);
volatile int n;
__attribute__ ((noinline)) void solve (int x) { for (int i = 0; i < x; i++) n++; puts ("a"); }
__attribute__ ((noinline)) void tiny (void) { n++; }
static void gone (void) { n++; n++; n++; }
int main (void) { solve (2); tiny (); (void) gone; return 0; }
C
cat >rules.yaml <<'Y'
version: 1
functions:
  - {function: solve, min_size: 1}
  - {function: tiny}
  - {function: mian}
  - {function: "zz*"}
calls:
  - {callee: puts}
Y
run check rules.yaml
tap_is "check: an instrument file is told by its keys and checked" "$status $out" "0 rules.yaml: no errors; 5 rules"
sed 's/callee/calee/; s/min_size: 1/min_size: x/' rules.yaml >bad.yaml
run check bad.yaml
tap_is "check: mistakes in one are a problem" "$status" 1
tap_is "check: each with its place, and what was perhaps meant" "$(grep error: <<<"$err")" \
"bad.yaml:3:33: error: min_size must be a whole number, not 'x'
bad.yaml:8:5: error: a rule for calls needs 'callee', 'indirect' or 'virtual'
bad.yaml:8:6: error: a rule of 'calls' has no key 'calee'; did you mean 'callee'?"
run rules rules.yaml
tap_is "rules: without a program it is wrong usage" "$status" 2
# shellcheck disable=SC2086
if "$CC" -O1 $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument=rules.yaml -fplugin-arg-ppgcc-Wno-pp-rules ruled.c -o ruled -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP"; then
	run rules rules.yaml --binary ruled
	tap_is "rules: what each chose, left out and why" "$status
$(sed 's/has [0-9]* st/has N st/' <<<"$out")" "0
rules.yaml:3: functions: function solve, min_size 1
  + ruled.c:3:33: solve: interval body
rules.yaml:4: functions: function tiny
  - ruled.c:4:33: tiny: left alone: it has N statements, fewer than 20
  chose nothing: all that it fits was left alone
rules.yaml:5: functions: function mian
  chose nothing: there is no function 'mian'; did you mean 'main'?
rules.yaml:6: functions: function zz*
  chose nothing: nothing in 1 unit fits
rules.yaml:8: calls: callee puts
  + ruled.c:3:82: solve: feature puts"
	echo '# another' >>rules.yaml
	run rules rules.yaml --binary ruled
	tap_is "rules: a file that is another by now is a problem" "$status" 1
	tap_has "rules: ... which is said" "$err" 'ruled.c was compiled with other contents of rules.yaml'
	cat >shadows.yaml <<'Y'
version: 1
functions:
  - {function: "s*", min_size: 1}
  - {function: solve, min_size: 1}
calls:
  - {callee: "p?ts", feature: lib.first}
  - {callee: puts, feature: lib.second}
  - {callee: "put*"}
  - {callee: putz}
features:
  lib.inline: {functions: ["tin?", nothing]}
Y
	# shellcheck disable=SC2086
	"$CC" -O1 $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument=shadows.yaml -fplugin-arg-ppgcc-Wno-pp-rules ruled.c -o ruled -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	run rules shadows.yaml --binary ruled
	tap_is "rules: where another line took all that one fits, it says which" "$(grep -A 1 -e :4: -e :7: -e :8: -e :9: <<<"$out" | grep -v -e '^--' -e ^shadows)" \
"  chose nothing: the rule in line 3 has 'solve'
  chose nothing: the rule in line 6 has calls of 'puts'
  chose nothing: the rule in line 6 has calls of 'puts'
  chose nothing: no function 'putz' is called in these units"
	tap_is "rules: of several names in one line each has its own" "$(grep -A 1 'lib.inline, functions nothing' <<<"$out" | tail -n 1)" "  chose nothing: no function 'nothing' is called in these units"
	cp rules.yaml others.yaml
	run rules others.yaml --binary ruled
	tap_has "rules: a program that was compiled without is told so" "$err" 'no unit of it was compiled with .*others.yaml'
else
	tap_skip "rules" "SANITIZER needs its own flags"
fi
tap_done
