"""Mistakes in rules that are found before any code is converted."""

from __future__ import annotations

import builtins
import re
from pathlib import Path

import pytest

from workbench.errors import RuleError
from workbench.rules.rule import Registry, RuleSet
from workbench.rules.template import compile_template, roots
from workbench.targets import load as load_target
from workbench.targets.helpers import HelperLibrary
from workbench.upstream.facts import load


def problems(*rules: tuple[str, str]) -> list[str]:
    """Return the registry's messages about these rows."""
    rows = RuleSet()
    for name, template in rules:
        rows.row(name, template)
    with pytest.raises(RuleError) as caught:
        Registry([rows], load()).verify()
    return str(caught.value).split("\n")


def test_all_mistakes_are_reported_at_once() -> None:
    found = problems(
        ("torch.abs", "f({input})"),
        ("torch.abs", "g({input})"),
        ("torch.exp", "f({no_such})"),
        ("torch.no_such_name", "f()"),
        ("torch.half", "f()"),
    )
    assert found == [
        "two rules for torch.abs",
        "torch.exp has no parameter 'no_such' (in 'f({no_such})')",
        "torch has no 'torch.no_such_name'",
        "torch.half is another name of torch.float16: write the rule there",
    ]


def test_shipped_rules_have_no_mistakes() -> None:
    target = load_target("paddle")
    target.rules.verify()
    target.helpers.verify()


def _bound(text: str) -> set[str]:
    """Return the names that lambdas and comprehensions of a template bind themselves."""
    heads = re.findall(r"(?:lambda|for) (.+?)(?::| in )", text)
    return {name for head in heads for name in re.findall(r"\w+", head)}


def test_every_name_that_a_template_uses_is_there_when_converted_code_runs() -> None:
    target = load_target("paddle")
    known = {target.module, *target.modules_named, *dir(builtins)}
    for rule in target.rules:
        texts = (*rule.templates, rule.value, rule.unpacked, *(rule.store or ())[:1])
        names = {name for text in texts if text for name in roots(text) - _bound(text)}
        unknown = {name for name in names - known if name not in target.helpers}
        assert not unknown, f"{rule.name}: nobody imports {', '.join(sorted(unknown))}"


def test_an_optional_argument_follows_the_required_ones() -> None:
    (found,) = problems(("torch.argmax", "f({dim}, {input})"))
    assert found.startswith("torch.argmax: if 'dim' is not given, the next argument takes its")


@pytest.mark.parametrize(
    ("template", "given", "displaced"),
    [
        ("f({a}, {b})", {"a", "b"}, None),
        ("f({a}, {b})", {"a"}, None),
        ("f({a}, {b})", {"b"}, "a"),
        ("f({a=1}, {b})", {"b"}, None),
        ("f(k={a}, j={b})", {"b"}, None),
        ("f({a}, 3)", set(), "a"),
        ("f({a}, {b}, {c})", {"a", "c"}, "b"),
        ("g({b}, f({a}, {c}))", {"b", "c"}, "a"),
    ],
)
def test_an_argument_that_would_take_another_s_place(
    template: str, given: set[str], displaced: str | None
) -> None:
    assert compile_template(template).displaced(given) == displaced


def test_helpers_that_need_each_other_are_named(tmp_path: Path) -> None:
    source = "def torch_a():\n    torch_b()\n\n\ndef torch_b():\n    torch_a()\n"
    (tmp_path / "circle.py").write_text(source)
    with pytest.raises(RuleError, match="torch_a -> torch_b -> torch_a"):
        HelperLibrary([tmp_path / "circle.py"]).closure(["torch_a"])
