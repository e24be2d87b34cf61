"""Locations of torch's packages in files of dependencies, by the kind of file."""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from workbench.convert.dependencies.requirement import Family, Requirement, torch_requirement
from workbench.positions import Lines

_REQUIREMENTS = ("*requirements*.txt", "*requirements*.in", "constraints*.txt")
_ENVIRONMENTS = ("environment*.yml", "environment*.yaml", "conda*.yml", "conda*.yaml")
_INDEX = re.compile(r"^[ \t]*(?:--?[\w-]+[= \t]+\S*download\.pytorch\.org\S*)", re.MULTILINE)
_WORDS = re.compile(r"requir|depend|deps|extras", re.IGNORECASE)
_TABLE = re.compile(r"[ \t]*\[\[?(?P<name>[^\]]+)\]\]?[ \t]*(?:#.*)?$")
_KEY = re.compile(r"[ \t]*(?P<key>[\w.\"'-]+)[ \t]*=(?!=)")
_STRING = re.compile(r"(?P<quote>[\"'])(?P<text>(?:(?!(?P=quote)).)*)(?P=quote)|#[^\n]*")
_ITEM = re.compile(
    r"(?P<lead>[ \t]*-[ \t]+)(?P<quote>[\"']?)(?P<text>[^#\n\"']*?)(?P=quote)[ \t]*(?:#.*)?$"
)
# Packages that conda installs for torch only.
_CONDA = {"pytorch": "torch", "pytorch-cpu": "torch", "pytorch-gpu": "torch"}
_PARTS = ("pytorch-cuda", "pytorch-mutex")


@dataclass(frozen=True, slots=True)
class Spot:
    """One requirement of torch's family in a file.

    `start` and `end` bound its text, `whole` everything that is removed with it. `added` is the
    offset of an additional requirement and the text before and after it; one that is `moved` has
    its successor there. Each requirement is needed once in a `group`.
    """

    start: int
    end: int
    requirement: Requirement
    group: str
    whole: tuple[int, int]
    added: tuple[int, str, str]
    spell: Callable[[str], str]
    moved: bool = False


def is_dependency_file(path: str) -> bool:
    """Return True for the files that say what a project depends on."""
    name = PurePosixPath(path).name
    if name in {"pyproject.toml", "setup.py", "setup.cfg"}:
        return True
    inside = PurePosixPath(path).parent.name == "requirements" and name.endswith((".txt", ".in"))
    return inside or any(fnmatch.fnmatch(name, glob) for glob in _REQUIREMENTS + _ENVIRONMENTS)


def spots(path: str, text: str, family: Family) -> Iterator[Spot]:
    """Return the requirements of torch's family in a file, in order."""
    name = PurePosixPath(path).name
    if name == "pyproject.toml":
        return _toml(text, family)
    if name == "setup.py":
        return _setup(text, family)
    if name == "setup.cfg":
        return _config(text, family)
    if name.endswith((".yml", ".yaml")):
        return _environment(text, family)
    return _requirements(text, family)


def index_lines(path: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of a requirements file that name an index of torch's packages."""
    if path.endswith((".txt", ".in")):
        for match in _INDEX.finditer(text):
            yield match.span()


def _requirements(text: str, family: Family) -> Iterator[Spot]:
    lines = Lines(text)
    number = 0
    while number < len(lines):
        first = number
        while lines.line(number).endswith("\\") and number + 1 < len(lines):
            number += 1
        number += 1
        spot = _line(lines, first, number, family, "requirements")
        if spot is not None:
            yield spot


def _line(lines: Lines, first: int, stop: int, family: Family, group: str) -> Spot | None:
    """Return the requirement that the lines `first` up to `stop` are, with a comment perhaps."""
    start, end = lines.start(first), lines.start(stop)
    body = lines.text[start:end]
    comment = re.search(r"(?:^|[ \t])#", body)
    body = (body[: comment.start()] if comment else body).rstrip()
    indent = body[: len(body) - len(body.lstrip())]
    # Hashes and other options belong to the named version.
    bare = re.split(r"[ \t\\]+(?:\r?\n[ \t]*)?--", body)[0].rstrip("\\ \t\r\n")
    requirement = torch_requirement(bare, family)
    if requirement is None:
        return None
    at_end = lines.text[start:end].endswith(("\n", "\r"))
    before, after = (indent, lines.newline) if at_end else (lines.newline + indent, "")
    return Spot(
        start + len(indent),
        start + len(body),
        requirement,
        group,
        (start, end),
        (end, before, after),
        lambda other: other + requirement.marker,
    )


def _quoted(
    lines: Lines, start: int, end: int, quote: str, requirement: Requirement, group: str
) -> Spot:
    """Return a requirement that is a string in a list; `start` and `end` exclude its quotes."""
    text = lines.text
    whole_start, whole_end = start - len(quote), end + len(quote)
    line = lines.position(whole_start).line
    before = text[lines.start(line) : whole_start]
    tail = re.compile(r"[ \t]*,?[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)").match(text, whole_end)
    if not before.strip() and tail is not None:
        removal = (lines.start(line), tail.end())
        glue = f",{lines.newline}{before}"
    else:
        comma = re.compile(r"[ \t]*,[ \t]*").match(text, whole_end)
        lead = re.search(r",[ \t]*$", before)
        removal = (whole_start, comma.end() if comma else whole_end)
        if tail is not None and comma is not None:
            removal = (
                lines.start(line) + len(before.rstrip()),
                whole_end + len(comma.group().rstrip()),
            )
        elif comma is None and lead is not None:
            removal = (whole_start - len(lead.group()), whole_end)
        glue = ", "
    return Spot(
        start,
        end,
        requirement,
        group,
        removal,
        (whole_end, glue + quote, quote),
        lambda other: other + _requoted(requirement.marker, quote),
    )


def _requoted(marker: str, quote: str) -> str:
    """Return a marker that may stand between these quotes."""
    return marker.replace('"', "'") if quote.startswith('"') else marker


def _toml(text: str, family: Family) -> Iterator[Spot]:
    lines = Lines(text)
    table = key = ""
    depth = 0
    for number in range(len(lines)):
        line = lines.line(number)
        if depth == 0 and (header := _TABLE.match(line)):
            table, key = header["name"].replace('"', "").strip(), ""
            continue
        if depth == 0 and (named := _KEY.match(line)):
            key = named["key"].strip("\"'")
            if _poetry(table) and (spot := _poetry_line(lines, number, key, family, table)):
                yield spot
                continue
        bare = _STRING.sub("", line)
        inside = depth > 0 or "[" in bare
        depth += bare.count("[") - bare.count("]")
        if not inside or not _holds_requirements(table, key):
            continue
        for match in _STRING.finditer(line):
            if match["quote"] is None:
                break
            requirement = torch_requirement(match["text"], family)
            if requirement is not None:
                start = lines.start(number) + match.start("text")
                end = lines.start(number) + match.end("text")
                yield _quoted(lines, start, end, match["quote"], requirement, f"{table}.{key}")


def _holds_requirements(table: str, key: str) -> bool:
    if table == "project":
        return key in {"dependencies", "optional-dependencies"}
    if table == "build-system":
        return key == "requires"
    if table in {"project.optional-dependencies", "dependency-groups"}:
        return True
    return table.startswith("tool.") and bool(_WORDS.search(f"{table.split('.', 2)[-1]}.{key}"))


def _poetry(table: str) -> bool:
    return table.startswith("tool.poetry.") and table.endswith("dependencies")


def _poetry_line(lines: Lines, number: int, key: str, family: Family, table: str) -> Spot | None:
    """Return the requirement of `torch = "^2.1"`, where the key is the package."""
    requirement = torch_requirement(key, family)
    line = lines.line(number)
    value = re.search(r"=\s*(\"[^\"]*\"|'[^']*'|\{[^}]*\})", line)
    if requirement is None or value is None:
        return None
    start = lines.start(number)
    named = Requirement(requirement.name, value.group(1), "")
    indent = line[: len(line) - len(line.lstrip())]
    end = lines.start(number + 1)
    return Spot(
        start + len(indent),
        start + value.end(),
        named,
        table,
        (start, end),
        (end, indent, lines.newline),
        lambda other: '{} = ">={}"'.format(*other.split(">=")),
    )


def _setup(text: str, family: Family) -> Iterator[Spot]:
    lines = Lines(text)

    def offset(node: ast.expr, end: bool) -> int:
        line = (node.end_lineno if end else node.lineno) or 1
        return lines.offset_of_bytes(
            line - 1, (node.end_col_offset if end else node.col_offset) or 0
        )

    found: dict[int, tuple[ast.Constant, str]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword):
            name, value = node.arg or "", node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
        else:
            continue
        if _WORDS.search(name):
            for group in ast.walk(value):
                if isinstance(group, ast.List | ast.Tuple | ast.Set):
                    for item in group.elts:
                        if isinstance(item, ast.Constant) and isinstance(item.value, str):
                            found[id(item)] = (item, f"{group.lineno}:{group.col_offset}")
    for item, place in sorted(found.values(), key=lambda pair: offset(pair[0], False)):
        start, end = offset(item, False), offset(item, True)
        quote = text[start]
        requirement = torch_requirement(str(item.value), family)
        if requirement is not None and quote in "\"'" and text[start + 1 : end - 1] == item.value:
            yield _quoted(lines, start + 1, end - 1, quote, requirement, place)


def _config(text: str, family: Family) -> Iterator[Spot]:
    lines = Lines(text)
    section = key = ""
    for number in range(len(lines)):
        line = lines.line(number)
        if header := _TABLE.match(line):
            section, key = header["name"].strip(), ""
        elif line[:1] not in " \t#;" and (named := _KEY.match(line)):
            key = named["key"]
        elif (
            section == "options.extras_require"
            or (section == "options" and key in {"install_requires", "setup_requires"})
        ) and (spot := _line(lines, number, number + 1, family, f"{section}.{key}")):
            yield spot


def _environment(text: str, family: Family) -> Iterator[Spot]:
    lines = Lines(text)
    listing = ""
    pip_depth = -1
    pip_list = re.search(r"^(?P<lead>[ \t]*)-[ \t]+pip:[ \t]*(?:#.*)?\r?\n", text, re.MULTILINE)
    pip_named = re.search(r"^[ \t]*-[ \t]+[\"']?pip[\"']?[ \t]*(?:[=<>#].*)?$", text, re.MULTILINE)
    for number in range(len(lines)):
        line = lines.line(number)
        if named := re.match(r"(\w+):", line):
            listing = named.group(1)
        item = _ITEM.match(line)
        if listing != "dependencies" or item is None:
            continue
        depth = line.index("-")
        if item["text"].strip() == "pip:":
            pip_depth = depth
            continue
        if depth <= pip_depth:
            pip_depth = -1
        start = lines.start(number)
        bounds = (start + item.start("text"), start + item.end("text"))
        whole = (start, lines.start(number + 1))
        if pip_depth >= 0:
            requirement = torch_requirement(item["text"], family)
            if requirement is not None:
                marker = _requoted(requirement.marker, item["quote"])
                added = (whole[1], item["lead"] + item["quote"], item["quote"] + lines.newline)
                yield Spot(*bounds, requirement, "pip", whole, added, _with_marker(marker))
            continue
        conda = _conda(item["text"], family)
        if conda is None:
            continue
        indent = " " * depth
        if pip_list is not None:
            inside = (pip_list.end(), f"{_pip_lead(text, pip_list)}- ", lines.newline)
            yield Spot(*bounds, conda, "pip", whole, inside, str, moved=True)
            continue
        lead = len(item["lead"]) + len(item["quote"])
        yield Spot(
            bounds[0] - lead,
            bounds[1] + len(item["quote"]),
            conda,
            "pip",
            whole,
            (whole[1], "", lines.newline),
            _through_pip(indent, lines.newline, pip_named is not None),
        )


def _pip_lead(text: str, pip_list: re.Match[str]) -> str:
    """Return the indentation of the items below `- pip:`."""
    following = re.compile(r"[ \t]*(?=-)").match(text, pip_list.end())
    lead = pip_list["lead"]
    inside = following.group() if following else ""
    return inside if len(inside) > len(lead) else f"{lead}    "


def _with_marker(marker: str) -> Callable[[str], str]:
    return lambda other: other + marker


def _conda(text: str, family: Family) -> Requirement | None:
    """Return one of torch's packages as conda names it: `pytorch::pytorch=2.1=py3.10`."""
    match = re.match(r"(?:[\w.-]+::)?(?P<name>[\w.-]+)[ \t]*(?P<spec>[=<>!~ ].*)?$", text.strip())
    if match is None:
        return None
    name = _CONDA.get(match["name"].lower(), match["name"].lower())
    return Requirement(name, match["spec"] or "", "") if name in family.packages else None


def _through_pip(indent: str, newline: str, has_pip: bool) -> Callable[[str], str]:
    """Return a function that spells the target for pip: conda reads a separate list for PyPI."""

    def spell(other: str) -> str:
        rows = [] if has_pip else [f"{indent}- pip"]
        return newline.join([*rows, f"{indent}- pip:", f"{indent}    - {other}"])

    return spell
