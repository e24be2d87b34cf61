"""Classes of layers that are passed on as values, in JAX."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import assert_same, refused, written

pytestmark = pytest.mark.usefixtures("narrow")
_BLOCKS = """
    class Block(nn.Module):
        expansion = 1

        def __init__(self, width):
            super().__init__()
            self.fc = nn.Linear(width, width)

        def forward(self, x):
            return self.fc(x)

    class Wide(Block):
        expansion = 2

        def __init__(self, width):
            super().__init__(width)
            self.more = nn.Linear(width, width)
    """
_NETS = {
    "an argument": """
    class Net(nn.Module):
        def __init__(self, block, depth=2):
            super().__init__()
            self.width = 4 * block.expansion
            self.parts = self._parts(block, depth)

        def _parts(self, block: type[Block], depth):
            made = [block(self.width) for _ in range(depth)]
            return nn.Sequential(*made)

        def forward(self, x):
            return self.parts(x)

    def small():
        return Net(Block, 1)

    nets = [small(), Net(Wide), Net(depth=3, block=Wide)]
    """,
    "a default": """
    class Net(nn.Module):
        def __init__(self, *, block=Block):
            super().__init__()
            self.part = block(4)

    def made(block=Wide):
        return block(4)

    nets = [Net(), Net(block=Wide), made(), made(Block)]
    """,
    "a loop": """
    class Net(nn.Module):
        def __init__(self, block):
            super().__init__()
            self.part = block(4)

    nets = []
    for kind in (Block, Wide):
        nets.append(Net(kind))
        nets.append(kind(3))
        print(kind.__name__, isinstance(nets[-1], Block), isinstance(nets[-1], (Wide, Block)))
    """,
}


@pytest.mark.parametrize("text", _NETS.values(), ids=_NETS)
def test_keys_reach_a_class_that_is_handed_on(text: str) -> None:
    counted = """
    for net in nets:
        print(sum(p.numel() for p in net.parameters()))
    """
    assert_same(_BLOCKS + text + counted)


@pytest.mark.parametrize(
    "text",
    [
        "net = {'block': Block}['block'](3)",
        "net = (Block if len('a') else Wide)(3)",
        "made = Block\n    net = made(3)",
        "def of(kind, n):\n        return kind(n)\n\n    net = of(Block, 3), of(int, 3)",
        "def of(*kinds):\n        return [kind(3) for kind in kinds]\n\n    net = of(Block)",
    ],
)
def test_a_class_that_cannot_be_followed_is_refused(text: str) -> None:
    reasons = refused(_BLOCKS + f"\n    {text}\n")
    assert reasons
    assert all("do not reach the calls of this class" in one for one in reasons)


def test_a_class_without_weights_is_handed_on_as_it_is() -> None:
    code = written("""
    class Half(nn.Module):
        def forward(self, x):
            return x / 2

    table = {"half": Half}
    print(table["half"]()(torch.ones(1)).item())
    """)
    assert 'table["half"]()' in code
