"""Recurrent layers, cells, and packed sequences."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()


def _same(name: str, helper: str, *cases: str) -> None:
    rules.row(f"torch.nn.{name}", same_call(f"torch.nn.{name}", helper), value=helper, cases=cases)


for _name in ("RNN", "LSTM", "GRU"):
    _state = "(s, s * 2)" if _name == "LSTM" else "s"
    _same(
        _name,
        f"Torch{_name}",
        f"{SEED}l = _seed(nn.{_name}(4, 5))\nr = l(a), list(l.state_dict())",
        f"{SEED}l = _seed(nn.{_name}(4, 3, num_layers=2, bidirectional=True, batch_first=True))\n"
        "r = l(a), l(x), list(l.state_dict())",
        f"{SEED}l = _seed(nn.{_name}(4, 4, bias=False, dropout=0.3, num_layers=2)).eval()\n"
        f"s = torch.stack([x, y])\nr = l(a, {_state})",
        f"{SEED}l = _seed(nn.{_name}(4, 3, 1, batch_first=True, bidirectional=True))\n"
        "k = nn.utils.rnn.pack_padded_sequence(a, torch.tensor([2, 3]), True, False)\n"
        "o, h = l(k)\nnn.utils.rnn.pad_packed_sequence(o, batch_first=True), h",
        f"{SEED}l = _seed(nn.{_name}(4, 3))\nl(w)[0].sum().backward()\ng = w.grad",
        f"{SEED}l = _seed(nn.{_name}(4, 3, 2))\nl.requires_grad_(False)\nl(w)[0].sum().backward()\n"
        "g = w.grad",
        f"{SEED}l = _seed(nn.{_name}(4, 3, bias=False)).eval()\nl(w)[0].sum().backward()\n"
        "g, h = w.grad, l.weight_hh_l0.grad",
    )
    _same(
        f"{_name}Cell",
        f"Torch{_name}Cell",
        f"{SEED}l = _seed(nn.{_name}Cell(4, 4))\ns = y\nr = l(x), l(x, {_state}), "
        "list(l.state_dict())",
        f"{SEED}l = _seed(nn.{_name}Cell(4, 2, bias=False))\nl(x[0])",
    )
_same(
    "RNNBase",
    "TorchRNNBase",
    f"{SEED}l = _seed(nn.RNNBase('LSTM', 4, 3, proj_size=2))\nlist(l.state_dict())",
)

_PACKED = "k = nn.utils.rnn.pack_padded_sequence(a, [3, 1], batch_first=True)\n"
for _name, _cases in {
    "pack_padded_sequence": [
        f"{_PACKED}k.data, k.batch_sizes",
        "k = nn.utils.rnn.pack_padded_sequence(a, torch.tensor([1, 2, 1]), enforce_sorted=False)\n"
        "k.data, k.batch_sizes, k.sorted_indices, k.unsorted_indices",
    ],
    "pad_packed_sequence": [
        f"{_PACKED}nn.utils.rnn.pad_packed_sequence(k)",
        f"{_PACKED}nn.utils.rnn.pad_packed_sequence(k, True, padding_value=2.0, total_length=5)",
    ],
    "pad_sequence": [
        "nn.utils.rnn.pad_sequence([x, y[:2]])",
        "nn.utils.rnn.pad_sequence([n, n[:1]], batch_first=True, padding_value=7)",
        "nn.utils.rnn.pad_sequence([x, y[:2]], padding_side='left')",
    ],
    "pack_sequence": ["nn.utils.rnn.pack_sequence([x, y[:2]]).data"],
    "unpack_sequence": [f"{_PACKED}nn.utils.rnn.unpack_sequence(k)"],
    "unpad_sequence": [
        "nn.utils.rnn.unpad_sequence(a, torch.tensor([3, 1]), batch_first=True)",
        "v = a.clone()\nr = nn.utils.rnn.unpad_sequence(v, torch.tensor([2, 1, 2])), v",
    ],
}.items():
    # What a recurrent layer gives for a packed sequence is packed as well.
    _packed = "(sequence, batch_first=False, padding_value=0.0, total_length=None)"
    rules.row(
        f"torch.nn.utils.rnn.{_name}",
        same_call(f"torch.nn.utils.rnn.{_name}", f"torch_{_name}"),
        value=f"torch_{_name}",
        signature=_packed if _name == "pad_packed_sequence" else None,
        cases=_cases,
    )
rules.row(
    "torch.nn.utils.rnn.PackedSequence",
    "TorchPackedSequence({data}, batch_sizes={batch_sizes}, sorted_indices={sorted_indices}, "
    "unsorted_indices={unsorted_indices})",
    value="TorchPackedSequence",
    cases=[f"{_PACKED}isinstance(k, nn.utils.rnn.PackedSequence)"],
)
for _name in ("double", "float", "half", "long", "int", "short", "char", "byte"):
    rules.keep(
        f"torch.nn.utils.rnn.PackedSequence.{_name}",
        cases=[f"{_PACKED}v = k.{_name}()\nr = v.data, v.batch_sizes, v.sorted_indices\nk = v = 0"],
    )
for _name, _call in {"cpu": "cpu()", "to": "to(torch.float64)"}.items():
    rules.keep(
        f"torch.nn.utils.rnn.PackedSequence.{_name}", cases=[f"{_PACKED}r = k.{_call}.data\nk = 0"]
    )
rules.keep("torch.nn.utils.rnn.PackedSequence.is_cuda", cases=[f"{_PACKED}r = k.is_cuda\nk = 0"])
for _name in ("data", "batch_sizes", "sorted_indices", "unsorted_indices"):
    rules.row(
        f"torch.nn.utils.rnn.PackedSequence_.{_name}",
        "{self}." + _name,
        cases=[f"{_PACKED}k.{_name}"],
    )
