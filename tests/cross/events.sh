#!/bin/bash
# SPDX-License-Identifier: MIT
# The events of tests/plugin/events.sh, compiled for aarch64 and run under qemu, with patch and guard markers.
. "$srcdir/tests/tools/tap.sh"
. "$srcdir/tests/cross/cross.sh"
cross aarch64 "programs for aarch64 have the same events with and without the plugin"
exec bash "$srcdir/tests/plugin/events.sh"
