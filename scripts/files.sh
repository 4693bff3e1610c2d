# SPDX-License-Identifier: MIT
# files.sh: pp_files lists the source files below the current directory, one per line, sorted: what git tracks or would track, or, in an
# unpacked tarball, all but builds. Sourced by the checks; POSIX. (safe.directory: root may check a user's clone.)
pp_files () {
	if [ -e .git ] && command -v git >/dev/null; then
		git -c safe.directory="$PWD" ls-files -co --exclude-standard
	else
		find . \( -name 'build*' ! -name build-aux -o -name .git -o -name demo-out \) -prune -o -type f -print | sed 's|^\./||'
	fi | while IFS= read -r pp_file; do
		# deleted but still tracked; or of a build, wherever it was configured
		[ ! -f "$pp_file" ] || [ -f "${pp_file%%/*}/config.status" ] || printf '%s\n' "$pp_file"
	done | LC_ALL=C sort
}
