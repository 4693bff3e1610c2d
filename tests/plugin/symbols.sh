#!/bin/bash
# SPDX-License-Identifier: MIT
# What ppgcc.so asks of GCC is there. A front end's function is declared weak, since the other compilers lack it; so one whose signature changed
# between two versions of GCC is not missed when the plugin is loaded, but called at address 0.
. "$srcdir/tests/tools/tap.sh"
tap_dir

compilers=(cc1 cc1plus lto1)
[ -z "$GFORTRAN" ] || compilers+=(f951)

# The paths of the compilers proper
proper () { # NAME
	case $1 in
	cc1plus) $CXX -print-prog-name="$1" ;;
	f951) $GFORTRAN -print-prog-name="$1" ;;
	*) $CC -print-prog-name="$1" ;;
	esac
}

for name in "${compilers[@]}"; do
	nm -D --defined-only "$(proper "$name")" | awk '{ sub (/@.*/, "", $3); print $3 }' | sort -u >"$tap_dir/$name"
done
sort -u "$tap_dir/cc1" "$tap_dir/cc1plus" >"$tap_dir/front"

# the plugin proper, beside ppgcc.so
plugin=$(dirname "$(readlink -f "$PPGCC")")/ppgcc-$($CC -dumpmachine)-$($CC -dumpfullversion).so

# what libc has, and the loader
ldd "$plugin" | grep -o '/[^ ]*' | xargs nm -D --defined-only | awk '{ sub (/@.*/, "", $3); print $3 }' | sort -u >"$tap_dir/libraries"
nm -D --undefined-only "$plugin" | awk '{ sub (/@.*/, "", $2); print $1, $2 }' | sort -u >"$tap_dir/wanted"

# what the C++ library, which is part of the plugin, could do with
{
	printf '%s\n' __gmon_start__ __cxa_finalize _ITM_registerTMCloneTable _ITM_deregisterTMCloneTable
	for archive in libstdc++.a libgcc.a libgcc_eh.a; do
		nm --undefined-only "$($CXX -print-file-name=$archive)" 2>/dev/null
	done | awk '$1 == "w" || $1 == "v" { print $2 }'
} | sort -u >"$tap_dir/own"
weak=$(awk '$1 == "w" || $1 == "v" { print $2 }' "$tap_dir/wanted" | sort -u | comm -23 - "$tap_dir/own")
tap_ok "the plugin asks for something of a front end" test -n "$weak"
tap_is "every function of a front end that the plugin knows is in cc1 or cc1plus, with that signature" \
	"$(printf '%s\n' "$weak" | sort -u | comm -23 - "$tap_dir/front" | c++filt)" ""
for name in "${compilers[@]}"; do
	tap_is "every other function of GCC that the plugin calls is in $name" \
		"$(awk '$1 == "U" { print $2 }' "$tap_dir/wanted" | sort -u | comm -23 - <(sort -u "$tap_dir/$name" "$tap_dir/libraries") | c++filt)" ""
done
tap_is "the plugin shows nothing but its two entry points" \
	"$(nm -D --defined-only "$plugin" | awk '{ print $3 }' | sort | tr '\n' ' ')" "plugin_init plugin_is_GPL_compatible "
tap_done
