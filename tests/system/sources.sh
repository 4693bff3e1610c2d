#!/bin/bash
# SPDX-License-Identifier: MIT
# sources.sh: the library's sources through whole programs: the sums are known to the unit.
. "$srcdir/tests/tools/tap.sh"
tap_one_thread "sources count what a program does"
tap_dir
cd "$tap_dir" || exit 99
expected="news 8, 1424
written 500 by 50
read 0
weight 150
perf counts
allocs 100
bytes 20000
loops 50
faults enough
switches enough
cpu plausible"

# build NAME FLAG...
build () {
	local name=$1
	shift
	# shellcheck disable=SC2086
	"$CXX" -O2 -std=gnu++17 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/system/sources/count.cc" -o "$name" "$@" \
		-Wl,-rpath,"$LIBPP" >log 2>&1 || { tap_show log "$(cat log)"; return 1; }
}

for flags in "" "-fno-pie -no-pie" "-fno-plt -Wl,-z,now"; do
	# shellcheck disable=SC2086
	build count $flags -L"$LIBPP" -lpp
	tap_is "sources count what a program does (flags: ${flags:-none})" "$(./count 2>&1)" "$expected"
done
if [ -n "${SANITIZER:-}" ] && [ ! -f "$LIBPP/libpp.a" ]; then
	tap_skip "sources count what a program does that has libpp.a in it" "with sanitizers there is libpp.so alone"
else
	# shellcheck disable=SC2086
	build with_archive "$LIBPP/libpp.a" $YAML_LIBS -lm -ldl -lpthread
	tap_is "sources count what a program does that has libpp.a in it" "$(./with_archive 2>&1)" "$expected"
fi
build with_sde -DWITH_SDE -L"$LIBPP" -lpp -ldl
out=$(./with_sde 2>&1)
status=$?
if [ $status = 77 ]; then
	tap_skip "PAPI's software-defined events are counted" "libsde is not installed"
elif grep -q 'built without PAPI' <<<"$out"; then
	tap_skip "PAPI's software-defined events are counted" "built without PAPI"
else
	tap_is "PAPI's software-defined events are counted" "$(grep -v '^pp: metric "sde"' <<<"$out")" "$expected"$'\n'"sde 350"
	tap_has "that they read the program's variables where a marker is no barrier is said" "$out" '^pp: metric "sde" .*no barriers for memory'
fi
# a processor that counts two events at a time, and a program that wants five
"$CC" -O2 -shared -fPIC "$srcdir/tests/system/papi/fake_papi.c" -o libfakepapi.so >log 2>&1
# shellcheck disable=SC2086
if grep -q 'built without PAPI' <<<"$out" || grep -q 'papi.h' log; then
	tap_skip "PAPI's events take turns" "built without PAPI"
elif [ -n "${SANITIZER_FLAGS// /}" ]; then
	tap_skip "PAPI's events take turns" "a sanitizer's runtime has to be loaded first"
elif "$CC" -O2 $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/papi/turns.c" -o turns -L"$LIBPP" -lpp -L. -lfakepapi -lpthread -Wl,-rpath,"$LIBPP" >log 2>&1; then
	tap_is "PAPI's events that do not fit take turns; all at a site are read at once" "$(LD_PRELOAD=./libfakepapi.so LD_LIBRARY_PATH=. ./turns 2>&1)" \
"reads for two events at ten executions: 20
multiplexed: 0
grow 4
reads for five events at ten executions: 20
zero 2 2
one 4 4
two 6 6 211
three 8 8 211
four 10 10 211
sets of ended threads: 0"
else
	tap_show log "$(cat log)"
fi
tap_is "a program that names no PAPI metric does not load libpapi" "$(LD_DEBUG=libs ./count 2>&1 | grep -c libpapi)" 0
PP_MODULE_PATH=/nonexistent ./with_sde >out 2>&1
tap_has "a missing PAPI module is told with its name, unless it is installed" "$(cat out)" 'libpp-papi\.so|sde 350'

# ---- ppctl sources
PP_CLOCK=tsc "$PPCTL" sources >list
tap_is "ppctl sources lists every source" "$(wc -l <list)" "$(("$(sed -n '/define PP_ABI_SOURCES/,/^$/p' "$srcdir/include/pp_abi_words.h" | grep -c 'X (')" + 1 + "$(grep -c '^ ' list)"))"
tap_has "ppctl sources: name, sites, unit, samples, what a reading is and what it costs" "$(cat list)" '^elapsed +intervals +s +integer +an instruction +[0-9.]+$'
tap_has "ppctl sources: what stands for many is measured with one" "$(cat list)" '^constant:N +both +- +integer +nothing +[0-9.]+$'
tap_has "ppctl sources tells what was measured then" "$(cat list)" '^    measured with constant:3$'
tap_is "ppctl sources: what many counters are missing for is told once" \
	"$(awk '/^    not here: / { sub (/ for [a-z_0-9]+ /, " for X "); if ($0 == last) print; last = $0 } / -?[0-9.]+$/ { last = "" }' list)" ""
PP_MODULE_PATH=/nonexistent "$PPCTL" sources papi:PAPI_NO_SUCH_EVENT >out
tap_is "ppctl sources: what this machine lacks is no error" $? 0
tap_has "ppctl sources says why this machine lacks a source" "$(cat out)" '^    not here: .*PAPI'
"$PPCTL" sources constant:2.5 --verbose >out
tap_is "ppctl sources lists those that are named" "$(cat out | wc -l)" 3
tap_has "ppctl sources: the type is that of the source as it is named" "$(cat out)" '^constant:2.5 +both +- +double '
"$PPCTL" sources elapsd constant:x >out 2>err
tap_is "ppctl sources: a source that does not exist is a problem" $? 1
tap_has "ppctl sources suggests what was meant" "$(cat err)" "elapsd: there is no such source; did you mean 'elapsed'"
tap_has "ppctl sources says what is wrong with an argument" "$(cat err)" 'constant:x.*constant:3'
"$PPCTL" sources --json page_faults papi:PAPI_NO_SUCH_EVENT >out 2>err
if grep -q 'built without JSON' err; then
	tap_skip "ppctl sources --json" "built without jansson"
elif ! command -v python3 >/dev/null; then
	tap_skip "ppctl sources --json" "python3 is not installed"
else
	tap_is "ppctl sources --json: null for what can't be measured" "$(python3 -c "
import json
a, b = json.load (open ('out'))['sources']
print (a['name'], a['unit'], a['available'], a['ns'] > 0, a['why'], b['available'], b['ns'], len (b['why']) > 10)")" \
		"page_faults  True True None False None True"
fi

# a static program: what can't be seen there says so, and the rest counts. Static libyaml and libc are not everywhere.
cat >static.c <<'C'
#include <pp.h>
#pragma pp metric allocs interval sumcount(heap_allocs)
#pragma pp metric time interval sumcount(elapsed)
int main (void)
{
	pp_metric *papi = 0;

	for (int i = 0; i < 3; i++) {
#pragma pp interval round(allocs, time)
	}
	pp_metric_new (&papi, "papi", "interval sumcount(papi:PAPI_TOT_INS)");
	printf ("heap: %s\npapi: %s\ntime: %g\n", pp_unavailable (allocs), papi ? pp_unavailable (papi) : "?", pp_count (time));
	return 0;
}
C
for flags in "-static" "-static-pie -fPIE"; do
	# shellcheck disable=SC2086
	if [ -z "${SANITIZER_FLAGS// /}" ] && "$CC" -O2 $PPGCC_FLAGS -I"$srcdir/include" static.c -o static $flags "$LIBPP/libpp.a" $YAML_LIBS -lm >log 2>&1; then
		out=$(./static 2>&1)
		tap_has "$flags: heap metrics say why they are not available" "$out" '^heap: .*statically linked'
		tap_has "$flags: PAPI metrics say why they are not available" "$out" '^papi: .*(statically linked|built without PAPI)'
		tap_has "$flags: all else counts" "$out" '^time: 3$'
	else
		tap_skip "sources in a program linked with $flags" "can't be linked so here"
	fi
done
tap_done
