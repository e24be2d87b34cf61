"""Floats of 64 bits where a program asks for them, by one setting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.workbench.targets.jax.source import HEAD, assert_same, written
from workbench import apply_edits, check

pytestmark = pytest.mark.usefixtures("narrow")
_SETTING = 'jax.config.update("jax_explicit_x64_dtypes", "allow")'
_PROGRAM = """
x = torch.tensor([1.0, 2.0], dtype=torch.float64) + 1e-12
y = torch.ones(2).double() + 1e-12
print(((x - 1).sum().item() - 1) * 1e12, ((y - 1).sum().item()) * 1e12)
print(torch.linspace(0, 1, 4, dtype=torch.double).cumsum(0).numpy().dtype)
print((torch.ones(2) * 3).numpy().dtype, x.to(torch.float32).numpy().dtype)
"""


def test_numbers_keep_64_bits() -> None:
    code = assert_same(_PROGRAM)
    assert code.count(_SETTING) == 1
    assert code.index("import jax.numpy as jnp") < code.index(_SETTING) < code.index("x = ")


def test_a_program_of_32_bits_has_no_setting() -> None:
    assert _SETTING not in written("x = torch.ones(2)\n")


def test_the_first_fix_that_needs_it_writes_the_setting() -> None:
    text = HEAD + "a = torch.zeros(2, dtype=torch.float64)\nb = torch.ones(2).double()\n"
    found = [one for one in check(text, target="jax") if one.make_fix is not None]
    fixes = [one.fix for one in found if one.fix is not None]
    assert fixes
    for fix in fixes:
        new = apply_edits(text, fix.edits)
        assert ("float64" in new.partition(_SETTING)[2]) == (_SETTING in new)


def test_places_of_64_bits_and_right_sides() -> None:
    assert_same("""
a = torch.eye(3).repeat(4, 1, 1) * 2
print(torch.linalg.solve(a, torch.ones(4, 3)).tolist())
print(torch.linalg.solve(a[0], torch.ones(3)).tolist())
d = torch.tensor([[1.0, 3.0, 3.0], [0.0, -1.0, -2.0]]).double()
print(d.argmax(1).tolist(), d.argmin().item(), d.max(1).indices.tolist(), d.min(0).values.tolist())
""")


_LAYERS_OF_64_BITS = """
torch.set_default_dtype(torch.double)


class Flow(nn.Module):
    def __init__(self):
        super().__init__()

        def net(last):
            return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1), *last)

        self.s = net([nn.Tanh()])
        self.t = net([])

    def forward(self, x):
        return self.s(x) + self.t(x)


flow = Flow()
for p in flow.parameters():
    p.data.copy_(torch.linspace(0.1, 0.5, p.numel()).view(p.shape))
print((flow(torch.ones(1, 2)) - 1).item())
"""


@pytest.fixture
def kept_dtype() -> Iterator[None]:
    """Restore the default dtype that a program sets."""
    dtype = torch.get_default_dtype()
    yield
    torch.set_default_dtype(dtype)


@pytest.mark.usefixtures("kept_dtype")
def test_layers_of_a_function_have_parameters_of_64_bits() -> None:
    assert_same(_LAYERS_OF_64_BITS)
