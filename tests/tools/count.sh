#!/bin/bash
# SPDX-License-Identifier: MIT
# count.sh: the totals of scripts/test. A number that is wrong there would hide whatever it miscounts.
. "$srcdir/tests/tools/tap.sh"
. "$srcdir/scripts/lib.sh"

tap_text='ok 1 - a
not ok 2 - b
#   ok 3 - printed by a test
ok 3 - c # SKIP no cat
ok 4 - d
1..4'
suite_text='PASS: t 1 - a
FAIL: t 2 - b
SKIP: t 3 - c # SKIP no cat
ERROR: u - exited with status 1
XPASS: u 2 - e
PASS: t 4 - d
# PASS:  2'

tap_is "passed, failed and skipped results of TAP are told apart" "$(pp_count_tap 1 <<<"$tap_text")" "2 1 1"
tap_is "so are those of make check, where errors and surprises fail" "$(pp_count_suite 1 <<<"$suite_text")" "2 3 1"
tap_is "a step that fails without a failed result is one failure" "$(pp_count_tap 2 <<<"ok 1 - a")" "1 1 0"
tap_is "a suite that fails without a failed result is one failure" "$(pp_count_suite 2 <<<"PASS: t 1 - a")" "1 1 0"
tap_is "a step without any result is one failure" "$(pp_count_tap 0 </dev/null)" "0 1 0"
tap_is "a suite that could not be built is one failure" "$(pp_count_suite 2 <<<"t.c:1:1: error: x")" "0 1 0"
tap_is "a step of skipped results alone passes nothing" "$(pp_count_tap 0 <<<"ok 1 - a # SKIP no cat")" "0 0 1"
tap_is "a test with failed results and exit status 1 has failed as often as it says" \
	"$(pp_count_suite 1 <<<$'FAIL: t 1 - a\nERROR: t - exited with status 1\nERROR: u - exited with status 1')" "0 2 0"
tap_is "a test with failed results and another exit status has failed once more" \
	"$(pp_count_suite 1 <<<$'FAIL: t 1 - a\nERROR: t - exited with status 99')" "0 2 0"
tap_is "bailing out is a failure" "$(pp_count_tap 99 <<<"Bail out! no memory")" "0 1 0"
tap_done
