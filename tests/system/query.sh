#!/bin/bash
# SPDX-License-Identifier: MIT
# query.sh: what ppctl query and ppctl trace say of the events of samples/attributes is what the program counted itself, and what is published.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
attributes=$builddir/samples/attributes/attributes
ppctl=$builddir/ppctl/ppctl

for program in value optimise names obfuscate obfuscate_less remove_class load; do
	sed "s/attributes.%p/$program/" "$srcdir/samples/attributes/policy.yaml" >policy.yaml
	PP_POLICY=policy.yaml timeout 60 "$attributes" $program >$program.out 2>$program.err ||
		tap_is "$program runs" "$(cat $program.err)" ""
done

# rows FILE QUERY [OPTION...]: "COUNT VALUE" of each row of the last dimension, sorted
rows () {
	local file=$1 query=$2
	shift 2
	"$ppctl" query --csv "$@" "$file.pprec" "$query" | tr -d '"\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "total_ns") dims = i - 2; if ($i == "count") count = i } next }
		$1 == dims { print $(1 + dims) "=" $count }' | sort | tr '\n' ' '
}

tap_is "the tables of 3 + 4 * 5 have the published headings, rows and counts" \
	"$("$ppctl" query value.pprec name cached | awk '/^By/ || /iszero$|value$|true$|false$/ { print (/^By/ ? $0 : $7 " " $8 " " $9) }')" \
	"By name:
1 14.3 iszero
6 85.7 value
By cached for iszero:
1 14.3 false
By cached for value:
5 71.4 false
1 14.3 true"
tap_has "total and profiled time and the records stand above them" "$("$ppctl" query value.pprec "name cached" | head -3 | tr '\n' ' ')" \
	'^[0-9]+ ms total time [0-9]+ ms profiled time \([0-9.]+%\) 7 profile records $'
tap_is "rewriting is counted as it is published" "$(rows optimise strategy)" "all=14 bottomup=13 optimise=1 simplify=14 "
tap_is "names are looked up as often as is published" \
	"$(rows names "name where name ~ '*ookup' or name = 'decl' or name = 'tipe' or name = 'unknownDecl'")" \
	"decl=28 localLookup=19 lookup=32 remoteLookup=7 tipe=20 unknownDecl=18 "
tap_is "and at nodes of six types" "$(rows names "event name type where name = 'lookup'")" \
	"AssignStmt=4 Block=5 ClassDecl=4 Dot=3 Use=12 VarDecl=4 "
tap_has "whose table says of what it is" "$("$ppctl" query names.pprec event name type)" '^By type for AttrEval and lookup:$'
tap_is "strategies are applied as often as is published" "$(rows obfuscate "strategy where event = 'StratEval'")" \
	"<+=75 all=150 attempt=150 id=127 obfuscateDecl=75 obfuscateDecls=1 obfuscateNormalUse=71 obfuscateProgram=1 obfuscateUses=1 preservePredefinedUse=75 result=150 "
tap_has "in the table that the paper shows" "$("$ppctl" query obfuscate.pprec "event name subject")" '^By subject for StratEval and obfuscateNormalUse:$'
tap_is "ten uses are renamed, and no use of int" \
	"$(rows obfuscate "subject where strategy = 'obfuscateNormalUse' and type = 'Use'")" \
	"Use(ALongClassName)=1 Use(NestedClass)=1 Use(avar)=2 Use(bvar)=2 Use(item)=2 Use(object)=2 "
tap_is "what is known at an event's end is a dimension, too" "$(rows obfuscate "strategy result where strategy = 'obfuscateNormalUse'")" "failure=61 success=10 "
tap_is "which is all that the better rule does" "$(rows obfuscate_less "strategy where strategy = 'obfuscateNormalUse'")" "obfuscateNormalUse=10 "
tap_is "an attempt that goes on shows" "$(rows remove_class strategy)" "all=58 attempt=58 id=57 removeClass=58 topdown=58 "
tap_is "a recording of 33,620 evaluations has what the program counted" \
	"$("$ppctl" query --csv load.pprec name type cached | tr -d '"\r' | awk -F, '$1 == 3 { print "AttrEval", $2, $3, $4, $(NF - 1) }' | sort)" \
	"$(grep ^AttrEval load.out | sort)"

# ---- derived dimensions, columns, formats ------------------------------------------------------------------------

tap_is "location tells roots from leaves" "$(rows value location)" "inner=2 leaf=3 root=2 "
tap_is "depends-on tells what is used" "$(rows value "depends-on(name)")" "=4 value=3 "
# of_iszero QUERY: its only value
of_iszero () {
	"$ppctl" query --csv value.pprec "$1 where name = 'iszero'" | tail -1 | cut -d'"' -f2
}
tap_is "dependencies tells what is used by that, too" "$(of_iszero "depends-on(type)"): $(of_iszero "dependencies(type)")" "Add: Add, Mul, Num"
"$ppctl" query --dot value.pprec name >value.dot
tap_is "a graph has a node for each value, and edges with counts" "$(sed 's/, self.*%//; s/^\t//' value.dot | sort)" \
	'digraph dependencies {
n1 -> n1 [label="4"]
n1 [label="value\n6 records"]
n2 -> n1 [label="1"]
n2 [label="iszero\n1 record"]
node [shape=box]
}'
tap_is "and with a condition those that were chosen, and what ran inside them" \
	"$("$ppctl" query --dot value.pprec "name type where name = 'iszero'" | grep -c label=)" 8
if command -v dot >/dev/null; then
	"$ppctl" query --dot names.pprec name type | dot -Tplain >names.plain 2>err
	tap_is "Graphviz draws it" "$(cat err) $(grep -c ^node names.plain) $(awk '/^edge/ { n++ } END { print (n > 10) }' names.plain)" \
		" $("$ppctl" query --csv names.pprec name type | grep -c '^2,') 1"
else
	tap_skip "Graphviz draws it" "there is no dot"
fi
tap_is "parent and root are the records around" "$(rows value "parent.name where root.name = 'iszero'")" "=1 iszero=1 value=4 "
tap_is "a dimension of one's own is an expression" "$(rows names "deep" --define "deep = depth >= 4" | grep -o 'false=\|true=' | tr '\n' ' ')" "false= true= "
tap_is "hashes tell terms apart as their texts do" "$(rows value "hash(subject)" | wc -w)" "$(rows value subject | wc -w)"
tap_has "a statistic is a column" "$("$ppctl" query --stat p99 --stat "max(depth)" value.pprec name | grep value$)" '6 +85.7 +[0-9.]+ .?s +3( |$).*value$'
tap_has "a count is of texts, too" "$("$ppctl" query --stat "count(cached)" --stat "max(cached)" value.pprec name | grep value$)" '6 +85.7 +6 +- +value$'
tap_is "a number is a condition as in C" "$(rows value "name where depth") $(rows value "name where not depth") $(rows value "name where not depth / 2 and 1")" \
	"$(rows value "name where depth > 0") $(rows value "name where depth = 0") $(rows value "name where depth = 0")"
tap_has "rows are limited, and it is said how many are not there" "$("$ppctl" query --limit 1 --sort count names.pprec name)" '^\.\.\. and [0-9]+ more, of [0-9]+ records$'
if "$ppctl" query --json value.pprec name cached >value.json 2>err; then
	tap_is "JSON says the same" "$(python3 -c '
import json
d = json.load(open("value.json"))
print(d["records"], [(t["by"], [f["value"] for f in t["for"]], [(r["value"], r["count"]) for r in t["rows"]]) for t in d["tables"]])')" \
		"7 [('name', [], [('iszero', 1), ('value', 6)]), ('cached', ['iszero'], [('false', 1)]), ('cached', ['value'], [('false', 5), ('true', 1)])]"
else
	tap_has "JSON says the same" "$(cat err)" "built without JSON"
fi

# ---- one by one --------------------------------------------------------------------------------------------------

tap_is "a trace has the records by their begins, nested" \
	"$("$ppctl" trace value.pprec name subject | sed 1d | sed 's/.*AttrEval/AttrEval/' | head -3)" \
	'AttrEval name="iszero" subject="Add"
AttrEval name="value" subject="Add"
AttrEval name="value" subject="Num(3)"'
tap_is "and those only for which the condition holds" "$("$ppctl" trace value.pprec where "cached = 'true'" | sed 1d | wc -l)" 1
tap_has "a limit leaves the first, and says how many are not there" "$("$ppctl" trace --limit 2 value.pprec)" '^\.\.\. and 5 more'
"$ppctl" trace --chrome obfuscate.pprec >trace.json
tap_is "viewers get all of them as JSON" "$(python3 -c '
import json
d = json.load(open("trace.json"))["traceEvents"]
print(sum(e["ph"] == "X" for e in d), sum(e.get("args", {}).get("strategy") == "id" for e in d), d[-1]["name"])')" \
	"$(awk '/Eval/ { n += $5 } END { print n }' obfuscate.out) 127 process_name"

# ---- the shell ---------------------------------------------------------------------------------------------------

tap_is "the shell answers line by line, and goes on behind what is wrong" \
	"$(printf '%s\n' "cached where nam = 'x'" "define big = depth > 1" "stat max(depth)" "sort valu" "sort value" big "trace name where big" quit name |
		"$ppctl" shell value.pprec | awk '/^no |^column|^there/ || /true$|false$/ { print (/^[a-z]/ ? $0 : $7 " " $NF) } /AttrEval/ { n++ } END { print n }')" \
	"column 14 of 'cached where nam = 'x'': no record has a dimension 'nam'; did you mean 'name'?
there is no 'valu'; did you mean 'value'? There are total, self, desc, count, value, max(depth)
3 false
4 true
4"
if "$ppctl" shell value.pprec </dev/null >/dev/null 2>&1 && grep -q "^#define HAVE_LIBEDIT 1" "$builddir/config.h"; then
	timeout 60 python3 - "$ppctl" >shell.out 2>shell.err <<'END'
import os, pty, select, sys

pid, fd = pty.fork ()
if pid == 0:
    os.environ["TERM"] = "xterm"
    # libedit keeps the names of functions that were added to it
    os.environ["ASAN_OPTIONS"] = os.environ.get ("ASAN_OPTIONS", "") + ":detect_leaks=0"
    os.execv (sys.argv[1], [sys.argv[1], "shell", "value.pprec"])

seen = b""
def until (text):
    global seen
    while text not in seen:
        if not select.select ([fd], [], [], 20)[0]:
            sys.exit ("no '%s' in %r" % (text.decode (), seen))
        seen += os.read (fd, 4096)
    seen = seen[seen.index (text) + len (text):]

until (b"> ")
# a dimension and its value, of which the table tells; and that line once more
os.write (fd, b"cac\twhere name = 'is\t\n")
until (b"14.3  false")
until (b"> ")
os.write (fd, b"\x10\n")
until (b"14.3  false")
os.write (fd, b"quit\n")
print (os.waitpid (pid, 0)[1])
END
	tap_is "on a terminal it completes dimensions and values, and has a history" "$(cat shell.err shell.out)" 0
else
	tap_skip "on a terminal it completes dimensions and values, and has a history" "ppctl was built without libedit"
fi

# ---- SQL ---------------------------------------------------------------------------------------------------------

# sql FILE STATEMENTS: as CSV, without quotes
sql () {
	"$ppctl" sql --csv "$1.pprec" "$2" | tr -d '"\r'
}
if "$ppctl" sql value.pprec "select 1" 2>&1 | grep -q "built without SQL"; then
	tap_has "SQL is missing, and it is said what has to be installed" "$("$ppctl" sql value.pprec "select 1" 2>&1)" "libsqlite3-dev"
else
	tap_is "records are rows of SQL, and dimensions columns" "$(sql value "select name, cached, count(*) from records group by 1, 2")" \
		"name,cached,count(*)
iszero,false,1
value,false,5
value,true,1"
	tap_is "a record knows the one around it" \
		"$(sql value "with p as materialized (select id, name from records) select r.depth, r.name, p.name from records r left join p on p.id = r.parent order by r.begin, r.depth")" \
		"depth,name,name
0,iszero,
1,value,iszero
2,value,value
2,value,value
3,value,value
3,value,value
0,value,"
	tap_is "its own time is what ppctl query has" \
		"$(sql load "select round (sum(self)) from records where name = 'lookup'" | tail -1)" \
		"$("$ppctl" query --csv load.pprec name | tr -d '"\r' | awk -F, '$2 == "lookup" { printf "%.1f", int ($5 + 0.5) }')"
	tap_is "sites are rows, that records name" "$(sql value "select s.own_name, s.kind, count(*) from records r join sites s on s.id = r.site group by 1, 2" | tail -1)" \
		"AttrEval,interval,7"
	tap_is "what happened is the history" "$(sql value "select kind, text from history" | tail -1)" "policy,loaded"
	tap_is "statements follow each other, and may keep what they found" \
		"$(sql obfuscate "create temp table t as select strategy from records; select count(*) from t where strategy = 'id'" | tail -1)" 127
	tap_is "two go through the records at a time" "$(sql value "select count(*) from records a, records b" | tail -1)" 49
	tap_is "which ends early where no more is wanted" "$(sql load "select count(*) from (select * from records limit 5)" | tail -1)" 5
	tap_is "a table is for people" "$("$ppctl" sql value.pprec "select name, count(*) as n from records group by 1 order by n")" \
		"name    n
iszero  1
value   6"
	tap_is "a line of JSON has columns and rows, and what is missing is null" "$("$ppctl" sql --json value.pprec "select name, parameter from records limit 1" | python3 -c '
import json, sys
print(json.load(sys.stdin))')" "{'columns': ['name', 'parameter'], 'rows': [['value', None]]}"
	tap_has "what is no column is told with its place" "$("$ppctl" sql value.pprec "select nam from records" 2>&1)" "^ppctl sql: value.pprec: column 8: no such column: nam$"
fi

# ---- what is wrong -----------------------------------------------------------------------------------------------

# wrong SENTENCE PATTERN STATUS COMMAND...
wrong () {
	local sentence=$1 pattern=$2 status=$3 is
	shift 3
	"$ppctl" "$@" >out 2>err
	is=$?
	tap_has "$sentence" "$is $(cat err) $(cat out)" "^$status $pattern"
}
wrong "an unknown dimension is told with what may be meant" "ppctl query: column 6 of 'name cachd': no record has a dimension 'cachd'; did you mean 'cached'\?" 2 query value.pprec name cachd
wrong "a name that is like none is told without a guess: a text may be meant" \
	"ppctl query: column 19 of 'name where name = foo': no record has a dimension 'foo'; a text stands in quotes: 'foo'" 2 query value.pprec "name where name = foo"
wrong "and so is a text without quotes" "ppctl query: value.pprec: no record has a dimension 'iszero'; a text stands in quotes: 'iszero'" 1 query value.pprec "name where name = iszero"
wrong "a condition that is none is told with its place" "ppctl query: column 18 of 'name where name =': a value is missing at the end" 2 query value.pprec "name where name ="
wrong "a value of a text is no dimension" "ppctl query: value.pprec: no record has a dimension 'iszero'" 1 query value.pprec iszero
wrong "a column that is none is told" "ppctl query: --stat: 'p98' is no statistic" 2 query --stat p98 value.pprec name
wrong "an order that is none is told" "ppctl query: --sort: there is no 'selv'; did you mean 'self'\?" 2 query --sort selv value.pprec name
wrong "... with those that there are" "ppctl query: --sort: there is no 'foo'; there are total, self, desc, count, value, p99" 2 query --stat p99 --sort foo value.pprec name
wrong "a unit that is none is told with those that there are" "ppctl query: --unit: there is no 'h'; there are s, ms, us, ns" 2 query --unit h value.pprec name
wrong "a recording is needed" "ppctl query: it needs a recording" 2 query
wrong "a file that is none is told" "ppctl query: .*policy.yaml" 1 query policy.yaml name
printf 'version: 1\nrecord: {file: none.pprec}\n' >policy.yaml
PP_POLICY=policy.yaml "$attributes" value >/dev/null 2>&1
if ! "$ppctl" sql value.pprec "select 1" 2>&1 | grep -q "built without SQL"; then
	wrong "and so does SQL" "ppctl sql: none.pprec: .*events" 1 sql none.pprec "select * from records"
fi
wrong "a recording without events says how to get them" "ppctl trace: none.pprec: .*events" 1 trace none.pprec
tap_done
