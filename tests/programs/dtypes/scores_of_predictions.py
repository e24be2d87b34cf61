import torch


def accuracy(out, y, topk=(1,)):
    _, pred = out.topk(max(topk), 1, True, True)
    correct = pred.t().eq(y.view(1, -1).expand_as(pred.t()))
    return [(correct[:k].reshape(-1).float().sum(0) * 100.0 / y.size(0)).item() for k in topk]
def confusion(pred, y, n):
    return torch.stack([((pred == i) & (y == j)).sum() for i in range(n) for j in range(n)]).view(n, n)
def f1(pred, y):
    tp = (pred * y).sum()
    fp = (pred * (1 - y)).sum()
    fn = ((1 - pred) * y).sum()
    return (2 * tp / (2 * tp + fp + fn)).item()
out = torch.arange(12.).sin().view(4, 3)
y = torch.tensor([0, 1, 2, 1])
p = out.argmax(1)
c = confusion(p, y, 3)
print(accuracy(out, y, (1, 2)), c.tolist(), (c.diag().sum() / c.sum()).item(), (c.diag() / c.sum(1)).nan_to_num().tolist(), (c / c.sum(1, keepdim=True).clamp(min=1)).tolist())
print(f1((out > 0).long(), torch.ones(4, 3, dtype=torch.long)), f1((out > 0).float(), torch.ones(4, 3)), (p != y).sum().item() / 4, ((p == y) * 1.0).mean().item(), (p == y).double().mean().item())
hit = p.eq(y)
print((hit * out.max(1)[0]).tolist(), (hit.sum() / hit.numel()).item(), hit.float().mul(y).sum().item(), (~hit).sum().item(), torch.where(hit, y, -1).tolist())
