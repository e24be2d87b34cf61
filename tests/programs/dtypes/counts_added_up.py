import torch

total = correct = 0
weight = 0
for i in range(3):
    logits = torch.arange(6.).add(i).sin().view(2, 3)
    y = torch.tensor([i % 3, 1])
    correct += (logits.argmax(1) == y).sum()
    total += y.size(0)
    weight = weight + (y > 0) * logits.max(1)[0]
print(correct.item() / total, (correct / total).item(), weight.tolist(), (100. * correct / total).item())
hits = []
for i in range(2):
    hits.append((logits.argmax(-1) == y).float().mean())
print(torch.stack(hits).mean().item(), (sum(hits) / len(hits)).item())
acc = 0
acc += (logits > 0).sum(0) / 2
print(acc.tolist())
n = torch.zeros(3)
n += (logits > 0).sum(0)
print(n.tolist())
k = torch.zeros(3, dtype=torch.long)
k += (logits > 0).sum(0)
k += logits[0] > 0
print(k.tolist())
