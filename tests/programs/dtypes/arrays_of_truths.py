import numpy as np
import torch

n = np.array([1, 0, 1])
b = np.array([True, False, True])
f = np.array([0.5, 1.5, 2.5])
x = torch.tensor([1., 2., 3.])
print((x * torch.tensor(n)).tolist(), (x * torch.tensor(b)).tolist(), (x * torch.from_numpy(f)).tolist(), (x * torch.from_numpy(f)).dtype, (x * torch.as_tensor(f, dtype=torch.float32)).tolist())
print((x * torch.tensor([1, 0, 1])).tolist(), (x * torch.LongTensor([1, 0, 1])).tolist(), (x + torch.IntTensor([1, 2, 3])).tolist(), (x * torch.tensor([True, False, True])).tolist(), (x * torch.tensor(2)).tolist(), (torch.tensor([1, 2]) * torch.tensor(0.5)).tolist())
y = torch.from_numpy(n).long()
print((x * y).tolist(), (y.float() * x).tolist(), ((y == 1) * x).tolist(), (torch.from_numpy(b).float() * x).tolist())
m = torch.from_numpy(n > 0)
k = torch.BoolTensor(b.tolist())
print((m * x).sum().item(), (k & m).tolist(), (x * k).tolist(), (x[m]).tolist(), (n * x.numpy()).tolist(), np.where(b, x.numpy(), 0).tolist())
