#!/bin/bash
# SPDX-License-Identifier: MIT
# flight.sh: the flight recorder has what each thread did last: at a fire, on request, after an abort, a stack overflow and kill -9, and in a child.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/flight/turns.c" -o turns -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread ||
	exit 99
ulimit -c 0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0:use_sigaltstack=0 TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0:die_after_fork=0

# policy NAME [LINE]...: all sites, 64 entries
policy () {
	local name=$1
	shift
	printf '%s\n' "version: 1" "record: {file: $name.%p.pprec, overwrite: true}" 'events: {flight: 64}' "$@" >"$name.yaml"
}

# flown ARGUMENT...: what ppctl flight prints, without times
flown () {
	"$PPCTL" flight "$@" 2>&1 | sed -E '/^(thread|dump|it goes on|nothing|ppctl)/!s/^.{26}//'
}

# what one turn is, of number, name and ratio
turn () {
	printf '  turn number=%s\n    look name="%s" i=%s ratio=%s found=%s\n      step\n    mark value=%s\n' "$1" "$2" "$1" "$3" "$4" "$1"
}
all_turns=$(turn 0 even 0 0; turn 1 odd 0.25 1; turn 2 even 0.5 0; turn 3 odd 0.75 1)

policy plain
PP_POLICY=plain.yaml timeout 60 ./turns 2>/dev/null
out=$(flown plain.*.pprec)
tap_has "a program that has ended says which thread it was, and how many entries there are at most" "$out" '^thread [0-9]+ \(main\), the last 64 begins, ends and values$'
tap_is "its begins, ends and values are there, nested as they ran" "$(grep '^  ' <<<"$out" | grep -v what)" "$all_turns
  hang
    step"

# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/events/late.c" -o late -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
printf '%s\n' "version: 1" "record: {file: late.pprec}" 'events: {flight: {sites: [outer, inner, event]}}' >late.yaml
PP_POLICY=late.yaml timeout 60 ./late >/dev/null 2>&1
tap_is "dimensions of an interval that come later are its own, whatever was begun since, and replace earlier ones of the same key" "$(flown late.pprec | grep '^  ' | grep -v what)" '  outer first=3 second=2
    event of="event"
      inner of="inner"'

# ---- how it ends --------------------------------------------------------------------------------------------------

for how in abort kill overflow; do
	policy $how
	{ PP_POLICY=$how.yaml timeout 60 ./turns $how; } >/dev/null 2>&1
	out=$(flown $how.*.pprec)
	if [ $how = overflow ]; then
		# as many as there is room for, the last of them the innermost
		tap_has "after a stack overflow all that is in the ring is what led to it" "$out" '^ +deep  \(open, for at least that long\)$'
		tap_is "... without an end" "$(grep -c 'deep$' <<<"$out")" 0
	else
		tap_is "after $how the last line is what was open then" "$(grep '^  ' <<<"$out" | tail -n 2)" "  hang  (open, for at least that long)
    step"
		tap_is "... behind all that came before ($how)" "$(grep '^  ' <<<"$out" | grep -v what | head -n 16)" "$all_turns"
	fi
	tap_is "nothing was torn ($how)" "$(grep -c missing <<<"$out")" 0
done

policy nest
{ PP_POLICY=nest.yaml timeout 60 ./turns nest; } >/dev/null 2>&1
tap_has "what was nested too deep for it is said" "$("$PPCTL" flight nest.*.pprec)" '^77 dropped \(depth\): intervals and marks nested deeper than 1,024$'

policy stuck
{ PP_POLICY=stuck.yaml timeout 60 ./turns stuck; } >/dev/null 2>&1
tap_has "what a killed process hung in took as long as the library's thread has seen it" "$(flown --over 20ms stuck.*.pprec)" '^  hang  \(open, for at least that long\)$'

policy exit
PP_POLICY=exit.yaml timeout 60 ./turns exit 2>/dev/null
out=$("$PPCTL" flight --over 50ms exit.*.pprec)
tap_has "what was open when the program ended took until then" "$out" 'hang  \(open\)$'
tap_is "... which is the end that times are told from" "$(awk '$NF == "step" { print ($1 <= -0.05) }' <<<"$out")" 1

# where it lies: nobody has completed the recording yet
policy lies
PP_CONTROL=1 PP_POLICY=lies.yaml ./turns wait >ready 2>/dev/null &
pid=$!
trap 'kill -9 $pid 2>/dev/null; rm -rf "$tap_dir"' EXIT
for _ in $(seq 200); do
	[ -s ready ] && break
	sleep 0.05
done
out=$(flown $pid)
tap_is "of a running process it is read without asking it" "$(grep '^  ' <<<"$out" | tail -n 2)" "  hang  (open)
    step"
tap_has "... with times until now" "$("$PPCTL" flight $pid)" 's, to now'
tap_has "what is open longer than --over is shown, with what is in it" "$(flown --over 1us $pid)" '^  hang  \(open\)$'
tap_is "... and what is not as long is left out" "$(flown --over 1000s $pid | grep -c '^  [a-z]* ')" 0
tap_has "... which is said" "$("$PPCTL" flight --over 1000s $pid)" 'none of them took that long'
tap_is "a thread that is not there has nothing" "$(flown --thread 1 $pid)" "nothing was kept"
# its door is open once the library's thread runs
for _ in $(seq 100); do
	"$PPCTL" dump -o dumped.pprec $pid >/dev/null 2>&1 && break
	sleep 0.1
done
tap_is "ppctl dump has the rings" "$(flown dumped.pprec | grep '^  ' | tail -n 2)" "  hang  (open)
    step"
kill -9 $pid
wait $pid 2>/dev/null
out=$(flown $pid)
tap_is "of a killed process it is read in the region that it left" "$(grep '^  ' <<<"$out" | tail -n 2)" "  hang  (open, for at least that long)
    step"
tap_has "... which says where it goes on" "$out" "^it goes on in .*lies.$pid.pprec$"
tap_is "... and there it is" "$(flown lies.$pid.pprec | grep '^  ' | tail -n 2)" "  hang  (open, for at least that long)
    step"

# ---- what it has --------------------------------------------------------------------------------------------------

policy threads
PP_POLICY=threads.yaml timeout 60 ./turns threads 2>/dev/null
out=$(flown threads.*.pprec)
tap_is "each thread has a ring of its own" "$(grep -c '^thread ' <<<"$out")" 2
tap_is "... also one that has ended" "$(grep -c 'turn number=10[012]$' <<<"$out")" 3

policy spans
PP_POLICY=spans.yaml timeout 60 ./turns spans 2>/dev/null
tap_has "spans have their times, and are in nothing" "$(flown spans.*.pprec)" '^  held  \(span\)$'

policy names
PP_POLICY=names.yaml timeout 60 ./turns names 2>/dev/null
out=$(flown names.*.pprec)
tap_has "the type of an event is all of its name; of a key the newest value counts" "$out" '^  GET /users/list at=1700000123.25 status=2$'
tap_has "... also with what other names have a meaning for; doubles are what they were" "$out" '^  GET http://orders/list@5 at=1700000124.5$'
tap_is "ppctl sql has the same names" "$("$PPCTL" sql names.*.pprec 'select own_name from sites where line = 0' 2>&1 | grep -c -e '^GET /users/list *$' -e '^GET http://orders/list@5 *$')" 2

policy jump
PP_POLICY=jump.yaml timeout 60 ./turns jump 2>/dev/null
tap_is "what longjmp leaves has no end, and is in nothing that was left before it" "$(flown jump.*.pprec | grep '^  ' | tail -n 7)" "  around
    leave i=0  (left without an end)
    leave i=1  (left without an end)
    leave i=2  (left without an end)
    step
  hang
    step"

policy fork
PP_POLICY=fork.yaml timeout 60 ./turns fork 2>/dev/null
child=$(grep -l . fork.*.pprec | while read -r f; do flown "$f" | grep -q 'number=1000$' && echo "$f"; done)
tap_is "a child has a ring of its own, without its parent's" "$(flown "$child" | grep '^  ' | grep -v what)" "$(turn 1000 even 250 0)
  hang  (open, for at least that long)
    step"
tap_is "... and the parent none of the child's" "$(for f in fork.*.pprec; do [ "$f" = "$child" ] || flown "$f" | grep -c 'number=1000'; done)" 0

policy few
sed -i 's/64/{sites: [step, mark], events: 16}/' few.yaml
PP_POLICY=few.yaml timeout 60 ./turns 2>/dev/null
tap_is "only the sites of the patterns are kept" "$(flown few.*.pprec | grep '^  ' | grep -v what | awk '{ print $1 }' | sort -u | tr '\n' ' ')" "mark step "

# ---- at a fire ----------------------------------------------------------------------------------------------------

policy fire 'assertions:' '  quick:' '    at: slow/slow' '    expect: taken.last < 20ms' '    on_fire: [dump]'
PP_POLICY=fire.yaml timeout 60 ./turns fire >/dev/null 2>&1
out=$(flown --dump 1 fire.*.pprec)
tap_has "a fire dumps it, and the dump says of which assertion and when" "$out" '^dump 1, quick, [0-9.]+ m?s after the start$'
tap_has "... with the one that was slow" "$out" '^  slow us=50000$'
tap_is "... and nothing of what came later" "$(grep -c 'turn number=99$' <<<"$out")" 0
tap_has "--over finds the slow one" "$(flown --dump 1 --over 20ms fire.*.pprec)" '^  slow us=50000$'
tap_is "... and it alone" "$(flown --dump 1 --over 20ms fire.*.pprec | grep -c '^  [a-z]* us=')" 1
tap_is "behind the dump is how it was at the end" "$(flown --dump 0 fire.*.pprec | grep -c '^  slow')" 0
tap_has "the history tells of the dump" "$("$PPCTL" report --history fire.*.pprec 2>/dev/null)" 'the flight recorder is dumped'

printf '%s\n' 'version: 1' 'record: {file: none.pprec}' 'assertions:' '  quick:' '    at: slow/slow' '    expect: taken.last < 20ms' '    on_fire: [{dump: flight}]' >none.yaml
PP_POLICY=none.yaml timeout 60 ./turns fire 2>err >/dev/null
tap_has "without a flight recorder that action fails, which is said" "$(cat err)" "an action of assertion 'quick' failed: dump: no thread has run through a site of a flight recorder yet"
tap_has "... and so does ppctl flight" "$(flown none.pprec)" "^ppctl flight: there is no flight recorder in it"

# ---- wrong usage --------------------------------------------------------------------------------------------------

bad () { # SENTENCE LINE MESSAGE
	printf '%s\n' "version: 1" "$2" >bad.yaml
	tap_has "$1" "$(PP_POLICY=bad.yaml timeout 60 ./turns 2>&1)" "$3"
}
bad "fewer entries than there may be are an error" "events: {flight: {sites: [step], events: 3}}" "bad.yaml:2:.*16"
bad "and more" "events: {flight: 1000000}" "bad.yaml:2:.*65536"
tap_has "--over wants a time" "$(flown --over 5 plain.*.pprec)" "--over is a time"
tap_has "what is neither file nor process is an error" "$(flown nothing.pprec)" "^ppctl flight: no process of yours is called 'nothing.pprec'"
tap_done
