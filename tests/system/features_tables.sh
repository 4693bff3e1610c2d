#!/bin/bash
# SPDX-License-Identifier: MIT
# features_tables.sh: what ppctl features prints is tables, which people and programs read alike: the JSON is as its schema says, and whatever the
# text says of a feature can be made of it.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8

cat >deep.c <<'END'
#include <pp.h>
#include <stdlib.h>
static volatile unsigned long sink;
static void deep (int n)
{
#pragma pp feature lib.deep dim(odd = n % 2, half = n / 2.0, text = "it is a text")
	for (int i = 0; i < 20000; i++)
		sink = sink * 3 + 1;
	if (n)
		deep (n - 1);
}
static void never (void)
{
#pragma pp feature lib.never
	sink++;
}
static void open (void)
{
#pragma pp feature lib.open
	exit (0);
}
int main (int argc, char **argv)
{
	deep (1100);
	if (argc > 2)
		never ();
	open ();
}
END
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" deep.c -o deep -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
printf 'version: 1\nfeatures: {lib.deep: {functions: nothing, report: It goes deep.}}\n' >deep.features.yaml
for how in sampled exact; do
	printf 'version: 1\nprofile: {features: %s}\nrecord: {file: %s.pprec, overwrite: true}\n' $how $how >policy.yaml
	PP_POLICY=policy.yaml ./deep 2>err
	cp $how.pprec again_$how.pprec
	for by in instance place; do
		"$PPCTL" features --all --top 0 --by $by --features deep.features.yaml $how.pprec >${how}_$by.text 2>err
		"$PPCTL" features --all --top 0 --by $by --features deep.features.yaml $how.pprec again_$how.pprec >${how}_${by}_sum.text 2>err
	done
done
text=$(cat sampled_place.text)
tap_has "the text says how often was looked, and what that took" "$text" '^one look each 1 ms, which took [0-9]+ ms of CPU time$'
tap_has "... and what is broken down by" "$text" '^Cost Breakdown by place$'
tap_is "... unless it is instances" "$(grep 'Cost Breakdown by' sampled_instance.text)" ""

if ! "$PPCTL" features --json exact.pprec 2>/dev/null | grep -q '^{'; then
	tap_skip "the JSON is as its schema says, and all of the text is in it" "built without jansson"
	tap_done
	exit
fi
for how in sampled exact; do
	for by in instance place; do
		"$PPCTL" features --all --json --by $by --features deep.features.yaml $how.pprec >${how}_$by.json 2>err
		"$PPCTL" features --all --json --by $by --features deep.features.yaml $how.pprec again_$how.pprec >${how}_${by}_sum.json 2>err
	done
done
tap_is "there are tables to look at: measured and sampled, of one and of several" "$(echo ./*.json | wc -w)" 8

cat >say.py <<'END'
import json, sys

def s(n):
    return "" if n == 1 else "s"

def ms(seconds):
    return "-" if seconds is None else "%.0f" % (1e3 * seconds)

def part(one, exact, width):
    if not one["marks" if exact else "samples"]:
        how = "never seen"
    elif exact:
        how = "%d mark%s, ± %s ms; with what they take %s ms" % (one["marks"], s(one["marks"]), ms(one["margin_s"]), ms(one["raw_s"]))
    else:
        how = "± %s ms, %d sample%s" % (ms(one["margin_s"]), one["samples"], s(one["samples"]))
    return "  %*s ms : %s  (%s)" % (width, ms(one["time_s"]), one["name"], how)

def feature(one, head):
    exact, points = head["how"] == "exact", one["margin"]
    sure = "" if points is None else " (± %.2f points)" % (100 * points) if points < 1 else " (how sure that is, is not known)"
    yield ""
    yield one["name"]
    if "report" in one:
        yield one["report"]
    if not one["marks" if exact else "samples"]:
        yield "was never seen"
    else:
        yield "accounts for %.2f%% of total running time%s" % (100 * one["share"], sure)
        of = "%s / %s ms (" % (ms(one["time_s"]), ms(head["running_s"]))
        if exact:
            yield of + "%d mark%s; with what marks take %s / %s ms, %.2f%%)" % (one["marks"], s(one["marks"]), ms(one["raw_s"]), ms(head["raw_s"]), 100 * one["raw_share"])
        else:
            yield of + "%d of %d samples)" % (one["samples"], head["samples"])
    if one["parts"]:
        yield ""
        yield "Cost Breakdown" + ("" if head["by"] == "instance" else " by " + head["by"])
        width = max(len(ms(each["time_s"])) for each in one["parts"])
        yield from (part(each, exact, width) for each in one["parts"])

for name in sys.argv[1:]:
    all = json.load(open(name + ".json"))
    said = [line for one in all["features"] for line in feature(one, all["profile"])]
    text = open(name + ".text").read().split("\n")
    shown = text[text.index(""):][:len(said)]
    for a, b in zip(said, shown + [None] * len(said)):
        if a != b:
            print("%s: %r, not %r" % (name, b, a))
            break
    for lost in all["lost"]:
        if str(lost["n"]) not in "\n".join(text):
            print("%s: nothing of %s" % (name, lost))
    for one in all.get("recordings", []):
        kind = "marks" if "marks" in one else "samples"
        line = "  %s: %s, %s ms in %d thread%s, %d %s" % (one["file"], one["program"], ms(one["running_s"]), one["threads"], s(one["threads"]), one[kind], kind)
        if line not in text:
            print("%s: no line %r" % (name, line))
END
names="sampled_instance sampled_place sampled_instance_sum sampled_place_sum exact_instance exact_place exact_instance_sum exact_place_sum"
# shellcheck disable=SC2086
tap_is "all that the text says of features is in the JSON" "$(python3 say.py $names 2>&1)" ""
tap_has "what is lost is in both" "$(tr -d ' \n' <exact_place.json)" '"lost":\[\{"name":"depth","n":[0-9]+\}'
if ! python3 -c 'import jsonschema' 2>/dev/null; then
	tap_skip "the JSON is as its schema says, without a key more" "python3-jsonschema is missing"
else
	tap_is "the JSON is as its schema says, without a key more" "$(python3 - "$srcdir/report/features.schema.json" ./*.json <<'PY' 2>&1
import json, jsonschema, sys

def close(node):
    """Nothing that it does not name."""
    if isinstance(node, dict):
        if "properties" in node and "type" in node:
            node.setdefault("additionalProperties", False)
        for value in node.values():
            close(value)
    elif isinstance(node, list):
        for value in node:
            close(value)

schema = json.load(open(sys.argv[1]))
close(schema)
jsonschema.Draft202012Validator.check_schema(schema)
for path in sys.argv[2:]:
    for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(path))):
        print(path, error.json_path, error.message[:200])
PY
)" ""
fi
[ $tap_failed -eq 0 ] || sed 's/^/# /' sampled_instance.text err
tap_done
