import torch
from torch import nn


class Dice(nn.Module):
    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        inter = (p * target).sum()
        return 1 - (2 * inter + 1) / (p.sum() + target.sum() + 1)
class Focal(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma
    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        pt = p * target + (1 - p) * (1 - target)
        return -((1 - pt) ** self.gamma * pt.log()).mean()
def iou(pred, target):
    inter = (pred & target).sum()
    union = (pred | target).sum()
    return inter / union
x = torch.arange(6.).sin().view(2, 3)
t = torch.tensor([[1, 0, 1], [0, 1, 0]])
print(Dice()(x, t).item(), Focal()(x, t).item(), Dice()(x, t.float()).item(), iou(x > 0, t > 0).item())
