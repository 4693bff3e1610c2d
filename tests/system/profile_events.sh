#!/bin/bash
# SPDX-License-Identifier: MIT
# profile_events.sh: a program that asks for tables of a function's events gets those, once and again, and nothing stays behind.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

cat >visits.c <<'C'
#include <pp.h>
#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned sink;
__attribute__ ((noipa)) static void visit (const char *name, long depth)
{
	PP_INTERVAL_DIM (visit, name = name, depth_left = depth)
	sink++;
	if (depth) {
		visit ("left", depth - 1);
		visit ("right", depth - 1);
	}
}
static void *work (void *arg)
{
	visit ("top", 3);
	return arg;
}
static void *other (void *arg)
{
	for (int i = 0; i < 10; i++) {
		PP_INTERVAL_DIM (turn, name = "turn")
		sink++;
	}
	return arg;
}
static void *nothing (void *arg)
{
	return arg;
}
static void *nested (void *arg)
{
	return pp_profile_events (work, arg, "name");
}
int main (int argc, char **argv)
{
	int given = 1;
	(void) argc;
	switch (atoi (argv[1])) {
	case 1:
		return pp_profile_events (work, &given, "name") != &given;
	case 2:
		pp_profile_events (work, &given, "name");
		visit ("outside", 0);
		return pp_profile_events (work, &given, NULL) != &given;
	case 3:
		return pp_profile_events (work, &given, "nam") != &given;
	case 4:
		return pp_profile_events (nothing, &given, "name") != &given;
	case 7:
		pp_profile_events (work, &given, "name");
		return pp_profile_events (other, &given, "name") != &given;
	case 6:
		usleep (2000000);
		pp_profile_events (work, &given, "name");
		usleep (2000000);
		return pp_profile_events (work, &given, "name") != &given;
	default:
		return pp_profile_events (nested, &given, "name") != &given;
	}
}
C
# shellcheck disable=SC2086 # flags
$CC -std=gnu11 -O2 -g $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" visits.c -o visits -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99

# counts: "COUNT VALUE" of the rows of a table
counts () {
	awk 'NF == 9 && $7 ~ /^[0-9]+$/ { printf "%s %s\n", $7, $9 }' | sort
}
left () {
	ls /tmp/pp-events.$1.* 2>/dev/null
	ls ./*.pprec 2>/dev/null
}
run () {
	timeout 60 ./visits "$1" >out 2>err &
	pid=$!
	wait $pid
	status=$?
}
run 1
tap_is "the function's value is returned, and its events are a table" "$status $(counts <out | tr '\n' ' ')$(cat err)" "0 1 top 7 left 7 right "
tap_is "no file stays behind" "$(left $pid)" ""
# where the machine is so busy that it can't be measured the tables say so, each time anew
title="what recording took is known, and deducted"
for _ in 1 2 3 4 5; do
	grep -q '^cost of recording: [0-9.]* [nu]s a record, .* deducted' out && break
	run 1
done
tap_has "$title" "$(cat out)" '^cost of recording: [0-9.]* [nu]s a record, .* deducted'
for _ in 1 2 3 4 5; do
	run 7
	grep -q 'is not known' out || break
done
tap_is "... of what another site records later, too" "$status $(grep -c '^cost of recording: .* deducted' out)" "0 2"
run 2
tap_is "again, by event, without what was before" "$status $(tail -n 1 out | counts | tr '\n' ' ')$(grep -c 'missing' out)" "0 15 visit 0"
tap_is "and no file either" "$(left $pid)" ""
run 3
tap_has "a dimension that is none is told" "$status $(cat err)" "^0 pp: pp_profile_events: .*no record has a dimension 'nam'; did you mean 'name'"
run 4
tap_has "a function without events is told" "$status $(cat err)" "^0 pp: pp_profile_events: the function had no events"
run 5
tap_has "one within another runs without, which is said" "$status $(counts <out | tr '\n' ' ')$(cat err)" "^0 1 top 7 left 7 right pp: pp_profile_events: one is taken already: the function runs without a profile"
run 6
tap_is "total time is that of the call, not of the process" "$status $(awk '/total time/ { print $1 < 1500 ? "short" : $0 }' out | tr '\n' ' ')" "0 short short "
PP_THREADS=0 run 6
tap_is "without the library's thread it says so once, however often it is called" "$(grep -c . err) $(grep -c PP_THREADS=0 err)" "1 1"
PP_THREADS=0 run 1
tap_has "without the library's thread it runs all the same" "$status $(cat err)" "^0 pp: .*PP_THREADS=0"
printf 'version: 1\nrecord: {file: mine.pprec}\n' >policy.yaml
PP_POLICY=policy.yaml run 1
tap_has "who is recorded already keeps that recording" "$status $(grep -c events err) $(ls mine.pprec) $(cat err)" "^0 1 mine.pprec .*the process is recorded; ppctl query shows"
tap_done
