import numpy as np
import torch

a = np.arange(6, dtype=np.float64).reshape(2, 3)
m = np.array([[1, 0, 1], [0, 1, 1]])
x = torch.from_numpy(a)
mask = torch.from_numpy(m)
b = torch.from_numpy(m > 0)
print((x * mask).tolist(), (x * b).tolist(), (x.float() * mask).tolist(), (x / mask.sum()).tolist())
w = torch.tensor(np.array([1, 2, 3]), dtype=torch.float32)
print((w * mask).tolist(), (w * torch.as_tensor(m)).tolist(), (w * x).dtype, (w + mask).tolist())
