#!/bin/bash
# SPDX-License-Identifier: MIT
# A function is inlined with patch markers exactly where it is without: a hundred of them, of growing size and several shapes.
set -u
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-inlining.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
number=0

# body SHAPE SIZE NUMBER: statements that use p and i; the number makes it unlike all others, or GCC would merge them
body ()
{
	local k
	case $1 in
	straight)
		for ((k = 0; k < $2; k++)); do echo "	p[$k] += i + $3;"; done
		;;
	branch)
		echo "	if (i > $3) {"
		[[ $2 -gt 4 ]] && echo "		MARK (pp point inside)"
		for ((k = 0; k < $2; k++)); do echo "		p[$k] += i;"; done
		echo "	}"
		;;
	loop)
		echo "	for (int k = 0; k < i; k++) {"
		for ((k = 0; k < $2; k++)); do echo "		p[$k] ^= k + $3;"; done
		echo "	}"
		;;
	*)
		echo "	p[0] = extern_$1 (i + $3);"
		for ((k = 1; k < $2; k++)); do echo "	p[$k] -= i;"; done
		;;
	esac
}

# source: every function is called from three others
source_text ()
{
	local shape size key name caller count=0
	echo '#ifdef WITH_MARKERS'
	echo '#define MARK(...) _Pragma (#__VA_ARGS__)'
	echo '#else'
	echo '#define MARK(...)'
	echo '#endif'
	for shape in straight branch loop call; do # the callers differ, or GCC would make one of them
		[[ $shape == call ]] && echo "int extern_call (int i);"
		for size in 1 2 3 4 5 6 8 10 13 17 22 30 40 90; do
			for key in "static" "static inline"; do
				name=${shape}_${size}_${key//static/}
				name=${name// /}
				count=$((count + 1))
				echo "$key int $name (int *p, int i)"
				echo "{"
				echo "	MARK (pp interval all)"
				body $shape $size $count
				echo "	return p[i];"
				echo "}"
				for caller in 1 2 3; do
					echo "int ${name}_from_$caller (int *p, int i) { return $name (p + 1, i + 2) * $caller; }"
				done
			done
		done
	done
}

# what is left of the functions: their symbols and the calls of them
left ()
{
	nm "$1" | sed -n 's/^[0-9a-f]* t \([a-z]*_[0-9]*_[a-z.0-9]*\)$/\1/p' | sort
	objdump -d --no-show-raw-insn "$1" | sed -n 's/.*\t\(call\|jmp\) .*<\([a-z]*_[0-9]*_[a-z.0-9]*\)>$/\2/p' | sort | uniq -c
}

source_text > leaf.c
levels=(-O1 -O2 -O3 -Os -Og "-O2 -fno-inline-small-functions" "-O2 -flto" "-Os -flto")
# by compilers but CC at fewer of them
[[ -n ${PP_FURTHER:-} && ${FULL:-} != 1 ]] && levels=(-O1 -O2 -Os "-O2 -flto")
echo "1..$((${#levels[@]} + 1))"
for level in "${levels[@]}"; do
	number=$((number + 1))
	how=-c
	[[ $level == *lto* ]] && how="-r -flinker-output=nolto-rel"
	# shellcheck disable=SC2086
	$CC $level $how -fplugin="$PPGCC" leaf.c -o without.o > log 2>&1 && $CC $level $how -fplugin="$PPGCC" -DWITH_MARKERS leaf.c -o with.o >> log 2>&1
	status=$?
	left without.o > without
	left with.o > with
	[[ -s without && $status == 0 ]] && diff without with >> log
	status=$?
	[[ $status == 0 ]] || echo -n "not "
	echo "ok $number - the same functions are inlined with markers as without at $level ($(grep -vc '^ ' without) are left)"
	[[ $status == 0 ]] || head -20 log | sed 's/^/# /'
done
# the test can fail: guards are code, and count
number=$((number + 1))
$CC -O1 -c -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=guard -DWITH_MARKERS leaf.c -o with.o
$CC -O1 -c -fplugin="$PPGCC" leaf.c -o without.o
left with.o > with
left without.o > without
cmp -s with without && echo -n "not "
echo "ok $number - guards are code, and count"
