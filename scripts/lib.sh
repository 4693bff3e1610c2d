# SPDX-License-Identifier: MIT
# lib.sh: what scripts/test and scripts/demo share; sourced by bash. Needs nothing that a bare Debian 12 lacks.
#
#   pp_top, pp_build     the source tree; the build tree ($BUILD, default build/ in the source tree)
#   pp_say, pp_die       progress on standard output; the end, with what is wrong and what to do
#   pp_need PACKAGE...   installs what is missing, saying so first
#   pp_build_packages, pp_compiler_packages   Debian's names of what the build, and the tests of the plugin, need
#   pp_aarch64_libraries  what the library for aarch64 is linked with, into the build tree
#   pp_configure ARG...  bootstraps and configures, where that was not done before
#   pp_make TARGET...    make -j, quietly; its output is shown when it fails; pp_make_shown says how far it is
#   pp_count_tap STATUS, pp_count_suite STATUS   results in TAP, or in what make check printed, read from standard input

pp_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pp_build=${BUILD:-$pp_top/build}
case $pp_build in /*) ;; *) pp_build=$PWD/$pp_build ;; esac
export LC_ALL=C.UTF-8

pp_say () {
	printf '%s\n' "$*"
}

pp_die () {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

pp_has_package () {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The packages among the arguments that are not installed
pp_missing () {
	local package
	for package; do
		pp_has_package "$package" || printf '%s ' "$package"
	done
}

pp_need () {
	local missing root=()

	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		pp_say "This is no Debian: going on with the tools that are here. Debian's names of what is needed: $*"
		return
	fi
	missing=$(pp_missing "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || pp_die "these packages are missing: $missing
  There is no sudo here: run as root   apt-get install --no-install-recommends $missing"
		root=(sudo)
	fi
	pp_say "Installing missing Debian packages: $missing"
	# sudo drops the environment: DEBIAN_FRONTEND goes with the command
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update ||
		pp_say "apt-get update failed; trying with the lists that are here"
	# shellcheck disable=SC2086 # a list
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >"${TMPDIR:-/tmp}/ppgcc-apt.$$" 2>&1 || {
		cat "${TMPDIR:-/tmp}/ppgcc-apt.$$" >&2
		pp_die "apt-get could not install $missing; is a package mirror reachable, and is this Debian 12 or newer?"
	}
	rm -f "${TMPDIR:-/tmp}/ppgcc-apt.$$"
}

# What every build needs
pp_build_packages () {
	echo gcc g++ "$(pp_plugin_package)" libc6-dev make autoconf automake libtool pkg-config libyaml-dev
}

# The plugin headers of the compiler in use; where none is installed yet, of Debian 12's
pp_plugin_package () {
	local major
	major=$("${CC:-gcc}" -dumpversion 2>/dev/null | sed 's/\..*//') || true
	echo "gcc-${major:-12}-plugin-dev"
}

# The other compilers that the plugin is built for and tested with: an older GCC, and one for another CPU with what runs its programs
pp_compiler_packages () {
	echo gfortran gcc-11 g++-11 gfortran-11 gcc-11-plugin-dev \
		gcc-12-plugin-dev-aarch64-linux-gnu g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu qemu-user
}

# Debian's libyaml for aarch64, unpacked into the build tree: nothing of it is installed, and apt's own lists stay as they are.
pp_aarch64_libraries () {
	local root=$pp_build/aarch64-root work=$pp_build/aarch64-packages package options
	[ -f "$root/usr/include/yaml.h" ] && return
	command -v apt-get >/dev/null || return
	pp_say "Fetching libyaml for aarch64 into $root"
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$root"
	options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
		-o Dir::State::status=/dev/null -o APT::Sandbox::User="$(id -un)")
	(cd "$work" && apt-get "${options[@]}" update && apt-get "${options[@]}" download libyaml-dev libyaml-0-2) >"$work/log" 2>&1 || {
		tail -n 5 "$work/log" >&2
		return 1
	}
	for package in "$work"/*.deb; do
		dpkg -x "$package" "$root" || return
	done
}

# Runs a command with its output in a file, and shows the end of it when it fails. pp_quiet NAME COMMAND...
pp_quiet () {
	local log=$pp_build/$1.log
	shift
	mkdir -p "$pp_build"
	"$@" >"$log" 2>&1 || {
		tail -n 40 "$log" >&2
		pp_say "failed: $*   (all of its output: $log)" >&2
		return 1
	}
}

pp_configure () {
	[ -w "$pp_top" ] || pp_die "$pp_top is not writable for $(id -un); configure is made there"
	if [ ! -x "$pp_top/configure" ] || [ "$pp_top/configure.ac" -nt "$pp_top/configure" ]; then
		pp_say "bootstrap"
		pp_quiet bootstrap "$pp_top/bootstrap" || return 1
	fi
	if [ ! -f "$pp_build/config.status" ] || [ "$(cat "$pp_build/configured" 2>/dev/null)" != "$*" ]; then
		pp_say "configure in $pp_build"
		mkdir -p "$pp_build"
		# the shell that libtool is run by: Debian's /bin/sh starts processes at half the cost of bash, and libtool starts 200 to link a program
		(cd "$pp_build" && CONFIG_SHELL=${CONFIG_SHELL:-/bin/sh} pp_quiet configure "$pp_top/configure" "$@") || return 1
		echo "$*" >"$pp_build/configured"
	fi
}

pp_make () {
	pp_quiet "make-$(echo "$1" | tr / -)" make -C "$pp_build" -j"$(nproc)" "$@"
}

# pp_make, and how far it is: on a terminal in one line that changes, else a line for each tenth.
pp_make_shown () {
	local log=$pp_build/make.log total terminal=
	[ ! -t 1 ] || terminal=1
	total=$(make -n -C "$pp_build" "$@" 2>/dev/null | grep -c 'echo "  [A-Z]') || total=0
	make -C "$pp_build" -j"$(nproc)" "$@" 2>&1 | tee "$log" | awk -v total="$total" -v terminal="$terminal" '
		/^  [A-Z]/ {
			share = total ? int (100 * ++n / total) : 0
			share = share > 100 ? 100 : share
			if (terminal) printf "\r\033[Kmake  %3d %%  %.60s", share, $2
			else if (int (share / 10) > tenth) { tenth = int (share / 10); print "make  " 10 * tenth " %" }
			fflush ()
		}
		END { if (terminal) printf "\r\033[K" }'
	[ "${PIPESTATUS[0]}" = 0 ] && return
	tail -n 40 "$log" >&2
	pp_say "failed: make $*   (all of its output: $log)" >&2
	return 1
}

# Both print "PASSED FAILED SKIPPED" of the text on standard input; STATUS is the exit status of what printed it. What broke without a result
# of its own, and what had no result at all, is a failure: nothing may count as passed because it did not run.
pp_count_tap () {
	awk -v status="$1" '
		/^ok .*# SKIP/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok |^Bail out/ { failed++ }
		END {
			if ((status != 0 && failed == 0) || passed + failed + skipped == 0)
				failed++
			print passed + 0, failed + 0, skipped + 0
		}'
}

# A program with failed results also exits with status 1, which automake counts once more; it is not.
pp_count_suite () {
	awk -v status="$1" '
		/^SKIP: / { skipped++ }
		/^PASS: / { passed++ }
		/^FAIL: / { known[$2] = 1 }
		/^ERROR: .* - exited with status 1$/ && $2 in known { next }
		/^(FAIL|ERROR|XPASS): / { failed++ }
		END {
			if ((status != 0 && failed == 0) || passed + failed + skipped == 0)
				failed++
			print passed + 0, failed + 0, skipped + 0
		}'
}
