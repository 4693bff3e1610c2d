#!/bin/bash
# SPDX-License-Identifier: MIT
# plugins.sh: dimensions, formatters and sections of one's own in C, as ppctl loads them (pp_analysis.h); and traces for Perfetto.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C.UTF-8
ppctl=$builddir/ppctl/ppctl
attributes=$builddir/samples/attributes/attributes
samples=$builddir/samples/features
here=$srcdir/tests/system/plugins

# object SOURCE OUT [OPTION...]
object () {
	local source=$1 out=$2
	shift 2
	# shellcheck disable=SC2086
	"$CC" -std=gnu11 -O1 -w $SANITIZER_FLAGS "$@" -I"$srcdir/include" -shared -fPIC "$here/$source" -o "$out" || exit 99
}
object tree.c tree.so
for program in value load; do
	sed "s/attributes.%p/$program/" "$srcdir/samples/attributes/policy.yaml" >policy.yaml
	PP_POLICY=policy.yaml timeout 60 "$attributes" $program >$program.out 2>$program.err ||
		tap_is "$program runs" "$(cat $program.err)" ""
done

# rows QUERY: "VALUE=COUNT" of each, sorted
rows () {
	"$ppctl" query --csv --plugin tree.so value.pprec "$@" | tr -d '"\r' | sed '1d; s/^1,//' | awk -F, '{ print $1 "=" $(NF - 1) }' | sort | tr '\n' ' '
}

tap_is "a dimension sees the record and what is around it" "$(rows "key = label where name = 'iszero'")" "iszero=1 "
tap_is "one of all records is there for each" "$("$ppctl" query --csv --plugin tree.so value.pprec label | sed 1d | cut -d'"' -f2 | sort | tr '\n' ' ')" \
	"iszero, outermost value, iszero value, outermost value, value "
tap_is "one sees what ran inside" "$(rows height)" "0=4 1=1 2=1 3=1 "
tap_is "by its begin, whichever order it comes in" "$("$ppctl" query --csv --plugin tree.so value.pprec children | sed 1d | cut -d'"' -f2 | sort | tr '\n' ',')" \
	",Add,Num(3) Mul,Num(4) Num(5),"
tap_is "it may use another one, and expressions" "$(rows twice)" "0=4 2=1 4=1 6=1 "
tap_is "own times are known where descendants are" "$(rows fits) $(rows early)" "fits=7  =7 "
sed "s/parser.%p/deep/" "$srcdir/samples/parser/policy.yaml" >policy.yaml
PP_POLICY=policy.yaml "$builddir/samples/parser/parser" factored "a = $(printf '%100s1%100s' '' '' | tr ' ' '(' | sed 's/1(*$/1/')$(printf '%100s' '' | tr ' ' ')');" >deep.out 2>deep.err
tap_is "the records around one stay what they are, however many they are" \
	"$("$ppctl" query --csv --plugin tree.so deep.pprec around | sed 1d | awk -F, '{ print $2, $NF != "" }') $("$ppctl" query --csv --stat "max(depth)" deep.pprec event | awk -F, 'NR > 1 && $NF > 250 { n++ } END { print n }')" \
	"-1 1 2"
tap_is "such dimensions are part of expressions" "$(rows "x = height * 10 + depth where parent.height = 1 or height > 2")" "30=1 3=2 "
tap_is "a record is looked at as if the plug-in was not there: its rows are the same" \
	"$("$ppctl" query --csv --plugin tree.so load.pprec name children | grep '^1' | sed 's/^\(1,"[^"]*"\),/\1/')" \
	"$("$ppctl" query --csv load.pprec name | grep '^1')"
tap_is "values are shown by their formatters" "$("$ppctl" trace --plugin tree.so value.pprec name height parent.height children | sed '1d; s/.*AttrEval/AttrEval/' | sed -n '1p; 4p' | tr -d '"')" \
	"AttrEval name=iszero! height=3 levels children=Add
AttrEval name=value! height=1 level parent.height=2 levels children=Num(4) Num(5)"
tap_has "in tables and their headings, too" "$("$ppctl" query --plugin tree.so value.pprec height name)" '^By name for 3 levels:$'
tap_has "and in graphs" "$("$ppctl" query --dot --plugin tree.so value.pprec name)" 'label="value!.n6 records'
tap_is "the shell has them" "$(printf '%s\n' "unit ns" "height where name = 'iszero'" | "$ppctl" shell --plugin tree.so value.pprec | tail -n 1 | sed 's/.* 1 *14.3 *//')" "3 levels"
tap_is "and lists them" "$(echo dimensions | "$ppctl" shell --plugin tree.so value.pprec | grep -c '^label$\|^height$\|^name$')" 3

# ---- what is wrong is one sentence ---------------------------------------------------------------------------

mkdir -p there
cp tree.so there/tree.so
printf '# of trees\n\n  tree.so  \n' >there/list
tap_is "a file names plug-ins that lie beside it" "$("$ppctl" query --csv --plugin @there/list value.pprec height | wc -l)" \
	"$("$ppctl" query --csv --plugin tree.so value.pprec height | wc -l)"
yes tree.so | head -n 40 >there/list
tap_has "too many are refused, or the first that comes twice" "$("$ppctl" query --plugin @there/list value.pprec height 2>&1)" "--plugin: there/tree.so: "
tap_has "a file that is not there is told" "$("$ppctl" query --plugin @none value.pprec height 2>&1)" "--plugin: none: No such file"

# refused NAME SENTENCE FILE [QUERY]
refused () {
	local out
	out=$("$ppctl" query --plugin "$3" value.pprec "${4:-event}" 2>&1)
	tap_is "$1: it ends by itself" "$?" "${5:-1}"
	tap_has "$1 is told" "$out" "$2"
}
for i in 0 1 2 3 4 5 6 7 8 9; do
	object wrong.c wrong$i.so -DWRONG=$i
done
refused "another version" "wrong1.so is of version 99 of pp_analysis.h, and this is version 2: compile it again" wrong1.so
refused "a table that is too short" "wrong2.so: its table is shorter than version 1 has it" ./wrong2.so
refused "a table that says it is longer than it is" "its table is shorter" wrong3.so
refused "a symbol that is something else" "wrong4.so is of version 0" wrong4.so
refused "a name that is taken" "a dimension's name has to be a word of its own, not depth" wrong5.so
refused "a name that is there twice" "there are two dimensions one" wrong6.so
refused "a dimension without a function" "there is no function for the dimension one" wrong7.so
refused "too long a list" "has more than 64 elements" wrong8.so
refused "an object that is no plug-in" "pp_analysis_plugin is missing" wrong9.so
refused "a file that is not there" "nowhere.so: cannot open shared object file" nowhere.so
refused "a file that is no object" "file too short|invalid ELF header" "$srcdir/samples/parser/policy.yaml"
refused "a value of no type" "odd of wrong gives a value of a type that there is not" wrong0.so odd
refused "a dimension that uses itself" "circle of wrong uses itself" wrong0.so circle 2
refused "one that uses what there is not" "lost of wrong uses 'nowhere': .*no record has a dimension 'nowhere'" wrong0.so lost 2
refused "one that uses what is no expression" "this is too much" wrong0.so much 2
tap_has "two objects with one name for two things are told" "$("$ppctl" query --plugin tree.so --plugin ./tree.so value.pprec 2>&1)" "there are two dimensions label"
tap_has "without the object there is no such dimension" "$("$ppctl" query value.pprec height 2>&1)" "no record has a dimension 'height'"

# ---- features ------------------------------------------------------------------------------------------------

# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS -I"$srcdir/include" "$here/features.c" -o features -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99
for how in exact sampled; do
	printf 'version: 1\nprofile: {features: %s}\nrecord: {file: %s.pprec}\n' $how $how >$how.yaml
	PP_POLICY=$how.yaml ./features 2>err || tap_is "features runs" "$(cat err)" ""
	"$ppctl" features --plugin "$samples/contract_graph.so" --plugin "$samples/process_table.so" $how.pprec >$how.out 2>&1
	tap_is "features that are $how are shown with sections of plug-ins" "$?" 0
done
tap_is "contracts have their pairs, with how often they were checked" \
	"$(sed -n '/^Contracts between/,/^Processes/p' exact.out | sed -n 's/^ *[0-9]* ms : \(.*  (.*\)$/\1/p')" \
	"mixer -> arrays  (100 checks)
main -> mixer  (20 checks)
filter -> arrays, unchecked  (20 calls)"
tap_is "and the text of each" "$(grep -c 'ms : i < length$\|ms : numbers$\|ms : sounds$' exact.out)" 4
"$ppctl" features --plugin "$samples/contract_graph.so" --section contract-graph exact.pprec >graph.dot 2>err
tap_is "a graph has checked and unchecked edges in two colours" "$(cat err)$(grep -c color=red graph.dot) $(grep -c color=darkgreen graph.dot) $(head -n 1 graph.dot)" \
	"2 1 digraph contracts {"
tap_has "and the contract that is dearest on them" "$(cat graph.dot)" '"mixer" -> "arrays" .*label="[0-9]+ ms, [0-9.]+ %.ni < length.nand 1 more"'
if command -v dot >/dev/null; then
	tap_is "Graphviz draws it" "$(dot -Tplain graph.dot 2>&1 | grep -c ^edge)" 3
else
	tap_skip "Graphviz draws it" "there is no dot"
fi
# who stands above and below each process; a process in the sampled one may not have been seen
tap_is "processes that are sampled have their ancestry" \
	"$(sed -n '/^Processes/,$p' sampled.out | awk '/^ *[0-9.]+% +[0-9.]+% / { print above " > " $3 " " $4; next } /^   / && !/%/ && !/Total|Time|Callee/ { above = $0; gsub (/^ +/, "", above) } /^--/ { above = "" }' | sort)" \
	" > ground 
ground > listener 
listener > connection 1
listener > connection 2"
sed 's/exact.pprec/synth.pprec/' exact.yaml >synth.yaml
PP_POLICY=synth.yaml timeout 60 "$samples/synth/synth" 5 2>synth.err >synth.wav || tap_is "the synthesizer runs" "$(cat synth.err)" ""
tap_is "the synthesizer's mixer pays for its contracts with the library" \
	"$("$ppctl" features --plugin "$samples/contract_graph.so" --section contracts synth.pprec | sed -n 's/^ *[0-9]* ms : \(.*\)  (.*)$/\1/p' | head -n 1)" \
	"mixer -> array"
# edges GRAPH: "COLOUR FROM -> TO" of each
edges () {
	sed -nE 's/^\t"([^"]*)" -> "([^"]*)" \[color=([a-z]*) .*/\3 \1 -> \2/p' "$1" | LC_ALL=C sort
}
"$ppctl" features --plugin "$samples/contract_graph.so" --section contract-graph synth.pprec >synth.dot 2>err
tap_is "its graph has the boundaries that are checked, and the one that is not" "$(cat err)$(edges synth.dot)" \
	"darkgreen synth -> mixer
red drum -> array
red mixer -> array
red sequencer -> array
red wav -> array
red wave -> array"
sed 's/exact.pprec/repaired.pprec/' exact.yaml >repaired.yaml
PP_POLICY=repaired.yaml timeout 60 "$samples/synth/synth_repaired" 5 2>synth.err >synth.wav || tap_is "the repaired synthesizer runs" "$(cat synth.err)" ""
"$ppctl" features --plugin "$samples/contract_graph.so" --section contract-graph repaired.pprec >repaired.dot 2>err
tap_is "repaired, it is the other way round" "$(cat err)$(edges repaired.dot | grep mixer)" "darkgreen mixer -> array
red synth -> mixer"
tap_has "how often nobody checked is on the edge" "$(cat repaired.dot)" '"mixer" -> "array" .* style=dashed label="unchecked, 20 calls.narray_'
tap_has "a legend says what red is" "$(grep 'label=<' repaired.dot)" '<font color="red">[^<]* checked: what the contracts took'
tap_has "... and green" "$(grep 'label=<' repaired.dot)" '<font color="darkgreen">[^<]* not checked: nothing is paid'
if command -v dot >/dev/null; then
	tap_is "Graphviz draws it, with the legend" "$(dot -Tsvg synth.dot 2>&1 | grep -cE 'class="edge"|>[^<]* (not )?checked: ')" 8
else
	tap_skip "Graphviz draws it, with the legend" "there is no dot"
fi
tap_is "a section that there is not is told, and which may be meant" \
	"$("$ppctl" features --plugin "$samples/contract_graph.so" --section contract exact.pprec 2>&1 | head -n 1)" \
	"ppctl features: --section: no plug-in has a section 'contract'; did you mean 'contracts'?"
tap_has "what has no such feature says so" "$("$ppctl" features --plugin "$samples/process_table.so" --section processes "$here/../none" 2>&1)" "none"

# The process table that the literature has, from its own times
# shellcheck disable=SC2086
"$CC" -O1 -w $SANITIZER_FLAGS -I"$srcdir/include" "$here/print.c" -o print || exit 99
cat >echo.txt <<'END'
vm.task|ground|vm.c:1|0.323|1
vm.task|(tcp-listener 5999 ::1 53588)|vm.c:1|0.337|1|ground
vm.task|(tcp-listener 5999 incoming)|vm.c:1|0.105|1|ground
vm.task|tcp-driver|vm.c:1|0.096|1|ground
vm.task|6|vm.c:1|0.090|1|ground
vm.task|ground/(tcp-listener 5999 ::1 53587)|vm.c:1|0.020|1
vm.task|(tcp-listener 5999 ::1 53587)|vm.c:1|0.006|1|ground
vm.task|#:boot-process|vm.c:1|0.023|1|ground
END
tap_is "a table of processes is as it is published" "$(./print "$samples/process_table.so" processes 1 <echo.txt | head -n 15)" \
	"Processes

  Total    Self  Caller
   Time    Time    Name
                       Callee                             Local%
------------------------------------------------------------------
100.0%   32.3%    ground
                       (tcp-listener 5999 ::1 53588)       33.7%
                       (tcp-listener 5999 incoming)        10.5%
                       tcp-driver                           9.6%
                       6                                    9.0%
                       (tcp-listener 5999 ::1 53587)        2.6%
                       #:boot-process                       2.3%
------------------------------------------------------------------
                 ground"
printf '%s\n' 'vm.task|/|a|1|1' 'vm.task||a.c:1|1|1' 'vm.task|a//b|a|1|1' 'vm.task|a/|a|1|1' 'vm.task|/x|a|1|1|/' >odd.txt
tap_is "names of any kind end" "$(timeout 10 ./print "$samples/process_table.so" processes 5 <odd.txt >odd.out; echo $?)" 0
printf '%s\n' 'lib.contract|no parties|a|1|1' 'lib.contract||a|1|1' 'lib.contract| -> : |a|1|1' 'lib.contract|a "b" -> c\\d: x -> y: z|a|1|7' >odd.txt
printf '%s\n' 'lib.contract_unchecked|a -> b: x|a|3|1' 'lib.contract|a -> c: x|a|1|1' >trust.txt
tap_is "what nobody checks is no contract's time" "$(./print "$samples/contract_graph.so" contracts 4 <trust.txt | sed -n 2,3p)" \
	"account for 25.00% of total running time
1000 / 4000 ms"
tap_has "payloads that name no parties are counted" "$(./print "$samples/contract_graph.so" contracts 4 <odd.txt)" '^3 instances name no parties'
tap_has "and others are text in a graph" "$(./print "$samples/contract_graph.so" contract-graph 4 <odd.txt)" '"a ."b."" -> "c....d" .*x -> y: z'

# ---- Perfetto ------------------------------------------------------------------------------------------------

tap_is "a trace for Perfetto says how many records it has" "$("$ppctl" trace --perfetto -o load.pftrace load.pprec)" "load.pftrace: $(awk '/Eval/ { n += $5 } END { print n }' load.out) records"
python3 "$here/perfetto.py" load.pftrace >load.slices 2>err
tap_is "its slices are whole, and nest" "$(tail -n 1 err)" ""
"$ppctl" trace --chrome load.pprec >load.json
tap_is "and are those of --chrome" "$(python3 "$here/same.py" load.slices load.json)" "$(wc -l <load.slices)"
tap_is "a condition chooses" "$("$ppctl" trace --perfetto -o some.pftrace load.pprec type "where cached = 'true'" >/dev/null; python3 "$here/perfetto.py" some.pftrace | wc -l)" \
	"$("$ppctl" query --csv load.pprec cached | tr -d '"\r' | awk -F, '$2 == "true" { print $(NF - 1) }')"
tap_has "a recording is not overwritten" "$("$ppctl" trace --perfetto -o value.pprec load.pprec 2>&1)" "value.pprec is not replaced: it is a recording"
tap_has "it needs to know where to" "$("$ppctl" trace --perfetto load.pprec 2>&1)" "needs -o FILE"
tap_done
