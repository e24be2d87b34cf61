import torch
import torch.nn.functional as F
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d, heads, hidden):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d, heads, dropout=0.1, batch_first=True)
        self.linear1 = nn.Linear(d, hidden)
        self.linear2 = nn.Linear(hidden, d)
        self.norm1 = nn.LayerNorm(d)
        self.norm2 = nn.LayerNorm(d)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, padding):
        y, _ = self.self_attn(x, x, x, key_padding_mask=padding, need_weights=False)
        x = self.norm1(x + self.dropout(y))
        y = self.linear2(self.dropout(F.gelu(self.linear1(x))))
        return self.norm2(x + self.dropout(y))


class Net(nn.Module):
    def __init__(self, vocab=20, d=16, heads=4, layers=2, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, d, padding_idx=0)
        self.position = nn.Parameter(torch.randn(1, 12, d) * 0.02)
        self.layers = nn.ModuleList([EncoderLayer(d, heads, 32) for _ in range(layers)])
        self.classifier = nn.Linear(d, classes)

    def forward(self, ids):
        padding = ids == 0
        x = self.embed(ids) + self.position[:, : ids.shape[1]]
        for layer in self.layers:
            x = layer(x, padding)
        keep = (~padding).unsqueeze(-1).to(x.dtype)
        pooled = (x * keep).sum(1) / keep.sum(1).clamp(min=1)
        return self.classifier(pooled)


def batch(step):
    ids = torch.randint(1, 20, (4, 8))
    ids[0, 5:] = 0
    ids[2, 3:] = 0
    return ids, torch.randint(0, 3, (4,))


def loss(outputs, target):
    return F.cross_entropy(outputs, target, label_smoothing=0.1)


def optimizer(model):
    made = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.05)
    return made, torch.optim.lr_scheduler.CosineAnnealingLR(made, T_max=10)
