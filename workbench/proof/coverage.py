"""`docs/coverage`: one page for each torch namespace, written from the rules and the record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from workbench.proof.record import Record
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.targets import Target
from workbench.upstream.facts import load

_DEEP = ("torch.nn", "torch.optim", "torch.utils", "torch.distributed")


def write(target: Target, record: Record, folder: Path) -> None:
    """Write every page, and an index with the shares."""
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, list[Rule]] = defaultdict(list)
    for rule in target.rules:
        pages[_namespace(rule.name)].append(rule)
    rows = []
    for name in sorted(pages):
        rules = sorted(pages[name], key=lambda rule: rule.name)
        text = "\n".join(_page(name, rules, target, record)) + "\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
        converting = [rule for rule in rules if rule.refusal is None]
        rows.append(f"| [{name}]({name}.md) | {len(converting)} | {len(rules) - len(converting)} |")
    total = sum(rule.refusal is None for rule in target.rules)
    versions = ", ".join(f"{name} {number}" for name, number in record.versions.items())
    index = [
        "# Coverage",
        "",
        f"{total} torch names convert to {target.title}; {len(record.held)} of them were run in"
        f" both frameworks ({versions}), {sum(record.held.values())} cases in all."
        f" {len(target.rules) - total} more are refused with a reason."
        " Written by `make prove`.",
        "",
        "| namespace | convert | refused |",
        "|---|---|---|",
        *rows,
    ]
    (folder / "README.md").write_text("\n".join(index) + "\n", encoding="utf-8")


def _namespace(name: str) -> str:
    """The page of a name: its module, or the class that it is a member of."""
    if name.startswith("torch.Tensor"):
        return "torch.Tensor"
    facts = load()
    parts = name.split(".")
    depth = 3 if name.startswith(_DEEP) else 2
    for count in range(min(depth, len(parts) - 1), 1, -1):
        candidate = ".".join(parts[:count])
        if facts.is_module(candidate):
            return candidate
    return "torch"


def _page(name: str, rules: list[Rule], target: Target, record: Record) -> Iterator[str]:
    yield f"# {name}"
    yield ""
    converting = [rule for rule in rules if rule.refusal is None]
    if converting:
        yield f"| torch | {target.title} | cases | |"
        yield "|---|---|---|---|"
    for rule in converting:
        remark = rule.caveat or rule.note or ""
        if rule.name in record.failed:
            remark = "**does not hold** " + remark
        cases = record.held.get(rule.name, 0)
        yield f"| `{rule.name}` | {_spelling(rule)} | {cases or ''} | {_cell(remark)} |"
    refused: dict[str, list[str]] = defaultdict(list)
    for rule in rules:
        if rule.refusal is not None:
            instead = f" Instead: {rule.refusal.instead}" if rule.refusal.instead else ""
            refused[f"{rule.refusal.reason}.{instead}"].append(rule.name)
    if refused:
        yield ""
        yield "## Refused"
    for reason, names in sorted(refused.items()):
        yield ""
        yield f"{reason[0].upper()}{reason[1:]}"
        yield ""
        yield ", ".join(f"`{item}`" for item in names)


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
    return text.replace("|", "\\|").replace("\n", " ")
