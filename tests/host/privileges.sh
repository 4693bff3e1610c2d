#!/bin/bash
# SPDX-License-Identifier: MIT
# privileges.sh: a program that has more rights than who calls it (AT_SECURE) takes nothing from him; docs/host.md, Privileges.
. "$srcdir/tests/tools/tap.sh" || exit 99
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	tap_skip "a setuid program" "not root"
	tap_done
fi
if [ -n "$SANITIZER" ]; then
	tap_skip "a setuid program" "sanitizers refuse to run in one"
	tap_done
fi
. "$srcdir/tests/host/recorder.sh" || exit 99
chmod 755 "$tap_dir"
mkdir -m 1777 open
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
cp recorder privileged
chmod 4755 privileged
cp recorder grouped
chgrp 1 grouped
chmod 2755 grouped
policy "$tap_dir/open/%x.pprec"
if ! $nobody ./recorder >/dev/null 2>&1; then
	tap_skip "a setuid program" "another user can't run the program here"
	tap_done
fi
tap_has "an ordinary program takes its policy from the environment, and has a name in tmpfs" \
	"$(PP_POLICY=policy.yaml $nobody ./recorder load policy.yaml named 2>&1)" '^named 1$'
if [ "$(findmnt -no OPTIONS -T . | grep -c nosuid)" != 0 ]; then
	tap_skip "a setuid program" "this file system has none"
	tap_done
fi
for which in privileged grouped; do
	said=$(PP_POLICY=policy.yaml $nobody ./$which named 2>&1)
	tap_has "a $which program takes no policy from the environment" "$said" '^named 0$'
	tap_has "and runs ($which)" "$said" '^done$'
	tap_ok "and records nowhere ($which)" test ! -e open/$which.pprec
	said=$(PP_POLICY=policy.yaml $nobody ./$which load policy.yaml named 2>&1)
	tap_has "under a policy of its own a $which program has no name in tmpfs either" "$said" '^named 0$'
	tap_ok "and records ($which)" is_recording open/$which.pprec
	if grep -q "$tap_dir/open" open/$which.pprec; then
		tap_result 1 "its memory does not say where ($which)"
	else
		tap_result 0 "its memory does not say where ($which)"
	fi
done
tap_is "the recording is the owner's whose rights it has" "$(stat -c %u open/privileged.pprec)" 0
# who calls it can't lead it to a file that he may not write
ln -s "$tap_dir/victim" open/link.pprec
echo victim >victim
policy "$tap_dir/open/link.pprec"
$nobody ./privileged load policy.yaml >/dev/null 2>&1
tap_is "nor through a link" "$(cat victim)" victim
tap_done
