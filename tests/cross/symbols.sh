#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/plugin/symbols.sh for the compiler for aarch64.
. "$srcdir/tests/tools/tap.sh"
. "$srcdir/tests/cross/cross.sh"
cross aarch64 "the plugin finds what it asks of the compiler for aarch64"
exec bash "$srcdir/tests/plugin/symbols.sh"
