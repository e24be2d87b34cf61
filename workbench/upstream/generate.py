"""A program that writes `torch.json` for `workbench.upstream.facts` from the installed torch.

Run it as `python -m workbench.upstream.generate [--check] [--vision]`. With `--vision` it writes
`torchvision.json` from the installed torchvision.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import inspect
import json
import re
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

from workbench.upstream.generation.members import Members
from workbench.upstream.generation.names import Namespace, is_function, read_torch
from workbench.upstream.generation.shared import shared_members
from workbench.upstream.generation.signatures import Signatures
from workbench.upstream.supplement import HIDDEN, SETTINGS, complete
from workbench.upstream.vision import add_vision

TARGET: Final = Path(__file__).with_name("torch.json")
VISION: Final = Path(__file__).with_name("torchvision.json")
_DEPRECATED: Final = re.compile(
    # At the margin; an indented directive is about a parameter.
    r"^\.\. (deprecated|warning|note)::(.*?)(?:\n\s*\n|\Z)",
    re.DOTALL | re.MULTILINE,
)

# Parts of torchvision whose names are included, without the members of their classes.
_CLOSED: Final = ("torchvision.models.", "torchvision.transforms.v2.", "torchvision.io.")

Data = dict[str, Any]


def facts() -> Data:
    """Return the contents of `torch.json`, for the installed torch."""
    namespace = read_torch()
    signatures = Signatures(namespace)
    members = Members(namespace, signatures)
    entries: dict[str, Data] = {}
    for name, thing in namespace.things.items():
        entries.setdefault(name, _entry(name, thing, namespace, signatures, members))
        if isinstance(thing, type):
            for member, (kind, texts) in members.of(thing).items():
                path = f"{name}.{member}"
                entries.setdefault(path, _pack(kind, texts))
        for setting, kind_of in SETTINGS.get(name, {}).items():
            entries[f"{name}.{setting}"] = _pack("attribute", [f"() -> {kind_of}"])
    for name, (kind, text) in HIDDEN.items():
        entries.setdefault(name, _pack(kind, [text] if text else []))
    prefix = "torch.Tensor."
    own = {name.removeprefix(prefix) for name in entries if name.startswith(prefix)}
    seen = json.loads(TARGET.read_bytes())["shared_members"] if TARGET.exists() else []
    aliases = {name: target for name, target in namespace.aliases.items() if name not in entries}
    return {
        "version": torch.__version__.partition("+")[0],
        "shared_members": shared_members(own, seen),
        "entries": entries,
        "aliases": aliases,
        "withheld": _withheld([*entries, *aliases]),
    }


def _withheld(names: Iterable[str]) -> dict[str, list[str]]:
    """Return, by module, its public names that `__all__` excludes from a star import."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        module, _, short = name.rpartition(".")
        listed = getattr(sys.modules.get(module), "__all__", None)
        if listed is not None and short not in listed and not short.startswith("_"):
            found.setdefault(module, []).append(short)
    return found


def vision_facts() -> Data:
    """Return the contents of torchvision's file: its own names, in the same form."""
    namespace = read_torch()
    known = set(namespace.aliases)
    own = add_vision(namespace)
    signatures = Signatures(namespace)
    members = Members(namespace, signatures)
    entries: dict[str, Data] = {}
    for name in own:
        thing = namespace.things[name]
        entries[name] = _entry(name, thing, namespace, signatures, members)
        opened = isinstance(thing, type) and not name.startswith(_CLOSED)
        for member, (kind, texts) in members.of(thing).items() if isinstance(thing, type) else ():
            if opened or kind == "constant":
                entries.setdefault(f"{name}.{member}", _pack(kind, texts))
    for name, entry in entries.items():
        if name.startswith("torchvision.transforms.") and "signatures" in entry:
            entry["signatures"] = [_of_image(text) for text in entry["signatures"]]
    aliases = {
        name: target
        for name, target in namespace.aliases.items()
        if name not in known and name not in entries
    }
    version = importlib.metadata.version("torchvision").partition("+")[0]
    return {"version": version, "shared_members": [], "entries": entries, "aliases": aliases}


def _of_image(text: str) -> str:
    """Return a transform's signature without types, since it also accepts images and numbers."""
    definition = ast.parse(f"def f{text}: ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    for part in ast.walk(definition.args):
        if isinstance(part, ast.arg):
            part.annotation = None
    returns = ast.unparse(definition.returns) if definition.returns else ""
    given = returns in ("", "Tensor") and "img: Tensor" in text
    return f"({ast.unparse(definition.args)})" + ("" if given or not returns else f" -> {returns}")


def render(data: Data) -> str:
    """Return the file's text, with a line for each entry."""
    parts = []
    for key, value in data.items():
        if isinstance(value, dict):
            lines = (f"{_json(name)}:{_json(value[name])}" for name in sorted(value))
            text = "{\n" + ",\n".join(lines) + "\n}"
        else:
            text = _json(value)
        parts.append(f"{_json(key)}:{text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def differences(old: Data, new: Data) -> list[str]:
    """Return the differences, a line for each name."""
    lines = []
    for part in ("entries", "aliases", "withheld"):
        before, after = old.get(part, {}), new.get(part, {})
        for name in sorted(before.keys() | after.keys()):
            if name not in after:
                lines.append(f"- {name}")
            elif name not in before:
                lines.append(f"+ {name}")
            elif before[name] != after[name]:
                lines.append(f"~ {name}: {_json(before[name])} -> {_json(after[name])}")
    for part in ("version", "shared_members"):
        if old.get(part) != new[part]:
            lines.append(f"~ {part}: {_json(old.get(part))} -> {_json(new[part])}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Write the file, or with `--check` report whether it is up to date; return the exit status."""
    parser = argparse.ArgumentParser(description="Write the facts about the installed torch.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it differs")
    parser.add_argument("--vision", action="store_true", help="of torchvision, not torch")
    options = parser.parse_args(arguments)
    target = VISION if options.vision else TARGET
    with warnings.catch_warnings():
        # Some deprecated parts of torch warn as soon as they are read.
        warnings.simplefilter("ignore")
        data = vision_facts() if options.vision else facts()
    text = render(data)
    if not options.check:
        target.write_text(text, encoding="ascii", newline="\n")
        return 0
    old = target.read_text(encoding="ascii") if target.exists() else "{}"
    if old == text:
        return 0
    lines = differences(json.loads(old), json.loads(text))
    print(f"{target.name} differs from {target.stem} {data['version']} in {len(lines)} places:")
    print("\n".join(line[:200] for line in lines[:40]))
    return 1


def _entry(
    name: str, thing: Any, namespace: Namespace, signatures: Signatures, members: Members
) -> Data:
    if isinstance(thing, ModuleType):
        return _pack("module", [])
    if isinstance(thing, type):
        kind = "exception" if issubclass(thing, BaseException) else "class"
        texts = complete(name, members.constructor(thing))
        entry = _pack(kind, texts, _deprecation(name, thing))
        if bases := members.bases(thing):
            entry["bases"] = bases
        return entry
    if isinstance(thing, torch.dtype):
        return _pack("dtype", [])
    if is_function(thing):
        texts = complete(name, signatures.of_function(thing))
        return _pack("function", texts, _deprecation(name, thing))
    kind_of = type(thing)
    known = namespace.name_of(kind_of) or (
        kind_of.__name__ if kind_of in (bool, int, float, str, tuple, list, dict) else ""
    )
    return _pack("constant", [f"() -> {known}"] if known else [])


def _pack(kind: str, texts: list[str], deprecated: str = "") -> Data:
    entry: Data = {"kind": kind}
    if texts:
        entry["signatures"] = texts
    if deprecated:
        entry["deprecated"] = deprecated
    return entry


def _deprecation(name: str, thing: Any) -> str:
    """Return torch's deprecation message for an object, or "" if there is none."""
    short = name.rpartition(".")[2]
    # If an old name of a function is created with @deprecated, Python marks the function too.
    message = str(getattr(thing, "__deprecated__", ""))
    if message and f"Use `{short}`" not in message:
        return _sentence(message)
    # Use a class's own text, never an inherited one.
    doc = vars(thing).get("__doc__") if isinstance(thing, type) else thing.__doc__
    if not isinstance(doc, str):
        return ""
    for directive, text in _DEPRECATED.findall(inspect.cleandoc(doc)):
        # The text follows ".. deprecated:: 2.5".
        sentence = _sentence(re.sub(r"^\s*[\d.]+\s", "", text))
        if directive == "deprecated" or ("deprecated" in sentence and short in sentence):
            return sentence
    return ""


def _sentence(text: str) -> str:
    plain = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", " ".join(text.split()))
    return re.split(r"(?<=\.)\s", plain.encode("ascii", "ignore").decode())[0]


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    sys.exit(main())
