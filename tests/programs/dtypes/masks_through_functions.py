import torch
import torch.nn.functional as F


def lengths_to_mask(lengths, n):
    return torch.arange(n)[None, :] < lengths[:, None]
def pad_mask(tokens, pad=0):
    return (tokens != pad).unsqueeze(-1)
def mean_pool(h, attention_mask):
    m = attention_mask.unsqueeze(-1)
    return (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
def masked_loss(pred, target, valid):
    return (F.mse_loss(pred, target, reduction="none") * valid).sum() / valid.sum()
def contrast(emb, labels):
    same = labels[:, None] == labels[None, :]
    off = ~torch.eye(len(labels), dtype=torch.bool)
    sim = emb @ emb.T
    return (sim * (same & off)).sum() / (same & off).sum(), (sim * same * off).sum()
tok = torch.tensor([[3, 4, 0], [5, 0, 0]])
h = torch.arange(12.).sin().view(2, 3, 2)
print((h * pad_mask(tok)).tolist(), mean_pool(h, tok != 0).tolist(), mean_pool(h, (tok != 0).long()).tolist())
lm = lengths_to_mask(torch.tensor([2, 1]), 3)
print(masked_loss(h[..., 0], h[..., 1], lm).item())
print([t.item() for t in contrast(h[:, 0], torch.tensor([1, 1]))])


def masked_var(values, mask, unbiased=True):
    count = mask.sum()
    mean = (values * mask).sum() / count
    var = (((values - mean) ** 2) * mask).sum() / count
    return var * count / (count - 1) if unbiased else var


for kind in (torch.bool, torch.int64, torch.float32, torch.float64):
    print(masked_var(h[..., 0], lm.to(kind)).item(), masked_var(h[..., 1], lm.to(kind), False).item())
