# SPDX-License-Identifier: MIT
# cross.sh: what compiles for another CPU and what runs it; sourced by bash, behind tap.sh.
#
#   cross CPU SENTENCE    exports CC, CXX, GFORTRAN, PPGCC, RUN (an emulator with its arguments) and PP_FURTHER (not CC's own) for CPU, where configure found such a compiler;
#                         else SENTENCE is skipped and the test ends

cross_compiler () { # CPU: the line of PP_CROSS_GCCS
	printf '%s\n' "${PP_CROSS_GCCS-}" | tr ';' '\n' | while read -r name cc rest; do
		case $([ -n "$name" ] && $cc -dumpmachine) in
		"$1"-*) printf '%s\n' "$name $cc $rest" && break ;;
		esac
	done
}

cross () {
	local machine
	read -r _ CC CXX GFORTRAN PPGCC < <(cross_compiler "$1")
	[ -n "$CC" ] || {
		tap_skip "$2" "no GCC for $1 with plugin headers; Debian: g++-$1-linux-gnu gcc-12-plugin-dev-$1-linux-gnu"
		tap_done
	}
	command -v "qemu-$1" >/dev/null || {
		tap_skip "$2" "no qemu-$1; Debian: qemu-user"
		tap_done
	}
	machine=$($CC -dumpmachine)
	[ "$GFORTRAN" != - ] || GFORTRAN=
	RUN="qemu-$1 -L /usr/$machine"
	PP_FURTHER=1
	export CC CXX GFORTRAN PPGCC RUN PP_FURTHER
}
