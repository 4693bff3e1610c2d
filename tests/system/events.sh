#!/bin/bash
# SPDX-License-Identifier: MIT
# events.sh: a policy has executions recorded one by one, and what is read back is what the program knows that it did: who ran inside whom, and each dimension.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
dump=$builddir/tests/system/events/dump_records
here=$srcdir/tests/system/events

# build COMPILER SOURCE NAME
build () {
	# shellcheck disable=SC2086
	"$1" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$here/$2" -o "$3" \
		-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
}
build "$CC" visits.c visits
build "$CXX" visits.cc visits_cc
build "$CC" storm.c storm
build "$CC" calls.c calls
build "$CC" ticking.c ticking
build "$CC" deep.c deep
build "$CXX" calls.cc calls_cc
build "$CC" late.c late
build "$CXX" late.cc late_cc

# policy NAME EVENTS [RECORD]
policy () {
	printf 'version: 1\nevents: %s\nrecord: %s\n' "$2" "${3:-{file: $1.pprec\}}" >"$1.yaml"
}

# last FILE WHAT: the number behind WHAT in the last line of a dump
last () {
	tail -n 1 "$1" | sed -n "s/.*\b$2 \([0-9]*\).*/\1/p"
}

# compare WHAT GOT: each thread's own file of what it did, in the order of the ends, is what was recorded of it. Spans, and what ran on fibres, come
# behind a thread's other records: as many lines as the file has are its own.
compare () {
	local file thread bad=0
	for file in expected.*; do
		thread=${file#expected.}
		grep "^$thread " "$2" | head -n "$(wc -l <"$file")" | tac | cmp -s - "$file" || bad=$((bad + 1))
	done
	tap_is "$1" "$bad of $(ls expected.* | wc -l) threads differ" "0 of ${3:-4} threads differ"
}

# ---- what a program did ------------------------------------------------------------------------------------------

policy c '{records: ["**"]}'
PP_POLICY=c.yaml timeout 60 ./visits 2>err
tap_is "a program runs while its executions are recorded" $? 0
"$dump" c.pprec >got 2>&1
tap_is "its records are read" $? 0
"$PPCTL" query --json c.pprec event >query.json 2>err.query
tap_ok "what recording one takes was measured, in it and around it, and is deducted" \
	grep -Eq '"cost_ns": *[0-9.]*[1-9].*"cost_deducted_ns": *[0-9.]*[1-9]' <(tr -d '\n' <query.json)
compare "each thread's records are what it did, nested as it was, with their dimensions" got
tap_is "nothing is dropped or missing, and times lie in each other as records do" "$(tail -n 1 got | sed 's/^records [0-9]* //')" "dropped 0 gaps 0 wrong 0"
main=$(sed -n '1s/ .*//p' spans)
grep "^$main " got | tail -n "+$(($(wc -l <"expected.$main") + 1))" | grep -v span | tac >on_fibres
tap_ok "what ran on one fibre is in nothing of another's" eval 'cat fibre.0 fibre.1 | cmp -s - on_fibres || cat fibre.1 fibre.0 | cmp -s - on_fibres'
tap_is "spans are records, and nest in nothing" "$(grep ' span ' got)" "$(cat spans)"
tap_is "as many records as executions" "$(last got records)" "$(cat expected.* fibre.* spans | wc -l)"
tap_has "where they are is said as ever" "$(cat err)" "c.pprec"

rm -f expected.*
policy cc '{records: ["**"]}'
PP_POLICY=cc.yaml timeout 60 ./visits_cc 2>/dev/null
"$dump" cc.pprec >got 2>&1
compare "in C++ too, where exceptions leave intervals" got
tap_is "and nothing is missing" "$(tail -n 1 got | sed 's/^records [0-9]* //')" "dropped 0 gaps 0 wrong 0"

policy some '{records: [leaf, "touched"]}'
rm -f expected.*
PP_POLICY=some.yaml timeout 60 ./visits 2>/dev/null
"$dump" some.pprec >got 2>&1
tap_is "only the sites of the patterns are recorded" "$(awk 'NF > 3 && !/^records/ { print $4 }' got | sort -u | tr '\n' ' ')" "leaf touched "
tap_is "and what is around them is none of theirs" "$(grep ' leaf ' got | awk '{ print $2 }' | sort -u)" 0

# without a word of where: PROGRAM.PID.pprec, as profiles are
printf 'version: 1\nevents: {records: leaf}\n' >nowhere.yaml
PP_POLICY=nowhere.yaml timeout 60 ./visits 2>err
rec=$(ls visits.*.pprec)
tap_has "without 'record' they have a file of their own, which is said" "$(cat err)" "events were recorded in .*/$rec"
"$dump" -c "$rec" >got 2>&1
tap_ok "and it has them" test "$(last got records)" -gt 100

# ---- patterns that no site matches -------------------------------------------------------------------------------

policy typo '{records: [outer, outre], aggregate: [{by: event, sites: [inner, "g*e", outre]}], flight: {sites: [evnt, event]}}'
PP_POLICY=typo.yaml timeout 60 ./late >/dev/null 2>err
tap_has "patterns of 'events' that matched no site are said at the end, with what may have been meant" "$(cat err)" "typo.yaml: never found, so what it says of them had no effect: site 'outre' \(did you mean 'outer'\?\), site 'g\*e', site 'evnt' \(did you mean 'event'\?\)$"
tap_is "and in the recording, each once" "$("$PPCTL" report --json typo.pprec | grep '"what"' | sed 's/^ *//')" "\"what\": \"site matches 'outre' yet\"
\"what\": \"site matches 'g*e' yet\"
\"what\": \"site matches 'evnt' yet\""
policy none '{records: outre, flight: {sites: evnt}}'
PP_POLICY=none.yaml timeout 60 ./late >/dev/null 2>&1
tap_has "where that is why there are no records, a query says so" "$("$PPCTL" query none.pprec event 2>&1)" "no site matched 'outre', 'evnt'$"
tap_has "and so does ppctl flight" "$("$PPCTL" flight none.pprec 2>&1)" "no site matched 'outre', 'evnt'$"

# ---- what a policy of nothing but events is told -----------------------------------------------------------------

tap_has "ppctl check says what a policy asks for of events" "$("$PPCTL" check typo.yaml)" '^typo.yaml: no errors; 0 metrics, 0 bindings, 0 assertions, records by 2 patterns, 1 aggregate, a flight recorder of 256 '
tap_has "at the end what shows its records is named" "$(cat err)" "^pp: recorded; see: ppctl query '.*/typo.pprec'$"
policy flown '{flight: 64}'
PP_POLICY=flown.yaml timeout 60 ./late >/dev/null 2>err
tap_has "or what shows its flight recorder" "$(cat err)" "^pp: recorded; see: ppctl flight '.*/flown.pprec'$"

# ---- what is wrong with a policy, before and when it is loaded ---------------------------------------------------

policy late_keys '{aggregate: [{by: [first, secnd], sites: outer}]}'
tap_is "ppctl check knows dimensions that only '#pragma pp dim' makes" "$("$PPCTL" check --binary late late_keys.yaml 2>&1 | grep -o "has a dimension '[a-z]*'")" "has a dimension 'secnd'"
printf 'version: 1\nevents:\n  aggregate:\n' >five.yaml
for by in first second third fourth '[of, event]'; do
	printf '    - {by: %s, sites: [outer, inner]}\n' "$by"
done >>five.yaml
tap_has "ppctl check says which aggregate leaves out a site that is in too many" "$("$PPCTL" check --binary late five.yaml 2>&1)" "^five.yaml:8:13: warning: this aggregate leaves out late!.*/(outer|inner): a site can be in 4 aggregates, with 8 dimensions in all$"
PP_POLICY=five.yaml timeout 60 ./late >/dev/null 2>err
tap_is "so does the library, once" "$(grep -c 'five.yaml:8: the aggregate by of, event leaves out late!.*/\(outer\|inner\): a site can be in 4 aggregates, with 8 dimensions in all' err) $(grep -c 'leaves out' err)" "1 1"

# ---- events as calls ---------------------------------------------------------------------------------------------

lines=()
for language in calls calls_cc; do
	policy $language '{records: ["**"]}'
	tap_is "$language: ids, nesting and threads are as they are said to be" "$(PP_POLICY=$language.yaml timeout 60 ./$language 2>err)" "0 wrong"
	tap_has "$language: who broke the nesting is said, and where" "$(cat err)" "event \"second\", begun at $language\\+0x[0-9a-f]+, was open when \"first\", which was begun before it, ended at $language\\+0x[0-9a-f]+: such"
	tap_is "$language: ... once for each pair of places" "$(grep -c 'was open when' err)" 2
	for place in 'broken: begun' 'broken: ended'; do
		lines+=("$(grep -n "$place" "$here/calls.h" | cut -d: -f1)")
	done
	tap_has "$language: a query says both lines" "$("$PPCTL" query $language.pprec)" \
		"nesting: \"second\" was begun at nesting \\(.*calls.h:${lines[0]}\\) and was open when \"first\", which was begun before it, ended at nesting \\(.*calls.h:${lines[1]}\\)"
	tap_has "$language: ... of calls that are the last of their function, too" "$("$PPCTL" query $language.pprec)" \
		'was begun at begins \(.*calls.h:[0-9]+\) .* ended at ends \(.*calls.h:[0-9]+\)'
	tap_has "$language: ... and so does the history" "$("$PPCTL" report --history $language.pprec)" "nesting +second +was begun at nesting \\(.*calls.h:${lines[0]}\\)"
	cp $language.pprec moved.pprec
	mv $language aside
	tap_has "$language: a file that is gone has addresses" "$("$PPCTL" query moved.pprec)" "\"second\" was begun at /.*/$language\\+0x[0-9a-f]+ and was open when .* ended at /.*/$language\\+0x[0-9a-f]+\$"
	cp -L /bin/sh $language
	tap_has "$language: ... and so has one that was built anew" "$("$PPCTL" query moved.pprec)" "\"second\" was begun at /.*/$language\\+0x[0-9a-f]+ and"
	mv aside $language
	lines=()
	"$dump" $language.pprec >got 2>&1
	tap_is "$language: records have the dimensions of begins, ends, and those between" "$(grep -v -e deep\ n -e many\ n -e ^records got | sed 's/^[0-9]* //')" "$(cat "$here/calls.dump")"
	tap_is "$language: each of many has its own" "$(grep -c 'deep n=\([0-9]*\) end=-\1$' got)" 200
	tap_is "$language: none of so many is lost" "$(grep -c "many n=" got)" 20000
	tap_is "$language: nothing else is lost" "$(tail -n 1 got)" "records 20213 dropped 0 gaps 0 wrong 0"
done

# ---- dimensions that are known only inside -------------------------------------------------------------------------

for language in late late_cc; do
	policy $language '{records: ["**"]}'
	tap_is "$language: what a dimension computes is not computed for nobody" "$(timeout 60 ./$language null 2>&1 | grep computed)" "computed 0"
	tap_is "$language: ... and once for each record" "$(PP_POLICY=$language.yaml timeout 60 ./$language 2>err)" "computed 3"
	"$dump" $language.pprec >got 2>&1
	tap_is "$language: each reaches the record of its own execution, whatever else is open" "$(grep -v -e many -e ^records got | sed 's/^[0-9]* //')" "$(cat "$here/late.dump")"
	tap_is "$language: each of many has its own" "$(sed -n 's/.* many i=//p' got | sort -n | uniq | wc -l)" 10000
	tap_is "$language: nothing is lost" "$(tail -n 1 got)" "records 10014 dropped 0 gaps 0 wrong 0"
done
policy outer '{records: [outer]}'
PP_POLICY=outer.yaml timeout 60 ./late >/dev/null 2>&1
tap_is "what is recorded of several that are open gets its own alone" "$("$dump" outer.pprec 2>&1 | sed -n 's/^[0-9]* //p' | head -n 1)" "0 interval outer first=3 of=event second=2"
printf 'version: 1\nmetrics: {m: {interval: elapsed, keep: stats}}\nbind: [{metric: m, sites: ["**"]}]\n' >metric.yaml
tap_is "a metric of an interval computes none" "$(PP_POLICY=metric.yaml timeout 60 ./late null 2>&1 | grep computed)" "computed 0"

# ---- strings -----------------------------------------------------------------------------------------------------

policy few '{records: visit, strings: 3}'
rm -f expected.*
PP_POLICY=few.yaml timeout 60 ./visits 2>/dev/null
"$dump" few.pprec >got 2>&1
tap_is "of more strings than there may be the rest is \"other\"" "$(grep -o 'name=.*at' got | sort -u | wc -l) $(grep -c 'name=other at' got | grep -vx 0 >/dev/null && echo other)" "4 other"
tap_has "and they are counted" "$("$PPCTL" report few.pprec 2>&1)" 'not exact: texts found no room [0-9]+ times'
tap_has "... above the tables, too" "$("$PPCTL" query few.pprec name)" '^[0-9]+ not exact \(strings\): '

# ---- what headers take -------------------------------------------------------------------------------------------

cat >classes.cc <<'END'
#include <pp.h>
#include <string>

int main ()
{
	const std::string name = "get";
	int64_t id = pp_event_begin ("call", PP_DIM ("name", name), PP_DIM ("none", nullptr));

	return pp_event_end (id, PP_DIM ("ends", std::string ("well")));
}
END
# shellcheck disable=SC2086
"$CXX" -O1 -Wall -Wextra -Werror $SANITIZER_FLAGS -I"$srcdir/include" classes.cc -o classes -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" 2>err
tap_is "C++: classes with a text are dimensions, and so is nullptr" "$? $(cat err)" "0 "
policy classes '{records: call}'
PP_POLICY=classes.yaml timeout 60 ./classes 2>err
tap_has "... with their texts" "$("$PPCTL" trace classes.pprec)" 'call .*name="get".* ends="well"'
kinds='kinds low=5 less=-7 wide=549755813888 wide_less=-274877906944 is=true shade=3 constant="constant" text="text" found=true
kinds shade=3 large=18446744073709551615 plain=7 bit=true flag=true late=0 constant="constant" text="text" addresses=true'
policy kinds '{records: kinds}'
for language in c cc; do
	[ $language = c ] && compiler="$CC -std=c99" || compiler="$CXX -std=c++11"
	# shellcheck disable=SC2086
	$compiler -O1 -Wall -Wextra -Werror $SANITIZER_FLAGS -I"$srcdir/include" "$here/kinds.$language" -o kinds -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" 2>err
	tap_is "$language: values of every kind are taken without a warning" "$? $(cat err)" "0 "
	PP_POLICY=kinds.yaml timeout 60 ./kinds 2>err
	tap_is "... as what they are: no address or enumeration is a boolean, no bit-field an address" \
		"$("$PPCTL" trace kinds.pprec | sed -n 's/.* kinds /kinds /p')" "$(sed -n "$([ $language = c ] && echo 1 || echo 2)p" <<<"$kinds")"
done
printf '#include <pp.h>\nstruct s { int m; void f (); };\npp_event_dim a = PP_DIM ("m", &s::m), b = PP_DIM ("f", &s::f);\n' >members.cc
tap_is "C++: a pointer to a member is an error that says so" "$("$CXX" -fsyntax-only -I"$srcdir/include" members.cc 2>&1 | grep -c 'error: .*a pointer to a member is no value of a dimension')" 2
cat >nine.c <<'END'
#include <pp.h>

#define D PP_DIM ("a", 1)

int main (void)
{
	return pp_event_begin ("call", D, D, D, D, D, D, D, D, D) < 0;
}
END
tap_has "C: a ninth dimension is an error that says so" "$("$CC" -fsyntax-only -I"$srcdir/include" nine.c 2>&1)" "an event has at most 8 dimensions"

cat >empty.c <<'END'
#include <pp.h>

int main (void)
{
	return pp_event_begin ("") != PP_EINVAL || pp_dropped (PP_DROP_POOL) != 0;
}
END
# shellcheck disable=SC2086
"$CC" $SANITIZER_FLAGS -I"$srcdir/include" empty.c -o empty -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
policy empty '{records: "**"}'
tap_ok "an event without a type is wrong usage, and not counted as dropped" env PP_POLICY=empty.yaml timeout 60 ./empty

# ---- deeper than is kept -----------------------------------------------------------------------------------------

policy deep '{records: deep}'
PP_POLICY=deep.yaml timeout 60 ./deep 2>/dev/null
# says_loss VERB ARGUMENT...
says_loss () {
	local out
	out=$("$PPCTL" "$@" 2>&1)
	if grep -q "built without SQL" <<<"$out"; then
		tap_skip "$1 says what was lost, and why" "ppctl was built without SQL"
	else
		tap_has "$1 says what was lost, and why" "$out" '^476 dropped \(depth\): intervals and marks nested deeper than 1,024$'
	fi
}
says_loss query deep.pprec n
says_loss trace deep.pprec
says_loss sql deep.pprec "select count(*) from records"
if ! "$PPCTL" query --json deep.pprec n >deep.json 2>err; then
	tap_skip "and so does JSON" "$(cat err)"
else
	tap_has "and so does JSON" "$(tr -d ' \n' <deep.json)" '"dropped":476,"dropped_by_cause":\{"depth":476\}'
fi

# ---- still open at the end ---------------------------------------------------------------------------------------

policy ended '{records: "**"}'
PP_POLICY=ended.yaml timeout 60 ./deep open 2>/dev/null
open='6 dropped \(open\): events that were still open when their thread or the process ended'
tap_is "what is open when its thread or the process ends is no record" "$("$dump" ended.pprec 2>&1 | grep -v ^records | sed 's/^[0-9]* //')" "0 interval done n=1"
tap_has "a query says how many those are, and why" "$("$PPCTL" query ended.pprec event 2>&1)" "^$open\$"
if ! "$PPCTL" query --json ended.pprec event >ended.json 2>err; then
	tap_skip "so does its JSON" "$(cat err)"
else
	tap_has "so does its JSON" "$(tr -d ' \n' <ended.json)" '"dropped":6,"dropped_by_cause":\{"open":6\}'
fi
tap_has "and a report" "$("$PPCTL" report ended.pprec)" "^not measured: 6 \(open 6\)\$"
policy grouped '{aggregate: [{by: n, sites: "**"}]}'
PP_POLICY=grouped.yaml timeout 60 ./deep open 2>/dev/null
tap_has "executions that would have been counted in groups are told likewise" "$("$PPCTL" query grouped.pprec n 2>&1)" "^$open\$"
rm -f nobody.*
policy nobody '{records: nobody}'
PP_POLICY=nobody.yaml timeout 60 ./deep open 2>/dev/null
tap_is "those that nobody asked for are not" "$("$PPCTL" query nobody.pprec n 2>&1 | grep -c 'still open')" 0

# ---- sites that come late ----------------------------------------------------------------------------------------

policy types '{records: ["odd*", even1000], aggregate: [{by: n, sites: ["even*"]}, {by: [event, n], sites: ["**"], max_groups: 4000}]}'
PP_POLICY=types.yaml timeout 60 ./deep types 2>/dev/null
"$dump" types.pprec >got 2>&1
tap_is "of many sites that come late those that patterns match are recorded" "$(grep -c ' odd[0-9]* n=' got) $(grep -c ' even1000 n=0$' got) $(last got records)" "1000 1 1001"
tap_is "and those of aggregates are in them, each in its own" "$("$PPCTL" query --aggregate --csv types.pprec n | awk -F, 'NR > 1 { print $2 ":" $9 }' | sort | tr '\n' ' ') $("$PPCTL" query --aggregate --csv types.pprec event | grep -c ',1,0.05')" "0:200 2:200 4:200 6:200 8:200  2000"

# ---- more than fits ----------------------------------------------------------------------------------------------

# Without the library's thread nobody takes anything until the end. storm: as many of two dimensions as it is told
policy full '{records: tiny}'
PP_THREADS=0 PP_POLICY=full.yaml timeout 100 ./storm 3000000 2>/dev/null
"$dump" -c full.pprec >got 2>&1
tap_ok "what has no room is dropped" test "$(last got dropped)" -gt 0
tap_is "and counted: with what is there it is all there was" "$(($(last got dropped) + $(last got records)))" 3000000
tap_is "what is there is whole" "$(last got gaps) $(last got wrong)" "0 0"

policy wait '{records: tiny, when_full: wait}'
PP_POLICY=wait.yaml timeout 100 ./storm 3000000 2>/dev/null
"$dump" -c wait.pprec >got 2>&1
tap_is "with 'when_full: wait' nothing is dropped" "$(cat got)" "records 3000000 dropped 0 gaps 0 wrong 0"
# a file that is cut off where nobody has the region any more: what its entries name comes before them
head -c $(($(stat -c %s wait.pprec) / 9)) wait.pprec >cut.pprec
"$dump" -c cut.pprec >got 2>&1
tap_ok "of a file that was cut off all chunks before the cut are read" test "$(last got records)" -gt 10000 -a "$(last got wrong)" -eq 0
bytes=$(stat -c %s wait.pprec)
tap_ok "two dimensions take at most 8 bytes a record" test "$((bytes / 3000000))" -lt 8
PP_THREADS=0 PP_POLICY=wait.yaml timeout 100 ./storm 10 2>err
tap_has "... which is an error without the library's thread" "$(cat err)" "wait.yaml:2:9: .*'when_full: wait' waits for the library's thread"

# ---- who is killed -----------------------------------------------------------------------------------------------

# storm N kill: by its own hand, amid an interval, once the first records are in the file
policy killed '{records: tiny}' '{file: killed.pprec, interval: 100ms}'
(PP_POLICY=killed.yaml timeout 100 ./storm 3000000 kill) >/dev/null 2>&1
"$dump" -c killed.pprec >got 2>&1
tap_is "what a killed process had written is read" $? 0
records=$(last got records)
tap_ok "and it is whole" test "$(last got wrong)" -eq 0 -a "${records:-0}" -gt 0
"$PPCTL" report killed.pprec >/dev/null 2>&1
"$dump" -c killed.pprec >got 2>&1
tap_ok "with what was in memory it is all, or what is missing is counted" test "$(($(last got records) + $(last got dropped)))" -eq 3000000

# ---- dumped while it runs ----------------------------------------------------------------------------------------

if [ "$SANITIZER" = thread ]; then
	tap_skip "a process that records itself is dumped" "builds for ThreadSanitizer have no door where something is only bound"
else
	# in a folder that goes: the process would make the file anew elsewhere
	mkdir own
	policy ticking '{records: tick}' '{file: own/ticking.pprec}'
	PP_POLICY=ticking.yaml ./ticking 2>/dev/null &
	pid=$!
	for _ in $(seq 300); do
		"$dump" -c own/ticking.pprec >got 2>/dev/null && [ "$(last got records)" -gt 100 ] && break
		sleep 0.1
	done
	"$PPCTL" dump -o dumped.pprec $pid >out 2>&1
	tap_is "a process that records itself is dumped" "$(cat out)" "process $pid: dumped into dumped.pprec"
	"$dump" -c dumped.pprec >dumped 2>&1
	tap_ok "with the records that its own file has by then" test "$(last got records)" -gt 100 -a "$(last dumped records)" -ge "$(last got records)"
	tap_is "none twice, and none is missing" "$("$dump" dumped.pprec | grep -o 'i=[0-9]*' | sort | uniq -d | wc -l) $(last dumped gaps) $(last dumped wrong)" "0 0 0"
	mv own elsewhere
	"$PPCTL" dump -o dumped.pprec $pid >out 2>&1
	tap_has "where that can't be read the dump says where they are" "$(cat out)" "is in its own recording, .*ticking.pprec, which can't be read: it is missing here"
	kill -9 $pid
	wait $pid 2>/dev/null

	# as many as a site can be in, which a reload replaces by as many others
	four () { for most in "$@"; do printf '{by: event, sites: tick, max_groups: %s}, ' $most; done; }
	policy four "{aggregate: [$(four 10 11 12 13)]}"
	PP_POLICY=four.yaml ./ticking 2>err &
	pid=$!
	for _ in $(seq 300); do
		"$PPCTL" report $pid 2>/dev/null | grep -q "executions in groups" && break
		sleep 0.1
	done
	policy four "{aggregate: [$(four 20 21 22 23)]}"
	"$PPCTL" reload $pid >out 2>&1
	tap_is "aggregates that a reload replaces leave no room wanting" "$(cat out) $(cat err)" "process $pid: 1 policy was loaded again "
	policy four "{aggregate: [$(four 20 21 22 23 24)]}"
	"$PPCTL" reload $pid >out 2>&1
	tap_is "one that is too many then does, which who asks is told" "$(grep -c '^four.yaml:2: the aggregate by event leaves out .*/tick:' out)" 1
	kill -9 $pid
	wait $pid 2>/dev/null
fi

# ---- who forks ---------------------------------------------------------------------------------------------------

if [ "$SANITIZER" = thread ]; then
	tap_skip "a child has records of its own, with texts of its own" "ThreadSanitizer starts no threads in a child"
else
	policy forked '{records: tiny}' '{file: forked.%p.pprec}'
	PP_POLICY=forked.yaml timeout 60 ./storm 5000 fork 2>/dev/null
	for rec in forked.*.pprec; do
		"$dump" "$rec"
	done | awk '/command=(get|set|del|scan)$/ { n[$1]++ } END { for (t in n) print n[t] }' >got
	tap_is "a child has records of its own, with texts of its own" "$(tr '\n' ' ' <got)" "5000 5000 "
fi

# ---- files that say anything -------------------------------------------------------------------------------------

# a byte here and there is another: no reader crashes, whatever it says then
bad=0
for i in $(seq 1 60); do
	cp some.pprec broken.pprec
	size=$(stat -c %s broken.pprec)
	printf "\\x$(printf %x $((i * 37 % 256)))" | dd of=broken.pprec bs=1 seek=$((i * 7919 * 13 % size)) conv=notrunc 2>/dev/null
	timeout 20 "$dump" -c broken.pprec >/dev/null 2>&1
	[ $? -le 1 ] || bad=$((bad + 1))
done
tap_is "damaged recordings are read as far as they go, or refused" $bad 0
for i in 1 2 3 5 8; do
	head -c $((size * i / 9)) some.pprec >broken.pprec
	timeout 20 "$dump" -c broken.pprec >/dev/null 2>&1
	[ $? -le 1 ] || bad=$((bad + 1))
done
tap_is "so are those that are cut off" $bad 0

tap_done
