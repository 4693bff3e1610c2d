#!/bin/bash
# SPDX-License-Identifier: MIT
# modes.sh: the ray tracer gives up a rendering mode when too many pixels are slow, and its recording says what else was high at each threshold.
. "$srcdir/tests/tools/tap.sh"
tap_one_thread "the ray tracer gives up a mode"
tap_dir
raytracer=$builddir/samples/raytracer/raytracer
if [ ! -x "$raytracer" ]; then
	tap_skip "the ray tracer gives up a mode" "built without libpng"
	tap_done
fi
cd "$tap_dir" || exit 99
# by processor time: a pixel during which another process had the processor is slow for no reason of its own
sed 's/interval: elapsed/interval: cpu_time/' "$srcdir/samples/raytracer/modes.yaml" >modes.yaml
tap_has "processor time is what is measured here" "$(cat modes.yaml)" 'pixel_time: .*cpu_time'
PP_POLICY=modes.yaml "$raytracer" --frames=8 --size=96x72 --threads=2 --quiet >out 2>err
tap_is "the ray tracer draws its film" $? 0
tap_has "too many slow pixels are told" "$(cat err)" 'error: too many slow pixels: mirrors are not followed any more'
report=$("$PPCTL" report --all raytracer.*.pprec)
tap_has "the knob has switched the mode off" "$report" 'reflections: 1 at first, .* turned [12] times?'
tap_has "the assertion on the share of the last second has fired" "$report" '; error; .*fired [1-9]'
for threshold in 1.05 1.25 1.5 2 3; do
	tap_has "what else was high at $threshold times the average" "$report" "^ +$threshold +[0-9]+ +[0-9.]+ %( +([-+][0-9.]+ % \([-+][0-9.]+ to [-+][0-9.]+\)|none|time|-)){2}\$"
done
# pixels that are slow have more to intersect, and those that are slower have more still
excess () {
	awk -v threshold="$1" '$1 == threshold && $3 ~ /^[0-9.]+$/ { print $(NF - 4) + 0 }' <<<"$report"
}
tap_ok "slow pixels intersect more than others" awk "BEGIN { exit !($(excess 1.25) > 0) }"
tap_ok "the slowest ones still more" awk "BEGIN { exit !($(excess 3) > $(excess 1.25)) }"
if command -v gnuplot >/dev/null; then
	tap_ok "figure.sh draws that" "$srcdir/samples/raytracer/figure.sh" raytracer.*.pprec figure.svg
	tap_is "with a curve for each metric, of eight points" "$(grep -c 'shadow_rays\|intersections' figure.svg) $(grep -c "xlink:href='#gpPt6'" figure.svg)" "4 18"
else
	tap_skip "figure.sh draws that" "gnuplot is missing"
fi
tap_done
