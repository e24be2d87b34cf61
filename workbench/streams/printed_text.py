"""Comparison of printed output: equal wording, and numbers equal up to rounding."""

from __future__ import annotations

import re
import tempfile

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|(?<![\w.])[-+]?\b(?:inf|nan)\b"
)
_TENSOR_TAIL = re.compile(
    r",\s*(?:grad_fn=<\w+>|requires_grad=True|dtype=torch\.\w+|device='\w+(?::\d+)?')(?=[,)])"
)
_SIZE = re.compile(r"torch\.Size\((\[[^\]]*\])\)")
_PAIR = re.compile(r"\btorch\.return_types\.\w+\(")
_ADDRESS = re.compile(r"<(?:[\w<>]+\.)*(\w+) object at 0x[0-9a-f]+>")
# Files and folders of the module tempfile: a prefix and eight random characters.
_TEMPORARY = re.compile(rf"({re.escape(tempfile.gettempdir())}/[\w.-]*?)[a-z0-9_]{{8}}(?![\w-])")
_BUILD = re.compile(r"(?<=\d)\+(?:cpu|cu\d+|rocm[\d.]+)\b")  # of torch, after its version
RELATIVE = 1e-3  # relative difference allowed for printed numbers
_NOISE = 1e-6  # smaller numbers on both sides are rounding, as for tensors
_TENSOR_PLACES = 4  # digits to which torch rounds when it prints a tensor
_TIMED = re.compile(r"(?i)\b(?:time[ds]?|took|elapsed|sec\w*|m?s|min\w*)\b|/s\b|\d(?:m?s|sec)\b")


def described(module: object) -> str:
    """Return the text that replaces a printed module, as each framework has its own wording."""
    return "<module>"


def difference(
    torch_text: str, target_text: str, relative: float = RELATIVE, *, timed: bool = False
) -> str:
    """Return a description of the first pair of lines that differ, or "".

    `target_text` already has torch's spelling. Numbers may differ by `relative`, or by one unit in
    the last printed digit; whitespace within a line is ignored. With `timed`, lines that mention
    time may differ in their numbers.
    """
    left, right = (_normal(text).split("\n") for text in (torch_text, target_text))
    for number, (a, b) in enumerate(zip(left, right, strict=False), 1):
        clock = timed and _TIMED.search(a) and _words(a) == _words(b)
        if not clock and not _same_line(a, b, relative):
            return f"line {number} of the output: {_cut(a)!r} in torch, {_cut(b)!r} in the target"
    if len(left) != len(right):
        return f"torch prints {len(left)} line(s), the target {len(right)}"
    return ""


def largest_difference(one: str, other: str) -> float:
    """Return the largest relative difference of the numbers in two texts of equal wording."""
    one, other = _normal(one), _normal(other)
    if _words(one) != _words(other):
        return 0.0
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    gaps = (abs(float(a) - float(b)) / max(abs(float(a)), abs(float(b)), _NOISE) for a, b in pairs)
    return max((gap for gap in gaps if gap == gap), default=0.0)


def _normal(text: str) -> str:
    text = _TEMPORARY.sub(r"\1", _BUILD.sub("", text))
    text = _ADDRESS.sub(r"<\1>", _PAIR.sub("Pair(", _SIZE.sub(r"\1", text)))
    while (shorter := _TENSOR_TAIL.sub("", text)) != text:
        text = shorter
    # A tensor's own line breaks depend on the width of its numbers.
    text = re.sub(r"\n\s*(?=\[|\w+=tensor\()|(?<=,)\s*\n\s*(?=[-+.\dnifTF])", " ", text)
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def _same_line(a: str, b: str, relative: float) -> bool:
    if a == b:
        return True
    if _words(a) != _words(b):
        return False
    ours, theirs = _NUMBER.findall(a), _NUMBER.findall(b)
    return len(ours) == len(theirs) and all(
        _same_number(x, y, relative) for x, y in zip(ours, theirs, strict=True)
    )


def _words(line: str) -> str:
    return re.sub(r"\s+", "", _NUMBER.sub("0", line))


def _same_number(a: str, b: str, relative: float) -> bool:
    x, y = float(a), float(b)
    if x == y or (x != x and y != y):
        return True
    if "." not in a + b and "e" not in (a + b).lower():
        return False  # integers are exact
    if abs(x) < _NOISE and abs(y) < _NOISE:
        return True
    ours, theirs = (len(text.partition(".")[2].partition("e")[0]) for text in (a, b))
    if theirs > ours == _TENSOR_PLACES:
        limit = 0.51 * 10.0**-ours
    else:
        limit = 1.01 * 10.0 ** -max(ours, theirs)
    return abs(x - y) <= max(relative * max(abs(x), abs(y)), limit)


def _cut(line: str) -> str:
    return line if len(line) <= 60 else line[:57] + "…"
