#!/bin/bash
# SPDX-License-Identifier: MIT
# matrix.sh: every construct with every set of options. The constructs stand in the sources beside this script (matrix.h says how), the
# sets of options in options.table. Each construct's events are compared with those of a build without the plugin, where printf and
# "cleanup" attributes say what happens; one combination of construct, dialect, options, compiler and kind of markers is one result.
#
# All constructs of a class are one program, so that a combination costs a thousandth of a compilation or two. Where that program does
# not build, or does not end well, each construct is tried alone, to know which it is (for the first few programs).
#
# Where there are several compilers, a construct meets a set of options with the first of them and one
# kind of markers, the next set with the other kind; the others meet every fourth set so. FULL=1
# leaves out none.
#
# FULL              1: every kind of markers with every compiler and every set of options
# MATRIX_COMPILERS  "NAME CC CXX FORTRAN PLUGIN; ...", the compilers to try; by default those of this build
# MATRIX_OPTIONS    only lines of the table that contain this
# MATRIX_CLASS      only this class
# MATRIX_CONSTRUCT  only this construct
# MATRIX_JOBS       how many at a time; by default as many as there are processors
# MATRIX_KEEP       a directory to work in that is kept
#
# How a program is built:
#   compile        in one command                dialects    the same, in each dialect of the class
#   shared         constructs in a shared object archive     ... in a static library
#   partial        ... linked with -r first      profile     with -fprofile-generate, run, then with -fprofile-use
#   save-temps     with -save-temps              distcc      -E, and elsewhere the rest
#   directives     ... with -fdirectives-only    ccache      through ccache, twice
#   pch            with a precompiled header     stdin       read from standard input
#   assembly       -S, then assembled            syntax      -fsyntax-only: says nothing, leaves nothing
#   same-twice     twice, into equal objects     same-with-g with -fcompare-debug: -g changes no code
#   dumps          with all dumps and reports
set -u
export LC_ALL=C
here=$srcdir/tests/matrix
classes="c cc c++ c++20 openmp openmp-c++ fortran"
declare -A dialects=(
	[c]="gnu11 c11 gnu17 c17 gnu2x c2x"
	[cc]="gnu++17 gnu++20 c++17 c++20 gnu++14"
	[c++]="gnu++17 c++17 gnu++20 c++20 gnu++23"
	[c++20]="gnu++20 c++20 gnu++23"
	[openmp]="gnu11 c17 gnu2x"
	[fortran]="gnu f2018 f2008"
)
dialects[openmp-c++]="gnu++17 gnu++20"
declare -A sources=(
	[c]="$(cd "$here" && echo c-*.c)"
	[cc]="$(cd "$here" && echo c-*.c)"
	[c++]="classes.cc exceptions.cc templates.cc"
	[c++20]="coroutines.cc"
	[openmp]="openmp.c"
	[fortran]="fortran.f90"
)
sources[openmp-c++]="openmp.c"
declare -A class_flags=([openmp]="-fopenmp")
class_flags[openmp-c++]="-fopenmp"

die ()
{
	echo "Bail out! $*"
	exit 1
}

# ---- the sources

# names CLASS: its constructs, with the words behind them
names ()
{
	local want='' file
	case $1 in
	cc | openmp-c++) want="c++" ;;
	esac
	for file in ${sources[$1]}; do
		sed -n 's|^/\* construct: \(.*\) \*/$|\1|p; s|^! construct: ||p' "$here/$file"
	done | awk -v want="$want" -v only="${MATRIX_CONSTRUCT:-}" '(want == "" || index ($0 " ", " " want " ")) && (only == "" || $1 == only)'
}

language ()
{
	case $1 in
	fortran) echo f95 ;;
	c | openmp) echo c ;;
	*) echo c++ ;;
	esac
}

suffix ()
{
	case $1 in
	fortran) echo f90 ;;
	c | openmp) echo c ;;
	*) echo cc ;;
	esac
}

# write_fortran DIRECTORY NAME...: all.f90, which makes pp.mod, and main.f90, which uses it: gfortran puts what it makes of a module's types into the
# object of whoever has the module's source
write_fortran ()
{
	local dir=$1 i=0 name
	shift
	awk -v names=" $* " 'NR == 1 {on = 1} /^! construct: / {on = index (names, " " $3 " ")} on' "$here/fortran.f90" > "$dir/all.f90"
	{
		printf '%s\n' "program main" "use pp" "use iso_c_binding" "implicit none" "interface"
		for name; do
			printf '%s\n' "integer (c_long) function matrix_$name () bind (C)" "import :: c_long" "end function"
		done
		echo "end interface"
		for name; do
			echo "call pp_point_int (\"chapter\", ${i}_int64)"
			echo "call pp_point_int (\"result\", int (matrix_$name (), int64))"
			i=$((i + 1))
		done
		printf '%s\n' "call pp_point_int (\"chapter\", ${i}_int64)" "end program"
	} > "$dir/main.f90"
	printf '%s\n' "$@" "(the tables)" > "$dir/names"
}

# write CLASS DIRECTORY NAME...: head.h, all.SUFFIX, which begins with it, and main.SUFFIX, with the constructs named
write ()
{
	local class=$1 dir=$2 file suffix name i=0
	shift 2
	suffix=$(suffix "$class")
	mkdir -p "$dir"
	if [[ $class == fortran ]]; then
		write_fortran "$dir" "$@"
		return
	fi
	for file in ${sources[$class]}; do
		awk '/^\/\* construct: / {exit} {print}' "$here/$file"
	done > "$dir/head.h"
	{
		echo '#include "head.h"'
		for file in ${sources[$class]}; do
			awk -v names=" $* " -v file="$file" '/^\/\* construct: / {
				on = index (names, " " $3 " ")
				if (on)
					printf "#line %d \"%s\"\n", NR, file
			} on {print}' "$here/$file"
		done
	} > "$dir/all.$suffix"
	{
		# and not head.h: what a class needs of C++'s library takes longer to read than the rest to compile
		echo '#include "matrix.h"'
		echo '#include <string.h>'
		for name; do
			echo "CONSTRUCT ($name);"
		done
		echo 'static const struct { const char *name; long (*run) (void); } all[] = {'
		for name; do
			echo "{\"$name\", matrix_$name},"
		done
		cat <<- 'END'
			};
			int main (int argc, char **argv)
			{
				int n = (int) (sizeof all / sizeof all[0]);
				for (int i = 0; i < n; i++)
					if (argc < 2 || strcmp (argv[1], all[i].name) == 0) {
						V (chapter, i)
						long r = all[i].run ();
						V (result, r)
					}
				V (chapter, n)
				return 0;
			}
		END
	} > "$dir/main.$suffix"
	printf '%s\n' "$@" "(the tables)" > "$dir/names"
}

# ---- building; everything happens in the directory at hand, which has the sources

# The program. all=FILE is what the constructs are compiled from.
link ()
{
	"${compile[@]}" "$all" "main.$suffix" "$recorder" -o program
}

build_compile () { link; }

build_shared ()
{
	"${compile[@]}" -fPIC -shared "$all" -o liball.so &&
		"${compile[@]}" "main.$suffix" "$recorder" -L. -lall -Wl,-rpath,"$PWD" -rdynamic -o program
}

build_archive ()
{
	"${compile[@]}" -c "$all" -o all.o && ar --plugin "$("${compile[0]}" -print-file-name=liblto_plugin.so)" rcs liball.a all.o && "${compile[@]}" "main.$suffix" "$recorder" liball.a -o program
}

build_partial ()
{
	"${compile[@]}" -c "$all" -o all.o && "${compile[@]}" -c "main.$suffix" -o main.o &&
		"${compile[@]}" -r -nostdlib all.o main.o -o both.o && "${compile[@]}" both.o "$recorder" -o program
}

build_profile ()
{
	"${compile[@]}" -fprofile-generate -fprofile-update=single "$all" "main.$suffix" "$recorder" -o program &&
		./program > profile.events && "${compile[@]}" -fprofile-use -Wno-missing-profile "$all" "main.$suffix" "$recorder" -o program
}

build_save-temps ()
{
	"${compile[@]}" -save-temps "$all" "main.$suffix" "$recorder" -o program
}

build_distcc ()
{
	local intermediate=i
	[[ $suffix == cc ]] && intermediate=ii
	mkdir elsewhere
	"${compile[@]}" -E "$all" -o elsewhere/all.$intermediate && mv "$all" hidden && (cd elsewhere && "${compile[@]}" -c all.$intermediate -o ../all.o) &&
		mv hidden "$all" && "${compile[@]}" all.o "main.$suffix" "$recorder" -o program
}

build_directives ()
{
	local intermediate=i
	[[ $suffix == cc ]] && intermediate=ii
	"${compile[@]}" -E -fdirectives-only "$all" -o all.$intermediate &&
		"${compile[@]}" -fpreprocessed -fdirectives-only -c all.$intermediate -o all.o && "${compile[@]}" all.o "main.$suffix" "$recorder" -o program
}

build_ccache ()
{
	export CCACHE_DIR=$PWD/cache CCACHE_NOCPP2=
	ccache "${compile[@]}" -c "$all" -o first.o && ccache "${compile[@]}" -c "$all" -o all.o && cmp first.o all.o &&
		ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ {n += $2} END {exit n != 1}' &&
		"${compile[@]}" all.o "main.$suffix" "$recorder" -o program
}

build_pch ()
{
	"${compile[@]}" -x "$language-header" head.h -o head.h.gch && "${compile[@]}" -Winvalid-pch -Werror=invalid-pch "$all" "main.$suffix" "$recorder" -o program
}

build_stdin ()
{
	"${compile[@]}" -x "$language" -c - -o all.o < "$all" && "${compile[@]}" all.o "main.$suffix" "$recorder" -o program
}

build_assembly ()
{
	"${compile[@]}" -S "$all" -o all.s && "${compile[@]}" all.s "main.$suffix" "$recorder" -o program
}

# there is no program: the one that is looked at is made without the option
build_syntax ()
{
	"${compile[@]}" -fsyntax-only "$all" && [[ ! -e all.o && ! -e a.out ]] && link
}

build_same-twice ()
{
	"${compile[@]}" -c "$all" -o first.o && "${compile[@]}" -c "$all" -o all.o && cmp first.o all.o && "${compile[@]}" all.o "main.$suffix" "$recorder" -o program
}

build_same-with-g ()
{
	"${compile[@]}" -fcompare-debug -c "$all" -o all.o && "${compile[@]}" all.o "main.$suffix" "$recorder" -o program
}

build_dumps ()
{
	mkdir dumps
	"${compile[@]}" -fdump-tree-all -fdump-ipa-all -fdump-rtl-all -fopt-info-all=opt-info -fstack-usage -fverbose-asm -dumpdir dumps/ "$all" "main.$suffix" "$recorder" -o program &&
		rm -r dumps
}

# attempt: builds and runs; what was said is in "log", the events are in "events"
attempt ()
{
	"build_$how" > log 2>&1 || return 1
	# nested functions do need that stack, and static libgomp the libraries that it opens
	grep -v "executable stack\|^lto-wrapper: \|warning: Using 'dlopen' in statically linked" log | grep -q 'warning: \|error: ' && return 1
	timeout 60 ./program > events 2> log && [[ ! -s log ]]
}

# Whether a program without constructs can be built so, without the plugin.
known ()
{
	[[ $how != ccache ]] || command -v ccache > /dev/null || return
	# shellcheck disable=SC2086 # options are words
	{ [[ $language == f95 ]] && echo end || echo 'int main (void) { return 0; }'; } | "${compile[0]}" "-std=$dialect" ${class_flags[$class]:-} $options -x "$language" - -o known > known.log 2>&1
}

# ---- comparing

# compare NAMES EXPECTED ACTUAL PREFIX: one result for each construct; "?" stands for the number
compare ()
{
	awk -v sorted="$sorted" -v suffix="$4" '
		function sort (text, line, n, i, j, key, out) {
			n = split (text, line, "\n")
			for (i = 2; i <= n; i++) {
				key = line[i]
				for (j = i - 1; j > 0 && line[j] > key; j--)
					line[j + 1] = line[j]
				line[j + 1] = key
			}
			for (i = 1; i <= n; i++)
				out = out line[i] "\n"
			return out
		}
		FILENAME == ARGV[1] {names[count++] = $0; next}
		FILENAME != last {last = FILENAME; which++; chapter = ""}
		$1 == "P" && $2 == "chapter" {chapter = $3; seen[which, chapter] = 1; next}
		{text[which, chapter] = text[which, chapter] $0 "\n"}
		END {
			for (i = 0; i < count; i++) {
				a = text[1, i]; b = text[2, i]
				if (index (sorted, " " names[i] " ")) {
					a = sort(a); b = sort(b)
				}
				good = seen[1, i] && seen[2, i] && a == b
				print (good ? "ok" : "not ok") " ? - " names[i] suffix
				if (!good) {
					gsub ("\n", "\n#   ", a); gsub ("\n", "\n#   ", b)
					print "# expected:\n#   " substr (a, 1, 1500) "\n# there were:\n#   " substr (b, 1, 1500)
				}
			}
		}' "$1" "$2" "$3"
}

# ---- one job: job NUMBER, a line of "jobs": COMPILER CLASS DIALECT KIND HOW OPTIONS...
job ()
{
	local number=$1 index class dialect kind language suffix how options title name
	read -r index class dialect kind how options < <(sed -n "${number}p" "$work/jobs")
	local dir=$work/job-$number cc cxx fortran plugin recorder=$work/recorder.o all sorted
	read -r name cc cxx fortran plugin < <(sed -n "${index}p" "$work/compilers")
	language=$(language "$class") suffix=$(suffix "$class")
	all=all.$suffix
	sorted=" $(names "$class" | awk '/ sorted/ {print $1}' | tr '\n' ' ') "
	local compile=("$cc")
	[[ $language == c++ ]] && compile=("$cxx")
	[[ $language == f95 ]] && compile=("$fortran")
	# shellcheck disable=SC2206 # options are words
	compile+=("-std=$dialect" ${class_flags[$class]:-} $options "-fplugin=$plugin" "-fplugin-arg-ppgcc-marker=$kind" -fplugin-arg-ppgcc-Wno-pp-moved "-I$srcdir/include" "-I$here" "-I$srcdir/tests/plugin/events")
	title=", $class $dialect with $kind markers by ${compile[0]##*/} ${how/compile/} $options"
	title=${title//  / }
	mkdir -p "$dir" && cd "$dir" || return
	cp "$work/source-$class/"* .
	if attempt; then
		compare names "$work/expected-$index-$class-$dialect" events "$title"
	elif ! known; then
		echo "ok ? - (all constructs)$title # SKIP there is no such option or tool here"
	else
		head -n 5 log | sed 's/^/# /'
		echo "not ok ? - (all constructs together)$title"
		# where nothing works nobody wants to wait for that
		(($(ls "$work" | grep -c '^alone-') >= 6)) && return
		: > "$work/alone-$number"
		while read -r name; do
			[[ $name == "("* ]] && continue
			rm -rf alone && mkdir alone && cd alone || return
			write "$class" . "$name"
			if attempt; then
				awk -v name="$name" 'FILENAME == ARGV[1] {if ($0 == name) at = FNR - 1; next}
					$1 == "P" && $2 == "chapter" {on = $3 == at; if (on) print "P chapter 0"; next} on {print}
					END {print "P chapter 1"}' ../names "$work/expected-$index-$class-$dialect" > expected
				compare names expected events "$title, alone" | grep -v '(the tables)'
			else
				echo "not ok ? - $name$title"
				head -n 12 log | sed 's/^/# /'
			fi
			cd ..
		done < names
	fi
	cd "$work" && { [[ -n ${MATRIX_KEEP:-} ]] || rm -rf "$dir"; }
}

# expect INDEX CLASS DIALECT: the events without the plugin. In a directory of its own: several leave the same module there.
expect ()
{
	local cc cxx fortran rest compiler calls='' plain=$work/plain-$1-$2-$3/program
	mkdir -p "${plain%/*}" && cd "${plain%/*}" || die "$work is not writable"
	read -r _ cc cxx fortran rest < <(sed -n "$1p" "$work/compilers")
	compiler=$cc
	[[ $(language "$2") == c++ ]] && compiler=$cxx
	[[ $2 == fortran ]] && compiler=$fortran calls=$work/fortran.o
	# shellcheck disable=SC2086
	$compiler -O0 -w "-std=$3" ${class_flags[$2]:-} -I"$srcdir/include" -I"$here" -I"$srcdir/tests/plugin/events" "$work/source-$2/"{all,main}."$(suffix "$2")" $calls \
		-o "$plain" > "$plain.log" 2>&1 && "$plain" > "$work/expected-$1-$2-$3" && return
	head -n 20 "$plain.log" | sed 's/^/# /'
	die "the constructs of $2 do not build or run as $3 without the plugin"
}

case ${1:-} in
--job)
	work=$MATRIX_WORK
	job "$2" > "$work/result-$2" 2>&1
	exit
	;;
--expect)
	work=$MATRIX_WORK
	expect "$2" "$3" "$4"
	exit
	;;
esac

# ---- the jobs

work=${MATRIX_KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/ppgcc-matrix.XXXXXX")} || exit 1
mkdir -p "$work"
[[ -n ${MATRIX_KEEP:-} ]] || trap 'rm -rf "$work"' EXIT
export MATRIX_WORK=$work
echo "${MATRIX_COMPILERS:-${PP_GCCS:-own $CC $CXX ${GFORTRAN:--} $PPGCC}}" | tr ';' '\n' | grep '[^ ]' > "$work/compilers"
$CC -O2 -fexceptions -fPIC -I"$srcdir/include" -c "$srcdir/tests/plugin/recorder.c" -o "$work/recorder.o" || die "recorder.c does not compile"
$CC -O2 -fPIC -c "$here/fortran.c" -o "$work/fortran.o" || die "fortran.c does not compile"

# Which of KINDS (patch guard) a program of compiler INDEX has: all of them; or the first compiler
# each in its turn, and the others so in every fourth program
kinds_of ()
{
	local kinds=$1 index=$2 turn=$3
	if [[ $kinds != "*" ]]; then
		echo "$kinds"
		return
	elif [[ ${FULL:-} == 1 || $compilers == 1 ]]; then
		echo patch guard
		return
	elif ((index > 1)); then
		((turn % 4)) && return
		turn=$((turn / 4))
	fi
	((turn % 2)) && echo patch || echo guard
}

# add CLASS KINDS HOW OPTIONS: its jobs. Of dialects each kind of markers has the next one, or where HOW says so all of them.
turn=0 lists=0
add ()
{
	local index=0 how=$3 all fortran kind at
	read -ra all <<< "${dialects[$1]}"
	while read -r _ _ _ fortran _; do
		index=$((index + 1))
		[[ $1 == fortran && $fortran == - ]] && continue
		if [[ $how == dialects ]]; then
			for at in "${!all[@]}"; do
				for kind in $(kinds_of "$2" $index $((lists + at))); do
					echo "$index $1 ${all[at]} $kind compile $4" >> "$work/jobs"
				done
			done
		else
			for kind in $(kinds_of "$2" $index $turn); do
				# both pairs of kind and compiler with one before the next
				at=$((turn / 2))
				[[ $kind == guard ]] && at=$((at + 1))
				echo "$index $1 ${all[at % ${#all[@]}]} $kind $how $4" >> "$work/jobs"
			done
		fi
	done < "$work/compilers"
	if [[ $how == dialects ]]; then lists=$((lists + 1)); else turn=$((turn + 1)); fi
}

compilers=$(wc -l < "$work/compilers")

: > "$work/jobs"
for class in $classes; do
	[[ -n ${MATRIX_CLASS:-} && $MATRIX_CLASS != "$class" ]] && continue
	mapfile -t list < <(names "$class" | awk '{print $1}')
	((${#list[@]})) || continue
	write "$class" "$work/source-$class" "${list[@]}"
	while read -r wanted kinds how options; do
		[[ ",$wanted," == *",$class,"* || $wanted == "*" ]] || continue
		add "$class" "$kinds" "$how" "$options"
	done < <(grep -v '^#' "$here/options.table" | grep . | grep -e "${MATRIX_OPTIONS:-}")
done
at_once=${MATRIX_JOBS:-$(nproc)}
awk '{print $1, $2, $3}' "$work/jobs" | sort -u | xargs -P "$at_once" -L 1 bash "$0" --expect > "$work/unexpected" || {
	cat "$work/unexpected"
	exit 1
}
seq "$(wc -l < "$work/jobs")" | xargs -P "$at_once" -I{} bash "$0" --job {}
seq "$(wc -l < "$work/jobs")" | while read -r i; do cat "$work/result-$i"; done | awk '
	/^(not )?ok \? / {sub (/\?/, ++n)}
	{print}
	END {print "1.." n}'
