#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pprec_second.py FILE: a reader of recordings that was written from docs/recording.md, with nothing of ours. Prints JSON."""

import ctypes
import json
import struct
import sys

MAGIC = b"ppgcc\r\n\032"
VERSION = 6


def crc32c_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


TABLE = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def unpack_zstd(data, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(out, size, data, len(data)) != size:
        raise ValueError("zstd")
    return out.raw


def text(data, at):
    return data[at : data.index(b"\0", at)].decode()


def blocks(file):
    at = 0
    while at + 64 <= len(file):
        head = struct.unpack_from("<8sIIQIIIIQQII", file, at)
        magic, version, kind, size, stored, unpacked, coding, thread, first, last, content_crc, head_crc = head
        good = magic == MAGIC and version == VERSION and crc32c(file[at : at + 60]) == head_crc and at + size <= len(file)
        content = file[at + 64 : at + 64 + stored] if good else b""
        if not good:
            at += 64
            continue
        if crc32c(content) == content_crc:
            yield kind, thread, first, last, unpack_zstd(content, unpacked) if coding == 1 else content, at
        at += size


def items(content):
    at = 0
    while at + 16 <= len(content):
        place, size = struct.unpack_from("<QI", content, at)
        yield place, content[at + 16 : at + 16 + size]
        at += 16 + (size + 7 & ~7)


def wide(data, at):
    return int.from_bytes(data[at : at + 16], "little", signed=True)


def main():
    with open(sys.argv[1], "rb") as f:
        file = f.read()
    chunks, history, values, run, header, kinds = {}, {}, [], None, None, []
    for kind, _, _, last, content, _ in blocks(file):
        kinds.append(kind)
        if kind == 1:
            run = content[:16].hex(), text(content, 16)
            header = content[80:]
        if kind in (3, 4):
            for place, chunk in items(content):
                if place == 0:
                    header = chunk
                elif chunk:
                    chunks[place] = chunk
                else:
                    chunks.pop(place, None)
        if kind == 5:
            for _, chunk in items(content):
                history[struct.unpack_from("<I", chunk, 8)[0]] = chunk
        if kind == 6:
            values += [(last, place, chunk) for place, chunk in items(content)]
    start_ns, now_ns = struct.unpack_from("<Q", header, 56)[0], struct.unpack_from("<Q", header, 72)[0]
    tick = struct.unpack_from("<d", header, 80)[0]
    by_type = {}
    for place in sorted(chunks):
        kind = struct.unpack_from("<H", chunks[place], 4)[0]
        by_type.setdefault(kind, []).append(chunks[place])

    def number(chunk):
        return struct.unpack_from("<I", chunk, 8)[0]

    metrics = {number(c): c for c in by_type.get(2 + 1, [])}
    sites = {number(c): text(c, 64) for c in by_type.get(2, [])}
    bindings = {number(c): struct.unpack_from("<III", c, 16) for c in by_type.get(4, [])}
    names = {i: text(c, 88) for i, c in metrics.items()}

    def total(metric, shard):
        scale = struct.unpack_from("<d", metric, 24)[0] or tick
        return (struct.unpack_from("<d", shard, 64)[0] if metric[22] == 2 else wide(shard, 56)) * scale

    ends = {}
    for shard in by_type.get(7, []):
        binding = bindings.get(number(shard))
        if binding and struct.unpack_from("<I", shard, 20)[0] == struct.unpack_from("<I", metrics[binding[0]], 16)[0]:
            ends[names[binding[0]]] = ends.get(names[binding[0]], 0) + struct.unpack_from("<Q", shard, 48)[0]
    rows = []
    for last, place, chunk in values:
        binding = bindings.get(number(chunk)) if struct.unpack_from("<H", chunk, 4)[0] == 7 else None
        if not binding:
            continue
        n = struct.unpack_from("<Q", chunk, 48)[0]
        metric = metrics[binding[0]]
        rows.append(
            {
                "time_s": round((last - start_ns) * 1e-9, 6),
                "shard": place,
                "metric": names[binding[0]],
                "site": sites.get(binding[1]),
                "thread": struct.unpack_from("<I", chunk, 16)[0],
                "n": n,
                "total": total(metric, chunk) if n and metric[21] in (2, 3, 4, 5, 6) else None,
            }
        )
    samples = {}
    for chunk in by_type.get(27, []):
        n, sampler = struct.unpack_from("<I", chunk, 16)[0], struct.unpack_from("<I", chunk, 40)[0]
        for i in range(n):
            frame, periods = struct.unpack_from("<II", chunk, 48 + 32 * i + 16)
            samples.setdefault(sampler, []).append((frame, periods))
    frames = {}
    for chunk in by_type.get(26, []):
        for i in range(struct.unpack_from("<I", chunk, 16)[0]):
            frames[number(chunk) + i] = struct.unpack_from("<IIQ", chunk, 24 + 16 * i)

    def stack(frame):
        out = []
        while frame:
            frame, what, address = frames[frame]
            out.insert(0, sites[address] if what == 0xFFFFFFFF else hex(address))
        return ";".join(out)

    def counters(shard_place, at, epoch, words=64):
        """Sum of a shard's groups whose places are at AT."""
        out = 0
        for i in range(words):
            place = struct.unpack_from("<q", at, 8 * i)[0]
            group = chunks.get(shard_place + place - 64) if place else None
            if group and struct.unpack_from("<I", group, 20)[0]:
                out += counters(shard_place, group[64:], epoch)
            elif group and struct.unpack_from("<I", group, 16)[0] == epoch:
                out += sum(struct.unpack_from("<64Q", group, 64))
        return out

    buckets = {}
    for place, shard in chunks.items():
        binding = bindings.get(number(shard)) if struct.unpack_from("<H", shard, 4)[0] == 7 else None
        if not binding or metrics[binding[0]][21] != 5:
            continue
        epoch, name = struct.unpack_from("<I", shard, 20)[0], names[binding[0]]
        waits = metrics[binding[0]][22] == 1 and struct.unpack_from("<I", shard, 120)[0] != 0
        lost = struct.unpack_from("<Q", shard, 128)[0]
        buckets[name] = buckets.get(name, 0) + counters(place, shard[136:], epoch, 127) + waits + lost
    json.dump(
        {
            "looks": sum(periods for _, periods in samples.get(2, [])),
            "stacks": sorted({stack(frame) for frame, _ in samples.get(2, []) if frame}),
            "buckets": buckets,
            "run": run[0],
            "host": run[1],
            "program": text(header, 216),
            "pid": struct.unpack_from("<I", header, 32)[0],
            "measured_s": round((now_ns - start_ns) * 1e-9, 6),
            "n": ends,
            "sites": sorted(sites.values()),
            "history": [text(history[i], 64) for i in sorted(history)],
            "values": rows,
            "blocks": kinds,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
