#!/bin/bash
# SPDX-License-Identifier: MIT
# install.sh: a user's way: make install, then a program of one file built with nothing but what was installed.
. "$srcdir/tests/tools/tap.sh"
tap_dir
root=$tap_dir/root
unset MAKEFLAGS MFLAGS

install_tree () {
	make -C "$builddir" --no-print-directory install prefix="$root" gccplugindir="$root/lib/gcc-plugin"
}
tap_ok "make install" install_tree

# what -fplugin names, and beside it a plugin for each compiler that configure found
plugins=$(echo "$PP_GCCS$PP_CROSS_GCCS" | tr ';' '\n' | while read -r name cc _; do
	[ -z "$name" ] || echo "ppgcc-$($cc -dumpmachine)-$($cc -dumpfullversion).so"
done)
# shellcheck disable=SC2086 # a list
tap_is "every compiler's plugin is installed" "$(cd "$root/lib/gcc-plugin" && echo *)" "$(printf '%s\n' $plugins ppgcc.so | sort | paste -sd' ')"

cat >"$tap_dir/loop.c" <<'C'
#include <pp.h>
#include <stdio.h>

#pragma pp metric laps point sumcount(value)

int main (void)
{
	for (volatile int i = 1; i <= 10; i++) {
#pragma pp point lap(laps) value(i)
	}
	printf ("%g laps, sum %g\n", pp_count (laps), pp_sum (laps));
	return 0;
}
C

# pkg-config reads the .pc file as it would be with this prefix
export PKG_CONFIG_PATH=$root/lib/pkgconfig
query () {
	pkg-config --define-variable=prefix="$root" "$@" pp
}
plugin="-fplugin=$root/lib/gcc-plugin/ppgcc.so"

build () { # OUTPUT OPTION...
	local out=$1
	shift
	# shellcheck disable=SC2046,SC2086 # lists
	$CC -O2 $plugin $(query --cflags) "$tap_dir/loop.c" -o "$out" "$@"
}

all_compile () {
	echo "$PP_GCCS$PP_CROSS_GCCS" | tr ';' '\n' | while read -r name cc _; do
		# shellcheck disable=SC2046,SC2086 # lists
		[ -z "$name" ] || $cc $plugin $(query --cflags) -c "$tap_dir/loop.c" -o "$tap_dir/$name.o" || exit 1
	done
}
tap_ok "every compiler loads its plugin through the installed ppgcc.so" all_compile
tap_ok "pkg-config finds pp" query --exists
# shellcheck disable=SC2046 # a list
tap_ok "a program builds with the shared library" build "$tap_dir/shared" $(query --libs)
tap_is "and measures itself" "$(LD_LIBRARY_PATH=$root/lib "$tap_dir/shared")" "10 laps, sum 55"
# shellcheck disable=SC2046 # a list
tap_ok "a program builds without any shared library" build "$tap_dir/static" -static $(query --static --libs)
tap_is "and needs none" "$(readelf -dW "$tap_dir/static" | grep -c NEEDED)" 0
tap_is "and measures itself too" "$("$tap_dir/static")" "10 laps, sum 55"
tap_ok "the installed ppctl runs" "$root/bin/ppctl" --help
tap_ok "the schema of policies is installed" test -s "$root/share/ppgcc/policy.schema.json"
tap_ok "and that of reports" test -s "$root/share/ppgcc/report.schema.json"
tap_ok "and that of features" test -s "$root/share/ppgcc/features.schema.json"
tap_is "the man pages are there" "$(cd "$root/share/man" && echo man*/*)" "man1/ppctl.1 man1/ppgcc.1 man3/pp.3 man3/pprec.3 man5/pp_instrument.5 man5/pp_policy.5"
tap_done
