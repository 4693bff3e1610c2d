#!/bin/bash
# SPDX-License-Identifier: MIT
# features_sum.sh: ppctl features adds up what features cost in several recordings, says of what, and refuses those of which there is no sum.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8

for program in rich shares; do
	# shellcheck disable=SC2086
	"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/features/$program.c" -o $program \
		-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
done
# run NAME PROFILE PROGRAM [ARGUMENT]...: a recording NAME.pprec
run () {
	name=$1 profile=$2
	shift 2
	printf 'version: 1\nprofile: %s\nfeatures: {off: off.contract}\nrecord: {file: %s.pprec}\n' "$profile" "$name" >policy.yaml
	PP_POLICY=policy.yaml "$@" 2>err || tap_show "$name" "$(cat err)"
}
# marks [OPTION]... FILE...: MARKS NAME of each instance
marks () {
	"$PPCTL" features --top 0 "$@" 2>&1 | sed -n 's/^ *[0-9]* ms : \(.*\)  (\([0-9]*\) marks\{0,1\}, .*/\2 \1/p' | LC_ALL=C sort
}

# ---- what was measured ---------------------------------------------------------------------------------------

run one '{features: exact}' ./rich 50
run two '{features: exact}' ./rich 30
run other '{features: exact}' ./shares 10
run three '{features: exact}' ./rich 1
run four '{features: exact}' ./rich 1
tap_is "marks of several recordings are added up, by instance" "$(marks --feature lib.contract one.pprec two.pprec)" \
	"80 contract=-> array, value=1, blamer=mixer, blamed=array
80 contract=-> array, value=1, blamer=seq, blamed=array
80 contract=-> int, value=-2, blamer=mixer, blamed=array"
tap_is "... by a value of their payloads" "$(marks --feature lib.contract --by contract one.pprec two.pprec)" "160 -> array
80 -> int"
tap_is "... and features of other programs come in" "$("$PPCTL" features one.pprec other.pprec | grep -E '^[a-z]+\.[a-z]+$' | LC_ALL=C sort | tr '\n' ' ')" \
	'call.request lib.a lib.b lib.contract lib.number lib.text vm.task '
tap_has "the head names them" "$("$PPCTL" features one.pprec two.pprec | head -n 1)" \
	'^rich, process [0-9]+ \+ rich, process [0-9]+: [0-9]+ ms of wall clock in 2 threads with marks, measured$'
tap_has "... the first ones of many" "$("$PPCTL" features one.pprec two.pprec other.pprec three.pprec four.pprec | head -n 1)" \
	'^rich, process [0-9]+ \+ rich, process [0-9]+ \+ shares, process [0-9]+ \+ 2 more: [0-9]+ ms of wall clock in [0-9]+ threads'
"$PPCTL" features one.pprec other.pprec >both
tap_has "... and a line is of each" "$(cat both)" '^  one\.pprec: rich, process [0-9]+, [0-9]+ ms in 1 thread, [0-9]+ marks$'
tap_has "... with its own threads" "$(cat both)" '^  other\.pprec: shares, process [0-9]+, [0-9]+ ms in [0-9]+ threads, [0-9]+ marks$'
"$PPCTL" features --top 1 one.pprec two.pprec other.pprec >first
tap_is "... as far as --top goes" "$(grep -A 1 '^  one\.pprec: ' first | tail -n 1)" "  [2 more; --top 0 shows all]"
tap_is "one alone has no such line" "$("$PPCTL" features one.pprec | grep -c 'one\.pprec')" 0
cp one.pprec copy.pprec
"$PPCTL" features one.pprec >once
tap_is "one that is given again, or a copy of it, counts once" "$("$PPCTL" features one.pprec copy.pprec one.pprec 2>err | cmp - once 2>&1)" ""
tap_is "... which is said" "$(cat err)" "ppctl features: 2 recordings were given before, and count once"

# ---- what was sampled ----------------------------------------------------------------------------------------

for name in a b; do
	run $name '{features: sampled, clock: cpu}' ./shares 200
done
if "$PPCTL" features --json a.pprec b.pprec >json 2>err && grep -q '^{' json; then
	tap_is "threads of several programs are apart" \
		"$("$PPCTL" features --json --by thread --feature lib.b a.pprec b.pprec | grep -oE 'shares, thread [0-9]+ of [ab]\.pprec' | sed 's/.* //' | sort | tr '\n' ' ')" \
		'a.pprec a.pprec b.pprec b.pprec '
	"$PPCTL" features --json a.pprec >json.a
	"$PPCTL" features --json b.pprec >json.b
	tap_is "the JSON says the same" "$(python3 -c '
import json
sum, *each = [json.load (open (name)) for name in ("json", "json.a", "json.b")]
head, heads = sum["profile"], [one["profile"] for one in each]
assert head["recordings"] == 2 and [one["recordings"] for one in heads] == [1, 1]
for key in "running_s", "samples", "threads", "marks", "sampler_cpu_s":
	assert abs (head[key] - heads[0][key] - heads[1][key]) < 1e-9, key
assert [one["file"] for one in sum["recordings"]] == ["a.pprec", "b.pprec"] and "recordings" not in each[0]
def parts (all): return {(one["name"], part["name"]): part["samples"] for one in all["features"] for part in one["parts"]}
of = [parts (one) for one in each]
assert parts (sum) == {key: of[0].get (key, 0) + of[1].get (key, 0) for key in {**of[0], **of[1]}}
print (sum["features"][0]["name"])')" lib.b
else
	tap_skip "the JSON says the same" "built without jansson"
fi

# ---- analyses of one's own -----------------------------------------------------------------------------------

"${CC%% *}" -O1 -shared -fPIC -I"$srcdir/include" "$srcdir/samples/features/contract_graph.c" -o contract_graph.so || exit 99
checks () {
	"$PPCTL" features --plugin ./contract_graph.so --section contracts "$@" | sed -n 's/^ *[0-9]* ms : \(.* -> .*\)  (\([0-9]*\) check.*/\2 \1/p' | sort
}
tap_is "a plug-in has the instances of all" "$(checks one.pprec two.pprec)" "160 mixer -> array
80 seq -> array"
tap_is "... each once: of two that have the same it is as long as of one" \
	"$("$PPCTL" features --plugin ./contract_graph.so --section contracts one.pprec two.pprec | wc -l)" \
	"$("$PPCTL" features --plugin ./contract_graph.so --section contracts one.pprec | wc -l)"

# ---- of what there is no sum ---------------------------------------------------------------------------------

# refused FILE...: the exit status, and what is said
# shellcheck disable=SC2069
refused () {
	"$PPCTL" features "$@" 2>&1 >out
	echo "$? $(wc -c <out)"
}
tap_is "what was measured and what was sampled have no sum" "$(refused one.pprec two.pprec a.pprec)" \
	"ppctl features: one.pprec was measured and a.pprec was sampled: there is no sum of them
1 0"
tap_has "... and what is asked for must be in each" "$(refused --how exact one.pprec a.pprec | tr '\n' ' ')" '^ppctl features: a.pprec has no profile of features that is exact: .* 1 0 $'
run wall '{features: sampled}' ./shares 50
tap_is "nor have two clocks" "$(refused a.pprec wall.pprec)" "ppctl features: wall.pprec is of the wall clock, and the others are of CPU time: there is no sum of them
1 0"
run none '{sites: [whole]}' ./shares 50
tap_has "one in which no feature was watched is named" "$(refused wall.pprec none.pprec)" '^ppctl features: none.pprec: no feature was watched'
printf 'version: 1\nrecord: {file: bare.pprec}\n' >policy.yaml
PP_POLICY=policy.yaml ./shares 1 2>err
tap_has "... and so is one without a profile" "$(refused a.pprec bare.pprec)" '^ppctl features: bare.pprec has no profile of features'
echo nothing >nothing
tap_has "... and what is no recording" "$(refused a.pprec nothing)" '^ppctl features: nothing '
tap_has "a feature that is in none of them is told" "$(refused --feature nothing a.pprec b.pprec)" "ppctl features: a.pprec and the others: of the features that match 'nothing' none was seen"
[ $tap_failed -eq 0 ] || sed 's/^/# /' once err out
tap_done
