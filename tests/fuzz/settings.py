"""Fuzzes the reading of `[tool.torchferry]` with hostile pyproject.toml files.

    python -m tests.fuzz.settings --count 20000

Settings are read, or there is a message on one line that names the file. What was read is used on
hostile paths without a stumble, and a project's rules are found inside the project and never run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.fuzz.harness import run
from workbench import TorchferryError, check
from workbench.convert.configuration.settings import settings_for

_KEYS = (
    "target",
    "version",
    "exclude",
    "severities",
    "helpers",
    "rules",
    "severities.TF300",
    "models",
    'models."m.py:Net"',
    "extra",
    '"a b"',
    '"\\u0000"',
    "''",
    "exclude.x",
    "target.y.z",
    "Target",
)
_VALUES = (
    '"paddle"',
    '"paddle==3.1"',
    '"paddle==99999999999999999999.1"',
    '"paddle=="',
    '"torch"',
    '""',
    '"paddle==3.1\\n"',
    '"../../../x"',
    '"\\u001b[31mred"',
    '"module"',
    '"inline"',
    '"rules.py"',
    '"../outside.py"',
    '"/etc/passwd"',
    '"rules"',
    '"a..b"',
    '"."',
    '"rules.py\\u0000"',
    "0",
    "-1",
    "1e999",
    "nan",
    "true",
    "1979-05-27T07:32:00Z",
    "9" * 5000,
    "0x" + "f" * 4000,
    "[]",
    "{}",
    '["*"]',
    '["**"]',
    '["third_party", "tests/**/golden_*.py"]',
    '["a*b?c", 1]',
    '[[["x"]]]',
    '["' + "*a" * 40 + '*b"]',
    '["' + "**/" * 30 + 'x"]',
    '["[", "(", "\\\\", "{a,b}", "[!a]"]',
    '["\\u0000", "\\n", "/", "//", "./", "..", "~"]',
    '["' + "a" * 20000 + '"]',
    '{ TF300 = "off", TF102 = "error" }',
    '{ TF001 = "off" }',
    '{ TF499 = "off" }',
    '{ X = "off" }',
    "{ TF300 = 1 }",
    '{ TF300 = ["off"] }',
    "{ TF300 = {} }",
    '{ "TF4\\n" = "off" }',
    '{ port = "p.py:Net", inputs = ["2x3"], steps = 3 }',
    '{ "m.py:Net" = { port = "p\\u0000.py:Net" } }',
    '{ "\\n:\\u0000(" = {} }',
    "[" * 30 + "]" * 30,
    "[" * 3000 + "]" * 3000,
    "{a=" * 200 + "1" + "}" * 200,
    '"""\n"""',
    "'''x'''",
    '"unended',
    "[1,",
    "é",
    '"\\ud800"',
    '"😀\\U0010ffff"',
)
_LINES = (
    "[tool.torchferry]",
    "[tool.torchferry.severities]",
    "[[tool.torchferry]]",
    "tool = 1",
    "[tool]\ntorchferry = 3",
    "[tool]\ntorchferry = []",
    "[tool.torchferry.exclude]",
    "[tool.other]",
    "# torchferry",
    "[project]\nname = 'x'",
    "[tool.torchferry",
    "=",
    "\x00",
    "\x1b[2J",
    "\ufeff",
    ".".join(["a"] * 400) + " = 1",
    "[" + ".".join(["b"] * 400) + "]",
    "\r",
    "x = 1\r\n",
    "\u2028",
)
_NAMES = (
    "a.py",
    "third_party/a.py",
    "a" * 200 + "b",
    "-",
    "é\n.py",
    "\udcff.py",
    "tests/x/y/golden_1.py",
    "../a.py",
    "*",
    "[",
    "x" * 5000,
)
_SOURCE = "import torch\ntorch.stack([x])\ntorch.no_such()\n"


def table(random: Random) -> bytes:
    """Return a pyproject.toml, most often with a table for Torchferry."""
    lines = ["[tool.torchferry]"] if random.random() < 0.8 else []
    for _ in range(random.choice((0, 1, 1, 2, 3, 6))):
        if random.random() < 0.8:
            lines.append(f"{random.choice(_KEYS)} = {random.choice(_VALUES)}")
        else:
            lines.append(random.choice(_LINES))
    data = bytearray("\n".join(lines).encode("utf-8", "surrogatepass"))
    if random.random() < 0.2:
        for _ in range(random.randint(1, 8)):
            at = random.randint(0, len(data))
            data[at : at + random.choice((0, 1, 3))] = random.randbytes(random.choice((0, 1, 2)))
    return bytes(data)


def examine(data: bytes) -> Iterator[str]:
    """Yield the faults in reading a pyproject.toml of this content, and in its values."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve() / "project"
        folder.mkdir()
        (folder / "pyproject.toml").write_bytes(data)
        (folder / "rules.py").write_text("raise SystemExit('the rules ran')\n")
        (folder.parent / "outside.py").write_text("raise SystemExit('rules from outside ran')\n")
        try:
            settings = settings_for(folder)
        except TorchferryError as error:
            if not str(error) or "\n" in str(error) or "\r" in str(error):
                yield f"a message that is not one line: {str(error)[:300]!r}"
            if "pyproject.toml" not in str(error):
                yield f"a message that names no file: {str(error)[:300]!r}"
            return
        for name in _NAMES:
            settings.excludes(folder / name)
        list(settings.judged(check(_SOURCE)))
        if settings.rules is not None and not settings.rules.resolve().is_relative_to(folder):
            yield f"rules from outside the project: {settings.rules.name}"


def main(arguments: list[str] | None = None) -> int:
    """Run the cases that the command line asks for; the exit code."""
    return run("tests.fuzz.settings", table, examine, arguments)


if __name__ == "__main__":
    sys.exit(main())
