#!/bin/bash
# SPDX-License-Identifier: MIT
# sampled.sh: PP_SAMPLE has a program sampled that knows nothing of it, and ppctl profile shows where its time went.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

if [ "$PP_ARCH" != x86_64 ]; then
	tap_skip "threads are sampled" "not on this CPU"
	tap_done
fi
if [ "$SANITIZER" = thread ]; then
	tap_skip "threads are sampled" "ThreadSanitizer keeps signals until a thread calls something"
	tap_done
fi

# build NAME: from tests/system/sampled/NAME.c, without the plugin
build () {
	# shellcheck disable=SC2086
	"$CC" -O1 -g -fno-optimize-sibling-calls -w $SANITIZER_FLAGS "$srcdir/tests/system/sampled/$1.c" -o "$1" \
		-Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
}
build shares
build host

# ---- where time goes -----------------------------------------------------------------------------------------

PP_SAMPLE=1000 ./shares 15000 2>err
tap_is "a program without a pragma is sampled" $? 0
rec=$(ls shares.*.pprec)
tap_has "where it is is said" "$(cat err)" "a profile was taken; see: ppctl profile '.*/$rec'"
tap_has "its recording is NAME.PID.pprec" "$rec" '^shares\.[0-9]+\.pprec$'

"$PPCTL" profile --format chicken "$rec" >table 2>&1
tap_is "ppctl profile reads it" $? 0
samples=$(sed -n 's/.*elapsed, \([0-9]*\) samples.*/\1/p' table)
tap_ok "there are enough samples to judge by" test "${samples:-0}" -gt 100

# timers of CPU clocks expire with the kernel's tick, mostly each 4 ms
title="where the task clock is permitted samples are closer than a tick"
if ./host clock; then
	every=$("$PPCTL" profile "$rec" | sed -n 's/.*samples: [0-9]*, one every \([0-9.]*\) ms.*/\1/p')
	tap_ok "$title: one every ${every:-?} ms" awk -v ms="${every:-9}" 'BEGIN { exit !(ms < 3) }'
else
	tap_skip "$title" "it is not"
fi

# shares: what was asked of each function's share, within 4 sigma of the binomial and 2 points
awk -v n="$samples" '
	$1 ~ /^share_/ {
		want = substr ($1, 7); sub (/[abc]$/, "", want)
		seen[$1] = 1
		sigma = 100 * sqrt (want / 100 * (1 - want / 100) / n)
		off = $5 - want; off = off < 0 ? -off : off
		if (off > 4 * sigma + 2) { print "# " $1 ": " $5 " %, of " n " samples"; bad = 1 }
	}
	END { exit bad || !("share_50" in seen) || !("share_20" in seen) || !("share_10" in seen) }' table
tap_is "shares of functions are what they are by construction" $? 0
[ $tap_failed -eq 0 ] || sed 's/^/# /' table

"$PPCTL" profile "$rec" >text 2>&1
text=$(cat text)
tap_has "the text has both threads" "$text" 'threads: 2'
tap_has "a function has its line in the source" "$text" 'share_50 +[^ ]*shares\.h:[0-9]+'
tap_has "who called it is above it" "$text" ' run \[[0-9]+\] 100\.0%'
# a sanitizer's pages are made by the kernel, whose time the task clock leaves out
tap_has "next to nothing is unaccounted for" "$text" \
	"CPU time that was sampled: [0-9]+ ms of [0-9]+ ms, ${SANITIZER:+[0-9]?}[0-9]\.[0-9] %"
tap_is "no line is wider than a terminal" "$(awk 'length > 80' text)" ""
tap_is "... than COLUMNS says, and longer names have their room" "$(for columns in 80 120 200; do
	COLUMNS=$columns "$PPCTL" profile "$rec" | awk -v most=$columns 'length > most { print } /^ -/ { wide = length } END { print most - wide }'
done | xargs)" "2 2 2"
tap_is "... and --truncate-source comes before it" "$(COLUMNS=200 "$PPCTL" profile --truncate-source 50 "$rec" | cmp - text 2>&1)" ""
tap_has "how far chance may put a share off is said" "$text" '^  by chance a share may be off: \+- [0-9]+\.[0-9] points near 50 %, less near 0 and 100 %$'
tap_is "what calls main has no place in it" "$(grep -c -E '^ +\[[0-9]+\].* (_start|__libc_start_[a-z_]*|start_thread|clone3) ' text)" 0
tap_has "... unless all is asked for" "$("$PPCTL" profile --hide-self 0 --hide-subs 0 "$rec")" '^ +\[[0-9]+\].* _start '
tap_is "an order that there is not has those that there are beside it" "$("$PPCTL" profile --order foo "$rec" 2>&1 | head -n 1)" \
	"ppctl profile: --order: there is no 'foo'; there are topological, self, total"
tap_has "by line, lines are told apart" "$("$PPCTL" profile --by line "$rec")" 'run +[^ ]*shares\.h:[0-9]+'
tap_has "... in stacks" "$("$PPCTL" profile --by line --format collapsed "$rec")" ';run shares\.h:[0-9]+;share_50 shares\.h:[0-9]+ [0-9]+$'
tap_has "... and in a table" "$("$PPCTL" profile --by line --format chicken "$rec")" '^share_50 shares\.h:[0-9]+ [0-9]+ '

# where handlers are dear for so many, samples are more seldom than was asked for, and each stands for more
PP_SAMPLE=10000 ./shares 5000 2>err
often=$(ls shares.*.pprec | grep -vxF "$rec")
tap_has "nor is more where there are fewer samples than were asked for" "$("$PPCTL" profile "$often")" \
	"CPU time that was sampled: [0-9]+ ms of [0-9]+ ms, ${SANITIZER:+[0-9]?}[0-9]\.[0-9] %"
rm -f "$often"
PP_SAMPLE=1000 ./shares 5000 2>err
other=$(ls shares.*.pprec | grep -vxF "$rec")

cp shares stripped
strip stripped
PP_SAMPLE=1000 ./stripped 5000 2>err
tap_has "functions of a stripped file are called by their place" "$("$PPCTL" profile stripped.*.pprec)" ' stripped\+0x[0-9a-f]+ '
mv shares moved
tap_has "a file that is gone is told of" "$("$PPCTL" profile "$rec" 2>&1)" 'shares can.t be read any more'
mkfifo shares
tap_has "a pipe in its place is not waited for" "$(timeout 20 "$PPCTL" profile "$rec" 2>&1)" 'shares can.t be read any more'
rm shares
mv moved shares

# ---- formats -------------------------------------------------------------------------------------------------

if "$PPCTL" profile --format json "$rec" >one.json 2>err && "$PPCTL" profile --format json one.json >two.json 2>>err; then
	tap_is "the JSON is read and written again unchanged" "$(cmp one.json two.json 2>&1)" ""
	tap_is "the text is made of the JSON, too" "$("$PPCTL" profile one.json | cmp - text 2>&1)" ""
	tap_has "stacks are not made of it, which is said" "$("$PPCTL" profile --format collapsed one.json 2>&1)" 'needs the recording'
	"$PPCTL" profile --by line --format json "$rec" >lines.json 2>err
	tap_has "JSON of lines is known to be that" "$("$PPCTL" profile --format chicken lines.json)" '^share_50 shares\.h:[0-9]+ [0-9]+ '
	tap_has "... and has no sum with functions" "$("$PPCTL" profile lines.json one.json 2>&1)" 'is by function, and the others are by line'
	"$PPCTL" profile --format json "$other" >other.json
	tap_is "a sum of JSON is the sum of the recordings" \
		"$("$PPCTL" profile --format json one.json other.json | cmp - <("$PPCTL" profile --format json "$rec" "$other") 2>&1)" ""
	shares='s/^ *\[[0-9]*\].*(\([0-9.]*%\)).*(\([0-9.]*%\)).*/\1 \2/p'
	tap_is "shares of equal runs are those of one" "$("$PPCTL" profile one.json two.json | sed -n "$shares")" "$(sed -n "$shares" text)"
	tap_is "a file of JSON that is given twice counts once" "$("$PPCTL" profile one.json ./one.json 2>err | cmp - text 2>&1)" ""
else
	tap_skip "the JSON is read and written again unchanged" "built without jansson"
fi
tap_has "collapsed stacks are lines of functions and a number" "$("$PPCTL" profile --format collapsed "$rec")" \
	'(^|;)main;run;share_50 [0-9]+'
tap_has "Graphviz gets a digraph" "$("$PPCTL" profile --format dot "$rec")" 'n[0-9]+ -> n[0-9]+ \[label='
title="Graphviz takes it"
if command -v dot >/dev/null; then
	tap_is "$title" "$("$PPCTL" profile --format dot "$rec" | dot -Tplain 2>&1 | grep -c '^node' | sed 's/^[1-9][0-9]*$/some/')" some
else
	tap_skip "$title" "there is no dot"
fi
"$PPCTL" profile --format speedscope "$rec" >speedscope.json
title="speedscope's file is JSON with a stack and a weight for each sample"
if command -v python3 >/dev/null; then
	tap_is "$title" "$(python3 - speedscope.json "$samples" <<'EOT'
import json, sys
d = json.load (open (sys.argv[1]))
n = sum (len (p["samples"]) for p in d["profiles"])
frames = len (d["shared"]["frames"])
ok = n == int (sys.argv[2]) and all (len (p["samples"]) == len (p["weights"]) and p["type"] == "sampled"
	and all (0 <= f < frames for s in p["samples"] for f in s)
	and abs (sum (p["weights"]) - p["endValue"]) < 1e-6 for p in d["profiles"])
print ("right" if ok else "wrong")
EOT
	)" right
else
	tap_skip "$title" "there is no python3"
fi
# The published schema comes with speedscope's npm package, which is under the MIT license; the build tree keeps it, this tree has no copy.
speedscope=1.25.0
schema=$builddir/speedscope-$speedscope.schema.json
fetch_schema () {
	timeout 60 npm pack --silent "speedscope@$speedscope" >npm.log 2>&1 &&
		tar -xzOf "speedscope-$speedscope.tgz" package/dist/release/file-format-schema.json >schema.json &&
		mv schema.json "$schema"
}
title="speedscope's file is as its published schema says"
if ! python3 -c 'import jsonschema' 2>/dev/null; then
	tap_skip "$title" "python3-jsonschema is missing"
elif [ ! -s "$schema" ] && ! command -v npm >/dev/null; then
	tap_skip "$title" "there is no npm, with whose package speedscope the schema comes"
elif [ ! -s "$schema" ] && ! fetch_schema; then
	tap_skip "$title" "npm can't fetch speedscope $speedscope: $(tail -n 1 npm.log)"
else
	cat >validate.py <<'EOT'
import json, jsonschema, sys
schema, profile = (json.load (open (path)) for path in sys.argv[1:])
jsonschema.Draft7Validator.check_schema (schema)
errors = list (jsonschema.Draft7Validator (schema).iter_errors (profile))
for error in errors[:20]:
	print (error.json_path, error.message[:200])
sys.exit (len (errors) > 0)
EOT
	tap_ok "$title" python3 validate.py "$schema" speedscope.json
	sed 's/"type": *"sampled"/"type": "samples"/' speedscope.json >wrong.json
	tap_ok "... which a file with a mistake is not" test ! "$(python3 validate.py "$schema" wrong.json)" = ""
fi
"$PPCTL" profile --format pprof -o profile.pb "$rec"
tap_is "-o makes a file of the user's own" "$(stat -c %a profile.pb)" 600
cp "$rec" other.pprec
tap_is "-o replaces no recording" "$("$PPCTL" profile -o other.pprec "$rec" 2>&1; cmp other.pprec "$rec")" \
	"ppctl profile: other.pprec is not replaced: it is a recording"
rm other.pprec
ln -s victim link
tap_has "and follows no link" "$("$PPCTL" profile -o link "$rec" 2>&1; ls victim 2>&1)" "link can't be written: it is a symbolic link"
title="go tool pprof reads its protocol buffer"
if command -v go >/dev/null; then
	tap_has "$title" "$(go tool pprof -top profile.pb 2>&1)" ' share_50$'
elif command -v protoc >/dev/null; then
	tap_has "$title" "$(protoc --decode_raw <profile.pb)" 'share_50'
else
	tap_has "pprof's protocol buffer has the functions" "$(strings -n 4 profile.pb)" 'share_50'
fi
tap_is "an unknown format is told of" "$("$PPCTL" profile --format jsn "$rec" 2>&1 | head -1)" \
	"ppctl profile: --format: there is no 'jsn'; did you mean 'json'? There are text, chicken, json, dot, collapsed, speedscope, pprof"

# ---- several runs --------------------------------------------------------------------------------------------

number () {
	sed -n 's/^  samples: \([0-9]*\).*/\1/p' "$@"
}
"$PPCTL" profile "$rec" "$other" >sum 2>err
tap_is "of several recordings the samples are added up" "$(number sum) $(grep -c 'given before' err)" "$(($(number text) + $("$PPCTL" profile "$other" | number))) 0"
cp "$rec" copy.pprec
tap_is "one that is given again, or a copy of it, counts once" "$("$PPCTL" profile "$rec" copy.pprec "$rec" 2>err | cmp - text 2>&1)" ""
tap_has "... which is said" "$(cat err)" '^ppctl profile: 2 recordings were given before, and count once$'
rm copy.pprec
tap_has "the sum is of both" "$(head -1 sum)" '^profile of .*process [0-9]+ \+ .*process [0-9]+$'
tap_has "stacks of several have no sum, which is said" "$("$PPCTL" profile --format collapsed "$rec" "$rec" 2>&1)" 'collapsed needs one recording'
echo nothing >nothing
tap_has "of several each must be readable" "$("$PPCTL" profile "$rec" nothing 2>&1 >sum.out)" '^ppctl profile: nothing '
tap_is "or nothing is shown" "$(cat sum.out)" ""

# ---- the host ------------------------------------------------------------------------------------------------

PP_SAMPLE=1000 ./host handler 2>err
tap_is "a handler that the program installs stays, and is called for its own signals only" $? 0
tap_has "another signal is taken, which is said" "$(cat err)" 'the program has taken SIGURG for itself: threads are sampled by SIGWINCH'
tap_ok "and samples go on" "$PPCTL" profile host.*.pprec
rm -f host.*.pprec

(trap '' URG; PP_SAMPLE=1000 ./host ignored 2>err)
tap_is "a signal that is ignored stays so" $? 0
tap_ok "and another one is used" "$PPCTL" profile host.*.pprec
rm -f host.*.pprec

PP_SAMPLE=1000 ./host blocked 2>err
tap_has "a thread that blocks the signal is told of" "$(cat err)" 'thread [0-9]+ \(host\) blocks SIGURG: it is not sampled meanwhile'
tap_has "... also by who looks at the profile" "$("$PPCTL" profile host.*.pprec 2>&1)" '^  [0-9]{2,} expiries of timers whose signal was kept waiting'
rm -f host.*.pprec

PP_SAMPLE=1000 ./host closes 2>err
tap_is "descriptors that the program closes and uses are the program's" $? 0
last=$("$PPCTL" profile --format speedscope host.*.pprec | grep -o '"endValue": *[0-9.e-]*' | sed 's/.*: *//')
tap_ok "and it is sampled behind that: until ${last:-never}" awk -v s="${last:-0}" 'BEGIN { exit !(s > 0.45) }'
rm -f host.*.pprec

tap_is "no sleep is cut short" "$(PP_SAMPLE=1000 ./host sleeps 2>err)" 0
rm -f host.*.pprec

# ---- by the wall clock ---------------------------------------------------------------------------------------

PP_SAMPLE=1000,wall ./host naps 2>err
tap_is "by the wall clock no sleep is cut short" $? 0
"$PPCTL" profile --format collapsed host.*.pprec >stacks
tap_ok "and time in which a thread sleeps counts: it is where it sleeps" awk '
	{ all += $NF } /nanosleep[^;]* [0-9]+$/ { asleep += $NF } /work_ms/ { works += $NF }
	END { exit !(asleep > all / 2 && works > 0) }' stacks
tap_has "the profile says its clock" "$("$PPCTL" profile --format json host.*.pprec)" '"clock": "wall"'
tap_ok "sleeps that saw nothing new take no room" test "$(stat -c %s host.*.pprec)" -lt 1000000
rm -f host.*.pprec
share=$(taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" env PP_SAMPLE=10000,wall ./host crowd 2>err)
tap_is "a crowd is sampled by the wall clock" $? 0
# Beside other load the samples may have got less than that, and then there is nothing to say: as the profile says, or what the handlers took.
# What the program itself took is in the share; without a limit it is nearly all.
own=$("$PPCTL" profile host.*.pprec | sed -n 's/.*the sampler itself: .* CPU time, \([0-9]*\)[0-9.]* % of.*/\1/p')
# Under a sanitizer most of it may be the library's thread, which unwinds: the limit is of handlers and looks.
if ! grep -q "of the machine" err &&
	{ [ "$SANITIZER" ] || [ "${own:-99}" -lt 30 ] || awk -v s="$share" 'BEGIN { exit !(s < 0.5) }'; }; then
	tap_skip "samples that take more than a quarter of the machine" "they got $share of it"
else
	tap_has "where samples take more than a quarter of the machine there are fewer, which is said" "$(cat err)" \
		'^pp: samples by the wall clock took [0-9]+ % of the machine: there are fewer from now on'
	tap_has "and the profile says how many were meant in the end" "$("$PPCTL" profile host.*.pprec)" \
		'asked for: 0\.[2-9]|asked for: [1-9]'
fi
rm -f host.*.pprec

# what a child finds of its parent it leaves alone, and a grandchild of its grandparent: nobody knows who uses it
unlooked=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
pids=$(ASAN_OPTIONS=$unlooked PP_SAMPLE=1000 ./host forks 2>err)
tap_is "children have children" "$(echo "$pids" | grep -c .)" 4
for pid in $pids; do
	tap_has "each has a profile of its own" "$("$PPCTL" profile "host.$pid.pprec" 2>&1)" "process $pid"
done
tap_is "none finds its parent's handler in its way" "$(grep -c "no profile is taken" err)" 0
rm -f host.*.pprec

PP_SAMPLE=10000 ./host turmoil 2>err
tap_is "handlers that jump, and threads that come and go, are as without" $? 0
tap_is "and nothing is said of it but where the profile is" "$(grep -v ppctl err)" ""
rm -f host.*.pprec

# ---- policies -------------------------------------------------------------------------------------------------

printf 'version: 1\nprofile: {sampler: interrupter, rate: 1000, signal: SIGURG}\n' >sampled.yaml
pids=$(ASAN_OPTIONS=$unlooked PP_POLICY=sampled.yaml ./host forks 2>err)
tap_is "a policy has a program without a pragma sampled, by the signal that it says" "$(echo "$pids" | grep -c .)" 4
for pid in $pids; do
	tap_has "... and its children" "$("$PPCTL" profile "host.$pid.pprec" 2>&1)" "process $pid"
done
rm -f host.*.pprec
PP_POLICY=none.yaml ./shares 1 2>err
tap_has "a policy that there is not is told of in such a program, too" "$? $(cat err)" '^0 pp: none.yaml: '
./shares 1 >out 2>&1
tap_is "without a policy it says nothing" "$? $(cat out)" "0 "
printf 'version: 1\nbind: [{metric: tiles, sites: "**"}]\n' >later.yaml
PP_POLICY=later.yaml ./shares 1 2>err
tap_is "it is loaded once" "$(grep -c "this waits: there is no metric 'tiles'" err)" 1

# ---- markers --------------------------------------------------------------------------------------------------

if [ -z "$SANITIZER" ]; then # where there is a sanitizer markers are guards
	cat >marked.c <<'END'
#include <pp.h>
static volatile unsigned long sink;
__attribute__ ((noipa)) static void tiny (void)
{
	PP_INTERVAL (tinyi)
	sink++;
}
int main (void)
{
	for (long i = 0; i < 20000000; i++)
		tiny ();
}
END
	printf 'version: 1\nmetrics: {t: {interval: elapsed, keep: sumcount}}\nbind: [{metric: t, sites: tiny/tinyi}]\n' >marked.yaml
	# shellcheck disable=SC2086
	"$CC" -O2 -g -w $PPGCC_FLAGS -I"$srcdir/include" marked.c -o marked -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	PP_POLICY=marked.yaml PP_SAMPLE=1000 ./marked 2>err
	tap_has "the code of a marker has its name, where it is called" "$("$PPCTL" profile --format collapsed marked.*.pprec 2>&1)" \
		'main;tiny;pp_block:tiny/tinyi [0-9]{2,}'
fi

# ---- exec -----------------------------------------------------------------------------------------------------

# what runs first goes on until its recording is there
cat >again.c <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long sink;
static void run (void) { for (long i = 0; i < 100000000; i++) sink = sink + 1; }
__attribute__ ((noinline)) static void before (const char *recording)
{
	do
		run ();
	while (access (recording, R_OK) != 0 && sink < 100000000000);
}
__attribute__ ((noinline)) static void behind (void) { run (); run (); }
int main (int argc, char **argv)
{
	char recording[40];

	if (argc > 1)
		return behind (), 0;
	snprintf (recording, sizeof recording, "again.%d.pprec", (int) getpid ());
	before (recording);
	return execl ("/proc/self/exe", argv[0], "behind", (char *) 0);
}
END
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS again.c -o again -Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
for _ in 1 2; do
	PP_SAMPLE=1000 ./again 2>err
done
tap_is "a program that executes itself leaves two recordings, and no other process's is in its way" \
	"$(printf '%s\n' again.*.pprec* | sed 's/again\.[0-9]*\.//' | sort | xargs)" "pprec pprec pprec.2 pprec.2"
eval "\"\$PPCTL\" profile $(sed -n 's/.*see: ppctl profile //p' err)" >text 2>&1
tap_has "... both of which are named" "$(cat text)" '^ +\[[0-9]+\].* before '
tap_has "... and added up" "$(cat text)" '^ +\[[0-9]+\].* behind '
rm -f again.*.pprec*

# ---- names ----------------------------------------------------------------------------------------------------

loops='{ for (long i = 0; i < 200000000; i++) sink = sink + 1; }'
cat >names.cc <<END
static volatile unsigned long sink;
namespace { struct A { __attribute__ ((noinline)) void run () $loops }; struct B { __attribute__ ((always_inline)) inline void run () $loops }; }
namespace x { static __attribute__ ((noinline)) void g () $loops }
int main () { A a; B b; a.run (); b.run (); x::g (); }
END
# shellcheck disable=SC2086
"$CXX" -O1 -g -w $SANITIZER_FLAGS names.cc -o names -Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_SAMPLE=1000 ./names 2>err
"$PPCTL" profile --format chicken names.*.pprec >table 2>&1
for name in '\(anonymous namespace\)::A::run' '\(anonymous namespace\)::B::run' 'x::g'; do
	tap_has "functions of C++ that no linker knows have their scopes: $name" "$(cat table)" "^$name(\(\))? [0-9]{2,} "
done
rm -f names.*.pprec
cat >lambdas.cc <<END
static volatile unsigned long sink;
template <class F> static __attribute__ ((noinline)) void call (F f) { f (); }
int main ()
{
	call ([] $loops);
	call ([] { sink = 1; [] $loops (); });
}
END
# shellcheck disable=SC2086
"$CXX" -O1 -g -w $SANITIZER_FLAGS lambdas.cc -o lambdas -Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_SAMPLE=1000 ./lambdas 2>err
"$PPCTL" profile --truncate-source 0 lambdas.*.pprec >table 2>&1
tap_has "a lambda has the name of the function that it is in, and its line" "$(cat table)" ' main::<lambda>  .*/lambdas.cc:5$'
tap_has "... which tells it from others of that function, and what is in them is theirs" "$(cat table)" \
	' main::<lambda>::<lambda>  .*/lambdas.cc:6$'
cat >one.c <<END
volatile unsigned long sink;
static inline void within_one (void) $loops
__attribute__ ((noipa)) void outer_one (void) { within_one (); sink = 1; }
extern void outer_two (void);
int main (void) { outer_one (); outer_two (); return 0; }
END
cat >two.c <<END
extern volatile unsigned long sink;
static inline void within_two (void) $loops
__attribute__ ((noipa)) void outer_two (void) { within_two (); sink = 1; }
END
for how in -flto -gsplit-dwarf; do
	# shellcheck disable=SC2086
	"$CC" -O2 -g $how -w $SANITIZER_FLAGS one.c two.c -o "inlined$how" -Wl,--no-as-needed -L"$LIBPP" -lpp \
		-Wl,-rpath,"$LIBPP" || exit 99
	PP_SAMPLE=1000 "./inlined$how" 2>err
	"$PPCTL" profile --truncate-source 0 "inlined$how".*.pprec >table 2>&1
	for unit in one two; do
		tap_has "with $how functions have their lines: $unit" "$(cat table)" " outer_$unit  .*/$unit.c:3\$"
		tap_has "... and those that were inlined are told apart" "$(cat table)" " within_$unit  .*/$unit.c:2\$"
	done
done
rm ./*.dwo
tap_has "without the files of -gsplit-dwarf functions have the linker's names" \
	"$("$PPCTL" profile --format collapsed inlined-gsplit-dwarf.*.pprec 2>&1)" '(^|;)main;outer_two [0-9]+$'
if [ -n "${GFORTRAN:-}" ]; then
	# procedure NAME: in Fortran, with the same body
	procedure () {
		printf 'subroutine %s (n)\n integer, intent (in) :: n\n integer, volatile :: x\n integer :: i\n' "$1"
		printf ' x = 0\n do i = 1, n\n  x = x + 1\n end do\nend subroutine\n'
	}
	{
		printf 'module m\ncontains\n'
		procedure solve
		printf 'end module\nprogram p\n use m\n call solve (200000000)\n call within (200000000)\ncontains\n'
		procedure within
		printf 'end program\n'
	} >names.f90
	# shellcheck disable=SC2086
	"$GFORTRAN" -O0 -g $SANITIZER_FLAGS names.f90 -o names -Wl,--no-as-needed -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	PP_SAMPLE=1000 ./names 2>err
	tap_has "procedures of a Fortran module have its name, and lines" "$("$PPCTL" profile names.*.pprec 2>&1)" 'm::solve  .*names.f90:3'
	tap_has "... and those of a program" "$("$PPCTL" profile names.*.pprec 2>&1)" 'p::within  .*names.f90:18'
fi
rm -f names.*.pprec

# ---- what does not go ----------------------------------------------------------------------------------------

for rate in 0 x 10001 1000Hz 1000,walls; do
	PP_SAMPLE=$rate ./shares 1 2>err
	tap_has "PP_SAMPLE=$rate is refused, and the program runs" "$? $(cat err)" "^0 pp: PP_SAMPLE=$rate: it is samples per second"
done
PP_THREADS=0 PP_SAMPLE=100 ./shares 1 2>err
tap_has "without the library's thread there is no profile, which is said" "$? $(cat err)" '^0 pp: PP_SAMPLE needs the library.s thread'
echo 'no recording' >none
tap_has "a file that is no recording is told of" "$("$PPCTL" profile none 2>&1; echo $?)" '1$'
tap_done
