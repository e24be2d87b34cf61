import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x, keep=None):
        h = self.lin(x)
        if keep is not None:
            h = h * keep
        return h.sum()
def pool(x, valid):
    return (x * valid).sum()
def outer(x, valid):
    return pool(x, valid) + 1
net = Net()
with torch.no_grad():
    net.lin.weight.fill_(0.5)
    net.lin.bias.zero_()
x = torch.arange(3.)
print(net(x).item(), net(x, x > 1).item())
print(outer(x, x > 1).item(), pool(x, x > 0).item())


def weighted(x, mask):
    return (x * mask).sum()


def averaged(x, mask):
    return weighted(x, mask) / mask.sum()


print(averaged(x, torch.ones(3)).item(), averaged(x * 2, torch.tensor([1.0, 0, 1])).item())
