import torch
from torch.utils.data import DataLoader, TensorDataset

x = torch.arange(24.).sin().view(8, 3)
m = x > 0
y = torch.arange(8) % 3
w = torch.arange(8).float()
for a, mask, label, weight in DataLoader(TensorDataset(x, m, y, w), batch_size=4):
    print((a * mask).sum().item(), (label * weight).sum().item(), (a * mask).sum(1).tolist())
    pred = a.argmax(1)
    print((pred == label).sum().item() / len(label), (pred == label).float().mean().item(), ((pred == label) * weight).sum().item())
