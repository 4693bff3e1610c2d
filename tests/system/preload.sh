#!/bin/bash
# SPDX-License-Identifier: MIT
# preload.sh: ppctl run --sample has a program sampled that was not linked with libpp.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
unset PP_POLICY LD_PRELOAD PP_SAMPLE
export PP_MODULE_PATH=$LIBPP:$PP_MODULE_PATH
if ! "$PPCTL" --help | grep -q '^  run '; then
	tap_skip "ppctl run" "built without libelf"
	tap_done
	exit
fi
if [ "$PP_ARCH" != x86_64 ] || [ "$SANITIZER" = thread ]; then
	tap_skip "threads are sampled" "not here"
	tap_done
	exit
fi
cat >burn.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
volatile unsigned long sink;
__attribute__ ((noinline)) void burn (void)
{
	for (unsigned long i = 0; i < 200000000; i++)
		sink += i;
}
int main (void)
{
	const char *preload = getenv ("LD_PRELOAD");
	burn ();
	printf ("%s\n", preload ? preload : "nothing");
	return 5;
}
C
# shellcheck disable=SC2086 # flags are words
build () {
	"$CC" -O1 -g -w $SANITIZER_FLAGS burn.c -o "$@" || exit 99
}
# sampled PROGRAM: with nothing of what was before
sampled () {
	rm -f -- *.pprec
	status=0
	"$PPCTL" run --sample 1000 -- "$@" >out 2>err || status=$?
}
# functions: the shares by self time of the newest
functions () {
	"$PPCTL" profile --format chicken -- *.pprec 2>&1
}

build plain
sampled ./plain
tap_is "a program that knows nothing of libpp runs" $status 5
tap_has "and is sampled" "$(functions)" '^burn '
tap_has "by the library that it got" "$(cat out)" '/libpp\.so\.0$'

"$PPCTL" run --sample 1000 -o chosen.pprec ./plain >/dev/null 2>err
tap_ok "its recording goes where that was said" "$PPCTL" profile chosen.pprec

mkdir bin
cp plain bin/findme
PATH=$PWD/bin:$PATH sampled findme
tap_has "it is found as a command is" "$(functions)" '^burn '

build linked -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -Wl,--no-as-needed -lpp
sampled ./linked
tap_has "a program that has the library is sampled" "$(functions)" '^burn '
tap_is "and gets no other" "$(cat out)" nothing

# a program without a sanitizer, as a shell is, can't have a library with one
if [ -z "$SANITIZER" ]; then
	printf 'version: 1\nrecord: {file: other.pprec}\nmetrics: {t: {interval: nonsense}}\n' >policy.yaml
	PP_POLICY=$PWD/policy.yaml LD_PRELOAD=$LIBPP/libpp.so.0 PP_SAMPLE=1000 ./plain >/dev/null 2>err
	tap_has "a policy's errors are told" "$(cat err)" "policy\.yaml:3.*nonsense"

	printf '#!/bin/sh\n./plain\n' >script
	chmod +x script
	sampled ./script
	# the shell and the program
	"$PPCTL" profile --format chicken plain.*.pprec >of_plain 2>&1
	tap_has "what a script runs is sampled" "$(cat of_plain)" '^burn '

	# a library that is there in any case
	other=$(ldd ./plain | awk '/libc\.so/ { print $3 }')
	LD_PRELOAD=$other sampled ./plain
	tap_has "what the user preloads stays in front" "$(cat out)" "^$other:.*/libpp\\.so\\.0\$"
	if build static -static 2>/dev/null; then
		sampled ./static
		tap_is "one that is linked statically is not run" $status 125
		tap_has "which is said" "$(cat err)" 'static is linked statically and without libpp'
	else
		tap_skip "a static program is refused" "no static libc"
	fi
fi
mkdir 'a b'
ln -s "$LIBPP/libpp.so.0" 'a b/libpp.so.0'
PP_MODULE_PATH="$PWD/a b" sampled ./plain
tap_is "a library that can't be named there is an error" $status 125
sampled ./nowhere
tap_is "where there is no program that is what is said" $status 127
tap_done
