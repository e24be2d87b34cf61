"""Recurrent layers, cells, and packed sequences."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

_PACKED = "k = nn.utils.rnn.pack_padded_sequence(a, [3, 1], batch_first=True)\n"

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.nn",
        "RNN GRU",
        (SEED + "l = _seed(nn.{name}(4, 5))\nr = l(a), list(l.state_dict())"),
        (
            SEED
            + "l = _seed(nn.{name}(4, 3, num_layers=2, bidirectional=True, batch_first=True))\n"
            "r = l(a), l(x), list(l.state_dict())"
        ),
        (
            SEED + "l = _seed(nn.{name}(4, 4, bias=False, dropout=0.3, num_layers=2)).eval()\n"
            "s = torch.stack([x, y])\nr = l(a, s)"
        ),
        (
            SEED + "l = _seed(nn.{name}(4, 3, 1, batch_first=True, bidirectional=True))\n"
            "k = nn.utils.rnn.pack_padded_sequence(a, torch.tensor([2, 3]), True, False)\n"
            "o, h = l(k)\nnn.utils.rnn.pad_packed_sequence(o, batch_first=True), h"
        ),
        (SEED + "l = _seed(nn.{name}(4, 3))\nl(w)[0].sum().backward()\ng = w.grad"),
        (
            SEED
            + "l = _seed(nn.{name}(4, 3, 2))\nl.requires_grad_(False)\nl(w)[0].sum().backward()\n"
            "g = w.grad"
        ),
        (
            SEED + "l = _seed(nn.{name}(4, 3, bias=False)).eval()\nl(w)[0].sum().backward()\n"
            "g, h = w.grad, l.weight_hh_l0.grad"
        ),
    ),
    **alike(
        "torch.nn",
        "RNNCell GRUCell",
        (SEED + "l = _seed(nn.{name}(4, 4))\ns = y\nr = l(x), l(x, s), list(l.state_dict())"),
        (SEED + "l = _seed(nn.{name}(4, 2, bias=False))\nl(x[0])"),
    ),
    "torch.nn.LSTM": (
        (SEED + "l = _seed(nn.LSTM(4, 5))\nr = l(a), list(l.state_dict())"),
        (
            SEED + "l = _seed(nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True))\n"
            "r = l(a), l(x), list(l.state_dict())"
        ),
        (
            SEED + "l = _seed(nn.LSTM(4, 4, bias=False, dropout=0.3, num_layers=2)).eval()\n"
            "s = torch.stack([x, y])\nr = l(a, (s, s * 2))"
        ),
        (
            SEED + "l = _seed(nn.LSTM(4, 3, 1, batch_first=True, bidirectional=True))\n"
            "k = nn.utils.rnn.pack_padded_sequence(a, torch.tensor([2, 3]), True, False)\n"
            "o, h = l(k)\nnn.utils.rnn.pad_packed_sequence(o, batch_first=True), h"
        ),
        (SEED + "l = _seed(nn.LSTM(4, 3))\nl(w)[0].sum().backward()\ng = w.grad"),
        (
            SEED
            + "l = _seed(nn.LSTM(4, 3, 2))\nl.requires_grad_(False)\nl(w)[0].sum().backward()\n"
            "g = w.grad"
        ),
        (
            SEED + "l = _seed(nn.LSTM(4, 3, bias=False)).eval()\nl(w)[0].sum().backward()\n"
            "g, h = w.grad, l.weight_hh_l0.grad"
        ),
    ),
    "torch.nn.LSTMCell": (
        (
            SEED + "l = _seed(nn.LSTMCell(4, 4))\ns = y\n"
            "r = l(x), l(x, (s, s * 2)), list(l.state_dict())"
        ),
        (SEED + "l = _seed(nn.LSTMCell(4, 2, bias=False))\nl(x[0])"),
    ),
    "torch.nn.RNNBase": (
        (SEED + "l = _seed(nn.RNNBase('LSTM', 4, 3, proj_size=2))\nlist(l.state_dict())"),
    ),
    "torch.nn.utils.rnn.pack_padded_sequence": (
        (_PACKED + "k.data, k.batch_sizes"),
        (
            "k = nn.utils.rnn.pack_padded_sequence(a, torch.tensor([1, 2, 1]), "
            "enforce_sorted=False)\nk.data, k.batch_sizes, k.sorted_indices, k.unsorted_indices"
        ),
    ),
    "torch.nn.utils.rnn.pad_packed_sequence": (
        (_PACKED + "nn.utils.rnn.pad_packed_sequence(k)"),
        (_PACKED + "nn.utils.rnn.pad_packed_sequence(k, True, padding_value=2.0, total_length=5)"),
    ),
    "torch.nn.utils.rnn.pad_sequence": (
        "nn.utils.rnn.pad_sequence([x, y[:2]])",
        "nn.utils.rnn.pad_sequence([n, n[:1]], batch_first=True, padding_value=7)",
        "nn.utils.rnn.pad_sequence([x, y[:2]], padding_side='left')",
    ),
    "torch.nn.utils.rnn.pack_sequence": ("nn.utils.rnn.pack_sequence([x, y[:2]]).data",),
    "torch.nn.utils.rnn.unpack_sequence": ((_PACKED + "nn.utils.rnn.unpack_sequence(k)"),),
    "torch.nn.utils.rnn.unpad_sequence": (
        "nn.utils.rnn.unpad_sequence(a, torch.tensor([3, 1]), batch_first=True)",
        "v = a.clone()\nr = nn.utils.rnn.unpad_sequence(v, torch.tensor([2, 1, 2])), v",
    ),
    "torch.nn.utils.rnn.PackedSequence": (
        (_PACKED + "isinstance(k, nn.utils.rnn.PackedSequence)"),
    ),
    **alike(
        "torch.nn.utils.rnn.PackedSequence",
        "double float half long int short char byte",
        (_PACKED + "v = k.{name}()\nr = v.data, v.batch_sizes, v.sorted_indices\nk = v = 0"),
    ),
    "torch.nn.utils.rnn.PackedSequence.cpu": ((_PACKED + "r = k.cpu().data\nk = 0"),),
    "torch.nn.utils.rnn.PackedSequence.to": ((_PACKED + "r = k.to(torch.float64).data\nk = 0"),),
    "torch.nn.utils.rnn.PackedSequence.is_cuda": ((_PACKED + "r = k.is_cuda\nk = 0"),),
    **alike(
        "torch.nn.utils.rnn.PackedSequence_",
        "data batch_sizes sorted_indices unsorted_indices",
        (_PACKED + "k.{name}"),
    ),
}
