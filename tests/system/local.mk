# SPDX-License-Identifier: MIT
# tests/system: whole programs under policies, in processes of their own.
