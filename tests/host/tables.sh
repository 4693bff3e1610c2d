#!/bin/bash
# SPDX-License-Identifier: MIT
# tables.sh: ppctl reads the tables of ELF files that are not as the plugin makes them; docs/host.md, Files.
. "$srcdir/tests/tools/tap.sh" || exit 99
if [ "$SANITIZER" = thread ]; then
	tap_skip "damaged tables" "ThreadSanitizer knows guards only, which have another one"
	tap_done
fi
tap_dir
cd "$tap_dir" || exit 99
if ! command -v python3 >/dev/null; then
	tap_skip "damaged tables" "python3 is missing"
	tap_done
fi
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/ppctl/bakery.c" -o whole -L"$LIBPP" -lpp -lm -lpthread -Wl,-rpath,"$LIBPP" || exit 99

# damage.py FILE OUT shift SECTION BYTES   the section is said to lie so many bytes later in memory
# damage.py FILE OUT cut SECTION BYTES     ... to be so many bytes shorter
# damage.py FILE OUT over SECTION OTHER    OTHER is said to lie where SECTION is, and to be 64 bytes long
# damage.py FILE OUT noise N               OUT.1 to OUT.N: a few numbers in the section headers and in the tables are others
cat >damage.py <<'P'
import random, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
shoff, = struct.unpack_from("<Q", data, 40)
size, count, strings = struct.unpack_from("<HHH", data, 58)
def head(i): return list(struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * size))
def put(i, h): struct.pack_into("<IIQQQQIIQQ", data, shoff + i * size, *h)
names = head(strings)[4]
def name(i):
    at = names + head(i)[0]
    return data[at:data.index(0, at)].decode()
number = {name(i): i for i in range(count)}
what = sys.argv[3]
whole = bytes(data)
for seed in range(1, int(sys.argv[4]) + 1) if what == "noise" else ():
    data[:] = whole
    r = random.Random(seed)
    ours = [i for n, i in number.items() if n.startswith("__pp_") or n == ".data"]
    for _ in range(r.randint(1, 4)):
        i = r.choice(ours)
        h = head(i)
        if r.random() < 0.4:
            h[r.choice([3, 4, 5])] += r.choice([-64, -8, -4, -1, 1, 4, 8, 63, 64, 4096, 2**31, 2**63])
            put(i, [x % (2**32 if k in (0, 1, 6, 7) else 2**64) for k, x in enumerate(h)])
        elif h[5] >= 4 and h[4] + h[5] <= len(data):
            at = h[4] + r.randrange(h[5] - 3)
            struct.pack_into("<I", data, at, r.choice([0, 1, 63, 64, 65, 2**16, 2**31 - 1, 2**31, 2**32 - 1, r.getrandbits(32)]))
    open(f"{sys.argv[2]}.{seed}", "wb").write(data)
if what == "noise":
    sys.exit()
i = number[sys.argv[4]]
h = head(i)
if what == "shift": h[3] += int(sys.argv[5])
if what == "cut": h[5] -= int(sys.argv[5])
if what == "over":
    o = head(number[sys.argv[5]])
    o[3], o[5], o[2] = h[3], 64, o[2] | 2
    put(number[sys.argv[5]], o)
put(i, h)
open(sys.argv[2], "wb").write(data)
P

tap_ok "a whole file is read" "$PPCTL" sites whole
refused () { # SENTENCE PATTERN ARGUMENT...
	local sentence=$1 pattern=$2

	shift 2
	python3 damage.py whole damaged "$@" || exit 99
	out=$("$PPCTL" sites damaged 2>&1)
	tap_has "$sentence" "$? $out" "^1 .*$pattern"
}
refused "records that are not aligned are an error" 'is damaged: the record at 0 of __pp_records is not aligned' shift __pp_records 4
refused "so are records that end too early" 'is damaged: the record at [0-9]+ of __pp_records is not whole' cut __pp_records 8
refused "and records over which another section lies" 'is damaged: the record at 0 of __pp_records' over __pp_records .interp
refused "a table of markers that is cut is an error" 'is damaged, or of another ABI' cut __pp_sites 4

crashed=0
python3 damage.py whole damaged noise 60 || exit 99
for file in damaged.*; do
	timeout 20 "$PPCTL" sites --verbose "$file" >/dev/null 2>err
	status=$?
	if [ $status -gt 1 ]; then
		crashed=$((crashed + 1))
		tap_show "$file" "$status $(head -n 3 err)"
	fi
done
tap_is "no damage of tables and section headers crashes ppctl, or keeps it for long" "$crashed" 0
tap_done
