"""Tab completion on the lines of the magics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyter_ext.options import option_words, values_of

MAGICS = ("%%convert", "%convert_notebook", "%torchferry")
_WORDS = {
    "%convert_notebook": ["--output", "--to", "--target", "--force", "--run"],
    "%torchferry": ["reset", "set", "devices", "trust", "revoke"],
}


def install(shell: Any) -> None:
    """Complete the magics' options from now on."""
    for magic in MAGICS:
        shell.set_hook("complete_command", complete, str_key=magic)


def complete(_shell: Any, event: Any) -> list[str]:
    """Return the completions at the cursor; `event` is IPython's."""
    words = event.line.split()
    before = words[:-1] if event.symbol and words and words[-1] == event.symbol else words
    found = _candidates(before)
    return [word for word in found if word.startswith(event.symbol)]


def _candidates(before: list[str]) -> list[str]:
    magic, given = before[0], before[1:]
    if given and (values := values_of(given[-1])):
        return values
    if magic == "%convert_notebook":
        return [*_WORDS[magic], *sorted(map(str, Path().glob("*.ipynb")))]
    if magic == "%torchferry" and given[:1] != ["set"]:
        return _WORDS[magic]
    return [word for word in option_words() if word not in given]
