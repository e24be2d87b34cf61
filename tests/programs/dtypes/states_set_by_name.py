"""Attributes that a method sets by the name that it gets."""

import torch

ids = torch.tensor([0, 2, 2])
class Metric:
    def add_state(self, name, default):
        setattr(self, name, default.clone() if torch.is_tensor(default) else list(default))
class Counts(Metric):
    def __init__(self):
        self.add_state("count", torch.zeros(3))
        self.add_state("whole", default=torch.zeros(3, dtype=torch.int64))
        for name in ("first", "second"):
            self.add_state(name, torch.zeros(3))
    def update(self, ids):
        found = torch.bincount(ids, minlength=3)
        self.count += found
        self.whole += found
        self.first -= found
        self.second += self.whole
        return self.whole / (self.count + 1)
counts = Counts()
for one in (counts.update(ids), counts.whole, counts.first, counts.second):
    print(one.tolist())

class Single:
    def __init__(self):
        for name in ("count", "total"):
            setattr(self, name, torch.zeros(3))
    def update(self, ids):
        self.count += torch.bincount(ids, minlength=3)
        return self.count
print(Single().update(ids).tolist())
