#!/bin/bash
# SPDX-License-Identifier: MIT
# names.sh: a name means one thing in the whole tree. A struct, union or enum of ours is defined in one place, but for what each
# processor has its own of: a reader who searches for it finds it, and no file comes to need both.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
tap_dir
cd "${srcdir:-$(dirname "$0")/../..}" || exit 99

# FOLDER...: tags that are defined in more than one place there
twice () {
	find "$@" -name arch -prune -o \( -name '*.h' -o -name '*.hh' -o -name '*.c' -o -name '*.cc' \) -print0 | xargs -0 -r grep -hoE '^(struct|union|enum) pp[a-z]*_[a-z0-9_]+ \{' |
		sed 's/.* \(.*\) {/\1/' | LC_ALL=C sort | uniq -d | paste -sd' '
}

mkdir -p "$tap_dir/a/arch/x" "$tap_dir/a/arch/y"
echo 'struct ppi_one {' | tee "$tap_dir/a/one.h" >"$tap_dir/a/other.c"
echo 'struct pp_arch_one {' | tee "$tap_dir/a/arch/x/one.h" >"$tap_dir/a/arch/y/one.h"
tap_is "a tag that is defined twice is found" "$(twice "$tap_dir/a")" ppi_one
tap_is "no struct, union or enum has another's name" "$(twice include base recording libmetrics report stdmetrics assertions profiler libpp ppctl)" ""
tap_is "... in the plugin" "$(twice include gcc-plugin)" ""
tap_done
