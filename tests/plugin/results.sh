# SPDX-License-Identifier: MIT
# What the tests of this folder begin with that print their results one by one: a folder to work in, the recorder compiled, result and skip. Sourced.
set -u
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/ppgcc.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
number=0
include=-I$srcdir/include

# result STATUS TITLE [FILE with the reason]
result ()
{
	number=$((number + 1))
	if [[ $1 == 0 ]]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		[[ $# == 3 && -f $3 ]] && head -15 "$3" | sed 's/^/# /'
	fi
}

# skip TITLE REASON
skip ()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

$CC -O2 -fexceptions $include -c "$srcdir/tests/plugin/recorder.c" -o recorder.o || exit 1
