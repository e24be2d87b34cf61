"""`torchferry explain`: a code, a name of torch, or the decisions on a line of a file."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import click

from workbench.codes import CODES
from workbench.commands.conversion_options import STYLE, TARGET, settings_of
from workbench.convert.configuration.beginning import project_of
from workbench.convert.configuration.code_selection import nearest
from workbench.convert.notebook.notebook_files import python_in
from workbench.convert.project.file_job import Order, analysed
from workbench.errors import TorchferryError
from workbench.proof.recording.facts import proof_of, rule_page, signatures_of
from workbench.targets import Target, load
from workbench.terminal import visible

_CODE = re.compile(r"TF\d*", re.IGNORECASE)
# A short name is searched for in these namespaces, in this order.
_OWNERS = ("", "torch.", "torch.Tensor.", "torch.nn.", "torch.nn.functional.", "torch.nn.Module.")
# The prefixes under which programs import parts of torch.
_SHORT = {"F.": "torch.nn.functional.", "nn.": "torch.nn.", "optim.": "torch.optim."}
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


@click.command(short_help="Explain a code, a name of torch, or a line of a file.")
@click.argument("subject", metavar="CODE|NAME|FILE:LINE")
@TARGET
@STYLE
def explain(subject: str, target: str | None, style: str | None) -> None:
    """Explain a code such as TF110, or how a name such as torch.stack converts.

    A name may be short: stack, Linear, Tensor.view. For a line, as in model.py:12, print the
    decisions on each use of torch, in their order.
    """
    file, _, line = subject.rpartition(":")
    if file and line.isdigit():
        click.echo(visible(_of_line(Path(file), int(line), target, style), "\n"))
        return
    settings = settings_of(Path(), target=target, style=style)
    aim = load(settings.target, settings.style, settings.init)
    text = _of_code(subject, aim) if _CODE.fullmatch(subject) else _of_name(subject, aim)
    click.echo(visible(text, "\n"))


def _of_line(file: Path, line: int, target: str | None, style: str | None) -> str:
    """Return the decisions on the uses of a line.

    Raises:
        TorchferryError: the file cannot be read, or no use of torch starts on the line.
    """
    from workbench.convert.history import decisions

    settings = settings_of(file.parent, target=target, style=style)
    order = Order(settings.target, settings).within(project_of(file))
    text = python_in(file)
    found = decisions(analysed(file, text, order.aim, order.project), order.aim, line)
    if not found:
        raise TorchferryError(f"{file}:{line}: no use of torch starts on this line")
    return "\n\n".join([f"# {file}:{line}", f"    {text.splitlines()[line - 1].strip()}", *found])


def _of_code(word: str, target: Target) -> str:
    """Return every code that begins with a word: TF11 for TF110 to TF119."""
    codes = [code for code in CODES if code.startswith(word.upper())]
    if not codes:
        raise TorchferryError(f"{word}: there is no such code; {nearest(word)}")
    return "\n\n".join(_meaning(code, target) for code in codes)


def _meaning(code: str, target: Target) -> str:
    known = CODES[code]
    words = known.meaning_in(target.title)
    advice = _LINK.sub(r"\1", known.advice).format(target=target.title)
    more = f"\n    {advice[0].upper()}{advice[1:]}." if advice else ""
    return f"{code} ({known.severity}): {words}.{more}"


def _of_name(name: str, target: Target) -> str:
    """Return a name's ways to be called, its proof, and how its rule writes it."""
    for short, module in _SHORT.items():
        if name.startswith(short):
            name = module + name.removeprefix(short)
    full = next((one for owner in _OWNERS if target.facts.get(one := owner + name)), None)
    if full is None:
        _refuse(name, target)
    proof = proof_of(full, target) if target.rules.find(full) else None
    parts = [f"# {full}", *signatures_of(full, target.facts), proof or "", rule_page(full, target)]
    return "\n\n".join(part for part in parts if part)


def _refuse(name: str, target: Target) -> NoReturn:
    if Path(name).exists():
        raise TorchferryError(f"{name}: give a line of a file, such as {name}:12")
    last = name.rpartition(".")[2]
    public = (one for one in target.facts.names if "._" not in one)
    longest_first = sorted(public, key=len, reverse=True)
    names = {one.rpartition(".")[2]: one for one in longest_first}
    close = get_close_matches(last, names, n=3)
    hint = f"did you mean {', '.join(names[one] for one in close)}?" if close else "check its name"
    raise TorchferryError(f"{name}: torch has no such public name; {hint}")
