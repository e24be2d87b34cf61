"""Generator of `docs/coverage`: one page per torch namespace, from the rules and the record."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.proof import uses
from workbench.proof.recording.record import Entry, Record
from workbench.proof.snippet import UNREPORTED, Outcome
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.targets import DEFAULT, EXACT, Target
from workbench.upstream.facts import load


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the pages.

    Attributes:
        head: its heading.
        holds: its meaning, for the index.
        cell: a function that returns the cell of a rule.
        exact: whether it is about the exact style only.
    """

    head: str
    holds: str
    cell: Callable[[Rule, Entry], str]
    exact: bool = False


_COLUMNS = (
    _Column("torch", "the name", lambda rule, entry: f"`{rule.name}`"),
    _Column(
        "{title}, plain",
        "what the plain style wrote for its cases; several forms depend on the arguments",
        lambda rule, entry: _plain_forms(entry),
    ),
    _Column(
        "exact where",
        "the share of its cases that are the same on both sides in the plain style; codes such as"
        " TF114 say which findings report the others",
        lambda rule, entry: _plain_proof(entry),
    ),
    _Column(
        "exact style",
        "what `--style exact` writes: a name, a helper (`torch_…`, `Torch…`),"
        ' "the same", or "by its arguments"',
        lambda rule, entry: _spelling(rule),
        exact=True,
    ),
    _Column(
        "status",
        "*proven*: all that was run is the same; *with a caveat*: but for the remark; *differs*:"
        " something is not; *not run*: it has neither cases nor samples",
        lambda rule, entry: _status(rule, entry),
        exact=True,
    ),
    _Column(
        "proof",
        "cases and samples that are the same in the exact style, the dtypes of the samples, and the"
        " largest difference, relative for values above one",
        lambda rule, entry: _proof(entry),
        exact=True,
    ),
    _Column(
        "remark",
        "a note, such as the difference that a finding reports",
        lambda rule, entry: _cell(rule.caveat or rule.note or ""),
    ),
)
_DEEP = ("torch.nn", "torch.optim", "torch.utils", "torch.distributed")


def write(target: Target, record: Record, folder: Path) -> None:
    """Write every page, and an index with the shares.

    A target without the exact style has pages for the namespaces from which names convert.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, list[Rule]] = defaultdict(list)
    for rule in target.rules:
        pages[_namespace(rule.name)].append(rule)
    if EXACT not in target.styles:
        pages = {name: rules for name, rules in pages.items() if any(map(_converts, rules))}
    for old in folder.glob("torch*.md"):
        if old.stem not in pages:
            old.unlink()
    rows = []
    for name in sorted(pages):
        rules = sorted(pages[name], key=lambda rule: rule.name)
        text = "\n".join(_page(name, rules, target, record)) + "\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
        converting = [rule for rule in rules if _converts(rule)]
        entries = [record.rules[rule.name] for rule in rules if rule.name in record.rules]
        counts = [len(converting), len(rules) - len(converting), _cases(entries, target)]
        if EXACT in target.styles:
            counts.append(sum(one.samples for one in entries))
        rows.append(f"| [{name}]({name}.md) | {' | '.join(map(str, counts))} |")
    index = [*_shares(target, record), "", *_explained(target), "", *_table(rows, target)]
    (folder / "README.md").write_text("\n".join(index) + "\n", encoding="utf-8")


def _converts(rule: Rule) -> bool:
    return rule.refusal is None


def _cases(entries: list[Entry], target: Target) -> int:
    if EXACT in target.styles:
        return sum(one.cases for one in entries)
    return sum(one.plain.judged for one in entries)


def _columns(target: Target) -> list[_Column]:
    return [one for one in _COLUMNS if EXACT in target.styles or not one.exact]


def _explained(target: Target) -> Iterator[str]:
    """Yield the lines of the index that explain the columns of the tables."""
    samples = " and samples" if EXACT in target.styles else ""
    yield "## How to read the tables"
    yield ""
    yield (
        "The table below counts, for each namespace, the names that convert, the names that are"
        f" refused with a reason, and the cases{samples} that were run on both sides. A page of a"
        " namespace has a row for each name that converts:"
    )
    yield ""
    yield "| column | holds |"
    yield "|---|---|"
    for one in _columns(target):
        yield f"| {one.head.format(title=target.title)} | {one.holds} |"
    yield ""
    yield (
        "Below these rows are the refused names by their reason, and the"
        f" {'samples' if samples else 'cases'} that are not equal."
    )


def _shares(target: Target, record: Record) -> Iterator[str]:
    """Yield the lines of the index before its table: the totals."""
    packages = Counter(rule.name.partition(".")[0] for rule in target.rules if not rule.refusal)
    named = " and ".join(f"{count:,} names of {name}" for name, count in packages.most_common())
    versions = ", ".join(f"{name} {number}" for name, number in record.versions.items())
    cases = sum(entry.cases for entry in record.rules.values())
    counts = record.totals()
    tried = sum(counts.values())
    command = "make prove" if target.name == DEFAULT else f"make {target.name}"
    yield "# Coverage"
    yield ""
    yield (
        f"{named} convert to {target.title}; {len(record.rules):,} of them were run in both"
        f" frameworks ({versions}). {len(target.rules) - packages.total():,} more are refused with"
        f" a reason. Written by `{command}`."
    )
    yield ""
    yield "| what was run | |"
    yield "|---|---|"
    yield from _plain_shares(record, target)
    if cases:
        yield f"| the rules' own cases in the exact style | {cases:,} hold |"
    if tried:
        yield f"| samples and documented examples of torch, cases in other call forms | {tried:,} |"
        yield f"| … give the same on both sides | {counts['equal'] / tried:.1%} |"
        yield f"| … are refused, with a reason | {counts['refused'] / tried:.1%} |"
        yield f"| … differ as a caveat says | {counts['caveat'] / tried:.1%} |"
        lacking = f"… have a dtype that {target.title} has no kernel for"
        yield f"| {lacking} | {counts['lacks'] / tried:.1%} |"
        yield f"| … differ for NaN or infinity | {counts['special'] / tried:.1%} |"
        wrong = sum(counts[outcome] for outcome in UNREPORTED)
        yield f"| … differ or fail without a word | {wrong / tried:.2%} |"
        if left_out := sum(entry.left_out for entry in record.rules.values()):
            yield f"| forms left out, since torch itself does not take them | {left_out:,} |"
    yield ""
    if target.name == DEFAULT:
        yield from _uses()


def _uses() -> Iterator[str]:
    """Yield the table of how much of the uses in public packages converts."""
    rows = uses.read()
    if not rows:
        return
    yield "Names are one measure; how often code uses them is another. In the source of"
    yield ""
    yield "| package | uses of torch | convert | names | convert |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row.package} {row.version} | {row.uses:,} | {row.converting / row.uses:.1%}"
            f" | {row.names:,} | {row.converting_names / row.names:.1%} |"
        )


def _plain_shares(record: Record, target: Target) -> Iterator[str]:
    """Yield table rows with the plain style's outcomes for the cases of all rules."""
    plain = sum((entry.plain.counts for entry in record.rules.values()), Counter())
    judged = plain.total() - plain[Outcome.SKIPPED]
    if not judged:
        return
    yield f"| cases in the plain style | {judged:,} |"
    for outcome, words in (
        (Outcome.EQUAL, "give the same on both sides"),
        (Outcome.REPORTED, "differ as a finding reports"),
        (Outcome.RAISES, f"raise an error in {target.title}"),
        (Outcome.REFUSED, "are refused, with a reason"),
    ):
        yield f"| … {words} | {plain[outcome] / judged:.1%} |"
    wrong = sum(plain[outcome] for outcome in UNREPORTED)
    yield f"| … differ or fail without a word | {wrong / judged:.2%} |"


def _table(rows: list[str], target: Target) -> list[str]:
    heads = ["namespace", "convert", "refused", "cases"]
    heads += ["samples"] if EXACT in target.styles else []
    return [f"| {' | '.join(heads)} |", _rule(len(heads)), *rows]


def _rule(columns: int) -> str:
    """Return the line below the head of a table."""
    return f"|{'---|' * columns}"


def _namespace(name: str) -> str:
    """Return the page of a name: its module, or the class that it is a member of."""
    if name.startswith("torch.Tensor"):
        return "torch.Tensor"
    facts = load()
    parts = name.split(".")
    depth = 3 if name.startswith(_DEEP) else 2
    for count in range(min(depth, len(parts) - 1), 1, -1):
        candidate = ".".join(parts[:count])
        if facts.is_module(candidate):
            return candidate
    return parts[0]


def _page(name: str, rules: list[Rule], target: Target, record: Record) -> Iterator[str]:
    yield f"# {name}"
    yield ""
    converting = [rule for rule in rules if _converts(rule)]
    columns = _columns(target)
    if converting:
        yield f"| {' | '.join(one.head.format(title=target.title) for one in columns)} |"
        yield _rule(len(columns))
    for rule in converting:
        entry = record.rules.get(rule.name, Entry())
        yield f"| {' | '.join(one.cell(rule, entry) for one in columns)} |"
    refused: dict[str, list[str]] = defaultdict(list)
    for rule in rules:
        if rule.refusal is not None:
            instead = f" Instead: {rule.refusal.instead}." if rule.refusal.instead else ""
            refused[f"{rule.refusal.reason}.{instead}"].append(rule.name)
    if refused:
        yield ""
        yield "## Refused"
    for reason, names in sorted(refused.items()):
        yield ""
        yield f"{reason[0].upper()}{reason[1:]}"
        yield ""
        yield ", ".join(f"`{item}`" for item in names)
    yield from _remarks(converting, record)


def _remarks(rules: list[Rule], record: Record) -> Iterator[str]:
    """Yield a table with the first reason for each unequal outcome of a rule's samples."""
    entries = [(rule.name, record.rules[rule.name]) for rule in rules if rule.name in record.rules]
    rows = [
        f"| `{name}` | {outcome}{style} | {counts[outcome]} | {_cell(why)} |"
        for name, entry in entries
        for style, counts, problems in (
            (", plain", entry.plain.counts, entry.plain.problems),
            ("", entry.counts, entry.problems),
        )
        for outcome, why in problems.items()
    ]
    if rows:
        yield from ("", "## Samples that are not equal", "")
        yield "| torch | outcome | samples | the first reason |"
        yield "|---|---|---|---|"
        yield from rows


def _status(rule: Rule, entry: Entry) -> str:
    if not entry.holds:
        return "**differs**"
    if not entry.cases and not entry.samples:
        return "not run"
    return "with a caveat" if rule.caveat else "proven"


def _proof(entry: Entry) -> str:
    parts = []
    if entry.cases:
        parts.append(f"{entry.cases} cases" if entry.cases > 1 else "1 case")
    if entry.samples:
        parts.append(f"{entry.samples} of {sum(entry.counts.values())} samples")
    if entry.dtypes:
        parts.append(", ".join(entry.dtypes))
    if entry.largest:
        parts.append(f"within {entry.largest:.0e}")
    return "; ".join(parts)


def _plain_forms(entry: Entry) -> str:
    """Return the forms in which the rule's cases were written in the plain style."""
    return "<br>".join(f"`{one}`" for one in entry.plain.written)


def _plain_proof(entry: Entry) -> str:
    """Return the share of cases that are equal in the plain style, and other differences."""
    plain = entry.plain
    if not plain.judged:
        return ""
    every = plain.counts[Outcome.EQUAL] == plain.judged
    found = "all its cases" if every else f"{plain.counts['equal']} of {plain.judged} cases"
    codes = f" ({', '.join(plain.differs)})" if plain.differs else ""
    return "; ".join([f"{found}{codes}", *plain.remains])


def _spelling(rule: Rule) -> str:
    if rule.keep:
        return "the same"
    if rule.templates:
        return "<br>".join(
            f"`{compile_template(text).callee}`" if compile_template(text).is_call else f"`{text}`"
            for text in rule.templates
        ).replace("|", "\\|")
    if rule.value:
        return f"`{rule.value}`"
    return "by its arguments"


def _cell(text: str) -> str:
    plain = text.replace("|", "\\|").replace("\n", " ")
    return plain.replace("<", "&lt;")
