import torch

x = torch.arange(12.).sin().view(3, 4)
mask = x > 0
other = torch.tensor([[True, False, True, False]])
y = torch.tensor([1, 0, 2])
loss = (x ** 2).mean(1)
print((mask & other).tolist(), (~mask).tolist(), (x * ~mask).tolist())
print((1 - mask.float()).tolist(), (1 - mask.int()).tolist(), (1.0 - mask.long()).sum().item())
print(torch.where(mask, x, 0).tolist(), torch.where(mask, 1, 0).tolist(), torch.where(mask, x, torch.zeros(1)).sum().item())
print((loss * (y > 0)).sum().item(), (loss * y).sum().item(), (y * loss).tolist())
print((mask.sum() / mask.numel()).item(), mask.sum(1).tolist(), (mask * 2).tolist(), (mask + mask).tolist(), (mask * mask).tolist())
print((x.masked_fill(mask == 0, -1e9)).tolist(), (mask == 1).tolist(), (mask.long() * y[:, None]).tolist())
e = torch.eye(3).bool()
print(e.tolist(), (~e).tolist(), x[:, :3][~e].tolist(), (x[:, :3] * e).tolist())
t = torch.tril(torch.ones(3, 3)) == 0
print(x[:, :3].masked_fill(t, float("-inf")).tolist())
print((y[:, None] == y[None, :]).float().tolist(), ((y[:, None] == y) * x[:, :3]).tolist())
print((mask ^ other).tolist(), (mask | other).tolist(), mask.any().item(), (x * mask).sum().item())
print((mask.sum(1) * loss).tolist(), (loss / mask.sum(1)).tolist(), (y / loss).tolist(), (y - loss).tolist(), (loss + y).tolist(), (loss ** y).tolist())
print((y > loss).tolist(), (y == loss).tolist(), (loss < y).tolist(), (y % 2 * loss).tolist())
