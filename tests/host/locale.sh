#!/bin/bash
# SPDX-License-Identifier: MIT
# locale.sh: a host with a decimal comma: the library reads and writes numbers with a point, and the host goes on with its comma.
. "$srcdir/tests/tools/tap.sh"
tap_one_thread "a locale with a decimal comma"
tap_dir
cd "$tap_dir" || exit 99
if ! command -v localedef >/dev/null || ! localedef -i de_DE -f UTF-8 ./comma >/dev/null 2>&1; then
	tap_skip "a locale with a decimal comma" "localedef or its sources (Debian's package locales) are missing"
	tap_done
fi
# shellcheck disable=SC2086
"$CC" -O2 $PPGCC_FLAGS $SANITIZER_FLAGS -I"$srcdir/include" -o decimal "$srcdir/tests/host/programs/decimal.c" \
	-L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
cat >policy.yaml <<EOF
version: 1
metrics:
  half: {point: "constant:2.5", keep: stats}
bind:
  - {metric: half, sites: ["work/given"]}
assertions:
  high: {at: work/given, expect: values.last <= 1.25 * half.avg, on_fire: [{log: warning}]}
EOF
out=$(LOCPATH=$tap_dir PP_THREADS=0 PP_POLICY='' ./decimal policy.yaml 2>err)
tap_has "the host has a comma" "$out" '^the host prints 0,5$'
tap_has "a policy's numbers have a point" "$out" '^policy: (success|no error|ok)'
tap_has "so have messages" "$(cat err)" 'high fired.*values.last <= 1.25 \* half.avg: left 4, right 3\.12'
tap_has "and reports" "$out" 'half: stats of constant:2.5'
tap_is "no figure of the library's has a comma" "$(printf '%s\n' "$out" "$(cat err)" | grep -v 'the host' | grep -E '[0-9],[0-9]')" ""
tap_has "a callback of the host's has the host's locale" "$out" "^the host's callback prints 4,5 for high$"
tap_done
