#!/bin/bash
# SPDX-License-Identifier: MIT
# What is said about the sources in diagnostics/: each "expect: LINE:COLUMN: KIND: text" at a file's end, and nothing else. "expect<12: " and
# "expect>=12: " are for what GCC itself says, in other words or not at all, in versions before 12 and from 12 on.
set -u
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-diagnostics.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
sources=("$srcdir"/tests/plugin/diagnostics/*.c "$srcdir"/tests/plugin/diagnostics/*.cc)
number=0
major=$($CC -dumpversion)
major=${major%%.*}

# expected SOURCE: its lines for this GCC
expected ()
{
	awk -v major="$major" '/^expect(<|>=)?[0-9]*: / {
		limit = $1
		gsub (/[^0-9]/, "", limit)
		if ($1 == "expect:" || ($1 ~ /</ ? major < limit + 0 : major >= limit + 0))
			print substr ($0, length ($1) + 2)
	}' "$1"
}

# result OK TITLE
result ()
{
	number=$((number + 1))
	[[ $1 == 0 ]] && echo "ok $number - $2" || echo "not ok $number - $2"
}

total=0
for source in "${sources[@]}"; do
	total=$((total + $(expected "$source" | wc -l) + 1))
done
echo "1..$((total + 8))"

for source in "${sources[@]}"; do
	name=$(basename "$source")
	compiler=$CC
	[[ $name == *.cc ]] && compiler=$CXX
	flags=$(sed -n 's|^/\* flags: \(.*\) \*/$|\1|p' "$source")
	# shellcheck disable=SC2086
	$compiler $flags -fplugin="$PPGCC" -I"$srcdir/include" -Wall -Wextra -Wno-unused-function -fno-diagnostics-show-caret -S -o /dev/null \
		"$source" 2>&1 | sed -n "s|^.*/$name:\([0-9]*:[0-9]*: \)|\1|p" > "$work/said"
	expected "$source" > "$work/expected"
	while IFS= read -r line; do
		grep -qxF -- "$line" "$work/said"
		result $? "$name: $line"
	done < "$work/expected"
	sort "$work/expected" > "$work/a"
	sort "$work/said" > "$work/b"
	comm -13 "$work/a" "$work/b" > "$work/more"
	[[ ! -s $work/more ]]
	result $? "$name: nothing else is said"
	sed 's/^/# /' "$work/more"
done

# Plugin and library have one list of the names of statistics. "averag" would be one of them misspelt.
statistics ()
{
	local name
	sed -n '/define PP_ABI_STATISTICS/,/^$/s/.*X ([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' "$srcdir"/include/pp_abi_words.h > "$work/names"
	{
		echo '#include <pp.h>'
		echo 'void f (void) {'
		while read -r name; do
			printf '#pragma pp expect a: m.%s < n.%sx\n' "$name" "$name"
		done < "$work/names"
		echo '}'
	} > "$work/names.c"
	$CC -fplugin="$PPGCC" -I"$srcdir/include" -fsyntax-only "$work/names.c" 2>&1 |
		sed -n "s/.*the library has no statistic '\(.*\)x'; did you mean '\1', or is.*/\1/p" > "$work/known"
	[[ $(wc -l < "$work/names") -ge 18 ]] && cmp -s "$work/names" "$work/known"
	result $? "the plugin knows each statistic that the library has, and takes it for what is meant by something longer"
	diff "$work/names" "$work/known" | sed 's/^/# /'
}
statistics

# the plugin's own arguments, and what it prints when asked
arguments ()
{
	echo 'void f (void) {
#pragma pp interval i
}' | $CC -fplugin="$PPGCC" "$@" -xc - -S -o /dev/null 2>&1
}
arguments -fplugin-arg-ppgcc-verbos | grep -q "error: unknown plugin argument '-fplugin-arg-ppgcc-verbos'; did you mean '-fplugin-arg-ppgcc-verbose'"
result $? "an unknown plugin argument is an error with a suggestion"
arguments -fplugin-arg-ppgcc-marker=gard | grep -q "error: '-fplugin-arg-ppgcc-marker=gard': expected 'patch' or 'guard'"
result $? "an unknown kind of marker is an error"
arguments -fplugin-arg-ppgcc-marker=patch -mcmodel=large | grep -q "error: '-fplugin-arg-ppgcc-marker=patch' is not possible"
result $? "patch markers that the code model forbids are an error"
arguments -fplugin-arg-ppgcc-verbose | grep -q "<stdin>:2:12: note: interval 'i' in 'f'"
result $? "verbose prints a note for every site"
arguments -m32 | grep -q "error: ppgcc measures 64-bit programs only"
result $? "32-bit code is refused with a clear message"

# macros of pp.h
bodies=$($CC -fplugin="$PPGCC" -I"$srcdir/include" -fno-diagnostics-show-caret -S -o /dev/null "$srcdir/tests/plugin/shapes/bodies.c" 2>&1 |
	grep -c "error: '#pragma pp [a-z]*' would be the whole body of '\(if\|else\|for\)'")
[[ $bodies == 4 ]]
result $? "a macro that would be a whole body is an error, one in a block is not ($bodies of 4)"

# "#line" may name lines that say something else: nothing is concluded from them
printf '%s\n' 'int f (int x) {' '  if (x)' '    x++;' '  return x; }' > "$work/named.c"
printf '%s\n' "#line 2 \"$work/named.c\"" 'int f (int x) { x++;' '#pragma pp point p' 'return x; }' > "$work/line.c"
$CC -fplugin="$PPGCC" -S -o /dev/null "$work/line.c" > "$work/said" 2>&1
result $? "source lines that #line names wrongly mislead nobody"
