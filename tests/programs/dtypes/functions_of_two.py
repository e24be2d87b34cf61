import torch


def f(x, mask, y):
    print(torch.mul(x, mask).tolist(), x.mul(mask).tolist(), torch.add(x, mask).tolist(), x.add(mask, alpha=2).tolist(), torch.sub(x, y).tolist(), x.sub(y).tolist(), torch.div(x, y).tolist(), torch.true_divide(y, x).tolist())
    print(torch.maximum(x, y).tolist(), torch.minimum(y, x).tolist(), torch.eq(x, y).tolist(), x.lt(y).tolist(), torch.pow(x, y).tolist(), torch.remainder(x, y).tolist(), torch.atan2(x, y).tolist())
    print(torch.cat([x, y]).tolist(), torch.stack([x, mask]).tolist(), torch.addcmul(x, x, mask.float()).tolist(), torch.lerp(x, x + 1, 0.5).tolist(), torch.dot(x, y.float()).item(), torch.outer(x, y).tolist())
x = torch.tensor([0.5, 1.5, 2.5])
y = torch.tensor([1, 2, 3])
f(x, x > 1, y)
