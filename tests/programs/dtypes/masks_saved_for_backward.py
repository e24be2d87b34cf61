import torch


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.save_for_backward(mask)
        return x * mask
    @staticmethod
    def backward(ctx, grad):
        mask, = ctx.saved_tensors
        return grad * mask
class Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, keep, p):
        ctx.save_for_backward(x, keep)
        ctx.p = p
        return x * keep / (1 - p)
    @staticmethod
    def backward(ctx, g):
        x, keep = ctx.saved_tensors
        return (g + 0 * x) * keep / (1 - ctx.p), None, None
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo):
        ctx.save_for_backward(x)
        ctx.lo = lo
        ctx.hit = x >= lo
        return x.clamp(min=lo)
    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0]
        return g * (x >= ctx.lo) + 0 * g * ctx.hit, None
x = torch.tensor([1., -2., 3.], requires_grad=True)
y = Relu.apply(x).sum() + Drop.apply(x, torch.tensor([True, False, True]), 0.5).sum() + Clamp.apply(x, 0.0).sum()
y.backward()
print(y.item(), x.grad.tolist())
