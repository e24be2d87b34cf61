import math

import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class RMSNorm(nn.Layer):
    def __init__(self, hidden_size, epsilon=1e-5):
        super().__init__()
        self.scale = self.create_parameter(
            [hidden_size], default_initializer=nn.initializer.Constant(1.0)
        )
        self.epsilon = epsilon

    def forward(self, x):
        variance = paddle.mean(paddle.square(x), axis=-1, keepdim=True)
        return x / paddle.sqrt(variance + self.epsilon) * self.scale


def apply_rotary(x, cos, sin):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return paddle.concat([first * cos - second * sin, second * cos + first * sin], axis=-1)


class GroupedAttention(nn.Layer):
    def __init__(self, hidden_size, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_size // num_heads
        out = (num_heads + 2 * num_kv_heads) * self.head_dim
        self.qkv_proj = nn.Linear(hidden_size, out, bias_attr=False)
        self.out_proj = nn.Linear(hidden_size, hidden_size, bias_attr=False)

    def forward(self, x, cos, sin, mask):
        bsz, seq_len, hidden = x.shape
        kv = self.num_kv_heads * self.head_dim
        q, k, v = paddle.split(self.qkv_proj(x), [hidden, kv, kv], axis=-1)
        q = q.reshape([bsz, seq_len, self.num_heads, self.head_dim])
        k = k.reshape([bsz, seq_len, self.num_kv_heads, self.head_dim])
        v = v.reshape([bsz, seq_len, self.num_kv_heads, self.head_dim])
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        groups = self.num_heads // self.num_kv_heads
        q = q.reshape([bsz, seq_len, self.num_kv_heads, groups, self.head_dim])
        scores = paddle.einsum("bqkgd,bskd->bkgqs", q, k) / math.sqrt(self.head_dim)
        scores = paddle.where(mask, scores, paddle.full_like(scores, -1e30))
        probs = F.softmax(scores, axis=-1)
        out = paddle.einsum("bkgqs,bskd->bqkgd", probs, v)
        return self.out_proj(out.reshape([bsz, seq_len, hidden]))


class SwiGLU(nn.Layer):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias_attr=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias_attr=False)

    def forward(self, x):
        gate, up = paddle.chunk(self.gate_up(x), 2, axis=-1)
        return self.down(F.silu(gate) * up)


class DecoderLayer(nn.Layer):
    def __init__(self, hidden_size, num_heads, num_kv_heads, intermediate_size):
        super().__init__()
        self.norm1 = RMSNorm(hidden_size)
        self.attn = GroupedAttention(hidden_size, num_heads, num_kv_heads)
        self.norm2 = RMSNorm(hidden_size)
        self.mlp = SwiGLU(hidden_size, intermediate_size)

    def forward(self, x, cos, sin, mask):
        x = x + self.attn(self.norm1(x), cos, sin, mask)
        return x + self.mlp(self.norm2(x))


class Net(nn.Layer):
    def __init__(self, vocab_size=17, hidden_size=32, num_heads=4, num_kv_heads=2, depth=2):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden_size)
        self.h = nn.LayerList(
            [DecoderLayer(hidden_size, num_heads, num_kv_heads, 48) for _ in range(depth)]
        )
        self.ln_f = RMSNorm(hidden_size)
        self.output = nn.Linear(hidden_size, vocab_size, bias_attr=False)
        self.head_dim = hidden_size // num_heads

    def rotary(self, length, dtype):
        exponents = paddle.arange(0, self.head_dim, 2).astype(dtype) / self.head_dim
        freqs = paddle.outer(paddle.arange(length).astype(dtype), 10000.0**-exponents)
        freqs = freqs.unsqueeze(1)
        return paddle.cos(freqs), paddle.sin(freqs)

    def forward(self, input_ids):
        length = input_ids.shape[1]
        x = self.wte(input_ids)
        cos, sin = self.rotary(length, x.dtype)
        mask = paddle.tril(paddle.ones([length, length], dtype="bool"))
        for layer in self.h:
            x = layer(x, cos, sin, mask)
        return self.output(self.ln_f(x))
