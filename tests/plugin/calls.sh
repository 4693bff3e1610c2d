#!/bin/bash
# SPDX-License-Identifier: MIT
# pp_begin, pp_end and pp_point with literal names are markers in every language, and what can't be one stays a call.
. "$srcdir/tests/plugin/results.sh"
here=$srcdir/tests/plugin/calls
$CC -O2 $include -c "$here/library.c" -o library.o || exit 1
$CC -O0 $include "$here/calls.c" library.o -o plain && ./plain > plain.out
[[ -s plain.out ]] || exit 1

# the library's lines come first: the recorder prints when the program ends
same ()
{
	diff <(grep library plain.out) <(grep library "$1") && diff <(grep -v library plain.out) <(grep -v library "$1")
}

for kind in patch guard; do
	for level in -O0 -O1 -O2 -O3 -Os -Og "-O2 -flto"; do
		for language in c c++; do
			rm -f said
			compiler=$CC
			[[ $language == c++ ]] && compiler=$CXX
			# shellcheck disable=SC2086
			$compiler $level -Wall -Wextra -Werror $include -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind -fplugin-arg-ppgcc-Wno-pp-moved -x $language "$here/calls.c" -x none \
				library.o recorder.o -o with > log 2>&1 && ./with > said
			same said >> log 2>&1
			result $? "calls have the same events as the library's functions: $language $level $kind" log
		done
		title="calls are markers in Fortran: $level $kind"
		if [[ -z ${GFORTRAN:-} ]]; then
			skip "$title" "no gfortran"
			continue
		fi
		rm -f said
		# shellcheck disable=SC2086
		$GFORTRAN $level -Wall -Werror -fplugin="$PPGCC" -fplugin-arg-ppgcc-marker=$kind "$here/calls.f90" recorder.o -o with > log 2>&1 && ./with > said
		diff <(sed -n 's/^! expect: //p' "$here/calls.f90") said >> log
		result $? "$title" log
	done
done

$CC -O2 $include -fplugin="$PPGCC" -fplugin-arg-ppgcc-Wno-pp-moved -c "$here/calls.c" -o with.o
[[ $(objdump -dr with.o | grep -c 'R_X86_64_PLT32.*pp_point_') == 0 && $(objdump -dr with.o | grep -c 'R_X86_64_PLT32.*pp_begin') == 2 ]]
result $? "only what has its counterpart elsewhere, or no literal name, is still called"

# mistakes
cat > lost.c << 'END'
#include <pp.h>
int lost (int x) { pp_begin ("a"); if (x) return 1; pp_end ("a"); return 2; }
int early (int x) { if (x) pp_begin ("b"); pp_end ("b"); return 2; }
void never (void) { pp_end ("c"); pp_begin ("c"); }
END
$CC -O1 $include -fplugin="$PPGCC" -c lost.c -o lost.o 2>&1 | grep -o 'lost.c:.*' | grep warning > said
cat > expected << 'END'
lost.c:2:20: warning: the function can return without a 'pp_end' of what 'pp_begin ("a")' begins
lost.c:3:44: warning: 'pp_end ("b")' can be reached without its 'pp_begin'
lost.c:4:21: warning: 'pp_end ("c")' can be reached without its 'pp_begin'
lost.c:4:35: warning: the function can return without a 'pp_end' of what 'pp_begin ("c")' begins
END
diff expected said > log
result $? "a return without its end and an end without its begin are warned of" log

echo "1..$number"
