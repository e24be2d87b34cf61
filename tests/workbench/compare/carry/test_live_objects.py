"""Objects of earlier cells that a converted cell uses: their twins compute what torch does."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
import torch

from tests.workbench.compare.conftest import Notebook, row
from workbench.compare.result import EXCEPTION, Comparison, Origin

STAND_INS = Path(__file__).parents[3] / "jupyter_ext" / "stand_ins" / "site-packages"


def is_computed(comparison: Comparison, *names: str) -> bool:
    rows = [row(comparison, name) for name in names]
    return all(each.same and each.origin is Origin.COMPUTED for each in rows)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize(
    "options", ["batch_first=True", "num_layers=2, bidirectional=True", "bias=False"]
)
def test_recurrent_layers(notebook: Notebook, kind: str, options: str) -> None:
    notebook.plain(f"import torch\nm = torch.nn.{kind}(4, 5, {options})\nx = torch.ones(2, 3, 4)")
    assert is_computed(notebook.convert("y = m(x)[0]"), "y")


@pytest.mark.filterwarnings("error:To copy construct from a tensor")
def test_packed_sequences(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\n"
        "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n"
        "x = torch.arange(24.0).view(2, 3, 4)\n"
        "n = torch.tensor([2, 3])\n"
        "packed = pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)\n"
        "m = torch.nn.GRU(4, 5, batch_first=True)"
    )
    found = notebook.convert("out, h = m(packed)\ny, n = pad_packed_sequence(out)")
    assert is_computed(found, "h", "y")


def test_the_named_tuple_of_loaded_weights(notebook: Notebook) -> None:
    notebook.plain("import torch\nkeys = torch.nn.Linear(1, 1).load_state_dict({}, strict=False)\n")
    found = notebook.convert("missing = keys.missing_keys\nw = torch.ones(len(missing))")
    assert is_computed(found, "missing", "w")


def test_a_loader_with_batches_of_its_own(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\n"
        "from torch.utils.data import DataLoader\n"
        "items = [torch.ones(2) * i for i in range(4)]\n"
        "loader = DataLoader(items, batch_sampler=[[3, 0], [1], [2, 1]])"
    )
    found = notebook.convert("seen = [batch.sum(1) for batch in loader]")
    assert is_computed(found, "seen[0]", "seen[1]", "seen[2]")


def test_classes_that_a_call_makes(notebook: Notebook) -> None:
    notebook.plain(
        "import enum, torch\n"
        "from collections import namedtuple\n"
        "Batch = namedtuple('Batch', 'x y')\n"
        "Kind = enum.Enum('Kind', 'A B')\n"
        "first = Batch(torch.ones(2), 1)"
    )
    found = notebook.convert("b = Batch(first.x + 1, Kind.B.value)\nz = b.x * b.y")
    assert is_computed(found, "z", "b[1]")


def test_a_buffer_is_written_on_both_sides(notebook: Notebook) -> None:
    notebook.plain("import io, torch\nbuffer = io.BytesIO()\nx = torch.ones(2)")
    found = notebook.convert("torch.save(x, buffer)\nbuffer.seek(0)\ny = torch.load(buffer)")
    assert is_computed(found, "y")
    notebook.plain("other = io.BytesIO()\ntorch.save(x, other)\nother.seek(0)")
    found = notebook.convert("z = torch.load(other)")
    assert "other cannot be transferred (it holds what torch has written)" in str(found)


def test_a_loop_over_a_progress_bar(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(STAND_INS))
    notebook.plain(
        "import torch\nfrom tqdm.auto import tqdm\nbar = tqdm([1, 2])\nx = torch.ones(2)"
    )
    try:
        found = notebook.convert("for i in bar:\n    x = x * i\n    bar.set_postfix(x=x.sum())")
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "tqdm"]:
            del sys.modules[name]
    assert is_computed(found, "x")
    assert capsys.readouterr().err.splitlines() == [": 1", " x", ": 2", " x"]  # from one bar


def test_results_of_earlier_cells(notebook: Notebook) -> None:
    notebook.plain("import torch")
    notebook.names |= {"Out": {1: torch.ones(2)}, "__": torch.zeros(2)}
    assert is_computed(notebook.convert("y = Out[1] * 2 + __"), "y")


def test_losses_of_a_statement_that_only_torch_runs_are_not_compared(notebook: Notebook) -> None:
    notebook.plain(
        "import queue, torch\nq = queue.Queue()\nfor _ in range(3):\n    q.put(torch.ones(2))"
    )
    found = notebook.convert(
        "w = torch.ones(2, requires_grad=True)\n"
        "for _ in range(2):\n"
        "    (w * q.get()).sum().backward()"
    )
    assert not [each for each in found.rows if each.same is False]
    found = notebook.convert("q.get() + missing")
    assert row(found, EXCEPTION).same is None


def test_what_threads_fill_has_one_order(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "turns", 0, raising=False)
    notebook.plain(
        "import threading, torch\n"
        "store, items = {}, []\n"
        "def keep(k):\n"
        "    store[k] = torch.ones(1) * k\n"
        "    items.append((k, torch.ones(2) * k))\n"
        "def fill():\n"
        "    threading.turns += 1\n"
        "    for k in (1, 2, 3)[:: 1 if threading.turns % 2 else -1]:\n"
        "        thread = threading.Thread(target=keep, args=(k,))\n"
        "        thread.start()\n"
        "        thread.join()\n"
    )
    found = notebook.convert("fill()\nkeys = list(store)\nlast = items[-1]")
    assert is_computed(found, "keys", "last[1]")
    assert "store: threads filled it in another order" in str(found)
    notebook.plain("store.clear(), items.clear()\ndouble = 1")
    changed = notebook.convert("fill()\nitems[0] = torch.ones(2) * 7\nkeys = list(store)")
    assert is_computed(changed, "keys")


@pytest.mark.parametrize(
    "call", ["encode(text)", "tools['encode'](text)", "Coder().encode(text)", "partial(text)"]
)
def test_functions_keep_what_they_use(notebook: Notebook, call: str) -> None:
    """A statement without torch ran with them in between, and may have changed it."""
    notebook.convert(
        "import functools\nimport torch\n"
        "text = 'abca'\n"
        "index = {c: i for i, c in enumerate(sorted(set(text)))}\n"
        "encode = lambda s: [index[c] for c in s]\n"
        "tools = {'encode': encode}\n"
        "partial = functools.partial(encode)\n"
        "class Coder:\n"
        "    def encode(self, s):\n"
        "        return encode(s)\n"
    )
    notebook.convert(f"print({call})")
    assert is_computed(notebook.convert(f"y = torch.tensor({call})"), "y")


@pytest.mark.parametrize("kind", ["nn.Sequential", "nn.ModuleDict"])
def test_parts_keep_their_names(notebook: Notebook, kind: str) -> None:
    notebook.plain(
        "import torch\nfrom collections import OrderedDict\nfrom torch import nn\n"
        f"m = {kind}(OrderedDict(norm=nn.LayerNorm(3), fc=nn.Linear(3, 2)))\n"
        "x = torch.ones(2, 3)\n"
    )
    part = "m.fc" if kind == "nn.Sequential" else "m['fc']"
    assert is_computed(notebook.convert(f"y = {part}(x)"), "y")


@pytest.mark.parametrize(
    "freeze",
    [
        "for p in m[0].parameters():\n    p.requires_grad = False\n",
        "m[0].requires_grad_(False)\nw.requires_grad_(False)\n",
    ],
)
def test_frozen_parameters_get_no_gradient(notebook: Notebook, freeze: str) -> None:
    notebook.convert(
        "import torch\nfrom torch import nn\n"
        "m = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))\n"
        "w = torch.ones(2, 3, requires_grad=True)\n"
    )
    notebook.plain(freeze)
    result = notebook.convert("m(w).sum().backward()\ngrads = [p.grad for p in m.parameters()]")
    assert notebook.names["grads"][0] is None
    assert result.same, str(result)


@pytest.mark.parametrize(
    "call", ["Left()(x)", "Left().other()(x)", "torch.ones(2) * even(4)", "Named()(x)"]
)
def test_definitions_that_need_each_other(notebook: Notebook, call: str) -> None:
    notebook.plain(
        "import torch\nfrom torch import nn\n"
        "class Left(nn.Module):\n"
        "    def other(self):\n        return Right()\n"
        "    def forward(self, x):\n        return torch.mul(x, 2)\n"
        "class Right(Left):\n"
        "    def other(self):\n        return Left()\n"
        "class Named(Left):\n"
        "    def __init__(self):\n        super(Named, self).__init__()\n"
        "def even(n):\n    return n == 0 or odd(n - 1)\n"
        "def odd(n):\n    return n != 0 and even(n - 1)\n"
        "x = torch.ones(2)\n"
    )
    found = notebook.convert(f"y = {call}")
    assert is_computed(found, "y")
    assert not [item for item in found.carried if item.failed]


@pytest.mark.parametrize(
    "made", ["np.random.RandomState(1)", "np.random.default_rng(1)", "random.Random(1)"]
)
def test_sources_of_random_numbers_are_compared(notebook: Notebook, made: str) -> None:
    notebook.convert(f"import random\nimport numpy as np\nimport torch\nsource = {made}")
    result = notebook.convert("y = torch.tensor(source.random())")
    assert is_computed(result, "y", "source")


TRANSFORMERS = [
    "Transformer(8, 2, 1, 2, 16, dropout=0.0, batch_first=True, activation='gelu')",
    "Transformer(8, 2, 1, 1, 16, dropout=0.0, norm_first=True)",
    "TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True)",
    "TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2, nn.LayerNorm(8))",
]


@pytest.mark.parametrize("made", TRANSFORMERS)
def test_transformers(notebook: Notebook, made: str) -> None:
    notebook.plain(
        f"import torch\nfrom torch import nn\nm = nn.{made}.eval()\n"
        "x = torch.arange(48.0).view(2, 3, 8).sin()"
    )
    assert is_computed(notebook.convert("y = m(x, x * 0.5)"), "y")


@pytest.mark.parametrize("made", ["np.random.default_rng(4)", "np.random.RandomState(4)"])
@pytest.mark.parametrize("later", [False, True])
def test_a_source_that_an_object_and_a_variable_hold_is_one(
    notebook: Notebook, made: str, later: bool
) -> None:
    notebook.plain(
        "import numpy as np\nimport torch\n"
        "class World:\n    def __init__(self, rng):\n        self.rng = rng\n"
        "    def draw(self):\n        return self.rng.normal(size=2)\n"
        f"rng = {made}\nworld = World(rng)\n"
    )
    if later:
        assert notebook.convert("first = torch.tensor(rng.normal())").same
    result = notebook.convert(
        "y = [torch.from_numpy(world.draw()) + rng.normal() for _ in range(3)]"
    )
    assert is_computed(result, "y[0]", "y[1]", "y[2]")
    assert row(result, "rng").same


def test_a_list_that_an_object_and_a_variable_hold_is_one(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\n"
        "class Memory:\n    def __init__(self, held):\n        self.held = held\n"
        "held = [torch.ones(2)]\nmemory = Memory(held)\n"
    )
    result = notebook.convert("memory.held.append(torch.zeros(2))\nn = torch.tensor(len(held))")
    assert is_computed(result, "n")


def test_a_list_with_a_part_that_is_not_transferred_is_not_half_a_list(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\n"
        "class Memory:\n    def __init__(self, held):\n        self.held = held\n"
        "held = [torch.ones(2), iter(map(abs, [1])), torch.zeros(2)]\nmemory = Memory(held)\n"
    )
    result = notebook.convert("n = torch.tensor(len(held))\nk = torch.tensor(len(memory.held))")
    assert not [each for each in result.rows if each.same is False], str(result)
