#!/bin/bash
# SPDX-License-Identifier: MIT
# aggregate.sh: a policy has executions counted in groups while the program runs; the groups are what the program knows that it did, and the tables made
# of them are those of the same run's records.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
here=$srcdir/tests/system/aggregate
ppctl=$builddir/ppctl/ppctl

# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$here/serve.c" -o serve -L"$LIBPP" -lpp \
	-Wl,-rpath,"$LIBPP" -lpthread || exit 99

# policy NAME AGGREGATES [MORE]: more of `events`
policy () {
	printf 'version: 1\nevents: {aggregate: [%s]%s}\nrecord: {file: %s.pprec}\n' "$2" "${3:-}" "$1" >"$1.yaml"
}

# run POLICY ARGUMENT...
run () {
	local name=$1
	shift
	PP_POLICY=$name.yaml timeout 60 ./serve "$@" >out 2>err
}

# counts FILE DIMENSION...: "VALUE,VALUE COUNT" of the last dimension's table, sorted
counts () {
	local file=$1
	shift
	"$ppctl" query --aggregate --csv "$file" "$@" 2>&1 | tr -d '\r' | awk -F, -v n=$# '
		NR > 1 && $1 == n { for (i = 2; i <= n + 1; i++) printf "%s%s", (i > 2 ? "," : ""), $i; print "", $(n + 8) }' | sort
}

# sum: of the last column
sum () {
	awk '{ n += $NF } END { print n + 0 }'
}

# ---- known counts ------------------------------------------------------------------------------------------------

sites='[serve, lookup, "serve_le*"]'
policy known "{by: [command, cached], sites: $sites, keep: histogram}, {by: [event, command], sites: $sites}, {by: [command, status], sites: reply},
	{by: place, sites: serve}, {by: ratio, sites: serve}" ", records: $sites"
run known 600
tap_is "a program runs while its executions are counted in groups" $? 0
tap_is "counts are those of all threads, a missing value apart from the text '(none)'" "$(counts known.pprec event command | grep serve)" '"serve", 400
"serve","(none)" 400
"serve","DEL" 400
"serve","GET" 400
"serve","SET" 400
"serve","other" 400
"serve_leap","leap" 24'
tap_is "doubles are groups, too" "$(counts known.pprec ratio)" "0 1200
0.5 1200"
tap_is "and addresses" "$(counts known.pprec place | awk '{ print $NF }' | sort -u) $(counts known.pprec place | wc -l)" "400 6"
tap_is "a dimension that comes late makes the group, in place of the one before" "$(counts known.pprec command status | grep GET)" '"GET",200 320
"GET",404 80'
tap_is "of these nobody knows what ran inside" \
	"$("$ppctl" query --aggregate --csv known.pprec command status | tr -d '\r' | awk -F, 'NR > 1 && ($4 != "" || $8 != "")')" ""

# Both have the same clock readings: tables are equal to the last digit that doubles have.
# same DIMENSION...
same () {
	"$ppctl" query --raw --csv known.pprec "$@" | tr -d '\r' | sort >of_records
	"$ppctl" query --aggregate --csv known.pprec "$@" | tr -d '\r' | sort >of_groups
	[ "$(wc -l <of_records)" = "$(wc -l <of_groups)" ] && [ "$(wc -l <of_records)" -gt 3 ] || return 1
	paste -d, of_records of_groups | awk -F, '{
		for (i = 1; i <= NF / 2; i++) {
			x = $i; y = $(i + NF / 2)
			if (x != y && !(x + 0 == x && y + 0 == y && (x - y) ^ 2 <= (0.01 + x * 1e-6) ^ 2)) { print; bad = 1 }
		}
	} END { exit bad }'
}
tap_has "of what records take nothing is deducted but when it is asked for" "$("$ppctl" query --raw known.pprec command)" " a record, 0 s deducted"
tap_ok "Total, Self, Desc and Count are those of the records, though intervals were in others of their group, or left by longjmp" same command cached
tap_ok "by the name of the interval, too" same event command
tap_has "a column more: quantiles of a histogram" "$("$ppctl" query --aggregate --stat p99 known.pprec command)" "p99"
tap_has "... which the others don't have" "$("$ppctl" query --aggregate --stat p99 known.pprec event 2>&1)" "keep: histogram"
tap_has "dimensions that no aggregate has are told with those that there are" "$("$ppctl" query --aggregate known.pprec id 2>&1)" "command cached; event command; command status"
tap_has "what was lost is told of groups as of records" "$("$ppctl" query --aggregate known.pprec command)" "^24 dropped: intervals whose end was jumped over \(longjmp\)$"
tap_is "... in JSON, too" "$("$ppctl" query --aggregate --json known.pprec command | tr -d ' \n' | grep -o '"dropped":24,"dropped_by_cause":{"longjmp":24},"other_texts":0')" \
	'"dropped":24,"dropped_by_cause":{"longjmp":24},"other_texts":0'
tap_has "conditions need records, which are there without --aggregate" "$("$ppctl" query --aggregate known.pprec "command where cached = 1" 2>&1)" \
	"a condition needs records: .* the recording has records, too: leave --aggregate out"
tap_has "a dimension of that name has backquotes, which is said" "$("$ppctl" query --aggregate known.pprec where 2>&1)" "'where' is in backquotes"
tap_has "the first screen tells where" "$("$ppctl" report known.pprec | tail -n 1)" "by which values: ppctl query known.pprec"
tap_has "the report shows them" "$("$ppctl" report --all known.pprec)" "^  GET +404 +80 "
tap_is "of what nothing ran in it says that that took no time" "$("$ppctl" report --all known.pprec | sed -n '/^  by ratio/,/^$/p' | grep -c '^  0.* 0 s ')" 2
# narrow COLUMNS: the groups as a terminal of that width has them
narrow () {
	script -qec "stty cols $1; NO_COLOR=1 LC_ALL=C.UTF-8 '$ppctl' report --all known.pprec" /dev/null | tr -d '\r' | sed -n '/^executions in groups/,/^$/p'
}
if command -v script >/dev/null; then
	narrow 60 >got
	tap_has "on a narrow terminal quantiles stay longest" "$(grep p99 got)" "^  command +cached +n +total +.*p99$"
	tap_is "... what ran inside goes first" "$(grep p99 got | grep -c self)" 0
	tap_is "... no line is longer" "$(($(grep -v '^  by ' got | LC_ALL=C.UTF-8 wc -L) <= 60))" 1
	tap_has "... to the last" "$(narrow 45 | grep p99)" "^  command +cached +n +total +p99$"
	tap_is "... and each dimension is seen" "$(narrow 45 | sed -n '/^  by event,command/,/^  by place/p' | grep -cE '^  serve[_l]*… +leap ')" 1
else
	tap_skip "on a narrow terminal quantiles stay longest" "script (bsdutils) is missing"
fi
tap_is "and says of the missing ones that they are" "$("$ppctl" report --json known.pprec | tr -d ' \n' | grep -o '{"dimension":"cached"}' | sort -u)" '{"dimension":"cached"}'
tap_has "ppctl merge says that groups stay where they are" "$("$ppctl" merge -o m.pprec known.pprec)" "groups are not in it"
tap_has "what was merged says where its records are" "$("$ppctl" query m.pprec command 2>&1)" "those are in the recordings that it was merged of"
"$ppctl" query --aggregate --unit ns known.pprec cached | awk '$1 == "-" { print $3 }' >got
tap_is "where Total is not known rows come by Self" "$(sort -nr got | cmp - got && test "$(wc -l <got)" -gt 1 && echo sorted)" sorted

policy wrong "{by: [comand, event], sites: serve}, {by: [status, command], sites: $sites}"
tap_is "ppctl check tells of a dimension that nothing in the program says" "$("$ppctl" check --binary serve wrong.yaml 2>&1 | grep -c "wrong.yaml:2:28: warning: no site that is counted has a dimension 'comand', which would be missing everywhere; did you mean 'command'?")" 1
tap_is "and of none that something says, or only some of its sites" "$("$ppctl" check --binary serve known.yaml 2>&1 | grep dimension)" ""
tap_is "without a binary nobody knows" "$("$ppctl" check wrong.yaml 2>&1 | grep dimension)" ""

# ---- bounds ------------------------------------------------------------------------------------------------------

policy few '{by: id, sites: serve, max_groups: 50}, {by: [command, id], sites: serve, max_groups: 50}'
run few 600
counts few.pprec id >got
tap_is "of more than max_groups the others are one group, and nothing is lost" "$(wc -l <got) $(sum <got)" "51 2400"
tap_is "which is none of the others" "$("$ppctl" query --aggregate --json few.pprec id | tr -d ' \n' | grep -o '"rest":true' | wc -l)" 1
tap_has "and is told" "$("$ppctl" query few.pprec id)" "more groups than max_groups: 50"
tap_has "a condition is told to need records of the policy" "$("$ppctl" query few.pprec "id where id = 1" 2>&1)" "a condition needs records: .*'events: {records: ...}' records them"
tap_is "the shell answers of groups where there are no records" "$(printf '%s\n' "command id" "trace id" "define x = 1" dimensions |
	"$ppctl" shell few.pprec 2>&1 | grep -E '^By command:|needs records|^groups by')" "By command:
this needs records: these executions were counted in groups; 'events: {records: ...}' records them
this needs records: these executions were counted in groups; 'events: {records: ...}' records them
groups by id
groups by command id"
tap_is "and of both where there are" "$("$ppctl" query --aggregate --raw known.pprec "event command" | grep -c .)" \
	"$(echo groups event command | "$ppctl" shell known.pprec | grep -c .)"
tap_has "a trace of them says who shows them" "$("$ppctl" trace few.pprec 2>&1)" "only executions that were counted in groups, which ppctl query shows"
tap_is "without records a query is of groups by itself" "$("$ppctl" query --csv few.pprec id | wc -l)" 52

run few 6000 x8
counts few.pprec id >got
tap_is "... also where 8 threads meet them at once" "$(wc -l <got) $(sum <got)" "51 48000"

# a text that the program has, and what was beyond `strings`
policy strings '{by: command, sites: serve}' ', strings: 2'
run strings 600
tap_is "texts that no number was left for are the rest, not the text 'other'" "$("$ppctl" query --aggregate --json strings.pprec command | tr -d ' \n' | grep -c '"rest":true') $(counts strings.pprec command | sum)" "1 2400"

tap_has "... whose limit is named, and max_groups, which was not reached, is not" "$("$ppctl" query strings.pprec command | grep '(rest)' | head -n 1)" "^more different strings than 'strings' allows"
policy both '{by: [command, id], sites: serve, max_groups: 50}' ', strings: 2'
run both 600
tap_has "where both limits were reached max_groups is named" "$("$ppctl" query both.pprec command)" "more groups than max_groups: 50"

policy beside '{by: command, sites: serve}' ', records: serve, strings: 2'
run beside 600
tap_has "records say how many of them have such a text, also where groups asked for its number, too" "$("$ppctl" query beside.pprec command)" "^1200 not exact \(strings\)"

# ---- what is open ------------------------------------------------------------------------------------------------

# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$here/open.c" -o open -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" \
	-lpthread || exit 99
policy open '{by: event, sites: [evaluate, work]}'
# inside HOW: of each group whether Total and Desc are known
inside () {
	rm -f open.pprec
	{ PP_POLICY=open.yaml timeout 60 ./open "$1"; } >out 2>err
	"$ppctl" query --aggregate --csv open.pprec event | tr -d '\r"' |
		awk -F, 'NR > 1 { print $2, $9, $3 != "" ? "known" : "-", $7 != "" ? "known" : "-" }' | sort | tr '\n' ';'
}
tap_is "what ran in executions of a group that are in one of the same group is known when that has ended" "$(inside end)" \
	"evaluate 51 known known;work 51 known known;"
tap_is "... and is not where the program ended in it; of other groups it is" "$(inside exit)" "evaluate 50 - -;work 51 known known;"
tap_is "... was killed in it" "$(inside kill 2>/dev/null)" "evaluate 50 - -;work 51 known known;"
tap_is "... or a thread ended, whatever others do after it" "$(inside thread)" "evaluate 4 - -;work 4 known known;"

# ---- a file that keeps to its size -------------------------------------------------------------------------------

printf 'version: 1\nevents: {records: serve, when_full: wait}\nrecord: {file: small.pprec, max_size: 1MiB, interval: 100ms}\n' >small.yaml
run small 400000
tap_has "what was given up for max_size is told as that, and not as damage" "$("$ppctl" query small.pprec command)" \
	"^[0-9]+ of [0-9]+ parts of streams, the oldest ones, were given up: the recording keeps to its max_size$"
tap_has "... by the report, too" "$("$ppctl" report small.pprec)" "^given up: the oldest records and samples, to keep to max_size$"
tap_is "... which says so of no other file" "$("$ppctl" report known.pprec | grep -c '^given up') $("$ppctl" report --json small.pprec | grep -c '"given_up": true')" "0 1"
tap_is "... and nothing is said to be damaged" "$("$ppctl" query small.pprec command | grep -c damaged)" 0

# ---- several aggregates of the same dimensions -------------------------------------------------------------------

cat >reloads.c <<'END'
#include <pp.h>
#include <stdio.h>

static void serve (int kind)
{
#pragma pp interval serve dim(kind = kind)
}

/* Serves 30 more after each policy than after the one before. */
int main (int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *policy = fopen ("reloads.yaml", "w");

		fprintf (policy, "version: 1\nevents: {aggregate: [%s]}\nrecord: {file: reloads.pprec}\n", argv[i]);
		fclose (policy);
		if (pp_policy_load ("reloads.yaml") != PP_OK)
			return 1;
		for (int k = 0; k < 30 * i; k++)
			serve (k % 3);
	}
	return 0;
}
END
# shellcheck disable=SC2086
"$CC" -O1 -g $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" reloads.c -o reloads -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
# reloads AGGREGATE...
reloads () {
	rm -f reloads.pprec
	timeout 60 ./reloads "$@" 2>/dev/null
}
reloads '{by: kind, sites: serve}' '{by: kind, sites: serve, keep: histogram}'
tap_is "after a reload that changed an aggregate a query is of the newest" "$(counts reloads.pprec kind)" "0 20
1 20
2 20"
tap_is "... and says so, with what else there is" "$("$ppctl" query reloads.pprec | sed -n '/^these/,/^not/p')" \
	"these are of serve, keep: histogram, max_groups: 1000
not shown are groups by the same dimensions of serve, keep: stats, max_groups: 1000"
if "$ppctl" query --json reloads.pprec >json 2>/dev/null; then
	tap_has "... in JSON, too" "$(tr -d ' \n' <json)" \
		'"aggregate":\{"by":\["kind"\],"sites":"serve","keep":"histogram","max_groups":1000\},"other_aggregates":\[\{"by":\["kind"\],"sites":"serve","keep":"stats"'
else
	tap_skip "... in JSON, too" "no jansson"
fi
reloads '{by: kind, sites: serve, keep: histogram}' '{by: kind, sites: serve, max_groups: 2}' '{by: [kind, event], sites: serve}'
tap_is "without dimensions it is of the newest that has all of the first" "$("$ppctl" query --csv reloads.pprec | grep -c '(rest)')" 1
tap_has "one that has the statistic is taken before newer ones" "$("$ppctl" query reloads.pprec kind --stat p50)" \
	"^these are of serve, keep: histogram, max_groups: 1000$"
reloads '{by: kind, sites: serve}'
tap_is "of the only one nothing is said" "$("$ppctl" query reloads.pprec | grep -c '^these')" 0

# ---- processes ---------------------------------------------------------------------------------------------------

if [ "$SANITIZER" = thread ]; then
	tap_skip "a child of fork counts what it does itself" "ThreadSanitizer starts no threads in a child"
else
	printf 'version: 1\nevents: {aggregate: [{by: command, sites: serve, keep: histogram}]}\nrecord: {file: forks.%%p.pprec}\n' >forks.yaml
	run forks 600 fork
	child=$(cat out)
	tap_is "a child of fork counts what it does itself" "$(counts "forks.$child.pprec" command | sum)" 1200
	rm "forks.$child.pprec"
	tap_is "and its parent what the parent did" "$(counts forks.*.pprec command | sum)" 2400
fi

# Killed at some moment. Each execution is in one group of each aggregate, so the sums differ by those that were just ending.
policy killed '{by: command, sites: serve, keep: histogram}, {by: ratio, sites: serve}'
bad=0 all=0
for i in $(seq 1 "${KILLS:-20}"); do
	rm -f killed.pprec
	PP_POLICY=killed.yaml ./serve 0 >out 2>err &
	pid=$!
	# every other one has begun, however long that takes
	for _ in $(seq $((i % 2 * 200))); do [ -e killed.pprec ] && break; sleep 0.05; done
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill -9 $pid
	wait $pid 2>/dev/null
	[ -e killed.pprec ] || continue
	a=$(counts killed.pprec command | sum)
	b=$(counts killed.pprec ratio | sum)
	all=$((all + a))
	[ $((a - b)) -le 4 ] && [ $((b - a)) -le 4 ] || bad=$((bad + 1))
done 2>/dev/null
tap_is "after kill -9 at any moment the groups are there, but for executions that were just ending" $bad 0
tap_ok "and there were some" [ "$all" -gt 0 ]

# ---- errors ------------------------------------------------------------------------------------------------------

# wrong SENTENCE EVENTS PATTERN
wrong () {
	printf 'version: 1\nevents: %s\n' "$2" >wrong.yaml
	tap_has "$1" "$("$ppctl" check wrong.yaml 2>&1)" "$3"
}
wrong "events without records or aggregate are an error" '{strings: 5}' "^wrong.yaml:2:9: .*'records'.*'aggregate'.* or 'flight'"
wrong "an aggregate needs its dimensions" '{aggregate: [{sites: a}]}' "^wrong.yaml:2:22: .*needs 'by'"
wrong "and its sites" '{aggregate: [{by: a}]}' "^wrong.yaml:2:22: .*needs 'sites'"
wrong "there are four dimensions at most" '{aggregate: [{by: [a, b, c, d, e], sites: x}]}' "^wrong.yaml:2:40: .*at most 4"
wrong "each once" '{aggregate: [{by: [a, a], sites: x}]}' "^wrong.yaml:2:31: .*'a' twice"
wrong "keep is one of two words" '{aggregate: [{by: a, sites: x, keep: histogramm}]}' "^wrong.yaml:2:46: .*stats or histogram"
wrong "max_groups has bounds" '{aggregate: [{by: a, sites: x, max_groups: 70000}]}' "^wrong.yaml:2:52: .*from 1 to 65536"

policy none "{by: command, sites: nobody}"
run none 6
tap_has "a report says of an aggregate that nothing has ended in it" "$("$ppctl" report --all none.pprec 2>&1)" 'by command, of nobody: no execution has ended'
tap_done
