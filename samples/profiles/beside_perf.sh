#!/bin/bash
# SPDX-License-Identifier: MIT
# beside_perf.sh PREFIX DIRECTORY [PROGRAM]: programs from Debian's source packages, built without a pragma, are profiled by perf and by
# ppctl run --sample, 1,000 times a second of CPU time, one after the other. The ten functions that perf saw most often are compared.
# PREFIX is where ppgcc is installed, or its build directory. Status 1: a share is off by more than 3 points. PROGRAM, both without one:
#   sqlite3     its speedtest1, in C
#   minisat2    a solver of SAT problems, in C++, with a 3-SAT problem that chance has made, always the same
# Two minutes; apt-get, dpkg-dev, g++, zlib1g-dev, tclsh, perf, python3 and the network are needed. It changes nothing outside of DIRECTORY.
set -eu
case $#:${3:-} in
2:)
	status=0
	for program in sqlite3 minisat2; do "$0" "$@" $program || status=$?; done
	exit $status
	;;
3:sqlite3 | 3:minisat2) ;;
*) echo "usage: beside_perf.sh PREFIX DIRECTORY [sqlite3 | minisat2]" >&2; exit 2 ;;
esac
export LC_ALL=C.UTF-8
mkdir -p "$2"
prefix=$(cd "$1" && pwd) work=$(cd "$2" && pwd)
if [ -x "$prefix/ppctl/ppctl" ]; then ppctl=$prefix/ppctl/ppctl; else ppctl=$prefix/bin/ppctl; fi
cd "$work"

# fetch PACKAGE: its source. With lists of its own: those of the system stay as they are. apt has checked what it fetched, by the signed list.
fetch () {
	mkdir -p lists/partial cache/archives/partial
	echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
	options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
		-o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)")
	apt-get "${options[@]}" update
	apt-get "${options[@]}" source --download-only "$1"
	dpkg-source --no-check -x "$1"_*.dsc "$1" >/dev/null
}

# Both at addresses that stay the same, so that addr2line knows perf's
build_sqlite3 () {
	mkdir -p sqlite_build
	(cd sqlite_build && ../sqlite3/configure --disable-tcl >log 2>&1 && make sqlite3.c >>log 2>&1)
	gcc -O2 -g -w -no-pie -Isqlite_build sqlite3/test/speedtest1.c sqlite_build/sqlite3.c -o speedtest1 -lpthread -ldl -lm
}

build_minisat2 () {
	g++ -O2 -g -w -fpermissive -no-pie -Iminisat2 -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS minisat2/minisat/simp/Main.cc \
		minisat2/minisat/simp/SimpSolver.cc minisat2/minisat/core/Solver.cc minisat2/minisat/utils/*.cc -o minisat -lz
}

# problem VARIABLES CLAUSES: 3-SAT, hard where there are 4.3 times as many clauses as variables
problem () {
	awk -v variables="$1" -v clauses="$2" '
		function chance (n) { state = (state * 16807) % 2147483647; return int (state / 2147483647 * n) }
		BEGIN {
			state = 1
			print "p cnf", variables, clauses
			for (i = 0; i < clauses; i++) {
				for (j = 0; j < 3; j++)
					printf "%d ", (1 + chance (variables)) * (chance (2) ? 1 : -1)
				print 0
			}
		}'
}

# of_perf PROGRAM ARGUMENT...: lines FUNCTION SAMPLES; the innermost, where functions are inlined, as ppctl has them
of_perf () {
	rm -f perf.data
	perf record -q -e task-clock:u -F 1000 -o perf.data "$@" >/dev/null || true
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
	# what it leaves in caches and files is there for both; its exit status may be an answer
	"$@" >/dev/null 2>&1 || true
	of_perf "$@" >by_perf
	rm -f ours.pprec
	"$ppctl" run --sample 1000 -o ours.pprec -- "$@" >/dev/null 2>&1 || true
	"$ppctl" profile --format json ours.pprec >ours.json
	python3 - "$1" <<'P'
import collections, json, re, sys
def short (name): # perf's names have no parameters, and some of both no versions
	name = re.sub (r"\(anonymous namespace\)::", "", name)
	name = re.sub (r"\(.*| \[clone.*|\.(constprop|isra|part)\.\d+|@.*|<.*>", "", name).split ("::")[-1].strip ()
	# the C library has several names for one function, of which each chooses another
	name = re.sub (r"^_*(GI_+)?(libc_)?", "", name)
	return "lseek64" if name == "llseek" else name
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

[ -d "$3" ] || fetch "$3"
case $3 in
sqlite3)
	[ -x speedtest1 ] || build_sqlite3
	compare ./speedtest1 --size 100
	;;
minisat2)
	[ -x minisat ] || build_minisat2
	problem 300 1310 >problem.cnf
	compare ./minisat -verb=0 problem.cnf
	;;
esac
