import torch


class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        inside = (x > lo) & (x < hi)
        ctx.save_for_backward(inside, x)
        ctx.n = inside.sum()
        return torch.where(inside, x, x * 0.1)
    @staticmethod
    def backward(ctx, g):
        inside, x = ctx.saved_tensors
        outside = ~inside
        return g * inside + 0.1 * g * outside + 0 * x, None, None
class Quant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        q = (x / scale).round()
        ctx.mask = q.abs() <= 2
        return q.clamp(-2, 2) * scale
    @staticmethod
    def backward(ctx, g):
        return g * ctx.mask, None
class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, idx):
        ctx.save_for_backward(idx)
        ctx.shape = x.shape
        return x[idx]
    @staticmethod
    def backward(ctx, g):
        idx, = ctx.saved_tensors
        out = torch.zeros(ctx.shape)
        out.index_add_(0, idx, g * (idx > 0))
        return out, None
x = torch.tensor([-2., 0.5, 3.], requires_grad=True)
(Step.apply(x, -1.0, 1.0).sum() + (Quant.apply(x, 0.5) ** 2).sum() + Gather.apply(x, torch.tensor([0, 2, 2])).sum()).backward()
print(x.grad.tolist())
