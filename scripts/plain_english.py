"""Counts docstrings and comments whose words the style guide advises against.

    python scripts/plain_english.py                      one line per top-level folder
    python scripts/plain_english.py workbench/verify --list 20
    python scripts/plain_english.py --at-most 12         exit 1 above 12 %

docs/contributing/style.md has the glossary. A match suggests where to look: the sentence may be
right.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_STRING_OR_COMMENT: Final = re.compile(
    r"(\"{3}|'{3})(?:\\.|.)*?\1|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*", re.DOTALL
)

_WORDS: Final = (
    r"told|tells|anew|beside|borne|bears?|heard|loud|spared|settled|shall|whichever|how-manieth",
    r"stands? (?:for|in|there|alone)|as it stands|goes by|gone through|at home|of its own|the like",
    r"parting|parts? from|carr(?:y|ies|ied) over|hand(?:s|ed) on|looked (?:at|into)",
    r"(?:is|are) no (?:number|kin)",
)
_VERBS: Final = "is|are|was|does|do|has|have|can|may|comes|goes|stands|lies"
PATTERNS: Final = {
    "clause": re.compile(
        r"^(?:What|Who|Whom|Of what|By what|That which|Where what|How it|So far)\b"
    ),
    "word": re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE),
    "inverted": re.compile(
        r"(?:^|[.;] )(?:So|Nor|Of (?:these|those|them|all)|Such|Only then|To it) "
        rf"[a-z' ]*?(?:{_VERBS})\b"
    ),
}


@dataclass(frozen=True)
class Text:
    """A docstring or a comment, with its whitespace collapsed."""

    file: Path
    line: int
    words: str

    def matches(self) -> list[str]:
        """Return the names of the patterns that the text matches."""
        return [name for name, pattern in PATTERNS.items() if pattern.search(self.words)]


def texts(file: Path) -> Iterator[Text]:
    """Yield the docstrings and the comments of a Python file; nothing if it has a syntax error."""
    source = file.read_text(encoding="utf-8")
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in [tree, *definitions(tree)]:
        if words := ast.get_docstring(node):
            yield Text(file, node.body[0].lineno, " ".join(words.split()))
    line, read = 1, 0
    for match in _STRING_OR_COMMENT.finditer(source):
        if match[0].startswith("#"):
            line += source.count("\n", read, match.start())
            read = match.start()
            yield Text(file, line, match[0].lstrip("# "))


def definitions(node: ast.AST) -> Iterator[Definition]:
    """Yield the classes and functions inside a node; faster than `ast.walk`."""
    for block in ("body", "orelse", "handlers", "finalbody", "cases"):
        inner = getattr(node, block, ())
        for child in inner if isinstance(inner, list) else ():
            if isinstance(child, Definition):
                yield child
            yield from definitions(child)


def tracked(paths: Sequence[str]) -> list[Path]:
    """Return the Python files of this repository under paths, except those that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = [name for name in listed.split("\0") if name.endswith(".py")]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument(
        "--list", type=int, default=0, metavar="N", help="print the first N matches"
    )
    parser.add_argument("--at-most", type=float, metavar="SHARE", help="exit 1 above SHARE percent")
    options = parser.parse_args(arguments)
    counts: dict[str, list[int]] = {}
    found: list[Text] = []
    for file in tracked([str(Path(path).resolve()) for path in options.paths]):
        *folders, _ = file.relative_to(ROOT).parts
        count = counts.setdefault("/".join(folders[:2]) or ".", [0, 0])
        for text in texts(file):
            hit = bool(text.matches())
            count[0] += hit
            count[1] += 1
            found += [text] * hit
    for text in found[: options.list]:
        where = f"{text.file.relative_to(ROOT)}:{text.line}"
        print(f"{where}: {', '.join(text.matches())}: {text.words[:100]}")
    for folder, (matched, total) in sorted(counts.items()):
        if options.at_most is None:
            print(f"{folder}: {matched} of {total}")
    matched = sum(count[0] for count in counts.values())
    total = sum(count[1] for count in counts.values())
    share = 100 * matched / max(total, 1)
    print(f"all: {matched} of {total} docstrings and comments ({share:.1f} %)")
    if options.at_most is None or share <= options.at_most:
        return 0
    print(f"above {options.at_most:g} %: rewrite some, by docs/contributing/style.md")
    return 1


if __name__ == "__main__":
    sys.exit(main())
