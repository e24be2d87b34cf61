"""Changes in place, in JAX: a variable takes a changed copy, unless something else refers to it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import HEAD, assert_same, refused, run, written
from workbench.convert.conversion import convert

_SHARED = "cannot be changed in place"


_SEEN = {
    "alias": """
        def f(n):
            a = torch.zeros(n)
            b = a
            b[0] = 1
            return a
        """,
    "view": """
        def f(n):
            a = torch.zeros(n)
            b = a[1:]
            b[0] = 1
            return a
        """,
    "base": """
        def f(n):
            a = torch.zeros(n)
            b = a.view(-1)
            a[0] = 1
            return b
        """,
    "added to": """
        def f(n):
            a = torch.zeros(n)
            b = a
            a += 1
            return b
        """,
    "detach": """
        def f(x):
            y = x * 2
            z = y.detach()
            z.zero_()
            return y
        """,
    "numpy": """
        def f(n):
            a = np.zeros(n)
            t = torch.from_numpy(a)
            t[0] = 1
            return a
        """,
    "read as numpy": """
        def f(n):
            t = torch.zeros(n)
            a = t.numpy()
            t[0] = 1
            return a
        """,
    "list": """
        def f(n):
            t = torch.zeros(n)
            out = [t]
            t[0] = 1
            return out
        """,
    "append": """
        def f(n):
            t = torch.zeros(n)
            out = []
            for i in range(n):
                t[i] = 1
                out.append(t)
            return out
        """,
    "dict": """
        def f(n):
            t = torch.zeros(n)
            d = {}
            d['k'] = t
            t[0] = 1
            return d
        """,
    "last round": """
        def f(n):
            t = torch.zeros(n)
            prev = None
            for i in range(n):
                t[i] = 1
                if prev is not None:
                    print(prev)
                prev = t
            return t
        """,
    "generator": """
        def f(n):
            t = torch.zeros(n)
            for i in range(n):
                t[i] = 1
                yield t
        """,
    "kept by an inner function": """
        def f(n):
            seen = []
            def keep():
                seen.append(t)
            t = torch.zeros(n)
            keep()
            t[0] = 1
            return seen
        """,
    "returned by a lambda": """
        def f(n):
            g = lambda: t
            t = torch.zeros(n)
            u = g()
            t[0] = 1
            return u
        """,
    "kept by a function": """
        KEPT = []
        def keep(x):
            KEPT.append(x)

        def f(n):
            t = torch.zeros(n)
            keep(t)
            t[0] = 1
            return KEPT
        """,
    "returned by a function": """
        def same(x):
            return x

        def f(n):
            t = torch.zeros(n)
            u = same(t)
            t[0] = 1
            return u
        """,
    "attribute": """
        class A:
            def f(self, n):
                t = torch.zeros(n)
                self.t = t
                t[0] = 1
        """,
    "module alias": """
        T = torch.zeros(3)
        def f():
            return T
        u = f()
        T[0] = 1
        print(u)
        """,
    "ternary": """
        def f(n, c):
            a = torch.zeros(n)
            b = a if c else torch.ones(n)
            b[0] = 1
            return a
        """,
    "walrus": """
        def f(n):
            a = torch.zeros(n)
            if (b := a) is not None:
                a[0] = 1
            return b
        """,
    "try": """
        def f(n):
            t = torch.zeros(n)
            y = None
            try:
                y = t
                print(n)
                y = None
            except ValueError:
                pass
            t[0] = 1
            return y
        """,
    "changed by a function": """
        def f(x):
            a = x * 2
            b = F.relu(a, inplace=True)
            b[0] = 1
            return a
        """,
    "dropout": """
        def f(x):
            a = x * 2
            b = F.dropout(a, 0.0)
            b[0] = 1
            return a
        """,
    "layer keep": """
        class L(nn.Module):
            def forward(self, x):
                self.last = x
                return x * 2

        class N(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = L()
            def forward(self, x):
                h = x + 1
                y = self.l(h)
                h[0] = 1
                return y + self.l.last
        """,
    "swap": """
        def f(n):
            a = torch.arange(n)
            a[0], a[1] = a[1], a[0]
            return a
        """,
    "nested nonlocal": """
        def f(n):
            t = torch.zeros(n)
            def g():
                nonlocal t
                t = torch.ones(n)
            g()
            t[0] = 1
            return t
        """,
    "inner write": """
        def f(n):
            t = torch.zeros(n)
            def g():
                t[0] = 1
            g()
            return t
        """,
    "items of a list": """
        def f(n):
            a = [torch.zeros(2) for _ in range(n)]
            for t in a:
                t[0] = 1
            return a
        """,
    "star": """
        def f(n):
            a = torch.zeros(n)
            b, *c = [1, a]
            a[0] = 1
            return c
        """,
    "partial": """
        def f(n):
            import functools
            a = torch.zeros(n)
            g = functools.partial(torch.add, a)
            a[0] = 1
            return g(1)
        """,
    "default": """
        def f(n):
            a = torch.zeros(n)
            def g(x=a):
                return x
            a[0] = 1
            return g()
        """,
    "setattr": """
        def f(o, n):
            a = torch.zeros(n)
            setattr(o, 'a', a)
            a[0] = 1
        """,
    "object": """
        class B:
            def __init__(self, x):
                self.x = x

        def f(n):
            a = torch.zeros(n)
            b = B(a)
            a[0] = 1
            return b.x
        """,
    "tensordataset": """
        def f(n):
            a = torch.zeros(n)
            b = torch.utils.data.TensorDataset(a)
            a[0] = 1
            return b[0]
        """,
    "parameter": """
        def f(n):
            a = torch.zeros(n)
            b = nn.Parameter(a)
            a[0] = 1
            return b
        """,
    "unbind": """
        def f(n):
            a = torch.zeros(n, 2)
            x, y = a.unbind(1)
            x[0] = 1
            return a
        """,
    "list of an object": """
        class A:
            def f(self, n):
                a = torch.zeros(n)
                self.xs += [a]
                a[0] = 1
        """,
    "list made longer": """
        def f(n):
            a = torch.zeros(n)
            xs = []
            xs += [a]
            a[0] = 1
            return xs
        """,
    "list joined to another": """
        def f(n):
            a = torch.zeros(n)
            ys = [a]
            xs = []
            xs += ys
            del ys
            a[0] = 1
            return xs
        """,
    "sum of lists": """
        def f(n):
            a = torch.zeros(n)
            ys = [a]
            xs = ys + ys
            ys = None
            a[0] = 1
            return xs
        """,
    "list in a dict": """
        def f(n):
            a = torch.zeros(n)
            d = {}
            d.setdefault('k', []).append(a)
            a[0] = 1
            return d
        """,
    "list of a dict": """
        def f(n):
            a = torch.zeros(n)
            d = {'k': []}
            d['k'].append(a)
            a[0] = 1
            return d
        """,
    "match": """
        def f(n):
            a = torch.zeros(n)
            match a:
                case b:
                    pass
            a[0] = 1
            return b
        """,
    "cast to the same": """
        def f(n):
            a = torch.zeros(n)
            b = a.to(torch.float32)
            a[0] = 1
            return b
        """,
    "through a diagonal": """
        def f(n):
            a = torch.zeros(n, n)
            a.diagonal()[0] = 1
            return a
        """,
    "data": """
        def f(n):
            a = torch.zeros(n, n)
            b = a.data
            a[0] = 1
            return b
        """,
}


@pytest.mark.parametrize("name", _SEEN)
def test_what_another_name_may_see_is_refused(name: str) -> None:
    text = f"import torch.nn.functional as F\n{_dedented(_SEEN[name])}"
    assert any(_SHARED in one for one in refused(text))


_RIGHT = {
    "elements": """
        def f(a):
            b = a.clone()
            b[b > 6] = -1
            b[[0, 2], [1, 3]] = torch.tensor([100, 200])
            b[0] = b[1] + 1
            b[2, 1:3] += 10
            b[1][b[1] == 5] = 3
            return b

        result = f(torch.arange(12).reshape(3, 4))
        """,
    "two names at once": """
        def f(rewards, values):
            advantages = torch.zeros_like(rewards)
            last = 0.0
            for t in reversed(range(len(rewards) - 1)):
                delta = rewards[t] + 0.9 * values[t + 1] - values[t]
                advantages[t] = last = delta + 0.8 * last
            return advantages

        result = f(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, 0.4, 0.3]))
        """,
    "without gradients": """
        with torch.no_grad():
            result = torch.zeros(3)
            for t in range(3):
                result[t] = last = torch.ones(()) * t
        """,
    "repeated places": """
        def f(places):
            counts = torch.zeros(3)
            counts[places] += 1
            table = torch.zeros(3, 3)
            for i in range(len(places)):
                table[places[i], places[i]] += 1
            return torch.cat([counts[None], table])

        result = f(torch.tensor([0, 1, 1, 2]))
        """,
    "a tuple of elements": """
        def f():
            a, b = torch.zeros(2), torch.ones(2)
            a[0], b[1] = 5.0, 7.0
            a[1], n = 2.0, 3
            return a + b * n

        result = f()
        """,
    "methods in a chain": """
        def f(x, places):
            y = x * 2
            y.add_(2).mul_(torch.tensor([1.0, 2.0])).clamp_(max=5).neg_()
            z = x.new_zeros(2).scatter_add_(0, places, torch.ones(2)).clamp_(min=1)
            return (x / 2).add_(1) + y + z

        result = f(torch.tensor([1.0, -3.0]), torch.tensor([0, 0]))
        """,
    "one result of several": """
        def f(scores):
            values, places = scores.sort(descending=True)
            drop = values.cumsum(0) > 3
            drop[1:] = drop[:-1].clone()
            drop[0] = False
            values[drop] = 0.0
            values /= values.sum()
            return values[places.argsort()]

        result = f(torch.tensor([1.0, 5.0, 2.0, 0.5]))
        """,
    "a view that is read no more": """
        def f():
            a = torch.zeros(4)
            for i in range(3):
                part = a[i:]
                total = part.sum()
                a[i + 1] = total + 1
            return a

        result = f()
        """,
    "a new tensor in each round": """
        def f():
            found = []
            for i in range(3):
                row = torch.zeros(3)
                row[i] = 1.0
                found.append(row)
            return torch.stack(found)

        result = f()
        """,
    "a function that keeps nothing": """
        def scaled(x, by):
            return x * by

        def f():
            a = torch.ones(3)
            b = scaled(a, 2)
            a[0] = 5.0
            b[1] = 7.0
            return a + b

        result = f()
        """,
    "an inner function that reads": """
        def f():
            a = torch.zeros(2)

            def total():
                return a.sum()

            a[0] = 3.0
            return total()

        result = f()
        """,
    "layers": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(3)

            def forward(self, x):
                out = self.norm(x)
                out += x
                return out

        result = Block()(torch.tensor([[1.0, 2.0, 4.0]]))
        """,
}


@pytest.mark.parametrize("name", _RIGHT)
def test_changes_of_an_owned_tensor_compute_the_same(name: str) -> None:
    text = _RIGHT[name]
    converted = run(written(text))["result"]
    expected = run(HEAD + _dedented(text))["result"].detach().numpy()
    np.testing.assert_allclose(np.asarray(converted), expected, rtol=1e-5)


def _dedented(text: str) -> str:
    return "\n".join(line[8:] for line in text.splitlines())


def test_code_is_short() -> None:
    code = written("""
        def f():
            x = torch.zeros(3)
            x[0] = 1.0
            x[1:] += 2
            x *= 3
            return x
    """)
    assert "x = x.at[0].set(1.0)" in code
    assert "x = x.at[1:].add(2)" in code
    assert "x *= 3" in code


def test_a_comment_within_a_statement_stays() -> None:
    code = written("""
        def f():
            x = torch.zeros(3)
            x[0] = torch.sqrt(
                torch.ones(()),  # of one
            )
            return x
    """)
    assert "# of one" in code


def test_unknown_code_that_may_keep_a_tensor_is_reported() -> None:
    text = "def f(hook):\n    x = torch.zeros(3)\n    hook(x)\n    x[0] = 1.0\n    return x\n"
    conversion = convert(HEAD + text, target="jax")
    assert conversion.unconverted == []
    assert any("if hook keeps its argument" in one.message for one in conversion.findings)


def test_the_reason_names_the_other_reference() -> None:
    text = "def f():\n    x = torch.zeros(3)\n    rest = x[1:]\n    x[0] = 1.0\n    return rest\n"
    assert any("rest refers to it too" in one for one in refused(text))


def test_gradients_stop_at_values_written_without_them() -> None:
    code = written("""
        class Net(nn.Module):
            def forward(self, x):
                y = torch.zeros(3)
                with torch.no_grad():
                    y[0] = x.sum()
                return y * x
    """)
    assert "y = y.at[0].set(lax.stop_gradient(" in code


def test_a_write_without_gradients_to_a_computed_tensor_is_refused() -> None:
    text = "y = x * 2\n        with torch.no_grad():\n            y[0] = 0.0\n        return y\n"
    net = f"class Net(nn.Module):\n    def forward(self, x: torch.Tensor):\n        {text}"
    assert any("gradient has to be stopped" in one for one in refused(net))


def test_whole_numbers_that_keep_their_dtype_are_assigned() -> None:
    assert_same("""
def shifted(x):
    coords = torch.floor(x / 2).long()
    coords -= coords.min(0).values
    return coords

y = torch.ones(3).long()
y -= torch.tensor([1, 2, 3])
y *= torch.tensor([2, 2, 2])
print(shifted(torch.tensor([[1.0, 5.0], [3.0, 4.0]])).tolist(), y.tolist())
""")


@pytest.mark.parametrize(
    "text",
    [
        "rows = [torch.zeros(3) for _ in range(2)]\nrows[0][1] = 2.0\n"
        "print(rows[0].tolist(), rows[1].tolist())\n",
        "table = {}\nfor key in 'ab':\n    table[key] = torch.zeros(3)\n"
        "table['a'][0] += 1.0\nprint(table['a'].tolist(), table['b'].tolist())\n",
        "def f(batch):\n    batch['mask'][1:] = 1.0\n\nbatch = {'mask': torch.zeros(3)}\nf(batch)\n"
        "print(batch['mask'].tolist())\n",
    ],
    ids=["a list", "a dict that a loop fills", "an argument"],
)
def test_elements_of_an_entry_change_the_entry(text: str) -> None:
    assert ".at[" in assert_same(text)
    findings = convert(HEAD + text, target="jax").findings
    assert any("another name refers to" in one.message for one in findings)
