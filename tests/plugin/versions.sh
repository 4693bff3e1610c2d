#!/bin/bash
# SPDX-License-Identifier: MIT
# One ppgcc.so serves each compiler that configure found, wherever it is linked to; and says which it serves to others.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C
printf '%s\n' 'int n;' 'void f (void) {' '#pragma pp interval i' 'n++; }' >one.c

sites () { # COMPILER PLUGIN
	rm -f one.s
	"$1" -fplugin="$2" -O2 -S one.c -o one.s && grep -c '__pp_sites' one.s >/dev/null
}

while read -r name cc _; do
	tap_ok "$name compiles with the one ppgcc.so" sites "$cc" "$PPGCC"
	mkdir -p linked && ln -sf "$(readlink -f "$PPGCC")" linked/ppgcc.so
	tap_ok "... by a link in another folder" sites "$cc" linked/ppgcc.so
done < <(echo "$PP_GCCS$PP_CROSS_GCCS" | tr ';' '\n' | grep '[^ ]')

# beside it is a plugin for another version alone; whether one is installed elsewhere is up to the machine
mkdir -p lonely
cp "$(readlink -f "$PPGCC")" lonely/ppgcc.so
machine=$($CC -dumpmachine) version=$($CC -dumpfullversion)
cp "$(dirname "$(readlink -f "$PPGCC")")/ppgcc-$machine-$version.so" "lonely/ppgcc-$machine-99.1.0.so"
if sites "$CC" lonely/ppgcc.so 2>said; then
	tap_skip "a compiler without a plugin is told which there are" "one is installed"
else
	tap_has "a compiler without a plugin is told so, and which there are" "$(cat said)" \
		"error: ppgcc has no plugin for this compiler, gcc $version for $machine; there are (.*, )?gcc 99.1.0 for $machine"
	tap_has "... and how to get one" "$(cat said)" "gcc-${version%%.*}-plugin-dev"
	tap_is "... without a word of symbols" "$(grep -c 'undefined symbol' said)" 0
fi
cp "lonely/ppgcc-$machine-99.1.0.so" "lonely/ppgcc-$machine-$version.so"
tap_ok "the plugin beside it is loaded" sites "$CC" lonely/ppgcc.so
echo "no library" >"lonely/ppgcc-$machine-$version.so"
sites "$CC" lonely/ppgcc.so 2>said
tap_has "one that cannot be loaded is told with the reason" "$(cat said)" "cannot be loaded: [^ ]*lonely/ppgcc-$machine-$version.so: [a-zA-Z ]+"
tap_is "ppgcc.so wants nothing of GCC" "$(nm -D --undefined-only "$PPGCC" | awk '$1 == "U" { print $2 }' | grep -v '@GLIBC')" ""
tap_is "... and shows nothing but its two entry points" "$(nm -D --defined-only "$PPGCC" | awk '{ print $3 }' | sort | tr '\n' ' ')" "plugin_init plugin_is_GPL_compatible "
tap_done
