#!/bin/bash
# SPDX-License-Identifier: MIT
# peer.sh NAME PROGRAM: runs the program of a peer with what it needs around it: uftrace records it into memory, LTTng gets a session daemon of its own, which
# ends with it. Its sockets, settings and buffers are in a folder that goes when it goes. Exit status 77: it cannot be measured here.
set -u
name=$1 program=$2 home='' daemon=''

finish()
{
	[ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null
	[ -z "$home" ] || rm -rf "$home"
}
trap finish EXIT
skip()
{
	echo "peer $name: $1" >&2
	[ ! -s "$home/log" ] || tail -3 "$home/log" >&2
	exit 77
}
new_home()
{
	home=$(mktemp -d "$1/ppgcc-bench-XXXXXX") || exit 77
}

run_uftrace()
{
	if [ -w /dev/shm ]; then new_home /dev/shm; else new_home /tmp; fi
	uftrace record --no-libcall --no-pager -d "$home/data" "$program"
}

control()
{
	lttng --no-sessiond "$@" >>"$home/log" 2>&1 </dev/null || skip "lttng $1 fails"
}

run_lttng()
{
	local ready='' i status
	new_home /tmp
	export LTTNG_HOME=$home
	trap 'ready=1' USR1 # the daemon says so
	lttng-sessiond --no-kernel --sig-parent >>"$home/log" 2>&1 </dev/null &
	daemon=$!
	for ((i = 0; i < 100; i++)); do
		if [ -n "$ready" ] || ! kill -0 "$daemon" 2>/dev/null; then break; fi
		sleep 0.1
	done
	[ -n "$ready" ] || skip "the session daemon does not start"
	# the kind that overwrites the oldest, in memory, until somebody asks for a picture of it; PEER_PICTURE does, which only the program with fields uses
	control create bench --snapshot --output="$home/snapshots"
	control enable-channel --userspace --overwrite --subbuf-size=256k --num-subbuf=4 memory
	control enable-event --userspace --channel=memory 'ppgcc_bench:*'
	control start
	export PEER_PICTURE="lttng --no-sessiond snapshot record >>'$home/log' 2>&1 </dev/null && babeltrace2 '$home/snapshots' 2>>'$home/log'"
	"$program"
	status=$?
	lttng --no-sessiond destroy >>"$home/log" 2>&1 </dev/null
	return $status
}

# As root daemon and programs would use the folders of the whole machine, where another daemon may be: as nobody, with a copy that nobody can read.
run_lttng_as_nobody()
{
	new_home /tmp
	cp "$program" "$home/program" && cp "$0" "$home/peer.sh" && chmod -R a+rx "$home" || exit 77
	setpriv --reuid=65534 --regid=65534 --clear-groups bash "$home/peer.sh" "$name" "$home/program"
}

case $name in
uftrace) run_uftrace ;;
lttng_ust | lttng)
	[ "$name" != lttng ] || command -v babeltrace2 >/dev/null || skip "there is no babeltrace2, which tells what was recorded"
	if [ "$(id -u)" = 0 ]; then run_lttng_as_nobody; else run_lttng; fi
	;;
ours) PEER_PPCTL=$(cd "${program%/*}/../ppctl" && pwd)/ppctl "$program" ;;
sdt.enabled) PEER_SDT_ENABLED=1 "$program" ;;
*) "$program" ;;
esac
