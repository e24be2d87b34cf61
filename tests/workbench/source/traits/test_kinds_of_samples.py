"""Which kinds of samples a data set returns."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.samples import Samples, of_class


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("x = self.rows[k]\n        x = x[0]\n        return x", Samples.OPEN),
        ("x = load(k)\n        x = x[0]\n        return x", Samples.TAKEN),
        ("a, b = b[0], a[0]\n        a = b[1]\n        b = a[1]\n        return a", Samples.OPEN),
        ("return k > 0", Samples.TAKEN),
        ("return ', '.join(self.rows)", Samples.NOT_TAKEN),
    ],
)
def test_a_sample_is_judged_by_its_assignments(body: str, kind: Samples) -> None:
    text = f"class Data:\n    def __getitem__(self, k):\n        {body}\n"
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.ClassDef)
    assert of_class(node) is kind
