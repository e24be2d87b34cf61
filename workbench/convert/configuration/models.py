"""The models that a project names in its settings, to be compared or held against their ports.

[tool.torchferry.models]
"model.py:Net" = { inputs = ["2x3x32x32"] }
"train.py:GPT(config)" = { port = "ported/train.py:GPT(config)", batch = "batch", steps = 20 }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.errors import TorchferryError

_WORDS = ("port", "batch", "loss", "optimizer")
_LISTS = ("inputs", "map")
_LAST = "channels-last"


@dataclass(frozen=True, slots=True)
class Model:
    """A model that is compared with its conversion, or with a named port.

    Attributes:
        place: the model, as FILE:NAME from the folder of the settings.
        port: its port, written in the same way; empty to compare both sides of the model itself.
        options: of the command, as a command line has them.
    """

    place: str
    port: str = ""
    options: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        """The command line that runs it in the folder of the settings, without the program."""
        if self.port:
            return ["verify", *self.options, "--", self.place, self.port]
        return ["compare", *self.options, "--", self.place]


def sides(place: str) -> tuple[str, str]:
    """Return the file and the name of a location: `model.py` and `Net` for `model.py:Net(10)`."""
    file, _, name = place.partition("(")[0].rpartition(":")
    return file, name


def read_models(table: Any, wrong: Callable[[str, str], TorchferryError]) -> tuple[Model, ...]:
    """Return the models of the table `models` in the settings.

    Args:
        table: the value of `models` as written.
        wrong: makes an error from a key and the reason.

    Raises:
        TorchferryError: it is not a table of models.
    """
    if not isinstance(table, dict):
        raise wrong("models", 'write a table, such as "model.py:Net" = { inputs = ["2x3x32x32"] }')
    return tuple(_model(place, chosen, wrong) for place, chosen in table.items())


def _model(place: str, chosen: Any, wrong: Callable[[str, str], TorchferryError]) -> Model:
    key = f"models.{place!r}"
    if not _is_place(place):
        raise wrong(key, 'name a model as FILE:NAME, such as "model.py:Net"')
    if not isinstance(chosen, dict):
        raise wrong(key, 'write a table, such as { port = "port.py:Net" }')
    known = (*_WORDS, *_LISTS, "steps", _LAST)
    for name in chosen:
        if name not in known:
            raise wrong(f"{key}.{name}", f"there is no such key; write one of: {', '.join(known)}")
    port = str(chosen.get("port", ""))
    if "port" in chosen and not _is_place(port):
        raise wrong(f"{key}.port", 'name the port as FILE:NAME, such as "port.py:Net"')
    only = [name for name in chosen if name not in ("port", "inputs")]
    if only and not port:
        raise wrong(f"{key}.{only[0]}", "it applies only to a model with a port; name the port too")
    return Model(place, port, tuple(_options(key, chosen, wrong)))


def _is_place(place: str) -> bool:
    return all(sides(place)) and place.isprintable()


def _options(
    key: str, chosen: Mapping[str, Any], wrong: Callable[[str, str], TorchferryError]
) -> list[str]:
    found: list[str] = []
    for name in _LISTS:
        words = chosen.get(name, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise wrong(f"{key}.{name}", 'write a list of texts, such as ["2x3x32x32"]')
        found += [f"--{name}={word}" for word in words]
    for name in _WORDS[1:]:
        word = chosen.get(name, "")
        if not isinstance(word, str):
            raise wrong(f"{key}.{name}", f'write the name of a function, such as "{name}"')
        found += [f"--{name}={word}"] if word else []
    steps = chosen.get("steps")
    if steps is not None:
        if type(steps) is not int or steps < 1:
            raise wrong(f"{key}.steps", "write the number of training steps, such as 20")
        found.append(f"--steps={steps}")
    last = chosen.get(_LAST, False)
    if not isinstance(last, bool):
        raise wrong(f"{key}.{_LAST}", "write true or false")
    return [*found, *([f"--{_LAST}"] if last else [])]
