#!/bin/bash
# SPDX-License-Identifier: MIT
# schema.sh: the JSON Schema of policies and the library's reader accept and refuse the same documents; every policy of this tree passes the schema.
. "$srcdir/tests/tools/tap.sh"

here=$srcdir/tests/system/policies
for needed in yaml jsonschema; do
	if ! python3 -c "import $needed" 2>/dev/null; then
		tap_skip "the schema and the library's reader say the same" "python3-$needed is missing"
		tap_done
		exit
	fi
done
# those of tests/plugin, libc.yaml, libstdcxx.yaml and *.features.yaml say what the plugin instruments, wrong.yaml is wrong
mapfile -t policies < <(find "$srcdir/samples" "$srcdir/tests/system" "$srcdir/tests/cross" -name "*.yaml" ! -name wrong.yaml ! -name "lib*.yaml" ! -name "*.features.yaml" | sort)
exec python3 "$here/compare.py" "$builddir/assertions/language/policy.schema.json" "$PPCTL" "$here/good.txt" "$here/bad.txt" "$here/beyond.txt" "${policies[@]}"
