import torch

torch.set_default_dtype(torch.float64)
t = torch.tensor([1, 2])
print((t / 2).dtype, (3 / t).tolist(), (t / t).dtype, (torch.ones(2) * t).dtype)
torch.set_default_dtype(torch.float32)
