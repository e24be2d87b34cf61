import torch
import torch.nn.functional as F

y = torch.tensor([0, 2, 1])
x = torch.arange(9.).sin().view(3, 3)
oh = F.one_hot(y, 3)
print((oh * x).sum(1).tolist(), (x * F.one_hot(y, 3)).tolist(), oh.dtype, (oh == 1).tolist(), (x - oh).tolist(), (1 - oh).tolist(), (F.one_hot(y) * -x.log_softmax(-1)).sum(-1).mean().item())
print(torch.scatter(torch.zeros(3, 3), 1, y[:, None], 1.0).tolist(), torch.zeros(3, 3).scatter_(1, y[:, None], 1).mul(x).sum().item())
print((torch.bincount(y) * x[0]).tolist(), (x.sum(0) / torch.bincount(y, minlength=3)).tolist(), (torch.arange(3) * x).sum().item(), (x * torch.arange(3)[:, None]).sum().item(), (torch.linspace(0, 1, 3) * y).tolist())
lens = torch.tensor([1, 3, 2])
m = torch.arange(3)[None] < lens[:, None]
print((x * m).sum(1).div(lens).tolist(), ((x * m).sum(1) / m.sum(1)).tolist(), ((x * m.unsqueeze(0)).sum() / lens.sum()).item(), x.sum(1).div_(lens).tolist(), (x.cumsum(1) / torch.arange(1, 4)).tolist(), (lens / lens.sum()).tolist(), (lens.float() / lens.max()).tolist(), (x.mean(1) * lens / lens.sum()).sum().item())
