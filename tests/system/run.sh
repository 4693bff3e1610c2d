#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh: ppctl run: whose streams are whose, exit statuses, signals, where the recording is.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
unset PP_POLICY NO_COLOR CLICOLOR_FORCE COLUMNS
if ! "$PPCTL" --help | grep -q '^  run '; then
	tap_skip "ppctl run" "built without libelf"
	tap_done
	exit
fi
cat >work.c <<'C'
#include <pp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#pragma pp metric own_time interval sumcount(elapsed)
static volatile sig_atomic_t asked;
static void ask (int number) { asked = number; }
int main (int argc, char **argv)
{
	int c, n = 0;
	for (int i = 0; i < 10; i++) {
#pragma pp interval step(own_time)
		n += i;
	}
	while ((c = getchar ()) != EOF)
		putchar (c);
	if (argc > 2) {
		signal (atoi (argv[2]), ask);
		puts ("ready");
		fflush (stdout);
		while (!asked)
			usleep (1000); /* not pause: it may have come just before */
		printf ("got %d\n", (int) asked);
	}
	return argc > 1 ? atoi (argv[1]) : n == 0;
}
C
cat >policy.yaml <<'Y'
version: 1
metrics: {t: {interval: elapsed, keep: stats}}
bind: [{metric: t, sites: main/step}]
assertions:
  never: {at: main/step, expect: t.last < 0s, quiet: true, severity: error}
  roomy: {at: main/step, expect: t.last < 0s, quiet: true, severity: info}
Y
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" -o work work.c -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99

run () {
	status=0
	"$PPCTL" run "$@" >out 2>err </dev/null || status=$?
	out=$(cat out) err=$(cat err)
}

mkdir own
echo hello | TMPDIR=$PWD/own "$PPCTL" run -p policy.yaml ./work >out 2>err
tap_is "stdin and stdout are the program's" "$? $(cat out)" "0 hello"
tap_has "the first screen is on stderr" "$(cat err)" '^2 of 2 assertions fired \(1 of them info\), 2 are firing now$'
tap_has "... with what the policy measured" "$(cat err)" '^t +10 '
tap_is "... and nothing that the library says at the end" "$(grep -c '^pp: ' err)" 0
tap_is "nothing is left of it" "$(echo ./*.pprec own/ppctl.*/*.yaml | tr ' ' '\n' | grep -v '\*')" ""
mkdir 't[1]'
# shellcheck disable=SC2016
TMPDIR="$PWD/t[1]" run sh -c 'touch "$TMPDIR"/ppctl.*/.pp-left; ./work'
tap_is "... also where the folder's name is a pattern, and something in it begins with a dot" "$(ls -A 't[1]')" ""
run -p policy.yaml -o kept.pprec -- ./work
tap_ok "-o keeps the recording" "$PPCTL" report kept.pprec
tap_has "... and the screen says where the rest is" "$err" 'ppctl report --all .*kept\.pprec'
cat >ghost.yaml <<'Y'
version: 1
metrics: {t: {interval: elapsed, keep: stats}}
bind: [{metric: t, sites: main/step}]
assertions: {ghost: {at: main/stop, expect: t.last < 1h}}
Y
run -p ghost.yaml -o ghost.pprec -- ./work
tap_has "an assertion that nothing was held against is not ok" "$err" '^ghost +warning +unchecked +0 +of +0 '
tap_has "... in the whole report neither" "$("$PPCTL" report --all ghost.pprec)" '; unchecked; fired 0'
for columns in 80 120 200; do
	for colour in 0 1; do
		export COLUMNS=$columns CLICOLOR_FORCE=$colour
		run -p policy.yaml -o "at$columns.$colour.pprec" -- ./work
		tap_is "$columns columns, colour $colour: it is the screen of ppctl report" "$(grep -v '^$' err)" \
			"$("$PPCTL" report "at$columns.$colour.pprec" | grep -v '^$')"
		tap_is "... and fits" "$(($(sed 's/\x1b\[[0-9;]*m//g' err | wc -L) <= columns)) $(($(wc -l <err) <= 23)) $(grep -c $'\e' err | sed 's/[1-9].*/1/')" "1 1 $colour"
	done
done
unset COLUMNS CLICOLOR_FORCE
run --policy policy.yaml --output="of %p, \"quoted\".pprec" ./work
tap_is "... letters mean what they do in policies, and others nothing" "$(find . -name 'of [0-9]*, "quoted".pprec' | wc -l)" 1
run -o "many, %p.pprec" sh -c './work; ./work'
tap_is "of several processes each recording is named, as the shell takes it" "$(eval "ls $(sed -n 's/^all of them: //p' err)" 2>&1)" "$(ls many,*.pprec)"
run -o "one's own.pprec" sh -c './work; ./work'
tap_is "... also where a name has no letter for the process, so that they have numbers" \
	"$(eval "ls $(sed -n 's/^all of them: //p' err)" 2>&1)" "$(ls "one's own.pprec" "one's own.pprec.2")"
tap_is "... and the next command is as a shell takes it, too" \
	"$(eval "\"\$PPCTL\" $(sed -n 's/^more: ppctl \(.*\); --sites.*/\1/p' err)" >out 2>&1; grep -c 'main/step' out | sed 's/[1-9].*/some/')" some
tap_is "... and of one it is not" "$(run -o alone.pprec ./work; grep -c '^all of them' err)" 0
PP_POLICY=policy.yaml run ./work
tap_has "policies of PP_POLICY are loaded, too" "$err" '^2 of 2 assertions fired'
{ cat policy.yaml; echo 'record: {file: own.%p.pprec}'; } >records.yaml
run -p records.yaml ./work
tap_is "a policy that records itself does, and that is what is told" "$(find . -name 'own.*.pprec' | wc -l) $(grep -c 'ppctl report --all .*own' err)" "1 1"
run -p records.yaml -o other.pprec ./work
tap_is "... -o beside it is an error" "$status $err" "125 ppctl run: records.yaml says itself where the recording goes (record:): leave -o out"

# ---- exit statuses
run ./work 5
tap_is "the program's status" "$status" 5
run sh -c 'kill -9 $$'
tap_is "128 and the signal" "$status" 137
run -p policy.yaml --fail-on error ./work
tap_is "--fail-on error: an assertion that is an error has fired" "$status" 3
run -p policy.yaml --fail-on critical ./work
tap_is "--fail-on critical: none" "$status" 0
run -p policy.yaml --fail-on error ./work 7
tap_is "the program's own comes first" "$status" 7
run ./nowhere
tap_is "127: there is none" "$status $err" "127 ppctl run: ./nowhere: No such file or directory"
run /
tap_is "126: it can't be run" "$status" 126
run --fail-on error true
tap_is "125: nothing can be said of what did not record" "$status $err" "125 ppctl run: true left no recording: was it linked with libpp?"
run true
tap_is "... which nobody asked" "$status" 0
run --calls true
tap_has "125: no calls were recorded, which was asked" "$status $err" "^125 ppctl run: true left no recording: was it compiled with -fplugin-arg-ppgcc-calls"
mkdir one
printf 'version: 1\nprofile: {features: exact}\n' >one/exact.yaml
cat >one/marked.c <<'C'
#include <pp.h>
static volatile int sink;
int main (void)
{
	for (int i = 0; i < 1000; i++) {
#pragma pp feature lib.loop
		sink++;
	}
	return 0;
}
C
# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" one/marked.c -o one/marked -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
(cd one && "$PPCTL" run -o keep.pprec -p exact.yaml -- ./marked 2>err)
tap_is "a policy that measures features makes no second recording" "$(cd one && echo *.pprec)" keep.pprec
tap_has "... and the screen names the one" "$(cat one/err)" 'what features cost: ppctl features keep.pprec'
tap_has "... which has all" "$("$PPCTL" features one/keep.pprec 2>&1)" '\(1000 marks; '
rm one/keep.pprec
(cd one && "$PPCTL" run -p exact.yaml -- ./marked 2>err)
tap_has "without -o it stays as well" "$(cd one && echo *.pprec)" '^marked\.[0-9]+\.pprec$'
tap_has "... and is named" "$(cat one/err)" 'what features cost: ppctl features marked\.[0-9]+\.pprec'
rm -rf one
run -p nowhere.yaml ./work
tap_is "125: a policy that there is not" "$status $out" "125 "
sed 's/elapsed/elapsd/' policy.yaml >wrong.yaml
run -p wrong.yaml ./work
tap_is "125: a wrong one, and nothing is run" "$status $(grep -c "did you mean 'elapsed'" <<<"$err") $out" "125 1 "
sed 's/quiet: true, severity: error/quiet: true, capture: [own_time]/' policy.yaml >captures.yaml
run -p captures.yaml ./work
tap_is "nothing waits for a metric that is the program's own" "$status $(grep -c 'this waits' <<<"$err")" "0 0"
run --fail-on eror ./work
tap_is "125: wrong usage" "$status" 125
run
tap_is "125: no program" "$status" 125

# ---- signals
for signal in INT TERM HUP; do
	number=$(kill -l $signal)
	mkfifo "said.$signal"
	"$PPCTL" run ./work 0 "$number" >"said.$signal" 2>err </dev/null &
	ppctl=$!
	{ read -r ready; kill -s $signal $ppctl; read -r got; } <"said.$signal"
	status=0
	wait $ppctl || status=$?
	tap_is "SIG$signal is passed on, once, and the program ends as it likes" "$ready $got $status" "ready got $number 0"
done
tap_done
