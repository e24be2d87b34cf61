import torch

x = torch.arange(6.).sin().view(2, 3)
a = torch.zeros(3)
a += (x > 0).sum(0)
a *= x[0] > 0
a /= torch.tensor([1, 2, 4])
a -= torch.tensor([1, 0, 1])
print(a.tolist(), a.dtype)
c = torch.zeros(3, dtype=torch.int32)
c += x[0] > 0
c *= x[1] < 0
print(c.tolist(), c.dtype)
d = torch.zeros(2, 3, dtype=torch.float64)
d += x > 0
d += x
print(d.tolist(), d.dtype)
class Meter:
    def __init__(self):
        self.hits = torch.zeros(3)
        self.seen = 0
    def update(self, pred, y):
        self.hits += (pred == y)
        self.seen += 1
    def value(self):
        return self.hits / self.seen
m = Meter()
m.update(x.argmax(0), torch.tensor([0, 1, 1]))
m.update(x.argmin(0), torch.tensor([0, 1, 1]))
print(m.value().tolist())
b = a
b += torch.tensor([1, 1, 1])
print(a.tolist())
tot = 0.
for i in range(3):
    tot += (x[0] > i * 0.3) * 1.0
print(tot.tolist())
n = 0
for i in range(2):
    n += (x > 0).sum()
print(n.item(), (n / x.numel()).item(), (n * 100.0 / 6).item())
