#!/bin/bash
# SPDX-License-Identifier: MIT
# clocks.sh: elapsed by the tick counter and by CLOCK_MONOTONIC: each sample lies between what the kernel's clock says inside and outside.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99

cat >clocks.c <<'C'
#include <pp.h>
#include <stdio.h>
#include <time.h>
#pragma pp metric plain interval bounded_series(elapsed, size=1000)
#pragma pp metric alone interval stats(elapsed)
#pragma pp metric called interval stats(elapsed)
#pragma pp metric sampled interval sumcount(elapsed)
#pragma pp metric points point stats(value)
#pragma pp metric often point scalar(value)

static double now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static double nap (void)
{
	double before = now ();
	struct timespec t = {0, 1000000};

	nanosleep (&t, NULL);
	return now () - before;
}

static double with_plain (void)
{
	double inside;
#pragma pp interval plain_site(plain)
	inside = nap ();
	return inside;
}

static double with_alone (void)
{
	double inside;
#pragma pp interval alone_site(alone)
	inside = nap ();
#pragma pp point point_site(points, often) value(3)
	return inside;
}

/* no literal: not lowered to a marker */
static const char *volatile call_site = "call_site";

static double with_call (void)
{
	double inside;

	pp_begin (call_site);
	inside = nap ();
	pp_end (call_site);
	return inside;
}

static double with_sample (void)
{
	double inside;
#pragma pp sample_begin sampled
	inside = nap ();
#pragma pp sample_end sampled
	return inside;
}

static void test (const char *name, const pp_metric *m, double (*measured) (void))
{
	double inside = 0, outside = 0;

	for (int i = 0; i < 50; i++) {
		double before = now ();

		inside += measured ();
		outside += now () - before;
	}
	/* the counter's rate is known to a thousandth at least */
	printf ("%s %d\n", name, pp_count (m) == 50 && pp_sum (m) >= inside * 0.999 && pp_sum (m) <= outside * 1.001);
}

int main (void)
{
	char text[300];

	test ("series", plain, with_plain);
	test ("stats", alone, with_alone);
	with_call ();
	pp_bind (called, "call_site", 1);
	test ("call", called, with_call);
	test ("sample", sampled, with_sample);
	printf ("points %g %g\n", pp_sum (points), pp_last (often));
	pp_available ("elapsed", text, sizeof text);
	puts (text);
	return 0;
}
C
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" clocks.c -o clocks -L"$LIBPP" -lpp -lm -Wl,-rpath,"$LIBPP" >log 2>&1 ||
	{ tap_show log "$(cat log)"; exit 99; }
good="series 1
stats 1
call 1
sample 1
points 150 3"
for clock in "" tsc monotonic; do
	out=$(PP_CLOCK=$clock ./clocks 2>&1)
	tap_is "elapsed agrees with the kernel's clock (PP_CLOCK=$clock)" "$(grep -v 'tick counter' <<<"$out")" "$good"
done
tap_has "pp_available says by which clock" "$out" 'here by CLOCK_MONOTONIC: PP_CLOCK=monotonic asks for it'
tap_has "a clock that does not exist is told and ignored" "$(PP_CLOCK=hourglass ./clocks 2>&1)" 'PP_CLOCK=hourglass is neither tsc nor monotonic'
tap_has "ppctl sources measures that clock too" "$(PP_CLOCK=monotonic "$PPCTL" sources elapsed)" '^elapsed .* a (system call|call of the vDSO) '
tap_done
