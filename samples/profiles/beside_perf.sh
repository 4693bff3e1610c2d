#!/bin/bash
# SPDX-License-Identifier: MIT
# beside_perf.sh PREFIX DIRECTORY: SQLite's speedtest1, from Debian's source package, built without a pragma, is profiled by perf and
# by ppctl run --sample, 1,000 times a second of CPU time, one after the other. The ten functions that perf saw most often are compared. PREFIX is where ppgcc is installed, or its build directory. Status 1: a share is off by more than 3 points.
# A minute; apt-get, dpkg-dev, tclsh, perf and the network are needed. It changes nothing outside of DIRECTORY.
set -eu
[ $# = 2 ] || { echo "usage: beside_perf.sh PREFIX DIRECTORY" >&2; exit 2; }
export LC_ALL=C.UTF-8
mkdir -p "$2"
prefix=$(cd "$1" && pwd) work=$(cd "$2" && pwd)
if [ -x "$prefix/ppctl/ppctl" ]; then ppctl=$prefix/ppctl/ppctl; else ppctl=$prefix/bin/ppctl; fi
cd "$work"

# Sources with lists of their own: those of the system stay as they are. apt has checked what it fetched, by the signed list.
fetch () {
	mkdir -p lists/partial cache/archives/partial
	echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
	options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
		-o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)")
	apt-get "${options[@]}" update
	apt-get "${options[@]}" source --download-only sqlite3
	dpkg-source --no-check -x sqlite3_*.dsc sqlite3 >/dev/null
}

# At addresses that stay the same, so that addr2line knows perf's
build () {
	mkdir -p sqlite_build
	(cd sqlite_build && ../sqlite3/configure --disable-tcl >log 2>&1 && make sqlite3.c >>log 2>&1)
	gcc -O2 -g -w -no-pie -Isqlite_build sqlite3/test/speedtest1.c sqlite_build/sqlite3.c -o speedtest1 -lpthread -ldl -lm
}

# of_perf PROGRAM ARGUMENT...: lines FUNCTION SAMPLES; the innermost, where functions are inlined, as ppctl has them
of_perf () {
	perf record -q -e task-clock:u -F 1000 -o perf.data "$@" >/dev/null
	perf script -i perf.data -F ip,sym,dso 2>/dev/null | awk -v program="/${1##*/}" '
		index ($0, program ")") { print $1 >"addresses"; next }
		NF { sub (/ \(.*/, ""); $1 = ""; n[substr ($0, 2)]++ }
		END { for (name in n) print n[name] "\t" name }'
	addr2line -C -f -i -a -e "$1" <addresses | awk '
		/^0x[0-9a-f]+$/ { first = 1; next }
		first { n[$0]++; first = 0 }
		END { for (name in n) print n[name] "\t" name }'
	rm -f addresses
}

compare () {
	"$@" >/dev/null 2>&1 || true # what it leaves in caches and files is there for both
	of_perf "$@" >by_perf
	rm -f ours.pprec
	"$ppctl" run --sample 1000 -o ours.pprec -- "$@" >/dev/null 2>&1
	"$ppctl" profile --format json ours.pprec >ours.json
	python3 - "$1" <<'P'
import collections, json, re, sys
def short (name): # perf's names have no parameters, and some of both no versions
	name = re.sub (r"\(anonymous namespace\)::", "", name)
	return re.sub (r"\(.*| \[clone.*|\.(constprop|isra|part)\.\d+|@.*|<.*>", "", name).split ("::")[-1].strip ()
perf, ours = collections.Counter (), collections.Counter ()
for line in open ("by_perf"):
	n, name = line.rstrip ("\n").split ("\t")
	perf[short (name)] += int (n)
profile = json.load (open ("ours.json"))
for node in profile["nodes"]:
	ours[short (node["id"] or "???")] += node["self"]
all_perf, all_ours = sum (perf.values ()), sum (ours.values ())
print (f"{sys.argv[1]}: {all_perf} samples of perf's, {all_ours:.3f} s of ours")
print ("perf %   ours %   points  function")
most = 0
for name, n in perf.most_common (10):
	a, b = 100 * n / all_perf, 100 * ours[name] / all_ours
	most = max (most, abs (a - b))
	print (f"{a:6.2f}   {b:6.2f}   {b - a:+6.2f}  {name}")
print (f"largest difference: {most:.2f} points")
sys.exit (most > 3)
P
}

[ -d sqlite3 ] || fetch
[ -x speedtest1 ] || build
compare ./speedtest1 --size 100
