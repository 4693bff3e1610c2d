#!/bin/bash
# SPDX-License-Identifier: MIT
# proxy.sh: the distilling proxy under its policy. Load comes until its expectation breaks, goes on until latency has recovered, and goes; then pictures must
# become whole again. What is asserted is the order of what the recording tells; a busy machine makes it take longer.
. "$srcdir/tests/tools/tap.sh"
tap_dir
here=$builddir/samples/proxy
sentence="the proxy keeps its latency by its pictures' detail"
if [ ! -x "$here/proxy" ]; then
	tap_skip "$sentence" "built without libmicrohttpd, libcurl or libjpeg"
	tap_done
fi
if [ "$SANITIZER" = thread ]; then
	tap_skip "$sentence" "libmicrohttpd and libcurl are not built for ThreadSanitizer"
	tap_done
fi
if ! command -v python3 >/dev/null; then
	tap_skip "$sentence" "python3 is missing"
	tap_done
fi
cd "$tap_dir" || exit 99
unset PP_POLICY http_proxy
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$tap_dir"' EXIT

# told PATTERN TIMES: waits until the proxy has said it more often than that
told () {
	for _ in $(seq 1000); do
		[ "$(grep -c "$1" proxy.err)" -le "$2" ] || return 0
		kill -0 "$proxy" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# where FILE: the address on which a server listens, once it does
where () {
	for _ in $(seq 600); do
		grep -q '^listening on ' "$1" && break
		sleep 0.1
	done
	sed -n 's/^listening on //p' "$1"
}

limit=$("$here/proxy" --probe | sed -n 's/^limit_ms //p')
tap_ok "the proxy says which limit suits the machine" test -n "$limit"
sed "s/150ms/${limit}ms/g; s/proxy\.%p\.pprec/proxy.pprec/" "$srcdir/samples/proxy/policy.yaml" >policy.yaml
if "$PPCTL" check --help >/dev/null 2>&1; then
	program=$here/.libs/proxy
	[ -x "$program" ] || program=$here/proxy
	tap_ok "its policy is right for it" "$PPCTL" check --binary "$program" policy.yaml
fi

"$here/origin" >origin.out &
pids+=($!)
PP_POLICY=policy.yaml "$here/proxy" >proxy.out 2>proxy.err &
proxy=$!
pids+=("$proxy")
origin_at=$(where origin.out) proxy_at=$(where proxy.out)
load=("$here/load" --proxy="$proxy_at" --origin="$origin_at")
tap_ok "a client gets what it asks for, distilled" "${load[@]}" --requests=40

# one client all the time, and then a rush
"${load[@]}" >calm.out 2>&1 &
calm=$!
fired=$(grep -c 'distill_slow fired' proxy.err)
held=$(grep -c 'distill_slow: it holds again' proxy.err)
whole=$(grep -c 'pictures are whole again' proxy.err)
"${load[@]}" --add-every=30 >rush.out 2>&1 &
rush=$!
pids+=("$calm" "$rush")
tap_ok "under load the average of i1 breaks the expectation" told 'distill_slow fired' "$fired"
kill -USR1 "$rush"
tap_ok "latency recovers" told 'distill_slow: it holds again' "$held"
tap_ok "while the load is there" kill -0 "$rush"
kill "$rush"
wait "$rush"
tap_is "every client of the rush got what it asked for" "$?" 0
kill "$calm"
wait "$calm"
tap_is "so did the other one" "$?" 0
tap_ok "when nobody asks any more, pictures become whole again" told 'pictures are whole again' "$whole"
kill "$proxy"
wait "$proxy"
tap_is "the proxy ends well" "$?" 0
sed 's/^/# /' rush.out calm.out

if ! "$PPCTL" report --json proxy.pprec >report.json 2>report.err; then
	grep -q 'built without JSON' report.err || tap_ok "the recording is reported on" "$PPCTL" report proxy.pprec
	tap_skip "the recording tells the story" "built without jansson"
	tap_done
fi
cat >story.py <<'E2'
import json, sys
d = json.load(open('report.json'))
history = [(e['kind'], e['name'], e.get('to', 0) - e.get('from', 0), e['text']) for e in d['history']]
story = iter(history)
def then(kind, name, sign=0, text=''):
    ok = any(e[0] == kind and e[1] == name and e[2] * sign >= 0 and (not sign or e[2]) and text in e[3] for e in story)
    print('ok' if ok else 'no', kind, name, text)
then('fire', 'distill_slow')
then('bind', 'accesses', 0, 'i2')
then('bind', 'accesses', 0, 'i3')
then('knob', 'detail', -1)
then('clear', 'distill_slow')
then('unbind', 'accesses', 0, 'i2')
then('unbind', 'accesses', 0, 'i3')
then('fire', 'detail_needlessly_low')
then('knob', 'detail', 1)
then('clear', 'detail_needlessly_low')
n = {s['site'].split('/')[-1]: s['n'] for m in d['metrics'] for s in m['sites'] if m['name'] in ('accesses', 'elapsedTimeSeries')}
print('ok' if 0 < n['i2'] and 0 < n['i3'] and n['i2'] + n['i3'] < n['i1'] else 'no', 'samples', n)
knob = [k for k in d['knobs'] if k['name'] == 'detail'][0]
print('ok' if knob['value'] == knob['initial'] == 8 and knob['turned'] >= 2 else 'no', 'knob', knob)
slow = [a for a in d['assertions'] if a['name'] == 'distill_slow'][0]
print('ok' if slow['captures'][0]['avg_at_violations'] > 1 else 'no', 'captured', slow['captures'])
E2
out=$(python3 story.py)
sentences=("it tells that the expectation broke" "then accesses are bound to the work on pictures" "and to that on pages" "detail is lowered"
	"the expectation holds again" "nothing is bound to pictures any more" "nor to pages" "there is room" "detail is raised" "until it is whole"
	"pictures and pages were looked at while it was slow, and not always" "the knob is where it was at first" "several requests were active when it was slow")
for i in "${!sentences[@]}"; do
	tap_has "${sentences[i]}" "$(sed -n "$((i + 1))p" <<<"$out")" '^ok '
done
tap_done
