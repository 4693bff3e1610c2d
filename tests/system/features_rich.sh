#!/bin/bash
# SPDX-License-Identifier: MIT
# features_rich.sh: payloads of several values tell instances of a feature apart, by all of them or some.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8

# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$srcdir/tests/system/features/rich.c" -o rich \
	-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
for how in sampled exact; do
	# CPU time, so that what else the machine does is in nobody's share
	clock=$([ $how = exact ] || echo ', clock: cpu, rate: 2000')
	printf 'version: 1\nprofile: {features: %s}\nfeatures: {off: off.contract}\nrecord: {file: %s.pprec}\n' "$how$clock" $how >$how.yaml
done
# marks FILE [OPTION]...: MARKS NAME of each instance
marks () {
	file=$1
	shift
	"$PPCTL" features "$@" "$file" | sed -n 's/^ *[0-9]* ms : \(.*\)  (\([0-9]*\) marks\{0,1\}, .*/\2 \1/p' | sort
}

./rich 10 2>err
tap_is "what tells instances apart is not computed while nobody looks" "$? $(cat err)" "0 "
PP_POLICY=exact.yaml ./rich 50 2>err
tap_is "... nor while the feature is off" "$? $(grep '^pp:' err | grep -v 'see: ppctl')" "0 "
tap_is "each tuple of values is an instance" "$(marks exact.pprec --feature lib.contract)" \
	"50 contract=-> array, value=1, blamer=mixer, blamed=array
50 contract=-> array, value=1, blamer=seq, blamed=array
50 contract=-> int, value=-2, blamer=mixer, blamed=array"
tap_is "of marks by calls, too" "$(marks exact.pprec --feature call.request)" \
	"25 name=writer, number=3, half=1.5
25 name=writer, number=4, half=2
50 name=reader, number=3, half=1.5"
tap_is "--by KEY: one of the values" "$(marks exact.pprec --feature lib.contract --by contract)" "100 -> array
50 -> int"
tap_is "--by KEY,KEY: several" "$(marks exact.pprec --feature lib.contract --by blamer,value)" \
	"50 blamer=mixer, value=-2
50 blamer=mixer, value=1
50 blamer=seq, value=1"
tap_is "a feature of which no payload has it says so in a line" \
	"$(marks exact.pprec --by number | tr '\n' ' ')$("$PPCTL" features --by number exact.pprec | grep -A 3 -x 'lib.contract' | tail -n 1)" \
	"25 4 75 3 no payload has number"
"$PPCTL" features --by blame exact.pprec >said 2>&1
tap_has "a value that no payload has is told" "$? $(cat said)" "^2 ppctl features: --by: no payload has a dimension 'blame'"
"$PPCTL" features --by number,blame exact.pprec >said 2>&1
tap_has "... beside others that some have, too" "$? $(cat said)" "^2 ppctl features: --by: no payload has a dimension 'blame'"
"$PPCTL" features --by a,,b exact.pprec >said 2>&1
tap_has "a list that is none, too" "$? $(cat said)" "^2 ppctl features: --by: expected instance"
if "$PPCTL" features --json --feature '*.*' exact.pprec >json 2>err && grep -q '^{' json; then
	tap_is "the JSON has each value by itself" "$(python3 -c '
import json
parts = {one["name"]: one["parts"] for one in json.load (open ("json"))["features"]}
dims = sorted ((part["dims"]["value"], part["dims"]["blamer"], part["marks"]) for part in parts["lib.contract"])
print (dims, sorted (part["dims"]["half"] for part in parts["call.request"]))')" \
		"[(-2, 'mixer', 50), (1, 'mixer', 50), (1, 'seq', 50)] [1.5, 1.5, 2.0]"
else
	tap_skip "the JSON has each value by itself" "built without jansson"
fi

PP_POLICY=sampled.yaml ./rich 20000 2>err
"$PPCTL" features --feature lib.contract --by blamer sampled.pprec >text 2>&1
tap_is "samples know the values as well" "$(sed -n 's/^ *[0-9]* ms : \([a-z]*\)  (.*/\1/p' text | sort | tr '\n' ' ')" "mixer seq "
if [ "$SANITIZER" = thread ]; then
	tap_skip "and who pays most" "what marks hold is instrumented"
else
	tap_has "and who pays most" "$(sed -n 's/^ *[0-9]* ms : \([a-z]*\)  (.*/\1/p' text | head -n 1)" mixer
fi

if [ -n "${GFORTRAN:-}" ]; then
	cat >calls.f90 <<'END'
program calls
  use pp
  implicit none
  integer :: i
  do i = 1, 5
    call pp_feature_begin_dims ("for.check", pp_dimension ("blamer", "mixer   "), pp_dimension ("n", mod (i, 2)))
    call pp_feature_end ("for.check")
  end do
end program calls
END
	# shellcheck disable=SC2086
	"$GFORTRAN" $SANITIZER_FLAGS "$srcdir/include/pp.f90" calls.f90 -o calls -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	PP_POLICY=exact.yaml ./calls 2>err
	tap_is "Fortran's marks have them, too" "$(marks exact.pprec | tr '\n' ' ')" "2 blamer=mixer, n=0 3 blamer=mixer, n=1 "
else
	tap_skip "Fortran's marks have them, too" "no gfortran"
fi

# ---- analyses that know them ----------------------------------------------------------------------------------

for plugin in contract_graph process_table; do
	"${CC%% *}" -O1 -shared -fPIC -I"$srcdir/include" "$srcdir/samples/features/$plugin.c" -o $plugin.so || exit 99
done
"$PPCTL" features --plugin ./contract_graph.so sampled.pprec >text
tap_is "contracts are told by who pays, and to whom" "$(sed -n 's/^ *[0-9]* ms : \([a-z]* -> [a-z]*\)  (.*/\1/p' text | tr '\n' ' ')" \
	"mixer -> array seq -> array "
"$PPCTL" features --plugin ./process_table.so sampled.pprec | sed '1,/^Processes/d' >text
tap_is "tasks with their ancestry: total, self, caller, name, callee" "$(sed 's/ *[0-9.]*%//g; s/^ *//; /^-/d' text | tail -n +5 | tr '\n' ',')" \
	"ground,listener,ground,listener,connection 1,listener,connection 1,"
if [ "$SANITIZER" = thread ]; then
	tap_skip "what is spent in tasks is said of each, and of those that it started" "what marks hold is instrumented"
else
	# a machine that is busy may leave the sampler few looks at it
	for _ in 1 2 3; do
		said=$(awk '
			function off(a, b) { return a > b + 7 || a < b - 7 }
			$3 ~ /^(ground|listener|connection)$/ { total[$3] = $1; self[$3] = $2 }
			END {
				all = total["ground"] / 100
				print (!all || off(self["ground"] / all, 20) || off(self["listener"] / all, 30) || off(total["listener"] / all, 80) ||
					off(total["connection"] / all, 50) || off(self["connection"] / all, 50) ? "otherwise" : "as it is")
			}' text)
		[ "$said" = otherwise ] || break
		PP_POLICY=sampled.yaml ./rich 40000 2>err
		"$PPCTL" features --plugin ./process_table.so sampled.pprec | sed '1,/^Processes/d' >text
	done
	tap_is "what is spent in tasks is said of each, and of those that it started" "$said" "as it is"
fi
[ $tap_failed -eq 0 ] || sed 's/^/# /' text

# ---- long values, and such that look like others -------------------------------------------------------------

cat >long.c <<'END'
#include <pp.h>
#include <stdio.h>
#include <string.h>
int main (void)
{
	static char text[3000], odd[] = "a\x1f" "sblamer=b";
	memset (text, 'x', sizeof text - 1);
	for (volatile int i = 0; i < 3; i++) {
		text[0] = (char) ('a' + i);
		{
#pragma pp feature long.text dim(text=text, last=i)
		}
		{
#pragma pp feature long.odd dim(text=odd)
		}
		{
#pragma pp feature long.null payload(i) dim(text=(const char *) 0)
		}
		{
#pragma pp feature long.null dim(other=i)
		}
	}
	return 0;
}
END
# shellcheck disable=SC2086
"$CC" -O1 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" long.c -o long -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_POLICY=exact.yaml ./long 2>err
tap_is "a long value leaves room for the others" "$(marks exact.pprec --feature long.text --by last | tr '\n' ' ')" "1 0 1 1 1 2 "
tap_is "what separates values is in none" "$(marks exact.pprec --feature long.odd)" "3 text=a?sblamer=b"
tap_is "one that is missing is left out, and a payload is one beside" "$(marks exact.pprec --feature long.null | tr '\n' ' ')" \
	"1 other=0 1 other=1 1 other=2 1 payload=0 1 payload=1 1 payload=2 "
tap_is "what has no such value is (none) where others have one" "$(marks exact.pprec --feature long.null --by other | tr '\n' ' ')" "1 0 1 1 1 2 3 (none) "

# ---- how wide lines are --------------------------------------------------------------------------------------

"$PPCTL" features --feature long.text exact.pprec >text
tap_is "a name is cut off behind 120 columns in a file" "$(sed -n 's/^ *[0-9]* ms : \(text=[abc]x*…\)  (.*/\1/p' text | wc -lL | xargs)" "3 120"
for columns in 80 120 200; do
	COLUMNS=$columns "$PPCTL" features --top 0 exact.pprec >text
	tap_is "in $columns columns no line is wider, and long names are cut" "$(($(wc -L <text) <= columns)) $(grep -c ' ms : text=[abc]x*…' text)" "1 3"
done
tap_ok "... the wider the longer" test "$(COLUMNS=200 "$PPCTL" features --feature long.text exact.pprec | wc -L)" -gt 160
mkdir -p a/folder/with/a/name/that/is/very/long/and/goes/on/and/on/and/on/and/on/and/on
cat >a/folder/with/a/name/that/is/very/long/and/goes/on/and/on/and/on/and/on/and/on/place.c <<'END'
#include <pp.h>
int main (void)
{
#pragma pp feature long.place
	return 0;
}
END
# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$PWD"/a/folder/with/a/name/that/is/very/long/and/goes/on/and/on/and/on/and/on/and/on/place.c \
	-o place -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_POLICY=exact.yaml ./place 2>err
tap_has "of a place the end stays" "$(COLUMNS=80 "$PPCTL" features exact.pprec)" ' ms : …[a-z/]*/place\.c:4'

# ---- no payload: the place is one ------------------------------------------------------------------------------

# markers, and calls that become none: of a name that is no literal, or that end elsewhere
cat >calls_c.c <<'END'
#include <pp.h>
static void finish (const char *name) { pp_feature_end (name); }
int main (void)
{
	const char *volatile name = "lib.one";
	pp_feature_begin (name, NULL); pp_feature_end (name);
	pp_feature_begin ("lib.two", NULL); finish ("lib.two");
	pp_feature_begin ("lib.three", NULL); pp_feature_end ("lib.three");
	pp_feature_begin ("lib.three", NULL); pp_feature_end ("lib.three");
	return 0;
}
END
# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" calls_c.c -o calls_c -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
PP_POLICY=exact.yaml ./calls_c 2>err
tap_is "a call whose payload is NULL has its own file and line, whether it becomes a marker or not" \
	"$("$PPCTL" features exact.pprec | sed -n 's/.* ms : \(.*\)  ([0-9]* mark.*/\1/p' | LC_ALL=C sort | xargs)" "calls_c.c:6 calls_c.c:7 calls_c.c:8 calls_c.c:9"
[ $tap_failed -eq 0 ] || sed 's/^/# /' err said
tap_done
