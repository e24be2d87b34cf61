import torch

x = torch.arange(6.).sin().view(2, 3)
y = torch.tensor([[1, 2, 3], [4, 5, 6]])
m = y % 2 == 0
print(torch.where(m, x, y).tolist(), torch.where(m, y, 0).tolist(), torch.where(m, y, 0.5).tolist(), torch.where(m, 1.0, x).tolist(), torch.where(x > 0, y, -1).dtype)
print(torch.where(m, x, torch.tensor(float("-inf"))).tolist(), x.where(m, torch.zeros_like(x)).tolist(), torch.where(m.int() == 1, x.double(), x).dtype)
print(torch.maximum(x, x.double()).dtype, torch.minimum(y, y.int()).dtype, torch.cat([y, x]).tolist(), torch.stack([m[0], y[0]]).tolist())
