import torch

n = 4
causal = torch.tril(torch.ones(n, n)).bool()
causal2 = torch.triu(torch.ones(n, n), diagonal=1) == 1
causal3 = torch.ones(n, n, dtype=torch.bool).triu(1)
eye = torch.eye(n).bool()
eye8 = torch.eye(n, dtype=torch.uint8)
s = torch.arange(16.).sin().view(n, n)
print(s.masked_fill(~causal, float("-inf")).softmax(-1).tolist(), (s * causal).sum().item(), (s * ~causal2).sum().item(), (causal == ~causal3).all().item())
print((eye | causal3).sum().item(), (eye & causal).tolist(), (s * eye).sum().item(), (s * eye8).sum().item(), eye8.sum().item(), (1 - eye8).tolist(), (1 - torch.eye(n)).bool().tolist(), s[eye].tolist())
print((s * (1 - torch.eye(n, dtype=torch.long))).sum().item(), (torch.eye(n, dtype=torch.bool) * s).diag().tolist(), s[~torch.eye(n, dtype=bool)].view(n, n - 1).tolist())
labels = torch.tensor([0, 1, 0, 1])
pos = (labels[:, None] == labels) & ~eye
neg = labels[:, None] != labels
print((s * pos).sum(1).div(pos.sum(1)).tolist(), (s.exp() * neg).sum(1).tolist(), (s.exp() * (~eye)).sum(1).log().tolist(), (pos.float() / pos.sum(1, keepdim=True)).tolist())
print(torch.zeros(n, dtype=torch.bool).float().tolist(), torch.full((2,), True).tolist(), torch.full((2, 2), 0, dtype=torch.bool).tolist(), torch.ones(2).type(torch.BoolTensor).tolist(), torch.zeros(3).byte().tolist(), torch.BoolTensor([True, False]).tolist(), torch.ByteTensor([1, 0]).tolist())
