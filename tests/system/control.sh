#!/bin/bash
# SPDX-License-Identifier: MIT
# control.sh: ppctl asks a running program for something: it is done there, or it is said why not, and what was given up is not done.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
if [[ ${SANITIZER:-} = *thread* ]]; then
	tap_skip "a running program is asked" "builds for ThreadSanitizer have no door where something is only bound"
	tap_done
	exit
fi
tap_alone # it calls processes by name
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/controlled.c" -o controlled -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" ||
	exit 99
pids=
trap 'kill -9 $pids 2>/dev/null; rm -rf "$tap_dir"' EXIT

# start NAME [VARIABLE=VALUE]... [ARGUMENT]: a copy of the program called NAME runs until its input ends; $pid
declare -A input
start () {
	local name=$1 settings=() end
	shift
	while [ $# -gt 0 ] && [[ $1 = *=* ]]; do settings+=("$1"); shift; done
	[ -x "$name" ] || cp controlled "$name"
	rm -f in out.$name
	mkfifo in
	env "${settings[@]}" "./$name" "$@" "$name.pprec" <in >"out.$name" 2>"$name.err" 9>&- &
	pid=$!
	pids="$pids $pid"
	exec {end}>in
	input[$pid]=$end
	for _ in $(seq 600); do
		grep -qs ready "out.$name" && return
		sleep 0.05
	done
	return 1
}

# finish NAME PID: it ends as it would; its history is in $history
finish () {
	echo >&"${input[$2]}"
	status=0
	wait "$2" || status=$?
	history=$("$PPCTL" report --history "$1.pprec")
}

# ask ARGUMENT...: $out, $err, $status
ask () {
	status=0
	"$PPCTL" "$@" >out 2>err || status=$?
	out=$(cat out) err=$(cat err)
}

start one
one=$pid
ask bind one other work
tap_is "a metric is bound to a site of a process that is called by name" "$status $out" "0 process $one: other is bound to 1 site"
ask bind $one other '**/work' --every 4
tap_is "and by number, with every" "$status $out" "0 process $one: other is bound to 1 site"
ask unbind $one other work
tap_is "it is unbound" "$status $out" "0 process $one: other is unbound from 1 site"
ask unbind $one rounds nowhere
tap_is "what is not bound is a problem" "$status $err" "1 ppctl unbind: process $one: rounds is not unbound from 'nowhere': it is bound to no such site"
ask bind $one othr work
tap_is "so is a metric that there is not" "$status $err" "1 ppctl bind: process $one: there is no metric 'othr'; did you mean 'other'?"
ask bind $one other wrk
tap_is "and a site" "$status $err" "1 ppctl bind: process $one: other can't be bound to 'wrk': no site matches; did you mean 'work'?"
ask bind $one other work --every 0
tap_is "one in none is wrong usage" $status 2
ask reset $one rounds
tap_is "a metric is reset" "$status $out" "0 process $one: rounds begins anew"
ask set $one depth 7
tap_is "a knob is turned" "$status $out" "0 process $one: depth is 7"
ask set $one depth -70
tap_is "to its limit at most" "$status $out" "0 process $one: depth is 1, the least that it may be: -70 was asked for"
ask set $one mode slow
tap_is "and to a word" "$status $out" "0 process $one: mode is slow"
ask set $one mode slo
tap_has "a word that it has not is refused" "$status $err" "1 ppctl set: process $one: mode is one of .*not 'slo'; did you mean 'slow'"
ask set $one depth 1.5
tap_has "and so is half a step" "$status $err" "1 .*depth takes whole numbers, not '1.5'"

cat >limits.yaml <<'YAML'
version: 1
assertions:
  few:
    every: 10ms
    expect: rounds.n < 1
    on_fire:
      - {knob: {name: depth, set: 9}}
      - {log: {text: past, to: said}}
YAML
ask load one limits.yaml
tap_is "a policy is loaded" "$status $out" "0 process $one: $tap_dir/limits.yaml is loaded"
for _ in $(seq 600); do [ -s said ] && break; sleep 0.05; done
tap_ok "its relative paths are those of who loads it" test -s said
ask set one depth 4
ask unload one limits.yaml
tap_is "it is unloaded" "$status $out" "0 process $one: $tap_dir/limits.yaml is unloaded"
ask set one depth 4
tap_is "and does not undo what was set by hand" "$out" "process $one: depth is 4"
ask unload one limits.yaml
tap_has "what is not loaded is a problem" "$status $err" "1 ppctl unload: process $one: no policy of the name limits.yaml is loaded"
sed 's/rounds/rouns/' limits.yaml >wrong.yaml
ask load one wrong.yaml
tap_is "a wrong policy is a problem" $status 1
tap_has "with its place" "$err" "^$tap_dir/wrong.yaml:5:13: error: there is no metric 'rouns'; did you mean 'rounds'?"
tap_has "and says that it is not loaded" "$err" "^ppctl load: process $one: $tap_dir/wrong.yaml is not loaded: it has errors"
tap_is "the program's stderr has nothing of it" "$(grep -c error: one.err)" 0
ask load one nowhere.yaml
tap_has "so is a file that there is not" "$status $err" "1 ppctl load: .*nowhere.yaml can't be read: No such file"

{ cat limits.yaml; for i in $(seq 1500); do echo "# $i: a comment of some length, so that all is long"; done; } >long.yaml
tap_ok "a policy of more than 64 KiB" test "$(wc -c <long.yaml)" -gt 65536
ask load one long.yaml
tap_is "is loaded" "$status $out" "0 process $one: $tap_dir/long.yaml is loaded"
{ echo 'version: 1'; echo 'assertions:'; for i in $(seq 1500); do echo "  a$i: {every: 1s, expect: 1 + < $i}"; done; } >errors.yaml
ask load one errors.yaml
tap_is "of many errors the first hundred come back" "$(grep -c ': error: ' err)" 100
tap_has "and the number of the rest" "$err" "and 1400 more errors"
sed -i 's/n < 1/n < 2/' long.yaml
ask reload one
tap_is "what was loaded from here is loaded again by reload" "$status $out" "0 process $one: $tap_dir/long.yaml is loaded"
mv long.yaml elsewhere.yaml
ln -s elsewhere.yaml long.yaml
ask reload one
tap_has "a link that the process names is not followed" "$status $err" "1 ppctl reload: .*long.yaml can't be read: it is no plain file of yours any more"
rm long.yaml
mkfifo long.yaml
ask reload one
tap_has "and a pipe is not read" "$status $err" "1 ppctl reload: .*long.yaml can't be read: it is no plain file of yours any more"
rm long.yaml
ask reload one
tap_has "where it is gone that is said" "$status $err" "1 ppctl reload: .*long.yaml can't be read"

ask report one
tap_has "a report is made of a process that runs" "$status $out" "^0 "
tap_has "with what it has measured" "$out" "rounds"
n1=$("$PPCTL" report --json $one | grep -o '"n": [0-9]*' | head -1)
sleep 0.2
n2=$("$PPCTL" report --json $one | grep -o '"n": [0-9]*' | head -1)
tap_ok "as of now ($n1, then $n2)" test "${n2#*: }" -gt "${n1#*: }"

# ---- dumped
ask dump one -o now.pprec
tap_is "a recording is made of a process that makes none" "$status $out" "0 process $one: dumped into now.pprec"
tap_has "it says what was measured until then" "$("$PPCTL" report now.pprec)" "rounds"
tap_has "and whose it is" "$("$PPCTL" report --json now.pprec | tr -d ' ' | tr '\n' ' ')" "\"pid\":$one,"
ask dump $one -o then.pprec
n3=$("$PPCTL" report --json now.pprec | grep -o '"n": [0-9]*' | head -1)
n4=$("$PPCTL" report --json then.pprec | grep -o '"n": [0-9]*' | head -1)
tap_ok "and stays as it was ($n3, then $n4)" test "${n4#*: }" -gt "${n3#*: }"
tap_has "dumps of one process count once" "$("$PPCTL" merge -o all.pprec now.pprec then.pprec | tr '\n' ' ')" "1 process of 1 run 1 recording was given before"
ask dump one
tap_is "without a file it is wrong usage" $status 2
ask dump one -o /nowhere/now.pprec
tap_has "where the file can't be made that is said" "$status $err" "1 ppctl dump: /nowhere/now.pprec can't be written: .*"
tap_is "the program has opened none of them" "$(grep -c pprec <(ls -l /proc/$one/fd))" 0

# ---- many at once
many=
for i in $(seq 40); do "$PPCTL" set one depth $((i % 9 + 1)) >"many.$i" 2>&1 & many="$many $!"; done
# shellcheck disable=SC2086
wait $many
tap_is "forty at once are each answered" "$(cat many.* | grep -c "process $one: depth is")" 40

# ---- stopped, and killed who asked
kill -STOP $one
ask set one depth 3
tap_is "a process that is stopped is not asked" "$status $err" "1 ppctl set: process $one is stopped: the command was withdrawn, and is not carried out"
ask report $one
tap_has "but what it has measured is reported" "$status $out" "rounds"
"$PPCTL" set one mode fast 2>/dev/null &
killed=$!
sleep 0.3
kill -9 $killed
wait $killed 2>/dev/null || true
"$PPCTL" set one mode fast 2>interrupted &
killed=$!
sleep 0.3
kill -TERM $killed
wait $killed || true
tap_has "who is interrupted withdraws" "$(cat interrupted)" "interrupted: the command was withdrawn, and is not carried out"
(trap '' TERM; exec "$PPCTL" set one mode fast 2>ignored) &
killed=$!
sleep 0.3
kill -TERM $killed
wait $killed || true
tap_has "but not by what it was started to ignore" "$(cat ignored)" "is stopped: the command was withdrawn"
kill -CONT $one
ask set one depth 5
tap_is "the door is usable when it goes on" "$status $out" "0 process $one: depth is 5"

finish one $one
tap_is "a process that was asked ends as it would" $status 0
tap_has "the history knows who turned a knob" "$history" "mode +.*slow, by ppctl \(process [0-9]+\)"
tap_is "what was given up was never done" "$(grep -c "fast, by" <<<"$history")" 0

# ---- a process that lies
# shellcheck disable=SC2086
"$CC" -D_GNU_SOURCE -O1 $SANITIZER_FLAGS -I"$srcdir/include" -I"$srcdir" "$srcdir/tests/system/ppctl/liar.c" -o liar || exit 99
start liar endless
ask set $pid depth 5
# a liar that a sanitizer makes slow may miss the moment that is waited for each piece
tap_has "an answer without end is given up" "$status $err" \
	"^1 ppctl set: process $pid (answers without end${SANITIZER:+|does not answer: it was carried out})"
start liar half
"$PPCTL" set $pid depth 5 2>owed &
killed=$!
sleep 0.5
kill -TERM $killed
wait $killed || true
tap_has "where the rest of an answer does not come, the command was carried out" "$(cat owed)" "interrupted: it was carried out; the rest of its answer didn't come"

# ---- a process that forks while it answers
title="a child frees nothing that a thread of its parent was freeing"
if [ -n "${SANITIZER:-}" ]; then
	tap_skip "$title" "a sanitizer has its own free"
else
	# shellcheck disable=SC2086
	"$CC" -D_GNU_SOURCE -O1 $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/forks.c" -o forks -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
	start forks
	ask set forks depth 7
	for _ in $(seq 100); do grep -q forked out.forks && break; sleep 0.05; done
	tap_is "$title" "$status $(grep forked out.forks | sort -u)" "0 forked 0"
fi

# ---- a process of another user
title="what ppctl load sent to another user's process is not sent again at its word"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ -z "${SANITIZER:-}" ]; then
	chmod 755 .
	cat >theirs <<'SH'
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups ./controlled "$@"
SH
	chmod 755 theirs
	start theirs asleep
	(umask 77; cp elsewhere.yaml secret.yaml)
	ask load $pid secret.yaml
	sed -i 's/n < 2/n < 3/' secret.yaml
	ask reload $pid
	tap_has "$title" "$status $err" "1 ppctl reload: process $pid is another user's: what ppctl load sent it is not sent again"
	tap_is "and nothing is loaded there" "$out" "process $pid: no policy has changed"
else
	tap_skip "$title" "needs root, setpriv and no sanitizer"
fi

# ---- a program that sleeps
# How often the library's thread of PID has gone to sleep
sleeps () {
	local task
	for task in /proc/"$1"/task/*; do
		! grep -qs pp-library "$task/comm" || awk '/^voluntary/ { print $2 }' "$task/status"
	done
}
start resting asleep
before=$(sleeps $pid)
sleep 1
after=$(sleeps $pid)
tap_ok "where something is only bound, the library's thread sleeps until it is asked ($before times, then $after)" \
	test -n "$before" -a $((after - before)) -le 2
ask set resting depth 7
tap_is "and is awake then" "$status $out" "0 process $pid: depth is 7"

# ---- who can't be asked
ask set $one depth 5
tap_is "a process that has ended is a problem" "$status $err" "1 ppctl set: there is no process $one"
ask set $$ depth 5
tap_has "and so is one that does not measure" "$status $err" "1 ppctl set: process $$ has no live region.*PP_CONTROL=1"
ask set nobody_is_called_so depth 5
tap_is "and a name that nobody has" "$status $err" "1 ppctl set: no process of yours is called 'nobody_is_called_so'"
start polled PP_THREADS=0 polled
ask set polled depth 6
tap_is "without a thread pp_poll answers" "$status $out" "0 process $pid: depth is 6"
start silent PP_THREADS=0
ask set silent depth 6
tap_is "where it is not called that is said" "$status $err" \
	"1 ppctl set: process $pid runs with PP_THREADS=0, and does not call pp_poll: the command was withdrawn, and is not carried out"
start silent
ask set silent depth 6
tap_has "two of one name are told apart by their numbers" "$status $err" "1 ppctl set: 2 processes are called silent: [0-9]+ [0-9]+; say which"
ask set $pid depth 6
tap_is "as here" "$status $out" "0 process $pid: depth is 6"
"$CC" -x c - -o unmeasured <<<'#include <unistd.h>
int main (void) { pause (); }'
./unmeasured 9>&- &
pids="$pids $!"
sleep 0.2
ask bind unmeasured other work
tap_has "a program without the library has no door" "$status $err" "1 ppctl bind: process $! has no live region"
tap_done
