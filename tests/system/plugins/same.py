# SPDX-License-Identifier: MIT
"""same.py SLICES CHROME: are the slices of perfetto.py those of ppctl trace --chrome, to a nanosecond? Prints how many, or the first that differs."""
import json
import sys

slices = []
for line in open (sys.argv[1]):
    s = json.loads (line)
    slices.append ((s["name"], json.dumps (s["args"], sort_keys=True), s["begin"], s["took"]))
chrome, begun = [], {}
for e in json.load (open (sys.argv[2]))["traceEvents"]:
    ns = lambda key: round (1000 * e[key])
    args = json.dumps (e.get ("args"), sort_keys=True)
    if e["ph"] == "X":
        chrome.append ((e["name"], args, ns ("ts"), ns ("dur")))
    elif e["ph"] == "i":
        chrome.append ((e["name"], args, ns ("ts"), None))
    elif e["ph"] == "b":
        begun[e["id"]] = (e["name"], args, ns ("ts"))
    elif e["ph"] == "e":
        name, args, at = begun.pop (e["id"])
        chrome.append ((name, args, at, ns ("ts") - at))
key = lambda s: (s[0], s[1], s[2], -1 if s[3] is None else s[3])
slices.sort (key=key)
chrome.sort (key=key)
for a, b in zip (slices, chrome):
    if a[:2] != b[:2] or abs (a[2] - b[2]) > 1 or (a[3] is None) != (b[3] is None) or (a[3] is not None and abs (a[3] - b[3]) > 2):
        print (a, "is not", b)
        sys.exit ()
print (len (slices) if len (slices) == len (chrome) else f"{len (slices)} are not {len (chrome)}")
