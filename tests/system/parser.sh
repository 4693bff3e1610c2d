#!/bin/bash
# SPDX-License-Identifier: MIT
# parser.sh: the records of samples/parser say how often a backtracking parser reads tokens again, and under which rules; counts follow from its grammar.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
parser=$builddir/samples/parser/parser
ppctl=$builddir/ppctl/ppctl

# parse NAME GRAMMAR TEXT: NAME.out, NAME.pprec
parse () {
	sed "s/parser.%p/$1/" "$srcdir/samples/parser/policy.yaml" >policy.yaml
	PP_POLICY=policy.yaml timeout 60 "$parser" "$2" "$3" >"$1.out" 2>"$1.err"
}
# count NAME QUERY: "VALUE COUNT" of each row of the last dimension, sorted
count () {
	"$ppctl" query --csv "$1.pprec" "$2" | tr -d '"\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "total_ns") dims = i - 2; if ($i == "count") count = i } next }
		$1 == dims { line = $2; for (i = 3; i <= dims + 1; i++) line = line " " $i; print line, $count }' | sort
}


is=
wanted=
for n in 0 1 2 3 4; do
	open=$(printf '%*s' $n '' | tr ' ' '(') close=$(printf '%*s' $n '' | tr ' ' ')')
	parse back$n backtracking "a = ${open}1$close;"
	is="$is$(count back$n "token where event = 'token' and token = '1'");"
	wanted="${wanted}1 $((4 ** (n + 1)));"
done
tap_is "a number in N pairs of parentheses is read 4^(N+1) times" "$is" "$wanted"
# with N pairs there are 1 + 4 + ... + 4^N expressions, each with 2 terms, each with 2 factors
tap_is "rules are applied as often as their alternatives say" "$(count back3 "rule result where event = 'rule'")" \
	"assignment fits 1
expression fits 85
factor fits 340
statement fits 1
term fits 170"
parse fact factored "a = (((1)));"
tap_is "in the other grammar once for each pair" "$(count fact "rule where event = 'rule'")" \
	"expression 4
factor 4
statement 1
term 4"
tap_is "where the number is read once" "$(count fact "token read where event = 'token' and token = '1'")" "1 first 1"

text="a = ((1)) + b; f (x * 2); int y; g (c);"
parse mixed backtracking "$text"
tap_is "a program of all kinds of statements is parsed" "$? $(cat mixed.err | grep -v '^pp: ')" "0 "
tap_is "each rule was applied and failed as the parser counted" \
	"$(count mixed "rule result where event = 'rule'" | awk '{ n[$1] += $3; if ($2 == "fails") failed[$1] += $3 } END { for (r in n) print "rule", r, n[r], failed[r] + 0 }' | sort)" \
	"$(grep ^rule mixed.out | sort)"
tap_is "and each token was read and read again" \
	"$(count mixed "place token read where event = 'token'" | awk '{ key = $1 ":" $2; n[key] += $4; if ($3 == "again") again[key] += $4 } END { for (k in n) print "token", k, n[k], again[k] + 0 }' | sort)" \
	"$(grep ^token mixed.out | sort)"
tap_is "a token is read for the first time once" "$(count mixed "read where event = 'token'" | grep first)" "first $(grep -c ^token mixed.out)"
# a statement that is a declaration was tried as an assignment and a call: it is read again by those that failed
tap_is "what was tried in vain has its place" "$(count mixed "place where rule = 'declaration'")" "17 1"
tap_is "a statement of three kinds depends on all of them" \
	"$("$ppctl" query --csv mixed.pprec "depends-on(rule) where rule = 'statement' and place = 17" | sed -n '2s/",.*/"/p')" \
	'1,"assignment, call, declaration"'
parse wrong backtracking "a = ;"
tap_is "what is no statement is told" "$? $(grep -v '^pp: ' wrong.err)" "1 parser: what is at token 2 is no statement"
tap_is "and is in the records" "$(count wrong "rule result where event = 'rule' and rule = 'statement'")" "statement fails 1"
tap_done
