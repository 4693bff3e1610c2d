#!/bin/bash
# SPDX-License-Identifier: MIT
# ps.sh: ppctl ps lists the processes that measure, what is bound in them and what fires, and says a sentence of those that it can't list.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
tap_alone # it lists all processes, and completes what those that were killed have left
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/controlled.c" -o listed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" ||
	exit 99
pids=
strange=/dev/shm/pp-test-version.$$
trap 'kill -9 $pids 2>/dev/null; rm -rf "$tap_dir" "$strange"' EXIT

cat >slow.yaml <<'YAML'
version: 1
record: {file: left.pprec}
assertions:
  never_so_few: {every: 10ms, expect: rounds.n < 1, quiet: true}
  always_some: {every: 10ms, expect: rounds.n >= 0, quiet: true}
YAML

# ThreadSanitizer permits no thread in a child of fork: there the door is opened where it is asked for
[ "$SANITIZER" != thread ] || export PP_CONTROL=1

# start VARIABLE=VALUE...: $pid runs until it is killed
start () {
	rm -f in out.txt
	mkfifo in
	env "$@" ./listed end.pprec <in >out.txt 2>err.txt 9>&- &
	pid=$!
	pids="$pids $pid"
	exec {end}>in
	for _ in $(seq 600); do
		grep -qs ready out.txt && return
		sleep 0.05
	done
	return 1
}

# line PID: what ps prints of it
line () { COLUMNS=200 "$PPCTL" ps | grep -E "^ *$1 "; }

start PP_POLICY=slow.yaml PP_CONTROL=1
one=$pid
for _ in $(seq 600); do [[ $(line $one) = *never_so_few* ]] && break; sleep 0.05; done
all=$("$PPCTL" ps)
tap_has "a process that measures is listed, with its program" "$(line $one)" "^ *$one  listed"
tap_has "with how many sites are bound, and metrics" "$(line $one)" " s +1 +1 "
tap_has "and whether it can be asked" "$(line $one)" " open "
tap_has "and what fires, since when" "$(line $one)" "never_so_few for [0-9.]+ "
tap_is "what holds is no news" "$(grep -c always_some <<<"$all")" 0
cat >job.c <<'END'
#include <pp.h>
#include <unistd.h>

static void job (void)
{
#pragma pp interval job
	usleep (10000);
}

int main (void)
{
	for (;;)
		job ();
}
END
# shellcheck disable=SC2086
"$CC" -O1 -w $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" job.c -o job -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
printf 'version: 1\nevents: {records: job}\nrecord: {file: job.pprec}\n' >job.yaml
PP_POLICY=job.yaml ./job 2>/dev/null &
job=$!
pids="$pids $job"
for _ in $(seq 200); do [[ $(line $job) =~ \ s\ +1\ +0\  ]] && break; sleep 0.05; done
tap_has "a site that is only recorded is one, without a metric" "$(line $job)" " s +1 +0 "
kill -9 $job
wait $job 2>/dev/null
rm -f /dev/shm/pp.$job.*
cp job 'a job'
PP_POLICY=job.yaml PP_CONTROL=1 './a job' 2>/dev/null &
job=$!
pids="$pids $job"
for _ in $(seq 200); do [[ $(line $job) =~ \ s\ +1\ +0\  ]] && break; sleep 0.05; done
tap_has "a name may have blanks" "$(line $job)" "^ *$job  a job  "
tap_has "... and is found by them" "$("$PPCTL" sample 'a job' 100ms 2>&1)" 'job/job'
rm 'a job'
tap_has "... also when the file is gone" "$(line $job)$("$PPCTL" sample 'a job' 100ms 2>&1 | head -n 1)" "^ *$job  a job  .*profile of "
kill -9 $job
wait $job 2>/dev/null
rm -f /dev/shm/pp.$job.*
# how long it fires says how wide that is: in 80 columns a column less may fit
tap_is "there are headings" "$(COLUMNS=120 "$PPCTL" ps | head -1 | tr -s ' ' | sed 's,^ ,,')" "pid program measures for sites metrics door firing"
tap_is "no line is wider than a terminal" "$(LC_ALL=C.UTF-8 wc -L <<<"$all" | awk '$1 > 80')" ""
tap_is "nor than a narrow one" "$(COLUMNS=50 LC_ALL=C.UTF-8 "$PPCTL" ps "$one" | LC_ALL=C.UTF-8 wc -L | awk '$1 > 50')" ""
tap_has "one that is named is listed alone" "$("$PPCTL" ps listed | tail -n +2)" "^ *$one  listed .*never_so_few"
if "$PPCTL" sources --json >/dev/null 2>&1; then
	json=$("$PPCTL" ps --json $one | tr -d ' \n')
	tap_has "JSON has the same" "$json" "\"processes\":\[\{\"pid\":$one,\"program\":\"listed\",\"measured_s\":[0-9.]+,\"sites\":1,\"metrics\":1,\"door\":\"open\",\"assertions\":2,\"firing\":\[\{\"name\":\"never_so_few\",\"severity\":\"warning\",\"since_s\":[0-9.]+\}\]"
else
	tap_skip "JSON has the same" "built without jansson"
fi
kill -STOP $one
for _ in $(seq 100); do grep -q 'State:.T' /proc/$one/status && break; sleep 0.05; done
tap_has "one that is stopped is listed so" "$(line $one)" " stopped "

start PP_THREADS=0
two=$pid
tap_has "one without the library's thread is asked when it polls" "$(line $two)" " polled +-"
tap_is "two of one name are not told apart" "$("$PPCTL" ps listed 2>&1 | grep -c 'say which')" 1

# ---- those that can't be listed
printf 'ppgcc\r\n\032\004\000\000\000' >"$strange"
truncate -s 8192 "$strange"
sleep 600 3<>"$strange" 9>&- &
old=$!
pids="$pids $old"
for _ in $(seq 100); do [ "$(readlink /proc/$old/exe)" != "$(readlink /proc/$$/exe)" ] && break; sleep 0.05; done
tap_has "one of another version is said to be" "$("$PPCTL" ps | tr -s ' \n' ' ')" "process $old \(sleep\) uses a libpp of another version: use the ppctl that belongs to it"
tap_has "also where it is named" "$("$PPCTL" ps $old 2>&1 || true)" "^ppctl ps: process $old uses a libpp of another version"
kill -9 $one
wait $one 2>/dev/null || true
tap_has "of one that was killed it says what becomes of its recording" "$("$PPCTL" ps | tr -s ' \n' ' ')" "process $one was killed: its recording $tap_dir/left.pprec is completed now"
tap_has "which is so" "$("$PPCTL" report left.pprec)" "never_so_few"
tap_is "then it is not listed" "$("$PPCTL" ps | grep -cw $one)" 0
status=0
err=$("$PPCTL" ps $one 2>&1) || status=$?
tap_is "nor where it is named" "$status $err" "1 ppctl ps: there is no process $one"
kill -9 $two
wait $two 2>/dev/null || true
mkdir gone
sed 's,left.pprec,gone/left.pprec,' slow.yaml >gone.yaml
start PP_POLICY=gone.yaml PP_CONTROL=1
three=$pid
for _ in $(seq 600); do [[ $(line $three) = *never_so_few* ]] && break; sleep 0.05; done
rm -r gone
kill -9 $three
wait $three 2>/dev/null || true
said=$("$PPCTL" ps | tr -s ' \n' ' ')
tap_has "one line says what can't be completed, and why" "$said" "[1-9][0-9]* recordings? of processes that were killed can't be completed: .*No such file or directory"
tap_is "... and no other claims that it is" "$(grep -c "gone/left.pprec is completed now" <<<"$said")" 0
rm -f /dev/shm/pp.$three.*
tap_is "two processes are wrong usage" "$("$PPCTL" ps 1 2 >/dev/null 2>&1; echo $?)" 2
tap_done
