#!/bin/bash
# SPDX-License-Identifier: MIT
# values.sh: booleans are true and false, and numbers of 64 bits without a sign have none, wherever a dimension is shown: of pragmas, calls, spans
# and features, in C and C++; as conditions booleans are 1 and 0 as well.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
here=$srcdir/tests/system/events

printf 'version: 1\nevents: {records: [captured, called, spanned, "mixed*"], aggregate: [{by: [cached, top], sites: captured}], flight: 256}\nrecord: {file: v.pprec, overwrite: true}\n' >values.yaml
printf 'version: 1\nprofile: {features: exact}\nrecord: {file: f.pprec, overwrite: true}\n' >features.yaml

top=1844674407370955161
trace="called cached=false top=${top}5 small=12 now=false ended=true
called cached=true top=${top}4 small=12 now=false ended=true
captured cached=false odd=false size=0 top=${top}5 late=false rest=${top}5
captured cached=true odd=true size=1 top=${top}4 late=true rest=${top}4
mixed mix=1
mixed mix=2
mixed_too mix=false
mixed_too mix=true
spanned (span) top=${top}5 good=false
spanned (span) top=${top}5 good=true"

for language in c cc; do
	compiler=$CC
	[ $language = c ] || compiler=$CXX
	# shellcheck disable=SC2086
	"$compiler" -O2 -g -w $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" "$here/values.$language" -o values -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
	PP_POLICY=values.yaml timeout 60 ./values 2>err
	tap_is "$language: a program has them" $? 0
	tap_is "$language: in traces" "$("$PPCTL" trace v.pprec | sed -n 's/^ *[0-9.]* *[0-9.]* [mnuµ]*s *[0-9]* *//p' | grep -v "${top}[23]" | sort -u)" "$trace"
	tap_is "$language: in the flight recorder" "$("$PPCTL" flight v.pprec | grep -c "captured cached=true odd=true size=[13] top=${top}[24] late=true rest=${top}[24]")" 2
done

# counts WHAT [OPTION...]: the values of the table's rows, with how many they are
counts () {
	"$PPCTL" query --csv "${@:2}" v.pprec "$1" | tr -d '\r' | awk -F, 'NR > 1 { printf "%s:%s ", $2, $(NF - 1) }'
}
tap_is "in tables" "$(counts cached | tr ' ' '\n' | sort | tr '\n' ' ')" ":8 false:4 true:4 "
for condition in "cached = true" "cached = 1" cached "cached != false" "not cached = 0"; do
	tap_is "... chosen by $condition" "$(counts "cached where $condition")" "true:4 "
done
tap_is "of one key a boolean here and a number there are two values, and both are 1" "$(counts "mix where mix = 1 and mix = true" | tr ' ' '\n' | sort | tr '\n' ' ')" "1:1 true:1 "
tap_is "numbers from 2^63 on are compared as what they are" "$(counts "top where top > 9223372036854775807 and top = ${top}4")" "${top}4:2 "
tap_is "... with others, too" "$(counts "small where small = 12 and top > small and not top < -1" | tr ' ' '\n' | sort -u | tr '\n' ' ')" "12:4 "
tap_is "groups that were counted while the program ran" "$(counts "cached" --aggregate | tr ' ' '\n' | sort | tr '\n' ' ')" "false:2 true:2 "
tap_is "... by large numbers" "$(counts "top" --aggregate | tr ' ' '\n' | sort | tr '\n' ' ')" "${top}2:1 ${top}3:1 ${top}4:1 ${top}5:1 "
tap_is "... in the report" "$("$PPCTL" report --all v.pprec | grep -c "^  \(true\|false\)  *${top}[2-5] ")" 4
"$PPCTL" trace --chrome v.pprec >chrome.json
tap_has "for viewers" "$(cat chrome.json)" "\"cached\": *true.*\"top\": *${top}[0-9]"
"$PPCTL" trace --perfetto -o v.perfetto v.pprec >/dev/null
tap_ok "... in Perfetto's format" test -s v.perfetto
if "$PPCTL" query --json v.pprec cached >json 2>/dev/null && grep -q '^{' json; then
	tap_is "in JSON" "$(grep -o '"value": [a-z]*' json | sort | tr '\n' ' ')" '"value": false "value": true '
	tap_has "... where large numbers are exact" "$("$PPCTL" query --json v.pprec top)" "\"value\": \"${top}4\""
else
	tap_skip "in JSON" "no jansson"
	tap_skip "... where large numbers are exact" "no jansson"
fi
if "$PPCTL" sql v.pprec "select 1" >/dev/null 2>&1; then
	tap_is "in SQL a boolean is a boolean" "$("$PPCTL" sql --csv v.pprec "select cached, count(*) from records where cached = true group by cached" | tail -n 1 | tr -d '\r')" "true,4"
	tap_has "... in JSON, too" "$("$PPCTL" sql --json v.pprec "select cached from records order by cached" | tr -d '\n')" '\[null\].*\[false\].*\[true\]'
	tap_is "... and what has numbers as well is numbers" "$("$PPCTL" sql --csv v.pprec "select distinct mix from records where mix = 1" | tail -n 1 | tr -d '\r')" "1"
	tap_is "... large numbers are exact, and above others" "$("$PPCTL" sql --csv v.pprec "select top, count(*) from records where top > 9e18 group by top order by top limit 1" | tail -n 1 | tr -d '\r')" "\"${top}2\",2"
else
	for what in "in SQL a boolean is a boolean" "... in JSON, too" "... and what has numbers as well is numbers" "... large numbers are exact, and above others"; do
		tap_skip "$what" "no SQLite"
	done
fi
tap_has "the shell has them" "$(printf 'cached where cached = true\n' | "$PPCTL" shell v.pprec)" ' true'
if [ -n "$PPGCC_FLAGS" ]; then
	tap_has "a site's table says what they are" "$("$PPCTL" sites values)" 'dimensions cached \(boolean\), odd \(boolean\), size \(unsigned\), top \(unsigned\)'
fi

# ---- places in the source ----------------------------------------------------------------------------------------

cat >here.h <<'END'
#include <pp.h>
static __attribute__ ((noinline)) void called (const char *from)
{
#pragma pp interval called dim(from = from, here = PP_HERE)
	__asm__ volatile ("");
#pragma pp dim inside = PP_HERE
}
int main (void)
{
	int64_t id = pp_event_begin ("event", PP_DIM ("at", PP_HERE));
	called (PP_HERE);
	pp_dim ("middle", PP_HERE);
	return pp_event_end (id, PP_DIM ("end", PP_HERE));
}
END
printf 'version: 1\nevents: {records: "**"}\nrecord: {file: here.pprec, overwrite: true}\n' >here.yaml
for language in c c++; do
	compiler=$CC
	[ $language = c ] || compiler=$CXX
	# shellcheck disable=SC2086
	"$compiler" -x $language -O2 -g -Wall -Wextra -pedantic -Werror $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" here.h -o here -L"$LIBPP" -lpp \
		-Wl,-rpath,"$LIBPP" || exit 99
	PP_POLICY=here.yaml timeout 60 ./here 2>err
	tap_is "$language: PP_HERE is a place" "$("$PPCTL" trace here.pprec | sed -n 's/.*\(called\|event\) /\1 /p')" 'event at="here.h:10" middle="here.h:12" end="here.h:13"
called from="here.h:11" here="here.h:4" inside="here.h:6"'
done

# ---- payloads ----------------------------------------------------------------------------------------------------

PP_POLICY=features.yaml timeout 60 ./values 2>err
tap_has "payloads of features have them" "$("$PPCTL" features f.pprec)" "fast=true, size=${top}[24]"
if "$PPCTL" features --json f.pprec >json 2>/dev/null && grep -q '^{' json; then
	tap_has "... in JSON, too" "$(cat json)" '"fast": *true'
else
	tap_skip "... in JSON, too" "no jansson"
fi
tap_done
