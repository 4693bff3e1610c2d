#!/bin/bash
# SPDX-License-Identifier: MIT
# kill.sh: after kill -9 the report has every finished sample: the program counts its rounds itself, in a file of its own.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
if ! command -v python3 >/dev/null; then
	tap_skip "kill -9" "python3 is missing"
	tap_done
fi
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/endless.c" -o endless -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" ||
	exit 99
printf 'version: 1\nrecord: {file: "%s/endless.pprec"}\n' "$tap_dir" >record.yaml

counted () {
	python3 -c 'import struct; print(struct.unpack("<Q", open("count", "rb").read(8))[0])' 2>/dev/null || echo 0
}

PP_POLICY=record.yaml ./endless count &
pid=$!
trap 'kill -9 $pid 2>/dev/null; rm -rf "$tap_dir"' EXIT
for _ in $(seq 600); do
	[ "$(counted)" -gt 100000 ] && break
	sleep 0.1
done
tap_has "a running program's recording says that it is being written" "$("$PPCTL" report --all endless.pprec)" '^recording  being written: its process runs$'
# the newest: others that had its number may have left some
live=$(ls -t /dev/shm/pp.$pid.* 2>/dev/null | head -n 1)
tap_ok "a running program's live region can be reported on" "$PPCTL" report --all "$live"
kill -9 $pid
wait $pid 2>/dev/null
n=$(counted)
tap_ok "the program made its rounds" test "$n" -gt 100000
out=$("$PPCTL" report --json endless.pprec)
got=$(python3 -c 'import json, sys; d = json.load(sys.stdin); print([m["all"]["n"] for m in d["metrics"] if m["name"] == "rounds"][0])' <<<"$out")
# the last round may have ended without being counted
tap_ok "every sample that was finished before kill -9 is in the report ($got samples, $n rounds)" test "$got" = "$n" -o "$got" = $((n + 1))
tap_has "the recording says whose it is" "$("$PPCTL" report --all endless.pprec)" '^recording  left by a process that died; every finished sample is in it$'
tap_ok "nothing is left in /dev/shm" test ! -e "$live"

# killed: leaves moved/endless.pprec of a run that was killed. Its directory is not where the program had it, so who only tidies up leaves what is in memory.
killed () {
	rm -rf there moved count
	mkdir there
	PP_POLICY=there.yaml ./endless count &
	pid=$!
	for _ in $(seq 600); do
		[ "$(counted)" -gt 1000 ] && [ -s there/endless.pprec ] && break
		sleep 0.02
	done
	live=$(ls -t /dev/shm/pp.$pid.* 2>/dev/null | head -n 1)
	kill -9 $pid
	wait $pid 2>/dev/null
	mv there moved
}
printf 'version: 1\nrecord: {file: "%s/there/endless.pprec"}\n' "$tap_dir" >there.yaml
for verb in "query X event" "trace X" "shell X" "features X" "profile X" "history X" "flight X" "merge X -o merged.pprec" "suggest X" "sql X select\ 1" \
	"test record.yaml X"; do
	killed
	eval "\"\$PPCTL\" ${verb/X/moved/endless.pprec}" </dev/null >out 2>&1
	tap_ok "ppctl ${verb%% *} completes the recording that it reads" test -n "$live" -a ! -e "$live" || sed 's/^/# /' out
done
killed
"$PPCTL" check record.yaml >out 2>&1
tap_ok "a verb that reads none leaves what a recording elsewhere may need" test -e "$live"
flock "$live" sleep 0.5 &
"$PPCTL" report --all moved/endless.pprec >out 2>&1
tap_has "who comes while another completes it waits, and has all of it" "$(cat out)" '^recording  left by a process that died; every finished sample is in it$'
tap_is "and says nothing of memory that is gone" "$(grep -c memory out)" 0
wait
tap_done
