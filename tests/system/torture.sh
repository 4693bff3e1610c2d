#!/bin/bash
# SPDX-License-Identifier: MIT
# torture.sh: 16 threads that allocate, fork, load, jump, throw and switch stacks go on as without while they are sampled at 10 kHz, by
# CPU time and by the wall clock. Two seconds each; SOAK=1, of make soak: 60.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

if [ "$PP_ARCH" != x86_64 ]; then
	tap_skip "threads are sampled" "not on this CPU"
	tap_done
fi
# shellcheck disable=SC2086
"$CXX" -std=gnu++17 -O1 -g -w $SANITIZER_FLAGS "$srcdir/tests/system/sampled/torture.cc" -o torture \
	-Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread -ldl || exit 99

seconds=2
[ -z "${SOAK-}" ] || seconds=60
for rate in 10000 10000,wall; do
	PP_SAMPLE=$rate ./torture "$seconds" >out 2>err
	tap_is "PP_SAMPLE=$rate: all that threads do comes out right" "$? $(cat out)" "0 0 wrong"
	[ $tap_failed -eq 0 ] || sed 's/^/# /' err | head -40
	title="PP_SAMPLE=$rate: they were sampled meanwhile"
	rec=$(ls -S torture.*.pprec 2>/dev/null | head -1)
	if [ "$SANITIZER" = thread ]; then
		tap_skip "$title" "ThreadSanitizer keeps signals until a thread calls something"
	else
		tap_has "$title" "$("$PPCTL" profile "$rec" 2>&1)" 'threads: ([4-9]|[12][0-9])'
	fi
	rm -f ./*.pprec
done
tap_done
