#!/bin/bash
# SPDX-License-Identifier: MIT
# clocks.sh: the wall clock may be set while a program runs; docs/host.md, Clocks.
. "$srcdir/tests/tools/tap.sh" || exit 99
. "$srcdir/tests/host/recorder.sh" || exit 99
if [ -n "$SANITIZER" ]; then
	tap_skip "a step of the wall clock" "a sanitizer has to be loaded first"
	tap_done
fi
"$CC" -shared -fPIC -D_GNU_SOURCE "$srcdir/tests/host/step.c" -o step.so -ldl || exit 99

policy run.pprec
PP_POLICY=policy.yaml ./recorder wait go >said 2>&1 &
pid=$!
await go.ready
live=$(left_by $pid)
tap_ok "a program that records has a name in tmpfs" test -n "$live"
for step in 10 100000 -100000; do
	said=$(PP_TEST_STEP=$step LD_PRELOAD=$PWD/step.so "$PPCTL" report --all run.pprec)
	tap_has "after a step of $step s a running program is known to run" "$said" '^recording  being written: its process runs$'
	tap_ok "and what it measures is where it was ($step s)" test -e "$live"
done
touch go
wait $pid
tap_has "and its recording is completed by itself" "$("$PPCTL" report --all run.pprec)" '^recording  complete$'

# without /proc nobody knows whether a process runs
if [ "$(id -u)" = 0 ] && command -v unshare >/dev/null && unshare -m true 2>/dev/null; then
	leave
	live=$(left_by $dead)
	said=$(unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$PPCTL" report --all run.pprec 2>&1)
	tap_has "without /proc a report says that it does not know" "$said" 'whether its process runs is not known here$'
	tap_ok "and removes nothing" test -e "$live"
	"$PPCTL" report --all run.pprec >/dev/null 2>&1
	tap_ok "but where there is one" test ! -e "$live"
	if unshare -m -p -f true 2>/dev/null; then
		leave
		live=$(left_by $dead)
		unshare -m -p -f sh -c 'mount -t proc proc /proc && exec "$@"' sh "$PPCTL" report --all run.pprec >said 2>&1
		tap_has "in another PID namespace neither" "$(cat said)" 'whether its process runs is not known here$'
		tap_ok "and what is left stays" test -e "$live"
		"$PPCTL" report --all run.pprec >/dev/null 2>&1
	else
		tap_skip "PID namespaces are told apart" "none can be made here"
	fi
else
	tap_skip "without /proc nothing is removed" "it can't be taken away here"
fi
tap_done
