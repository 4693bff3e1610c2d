#!/bin/bash
# SPDX-License-Identifier: MIT
# situations.sh: the rows of docs/host.md's table of situations that take another program, or another root: see situations.c.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99

build () { # OUT ARGUMENT...
	# shellcheck disable=SC2086
	"$CC" -O2 -D_GNU_SOURCE $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" -o "$@" || exit 99
}
shared=(-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP")
build counted "$srcdir/tests/host/programs/counted.c" "${shared[@]}"
build plugged.so -shared -fPIC "$srcdir/tests/host/programs/plugged.c" "${shared[@]}"
sum=$((3 * 999 * 1000 / 2 + 1000))
plugged=$((999 * 1000 / 2 + 1000))

# Runs the host below COMMAND...; OUT, COUNT, ERR and STATUS are what came of it
run () {
	out=$(timeout 60 "$@" 3>count 2>err </dev/null)
	status=$?
	count=$(cat count) err=$(cat err)
}

# ---- ends: the recording is whole, and so is the exit status --------------------------------------------------------

for end in return exit quick_exit _exit abort; do
	printf 'version: 1\nrecord: {file: "%s/%s.pprec"}\n' "$tap_dir" "$end" >policy.yaml
	PP_POLICY=policy.yaml run sh -c 'ulimit -c 0; exec ./counted 1000 '"$end"
	case $end in abort) expected=134 ;; *) expected=0 ;; esac
	tap_is "a host that ends by $end: status and output are its own" "$status $out" "$expected $sum"
	got=$("$PPCTL" report --json "$end.pprec" 2>/dev/null |
		python3 -c 'import json, sys; print([m["all"]["n"] for m in json.load(sys.stdin)["metrics"] if m["name"] == "rounds"][0])')
	tap_is "... and its recording has every round" "$got" 1000
done

# ---- preloaded into programs that know nothing of it ------------------------------------------------------------------

if [ -n "$SANITIZER" ]; then
	tap_skip "preloading" "a sanitizer's library must come first"
else
	printf 'c\na\nb\n' >text
	for command in "sort text" "ls /" "python3 -c print(6*7)" "seq 3" "env -i /bin/echo hello"; do
		# shellcheck disable=SC2086
		plain=$($command 2>&1)
		# shellcheck disable=SC2086
		run env LD_PRELOAD="$LIBPP/libpp.so" $command
		tap_is "preloaded into ${command%% *}: the same output, and nothing on stderr" "$status $out$err" "0 $plain"
	done
fi

# ---- two copies ---------------------------------------------------------------------------------------------------------

run ./counted 1000 exit ./plugged.so
tap_is "a plug-in that shares the host's copy measures its rounds, for the metric that both declare" "$status $count $out" "0 2000 $sum
plugged $plugged"
if [ -n "$SANITIZER" ]; then
	tap_skip "two copies of the library" "a sanitizer's runtime can be in a process only once"
else
	run ./counted 1000 exit apart:./plugged.so
	tap_is "a plug-in with a copy of its own (dlmopen): each measures its own rounds" "$status $count $out" "0 1000 $sum
plugged $plugged"
	if [ -e "$LIBPP/libpp.a" ]; then
		# shellcheck disable=SC2086
		build counted_static "$srcdir/tests/host/programs/counted.c" -Wl,-Bstatic -L"$LIBPP" -lpp -Wl,-Bdynamic $YAML_LIBS -lm -ldl -lpthread
		run ./counted_static 1000 exit ./plugged.so
		tap_is "a static copy in the host, a shared one in its plug-in: each measures its own rounds" "$status $count $out" "0 1000 $sum
plugged $plugged"
	else
		tap_skip "a static copy beside a shared one" "libpp.a was not built"
	fi
fi

# ---- little address space ---------------------------------------------------------------------------------------------------

if [ -n "$SANITIZER" ]; then
	tap_skip "a limit of address space" "sanitizers take terabytes of it"
else
	run sh -c 'ulimit -v 400000; exec ./counted 1000 room'
	tap_is "where RLIMIT_AS leaves 400 MB the host has 280 of them, and is measured" "$status $count $out" "0 1000 $sum"
fi

# ---- other roots ------------------------------------------------------------------------------------------------------------

# Runs the host where COMMANDS were run in a mount name space of its own
elsewhere () { # COMMANDS
	run unshare -m sh -c "$1 && exec ./counted 1000 exit"
}

if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
	tap_skip "no /proc, a read-only root" "takes root"
else
	elsewhere "mount -t tmpfs none /proc"
	tap_is "without /proc the host's output is its own" "$status $out" "0 $sum"
	tap_is "... and it is measured" "$count" 1000
	elsewhere "mount -t tmpfs -o ro none /dev/shm && mount -t tmpfs -o ro none /tmp"
	tap_is "without a place for files in tmpfs the host's output is its own" "$status $out" "0 $sum"
	tap_is "... and it is measured" "$count" 1000
	printf 'version: 1\nrecord: {file: "%s/there/none.pprec"}\n' "$tap_dir" >policy.yaml
	mkdir -p there
	elsewhere "mount --make-rprivate / && mount --bind . there && mount -o remount,ro,bind . there && cd there && export PP_POLICY=policy.yaml"
	tap_is "on a read-only root the host's output is its own" "$status $out" "0 $sum"
	tap_is "... it is measured" "$count" 1000
	tap_has "... and it is said that the recording can't be made" "$err" '^pp: .*none\.pprec'
fi
tap_done
