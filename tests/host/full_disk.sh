#!/bin/bash
# SPDX-License-Identifier: MIT
# full_disk.sh: a disk that is full while a recording is written: the program runs on, what it measures stays in memory, and is written when
# there is room again; docs/host.md, Files.
. "$srcdir/tests/tools/tap.sh" || exit 99

if [ -z "${PP_FULL_DISK-}" ]; then
	if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
		tap_skip "a full disk" "needs root and unshare -m"
		tap_done
		exit
	fi
	PP_FULL_DISK=1 exec unshare -m bash "$0"
fi
. "$srcdir/tests/host/recorder.sh" || exit 99

mkdir disk
mount -t tmpfs -o size=1m none disk || exit 99
trap 'umount -l disk; rm -rf "$tap_dir"' EXIT

# waits until FILE has TEXT, or until it is larger than BYTES; ten seconds at most
await_text () { # TEXT FILE
	local i

	for ((i = 0; i < 1000; i++)); do
		grep -q "$1" "$2" && return 0
		sleep 0.01
	done
	return 1
}
grows () { # FILE BYTES
	local i

	for ((i = 0; i < 1000; i++)); do
		[ "$(stat -c %s "$1")" -gt "$2" ] && return 0
		sleep 0.01
	done
	return 1
}

is_soon () { # RECORDING
	local i

	for ((i = 0; i < 1000; i++)); do
		is_recording "$1" && return 0
		sleep 0.01
	done
	return 1
}

# waits until the program waits for FILE
await_ready () {
	await "$1.ready"
}

fill () {
	head -c 2M /dev/zero >disk/filler 2>/dev/null
}

# the series has so many SAMPLES, and so many of them are not as they follow each other
series_is () { # WHAT "SAMPLES WRONG"
	if [ -n "$SANITIZER" ]; then
		tap_skip "$1" "python3 has no sanitizer's runtime"
		return
	fi
	tap_is "$1" "$(series)" "$2"
}
series () {
	PPREC_LIBRARY=$LIBPP/../../recording/.libs/libpprec.so.0 PYTHONPATH=$srcdir/recording python3 -c '
import pprec, sys
n = bad = 0
for s in pprec.open(sys.argv[1]).samples():
    bad += s["index"] != n or s["value"] != n
    n += 1
print(n, bad)' disk/run.pprec
}

printf 'version: 1\nrecord: {file: disk/run.pprec, interval: 100ms}\n' >policy.yaml
PP_POLICY=policy.yaml ./recorder add 20000 wait full add 20000 wait more add 20000 wait empty add 20000 wait end >out 2>err &
pid=$!
await_ready full
tap_ok "there is a recording" is_recording disk/run.pprec
fill
touch full
await_ready more
tap_ok "it is said that there is no room" await_text 'No space left on device' err
before=$(stat -c %s disk/run.pprec)
touch more
await_ready empty
"$PPCTL" report disk/run.pprec >said 2>&1
tap_is "what was written can be read" "$? $(stat -c %s disk/run.pprec)" "0 $before"
rm disk/filler
touch empty
await_ready end
tap_ok "where there is room again it is written" grows disk/run.pprec "$before"
touch end
wait $pid
tap_is "the program ends as it would" "$? $(tail -n 2 out | paste -sd' ')" "0 n 80000 lost 0 done"
tap_is "it was said once" "$(grep -c 'cannot be written' err)" 1
tap_has "... what is done about it" "$(cat err)" 'No space left on device; measuring goes on in memory, and it is tried again$'
series_is "all samples are in the recording, each once" "80000 0"

# ---- full from the start
rm -f full* disk/run.pprec
head -c 2M /dev/zero >disk/filler 2>/dev/null
printf 'version: 1\nassertions: {counted: {every: 100ms, expect: 1 < 2}}\nrecord: {file: disk/run.pprec, interval: 100ms}\n' >begun.yaml
PP_POLICY=begun.yaml ./recorder add 20000 wait full wait end >out 2>err &
pid=$!
await_ready full
tap_ok "where the disk is full at the start that is said" await_text 'No space left on device; measuring goes on in memory, and it is tried again$' err
rm disk/filler
touch full
await_ready end
tap_ok "... and a file is there when there is room" is_soon disk/run.pprec
touch end
wait $pid
tap_is "... the program ends as it would" "$?" 0
series_is "... and nothing is missing in the recording" "20000 0"

# ---- killed while the disk is full
rm -f full* disk/run.pprec
PP_POLICY=policy.yaml ./recorder add 20000 wait full add 20000 kill >out 2>err &
pid=$!
await_ready full
fill
touch full
wait $pid 2>/dev/null
"$PPCTL" report disk/run.pprec >said 2>&1
status=$?
tap_is "a recording that can't be completed is read, and ppctl says why" "$status $(grep -c 'No space left on device' said)" "0 1"
rm disk/filler
tap_has "where there is room ppctl completes it" "$("$PPCTL" report disk/run.pprec 2>&1)" 'left by a process that died; every finished sample is in it'
series_is "and nothing is missing" "40000 0"
tap_done
