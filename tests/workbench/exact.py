"""Conversion in the exact style: for tests of exact rules, their helpers and how these are written.

In the plain style, the default, most uses are written without them.
"""

from __future__ import annotations

from functools import partial

import workbench
from workbench.targets import EXACT, load

TARGET = load("paddle", EXACT)

check = partial(workbench.check, target=TARGET)
convert = partial(workbench.convert, target=TARGET)
