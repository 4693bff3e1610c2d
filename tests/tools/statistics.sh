#!/bin/bash
# SPDX-License-Identifier: MIT
# statistics.sh: the tables in docs/statistics.md are what ppctl statistics prints, table by table and whole.
. "$srcdir/tests/tools/tap.sh"

page=$(< "$srcdir/docs/statistics.md")
"$PPCTL" statistics --markdown > statistics.out
tap_result $? "ppctl statistics prints the library's list"
"$PPCTL" statistics > plain.out
tap_is "for people it fits a terminal of 80 columns, without Markdown" "$(awk 'length > 80 || /[|`]/' plain.out | grep -v '|x|')" ""
number=0
table=
while IFS= read -r line || [[ -n $line ]]; do
	if [[ -n $line ]]; then
		table+=$line$'\n'
		continue
	fi
	[[ $page == *"$table"* ]]
	tap_result $? "the page has table $((++number)) as it is"
	table=
done < <(cat statistics.out; echo)
[[ $number == 3 ]]
tap_result $? "... of three"
for wrong in "statistics nothing" "statistics --nothing"; do
	# shellcheck disable=SC2086
	"$PPCTL" $wrong > /dev/null 2>&1
	[[ $? == 2 ]]
	tap_result $? "ppctl $wrong is refused"
done
rm -f statistics.out
tap_done
