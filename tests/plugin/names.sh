#!/bin/bash
# SPDX-License-Identifier: MIT
# What the compiler says of names that are likely to be mistakes, and where: metrics, sites, rules for one function, knobs, the macros of <pp.h>, and sources
# that can't be read twice.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

compile () { # COMPILER ARGUMENT...
	"$1" -fplugin="$PPGCC" -I"$srcdir/include" -fno-diagnostics-show-caret "${@:2}" -S -o out.s 2>&1
}

# ---- metrics and sites
cat >bind.c <<'C'
#pragma pp metric handling interval stats(elapsed)
#pragma pp metric other interval stats(elapsed)
int n;
void f (void)
{
#pragma pp interval handling
	n++;
#pragma pp bind othr to servee
#pragma pp bind other to elsewhere
}
void g (void)
{
#pragma pp interval serve
	n++;
}
C
said=$(compile $CC bind.c)
tap_is "a bind to a metric that is nearly a declared one is warned of" "$(grep othr <<<"$said")" \
	"bind.c:8:17: warning: metric 'othr' is not declared here; did you mean 'other'?"
tap_is "a bind to a site that is nearly one of the unit's is warned of, another name may be another unit's" "$(grep 'no site' <<<"$said")" \
	"bind.c:8:25: warning: no site here is called 'servee'; did you mean 'serve'?"
tap_is "an interval called like a metric that is bound to nothing has a note" "$(grep note <<<"$said")" \
	"bind.c:6:12: note: interval 'handling' is called like a metric that is bound to nothing here; did you mean 'interval NAME(handling)'?"
sed -i 's/interval serve$/interval serve(handling)/' bind.c
tap_is "... and none where the metric is bound" "$(compile $CC bind.c | grep -c note)" 0

# ---- the macros of <pp.h>
cat >macros.c <<'C'
#include <pp.h>
PP_METRIC (m, interval, stat (elapsed))
#define AROUND(x) PP_INTERVAL (x, nosuc)
PP_METRIC (nosuch, interval, stats (elapsed))
void f (void)
{
	PP_INTERVAL (i,
		nosuc)
	AROUND (j)
	PP_POINT_VALUE (v, missing + 1)
}
C
said=$(compile $CC macros.c)
tap_is "errors in macros of <pp.h> are told where they are used first" "$(grep -E 'error|warning' <<<"$said")" \
"macros.c:2:1: error: unknown accumulator 'stat'; did you mean 'stats'?
macros.c:7:9: warning: metric 'nosuc' is not declared here; did you mean 'nosuch'?
macros.c:3:19: warning: metric 'nosuc' is not declared here; did you mean 'nosuch'?
macros.c:10:9: error: 'missing' undeclared (first use in this function)"
tap_is "... and nothing of the header is shown" "$(grep -c pp_pragmas <<<"$said")" 0

# ---- knobs
cat >knobs.c <<'C'
#include <pp.h>
enum { LOW = 1, HIGH = 5 };
PP_KNOB_INT (fits, 3, LOW, HIGH, 1)
PP_KNOB_INT (negative, sizeof (int), -1, 8, 1)
PP_KNOB_DOUBLE (share, 0.5, 0, 1, .1)
PP_KNOB_ENUM (way, 1, (box, linear))
static void tell (int64_t value) { (void) value; }
static void tell_double (double value) { (void) value; }
PP_KNOB_INT (told, 3, LOW, HIGH, 1, tell)
PP_KNOB_DOUBLE (told_share, 0.5, 0, 1, .1, tell_double)
PP_KNOB_ENUM (told_way, 1, (box, linear), tell)
#ifdef BAD
PP_KNOB_INT (a, 9, LOW, HIGH, 1)
PP_KNOB_DOUBLE (b, 1.5, 0, 1, .1)
PP_KNOB_ENUM (c, 2, (box, linear))
PP_KNOB_INT (d, 3, 5, 1, 1)
PP_KNOB_INT (e, 3, 1, 5, 0)
PP_KNOB_INT (j, 3, 1, 5)
PP_KNOB_DOUBLE (k, 3, 1, 5)
PP_KNOB_INT (f, 9, LOW, HIGH, 1, tell)
PP_KNOB_DOUBLE (g, 1.5, 0, 1, .1, tell_double)
PP_KNOB_ENUM (h, 2, (box, linear), tell)
#endif
#ifdef BARE
PP_KNOB_ENUM (i, 1, box, linear)
#endif
C
for compiler in "$CC" "$CC -x c++ -std=c++11"; do
	for plugin in "" "-fplugin=$PPGCC"; do
		how="$([[ $compiler == *c++* ]] && echo C++ || echo C) ${plugin:+with the plugin}"
		# shellcheck disable=SC2086
		tap_is "$how: knobs within their range are fine" "$($compiler $plugin -Wall -Wextra -Werror -I"$srcdir/include" -S -o out.s knobs.c 2>&1)" ""
		# shellcheck disable=SC2086
		tap_is "$how: one that is not is an error that says so" "$($compiler $plugin -DBAD -I"$srcdir/include" -fno-diagnostics-show-caret -S -o out.s knobs.c 2>&1 |
			sed -n 's/.*error: static assertion failed: "*\(knob [^"]*\)"*$/\1/p')" \
"knob a: its initial value 9 is not in its range, LOW to HIGH
knob b: its initial value 1.5 is not in its range, 0 to 1
knob c: its initial value 2 is not in its range, that of a word, from 0: box, linear
knob d: its range 5 to 1 is empty
knob d: its initial value 3 is not in its range, 5 to 1
knob e: its step is missing, or not more than 0
knob j: its step is missing, or not more than 0
knob k: its step is missing, or not more than 0
knob f: its initial value 9 is not in its range, LOW to HIGH
knob g: its initial value 1.5 is not in its range, 0 to 1
knob h: its initial value 2 is not in its range, that of a word, from 0: box, linear"
		# shellcheck disable=SC2086
		tap_has "$how: words without parentheses are an error that names what is missing" \
			"$($compiler $plugin -DBARE -I"$srcdir/include" -S -o out.s knobs.c 2>&1)" 'WORDS_IN_PARENTHESES'
	done
done

# ---- sources that can't be read twice
cat >piped.c <<'C'
#pragma pp metric handling interval stats(elapsed)
int n;
void f (int x)
{
	if (x)
#pragma pp interval serve
		n++;
}
void g (void)
{
#pragma pp expect fast: handling.avg <= 20ms
#pragma pp interval linux(handling)
	n++;
}
C
tap_is "a source on standard input is checked as a file is" "$(compile $CC -x c - <piped.c | sed 's/<stdin>/piped.c/g')" "$(compile $CC piped.c)"
tap_is "... from a pipe, too" "$(cat piped.c | compile $CC -x c - | grep -c "would be the whole body of 'if'")" 1
sed -i 's/if (x)/;/' piped.c
compile $CC piped.c >log && mv out.s file.s
cat piped.c | compile $CC -x c - >>log
grep '\.string' file.s | grep -v piped.c >file.texts
grep '\.string' out.s | grep -v '<stdin>' >pipe.texts
tap_ok "what expectations and sites say there is kept as it is written" diff file.texts pipe.texts
tap_has "... times with their units" "$(cat pipe.texts)" 'handling.avg <= 20ms'

# ---- rules that choose nothing
cat >ruled.c <<'C'
int puts (const char *);
int n;
void solve (int x) { for (int i = 0; i < x; i++) n++; puts ("a"); }
void tiny (void) { n++; }
void spared (void) { n++; }
C
cat >rules.yaml <<'Y'
version: 1
functions:
  - {function: solve, min_size: 1}
  - {function: solv}
  - {function: absent}
  - {function: tiny}
  - {function: "none*"}
  - {function: elsewhere, file: "other.c"}
loops:
  - {function: spared}
calls:
  - {callee: putz}
exclude:
  - {function: spared}
Y
rules=-fplugin-arg-ppgcc-instrument=rules.yaml
tap_is "a rule for one function that chooses nothing has a note, with why; patterns and rules for other files have none" "$(compile $CC $rules ruled.c | sed 's/has [0-9]* st/has N st/')" \
"rules.yaml:4:5: note: this rule chooses nothing here: no function 'solv' is defined; did you mean 'solve'?
rules.yaml:5:5: note: this rule chooses nothing here: no function 'absent' is defined
rules.yaml:6:5: note: this rule chooses nothing here: 'tiny' is left alone: it has N statements, fewer than 20
rules.yaml:10:5: note: this rule chooses nothing here: 'spared' is left alone: it is excluded
rules.yaml:12:5: note: this rule chooses nothing here: no function 'putz' is called; did you mean 'puts'?"
tap_is "-fplugin-arg-ppgcc-Wno-pp-rules silences them" "$(compile $CC $rules -fplugin-arg-ppgcc-Wno-pp-rules ruled.c)" ""
tap_is "... and so does -w" "$(compile $CC $rules -w ruled.c)" ""
tap_done
