#!/bin/bash
# SPDX-License-Identifier: MIT
# attributes.sh: the programs of samples/attributes evaluate and rewrite as often as it is known that they do, as they count themselves.
. "$srcdir/tests/tools/tap.sh"
attributes=$builddir/samples/attributes/attributes

# counts PROGRAM EVENT FIELD: "NAME=COUNT ..." of that event, by the words in FIELD of a line, sorted
counts () {
	"$attributes" "$1" | awk -v event="$2" -v field="$3" '
		$1 == event { n[$field] += $NF }
		END { for (k in n) print k "=" n[k] }' | LC_ALL=C sort | tr '\n' ' '
}

tap_is "3 + 4 * 5 is no zero, and it is 23" "$("$attributes" value | head -2)" "iszero false
value 23"
tap_is "iszero is evaluated once, value once a node and once from the cache" \
	"$("$attributes" value | awk '/Eval/ { n[$2 " " $4] += $5 } END { print n["iszero false"], n["value false"], n["value true"] }')" "1 5 1"
tap_is "optimise makes (5 + 4)" "$("$attributes" optimise | head -1)" "(5 + 4)"
tap_is "each term is simplified once" "$(counts optimise StratEval 2)" "all=14 bottomup=13 optimise=1 simplify=14 "

tap_is "one use in the nested classes is unknown" "$("$attributes" names | grep -v Eval)" "unknown name: Use(y)"
tap_is "names are looked up as often as is published" "$(counts names AttrEval 2 | grep -oE '(decl|lookup|localLookup|unknownDecl|remoteLookup|tipe)=[0-9]+' | tr '\n' ' ')" \
	"decl=28 localLookup=19 lookup=32 remoteLookup=7 tipe=20 unknownDecl=18 "
tap_is "and at nodes of six types" "$("$attributes" names | awk '$2 == "lookup" { n[$3] += $5 } END { for (k in n) print k "=" n[k] }' | LC_ALL=C sort | tr '\n' ' ')" \
	"AssignStmt=4 Block=5 ClassDecl=4 Dot=3 Use=12 VarDecl=4 "
tap_is "an environment leads to the same declarations" "$("$attributes" environment | head -1)" "7 of 7 uses refer to the same declaration"

tap_is "strategies are applied as often as is published" "$(counts obfuscate StratEval 2)" \
	"<+=75 all=150 attempt=150 id=127 obfuscateDecl=75 obfuscateDecls=1 obfuscateNormalUse=71 obfuscateProgram=1 obfuscateUses=1 preservePredefinedUse=75 result=150 "
tap_is "declarations and uses have their new names" "$("$attributes" obfuscate | sed -n '/^{/,/^}/p' | tr -d '\n' | tr -s ' ')" \
	"{ class n0 { int n1; int n2; class n3 { int n4; n1 = n4; } n3 n5; n5.n4 = n2; } class n6 { int n7; n0 n8; n7 = n8.n2; }}"
tap_has "a rule that asks first is tried at ten uses only" "$(counts obfuscate_less StratEval 2)" "obfuscateNormalUse=10 "
tap_is "both make the same program" "$("$attributes" obfuscate_less | grep -v Eval)" "$("$attributes" obfuscate | grep -v Eval)"
tap_is "a class is removed once, at one of 58 terms" "$(counts remove_class StratEval 2)" "all=58 attempt=58 id=57 removeClass=58 topdown=58 "
tap_is "without the attempt one application fails" "$("$attributes" remove_class_wrong)" "it failed
StratEval removeClass Program false 1
StratEval topdown Program false 1"
tap_is "the load has as many nodes and evaluations as a compiler's tests" "$("$attributes" load | awk '/nodes/ { print } /Eval/ { n += $5 } END { print n }')" "5981 nodes
33620"
tap_is "programs one after the other are as they are alone" "$("$attributes" names value)" "$("$attributes" names
"$attributes" value)"
tap_done
