#!/bin/bash
# SPDX-License-Identifier: MIT
# main_job.sh: the samples under their policies: what they expect is checked, what is violated is told, the knob turns, frames get faster, quality comes back.
# Directions are asserted, not times.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${builddir:-$PWD}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

# ok STATUS NAME: one test point
ok ()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

skip ()
{
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# holds 'AWK CONDITION' NAME, over the arrays of the frames
frames ()
{
	awk '/^frame / { k++; s[k] = $4; a[k] = $6 } END { '"$1"' }' "$dir/out"
	ok $? "$2"
}

ray_tracer ()
{
	local raytracer=$builddir/samples/raytracer/raytracer limit
	if [ ! -x "$raytracer" ]; then
		skip "the ray tracer minds its frame time" "it is not built here (libpng)"
		return
	fi
	limit=$(env -u PP_POLICY "$raytracer" --probe --size 64x48 | sed -n 's/^limit_ms //p')
	[ -n "$limit" ]
	ok $? "the ray tracer says which limit suits the machine"
	{
		sed "s/400ms/${limit}ms/g" "$srcdir/samples/raytracer/policy.yaml"
		echo "record: {file: \"$dir/film.pprec\"}"
	} >"$dir/policy.yaml"
	PP_POLICY=$dir/policy.yaml "$raytracer" --size 64x48 --out "$dir/film" --sheet "$dir/sheet.png" >"$dir/out" 2>"$dir/err"
	ok $? "it draws its film under the policy"
	sed 's/^/# /' "$dir/out"
	[ "$(find "$dir/film" -name 'frame-*.png' | wc -l)" = 20 ]
	ok $? "and leaves twenty pictures"
	# five by four of 32x24, four pixels between them
	[ "$(od -An -tu1 -j16 -N8 "$dir/sheet.png" | tr -s ' ')" = " 0 0 0 184 0 0 0 116" ]
	ok $? "and a sheet of all of them"
	! grep -q 'warning: assertion frame_roomy' "$dir/err"
	ok $? "that there is room is no warning"
	frames 'exit !(k == 20)' "and tells what each frame took"
	grep -q 'frame_slow fired' "$dir/err"
	ok $? "frames that are too slow make the assertion fire"
	# the knob is turned by the library's thread while the next frame is drawn: it counts for that or the one after
	frames 'for (i = 1; i < k; i++) for (j = i + 1; j <= k && j <= i + 2; j++) if (s[i] * 1000 > '"$limit"' && a[j] < a[i]) exit 0; exit 1' \
		"after a slow frame the knob goes down"
	frames 'for (i = 1; i <= k; i++) for (j = i + 1; j <= k; j++) if (s[i] * 1000 > '"$limit"' && a[j] < a[i] && s[j] < s[i]) exit 0; exit 1' \
		"a frame after the step is faster than the one that was too slow"
	# room is a frame in half of the limit, and the next one, too; beside other work there may be none from some frame on
	frames 'for (i = 1; i <= k; i++) most = a[i] > most ? a[i] : most
		for (i = 1; i < k - 2; i++)
			if (a[i] < most && s[i] * 2000 < '"$limit"' && s[i + 1] * 2000 < '"$limit"') { room++; up += a[i + 1] > a[i] || a[i + 2] > a[i] }
		exit room && !up' \
		"when there is room the knob goes up again"
	# what has been nothing so far has no ratio
	grep 's  assertion slow_pixel fired at .*trace_pixel/i1.*captured' "$dir/err" >"$dir/slow"
	grep -q 'shadow_rays [0-9]' "$dir/slow" && grep -q 'intersections [0-9.e+]* ([0-9.e+]* on average so far)' "$dir/slow" &&
		! grep -qE '[^a-z](nan|inf)[^a-z]' "$dir/slow"
	ok $? "a slow pixel is told with what else was high, in finite figures"
	if [ -x "${PPCTL:-}" ]; then
		"$PPCTL" report --all "$dir/film.pprec" >"$dir/report"
		ok $? "the recording is reported on"
		grep -q 'trace_pixel/i1' "$dir/report" && grep -q 'slow_pixel' "$dir/report" && grep -q 'antialias' "$dir/report"
		ok $? "with the site, the assertion and the knob"
		! grep -qiE '\b(nan|inf)\b' "$dir/report"
		ok $? "and no figure that is none"
	fi
}

server ()
{
	local server=$builddir/samples/server_loop/server_loop
	env -u PP_POLICY "$server" 400 >"$dir/out" 2>"$dir/err"
	ok $? "the server loop serves its clients without a policy"
	grep -q '^requests *400$' "$dir/out" && grep -q '^connections .* in 400 samples$' "$dir/out"
	ok $? "each request is a sample of its point"
	grep -q 'the last 100 of 400 requests$' "$dir/out"
	ok $? "the window of a hundred is full, the count says all"
	grep -q '^page faults .* in 100 samples$' "$dir/out"
	ok $? "page faults are measured for the hundred requests for which they are bound"
	! grep -qi 'nan' "$dir/out"
	ok $? "every figure is one, or the machine lacks it and says so"
	PP_POLICY=$srcdir/samples/server_loop/policy.yaml "$server" 400 >"$dir/out" 2>"$dir/err"
	ok $? "it serves them under its policy"
	grep -q 'slow_request is violated: .*faults [0-9.e+]* (' "$dir/err"
	ok $? "slow requests are told with their page faults"
}

ray_tracer
server
echo "1..$n"
