"""Embeddings and dropout."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

_BAG = "o = torch.tensor([0, 2, 2])\nk = torch.tensor([0, 2, 1, 1, 0])\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.Embedding": (
        (
            SEED + "how = {'num_embeddings': 10, 'embedding_dim': 3, 'padding_idx': 1}\n"
            "l = _seed(nn.Embedding(**how))\nr = l(i)"
        ),
        (SEED + "l = _seed(nn.Embedding(10, 3))\nr = l(i), l.num_embeddings, l.embedding_dim"),
        (
            SEED + "l = _seed(nn.Embedding(5, 3, padding_idx=0))\nr = l(i)\nr.sum().backward()\n"
            "g = l.weight.grad"
        ),
        (SEED + "l = _seed(nn.Embedding(5, 3, max_norm=0.5))\nr = l(n), l.weight"),
        "nn.Embedding(3, 2)(torch.tensor([-1]))",
        (
            SEED + "l = _seed(nn.Embedding(5, 3, scale_grad_by_freq=True))\n"
            "(l(torch.tensor([1, 1, 4])) ** 2).sum().backward()\ng = l.weight.grad"
        ),
        (
            "l = nn.Embedding(300, 50, padding_idx=-1)\n"
            "_s = float(np.std(np.asarray(l.weight.detach())))\n"
            "0.95 < _s < 1.05, l.weight[299], l.padding_idx"
        ),
    ),
    "torch.nn.Embedding.from_pretrained": (
        "l = nn.Embedding.from_pretrained(x)\nr = l(n), l.weight",
        "nn.Embedding.from_pretrained(x, freeze=False, padding_idx=0)(n)",
    ),
    "torch.nn.functional.embedding": (
        "F.embedding(n, x)",
        "how = {'padding_idx': 1}\nF.embedding(n, w, **how).sum().backward()\ng = w.grad",
        "F.embedding(n, w, padding_idx=-1).sum().backward()\ng = w.grad",
        "v = x.clone()\nr = F.embedding(n, v, max_norm=1.0, norm_type=1.0)\nv",
        (
            "k = torch.tensor([[0, 1, 1], [2, 1, 0]])\n"
            "(F.embedding(k, w, 2, None, 2.0, True) ** 2).sum().backward()\ng = w.grad"
        ),
    ),
    "torch.nn.EmbeddingBag": (
        (SEED + "how = {'mode': 'max'}\nl = _seed(nn.EmbeddingBag(5, 3, **how))\nr = l(i)"),
        (SEED + _BAG + "l = _seed(nn.EmbeddingBag(5, 3))\nr = l(i), l(k, o)"),
        (SEED + _BAG + "l = _seed(nn.EmbeddingBag(5, 3, mode='max', padding_idx=1))\nl(k, o)"),
        (
            SEED + _BAG + "l = _seed(nn.EmbeddingBag(5, 3, mode='sum', include_last_offset=True))\n"
            "l(k, o), l(i, per_sample_weights=p)"
        ),
    ),
    "torch.nn.EmbeddingBag.from_pretrained": (
        "l = nn.EmbeddingBag.from_pretrained(sq)\nr = l(i), l.weight",
        (
            "l = nn.EmbeddingBag.from_pretrained(sq, freeze=False, mode='sum', padding_idx=1)\n"
            "l(i).sum().backward()\ng = l.weight.grad"
        ),
    ),
    "torch.nn.functional.embedding_bag": (
        (_BAG + "how = {'mode': 'sum'}\nF.embedding_bag(k, x, o, **how)"),
        (
            "v = torch.ones(4, 2, requires_grad=True)\n"
            "F.embedding_bag(torch.tensor([[1, 2], [3, 1]]), v, mode='max').sum().backward()\n"
            "g = v.grad"
        ),
        (_BAG + "F.embedding_bag(k, x, o), F.embedding_bag(x, k, o)"),
        "F.embedding_bag(i, sq, mode='sum')",
        (_BAG + "F.embedding_bag(k, w, o, None, 2.0, False, 'sum').sum().backward()\ng = w.grad"),
    ),
    "torch.nn.Dropout": (
        "l = nn.Dropout(0.3).eval()\nr = l(x), l.p",
        "nn.Dropout(p=0.0)(x)",
        "nn.Dropout(1.0)(x)",
        "how = {'p': 0.0, 'inplace': True}\nnn.Dropout(**how)(x)",
    ),
    "torch.nn.Dropout1d": (
        "l = nn.Dropout1d(0.3).eval()\nr = l(a), l.p",
        "nn.Dropout1d(p=0.0)(a)",
        "nn.Dropout1d(1.0)(a)",
        "l = nn.Dropout1d(0.3).eval()\nr = l(a[0]), l.p",
        "nn.Dropout1d(p=0.0)(a[0])",
        "nn.Dropout1d(1.0)(a[0])",
        "v = a * 1\nr = nn.Dropout1d(p=1.0, inplace=True)(v)\nr is v, v",
    ),
    "torch.nn.functional.dropout1d": (
        "v = a * 1\nr = F.dropout1d(v, 1.0, inplace=True)\nr is v, v",
        "F.dropout1d(a, 0.5, training=False)",
        "F.dropout1d(a, p=1.0)",
    ),
    "torch.nn.Dropout2d": (
        "l = nn.Dropout2d(0.3).eval()\nr = l(img), l.p",
        "nn.Dropout2d(p=0.0)(img)",
        "nn.Dropout2d(1.0)(img)",
        "l = nn.Dropout2d(0.3).eval()\nr = l(img[0]), l.p",
        "nn.Dropout2d(p=0.0)(img[0])",
        "nn.Dropout2d(1.0)(img[0])",
        "v = img * 1\nr = nn.Dropout2d(p=1.0, inplace=True)(v)\nr is v, v",
    ),
    "torch.nn.functional.dropout2d": (
        "v = img * 1\nr = F.dropout2d(v, 1.0, inplace=True)\nr is v, v",
        "F.dropout2d(img, 0.5, training=False)",
        "F.dropout2d(img, p=1.0)",
    ),
    "torch.nn.Dropout3d": (
        "l = nn.Dropout3d(0.3).eval()\nr = l(img[:, :, None]), l.p",
        "nn.Dropout3d(p=0.0)(img[:, :, None])",
        "nn.Dropout3d(1.0)(img[:, :, None])",
        "l = nn.Dropout3d(0.3).eval()\nr = l(img[:, :, None][0]), l.p",
        "nn.Dropout3d(p=0.0)(img[:, :, None][0])",
        "nn.Dropout3d(1.0)(img[:, :, None][0])",
        "v = img[:, :, None] * 1\nr = nn.Dropout3d(p=1.0, inplace=True)(v)\nr is v, v",
    ),
    "torch.nn.functional.dropout3d": (
        "v = img[:, :, None] * 1\nr = F.dropout3d(v, 1.0, inplace=True)\nr is v, v",
        "F.dropout3d(img[:, :, None], 0.5, training=False)",
        "F.dropout3d(img[:, :, None], p=1.0)",
    ),
    **alike(
        "torch.nn",
        "AlphaDropout FeatureAlphaDropout",
        "l = nn.{name}(0.3).eval()\nr = l(img), l.p",
        "nn.{name}(p=0.0)(img)",
        "nn.{name}()(img).shape",
        "l = nn.{name}(0.0, inplace=True)\nr = l.inplace, l.p, l(img)",
    ),
    **alike(
        "torch.nn.functional",
        "alpha_dropout feature_alpha_dropout",
        "F.{name}(img, 0.5), F.{name}(img, 0.5, False, False)",
        "F.{name}(img, p=0.0, training=True)",
        "v = img * 1\nflag = len(x) > 2\nr = F.{name}(v, 0.5, False, flag)\nr is v, v",
        "how = {'p': 0.0, 'inplace': True}\nv = img * 1\nr = F.{name}(v, **how)\nr is v, v",
        "v = img * 1\nF.{name}(v, training=True, inplace=True)\nr = v.shape, v.equal(img)",
    ),
    "torch.nn.functional.dropout": (
        "how = {'p': 1.0, 'training': False}\nF.dropout(x, **how)",
        "args = (x * 1, 1.0, True, True)\nr = F.dropout(*args)\nr is args[0], r",
        "flag = len(x) > 2\nv = x * 1\nr = F.dropout(v, 1.0, inplace=flag)\nr is v, v",
        "F.dropout(x, 0.5, False)",
        "F.dropout(x, p=0.0)",
        "F.dropout(x, 1.0, training=True)",
        "v = x * 1\nr = F.dropout(v, 1.0, inplace=True)\nr is v, v",
    ),
}
