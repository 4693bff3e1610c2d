#!/bin/bash
# SPDX-License-Identifier: MIT
# test_policy.sh: ppctl test: what of a policy would have fired in a recorded run. The program (test_policy/phases.c) samples 1, 100 and 1 again, each
# until it was checked and copied a few times, so what fires is known whatever the machine does beside it.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cp "$srcdir"/tests/system/test_policy/phases.c "$tap_dir"
cd "$tap_dir" || exit 99

# try ARGUMENT...: $out, $err, $status
try () {
	status=0
	"$PPCTL" test "$@" >out 2>err || status=$?
	out=$(cat out) err=$(cat err)
}

# ---- the command line
try
tap_is "no policy is wrong usage" "$status" 2
try --help
tap_is "--help is no error" "$status" 0
tap_has "--help tells the exit status" "$out" '^Exit status: 3 where something would have fired'
tap_has "ppctl --help lists it" "$("$PPCTL" --help)" '^  test '
printf 'version: 1\nassertions: {a: {every: 1s, expect: m.avg < 1}}\n' >small.yaml
try small.yaml nowhere.pprec
tap_is "a missing recording is a problem" "$status" 1
tap_has "a missing recording is named" "$err" 'nowhere\.pprec'
"$builddir/tests/system/make_recording" still.pprec || exit 99
printf 'version: 1\nassertions: {a: {every: 1s, expect: pixel_time.avg < 1s}}\n' >still.yaml
try still.yaml still.pprec
tap_is "a recording without values over time is a problem" "$status" 1
tap_has "... which is told of each assertion" "$out" '^  a: the recording has no values over time'
tap_has "... and in the first line" "$out" '^still\.yaml: nothing could be tried on still\.pprec'

# ---- a run whose values are known
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" phases.c -o phases -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
cat >run.yaml <<'Y'
version: 1
record: {file: run.pprec, interval: 100ms}
assertions:
  newest: {every: 500ms, expect: level.last < 50, quiet: true}
  most: {every: 500ms, expect: level.max < 50, quiet: true}
  begins: {every: 500ms, expect: late.n < 1, quiet: true}
  holds: {every: 500ms, expect: level.last < 101, quiet: true}
  never: {every: 500ms, expect: unused.avg < 1, quiet: true}
Y
PP_POLICY=run.yaml ./phases run.pprec || exit 99

try run.yaml run.pprec
tap_is "something would have fired" "$status" 3
tap_is "the verdict comes first" "$(head -n 1 out)" "run.yaml: 3 of 5 assertions tried would have fired in run.pprec"
tap_has "values are as far from each other as the recording asked for" "$out" "^  [0-9.]+ s of run, values [0-9]+ times from .* on, every 100 ms"
tap_has "one that clears has its longest time" "$out" '^    fired 1 time, first at [0-9.]+ s, longest for [0-9.]+ m?s, does not fire at the end'
tap_has "one that does not fires at the end" "$out" '^    fired 1 time, first at [0-9.]+ s, longest for [0-9.]+ m?s, fires at the end'
tap_has "the worst check has its value and its limit" "$out" '^    worst at [0-9.]+ s: 100 against 50'
tap_is "what never had a sample was unknown each time, and did not fire" \
	"$(grep -A 2 '^  never:' out | grep -cE '^    did not fire$|^    ([0-9]+) checks every 500 ms: 0 held, 0 did not, \1 unknown$')" 2

# fires FILE: "NAME fired cleared" of each assertion, of ppctl report --json
fires () {
	python3 -c '
import json, sys
for a in sorted(json.load(sys.stdin)["assertions"], key=lambda a: a["name"]):
    print(a["name"], a["fired"], a["cleared"] if "cleared" in a else a["fired"] - a["firing_at_end"])'
}
if command -v python3 >/dev/null; then
	tap_is "fires and clears are those that the run itself had" "$("$PPCTL" test --json run.yaml run.pprec | fires)" "$("$PPCTL" report --json run.pprec | fires)"
	tap_is "... which there are" "$("$PPCTL" report --json run.pprec | fires | paste -sd,)" "begins 1 0,holds 0 0,most 1 0,never 0 0,newest 1 1"
else
	tap_skip "fires are those of the run" "python3 is missing"
fi

# ---- limits that the run did not have
cat >limits.yaml <<'Y'
version: 1
metrics:
  tuned: {expr: 5 * level.max}
assertions:
  holds: {every: 500ms, expect: level.last < 101 and level.min > 0 and level.n >= 0}
  composite: {every: 500ms, expect: tuned <= 500}
  quantile: {every: 500ms, expect: spread.p99 < 102}
Y
try limits.yaml run.pprec
tap_is "limits that held are status 0" "$status $err" "0 "
tap_has "... and a sentence" "$out" '^limits\.yaml: nothing would have fired in run\.pprec, of 3 tried'
cat >windows.yaml <<'Y'
version: 1
assertions:
  average: {every: 500ms, expect: 'level.avg[500ms] < 50'}
  median: {every: 500ms, expect: 'spread.p50[500ms] < 50'}
  same: {every: 500ms, expect: 'level.avg[500ms] <= 100 and spread.avg[500ms] <= 100'}
  patient: {every: 500ms, expect: level.last < 50, for: 1000000}
  later: {every: 500ms, expect: level.last < 50, after: 1000000}
  stays: {every: 500ms, expect: level.last < 50, clear: 1000000}
Y
try --json windows.yaml run.pprec
tap_is "windows and clauses: something would have fired" "$status" 3
if command -v python3 >/dev/null; then
	tap_is "a window sees the middle of the run only; for, after and clear count checks" "$(fires <out | paste -sd,)" \
		"average 1 1,later 0 0,median 1 1,patient 0 0,same 0 0,stays 1 0"
	tap_is "a window has what was measured in it: in the middle all are 100" "$(python3 -c '
import json
a = {a["name"]: a for a in json.load(open("out"))["assertions"]}
print(a["average"]["left"], abs(a["median"]["left"] - 100) < 2, a["later"]["checks"])')" "100.0 True 0"
fi

# ---- times, by another reader of the values
library=$builddir/recording/.libs
if command -v python3 >/dev/null && [ -e "$library/libpprec.so.0" ] && [ -z "$SANITIZER" ]; then
	export PPREC_LIBRARY=$library/libpprec.so.0 PYTHONPATH=$srcdir/recording:$srcdir/tests/system PYTHONDONTWRITEBYTECODE=1
	# as often as there are values: all but those that come much too early are checked
	python3 -c '
import json
print("version: 1\nassertions:")
for name, expect in (("newest", "level.last < 50"), ("most", "level.max < 50"), ("begins", "late.n < 1")):
    print("  %s: {every: %dms, expect: %s}" % (name, json.load(open("out"))["verdict"]["interval_s"] * 760 + 1, expect))' >often.yaml
	"$PPCTL" test --json often.yaml run.pprec >fired.json
	tap_ok "it fires with the first values that break the limit, and clears with the first that keep it" python3 -c '
import json, pprec
with pprec.open("run.pprec") as r:
    values = [(v["time_s"], v["last"]) for v in r.values() if v["metric"] == "level" and v["n"]]
broken = [t for t, x in values if x > 50]
kept = [t for t, x in values if t > broken[0] and x < 50]
fired = {a["name"]: a["fires"] for a in json.load(open("fired.json"))["assertions"]}
end = json.load(open("fired.json"))["verdict"]["measured_s"]
def one_of(time, times):
    return any(abs(time - t) < 1e-6 for t in times)
for name, ends in (("newest", kept[:2]), ("most", [end]), ("begins", [end])):
    (fire,) = fired[name]
    assert one_of(fire["from_s"], broken[:2]) and one_of(fire["to_s"], ends), (name, fire, broken, kept, end)'

	# the blocks of values of the middle are damaged; then all of them are
	python3 - <<'Y'
import struct, pprec_second as second
file = open("run.pprec", "rb").read()
values = [b for b in second.blocks(file) if b[0] == 6]
for name, some in (("one.pprec", values[1:2]), ("all.pprec", values)):
    damaged = bytearray(file)
    for *_, at in some:
        damaged[at + 70] ^= 1
    open(name, "wb").write(damaged)
open("cut.pprec", "wb").write(file[: values[-1][-1] + 80])
Y
	try limits.yaml one.pprec
	tap_is "damaged values are a problem where nothing fires" "$status" 1
	tap_has "... and are told" "$err" '^ppctl test: 1 block of values is damaged, the first at [0-9.]+ s: checks from then on may have seen older values'
	try run.yaml one.pprec
	tap_is "what fires in the others fires" "$status" 3
	try limits.yaml cut.pprec
	tap_is "a recording that is cut off is a problem" "$status" 1
	tap_has "... and is told" "$err" '^ppctl test: its last [0-9]+ bytes are no whole block'
else
	tap_skip "times and damages" "python3 or libpprec.so is missing, or it has a sanitizer"
fi

# ---- what can't be told
cat >others.yaml <<'Y'
version: 1
metrics:
  level: {interval: elapsed, keep: stats}
  absent: {interval: elapsed, keep: stats}
assertions:
  site: {at: tick, expect: spread.last < 1}
  often: {every: 10ms, expect: spread.last < 1}
  narrow: {every: 1s, expect: 'spread.avg[10ms] < 1'}
  extreme: {every: 1s, expect: 'spread.max[1s] < 1'}
  knob: {every: 1s, expect: spread.avg < knob (k)}
  count: {every: 1s, expect: site.violations < 1}
  open: {every: 1s, expect: tick.in_flight < 1}
  other: {every: 1s, expect: level.avg < 1s}
  gone: {every: 1s, expect: absent.avg < 1s}
  nobody: {every: 1s, expect: quokka.avg < 1}
  nowhere: {every: 1s, expect: spread@elsewhere.avg < 1}
  served: {every: 500ms, expect: spread@tick.last < 50}
Y
try others.yaml run.pprec
told () { # NAME REASON: is it named once, with why, and not among those that were tried?
	tap_is "not served: $1" "$(grep -c "^  $1: $2" out) $(sed -n '/^tried/,/^could not/p' out | grep -c "^  $1:")" "1 0"
}
told site 'it is checked at a site, at each execution$'
told often "'every: 10.0 ms' is shorter than the recording's interval, [0-9.]* m*s$"
told narrow "its window of 10.0 ms is shorter than the recording's interval, [0-9.]* m*s$"
told extreme "spread.max over a window is not in the values over time of a histogram$"
told knob "the value of the knob 'k' is not in the values over time$"
told count "it reads the counts of the assertion 'site', which are not in the values over time$"
told open 'what is open at a site is not in the values over time$'
told other "'level' of the recording is measured with '.*', and not with 'elapsed'$"
told gone "the recording has no metric 'absent'$"
told nobody "neither the policy nor the recording has the metric 'quokka'$"
told nowhere "the recording has no site 'elsewhere'$"
tap_is "the one that is served fired" "$status $(head -n 1 out)" "3 others.yaml: 1 of 1 assertions tried would have fired in run.pprec"

# ---- a policy that is wrong
printf 'version: 1\nassertions:\n  a: {every: 1s, expect: levle.avg < 1}\n' >wrong.yaml
try wrong.yaml run.pprec
tap_is "an error of the policy is a problem" "$status" 1
tap_has "... at its place" "$err" "^wrong\.yaml:3:26: error: .*did you mean 'level'"
tap_is "... and nothing is tried" "$out" ""
# ---- a program that does nothing for a while
# What is read then stays the same once windows have passed, and checks come to the same. A rate never does, so with one each check is made.
cat >idle.c <<'C'
#include <pp.h>
#include <unistd.h>

static void work (long value)
{
	for (int i = 0; i < 30; i++) {
		PP_POINT_VALUE (busy, value)
		usleep (10000);
	}
}

int main (void)
{
	work (1);
	usleep (1500000);
	work (100);
	usleep (1000000);
	work (1);
	usleep (1500000);
	return 0;
}
C
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" idle.c -o idle -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
cat >idle.yaml <<'Y'
version: 1
record: {file: idle.pprec, interval: 100ms}
metrics: {level: {point: value, keep: stats}, unused: {point: value, keep: stats}}
bind: [{metric: level, sites: work/busy}]
Y
PP_POLICY=idle.yaml ./idle || exit 99
[ -f idle.pprec ] || exit 99
cat >idle.txt <<'T'
level.last < 50
level.count[300ms] < 3
level.avg[200ms] < 50
level.count[200ms] > 0 and level.count[500ms] > 20
level.max < 50, for: 3, clear: 2
level.count[200ms] < 1, for: 4, clear: 3, cooldown: 700ms
level.last[250ms] > 50, clear: 5
unused.avg < 1
T
both () {
	printf 'version: 1\nmetrics: {level: {point: value, keep: stats}, unused: {point: value, keep: stats}}\nassertions:\n'
	n=0
	while IFS= read -r line; do
		n=$((n + 1))
		condition=${line%%,*} more=${line#"$condition"}
		[ -z "$1" ] || condition="($condition) or level.rate < 0"
		printf "  a%d: {every: 100ms, expect: '%s', quiet: true%s}\n" "$n" "$condition" "$more"
	done <idle.txt
}
both "" >left_out.yaml
both each >each.yaml
try left_out.yaml idle.pprec
grep -E '^  a|^    (fired|did|[0-9]+ checks)' out | sed 's/: .*expect.*//; s/^\(  a[0-9]*\):.*/\1/' >left_out
try each.yaml idle.pprec
grep -E '^  a|^    (fired|did|[0-9]+ checks)' out | sed 's/: .*expect.*//; s/^\(  a[0-9]*\):.*/\1/' >each
tap_is "of a program that was idle checks come out as if each had been made" "$(cat left_out)" "$(cat each)"
tap_ok "and some of them did not hold, or were unknown" grep -qE '^    [0-9]+ checks every 100 ms: [1-9][0-9]* held, [1-9][0-9]* did not, [1-9]' left_out
tap_done
