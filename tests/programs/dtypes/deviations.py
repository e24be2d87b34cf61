import torch

x = torch.tensor([[1.0, 3, 8], [2, 2, 5]])
print(torch.std(x, False).item(), torch.var(x, True).item(), x.std(False).item(), x.var(True).item())
print(torch.std(x, 1, False).tolist(), x.var(0, False).tolist(), x.std(unbiased=False).item())
print(torch.stack(torch.std_mean(x, False)).tolist(), torch.stack(torch.var_mean(x, 1, False)).tolist())
