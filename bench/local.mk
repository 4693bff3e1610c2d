# SPDX-License-Identifier: MIT
# bench: what markers cost. Nothing here is a test: a busy machine is not a bug.
