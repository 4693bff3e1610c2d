#!/bin/bash
# SPDX-License-Identifier: MIT
# csmith.sh: random programs by csmith, with an interval in every function and block and points between statements, which toggle.c binds and
# unbinds at random while they run. What they print, a checksum of all their variables, must be what they print without the plugin.
#
# N            programs, 500; each at four levels, with patchable markers and with guards in turn
# SEED         of the first program, 1
# CSMITH_JOBS  how many at a time, 2
# CSMITH_KEEP  a directory to work in; sources of failures are kept there
#
# What is no verdict is a skipped result: programs that run long by themselves, and jumps into blocks, which are errors with intervals.
set -u
export LC_ALL=C
here=$srcdir/tests/matrix
levels=(-O0 -O1 -O2 -O3)
kinds=(patch guard)
: "${N:=500}" "${SEED:=1}"

skip_all ()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# instrument SEED: the program with its pragmas. csmith writes a brace that opens a block on a line of its own, and statements on one
# line each.
instrument ()
{
	awk -v seed="$1" '
		BEGIN {srand (seed)}
		/^static .*g_[0-9]+ = [^{&(]*;$/ || /^static .*g_[0-9]+ = \(-?[0-9a-fA-FxUL]*\);$/ {
			if (match ($0, /g_[0-9]+ = /) && !/\*/ && !/union|struct/)
				values[count++] = substr ($0, RSTART, RLENGTH - 3)
		}
		/--- FUNCTIONS ---/ {on = 1}
		/^int main / {on = 0}
		{print}
		on && /^ *\{( \/\* block id: [0-9]+ \*\/)?$/ {print "#pragma pp interval i" ++n (rand () < 0.1 ? " fence" : "")}
		on && /^    .*;$/ && rand () < 0.4 {
			if (count && rand () < 0.5)
				print "#pragma pp point v" ++n " value(" values[int (rand () * count)] ")"
			else
				print "#pragma pp point p" ++n (rand () < 0.1 ? " fence" : "")
		}'
}

# builds PROGRAM LEVEL [OPTION...]: from the source at hand
builds ()
{
	timeout 120 "$CC" -w "$2" -I/usr/include/csmith "$1.c" -o "$1" "${@:3}" > build.log 2>&1
}

# one NUMBER: the results of the program with that seed
one ()
{
	local seed=$1 i level kind title says sites bound unbound samples
	local dir=$work/$1
	mkdir -p "$dir" && cd "$dir" || return
	csmith --seed "$seed" --no-packed-struct --no-argc --max-funcs 6 --max-block-depth 4 > plain.c 2> /dev/null
	if ! builds plain -O1 || ! timeout 1 ./plain > expected 2> /dev/null; then
		for level in "${levels[@]}"; do
			echo "ok ? - program $seed at $level # SKIP it runs long by itself"
		done
		cd "$work" && rm -rf "$dir"
		return
	fi
	instrument "$seed" < plain.c > marked.c
	for i in "${!levels[@]}"; do
		level=${levels[i]} kind=${kinds[(seed + i) % 2]}
		title="program $seed at $level with $kind markers has the same checksum while its sites are bound and unbound"
		if ! builds marked "$level" -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker="$kind" "$work/toggle.o" -Wl,--wrap=main -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread; then
			if grep -q 'is jumped into' build.log && ! grep 'error: ' build.log | grep -qv 'is jumped into'; then
				echo "ok ? - program $seed at $level # SKIP it jumps into blocks"
			else
				echo "not ok ? - $title"
				sed 's/^/# /' build.log | head -n 20
			fi
			continue
		fi
		rm -f says
		TOGGLE_SEED=$seed TOGGLE_SAYS=says timeout 100 ./marked > printed 2> said
		if cmp -s expected printed && [[ -s says && ! -s said ]]; then
			read -r sites bound unbound samples < says
			echo "ok ? - $title"
			echo "# sites $sites bound $bound unbound $unbound samples $samples"
		elif builds plain "$level" && ! { ./plain > other && cmp -s expected other; }; then
			echo "ok ? - program $seed at $level # SKIP it has another checksum at $level without the plugin, too"
		else
			echo "not ok ? - $title"
			head -n 5 said expected printed | sed 's/^/# /'
			cp marked "failed$level-$kind"
		fi
	done
	compgen -G "failed*" > /dev/null && [[ -n ${CSMITH_KEEP:-} ]] || { cd "$work" && rm -rf "$dir"; }
}

if [[ ${1:-} == --one ]]; then
	work=$CSMITH_WORK
	one "$2" > "$work/result-$2" 2>&1
	exit
fi

command -v csmith > /dev/null && [[ -f /usr/include/csmith/csmith.h || -f /usr/include/csmith.h ]] || skip_all "no csmith"
work=${CSMITH_KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-csmith.XXXXXX")} || exit 1
mkdir -p "$work"
[[ -n ${CSMITH_KEEP:-} ]] || trap 'rm -rf "$work"' EXIT
export CSMITH_WORK=$work
$CC -O2 -Wall -Wextra -I"$srcdir/include" -c "$here/toggle.c" -o "$work/toggle.o" || exit 1

seq "$SEED" $((SEED + N - 1)) | xargs -P "${CSMITH_JOBS:-2}" -I{} bash "$0" --one {}
seq "$SEED" $((SEED + N - 1)) | while read -r i; do cat "$work/result-$i"; done | awk '
	/^(not )?ok \? / {sub (/\?/, ++n)}
	/^# sites / {sites += $3; bound += $5; unbound += $7; samples += $9}
	{print}
	END {
		print (bound && unbound && samples ? "ok " : "not ok ") ++n " - " sites + 0 " sites were bound " bound + 0 " times and unbound " \
			unbound + 0 " times, and gave " samples + 0 " samples"
		print "1.." n
	}'
