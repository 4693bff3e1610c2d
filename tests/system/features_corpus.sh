#!/bin/bash
# SPDX-License-Identifier: MIT
# features_corpus.sh: features of C++, of its library and of assertions are found by what samples/features ships, each use counted; features that
# take marks off the stack, and those that nobody can interrupt, are profiled as others are.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8
features=$srcdir/samples/features
printf 'version: 1\nprofile: {features: exact}\nrecord: {file: exact.pprec}\n' >exact.yaml
printf 'version: 1\nprofile: {features: sampled, rate: 4000, clock: cpu}\nrecord: {file: sampled.pprec}\n' >sampled.yaml

# build PROGRAM SOURCE COMPILER RULES [OPTION]...
build () {
	program=$1 source=$2 compiler=$3 rules=$4
	shift 4
	# shellcheck disable=SC2086
	"$compiler" -O2 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument="$features/$rules" -fplugin-arg-ppgcc-Wno-pp-rules "$@" \
		-I"$srcdir/include" "$source" -o "$program" -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
}
# of RECORDING: "NAME MARKS" of each feature, sorted
counts () {
	"$PPCTL" features --top 0 "$1" 2>&1 | awk '/^[^ ]*\.[^ ]*$/ { name = $1 } / marks?; / { sub (/.*\(/, ""); print name, $1 }' | LC_ALL=C sort
}
# parts RECORDING FEATURE: "MS MARKS NAME" of each instance
parts () {
	"$PPCTL" features --top 0 --feature "$2" "$1" 2>&1 | sed -nE 's/^ *([0-9]+) ms : (.*)  \((([0-9]+) marks?, )?.*/\1 \4 \2/p'
}

# ---- C++ and its library -------------------------------------------------------------------------------------

build rows "$features/rows.cc" "$CXX" libstdcxx.yaml -std=c++17
plain=$(./rows 100)
PP_POLICY=exact.yaml ./rows 100 >out 2>err
tap_is "a program with features of C++ does what it does without a profile" "$(cat out)" "$plain"
counts exact.pprec >counted
# a line each: what a round has is 100 times there, what is outside of the rounds once
tap_is "each use of the library's features is counted, under its own" "$(grep -v '^rows' counted)" "libstdcxx.allocation 200
libstdcxx.casts 300
libstdcxx.copies 202
libstdcxx.exceptions 100
libstdcxx.formatting 100
libstdcxx.iostreams 203
libstdcxx.locking 200
libstdcxx.matching 101
libstdcxx.shared_ptr 101
libstdcxx.sorting 100
libstdcxx.strings 602
libstdcxx.waiting 1"
tap_is "... and of the language's, where they are marked" "$(grep '^rows' counted)" "rows.casts 100
rows.copies 100
rows.dispatch 100
rows.exceptions 100"
tap_is "instances are the places that use them" "$(parts exact.pprec libstdcxx.allocation | sed 's/.*:/:/' | sort | tr '\n' ' ')" \
	"$(grep -nE '(= new|delete\[\])' "$features/rows.cc" | sed 's/\([0-9]*\):.*/:\1/' | sort | tr '\n' ' ')"

# ---- calls of which the source does not say what they call -----------------------------------------------------

cat >calls.cc <<'END'
struct shape {
	virtual ~shape () = default;
	virtual int corners () const = 0;
	int sides () const { return 1; }
};
struct square : shape {
	int corners () const override { return 4; }
};
struct disc : shape {
	int corners () const override { return 0; }
};
static int twice (int n) { return 2 * n; }
static int thrice (int n) { return 3 * n; }
static volatile int sink;
int main (int argc, char **)
{
	const square a;
	const disc b;
	int (*volatile change) (int) = argc > 5 ? thrice : twice;
	int (shape::*volatile count) () const = argc > 5 ? &shape::sides : &shape::corners;

	for (volatile int i = 0; i < 60; i++) {
		const shape *one = i % 2 ? static_cast<const shape *> (&a) : &b;
		sink = one->corners ();
		sink = change (i);
		if (i % 3 == 0)
			sink = (one->*count) ();
	}
	return 0;
}
END
# shellcheck disable=SC2086
"$CXX" -O2 -g -w -std=c++17 $SANITIZER_FLAGS $PPGCC_FLAGS -fplugin-arg-ppgcc-features="$features/dispatch.features.yaml" \
	-I"$srcdir/include" calls.cc -o calls -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
PP_POLICY=exact.yaml ./calls 2>err
tap_is "virtual calls, callbacks and pointers to members are features by a file" "$(counts exact.pprec | tr '\n' ' ')" 'calls.indirect 80 calls.virtual 60 '
tap_is "... each call an instance" "$({ parts exact.pprec calls.virtual; parts exact.pprec calls.indirect; } | sed 's/^[0-9]* \([0-9]*\) .*:/\1 :/' | sort -t : -k 2n | tr '\n' ' ')" \
	"$(grep -nE 'corners \(\);$|change \(i\)|->\*count' calls.cc | sed 's/:.*//' | paste -sd ' ' | awk '{ print "60 :" $1 " 60 :" $2 " 20 :" $3 " " }')"

# ---- assertions, as a checked interface's cost ---------------------------------------------------------------

cat >checked.c <<'END'
#include <assert.h>
#include <string.h>
static volatile int sink;
static int check_length (const char *text)
{
	assert (text != NULL);
	assert (strlen (text) < 100);
	return (int) strlen (text);
}
int main (int argc, char **argv)
{
	for (int i = 0; i < 50; i++)
		sink = check_length (argv[0]);
#ifdef BREAKS
	assert (argc == 77 && "no such number");
#endif
	return 0;
}
END
printf 'version: 1\nfunctions:\n  - {function: "check_*", as: feature, feature: mine.checks}\n' >checks.yaml
# checked PROGRAM [OPTION]...
checked () {
	program=$1
	shift
	"$CC" -O2 -g -w $SANITIZER_FLAGS "$@" -I"$features/marked" -I"$srcdir/include" checked.c -o "$program" -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
}
# shellcheck disable=SC2086
checked checked $PPGCC_FLAGS -fplugin-arg-ppgcc-instrument=checks.yaml
PP_POLICY=exact.yaml ./checked 2>err
tap_is "assertions are a feature, and so are functions that check" "$(counts exact.pprec | tr '\n' ' ')" 'libc.assertions 100 mine.checks 50 '
tap_is "each assertion is an instance" "$(parts exact.pprec libc.assertions | sed 's/.*checked.c/checked.c/' | sort | tr '\n' ' ')" 'checked.c:6 checked.c:7 '
# shellcheck disable=SC2086
checked breaks $PPGCC_FLAGS -DBREAKS
tap_has "one that fails says what assert says" "$( (./breaks) 2>&1)" "checked\.c:15: main: Assertion .argc == 77 && \"no such number\"' failed"
# shellcheck disable=SC2086
checked unasserted $PPGCC_FLAGS -DBREAKS -DNDEBUG
tap_ok "without assertions there are none" ./unasserted
checked unmarked -Werror
tap_ok "without the plugin they are the C library's" ./unmarked

# ---- tasks, and what is done in them -------------------------------------------------------------------------

PP_POLICY=sampled.yaml "$builddir/samples/features/messages/server" 3000 >out 2>err
"$PPCTL" features --by caller --feature bus.contract sampled.pprec >text 2>&1
tap_has "contracts are checked in tasks" "$(cat text)" ' ms : .*bus\.task  \('
tap_has "... and where messages come in" "$(cat text)" ' ms : \(nothing open\)  \('

# ---- features that take marks off the stack, and that nobody can interrupt -----------------------------------------

build control "$srcdir/tests/system/features/control.cc" "$CXX" libc.yaml
PP_POLICY=exact.yaml ./control 500 2>err
tap_is "a program that throws and jumps while it is measured ends well" "$? $(grep '^pp:' err | grep -v 'see: ppctl')" "0 "
tap_is "throws are counted, and what they are in goes on; so are malloc and random" "$(counts exact.pprec | grep -v libc.strings | tr '\n' ' ')" \
	'ctl.handling 1000 ctl.landed 500 ctl.outer 500 ctl.throw 1000 libc.allocation 50000 libc.random 25000 '
tap_is "a mark that an exception leaves has ended" "$(parts exact.pprec ctl.throw | sed 's/^[0-9]* //' | sort | tr '\n' ' ')" '500 far 500 near '
tap_has "... and one that is jumped over is nobody's, and told" "$("$PPCTL" features exact.pprec)" '^500 were jumped over, or ended with the profile: what these held is in no feature, and how long it was is not known$'
if [ "$SANITIZER" = thread ]; then
	tap_skip "by sampling all of them are seen, longjmp too" "what marks hold is instrumented"
	tap_skip "a handler that is far costs more than one that is near" "what marks hold is instrumented"
else
	PP_POLICY=sampled.yaml ./control 15000 2>err
	"$PPCTL" features sampled.pprec >text 2>&1
	tap_is "by sampling all of them are seen, longjmp too" "$(grep -oE '^(ctl\.(throw|longjmp)|libc\.(allocation|random))$' text | sort | tr '\n' ' ')" \
		'ctl.longjmp ctl.throw libc.allocation libc.random '
	tap_ok "a handler that is far costs more than one that is near" awk '{ time[$2] = $1 } END { exit !(time["far"] > time["near"]) }' \
		<(parts sampled.pprec ctl.throw)
fi
[ $tap_failed -eq 0 ] || cat text err counted | sed 's/^/# /'
tap_done
