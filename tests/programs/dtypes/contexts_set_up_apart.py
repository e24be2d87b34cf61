import torch


class F1(torch.autograd.Function):
    @staticmethod
    def forward(x, k):
        return x.clamp(min=0) * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, k = inputs
        ctx.save_for_backward(x > 0)
        ctx.k = k
    @staticmethod
    def backward(ctx, g):
        m, = ctx.saved_tensors
        return g * m * ctx.k, None
class F2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w, x > w)
        return torch.max(x, w)
    @staticmethod
    def backward(ctx, g):
        _, _, mask = ctx.saved_tensors
        return g * mask, g * (~mask)
class F3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.sign()
        ctx.save_for_backward(x)
        return y
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.abs().le(1)
x = torch.tensor([-1., 0.5, 2.], requires_grad=True)
w = torch.tensor([0., 1., 1.], requires_grad=True)
(F1.apply(x, 3).sum() + (F2.apply(x, w) * torch.tensor([1., 2, 3])).sum() + F3.apply(x).sum()).backward()
print(x.grad.tolist(), w.grad.tolist())
