# SPDX-License-Identifier: MIT
# recorder.sh: what files.sh, clocks.sh and privileges.sh share; sourced by them after tap.sh. Makes $tap_dir/recorder and goes there.

tap_dir
cd "$tap_dir" || exit 99
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$srcdir/tests/host/recorder.c" -o recorder -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99

policy () { # FILE [", overwrite: true"]
	printf 'version: 1\nrecord: {file: "%s"%s}\n' "$1" "${2-}" >policy.yaml
}

# runs recorder under the policy with the given arguments; what it says is in $said
recorder () {
	said=$(PP_POLICY=policy.yaml ./recorder "$@" 2>&1)
}

# the name in /dev/shm of what the process $1 has left, or ""; names from before this test are others'
left_by () {
	local name

	for name in /dev/shm/pp."$1".*; do
		[ -e "$name" ] && [ "$name" -nt recorder ] && echo "$name"
	done
}

is_recording () {
	[ "$(head -c 5 "$1")" = ppgcc ]
}

# waits until there is FILE, ten seconds at most
await () {
	local i

	for ((i = 0; i < 1000; i++)); do
		[ -e "$1" ] && return 0
		sleep 0.01
	done
	return 1
}

# a process that dies with a recording that is not complete; its number is in $dead
leave () {
	PP_POLICY=policy.yaml ./recorder kill >/dev/null 2>&1 &
	dead=$!
	wait $dead 2>/dev/null
}
