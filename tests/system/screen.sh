#!/bin/bash
# SPDX-License-Identifier: MIT
# screen.sh: ppctl report at a glance: what is printed is compared with what people looked at (screens/), at three widths, with colour and without, in ASCII; what
# else may be asked for; --fail-on; and that the JSON is as its schema says. SCREENS=1 writes screens/ anew: look at them.
. "$srcdir/tests/tools/tap.sh"
tap_one_thread "the first screen"
tap_dir
here=$srcdir/tests/system/screens
cd "$tap_dir" || exit 99
export TZ=UTC LC_ALL=C.UTF-8
unset COLUMNS NO_COLOR CLICOLOR_FORCE
"$builddir/tests/system/make_recording" sample.pprec || exit 99

run () {
	status=0
	"$PPCTL" "$@" >out 2>err || status=$?
	out=$(cat out) err=$(cat err)
}

# looks_like NAME WHAT: out is as screens/NAME
looks_like () {
	[ -z "${SCREENS:-}" ] || cp out "$here/$1"
	tap_is "$2" "$(diff "$here/$1" out)" ""
}

for columns in 80 120 200; do
	COLUMNS=$columns run report sample.pprec
	looks_like "$columns.txt" "the first screen at $columns columns"
	tap_is "... fits them, and 24 lines with a prompt" "$(($(wc -L <out) <= columns)) $(($(wc -l <out) <= 23))" "1 1"
	COLUMNS=$columns CLICOLOR_FORCE=1 run report sample.pprec
	tap_is "... in colour it has the same words" "$(sed 's/\x1b\[[0-9;]*m//g' out | diff - "$here/$columns.txt")" ""
done
COLUMNS=80 LC_ALL=C run report sample.pprec
looks_like ascii.txt "with LC_ALL=C"
tap_is "... it is ASCII" "$(LC_ALL=C grep -c '[^ -~]' out)" 0
COLUMNS=80 CLICOLOR_FORCE=1 run report sample.pprec
looks_like colour.txt "with colour"
CLICOLOR_FORCE=1 NO_COLOR=1 run report sample.pprec
tap_is "NO_COLOR is stronger" "$(grep -c $'\e' out)" 0
run report sample.pprec
tap_is "what is no terminal has 80 columns and no colour" "$out" "$(cat "$here/80.txt")"
if command -v script >/dev/null; then
	tap_is "a terminal has colour, and its own width" \
		"$(script -qec "stty cols 120; TERM=xterm '$PPCTL' report sample.pprec" /dev/null | tr -d '\r' | grep -c $'\e.*expected')" 1
else
	tap_skip "a terminal has colour, and its own width" "script (bsdutils) is missing"
fi

# ---- what else may be asked for
COLUMNS=100 run report --sites sample.pprec
looks_like sites.txt "--sites: each metric at each site, and their markers"
run report --metric 'pixel_*' sample.pprec
tap_is "--metric: a pattern, by site" "$(awk 'NR > 3 { print $1, $2, $3 }' out)" "render_frame/frame pixel_time 1
trace_pixel/i1 pixel_time 7"
run report --site trace_pixel/i1 --sort n --top 1 sample.pprec
tap_is "--site, --sort and --top: of these the first" "$(awk 'NR <= 2 { print $1, $2, $3 }' out)" "site, 1 of
trace_pixel/i1 pixel_time 7"
run report --history sample.pprec
tap_is "--history: what happened" "$(awk 'NR <= 2 { print $1, $3 }' out)" "history 
0.000 policy"
run report --metric pixeltime sample.pprec
tap_is "a metric that was perhaps meant" "$status $err" "1 ppctl report: there is no metric 'pixeltime'; did you mean 'pixel_time'?"
run report --site nowhere sample.pprec
tap_is "a site that there is not" "$status $out" "1 "
run report --sort maxi sample.pprec
tap_is "an order that was perhaps meant" "$status $(head -1 err)" "2 ppctl report: --sort: metrics can't be sorted by 'maxi'; did you mean 'max'?"
run report --top 0 sample.pprec
tap_is "--top 0 is all, as in features" "$status" 0
run report --top none sample.pprec
tap_is "--top is a number" "$status" 2
run report --json --sites sample.pprec
tap_is "--json has everything" "$status" 2

# ---- --fail-on
for severity in info warning error; do
	run report --fail-on $severity sample.pprec
	tap_is "--fail-on $severity: an assertion that is an error has fired" "$status" 3
done
run report --fail-on critical sample.pprec
tap_is "--fail-on critical: nothing that bad" "$status" 0
run report --fail-on eror sample.pprec
tap_is "--fail-on: a severity that was perhaps meant" "$status $(head -1 err)" "2 ppctl report: --fail-on: there is no severity 'eror'; did you mean 'error'?"

# ---- the JSON
if ! python3 -c 'import jsonschema' 2>/dev/null || ! "$PPCTL" report --json sample.pprec >sample.json 2>/dev/null; then
	tap_skip "report --json is as its schema says" "python3-jsonschema is missing, or built without jansson"
else
	tap_is "report --json is as its schema says, without a key more" "$(python3 - "$srcdir/report/report.schema.json" sample.json <<'PY' 2>&1
import json, jsonschema, sys

def close(node):
    """Nothing that it does not name."""
    if isinstance(node, dict):
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        for value in node.values():
            close(value)
    elif isinstance(node, list):
        for value in node:
            close(value)

schema, report = (json.load(open(path)) for path in sys.argv[1:])
close(schema)
jsonschema.Draft202012Validator.check_schema(schema)
for error in jsonschema.Draft202012Validator(schema).iter_errors(report):
    print(error.json_path, error.message[:200])
PY
)" ""
fi
tap_done
