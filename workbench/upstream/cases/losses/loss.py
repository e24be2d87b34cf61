"""Losses and distances: layers and functions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED, SPEECH

_TIED = "v = torch.ones(4, requires_grad=True)\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.MSELoss": (
        "nn.MSELoss()(w, y)",
        "nn.MSELoss(reduction='sum')(x, y)",
        "nn.MSELoss(reduce=False)(x, y)",
        "nn.MSELoss(size_average=False)(x, y)",
        "flag = len(x) > 9\nnn.MSELoss(reduce=flag)(x, y)",
    ),
    "torch.nn.L1Loss": (
        "nn.L1Loss()(w, y)",
        "nn.L1Loss(reduction='none')(x, y)",
    ),
    "torch.nn.functional.mse_loss": (
        "F.mse_loss(w, y)",
        "F.mse_loss(i, w).backward()\ng = w.grad",
        "F.mse_loss(x, m)",
        "flag = len(x) > 9\nF.mse_loss(x, y, size_average=flag)",
        "F.mse_loss(input=x, target=y, reduction='none')",
        "F.mse_loss(x, y[0], reduction='sum')",
        "F.mse_loss(w, y, weight=p).backward()\ng = w.grad",
        ("F.mse_loss(x, y, reduction='sum', weight=p), F.mse_loss(x, y, None, None, 'none', p)"),
        (
            "old = (None, False)\n"
            "F.mse_loss(x, y, *old), nn.MSELoss(*old)(x, y), F.cross_entropy(x, n, "
            "None, None, -100, *old[1:]), nn.NLLLoss(None, *old[:1])(x, n)"
        ),
        (
            "how = {'reduction': 'sum'}\n"
            "F.mse_loss(x, y, **how), nn.MSELoss(**how)(x, y), "
            "nn.CrossEntropyLoss(label_smoothing=0.1, **how)(x, n)"
        ),
    ),
    "torch.nn.functional.l1_loss": (
        "F.l1_loss(w, y)",
        "F.l1_loss(x, y, weight=p), F.l1_loss(x, y, weight=m)",
        "old = (False,)\nF.l1_loss(x, y, *old), nn.L1Loss(*old)(x, y)",
        "F.l1_loss(x, i, reduction='none')",
        "F.l1_loss(x, target=y, reduction='sum')",
    ),
    "torch.nn.CrossEntropyLoss": (
        "nn.CrossEntropyLoss()(w, n)",
        "nn.CrossEntropyLoss(weight=x[0].abs())(w, n)",
        "nn.CrossEntropyLoss(ignore_index=0)(w, n)",
        "nn.CrossEntropyLoss(label_smoothing=0.1, reduction='sum')(w, n)",
        "nn.CrossEntropyLoss(weight=x[0].abs(), label_smoothing=0.2, ignore_index=2)(w, n)",
        "nn.CrossEntropyLoss(reduction='none')(w, n)",
        "nn.CrossEntropyLoss(label_smoothing=0.1)(x, p)",
        "nn.CrossEntropyLoss(weight=x[0].abs())(x, p)",
        "nn.CrossEntropyLoss()(x[0], n[0])",
        "nn.CrossEntropyLoss()(a, i[:2] % 3)",
        "nn.CrossEntropyLoss(reduction='sum')(a, p[:2][:, None].expand(2, 3, 4))",
        "nn.CrossEntropyLoss()(w, n).backward()\ng = w.grad",
        "l = nn.CrossEntropyLoss()(w, n)\nl += (w * w).sum()\nl.backward()\ng = w.grad",
        "nn.CrossEntropyLoss(ignore_index=7)(x, n * 0 + 7)",
    ),
    "torch.nn.functional.cross_entropy": (
        "F.cross_entropy(w, n)",
        "F.cross_entropy(w, n, weight=x[0].abs())",
        "F.cross_entropy(w, n, ignore_index=0)",
        "F.cross_entropy(w, n, label_smoothing=0.1, reduction='sum')",
        "F.cross_entropy(w, n, weight=x[0].abs(), label_smoothing=0.2, ignore_index=2)",
        "F.cross_entropy(w, n, reduction='none')",
    ),
    "torch.nn.NLLLoss": (
        "nn.NLLLoss()(w.log_softmax(1), n)",
        "nn.NLLLoss(weight=x[0].abs())(w.log_softmax(1), n)",
        "nn.NLLLoss(ignore_index=0)(w.log_softmax(1), n)",
        "nn.NLLLoss(reduction='sum')(w.log_softmax(1), n)",
        "nn.NLLLoss(reduction='none')(a, i[:2] % 3)",
        "nn.NLLLoss()(x[0], n[0])",
    ),
    "torch.nn.functional.nll_loss": (
        "F.nll_loss(w.log_softmax(1), n)",
        "F.nll_loss(w.log_softmax(1), n, weight=x[0].abs())",
        "F.nll_loss(w.log_softmax(1), n, ignore_index=0)",
        "F.nll_loss(w.log_softmax(1), n, reduction='sum')",
    ),
    "torch.nn.BCELoss": (
        "nn.BCELoss()(p, m.float())",
        "nn.BCELoss(weight=p)(p, m.float())",
        "nn.BCELoss(reduction='none')(p, m.float())",
        "nn.BCELoss(reduction='none')(m.float(), 1 - m.float())",
    ),
    "torch.nn.functional.binary_cross_entropy": (
        "F.binary_cross_entropy(p, m.float())",
        "F.binary_cross_entropy(p, m.float(), weight=p)",
        "F.binary_cross_entropy(p, m.float(), reduction='none')",
    ),
    "torch.nn.BCEWithLogitsLoss": (
        "nn.BCEWithLogitsLoss()(w, p)",
        "nn.BCEWithLogitsLoss(weight=p)(w, p)",
        "nn.BCEWithLogitsLoss(pos_weight=p[0], reduction='sum')(w, p)",
        "nn.BCEWithLogitsLoss()(x.double(), p)",
        "F.binary_cross_entropy_with_logits(x, p, weight=i, pos_weight=n[:1] + 2)",
    ),
    "torch.nn.functional.binary_cross_entropy_with_logits": (
        "F.binary_cross_entropy_with_logits(w, p)",
        "F.binary_cross_entropy_with_logits(w, p, weight=p)",
        "F.binary_cross_entropy_with_logits(w, p, pos_weight=p[0], reduction='sum')",
    ),
    "torch.nn.KLDivLoss": (
        "nn.KLDivLoss()(w, p)",
        "nn.KLDivLoss(reduction='batchmean')(w, p)",
        "nn.KLDivLoss(reduction='sum', log_target=True)(w, p)",
        "nn.KLDivLoss(reduction='none')(x, m.float())",
        "F.kl_div(w, y, reduction='sum')",
    ),
    "torch.nn.functional.kl_div": (
        "F.kl_div(w, p)",
        "F.kl_div(w, p, reduction='batchmean')",
        "F.kl_div(w, p, reduction='sum', log_target=True)",
    ),
    "torch.nn.SmoothL1Loss": (
        "nn.SmoothL1Loss()(w, y)",
        "nn.SmoothL1Loss(beta=0.5)(w, y)",
        "nn.SmoothL1Loss(beta=0.0, reduction='sum')(w, y)",
        "nn.SmoothL1Loss()(w, i)",
        "nn.SmoothL1Loss()(x, m)",
    ),
    "torch.nn.functional.smooth_l1_loss": (
        "F.smooth_l1_loss(w, y)",
        "F.smooth_l1_loss(w, y, beta=0.5)",
        "F.smooth_l1_loss(w, y, beta=0.0, reduction='sum')",
    ),
    "torch.nn.HuberLoss": (
        "nn.HuberLoss()(w, y)",
        "nn.HuberLoss(delta=0.5, reduction='none')(w, y)",
        "nn.HuberLoss(reduction='sum')(w, y)",
        "F.huber_loss(w, y, weight=p), F.huber_loss(x, y, 'sum', 0.5, p)",
    ),
    "torch.nn.functional.huber_loss": (
        "F.huber_loss(w, y)",
        "F.huber_loss(w, y, delta=0.5, reduction='none')",
        "F.huber_loss(w, y, reduction='sum')",
    ),
    "torch.nn.PoissonNLLLoss": (
        "nn.PoissonNLLLoss()(w, p * 5)",
        "nn.PoissonNLLLoss(log_input=False)(w, p * 5)",
        "nn.PoissonNLLLoss(full=True)(w, p * 5)",
        "nn.PoissonNLLLoss(eps=0.1, reduction='none')(w, p * 5)",
        "nn.PoissonNLLLoss(full=True)(x, i)",
        "nn.PoissonNLLLoss(full=True)(i, i + 1)",
    ),
    "torch.nn.functional.poisson_nll_loss": (
        "F.poisson_nll_loss(w, p * 5)",
        "F.poisson_nll_loss(w, p * 5, log_input=False)",
        "F.poisson_nll_loss(w, p * 5, full=True)",
        "F.poisson_nll_loss(w, p * 5, eps=0.1, reduction='none')",
    ),
    "torch.nn.GaussianNLLLoss": (
        "nn.GaussianNLLLoss()(w, y, p)",
        "nn.GaussianNLLLoss(full=True)(w, y, p)",
        "nn.GaussianNLLLoss(eps=0.5, reduction='none')(w, y, p)",
        "nn.GaussianNLLLoss()(x, y, p[:, 0])",
        "nn.GaussianNLLLoss()(i, y, p)",
    ),
    "torch.nn.functional.gaussian_nll_loss": (
        "F.gaussian_nll_loss(w, y, p)",
        "F.gaussian_nll_loss(w, y, p, full=True)",
        "F.gaussian_nll_loss(w, y, p, eps=0.5, reduction='none')",
    ),
    "torch.nn.SoftMarginLoss": (
        "nn.SoftMarginLoss()(w, m.float() * 2 - 1)",
        "nn.SoftMarginLoss(reduction='none')(w, m.float() * 2 - 1)",
        "nn.SoftMarginLoss()(x, i)",
    ),
    "torch.nn.functional.soft_margin_loss": (
        "F.soft_margin_loss(w, m.float() * 2 - 1)",
        "F.soft_margin_loss(w, m.float() * 2 - 1, reduction='none')",
    ),
    "torch.nn.HingeEmbeddingLoss": (
        "nn.HingeEmbeddingLoss()(w, m.float() * 2 - 1)",
        "nn.HingeEmbeddingLoss(margin=0.5)(w, m.float() * 2 - 1)",
        "nn.HingeEmbeddingLoss(reduction='sum')(w, m.float() * 2 - 1)",
        (_TIED + "nn.HingeEmbeddingLoss()(v, -torch.ones(4)).backward()\ng = v.grad"),
    ),
    "torch.nn.functional.hinge_embedding_loss": (
        "F.hinge_embedding_loss(w, m.float() * 2 - 1)",
        "F.hinge_embedding_loss(w, m.float() * 2 - 1, margin=0.5)",
        "F.hinge_embedding_loss(w, m.float() * 2 - 1, reduction='sum')",
    ),
    "torch.nn.MarginRankingLoss": (
        "nn.MarginRankingLoss()(w, y, m.float() * 2 - 1)",
        "nn.MarginRankingLoss(margin=0.5)(w, y, m.float() * 2 - 1)",
        "nn.MarginRankingLoss(reduction='none')(w, y, m.float() * 2 - 1)",
        (_TIED + "F.margin_ranking_loss(v, torch.ones(4), y[0].sign()).backward()\ng = v.grad"),
    ),
    "torch.nn.functional.margin_ranking_loss": (
        "F.margin_ranking_loss(w, y, m.float() * 2 - 1)",
        "F.margin_ranking_loss(w, y, m.float() * 2 - 1, margin=0.5)",
        "F.margin_ranking_loss(w, y, m.float() * 2 - 1, reduction='none')",
    ),
    "torch.nn.CosineEmbeddingLoss": (
        "nn.CosineEmbeddingLoss()(w, y, m[:, 0].float() * 2 - 1)",
        "nn.CosineEmbeddingLoss(margin=0.5)(w, y, m[:, 0].float() * 2 - 1)",
        "nn.CosineEmbeddingLoss(reduction='sum')(w, y, m[:, 0].float() * 2 - 1)",
        "F.cosine_embedding_loss(i, i + 1, n - 1), F.cosine_embedding_loss(m, ~m, n - 1)",
    ),
    "torch.nn.functional.cosine_embedding_loss": (
        "F.cosine_embedding_loss(w, y, m[:, 0].float() * 2 - 1)",
        "F.cosine_embedding_loss(w, y, m[:, 0].float() * 2 - 1, margin=0.5)",
        "F.cosine_embedding_loss(w, y, m[:, 0].float() * 2 - 1, reduction='sum')",
    ),
    "torch.nn.TripletMarginLoss": (
        "nn.TripletMarginLoss()(w, y, p)",
        "nn.TripletMarginLoss(margin=2.0, p=1)(w, y, p)",
        "nn.TripletMarginLoss(swap=True)(w, y, p)",
        "nn.TripletMarginLoss(reduction='none')(w, y, p)",
    ),
    "torch.nn.functional.triplet_margin_loss": (
        "F.triplet_margin_loss(w, y, p)",
        "F.triplet_margin_loss(w, y, p, margin=2.0, p=1)",
        "F.triplet_margin_loss(w, y, p, swap=True)",
        "F.triplet_margin_loss(w, y, p, reduction='none')",
    ),
    "torch.nn.TripletMarginWithDistanceLoss": (
        "nn.TripletMarginWithDistanceLoss()(w, y, p)",
        "nn.TripletMarginWithDistanceLoss(margin=2.0, swap=True)(w, y, p)",
        (
            "nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(p=1"
            "), reduction='sum')(w, y, p)"
        ),
        "str(nn.TripletMarginWithDistanceLoss())",
    ),
    "torch.nn.functional.triplet_margin_with_distance_loss": (
        "F.triplet_margin_with_distance_loss(w, y, p)",
        "F.triplet_margin_with_distance_loss(w, y, p, margin=2.0, swap=True)",
        (
            "F.triplet_margin_with_distance_loss(w, y, p, "
            "distance_function=nn.PairwiseDistance(p=1), reduction='sum')"
        ),
    ),
    "torch.nn.MultiMarginLoss": (
        "nn.MultiMarginLoss()(w, n)",
        "nn.MultiMarginLoss(p=2, margin=0.5)(w, n)",
        "nn.MultiMarginLoss(weight=p[0])(w, n)",
        "nn.MultiMarginLoss(reduction='none')(w, n)",
        "nn.MultiMarginLoss()(x[0], n[0])",
        "nn.MultiMarginLoss()(x[0, 0], n[1])",
    ),
    "torch.nn.functional.multi_margin_loss": (
        "F.multi_margin_loss(w, n)",
        "F.multi_margin_loss(w, n, p=2, margin=0.5)",
        "F.multi_margin_loss(w, n, weight=p[0])",
        "F.multi_margin_loss(w, n, reduction='none')",
    ),
    "torch.nn.MultiLabelMarginLoss": (
        (
            "nn.MultiLabelMarginLoss()(w, torch.tensor([[3, 0, -1, 1], [-1, 0, 0, 0], "
            "[1, 2, 0, 3]]))"
        ),
        (
            "nn.MultiLabelMarginLoss(reduction='none')(w, torch.tensor([[3, 0, -1, 1], "
            "[-1, 0, 0, 0], [1, 2, 0, 3]]))"
        ),
        "nn.MultiLabelMarginLoss()(x[0, 0], n[1])",
    ),
    "torch.nn.functional.multilabel_margin_loss": (
        ("F.multilabel_margin_loss(w, torch.tensor([[3, 0, -1, 1], [-1, 0, 0, 0], [1, 2, 0, 3]]))"),
        (
            "F.multilabel_margin_loss(w, torch.tensor([[3, 0, -1, 1], [-1, 0, 0, 0], "
            "[1, 2, 0, 3]]), reduction='none')"
        ),
    ),
    "torch.nn.MultiLabelSoftMarginLoss": (
        "nn.MultiLabelSoftMarginLoss()(w, m.float())",
        "nn.MultiLabelSoftMarginLoss(weight=p)(w, m.float())",
        "nn.MultiLabelSoftMarginLoss(reduction='none')(w, m.float())",
    ),
    "torch.nn.functional.multilabel_soft_margin_loss": (
        "F.multilabel_soft_margin_loss(w, m.float())",
        "F.multilabel_soft_margin_loss(w, m.float(), weight=p)",
        "F.multilabel_soft_margin_loss(w, m.float(), reduction='none')",
    ),
    "torch.nn.CTCLoss": (
        (SPEECH + "nn.CTCLoss()(v, t, torch.tensor(il), torch.tensor(tl))"),
        (
            SPEECH + "nn.CTCLoss(blank=0, reduction='none', zero_infinity=True)(v, "
            "torch.tensor([1, 2, 3, 3, 2]), torch.tensor(il), torch.tensor(tl))"
        ),
    ),
    "torch.nn.functional.ctc_loss": (
        (SPEECH + "F.ctc_loss(v, t, torch.tensor(il), torch.tensor(tl), reduction='sum')"),
        (
            SPEECH + "v.requires_grad_()\nt = torch.tensor([[1, 1], [3, 1], [2, 2]])\n"
            "r = F.ctc_loss(v, t, [2, 1, 5], [2, 2, 2], reduction='none')\n"
            "r.sum().backward()\ng = v.grad"
        ),
        (
            SPEECH + "v.requires_grad_()\nt = torch.tensor([[1, 1], [3, 1], [2, 2]])\n"
            "r = F.ctc_loss(v, t, [2, 1, 5], [2, 2, 2], zero_infinity=True)\n"
            "r.backward()\ng = v.grad"
        ),
    ),
    "torch.nn.functional.linear_cross_entropy": (
        "F.linear_cross_entropy(w, sq, n).backward()\ng = w.grad",
        (
            "F.linear_cross_entropy(w, sq, n, linear_bias=x[0], weight=p[0], "
            "ignore_index=1, reduction='sum', label_smoothing=0.1, options=None)"
        ),
        (
            "F.linear_cross_entropy(x, a.repeat(1, 1, 1), n[:, None].expand(3, 3) % 2, "
            "reduction='none')"
        ),
        ("F.linear_cross_entropy(x[0], sq, n[0]), F.linear_cross_entropy(x, sq[:3], p[:, :3])"),
    ),
    "torch.nn.LinearCrossEntropyLoss": (
        (
            SEED + "l = _seed(nn.LinearCrossEntropyLoss(4, 3, bias=True))\n"
            "r = l(x, n), list(l.state_dict())\nr[0].backward()\ng = l.linear.weight.grad"
        ),
        (
            SEED + "l = _seed(nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), "
            "reduction='sum', weight=p[0, :3], ignore_index=0))\n"
            "r = l(x, n[:, None].expand(3, 2))"
        ),
    ),
    **alike(
        "torch.nn.LinearCrossEntropyLoss",
        "num_classes ignore_index label_smoothing",
        "nn.LinearCrossEntropyLoss(4, 3, out_features=(2,)).{name}",
    ),
    "torch.nn.LinearCrossEntropyLoss.out_features": (
        "nn.LinearCrossEntropyLoss(4, 3, out_features=(2,)).out_features",
    ),
    "torch.nn.LinearCrossEntropyLoss.linear": (
        "nn.LinearCrossEntropyLoss(4, 3).linear.weight.shape",
    ),
    "torch.nn.LinearCrossEntropyLoss.forward": (
        (SEED + "l = _seed(nn.LinearCrossEntropyLoss(4, 3))\nl.forward(x, target=n), l(x, n)"),
    ),
    "torch.nn.functional.cosine_similarity": (
        "F.cosine_similarity(x, y)",
        "F.cosine_similarity(i, y)",
        "F.cosine_similarity(a, x, dim=-1)",
        "F.cosine_similarity(x * 0, y, eps=1e-3)",
    ),
    "torch.nn.functional.pairwise_distance": (
        "F.pairwise_distance(x, y)",
        "F.pairwise_distance(i, y)",
        "F.pairwise_distance(x, y, p=1, keepdim=True)",
        "F.pairwise_distance(x, y, float('inf'))",
    ),
    "torch.nn.functional.normalize": (
        "F.normalize(x)",
        "o = torch.empty(3, 4)\nr = F.normalize(x, out=o)",
        "F.normalize(a, p=1, dim=-1)",
        "how = {'dim': 0}\nF.normalize(x, **how)",
        "F.normalize(x * 0, 2, 0, eps=0.1)",
        "f = F.normalize\nf(x)",
        "(F.normalize(w, eps=0.1) ** 3).sum().backward()\ng = w.grad",
        "F.normalize(torch.tensor(-3.0), dim=0)",
        "F.normalize(a, p=3, dim=(1, 2)), F.normalize(a, dim=[0])",
        "at = (0, 2)\nF.normalize(a, 1, at), F.normalize(a, 2.5, at[0])",
    ),
    "torch.nn.functional.pdist": (
        "F.pdist(x)",
        "F.pdist(x, p=1)",
        "how = {'p': 3.0}\nF.pdist(x, **how), F.pdist(w[:1])",
        "F.pdist(w, 0.5).sum().backward()\ng = w.grad",
        "p = 1.5\ntorch.pdist(d, p=p)",
        "F.pdist(w[[0, 1, 1]], p=0.5).sum().backward()\ng = w.grad",
    ),
}
