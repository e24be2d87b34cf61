"""Names of tensor members that other common types have too."""

from __future__ import annotations

import argparse
import collections
import datetime
import importlib
import io
import logging
import pathlib
import random
import re
import threading
from typing import Final

_STANDARD: Final[tuple[type, ...]] = (
    *(str, bytes, bytearray, list, dict, set, frozenset, tuple, range, int, float, complex),
    *(io.TextIOWrapper, io.BufferedReader, io.BytesIO, io.StringIO, re.Pattern, re.Match),
    *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta),
    *(pathlib.Path, pathlib.PurePath, threading.Thread, threading.Event, threading.Condition),
    *(threading.Semaphore, collections.deque, collections.Counter, collections.OrderedDict),
    *(collections.defaultdict, collections.ChainMap, random.Random),
    *(argparse.ArgumentParser, argparse.Namespace, logging.Logger, logging.Handler),
)
_INSTALLED: Final = (
    *("numpy.ndarray", "numpy.generic", "numpy.ma.MaskedArray", "numpy.random.Generator"),
    *("pandas.DataFrame", "pandas.Series", "pandas.Index", "pandas.Timestamp"),
    *("pandas.api.typing.DataFrameGroupBy", "pandas.api.typing.SeriesGroupBy"),
    *("PIL.Image.Image", "scipy.sparse.csr_matrix", "scipy.sparse.coo_matrix"),
    *("scipy.sparse.csr_array", "scipy.sparse.coo_array"),
)


def shared_members(tensor_members: set[str], seen: list[str]) -> list[str]:
    """Return the tensor members that other types have.

    Names in `seen` are kept: a name that a type had in one version stays ambiguous, and the result
    must not depend on whether pandas is installed.
    """
    names = set(seen)
    for kind in _STANDARD:
        names |= set(dir(kind))
    for path in _INSTALLED:
        module, _, name = path.rpartition(".")
        try:
            names |= set(dir(getattr(importlib.import_module(module), name)))
        except (ImportError, AttributeError):
            continue
    return sorted(names & tensor_members)
