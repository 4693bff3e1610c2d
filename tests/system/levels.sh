#!/bin/bash
# SPDX-License-Identifier: MIT
# levels.sh: what pairing.c, inlining.c, switching.c, computed.c, loop_copies.c and exceptions.cc
# state holds at every level of optimisation, for both kinds of marker: recursion that was inlined
# into itself, tail calls, moved code.
set -u
[ "${SANITIZER:-}" != thread ] || { echo "1..0 # SKIP it is about one thread"; exit 0; }
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

# passes PROGRAM LEVEL KIND: compiles and runs it; a line for each thing that does not hold
passes ()
{
	local source=$srcdir/tests/system/$1 compiler=$CC kind=
	[ -f "$source.cc" ] && compiler=$CXX source=$source.cc || source=$source.c
	[ "$3" = guards ] && kind="-fplugin-arg-ppgcc-marker=guard -DGUARDS"
	n=$((n + 1))
	# shellcheck disable=SC2086 # lists of options
	if $compiler -g $2 -D_GNU_SOURCE -Wno-infinite-recursion -I"$srcdir/include" ${SANITIZER_FLAGS:-} $PPGCC_FLAGS $kind \
		-o "$dir/program" "$source" -L"$LIBPP" -Wl,-rpath,"$LIBPP" -lpp -lm -lpthread >"$dir/out" 2>&1 &&
		"$dir/program" >"$dir/out" 2>&1; then
		echo "ok $n - $1 holds with $2 and $3"
	else
		echo "not ok $n - $1 holds with $2 and $3"
		grep -v '^ok' "$dir/out" | sed 's/^/# /'
	fi
}

kinds="patches guards"
# FULL=1: guards at every level, too
guarded=" -O0 -O2 -O3 "
levels=(-O0 -O1 -O2 -O3 -Os "-O3 -funroll-all-loops -fno-omit-frame-pointer" "-O2 -flto")
# what the compiler does at each level is shown without one: here it is about what the runtime does
programs="pairing inlining switching exceptions computed"
# loop_copies is a test of its own, too, which looks at the runtime
[ -z "${SANITIZER:-}" ] && programs+=" loop_copies" || levels=(-O0 -O3)
for program in $programs; do
	for level in "${levels[@]}"; do
		for kind in $kinds; do
			[[ $kind == guards && ${FULL:-} != 1 && $guarded != *" $level "* ]] && continue
			passes "$program" "$level" "$kind"
		done
	done
done
echo "1..$n"
