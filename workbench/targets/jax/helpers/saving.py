"""Files of values, in the format of Python."""

import pickle
from contextlib import nullcontext
from pathlib import Path


def torch_save(value, file):
    """Write a value to a path or to an open file."""
    with nullcontext(file) if hasattr(file, "write") else Path(file).open("wb") as out:
        pickle.dump(value, out)


def torch_load(file):
    """Read a value that `torch_save` wrote."""
    with nullcontext(file) if hasattr(file, "read") else Path(file).open("rb") as held:
        return pickle.load(held)
