#!/bin/bash
# SPDX-License-Identifier: MIT
# libc.sh: a program for another libc than glibc is refused by the compiler, with a reason, and not by the run.
. "$srcdir/tests/tools/tap.sh"

tap_dir
mkdir "$tap_dir/include"
# as musl's are: nothing in them says __GLIBC__
for header in stdio.h stdlib.h string.h errno.h features.h; do
	printf 'typedef struct file FILE;\n' > "$tap_dir/include/$header"
done
printf '#include <pp.h>\nint main (void) { return 0; }\n' > "$tap_dir/program.c"

compile () { # OPTION...
	"$CC" "$@" -ffreestanding -isystem "$tap_dir/include" -I"$srcdir/include" -fsyntax-only "$tap_dir/program.c" 2>&1
}

said=$(compile -fplugin="$PPGCC")
tap_is 'with the plugin a program for another libc does not compile' "$?" 1
tap_has 'and the error says why' "$said" 'error: .*libpp needs glibc'
tap_is 'without the plugin the macros are nothing, for any libc' "$(compile | grep -c 'needs glibc')" 0
tap_done
