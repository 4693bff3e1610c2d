#!/bin/bash
# SPDX-License-Identifier: MIT
# kill_often.sh: a program that records every 100 ms is killed at random moments, KILLS times (8; `make soak` 1,000). Its file as it was left has what it
# had written, and nothing else; completed it has every sample, every event record, and every execution in its group.
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
printf 'version: 1\nrecord: {file: "%s/endless.pprec", interval: 100ms, max_size: 1MiB}\n' "$tap_dir" >endless.yaml
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
# often PROGRAM NAME NUMBERS LOOK: PROGRAM, which counts in so many numbers and records into NAME.pprec, is killed $kills times; what LOOK finds wrong: $bad
often () {
	local i pid result
	bad='' good=0
	for ((i = 0; i < kills; i++)); do
		rm -f "$2.pprec" left.pprec
		head -c $((8 * $3)) /dev/zero >count
		PP_POLICY=$2.yaml "$1" count &
		pid=$!
		# up to eight writes; half of the times from when it counts on
		[ $((i % 2)) = 0 ] || for _ in $(seq 100); do
			cmp -s -n 8 count /dev/zero || break
			sleep 0.05
		done
		sleep "0.$(printf '%03d' $((RANDOM % 800 + 50)))"
		kill -9 $pid
		wait $pid 2>/dev/null
		# before it had begun
		[ -e "$2.pprec" ] || continue
		cp "$2.pprec" left.pprec
		result=$(python3 "$4" "$PPCTL" 2>&1)
		case $result in
		good) good=$((good + 1)) ;;
		early) ;;
		*) bad="$bad$i: $result
" ;;
		esac
	done
}

often ./endless endless 1 look.py
tap_is "$kills times: what was whole is read, nothing else is, and the completed file has every sample" "$bad" ""
tap_ok "most of the times there was something to read ($good)" test $((2 * good)) -ge "$kills"

# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/endless_events.c" -o endless_events -L"$LIBPP" -lpp \
	-Wl,-rpath,"$LIBPP" -lpthread || exit 99
cat >events.yaml <<Y
version: 1
events: {records: round, aggregate: [{by: [worker, parity], sites: round, keep: histogram}], when_full: wait}
record: {file: "$tap_dir/events.pprec", interval: 100ms}
Y
cat >look_events.py <<'P'
import csv, io, json, struct, subprocess, sys

def ask(*arguments):
    run = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    return run.stdout, run.stderr if run.returncode else ""

# by worker; and which of them has not as many odd rounds as even ones, or one more
def counts(path, *how):
    out, why = ask("query", "--csv", *how, path, "worker", "parity")
    workers, odd = {}, {}
    for row in list(csv.reader(io.StringIO(out)))[1:]:
        if row[0] == "1":
            workers[int(row[1])] = int(row[9])
        else:
            odd[int(row[1])] = odd.get(int(row[1]), 0) + int(row[9]) * (1 if row[2] == "odd" else -1)
    uneven = [f"worker {i} has {n} more odd rounds than even ones" for i, n in odd.items() if n not in (0, 1)]
    return workers, why or ", ".join(uneven)

counted = struct.unpack("<3Q", open("count", "rb").read(24))
# this first: then what is in memory is gone, and the copy is read as the file was left
records, uneven = counts("events.pprec", "--raw")
groups, wrong = counts("events.pprec", "--aggregate")
report = json.loads(ask("report", "--json", "events.pprec")[0])
dropped = (report.get("drops") or {}).get("stream", 0)
left, _ = counts("left.pprec", "--raw")
missing = sum(max(0, n - records.get(i, 0)) for i, n in enumerate(counted))
if sum(counted) == 0:
    print("early")
elif wrong:
    print(wrong)
elif any(groups.get(i, 0) not in (n, n + 1) for i, n in enumerate(counted)):
    print(f"groups {groups} of {counted}")
elif any(left.get(i, 0) > n + 1 for i, n in enumerate(counted)):
    print(f"{left} of {counted} are in the file as it was left")
elif any(records.get(i, 0) > n + 1 for i, n in enumerate(counted)) or missing > dropped:
    print(f"records {records} of {counted}, {dropped} said to be dropped")
elif uneven and not dropped:
    print(uneven)
else:
    print("good")
P
often ./endless_events events 3 look_events.py
tap_is "$kills times: each execution of three threads is a record and in its group, or its loss is told" "$bad" ""
tap_ok "most of the times there was something to read, too ($good)" test $((2 * good)) -ge "$kills"
tap_done
