#!/bin/bash
# SPDX-License-Identifier: MIT
# exports.sh: what libpp shows to the world: what the public headers and the Fortran module declare, all of it, and nothing more. The
# version map names it.
. "$srcdir/tests/tools/tap.sh"
tap_dir

# gcc lists every prototype it saw, with the file it saw it in; names with an underscore at the end are the headers' own
printf '#include <pp.h>\n' >"$tap_dir/all.c"
gcc=${CC%% *}
"$gcc" -std=gnu11 -I"$srcdir/include" -aux-info "$tap_dir/prototypes" -fsyntax-only "$tap_dir/all.c"
declared=$(sed -nE 's|^/\* [^ ]*/pp(_[a-z]+)?\.h:[0-9]+:.C \*/ .*[ *](pp_[a-z0-9_]*[a-z0-9]) \(.*|\2|p' "$tap_dir/prototypes")
# no header has what Fortran calls: procedure NAME of the module is the symbol NAME_
fortran=$(sed -nE 's/^ *(subroutine|function) (pp_[a-z0-9_]+) .*/\2_/p' "$srcdir/include/pp.f90")
declared=$(printf '%s\n' "$declared" "$fortran" | LC_ALL=C sort -u)
exported=$(nm -D --defined-only "$LIBPP/libpp.so" | awk '$2 != "A" { sub (/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u)
static=$(nm -g --defined-only "$LIBPP/libpp.a" 2>/dev/null | awk 'NF == 3 && $2 != "A" { print $3 }' | LC_ALL=C sort -u)

mapped=$(sed 's|/\*.*\*/||; /^global:/,/^local:/!d; /:$/d' "$srcdir/libpp/libpp.map" | tr -d ' \t\n' | tr ';' '\n' | LC_ALL=C sort)

tap_has "the headers declare functions" "$declared" '^pp_bind$'
tap_has "the Fortran module declares procedures" "$declared" '^pp_begin_$'
tap_is "libpp.so exports what the headers and the Fortran module declare, no more and no less" "$(LC_ALL=C diff <(echo "$declared") <(echo "$exported"))" ""
tap_is "the version map lists what they declare, each by its name and once" "$(LC_ALL=C diff <(echo "$declared") <(echo "$mapped"))" ""
tap_is "libpp.so exports what the version map lists" "$(LC_ALL=C diff <(echo "$mapped") <(echo "$exported"))" ""
# the compiler's own, hidden, and one in a program: how a function with a cleanup finds the unwinder's
tap_is "all global names of libpp.a begin with pp" "$(grep -v '^pp' <<<"$static" | grep -vFx DW.ref.__gcc_personality_v0)" ""
tap_is "libpp.a defines what the headers and the Fortran module declare" "$(LC_ALL=C comm -13 <(echo "$static") <(echo "$declared"))" ""
tap_is "libpp.so has no executable stack and no relocation in its text" \
	"$(readelf -lW "$LIBPP/libpp.so" | grep -cE 'GNU_STACK.* RWE') $(readelf -dW "$LIBPP/libpp.so" | grep -c TEXTREL)" "0 0"
tap_is "no access to what belongs to a thread is a call" "$(nm -D --undefined-only "$LIBPP/libpp.so" | grep -c __tls_get_addr)" 0
# each part of pp.h alone, by the strictest rules, in a program that has something of its own: one of them is macros only
echo "extern int program;" >"$tap_dir/program.c"
for header in "$srcdir"/include/*.h; do
	"$gcc" -std=c11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -include "$header" -x c -fsyntax-only "$tap_dir/program.c" &&
		"$gcc" -std=c++11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -include "$header" -x c++ -fsyntax-only "$tap_dir/program.c" ||
		echo "${header##*/}"
done >"$tap_dir/unclean" 2>&1
tap_is "every public header compiles alone as C11 and C++11, with -pedantic and without a warning" "$(<"$tap_dir/unclean")" ""
printf '#include <pp.h>\nvoid own (void);\nvoid own (void)\n{\n}\n' >"$tap_dir/own.c"
"$gcc" -std=gnu11 -I"$srcdir/include" -fvisibility=hidden -c "$tap_dir/own.c" -o "$tap_dir/own.o"
tap_is "what follows the header in a program keeps the visibility that it was compiled with" \
	"$(readelf -sW "$tap_dir/own.o" | awk '$8 == "own" { print $6 }')" HIDDEN
tap_done
