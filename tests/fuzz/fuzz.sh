#!/bin/bash
# SPDX-License-Identifier: MIT
# fuzz.sh: every target over its corpus, and FUZZ_SECONDS (2) more with inputs that are made of it; README.md. With FUZZ_BUILD, the directory of
# clang's build, it is libFuzzer that makes them. FUZZ_SEED (1) says which: `make fuzz` has others each time.
. "$(dirname "${BASH_SOURCE[0]}")/../tools/tap.sh"
corpus=$srcdir/tests/fuzz/corpus
seconds=${FUZZ_SECONDS:-2} seed=${FUZZ_SEED:-1}
case ${SANITIZER-} in *thread*)
	tap_skip "every input is read, or refused" "nothing of it has threads"
	tap_done ;;
esac
tap_dir
work=$tap_dir
export TMPDIR=$work
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0:exitcode=99}:detect_leaks=1:allocator_may_return_null=1

# What the tree has of policies anyway, and binaries, which are made here
seeds () {
	mkdir -p "$work/seeds/recording" "$work/seeds/elf" "$work/seeds/policy"
	cp "$srcdir"/samples/raytracer/*.yaml "$work/seeds/policy"
	cat "$srcdir"/tests/system/policies/good.txt "$srcdir"/tests/system/policies/bad.txt |
		awk -v to="$work/seeds/policy" '/^== / { close (file); file = to "/" ++n; next } file { print >file }'
	# a mailbox's page, and a command of less bytes than it says
	mkdir -p "$work/seeds/mailbox"
	{ printf '!\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\377\0\0\0\0\0\0\0'; head -c 24 /dev/zero; printf 'figures\t'; } >"$work/seeds/mailbox/page"
	[ -x "$builddir/tests/fuzz/seeds" ] || return
	"$builddir/tests/fuzz/seeds" "$work/seeds/recording" "$work/seeds/elf" 2>/dev/null
	cp "$builddir/tests/fuzz/seeds-seeds.o" "$work/seeds/elf/object" 2>/dev/null
}

# Keeps what a target died of, and says where: keep NAME
keep () {
	local kept=$builddir/tests/fuzz/found-$1
	mkdir -p "$kept"
	find "$work" -maxdepth 1 \( -name 'crash-*' -o -name 'leak-*' -o -name 'timeout-*' -o -name 'oom-*' -o -name '*.input' \) \
		-exec mv {} "$kept" \;
	echo "# inputs are kept in $kept"
}

# A target that is a function: target NAME INPUTS...
target () {
	local name=$1 program=$builddir/tests/fuzz/$1 status=0 arguments
	shift
	if [ -n "${FUZZ_BUILD-}" ]; then
		mkdir -p "$FUZZ_BUILD/corpus-$name"
		program=$FUZZ_BUILD/tests/fuzz/$name
		arguments=("-max_total_time=$seconds" "-seed=$seed" -timeout=30 -rss_limit_mb=2048 -max_len=1048576 "-artifact_prefix=$work/"
			-print_final_stats=1 "$FUZZ_BUILD/corpus-$name")
	else
		arguments=("-seconds=$seconds" "-seed=$seed")
	fi
	if [ ! -x "$program" ]; then
		tap_skip "$name: every input is read, or refused" "it isn't built here; configure says what is missing"
		return
	fi
	if ! find "$@" -type f | grep -q .; then
		tap_skip "$name: every input is read, or refused" "what makes its first inputs needs the plugin"
		return
	fi
	"$program" "${arguments[@]}" "$@" >"$work/$name.out" 2>&1 || status=$?
	tail -n 40 "$work/$name.out" | grep -E 'inputs tried|number_of_executed|new_units|^#[0-9]+.*DONE' | sed 's/^/# /'
	if [ $status != 0 ]; then
		grep -vE '^#[0-9]' "$work/$name.out" | head -n 60 | sed 's/^/# /'
		keep "$name"
	fi
	tap_is "$name: every input is read, or refused" "$status" 0
}

# One that is a command, which gets a file: driven NAME COMMAND...
driven () {
	local name=$1 status=0
	shift
	(cd "$work" && "$builddir/tests/fuzz/drive" "-seconds=$seconds" "-seed=$seed" "$corpus/$name" -- "$@" "$work/$name.input") \
		>"$work/$name.out" 2>&1 || status=$?
	sed 's/^/# /' "$work/$name.out"
	[ $status = 0 ] || keep "$name"
	tap_is "$name: every input is read, or refused" "$status" 0
}

seeds
target policy "$corpus/policy" "$work/seeds/policy"
target expression "$corpus/expression"
target query "$corpus/query"
target mailbox "$corpus/mailbox" "$work/seeds/mailbox"
target recording "$work/seeds/recording"
target blocks "$work/seeds/recording"
target finisher "$work/seeds/recording"
target elf "$work/seeds/elf"
if [ -x "$builddir/tests/fuzz/environment" ]; then
	driven environment "$builddir/tests/fuzz/environment"
fi
if [ -f "$PPGCC" ] && [ -z "${SANITIZER-}" ]; then
	driven instrument bash "$srcdir/tests/fuzz/instrument.sh"
fi
tap_done
