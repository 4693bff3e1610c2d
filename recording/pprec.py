# SPDX-License-Identifier: MIT
"""pprec: reads recordings of programs that were built with ppgcc; rows are dicts.

    import pprec

    with pprec.open("run.pprec") as recording:
        print(recording.info["program"], recording.info["measured_s"], "s")
        for value in recording.values():
            print(value["time_s"], value["metric"], value["site"], value["n"], value["total"])

Times are seconds since the start; figures are in the metric's unit; None is unknown. It needs libpprec, which is looked for as the
dynamic linker does, or where the environment's PPREC_LIBRARY says.
"""

import ctypes
import math
import os

__all__ = ["Error", "Recording", "open"]


class Error(Exception):
    """A recording that can't be read; its text says why."""


class _Info(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("run", ctypes.c_char * 33),
        ("host", ctypes.c_char_p),
        ("program", ctypes.c_char_p),
        ("pid", ctypes.c_uint32),
        ("state", ctypes.c_uint32),
        ("started", ctypes.c_double),
        ("measured", ctypes.c_double),
        ("damage", ctypes.c_char_p),
        ("start_ns", ctypes.c_uint64),
        ("lost_values", ctypes.c_uint64),
        ("lost_s", ctypes.c_double),
    ]


class _Metric(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("accumulator", ctypes.c_char_p),
    ]


class _Site(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_uint32),
        ("line", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
    ]


class _Event(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_uint32),
        ("time_s", ctypes.c_double),
        ("kind", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("value", ctypes.c_double * 4),
    ]


class _Value(ctypes.Structure):
    _fields_ = [
        ("time_s", ctypes.c_double),
        ("shard", ctypes.c_uint64),
        ("metric", ctypes.c_uint32),
        ("site", ctypes.c_uint32),
        ("thread", ctypes.c_uint32),
        ("epoch", ctypes.c_uint32),
        ("n", ctypes.c_uint64),
        ("total", ctypes.c_double),
        ("last", ctypes.c_double),
        ("min", ctypes.c_double),
        ("max", ctypes.c_double),
    ]


class _Sample(ctypes.Structure):
    _fields_ = [
        ("metric", ctypes.c_uint32),
        ("site", ctypes.c_uint32),
        ("thread", ctypes.c_uint32),
        ("shard", ctypes.c_uint64),
        ("index", ctypes.c_uint64),
        ("value", ctypes.c_double),
    ]


class _Block(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_char_p),
        ("offset", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("content_bytes", ctypes.c_uint64),
        ("thread", ctypes.c_uint32),
        ("first_s", ctypes.c_double),
        ("last_s", ctypes.c_double),
        ("content", ctypes.c_void_p),
    ]


_STATES = {1: "being written", 2: "complete", 3: "left by a process that died"}
_library = None


def _load():
    global _library
    if _library is None:
        lib = ctypes.CDLL(os.environ.get("PPREC_LIBRARY", "libpprec.so.0"))
        handle = ctypes.c_void_p
        lib.pprec_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(handle), ctypes.c_char_p, ctypes.c_size_t]
        lib.pprec_close.argtypes = [handle]
        lib.pprec_close.restype = None
        lib.pprec_info_get.argtypes = [handle, ctypes.POINTER(_Info)]
        lib.pprec_info_get.restype = None
        for name, row in (("metric", _Metric), ("site", _Site), ("event", _Event)):
            getattr(lib, f"pprec_{name}_get").argtypes = [handle, ctypes.c_size_t, ctypes.POINTER(row)]
        lib.pprec_value_next.argtypes = [handle, ctypes.POINTER(_Value)]
        lib.pprec_value_rewind.argtypes = lib.pprec_block_rewind.argtypes = [handle]
        lib.pprec_value_rewind.restype = lib.pprec_block_rewind.restype = None
        lib.pprec_sample_next.argtypes = [handle, ctypes.POINTER(_Sample)]
        lib.pprec_sample_rewind.argtypes = [handle]
        lib.pprec_sample_rewind.restype = None
        lib.pprec_block_next.argtypes = [handle, ctypes.POINTER(_Block)]
        lib.pprec_statistic.argtypes = [handle, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_char_p]
        lib.pprec_statistic.restype = ctypes.c_double
        _library = lib
    return _library


def _plain(value):
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, ctypes.Array):
        return [_plain(v) for v in value]
    return value


def _row(struct):
    return {name: _plain(getattr(struct, name)) for name, _ in struct._fields_}


class Recording:
    """An open recording. Use it in a with statement, or call close()."""

    def __init__(self, path):
        self._lib = _load()
        self._handle = ctypes.c_void_p()
        why = ctypes.create_string_buffer(1024)
        if self._lib.pprec_open(os.fsencode(path), ctypes.byref(self._handle), why, len(why)) < 0:
            self._handle = None
            raise Error(why.value.decode("utf-8", "replace"))
        self._metrics = {row["id"]: row["name"] for row in self.metrics()}
        self._sites = {row["id"]: row["name"] for row in self.sites()}

    def close(self):
        if self._handle:
            self._lib.pprec_close(self._handle)
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self.close()

    def _open(self):
        if not self._handle:
            raise Error("the recording is closed")
        return self._handle

    @property
    def info(self):
        """Whose it is: run, host, program, pid, state, started_unix_s, measured_s, damage, start_ns, lost_values, lost_s."""
        info = _Info(size=ctypes.sizeof(_Info))
        self._lib.pprec_info_get(self._open(), ctypes.byref(info))
        row = _row(info)
        del row["size"]
        row["state"] = _STATES.get(row["state"], "unknown")
        row["started_unix_s"] = row.pop("started")
        row["measured_s"] = row.pop("measured")
        return row

    def _rows(self, name, kind):
        get = getattr(self._lib, f"pprec_{name}_get")
        row, i = kind(), 0
        while get(self._open(), i, ctypes.byref(row)) > 0:
            yield _row(row)
            i += 1

    def metrics(self):
        """Rows: id, name, source, unit, accumulator."""
        return self._rows("metric", _Metric)

    def sites(self):
        """Rows: id, line, name, kind."""
        return self._rows("site", _Site)

    def history(self):
        """Rows: id, time_s, kind, name, text, value: what happened, in its order."""
        return self._rows("event", _Event)

    def _next(self, name, row):
        more = getattr(self._lib, f"pprec_{name}_next")(self._open(), ctypes.byref(row))
        if more < 0:
            raise Error("the recording can't be read any further")
        return more > 0

    def values(self):
        """Rows: time_s, shard, metric, site, thread, epoch, n, total, last, min, max, from the start to that time.

        One pass at a time: who begins another one ends the first.
        """
        value = _Value()
        self._lib.pprec_value_rewind(self._open())
        while self._next("value", value):
            row = _row(value)
            row["metric"] = self._metrics.get(row["metric"])
            row["site"] = self._sites.get(row["site"])
            yield row

    def samples(self):
        """Rows of unbounded series: metric, site, thread, shard, index, value; a series' in their order."""
        sample = _Sample()
        self._lib.pprec_sample_rewind(self._open())
        while self._next("sample", sample):
            row = _row(sample)
            row["metric"] = self._metrics.get(row["metric"])
            row["site"] = self._sites.get(row["site"])
            yield row

    def blocks(self):
        """Rows: type, offset, bytes, content_bytes, thread, first_s, last_s, content (bytes, of streams)."""
        block = _Block()
        self._lib.pprec_block_rewind(self._open())
        while self._next("block", block):
            row = _row(block)
            row["content"] = ctypes.string_at(block.content, block.content_bytes) if block.content else None
            yield row

    def statistic(self, metric, statistic, site=None):
        """The statistic ("avg", "p99" ...) of a metric, by its name, at the end; None: unknown."""
        for number, name in self._metrics.items():
            if name == metric:
                break
        else:
            raise KeyError(metric)
        at = 0xFFFFFFFF
        if site is not None:
            at = next((i for i, name in self._sites.items() if name == site), None)
            if at is None:
                raise KeyError(site)
        return _plain(self._lib.pprec_statistic(self._open(), number, at, statistic.encode()))


def open(path):  # pylint: disable=redefined-builtin
    """Opens a recording; Error says why it can't be read."""
    return Recording(path)
