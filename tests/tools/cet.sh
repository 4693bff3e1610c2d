#!/bin/bash
# SPDX-License-Identifier: MIT
# cet.sh: assembly says that it is prepared for -fcf-protection: one object that doesn't takes the processor's protection from the whole library.
. "$srcdir/tests/tools/tap.sh"
tap_dir

gcc=${CC##ccache }
gcc=${gcc%% *}
case $("$gcc" -dumpmachine) in
x86_64*) ;;
*)
	tap_skip "assembly is prepared for -fcf-protection" "another CPU"
	tap_done
	;;
esac
for source in "$srcdir"/base/arch/x86_64/*.S "$srcdir"/libmetrics/*/arch/x86_64/*.S; do
	name=$(basename "$source")
	"$gcc" -fcf-protection -I"$srcdir/include" -I"$srcdir/base/arch/x86_64" -c "$source" -o "$tap_dir/object.o"
	tap_has "$name is prepared for -fcf-protection" "$(readelf -nW "$tap_dir/object.o")" 'IBT, SHSTK'
done
tap_done
