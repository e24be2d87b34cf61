"""Functions of torch.nn.functional as they stand under `torch` itself."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import RUNNING, SPEECH, VECTORS

_GRID = "k = F.affine_grid(a[:, :2, :3], [2, 3, 4, 5])\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.binary_cross_entropy_with_logits": (
        "torch.binary_cross_entropy_with_logits(w, p)",
        "torch.binary_cross_entropy_with_logits(w[0], p)",
        "torch.binary_cross_entropy_with_logits(w, p, pos_weight=p[0], reduction=2)",
        "torch.binary_cross_entropy_with_logits(x, p, p, reduction=0)",
        "l = torch.binary_cross_entropy_with_logits\nr = l(w, p)",
    ),
    "torch.cosine_embedding_loss": (
        "torch.cosine_embedding_loss(w, y, m[:, 0].float() * 2 - 1)",
        "torch.cosine_embedding_loss(x, y, m[:, 0].float() * 2 - 1, 0.5, 0)",
        "l = torch.cosine_embedding_loss\nr = l(w, y, m[:, 0].float() * 2 - 1)",
    ),
    "torch.hinge_embedding_loss": (
        "torch.hinge_embedding_loss(w, m.float() * 2 - 1)",
        "torch.hinge_embedding_loss(x, m.float() * 2 - 1, margin=0.5, reduction=2)",
        "torch.hinge_embedding_loss(i, m.long() * 2 - 1, 0.5)",
        "l = torch.hinge_embedding_loss\nr = l(w, m.float() * 2 - 1)",
    ),
    "torch.margin_ranking_loss": (
        "torch.margin_ranking_loss(w, y, m.float() * 2 - 1)",
        "torch.margin_ranking_loss(x, y, m.float() * 2 - 1, 0.5, reduction=0)",
        "l = torch.margin_ranking_loss\nr = l(w, y, m.float() * 2 - 1)",
    ),
    "torch.poisson_nll_loss": (
        "torch.poisson_nll_loss(w, p * 5, True, False, 1e-8, 1)",
        "torch.poisson_nll_loss(p, p, log_input=False, full=True, eps=0.1, reduction=0)",
        "l = torch.poisson_nll_loss\nr = l(w, p * 5, True, False, 1e-8, 1)",
    ),
    "torch.triplet_margin_loss": (
        "torch.triplet_margin_loss(w, y, p)",
        "torch.triplet_margin_loss(x, y, p, 2.0, 1, swap=True, reduction=0)",
        "l = torch.triplet_margin_loss\nr = l(w, y, p)",
    ),
    "torch.kl_div": (
        "torch.kl_div(w, p)",
        "torch.kl_div(x, y, 2, log_target=True)",
        "torch.kl_div(x, p, reduction=0)",
        "l = torch.kl_div\nr = l(w, p)",
    ),
    "torch.ctc_loss": (
        (SPEECH + "f, k = torch.ctc_loss, (v, t, il, tl)\nf(v, t, il, tl), torch.ctc_loss(*k)"),
        (SPEECH + "torch.ctc_loss(v, t, torch.tensor(il), torch.tensor(tl))"),
        (SPEECH + "torch.ctc_loss(v, t, il, tl, 0, 2, True)"),
        (
            SPEECH + "v = (v * 0.5 - 0.3).detach().requires_grad_()\n"
            "r = torch.ctc_loss(v, t, il, tl, reduction=1)\nr.backward()\ng = v.grad"
        ),
    ),
    "torch.batch_norm": (
        (VECTORS + RUNNING + "torch.batch_norm(img, wt, bs, mean, var, False, 0.1, 1e-5, True)"),
        (
            RUNNING + "torch.batch_norm(a, None, None, mean, var, training=True, momentum=0.2, "
            "eps=1e-2, cudnn_enabled=False)"
        ),
    ),
    "torch.instance_norm": (
        (VECTORS + "torch.instance_norm(a, wt, bs, None, None, True, 0.1, 1e-5, True)"),
        (RUNNING + "torch.instance_norm(img, None, None, mean, var, False, 0.1, 1e-2, False)"),
    ),
    "torch.group_norm": (
        "torch.group_norm(a, 3)",
        "(torch.group_norm(w, 2) * y).sum().backward()\ng = w.grad",
        (VECTORS + "torch.group_norm(img, 1, wt, bs, 1e-2, True)"),
    ),
    "torch.rms_norm": (
        "torch.rms_norm(x, (4,))",
        "torch.rms_norm(a, [3, 4], y, 1e-2)",
    ),
    "torch.max_pool1d": (
        "torch.max_pool1d(a, 2)",
        "torch.max_pool1d(a, kernel_size=3, stride=2, padding=1, ceil_mode=True)",
    ),
    "torch.max_pool2d": (
        "torch.max_pool2d(img, 2)",
        "torch.max_pool2d(img, kernel_size=3, stride=2, padding=1, ceil_mode=True)",
    ),
    "torch.max_pool3d": (
        "torch.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2)",
        (
            "torch.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), kernel_size=3, "
            "stride=2, padding=1, ceil_mode=True)"
        ),
    ),
    "torch.max_pool1d_with_indices": ("torch.max_pool1d_with_indices(a, 2, 1)",),
    "torch.adaptive_max_pool1d": (
        "torch.adaptive_max_pool1d(a, 2)",
        "torch.adaptive_max_pool1d(a, output_size=[3])",
    ),
    "torch.dropout": (
        "torch.dropout(x, 0.5, False)",
        "torch.dropout(x, 0.0, True)",
        "torch.dropout(i, p=0.5, train=False), torch.dropout(x, 0.5, False) is x",
        "f = torch.dropout\nf(x, 0.0, True), f(x, 0.5, False)",
    ),
    **alike(
        "torch",
        "alpha_dropout feature_alpha_dropout feature_dropout",
        "torch.{name}(img, 0.5, False)",
        "torch.{name}(img, p=0.0, train=True)",
    ),
    "torch.rrelu": (
        "torch.rrelu(x)",
        "torch.rrelu(x, 0.2, 0.2, training=True)",
    ),
    "torch.affine_grid_generator": (
        "torch.affine_grid_generator(a[:, :2, :3], [2, 3, 4, 5], False)",
    ),
    **alike(
        "torch",
        "grid_sampler grid_sampler_2d",
        (_GRID + "torch.grid_sampler(img, k, 0, 0, False)"),
        (_GRID + "torch.grid_sampler_2d(img, k, 1, padding_mode=1, align_corners=True)"),
    ),
    "torch.gru_cell": (
        "wi = sq.repeat(4, 1)[:12]\ntorch.gru_cell(x, y, wi, wi * 0.5)",
        ("wi = sq.repeat(4, 1)[:12]\ntorch.gru_cell(x, y, wi, wi, b_ih=wi[:, 0], b_hh=wi[:, 1])"),
    ),
    **alike(
        "torch",
        "rnn_tanh_cell rnn_relu_cell",
        "wi = sq.repeat(4, 1)[:4]\ntorch.{name}(x, y, wi, wi * 0.5)",
        "wi = sq.repeat(4, 1)[:4]\ntorch.{name}(x, y, wi, wi, b_ih=wi[:, 0], b_hh=wi[:, 1])",
    ),
    "torch.lstm_cell": (
        "wi = sq.repeat(4, 1)[:16]\ntorch.lstm_cell(x, (y, p), wi, wi * 0.5)",
        (
            "wi = sq.repeat(4, 1)[:16]\n"
            "torch.lstm_cell(x, (y, p), wi, wi, b_ih=wi[:, 0], b_hh=wi[:, 1])"
        ),
    ),
    "torch.embedding_bag": (
        ("k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2])\ntorch.embedding_bag(d, k, o)"),
        (
            "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2, 2])\n"
            "[torch.embedding_bag(sq, k, o, False, mode) for mode in range(3)]"
        ),
        (
            "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2])\n"
            "bags, *_ = torch.embedding_bag(w, k, o, per_sample_weights=torch.ones(4) * 2)\n"
            "bags.sum().backward()\ng = w.grad"
        ),
        (
            "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2, 4])\n"
            "[torch.embedding_bag(sq, k, o, False, mode, False, None, True, 1) for "
            "mode in range(3)]"
        ),
    ),
}
