#!/bin/bash
# SPDX-License-Identifier: MIT
# others.sh PREFIX DIRECTORY: profiles of features of two programs of others, jq and Lua, from Debian's source packages: fetched, built without
# and with marks on their calls of the C library, and measured. PREFIX is where ppgcc is installed, or its build directory. About two minutes;
# apt-get, dpkg-dev and the network are needed. It changes nothing outside of DIRECTORY.
set -eu
[ $# = 2 ] || { echo "usage: others.sh PREFIX DIRECTORY" >&2; exit 2; }
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
prefix=$(cd "$1" && pwd) work=$(cd "$2" && pwd)
if [ -x "$prefix/ppctl/ppctl" ]; then
	ppctl=$prefix/ppctl/ppctl plugin=$prefix/gcc-plugin/ppgcc.so libraries=$prefix/libpp/.libs
else
	ppctl=$prefix/bin/ppctl plugin=ppgcc libraries=$prefix/lib
fi
marks="-fplugin=$plugin -fplugin-arg-ppgcc-instrument=$here/../libc.yaml -fplugin-arg-ppgcc-Wno-pp-rules"
link="-L$libraries -lpp -Wl,-rpath,$libraries"
cd "$work"

# Sources with lists of their own: those of the system stay as they are. apt has checked what it fetched, by the signed list.
fetch () {
	mkdir -p lists/partial cache/archives/partial
	echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
	options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
		-o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)")
	apt-get "${options[@]}" update
	apt-get "${options[@]}" source --download-only jq lua5.4
	for package in jq lua5.4; do
		rm -rf "$package"
		dpkg-source --no-check -x "$package"_*.dsc "$package" >/dev/null
	done
}

# build_jq NAME OPTION...: what its configure finds on Linux
build_jq () {
	name=$1
	shift
	math=$(sed -n 's/^AC_CHECK_MATH_FUNC(\([a-z0-9_]*\))$/\1/p' jq/configure.ac | grep -vE '^(gamma|drem|pow10|significand|lgamma_r)$' |
		tr '[:lower:]' '[:upper:]' | sed 's/^/-DHAVE_/')
	for file in jq/src/*.c; do
		case $file in */inject_errors.c) continue ;; */jv_print.c) print=${before_print:-} ;; *) print= ;; esac
		# shellcheck disable=SC2086
		gcc -std=gnu99 -O2 -g -w -D_GNU_SOURCE -DIEEE_8087 -DHAVE_ISATTY -DHAVE_TIMEGM -DHAVE_GMTIME_R -DHAVE_STRPTIME -DHAVE_STRFTIME \
			-DHAVE_TM_TM_GMT_OFF -DHAVE_MEMMEM -DHAVE_ALLOCA_H $math $print "$@" -Ijq -c "$file"
	done
	# shellcheck disable=SC2086
	gcc ./*.o -o "$name" $link -lm -lpthread 2>link.log || { cat link.log >&2; exit 1; }
	rm -f ./*.o
}

build_lua () {
	name=$1
	shift
	echo '#define DEB_HOST_MULTIARCH "any"' >lua5.4/src/lua5.4-deb-multiarch.h
	rm -f lua5.4/src/luac.c
	# shellcheck disable=SC2086
	gcc -std=gnu99 -O2 -g -w -DLUA_COMPAT_5_3 -DLUA_USE_LINUX "$@" lua5.4/src/*.c -o "$name" $link -Wl,-E -lm -ldl
}

build () {
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' jq/src/builtin.jq >jq/src/builtin.inc
	echo '#define JQ_VERSION "1.6"' >jq/src/version.h
	# shellcheck disable=SC2086
	build_jq jq_marked $marks
	build_jq jq_plain
	before_print="-include $here/output.h"
	build_jq jq_repaired
	# shellcheck disable=SC2086
	build_lua lua_marked $marks
	build_lua lua_plain
	gcc -O2 -shared -fPIC -fno-builtin "$here/never_free.c" -o never_free.so
}

# Lines of JSON, most of it text
make_input () {
	awk 'BEGIN {
		n = split ("lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam nonumy eirmod tempor", word, " ")
		for (i = 0; i < 20000; i++) {
			printf "{\"id\": %d, \"price\": %d.%02d, \"text\": \"", i, i % 100, i * 7 % 100
			for (k = 0; k < 60; k++)
				printf "%s%s", k ? " " : "", word[(i * 31 + k * k) % n + 1]
			print "\"}"
		}
	}' >input.json
}

# cpu COMMAND...: mean and standard deviation of its CPU time, ms, of 30 runs
cpu () {
	for _ in $(seq 30); do
		bash -c 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null' - "$@" 2>&1
	done | awk '{ x = 1000 * ($1 + $2); n++; sum += x; squares += x * x }
		END { mean = sum / n; printf "%.0f ms, standard deviation %.0f", mean, sqrt ((squares - n * mean * mean) / (n - 1)) }'
}

show () { # MARKED ARGUMENT...
	recording=$(basename "$1").pprec
	printf 'version: 1\nprofile: {features: sampled}\nrecord: {file: %s}\n' "$recording" >features.yaml
	PP_LOG=/dev/null PP_POLICY=features.yaml "$@" >/dev/null
	"$ppctl" features --top 3 "$recording"
}

fetch
build
make_input
./jq_plain -c . input.json >plain.out
./jq_repaired -c . input.json >repaired.out
cmp plain.out repaired.out
echo "jq -c . input.json"
show ./jq_marked -c . input.json
echo "without marks: $(cpu ./jq_plain -c . input.json)"
echo "a byte goes to the buffer without a call: $(cpu ./jq_repaired -c . input.json)"
echo
echo "lua words.lua 3000"
show ./lua_marked "$here/words.lua" 3000
echo "without marks: $(cpu ./lua_plain "$here/words.lua" 3000)"
echo "with an allocator that frees nothing: $(cpu env LD_PRELOAD="$work/never_free.so" ./lua_plain "$here/words.lua" 3000)"
