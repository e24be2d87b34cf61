import torch
import torch.nn.functional as F


def masked_mse(pred, target, valid):
    loss = F.mse_loss(pred, target, reduction="none")
    return (loss * valid).sum() / valid.sum()
def nll(logits, labels, weight, keep):
    lp = F.log_softmax(logits, -1)
    picked = lp.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return -(picked * weight * keep).sum() / (weight * keep).sum()
a, b = torch.arange(6.).sin().view(2, 3), torch.arange(6.).cos().view(2, 3)
print(masked_mse(a, b, a > 0).item(), masked_mse(a, b, (a > 0).int()).item())
print(nll(a, torch.tensor([0, 2]), torch.tensor([1, 2]), torch.tensor([True, True])).item())
