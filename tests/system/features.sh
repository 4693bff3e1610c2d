#!/bin/bash
# SPDX-License-Identifier: MIT
# features.sh: a policy has a program's features watched, and ppctl features shows what each cost, and which of its instances.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8

# build NAME FILE [OPTION]...: without $PPGCC_FLAGS in the options it is a program of calls
build () {
	name=$1 file=$2
	shift 2
	# shellcheck disable=SC2086
	"$CC" -O1 -g -w $SANITIZER_FLAGS "$@" -I"$srcdir/include" "$srcdir/tests/system/features/$file" -o "$name" \
		-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
}
# shellcheck disable=SC2086
build shares shares.c $PPGCC_FLAGS

# policy NAME VALUE: NAME.yaml, with that for its profile, and a recording NAME.pprec
policy () {
	printf 'version: 1\nprofile: %s\nrecord: {file: %s.pprec}\n' "$2" "$1" >"$1.yaml"
}

# shares TABLE: lines "NAME PERCENT SAMPLES OF WANTED", each within 4 sigma of the binomial and 2 points
check_shares () {
	awk '{
		n++
		sigma = 100 * sqrt ($5 / 100 * (1 - $5 / 100) / $4)
		off = $2 - $5; off = off < 0 ? -off : off
		if (off > 4 * sigma + 2) { print "# " $1 ": " $2 " %, not " $5 " %, of " $4 " samples"; bad = 1 }
	}
	END { exit bad || !n }' "$1"
}

# of FILE: NAME PERCENT SAMPLES OF of each feature
features_of () {
	awk '/^[^ ]*\.[^ ]*$/ { name = $1 }
		/^accounts for/ { share = $3; sub (/%/, "", share) }
		/ ms \([0-9]* of/ { split ($0, part, /[()]/); split (part[2], n, / /); print name, share, n[1], n[3] }' "$1"
}

# ---- where time goes -----------------------------------------------------------------------------------------

# CPU time, so that what else the machine does is in nobody's share
policy cpu '{features: sampled, clock: cpu}'
PP_POLICY=cpu.yaml ./shares 1500 2>err
tap_is "a program runs while its features are watched" "$?" 0
tap_has "where to look is said" "$(cat err)" "a profile was taken; see: ppctl features '.*/cpu.pprec'"
"$PPCTL" features cpu.pprec >text 2>&1
tap_is "ppctl features reads it" $? 0
text=$(cat text)
samples=$(sed -n '1s/.*, \([0-9]*\) samples$/\1/p' text)
tap_ok "there are enough samples to judge by" test "${samples:-0}" -gt 100
tap_has "it says what all is a share of" "$(head -n 1 text)" '^shares, process [0-9]+: [0-9]+ ms of CPU time in 2 threads with marks, [0-9]+ samples$'
tap_is "the dearest comes first" "$(features_of text | sed 's/ .*//' | head -n 1)" lib.b
tap_is "what was never seen is not shown" "$(grep -c 'lib\.never' text)" 0
# as_made FILE: what it says of features is what the program was made to do
as_made () {
	features_of "$1" >seen
	{
		grep '^lib\.a ' seen | sed 's/$/ 40/'
		grep '^lib\.b ' seen | sed 's/$/ 50/'
		grep '^lib\.text ' seen | sed 's/$/ 15/'
		grep '^lib\.number ' seen | sed 's/$/ 15/'
	} >wanted
	tap_is "four features were seen" "$(wc -l <wanted)" 4
	check_shares wanted
	right=$?
	if [ "$SANITIZER" = thread ]; then
		tap_skip "shares are what they are by construction: antimarks, nesting, payloads" "what marks hold is instrumented"
	else
		tap_is "shares are what they are by construction: antimarks, nesting, payloads" $right 0
	fi
}
as_made text
tap_has "a text is an instance" "$text" ' ms : two  \(± [0-9]+ ms, [0-9]+ samples?\)'
tap_has "so is a number" "$text" ' ms : 3  \(± '
tap_has "without a payload it is the place" "$text" ' ms : [^ ]*shares\.c:[0-9]+  \(± '
[ $tap_failed -eq 0 ] || sed 's/^/# /' text

tap_is "--feature chooses" "$("$PPCTL" features --feature 'lib.n*' cpu.pprec | grep -c '^accounts')" 1
tap_has "--all lists those never seen" "$("$PPCTL" features --all cpu.pprec)" 'lib\.never
was never seen'
tap_has "--by caller: what it was begun in" "$("$PPCTL" features --by caller --feature lib.a cpu.pprec)" ' ms : lib\.b  \('
tap_has "--by place" "$("$PPCTL" features --by place --feature lib.text cpu.pprec)" ' ms : [^ ]*shares\.c:[0-9]+'
tap_has "--by thread" "$("$PPCTL" features --by thread --feature lib.text cpu.pprec)" ' ms : shares, thread [0-9]+'
tap_has "--top: the rest is counted" "$("$PPCTL" features --top 1 --feature lib.number cpu.pprec)" '\[2 more; --top 0 shows all\]'
for wrong in "--by colour cpu.pprec" "--top many cpu.pprec" ""; do
	# shellcheck disable=SC2086
	"$PPCTL" features $wrong >/dev/null 2>err
	tap_has "ppctl features $wrong is refused" "$? $(cat err)" '^2 ppctl features: '
done
tap_has "a feature that is not there is told" "$("$PPCTL" features --feature nothing cpu.pprec 2>&1; echo $?)" "match 'nothing' none was seen.*
1$"
if "$PPCTL" features --json cpu.pprec >json 2>err && grep -q '^{' json; then
	tap_is "the JSON says the same" "$(python3 -c '
import json
all = json.load (open ("json"))
first = all["features"][0]
assert all["profile"]["how"] == "sampled" and all["profile"]["clock"] == "cpu" and all["profile"]["threads"] == 2
assert abs (first["share"] - first["time_s"] / all["profile"]["running_s"]) < 1e-9
assert abs (sum (part["time_s"] for part in first["parts"]) - first["time_s"]) < 1e-9
assert sum (part["samples"] for part in first["parts"]) == first["samples"]
print (first["name"])')" lib.b
else
	tap_skip "the JSON says the same" "built without jansson"
fi
"$PPCTL" profile --by interval --format collapsed cpu.pprec >stacks
tap_is "by interval a payload is nothing of its own" "$(grep -cE 'two|\?\?\?' stacks)" 0
tap_is "where features are watched intervals are not" "$(grep -c whole stacks)" 0

# ---- features of a library that has no marks -----------------------------------------------------------------

"$CC" -O2 -w $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument="$srcdir/samples/features/libc.yaml" -I"$srcdir/include" \
	"$srcdir/samples/features/fizzbuzz.c" -o fizzbuzz -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
printf 'version: 1\nprofile: {features: exact}\n' >exact.yaml
PP_POLICY=exact.yaml ./fizzbuzz 3000 >/dev/null 2>err
tap_is "calls of the C library are features by a file" $? 0
"$PPCTL" features fizzbuzz.*.pprec >text 2>&1
tap_has "each call of them is counted" "$(cat text)" 'libc\.output
accounts for [0-9.]+% of total running time \(± [0-9.]+ points\)
[0-9]+ / [0-9]+ ms \(3000 marks; '
tap_is "instances are the places that call" "$("$PPCTL" features --feature libc.output fizzbuzz.*.pprec |
	sed -n 's/.*fizzbuzz\.c:[0-9]*  (\([0-9]*\) marks.*/\1/p' | sort -n | tr '\n' ' ')" '200 400 800 1600 '
tap_has "beside those of the program's own" "$(cat text)" 'sequence\.dispatch'
rm -f fizzbuzz.*.pprec

cat >corpus.c <<'END'
#include <fnmatch.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare (const void *a, const void *b)
{
	return *(const char *) a - *(const char *) b;
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
int main (int argc, char **argv)
{
	char text[64], *copy;
	for (volatile int i = 0; i < 7; i++) {
		snprintf (text, sizeof text, "%s %d", argv[0], argc);
		fputs (text, stdout);
		copy = malloc ((size_t) argc + 40);
		free (copy);
		memmove (text + argc, text, 20);
		argc += strlen (text) > 1000;
		argc += fnmatch ("*x*", text, 0) > 1;
		qsort (text, 5, 1, compare);
		pthread_mutex_lock (&lock);
		pthread_mutex_unlock (&lock);
		sem_init (&sem, 0, 1);
		sem_wait (&sem);
		argc += random () < 0;
	}
	return argc - 1;
}
END
# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument="$srcdir/samples/features/libc.yaml" -fplugin-arg-ppgcc-Wno-pp-rules corpus.c -o corpus \
	-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
PP_POLICY=exact.yaml ./corpus >out 2>err
tap_is "of the C library's features each call is counted, under its own" \
	"$("$PPCTL" features corpus.*.pprec | awk '/^libc/ { name = $1 } / marks; / { sub (/.*\(/, ""); print name, $1 }' | sort | tr '\n' ' ')" \
	'libc.allocation 14 libc.formatting 7 libc.locking 14 libc.matching 7 libc.memory 7 libc.output 7 libc.random 7 libc.sorting 7 libc.strings 7 libc.waiting 7 '
rm -f corpus.*.pprec

# The comparator is the user's: what is between its antimarks is not the sort's.
rules='version: 1\ncalls:\n  - {callee: qsort, feature: libc.sorting}\n'
cat >sort.c <<'END'
#include <stdlib.h>
static volatile unsigned long sink;
static int by_number (const void *a, const void *b)
{
	for (int i = 0; i < 4000; i++)
		sink = sink * 3 + 1;
	return (*(const int *) a > *(const int *) b) - (*(const int *) a < *(const int *) b);
}
int main (void)
{
	int all[300];
	for (int i = 0; i < 300; i++)
		all[i] = i * 7919 % 300;
	for (int i = 0; i < 10; i++)
		qsort (all, 300, sizeof *all, by_number);
	return 0;
}
END
for kind in whole apart; do
	# shellcheck disable=SC2059
	printf "$rules" >sort.yaml
	[ $kind = whole ] || printf 'functions:\n  - {function: "by_*", as: antimark, feature: libc.sorting}\n' >>sort.yaml
	# shellcheck disable=SC2086
	"$CC" -O2 -w $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument=sort.yaml sort.c -o sort_$kind -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	PP_POLICY=exact.yaml ./sort_$kind 2>err
	"$PPCTL" features sort_$kind.*.pprec | awk '/ ms \([0-9]* marks/ && !seen++ { print $1, $3 } /marks; / { print "marks", $5 }' >$kind.said
done
tap_is "a sort's marks are counted, with an antimark around the comparator and without" \
	"$(sed -n 's/^marks (//p' whole.said apart.said | tr '\n' ' ')" '10 10 '
tap_ok "without an antimark the comparator is charged to the sort" awk 'NR == 1 { exit !($1 > 0.5 * $2) }' whole.said
tap_ok "with one it is not" awk 'NR == 1 { exit !($1 < 0.5 * $2) }' apart.said
[ $tap_failed -eq 0 ] || sed 's/^/# /' whole.said apart.said
rm -f sort_*.pprec

# ---- which marks are watched ---------------------------------------------------------------------------------

policy all '{}'
PP_POLICY=all.yaml ./shares 100 2>err
tap_has "any profile of the watcher has features" "$("$PPCTL" features --by caller all.pprec 2>&1)" ' ms : run/whole  \('
tap_has "... by wall clock" "$("$PPCTL" features all.pprec | head -n 1)" ' ms of wall clock in 2 threads'
policy some '{sites: ["feature:lib.a"], clock: cpu}'
PP_POLICY=some.yaml ./shares 800 2>err
"$PPCTL" features some.pprec >text 2>&1
tap_is "sites: feature:NAME chooses" "$(features_of text | sed 's/ .*//')" lib.a
features_of text | sed 's/$/ 40/' >wanted
check_shares wanted
right=$?
if [ "$SANITIZER" = thread ]; then
	tap_skip "a feature's antimarks are watched with it" "what marks hold is instrumented"
else
	tap_is "a feature's antimarks are watched with it" $right 0
fi
policy none '{sites: [whole]}'
PP_POLICY=none.yaml ./shares 100 2>err
tap_has "without any that is told" "$("$PPCTL" features none.pprec 2>&1; echo $?)" 'no feature was watched.*
1$'
# ---- measured, not sampled -----------------------------------------------------------------------------------

printf 'version: 1\nprofile: {features: exact}\n' >exact.yaml
policy both '{features: sampled, rate: 2000}'
PP_POLICY=both.yaml:exact.yaml ./shares 2000 2>err
tap_is "features are measured and sampled at the same time" "$? $(grep '^pp:' err | grep -v 'see: ppctl')" "0 "
tap_has "where to look is said of both" "$(cat err)" "what features cost was measured; see: ppctl features '.*/both.pprec'"
"$PPCTL" features both.pprec >text 2>&1
tap_is "ppctl features reads it" $? 0
text=$(cat text)
tap_has "what was measured comes before what was sampled" "$(head -n 1 text)" '^shares, process [0-9]+: [0-9]+ ms of wall clock in 2 threads with marks, measured$'
tap_has "it says what marks took" "$text" '^[0-9]+ marks and antimarks took [0-9]+ ms of it, [0-9]+ ns each$|36000 marks and antimarks took is not known'
tap_has "marks are counted, each of them" "$text" 'lib\.number
accounts for [0-9.]+% of total running time \(± [0-9.]+ points\)
[0-9]+ / [0-9]+ ms \(12000 marks; with what marks take [0-9]+ / [0-9]+ ms, [0-9.]+%\)'
tap_has "so they are of each instance" "$text" ' ms : two  \(4000 marks, '
tap_has "... and in each place" "$("$PPCTL" features --by place both.pprec)" ' ms : [^ ]*shares\.c:[0-9]+  \(8000 marks, '
"$PPCTL" features --how sampled both.pprec >sampled 2>&1
tap_has "the samples are there, too" "$(head -n 1 sampled)" 'wall clock in 2 threads with marks, [0-9]+ samples$'
# of one run: whatever the machine did to it, both saw it
features_of sampled | sort >seen
awk '/^[^ ]*\.[^ ]*$/ { name = $1 } /^accounts for/ { sub (/%/, "", $3); print name, $3 }' text | sort | join seen - >wanted
check_shares wanted
right=$?
if [ "$SANITIZER" = thread ]; then
	tap_skip "shares by sampling and exact shares agree" "what marks hold is instrumented"
else
	tap_is "shares by sampling and exact shares agree: $(wc -l <wanted) features" $right 0
fi
[ $tap_failed -eq 0 ] || sed 's/^/# /' text sampled wanted
# antimarks take nothing, nesting counts once, whatever the time: lib.b is around all of lib.a and of its antimark
tap_ok "what has the other in it took longer" awk '/ ms \([0-9]* mark/ { time[name] = $1; all = $3 } /^lib/ { name = $1 }
	END { exit !(time["lib.b"] > time["lib.a"] && time["lib.b"] + time["lib.text"] + time["lib.number"] <= all) }' text
tap_has "--by caller needs samples" "$("$PPCTL" features --by caller both.pprec 2>&1; echo $?)" "'caller' needs samples"
for wrong in "--how both both.pprec" "--how exact cpu.pprec"; do
	# shellcheck disable=SC2086
	"$PPCTL" features $wrong >/dev/null 2>err
	tap_has "ppctl features $wrong is refused" "$? $(cat err)" '^[12] ppctl features: '
done
if "$PPCTL" features --json both.pprec >json 2>err && grep -q '^{' json; then
	tap_is "the JSON has raw beside corrected" "$(python3 -c '
import json
read = json.load (open ("json"))
head, parts = read["profile"], [part for one in read["features"] for part in one["parts"]]
assert head["how"] == "exact" and head["running_s"] <= head["raw_s"] and (head["mark_s"] is None or head["mark_s"] > 0) and head["open"] == 0
assert head["marks"] == 36000 and all (part["time_s"] <= part["raw_s"] for part in parts)
print (sum (part["marks"] for part in parts))')" 32000
else
	tap_skip "the JSON has raw beside corrected" "built without jansson"
fi
# long enough for each feature to be entered on any machine, and a part of what the program takes
sed -i 's/exact/exact, for: 500ms/' exact.yaml
rm -f ./*.pprec
PP_POLICY=exact.yaml ./shares 8000 2>err
"$PPCTL" features shares.*.pprec >text 2>&1
tap_has "for: ends it, and what was measured is recorded" "$(cat text)" 'lib\.b'
marks=$(sed -n 's/^\([0-9]*\) marks and antimarks took.*/\1/p' text)
tap_ok "what ran behind it is not in it: ${marks:-no} of 144000 marks" test "${marks:-144000}" -lt 144000
tap_has "the first screen tells of it" "$("$PPCTL" report shares.*.pprec | tail -n 1)" 'what features cost: ppctl features shares.*pprec'
rm -f ./*.pprec
if [ "$SANITIZER" = thread ]; then
	tap_skip "a child measures for itself" "ThreadSanitizer ends a child that starts a thread"
else
	printf 'version: 1\nprofile: {features: exact}\n' >exact.yaml
	child=$(PP_POLICY=exact.yaml ./shares 10 fork 2>err)
	tap_is "a program that is measured forks" "$? $(grep '^pp:' err | grep -v 'see: ppctl')" "0 "
	tap_has "a child measures for itself" "$("$PPCTL" features --feature lib.b "shares.$child.pprec" 2>&1)" '\(70 marks; '
	tap_has "... in the same run, though it began its recording first" "$("$PPCTL" merge -o run.pprec shares.*.pprec 2>&1)" '2 processes of 1 run'
	rm -f run.pprec
	rm "shares.$child.pprec"
	tap_has "... and its parent goes on" "$("$PPCTL" features --feature lib.b shares.*.pprec 2>&1)" '\(20 marks; '
fi
rm -f ./*.pprec
printf 'version: 1\nprofile: {features: exact, sites: ["feature:lib.b", "feature:lib.n*"]}\n' >exact.yaml
PP_POLICY=exact.yaml ./shares 10 2>err
tap_is "sites: chooses what is measured" "$("$PPCTL" features shares.*.pprec | grep -E '^lib\.[a-z]*$' | sort | tr '\n' ' ')" 'lib.b lib.number '
rm -f ./*.pprec
for wrong in "rate: 100" "clock: cpu" "sampler: watcher"; do
	printf 'version: 1\nprofile: {features: exact, %s}\n' "$wrong" >wrong.yaml
	PP_POLICY=wrong.yaml ./shares 1 2>err
	tap_has "with exact no $wrong" "$? $(cat err)" "^0 pp: wrong.yaml:2:[0-9]+: error: 'features: exact' takes no samples.*'${wrong%%:*}' is for samplers"
done

# ---- switched on and off ------------------------------------------------------------------------------------

printf 'version: 1\nprofile: {features: exact}\nfeatures: {off: ["*"], on: lib.b}\n' >switched.yaml
PP_POLICY=switched.yaml ./shares 10 2>err
tap_is "a policy switches features, and the longest glob counts" \
	"$("$PPCTL" features shares.*.pprec | grep -E '^lib\.[a-z]*$' | tr '\n' ' ') $(grep '^pp:' err | grep -v 'see: ppctl')" 'lib.b  '
rm -f ./*.pprec
printf 'version: 1\nprofile: {features: sampled}\nfeatures: {off: lib.b}\nrecord: {file: off.pprec}\n' >switched.yaml
PP_POLICY=switched.yaml ./shares 300 2>err
tap_is "what is off is not sampled, what is on is" \
	"$("$PPCTL" features off.pprec 2>&1 | grep -cE '^lib\.(b|a)$') $("$PPCTL" features off.pprec 2>&1 | grep -c '^lib\.b$')" '1 0'
# a feature whose marks are calls is there from the first call on
cat >called.c <<'END'
#include <pp.h>
int main (void)
{
	const char *name = "lib.called";

	pp_feature_begin (name, 0);
	pp_feature_end (name);
	return 0;
}
END
# shellcheck disable=SC2086
"$CC" -w $SANITIZER_FLAGS -I"$srcdir/include" called.c -o called -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
printf 'version: 1\nprofile: {features: sampled}\nfeatures: {off: [lib.b, lib.tex, "out.*"], on: lib.called}\nrecord: {file: typo.pprec, overwrite: true}\n' >typo.yaml
PP_POLICY=typo.yaml ./shares 10 2>err
tap_is "features of a policy that the program has not are said at the end, with what may have been meant, and where to look" "$(grep 'never found' err)" \
	"pp: typo.yaml: never found, so what it says of them had no effect: feature 'lib.called', feature 'lib.tex' (did you mean 'lib.text'?), feature 'out.*'; 'ppctl sites PROGRAM' lists features, too"
PP_POLICY=typo.yaml ./called 2>err
tap_is "... and one whose marks are calls is there from the first call on" "$(grep -c "'lib.called'" err) $(grep -c "'lib.b'" err)" "0 1"
cat >plug.c <<'END'
#include <pp.h>
void plug (void)
{
#pragma pp feature plug.part
	__asm__ volatile ("");
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <pp.h>
int main (void)
{
	void *plug = dlopen ("./plug.so", RTLD_NOW);

	((void (*) (void)) dlsym (plug, "plug")) ();
	return dlclose (plug);
}
END
# shellcheck disable=SC2086
"$CC" -w -shared -fPIC $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" plug.c -o plug.so -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
# shellcheck disable=SC2086
"$CC" -w $SANITIZER_FLAGS -I"$srcdir/include" host.c -o host -L"$LIBPP" -Wl,--no-as-needed -lpp -ldl -Wl,-rpath,"$LIBPP" || exit 99
printf 'version: 1\nprofile: {features: sampled}\nfeatures: {off: ["plug.*", plug.prt]}\nrecord: {file: plug.pprec}\n' >plug.yaml
PP_POLICY=plug.yaml ./host 2>err
tap_has "... nor is one told of that came with what was loaded later, and is gone again" "$(grep 'never found' err)" ": feature 'plug.prt'"
tap_is "ppctl check says so of a binary" "$("$PPCTL" check --binary shares typo.yaml 2>&1 | sed -n 's/^typo.yaml:3:[0-9]*: //p')" \
"warning: no feature of the binary matches 'lib.tex'; did you mean 'lib.text'?
warning: no feature of the binary matches 'out.*'; ppctl sites lists them
warning: no feature of the binary matches 'lib.called'; ppctl sites lists them"
tap_is "... but for features of calls, which it has as texts" "$("$PPCTL" check --binary called typo.yaml 2>&1 | grep -c "matches 'lib.called'")" 0
printf 'version: 1\nprofile: {features: exact}\n' >all.yaml
PP_CONTROL=1 PP_POLICY=all.yaml ./shares 1000000000 2>err &
pid=$!
for _ in $(seq 200); do
	# it can be asked before its own sites are there
	"$PPCTL" feature $pid off 'lib.*' >said 2>&1 && grep -q 'marks$' said && break
	sleep 0.05
done
tap_has "ppctl feature switches those of a running program" "$(cat said)" 'lib\.\* is off, at [1-9][0-9]* marks$'
tap_has "... on, too" "$("$PPCTL" feature $pid on lib.text)" 'lib\.text is on, at [1-9] marks?$'
tap_has "... and said the other way round" "$("$PPCTL" feature on lib.text $pid)" 'lib\.text is on, at [1-9] marks?$'
tap_has "a feature that is not there yet is told" "$("$PPCTL" feature $pid on lib.none)" 'lib\.none is on: it has no marks yet'
tap_has "on or off, nothing else" "$("$PPCTL" feature $pid of lib.text 2>&1; echo $?)" "'on' or 'off', not 'of'.*
1$"
before=$("$PPCTL" dump -o dumped.pprec $pid >/dev/null 2>&1; "$PPCTL" features --feature lib.number dumped.pprec 2>/dev/null)
text_before=$("$PPCTL" features --feature lib.text dumped.pprec | sed -n 's/.*(\([0-9]*\) marks; .*/\1/p')
for _ in $(seq 200); do
	"$PPCTL" dump -o dumped.pprec $pid >/dev/null 2>&1
	text_after=$("$PPCTL" features --feature lib.text dumped.pprec | sed -n 's/.*(\([0-9]*\) marks; .*/\1/p')
	[ "${text_after:-0}" -gt "${text_before:-0}" ] && break
	sleep 0.05
done
tap_ok "what is on goes on" test "${text_after:-0}" -gt "${text_before:-0}"
tap_is "what is off stays where it was" "$("$PPCTL" features --feature lib.number dumped.pprec 2>/dev/null | grep -o '([0-9]* marks')" \
	"$(echo "$before" | grep -o '([0-9]* marks')"
kill $pid
wait $pid 2>/dev/null
rm -f ./*.pprec

# ---- a running process ---------------------------------------------------------------------------------------

# its marks are off until somebody asks
PP_CONTROL=1 ./shares 1000000000 2>err &
pid=$!
for _ in $(seq 200); do
	"$PPCTL" load $pid exact.yaml >loaded 2>&1 && break
	sleep 0.05
done
tap_has "marks are switched on while the program runs" "$(cat loaded)" 'exact.yaml is loaded'
for _ in $(seq 200); do
	"$PPCTL" dump -o dumped.pprec $pid >/dev/null 2>&1
	"$PPCTL" features dumped.pprec >text 2>&1 && break
	sleep 0.05
done
tap_has "what they measured is in a recording of now" "$(cat text)" '^lib\.b$'
tap_has "ppctl ps says that it is measured" "$("$PPCTL" ps)" "process $pid \\(shares\\): what its features cost is measured"
tap_is "the screen of a process has no hints that need a recording" "$("$PPCTL" report $pid 2>&1 | grep -c 'ppctl features\|ppctl profile\|ppctl query')" 0
tap_has "no feature is none to switch" "$("$PPCTL" feature $pid on '' 2>&1; echo $?)" "a feature is library.feature, or a glob.*
2$"
tap_ok "and off again" "$PPCTL" unload $pid exact.yaml
kill $pid
wait $pid 2>/dev/null
rm -f ./*.pprec

# ---- marks by calls, without the plugin ------------------------------------------------------------------------

build places places.c
policy placed '{features: exact}'
PP_POLICY=placed.yaml ./places 2>err
"$PPCTL" features placed.pprec >text 2>&1
tap_is "their places tell them apart, and payloads where they have one" \
	"$(sed -n 's/.* ms : .*\(places\.c:[0-9]*\|named\)  (\([0-9]* marks\).*/\1 \2/p' text | LC_ALL=C sort | tr '\n' ',')" \
	"named 15 marks,places.c:16 30 marks,places.c:20 60 marks,places.c:24 15 marks,"
rm -f ./*.pprec

# ---- the interrupter sees them, too ------------------------------------------------------------------------

if [ "$PP_ARCH" != x86_64 ] || [ "$SANITIZER" = thread ]; then
	tap_skip "the interrupter sees features" "it can't interrupt here"
else
	for clock in cpu wall; do
		policy inter "{sampler: interrupter, features: sampled, clock: $clock}"
		PP_POLICY=inter.yaml ./shares 1500 2>err
		tap_has "a program's functions are sampled with what is open, by $clock" "$? $(cat err)" \
			"^0 pp: a profile was taken; see: ppctl features '.*/inter.pprec'$"
		"$PPCTL" features inter.pprec >text 2>&1
		if [ $clock = cpu ]; then as_made text; fi
		tap_has "payloads are told apart" "$(cat text)" ' ms : two  \(± [0-9]+ ms, [0-9]+ samples?\)'
		if "$PPCTL" features --json inter.pprec >json 2>/dev/null && grep -q "^{" json; then
			tap_ok "marks are counted" grep -q '"marks": [1-9]' json
		else
			tap_skip "marks are counted" "built without jansson"
		fi
		tap_has "functions are there as well" "$("$PPCTL" profile inter.pprec)" ' work  '
		tap_has "and intervals" "$("$PPCTL" profile --by interval --format collapsed inter.pprec)" 'outer/lib\.b;'
	done
	PP_SAMPLE=1000 ./shares 100 2>err
	tap_has "where features are not asked for it sees none" "$? $("$PPCTL" features shares.*.pprec 2>&1)" 'no profile of features'
	rm -f shares.*.pprec
fi

# ---- what does not go ----------------------------------------------------------------------------------------

printf 'version: 1\nprofile: {sampler: interrupter, features: exact}\n' >wrong.yaml
PP_POLICY=wrong.yaml ./shares 1 2>err
tap_has "what is measured is not sampled" "$? $(cat err)" "^0 pp: wrong.yaml:2:20: error: 'features: exact' takes no samples"
# ---- features that a file describes --------------------------------------------------------------------------

cat >lat.features.yaml <<'Y'
version: 1
features:
  lat.usual: {functions: lib_usual, antimark: "user_*", report: What the library takes without the callback.}
  lat.latent: {default: latent, functions: [lib_latent], payload: text($1)}
  here.latent: {default: latent}
Y
# shellcheck disable=SC2086
build latent latent.c $PPGCC_FLAGS -fplugin-arg-ppgcc-features=lat.features.yaml
# marks NAME [ARGUMENT]...: each feature with its marks, of a run with NAME.yaml
marks () {
	local name=$1
	shift
	rm -f "$name.pprec"
	PP_POLICY=$name.yaml timeout 60 ./latent "$@" 2>/dev/null || echo "it failed"
	"$PPCTL" features --features lat.features.yaml "$name.pprec" 2>&1 | awk '/^[^ ]*\.[^ ]*$/ { name = $1 }
		/^[0-9]+ \/ [0-9]+ ms \(/ { sub (/\(/, "", $5); print name, $5 }' | sort | paste -sd ' '
}
policy exact_latent '{features: exact}'
tap_is "a latent feature is off until somebody switches it on" "$(marks exact_latent)" "lat.usual 100"
tap_is "the program may" "$(marks exact_latent lat.latent on)" "lat.latent 100 lat.usual 100"
tap_is "... by a glob, pragmas' marks too, and off again" "$(marks exact_latent '*.latent' on) $(marks exact_latent 'lat.*' off)" \
	"here.latent 100 lat.latent 100 lat.usual 100 "
policy exact_on '{features: exact}'
echo 'features: {on: [lat.latent]}' >>exact_on.yaml
tap_is "so may a policy" "$(marks exact_on)" "lat.latent 100 lat.usual 100"
text=$("$PPCTL" features --features lat.features.yaml exact_on.pprec)
tap_has "what a file says of a feature is shown with it" "$text" 'lat\.usual
What the library takes without the callback\.
accounts for'
tap_has "arguments tell instances apart" "$text" ' ms : most  \(75 marks'
tap_has "in JSON, too" "$("$PPCTL" features --json --features lat.features.yaml exact_on.pprec)" '"report": ?"What the library takes'
tap_is "ppctl check reads such a file as rules" "$("$PPCTL" check lat.features.yaml 2>&1)" "lat.features.yaml: no errors; 3 rules of 3 features"
sed 's/default: latent/default: off/; s/antimark/antimarks/' lat.features.yaml >bad.features.yaml
tap_is "... and finds its mistakes, at their places" "$("$PPCTL" check bad.features.yaml 2>&1 | grep error:)" "bad.features.yaml:3:37: error: a feature has no key 'antimarks'; did you mean 'antimark'?
bad.features.yaml:4:25: error: expected 'on' or 'latent'
bad.features.yaml:5:26: error: expected 'on' or 'latent'"
tap_has "ppctl features says so as well" "$("$PPCTL" features --features bad.features.yaml exact_on.pprec 2>&1)" 'bad.features.yaml:4:25: error: expected'
tap_has "a policy that switches features is none of them" "$("$PPCTL" check exact_on.yaml 2>&1)" '^exact_on.yaml: no errors; 0 metrics'
tap_has "what they chose is in the program" "$("$PPCTL" rules lat.features.yaml --binary ./latent)" 'lat.features.yaml:4: features: lat.latent, functions lib_latent
  \+ .*latent.c:[0-9]+:[0-9]+: main: feature lat.latent'

# chose GLOB: what ppctl rules says of calls of risky where that is charged
chose () {
	printf 'version: 1\nfeatures: {lib.risky: {functions: "app::risky", where: "%s"}}\n' "$1" >where.features.yaml
	echo 'namespace app { __attribute__ ((noipa)) void risky () {} __attribute__ ((noipa)) void handle () { risky (); } } int main () { app::handle (); }' >where.cc
	# shellcheck disable=SC2086
	"$CXX" -w $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-features=where.features.yaml where.cc -o where -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" &&
		"$PPCTL" rules where.features.yaml --binary ./where | tail -n 1
}
tap_has "where: a glob on full names chooses the functions of a namespace" "$(chose 'app::*')" ': app::handle: feature lib.risky$'
tap_has "... as does the namespace" "$(chose app)" ': app::handle: feature lib.risky$'
tap_has "... and of calls elsewhere alone it is said" "$(chose 'other::*')" "'app::risky' is not called in the places that its 'where' lets in"

# ---- what is not in it ---------------------------------------------------------------------------------------

cat >lost.c <<'C'
#include <pp.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long sink;
static jmp_buf back;
static void deep (int n)
{
#pragma pp feature lib.deep
	if (n)
		deep (n - 1);
	sink++;
}
static void leaps (void)
{
#pragma pp feature lib.jump
	sink++;
	longjmp (back, 1);
}
static void waits (void)
{
#pragma pp feature lib.waits
	usleep (200000);
}
static void serves (void)
{
#pragma pp feature lib.serve
	for (int i = 0; i < 100000; i++)
		sink++;
	exit (0);
}
static void empty (const char *text, double number)
{
	{
#pragma pp feature lib.empty payload(text)
		sink++;
	}
	{
#pragma pp feature lib.number payload(number)
		sink++;
	}
}
int main (int argc, char **argv)
{
	volatile double zero = argc > 9;

	switch (*argv[1]) {
	case 'd':
		deep (3000);
		waits ();
		break;
	case 'j':
		for (volatile int i = 0; i < 100; i++)
			if (!setjmp (back))
				leaps ();
		break;
	case 's':
		serves ();
		break;
	default:
		empty ("", -(zero / zero));
	}
	return 0;
}
C
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" lost.c -o lost -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
for how in exact sampled; do
	printf 'version: 1\nprofile: {features: %s}\nrecord: {file: lost.pprec, overwrite: true}\n' $how >lost.yaml
	PP_POLICY=lost.yaml ./lost deep 2>err
	"$PPCTL" features --all lost.pprec >text 2>&1
	tap_has "the head says how many marks were nested too deep, $how" "$(cat text)" '^1977 marks or intervals were not seen \(depth 1977\)|^19[0-9][0-9] marks or intervals were not seen \(depth 19[0-9][0-9]\)'
done
tap_has "ppctl profile says it, too" "$("$PPCTL" profile --by interval lost.pprec 2>&1)" 'were not seen \(depth 19'
if "$PPCTL" features --all --json lost.pprec 2>err | tr -d ' \n' >json && grep -q '^{' json; then
	tap_has "... and so does the JSON" "$(cat json)" '"name":"depth","n":19'
else
	tap_skip "... and so does the JSON" "built without jansson"
fi
printf 'version: 1\nprofile: {features: exact}\nrecord: {file: lost.pprec, overwrite: true}\n' >lost.yaml
PP_POLICY=lost.yaml ./lost jump 2>err
tap_has "marks that were all jumped over are told" "$("$PPCTL" features lost.pprec 2>&1; echo $?)" '(100|99) were jumped over, or ended with the profile.*no feature was seen.*
1$'
"$PPCTL" features --json lost.pprec 2>err | tr -d ' \n' >json
! grep -q '^{' json || tap_has "... in JSON, too" "$(cat json)" '"lost":(100|99),'
PP_POLICY=lost.yaml ./lost serve 2>err
text=$("$PPCTL" features lost.pprec 2>&1)
tap_has "a thread whose only mark is still open has run" "$text" ' wall clock in 1 thread with marks, measured'
tap_has "... and its mark is told" "$text" '^1 more had not ended|1 were jumped over'
PP_POLICY=lost.yaml ./lost empty 2>err
text=$("$PPCTL" features lost.pprec 2>&1)
tap_has "an empty payload has a name" "$text" ' ms : ""  \(1 mark,'
tap_has "... and no number has no sign" "$text" ' ms : nan  \(1 mark,'
tap_has "ppctl profile of what was measured names ppctl features" "$("$PPCTL" profile lost.pprec 2>&1; echo $?)" 'ppctl features shows what they cost.*
1$'
tap_has "what --by can be is told" "$("$PPCTL" features --by plcae lost.pprec 2>&1; echo $?)" "instance, place, caller, thread and dimensions of payloads: did you mean 'place'"
printf 'version: 1\nprofile: {features: sampled}\nrecord: {file: lost.pprec, overwrite: true}\n' >lost.yaml
PP_POLICY=lost.yaml ./lost deep 2>err
tap_has "the first screen of what was sampled names ppctl features" "$("$PPCTL" report lost.pprec | tail -n 1)" 'ppctl profile lost.pprec, ppctl features lost.pprec'
rm -f lost.pprec

# ---- a profile of a process that runs ------------------------------------------------------------------------

PP_CONTROL=1 ./shares 1000000000 2>err &
pid=$!
for _ in $(seq 200); do
	"$PPCTL" sample $pid 200ms >said 2>&1 && break
	sleep 0.05
done
"$PPCTL" sample --format json $pid 300ms >json 2>err
tap_is "ppctl sample says nothing of files that are none" "$(cat err)" ""
tap_ok "a second look knows how much CPU time there was" grep -qE '"cpu_time": (0\.0*[1-9]|[1-9])' json
kill $pid
wait $pid 2>/dev/null
rm -f ./*.pprec

tap_done
