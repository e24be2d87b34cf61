"""Random edits of real files: half-typed code is read without a stumble, and places stay inside."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.property.test_programs import bounded
from workbench import SourceError, TorchferryError, apply_edits, check_analysis, convert
from workbench.source.analysis import analyse

_TORCH = importlib.util.find_spec("torch")
assert _TORCH is not None and _TORCH.origin is not None  # found, and not imported
TEXTS = [
    (Path(_TORCH.origin).parent / name).read_text(encoding="utf-8")[:9_000]
    for name in ("nn/modules/linear.py", "nn/modules/rnn.py", "optim/sgd.py")
]
PIECES = st.sampled_from(
    [
        "",
        "(",
        ")",
        "[",
        "'",
        '"""',
        "#",
        "\n",
        "\r",
        "\\\n",
        "\t",
        "\x0c",
        "é",
        "😀",
        "x.",
        "torch.",
        "torch.stack([x], dim=1)",
        "def f(",
        "    ",
        "*",
        ":",
        "=",
        "lambda",
        "f'{",
        "import torch\n",
        "# torchferry: ignore",
        "%%time\n",
        "\u2028",
        "\0",
    ]
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), PIECES), min_size=1, max_size=4)


@bounded
@given(st.sampled_from(TEXTS), EDITS)
def test_edited_files_are_read(text: str, edits: list[tuple[float, int, str]]) -> None:
    analysis = analyse(text)
    for share, length, piece in edits:
        at = int(share * len(text))
        text = text[:at] + piece + text[at + length :]
        analysis = analyse(text, analysis)
        lines = analysis.lines
        for finding in check_analysis(analysis)[:40]:
            start, end = finding.range.start, finding.range.end
            assert start <= end
            assert end.line < len(lines) and end.column <= len(lines.line(end.line))
    try:
        conversion = convert(text)
    except (SourceError, TorchferryError):
        return
    assert apply_edits(text, conversion.edits) == conversion.code
    touched = {
        line
        for edit in conversion.edits
        for line in range(edit.range.start.line, edit.range.end.line + 1)
    }
    kept = [line for n, line in enumerate(text.split("\n")) if n not in touched]
    new = iter(conversion.code.split("\n"))
    assert "\r" in text or all(any(line == other for other in new) for line in kept)
