#!/bin/bash
# SPDX-License-Identifier: MIT
# own_names.sh: a program whose own functions and variables are called as the library's, or as what
# the plugin makes: it is compiled, and calls its own.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
libraries="-L$LIBPP -Wl,-rpath,$LIBPP -lpp"
levels=(-O0 -O2 "-O2 -flto" "-O2 -g -fplugin-arg-ppgcc-calls")
[ -z "${SANITIZER:-}" ] || levels=(-O2)

cat >uses.h <<'C'
struct printer { int column; };
#ifdef __cplusplus
extern "C" {
#endif
int pp_begin (struct printer *p), pp_end (struct printer *p);
int pp_point (const char *text);
int pp_point_int (const char *text, int n);
void pp_feature_begin (const char *name, const char *text);
void pp_antimark_begin (const char *name);
extern int pp_records, pp_estimates, pp_module;
int printed (void);
#ifdef __cplusplus
}
#endif
C
cat >makes.c <<'C'
#include "uses.h"
static int prints;
int pp_records = 5, pp_estimates = 6, pp_module = 11;
int pp_begin (struct printer *p) { return p->column = 7; }
int pp_end (struct printer *p) { return p->column--; }
int pp_point (const char *text) { return prints += text[0]; }
int pp_point_int (const char *text, int n) { return prints += text[0] + n; }
void pp_feature_begin (const char *name, const char *text) { prints += name[0] + text[0]; }
void pp_antimark_begin (const char *name) { prints += name[0]; }
int printed (void) { return prints; }
C
cat >uses.c <<'C'
#include "uses.h"
#include <stdio.h>
static int pp_sites = 4, pp_scope = 9, pp_value = 1, pp_enabled = 2;
static const char pp_rules[] = "rules", pp_guards[] = "guards";
static int work (int n)
{
	struct printer p = {n};
#pragma pp interval work
	int x = pp_begin (&p);
	x += pp_point ("hello");
	x += pp_point_int ("hello", n);
	pp_feature_begin ("a.b", pp_rules);
	pp_antimark_begin ("c");
	return x + pp_end (&p) + pp_sites + pp_scope + pp_value + pp_enabled + pp_guards[0];
}
int main (void)
{
	printf ("%d %d %d\n", work (3), printed (), pp_records + pp_estimates + pp_module);
	return 0;
}
C
cp uses.c uses.cc
for source in uses.c uses.cc; do
	compiler=$CC
	[ "$source" = uses.c ] || compiler=$CXX
	$CC -w -c makes.c -o plain.o && $compiler -w "$source" plain.o -o plain && ./plain >expected
	for level in "${levels[@]}"; do
		# shellcheck disable=SC2086 # lists of options
		{
			$CC -fplugin="$PPGCC" $level ${SANITIZER_FLAGS:-} -c makes.c -o makes.o &&
				$compiler -fplugin="$PPGCC" $level ${SANITIZER_FLAGS:-} "$source" makes.o -o with $libraries && ./with
		} >got 2>&1
		tap_is "$source, $level: names that the library has, too, are the program's own" "$(cat got)" "$(cat expected)"
	done
	[ -n "${SANITIZER:-}" ] || tap_is "... and it is measured" "$("$PPCTL" sites ./with | grep -c 'work/work')" 1
done
tap_done
