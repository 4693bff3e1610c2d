#!/bin/sh
# SPDX-License-Identifier: MIT
# profile.sh BUILD [SCRIPT.lua]: builds Lua 5.4 from its Debian source package with an event for each instruction, whose dimensions are opcode and
# operand, runs the script (work.lua), and shows where its time went. BUILD is where this tree was built.
#
# Lua's source is changed by two lines of sed: operand.h comes in, and each case of the interpreter's loop begins with its mark. Needs apt-get with a
# way to Debian's sources; DIRECTORY=... keeps what was made there. A source that lies in DIRECTORY/lua5.4-* already is not fetched again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
[ $# -ge 1 ] || { echo "usage: profile.sh BUILD [SCRIPT.lua]" >&2; exit 2; }
build=$(cd "$1" && pwd)
script=$(realpath "${2:-$here/work.lua}")
directory=${DIRECTORY:-$(mktemp -d)}
[ -n "${DIRECTORY:-}" ] || trap 'rm -rf "$directory"' EXIT
mkdir -p "$directory"
cd "$directory"

# the package, by lists of its own: whoever runs this may not have sources among theirs
if ! ls -d lua5.4-*/src >/dev/null 2>&1; then
	mkdir -p lists/partial cache/archives/partial
	echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
	apt="-qq -o Dir::Etc::SourceList=$directory/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$directory/lists -o Dir::Cache=$directory/cache"
	# shellcheck disable=SC2086 # options are a list
	apt-get $apt update && apt-get $apt source lua5.4 >/dev/null || {
		echo "profile.sh: Debian's source package lua5.4 can't be had" >&2
		exit 1
	}
fi
cd lua5.4-*/src

# three cases have labels inside, which others jump to: no mark can be around them
grep -q operand.h lvm.c || sed -i -e '/#include "lvm.h"/a #include "'"$here"'/operand.h"' \
	-e '/OP_RETURN1)\|OP_TFORCALL)\|OP_TFORLOOP)/!s/^ *vmcase(OP_\([A-Z0-9]*\)) {/& LUA_OP ("\1")/' lvm.c
: "${CC:=gcc}"
# what the package's own rules would make
echo "#define DEB_HOST_MULTIARCH \"$($CC -print-multiarch)\"" >lua5.4-deb-multiarch.h
flags="-std=gnu99 -O2 -DLUA_USE_LINUX -DLUA_USE_JUMPTABLE=0"
for file in *.c; do
	[ "$file" != luac.c ] || continue
	with=
	[ "$file" != lvm.c ] || with="-fplugin=$build/gcc-plugin/ppgcc.so -I$top/include"
	# shellcheck disable=SC2086
	$CC $flags $with -c "$file" -o "${file%.c}.o"
done
rm -f luac.o
# shellcheck disable=SC2046
$CC -o "$directory/lua" $(ls ./*.o) -L"$build/libpp/.libs" -lpp -Wl,-rpath,"$build/libpp/.libs" -Wl,-E -lm -ldl

cd "$directory"
printf 'version: 1\nevents: {records: "luaV_execute/op@*", when_full: wait}\nrecord: {file: lua.pprec}\n' >policy.yaml
PP_POLICY=policy.yaml ./lua "$script"
"$build/ppctl/ppctl" query --unit us --limit 12 lua.pprec opcode
for op in GETFIELD CALL ADD; do
	"$build/ppctl/ppctl" query --unit us --limit 8 lua.pprec "operand where opcode = '$op'" | sed -n "/^By operand/,\$p" | sed "1s/:/ of $op:/; \$G"
done
