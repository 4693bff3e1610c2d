#!/bin/bash
# SPDX-License-Identifier: MIT
# watched.sh: a policy has a program's intervals watched, and ppctl profile shows how much time was spent in which; nobody is interrupted for it.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

# build NAME: from tests/system/watched/NAME.c
build () {
	# shellcheck disable=SC2086
	"$CC" -O1 -g -fno-optimize-sibling-calls -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/watched/$1.c" -o "$1" \
		-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
}
build shares
build host
build jumps

# policy NAME VALUE: NAME.yaml, with that for its profile
policy () {
	printf 'version: 1\nprofile: %s\n' "$2" >"$1.yaml"
}

# ---- where time goes -----------------------------------------------------------------------------------------

# CPU time, so that what else the machine does is in nobody's share
policy cpu '{clock: cpu}'
PP_POLICY=cpu.yaml ./shares 1500 2>err
tap_is "a program runs while it is watched" $? 0
rec=$(ls shares.*.pprec)
tap_has "where its profile is is said" "$(cat err)" "a profile was taken; see: ppctl profile '.*/$rec'"

"$PPCTL" profile --format chicken "$rec" >table 2>&1
tap_is "ppctl profile reads it" $? 0
samples=$(sed -n 's/.*elapsed, \([0-9]*\) samples.*/\1/p' table)
tap_ok "there are enough samples to judge by" test "${samples:-0}" -gt 100

# shares: what was asked of each interval's share, within 4 sigma of the binomial and 2 points
awk -v n="$samples" '
	$1 ~ /\/share_/ {
		want = $1; sub (/.*\/share_/, "", want); sub (/[abc]$/, "", want)
		seen[want] = 1
		sigma = 100 * sqrt (want / 100 * (1 - want / 100) / n)
		off = $5 - want; off = off < 0 ? -off : off
		if (off > 4 * sigma + 2) { print "# " $1 ": " $5 " %, of " n " samples"; bad = 1 }
	}
	END { exit bad || !("50" in seen) || !("20" in seen) || !("10" in seen) }' table
right=$?
if [ "$SANITIZER" = thread ]; then
	tap_skip "shares of intervals are what they are by construction" "what intervals hold is instrumented"
else
	tap_is "shares of intervals are what they are by construction" $right 0
fi
[ $tap_failed -eq 0 ] || sed 's/^/# /' table

"$PPCTL" profile "$rec" >text 2>&1
text=$(cat text)
tap_has "the text is by interval" "$text" 'interval  source'
tap_has "it has both threads" "$text" 'threads: 2'
tap_has "an interval has its line in the source" "$text" 'share_50/share_50 +[^ ]*shares\.h:[0-9]+'
tap_has "what it was begun in is above it" "$text" ' run/whole \[[0-9]+\] 100\.0%'
tap_has "what the watcher itself takes is told" "$text" '  the sampler itself: [0-9]+ ms of CPU time, [0-9.]+ % of [0-9]+ ms'
tap_is "no line is wider than a terminal" "$(awk 'length > 80' text)" ""
tap_is "--by interval is the same" "$("$PPCTL" profile --by interval "$rec" | cmp - text 2>&1)" ""
tap_has "there is none by function, which is said" "$("$PPCTL" profile --by function "$rec" 2>&1; echo $?)" 'no profile by function'
tap_has "collapsed stacks are of intervals" "$("$PPCTL" profile --format collapsed "$rec")" '^run/whole;share_50/share_50 [0-9]+$'
if "$PPCTL" profile --format json "$rec" >one.json 2>err && "$PPCTL" profile --format json one.json >two.json 2>>err; then
	tap_is "the JSON is read and written again unchanged" "$(cmp one.json two.json 2>&1)" ""
	tap_is "the text is made of the JSON, too" "$("$PPCTL" profile one.json | cmp - text 2>&1)" ""
else
	tap_skip "the JSON is read and written again unchanged" "built without jansson"
fi
rm -f shares.*.pprec

policy some '{sites: [share_50, share_20], rate: 500, clock: cpu}'
sed -i '$a record: {file: some.pprec}' some.yaml
PP_POLICY=some.yaml ./shares 500 2>err
tap_is "record: says where the profile goes" "$(ls ./*.pprec)" ./some.pprec
"$PPCTL" profile --format collapsed some.pprec >stacks
tap_is "sites: says which are watched; all else is in none" "$(sed 's/ [0-9]*$//' stacks | sort)" \
	'(nothing open)
share_20/share_20
share_50/share_50'

# ---- the host ------------------------------------------------------------------------------------------------

policy fast '{rate: 10000}'
for what in sleeps:"a thread that sleeps is not woken, and no signal has a handler" alone:"a thread that is watched makes no system call" \
	slices:"its slice of a processor is shorter than others', where there are such" crowd:"threads come and go" calls:"what is begun by calls is watched"; do
	case ${SANITIZER:+sanitized}:${what%%:*} in
	sanitized:alone)
		tap_skip "${what#*:}" "the sanitizer calls the system"
		continue
		;;
	sanitized:sleeps)
		tap_skip "${what#*:}" "the sanitizer has handlers of its own"
		PP_POLICY=fast.yaml ./host sleeps 2>err
		"$PPCTL" profile host.*.pprec >sleeps 2>&1
		rm -f host.*.pprec
		continue
		;;
	esac
	PP_POLICY=fast.yaml ./host "${what%%:*}" 2>err
	tap_is "${what#*:}" "$? $(grep -v ppctl err)" "0 "
	"$PPCTL" profile host.*.pprec >"${what%%:*}" 2>&1
	tap_is "... and there is a profile" $? 0
	rm -f host.*.pprec
done
tap_has "a thread that sleeps is seen where it does" "$(cat sleeps)" ' sleeps/asleep '
tap_has "intervals and calls are one stack" "$(cat calls)" ' called \[[0-9]+\] [0-9.]+%'

policy burst '{clock: cpu}'
PP_POLICY=burst.yaml ./host bursts 2>err
"$PPCTL" profile --format chicken host.*.pprec >bursts 2>&1
tap_ok "CPU time is of what ran, not of what is open when its thread sleeps again" \
	awk '$1 ~ /\/busy$/ { busy = $3 } $1 ~ /\/naps$/ { naps = $3 } END { exit !(busy > 2 * naps) }' bursts
[ $tap_failed -eq 0 ] || sed 's/^/# /' bursts
rm -f host.*.pprec

policy ends '{for: 100ms}'
PP_POLICY=ends.yaml ./host ends 2>err
tap_is "for: ends it, and the watcher is gone" $? 0
tap_ok "what was seen until then stays" "$PPCTL" profile host.*.pprec
rm -f host.*.pprec
PP_POLICY=fast.yaml ./host unload fast.yaml 2>err
tap_is "it ends with its policy" $? 0
rm -f host.*.pprec
PP_POLICY=fast.yaml ./host reload fast.yaml 2>err
tap_is "another policy may ask for it then" $? 0
tap_has "... by the same clock, as there is one profile" "$(cat err)" 'the watcher has a profile of this process by wall clock already'
rm -f host.*.pprec
if [ "$SANITIZER" = thread ]; then
	tap_skip "a child has a profile of its own" "ThreadSanitizer ends a child that starts a thread"
else
	pids=$(PP_POLICY=fast.yaml ./host forks 2>err)
	tap_is "a program that is watched forks" $? 0
	tap_has "a child has a profile of its own" "$("$PPCTL" profile "host.$pids.pprec" 2>&1)" "process $pids"
fi
rm -f host.*.pprec

# ---- what a jump leaves ----------------------------------------------------------------------------------------

# samples NAME: how many a profile has while NAME is open; of two, while the second is in the first
samples () {
	"$PPCTL" profile --format collapsed jumps.*.pprec | awk -v open="$1" '
		$0 ~ open { n += $NF }
		END { print n + 0 }'
}
policy some_left '{clock: cpu, sites: [left, after]}'
for of in cpu some_left; do
	for how in jumps handled; do
		rm -f jumps.*.pprec
		PP_POLICY=$of.yaml ./jumps $how 2>err
		tap_ok "what a jump leaves is open no more where it arrives, and has no time that comes later ($of, $how)" \
			test "$(samples goes_on/after)" -gt "$(samples leaves/left)"
		tap_is "... nor is it around what comes then" "$(samples 'leaves/left.*goes_on/after')" 0
	done
done
rm -f jumps.*.pprec
tap_is "the points for it are not among a program's sites" "$("$PPCTL" sites ./jumps | grep -c setjmp)" 0
tap_is "... but where all that there is is told" "$("$PPCTL" sites --verbose ./jumps | grep -c 'jumps.c:main/.*setjmp')" 2

# ---- a running process ---------------------------------------------------------------------------------------

# serve [VARIABLE=VALUE]...: a process that runs until its input ends; $pid
serve () {
	[ -p in ] || mkfifo in
	env PP_CONTROL=1 "$@" ./host serves <in >ready 2>err &
	pid=$!
	exec 7>in
	for _ in $(seq 600); do
		grep -qs ready ready && return
		sleep 0.05
	done
}
# finish: it ends as it would
finish () {
	exec 7>&-
	status=0
	wait "$pid" || status=$?
}
# profiled_now: ppctl ps says so, in a while; unprofiled_now: it does not
profiled_now () {
	for _ in $(seq 600); do
		"$PPCTL" ps "$pid" 2>&1 | grep -q 'is profiled' && return
		sleep 0.05
	done
	return 1
}
unprofiled_now () {
	for _ in $(seq 600); do
		"$PPCTL" ps "$pid" 2>&1 | grep -q 'is profiled' || return 0
		sleep 0.05
	done
	return 1
}
serve
"$PPCTL" sample $pid 200ms >sampled 2>&1
tap_is "ppctl sample asks a running process" $? 0
tap_has "and shows where its time goes" "$(cat sampled)" ' outer/outer \[[0-9]+\] [0-9.]+%'
tap_has "as often as that is wanted, in every format" "$("$PPCTL" sample --rate 2000 --format collapsed $pid 100ms 2>&1)" \
	'^outer/outer;(outer/outer;)*inner/inner [0-9]+$'
tap_has "each says what it was asked for" "$("$PPCTL" sample --rate 4000 $pid 100ms 2>&1)" '\(asked for: 0\.25 ms\)'
tap_ok "a profile that has ended is not taken any more, as ppctl ps sees it" unprofiled_now
for wrong in "$pid 0s" "$pid 5" "$pid 2h" "$pid" "--rate 0 $pid 10ms" "--rate x $pid 10ms"; do
	# shellcheck disable=SC2086
	"$PPCTL" sample $wrong >/dev/null 2>err.sample
	tap_has "ppctl sample $wrong is refused" "$? $(cat err.sample)" '^[12] ppctl sample: '
done
"$PPCTL" sample $pid 1h >first 2>&1 7>&- &
first=$!
tap_ok "one that was asked for begins" profiled_now
tap_has "another ppctl does not end it, but is refused" "$("$PPCTL" sample $pid 10ms 2>&1; echo $?)" \
	"^ppctl sample: process $pid: ppctl, process $first, has a profile taken for another 35[0-9]+\.[0-9] s$"
kill $first
wait $first 2>/dev/null
tap_ok "... until it is gone" "$PPCTL" sample $pid 10ms
"$PPCTL" sample $pid 1h >first 2>&1 7>&- &
first=$!
tap_ok "a process that is asked again is watched again" profiled_now
finish
status_first=0
wait $first || status_first=$?
tap_has "where the process ends ppctl does not wait, and says so behind what was seen" "$status_first $(cat first)" \
	"ppctl sample: process $pid: it ended after [0-9]+ ms of the 3600000 ms"
tap_is "the process ends as it would" "$status $(cat err)" "0 "
tap_is "and nothing was written there" "$(ls ./*.pprec 2>/dev/null | grep -v some)" ""
serve PP_POLICY="$PWD/fast.yaml"
tap_ok "ppctl ps says that a process is profiled" profiled_now
tap_has "not while a policy has it watched" "$("$PPCTL" sample $pid 10ms 2>&1; echo $?)" 'somebody else has a profile taken'
tap_has "ppctl run --sample samples functions, or says what is wrong" "$("$PPCTL" run --sample 0 ./host ends 2>&1; echo $?)" \
	"'0' is not from 1 to 10000 samples a second"
finish
rm -f host.*.pprec

# ---- pauses from outside ---------------------------------------------------------------------------------------

# profiled BY: samples, and seconds that were sampled, by now
profiled () {
	"$PPCTL" dump -o now.pprec "$pid" >/dev/null 2>&1
	"$PPCTL" profile --by "$1" --format json now.pprec 2>&1 | python3 -c '
import json, sys
p = json.load (sys.stdin)
print (p["sample_number"], p["wall_time"])'
}
# grows BY THAN: there are more samples than that, in a while
grows () {
	for _ in $(seq 600); do
		[ "$(profiled "$1" | cut -d " " -f 1)" -gt "$2" ] && return
		sleep 0.05
	done
	return 1
}
# paused SAMPLER BY [VARIABLE=VALUE]...
paused () {
	local sampler=$1 by=$2 began
	shift 2
	serve "$@"
	began=$(date +%s.%N)
	tap_ok "there is a profile by $by" grows $by 0
	tap_is "ppctl sample pauses the $sampler" "$("$PPCTL" sample $pid pause 2>&1)" "process $pid: the $sampler is paused"
	tap_is "... nested" "$("$PPCTL" sample $pid pause 2>&1)" "process $pid: the $sampler is paused, 2 times"
	before=$(profiled $by)
	sleep 0.5
	tap_is "in a pause no time goes by, and nothing is sampled" "$(profiled $by)" "$before"
	tap_has "ppctl ps says that it is paused" "$("$PPCTL" ps | tr -s "\n " " ")" "process $pid \\(host\\) is profiled: .*, which is paused"
	tap_is "one resume is not enough" "$("$PPCTL" sample $pid resume 2>&1)" "process $pid: the $sampler is paused"
	tap_is "two are" "$("$PPCTL" sample $pid resume 2>&1)" "process $pid: the $sampler goes on"
	tap_ok "and so it does" grows $by "${before% *}"
	tap_is "what is not paused is not resumed" "$("$PPCTL" sample $pid resume 2>&1; echo $?)" \
		"ppctl sample: process $pid: no profile is paused from outside
1"
	"$PPCTL" sample $pid pause >/dev/null
	finish
	tap_has "the process ends as it would, in a pause" "$status $(cat err)" '^0 pp: a profile was taken'
	tap_ok "half a second is in no figure" "$PPCTL" profile --by $by --format json -o json host.*.pprec
	tap_is "... of its time" "$(python3 -c "
import json, sys
wall = json.load (open ('json'))['wall_time']
print (0 < wall <= $(date +%s.%N) - $began + 0.1 - 0.5)")" True
	rm -f host.*.pprec now.pprec json
}
paused watcher interval PP_POLICY="$PWD/fast.yaml"
if [ "$PP_ARCH" = x86_64 ] && [ "$SANITIZER" != thread ]; then
	paused interrupter function PP_SAMPLE=500
	paused interrupter function PP_SAMPLE=500,wall
else
	tap_skip "the interrupter is paused" "it can't interrupt here"
fi
serve
tap_is "where nothing is profiled nothing is paused" "$("$PPCTL" sample $pid pause 2>&1; echo $?)" \
	"ppctl sample: process $pid: nothing is profiled
1"
finish

# ---- the other sampler ---------------------------------------------------------------------------------------

policy both '{sampler: interrupter, rate: 500}'
if [ "$PP_ARCH" = x86_64 ] && [ "$SANITIZER" != thread ]; then
	PP_POLICY=both.yaml ./shares 500 2>err
	tap_has "a policy may ask for the interrupter" "$("$PPCTL" profile shares.*.pprec 2>&1)" 'function  source'
	rm -f shares.*.pprec
	policy wall '{sampler: interrupter, clock: wall, signal: SIGWINCH}'
	PP_POLICY=wall.yaml ./shares 500 2>err
	tap_has "... by wall clock, with a signal that it names" "$("$PPCTL" profile --format json shares.*.pprec 2>&1)" '"clock": "wall"'
	rm -f shares.*.pprec
	(trap '' WINCH; PP_POLICY=wall.yaml ./shares 200 2>err)
	tap_has "a signal that is the program's is not taken, though it is named" "$(cat err)" "profile: the program has a handler for the signal of 'signal', or ignores it: no profile is taken"
	rm -f shares.*.pprec
	PP_SAMPLE=200 PP_POLICY=cpu.yaml ./shares 500 2>err
	tap_has "both may run, each with its own profile: by function" "$("$PPCTL" profile shares.*.pprec 2>&1)" 'function  source'
	tap_has "... and by interval" "$("$PPCTL" profile --by interval shares.*.pprec 2>&1)" 'interval  source'
	rm -f shares.*.pprec
	"$PPCTL" run --sample 200 ./shares 500 2>err
	tap_has "ppctl run --sample tells where the profile is" "$? $(cat err)" "where the time went: ppctl profile .*shares.*pprec"
	tap_ok "... which there is" "$PPCTL" profile shares.*.pprec
	rm -f shares.*.pprec
	PP_SAMPLE=200 PP_POLICY=both.yaml ./shares 1 2>err
	tap_has "what PP_SAMPLE asks for comes before the policy" "$? $(cat err)" '^0 pp: PP_SAMPLE asks for a profile already'
	rm -f shares.*.pprec
else
	tap_skip "a policy may ask for the interrupter" "threads are not interrupted here"
fi

# ---- when an assertion fires ---------------------------------------------------------------------------------

# fires LIMIT ACTIONS: fires.yaml, whose assertion fires once share_50 has run more than LIMIT times
fires () {
	cat >fires.yaml <<-END
		version: 1
		metrics: {runs: {interval: elapsed, keep: count}}
		bind: [{metric: runs, sites: [share_50]}]
		assertions:
		  often: {every: 10ms, expect: runs.n <= $1, quiet: true, on_fire: [$2]}
	END
}
fires 1000 '{profile: {for: 100ms}}'
PP_POLICY=fires.yaml ./shares 1500 2>err
tap_is "an assertion has a profile taken" $? 0
tap_has "... which the first screen tells of" "$("$PPCTL" report shares.*.pprec 2>&1 | tail -n 1)" 'where the time went: ppctl profile shares.*pprec'
tap_has "... which has what runs then" "$("$PPCTL" profile shares.*.pprec 2>&1)" ' share_50/share_50 '
tap_has "... and the moment is marked" "$("$PPCTL" report --history shares.*.pprec 2>&1)" 'often.*a profile begins'
rm -f shares.*.pprec
fires 1000000000 '{profile: {for: 100ms}}'
PP_POLICY=fires.yaml ./shares 300 2>err
tap_is "where it does not fire there is none" "$? $(ls shares.*.pprec 2>&1 | grep -c '^shares')" "0 0"
fires 1000 '{profile: {for: 100ms}}, {profile: {for: 50ms, rate: 10}}'
PP_POLICY=fires.yaml ./shares 300 2>err
tap_has "a second one beside it is none, which is said once" "$(cat err)" "an action of assertion 'often' failed: profile: somebody else has a profile"
tap_ok "... and the first is taken" "$PPCTL" profile shares.*.pprec
rm -f shares.*.pprec
fires 3 '{profile: {for: 1h}}'
sed -i 's/share_50/outer/' fires.yaml
PP_POLICY=fires.yaml ./host unload fires.yaml 2>err
tap_is "it ends with the policy of the assertion" $? 0
rm -f host.*.pprec
fires 3 '{profile: {for: 100ms}}'
sed -i 's/share_50/outer/' fires.yaml
PP_POLICY=fires.yaml ./host ends 2>err
tap_is "... or when its time is over" $? 0
rm -f host.*.pprec
for wrong in "{profile: {rate: 10}}|needs 'for'" "{profile: 5s}|must be keys with values"; do
	fires 1000 "${wrong%|*}"
	PP_POLICY=fires.yaml ./shares 1 2>err
	tap_has "${wrong%|*} is refused" "$? $(cat err)" "^0 pp: fires.yaml:5:.*${wrong#*|}"
done
sed -i 's/on_fire: .*/on_clear: [{profile: {for: 1s}}]}/' fires.yaml
PP_POLICY=fires.yaml ./shares 1 2>err
tap_has "it is for on_fire alone" "$? $(cat err)" "^0 pp: fires.yaml:5:.*an action has no key 'profile'"

# ---- whose time ----------------------------------------------------------------------------------------------

build named
# threads_of VALUE: how many threads a profile of that has samples of, and how many of them of the one that is called helper
threads_of () {
	policy named "$1"
	rm -f named.*.pprec
	PP_POLICY=named.yaml ./named 600 2>err
	"$PPCTL" profile --format json named.*.pprec | python3 -c '
import json, sys
names = [t["name"] for t in json.load (sys.stdin)["thread_times"]]
print (len (names), names.count ("helper"))' 2>&1 | tail -1
}
tap_is "the watcher watches the threads whose names match" "$(threads_of '{clock: cpu, threads: "worker-*"}')" "1 0"
if [ "$SANITIZER" = thread ]; then
	tap_skip "so does the interrupter" "ThreadSanitizer keeps signals until a thread calls something"
else
	tap_is "so does the interrupter" "$(threads_of '{sampler: interrupter, threads: [nobody, "worker-?"]}')" "1 0"
fi
tap_is "and all where none are named" "$(threads_of '{clock: cpu}')" "2 1"
threads_of '{threads: "nosuch*"}' >/dev/null 2>&1
tap_has "where no thread is called so it is said" "$(cat err)" "of the threads that came to a marker, none had a name as 'threads' says"
if [ "$SANITIZER" != thread ]; then
	threads_of '{sampler: interrupter, threads: "nosuch*"}' >/dev/null 2>&1
	tap_has "... of functions, too" "$(cat err)" "of the threads that there were, none had a name as 'threads' says"
fi
tap_is "... and where there is one nothing is" "$(threads_of '{clock: cpu, threads: "worker-*"}' >/dev/null; grep -c "none had a name" err)" 0

# ---- a module that is loaded again ---------------------------------------------------------------------------

cat >again.c <<'C'
#include <pp.h>
static volatile unsigned sink;
void again_run (const char *who)
{
#pragma pp feature again.run payload(who)
	PP_INTERVAL_DIM (again, name = who)
	for (int i = 0; i < 200000; i++)
		sink++;
}
C
cat >loads.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main (void)
{
	for (int i = 0; i < 3; i++) {
		void *module = dlopen ("./again.so", RTLD_NOW);
		void (*run) (const char *) = module ? (void (*) (const char *)) dlsym (module, "again_run") : 0;
		char who[] = {'w', 'h', 'o', '0' + i, 0};
		if (!run)
			return puts (dlerror ()), 1;
		for (int k = 0; k < 100; k++)
			run (who);
		dlclose (module);
	}
	return 0;
}
C
# shellcheck disable=SC2086
"$CC" -O1 -w -shared -fPIC $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" again.c -o again.so -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS loads.c -o loads -Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -ldl -lpthread || exit 99

# again KEY: a recording again.pprec of a program that loads a module three times
again () {
	printf 'version: 1\n%s\nrecord: {file: again.pprec, overwrite: true}\n' "$1" >again.yaml
	PP_POLICY=again.yaml ./loads 2>err
}
again 'profile: {features: exact}'
tap_has "a module that is loaded again is measured again, whatever measures: each mark of its features" \
	"$? $("$PPCTL" features again.pprec | tr -s '\n ' ' ')" '^0 .*\(300 marks'
again 'profile: {features: sampled, rate: 10000}'
tap_is "... samples of its features" "$("$PPCTL" features --top 0 again.pprec | grep -o ': who[0-9]' | sort)" ": who0
: who1
: who2"
again 'events: {records: again}'
tap_is "... records of them" "$("$PPCTL" query --raw --csv again.pprec name | tr -d '\r' | awk -F, 'NR > 1 { print $2, $9 }' | sort)" '"who0" 100
"who1" 100
"who2" 100'
again 'events: {aggregate: [{by: name, sites: again}]}'
tap_is "... and groups" "$("$PPCTL" query --aggregate --csv again.pprec name | tr -d '\r' | awk -F, 'NR > 1 { print $2, $9 }' | sort)" '"who0" 100
"who1" 100
"who2" 100'

# ---- what does not go ----------------------------------------------------------------------------------------

refused () { # VALUE MESSAGE
	policy wrong "$1"
	PP_POLICY=wrong.yaml ./shares 1 2>err
	tap_has "$1 is refused, and the program runs" "$? $(cat err)" "^0 pp: wrong.yaml:2:[0-9]+: error: .*$2"
}
refused '{signal: SIGURG}' "'signal' is for 'sampler: interrupter'"
refused '{sampler: interrupter, signal: SIGUSR1}' "SIGURG or SIGWINCH, not 'SIGUSR1'"
refused '{sampler: interrupter, sites: [share_50]}' 'the interrupter samples functions'
refused '{rate: 0}' 'rate'
refused '{rate: 10001}' 'rate'
refused '{sampler: wacther}' "watcher or interrupter, not 'wacther'"
refused '{threads: {}}' "threads"
refused '{threads: []}' "'threads' is empty"
refused '{features: exact, threads: main}' "'threads' is for samplers"
PP_THREADS=0 PP_POLICY=cpu.yaml ./shares 1 2>err
tap_has "without the library's thread there is no profile, which is said" "$? $(cat err)" 'a profile needs the library.s thread'
tap_done
