#!/bin/bash
# SPDX-License-Identifier: MIT
# suggest.sh: ppctl suggest: from recordings to a policy that ppctl check and the schema accept, that holds when the program does as before, and fires when
# it doesn't.
. "$srcdir/tests/tools/tap.sh"
tap_one_thread "ppctl suggest writes policies"
tap_dir
here=$srcdir/tests/system/ppctl
cd "$tap_dir" || exit 99

# run ARGUMENT...: $out, $err, $status
run () {
	status=0
	"$PPCTL" suggest "$@" >out 2>err || status=$?
	out=$(cat out) err=$(cat err)
}

schema () { # POLICY
	python3 -c '
import json, sys, yaml, jsonschema
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(yaml.safe_load(open(sys.argv[2])))' "$builddir/assertions/language/policy.schema.json" "$1"
}

# ---- the command line
run
tap_is "no recording is wrong usage" "$status" 2
run --help
tap_is "--help is no error" "$status" 0
tap_has "--help tells the options" "$out" '^  --margin SHARE '
for wrong in --margin=much --margin=-1 --quantile=p98 --least=0 --least=-1 --sight=x; do
	run $wrong x.pprec
	tap_is "$wrong is wrong usage" "$status" 2
done
tap_has "a wrong option is told" "$err" 'unrecognized option|usage:'
run nowhere.pprec
tap_is "a missing recording is a problem" "$status" 1
tap_has "a missing recording is named" "$err" 'nowhere\.pprec'

# ---- what is in the recording of the tests of reports: times, several sites, a counter that was not there
"$builddir/tests/system/make_recording" sample.pprec || exit 99
run sample.pprec
tap_is "a recording with too few samples is a problem" "$status" 1
tap_has "it is told how many there are" "$err" 'pixel_time at .* has 7 samples \(too few samples\)'
tap_is "and nothing is written" "$out" ""
run --least=5 sample.pprec
tap_is "unless so few are enough" "$status" 0
tap_has "times have units" "$out" "expect: 'pixel_time@\"trace\.c:trace_pixel/i1\"\.avg <= 1\.25 \* [0-9.]+ms'"
tap_has "a constant's origin is told" "$out" '^    # avg of 7 samples: .* ms; largest .* ms'
tap_has "what would say more is told" "$out" 'with "keep: histogram" it could be a quantile, like p99'
tap_has "sites with too few samples are told" "$out" '^#   .*: too few samples \([0-9]+ samples?\)'
tap_has "what could not be measured is told" "$out" '^#   l1_misses: this machine has no hardware counters'
cp out sample.yaml
tap_ok "the policy has the form that the schema demands" schema sample.yaml
tap_ok "ppctl check accepts it" "$PPCTL" check sample.yaml
run --least=5 --margin=50% --site=trace_pixel/i1 sample.pprec
tap_has "another margin" "$out" '<= 1\.5 \* '
tap_is "only the sites that are wanted" "$(grep -c '^  - {metric' <<<"$out")" "$(grep -c '^  - {metric.*trace_pixel/i1' <<<"$out")"
run --least=5 --site=nowhere/i1 sample.pprec
tap_is "no such site is a problem" "$status" 1
tap_has "which is told" "$err" 'no site with samples has a name that --site says'

# ---- round trip
# shellcheck disable=SC2086 # lists of options
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$here/bakery.c" -o bakery -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_POLICY=$here/bakery.yaml ./bakery 100 >/dev/null
run bakery.*.pprec
tap_is "a calm run suggests a policy" "$status" 0
tap_has "a histogram gives its quantile, of captured values without a unit" "$out" "'price@\"bakery\.c:bake/cake\"\.p99 <= 1\.25 \* (109|110|111)'"
tap_has "and tells average and median" "$out" '# p99 of 2000 samples: .*; average 105, median 105; largest 110'
tap_has "below 0 the margin goes upwards too" "$out" "'loss@\"bakery\.c:bake/bread\"\.avg <= 0\.75 \* -10[45]'"
tap_has "1 in so many is bound as it was" "$out" '^  - \{metric: rare, sites: \["bakery\.c:bake/cake"\], every: 50\}'
tap_has "counts keep no value" "$out" '^#   cakes at .*: it keeps no average'
tap_has "nor do scalars" "$out" '^#   newest at .*: it keeps no average'
tap_has "what was always 0 is told" "$out" '^#   none at .*: it was always 0 \(2000 samples\)'
tap_has "too few for a constant" "$out" '^#   few at .*: too few samples \(20 samples\)'
tap_has "a metric of the program's own functions is not declared again" "$out" '^# oven, stats of heat, measures by functions of the program'
tap_has "but expected of" "$out" "'oven@\"bakery\.c:bake/oven\"\.avg <= 1\.25 \* 181'"
cp out suggested.yaml
tap_ok "the schema accepts it" schema suggested.yaml
tap_ok "so does ppctl check, with the program" "$PPCTL" check --binary bakery suggested.yaml
tap_is "when the program does as before, all of it holds" "$(PP_POLICY=suggested.yaml ./bakery 100 2>err | grep -vc ' held$')" 0
slower=$(PP_POLICY=suggested.yaml ./bakery 200 2>err)
tap_has "when it costs twice as much, that fires" "$slower" '^price_bake_cake fired$'
tap_has "and is told" "$(cat err)" 'price_bake_cake fired: price@"bakery.c:bake/cake"\.p99 <= 1\.25 '

# ---- metrics are declared as they were: only so they are the same metrics
cat >asked.c <<'END'
#include <pp.h>
#pragma pp metric own interval stats(elapsed, scope=self)
static double sum_of (double begin, double end)
{
	return begin + end;
}
PP_OPERATOR (sum_of)
static int64_t length (void)
{
	return 3;
}
PP_SOURCE_POINT_INT (queue, length, "")
static volatile long sink;
__attribute__ ((noipa)) static void outer (void)
{
#pragma pp interval outer(own)
	for (int i = 0; i < 2000; i++)
		sink++;
#pragma pp point waiting
}
int main (void)
{
	for (int i = 0; i < 300; i++)
		outer ();
	return 0;
}
END
cat >asked.yaml <<'END'
version: 1
metrics:
  counted:   {interval: "papi:PAPI_L2_TCA", keep: stats, fallback: [cache_references, minor_faults]}
  cor:       {interval: elapsed, keep: stats, corrected: true}
  proper:    {interval: elapsed, keep: stats, scope: self}
  lately:    {interval: elapsed, keep: stats, window: 1500ms}
  seldom:    {interval: elapsed, keep: histogram, every: 4}
  quotient:  {interval: resident, keep: stats, operator: ratio}
  newest:    {interval: minor_faults, keep: bounded_series, size: 50, operator: last, optional: true}
  both:      {interval: resident, keep: stats, operator: sum_of}
  waiting:   {point: queue, keep: stats}
bind:
  - {metric: counted, sites: [outer/outer]}
  - {metric: cor, sites: [outer/outer]}
  - {metric: proper, sites: [outer/outer]}
  - {metric: lately, sites: [outer/outer]}
  - {metric: seldom, sites: [outer/outer]}
  - {metric: quotient, sites: [outer/outer]}
  - {metric: newest, sites: [outer/outer]}
  - {metric: both, sites: [outer/outer]}
  - {metric: waiting, sites: [outer/waiting]}
record: {file: asked.pprec}
END
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" asked.c -o asked -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_POLICY=asked.yaml ./asked >said 2>&1
run asked.pprec
tap_is "metrics of every form suggest a policy" "$status" 0
tap_has "scope is kept" "$out" '^  proper: \{interval: elapsed, keep: stats, scope: self\}$'
tap_has "also of the program's own metric" "$out" '^  own: \{interval: elapsed, keep: stats, scope: self\}$'
tap_has "corrected is kept" "$out" '^  cor: \{interval: elapsed, keep: stats, corrected: true\}$'
tap_has "window is kept" "$out" '^  lately: \{interval: elapsed, keep: stats, window: 1500ms\}$'
tap_has "every is kept" "$out" '^  seldom: \{interval: elapsed, keep: histogram, every: 4\}$'
tap_has "operators are kept" "$out" '^  both: \{interval: resident, keep: stats, operator: sum_of\}$'
tap_has "optional is kept" "$out" '^  newest: \{interval: minor_faults, keep: bounded_series, size: 50, operator: last, optional: true\}$'
tap_has "a source of the program's is named" "$out" '^  waiting: \{point: queue, keep: stats\}$'
cp out again.yaml
tap_ok "the schema accepts all that" schema again.yaml
tap_ok "so does ppctl check, with the program" "$PPCTL" check --binary asked again.yaml
PP_POLICY=asked.yaml:again.yaml ./asked >said 2>&1
tap_is "beside the policy that it came from no metric is another one" "$(grep -c 'declared differently' said)" 0

# ---- several processes
PP_POLICY=$here/bakery.yaml ./bakery 300 >/dev/null
run bakery.*.pprec
tap_has "of several processes the largest counts" "$out" "p99 <= 1\.25 \* (309|31[0-2])'"
tap_has "and their number is told" "$out" 'p99 of 4000 samples of 2 processes'
run --margin=0 bakery.*.pprec
tap_has "without a margin what is below 0 is not rounded down" "$out" "<= 1 \* -10[45]'"
run --quantile=p50 bakery.*.pprec
tap_has "another quantile" "$out" "p50 <= 1\.25 \* 30[4-7]'"
sed 's/keep: stats/keep: sumcount/' "$here/bakery.yaml" >other.yaml
PP_POLICY=other.yaml ./bakery 300 >/dev/null
run bakery.*.pprec
tap_is "recordings that contradict each other are a problem" "$status" 1
tap_has "which is told" "$err" 'the metric loss is stats of value in one recording and sumcount of value in another'
# a byte of a name that is no text: in comments it is replaced, what has it in its name is left out
"$builddir/tests/system/make_recording" strange.pprec strange
run --least=1 strange.pprec
tap_has "sites whose names are no text are left out" "$out" '^#   .*trace\?pixel/i1: the name of its site can.t be said'
cp out strange.yaml
tap_ok "and the rest is a policy" "$PPCTL" check strange.yaml
"$PPCTL" suggest --least=5 sample.pprec >/dev/full 2>err
tap_is "a full disk is a problem" "$?" 1
tap_done
