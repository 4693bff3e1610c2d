# SPDX-License-Identifier: MIT
# ppctl: reports on recordings, lists the sites of binaries, checks policies.
