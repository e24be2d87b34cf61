"""Results of a conversion: every file, every finding with its line before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any

from workbench.codes import CODES
from workbench.convert.conversion import Conversion
from workbench.findings import Finding, Severity
from workbench.positions import Lines
from workbench.targets import load


@dataclass(slots=True)
class Row:
    """One finding as reports show it; lines and columns count from 1.

    `cell` is the number of the notebook cell that it is in. `before` and `after` are the lines that
    it is about, as they were and as they are.
    """

    code: str
    severity: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    certainty: str
    name: str | None
    target: str | None
    converts: bool
    before: str
    after: str
    cell: int | None = None

    @property
    def place(self) -> str:
        """The location in its file, as terminals show it."""
        at = f"{self.line}:{self.column}"
        return at if self.cell is None else f"cell {self.cell}:{at}"

    @property
    def asks(self) -> bool:
        """Return False for what converts exactly, which a page of findings does not show."""
        return not (self.converts and self.severity == Severity.HINT)

    def packed(self) -> list[Any]:
        """Return the values of a finding whose line has not changed, in short."""
        return list(_PACKED(self))

    @classmethod
    def unpacked(cls, values: list[Any]) -> Row:
        """Return the finding that `packed` was called on.

        Raises:
            TypeError: it was none.
        """
        return cls(*values[:-1], *values[-2:])

    def as_finding(self) -> dict[str, Any]:
        """Return the finding without its lines, as JSON takes it."""
        data = asdict(self)
        del data["before"], data["after"]
        if self.cell is None:
            del data["cell"]
        return data


_PACKED = attrgetter(*(name for name in Row.__slots__ if name != "after"))


@dataclass(slots=True)
class FileResult:
    """The result of one file.

    Attributes:
        path: its path in the project.
        kind: "python", "notebook", "dependencies" or "other".
        converted: it was converted, not copied.
        changed: its text changed.
        lines: its number of lines.
        uses: its number of uses of torch.
        converted_uses: the number of them that were converted.
        ignored: the number of uses that a comment suppresses.
        rows: its findings.
        helpers: helpers that it imports from the project's helper module.
        packages: packages of torch's family that its converted code still needs.
        cleared: the number of notebook cells whose outputs were removed.
        failure: why it could not be converted.
        excluded: the settings exclude it.
        full: it failed because there is no room left.
        diff: its unified diff, if one was requested.
    """

    path: str
    kind: str = "other"
    converted: bool = False
    changed: bool = False
    lines: int = 0
    uses: int = 0
    converted_uses: int = 0
    ignored: int = 0
    rows: list[Row] = field(default_factory=list)
    helpers: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    cleared: int = 0
    failure: str | None = None
    excluded: bool = False
    full: bool = False
    diff: str = ""

    @property
    def remaining(self) -> int:
        """The number of uses of torch left in it."""
        return self.uses - self.converted_uses

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON takes it."""
        # A thousand times a folder: `asdict` would copy every text.
        found = {name: getattr(self, name) for name in self.__slots__}
        rows = [{name: getattr(row, name) for name in row.__slots__} for row in self.rows]
        return {**found, "rows": rows}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> FileResult:
        """Return the result that `as_json` was made from."""
        rows = [Row(**row) for row in data["rows"]]
        tuples = {name: tuple(data[name]) for name in ("helpers", "packages")}
        return cls(**{**data, **tuples, "rows": rows})


@dataclass(slots=True)
class Report:
    """The results of a conversion; `root` is the file or folder that was converted."""

    root: str
    target: str
    files: list[FileResult] = field(default_factory=list)
    seconds: float = 0.0
    helper_modules: list[str] = field(default_factory=list)
    kept_helpers: list[str] = field(default_factory=list)  # each with its module
    single: bool = False  # `root` is a file

    @property
    def exit_code(self) -> int:
        """0 if every use converted, 1 if some remain, 2 if a file could not be converted."""
        if any(file.failure for file in self.files):
            return 2
        return 1 if any(row.severity == Severity.ERROR for _, row in self.rows()) else 0

    def rows(self) -> Iterator[tuple[FileResult, Row]]:
        """Yield every finding with its file."""
        for file in self.files:
            for row in file.rows:
                yield file, row

    def note_kept(self, module: str, names: Iterable[str]) -> None:
        """Note helpers of a module that differ from this version's, and stay."""
        self.kept_helpers += [f"{name} in {module}" for name in names]

    def total(self, name: str) -> int:
        """Return the sum of a number over all files."""
        return sum(int(getattr(file, name)) for file in self.files)

    def count(self, kind: str) -> int:
        """Return the number of files of a kind that were converted."""
        return sum(file.converted and file.kind == kind for file in self.files)

    def meaning_of(self, code: str) -> str:
        """Return what a code says, in the target's name."""
        return CODES[code].meaning_in(load(self.target).title)

    @property
    def share(self) -> float | None:
        """The share of torch's uses that were converted, or None if there is no use."""
        uses = self.total("uses")
        return self.total("converted_uses") / uses if uses else None

    @property
    def shown_share(self) -> str:
        """The share for readers, rounded down: it is 100 % only if all uses were converted."""
        if self.share is None:
            return ""
        per_mille = 1000 * self.total("converted_uses") // self.total("uses")
        return "100 %" if per_mille == 1000 else f"{per_mille / 10:.1f} %"

    def by_code(self) -> list[tuple[str, int]]:
        """Return the number of findings of each code, commonest first."""
        counts = Counter(row.code for _, row in self.rows())
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def failures(self) -> list[FileResult]:
        """Return the files that could not be converted."""
        return [file for file in self.files if file.failure]


def rows_of(
    found: Iterable[Finding], text: str, code: str, line_map: Sequence[int], cell: int | None = None
) -> list[Row]:
    """Return findings as rows, each with its lines of the text and of the converted code."""
    old, new = Lines(text), Lines(code)
    after: dict[int, list[int]] = {}
    for number, origin in enumerate(line_map):
        after.setdefault(origin, []).append(number)
    rows = []
    for finding in found:
        start, end = finding.range.start, finding.range.end
        span = range(start.line, end.line + 1)
        rows.append(
            Row(
                code=finding.code,
                severity=finding.severity.value,
                message=finding.message,
                line=start.line + 1,
                column=start.column + 1,
                end_line=end.line + 1,
                end_column=end.column + 1,
                certainty=finding.certainty.value,
                name=finding.name,
                target=finding.target,
                converts=finding.converts,
                before="\n".join(old.line(line) for line in span),
                after="\n".join(new.line(n) for line in span for n in after.get(line, ())),
                cell=cell,
            )
        )
    return sorted(rows, key=lambda row: (row.line, row.column))


def note_failure(result: FileResult, reason: str) -> None:
    """Note that a file could not be converted: none of its uses was, and its text is unchanged."""
    result.failure, result.diff, result.rows = reason, "", []
    result.converted = result.changed = False
    result.converted_uses = result.cleared = 0
    result.helpers = result.packages = ()


def note_counts(result: FileResult, conversion: Conversion) -> None:
    """Note in a file's result how many uses its conversion had, and how many it converted."""
    result.converted = True
    result.ignored = conversion.ignored
    result.converted_uses = sum(finding.converts for finding in conversion.findings)
    result.uses = result.converted_uses + len(conversion.unconverted) + conversion.ignored
