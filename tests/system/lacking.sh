#!/bin/bash
# SPDX-License-Identifier: MIT
# lacking.sh: metrics whose source this machine lacks: fallbacks, optional ones, what is told of them. No machine has the event that is named here.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99

cat >lacking.c <<'C'
#include <math.h>
#include <pp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#pragma pp metric work interval stats(papi:PAPI_NO_SUCH_EVENT, optional, fallback=papi:NOR_THIS_ONE, fallback=minor_faults)
#pragma pp metric weight interval sumcount(papi:PAPI_NO_SUCH_EVENT, fallback=constant:2.5)
#pragma pp metric lost interval stats(papi:PAPI_NO_SUCH_EVENT)
#pragma pp metric there interval stats(minor_faults, fallback=major_faults)

static void touch (void)
{
	size_t bytes = 100 * (size_t) sysconf (_SC_PAGESIZE);
	volatile char *memory = mmap (0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void) madvise ((void *) memory, bytes, MADV_NOHUGEPAGE);
	{
#pragma pp interval touch(work, weight, lost, there)
		for (size_t i = 0; i < bytes; i += (size_t) sysconf (_SC_PAGESIZE))
			memory[i] = 1;
	}
	munmap ((void *) memory, bytes);
}

static void say (const char *name)
{
	char text[300];
	int answer = pp_available (name, text, sizeof text);

	printf ("%s: %d: %s\n", name, answer, text);
}

int main (void)
{
	for (int i = 0; i < 10; i++)
		touch ();
	printf ("work %d, both alike %d, weight %g, lost %d\n", pp_sum (work) >= 1000, pp_sum (work) == pp_sum (there), pp_sum (weight),
		isnan (pp_avg (lost)) && isnan (pp_count (lost)));
	say ("work");
	say ("lost");
	say ("there");
	say ("elapsed");
	say ("papi:PAPI_NO_SUCH_EVENT");
	say ("papi");
	say ("constant:x");
	say ("nowhere");
	printf ("%d %d %d\n", pp_available ("elapsed", NULL, 0), pp_available (NULL, NULL, 0), pp_available ("", NULL, 0));
	printf ("%d\n", pp_metric_new (NULL, "bad", "interval stats(minor_faults, fallback=cpu_time)"));
	printf ("%d\n", pp_metric_new (NULL, "worse", "interval stats(minor_faults, fallback=major_falts)"));
	printf ("%d\n", pp_metric_new (NULL, "again", "interval stats(minor_faults, fallback=major_faults, every=2)"));
	printf ("%d\n", pp_metric_new (NULL, "again", "interval stats(minor_faults, every=2)"));
	return 0;
}
C
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" lacking.c -o lacking -L"$LIBPP" -lpp -lm -Wl,-rpath,"$LIBPP" >log 2>&1 ||
	{ tap_show log "$(cat log)"; exit 99; }
cat >lacking.yaml <<'Y'
version: 1
metrics:
  missed:   {interval: "papi:PAPI_NO_SUCH_EVENT", keep: stats}
  unmissed: {interval: "papi:PAPI_NO_SUCH_EVENT", keep: stats, optional: true}
  replaced: {interval: "papi:PAPI_NO_SUCH_EVENT", keep: stats, fallback: ["papi:NOR_THIS_ONE", page_faults]}
bind:
  - {metric: replaced, sites: ["touch/*"]}
  - {metric: unmissed, sites: ["touch/*"]}
assertions:
  never: {at: touch/touch, expect: unmissed.last <= 1}
  often: {at: touch/touch, expect: replaced.last >= 100}
  both: {at: touch/touch, expect: unmissed.last <= 1 or replaced.last < 0}
record: {file: lacking.pprec}
Y
out=$(PP_POLICY=lacking.yaml ./lacking 2>err)
tap_is "the first fallback that there is counts, and what nothing stands for is NaN" "$(head -1 <<<"$out")" "work 1, both alike 1, weight 25, lost 1"
tap_has "pp_available says which source is in use, and why" "$out" '^work: 1: minor_faults, instead of papi:PAPI_NO_SUCH_EVENT: .*PAPI'
tap_has "pp_available says why a metric is not available" "$out" '^lost: 0: .*PAPI'
tap_has "a fallback that is not needed is not used" "$out" '^there: 1: minor_faults$'
tap_has "pp_available knows sources" "$out" '^elapsed: 1: .*time'
tap_has "pp_available knows why this machine lacks a source" "$out" '^papi:PAPI_NO_SUCH_EVENT: 0: .*PAPI'
tap_has "pp_available asks for the argument of a source" "$out" '^papi: -1: .*papi:EVENT'
tap_has "pp_available says what is wrong with an argument" "$out" '^constant:x: -1: .*constant:3'
tap_has "pp_available does not know everything" "$out" '^nowhere: -2: there is no metric "nowhere"'
tap_has "pp_available needs no room for words, but a name" "$out" '^1 -1 -1$'
tap_is "a fallback in another unit, or that does not exist, is an error; one that differs is another declaration" "$(tail -4 <<<"$out" | tr '\n' ' ')" "-1 -1 0 -6 "
tap_has "the units are named" "$(cat err)" '"cpu_time" of metric "bad" is in seconds, but its source "minor_faults" in plain counts'
tap_has "a fallback that does not exist: what was meant" "$(cat err)" 'unknown source "major_falts" of metric "worse"; did you mean "major_faults"'
tap_has "a policy's metric that can't be measured is warned of" "$(cat err)" "lacking.yaml:3:.*warning: 'missed' can't be measured here: "
tap_is "an optional one is not, nor one with a fallback" "$(grep -c 'unmissed\|replaced' err)" 0
report=$("$PPCTL" report --all lacking.pprec)
tap_has "the report says what is in use" "$report" '^replaced: stats of page_faults, instead of papi:PAPI_NO_SUCH_EVENT: '
tap_has "an assertion on what is missing is unknown" "$(grep -A3 '^  never: ' <<<"$report")" '0 checks: .*unknown'
tap_has "and is so at the start, and at each of ten executions in which something else that it reads was sampled" "$(grep -A3 '^  both: ' <<<"$report")" '0 checks: .*11 unknown'
tap_has "assertions on a fallback hold" "$report" '10 checks: 10 held'
tap_done
