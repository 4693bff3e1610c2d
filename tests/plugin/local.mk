# SPDX-License-Identifier: MIT
# tests/plugin: what the plugin says about sources, and what it makes of them. Scripts: TESTS += tests/plugin/NAME.sh
