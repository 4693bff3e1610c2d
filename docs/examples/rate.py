#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rate.py RECORDING METRIC: how often and how large METRIC was, second by second, over all sites and threads.

Rows of values count from the start, shard by shard (what one thread has of a metric at a site): the difference of two times is
what came between. What a thread had goes to the shard of thread 0 when it ends.
"""

import sys

import pprec


def steps(recording, metric):
    """(time_s, samples, total) of each step of time."""
    newest, before, time = {}, (0, 0.0), None
    for row in recording.values():
        if row["metric"] != metric:
            continue
        if time is not None and row["time_s"] != time:
            now = tuple(map(sum, zip(*newest.values())))
            yield time, now[0] - before[0], now[1] - before[1]
            before = now
        time = row["time_s"]
        newest[row["shard"]] = (row["n"], row["total"] or 0.0)
    if time is not None:
        now = tuple(map(sum, zip(*newest.values())))
        yield time, now[0] - before[0], now[1] - before[1]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with pprec.open(sys.argv[1]) as recording:
        print(f"{'time s':>10} {'samples':>12} {'mean':>12}")
        for time, n, total in steps(recording, sys.argv[2]):
            print(f"{time:10.1f} {n:12d} {total / n if n else float('nan'):12.6g}")


if __name__ == "__main__":
    main()
