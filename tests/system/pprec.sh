#!/bin/bash
# SPDX-License-Identifier: MIT
# pprec.sh: libpprec, the Python module on it, and a second reader that was written from docs/recording.md agree on a recording; a program in C and in C++.
. "$srcdir/tests/tools/tap.sh"
tap_dir
library=$builddir/recording/.libs
if ! command -v python3 >/dev/null || [ ! -e "$library/libpprec.so.0" ]; then
	tap_skip "libpprec" "python3 or libpprec.so is missing"
	tap_done
fi
if [ -n "$SANITIZER" ]; then
	tap_skip "libpprec" "python3 has no sanitizer's runtime"
	tap_done
fi
cp "$srcdir"/tests/system/ppctl/endless.c "$tap_dir"
cd "$tap_dir" || exit 99
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS -I"$srcdir/include" endless.c -o endless -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
cat >policy.yaml <<'Y'
version: 1
record: {file: run.pprec, interval: 100ms}
assertions:
  never: {every: 100ms, expect: rounds.n < 0}
Y
PP_POLICY=policy.yaml PP_RUN=00112233445566778899aabbccddeeff ./endless count >/dev/null 2>&1 &
pid=$!
trap 'kill -9 $pid 2>/dev/null; rm -rf "$tap_dir"' EXIT
sleep 1.5
kill -9 $pid
wait $pid 2>/dev/null
"$PPCTL" report run.pprec >/dev/null 2>&1
export PPREC_LIBRARY=$library/libpprec.so.0 PYTHONPATH=$srcdir/recording PYTHONDONTWRITEBYTECODE=1

python3 "$srcdir/tests/system/pprec_second.py" run.pprec >second.json || echo '{}' >second.json
python3 - >first.json <<'Y'
import json, pprec
with pprec.open("run.pprec") as r:
    info = r.info
    kinds = {"run": 1, "modules": 2, "sites": 3, "state": 4, "history": 5, "values": 6, "stream": 7, "gap": 8, "index": 9, "processes": 10}
    json.dump({
        "run": info["run"], "host": info["host"], "program": info["program"], "pid": info["pid"],
        "measured_s": round(info["measured_s"], 6),
        "n": {m["name"]: int(r.statistic(m["name"], "n")) for m in r.metrics()},
        "sites": sorted(s["name"] for s in r.sites()),
        "history": [h["name"] for h in r.history()],
        "values": [{"time_s": round(v["time_s"], 6), **{k: v[k] for k in ("shard", "metric", "site", "thread", "n", "total")}} for v in r.values()],
        "blocks": [kinds[b["type"]] for b in r.blocks()]}, open("/dev/stdout", "w"))
Y
same () { # KEY: do both readers say the same, and something?
	python3 - "$1" <<'Y'
import json, sys
a, b = json.load(open("first.json")), json.load(open("second.json"))
key = sys.argv[1]
x, y = a.get(key), b.get(key)
if key == "n":
    x, y = ({k: v for k, v in z.items() if v} for z in (x, y))
if key == "values":
    print(len(x) > 5, len(x) == len(y), all(
        {k: v for k, v in p.items() if k != "total"} == {k: v for k, v in q.items() if k != "total"}
        and (p["total"] == q["total"] or abs(p["total"] - q["total"]) <= 1e-12 * abs(q["total"])) for p, q in zip(x, y)))
else:
    print(bool(x), x == y)
Y
}
for key in run host program pid measured_s n sites history blocks; do
	tap_is "both readers say the same: $key" "$(same $key)" "True True"
done
tap_is "both readers say the same: values over time" "$(same values)" "True True True"
tap_is "the run's number is that of the environment" "$(python3 -c 'import json; print(json.load(open("first.json"))["run"])')" 00112233445566778899aabbccddeeff
tap_ok "values over time are as fine as the policy says" python3 -c '
import json
times = sorted({v["time_s"] for v in json.load(open("first.json"))["values"]})
assert len(times) >= 5, times'
tap_is "a pass that was left is begun again, also beside another one" "$(python3 -c '
import pprec
with pprec.open("run.pprec") as r:
    first, block = next(r.values()), next(r.blocks())
    print(next(r.values()) == first, next(r.blocks()) == block, len(list(r.values())) == len(list(r.values())))')" "True True True"
out=$(python3 "$srcdir/docs/examples/rate.py" run.pprec rounds)
tap_ok "the example's steps add up to all samples" python3 -c '
import json, sys
steps = [int(line.split()[1]) for line in sys.argv[1].splitlines()[1:]]
n = json.load(open("first.json"))["n"]["rounds"]
assert len(steps) > 4 and sum(steps) == n, (steps, n)' "$out"
tap_has "what is no recording is an error with a sentence" "$(python3 -c '
import pprec
try: pprec.open("policy.yaml")
except pprec.Error as e: print(e)')" 'policy.yaml is not a recording'

# ---- history and merge
tap_ok "ppctl history has a line for each step" test "$("$PPCTL" history --metric rounds run.pprec | tail -n +3 | wc -l)" -ge 5
steps=$("$PPCTL" history --metric 'round*' run.pprec | awk 'NR > 2 { n += $3 } END { print n }')
tap_is "... and they add up to all samples" "$steps" "$(python3 -c 'import json; print(json.load(open("first.json"))["n"]["rounds"])')"
tap_has "a metric that there is not is told" "$("$PPCTL" history --metric nothing run.pprec 2>&1)" "there is no metric 'nothing'"
PYTHONPATH=$srcdir/tests/system python3 - <<'Y'
import struct, pprec_second as second
file = open("run.pprec", "rb").read()
blocks = list(second.blocks(file))
values = [b for b in blocks if b[0] == 6]
size = {at: struct.unpack_from("<Q", file, at + 16)[0] for *_, at in blocks}
damaged = bytearray(file)
for *_, at in values:
    damaged[at + 70] ^= 1
open("damaged.pprec", "wb").write(damaged)
# a thousand samples, a reset, and fifteen hundred more
bindings = {struct.unpack_from("<I", c, 8)[0] for b in blocks if b[0] == 3 for _, c in second.items(b[4]) if c[4] == 4}
place, shard = next((p, c) for p, c in second.items(values[-1][4]) if c[4] == 7 and struct.unpack_from("<I", c, 8)[0] in bindings)
with open("reset.pprec", "wb") as out:
    out.write(b"".join(file[at : at + size[at]] for kind, *_, at in blocks if kind in (1, 3, 4)))
    for epoch, n in ((0, 1000), (1, 1500)):
        new = bytearray(shard)
        struct.pack_into("<I", new, 20, epoch)
        struct.pack_into("<Q", new, 48, n)
        content = struct.pack("<QII", place, len(new), 0) + new + bytes(-len(new) % 8)
        ns = values[-1][3] + epoch * 1000000000
        head = struct.pack("<8sIIQIIIIQQI", second.MAGIC, second.VERSION, 6, (64 + len(content) + 63) // 64 * 64, len(content), len(content), 0, 0, ns, ns,
                           second.crc32c(content))
        out.write(head + struct.pack("<I", second.crc32c(head)) + content + bytes(-len(content) % 64))
Y
out=$("$PPCTL" history damaged.pprec 2>&1)
tap_is "damaged values are told, and are a problem" "$? $(grep -c 'blocks of values are damaged, the first at' <<<"$out")" "1 1"
tap_is "what was reset begins from 0" "$("$PPCTL" history reset.pprec | awk '$2 == "s" { print $3 }' | paste -sd' ')" "1000 1500"
printf 'version: 1\nrecord: {file: part.%%p.pprec}\n' >parts.yaml
# A process that is killed SECONDS after its recording is there, and is gone then: killed POLICY RUN GLOB SECONDS
killed () {
	local pid i
	touch before
	PP_POLICY=$1 PP_RUN=$2 ./endless count >/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[ -z "$(find . -name "$3" -newer before)" ] || break
		sleep 0.1
	done
	sleep "$4"
	kill -9 $pid
	wait $pid 2>/dev/null
}
for run in 11111111111111111111111111111111 11111111111111111111111111111111 22222222222222222222222222222222; do
	killed parts.yaml $run 'part.*' 0.5
done
mapfile -t parts < <(ls part.*.pprec)
tap_is "each process has its recording" "${#parts[@]}" 3
tap_is "ppctl merge says how many runs there are, and what it was given twice" "$("$PPCTL" merge -o all.pprec "${parts[@]}" "${parts[0]}")" \
	"all.pprec: 3 processes of 2 runs
1 recording was given before, and counts once"
sum () {
	python3 -c '
import pprec, sys
print(sum(int(pprec.open(f).statistic("rounds", "n")) for f in sys.argv[1:]))' "$@"
}
tap_is "the merged recording has all samples" "$(sum all.pprec)" "$(sum "${parts[@]}")"
tap_has "its first screen says how many processes it is of" "$("$PPCTL" report all.pprec)" 'endless, 3 processes, started'
PP_POLICY=parts.yaml ./endless count >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do
	[ -s "part.$pid.pprec" ] && break
	sleep 0.1
done
tap_is "merge says whose recording goes on" "$("$PPCTL" merge -o live.pprec part.$pid.pprec "${parts[0]}")" \
	"live.pprec: 2 processes of 2 runs
1 recording goes on: what it had by now counts"
kill -9 $pid
wait $pid 2>/dev/null
tap_has "merge without a place for it is wrong usage" "$("$PPCTL" merge run.pprec 2>&1)" '-o says where'

# ---- one run, one name
printf 'version: 1\nrecord: {file: one.pprec}\n' >one.yaml
for _ in 1 2 3; do
	killed one.yaml 33333333333333333333333333333333 'one.pprec*' 0.1
done
tap_is "a recording of the same run is never replaced" "$(echo one.pprec*)" "one.pprec one.pprec.2 one.pprec.3"
tap_is "... and merge takes all" "$("$PPCTL" merge -o one.all one.pprec*)" "one.all: 3 processes of 1 run"
killed one.yaml 44444444444444444444444444444444 'one.pprec*' 0.1
tap_is "one of another run is" "$(echo one.pprec*)" "one.pprec one.pprec.2 one.pprec.3"

cat >read.c <<'C'
#include <pprec.h>
#include <stdio.h>
int main (int argc, char **argv)
{
	pprec *r;
	pprec_value v;
	char why[512];
	unsigned n = 0;

	if (argc != 2 || pprec_open (argv[1], &r, why, sizeof why) < 0)
		return 1;
	while (pprec_value_next (r, &v) > 0)
		n++;
	while (pprec_value_next (r, &v) > 0)
		n++;
	printf ("%u\n", n);
	pprec_close (r);
	return 0;
}
C
cp read.c read.cc
rows=$(python3 -c 'import json; print(2 * len(json.load(open("first.json"))["values"]))')
tap_ok "a C program builds with -lpprec" "$CC" -std=c11 -Wall -Wextra -Werror -I"$srcdir/recording" read.c -o read_c -L"$library" -lpprec -Wl,-rpath,"$library"
tap_is "and goes through the values as often as it wants" "$(./read_c run.pprec)" "$rows"
tap_ok "a C++ program too" "$CXX" -std=c++17 -Wall -Wextra -Werror -I"$srcdir/recording" read.cc -o read_cc -L"$library" -lpprec -Wl,-rpath,"$library"
tap_is "with the same rows" "$(./read_cc run.pprec)" "$rows"
declared=$(sed -nE 's/^[a-z].*[ *](pprec_[a-z_]+) \(.*/\1/p' "$srcdir/recording/pprec.h" | LC_ALL=C sort -u)
exported=$(nm -D --defined-only "$library/libpprec.so.0" | awk '$2 != "A" { sub (/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u)
tap_is "libpprec exports what its header declares, no more and no less" "$(LC_ALL=C diff <(echo "$declared") <(echo "$exported"))" ""
# ---- samples of series -------------------------------------------------------------------------------------------

cp "$srcdir"/tests/system/ppctl/series.c .
# shellcheck disable=SC2086
"$CC" -O2 -w $PPGCC_FLAGS -I"$srcdir/include" series.c -o series -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
printf 'version: 1\nrecord: {file: series.pprec, interval: 100ms}\n' >series.yaml
# series of threads, each as one that begins at 0 and has no gap: how many, and how many samples
read_series () {
	python3 - series.pprec <<'Y'
import sys, pprec
series, bad = {}, 0
with pprec.open(sys.argv[1]) as r:
    for s in r.samples():
        key = (s["metric"], s["site"].rpartition("/")[2], s["thread"])
        expected = series.get(key, 0)
        # what an ended thread had in memory is another series, of both
        bad += key[2] != 0 and (s["index"] != expected or s["value"] != expected)
        series[key] = s["index"] + 1
threads = [n for key, n in series.items() if key[2]]
print(len(threads), "threads", sum(1 for key in series if key[:2] == ("all", "given")) == len(series), "bad", bad)
print(sum(threads) + sum(n for key, n in series.items() if not key[2]))
Y
}
PP_POLICY=series.yaml ./series >said 2>/dev/null
tap_is "memory is what maxSize says, and no sample is lost" "$(cat said)" "n 400000 lost 0"
read_series >got 2>&1
tap_is "a recording has all samples of a series, in their order" "$(head -n 1 got)" "2 threads True bad 0"
tap_is "each once" "$(tail -n 1 got)" 400000
# the chunk that was begun last lies before an older one
PP_POLICY=series.yaml ./series 90000 30000 >/dev/null 2>&1
"$PPCTL" report series.pprec >/dev/null 2>&1
read_series >got 2>&1
tap_is "what a killed process left in memory comes in its order" "$(head -n 1 got)" "3 threads False bad 0"
PP_POLICY=series.yaml ./series 100000000 >/dev/null 2>&1 &
pid=$!
sleep 1
kill -9 $pid
wait $pid 2>/dev/null
"$PPCTL" report series.pprec >/dev/null 2>&1
read_series >got 2>&1
tap_is "so has that of a killed process, as far as it came" "$(head -n 1 got)" "2 threads True bad 0"
tap_ok "... which is far" test "$(tail -n 1 got)" -gt 10000

tap_done
