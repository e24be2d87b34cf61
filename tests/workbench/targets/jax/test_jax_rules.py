"""Rules for JAX by source: torch's own cases, run in torch and, converted, in JAX."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.convert.conversion import Conversion, convert
from workbench.proof.cases import cases_of, prove_case
from workbench.rules.rule import Rule
from workbench.targets import Target, load

pytestmark = pytest.mark.usefixtures("narrow")

_JAX = load("jax")
# A share of each kind of rule; all of them take minutes.
_NAMES = [
    "torch.arange",
    "torch.tensor",
    "torch.Tensor.view",
    "torch.Tensor.permute",
    "torch.Tensor.expand",
    "torch.split",
    "torch.meshgrid",
    "torch.Tensor.byte",
    "torch.abs",
    "torch.pow",
    "torch.atan2",
    "torch.sum",
    "torch.Tensor.max",
    "torch.Tensor.median",
    "torch.Tensor.topk",
    "torch.Tensor.gather",
    "torch.where",
    "torch.Tensor.masked_fill",
    "torch.matmul",
]


@pytest.mark.parametrize("name", _NAMES)
def test_cases_compute_the_same_or_are_refused_or_reported(name: str) -> None:
    rule = _JAX.rules.get(name)
    assert rule is not None
    results = [prove_case(name, case, target=_JAX) for case in cases_of(rule, _JAX)]
    problems = [
        f"{one.source}\n    {one.outcome}: {one.detail}\n{one.converted}"
        for one in results
        if one.outcome not in {"equal", "refused", "reported", "skipped"}
        and not _by_width(one.source)
    ]
    assert not problems, "\n".join(problems)
    assert any(one.outcome == "equal" for one in results)


def _by_width(case: str) -> bool:
    """Return whether a case holds numbers that need 64 bits."""
    return "2**53" in case


def test_rules_and_helpers_are_consistent() -> None:
    _JAX.rules.verify()
    _JAX.helpers.verify()


def _with(rule: Rule) -> Target:
    return replace(_JAX, rules=_JAX.rules.extended([rule], _JAX.facts))


@pytest.mark.parametrize(
    ("template", "case"),
    [
        ("lax.stop_gradient(jnp.square({input}))", "torch.square(x)"),
        ("jnp.abs({input})", "torch.square(x - x.detach())"),
        (
            "jnp.where({input} > 0, {input} ** 2, lax.stop_gradient({input} ** 2))",
            "torch.square(x)",
        ),
    ],
)
def test_a_wrong_gradient_is_found(template: str, case: str) -> None:
    wrong = prove_case("torch.square", case, target=_with(Rule("torch.square", (template,))))
    assert wrong.outcome == "wrong"
    assert "gradient of x" in wrong.detail


def test_gradients_at_kinks_are_those_of_torch() -> None:
    wrong = []
    zero = "t = x - x.detach()\n"
    for case in (
        "torch.abs(t)",
        "t.clamp(min=0.0)",
        "t.clamp(0.0, 0.0)",
        "t.norm()",
        "t.norm(dim=1)",
        "t.norm(1, dim=1)",
        "t.max(1).values",
        "t.amax(1)",
        "t.max()",
        "t.min()",
        "t.std(1)",
        "torch.maximum(t, y - y.detach())",
        "t.sign() + torch.relu(t)",
        "t.prod(1)",
        "t.median(1).values",
        "t.median()",
        "t.sort(1).values",
        "t.cummax(1).values",
        "torch.fmax(t, y - y.detach())",
        "torch.cdist(t, t)",
        "torch.where(t > 0, t, -t)",
        "t ** 2 + t.square() + torch.sinc(t) + t.pow(1.0) + t ** 0",
        "torch.lerp(t, y, 0.5) + t.floor() + t.round() + t.frac() + t % 2",
        "torch.atan2(t, y) + torch.logaddexp(t, t) + t.erf() + t.nan_to_num()",
        "t.logsumexp(1)",
        "torch.linalg.norm(t)",
        "torch.minimum(t, t.detach())",
        "torch.fmin(t, y - y.detach())",
        "torch.fmod(t, y)",
        "torch.floor_divide(t, y) + torch.remainder(t, y)",
        "t.nansum(1) + t.nanmean(1)",
        "t.quantile(0.5, dim=1)",
        "t.cumprod(1)",
        "torch.xlogy(t, p)",
        "t.clip(-1.0, 0.0)",
        "t.sqrt().nan_to_num(posinf=1.0)",
        "t.relu()",
    ):
        result = prove_case("torch.abs", zero + case, target=_JAX)
        if result.outcome != "equal":
            wrong.append(f"{case}: {result.outcome} {result.detail}")
    assert not wrong, "\n".join(wrong)


def _convert(text: str) -> Conversion:
    return convert("import torch\n" + text, target=_JAX)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: torch.Tensor):\n    x += torch.ones(3)\n    return x\n",
        "a = torch.ones(3)\nb = a\na += torch.ones(3)\nprint(b)\n",
        "a = torch.ones(3)\nkept = [a]\na.mul_(2)\nprint(kept)\n",
        "a = torch.ones(4)\nb = a.view(2, 2)\nb.add_(1)\nprint(a)\n",
        "def f(x: torch.Tensor):\n    x.add_(1)\n    return x\n",
        "def f(x: torch.Tensor):\n    x.zero_()\n",
        "a = torch.ones(3)\nb = a.clamp_(0)\n",
        "a = torch.ones(2, 3)\na[0].add_(1)\n",
        "a = torch.ones(3)\nfor _ in range(2):\n    b = a\n    a *= 2\nprint(b)\n",
    ],
)
def test_changes_that_another_name_may_see_are_refused(text: str) -> None:
    assert any("cannot be changed in place" in one.message for one in _convert(text).unconverted)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a = torch.ones(3)\na += 2\n", "a += 2"),
        ("a = torch.ones(3)\na.add_(2)\n", "a = a + 2"),
        ("a = torch.ones(3)\na.mul_(2).add_(1)\n", "a = (a * 2) + 1"),
        ("a = torch.zeros(3).fill_(2)\n", "jnp.full_like"),
        ("a = torch.zeros(3, dtype=torch.float16)\na += torch.ones(3)\n", ".astype(a.dtype)"),
    ],
)
def test_changes_of_a_tensor_with_one_name_bind_it_anew(text: str, written: str) -> None:
    done = _convert(text)
    assert not done.unconverted
    assert written in done.code


def test_out_is_refused() -> None:
    out = _convert("y = torch.ones(3)\ntorch.exp(torch.ones(3), out=y)\n")
    assert any("`out`" in one.message for one in out.unconverted)


def test_floats_of_64_bits_are_allowed_by_one_setting() -> None:
    code = _convert("x = torch.ones(3, dtype=torch.float64)\n").code
    assert 'jax.config.update("jax_explicit_x64_dtypes", "allow")' in code
    assert "x = jnp.ones([3], dtype=jnp.float64)" in code


@pytest.mark.parametrize(
    "text", ["x.long()", "x.to(torch.int64)", "torch.ones(2, dtype=torch.long)"]
)
def test_whole_numbers_of_64_bits_are_reported(text: str) -> None:
    found = convert(f"import torch\nx = torch.ones(2)\ny = {text}\n", target="jax").findings
    assert "TF122" in {finding.code for finding in found}
