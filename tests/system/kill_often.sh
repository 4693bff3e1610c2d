#!/bin/bash
# SPDX-License-Identifier: MIT
# kill_often.sh: a program that records every 100 ms is killed at random moments, KILLS times (8; `make soak` 1,000). Its file as it was left has what it
# had written, and nothing else; completed it has every sample.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
if ! command -v python3 >/dev/null; then
	tap_skip "kill -9 at random moments" "python3 is missing"
	tap_done
fi
kills=${KILLS:-8}
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/endless.c" -o endless -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" ||
	exit 99
printf 'version: 1\nrecord: {file: "%s/endless.pprec", interval: 100ms, max_size: 1MiB}\n' "$tap_dir" >record.yaml
cat >look.py <<'P'
import json, struct, subprocess, sys

def samples(path):
    run = subprocess.run([sys.argv[1], "report", "--json", path], capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr
    report = json.loads(run.stdout)
    return sum(m["all"]["n"] for m in report["metrics"] if m["name"] == "rounds"), report["program"]["damage"]

counted = struct.unpack("<Q", open("count", "rb").read(8))[0]
# this first: then what is in memory is gone, and the copy is read as the file was left
after, damage = samples("endless.pprec")
before, why = samples("left.pprec")
# the file as it was left: no more than there was, and what is missing of it is said
if before is None:
    print("early" if "cut off" in why else "unreadable: " + why)
elif before > counted + 1:
    print(f"{before} of {counted} samples are in the file as it was left")
elif after not in (counted, counted + 1):
    print(f"{after} of {counted} samples are in the completed file")
elif damage:
    print("the completed file is damaged: " + damage)
else:
    print("good")
P
bad= good=0
for ((i = 0; i < kills; i++)); do
	rm -f endless.pprec left.pprec
	printf '\0\0\0\0\0\0\0\0' >count
	PP_POLICY=record.yaml ./endless count &
	pid=$!
	# up to eight writes
	sleep "0.$(printf '%03d' $((RANDOM % 800 + 50)))"
	kill -9 $pid
	wait $pid 2>/dev/null
	# before it had begun
	[ -e endless.pprec ] || continue
	cp endless.pprec left.pprec
	result=$(python3 look.py "$PPCTL" 2>&1)
	case $result in
	good) good=$((good + 1)) ;;
	early) ;;
	*) bad="$bad$i: $result
" ;;
	esac
done
tap_is "$kills times: what was whole is read, nothing else is, and the completed file has every sample" "$bad" ""
tap_ok "most of the times there was something to read ($good)" test $((2 * good)) -ge "$kills"
tap_done
