#!/bin/bash
# SPDX-License-Identifier: MIT
# span_dims.sh: spans carry dimensions, which any thread says of them until they end: in records, groups and the flight recorder.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

# shellcheck disable=SC2086
"$CC" -O2 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/events/span_dims.c" -o span_dims -L"$LIBPP" -lpp \
	-Wl,-rpath,"$LIBPP" -lpthread || exit 99
printf '%s\n' 'version: 1' 'record: {file: known.pprec, overwrite: true}' \
	'events: {records: request, aggregate: [{by: [method, status], sites: request}], flight: 1024}' >known.yaml

said="method=GET status=bad bytes=10
method=GET status=bad bytes=30
method=GET status=good bytes=0
method=GET status=good bytes=20
method=PUT status=bad bytes=50
method=PUT status=bad bytes=70
method=PUT status=good bytes=40
method=PUT status=good bytes=60"
PP_POLICY=known.yaml timeout 60 ./span_dims known >out 2>err
tap_is "dimensions are said by any thread until a span ends" "$? $(cat out)" "0 8"
tap_is "records have them, the newest of a key, in the order in which they came" \
	"$("$PPCTL" trace known.pprec | sed -n 's/.*request (span) //p' | tr -d '"' | sort)" "$said"
tap_is "groups are by them" "$("$PPCTL" report --all known.pprec | sed -n 's/^  \(GET\|PUT\)  *\([a-z]*\)  *\([0-9]*\) .*/\1, \2 \3/p' | sort)" "GET, bad 2
GET, good 2
PUT, bad 2
PUT, good 2"
tap_is "the flight recorder has them where the span is, whoever said them" \
	"$("$PPCTL" flight known.pprec | sed -n 's/.*request \(.*\)  (span)$/\1/p' | tr -d '"' | sort)" "$said"

# the site is made by main, behind the policy
cat >grouped.yaml <<'Y'
version: 1
record: {file: grouped.pprec, overwrite: true}
events: {aggregate: [{by: method, sites: [request, known/begin]}]}
metrics: {took: {interval: elapsed, keep: stats}}
bind: [{metric: took, sites: [request, known/begin]}]
assertions: {quick: {expect: 'took{method="GET"}.max < 1 h', every: 1 s, quiet: true}}
Y
PP_POLICY=grouped.yaml timeout 60 ./span_dims known >out 2>err
tap_is "an aggregate of a site that is made later is one of it, and nothing else is said" "$? $(grep -v 'pp: recorded' err)" "0 "

timeout 60 ./span_dims unbound >out 2>err
tap_is "while nobody measures they cost a call" "$? $(cat out)" "0 0"

printf '%s\n' 'version: 1' 'record: {file: race.pprec, overwrite: true}' 'events: {records: request, when_full: wait}' >race.yaml
PP_POLICY=race.yaml timeout 120 ./span_dims race 20000 >out 2>err
tap_is "who says one while the span ends does no harm" "$? $(cat out)" "0 20000"
"$PPCTL" trace --limit 0 race.pprec | sed -n 's/.*request (span) *//p' | tr -d '"' >got
tap_is "each span is one record" "$(wc -l <got)" 20000
tap_is "with nothing of another one's" "$(sed 's/number=[0-9]*//; s/one=one//; s/two=two//' got | tr -d ' \n')" ""
tap_is "and its own number, where there was room" "$(grep -o 'number=[0-9]*' got | sort | uniq -d | wc -l)" 0
tap_done
