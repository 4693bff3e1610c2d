#!/bin/bash
# SPDX-License-Identifier: MIT
# check_deps.sh: does scripts/check-deps find what it is for? Small trees with one fault each.
. "$srcdir/tests/tools/tap.sh"
tap_dir

# A tree that keeps the rules: every room, with one permitted include each
tree () {
	rm -rf "$tap_dir/tree"
	mkdir -p "$tap_dir/tree"/{include,base/arch/generic,recording,libmetrics,report,stdmetrics,assertions,libpp,ppctl,gcc-plugin,samples/s,bench,tests/unit}
	cd "$tap_dir/tree" || exit 99
	echo '#include <pp_abi.h>' >include/pp.h
	echo '#include <stdint.h>' >include/pp_abi.h
	echo '#include <pp.h>' >libmetrics/runtime.h
	echo '/* CPU */' >base/arch/generic/pp_arch.h
	echo '#include <pp.h>' >base/clock.h
	echo '#include "base/clock.h"' >recording/layout.h
	printf '#include "runtime.h"\n#include "recording/layout.h"\n#include "pp_arch.h"\n#include "config.h"\n' >libmetrics/hot.c
	printf '#include "libmetrics/runtime.h"\n#include <jansson.h>\n' >report/model.c
	echo '#include "libmetrics/runtime.h"' >stdmetrics/clock.c
	printf '#include "../libmetrics/runtime.h"\n#include <yaml.h>\n' >assertions/policy.c
	printf '/* */\n' >assertions/policy.h
	printf '#include "assertions/policy.h"\n#include "libmetrics/runtime.h"\n' >libpp/init.c
	echo '#include <pp.h>' >ppctl/main.c
	printf '#include "pp_abi.h"\n#include "tree.h"\n#include <yaml.h>\n' >gcc-plugin/plugin.cc
	echo '#include <pp.h>' >samples/s/main.c
	echo '#include <pp.h>' >bench/pair.c
	printf '#include "libmetrics/runtime.h"\n#include <yaml.h>\n' >tests/unit/test.c
}

check () { # [FOLDER-OF-OBJECTS]
	out=$(sh "$srcdir/scripts/check-deps" "$tap_dir/tree" "$@")
	status=$?
}

# refuses SENTENCE FILE LINE-OF-C COMPLAINT: exit status 1, one room that fails, the place and the reason
refuses () {
	tree
	echo "$3" >>"$2"
	check
	tap_is "$1" "$status $(grep -c '^not ok' <<<"$out") $(grep -cE "^# $2:[0-9]+: $4" <<<"$out")" "1 1 1"
}

tree
check
tap_is "a tree that keeps the rules passes" "$status" 0
tap_is "every room of it has a result" "$(grep -c '^ok ' <<<"$out")" 13

refuses "siblings may not include each other" stdmetrics/clock.c '#include "assertions/policy.h"' \
	'stdmetrics may not include assertions/policy.h'
refuses "a relative path is no way around" stdmetrics/clock.c '# include "../assertions/../assertions/policy.h"' \
	'stdmetrics may not include assertions/policy.h'
refuses "the library may not include what is built on it" libmetrics/hot.c '#include "libpp/init.c"' 'libmetrics may not include libpp/init.c'
refuses "... nor what reports on it" libmetrics/hot.c '#include "report/model.c"' 'libmetrics may not include report/model.c'
refuses "samples see pp.h only" samples/s/main.c '#include "pp_abi.h"' 'samples may not include include/pp_abi.h'
refuses "the plugin sees the ABI header only" gcc-plugin/plugin.cc '#include <pp.h>' 'gcc-plugin may not include include/pp.h'
refuses "the library's inside is not the tool's" ppctl/main.c '#include "libmetrics/runtime.h"' 'ppctl may not include libmetrics/runtime.h'
refuses "a library belongs to one room" libmetrics/hot.c '#include <png.h>' '<png.h> belongs to samples alone$'
refuses "... or to the rooms that the table names" libmetrics/hot.c '#include <yaml.h>' '<yaml.h> belongs to assertions and gcc-plugin alone$'
refuses "a header that is not there is noticed" libpp/init.c '#include "gone.h"' '"gone.h" is found nowhere'
tree
mkdir cellar
echo '#include "libmetrics/runtime.h"' >cellar/wine.c
check
tap_has "a room that the table does not know is noticed" "$out" '^# cellar is not in the table'

# ---- rooms inside a room, and symbols
# libmetrics with a room low and a room high, each with a function, and their objects
inner_tree () {
	tree
	mkdir libmetrics/{low,high}
	printf 'libmetrics/low: is below\nlibmetrics/high: is above\nlibmetrics: is above both\n' >libmetrics/rooms
	echo 'int low (void);' >libmetrics/low/low.h
	printf '#include "low.h"\nint low (void) { return 1; }\n' >libmetrics/low/low.c
	echo 'int high (void);' >libmetrics/high/high.h
	printf '#include "libmetrics/low/low.h"\n#include "high.h"\nint high (void) { return low (); }\n' >libmetrics/high/high.c
	printf 'int high (void);\nint told (void) { return high (); }\n' >libpp/told.c
}

# compiles them into $tap_dir/built, with the includes of FILE left out: what is declared by hand is not seen by those
objects () {
	local file

	rm -rf "$tap_dir/built"
	for file in libmetrics/low/low.c libmetrics/high/high.c libpp/told.c "$@"; do
		mkdir -p "$tap_dir/built/$(dirname "$file")"
		"$CC" -I. -c "$file" -o "$tap_dir/built/${file%.c}.o" || exit 99
	done
	check "$tap_dir/built"
}

inner_tree
objects
tap_is "rooms in an order that is kept pass, by symbols too" "$status $(grep -c '^ok .* is linked only' <<<"$out")" "0 2"
inner_tree
echo '#include "libmetrics/high/high.h"' >>libmetrics/low/low.h
check
tap_has "a header of a later room is refused" "$status $out" '^# libmetrics/low/low.h:2: libmetrics/low may not include libmetrics/high/high.h'
inner_tree
echo '/* */' >libmetrics/cellar.c
mkdir libmetrics/cellar
echo '/* */' >libmetrics/cellar/wine.c
sed -i '/^libmetrics:/d' libmetrics/rooms
check
tap_has "a folder that the list of rooms lacks is noticed" "$status $out" '^# libmetrics/cellar/wine.c is in no folder that libmetrics/rooms lists'
inner_tree
mkdir libmetrics/keep
echo '#include "recording/layout.h"' >libmetrics/keep/shard.h
sed -i '1i libmetrics/keep: is below recording/' libmetrics/rooms
check
tap_has "a room inside may have less than its room: what recording/ stands on can't use it" "$status $out" \
	'^# libmetrics/keep/shard.h:1: libmetrics may not include recording/layout.h'
inner_tree
printf 'int high (void);\nint cheat (void) { return high (); }\n' >libmetrics/low/cheat.c
check
tap_is "a call through a declaration that was written by hand passes by its includes" "$status" 0
objects libmetrics/low/cheat.c
tap_has "and is refused by its symbol" "$status $out" '^# libmetrics/low/cheat.o uses high of libmetrics/high/high.o'
inner_tree
printf 'int told (void);\nint cheat (void) { return told (); }\n' >libmetrics/high/cheat.c
objects libmetrics/high/cheat.c
tap_has "so is one into another room" "$status $out" '^# libmetrics/high/cheat.o uses told of libpp/told.o'
tap_done
