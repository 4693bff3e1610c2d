#!/bin/bash
# SPDX-License-Identifier: MIT
# keys.sh: the tables of docs/policy.md have a row for each key of a policy (assertions/language/grammar_keys.h), and for nothing else.
. "$srcdir/tests/tools/tap.sh"
tap_dir

# PLACE, a tab, KEY: what the table says, but for words of later versions and what has no place
awk '
	/@@/ {
		n = split ($0, line, "@@")
		for (l = 2; l <= n; l++) {
			m = split (line[l], part, "`")
			for (i = 1; i <= m; i++) gsub (/^[ \t"]+|[ \t"]+$/, "", part[i])
			if (part[1] == "map") place = part[3]
			if (part[1] == "key" && part[3] != "later" && place != "") print place "\t" part[2]
		}
	}' "$builddir/assertions/language/policy.grammar" | sort -u >"$tap_dir/table"
cut -f 1 "$tap_dir/table" | uniq >"$tap_dir/places"

# The same of a page: keys in the first column of a table under a heading; and in the second column those of the map that is a value, {a, b: C}
keys_of () { # PAGE
	awk -F '|' '
		/^#/ { heading = $0; wanted = 0; next }
		!/^\|/ { wanted = 0; next }
		$2 == " key " || $2 == " action " { wanted = 1; next }
		!wanted || /^\| --- / { next }
		{
			n = split ($2, name, "`")
			for (i = 2; i <= n; i += 2) print heading "\t" name[i]
			n = split ($3, value, "`")
			for (i = 2; i <= n; i += 2) {
				if (value[i] !~ /^\{|: /) continue
				gsub (/[{}]/, "", value[i])
				m = split (value[i], inner, ", *")
				for (k = 1; k <= m; k++) {
					sub (/:.*/, "", inner[k])
					print heading ": " name[2] "\t" inner[k]
				}
			}
		}' "$1" | sort -u
}

differences () { # PAGE PLACE
	diff <(awk -F '\t' -v place="$2" '$1 == place { print $2 }' "$tap_dir/table") \
		<(keys_of "$1" | awk -F '\t' -v place="$2" '$1 == place { print $2 }') | sed -n 's/^</missing:/p; s/^>/no key:/p'
}

while IFS= read -r place; do
	tap_is "${place##*# } has the keys that there are" "$(differences "$srcdir/docs/policy.md" "$place")" ""
done <"$tap_dir/places"
[[ $(wc -l <"$tap_dir/places") -ge 18 ]]
tap_result $? "all maps that have keys are looked at"

sed '/^| `cooldown` /d; s/^| `quiet` /| `silent` /; s/until: clear/till: clear/' "$srcdir/docs/policy.md" >"$tap_dir/wrong.md"
tap_is "a row that lacks, and one too many, would be seen" "$(differences "$tap_dir/wrong.md" "### An assertion" | paste -sd' ')" \
	"missing: cooldown missing: quiet no key: silent"
tap_is "so would a key in a row of its map" "$(differences "$tap_dir/wrong.md" "### Actions: bind" | paste -sd' ')" "missing: until no key: till"
tap_done
