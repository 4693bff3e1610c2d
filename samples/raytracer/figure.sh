#!/bin/bash
# SPDX-License-Identifier: MIT
# figure.sh RECORDING [FILE.svg | FILE.png]: draws what a sweep found (sweep: in modes.yaml), as figure 5.1 of the thesis: how much higher than on average each captured
# metric was when pixels were slow, over what counted as slow; and how many were. The first assertion with a sweep is drawn, by gnuplot. PPCTL is the ppctl.
#
#     PP_POLICY=modes.yaml ./raytracer && ./figure.sh raytracer.PID.pprec figure.svg
set -eu
ppctl=${PPCTL:-ppctl}
case ${1:-} in
'' | -*)
	echo "usage: figure.sh RECORDING [FILE.svg | FILE.png]" >&2
	exit 2
	;;
esac
recording=$1 out=${2:-figure.svg}
command -v gnuplot >/dev/null || {
	echo "figure.sh: gnuplot draws it, and is missing (on Debian: apt-get install gnuplot-nox)" >&2
	exit 1
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$ppctl" report --all "$recording" >"$dir/report"

# a column for the thresholds, one for the share of violations, one for each metric: in percent above its average at all checks
awk -v names="$dir/names" '
	/^    sweep of / { if (!seen++) want = 1; next }
	want == 1 && $1 == "threshold" { for (i = 4; i <= NF; i++) print $i >names; metrics = NF - 3; want = 2; next }
	want == 2 && $1 ~ /^[0-9.]+$/ {
		gsub (/%/, "")
		# "+37.0 (+31.2 to +43.1)" for each metric, or a word where nothing is claimed
		printf "%s %s", $1, $3
		for (i = 4; i <= NF; i++) {
			if ($i ~ /^\(/) i += 2
			else printf " %s", $i ~ /^[-+][0-9]/ ? $i : "NaN"
		}
		print ""
		next
	}
	want == 2 { want = 0 }
' "$dir/report" >"$dir/table"
[ -s "$dir/table" ] || {
	echo "figure.sh: $recording has no assertion with a sweep that was checked" >&2
	exit 1
}

terminal="svg size 800,500 dynamic background '#ffffff' font 'sans-serif,14'"
[ "${out%.png}" = "$out" ] || terminal="pngcairo size 800,500 font 'sans-serif,11'"
{
	echo "set terminal $terminal"
	echo "set output '$dir/figure'"
	echo "set xlabel 'slow: longer than so many times the average'"
	echo "set ylabel 'above its average, percent'"
	echo "set y2label 'slow pixels, percent'"
	echo "set ytics nomirror; set y2tics; set xrange [1:]; set yrange [*<0:]; set y2range [0:]; set border 11"
	echo "set key outside top center horizontal; set grid ytics lc rgb '#dddddd'; set offsets 0, graph 0.03, graph 0.05, 0"
	printf "plot '%s' using 1:2 axes x1y2 with linespoints dt 2 lc rgb '#999999' pt 6 title 'slow pixels (right)'" "$dir/table"
	column=3
	while read -r name; do
		printf ", '%s' using 1:%d with linespoints lw 2 pt 7 title '%s' noenhanced" "$dir/table" $column "$name"
		column=$((column + 1))
	done <"$dir/names"
	echo
} >"$dir/figure.gp"
gnuplot "$dir/figure.gp"
mv "$dir/figure" "$out"
