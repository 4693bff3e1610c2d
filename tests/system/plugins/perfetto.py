# SPDX-License-Identifier: MIT
"""perfetto.py TRACE: reads a trace of Perfetto's, by the format of protocol buffers and the numbers of its fields, and prints each slice of each track as
JSON, a line each: {"name", "track", "begin", "took", "args"}, took null where it is an instant. A slice ends with the newest end of its track."""
import json
import struct
import sys


def fields (data):
    at = 0

    def integer ():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len (data):
        key = integer ()
        if key & 7 == 0:
            yield key >> 3, integer ()
        elif key & 7 == 1:
            yield key >> 3, struct.unpack ("<d", data[at:at + 8])[0]
            at += 8
        elif key & 7 == 2:
            n = integer ()
            assert at + n <= len (data)
            yield key >> 3, data[at:at + n]
            at += n
        else:
            raise ValueError (f"type {key & 7}")


def signed (value):
    return value - (1 << 64) if value >> 63 else value


def annotation (data):
    f = dict (fields (data))
    name = f.pop (10).decode ()
    (number, value), = f.items ()
    return name, {2: bool, 4: signed, 5: float, 6: lambda v: v.decode (), 7: hex}[number] (value)


tracks, open_slices = {1: "process"}, {}
for number, packet in fields (open (sys.argv[1], "rb").read ()):
    assert number == 1
    p = dict (fields (packet))
    assert p[10] == 1
    if 60 in p:
        t = dict (fields (p[60]))
        if 4 in t:
            tracks[t[1]] = "thread %d" % dict (fields (t[4]))[2]
        elif 3 in t:
            tracks[t[1]] = "process " + dict (fields (t[3]))[6].decode ()
        else:
            tracks[t[1]] = tracks[t[5]] + "/" + t[2].decode ()
        continue
    event, args = {}, {}
    for number, value in fields (p[11]):
        if number == 4:
            name, value = annotation (value)
            args[name] = value
        else:
            event[number] = value
    track = event[11]
    assert track in tracks, "a track that was not described"
    if event[9] == 2:
        slice = open_slices[track].pop ()
        assert p[8] >= slice["begin"]
        slice["took"] = p[8] - slice["begin"]
        print (json.dumps (slice))
        continue
    slice = {"name": event[23].decode (), "track": tracks[track], "begin": p[8], "took": None, "args": args}
    if event[9] == 1:
        stack = open_slices.setdefault (track, [])
        assert not stack or stack[-1]["begin"] <= p[8]
        stack.append (slice)
    else:
        print (json.dumps (slice))
assert not any (open_slices.values ())
