# SPDX-License-Identifier: MIT
# tap.sh: TAP for shell tests; sourced by bash.
#
#   tap_is "SENTENCE" GOT EXPECTED       equal text?
#   tap_has "SENTENCE" TEXT PATTERN      does a line of TEXT match the extended regular expression?
#   tap_ok "SENTENCE" COMMAND...         does the command succeed? Its output is shown when not.
#   tap_skip "SENTENCE" REASON           not checked here
#   tap_one_thread "SENTENCE"            ends the test under ThreadSanitizer: what it is about has one thread
#   tap_alone                            waits until no other test that says so runs on this machine: for what sees all processes.
#                                        What it starts and leaves running gets 9>&-, for descriptor 9 is the lock
#   tap_dir                              makes $tap_dir, a directory of this test's own, removed at its end
#   tap_done                             the plan; last line of a test

set -u
tap_number=0 tap_failed=0

tap_result () { # STATUS SENTENCE
	tap_number=$((tap_number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_number - $2"
	else
		echo "not ok $tap_number - $2"
		tap_failed=1
	fi
}

tap_show () { # TITLE TEXT
	printf '%s\n' "$2" | head -n 60 | sed "s/^/# $1: /"
}

tap_is () {
	[ "$2" = "$3" ]
	tap_result $? "$1"
	[ "$2" = "$3" ] || { tap_show got "$2"; tap_show expected "$3"; }
}

tap_has () {
	if printf '%s\n' "$2" | grep -qE -e "$3"; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		tap_show got "$2"
		tap_show expected "$3"
	fi
}

tap_ok () {
	local sentence=$1 out status=0
	shift
	out=$("$@" 2>&1) || status=$?
	tap_result $status "$sentence"
	[ $status = 0 ] || { tap_show "exit status" "$status"; tap_show output "$out"; }
}

tap_skip () {
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

tap_alone () {
	# each user can open it, no file is left behind, and it is the same for tests that have a /dev/shm of their own
	exec 9</
	flock -w 400 9 || exit 99
}

tap_one_thread () {
	[ "${SANITIZER:-}" = thread ] || return 0
	tap_skip "$1" "it is about one thread"
	tap_done
}

tap_dir=
tap_dir () {
	if [ -z "$tap_dir" ]; then
		tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-test.XXXXXX") || exit 99
		trap 'rm -rf "$tap_dir"' EXIT
	fi
}

tap_done () {
	echo "1..$tap_number"
	exit $tap_failed
}
