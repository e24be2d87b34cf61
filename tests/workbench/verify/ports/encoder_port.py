import paddle
from paddle import nn
from paddle.nn import functional as F


class Attention(nn.Layer):
    def __init__(self, dim, num_heads, dropout):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = self.head_dim**-0.5
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def heads(self, x):
        return paddle.reshape(x, [x.shape[0], x.shape[1], self.num_heads, self.head_dim])

    def forward(self, x, mask):
        q = self.heads(self.query(x))
        k = self.heads(self.key(x))
        v = self.heads(self.value(x))
        scores = paddle.einsum("bqhd,bkhd->bhqk", q, k) * self.scale
        scores = scores + mask
        weights = self.drop(F.softmax(scores, axis=-1))
        y = paddle.einsum("bhqk,bkhd->bqhd", weights, v)
        return self.proj(y.flatten(2))


class Block(nn.Layer):
    def __init__(self, dim, num_heads, hidden, dropout=0.1):
        super().__init__()
        self.attention = Attention(dim, num_heads, dropout)
        self.attention_norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, hidden),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, dim),
        )
        self.mlp_norm = nn.LayerNorm(dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.drop(self.attention(x, mask)))
        return self.mlp_norm(x + self.drop(self.mlp(x)))


class Net(nn.Layer):
    def __init__(self, vocab_size=20, dim=16, num_heads=4, depth=2, num_classes=3):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.pos_embedding = self.create_parameter(
            [1, 12, dim], default_initializer=nn.initializer.Normal(0.0, 0.02)
        )
        self.blocks = nn.LayerList([Block(dim, num_heads, 32) for _ in range(depth)])
        self.head = nn.Linear(dim, num_classes)

    def forward(self, ids):
        valid = (ids != 0).astype(paddle.get_default_dtype())
        mask = (1.0 - valid)[:, None, None, :] * -1e9
        x = self.token_embedding(ids) + self.pos_embedding[:, : ids.shape[1]]
        for block in self.blocks:
            x = block(x, mask)
        valid = valid.unsqueeze(-1)
        x = paddle.sum(x * valid, axis=1) / paddle.clip(valid.sum(axis=1), min=1.0)
        return self.head(x)


def loss(logits, labels):
    labels = F.label_smooth(F.one_hot(labels, 3).astype(logits.dtype), epsilon=0.1)
    return F.cross_entropy(logits, labels, soft_label=True)


def optimizer(model):
    rate = paddle.optimizer.lr.CosineAnnealingDecay(1e-3, T_max=10)
    return paddle.optimizer.AdamW(
        learning_rate=rate, beta2=0.95, weight_decay=0.05, parameters=model.parameters()
    )
